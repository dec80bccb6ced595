//! Prints what kind of page each page is: the kind, a tab and the file.

use anyhow::Context as _;
use newslode::out;
use newslode_page::Page;
use newslode_page::extract::article;
use newslode_page::time::Timestamp;

/// No page says a later time than this.
const LATEST: Timestamp = Timestamp(4_102_444_800_000);

pub(super) fn print() -> anyhow::Result<()> {
    for line in std::io::stdin().lines() {
        let line = line?;
        let (url, file) = line.split_once('\t').context("a line is a URL, a tab and a file")?;
        let url = if url.is_empty() { "http://file.invalid/" } else { url };
        let page = Page::parse(&url.parse()?, None, &std::fs::read(file)?);
        let kind = serde_json::to_value(article(&page, LATEST).0)?;
        out::line(format!("{}\t{file}", kind.as_str().unwrap_or_default()))?;
    }
    Ok(())
}
