//! Labels and their style over a site: labels of one style have one role (path-consistent labelling, `[SP §5]`).
//!
//! A text that varies from page to page is a value, not an attribute. If most labels of one style are on one page only,
//! they are content (headlines of stories, names of entries) and not labels. Conversely, an attribute that few
//! pages have does not recur, but it has the style of those that do. The style of a leaf is its path with the
//! classes of the two elements above it. If nearly all line beginnings of one style are labels, with several
//! names, the others are labels, too.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::labels::{LabelKind, PageLabel};
use super::reading::PageReading;

/// Least number of different names for which a style is that of labels.
const NAMES: usize = 3;
/// Longest label that only its style shows, in characters.
const LENGTH: usize = 60;

/// How a style is used: the number of line beginnings that are labels, their names, and the number of all.
#[derive(Default)]
struct StyleUse {
    labels: usize,
    names: BTreeSet<String>,
    all: usize,
}

/// Drops block labels that are on their page alone if most labels of their style are. Labels with a colon stay:
/// the colon is evidence enough.
pub(super) fn drop_varying_labels(readings: &mut [PageReading<'_>]) {
    let text = |reading: &PageReading<'_>, label: &PageLabel| {
        reading.page.leaves.text(label.leaves.start).to_lowercase()
    };
    let mut pages: HashMap<String, usize> = HashMap::new();
    for reading in readings.iter() {
        let own: HashSet<String> = reading.labels.iter().map(|label| text(reading, label)).collect();
        own.into_iter().for_each(|text| *pages.entry(text).or_default() += 1);
    }
    let may_vary = |reading: &PageReading<'_>, label: &PageLabel| {
        label.kind == LabelKind::Block && !label.leaves.clone().any(|leaf| reading.facts[leaf].ends_in_colon)
    };
    // By style: labels on their page alone, and all labels.
    let mut styles: HashMap<String, (usize, usize)> = HashMap::new();
    for reading in readings.iter() {
        for label in reading.labels.iter().filter(|label| may_vary(reading, label)) {
            let own = styles.entry(leaf_style(reading, label.leaves.start)).or_default();
            own.0 += usize::from(pages[&text(reading, label)] < 2);
            own.1 += 1;
        }
    }
    for reading in readings {
        let is_content = |label: &PageLabel| {
            let (alone, all) =
                styles.get(&leaf_style(reading, label.leaves.start)).copied().unwrap_or_default();
            may_vary(reading, label) && pages[&text(reading, label)] < 2 && 2 * alone > all
        };
        let labels = reading.labels.iter().filter(|label| !is_content(label)).cloned().collect();
        reading.labels = labels;
    }
}

/// Adds the labels that only their style shows.
pub(super) fn add_labels_by_style(readings: &mut [PageReading<'_>]) {
    let mut styles: BTreeMap<String, StyleUse> = BTreeMap::new();
    for reading in readings.iter() {
        let labelled = reading.labelled_leaves();
        for (_, leaf) in line_beginnings(reading) {
            let own = styles.entry(leaf_style(reading, leaf)).or_default();
            own.all += 1;
            if labelled[leaf] {
                own.labels += 1;
                own.names.insert(reading.page.leaves.text(leaf).to_lowercase());
            }
        }
    }
    // Keep the styles that nearly only labels have.
    styles.retain(|_, own| own.names.len() >= NAMES && 4 * own.labels >= 3 * own.all);
    for reading in readings {
        let labelled = reading.labelled_leaves();
        let is_alike = |leaf: usize| {
            !labelled[leaf]
                && reading.facts[leaf].length <= LENGTH
                && styles.contains_key(&leaf_style(reading, leaf))
        };
        let found = line_beginnings(reading).filter(|&(_, leaf)| is_alike(leaf)).map(|(line, leaf)| {
            let is_last =
                !(leaf + 1..reading.lines[line].leaves.end).any(|leaf| reading.facts[leaf].has_words);
            let kind = if is_last { LabelKind::Block } else { LabelKind::Inline };
            PageLabel { leaves: leaf..leaf + 1, line, kind }
        });
        let found = found.collect();
        reading.add_labels(found);
    }
}

/// Below the page's heading, each line with its first leaf that has words and is content.
fn line_beginnings<'a>(reading: &'a PageReading<'_>) -> impl Iterator<Item = (usize, usize)> + use<'a> {
    let first = reading.heading.as_ref().map_or(0, |heading| heading.subtitles.end);
    (first..reading.lines.len()).filter_map(|line| {
        let mut leaves = reading.lines[line].leaves.clone();
        let leaf = leaves.find(|&leaf| reading.facts[leaf].has_words && reading.is_content(leaf))?;
        Some((line, leaf))
    })
}

fn leaf_style(reading: &PageReading<'_>, leaf: usize) -> String {
    let (tree, leaves) = (&reading.page.tree, &reading.page.leaves);
    let own = leaves.get(leaf);
    let class = |node| tree.attr(node, "class").unwrap_or_default();
    let above = tree.parent(own.parent).map(class).unwrap_or_default();
    format!("{}|{}|{above}", leaves.path_string(tree, own.path), class(own.parent))
}
