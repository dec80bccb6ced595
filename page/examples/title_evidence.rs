//! Prints what is measured of every text of some pages that may be the title, one JSON object a page; `train/titles.py` reads it.
//!
//! `cargo run --example title_evidence < PAGES`: a line a page, its URL (or nothing), a tab, its file. The
//! first line printed gives the names of the measures, the others are in the order of the pages.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "the training script names files and reads what is printed"
)]

use std::io::Write as _;

use anyhow::Context as _;
use newslode_page::Page;
use newslode_page::extract::{title_evidence, title_measures};
use newslode_page::time::Timestamp;

/// No page says a later time than this.
const LATEST: Timestamp = Timestamp(4_102_444_800_000);

fn main() -> anyhow::Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    writeln!(out, "{}", serde_json::json!({ "names": title_measures() }))?;
    for line in std::io::stdin().lines() {
        let line = line?;
        let (url, file) = line.split_once('\t').context("a line is a URL, a tab and a file")?;
        let url = if url.is_empty() { "http://file.invalid/" } else { url };
        let page = Page::parse(&url.parse()?, None, &std::fs::read(file)?);
        let (texts, measures): (Vec<_>, Vec<_>) = title_evidence(&page, LATEST).into_iter().unzip();
        writeln!(out, "{}", serde_json::json!({ "texts": texts, "measures": measures }))?;
    }
    Ok(())
}
