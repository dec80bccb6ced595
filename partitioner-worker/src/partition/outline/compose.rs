//! From the leaves up: each element puts together what its children made.
//!
//! A box gets its parts in order (children with labels, labels beside them) and decides who heads whom;
//! what it decides is final but for its tops, which the box around it gets. Slices of a box that a heading
//! took are decided in turn, from a work list. Start at [`compose`].

use std::ops::Range;

use super::OutlineParams;
use super::forest::{Forest, Part};
use super::labels::Label;
use super::skeleton::{NONE, Skeleton};
use super::tags::Kind;
use super::votes::{Ballot, Votes};

pub(super) struct Composer<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) labels: &'a [Label],
    /// The labels of each element.
    pub(super) spans: &'a [(u32, u32)],
    pub(super) params: &'a OutlineParams,
    pub(super) votes: &'a Votes,
    pub(super) styles: &'a [u32],
    /// The element that gave each label its rank.
    pub(super) marks: &'a [u32],
    /// Labels that head nothing.
    pub(super) barred: &'a [bool],
    /// Images and long texts before each label.
    pub(super) stuff: &'a [u32],
    pub(super) forest: Forest,
    /// What the lists of this pass say of their first labels.
    pub(super) ballot: Ballot,
    /// What each element holds, once it is done.
    pub(super) done: Vec<Option<Part>>,
}

/// What becomes of a slice of a box.
#[derive(Debug)]
pub(super) enum Decision {
    /// All side by side.
    Open,
    /// The same, and they are alike.
    List,
    /// The parts before `end` stand under the label of part `at`, the others beside it.
    First { at: usize, end: usize },
    /// Each of these parts heads what follows it, up to the second number.
    Following(Vec<(usize, usize)>),
    /// This top heads everything.
    Closed { head: u32 },
}

impl Composer<'_> {
    pub(super) fn run(&mut self) {
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
        let mut todo: Vec<(Range<usize>, u32)> = vec![(0..parts.len(), NONE)];
        let mut whole = None;
        while let Some((range, above)) = todo.pop() {
            let slice = &parts[range.clone()];
            let decision = self.decide(element, slice, above);
            if let Ok(od) = std::env::var("OD") { // DEBUG
                let od: u32 = od.parse().unwrap_or(0); // DEBUG
                let e = self.skeleton.get(element); // DEBUG
                if e.lo <= od && od < e.hi && e.leaves() < 400 { // DEBUG
                    let ps: Vec<String> = slice.iter().map(|p| format!("{}+{}t{}l{}r{}{}{}", self.labels[p.first as usize].lo, p.tops, p.labels, p.rank, p.best, if p.is_list {"L"} else {""}, if self.barred[p.best as usize] {"!"} else {""})).collect(); // DEBUG
                    eprintln!("{:?} leaves {}..{} rec {} above {} {:?}: {}", e.kind, e.lo, e.hi, e.is_record, above as i32, decision, ps.join(" ")); // DEBUG
                } // DEBUG
            } // DEBUG
            let made = match decision {
                Decision::Open => self.forest.join(slice, element),
                Decision::List => self.forest.list(slice, element),
                Decision::Closed { head } => self.forest.close(slice, head, element),
                Decision::First { at, end } => {
                    let head = slice[at].best;
                    if at + 1 < end {
                        todo.push((range.start + at + 1..range.start + end, head));
                    }
                    let mut made = self.forest.close(&slice[..=at], head, element);
                    made.labels = slice[..end].iter().map(|part| part.labels).sum();
                    if end < slice.len() {
                        let mut tops = vec![made];
                        tops.extend_from_slice(&slice[end..]);
                        made = self.forest.join(&tops, element);
                    }
                    made
                }
                Decision::Following(scopes) => self.sections(element, slice, range, &scopes, &mut todo),
            };
            if above == NONE {
                whole = Some(made);
            } else {
                self.forest.attach(above, &made);
            }
        }
        whole.unwrap_or(parts[0])
    }

    /// Each head over what follows it, as far as it reaches; other parts stay beside them.
    fn sections(
        &mut self,
        element: u32,
        slice: &[Part],
        range: Range<usize>,
        scopes: &[(usize, usize)],
        todo: &mut Vec<(Range<usize>, u32)>,
    ) -> Part {
        let mut tops: Vec<Part> = Vec::with_capacity(slice.len());
        let mut next = 0;
        for &(at, end) in scopes {
            tops.extend_from_slice(&slice[next..at]);
            let head = slice[at].best;
            let mut made = self.forest.close(&slice[at..=at], head, slice[at].element);
            if at + 1 < end {
                made.labels += slice[at + 1..end].iter().map(|part| part.labels).sum::<u32>();
                todo.push((range.start + at + 1..range.start + end, head));
            }
            tops.push(made);
            next = end;
        }
        tops.extend_from_slice(&slice[next..]);
        self.forest.join(&tops, element)
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
