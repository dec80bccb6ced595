//! Prints what is measured of every table of some pages, one JSON object a line; `train/tables.py` reads it.
//!
//! `cargo run --example table_evidence < PAGES`: a file a line. The first line printed gives the names of the
//! measures.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "the training script names files and reads what is printed"
)]

use std::path::Path;

use newslode_page::Page;
use newslode_page::tables::TableParams;
use newslode_page::training::{table_evidence, table_measures};

fn main() -> anyhow::Result<()> {
    let (data, top) = table_measures();
    println!("{}", serde_json::json!({ "data": data, "top": top }));
    for path in std::io::stdin().lines() {
        let path = path?;
        let page = Page::parse(&"http://file.invalid/".parse()?, None, &std::fs::read(&path)?);
        let name = Path::new(&path).file_name().unwrap_or_default().to_string_lossy().into_owned();
        for evidence in table_evidence(&page, &TableParams::default()) {
            let mut line = serde_json::to_value(evidence)?;
            line["page"] = name.as_str().into();
            println!("{line}");
        }
    }
    Ok(())
}
