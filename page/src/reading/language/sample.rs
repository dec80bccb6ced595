//! The part of a page that tells its language: chunks of its prose.
//!
//! Menus, consent layers and quotations may be in another language. So the sample prefers long texts outside links, and
//! a long text counts for less than its length: six paragraphs of a story outweigh one of a consent layer as long as they.
//!
//! Invariant: bounded, whatever the page's length.

use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

use crate::reading::{Leaves, NodeId};

/// A sample has about this many bytes at most.
const SAMPLE: usize = 4_000;
/// Texts of this many bytes are prose; headlines and the like are shorter.
const LEAST_PROSE: usize = 80;
/// With fewer bytes of prose, shorter texts and links count, too.
const ENOUGH_PROSE: usize = 200;
/// Shorter links and texts are labels.
const LEAST_LINE: usize = 20;

/// Chunks of text, each with its leaf's node.
pub(super) struct Sample<'a> {
    pub(super) chunks: Vec<(NodeId, &'a str)>,
}

impl<'a> Sample<'a> {
    pub(super) fn new(leaves: &'a Leaves) -> Sample<'a> {
        let is_prose = |i: usize| {
            let leaf = leaves.get(i);
            leaf.link.is_none() && !leaf.is_image && leaves.text(i).len() >= LEAST_PROSE
        };
        let prose = take(leaves, is_prose);
        if prose.iter().map(|(_, chunk)| chunk.len()).sum::<usize>() >= ENOUGH_PROSE {
            return Sample { chunks: prose };
        }
        let is_line = |i: usize| !leaves.get(i).is_image && leaves.text(i).len() >= LEAST_LINE;
        let lines = take(leaves, is_line);
        if !lines.is_empty() {
            return Sample { chunks: lines };
        }
        Sample { chunks: take(leaves, |_| true) }
    }

    /// All chunks as one text, with letters and their marks composed.
    pub(super) fn text(&self) -> String {
        let mut text = String::with_capacity(SAMPLE);
        for (_, chunk) in &self.chunks {
            text.push_str(chunk);
            text.push('\n');
        }
        match is_nfc_quick(text.chars()) {
            IsNormalized::Yes => text,
            _ => text.nfc().collect(),
        }
    }
}

/// Chunks of chosen leaves, spread over the page.
fn take(leaves: &Leaves, is_chosen: impl Fn(usize) -> bool) -> Vec<(NodeId, &str)> {
    let chosen = || (0..leaves.len()).filter(|&i| is_chosen(i));
    let wanted: usize = chosen().map(|i| chunk_length(leaves.text(i).len())).sum();
    let mut chunks = Vec::new();
    // Of a page with more chunks than are wanted, those are left out that would come too early.
    let (mut passed, mut taken) = (0, 0);
    for i in chosen() {
        let text = leaves.text(i);
        let length = chunk_length(text.len());
        passed += length;
        if wanted <= SAMPLE || taken * wanted < passed * SAMPLE {
            let end = (0..=length).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
            chunks.push((leaves.get(i).node, &text[..end]));
            taken += length;
        }
        if taken >= SAMPLE {
            break;
        }
    }
    chunks
}

/// How many bytes of a text count: all of a short one, of a long one in proportion to the root of its length.
fn chunk_length(length: usize) -> usize {
    length.min((length * LEAST_PROSE).isqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    fn sample(html: &str) -> String {
        Sample::new(&page(html).leaves).text()
    }

    #[test]
    fn prose_is_preferred_to_labels_and_links() {
        let prose = "The council will keep the old bridge open for another year. ".repeat(4);
        let found = sample(&format!("<p>Home<p><a href=/>{prose}</a><p>{prose}<p>{prose}"));
        assert!(found.starts_with("The council") && found.lines().count() == 2, "{found}");
        assert_eq!(
            sample("<p>Home<p><a href=/>Bridge stays open for a year</a>"),
            "Bridge stays open for a year\n"
        );
        assert_eq!(sample("<p>Home<p>Sport"), "Home\nSport\n");
        assert_eq!(sample(""), "");
    }

    #[test]
    fn many_paragraphs_outweigh_a_long_one() {
        let found =
            sample(&format!("<p>{}{}", "a ".repeat(500), format!("<p>{}", "b ".repeat(84)).repeat(6)));
        assert!(found.matches('b').count() > 2 * found.matches('a').count());
    }

    #[test]
    fn a_sample_is_spread_over_the_page_and_bounded() {
        let html: String = (0..1_000).map(|i| format!("<p>{i} {}", "é".repeat(60))).collect();
        let found = sample(&html);
        assert!(found.len() < 2 * SAMPLE, "{}", found.len());
        let last = found.lines().last().and_then(|line| line.split(' ').next()?.parse::<u32>().ok());
        assert!(last > Some(900), "{last:?}");
    }
}
