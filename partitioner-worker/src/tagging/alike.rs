//! Labels that look like the site's other labels (the print's path-consistent labelling, `[SP §5]`, over a site).
//!
//! An attribute that few pages have does not recur; but it is dressed as those that do. A style is the
//! path of a leaf with the classes of the two elements over it. Where nearly all beginnings of lines in one
//! style are labels, and labels of several names, the others are labels, too.

use std::collections::{BTreeMap, BTreeSet};

use super::labels::{Kind, Label};
use super::reading::Reading;

/// Labels of different names that make a style a label's.
const NAMES: usize = 3;
/// Characters of a label that only its style shows at most.
const LENGTH: usize = 60;

/// How a style is used: beginnings of lines that are labels, their names, and all.
#[derive(Default)]
struct Use {
    labels: usize,
    names: BTreeSet<String>,
    all: usize,
}

/// Adds the labels that only their style shows.
pub(super) fn take_alike(readings: &mut [Reading<'_>]) {
    let mut styles: BTreeMap<String, Use> = BTreeMap::new();
    for reading in readings.iter() {
        let labelled = reading.labelled();
        for (_, leaf) in beginnings(reading) {
            let own = styles.entry(style(reading, leaf)).or_default();
            own.all += 1;
            if labelled[leaf] {
                own.labels += 1;
                own.names.insert(reading.page.leaves.text(leaf).to_lowercase());
            }
        }
    }
    styles.retain(|_, own| own.names.len() >= NAMES && 4 * own.labels >= 3 * own.all);
    for reading in readings {
        let labelled = reading.labelled();
        let is_alike = |leaf: usize| {
            !labelled[leaf]
                && reading.facts[leaf].length <= LENGTH
                && styles.contains_key(&style(reading, leaf))
        };
        let found = beginnings(reading).filter(|&(_, leaf)| is_alike(leaf)).map(|(line, leaf)| {
            let is_last =
                !(leaf + 1..reading.lines[line].leaves.end).any(|leaf| reading.facts[leaf].has_words);
            let kind = if is_last { Kind::Block } else { Kind::Inline };
            Label { leaves: leaf..leaf + 1, line, kind }
        });
        let found = found.collect();
        reading.add_labels(found);
    }
}

/// The first leaf with words of each line of matter under the page's heading.
fn beginnings<'a>(reading: &'a Reading<'_>) -> impl Iterator<Item = (usize, usize)> + use<'a> {
    let first = reading.top.as_ref().map_or(0, |top| top.subtitles.end);
    (first..reading.lines.len()).filter_map(|line| {
        let mut leaves = reading.lines[line].leaves.clone();
        let leaf = leaves.find(|&leaf| reading.facts[leaf].has_words && reading.is_matter(leaf))?;
        Some((line, leaf))
    })
}

fn style(reading: &Reading<'_>, leaf: usize) -> String {
    let (tree, leaves) = (&reading.page.tree, &reading.page.leaves);
    let own = leaves.get(leaf);
    let class = |node| tree.attr(node, "class").unwrap_or_default();
    let above = tree.parent(own.parent).map(class).unwrap_or_default();
    format!("{}|{}|{above}", leaves.path_string(tree, own.path), class(own.parent))
}
