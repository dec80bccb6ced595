//! Configuration: one struct for all services, its doc comments are the manual.
//!
//! Defaults stand here in code, a TOML file overrides them, the environment overrides the file
//! (`NEWSLODE__CRAWLER__DELAY_MS=500`). Unknown keys are refused by name with the nearest known one.
//! Validated once at start (`rules`), then immutable; nothing else reads the environment. Secrets (the
//! broker's and the store's URLs) are redacted wherever a configuration is shown. Start at [`load`].

use std::net::SocketAddr;
use std::time::Duration;

use newslode_page::Params;
use newslode_page::preset::Preset;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod load;
mod resolve;
mod rules;
mod secret;

pub use load::{ConfigError, check_keys, load, schema};
pub use resolve::{ResolveRule, ResolveRuleError};
pub use secret::Secret;

/// Everything that can be configured. Each service reads its own section and the shared ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// RabbitMQ.
    pub broker: BrokerConfig,
    /// Redis.
    pub store: StoreConfig,
    /// Where raw pages and what was computed of them are kept.
    pub archive: ArchiveConfig,
    /// Logs, metrics, health.
    pub telemetry: TelemetryConfig,
    /// Fetching.
    pub crawler: CrawlerConfig,
    /// Work on one page.
    pub partitioner: PartitionerConfig,
    /// Work on many pages.
    pub miner: MinerConfig,
}

/// RabbitMQ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BrokerConfig {
    /// `amqp://user:password@host:5672/vhost`, or `amqps://`. Secret.
    pub url: Secret,
    /// In front of every queue's and exchange's name.
    pub prefix: String,
    /// Messages a queue holds before publishers must wait.
    pub max_length: u64,
    /// Bytes a queue holds before publishers must wait.
    pub max_bytes: u64,
    /// Longest wait for a connection, a confirm, an answer, in milliseconds.
    pub timeout_ms: u64,
    /// The server's consumer timeout, in milliseconds: no delivery may be held longer. Services hold one for
    /// ten minutes at most while a server is away, and the next one may wait for it as long; this must be
    /// longer than both together.
    pub consumer_timeout_ms: u64,
}

impl Default for BrokerConfig {
    fn default() -> Self {
        BrokerConfig {
            url: Secret::new("amqp://guest:guest@127.0.0.1:5672/%2f"),
            prefix: "newslode".into(),
            max_length: 10_000,
            max_bytes: 1 << 30,
            timeout_ms: 30_000,
            consumer_timeout_ms: 1_800_000,
        }
    }
}

/// Redis 7 or later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StoreConfig {
    /// `redis://user:password@host:6379/0`, or `rediss://`; of a cluster `redis+cluster://` or
    /// `rediss+cluster://`, some of its hosts between commas. Secret.
    pub url: Secret,
    /// In front of every key; without braces.
    pub prefix: String,
    /// Longest wait for an answer, in milliseconds.
    pub timeout_ms: u64,
}

impl Default for StoreConfig {
    fn default() -> Self {
        StoreConfig {
            url: Secret::new("redis://127.0.0.1:6379/0"),
            prefix: "newslode".into(),
            timeout_ms: 5_000,
        }
    }
}

/// Where raw pages and what was computed of them are kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ArchiveConfig {
    /// `file:///var/lib/newslode/archive` or `s3://bucket/prefix` (credentials from the environment).
    pub url: String,
}

impl Default for ArchiveConfig {
    fn default() -> Self {
        ArchiveConfig { url: "file:///var/lib/newslode/archive".into() }
    }
}

/// Logs, metrics, health.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TelemetryConfig {
    /// Where `/metrics` and `/health` are served.
    #[schemars(with = "String")]
    pub admin: SocketAddr,
    /// Filter of log lines, as `tracing` reads it: `info`, `newslode_crawler=debug,info`.
    pub log: String,
    /// One JSON object a line instead of text.
    pub log_json: bool,
}

impl Default for TelemetryConfig {
    fn default() -> Self {
        TelemetryConfig { admin: SocketAddr::from(([0, 0, 0, 0], 9464)), log: "info".into(), log_json: false }
    }
}

/// Fetching.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CrawlerConfig {
    /// Fetches at once.
    pub workers: usize,
    /// `User-Agent`: say who you are, with an address where you can be reached. Its first word, up to a slash,
    /// is the name that robots.txt rules are looked up by.
    pub user_agent: String,
    /// Longest wait for a whole page, in milliseconds.
    pub timeout_ms: u64,
    /// Longest wait for a connection, in milliseconds.
    pub connect_timeout_ms: u64,
    /// Largest page, decompressed, in bytes; at most 64 MiB.
    pub max_page_bytes: u64,
    /// Redirects in a row.
    pub max_redirects: u32,
    /// Attempts before a URL that fails is given up.
    pub max_attempts: u32,
    /// First wait after a failure, in milliseconds; doubles with each attempt up to a day.
    pub retry_ms: u64,
    /// How long a claim holds, in milliseconds; longer than twice `timeout_ms`.
    pub lease_ms: u64,
    /// Crawl-delay that robots.txt may ask for at most, in milliseconds.
    pub max_crawl_delay_ms: u64,
    /// Seconds after which a good page is fetched again; 0: never.
    pub revisit_s: u64,
    /// Fetch from private, loopback and other reserved addresses, too. For tests and intranets.
    pub allow_private: bool,
    /// `HOST:ADDRESS:PORT` (`*` for any host): where to connect instead of asking DNS. Such addresses
    /// may be private; the port holds for URLs that name none.
    #[schemars(with = "Vec<String>")]
    pub resolve: Vec<ResolveRule>,
    /// Work in hand is finished within this time at a stop, in milliseconds.
    pub grace_ms: u64,
}

impl Default for CrawlerConfig {
    fn default() -> Self {
        CrawlerConfig {
            workers: 16,
            user_agent: concat!(
                "Newslode/",
                env!("CARGO_PKG_VERSION"),
                " (+https://github.com/newslode/newslode)"
            )
            .into(),
            timeout_ms: 20_000,
            connect_timeout_ms: 5_000,
            max_page_bytes: 10 << 20,
            max_redirects: 5,
            max_attempts: 4,
            retry_ms: 2_000,
            lease_ms: 120_000,
            max_crawl_delay_ms: 30_000,
            revisit_s: 0,
            allow_private: false,
            resolve: Vec::new(),
            grace_ms: 25_000,
        }
    }
}

/// Work on one page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PartitionerConfig {
    /// Pages at once.
    pub workers: usize,
    /// Parameters of the page algorithms, `default` or `paper`; the miner folds by the rules of the same.
    #[schemars(schema_with = "preset_schema")]
    pub params: Preset,
    /// Time budget of a page, in milliseconds; past it the result is coarser and marked.
    pub page_ms: u64,
    /// Work in hand is finished within this time at a stop, in milliseconds.
    pub grace_ms: u64,
}

impl Default for PartitionerConfig {
    fn default() -> Self {
        PartitionerConfig { workers: 2, params: Preset::Default, page_ms: 5_000, grace_ms: 25_000 }
    }
}

/// The names of presets.
fn preset_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "string", "enum": Preset::ALL.map(Preset::name) })
}

/// What of a site is fetched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Follow {
    /// Pages that concepts' labels lead to, then the instances that those pages list.
    #[default]
    Concepts,
    /// Every link inside the site.
    All,
}

/// Work on many pages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MinerConfig {
    /// Sites that must show a label before it is frequent (`Sup`); 0: chosen by the number of sites.
    pub support: u32,
    /// What of a site is fetched.
    pub follow: Follow,
    /// Pages of a site, unless its seed says otherwise.
    pub max_pages: u64,
    /// Links away from the seed, unless the seed says otherwise.
    pub max_depth: u32,
    /// Least milliseconds between the starts of two requests to a site, unless the seed says otherwise.
    pub delay_ms: u64,
    /// Days that a page counts after it was fetched; 0: for ever. Older ones are subtracted, and the archive
    /// forgets them.
    pub window_days: u32,
    /// Seconds between folds over the sites.
    pub fold_s: u64,
    /// Seconds between looks for sites whose pages' views (informative blocks) are to be made anew; 0: never.
    pub views_s: u64,
    /// Per cent of one core that views take at most, 1 to 100.
    pub views_share: u32,
    /// Per cent of one core that each miner spends at most on counting pages again after an update of the page
    /// algorithms, up to 100; 0: never.
    pub recompute_share: u32,
    /// Pages of one site merged into one store call at most.
    pub batch: usize,
    /// Longest wait for a batch to fill, in milliseconds.
    pub linger_ms: u64,
    /// Unacknowledged messages held at most.
    pub prefetch: u16,
    /// Work in hand is finished within this time at a stop, in milliseconds.
    pub grace_ms: u64,
}

impl Default for MinerConfig {
    fn default() -> Self {
        MinerConfig {
            support: 0,
            follow: Follow::Concepts,
            max_pages: 1_000,
            max_depth: 5,
            delay_ms: 1_000,
            window_days: 0,
            fold_s: 30,
            views_s: 60,
            views_share: 25,
            recompute_share: 50,
            batch: 64,
            linger_ms: 50,
            prefetch: 256,
            grace_ms: 25_000,
        }
    }
}

impl Config {
    /// The parameters that pages are worked on with.
    #[must_use]
    pub fn page_params(&self) -> Params {
        self.partitioner.params.params().within(Duration::from_millis(self.partitioner.page_ms))
    }
}
