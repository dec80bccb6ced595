//! What became of the records: counts for progress, the end report and its JSON.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::capture::{Capture, Skip};
use super::files::Step;
use crate::exit::hinted;
use crate::progress::Shown;

/// What became of the pages that were fed.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Fed {
    /// Files to read.
    pub(crate) files: usize,
    /// Records read.
    pub(crate) records: u64,
    /// Pages handed over.
    pub(crate) pages: u64,
    /// Sites with such pages.
    pub(crate) sites: usize,
    /// Records that gave no page, by reason.
    pub(crate) skipped: BTreeMap<Skip, u64>,
    /// Files that could not be read to their end, with the reason.
    pub(crate) problems: Vec<String>,
    /// Bytes read, and bytes to read; for progress.
    #[serde(skip)]
    bytes: (u64, u64),
}

impl Fed {
    /// Before the first record of these files.
    pub(crate) fn new(files: &[PathBuf]) -> Fed {
        let sizes = files.iter().filter_map(|file| Some(std::fs::metadata(file).ok()?.len()));
        Fed { files: files.len(), bytes: (0, sizes.sum()), ..Fed::default() }
    }

    /// Counts a step; returns the capture if it is one.
    pub(super) fn count(&mut self, step: Step) -> Option<Capture> {
        match step {
            Step::Problem(text) => {
                self.problems.push(text);
                None
            }
            Step::Record { found, bytes } => {
                self.records += 1;
                self.bytes.0 = bytes;
                match found {
                    Ok(capture) => Some(*capture),
                    Err(skip) => {
                        self.end(Err(skip));
                        None
                    }
                }
            }
        }
    }

    /// Counts what became of a page.
    pub(super) fn end(&mut self, end: Result<(), Skip>) {
        match end {
            Ok(()) => self.pages += 1,
            Err(skip) => *self.skipped.entry(skip).or_default() += 1,
        }
    }

    /// Whether the files held any page that counts now, by this feed or before it.
    fn has_pages(&self) -> bool {
        let held = [Skip::Counted, Skip::NotNewest, Skip::Crawled];
        self.pages > 0 || held.iter().any(|skip| self.skipped.contains_key(skip))
    }

    /// Says that files broke off, or that there was no page in any.
    ///
    /// # Errors
    /// In these two cases; what was read before counts all the same.
    pub(crate) fn verdict(&self) -> anyhow::Result<()> {
        if !self.problems.is_empty() {
            let (broken, files) = (self.problems.len(), self.files);
            return Err(hinted(
                format!(
                    "{broken} of {files} files could not be read to the end\n  {}",
                    self.problems.join("\n  ")
                ),
                "what stands before counts; get the files again and repeat the command: nothing is counted twice",
            ));
        }
        if !self.has_pages() {
            return Err(hinted(
                format!("the files hold no page: {}", self.line()),
                "a page is a response with status 200, or a resource, of type HTML",
            ));
        }
        Ok(())
    }

    /// One line of progress.
    pub(crate) fn show(&self, shown: &mut Shown) {
        let (read, all) = self.bytes;
        let share = (read * 100).checked_div(all).unwrap_or(0).min(100);
        let left = all.saturating_sub(read);
        // The pace is that of megabytes: how many pages an archive holds is known at its end.
        shown.work(read >> 20, Some(left >> 20), |pace| {
            let pace = pace.replace("/s", " MiB/s");
            format!("reading archives, {share} %{pace}: {}", self.line())
        });
    }

    /// The counts in one line: pages, sites, and what was passed over, by reason.
    #[must_use]
    pub fn line(&self) -> String {
        let skipped = self.skipped.iter().map(|(skip, count)| format!("{count} {}", skip.words()));
        let skipped: Vec<String> = skipped.collect();
        let skipped = if skipped.is_empty() { "none".into() } else { skipped.join(", ") };
        let Fed { records, pages, sites, .. } = self;
        format!("{records} records, {pages} pages of {sites} sites; skipped: {skipped}")
    }
}
