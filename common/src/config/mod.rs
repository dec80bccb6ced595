//! Configuration: one struct for all services. Its doc comments are the manual.
//!
//! The defaults stand here in code. A TOML file overrides them, and the environment overrides the file
//! (`NEWSLODE__CRAWLER__WORKERS=32`). An unknown key is refused, and the message names the nearest known one.
//! A configuration is validated once, at start (`rules`), and does not change afterwards. Only the archive's
//! credentials are read from the environment elsewhere. Secrets are redacted wherever a configuration is shown
//! (`secret`). Start at [`load`].

use std::net::SocketAddr;
use std::time::Duration;

use crate::schedule::ScheduleConfig;
use newslode_page::Params;
use newslode_page::preset::Preset;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod contact;
mod load;
mod resolve;
mod rules;
mod secret;

pub use load::{
    ConfigError, FILE_VARIABLE, SYSTEM_FILE, check_keys, edits, find_file, load, read_toml, schema,
};
pub use resolve::{ResolveRule, ResolveRuleError};
pub use rules::is_proxy_url;
pub use secret::{Secret, hide_credentials, hide_secrets, mode_open_to_others};

/// All settings. Each service reads its own section and the shared ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// RabbitMQ.
    pub broker: BrokerConfig,
    /// Redis.
    pub store: StoreConfig,
    /// The archive of fetched pages and of the results computed from them.
    pub archive: ArchiveConfig,
    /// What `newslode watch` removes from its archive to save space.
    pub retention: RetentionConfig,
    /// Logs, metrics, health checks and traces.
    pub telemetry: TelemetryConfig,
    /// Fetching.
    pub crawler: CrawlerConfig,
    /// When pages are fetched again (with `miner.follow = "news"`).
    pub schedule: ScheduleConfig,
    /// Work on one page.
    pub partitioner: PartitionerConfig,
    /// Work on many pages.
    pub miner: MinerConfig,
    /// `newslode watch`, and the files of a run.
    pub watch: WatchConfig,
    /// The console and the report.
    pub console: ConsoleConfig,
}

/// The console and the report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ConsoleConfig {
    /// The time zone in which the console and the report show times, and in which the days of filters begin: a name of the IANA
    /// database, such as `Europe/Berlin`. Empty: the zone of the machine, or UTC if that is unknown. Files and the API keep
    /// ISO 8601 with a zone.
    pub timezone: String,
}

impl ConsoleConfig {
    /// The time zone that this names.
    ///
    /// # Errors
    /// When there is none of this name.
    pub fn zone(&self) -> Result<jiff::tz::TimeZone, jiff::Error> {
        match self.timezone.as_str() {
            "" => Ok(jiff::tz::TimeZone::try_system().unwrap_or(jiff::tz::TimeZone::UTC)),
            name => jiff::tz::TimeZone::get(name),
        }
    }
}

/// `newslode watch`, and the files of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WatchConfig {
    /// The longest time for which a new article waits to be announced until it was read with what the other pages of its site
    /// tell, in seconds. 0: it is announced at once, and a `changed` may follow soon.
    pub announce_s: u64,
    /// The size of `events.jsonl` at which it is rotated, in megabytes; four older files are kept. 0: no such file is
    /// written.
    pub events_mb: u64,
    /// Seconds between two writings of `articles.jsonl` and `ontology.ttl`, if anything changed; 0: at the stop alone.
    pub files_s: u64,
    /// Largest share of one core that writing these files may take, in per cent: 1 to 100. If it takes long, the next writing
    /// waits longer than `files_s`.
    pub files_share: u32,
}

impl Default for WatchConfig {
    fn default() -> Self {
        WatchConfig { announce_s: 120, events_mb: 64, files_s: 600, files_share: 10 }
    }
}

/// RabbitMQ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BrokerConfig {
    /// `amqp://user:password@host:5672/vhost`, or `amqps://`. Secret.
    pub url: Secret,
    /// Prefix of every queue and exchange name.
    pub prefix: String,
    /// Number of messages that a queue holds. A full queue refuses more; publishers keep what they have and try
    /// again, so nothing is lost and the crawl waits. A queue keeps the limits it was declared with, and a service
    /// configured otherwise reports the difference at start: drain and delete the queue, or choose another `prefix`.
    pub max_length: u64,
    /// Number of bytes that a queue holds. A queue that reaches it is full, as with `max_length`, and it is changed in the
    /// same way. There are five queues and their dead letters: at the default of 1 GiB, give the broker 2 GiB of memory
    /// and 8 GiB of disk.
    pub max_bytes: u64,
    /// Longest wait for a connection, a publisher confirm or an answer, in milliseconds.
    pub timeout_ms: u64,
    /// The `consumer_timeout` of the RabbitMQ server, in milliseconds, which must be set there to at least this value:
    /// past it, the server closes the channel and delivers all its messages again. The default is RabbitMQ's own. While
    /// another server is down, a service holds a delivery for up to ten minutes and the next one may wait as long behind
    /// it, so a value below 20 minutes and a few timeouts is refused.
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
    /// `redis://user:password@host:6379/0`, or `rediss://` for TLS. For a cluster `redis+cluster://` or
    /// `rediss+cluster://` with some of its masters: `redis+cluster://host:6379,host:6379`. Each server must be a master
    /// of Redis 7 or later with `maxmemory-policy noeviction`; services refuse any other at start. Secret.
    pub url: Secret,
    /// Prefix of every key. Must not contain braces.
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

/// The archive of fetched pages and of the results computed from them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ArchiveConfig {
    /// `file:///var/lib/newslode/archive`, a folder, or `s3://bucket/prefix`; the same place for all services. Every
    /// write to a folder is synced to disk. Region, credentials and endpoint of a bucket come from the environment
    /// (`AWS_REGION`, `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_ENDPOINT`); without a key, the role of the
    /// machine or pod is used.
    pub url: String,
    /// Folder to which each crawler also writes every request with its answer, as web archives (WARC 1.1); empty: none.
    /// Each crawler writes files of its own. Nothing deletes them.
    pub warc: String,
    /// Free space, in MiB, that fetching leaves on the disk of the archive's folder, or of a run's folder: with less,
    /// nothing is fetched until there is room again; 0: none. Does not apply to buckets.
    pub reserve_mb: u64,
}

impl Default for ArchiveConfig {
    fn default() -> Self {
        ArchiveConfig { url: "file:///var/lib/newslode/archive".into(), warc: String::new(), reserve_mb: 128 }
    }
}

/// What `newslode watch` removes from its archive to save space. Pages still count, and the fields of articles, their
/// histories and their events stay. The services' archive is not touched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RetentionConfig {
    /// Days after which the bytes of a page are removed: at least 7, or 0 for never. They count from when the page was last
    /// handed on for mining, which happens again every six days while its site shows it. Bytes that are still to be counted,
    /// or to be read with what the site's other pages tell, stay.
    pub pages_days: u32,
    /// Most MiB of pages, as they are packed; 0: no limit. The oldest are removed first.
    pub pages_mb: u64,
    /// Days after which the hierarchy of a page is removed: at least 7, or 0 for never. They count from when it was last
    /// written.
    pub hierarchies_days: u32,
    /// Most MiB of hierarchies, as they are packed; 0: no limit. The oldest are removed first.
    pub hierarchies_mb: u64,
    /// Days after which the text of an article is removed: at least `pages_days`, or 0 for never. They count from when the
    /// article was last written. Its other fields stay. It keeps its text as long as the bytes of its page are there.
    pub bodies_days: u32,
    /// Most MiB of articles with their texts, as they are packed; 0: no limit. The oldest lose their texts first.
    pub bodies_mb: u64,
    /// Seconds between two searches for values to remove.
    pub every_s: u64,
}

impl Default for RetentionConfig {
    fn default() -> Self {
        RetentionConfig {
            pages_days: 30,
            pages_mb: 0,
            hierarchies_days: 90,
            hierarchies_mb: 0,
            bodies_days: 0,
            bodies_mb: 0,
            every_s: 600,
        }
    }
}

/// Logs, metrics, health checks and traces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TelemetryConfig {
    /// Address and port of `/metrics`, `/health/live` and `/health/ready`. The default listens on all addresses, so that
    /// Prometheus and health checks on other machines reach it; it asks for no password, so keep it off the internet. A
    /// service does not start if the port is taken.
    #[schemars(with = "String")]
    pub admin: SocketAddr,
    /// Filter of log lines, in the syntax of `tracing`: `info`, or `newslode_crawler=debug,info`.
    pub log: String,
    /// Write one JSON object per line instead of text.
    pub log_json: bool,
    /// Where traces are sent: the URL of an OpenTelemetry collector that takes OTLP over HTTP as protobuf, such as
    /// `http://collector:4318/v1/traces`; empty: traces are off. A user and password in it are sent. Secret.
    pub traces: Secret,
    /// Share of the visits that are traced, from 0 to 1. The service that begins a trace decides; the others follow it.
    pub trace_ratio: f64,
}

impl Default for TelemetryConfig {
    fn default() -> Self {
        TelemetryConfig {
            admin: SocketAddr::from(([0, 0, 0, 0], 9464)),
            log: "info".into(),
            log_json: false,
            traces: Secret::default(),
            trace_ratio: 1.0,
        }
    }
}

/// Fetching.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CrawlerConfig {
    /// Number of concurrent fetches, over all sites.
    pub workers: usize,
    /// Where owners of sites can reach you: an http(s) URL or a mail address. It is sent in the
    /// `User-Agent` header after the agent's name. A crawler does not start without one, here or in
    /// `user_agent`, unless `allow_private` is set or `resolve` sends all hosts (`*`) to an address of your own.
    pub contact: String,
    /// `User-Agent` header.
    pub user_agent: String,
    /// Name that owners of sites use for this crawler in robots.txt, in `X-Robots-Tag` and in `<meta name>`: letters, `-` and
    /// `_`, as RFC 9309 says. Empty: the beginning of `user_agent`, up to the first other character. Set it if `user_agent`
    /// begins with another name, such as `Mozilla`; `user_agent` should contain it, so that owners find it in their logs.
    pub robots_token: String,
    /// What becomes of copies of pages that ask for none (`noarchive` in `X-Robots-Tag` or `<meta name>`): "record" treats them as
    /// all others, "hide" neither shows nor exports them, and does not write them to `archive.warc`, "drop" also deletes them once
    /// their pages are viewed. Articles and counts stay.
    pub noarchive: Noarchive,
    /// What becomes of pages that ask not to be indexed (`noindex` in the same places): "heed" does not mine them, "record" does.
    /// Either way the wish is part of an article's rights.
    pub noindex: Noindex,
    /// Whether `/.well-known/tdmrep.json` and `/ai.txt` are asked for, which say what may be done with a site's pages: at most two
    /// requests a site and day.
    pub rights_files: bool,
    /// Longest time to fetch a whole page, in milliseconds.
    pub timeout_ms: u64,
    /// Longest time to open a connection, in milliseconds.
    pub connect_timeout_ms: u64,
    /// Size of the largest page after decompression, in bytes; at most 64 MiB.
    pub max_page_bytes: u64,
    /// Number of redirects to follow in a row.
    pub max_redirects: u32,
    /// Number of attempts before a failing URL is given up. Does not apply with `miner.follow = "news"`, where
    /// `[schedule]` decides.
    pub max_attempts: u32,
    /// Wait after the first failure, in milliseconds. It doubles with each further attempt, up to a day.
    pub retry_ms: u64,
    /// Time that a crawler may hold a URL before another one takes it, in milliseconds. Must be longer than
    /// twice `timeout_ms`: once for robots.txt, once for the page.
    pub lease_ms: u64,
    /// Longest `Crawl-delay` of robots.txt that is honoured, in milliseconds. A longer one is cut to this.
    pub max_crawl_delay_ms: u64,
    /// Shortest time between the starts of two requests of one crawler to the same address, whatever their sites,
    /// in milliseconds; 0: none. Does not apply if `resolve` sends all hosts (`*`) to one address.
    pub address_delay_ms: u64,
    /// Seconds after which a successfully fetched page is fetched again; 0: never. Does not apply with
    /// `miner.follow = "news"`, where `[schedule]` decides.
    pub revisit_s: u64,
    /// Also fetch from private, loopback and other reserved addresses. Meant for tests and intranets. Leave
    /// it off if people whom you do not trust can choose the sites.
    pub allow_private: bool,
    /// `HOST:ADDRESS:PORT`: connect to this address instead of asking DNS for the host (`*`: for any host).
    /// The address may be private. The port is used for URLs that name none.
    #[schemars(with = "Vec<String>")]
    pub resolve: Vec<ResolveRule>,
    /// `http://`, `https://`, `socks5://` or `socks5h://user:password@host:port`: all requests go through this proxy; empty:
    /// none. Before a request is sent, the crawler looks up the host and checks that its address is not private. With
    /// `socks5` the proxy gets the address that was checked; an HTTP proxy, and one with `socks5h`, looks the name up again,
    /// so block private addresses there, too. `resolve` does not apply behind these. Secret.
    pub proxy: Secret,
    /// File with certificates of authorities (PEM) that the crawler trusts besides the system's, for sites of your own
    /// network; empty: none.
    pub ca_file: String,
    /// File with headers, cookies of your own subscription, user agents and proxies of single sites, and sites whose
    /// certificates are not checked; empty: none. Its values are secret: others must not be able to read it, and only the
    /// crawler needs it. [Requests to single sites](../seeds.md#requests-to-single-sites) describes it.
    pub sites_file: String,
    /// `http://127.0.0.1:9222`: the DevTools address of a Chromium on this machine, or in the same pod or network namespace,
    /// which loads the pages of the sites with `render = true` in `sites_file`; empty: none.
    /// [Pages that scripts make](../guide/rendering.md) says how to start it.
    pub browser: String,
    /// Time to finish work in hand after the first SIGTERM, in milliseconds. After four fifths of it, unfinished URLs are
    /// given back; those that still are not are claimed again when their lease ends. Let the supervisor wait for this and
    /// twice `timeout_ms` before it kills the process.
    pub grace_ms: u64,
}

impl Default for CrawlerConfig {
    fn default() -> Self {
        CrawlerConfig {
            workers: 16,
            contact: String::new(),
            user_agent: concat!("Newslode/", env!("CARGO_PKG_VERSION")).into(),
            robots_token: String::new(),
            noarchive: Noarchive::Hide,
            noindex: Noindex::Heed,
            rights_files: true,
            timeout_ms: 20_000,
            connect_timeout_ms: 5_000,
            max_page_bytes: 10 << 20,
            max_redirects: 5,
            max_attempts: 4,
            retry_ms: 2_000,
            lease_ms: 120_000,
            max_crawl_delay_ms: 30_000,
            address_delay_ms: 500,
            revisit_s: 0,
            allow_private: false,
            resolve: Vec::new(),
            proxy: Secret::default(),
            ca_file: String::new(),
            sites_file: String::new(),
            browser: String::new(),
            grace_ms: 25_000,
        }
    }
}

impl CrawlerConfig {
    /// The name that rules of sites are matched against, which RFC 9309 calls the product token.
    #[must_use]
    pub fn product_token(&self) -> &str {
        if !self.robots_token.is_empty() {
            return &self.robots_token;
        }
        let end = self.user_agent.find(|char| !is_of_token(char));
        &self.user_agent[..end.unwrap_or(self.user_agent.len())]
    }

    /// The `User-Agent` header: the agent's name, and whom to turn to.
    ///
    /// # Errors
    /// When no contact is named, although the crawler may ask servers of strangers.
    pub fn agent(&self) -> Result<String, ConfigError> {
        if !self.contact.is_empty() {
            return Ok(format!("{} (+{})", self.user_agent, self.contact));
        }
        let is_named = self.user_agent.split([' ', '(', ')', '+', ';', ',']).any(contact::is_contact);
        let is_private = self.allow_private || self.resolve.iter().any(|rule| rule.host == "*");
        if is_named || is_private {
            return Ok(self.user_agent.clone());
        }
        Err(ConfigError::Rules(vec![contact::MISSING.to_owned()]))
    }
}

/// Whether a product token may have this character (RFC 9309, section 2.2.1).
fn is_of_token(char: char) -> bool {
    char.is_ascii_alphabetic() || matches!(char, '-' | '_')
}

/// Work on one page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PartitionerConfig {
    /// Number of pages processed at once: as many as there are cores.
    pub workers: usize,
    /// Parameters of the page algorithms: `default`, or `paper` for the published methods. Partitioners and miners need
    /// the same value, because sums over pages read with different parameters mean nothing; miners also fold by it. After
    /// a change, the miners count all stored pages again (`miner.recompute_share`).
    #[schemars(schema_with = "preset_schema")]
    pub params: Preset,
    /// Limit of the work on a page with `params = "paper"`, in milliseconds; `default` does not use it. It is counted in
    /// steps (100,000 for each millisecond) and not by a clock, so that every machine gets the same result; what the
    /// steps do not reach stays flat, and the result is marked as coarse. A change has the same consequences as one of
    /// `params`.
    pub page_ms: u64,
    /// Time to finish work in hand at a stop, in milliseconds.
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

/// Which pages of a site are fetched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Follow {
    /// The news: front pages, sections, feeds and sitemaps are visited again and again, and all articles that they
    /// show are fetched and rechecked.
    #[default]
    News,
    /// Pages that the labels of concepts lead to, then the instances that those pages list. Each page is due once.
    Concepts,
    /// Every link inside the site. Each page is due once.
    All,
}

/// What becomes of copies of pages that ask for none (`noarchive`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Noarchive {
    /// They are treated as all others; the wish is recorded with the article.
    Record,
    /// The copy is kept for mining and for proofs, but neither shown nor exported.
    #[default]
    Hide,
    /// The same, and the copy is deleted once its page is viewed.
    Drop,
}

/// What becomes of pages that ask not to be indexed (`noindex`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Noindex {
    /// They are not mined, and what was mined of them before ends.
    #[default]
    Heed,
    /// They are mined; the wish is recorded with the article.
    Record,
}

/// What the archive keeps of pages that are gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Retention {
    /// All, until they leave the window.
    #[default]
    All,
    /// Nothing: only what is live is kept.
    Live,
}

/// A scheme of concepts that comes with the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BuiltinScheme {
    /// Subjects of news.
    Topics,
    /// Continents, countries and territories.
    Regions,
    /// Forms of articles.
    Genres,
    /// Labels that name nothing of a story.
    House,
}

impl BuiltinScheme {
    /// All of them.
    pub const ALL: [BuiltinScheme; 4] =
        [BuiltinScheme::Topics, BuiltinScheme::Regions, BuiltinScheme::Genres, BuiltinScheme::House];

    /// Its name in settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            BuiltinScheme::Topics => "topics",
            BuiltinScheme::Regions => "regions",
            BuiltinScheme::Genres => "genres",
            BuiltinScheme::House => "house",
        }
    }
}

impl<'de> Deserialize<'de> for BuiltinScheme {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<BuiltinScheme, D::Error> {
        let name = String::deserialize(deserializer)?;
        let found = BuiltinScheme::ALL.into_iter().find(|scheme| scheme.name() == name);
        found.ok_or_else(|| {
            let names = BuiltinScheme::ALL.map(|scheme| format!("`{}`", scheme.name())).join(", ");
            serde::de::Error::custom(format!(
                "`{name}` is no scheme that comes with Newslode: those are {names}"
            ))
        })
    }
}

/// Work on many pages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MinerConfig {
    /// Number of sites that must show a label before it is frequent (`Sup`); 0: chosen by the number of
    /// sites.
    pub support: u32,
    /// Which pages of a site are fetched. `news`: front pages, sections, feeds and sitemaps, and all articles that they
    /// show, repeatedly, as `[schedule]` says. `concepts`: the pages that the labels of concepts lead to, then the
    /// instances that those pages list, each once. `all`: every link inside the site, each once.
    pub follow: Follow,
    /// Largest number of new pages of a site within a day, unless its seed says otherwise.
    pub max_pages: u64,
    /// Largest number of links between the seed and a page, unless the seed says otherwise.
    pub max_depth: u32,
    /// Shortest time between the starts of two requests to a site, in milliseconds, unless its seed says
    /// otherwise.
    pub delay_ms: u64,
    /// Number of days that a page counts after it was last seen; 0: for ever. Older pages are subtracted from the state
    /// and a day later deleted from the archive. Where the news is followed, an unchanged page is seen again after six days
    /// at the earliest, so a window of less than a week also drops live pages; with `concepts` and `all` a page counts
    /// from its last change.
    pub window_days: u32,
    /// What the archive keeps of pages that are gone, that robots.txt forbids now, or that ask not to be indexed
    /// any more: `all` until they leave the window, or only what is `live`. They do not count in either case.
    pub retention: Retention,
    /// Files with schemes of concepts in SKOS, to which the concepts of the taxonomy are aligned: Turtle, N-Triples, RDF/XML or
    /// JSON-LD. The name of a scheme is that of its file without the end. All miners need the same schemes.
    pub schemes: Vec<String>,
    /// The schemes that come with the product and are used, too: `topics`, `regions`, `genres`, `house`.
    pub builtin_schemes: Vec<BuiltinScheme>,
    /// Seconds between two folds over all sites.
    pub fold_s: u64,
    /// Largest share of one core that folds may take, in per cent: 1 to 100. If a fold takes long, the next one waits longer
    /// than `fold_s`.
    pub fold_share: u32,
    /// Seconds after which the leading miner learns again how articles are filed under concepts, which it needs to put
    /// concepts into events; 0: events have none.
    pub filing_s: u64,
    /// Seconds after which the leading miner again reads the instances of concepts whose pages changed, except articles,
    /// and stores them so that exports of the ontology need not read them; 0: never. This takes up to `views_share` per
    /// cent of a core.
    pub instances_s: u64,
    /// Seconds between two checks for sites whose views (informative blocks) are out of date; 0: never.
    pub views_s: u64,
    /// Largest share of one core that views may take, in per cent: 1 to 100.
    pub views_share: u32,
    /// Largest share of one core that each miner spends on counting stored pages again after the page algorithms or their
    /// parameters changed, in per cent, up to 100; 0: never. Until it is done, the sums hold pages of both versions. A
    /// smaller share takes longer and leaves more of the core to new pages.
    pub recompute_share: u32,
    /// Also accept removals on the queues that version 0.1.0 used: `remove` and `forget` on `seeds`, pages that are gone
    /// on `partitions`. Turn it on while processes of 0.1.0, or publishers that use `seeds` for this, are still running. It gives
    /// whoever may add sites, and every partitioner, the right to delete what was mined.
    pub old_removals: bool,
    /// Largest number of pages of one site in one store call.
    pub batch: usize,
    /// Longest wait for a batch to fill, in milliseconds.
    pub linger_ms: u64,
    /// Largest number of messages that a miner holds unacknowledged.
    pub prefetch: u16,
    /// Time to finish work in hand at a stop, in milliseconds.
    pub grace_ms: u64,
}

impl Default for MinerConfig {
    fn default() -> Self {
        MinerConfig {
            support: 0,
            follow: Follow::News,
            max_pages: 10_000,
            max_depth: 5,
            delay_ms: 1_000,
            window_days: 0,
            retention: Retention::All,
            schemes: Vec::new(),
            builtin_schemes: BuiltinScheme::ALL.to_vec(),
            fold_s: 30,
            fold_share: 50,
            filing_s: 3_600,
            instances_s: 3_600,
            views_s: 60,
            views_share: 25,
            recompute_share: 50,
            old_removals: false,
            batch: 64,
            linger_ms: 50,
            prefetch: 256,
            grace_ms: 25_000,
        }
    }
}

impl Config {
    /// The parameters of the page algorithms, with the configured time budget.
    #[must_use]
    pub fn page_params(&self) -> Params {
        self.partitioner.params.params().within(Duration::from_millis(self.partitioner.page_ms))
    }
}
