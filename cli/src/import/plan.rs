//! What to import: which files, which of their pages, and within which limits.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use newslode_common::config::Config;
use newslode_common::store::SiteSettings;
use newslode_common::warc::{Limits, Reader};
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;

/// Maximum size of a record beyond that of its page's body: heads, and bodies that grew under their encoding.
const HEADS: u64 = 1 << 20;

/// What to import.
pub(crate) struct ImportPlan {
    pub(super) files: Vec<PathBuf>,
    /// Only pages of these; all if empty.
    pub(super) sites: BTreeSet<Site>,
    pub(super) max_page_bytes: u64,
    pub(super) window_days: u32,
    pub(super) delay_ms: u64,
    pub(super) max_depth: u32,
}

impl ImportPlan {
    /// Pages of these files, of these sites (by name, host or URL; all if none), within the limits of the
    /// configuration. Each file is opened and its first record looked at, so that mistakes show at once.
    ///
    /// # Errors
    /// When a file cannot be read or is no WARC.
    pub(crate) fn new(files: &[PathBuf], sites: &[String], config: &Config) -> anyhow::Result<ImportPlan> {
        let plan = ImportPlan {
            files: files.to_vec(),
            sites: sites.iter().map(|name| site_of_name(name)).collect(),
            max_page_bytes: config.crawler.max_page_bytes,
            window_days: config.miner.window_days,
            delay_ms: config.miner.delay_ms,
            max_depth: config.miner.max_depth,
        };
        for file in files {
            if let Some(first) = Reader::open(file, plan.limits())?.next() {
                first?;
            }
        }
        Ok(plan)
    }

    pub(super) fn limits(&self) -> Limits {
        Limits { block: self.max_page_bytes.saturating_add(HEADS), ..Limits::default() }
    }

    /// The first day that counts; `None`: all do.
    pub(super) fn oldest_day(&self, now: Timestamp) -> Option<u32> {
        let back = u64::from(self.window_days).saturating_mul(86_400_000);
        (self.window_days > 0).then(|| Timestamp(now.0.saturating_sub(back)).day())
    }

    /// Settings of a site that is known from archives alone: nothing is fetched from it.
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
pub(super) fn site_of_name(text: &str) -> Site {
    let host = url::Url::parse(text).ok().and_then(|url| url.host_str().map(str::to_owned));
    Site::of_host(host.as_deref().unwrap_or(text))
}
