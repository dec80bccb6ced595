//! What to import: which files, which of their pages, and within which limits.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use newslode_common::config::Config;
use newslode_common::store::SiteSettings;
use newslode_common::warc::{Limits, Reader};
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;

use super::dates::Dates;
use super::files::archive_files;

/// Maximum size of a record beyond that of its page's body: heads, and bodies that grew under their encoding.
const HEADS: u64 = 1 << 20;

/// What to import.
pub(crate) struct ImportPlan {
    pub(super) files: Vec<PathBuf>,
    /// Only pages of these; all if empty.
    pub(super) sites: BTreeSet<Site>,
    pub(super) dates: Dates,
    pub(super) max_page_bytes: u64,
    /// The name by which sites speak to the crawler.
    pub(super) token: String,
    pub(super) window_days: u32,
    pub(super) delay_ms: u64,
    pub(super) max_depth: u32,
}

impl ImportPlan {
    /// Pages of the named archives, of these sites (by name, host or URL; all if none) and of these dates, within the limits
    /// of the configuration. A name is that of a file, of a folder with archives, or of a list of such names (`@FILE`).
    ///
    /// # Errors
    /// When one of the names leads to no file, or none of the files is a web archive. A single file that is none is left
    /// to be told with the others' pages.
    pub(crate) fn new(
        names: &[PathBuf],
        sites: &[String],
        dates: Dates,
        config: &Config,
    ) -> anyhow::Result<ImportPlan> {
        let plan = ImportPlan {
            files: archive_files(names)?,
            sites: sites.iter().map(|name| site_of_name(name)).collect(),
            dates: dates.check()?,
            max_page_bytes: config.crawler.max_page_bytes,
            token: config.crawler.product_token().to_owned(),
            window_days: config.miner.window_days,
            delay_ms: config.miner.delay_ms,
            max_depth: config.miner.max_depth,
        };
        let mut first_error = None;
        for file in &plan.files {
            match Reader::open(file, plan.limits()).map(|mut reader| reader.next()) {
                Ok(Some(Err(error))) | Err(error) => first_error = first_error.or(Some(error)),
                Ok(_) => return Ok(plan),
            }
        }
        first_error.map_or(Ok(plan), |error| Err(error.into()))
    }

    /// The files, in the order in which they are read.
    pub(crate) fn files(&self) -> &[PathBuf] {
        &self.files
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
