//! Prints the leaves of pages: number, path of tags, text, one leaf a line.
//!
//! `leaves [--windows-1252] PAGE...`; with the flag, a page without byte order mark and `<meta>` is read as
//! windows-1252, as parsers without a detector read it.

#![allow(clippy::disallowed_methods, reason = "an example reads files and prints what it finds")]

use std::io::{self, BufWriter, Write};

use newslode_page::reading::{CharsetSource, Leaves, PageLimits, PageTree, decode};

fn main() -> io::Result<()> {
    let mut fall_back = false;
    let mut out = BufWriter::new(io::stdout().lock());
    for argument in std::env::args().skip(1) {
        if argument == "--windows-1252" {
            fall_back = true;
            continue;
        }
        let bytes = std::fs::read(&argument)?;
        let mut page = decode(&bytes, None);
        if fall_back && matches!(page.source, CharsetSource::Utf8 | CharsetSource::Detected) {
            page = decode(&bytes, Some("text/html; charset=windows-1252"));
        }
        let tree = PageTree::parse(&page.text, &PageLimits::default());
        let leaves = Leaves::new(&tree);
        for (i, leaf) in leaves.iter().enumerate() {
            writeln!(out, "{i}\t{}\t{}", leaves.path_string(&tree, leaf.path), leaves.text(i))?;
        }
    }
    out.flush()
}
