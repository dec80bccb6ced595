//! Builds the outline from the leaves up: each element combines what its children made.
//!
//! A box gets its parts in order (children with labels, and labels beside them) and decides which heads which.
//! The decision is final except for the box's tops, which the box around it receives. Slices of a box that a
//! heading took are decided in turn, from a work list. Start at [`compose`].

use std::ops::Range;

use super::draft::{Draft, HeadScope};
use super::evidence::Evidence;
use super::forest::{Forest, Part};
use super::rank::Rank;
use super::rules::OutlineParams;
use super::skeleton::NONE;
use super::votes::{Ballot, Votes};
use super::{headings, lists, records, siblings, tables, tabs};

/// The result of one pass.
pub(super) struct Composition {
    pub(super) forest: Forest,
    pub(super) ballot: Ballot,
    /// By element: what it holds; `None` if it is decoration or inside a label.
    pub(super) done: Vec<Option<Part>>,
}

/// Makes one pass over the page, with the votes of the pass before.
pub(super) fn compose(
    evidence: &Evidence,
    params: &OutlineParams,
    votes: &Votes,
    ranks: Vec<Rank>,
) -> Composition {
    let done = vec![None; evidence.skeleton.elements.len()];
    let made = Composition { forest: Forest::new(ranks), ballot: Ballot::default(), done };
    let mut composer = Composer { evidence, params, votes, made };
    composer.run();
    composer.made
}

/// The state of a pass.
struct Composer<'a> {
    evidence: &'a Evidence,
    params: &'a OutlineParams,
    votes: &'a Votes,
    made: Composition,
}

/// Most nested headings in one box; deeper parts stay side by side.
const DEEPEST: u32 = 12;

/// Parts of a box under one label that are still to be decided.
#[derive(Clone)]
struct Slice {
    range: Range<usize>,
    above: u32,
    depth: u32,
}

/// The decision about a slice of a box.
pub(super) enum Decision {
    /// All parts stay side by side.
    Open,
    /// All parts stay side by side and are alike.
    List,
    /// The label of part `at` heads the other parts before `end`; the rest stay beside it.
    First { at: usize, end: usize },
    /// Each of these parts heads what follows it.
    Following(Vec<HeadScope>),
    /// This top heads everything.
    Closed { head: u32 },
}

impl Composer<'_> {
    fn run(&mut self) {
        for element in (0..self.evidence.skeleton.elements.len() as u32).rev() {
            let parts = self.draft().parts(element);
            self.made.done[element as usize] = match parts.as_slice() {
                [] => None,
                [one] => {
                    let inner = if one.element == NONE { element } else { one.inner };
                    Some(Part { element, inner, ..*one })
                }
                _ => {
                    let parts = self.join_parts(parts);
                    self.record_votes(&parts);
                    Some(self.decide_box(element, &parts))
                }
            };
        }
    }

    fn draft(&self) -> Draft<'_> {
        let Composition { forest, done, .. } = &self.made;
        Draft { evidence: self.evidence, params: self.params, votes: self.votes, forest, done }
    }

    /// Joins parts of a box that belong together: tabs with their panels, rows under header cells.
    fn join_parts(&mut self, mut parts: Vec<Part>) -> Vec<Part> {
        if self.params.tabs
            && let Some(tabs) = tabs::find_tabs(&self.draft(), &parts)
        {
            parts = tabs::join_tabs(&tabs, &parts, &mut self.made.forest);
        }
        if self.params.tables
            && let Some(rows) = tables::group_rows(&self.draft(), &parts)
        {
            parts = tables::join_rows(rows, &mut self.made.forest);
        }
        parts
    }

    /// Records what a box shows about styles, for the next pass.
    fn record_votes(&mut self, parts: &[Part]) {
        let leading = siblings::leading_style(&self.draft(), parts);
        let kicker = headings::kicker_vote(&self.draft(), parts);
        if let Some(style) = leading {
            self.made.ballot.count_first(style);
        }
        if let Some((style, headlines)) = kicker {
            self.made.ballot.count_box(style, headlines);
        }
    }

    /// Decides a box.
    fn decide_box(&mut self, element: u32, parts: &[Part]) -> Part {
        let mut todo = vec![Slice { range: 0..parts.len(), above: NONE, depth: 0 }];
        let mut whole = None;
        while let Some(slice) = todo.pop() {
            let made = self.decide_slice(element, parts, &slice, &mut todo);
            if slice.above == NONE {
                whole = Some(made);
            } else {
                self.made.forest.attach(slice.above, &made);
            }
        }
        whole.unwrap_or(parts[0])
    }

    /// Decides a slice of a box. Slices that its heads take are added to `todo`.
    fn decide_slice(&mut self, element: u32, parts: &[Part], slice: &Slice, todo: &mut Vec<Slice>) -> Part {
        let Slice { range, above, depth } = slice.clone();
        let parts = &parts[range.clone()];
        let decision =
            if depth < DEEPEST { decide(&self.draft(), element, parts, above) } else { Decision::Open };
        let inner = |from: usize, to: usize, above: u32| Slice {
            range: range.start + from..range.start + to,
            above,
            depth: depth + 1,
        };
        match decision {
            Decision::Open => self.made.forest.join(parts, element),
            Decision::List => self.made.forest.list(parts, element),
            Decision::Closed { head } => self.made.forest.close(parts, head, element),
            Decision::First { at, end } => {
                let head = parts[at].best;
                if at + 1 < end {
                    todo.push(inner(at + 1, end, head));
                }
                let mut tops = vec![self.made.forest.close(&parts[..=at], head, element)];
                tops[0].labels = parts[..end].iter().map(|part| part.labels).sum();
                tops.extend_from_slice(&parts[end..]);
                self.made.forest.join(&tops, element)
            }
            Decision::Following(scopes) => {
                let mut tops = Vec::with_capacity(parts.len());
                let mut next = 0;
                for HeadScope { at, end } in scopes {
                    tops.extend_from_slice(&parts[next..at]);
                    let head = parts[at].best;
                    let mut made = self.made.forest.close(&parts[at..=at], head, parts[at].element);
                    made.labels = parts[at..end].iter().map(|part| part.labels).sum();
                    tops.push(made);
                    if at + 1 < end {
                        todo.push(inner(at + 1, end, head));
                    }
                    next = end;
                }
                tops.extend_from_slice(&parts[next..]);
                self.made.forest.join(&tops, element)
            }
        }
    }
}

/// Decides some parts of a box that are under the label `above` (`NONE`: under none).
fn decide(draft: &Draft<'_>, element: u32, parts: &[Part], above: u32) -> Decision {
    let params = draft.params;
    if parts.len() == 1 {
        return Decision::Open;
    }
    if params.lead_in
        && let Some(scopes) = siblings::columns(draft, parts)
    {
        return Decision::Following(scopes);
    }
    if params.like_siblings && siblings::are_alike(draft, parts) {
        return Decision::List;
    }
    if let Some(scopes) = siblings::terms(draft, parts) {
        return Decision::Following(scopes);
    }
    if params.label_and_list && lists::is_label_and_list(draft, element, parts, above) {
        return Decision::First { at: 0, end: parts.len() };
    }
    if params.following
        && let Some(scopes) = headings::following(draft, element, parts)
    {
        return Decision::Following(scopes);
    }
    if params.lone_first
        && let Some((at, end)) = headings::lone_first(draft, element, parts, above)
    {
        return Decision::First { at, end };
    }
    if params.label_and_list
        && let Some(scope) = lists::last_list(draft, element, parts)
    {
        return Decision::Following(vec![scope]);
    }
    if params.records
        && above == NONE
        && let Some(head) = records::record_head(draft, element, parts)
    {
        return Decision::Closed { head };
    }
    Decision::Open
}
