//! The measures of a name that may be an author's.

use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::candidates::{NameCandidate, NameMention, name_key, write_key};
use super::credits::Source;
use super::names::{SiteNames, is_name, is_syllable};
use super::places::CreditPlace;
use super::words::Word;
use crate::Page;
use crate::extract::metadata::Metadata;
use crate::extract::runs::Runs;
use crate::extract::surroundings::Surroundings;
use crate::extract::visible::Visible;
use crate::measures::{self, LowerCase, MeasureSink};
use crate::reading::NodeId;
use crate::time::Timestamp;

/// Longest text that is compared with names, in bytes.
const MOST_BYTES: usize = 90;
/// Letters before a name in its line that are read.
const BEFORE: usize = 40;
/// How many elements from a name upwards make up the form of its markup.
const FORM_LEVELS: usize = 4;
/// Words before names of other people than the author: photographers, editors, translators.
const OTHER_ROLES: [(&str, &[&str]); 4] = [
    ("picture", &["photo", "image", "illustration", "foto", "bild", "fotó", "picture", "graphic"]),
    ("edit", &["edit", "redig", "redak"]),
    ("review", &["review", "fact", "check", "approved"]),
    ("update", &["updat", "modif", "translat", "aktualis"]),
];
/// Letters that a syllable counts for.
const LETTERS: f32 = 3.0;
/// Share of capitals in names of scripts without case: that of common names of two words.
const CAPITALS: f32 = 0.17;
/// The value where there is nothing to measure.
const NOTHING: f32 = -1.0;

/// The data of a page that all its names are measured against.
pub(super) struct AuthorContext<'a> {
    page: &'a Page,
    surroundings: &'a Surroundings<'a>,
    site: &'a SiteNames,
    candidates: &'a [NameCandidate],
    /// The first leaf that is exactly a name, and how many are.
    shown: FxHashMap<&'a str, (usize, usize)>,
    /// Words of names that the page also writes small, and those of its title.
    lower_case_words: FxHashSet<&'a str>,
    title: HashSet<String>,
    /// Long texts.
    texts: Vec<&'a str>,
    /// How many names each source gives.
    counts: [usize; Source::ALL.len()],
    /// The most trusted source that gives any name, and the most trusted one that gives a name other than the site's.
    first: Option<Source>,
    first_person: Option<Source>,
    /// How many names are not the site's, and how many have a writer's label.
    persons: usize,
    labelled: usize,
    /// By the form of the markup around a name: the first line with that form, and how many names have it.
    twins: FxHashMap<u64, (usize, usize)>,
    /// By candidate.
    places: &'a [CreditPlace],
}

impl<'a> AuthorContext<'a> {
    pub(super) fn new(
        page: &'a Page,
        metadata: &'a Metadata,
        surroundings: &'a Surroundings<'a>,
        candidates: &'a [NameCandidate],
        places: &'a [CreditPlace],
    ) -> AuthorContext<'a> {
        let shown = find_shown(page, candidates);
        let words: FxHashSet<&str> = shown.keys().flat_map(|key| key.split(' ')).collect();
        let leaves = || page.leaves.iter().enumerate().filter(|(_, leaf)| !leaf.is_image);
        let texts = leaves().map(|(at, _)| page.leaves.text(at));
        let tokens = texts.clone().flat_map(|text| text.split(|letter: char| !letter.is_alphanumeric()));
        let lower_case_words = tokens.filter_map(|token| words.get(token).copied()).collect();
        let texts = texts.filter(|text| text.len() > MOST_BYTES).collect();
        let title = name_key(page.title.as_deref().unwrap_or_default());
        let title = title.split(' ').map(str::to_owned).collect();
        let says = |candidate: &NameCandidate, source| {
            candidate.mentions.iter().any(|mention| mention.source == source)
        };
        let count = |source| candidates.iter().filter(|candidate| says(candidate, source)).count();
        let counts = Source::ALL.map(count);
        let first =
            Source::ALL.into_iter().zip(counts).find(|(_, count)| *count > 0).map(|(source, _)| source);
        let site = &metadata.site;
        let is_person =
            |candidate: &&NameCandidate| is_name(&candidate.name) && !site.is_own(&candidate.name);
        let persons = candidates.iter().filter(is_person);
        let first_person =
            persons.clone().flat_map(|person| &person.mentions).map(|mention| mention.source).min();
        let persons = persons.count();
        let is_labelled =
            |candidate: &&NameCandidate| candidate.mentions.iter().any(|mention| mention.is_labelled);
        let labelled = candidates.iter().filter(is_labelled).count();
        let twins = find_twins(page, candidates);
        AuthorContext {
            page,
            surroundings,
            labelled,
            twins,
            places,
            site,
            candidates,
            shown,
            lower_case_words,
            title,
            texts,
            counts,
            first,
            first_person,
            persons,
        }
    }
}

/// The forms of the markup around names, each with its first line and the number of names that have it. Bylines of other
/// articles in a list have the same form, those of one article are close together.
fn find_twins(page: &Page, candidates: &[NameCandidate]) -> FxHashMap<u64, (usize, usize)> {
    let mut twins: FxHashMap<u64, (usize, usize)> = FxHashMap::default();
    for candidate in candidates {
        let mut forms: Vec<u64> = Vec::new();
        for mention in &candidate.mentions {
            let Some(node) = mention.node else { continue };
            let form = form_around(page, node);
            let line = mention.line.unwrap_or(0);
            let (first, count) = twins.entry(form).or_insert((line, 0));
            *first = line.min(*first);
            if !forms.contains(&form) {
                forms.push(form);
                *count += 1;
            }
        }
    }
    twins
}

/// The tags and classes of a node and those right above it.
fn form_around(page: &Page, node: NodeId) -> u64 {
    let mut hasher = FxHasher::default();
    for node in std::iter::once(node).chain(page.tree.ancestors(node)).take(FORM_LEVELS) {
        page.tree.tag(node).hash(&mut hasher);
        page.tree.attr(node, "class").hash(&mut hasher);
    }
    hasher.finish()
}

/// The first leaf that is exactly each name, and how many are.
fn find_shown<'a>(page: &Page, candidates: &'a [NameCandidate]) -> FxHashMap<&'a str, (usize, usize)> {
    let keys = || candidates.iter().map(|candidate| candidate.key.as_str());
    let mut shown: FxHashMap<&str, (usize, usize)> = keys().map(|key| (key, (usize::MAX, 0))).collect();
    // Most leaves begin with another word than any name, and are done with then.
    let first_words: FxHashSet<&str> = keys().filter_map(|key| key.split(' ').next()).collect();
    let mut scratch = String::new();
    for (at, leaf) in page.leaves.iter().enumerate() {
        let text = page.leaves.text(at);
        if leaf.is_image || text.len() > MOST_BYTES {
            continue;
        }
        let mut words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        let Some(first) = words.next() else { continue };
        write_key(first, &mut scratch);
        if !first_words.contains(scratch.as_str()) {
            continue;
        }
        write_key(text, &mut scratch);
        if let Some((first, count)) = shown.get_mut(scratch.as_str()) {
            *first = at.min(*first);
            *count += 1;
        }
    }
    shown
}

/// The names of the measures.
pub(super) fn measure_names() -> &'static [String] {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let Some(page) = measures::sample_page() else { return Vec::new() };
        let metadata = Metadata::new(&page, Timestamp(0));
        let runs = Runs::new(&page);
        let surroundings = Surroundings::new(&page, &Visible::new(&page, &runs, None));
        let mention = NameMention {
            source: Source::By,
            number: 0,
            part: 0,
            parts: 1,
            is_cut: false,
            says_by: false,
            is_labelled: false,
            is_other: false,
            is_newsroom: false,
            node: None,
            line: None,
        };
        let candidates = [NameCandidate { name: "One".into(), key: "one".into(), mentions: vec![mention] }];
        let places = [CreditPlace::default()];
        let context = AuthorContext::new(&page, &metadata, &surroundings, &candidates, &places);
        measures::measure_names(|sink| measure_name(&candidates[0], &places[0], &context, sink))
    });
    &NAMES
}

/// Measures one name.
pub(super) fn measure_name(
    candidate: &NameCandidate,
    place: &CreditPlace,
    context: &AuthorContext<'_>,
    sink: &mut impl MeasureSink,
) {
    measure_sources(candidate, context, sink);
    measure_spelling(candidate, context, sink);
    measure_place(candidate, context, sink);
    measure_byline(place, context, sink);
}

/// Which sources give it.
fn measure_sources(candidate: &NameCandidate, context: &AuthorContext<'_>, sink: &mut impl MeasureSink) {
    let mentions = &candidate.mentions;
    for (source, count) in Source::ALL.into_iter().zip(context.counts) {
        let name = LowerCase(source);
        let first = mentions.iter().find(|mention| mention.source == source);
        let number = |pick: fn(&NameMention) -> usize| first.map_or(NOTHING, |mention| pick(mention) as f32);
        sink.add(format_args!("{name} says"), number(|mention| mention.number));
        sink.add(format_args!("part of {name}"), number(|mention| mention.part));
        sink.add(format_args!("parts of {name}"), number(|mention| mention.parts));
        sink.add(format_args!("names of {name}"), count as f32);
    }
    let mut sources: Vec<Source> = mentions.iter().map(|mention| mention.source).collect();
    sources.sort_unstable();
    sources.dedup();
    sink.add("sources", sources.len() as f32);
    sink.add("times said", mentions.len() as f32);
    let best = sources.first().map_or(NOTHING, |source| *source as u8 as f32);
    sink.add("best source", best);
    sink.add("best of page", context.first.map_or(NOTHING, |first| best - first as u8 as f32));
    sink.add("best of persons", context.first_person.map_or(NOTHING, |first| best - first as u8 as f32));
    sink.add("persons", context.persons as f32);
    sink.flag("is cut", mentions.iter().all(|mention| mention.is_cut));
    sink.flag("says by", mentions.iter().any(|mention| mention.says_by));
    sink.flag("is labelled", mentions.iter().any(|mention| mention.is_labelled));
    sink.flag("is other", mentions.iter().all(|mention| mention.is_other));
    sink.flag("is ever other", mentions.iter().any(|mention| mention.is_other));
    sink.flag("is newsroom", mentions.iter().all(|mention| mention.is_newsroom));
    sink.add("labelled", context.labelled as f32);
    sink.flag("is alone", mentions.iter().any(|mention| mention.parts == 1));
    let first = mentions.iter().map(|mention| mention.part).min().unwrap_or(0);
    sink.add("part", first as f32);
    sink.add("candidates", context.candidates.len() as f32);
}

/// How it is written, and what other candidates hold of it.
fn measure_spelling(candidate: &NameCandidate, context: &AuthorContext<'_>, sink: &mut impl MeasureSink) {
    let NameCandidate { name, key, .. } = candidate;
    let words: Vec<&str> = name.split_whitespace().collect();
    let share = |count: usize| count as f32 / words.len().max(1) as f32;
    let letters = name.chars().filter(|letter| letter.is_alphabetic()).count();
    // Names in all scripts are measured alike: three syllables are two words, and letters without case are right.
    let syllables = name.chars().filter(|&letter| is_syllable(letter)).count();
    let is_dense = 2 * syllables > letters;
    let size = |letters: usize| if is_dense { letters as f32 * LETTERS } else { letters as f32 };
    sink.add("words", if is_dense { words.len() as f32 + 1.0 } else { words.len() as f32 });
    sink.add("letters", size(letters));
    sink.add("longest word", size(words.iter().map(|word| word.chars().count()).max().unwrap_or(0)));
    let is_capital = |letter: char| letter.is_alphabetic() && !letter.is_lowercase();
    let bare = words.iter().filter(|word| !is_small_particle(word));
    let capitals = bare.clone().filter(|word| word.starts_with(is_capital)).count();
    sink.add("capital words", capitals as f32 / bare.count().max(1) as f32);
    let is_small = |word: &&&str| word.starts_with(char::is_lowercase) && !is_small_particle(word);
    sink.add("small words", share(words.iter().filter(is_small).count()));
    sink.add("particles", words.iter().filter(|word| is_small_particle(word)).count() as f32);
    let cased = |test: fn(char) -> bool| name.chars().filter(|&letter| test(letter)).count() as f32;
    let (large, small) = (cased(char::is_uppercase), cased(char::is_lowercase));
    sink.add("capitals", if large + small > 0.0 { large / (large + small) } else { CAPITALS });
    sink.flag("digits", name.chars().any(|letter| letter.is_ascii_digit()));
    let others = name.chars().filter(|letter| !letter.is_alphanumeric() && !letter.is_whitespace()).count();
    sink.add("marks", others as f32);
    sink.flag(
        "address",
        name.contains(['@', '=', '<', '{']) || name.contains("://") || name.contains("www."),
    );
    sink.flag("is name", is_name(name));
    sink.flag("is site", context.site.is_own(name));
    let share_of = |test: &dyn Fn(&str) -> bool| {
        key.split(' ').filter(|word| test(word)).count() as f32 / key.split(' ').count().max(1) as f32
    };
    sink.add("written small", share_of(&|word| context.lower_case_words.contains(word)));
    sink.add("in title", share_of(&|word| context.title.contains(word)));
    let mentions = || context.texts.iter().filter(|text| text.contains(name.as_str()));
    sink.add("mentions", mentions().count() as f32);
    sink.add("begins texts", mentions().filter(|text| text.starts_with(name.as_str())).count() as f32);
    let is_other = |other: &&NameCandidate| other.key != *key;
    let others = || context.candidates.iter().filter(is_other);
    sink.add("in others", others().filter(|other| other.key.contains(key.as_str())).count() as f32);
    sink.add("others in it", others().filter(|other| key.contains(other.key.as_str())).count() as f32);
}

/// Whether a word is a small word of names, written small: "van der".
fn is_small_particle(word: &str) -> bool {
    word.starts_with(char::is_lowercase) && Word::new(word).is_particle()
}

/// Where it is shown.
fn measure_place(candidate: &NameCandidate, context: &AuthorContext<'_>, sink: &mut impl MeasureSink) {
    let AuthorContext { page, surroundings, .. } = context;
    let (first, count) = context.shown.get(candidate.key.as_str()).copied().unwrap_or((usize::MAX, 0));
    let leaf = (first < page.leaves.len()).then_some(first);
    let shown = leaf.map(|leaf| page.leaves.get(leaf).node);
    let credited = candidate.mentions.iter().filter_map(|mention| mention.node).min();
    let node = credited.or(shown);
    sink.add("times shown", count as f32);
    surroundings.measure(node, sink);
    sink.add("leaf from headline", surroundings.lines_after_headline(shown));
    let text = node.and_then(|node| surroundings.line(node)).map_or("", |line| line.text.as_str());
    let at = text.find(candidate.name.as_str());
    sink.add("place in line", at.map_or(NOTHING, |at| at as f32));
    sink.add("line behind", at.map_or(NOTHING, |at| (text.len() - at - candidate.name.len()) as f32));
    sink.flag("line has digits", text.chars().any(|letter| letter.is_ascii_digit()));
    let before = at.map_or("", |at| &text[..at]);
    let from = before.char_indices().rev().nth(BEFORE - 1).map_or(0, |(from, _)| from);
    let head = before[from..].to_lowercase();
    for (what, words) in OTHER_ROLES {
        sink.flag(format_args!("{what} before"), words.iter().any(|word| head.contains(word)));
    }
    let twins = candidate.mentions.iter().filter_map(|mention| {
        let (first, count) = context.twins.get(&form_around(page, mention.node?))?;
        Some((mention.line.unwrap_or(0).saturating_sub(*first), *count))
    });
    let (lines, twins) =
        twins.min().map_or((NOTHING, NOTHING), |(lines, count)| (lines as f32, count as f32));
    sink.add("lines behind twin", lines);
    sink.add("twins", twins);
    let link = leaf.and_then(|leaf| page.leaves.link(leaf));
    sink.flag("is link", link.is_some());
}

/// Which title it belongs to, and whether a date is beside it.
fn measure_byline(place: &CreditPlace, context: &AuthorContext<'_>, sink: &mut impl MeasureSink) {
    let count = |count: Option<usize>| count.map_or(NOTHING, |count| count as f32);
    let own = place.from_headline;
    let others = context.places.iter().filter_map(|place| place.from_headline);
    sink.add("names nearer", count(own.map(|own| others.filter(|other| *other < own).count())));
    sink.add("byline from headline", count(own));
    sink.add("levels to headline", count(place.levels_to_headline));
    sink.add("levels to other title", count(place.levels_to_other_title));
    sink.flag("is of other article", place.is_of_other_article());
    sink.flag("behind date", place.is_behind_date);
    sink.flag("before date", place.is_before_date);
}
