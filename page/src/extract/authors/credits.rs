//! The texts of a page that may name authors: those in the markup, and those that readers see near the headline.

use super::bylines::{self, says_by};
use super::names::{SiteNames, is_name, is_syllable};
use crate::Page;
use crate::extract::cldr::Language;
use crate::extract::properties::says_property;
use crate::extract::runs::Run;
use crate::extract::threads::Threads;
use crate::extract::visible::Visible;
use crate::reading::NodeId;
use crate::text::letters;

/// Most elements of a kind, and most texts in one of them.
const MOST_ELEMENTS: usize = 12;
const MOST_TEXTS: usize = 8;
/// Most texts that begin with "by", and most that look like a name.
const MOST_BYLINES: usize = 8;
/// Longest byline, in bytes.
const MOST_BYTES: usize = 200;
/// Most words of a byline, and of a text that is but a name.
const LINE_WORDS: f32 = 16.0;
const NAME_WORDS: usize = 4;
/// How many syllables are but a name.
const SYLLABLES: std::ops::RangeInclusive<usize> = 2..=6;
/// Parts of class names that mark bylines.
const BYLINES: [&str; 8] =
    ["byline", "author", "autor", "auteur", "writer", "reporter", "journalist", "contributor"];
/// Path segments before the name of an author.
const AUTHOR_PATHS: [&str; 22] = [
    "author",
    "authors",
    "autor",
    "autoren",
    "autores",
    "autore",
    "auteur",
    "auteurs",
    "people",
    "person",
    "staff",
    "contributor",
    "contributors",
    "profile",
    "profiles",
    "writer",
    "writers",
    "reporter",
    "reporters",
    "byline",
    "columnist",
    "columnists",
];

/// Where an author is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::extract) enum Source {
    /// The `author` of an article in JSON-LD, and its `creator`.
    Author,
    Creator,
    /// Any person in JSON-LD.
    Person,
    /// Metas of programs that ask for a name, and those that often hold something else.
    Meta,
    WeakMeta,
    Rel,
    Microdata,
    /// Class names.
    Class,
    /// The address of a link, which names a kind of page, or the name itself.
    Link,
    Slug,
    /// A text that begins with "by".
    By,
    /// A text near the headline that looks like a name.
    Near,
}

impl Source {
    pub(super) const ALL: [Source; 12] = [
        Source::Author,
        Source::Creator,
        Source::Person,
        Source::Meta,
        Source::WeakMeta,
        Source::Rel,
        Source::Microdata,
        Source::Class,
        Source::Link,
        Source::Slug,
        Source::By,
        Source::Near,
    ];

    /// The name of the witness in an article's evidence.
    pub(super) fn witness(self) -> &'static str {
        match self {
            Source::Author | Source::Creator | Source::Person => "json-ld",
            Source::Meta | Source::WeakMeta => "meta",
            Source::Rel => "rel-author",
            Source::Microdata => "microdata",
            Source::Class => "byline",
            Source::Link | Source::Slug => "author-link",
            Source::By | Source::Near => "text",
        }
    }
}

/// A text that may name authors.
#[derive(Clone, Debug)]
pub(in crate::extract) struct Credit {
    pub(in crate::extract) source: Source,
    pub(in crate::extract) text: String,
    /// The element that shows it.
    pub(in crate::extract) node: Option<NodeId>,
}

/// The credits that a page shows.
pub(super) fn visible_credits(
    page: &Page,
    (site, language): (&SiteNames, Option<Language>),
    visible: &Visible<'_>,
) -> Vec<Credit> {
    let mut found = Vec::new();
    let tree = &page.tree;
    for (source, nodes) in elements_by_source(page, visible.threads()) {
        add_credits(page, source, nodes.into_iter(), &mut found);
    }
    let runs = &visible.runs().runs;
    let is_line = |run: &&Run| run.words <= LINE_WORDS && run.text.len() <= MOST_BYTES;
    let bylines = runs.iter().filter(is_line).filter(|run| says_by(&run.text, language));
    let bylines = bylines.filter(|run| !visible.threads().hold(run.first)).take(MOST_BYLINES);
    let near = || visible.near_runs().map(|number| &runs[number]).filter(is_line);
    let linked = near().flat_map(|run| page.leaves.range_under(tree, run.block).take(MOST_TEXTS));
    let linked = linked.filter_map(|leaf| page.leaves.link(leaf)).filter(|&link| is_named_link(page, link));
    let mut links: Vec<NodeId> = linked.collect();
    links.dedup();
    add_credits(page, Source::Slug, links.into_iter(), &mut found);
    let names_somebody = |run: &&Run| {
        let parts = bylines::parts(&run.text, site, language);
        parts
            .iter()
            .any(|part| looks_like_name(&part.name) || part.whole.as_deref().is_some_and(looks_like_name))
    };
    let named = near().filter(names_somebody);
    let near = named.take(MOST_BYLINES);
    let credit = |source, run: &Run| Credit { source, text: run.text.clone(), node: Some(run.first) };
    found.extend(bylines.map(|run| credit(Source::By, run)));
    found.extend(near.map(|run| credit(Source::Near, run)));
    found
}

/// The elements that the markup marks as naming an author, by source. Readers' names are marked alike.
fn elements_by_source(page: &Page, threads: &Threads) -> [(Source, Vec<NodeId>); 4] {
    let tree = &page.tree;
    let mut found =
        [Source::Rel, Source::Microdata, Source::Class, Source::Link].map(|source| (source, Vec::new()));
    let has_word = |value: &str| value.split_whitespace().any(|word| word == "author");
    for node in tree.node_ids().filter(|&node| tree.is_html(node)) {
        let tag = tree.tag(node);
        for (name, value) in tree.attrs(node) {
            let (at, is_marked): (usize, &dyn Fn() -> bool) = match name {
                "rel" => (0, &|| has_word(value)),
                "itemprop" | "property" => (1, &|| says_property(tag, (name, value), "author")),
                "class" => (2, &|| tag != Some("body") && value.split_ascii_whitespace().any(is_byline)),
                "href" => (3, &|| tag == Some("a") && is_author_path(value)),
                _ => continue,
            };
            if found[at].1.len() < MOST_ELEMENTS && is_marked() && !threads.hold(node) {
                found[at].1.push(node);
            }
        }
    }
    found
}

/// Whether a class name holds one of [`BYLINES`].
fn is_byline(class: &str) -> bool {
    let class = class.as_bytes();
    let begins = |at: usize, word: &&str| {
        class.get(at..at + word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word.as_bytes()))
    };
    // The first two letters of each, without case.
    let may_begin = |letters: &[u8]| {
        matches!(
            [letters[0] | 0x20, letters[1] | 0x20],
            [b'a', b'u'] | [b'b', b'y'] | [b'c', b'o'] | [b'j', b'o'] | [b'r', b'e'] | [b'w', b'r']
        )
    };
    let starts = class.windows(2).enumerate().filter(|(_, letters)| may_begin(letters));
    starts.into_iter().any(|(at, _)| BYLINES.iter().any(|word| begins(at, word)))
}

/// Adds the texts of elements: each text alone, and all of an element joined.
fn add_credits(page: &Page, source: Source, nodes: impl Iterator<Item = NodeId>, found: &mut Vec<Credit>) {
    for node in nodes.take(MOST_ELEMENTS) {
        let leaves =
            page.leaves.range_under(&page.tree, node).filter(|&leaf| !page.leaves.get(leaf).is_image);
        let texts: Vec<&str> = leaves.take(MOST_TEXTS).map(|leaf| page.leaves.text(leaf)).collect();
        let whole = texts.join(" ");
        let mut add = |text: &str| {
            if !text.is_empty() && text.len() <= MOST_BYTES {
                found.push(Credit { source, text: text.to_owned(), node: Some(node) });
            }
        };
        add(&whole);
        if texts.len() > 1 {
            texts.iter().for_each(|text| add(text));
        }
        // Some elements give the name to machines only.
        add(page.tree.attr(node, "content").unwrap_or_default());
    }
}

fn is_author_path(href: &str) -> bool {
    let end = href.bytes().position(|byte| matches!(byte, b'?' | b'#')).unwrap_or(href.len());
    let mut parts = href[..end].trim_end_matches('/').rsplit('/').skip(1);
    parts.any(|part| AUTHOR_PATHS.iter().any(|name| name.eq_ignore_ascii_case(part)))
}

/// Whether a link's address ends with its text: `/team/ada-lovelace` for "Ada Lovelace".
fn is_named_link(page: &Page, node: NodeId) -> bool {
    let leaves = page.leaves.range_under(&page.tree, node);
    let text = leaves.map(|leaf| page.leaves.text(leaf)).collect::<Vec<_>>().join(" ");
    let href = page.tree.attr(node, "href").unwrap_or_default();
    let path = href.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let name = letters(&text);
    looks_like_name(&text)
        && name.chars().count() > 3
        && path.rsplit('/').next().is_some_and(|last| letters(last).starts_with(&name))
}

/// Whether a text is two to four words that each begin with a capital, or two to six syllables.
fn looks_like_name(text: &str) -> bool {
    let words = text.split_whitespace().count();
    let letters = text.chars().filter(|letter| letter.is_alphabetic());
    let is_dense = letters.clone().all(is_syllable) && SYLLABLES.contains(&letters.count());
    let is_short = (2..=NAME_WORDS).contains(&words) || is_dense;
    let capital = |word: &str| !word.starts_with(char::is_lowercase);
    is_short && is_name(text) && text.split_whitespace().filter(|word| word.len() > 3).all(capital)
}
