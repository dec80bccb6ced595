//! A summary of a page's fields, with which other pages of the site are compared.
//!
//! It holds the page's values by source and place, as hashes: the texts that may be its title, the names that may be its
//! authors', the days that may be its own. It also holds the first line of each place, with the number of words that the
//! line shares with the page's prose, and the time zone of the page. Hashes are the same on every machine. Start at
//! [`FieldSummary::new`].

use std::collections::{BTreeSet, HashSet};

use serde::{Deserialize, Serialize};

use super::place::place_of_node;
use crate::Page;
use crate::contribution::labels::words;
use crate::extract::choice::Choice;
use crate::extract::hashes::{bytes_hash_32, text_hash_32};
use crate::extract::metadata::Metadata;
use crate::extract::runs::{Run, Runs};
use crate::extract::visible::Visible;
use crate::extract::zones::SiteZone;
use crate::extract::{authors, days, title};
use crate::reading::{NodeId, resolve};
use crate::time::Timestamp;

/// Pages are kept without the time of their fetching; no date on them is later than this.
const LATEST: Timestamp = Timestamp(4_102_444_800_000);
/// Most places of a page, and most values of a field at all sources.
const MOST_LINES: usize = 96;
const MOST_MARKS: usize = 48;
/// Most pictures of a page that are looked at.
const MOST_PICTURES: usize = 200;
/// Least width and height of a story's picture in pixels, if the page declares them.
const LEAST_SIZE: u32 = 60;
/// Words of a line that may be a headline, and from which sentences are prose that headlines are compared with.
const HEADLINE_WORDS: std::ops::RangeInclusive<f32> = 2.0..=25.0;
const PROSE_WORDS: f32 = 15.0;

/// The first line at a place: the place, its text, and how many of its words are in the page's prose; none if it is no
/// headline by its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PlaceLine(pub(super) u32, pub(super) u32, pub(super) u32);

/// A value of a field: the source and place, and the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct FieldMark(pub(super) u32, pub(super) u32);

/// A summary of a page's fields.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct FieldSummary {
    /// In page order.
    pub(super) lines: Vec<PlaceLine>,
    /// All texts that may be the title.
    pub(super) titles: BTreeSet<u32>,
    pub(super) authors: BTreeSet<FieldMark>,
    pub(super) days: BTreeSet<FieldMark>,
    /// An instant, in seconds, and the offset in which the page writes it.
    pub(super) zone: Option<(i64, i32)>,
    /// The picture that the metadata name.
    pub(super) image: Option<u32>,
    /// The first picture at each place.
    pub(super) pictures: BTreeSet<FieldMark>,
}

impl FieldSummary {
    pub(super) fn new(page: &Page, runs: &Runs) -> FieldSummary {
        let metadata = Metadata::new(page, LATEST);
        let titles = title::choices(page, &metadata);
        let title = title::decide(&titles).map(|found| found.value);
        let visible = Visible::new(page, runs, title.as_deref());
        let authors = authors::choices(page, &metadata, &visible);
        let (days, zone) = days::choices(page, &metadata, &visible, LATEST, &SiteZone::default());
        let marks = |choices: &[Choice]| -> BTreeSet<FieldMark> {
            let all = choices.iter().flat_map(|choice| marks_of(page, choice));
            all.take(MOST_MARKS).collect()
        };
        FieldSummary {
            lines: first_lines(page, runs).into_iter().map(|(_, line)| line).collect(),
            titles: titles.iter().take(MOST_MARKS).map(|choice| text_hash_32(&choice.key)).collect(),
            authors: marks(&authors),
            days: marks(&days),
            zone,
            image: metadata.image.as_ref().map(|image| bytes_hash_32(image.value.as_bytes())),
            pictures: first_pictures(page).into_iter().map(|(mark, _)| mark).collect(),
        }
    }
}

/// A mark for each source and place at which a value occurs.
pub(super) fn marks_of(page: &Page, choice: &Choice) -> impl Iterator<Item = FieldMark> {
    let value = bytes_hash_32(choice.key.as_bytes());
    choice.sources.iter().map(move |&(source, node)| FieldMark(source_and_place(page, source, node), value))
}

/// A hash of a source and the place of its node.
fn source_and_place(page: &Page, source: u8, node: Option<NodeId>) -> u32 {
    let place = node.map(|node| place_of_node(&page.tree, node)).unwrap_or_default();
    bytes_hash_32(format!("{source} {place}").as_bytes())
}

/// The first picture at each place, with its URL. Pictures in links or in boxes beside the story do not count.
pub(super) fn first_pictures(page: &Page) -> Vec<(FieldMark, String)> {
    let tree = &page.tree;
    let mut seen_places = HashSet::new();
    let mut found = Vec::new();
    for node in tree.node_ids().filter(|&node| tree.tag(node) == Some("img")).take(MOST_PICTURES) {
        let place = bytes_hash_32(place_of_node(tree, node).as_bytes());
        // Pictures of a point count visitors.
        let size = |name| tree.attr(node, name).and_then(|size| size.trim().parse::<u32>().ok());
        let is_tiny = ["width", "height"].into_iter().filter_map(size).any(|size| size < LEAST_SIZE);
        if is_tiny || tree.is_inside(node, &["a", "nav", "aside", "footer"]) || !seen_places.insert(place) {
            continue;
        }
        let web = |name: &&str| resolve(&page.base, tree.attr(node, name)?).map(String::from);
        let address = ["data-src", "src"].iter().filter_map(web).find(|address| address.starts_with("http"));
        found.extend(address.map(|address| (FieldMark(place, bytes_hash_32(address.as_bytes())), address)));
    }
    found.truncate(MOST_MARKS);
    found
}

/// The first line of each place with the number of its run, in page order.
pub(super) fn first_lines(page: &Page, runs: &Runs) -> Vec<(usize, PlaceLine)> {
    let is_prose = |run: &Run| run.is_prose() && run.words >= PROSE_WORDS;
    let prose: HashSet<String> =
        runs.runs.iter().filter(|run| is_prose(run)).flat_map(|run| words(&run.text)).collect();
    let mut seen_places = HashSet::new();
    let mut found = Vec::new();
    for (number, run) in runs.runs.iter().enumerate() {
        let place = bytes_hash_32(place_of_node(&page.tree, run.first).as_bytes());
        if !seen_places.insert(place) {
            continue;
        }
        let may_be_headline = HEADLINE_WORDS.contains(&run.words) && !run.is_mere_link() && !is_prose(run);
        let shared =
            || words(&run.text).into_iter().filter(|word| prose.contains(word)).collect::<HashSet<_>>().len();
        let shared = if may_be_headline { u32::try_from(shared()).unwrap_or(u32::MAX) } else { 0 };
        found.push((number, PlaceLine(place, text_hash_32(&run.text), shared)));
        if found.len() == MOST_LINES {
            break;
        }
    }
    found
}
