//! Every metric of Newslode, declared once.
//!
//! Names are `newslode_<part>_<what>_<unit>[_total]`; labels are bounded (never a URL or a site). A
//! test walks the registry for duplicates, units and help texts. Add one: a field, a line in
//! [`Metrics::new`], a line in docs/metrics.md.

use std::sync::Arc;

use prometheus::{
    Histogram, HistogramOpts, IntCounter, IntCounterVec, IntGaugeVec, Opts, Registry, TextEncoder,
};

use super::process::Process;
use crate::broker::Queue;
use crate::outcome::Outcome;

/// The process's metrics.
pub struct Metrics {
    registry: Registry,
    /// URLs by how their claim ended: `newslode_crawler_urls_total{outcome}`.
    pub urls: IntCounterVec,
    /// Fetches that will be tried again: `newslode_crawler_retries_total`.
    pub retries: IntCounter,
    /// Decoded bytes fetched.
    pub fetched_bytes: IntCounter,
    /// Seconds from request to the last byte.
    pub fetch_seconds: Histogram,
    /// Publishes refused by a full queue, by queue.
    pub refused: IntCounterVec,
    /// Messages taken, by queue.
    pub consumed: IntCounterVec,
    /// Messages given up, by queue.
    pub dead_lettered: IntCounterVec,
    /// Messages that came again, by queue.
    pub redelivered: IntCounterVec,
    /// Messages waiting, by queue.
    pub queue_depth: IntGaugeVec,
    /// Pages partitioned, by how: `whole`, `coarse`, `failed`.
    pub partitioned: IntCounterVec,
    /// Seconds a page took from bytes to contribution.
    pub partition_seconds: Histogram,
    /// Pages by what the store did: `applied`, `stale`, `conflict`.
    pub applied: IntCounterVec,
    /// Pages that were to be counted again after an update, by what came of it: `counted`, `lost`, `stuck`.
    pub recomputed: IntCounterVec,
    /// Seconds of a store call.
    pub apply_seconds: Histogram,
    /// Articles handed out.
    pub articles: IntCounter,
    /// URLs that the miner gave to the frontier, by why.
    pub followed: IntCounterVec,
    /// Seconds of a fold over the sites.
    pub fold_seconds: Histogram,
    /// Concepts and relations of the last fold, by `what`.
    pub taxonomy: IntGaugeVec,
    /// Pages whose view was made, by `result`: `marked`, `unchanged`, `missing`, `failed`.
    pub viewed: IntCounterVec,
    /// Seconds of all views of one site, rests included.
    pub view_seconds: Histogram,
    /// Articles read with what is known of their site, by `result`: `changed`, `unchanged`.
    pub articles_viewed: IntCounterVec,
    /// New articles by what the templates of their site said, `result`: `accepted`, `waiting`, and `settled` for
    /// those that waited and are accepted by one that was learnt.
    pub template_pages: IntCounterVec,
    /// Templates by `event`: `learnt`, `layout_changed`, `crowded`.
    pub templates: IntCounterVec,
    /// Lost connections that were built anew, by `server`.
    pub reconnects: IntCounterVec,
}

/// 1 ms to 30 s.
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

    fn seconds(&self, name: &str, help: &str) -> prometheus::Result<Histogram> {
        self.add(Histogram::with_opts(HistogramOpts::new(name, help).buckets(SECONDS.to_vec())))
    }
}

impl Metrics {
    /// A registry with every family at zero.
    ///
    /// # Errors
    /// When a name is wrong or taken twice: a mistake in this file.
    pub fn new() -> prometheus::Result<Arc<Metrics>> {
        let make = Maker(Registry::new());
        make.0.register(Box::new(Process::new()?))?;
        let outcomes: Vec<&str> = Outcome::ALL.iter().map(|outcome| outcome.name()).collect();
        let queues: Vec<&str> = Queue::ALL.iter().map(|queue| queue.name()).collect();
        Ok(Arc::new(Metrics {
            urls: make.counters(
                "newslode_crawler_urls_total",
                "URLs by how their claim ended.",
                "outcome",
                &outcomes,
            )?,
            retries: make.counter("newslode_crawler_retries_total", "Fetches that will be tried again.")?,
            fetched_bytes: make
                .counter("newslode_crawler_fetched_bytes_total", "Bytes fetched, content encoding undone.")?,
            fetch_seconds: make
                .seconds("newslode_crawler_fetch_seconds", "From request to the last byte.")?,
            refused: make.counters(
                "newslode_broker_refused_total",
                "Publishes refused by a full queue.",
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
                "Messages given up.",
                "queue",
                &queues,
            )?,
            redelivered: make.counters(
                "newslode_broker_redelivered_total",
                "Messages that came again.",
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
                .seconds("newslode_partitioner_page_seconds", "From bytes to contribution.")?,
            applied: make.counters(
                "newslode_miner_pages_total",
                "Pages by what the store did with them.",
                "result",
                &["applied", "stale", "conflict"],
            )?,
            recomputed: make.counters(
                "newslode_miner_recomputed_total",
                "Pages counted again after an update of the page algorithms, or taken out because the archive lost them (lost), or left as they are (stuck).",
                "result",
                &["counted", "lost", "stuck"],
            )?,
            apply_seconds: make
                .seconds("newslode_miner_apply_seconds", "One store call with a batch of one site.")?,
            articles: make.counter("newslode_miner_articles_total", "Articles handed out.")?,
            followed: make.counters(
                "newslode_miner_followed_total",
                "URLs given to the frontier, by why.",
                "why",
                &["seed", "concept", "instance", "link"],
            )?,
            fold_seconds: make.seconds("newslode_miner_fold_seconds", "One fold over all sites.")?,
            taxonomy: make.gauges(
                "newslode_miner_taxonomy_size",
                "Concepts and relations of the last fold.",
                "what",
                &["concepts", "relations"],
            )?,
            viewed: make.counters(
                "newslode_miner_views_pages_total",
                "Pages viewed with their site's value, by what came of it.",
                "result",
                &["marked", "unchanged", "missing", "failed"],
            )?,
            view_seconds: make
                .seconds("newslode_miner_views_seconds", "All pages of one site viewed, rests included.")?,
            articles_viewed: make.counters(
                "newslode_miner_views_articles_total",
                "Articles read with what is known of their site.",
                "result",
                &["changed", "unchanged"],
            )?,
            template_pages: make.counters(
                "newslode_miner_template_pages_total",
                "New articles by what their site's templates said of them.",
                "result",
                &["accepted", "waiting", "settled"],
            )?,
            templates: make.counters(
                "newslode_miner_templates_total",
                "Templates learnt, and dropped by why.",
                "event",
                &["learnt", "layout_changed", "crowded"],
            )?,
            reconnects: make.counters(
                "newslode_process_reconnects_total",
                "Lost connections that were built anew.",
                "server",
                &["broker", "store"],
            )?,
            registry: make.0,
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
        assert_eq!((ours, families.len()), (24, 31));
        for family in families {
            let (name, kind) = family.split_once(' ').unwrap();
            assert!(name.starts_with("newslode_") || name.starts_with("process_"), "{name}");
            assert_eq!(kind == "counter", name.ends_with("_total"), "{name} is a {kind}");
            assert!(text.contains(&format!("# HELP {name} ")), "{name} has no help");
        }
        assert!(text.contains("newslode_crawler_urls_total{outcome=\"private_address\"} 0"));
    }
}
