//! What kind of page this is: home, article, section or other.
//!
//! The front page of a host is its home. An article says so in its metadata and has some prose, or has
//! much prose under one element. A page of many links is a section. Prose is what sentences are made of: a
//! text outside of links of ten words and an end, or of 25 words.

use newslode_common::article::PageKind;
use rustc_hash::FxHashMap;

use super::metadata::is_inside;
use crate::Page;
use crate::language::is_unspaced;

/// Words of prose that make an article of a page that calls itself one.
const LEAST_WORDS: usize = 40;
/// Words of prose under one element that make an article of any page.
const MANY_WORDS: usize = 150;
/// Links that make a section.
const MANY_LINKS: usize = 25;

pub(super) fn kind(page: &Page, says_article: bool) -> PageKind {
    if page.url.is_home() {
        return PageKind::Home;
    }
    let prose = Prose::of(page);
    let is_article = if says_article {
        prose.words >= LEAST_WORDS
    } else {
        prose.most_under_one >= MANY_WORDS && prose.most_under_one * 2 >= prose.words
    };
    if is_article {
        PageKind::Article
    } else if prose.links >= MANY_LINKS {
        PageKind::Section
    } else {
        PageKind::Other
    }
}

struct Prose {
    words: usize,
    most_under_one: usize,
    /// Leaves inside links.
    links: usize,
}

impl Prose {
    fn of(page: &Page) -> Prose {
        let tree = &page.tree;
        let mut under = FxHashMap::default();
        let mut prose = Prose { words: 0, most_under_one: 0, links: 0 };
        for (i, leaf) in page.leaves.iter().enumerate() {
            if leaf.link.is_some() {
                prose.links += 1;
                continue;
            }
            let text = page.leaves.text(i);
            let words = count_words(text);
            let is_prose =
                words >= 25 || (words >= 10 && text.ends_with(['.', '!', '?', '"', '”', '。', '…']));
            if leaf.is_image || !is_prose || is_inside(tree, leaf.parent, &["footer", "aside", "form"]) {
                continue;
            }
            prose.words += words;
            let block = std::iter::once(leaf.parent).chain(tree.ancestors(leaf.parent));
            let block = block.into_iter().find(|&node| !super::runs::is_inline(tree, node));
            // Paragraphs count for the element they stand in, bare text for its own.
            let holder = block.map(|block| match tree.tag(block) {
                Some("p" | "li" | "blockquote") => tree.parent(block).unwrap_or(block),
                _ => block,
            });
            *under.entry(holder).or_insert(0) += words;
        }
        prose.most_under_one = under.into_values().max().unwrap_or(0);
        prose
    }
}

/// Words; in scripts without spaces two and a half letters are one.
fn count_words(text: &str) -> usize {
    let unspaced = text.chars().filter(|&letter| is_unspaced(letter)).count();
    if unspaced > 0 { unspaced * 2 / 5 } else { text.split_whitespace().count() }
}
