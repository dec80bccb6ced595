//! From the leaves up: each element puts together what its children made.
//!
//! A box gets its parts in order (children with labels, labels beside them) and decides who heads whom;
//! what it decides is final but for its tops, which the box around it gets. Slices of a box that a heading
//! took are decided in turn, from a work list. Start at [`compose`].

use std::ops::Range;

use super::OutlineParams;
use super::evidence::Evidence;
use super::forest::{Forest, Part};
use super::headings::Scope;
use super::labels::Label;
use super::rank::Rank;
use super::skeleton::{NONE, Skeleton};
use super::tags::Kind;
use super::votes::{Ballot, Votes};

/// What one pass made.
pub(super) struct Composed {
    pub(super) forest: Forest,
    pub(super) ballot: Ballot,
    /// What each element holds; `None`: decoration, or it stands inside a label.
    pub(super) done: Vec<Option<Part>>,
}

/// One pass over the page, with the votes of the pass before.
pub(super) fn compose(
    evidence: &Evidence,
    params: &OutlineParams,
    votes: &Votes,
    ranks: Vec<Rank>,
) -> Composed {
    let Evidence { skeleton, labels, spans, marks, styles, barred, stuff, .. } = evidence;
    let done = vec![None; skeleton.elements.len()];
    let (forest, ballot) = (Forest::new(ranks), Ballot::default());
    let mut composer = Composer {
        skeleton,
        labels,
        spans,
        params,
        votes,
        styles,
        marks,
        barred,
        stuff,
        forest,
        ballot,
        done,
    };
    composer.run();
    Composed { forest: composer.forest, ballot: composer.ballot, done: composer.done }
}

/// The evidence, and what was decided so far.
pub(super) struct Composer<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) labels: &'a [Label],
    pub(super) spans: &'a [(u32, u32)],
    pub(super) params: &'a OutlineParams,
    pub(super) votes: &'a Votes,
    pub(super) styles: &'a [u32],
    pub(super) marks: &'a [u32],
    pub(super) barred: &'a [bool],
    pub(super) stuff: &'a [u32],
    pub(super) forest: Forest,
    pub(super) ballot: Ballot,
    pub(super) done: Vec<Option<Part>>,
}

/// How often headings may nest in one box; what is deeper stays side by side.
const DEEPEST: u32 = 12;

/// Parts of a box that stand under one label, still to be decided.
#[derive(Clone)]
struct Slice {
    range: Range<usize>,
    above: u32,
    depth: u32,
}

/// What becomes of a slice of a box.
pub(super) enum Decision {
    /// All side by side.
    Open,
    /// The same, and they are alike.
    List,
    /// The parts before `end` stand under the label of part `at`, the others beside it.
    First { at: usize, end: usize },
    /// Each of these parts heads what follows it.
    Following(Vec<Scope>),
    /// This top heads everything.
    Closed { head: u32 },
}

impl Composer<'_> {
    fn run(&mut self) {
        for element in (0..self.skeleton.elements.len() as u32).rev() {
            let parts = self.parts(element);
            self.done[element as usize] = match parts.as_slice() {
                [] => None,
                [one] => {
                    let inner = if one.element == NONE { element } else { one.inner };
                    Some(Part { element, inner, ..*one })
                }
                _ => {
                    let parts = if self.params.tabs { self.join_tabs(parts) } else { parts };
                    let parts = if self.params.tables { self.join_rows(parts) } else { parts };
                    self.count_first(&parts);
                    self.count_kicker(&parts);
                    Some(self.scope(element, &parts))
                }
            };
        }
    }

    pub(super) fn parts(&self, element: u32) -> Vec<Part> {
        let (lo, hi) = self.spans[element as usize];
        let single = |label: u32, element| Part::single(label, self.forest.ranks[label as usize], element);
        if hi - lo == 1 {
            let is_part = !self.labels[lo as usize].is_decoration || !self.params.decoration;
            return if is_part { vec![single(lo, element)] } else { Vec::new() };
        }
        let mut parts = Vec::new();
        let mut children = self.skeleton.children(element).peekable();
        let mut at = lo;
        while at < hi {
            if let Some(child) = children.next_if(|&child| self.spans[child as usize].0 <= at) {
                // A child inside a label that spans it is no box.
                let (from, to) = self.spans[child as usize];
                if from == at && self.skeleton.get(child).lo == self.labels[at as usize].lo {
                    parts.extend(self.done[child as usize]);
                    at = to;
                }
                continue;
            }
            if !self.labels[at as usize].is_decoration || !self.params.decoration {
                parts.push(single(at, NONE));
            }
            at += 1;
        }
        parts
    }

    /// Decides a box.
    fn scope(&mut self, element: u32, parts: &[Part]) -> Part {
        let mut todo = vec![Slice { range: 0..parts.len(), above: NONE, depth: 0 }];
        let mut whole = None;
        while let Some(slice) = todo.pop() {
            let made = self.slice(element, parts, &slice, &mut todo);
            if slice.above == NONE {
                whole = Some(made);
            } else {
                self.forest.attach(slice.above, &made);
            }
        }
        whole.unwrap_or(parts[0])
    }

    /// Decides a slice of a box; what its heads take is left to do.
    fn slice(&mut self, element: u32, parts: &[Part], slice: &Slice, todo: &mut Vec<Slice>) -> Part {
        let Slice { range, above, depth } = slice.clone();
        let parts = &parts[range.clone()];
        let decision = if depth < DEEPEST { self.decide(element, parts, above) } else { Decision::Open };
        let inner = |from: usize, to: usize, above: u32| Slice {
            range: range.start + from..range.start + to,
            above,
            depth: depth + 1,
        };
        match decision {
            Decision::Open => self.forest.join(parts, element),
            Decision::List => self.forest.list(parts, element),
            Decision::Closed { head } => self.forest.close(parts, head, element),
            Decision::First { at, end } => {
                let head = parts[at].best;
                if at + 1 < end {
                    todo.push(inner(at + 1, end, head));
                }
                let mut tops = vec![self.forest.close(&parts[..=at], head, element)];
                tops[0].labels = parts[..end].iter().map(|part| part.labels).sum();
                tops.extend_from_slice(&parts[end..]);
                self.forest.join(&tops, element)
            }
            Decision::Following(scopes) => {
                let mut tops = Vec::with_capacity(parts.len());
                let mut next = 0;
                for Scope { from, at, end } in scopes {
                    tops.extend_from_slice(&parts[next..from]);
                    let head = parts[at].best;
                    let mut made = self.forest.close(&parts[from..=at], head, parts[at].element);
                    made.labels = parts[from..end].iter().map(|part| part.labels).sum();
                    tops.push(made);
                    if at + 1 < end {
                        todo.push(inner(at + 1, end, head));
                    }
                    next = end;
                }
                tops.extend_from_slice(&parts[next..]);
                self.forest.join(&tops, element)
            }
        }
    }

    fn decide(&self, element: u32, parts: &[Part], above: u32) -> Decision {
        if parts.len() == 1 {
            return Decision::Open;
        }
        if self.params.lead_in
            && let Some(scopes) = self.columns(parts)
        {
            return Decision::Following(scopes);
        }
        if self.params.like_siblings && self.are_alike(parts) {
            return Decision::List;
        }
        if let Some(scopes) = self.terms(parts) {
            return Decision::Following(scopes);
        }
        if self.params.label_and_list && self.is_label_and_list(element, parts, above) {
            return Decision::First { at: 0, end: parts.len() };
        }
        if self.params.following
            && let Some(scopes) = self.following(element, parts)
        {
            return Decision::Following(scopes);
        }
        if self.params.lone_first
            && let Some((at, end)) = self.lone_first(element, parts, above)
        {
            return Decision::First { at, end };
        }
        if self.params.label_and_list
            && let Some(scope) = self.last_list(element, parts)
        {
            return Decision::Following(vec![scope]);
        }
        if self.params.records
            && above == NONE
            && let Some(head) = self.record(element, parts)
        {
            return Decision::Closed { head };
        }
        Decision::Open
    }

    /// What kind of element a part is, if it has one of its own.
    pub(super) fn kind(&self, part: &Part) -> Option<Kind> {
        (part.element != NONE).then(|| self.skeleton.get(part.element).kind)
    }

    /// The first and one past the last label of neighbouring parts.
    pub(super) fn span(&self, parts: &[Part]) -> (u32, u32) {
        let span = |part: &Part| match part.element {
            NONE => (part.first, part.first + 1),
            element => self.spans[element as usize],
        };
        let first = parts.first().map_or(0, |part| span(part).0);
        (first, parts.last().map_or(first, |part| span(part).1).max(first))
    }
}
