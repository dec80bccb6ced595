//! Panels that are not beside their tabs: each tab heads the panel that it shows.
//!
//! Rows of tabs beside their panels are found while boxes are decided ([`super::tabs`]). The others are found
//! here, after all else: tabs that name their panels by id (in their target or another attribute), rows before a
//! box with as many panels as tabs, and rows before the only panel that the page came with, which belongs to the
//! active tab.

use rustc_hash::{FxHashMap, FxHashSet};

use super::evidence::Evidence;
use super::forest::Forest;
use super::skeleton::NONE;
use super::tabs::MOST_TABS;
use super::words::ClassWord;
use crate::Page;

/// Most words of a tab.
const WORDS: u32 = 5;
/// Number of ancestors of a row that are searched for its panels.
const UP: usize = 6;
/// Most single children that are followed inwards.
const DEEP: usize = 32;
/// Largest distance, in labels, between two tabs of a row that name their panels.
const GAP: u32 = 3;
/// Class names of the open tab.
const OPEN: [&str; 5] = ["active", "selected", "current", "on", "open"];

/// Puts panels under their tabs.
pub(super) fn place_panels(page: &Page, evidence: &Evidence, forest: &mut Forest) {
    let taken = vec![false; evidence.skeleton.elements.len()];
    let mut panels = Panels { page, evidence, forest, taken };
    panels.place_named();
    panels.place_counted();
}

struct Panels<'a> {
    page: &'a Page,
    evidence: &'a Evidence,
    forest: &'a mut Forest,
    /// By element: whether it is already the panel of a tab.
    taken: Vec<bool>,
}

impl Panels<'_> {
    /// Places the panels of tabs that name them.
    fn place_named(&mut self) {
        let found = self.named();
        let mut start = 0;
        while start < found.len() {
            let goes_on = |pair: &[(u32, u32)]| {
                let box_of = |panel: u32| self.evidence.skeleton.get(panel).parent;
                pair[1].0 - pair[0].0 <= GAP && box_of(pair[0].1) == box_of(pair[1].1)
            };
            let run = 1 + found[start..].windows(2).take_while(|pair| goes_on(pair)).count();
            let row = &found[start..start + run];
            let first = row[0].1;
            let named: Vec<u32> = row.iter().take(MOST_TABS).map(|&(_, panel)| panel).collect();
            let is_row = (2..=MOST_TABS).contains(&run)
                && self.are_panels(&named)
                && named.iter().any(|&panel| panel != first)
                && !named.iter().any(|&panel| self.holds(panel, row));
            if is_row {
                self.attach_all(row);
            }
            start += run;
        }
    }

    /// Labels with the elements that their attributes name.
    fn named(&self) -> Vec<(u32, u32)> {
        let tree = &self.page.tree;
        let ids: FxHashMap<&str, u32> = (0u32..)
            .zip(&self.evidence.skeleton.elements)
            .filter_map(|(i, element)| Some((tree.attr(element.node, "id")?, i)))
            .collect();
        let mut found = Vec::new();
        for (i, label) in (0u32..).zip(&self.evidence.labels) {
            // Links that skip menus name places, too.
            let is_barred = self.evidence.barred[i as usize];
            if is_barred || label.words > WORDS || label.is_decoration || label.element == NONE {
                continue;
            }
            let node = label.link.unwrap_or(self.evidence.skeleton.get(label.element).node);
            let named = tree.attrs(node).filter(|(name, _)| !matches!(*name, "id" | "class" | "style"));
            let panel = named.filter_map(|(_, value)| ids.get(id_in(value))).copied().find(|&panel| {
                let (lo, hi) = self.evidence.spans[panel as usize];
                !(lo..hi).contains(&i)
            });
            if let Some(panel) = panel {
                found.push((i, panel));
            }
        }
        found
    }

    /// Puts panels under the row of tabs before them.
    fn place_counted(&mut self) {
        let mut next = 0;
        while next < self.evidence.skeleton.elements.len() as u32 {
            let row = next;
            next += 1;
            if self.evidence.skeleton.get(row).word != Some(ClassWord::Tab) {
                continue;
            }
            let tabs = self.tabs(row);
            if tabs.is_empty() {
                continue;
            }
            next = self.evidence.skeleton.get(row).end;
            if tabs.iter().any(|&tab| self.forest.children[tab as usize] > 0) {
                continue;
            }
            let pairs = self.panels_after(row, &tabs);
            self.attach_all(&pairs);
        }
    }

    /// The labels of a row of tabs; empty if the element is not one.
    fn tabs(&self, row: u32) -> Vec<u32> {
        let (lo, hi) = self.evidence.spans[row as usize];
        if hi - lo > 2 * MOST_TABS as u32 {
            return Vec::new();
        }
        let label = |tab: u32| &self.evidence.labels[tab as usize];
        let tabs: Vec<u32> = (lo..hi).filter(|&tab| !label(tab).is_decoration).collect();
        let fits = (2..=MOST_TABS).contains(&tabs.len()) && tabs.iter().all(|&tab| label(tab).words <= WORDS);
        if fits { tabs } else { Vec::new() }
    }

    /// Pairs of a tab and its panel among the elements after the row.
    fn panels_after(&self, row: u32, tabs: &[u32]) -> Vec<(u32, u32)> {
        let skeleton = &self.evidence.skeleton;
        let mut at = row;
        for _ in 0..UP {
            let above = skeleton.get(at).parent;
            if above == NONE {
                break;
            }
            let after: Vec<u32> = self.after(at).take(MOST_TABS + 1).collect();
            at = above;
            let Some(&first) = after.first() else { continue };
            for panels in [self.parts_of(first), after.clone()] {
                if panels.len() == tabs.len() && self.are_panels(&panels) {
                    return tabs.iter().copied().zip(panels).collect();
                }
            }
            if after.len() == 1 && self.labels_in(first) == 1 {
                continue; // a link to more
            }
            let open: Vec<u32> = tabs.iter().copied().filter(|&tab| self.is_open(row, tab)).collect();
            return match (open.as_slice(), after.as_slice()) {
                (&[open], &[panel]) => vec![(open, panel)],
                _ => Vec::new(),
            };
        }
        Vec::new()
    }

    /// The later siblings of an element.
    fn after(&self, element: u32) -> impl Iterator<Item = u32> + '_ {
        let skeleton = &self.evidence.skeleton;
        let end = skeleton.get(skeleton.get(element).parent).end;
        let next = move |&at: &u32| Some(skeleton.get(at).end).filter(|&next| next < end);
        std::iter::successors(next(&element), next)
    }

    /// The first children of an element, or of the only element that it holds, and so on inwards.
    fn parts_of(&self, element: u32) -> Vec<u32> {
        let children =
            |of: u32| self.evidence.skeleton.children(of).take(MOST_TABS + 1).collect::<Vec<u32>>();
        let mut parts = children(element);
        for _ in 0..DEEP {
            let [one] = parts[..] else { break };
            parts = children(one);
        }
        parts
    }

    fn are_panels(&self, panels: &[u32]) -> bool {
        panels.iter().all(|&panel| self.are_like(panels[0], panel))
            && panels.iter().any(|&panel| self.labels_in(panel) > 1)
    }

    fn labels_in(&self, element: u32) -> u32 {
        let (lo, hi) = self.evidence.spans[element as usize];
        hi - lo
    }

    /// Whether a class or attribute marks a tab as the open one.
    fn is_open(&self, row: u32, tab: u32) -> bool {
        let tree = &self.page.tree;
        let skeleton = &self.evidence.skeleton;
        let above =
            |&at: &u32| Some(skeleton.get(at).parent).filter(|&parent| parent != NONE && parent != row);
        let mut chain = std::iter::successors(Some(self.evidence.labels[tab as usize].element), above);
        chain.any(|at| {
            let node = skeleton.get(at).node;
            tree.attr(node, "aria-selected") == Some("true")
                || tree.classes(node).any(|class| OPEN.contains(&class))
        })
    }

    fn are_like(&self, a: u32, b: u32) -> bool {
        let skeleton = &self.evidence.skeleton;
        skeleton.is_like(a, b)
            || (skeleton.get(a).parent == skeleton.get(b).parent
                && skeleton.get(a).tag == skeleton.get(b).tag)
    }

    fn holds(&self, panel: u32, row: &[(u32, u32)]) -> bool {
        let (lo, hi) = self.evidence.spans[panel as usize];
        row.iter().any(|(tab, _)| (lo..hi).contains(tab))
    }

    fn attach_all(&mut self, pairs: &[(u32, u32)]) {
        for &(tab, panel) in pairs {
            // A panel has one tab, so a page with many rows that name one panel costs no more than its leaves.
            if !std::mem::replace(&mut self.taken[panel as usize], true) {
                self.attach(tab, panel, pairs);
            }
        }
    }

    /// Puts the tops of a panel under its tab, and the tab under the label that they were under.
    fn attach(&mut self, tab: u32, panel: u32, row: &[(u32, u32)]) {
        let (lo, hi) = self.evidence.spans[panel as usize];
        let over_tab: FxHashSet<u32> = self.up(tab).collect();
        let mut above = self.forest.parent[tab as usize];
        for label in lo..hi {
            let old = self.forest.parent[label as usize];
            if (lo..hi).contains(&old) || over_tab.contains(&label) {
                continue;
            }
            if above == NONE && old != NONE && !row.iter().any(|&(tab, _)| tab == old) {
                above = old;
            }
            self.forest.parent[label as usize] = tab;
            self.forest.children[tab as usize] += 1;
        }
        if above != NONE && !self.up(above).any(|at| at == tab) {
            self.forest.parent[tab as usize] = above;
        }
    }

    /// A label and all labels above it.
    fn up(&self, label: u32) -> impl Iterator<Item = u32> + '_ {
        let above = |&at: &u32| Some(self.forest.parent[at as usize]).filter(|&parent| parent != NONE);
        std::iter::successors(Some(label), above)
    }
}

/// The id that the value of an attribute may name.
fn id_in(value: &str) -> &str {
    let value = value.trim();
    let fragment = value.strip_prefix('#').or_else(|| value.strip_prefix("index.html#"));
    fragment.unwrap_or(value)
}
