//! Every place of a page where a block may begin, with its measures: one JSON object a page.

use std::io::Write;

use newslode_page::Page;
use newslode_page::training::{block_evidence, block_measures};
use serde_json::json;

pub(super) fn print(out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(out, "{}", json!({ "names": block_measures() }))?;
    for file in std::io::stdin().lines() {
        let url = "http://file.invalid/".parse()?;
        let page = Page::parse(&url, None, &std::fs::read(file?)?);
        let (leaves, measures): (Vec<_>, Vec<_>) = block_evidence(&page).into_iter().unzip();
        writeln!(out, "{}", json!({ "leaves": leaves, "measures": measures }))?;
    }
    Ok(())
}
