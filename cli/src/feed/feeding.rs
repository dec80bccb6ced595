//! What to feed: which files, which of their pages, and within which limits.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use newslode_common::config::Config;
use newslode_common::store::SiteSettings;
use newslode_common::warc::{Limits, Reader};
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;

/// What a record holds beyond its page's body: heads, and what compresses badly.
const HEADS: u64 = 1 << 20;

/// What to feed.
pub(crate) struct Feeding {
    pub(super) files: Vec<PathBuf>,
    /// Only pages of these; all if empty.
    pub(super) sites: BTreeSet<Site>,
    pub(super) max_page_bytes: u64,
    pub(super) window_days: u32,
    pub(super) delay_ms: u64,
    pub(super) max_depth: u32,
}

impl Feeding {
    /// Pages of these files, of these sites (by name, host or URL; all if none), within the limits of the
    /// configuration. Each file is opened and its first record looked at, so that mistakes show at once.
    ///
    /// # Errors
    /// When a file cannot be read or is no WARC.
    pub(crate) fn new(files: &[PathBuf], sites: &[String], config: &Config) -> anyhow::Result<Feeding> {
        let feeding = Feeding {
            files: files.to_vec(),
            sites: sites.iter().map(|name| site(name)).collect(),
            max_page_bytes: config.crawler.max_page_bytes,
            window_days: config.miner.window_days,
            delay_ms: config.miner.delay_ms,
            max_depth: config.miner.max_depth,
        };
        for file in files {
            if let Some(first) = Reader::open(file, feeding.limits())?.next() {
                first?;
            }
        }
        Ok(feeding)
    }

    pub(super) fn limits(&self) -> Limits {
        Limits { block: self.max_page_bytes.saturating_add(HEADS), ..Limits::default() }
    }

    /// The first day that counts; `None`: all do.
    pub(super) fn oldest_day(&self, now: Timestamp) -> Option<u32> {
        let back = u64::from(self.window_days).saturating_mul(86_400_000);
        (self.window_days > 0).then(|| Timestamp(now.0.saturating_sub(back)).day())
    }

    /// Settings of a site that only archives know: nothing of it is fetched.
    pub(super) fn settings(&self) -> SiteSettings {
        SiteSettings {
            max_pages: 0,
            max_depth: self.max_depth,
            delay_ms: self.delay_ms,
            paused: true,
            labels: BTreeMap::new(),
        }
    }
}

/// The site of a name, a host or a URL.
pub(super) fn site(text: &str) -> Site {
    let host = url::Url::parse(text).ok().and_then(|url| url.host_str().map(str::to_owned));
    Site::of_host(host.as_deref().unwrap_or(text))
}
