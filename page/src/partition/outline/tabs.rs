//! Tabs: a row of labels, then as many panels; each label heads its panel.
//!
//! The row is known by a class that says so, or because its labels lead nowhere: they only switch panels.

use std::ops::Range;

use super::compose::Composer;
use super::forest::Part;
use super::skeleton::NONE;
use super::words::Word;

/// Most tabs of a row.
const MOST: u32 = 12;

impl Composer<'_> {
    /// Puts rows of tabs and their panels together.
    pub(super) fn join_tabs(&mut self, parts: Vec<Part>) -> Vec<Part> {
        let found = (0..parts.len()).find_map(|at| self.tabs_at(&parts, at));
        let Some(Tabs { row, heads, panels, end }) = found else { return parts };
        let element = parts[row.start].element;
        let mut tops = Vec::with_capacity(heads.len());
        for (&head, panel) in heads.iter().zip(&panels) {
            self.forest.attach(head, panel);
            let single = Part::single(head, self.forest.ranks[head as usize], element);
            tops.push(Part { labels: 1 + panel.labels, ..single });
        }
        let joined = self.forest.list(&tops, element);
        let mut all = parts[..row.start].to_vec();
        all.push(joined);
        all.extend_from_slice(&parts[end..]);
        all
    }

    /// A row of tabs that begins at a part: one list of labels, or as many parts of one label.
    fn tabs_at(&self, parts: &[Part], at: usize) -> Option<Tabs> {
        let row = &parts[at];
        let (end, heads): (usize, Vec<u32>) = if row.is_single() {
            let is_tab = |part: &&Part| part.is_single() && part.element != NONE && self.is_tab(part);
            let run = parts[at..].iter().take(MOST as usize).take_while(is_tab);
            let heads: Vec<u32> = run.map(|part| part.best).collect();
            (at + heads.len(), heads)
        } else if row.is_list && row.labels == row.tops && row.tops <= MOST && self.are_tabs(row) {
            (at + 1, self.forest.tops(row).collect())
        } else {
            return None;
        };
        let count = heads.len();
        if count < 2 {
            return None;
        }
        let beside = parts.get(end..end + count).filter(|panels| self.are_panels(panels));
        if let Some(panels) = beside {
            return Some(Tabs { row: at..end, heads, panels: panels.to_vec(), end: end + count });
        }
        let panels = self.panels_inside(parts.get(end)?);
        let fits = panels.len() == count && self.are_panels(&panels);
        fits.then_some(Tabs { row: at..end, heads, panels, end: end + 1 })
    }

    fn are_panels(&self, panels: &[Part]) -> bool {
        let is_box = |part: &Part| part.element != NONE && !self.skeleton.get(part.element).kind.is_inline();
        panels.iter().all(|part| is_box(part) && self.skeleton.is_like(panels[0].element, part.element))
            && panels.iter().any(|part| part.labels > 1)
    }

    fn panels_inside(&self, part: &Part) -> Vec<Part> {
        if part.inner == NONE || !part.is_list { Vec::new() } else { self.parts(part.inner) }
    }

    fn are_tabs(&self, row: &Part) -> bool {
        let leads_nowhere = |&top: &u32| {
            let label = &self.labels[top as usize];
            label.link.is_some() && label.target == NONE
        };
        if self.forest.tops(row).filter(leads_nowhere).count() + 1 >= row.tops as usize {
            return true;
        }
        self.is_tab(row)
    }

    /// Whether a class around the first label of a part calls it a tab.
    fn is_tab(&self, part: &Part) -> bool {
        let above = |element: u32| Some(self.skeleton.get(element).parent).filter(|&parent| parent != NONE);
        let first = Some(self.labels[part.first as usize].element).filter(|&element| element != NONE);
        let mut chain = std::iter::successors(first, |&at| if at == part.element { None } else { above(at) });
        chain.any(|element| self.skeleton.get(element).word == Some(Word::Tab))
    }
}

/// A row of tabs, their labels, and as many panels.
struct Tabs {
    row: Range<usize>,
    heads: Vec<u32>,
    panels: Vec<Part>,
    /// One past the last part of the panels.
    end: usize,
}
