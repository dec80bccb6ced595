//! Every table of a page with its measures: one JSON object a table.

use std::io::Write;
use std::path::Path;

use newslode_page::Page;
use newslode_page::tables::TableParams;
use newslode_page::training::{table_evidence, table_measures};
use serde_json::json;

pub(super) fn print(out: &mut impl Write) -> anyhow::Result<()> {
    let (data, top) = table_measures();
    writeln!(out, "{}", json!({ "data": data, "top": top }))?;
    for path in std::io::stdin().lines() {
        let path = path?;
        let page = Page::parse(&"http://file.invalid/".parse()?, None, &std::fs::read(&path)?);
        let name = Path::new(&path).file_name().unwrap_or_default().to_string_lossy().into_owned();
        for evidence in table_evidence(&page, &TableParams::default()) {
            let mut line = serde_json::to_value(evidence)?;
            line["page"] = name.as_str().into();
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}
