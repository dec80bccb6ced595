//! The rules of a configuration beyond the types of its values: ranges, and settings that must fit each
//! other. Every message names the keys.
//!
//! A service refuses to start if a rule is broken. `newslode config check` makes the same call. Texts that a
//! service parses at start (addresses, the log filter) are parsed here, too. Start at [`Config::validate`].

use std::ops::RangeInclusive;

use super::contact::is_contact;
use super::{Config, ConfigError, Noarchive, is_of_token};
use crate::broker::rabbitmq;
use crate::message::MAX_PAGE;
use crate::message::seed::{MAX_DELAY_MS, MAX_DEPTH, MAX_PAGES};
use crate::retry::HOLD;
use crate::store::archive::ObjectArchive;
use crate::store::{StoreError, StoreResult, redis};
use crate::telemetry::{log, trace};

/// Longest wait, in seconds: ten years.
const MOST_WAIT_S: u64 = 315_360_000;

/// Fewest days after which pages may be removed.
const LEAST_RETENTION_DAYS: u32 = 7;

/// Longest time that a claim waits for the browser, in milliseconds.
const RENDERING_MS: u64 = 60_000;

/// Most rungs of a ladder of visits.
const MOST_RUNGS: usize = 100;

/// Deliveries in a row that one service holds: the one in hand, and one that was delivered already and waits.
const IN_A_ROW: u64 = 2;
/// Upper limit of concurrent tasks in one service.
const MOST_WORKERS: u64 = 10_000;
/// Longest prefix, in bytes: AMQP allows names of 255 bytes.
const MOST_PREFIX: usize = 200;

/// The broken rules found so far.
#[derive(Default)]
struct Broken(Vec<String>);

impl Broken {
    fn unless(&mut self, holds: bool, message: impl Into<String>) {
        if !holds {
            self.0.push(message.into());
        }
    }

    fn range(&mut self, key: &str, value: u64, range: RangeInclusive<u64>) {
        let (least, most) = (range.start(), range.end());
        let wanted =
            if *most == u64::MAX { format!("at least {least}") } else { format!("from {least} to {most}") };
        self.unless(range.contains(&value), format!("`{key}` is {value}; it must be {wanted}"));
    }

    /// Adds the error of a store that refuses its address.
    fn store(&mut self, read: StoreResult<()>) {
        match read {
            Ok(()) => {}
            Err(StoreError::Refused(reason)) => self.0.push(reason),
            Err(other) => self.0.push(other.to_string()),
        }
    }
}

impl Config {
    /// Checks every rule.
    ///
    /// # Errors
    /// All rules that are broken.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let mut broken = Broken::default();
        self.servers(&mut broken);
        self.crawling(&mut broken);
        self.scheduling(&mut broken);
        self.working(&mut broken);
        self.holding(&mut broken);
        let timezone = &self.console.timezone;
        broken.unless(
            self.console.zone().is_ok(),
            format!("`console.timezone` is `{timezone}`; it must be the name of a time zone, such as Europe/Berlin or UTC"),
        );
        self.retaining(&mut broken);
        if broken.0.is_empty() { Ok(()) } else { Err(ConfigError::Rules(broken.0)) }
    }

    fn servers(&self, broken: &mut Broken) {
        let (broker, store) = (&self.broker, &self.store);
        if let Err(error) = rabbitmq::check_url(&broker.url) {
            broken.0.push(error.0);
        }
        broken.store(redis::check_url(&store.url));
        broken.store(ObjectArchive::check(&self.archive.url));
        if let Err(reason) = log::check(&self.telemetry.log) {
            broken.0.push(format!("`telemetry.log`: `{}` is not a log filter: {reason}", self.telemetry.log));
        }
        if let Err(error) = trace::check(&self.telemetry.traces) {
            broken.0.push(error.to_string());
        }
        let ratio = self.telemetry.trace_ratio;
        broken.unless(
            (0.0..=1.0).contains(&ratio),
            format!("`telemetry.trace_ratio` is {ratio}; it must be from 0 to 1"),
        );
        let is_name = |prefix: &str| (1..=MOST_PREFIX).contains(&prefix.len()) && !prefix.starts_with("amq.");
        broken.unless(
            is_name(&broker.prefix),
            format!("`broker.prefix` must have 1 to {MOST_PREFIX} bytes and not begin with `amq.`, which RabbitMQ reserves"),
        );
        broken.unless(
            !store.prefix.is_empty() && !store.prefix.contains(['{', '}']),
            "`store.prefix` must not be empty or contain braces, which set the slots of keys in a cluster",
        );
        broken.range("broker.timeout_ms", broker.timeout_ms, 1..=u64::MAX);
        broken.range("broker.max_length", broker.max_length, 1..=u64::MAX);
        broken.range("broker.max_bytes", broker.max_bytes, 1..=u64::MAX);
        broken.range("store.timeout_ms", store.timeout_ms, 1..=u64::MAX);
    }

    fn crawling(&self, broken: &mut Broken) {
        let crawler = &self.crawler;
        broken.range("crawler.workers", crawler.workers as u64, 1..=MOST_WORKERS);
        broken.range("crawler.timeout_ms", crawler.timeout_ms, 1..=u64::MAX);
        broken.range("crawler.connect_timeout_ms", crawler.connect_timeout_ms, 1..=u64::MAX);
        // A larger page would be fetched, and then no reader of the message could unpack it.
        broken.range("crawler.max_page_bytes", crawler.max_page_bytes, 1..=MAX_PAGE);
        let agent = &crawler.user_agent;
        broken.unless(
            axum::http::HeaderValue::from_str(agent).is_ok() && !agent.is_empty(),
            format!("`crawler.user_agent` is {agent:?}; it must not be empty and may contain only characters that are valid in a header"),
        );
        let token = &crawler.robots_token;
        broken.unless(
            token.chars().all(is_of_token),
            format!("`crawler.robots_token` is {token:?}; it may contain only letters, `-` and `_`, because robots.txt compares no other characters (RFC 9309)"),
        );
        broken.unless(
            agent.is_empty() || !crawler.product_token().is_empty(),
            format!("`crawler.user_agent` is {agent:?}, which begins with no name that robots.txt rules could be matched against; set `crawler.robots_token`"),
        );
        broken.unless(
            crawler.contact.is_empty() || is_contact(&crawler.contact),
            format!("`crawler.contact` is {:?}; it must be an http(s) URL or a mail address, such as `https://example.org/crawler` or `crawler@example.org`", crawler.contact),
        );
        broken.unless(
            crawler.noarchive != Noarchive::Drop || self.miner.views_s > 0,
            "`crawler.noarchive` is drop and `miner.views_s` is 0; copies are deleted after their pages were viewed, so let pages be \
             viewed, or set `crawler.noarchive` to hide",
        );
        broken.unless(
            crawler.proxy.reveal().is_empty() || is_proxy_url(crawler.proxy.reveal()),
            "`crawler.proxy` must be the URL of a proxy, with `http://`, `https://`, `socks5://` or `socks5h://`",
        );
        // A claim asks for robots.txt and for the page, each within the timeout.
        broken.unless(
            crawler.lease_ms > crawler.timeout_ms.saturating_mul(2),
            format!(
                "`crawler.lease_ms` is {}; it must be longer than twice `crawler.timeout_ms`, which is {}: a claim fetches robots.txt and the page",
                crawler.lease_ms, crawler.timeout_ms
            ),
        );
        broken.unless(
            crawler.browser.is_empty() || is_local_http(&crawler.browser),
            format!(
                "`crawler.browser` is `{}`; it must be an http URL of this machine with a port, such as `http://127.0.0.1:9222`: \
                 anyone who can connect to the browser's DevTools port controls the browser, so it must listen on loopback only",
                crawler.browser
            ),
        );
        broken.unless(
            crawler.browser.is_empty()
                || crawler.lease_ms > crawler.timeout_ms.saturating_mul(2).saturating_add(RENDERING_MS),
            format!(
                "`crawler.lease_ms` is {}; with `crawler.browser` it must be longer than twice `crawler.timeout_ms`, which is {}, and \
                 {RENDERING_MS}: the browser loads the page within the same claim",
                crawler.lease_ms, crawler.timeout_ms
            ),
        );
    }

    fn scheduling(&self, broken: &mut Broken) {
        let schedule = &self.schedule;
        broken.range("schedule.request_price_s", schedule.request_price_s, 1..=MOST_WAIT_S);
        broken.range("schedule.least_interval_s", schedule.least_interval_s, 1..=MOST_WAIT_S);
        broken.range("schedule.longest_interval_s", schedule.longest_interval_s, 1..=MOST_WAIT_S);
        broken.range("schedule.longest_silent_s", schedule.longest_silent_s, 1..=MOST_WAIT_S);
        broken.range("schedule.lead_interval_s", schedule.lead_interval_s, 1..=MOST_WAIT_S);
        broken.range("schedule.silent_visits", schedule.silent_visits, 1..=100_000);
        broken.range("schedule.base_requests", schedule.base_requests, 1..=100_000);
        broken.range("schedule.article_requests", schedule.article_requests, 0..=1_000);
        broken.unless(
            schedule.least_interval_s <= schedule.longest_interval_s,
            format!(
                "`schedule.least_interval_s` is {}; it must not be longer than `schedule.longest_interval_s`, which is {}",
                schedule.least_interval_s, schedule.longest_interval_s
            ),
        );
        broken.unless(
            schedule.rechecks_s.is_sorted_by(|one, next| one < next)
                && schedule.rechecks_s.len() <= MOST_RUNGS,
            format!(
                "`schedule.rechecks_s` must be at most {MOST_RUNGS} growing ages, such as [3300, 7200, 86400]"
            ),
        );
        broken.unless(
            schedule.no_article_s.len() <= MOST_RUNGS,
            format!("`schedule.no_article_s` must be at most {MOST_RUNGS} waits"),
        );
    }

    fn working(&self, broken: &mut Broken) {
        let (partitioner, miner) = (&self.partitioner, &self.miner);
        broken.range("partitioner.workers", partitioner.workers as u64, 1..=MOST_WORKERS);
        broken.range("miner.delay_ms", miner.delay_ms, 0..=MAX_DELAY_MS);
        broken.range("miner.max_pages", miner.max_pages, 0..=MAX_PAGES);
        broken.range("miner.max_depth", miner.max_depth.into(), 0..=MAX_DEPTH.into());
        broken.range("miner.batch", miner.batch as u64, 1..=u64::MAX);
        broken.range("miner.prefetch", miner.prefetch.into(), 1..=u64::MAX);
        broken.range("miner.filing_s", miner.filing_s, 0..=MOST_WAIT_S);
        broken.range("miner.instances_s", miner.instances_s, 0..=MOST_WAIT_S);
        broken.range("miner.fold_share", miner.fold_share.into(), 1..=100);
        broken.range("watch.files_s", self.watch.files_s, 0..=MOST_WAIT_S);
        broken.range("watch.files_share", self.watch.files_share.into(), 1..=100);
        broken.range("miner.views_share", miner.views_share.into(), 1..=100);
        broken.range("miner.recompute_share", miner.recompute_share.into(), 0..=100);
        let twice = |at: usize| miner.builtin_schemes[..at].contains(&miner.builtin_schemes[at]);
        broken.unless(
            !(0..miner.builtin_schemes.len()).any(twice),
            "`miner.builtin_schemes` names a scheme twice; name each at most once",
        );
    }

    /// Pages that are live must not lose their bytes, and a text that is read from bytes must not be removed before them.
    fn retaining(&self, broken: &mut Broken) {
        let retention = &self.retention;
        for (key, days) in [
            ("retention.pages_days", retention.pages_days),
            ("retention.hierarchies_days", retention.hierarchies_days),
        ] {
            broken.unless(
                days == 0 || days >= LEAST_RETENTION_DAYS,
                format!(
                    "`{key}` is {days}; it must be at least {LEAST_RETENTION_DAYS}, because a page that its site still shows is \
                     handed on again after six days, or 0 for never"
                ),
            );
        }
        let (pages, bodies) = (retention.pages_days, retention.bodies_days);
        broken.unless(
            bodies == 0 || (pages > 0 && bodies >= pages),
            format!(
                "`retention.bodies_days` is {bodies} and `retention.pages_days` is {pages}; the text of an article is removed \
                 after the bytes of its page, so it must be at least as long, or 0 for never"
            ),
        );
        broken.range("retention.every_s", retention.every_s, 1..=MOST_WAIT_S);
    }

    /// A delivery that is held past the broker's consumer timeout closes its channel. All messages of that
    /// channel are delivered again.
    fn holding(&self, broken: &mut Broken) {
        let hold = u64::try_from(HOLD.as_millis()).unwrap_or(u64::MAX);
        let (given, answer) = (self.broker.consumer_timeout_ms, self.broker.timeout_ms);
        let services = [
            (
                "a partitioner",
                "`partitioner.page_ms` and `broker.timeout_ms`",
                [self.partitioner.page_ms, answer, 0],
            ),
            (
                "a miner",
                "`miner.linger_ms`, `broker.timeout_ms` and `store.timeout_ms`",
                [self.miner.linger_ms, answer, self.store.timeout_ms],
            ),
        ];
        for (service, keys, waits) in services {
            let one = waits.into_iter().fold(hold, u64::saturating_add);
            let least = one.saturating_mul(IN_A_ROW);
            broken.unless(
                given > least,
                format!(
                    "`broker.consumer_timeout_ms` is {given}; it must be longer than {least}: {service} holds a message for {hold} ms plus {keys}, and then the next one as long"
                ),
            );
        }
    }
}

/// Whether a text is the URL of a proxy that the crawler can use.
#[must_use]
pub fn is_proxy_url(text: &str) -> bool {
    let url = url::Url::parse(text).ok();
    url.is_some_and(|url| matches!(url.scheme(), "http" | "https" | "socks5" | "socks5h") && url.has_host())
}

/// Whether a text is an http URL of this machine, without a path, user or query.
fn is_local_http(text: &str) -> bool {
    let Ok(url) = url::Url::parse(text) else { return false };
    let is_local = match url.host() {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => false,
    };
    is_local
        && url.scheme() == "http"
        && url.path() == "/"
        && url.query().is_none()
        && url.username().is_empty()
        && url.password().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Secret;

    /// The complaints about the default with one change.
    fn said(change: impl FnOnce(&mut Config)) -> String {
        let mut config = Config::default();
        config.validate().unwrap();
        change(&mut config);
        config.validate().err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[track_caller]
    fn check(change: impl FnOnce(&mut Config), named: &[&str]) {
        let said = said(change);
        assert_eq!(said.lines().count(), 1, "{said}");
        for name in named {
            assert!(said.contains(&format!("`{name}`")), "{name} is not named: {said}");
        }
    }

    #[test]
    fn a_lease_is_longer_than_robots_txt_and_page_may_take() {
        let keys = ["crawler.lease_ms", "crawler.timeout_ms"];
        check(|c| c.crawler.lease_ms = 40_000, &keys);
        check(|c| c.crawler.timeout_ms = 60_000, &keys);
        check(|c| c.crawler.timeout_ms = u64::MAX, &keys);
        assert_eq!(said(|c| c.crawler.lease_ms = 40_001), "");
    }

    #[test]
    fn no_service_holds_messages_as_long_as_the_broker_lets_it() {
        let partitioner = ["broker.consumer_timeout_ms", "partitioner.page_ms", "broker.timeout_ms"];
        check(|c| c.partitioner.page_ms = 270_000, &partitioner);
        check(|c| c.partitioner.page_ms = u64::MAX, &partitioner);
        let miner = ["broker.consumer_timeout_ms", "miner.linger_ms", "store.timeout_ms"];
        check(|c| c.miner.linger_ms = 265_000, &miner);
        check(|c| c.store.timeout_ms = 270_000, &miner);
        // The partitioner and the miner each hold for ten minutes.
        let said = said(|c| c.broker.consumer_timeout_ms = 1_200_000);
        assert!(said.contains("a partitioner") && said.contains("a miner"), "{said}");
    }

    #[test]
    fn texts_that_a_service_would_refuse_at_start_are_refused() {
        check(|c| c.broker.url = Secret::new("http://rabbit"), &["broker.url"]);
        check(|c| c.store.url = Secret::new("memcached://here"), &["store.url"]);
        check(|c| c.store.url = Secret::new("redis+cluster://"), &["store.url"]);
        for url in ["/var/lib/archive", "ftp://host/archive", "file://host/archive"] {
            check(|c| c.archive.url = url.into(), &["archive.url"]);
        }
        check(|c| c.telemetry.log = "newslode=loud".into(), &["telemetry.log"]);
        for collector in ["collector:4318", "grpc://collector:4317", "http://"] {
            check(|c| c.telemetry.traces = Secret::new(collector), &["telemetry.traces"]);
        }
        for agent in ["two\nlines", "", "/1.0", " Newslode", "24news/1"] {
            check(|c| c.crawler.user_agent = agent.into(), &["crawler.user_agent"]);
        }
        for token in ["Newslode/1", "News lode", "*", "news24", "ニュース"] {
            check(|c| c.crawler.robots_token = token.into(), &["crawler.robots_token"]);
        }
        for browser in [
            "127.0.0.1:9222",
            "https://127.0.0.1:9222",
            "http://10.0.0.1:9222",
            "http://chromium:9222",
            "http://localhost/x",
        ] {
            check(|c| c.crawler.browser = browser.into(), &["crawler.browser"]);
        }
        for browser in ["http://127.0.0.1:9222", "http://localhost:9222/", "http://[::1]:9222"] {
            assert_eq!(said(|c| c.crawler.browser = browser.into()), "");
        }
        let short = |c: &mut Config| {
            (c.crawler.browser, c.crawler.lease_ms) = ("http://127.0.0.1:9222".into(), 100_000)
        };
        check(short, &["crawler.lease_ms", "crawler.browser"]);
        for proxy in ["proxy:3128", "socks4a://proxy", "ftp://proxy", "socks5h://"] {
            check(|c| c.crawler.proxy = Secret::new(proxy), &["crawler.proxy"]);
        }
        for proxy in ["http://proxy:3128", "socks5://me:secret@proxy", "socks5h://[::1]:9050"] {
            assert_eq!(said(|c| c.crawler.proxy = Secret::new(proxy)), "");
        }
        check(|c| c.crawler.contact = "call us".into(), &["crawler.contact"]);
    }

    #[test]
    fn prefixes_are_names_that_the_servers_take() {
        for prefix in ["", "amq.news", &"x".repeat(201)] {
            check(|c| c.broker.prefix = prefix.into(), &["broker.prefix"]);
        }
        for prefix in ["", "{news}"] {
            check(|c| c.store.prefix = prefix.into(), &["store.prefix"]);
        }
    }

    #[test]
    fn numbers_are_in_their_ranges() {
        check(|c| c.crawler.workers = 0, &["crawler.workers"]);
        check(|c| c.crawler.workers = 10_001, &["crawler.workers"]);
        check(|c| c.crawler.timeout_ms = 0, &["crawler.timeout_ms"]);
        check(|c| c.crawler.connect_timeout_ms = 0, &["crawler.connect_timeout_ms"]);
        check(|c| c.crawler.max_page_bytes = 0, &["crawler.max_page_bytes"]);
        check(|c| c.crawler.max_page_bytes = MAX_PAGE + 1, &["crawler.max_page_bytes"]);
        check(|c| c.partitioner.workers = 0, &["partitioner.workers"]);
        check(|c| c.miner.batch = 0, &["miner.batch"]);
        check(|c| c.miner.prefetch = 0, &["miner.prefetch"]);
        check(|c| c.miner.filing_s = u64::MAX, &["miner.filing_s"]);
        check(|c| c.miner.instances_s = u64::MAX, &["miner.instances_s"]);
        check(|c| c.miner.fold_share = 0, &["miner.fold_share"]);
        check(|c| c.watch.files_share = 101, &["watch.files_share"]);
        check(|c| c.watch.files_s = u64::MAX, &["watch.files_s"]);
        check(|c| c.miner.views_share = 0, &["miner.views_share"]);
        check(|c| c.miner.views_share = 101, &["miner.views_share"]);
        check(|c| c.miner.recompute_share = 101, &["miner.recompute_share"]);
        for ratio in [-0.1, 1.1, f64::NAN] {
            check(|c| c.telemetry.trace_ratio = ratio, &["telemetry.trace_ratio"]);
        }
        check(|c| c.broker.timeout_ms = 0, &["broker.timeout_ms"]);
        check(|c| c.broker.max_length = 0, &["broker.max_length"]);
        check(|c| c.broker.max_bytes = 0, &["broker.max_bytes"]);
        check(|c| c.store.timeout_ms = 0, &["store.timeout_ms"]);
    }

    #[test]
    fn copies_are_dropped_only_where_pages_are_viewed() {
        let dropping = |views_s| {
            move |c: &mut Config| (c.crawler.noarchive, c.miner.views_s) = (Noarchive::Drop, views_s)
        };
        check(dropping(0), &["crawler.noarchive", "miner.views_s"]);
        let mut config = Config::default();
        dropping(1)(&mut config);
        config.validate().unwrap();
    }

    #[test]
    fn all_broken_rules_are_told_at_once_and_no_password() {
        let said = said(|c| {
            c.crawler.workers = 0;
            c.store.url = Secret::new("nothing://me:hunter2@host");
        });
        assert_eq!(said.lines().count(), 2, "{said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
}
