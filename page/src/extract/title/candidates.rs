//! The texts of a page that may be its headline.
//!
//! They are the headings, what the document, its share title and its metadata are called, and the parts of these between
//! separators, since names of sites and sections often precede or follow headlines. A text is a candidate only once,
//! however many sources give it.

use std::collections::{BTreeSet, HashMap};

use super::super::metadata::Metadata;
use super::super::plain::{readable, without_formatting};
use super::heading::heading_texts;
use crate::Page;
use crate::contribution::labels::words;
use crate::reading::{NodeId, is_unspaced};
use crate::text::letters;

/// Separators between a headline and the name of a site or section.
const SEPARATORS: [&str; 13] =
    [" | ", " - ", " – ", " — ", " :: ", " · ", " » ", " « ", " • ", " / ", ": ", " > ", "--"];
/// The same without spaces.
const MARKS: [char; 9] = ['|', '｜', 'ㅣ', '│', '·', '_', '：', '【', '】'];
/// More letters than this in a script without spaces are several words.
const UNSPACED_LETTERS: usize = 4;
/// Most parts of a text that are put together again.
const MOST_PARTS: usize = 6;
/// Longest headline, in bytes.
const MOST_BYTES: usize = 400;
/// Characters of a text of a source that are searched for texts of the page. Some pages are one heading as a whole.
const MOST_SEARCHED: usize = 16_384;
/// Most headings of each kind: on pages with hundreds of them none is the headline.
const MOST_HEADINGS: usize = 20;
/// Most other texts.
const MOST_TEXTS: usize = 12;

/// The source of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    H1,
    Heading,
    Text,
    Headline,
    Meta,
    Share,
    Document,
}

impl Source {
    pub(super) const ALL: [Source; 7] = [
        Source::H1,
        Source::Heading,
        Source::Text,
        Source::Headline,
        Source::Meta,
        Source::Share,
        Source::Document,
    ];

    /// The name of the witness in an article's evidence.
    pub(super) fn name(self) -> &'static str {
        match self {
            Source::H1 => "h1",
            Source::Heading => "heading",
            Source::Text => "text",
            Source::Headline => "json-ld",
            Source::Meta => "meta",
            Source::Share => "opengraph",
            Source::Document => "title",
        }
    }
}

/// A text that may be the headline.
#[derive(Clone, Debug)]
pub(super) struct TitleCandidate {
    pub(super) text: String,
    /// Its letters and digits in lower case.
    pub(super) letters: String,
    pub(super) words: Vec<String>,
    /// The sources whose whole text this is.
    pub(super) sources: BTreeSet<Source>,
    /// The sources of whose text it is a part, between separators.
    pub(super) parts_of: BTreeSet<Source>,
    /// Its first and last part, from 0, of all parts of the document's title or the share title.
    pub(super) range: Option<(usize, usize, usize)>,
    /// Where it is shown first, and its number among the texts of that kind.
    pub(super) shown: Option<(NodeId, usize)>,
}

/// The candidates, and the whole texts that they come from.
#[derive(Debug, Default)]
pub(super) struct TitleCandidates {
    pub(super) all: Vec<TitleCandidate>,
    /// The whole text of each source.
    pub(super) whole_texts: Vec<(Source, String)>,
    by_text: HashMap<String, usize>,
}

impl TitleCandidates {
    pub(super) fn new(page: &Page, metadata: &Metadata) -> TitleCandidates {
        let mut found = TitleCandidates::default();
        let documents = [
            (Source::Headline, &metadata.headline),
            (Source::Share, &metadata.og_title),
            (Source::Meta, &metadata.meta_headline),
            (Source::Document, &page.title),
        ];
        let declared_words: BTreeSet<String> =
            documents.iter().filter_map(|(_, text)| text.as_ref()).flat_map(|text| words(text)).collect();
        let tree = &page.tree;
        let named = |names: &'static [&str]| {
            let nodes =
                tree.node_ids().filter(move |&node| tree.tag(node).is_some_and(|tag| names.contains(&tag)));
            nodes.take(MOST_HEADINGS).enumerate()
        };
        for (number, node) in named(&["h1"]) {
            found.add_heading(page, node, number, Source::H1);
        }
        // Lower headings usually belong to other stories, unless the metadata repeat their words.
        let is_declared = |text: &str| {
            let words = words(text);
            let shared = words.iter().filter(|word| declared_words.contains(*word)).count();
            shared * 2 > words.len()
        };
        for (number, node) in named(&["h2", "h3", "h4"]) {
            if is_declared(&text_of(page, node)) {
                found.add_heading(page, node, number, Source::Heading);
            }
        }
        for (source, text) in documents {
            if let Some(text) = text {
                found.add_with_parts(source, &readable(&without_formatting(text)));
            }
        }
        found.add_texts(page);
        found
    }

    /// Adds a heading. If it has several texts, also its first and last one and the heading without these: a kicker or
    /// a date is often part of the heading.
    fn add_heading(&mut self, page: &Page, node: NodeId, number: usize, source: Source) {
        let texts = heading_texts(page, node);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let whole = texts.join(" ");
        let shown = Some((node, number));
        self.add_whole(source, &whole);
        self.add(&whole, Some(source), None, shown);
        if let [first, middle @ .., last] = texts.as_slice() {
            let without_first = [middle, &[*last]].concat().join(" ");
            let without_last = [&[*first], middle].concat().join(" ");
            for part in [&without_first, &without_last, *first, *last] {
                self.add(part, None, Some(source), shown);
            }
        }
        self.add_parts(source, &whole, shown);
    }

    fn add_with_parts(&mut self, source: Source, text: &str) {
        self.add_whole(source, text);
        self.add(text, Some(source), None, None);
        self.add_parts(source, text, None);
    }

    fn add_parts(&mut self, source: Source, text: &str, shown: Option<(NodeId, usize)>) {
        let cuts = cut_points(text);
        for (at, from) in cuts.iter().enumerate() {
            for (until, to) in cuts.iter().enumerate().skip(at + 1) {
                let part = text.get(from.1..to.0).unwrap_or_default();
                if (at, until) != (0, cuts.len() - 1) {
                    self.add(part, None, Some(source), shown);
                }
                let candidate =
                    self.by_text.get(part.trim()).and_then(|candidate| self.all.get_mut(*candidate));
                if let Some(candidate) =
                    candidate.filter(|_| matches!(source, Source::Document | Source::Share))
                {
                    candidate.range = Some((at, until - 1, cuts.len() - 1));
                }
            }
        }
    }

    /// Texts of the page that some source contains.
    fn add_texts(&mut self, page: &Page) {
        let start = |text: &str| letters(&text.chars().take(MOST_SEARCHED).collect::<String>());
        let whole: Vec<String> = self.whole_texts.iter().map(|(_, text)| start(text)).collect();
        let is_declared = |short: &String| whole.iter().any(|whole| whole.contains(short));
        let mut number = 0;
        for leaf in page.leaves.iter().enumerate().filter(|(_, leaf)| !leaf.is_image).map(|(at, _)| at) {
            let text = page.leaves.text(leaf);
            if text.len() > MOST_BYTES || !is_longer_than_a_word(text) {
                continue;
            }
            // Checking the first word first is cheap, and rejects most texts.
            let first = text.split(' ').next().unwrap_or_default();
            if !is_declared(&letters(first)) {
                continue;
            }
            let text = readable(text);
            let short = letters(&text);
            if short.len() > 8 && is_declared(&short) {
                let node = page.leaves.get(leaf).parent;
                self.add(&text, Some(Source::Text), None, Some((node, number)));
                number += 1;
                if number == MOST_TEXTS {
                    break;
                }
            }
        }
    }

    fn add_whole(&mut self, source: Source, text: &str) {
        if !text.is_empty() {
            self.whole_texts.push((source, text.to_owned()));
        }
    }

    fn add(
        &mut self,
        text: &str,
        whole: Option<Source>,
        part: Option<Source>,
        shown: Option<(NodeId, usize)>,
    ) {
        let text = text.trim();
        let letters = letters(text);
        if letters.is_empty() || text.len() > MOST_BYTES {
            return;
        }
        let next = self.all.len();
        let at = *self.by_text.entry(text.to_owned()).or_insert(next);
        if at == next {
            let (sources, parts_of) = (BTreeSet::new(), BTreeSet::new());
            let words = words(text);
            self.all.push(TitleCandidate {
                text: text.to_owned(),
                letters,
                words,
                sources,
                parts_of,
                range: None,
                shown: None,
            });
        }
        if let Some(candidate) = self.all.get_mut(at) {
            candidate.sources.extend(whole);
            candidate.parts_of.extend(part);
            candidate.shown = candidate.shown.or(shown);
        }
    }
}

/// Whether a text has several words, or the letters of several in a script without spaces.
fn is_longer_than_a_word(text: &str) -> bool {
    text.contains(' ') || text.chars().filter(|&letter| is_unspaced(letter)).nth(UNSPACED_LETTERS).is_some()
}

/// Where a text may be cut: the end of a part, and the start of the next one; the text's own ends included.
pub(super) fn cut_points(text: &str) -> Vec<(usize, usize)> {
    let mut cuts = vec![(0, 0)];
    let spaced =
        SEPARATORS.iter().flat_map(|mark| text.match_indices(mark).map(|(at, mark)| (at, at + mark.len())));
    let bare = text.char_indices().filter(|(_, letter)| MARKS.contains(letter));
    let mut inner: Vec<(usize, usize)> =
        spaced.chain(bare.map(|(at, mark)| (at, at + mark.len_utf8()))).collect();
    inner.sort_unstable();
    for cut in inner {
        if cuts.last().is_some_and(|last| cut.0 >= last.1) && cuts.len() < MOST_PARTS {
            cuts.push(cut);
        }
    }
    cuts.push((text.len(), text.len()));
    cuts
}

fn text_of(page: &Page, node: NodeId) -> String {
    heading_texts(page, node).join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Timestamp;

    #[test]
    fn headings_and_parts_of_titles_are_candidates_once() {
        let page = crate::testing::page(
            "<title>Storm hits: a report | Weather - The Post</title>\
             <h1><span>Weather</span> <b>Storm hits: a report</b></h1><h2>Other news of today</h2><h2>Storm hits</h2>",
        );
        let found = TitleCandidates::new(&page, &Metadata::new(&page, Timestamp(0)));
        let storm = found.all.iter().find(|candidate| candidate.text == "Storm hits: a report").unwrap();
        assert_eq!(storm.parts_of, BTreeSet::from([Source::H1, Source::Document]));
        assert_eq!(storm.sources, BTreeSet::from([Source::Text]));
        assert!(storm.shown.is_some());
        let texts: Vec<&str> = found.all.iter().map(|candidate| candidate.text.as_str()).collect();
        for wanted in ["Weather Storm hits: a report", "Storm hits", "The Post", "Weather - The Post"] {
            assert!(texts.contains(&wanted), "{texts:?}");
        }
        assert!(!texts.contains(&"Other news of today"), "no title tells of it");
    }
}
