//! Every metric of Newslode, declared once.
//!
//! Names are `newslode_<part>_<what>_<unit>[_total]`. The values of labels are bounded (never a URL or a
//! site). A test walks the registry and checks names, kinds and help texts. To add a metric, add a field, a
//! line in [`Metrics::new`] and a note in `cli/src/reference/metrics.rs`.

use std::sync::Arc;

use prometheus::{
    Counter, Histogram, HistogramOpts, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry,
    TextEncoder,
};

use super::process::Process;
use super::trace;
use crate::broker::Queue;
use crate::outcome::Outcome;
use crate::schedule::Health;

/// The process's metrics.
pub struct Metrics {
    registry: Registry,
    /// Connections that were refused, or closed for a newcomer, by `port`: `admin`, `console`.
    pub connections_dropped: IntCounterVec,
    /// What the console refused, by `what`.
    pub console_refused: IntCounterVec,
    /// Seconds for which the console let wrong credentials wait.
    pub brake_seconds: Counter,
    /// URLs by the end of their claim: `newslode_crawler_urls_total{outcome}`.
    pub urls: IntCounterVec,
    /// Fetches that will be tried again: `newslode_crawler_retries_total`.
    pub retries: IntCounter,
    /// robots.txt files read whose `Crawl-delay` was cut.
    pub delays_cut: IntCounter,
    /// Bytes fetched, after decoding the content encoding.
    pub fetched_bytes: IntCounter,
    /// Seconds from the request to the last byte.
    pub fetch_seconds: Histogram,
    /// Publishes refused by a full queue, by queue.
    pub refused: IntCounterVec,
    /// 1 while this crawler reaches none of its sites.
    pub network_down: IntGauge,
    /// Messages taken from a queue, by queue.
    pub consumed: IntCounterVec,
    /// Messages given up, by queue.
    pub dead_lettered: IntCounterVec,
    /// Messages delivered again, by queue.
    pub redelivered: IntCounterVec,
    /// Messages waiting, by queue.
    pub queue_depth: IntGaugeVec,
    /// Pages partitioned, by `result`: `whole`, `coarse`, `failed`.
    pub partitioned: IntCounterVec,
    /// Seconds from a page's bytes to its contribution.
    pub partition_seconds: Histogram,
    /// Pages by the store's verdict: `applied`, `stale`, `conflict`.
    pub applied: IntCounterVec,
    /// Pages due for counting again after an update, by `result`: `counted`, `lost`, `stuck`.
    pub recomputed: IntCounterVec,
    /// Seconds of one store call.
    pub apply_seconds: Histogram,
    /// Articles published.
    pub articles: IntCounter,
    /// New articles of which something could not be read, by `field`: `title`, `day`, `text`.
    pub articles_without: IntCounterVec,
    /// Events of articles by the witness that files them: `newslode_miner_filed_total{witness}`.
    pub filed: IntCounterVec,
    /// Seconds from the time that a new article names as its publication to its delivery.
    pub article_delay: Histogram,
    /// Sites by how they are, by `state`: as `Health` names them.
    pub sites: IntGaugeVec,
    /// Sites of which a URL could be claimed now.
    pub sites_due: IntGauge,
    /// Buckets of sites that this miner cares for.
    pub owned_buckets: IntGauge,
    /// URLs that the miner gave to the frontier, by reason (`why`).
    pub followed: IntCounterVec,
    /// Seconds of one fold over all sites.
    pub fold_seconds: Histogram,
    /// Concepts and relations of the last fold, by `what`.
    pub taxonomy: IntGaugeVec,
    /// Pages viewed, by `result`: `marked`, `unchanged`, `missing`, `failed`.
    pub viewed: IntCounterVec,
    /// Seconds to view all pages of one site, pauses included.
    pub view_seconds: Histogram,
    /// Articles read again with knowledge of their site, by `result`: `changed`, `unchanged`.
    pub articles_viewed: IntCounterVec,
    /// New articles by the verdict of their site's templates, `result`: `accepted`, `waiting`, or `settled`
    /// (they waited, and a newly learnt template accepts them).
    pub template_pages: IntCounterVec,
    /// Concept pages whose instances were renewed, by `result`: `unchanged`, `read`.
    pub instance_pages: IntCounterVec,
    /// Templates by `event`: `learnt`, `layout_changed`, `crowded`; `cut` counts learnings that left out pages too large to
    /// compare.
    pub templates: IntCounterVec,
    /// Connections rebuilt after a loss, by `server`.
    pub reconnects: IntCounterVec,
    /// Calls to the archive that failed, by `call`: `put`, `get`, `delete`, `expire`.
    pub archive_failures: IntCounterVec,
    /// What retention removed to save space, by `what`: `page`, `hierarchy`, `body` (the text of an article).
    pub retention_removed: IntCounterVec,
    /// Bytes of a run's file on the disk.
    pub store_file: IntGauge,
    /// Free bytes on the disk of a run.
    pub disk_free: IntGauge,
    /// Bytes in an archive, packed, by `kind`, as the last expiry or the last look at the space found them.
    pub archive_bytes: IntGaugeVec,
    /// Whether less than the reserve is free on the disk of the archive: fetching waits.
    pub disk_short: IntGauge,
    /// Memory of the fullest server of the store in bytes, by `what`: `used`, `limit`.
    pub store_memory: IntGaugeVec,
    /// Pages of the site at hand that are to be counted again after an update.
    pub outdated: IntGauge,
}

/// Bounds of the buckets of delays: a minute to a day.
const DELAYS: &[f64] =
    &[60.0, 180.0, 300.0, 600.0, 900.0, 1_200.0, 1_800.0, 3_600.0, 7_200.0, 14_400.0, 43_200.0, 86_400.0];
/// Bounds of the buckets of calls: 1 ms to 30 s.
const SECONDS: &[f64] = &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

struct Maker(Registry);

impl Maker {
    fn add<C: prometheus::core::Collector + Clone + 'static>(
        &self,
        made: prometheus::Result<C>,
    ) -> prometheus::Result<C> {
        let collector = made?;
        self.0.register(Box::new(collector.clone()))?;
        Ok(collector)
    }

    fn counter(&self, name: &str, help: &str) -> prometheus::Result<IntCounter> {
        self.add(IntCounter::new(name, help))
    }

    fn counters(
        &self,
        name: &str,
        help: &str,
        label: &str,
        values: &[&str],
    ) -> prometheus::Result<IntCounterVec> {
        let made = self.add(IntCounterVec::new(Opts::new(name, help), &[label]))?;
        values.iter().for_each(|value| made.with_label_values(&[*value]).inc_by(0));
        Ok(made)
    }

    fn gauge(&self, name: &str, help: &str) -> prometheus::Result<IntGauge> {
        self.add(IntGauge::new(name, help))
    }

    fn gauges(
        &self,
        name: &str,
        help: &str,
        label: &str,
        values: &[&str],
    ) -> prometheus::Result<IntGaugeVec> {
        let made = self.add(IntGaugeVec::new(Opts::new(name, help), &[label]))?;
        values.iter().for_each(|value| made.with_label_values(&[*value]).set(0));
        Ok(made)
    }

    /// Registers the one family whose value is in its labels.
    fn build_info(&self) -> prometheus::Result<()> {
        let help = "What runs: always 1. The revision is `unknown` unless the build was told one.";
        let options = Opts::new("newslode_build_info", help);
        let info = self.add(IntGaugeVec::new(options, &["version", "revision", "rustc"]))?;
        let revision = option_env!("NEWSLODE_REVISION").filter(|revision| !revision.is_empty());
        let labels = [env!("CARGO_PKG_VERSION"), revision.unwrap_or("unknown"), env!("NEWSLODE_RUSTC")];
        info.with_label_values(&labels).set(1);
        Ok(())
    }

    fn delays(&self, name: &str, help: &str) -> prometheus::Result<Histogram> {
        self.add(Histogram::with_opts(HistogramOpts::new(name, help).buckets(DELAYS.to_vec())))
    }

    fn seconds(&self, name: &str, help: &str) -> prometheus::Result<Histogram> {
        self.add(Histogram::with_opts(HistogramOpts::new(name, help).buckets(SECONDS.to_vec())))
    }
}

impl Metrics {
    /// Makes a registry with every family at zero.
    ///
    /// # Errors
    /// When a name is invalid or registered twice: a mistake in this file.
    pub fn new() -> prometheus::Result<Arc<Metrics>> {
        let make = Maker(Registry::new());
        make.0.register(Box::new(Process::new()?))?;
        make.build_info()?;
        let outcomes: Vec<&str> = Outcome::ALL.iter().map(|outcome| outcome.name()).collect();
        let states = Health::ALL.map(Health::name);
        let queues: Vec<&str> = Queue::ALL.iter().map(|queue| queue.name()).collect();
        Ok(Arc::new(Metrics {
            urls: make.counters(
                "newslode_crawler_urls_total",
                "URLs by the end of their claim.",
                "outcome",
                &outcomes,
            )?,
            retries: make.counter("newslode_crawler_retries_total", "Fetches that will be tried again.")?,
            delays_cut: make.counter(
                "newslode_crawler_delays_cut_total",
                "Files robots.txt read whose Crawl-delay is longer than the longest one that is honoured.",
            )?,
            fetched_bytes: make
                .counter("newslode_crawler_fetched_bytes_total", "Bytes fetched, after decoding the content encoding.")?,
            fetch_seconds: make
                .seconds("newslode_crawler_fetch_seconds", "Time from the request to the last byte.")?,
            network_down: make.gauge(
                "newslode_crawler_network_down",
                "1 while this crawler reaches none of its sites: its machine has no network.",
            )?,
            refused: make.counters(
                "newslode_broker_refused_total",
                "Publishes that a full queue refused.",
                "queue",
                &queues,
            )?,
            consumed: make.counters(
                "newslode_broker_consumed_total",
                "Messages taken from a queue.",
                "queue",
                &queues,
            )?,
            dead_lettered: make.counters(
                "newslode_broker_dead_lettered_total",
                "Messages that a service gave up.",
                "queue",
                &queues,
            )?,
            redelivered: make.counters(
                "newslode_broker_redelivered_total",
                "Messages delivered again.",
                "queue",
                &queues,
            )?,
            queue_depth: make.gauges(
                "newslode_broker_queue_messages",
                "Messages waiting in a queue.",
                "queue",
                &queues,
            )?,
            partitioned: make.counters(
                "newslode_partitioner_pages_total",
                "Pages partitioned: whole, coarse (a limit was met) or failed.",
                "result",
                &["whole", "coarse", "failed"],
            )?,
            partition_seconds: make
                .seconds("newslode_partitioner_page_seconds", "Time from a page's bytes to its contribution.")?,
            applied: make.counters(
                "newslode_miner_pages_total",
                "Pages by the store's verdict.",
                "result",
                &["applied", "stale", "conflict"],
            )?,
            recomputed: make.counters(
                "newslode_miner_recomputed_total",
                "Pages after an update of the page algorithms: counted again, taken out because the archive lost them (lost), or left as they are (stuck).",
                "result",
                &["counted", "lost", "stuck"],
            )?,
            apply_seconds: make
                .seconds("newslode_miner_apply_seconds", "Time of one store call with a batch of one site.")?,
            articles: make.counter("newslode_miner_articles_total", "Articles published.")?,
            articles_without: make.counters(
                "newslode_miner_articles_without_total",
                "New articles whose page told no title, no day of publication or no text.",
                "field",
                &["title", "day", "text"],
            )?,
            filed: make.counters(
                "newslode_miner_filed_total",
                "Events of new and changed articles by the most trusted witness that files them.",
                "witness",
                &["scheme", "list", "section", "address", "topic", "place", "words", "none"],
            )?,
            article_delay: make.delays(
                "newslode_miner_article_delay_seconds",
                "Time from a new article's publication, as it says, to its delivery.",
            )?,
            sites: make.gauges(
                "newslode_miner_sites",
                "Sites by how they are.",
                "state",
                &states,
            )?,
            sites_due: make.gauge(
                "newslode_miner_sites_due",
                "Sites of which a URL could be claimed now: they wait for a crawler.",
            )?,
            owned_buckets: make.gauge(
                "newslode_miner_owned_buckets",
                "Buckets of sites, of 1024, that this miner cares for.",
            )?,
            followed: make.counters(
                "newslode_miner_followed_total",
                "URLs given to the frontier, by reason.",
                "why",
                &["seed", "concept", "instance", "link"],
            )?,
            fold_seconds: make.seconds("newslode_miner_fold_seconds", "Time of one fold over all sites.")?,
            taxonomy: make.gauges(
                "newslode_miner_taxonomy_size",
                "Concepts and relations of the last fold.",
                "what",
                &["concepts", "relations"],
            )?,
            viewed: make.counters(
                "newslode_miner_views_pages_total",
                "Pages viewed with their site's value, by result.",
                "result",
                &["marked", "unchanged", "missing", "failed"],
            )?,
            view_seconds: make
                .seconds("newslode_miner_views_seconds", "Time to view all pages of one site, pauses included.")?,
            articles_viewed: make.counters(
                "newslode_miner_views_articles_total",
                "Articles read again with knowledge of their site.",
                "result",
                &["changed", "unchanged"],
            )?,
            template_pages: make.counters(
                "newslode_miner_template_pages_total",
                "New articles by the verdict of their site's templates.",
                "result",
                &["accepted", "waiting", "settled"],
            )?,
            instance_pages: make.counters(
                "newslode_miner_instance_pages_total",
                "Concept pages whose kept instances were unchanged, or read again.",
                "result",
                &["unchanged", "read"],
            )?,
            templates: make.counters(
                "newslode_miner_templates_total",
                "Templates learnt, templates dropped by cause, and learnings that left out large pages.",
                "event",
                &["learnt", "layout_changed", "crowded", "cut"],
            )?,
            reconnects: make.counters(
                "newslode_process_reconnects_total",
                "Connections rebuilt after a loss.",
                "server",
                &["broker", "store"],
            )?,
            archive_failures: make.counters(
                "newslode_archive_failures_total",
                "Calls to the archive that failed; each try counts.",
                "call",
                &["put", "get", "delete", "expire"],
            )?,
            disk_short: make.gauge(
                "newslode_disk_short",
                "1 while less than `archive.reserve_mb` is free on the disk of the archive: fetching waits.",
            )?,
            retention_removed: make.counters(
                "newslode_retention_removed_total",
                "What retention removed to save space.",
                "what",
                &["page", "hierarchy", "body"],
            )?,
            store_file: make.gauge("newslode_store_file_bytes", "Bytes of the run's file on the disk.")?,
            disk_free: make.gauge("newslode_disk_free_bytes", "Free bytes on the disk of the run.")?,
            archive_bytes: make.gauges(
                "newslode_archive_bytes",
                "Bytes in the archive, as the last expiry or the last look at the space found them.",
                "kind",
                &["page", "contribution", "hierarchy", "article", "life", "robots", "listed", "rights"],
            )?,
            store_memory: make.gauges(
                "newslode_store_memory_bytes",
                "Memory of the fullest server of the store: what its data takes, and its limit.",
                "what",
                &["used", "limit"],
            )?,
            outdated: make.gauge(
                "newslode_miner_outdated_pages",
                "Pages of the site at hand that are to be counted again after an update.",
            )?,
            connections_dropped: make.counters(
                "newslode_http_connections_dropped_total",
                "Connections that were refused, or closed for a newcomer while they waited for a request.",
                "port",
                &["admin", "console"],
            )?,
            console_refused: make.counters(
                "newslode_console_refused_total",
                "What the console refused.",
                "what",
                &["token", "sign_in", "request", "busy", "stream"],
            )?,
            brake_seconds: make.add(Counter::new(
                "newslode_console_brake_seconds_total",
                "Seconds for which the console let the answers to wrong credentials wait.",
            ))?,
            registry: {
                if let Some(spans) = trace::spans() {
                    make.add(Ok(spans))?;
                }
                make.0
            },
        }))
    }

    /// The text that Prometheus scrapes.
    ///
    /// # Errors
    /// When a family cannot be written.
    pub fn text(&self) -> prometheus::Result<String> {
        TextEncoder::new().encode_to_string(&self.registry.gather())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_is_there_at_zero_with_prefix_help_and_unit() {
        let text = Metrics::new().unwrap().text().unwrap();
        let families: Vec<_> = text.lines().filter_map(|l| l.strip_prefix("# TYPE ")).collect();
        let ours = families.iter().filter(|family| family.starts_with("newslode_")).count();
        assert_eq!((ours, families.len()), (47, 54));
        for family in families {
            let (name, kind) = family.split_once(' ').unwrap();
            assert!(name.starts_with("newslode_") || name.starts_with("process_"), "{name}");
            assert_eq!(kind == "counter", name.ends_with("_total"), "{name} is a {kind}");
            assert!(text.contains(&format!("# HELP {name} ")), "{name} has no help");
        }
        assert!(text.contains("newslode_crawler_urls_total{outcome=\"private_address\"} 0"));
    }

    #[test]
    fn the_build_says_its_version_and_compiler() {
        let text = Metrics::new().unwrap().text().unwrap();
        let info = text.lines().find(|line| line.starts_with("newslode_build_info{")).unwrap();
        let rustc = info.split("rustc=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        assert!(rustc.starts_with("1.") && rustc.split('.').count() == 3, "{info}");
        assert!(info.contains(concat!("version=\"", env!("CARGO_PKG_VERSION"), "\"")), "{info}");
        assert!(info.contains("revision=\"") && info.ends_with("} 1"), "{info}");
    }
}
