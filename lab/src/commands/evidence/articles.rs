//! Every text of a page that may be an article's field, with its measures: one JSON object a page.

use std::io::Write;

use anyhow::Context as _;
use newslode_page::Page;
use newslode_page::time::Timestamp;
use serde_json::json;

/// No page says a later time than this.
const LATEST: Timestamp = Timestamp(4_102_444_800_000);

/// Texts of a page and their measures.
type Evidence = fn(&Page, Timestamp) -> Vec<(String, Vec<f32>)>;

pub(super) fn print(names: &[String], evidence: Evidence, out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(out, "{}", json!({ "names": names }))?;
    for line in std::io::stdin().lines() {
        let line = line?;
        let (url, file) = line.split_once('\t').context("a line is a URL, a tab and a file")?;
        let url = if url.is_empty() { "http://file.invalid/" } else { url };
        let page = Page::parse(&url.parse()?, None, &std::fs::read(file)?);
        let (texts, measures): (Vec<_>, Vec<_>) = evidence(&page, LATEST).into_iter().unzip();
        writeln!(out, "{}", json!({ "texts": texts, "measures": measures }))?;
    }
    Ok(())
}
