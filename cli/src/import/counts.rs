//! Counts what became of the records, for progress, the report at the end and its JSON.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::capture::{Capture, Skip};
use super::reader::ReadEvent;
use crate::exit::hinted;
use crate::progress::ProgressDisplay;

/// The counts of an import.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ImportCounts {
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
    /// The file that is being read.
    #[serde(skip)]
    file: String,
}

impl ImportCounts {
    /// Before the first record of these files.
    pub(crate) fn new(files: &[PathBuf]) -> ImportCounts {
        let sizes = files.iter().filter_map(|file| Some(std::fs::metadata(file).ok()?.len()));
        ImportCounts { files: files.len(), bytes: (0, sizes.sum()), ..ImportCounts::default() }
    }

    /// Counts what the reader found, and returns it if it is a capture.
    pub(super) fn count_event(&mut self, event: ReadEvent) -> Option<Capture> {
        match event {
            ReadEvent::File(name) => {
                self.file = name;
                None
            }
            ReadEvent::Problem(text) => {
                self.problems.push(text);
                None
            }
            ReadEvent::Rights(_) => None,
            ReadEvent::Record { found, bytes } => {
                self.records += 1;
                self.bytes.0 = bytes;
                match found {
                    Ok(capture) => Some(*capture),
                    Err(skip) => {
                        self.count_skipped(skip);
                        None
                    }
                }
            }
        }
    }

    /// Counts a record that gives no page.
    pub(super) fn count_skipped(&mut self, skip: Skip) {
        *self.skipped.entry(skip).or_default() += 1;
    }

    /// Whether the files contained any page that counts now, through this import or an earlier one.
    fn has_pages(&self) -> bool {
        let pages_of_old = [Skip::Counted, Skip::NotNewest, Skip::Crawled];
        self.pages > 0 || pages_of_old.iter().any(|skip| self.skipped.contains_key(skip))
    }

    /// Checks that every file was read to its end, and that there was a page in one of them.
    ///
    /// # Errors
    /// When one of both is not so. What was read counts all the same.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
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
                format!("the files hold no page: {}", self.summary_line()),
                "a page is a response with status 200, or a resource, of type HTML",
            ));
        }
        Ok(())
    }

    /// Shows a line of progress.
    pub(crate) fn show_progress(&self, display: &mut ProgressDisplay) {
        let (read, all) = self.bytes;
        let share = (read * 100).checked_div(all).unwrap_or(0).min(100);
        let left = all.saturating_sub(read);
        // The pace counts mebibytes, because nobody knows how many pages an archive has before its end.
        display.work(read >> 20, Some(left >> 20), |pace| {
            let pace = pace.replace("/s", " MiB/s");
            format!("reading {}, {share} % of all archives{pace}: {}", self.file, self.summary_line())
        });
    }

    /// The counts in one line: pages, sites, and what was skipped, by reason.
    #[must_use]
    pub fn summary_line(&self) -> String {
        let skipped = self.skipped.iter().map(|(skip, count)| format!("{count} {}", skip.words()));
        let skipped: Vec<String> = skipped.collect();
        let skipped = if skipped.is_empty() { "none".into() } else { skipped.join(", ") };
        let ImportCounts { records, pages, sites, .. } = self;
        format!("{records} records, {pages} pages of {sites} sites; skipped: {skipped}")
    }
}
