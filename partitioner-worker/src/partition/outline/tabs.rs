//! Tabs: a row of labels, then as many panels; each label heads its panel.
//!
//! The row is known by a class that says so, or because its labels lead nowhere: they only switch panels.

use super::compose::Composer;
use super::forest::Part;
use super::skeleton::NONE;
use super::words::Word;

/// Most tabs of a row.
const MOST: u32 = 12;

impl Composer<'_> {
    /// Puts rows of tabs and their panels together.
    pub(super) fn join_tabs(&mut self, parts: Vec<Part>) -> Vec<Part> {
        for at in 0..parts.len().saturating_sub(1) {
            let row = &parts[at];
            if !(row.is_open()
                && row.labels == row.tops
                && row.tops <= MOST
                && row.is_list
                && self.are_tabs(row))
            {
                continue;
            }
            let count = row.tops as usize;
            let beside = parts
                .get(at + 1..at + 1 + count)
                .filter(|panels| self.are_panels(panels))
                .map(<[Part]>::to_vec);
            let (panels, used) = match beside {
                Some(panels) => (panels, count),
                None => match self.panels_inside(&parts[at + 1]) {
                    panels if panels.len() == count && self.are_panels(&panels) => (panels, 1),
                    _ => continue,
                },
            };
            let heads: Vec<u32> = self.forest.tops(row).collect();
            let mut tops = Vec::with_capacity(count);
            for (&head, panel) in heads.iter().zip(&panels) {
                self.forest.attach(head, panel);
                let single = Part::single(head, self.forest.ranks[head as usize], row.element);
                tops.push(Part { labels: 1 + panel.labels, ..single });
            }
            let joined = self.forest.list(&tops, row.element);
            let mut all = parts[..at].to_vec();
            all.push(joined);
            all.extend_from_slice(&parts[at + 1 + used..]);
            return all;
        }
        parts
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
        let is_tab = |element: u32| self.skeleton.get(element).word == Some(Word::Tab);
        let above = |element: u32| Some(self.skeleton.get(element).parent).filter(|&parent| parent != NONE);
        let end = row.element;
        let mut chain = std::iter::successors(Some(self.labels[row.first as usize].element), |&at| {
            if at == end { None } else { above(at) }
        });
        chain.any(|element| element != NONE && is_tab(element))
    }
}
