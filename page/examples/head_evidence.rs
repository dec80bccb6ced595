//! Prints the candidates for the heads of some pages' labels with their measures; `train/heads.py` reads it.
//!
//! `cargo run --example head_evidence < PAGES`: a file a line. The first line printed gives the names of the measures
//! that sift and of those that choose. Each page then has a line of JSON, its labels and arcs, and behind it the
//! measures of these arcs as 32-bit numbers, lowest byte first: as text they would be ten times as long.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "the training script names files and reads what is printed"
)]

use std::io::Write as _;

use newslode_page::Page;
use newslode_page::training::{head_evidence, head_measures};

fn main() -> anyhow::Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    writeln!(out, "{}", serde_json::json!({ "names": head_measures() }))?;
    for file in std::io::stdin().lines() {
        let url = "http://file.invalid/".parse()?;
        let page = Page::parse(&url, None, &std::fs::read(file?)?);
        let found = head_evidence(&page);
        writeln!(out, "{}", serde_json::json!({ "labels": found.labels, "arcs": found.arcs }))?;
        for value in found.measures {
            out.write_all(&value.to_le_bytes())?;
        }
    }
    Ok(())
}
