//! Prints what is measured of some pages, one JSON object a page: of every run of text (`bodies`), of every text that may be
//! the title (`titles`), of every name that may be an
//! author's (`authors`), or of every day that the page says (`days`). The scripts in `train/` named so read it.
//!
//! `cargo run --example article_evidence -- bodies < PAGES`: a line a page, its URL (or nothing), a tab, its file. The
//! first line printed gives the names of the measures, the others are in the order of the pages.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "the training scripts name files and read what is printed"
)]

use std::io::Write as _;

use anyhow::Context as _;
use newslode_page::Page;
use newslode_page::time::Timestamp;
use newslode_page::training::{
    author_evidence, author_measures, body_evidence, body_measures, day_evidence, day_measures,
    title_evidence, title_measures,
};

/// No page says a later time than this.
const LATEST: Timestamp = Timestamp(4_102_444_800_000);

/// Texts of a page and their measures.
type Evidence = fn(&Page, Timestamp) -> Vec<(String, Vec<f32>)>;

fn main() -> anyhow::Result<()> {
    let (names, evidence): (_, Evidence) = match std::env::args().nth(1).as_deref() {
        Some("bodies") => (body_measures(), body_evidence),
        Some("titles") => (title_measures(), title_evidence),
        Some("authors") => (author_measures(), author_evidence),
        Some("days") => (day_measures(), day_evidence),
        _ => anyhow::bail!("say what is to be measured: `bodies`, `titles`, `authors` or `days`"),
    };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    writeln!(out, "{}", serde_json::json!({ "names": names }))?;
    for line in std::io::stdin().lines() {
        let line = line?;
        let (url, file) = line.split_once('\t').context("a line is a URL, a tab and a file")?;
        let url = if url.is_empty() { "http://file.invalid/" } else { url };
        let page = Page::parse(&url.parse()?, None, &std::fs::read(file)?);
        let (texts, measures): (Vec<_>, Vec<_>) = evidence(&page, LATEST).into_iter().unzip();
        writeln!(out, "{}", serde_json::json!({ "texts": texts, "measures": measures }))?;
    }
    Ok(())
}
