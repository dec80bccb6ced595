//! The candidates for the heads of a page's labels, with their measures.
//!
//! The first line gives the names of the measures that sift and of those that choose. Each page then has a line of
//! JSON, its labels and arcs, followed by the measures of these arcs as 32-bit numbers, lowest byte first: as text
//! they would be ten times as long.

use std::io::Write;

use newslode_page::Page;
use newslode_page::training::{head_evidence, head_measures};
use serde_json::json;

pub(super) fn print(out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(out, "{}", json!({ "names": head_measures() }))?;
    for file in std::io::stdin().lines() {
        let url = "http://file.invalid/".parse()?;
        let page = Page::parse(&url, None, &std::fs::read(file?)?);
        let found = head_evidence(&page);
        writeln!(out, "{}", json!({ "labels": found.labels, "arcs": found.arcs }))?;
        for value in found.measures {
            out.write_all(&value.to_le_bytes())?;
        }
    }
    Ok(())
}
