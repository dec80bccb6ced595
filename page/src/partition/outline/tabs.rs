//! Tabs: a row of labels followed by as many panels; each label heads its panel.
//!
//! A row of tabs has a class with such a name, or labels that lead nowhere because they only switch panels.

use std::ops::Range;

use super::draft::Draft;
use super::forest::{Forest, Part};
use super::skeleton::NONE;
use super::words::ClassWord;

/// Most tabs in a row.
pub(super) const MOST_TABS: usize = 12;

/// The first row of tabs among the parts of a box.
pub(super) fn find_tabs(draft: &Draft<'_>, parts: &[Part]) -> Option<Tabs> {
    (0..parts.len()).find_map(|at| tabs_at(draft, parts, at))
}

/// Replaces a row of tabs and its panels by one part.
pub(super) fn join_tabs(tabs: &Tabs, parts: &[Part], forest: &mut Forest) -> Vec<Part> {
    let element = parts[tabs.row.start].element;
    let mut tops = Vec::with_capacity(tabs.heads.len());
    for (&head, panel) in tabs.heads.iter().zip(&tabs.panels) {
        forest.attach(head, panel);
        let single = Part::single(head, forest.ranks[head as usize], element);
        tops.push(Part { labels: 1 + panel.labels, ..single });
    }
    let joined = forest.list(&tops, element);
    let mut all = parts[..tabs.row.start].to_vec();
    all.push(joined);
    all.extend_from_slice(&parts[tabs.end..]);
    all
}

/// The row of tabs that begins at a part: one list of labels, or several parts of one label each.
fn tabs_at(draft: &Draft<'_>, parts: &[Part], at: usize) -> Option<Tabs> {
    let row = &parts[at];
    let (end, heads): (usize, Vec<u32>) = if row.is_single() {
        let is_tab = |part: &&Part| part.is_single() && part.element != NONE && is_tab(draft, part);
        let run = parts[at..].iter().take(MOST_TABS).take_while(is_tab);
        let heads: Vec<u32> = run.map(|part| part.best).collect();
        (at + heads.len(), heads)
    } else if row.is_list && row.labels == row.tops && row.tops as usize <= MOST_TABS && are_tabs(draft, row)
    {
        (at + 1, draft.forest.tops(row).collect())
    } else {
        return None;
    };
    let count = heads.len();
    if count < 2 {
        return None;
    }
    let beside = parts.get(end..end + count).filter(|panels| are_panels(draft, panels));
    if let Some(panels) = beside {
        return Some(Tabs { row: at..end, heads, panels: panels.to_vec(), end: end + count });
    }
    let panels = panels_inside(draft, parts.get(end)?);
    let fits = panels.len() == count && are_panels(draft, &panels);
    fits.then_some(Tabs { row: at..end, heads, panels, end: end + 1 })
}

fn are_panels(draft: &Draft<'_>, panels: &[Part]) -> bool {
    let is_box =
        |part: &Part| part.element != NONE && !draft.evidence.skeleton.get(part.element).kind.is_inline();
    panels.iter().all(|part| is_box(part) && draft.evidence.skeleton.is_like(panels[0].element, part.element))
        && panels.iter().any(|part| part.labels > 1)
}

fn panels_inside(draft: &Draft<'_>, part: &Part) -> Vec<Part> {
    if part.inner == NONE || !part.is_list { Vec::new() } else { draft.parts(part.inner) }
}

fn are_tabs(draft: &Draft<'_>, row: &Part) -> bool {
    let leads_nowhere = |&top: &u32| {
        let label = &draft.evidence.labels[top as usize];
        label.link.is_some() && label.target == NONE
    };
    if draft.forest.tops(row).filter(leads_nowhere).count() + 1 >= row.tops as usize {
        return true;
    }
    is_tab(draft, row)
}

/// Whether a class around the first label of a part calls it a tab.
fn is_tab(draft: &Draft<'_>, part: &Part) -> bool {
    let above =
        |element: u32| Some(draft.evidence.skeleton.get(element).parent).filter(|&parent| parent != NONE);
    let first = Some(draft.evidence.labels[part.first as usize].element).filter(|&element| element != NONE);
    let mut chain = std::iter::successors(first, |&at| if at == part.element { None } else { above(at) });
    chain.any(|element| draft.evidence.skeleton.get(element).word == Some(ClassWord::Tab))
}

/// A row of tabs, their labels, and as many panels.
pub(super) struct Tabs {
    row: Range<usize>,
    heads: Vec<u32>,
    panels: Vec<Part>,
    /// One past the last part of the panels.
    end: usize,
}
