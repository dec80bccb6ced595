//! The measures of a text that may be the headline.

use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::super::metadata::Metadata;
use super::candidates::{Source, TitleCandidate, TitleCandidates};
use crate::Page;
use crate::contribution::labels::words;
use crate::measures::{self, MeasureSink};
use crate::reading::{NodeId, TagId};
use crate::text::{letters, words_of_prose};
use crate::time::Timestamp;

/// Words of a text that is prose.
const PROSE: f32 = 15.0;
/// Bytes of the shortest such text.
const LEAST_PROSE: usize = 29;
/// Enclosing elements that tell the purpose of a text.
const AROUND: [&str; 8] = ["header", "nav", "footer", "aside", "article", "main", "section", "li"];

/// Sources that are compared with each other.
const COMPARED_SOURCES: [Source; 4] = [Source::H1, Source::Headline, Source::Share, Source::Document];
/// Longest name of a site or section, or of several of them, in bytes of letters; most names of links, and of those to the
/// front page.
const MOST_NAME_BYTES: usize = 96;
const MOST_NAMES: usize = 4_000;
const MOST_HOME_NAMES: usize = 6;
/// More elements that look the same are not counted.
const MOST_ALIKE: usize = 50;

/// The tag and the class of an element.
type TagAndClass<'a> = (Option<TagId>, Option<&'a str>);

/// A source, the letters of its text, and the words of its text.
type SourceText = (Source, String, HashSet<String>);

/// The data of a page that all its candidates are measured against.
pub(super) struct TitleContext<'a> {
    page: &'a Page,
    texts: Vec<SourceText>,
    /// How alike each pair of [`COMPARED_SOURCES`] is, in their order.
    agreements: Vec<(Source, Source, f32)>,
    /// Words of the part of the URL's path that has the most of them.
    slug: HashSet<String>,
    pub(super) site_names: Vec<String>,
    /// What short links on the page are called: sections, for the most part.
    pub(super) link_names: HashSet<String>,
    host: String,
    h1s: usize,
    /// How many elements of the page look as those in which candidates are shown.
    similar_elements: FxHashMap<TagAndClass<'a>, usize>,
    /// How often each candidate's text is shown.
    shown: FxHashMap<&'a str, usize>,
    /// Numbers of the leaves that are prose.
    prose: Vec<usize>,
}

impl<'a> TitleContext<'a> {
    pub(super) fn new(
        page: &'a Page,
        metadata: &Metadata,
        candidates: &'a TitleCandidates,
    ) -> TitleContext<'a> {
        let whole = candidates.whole_texts.iter();
        let texts: Vec<SourceText> =
            whole.map(|(source, text)| (*source, letters(text), words(text).into_iter().collect())).collect();
        let path = page.url.path().trim_end_matches('/');
        // The slug: the part of the path that is written like a sentence.
        let longest = path.split('/').max_by_key(|part| part.matches(['-', '_', '+']).count());
        let slug =
            words(&longest.unwrap_or_default().replace(['-', '_', '+', '.'], " ")).into_iter().collect();
        let mut prose = Vec::new();
        let mut shown: FxHashMap<&str, usize> =
            candidates.all.iter().map(|candidate| (candidate.text.as_str(), 0)).collect();
        for at in 0..page.leaves.len() {
            let text = page.leaves.text(at);
            if let Some(count) = shown.get_mut(text) {
                *count += 1;
            }
            if text.len() >= LEAST_PROSE && page.leaves.link(at).is_none() && words_of_prose(text) >= PROSE {
                prose.push(at);
            }
        }
        // Only elements that look like a candidate's are counted, and the tag is compared before the class.
        let nodes = candidates.all.iter().filter_map(|candidate| candidate.shown);
        let mut similar_elements: FxHashMap<TagAndClass<'_>, usize> =
            nodes.map(|(node, _)| (tag_and_class(page, node), 0)).collect();
        let mut tags: Vec<Option<TagId>> = similar_elements.keys().map(|(tag, _)| *tag).collect();
        tags.sort_unstable();
        tags.dedup();
        let mut h1s = 0;
        for node in page.tree.node_ids() {
            let tag = page.tree.tag_id(node);
            h1s += usize::from(tag.is_some_and(|tag| page.tree.tag_name(tag) == "h1"));
            if tags.contains(&tag)
                && let Some(count) = similar_elements.get_mut(&tag_and_class(page, node))
            {
                *count += 1;
            }
        }
        let declared = metadata.site_name.iter().map(|name| letters(name)).filter(|name| !name.is_empty());
        let (of_home_links, link_names) = names_of_links(page);
        let host = letters(page.url.host().trim_start_matches("www."));
        let agreements = source_agreements(&texts);
        let site_names = declared.chain(of_home_links).collect();
        TitleContext {
            page,
            texts,
            agreements,
            slug,
            site_names,
            link_names,
            host,
            h1s,
            similar_elements,
            shown,
            prose,
        }
    }

    /// Whether letters are names of the site and its sections, one after another.
    fn are_names(&self, letters: &str) -> bool {
        let is_name = |part: &str| self.is_site(part) || self.link_names.contains(part);
        if letters.len() > MOST_NAME_BYTES {
            return false;
        }
        // Which ends of the text can be reached by whole names.
        let mut reached: Vec<usize> = vec![0];
        let ends = letters.char_indices().map(|(at, letter)| at + letter.len_utf8());
        for end in ends {
            if reached.iter().any(|&start| letters.get(start..end).is_some_and(is_name)) {
                reached.push(end);
            }
        }
        reached.last() == Some(&letters.len())
    }

    /// Whether letters are those of the site's name or part of its host's.
    fn is_site(&self, letters: &str) -> bool {
        letters.len() > 2
            && (self.host.contains(letters) || self.site_names.iter().any(|name| name == letters))
    }
}

/// The names of links to the site's front page, and those of all short links, as letters.
fn names_of_links(page: &Page) -> (Vec<String>, HashSet<String>) {
    let (mut of_home, mut all) = (Vec::new(), HashSet::new());
    for (at, leaf) in page.leaves.iter().enumerate() {
        let Some(link) = leaf.link else { continue };
        let text = page.leaves.text(at);
        if text.len() > MOST_NAME_BYTES || all.len() >= MOST_NAMES {
            continue;
        }
        let name = letters(text);
        if name.chars().nth(1).is_none() {
            continue;
        }
        if of_home.len() < MOST_HOME_NAMES && leads_home(page, link) && !of_home.contains(&name) {
            of_home.push(name.clone());
        }
        if !leaf.is_image {
            all.insert(name);
        }
    }
    (of_home, all)
}

/// Whether a link leads to the front page of the site, by its address alone.
fn leads_home(page: &Page, link: NodeId) -> bool {
    let href = page.tree.attr(link, "href").unwrap_or_default().trim();
    let path = match href.split_once("//") {
        Some((_, rest)) => {
            let Some(path) = rest.strip_prefix(page.url.host()) else { return false };
            path
        }
        None => href.strip_prefix('/').unwrap_or("-"),
    };
    path.trim_matches('/').is_empty()
}

/// How far each pair of sources agrees: 3 if a text of one has the letters of the other's, 2 if one is contained in the
/// other, 1 if neither, 0 if one of them has no text.
fn source_agreements(texts: &[SourceText]) -> Vec<(Source, Source, f32)> {
    let texts_of =
        |source| texts.iter().filter(move |(other, _, _)| *other == source).map(|(_, text, _)| text);
    let agreement_of = |a: &String, b: &String| match a == b {
        true => 3.0,
        false if a.contains(b.as_str()) || b.contains(a.as_str()) => 2.0,
        false => 1.0,
    };
    let pairs = COMPARED_SOURCES.iter().enumerate();
    let pairs =
        pairs.flat_map(|(at, one)| COMPARED_SOURCES.iter().skip(at + 1).map(move |other| (*one, *other)));
    let agreement = |one, other| {
        texts_of(one).flat_map(|a| texts_of(other).map(move |b| agreement_of(a, b))).fold(0.0, f32::max)
    };
    pairs.map(|(one, other)| (one, other, agreement(one, other))).collect()
}

fn tag_and_class(page: &Page, node: NodeId) -> TagAndClass<'_> {
    (page.tree.tag_id(node), page.tree.attr(node, "class"))
}

/// The names of the measures.
pub(super) fn measure_names() -> &'static [String] {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let Some(page) = measures::sample_page() else { return Vec::new() };
        let metadata = Metadata::new(&page, Timestamp(0));
        let candidates = TitleCandidates::new(&page, &metadata);
        let context = TitleContext::new(&page, &metadata, &candidates);
        candidates
            .all
            .first()
            .map(|first| measures::measure_names(|sink| measure_candidate(first, &context, sink)))
            .unwrap_or_default()
    });
    &NAMES
}

/// Measures one candidate.
pub(super) fn measure_candidate(
    candidate: &TitleCandidate,
    context: &TitleContext<'_>,
    sink: &mut impl MeasureSink,
) {
    measure_sources(candidate, context, sink);
    measure_spelling(candidate, context, sink);
    measure_place(candidate, context, sink);
}

/// Which sources give the text, and which share of their texts it is.
fn measure_sources(candidate: &TitleCandidate, context: &TitleContext<'_>, sink: &mut impl MeasureSink) {
    let own: HashSet<&String> = candidate.words.iter().collect();
    let share = |part: usize, of: usize| if of == 0 { 0.0 } else { part as f32 / of as f32 };
    for source in Source::ALL {
        let name = source.name();
        sink.flag(format_args!("says {name}"), candidate.sources.contains(&source));
        sink.flag(format_args!("part of {name}"), candidate.parts_of.contains(&source));
        if source == Source::Text {
            continue;
        }
        let texts = || context.texts.iter().filter(|(other, _, _)| *other == source);
        sink.add(format_args!("texts of {name}"), texts().count() as f32);
        let best =
            texts().max_by_key(|(_, _, words)| own.iter().filter(|word| words.contains(**word)).count());
        let shared = best.map_or(0, |(_, _, words)| own.iter().filter(|word| words.contains(**word)).count());
        sink.add(format_args!("words in {name}"), share(shared, own.len()));
        sink.add(
            format_args!("words of {name}"),
            best.map_or(-1.0, |(_, _, words)| share(shared, words.len())),
        );
        sink.flag(format_args!("letters of {name}"), texts().any(|(_, text, _)| *text == candidate.letters));
        // What the source has around the text: names of the site there speak for the text.
        let cut = texts().find_map(|(_, text, _)| text.split_once(candidate.letters.as_str()));
        sink.add(format_args!("before in {name}"), cut.map_or(-1.0, |(before, _)| before.len() as f32));
        sink.add(format_args!("behind in {name}"), cut.map_or(-1.0, |(_, behind)| behind.len() as f32));
        let is_rest_site = cut.is_some_and(|(before, behind)| {
            [before, behind].iter().any(|rest| context.is_site(rest))
                && [before, behind].iter().all(|rest| rest.is_empty() || context.is_site(rest))
        });
        sink.flag(format_args!("site beside in {name}"), is_rest_site);
        let is_rest_names = cut.is_some_and(|(before, behind)| {
            !(before.is_empty() && behind.is_empty())
                && context.are_names(before)
                && context.are_names(behind)
        });
        sink.flag(format_args!("names beside in {name}"), is_rest_names);
    }
    let shared = own.iter().filter(|word| context.slug.contains(**word)).count();
    sink.add("words in slug", share(shared, own.len()));
    sink.add("words of slug", share(shared, context.slug.len()));
    sink.add("slug", context.slug.len() as f32);
    let mine = candidate.letters.as_str();
    let count = |test: &dyn Fn(&str) -> bool| {
        let sources: BTreeSet<Source> =
            context.texts.iter().filter(|(_, text, _)| test(text)).map(|(source, _, _)| *source).collect();
        sources.len() as f32
    };
    sink.add("same letters", count(&|text| text == mine));
    sink.add("contained in", count(&|text| text.contains(mine)));
    sink.add("contains", count(&|text| mine.contains(text)));
    for (one, other, agreement) in &context.agreements {
        sink.add(format_args!("{} and {}", one.name(), other.name()), *agreement);
    }
    let part =
        |pick: fn((usize, usize, usize)) -> usize| candidate.range.map_or(-1.0, |range| pick(range) as f32);
    sink.add("first part", part(|(first, _, _)| first));
    sink.add("parts behind", part(|(_, last, all)| all - 1 - last));
    sink.add("parts of all", part(|(_, _, all)| all));
    sink.add("own parts", part(|(first, last, _)| last + 1 - first));
    sink.add("sources", candidate.sources.len() as f32);
    sink.add("parts", candidate.parts_of.len() as f32);
}

/// How it is written.
fn measure_spelling(candidate: &TitleCandidate, context: &TitleContext<'_>, sink: &mut impl MeasureSink) {
    let TitleCandidate { text, letters, words, .. } = candidate;
    sink.add("words", words.len() as f32);
    sink.add("letters", letters.chars().count() as f32);
    let cased = text.chars().filter(|letter| letter.is_alphabetic()).count().max(1);
    sink.add("capitals", text.chars().filter(|letter| letter.is_uppercase()).count() as f32 / cased as f32);
    sink.flag("is site", context.is_site(letters));
    sink.flag("are names", context.are_names(letters));
    let site = |test: &dyn Fn(&str) -> bool| {
        context.site_names.iter().any(|name| name.len() > 3 && name != letters && test(name))
    };
    sink.flag("begins with site", site(&|name| letters.starts_with(name)));
    sink.flag("ends with site", site(&|name| letters.ends_with(name)));
    sink.flag("ellipsis", text.ends_with('…') || text.ends_with("..."));
    sink.flag("ends with mark", text.ends_with([':', '-', '|', '–', ',']));
    sink.flag("begins with mark", text.starts_with(|letter: char| !letter.is_alphanumeric()));
    sink.flag("full stop", text.ends_with('.'));
    sink.add("bars", text.matches(['|', '»', '›', '·', '•']).count() as f32);
    sink.add(
        "dashes",
        [" - ", " – ", " — "].iter().map(|dash| text.matches(dash).count()).sum::<usize>() as f32,
    );
    sink.add("colons", text.matches(": ").count() as f32);
    sink.flag("domain", text.contains('.') && !text.contains(' '));
    sink.flag("small first", text.chars().next().is_some_and(char::is_lowercase));
}

/// Where it is shown.
fn measure_place(candidate: &TitleCandidate, context: &TitleContext<'_>, sink: &mut impl MeasureSink) {
    let (page, tree) = (context.page, &context.page.tree);
    let node = candidate.shown.map(|(node, _)| node);
    sink.flag("is shown", node.is_some());
    sink.add("h1s", context.h1s as f32);
    sink.add("number", candidate.shown.map_or(-1.0, |(_, number)| number as f32));
    let level = node.and_then(|node| tree.tag(node)?.strip_prefix('h')?.parse::<u8>().ok());
    sink.add("level", level.map_or(0.0, f32::from));
    let leaf = node.map(|node| page.leaves.range_under(tree, node).start);
    sink.add("at", leaf.map_or(-1.0, |leaf| leaf as f32));
    sink.add("at of all", leaf.map_or(-1.0, |leaf| leaf as f32 / page.leaves.len().max(1) as f32));
    let next =
        leaf.and_then(|leaf| context.prose.iter().find(|prose| **prose >= leaf).map(|prose| prose - leaf));
    sink.add("to prose", next.map_or(-1.0, |next| next as f32));
    let behind = leaf.map_or(0, |leaf| context.prose.iter().filter(|prose| **prose >= leaf).count());
    sink.add("prose behind", behind as f32 / context.prose.len().max(1) as f32);
    sink.add("times", context.shown.get(candidate.text.as_str()).copied().unwrap_or(0) as f32);
    let link = leaf.filter(|leaf| *leaf < page.leaves.len()).and_then(|leaf| page.leaves.link(leaf));
    sink.flag("link", link.is_some());
    let around: BTreeSet<&str> =
        node.into_iter().flat_map(|node| tree.ancestors(node)).filter_map(|node| tree.tag(node)).collect();
    for name in AROUND {
        sink.flag(format_args!("in {name}"), around.contains(name));
    }
    let similar_elements = node.and_then(|node| context.similar_elements.get(&tag_and_class(page, node)));
    sink.add("like it", similar_elements.map_or(0, |count| *count.min(&MOST_ALIKE)) as f32);
    let marks = |node: NodeId| {
        let values = ["class", "id", "itemprop"].iter().filter_map(move |name| tree.attr(node, name));
        values
            .flat_map(|value| value.split(|letter: char| !letter.is_alphanumeric()))
            .map(str::to_ascii_lowercase)
    };
    let says = |names: &[&str], node: Option<NodeId>| {
        node.is_some_and(|node| marks(node).any(|word| names.iter().any(|name| word.ends_with(name))))
    };
    let parent = node.and_then(|node| tree.parent(node));
    sink.flag("says headline", says(&["headline", "headlines"], node) || says(&["headline"], parent));
    sink.flag("says title", says(&["title", "titel", "titre", "titulo"], node) || says(&["title"], parent));
    sink.flag(
        "says site",
        says(&["site", "brand", "logo", "masthead", "blog"], node) || says(&["site", "logo"], parent),
    );
}
