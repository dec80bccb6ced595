//! Prints what is measured wherever a block may begin on some pages, one JSON object a page; `train/blocks.py`
//! reads it.
//!
//! `cargo run --example block_evidence < PAGES`: a file a line. The first line printed gives the names of the
//! measures, the others are in the order of the pages.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "the training script names files and reads what is printed"
)]

use std::io::Write as _;

use newslode_page::Page;
use newslode_page::training::{block_evidence, block_measures};

fn main() -> anyhow::Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    writeln!(out, "{}", serde_json::json!({ "names": block_measures() }))?;
    for file in std::io::stdin().lines() {
        let url = "http://file.invalid/".parse()?;
        let page = Page::parse(&url, None, &std::fs::read(file?)?);
        let (leaves, measures): (Vec<_>, Vec<_>) = block_evidence(&page).into_iter().unzip();
        writeln!(out, "{}", serde_json::json!({ "leaves": leaves, "measures": measures }))?;
    }
    Ok(())
}
