//! Prints what kind of page each of some pages is: for measuring against labels.
//!
//! `cargo run --example page_kinds < PAGES`: a line a page, its URL (or nothing), a tab, its file; the lines
//! printed hold the kind, a tab and the file.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "an example reads files and prints what it finds"
)]

use anyhow::Context as _;
use newslode_page::Page;
use newslode_page::extract::article;
use newslode_page::time::Timestamp;

/// No page says a later time than this.
const LATEST: Timestamp = Timestamp(4_102_444_800_000);

fn main() -> anyhow::Result<()> {
    for line in std::io::stdin().lines() {
        let line = line?;
        let (url, file) = line.split_once('\t').context("a line is a URL, a tab and a file")?;
        let url = if url.is_empty() { "http://file.invalid/" } else { url };
        let page = Page::parse(&url.parse()?, None, &std::fs::read(file)?);
        let kind = serde_json::to_value(article(&page, LATEST).0)?;
        println!("{}\t{file}", kind.as_str().unwrap_or_default());
    }
    Ok(())
}
