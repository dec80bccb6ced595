//! Every page with its measures and the groups of its site that it belongs to: one JSON object a page.

use std::io::Write;

use anyhow::Context as _;
use newslode_page::Page;
use newslode_page::time::Timestamp;
use newslode_page::training::{kind_evidence, kind_measures};
use serde_json::json;

/// No page says a later time than this.
const LATEST: Timestamp = Timestamp(4_102_444_800_000);

pub(super) fn print(out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(out, "{}", json!({ "names": kind_measures() }))?;
    for line in std::io::stdin().lines() {
        let line = line?;
        let (url, file) = line.split_once('\t').context("a line is a URL, a tab and a file")?;
        let url = if url.is_empty() { "http://file.invalid/" } else { url };
        let page = Page::parse(&url.parse()?, None, &std::fs::read(file)?);
        let (measures, groups) = kind_evidence(&page, LATEST);
        writeln!(out, "{}", json!({ "measures": measures, "groups": groups }))?;
    }
    Ok(())
}
