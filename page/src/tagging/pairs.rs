//! Attribute-value pairs: each label with the values that follow it.
//!
//! The value of an inline label is the rest of its line up to the next label. A label on a line of its own has
//! one value for each block of text below, up to the next such label. Inline labels in between keep their own
//! lines to themselves; what follows them belongs to the outer label again.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::reading::{NodeId, squash};

use super::labels::LabelKind;
use super::reading::PageReading;
use super::recurrence::label_end;

/// An attribute of a page's concept, with one value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Pair {
    /// The attribute's name, without its colon.
    pub label: String,
    /// The value's text with white space collapsed.
    pub value: String,
}

/// The pairs of a page in page order, without repetitions.
pub(super) fn label_value_pairs(reading: &PageReading<'_>) -> Vec<Pair> {
    let mut found: Vec<(usize, Pair)> = Vec::new();
    let mut in_value = vec![false; reading.facts.len()];
    for (label, leaves) in label_values(reading) {
        leaves.iter().for_each(|&leaf| in_value[leaf] = true);
        let first = leaves.first().copied().unwrap_or_default();
        let label = text_of_leaves(reading, reading.labels[label].leaves.clone());
        found.push((first, Pair { label, value: text_of_leaves(reading, leaves) }));
    }
    for leaf in (0..in_value.len())
        .filter(|&leaf| reading.holds_both[leaf] && !in_value[leaf] && reading.is_content(leaf))
    {
        found.extend(split_pair(reading.page.leaves.text(leaf)).map(|pair| (leaf, pair)));
    }
    found.sort_by_key(|(first, _)| *first);
    let mut seen: HashSet<Pair> = HashSet::new();
    let all = found
        .into_iter()
        .map(|(_, pair)| pair)
        .filter(|pair| !pair.label.is_empty() && !pair.value.is_empty());
    all.filter(|pair| seen.insert(pair.clone())).collect()
}

/// Splits a text that holds both label and value.
fn split_pair(text: &str) -> Option<Pair> {
    let (label, value) = text.split_at(label_end(text)?);
    let trim = |text: &str| text.trim_matches([':', '：', ' ']).to_owned();
    Some(Pair { label: trim(label), value: trim(value) })
}

/// Whether each leaf is part of a value.
pub(super) fn leaves_in_values(reading: &PageReading<'_>) -> Vec<bool> {
    let mut in_value = vec![false; reading.facts.len()];
    label_values(reading).into_iter().flat_map(|(_, leaves)| leaves).for_each(|leaf| in_value[leaf] = true);
    in_value
}

/// The values in page order, each as the index of its label and its leaves.
fn label_values(reading: &PageReading<'_>) -> Vec<(usize, Vec<usize>)> {
    let mut values: Vec<(usize, Vec<usize>)> = Vec::new();
    // `next` is the next label in page order, `open` the block label whose values are being read.
    let mut next_label = 0;
    let mut open_label: Option<usize> = None;
    // The last line of the value being read.
    let mut last: Option<usize> = None;
    for (number, line) in reading.lines.iter().enumerate() {
        let start = next_label;
        while reading.labels.get(next_label).is_some_and(|label| label.line == number) {
            next_label += 1;
        }
        if start < next_label {
            for at in start..next_label {
                let end = (at + 1 < next_label).then(|| reading.labels[at + 1].leaves.start);
                match reading.labels[at].kind {
                    LabelKind::Inline => values.push((
                        at,
                        (reading.labels[at].leaves.end..end.unwrap_or(line.leaves.end)).collect(),
                    )),
                    LabelKind::Block => open_label = Some(at),
                }
            }
            last = None;
        } else if is_cut(reading, number)
            || open_label.is_some_and(|label| !is_in_scope(reading, label, last, number))
        {
            (open_label, last) = (None, None);
        } else if let Some(label) = open_label {
            // Lines of one block continue a value; a new block, or a rule, begins the next one.
            let joins = last.is_some_and(|last| reading.lines[last].block == line.block && !line.is_ruled);
            match values.last_mut() {
                Some((_, leaves)) if joins => leaves.extend(line.leaves.clone()),
                _ => values.push((label, line.leaves.clone().collect())),
            }
            last = Some(number);
        }
    }
    for (_, leaves) in &mut values {
        leaves.retain(|&leaf| {
            reading.is_content(leaf) || !reading.facts[leaf].has_words || reading.facts[leaf].is_image
        });
    }
    values.retain(|(_, leaves)| {
        leaves.iter().any(|&leaf| reading.facts[leaf].has_words && !reading.facts[leaf].is_image)
    });
    values
}

/// Whether a line can hold values of a label above: those of a cell are in its table, those of a term in its
/// list of terms, those of a list item inside it. Values that began in a list without the label end with it.
fn is_in_scope(reading: &PageReading<'_>, label: usize, last: Option<usize>, line: usize) -> bool {
    let (tree, all) = (&reading.page.tree, &reading.page.leaves);
    let node = |line: usize| all.get(reading.lines[line].leaves.start).node;
    let nearest = |from: NodeId, tags: &[&str]| {
        tree.ancestors(from).find(|&node| tree.tag(node).is_some_and(|tag| tags.contains(&tag)))
    };
    let first = reading.labels[label].leaves.start;
    let item = reading.facts[first].item;
    let scope = item.and_then(|item| match tree.tag(item) {
        Some("td" | "th") => nearest(item, &["table"]),
        Some("dt" | "dd") => nearest(item, &["dl"]),
        _ => Some(item),
    });
    let is_list = |node: NodeId| matches!(tree.tag(node), Some("ul" | "ol" | "dl" | "menu"));
    let is_listed = |line: usize| {
        let label = all.get(first).node;
        tree.ancestors(node(line)).any(|above| is_list(above) && !tree.is_ancestor(above, label))
    };
    let left_list = last.is_some_and(is_listed) && !is_listed(line);
    !left_list && scope.is_none_or(|scope| tree.is_ancestor(scope, node(line)))
}

/// Whether the values of a label end before this line.
fn is_cut(reading: &PageReading<'_>, line: usize) -> bool {
    let mut worded =
        reading.lines[line].leaves.clone().filter(|&leaf| reading.facts[leaf].has_words).peekable();
    worded.peek().is_some() && worded.all(|leaf| !reading.is_content(leaf) && !reading.facts[leaf].is_image)
}

/// The text of some leaves as on the page: markup inside a value splits no words. Images before the first text
/// are left out.
fn text_of_leaves(reading: &PageReading<'_>, leaves: impl IntoIterator<Item = usize>) -> String {
    let (tree, all) = (&reading.page.tree, &reading.page.leaves);
    let mut text = String::new();
    let mut before: Option<usize> = None;
    for leaf in leaves.into_iter().skip_while(|&leaf| all.get(leaf).is_image) {
        if before.is_some_and(|before| is_parted(reading, before, leaf)) {
            text.push(' ');
        }
        text.push_str(tree.text(all.get(leaf).node).unwrap_or(all.text(leaf)));
        before = Some(leaf);
    }
    squash(&text).trim_matches([':', '：', ' ']).to_owned()
}

/// Whether white space, a break or the end of a line separates two leaves.
fn is_parted(reading: &PageReading<'_>, before: usize, after: usize) -> bool {
    let (tree, all) = (&reading.page.tree, &reading.page.leaves);
    let (from, to) = (all.get(before).node.index(), all.get(after).node.index());
    let line = reading.lines.partition_point(|line| line.leaves.end <= before);
    let between = || (from + 1..to).filter_map(|index| tree.node_at(index));
    !reading.lines[line].leaves.contains(&after) || between().any(|node| tree.text(node).is_some())
}
