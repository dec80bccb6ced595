//! Checks on pages of one's own that the fast dynamic program finds the plain one's tree, to the bit.
//!
//! For every `*.html` of a folder: each flat segment, and the whole page if it has at most so many leaves. Ends with
//! an error if any tree differs.

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use newslode::out;
use newslode_page::partition::{Method, hierarchy};
use newslode_page::training::measure::Dp;
use newslode_page::{Page, Params};

pub(super) fn check(folder: &Path, most: usize) -> anyhow::Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read `{}`", folder.display()))?;
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    files.retain(|file| file.extension().is_some_and(|end| end == "html"));
    files.sort();
    let mut total = Tally::default();
    for file in &files {
        total.add(&compare(file, most)?);
    }
    out::line(format!("{} pages: {total:?}", files.len()))?;
    ensure!(total.different == 0, "{} trees differ", total.different);
    Ok(())
}

#[derive(Debug, Default)]
struct Tally {
    segments: usize,
    longest_segment: usize,
    segments_too_long: usize,
    whole_pages: usize,
    different: usize,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.segments += other.segments;
        self.longest_segment = self.longest_segment.max(other.longest_segment);
        self.segments_too_long += other.segments_too_long;
        self.whole_pages += other.whole_pages;
        self.different += other.different;
    }

    /// Whether a scope's trees are equal.
    fn compare(&mut self, page: &Page, leaves: Range<usize>) -> bool {
        let dp = Dp::new(page, leaves);
        let is_equal = dp.fast() == dp.plain_cached();
        self.different += usize::from(!is_equal);
        is_equal
    }
}

fn compare(file: &Path, most: usize) -> anyhow::Result<Tally> {
    let url = "https://news.example.org/".parse()?;
    let page = Page::parse(&url, None, &std::fs::read(file)?);
    let flat = hierarchy(&page, &Params { method: Method::Flat, ..Params::paper() });
    let count = page.leaves.len();
    let ends: Vec<usize> = flat.boundaries.iter().map(|&first| first as usize).chain([count]).collect();
    let (mut tally, mut start) = (Tally::default(), 0);
    for end in ends {
        let segment = std::mem::replace(&mut start, end)..end;
        if segment.len() > most {
            tally.segments_too_long += 1;
            continue;
        }
        tally.segments += 1;
        tally.longest_segment = tally.longest_segment.max(segment.len());
        if !tally.compare(&page, segment.clone()) {
            out::line(format!("{}: segment {segment:?} differs", file.display()))?;
        }
    }
    if count <= most {
        tally.whole_pages += 1;
        if !tally.compare(&page, 0..count) {
            out::line(format!("{}: the whole page differs", file.display()))?;
        }
    }
    Ok(tally)
}
