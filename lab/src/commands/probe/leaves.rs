//! Prints the leaves of pages: number, path of tags, text, one leaf a line.

use std::io::{BufWriter, Write as _};
use std::path::PathBuf;

use anyhow::Context as _;
use newslode::out;
use newslode_page::reading::{CharsetSource, Leaves, PageLimits, PageTree, decode};

/// `fall_back`: a page without byte order mark and `<meta>` is read as windows-1252.
pub(super) fn print(pages: &[PathBuf], fall_back: bool) -> anyhow::Result<()> {
    let mut lines = BufWriter::new(out::writer());
    for file in pages {
        let bytes = std::fs::read(file).with_context(|| format!("cannot read `{}`", file.display()))?;
        let mut page = decode(&bytes, None);
        if fall_back && matches!(page.source, CharsetSource::Utf8 | CharsetSource::Detected) {
            page = decode(&bytes, Some("text/html; charset=windows-1252"));
        }
        let tree = PageTree::parse(&page.text, &PageLimits::default());
        let leaves = Leaves::new(&tree);
        for (i, leaf) in leaves.iter().enumerate() {
            writeln!(lines, "{i}\t{}\t{}", leaves.path_string(&tree, leaf.path), leaves.text(i))?;
        }
    }
    Ok(lines.flush()?)
}
