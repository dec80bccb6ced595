//! Text sitemaps: one address a line.

use std::io::BufRead;

use newslode_page::CanonicalUrl;

use super::collect::{Collector, ItemDraft, is_like_address};
use super::walk::KEPT_TEXT;

/// Reads the addresses. A line that is none counts as an item without a link.
pub(super) fn read_lines(text: &mut impl BufRead, url: &CanonicalUrl, found: &mut Collector<'_>) {
    let base = url.to_url();
    let mut line = Vec::new();
    loop {
        let Ok(block) = text.fill_buf() else { return };
        let is_end = block.is_empty();
        let end = block.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let part = block.get(..end.unwrap_or(block.len())).unwrap_or_default();
        // Of a longer line so much is kept that it counts as too long.
        line.extend_from_slice(part.get(..KEPT_TEXT.saturating_sub(line.len())).unwrap_or(part));
        let read = part.len() + usize::from(end.is_some());
        text.consume(read);
        if end.is_none() && !is_end {
            continue;
        }
        let written = String::from_utf8_lossy(&line);
        let address = written.trim_matches(|letter: char| letter.is_whitespace() || letter == '\u{FEFF}');
        if !address.is_empty() {
            let mut draft = ItemDraft::default();
            if is_like_address(address) {
                found.link(&mut draft, 0, &base, address);
            }
            found.take(draft);
        }
        line.clear();
        if is_end {
            return;
        }
    }
}
