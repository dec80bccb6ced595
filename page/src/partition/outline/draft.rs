//! The unfinished outline as the decisions see it, and the range of parts that a heading takes.

use super::evidence::Evidence;
use super::forest::{Forest, Part};
use super::rules::OutlineParams;
use super::skeleton::NONE;
use super::tags::TagKind;
use super::votes::Votes;

/// The input of a decision: the page's evidence, and the outline as far as it is drafted.
///
/// Decisions change nothing; the composer applies them. Each kind of decision is a module of functions that take
/// a draft.
#[derive(Clone, Copy)]
pub(super) struct Draft<'a> {
    pub(super) evidence: &'a Evidence,
    pub(super) params: &'a OutlineParams,
    pub(super) votes: &'a Votes,
    pub(super) forest: &'a Forest,
    /// By element below: what it holds; `None` if it is decoration or inside a label.
    pub(super) done: &'a [Option<Part>],
}

impl Draft<'_> {
    /// The parts of an element, in order: what its children hold, and labels beside them.
    pub(super) fn parts(&self, element: u32) -> Vec<Part> {
        let Evidence { skeleton, labels, spans, .. } = self.evidence;
        let (lo, hi) = spans[element as usize];
        let single = |label: u32, element| Part::single(label, self.forest.ranks[label as usize], element);
        if hi - lo == 1 {
            let is_part = !labels[lo as usize].is_decoration || !self.params.decoration;
            return if is_part { vec![single(lo, element)] } else { Vec::new() };
        }
        let mut parts = Vec::new();
        let mut children = skeleton.children(element).peekable();
        let mut at = lo;
        while at < hi {
            if let Some(child) = children.next_if(|&child| spans[child as usize].0 <= at) {
                // A child inside a label that spans it is not a box.
                let (from, to) = spans[child as usize];
                if from == at && skeleton.get(child).lo == labels[at as usize].lo {
                    parts.extend(self.done[child as usize]);
                    at = to;
                }
                continue;
            }
            if !labels[at as usize].is_decoration || !self.params.decoration {
                parts.push(single(at, NONE));
            }
            at += 1;
        }
        parts
    }

    /// The kind of a part's element, if it has one of its own.
    pub(super) fn kind(&self, part: &Part) -> Option<TagKind> {
        (part.element != NONE).then(|| self.evidence.skeleton.get(part.element).kind)
    }

    /// The first label of neighbouring parts, and one past the last.
    pub(super) fn span(&self, parts: &[Part]) -> (u32, u32) {
        let span = |part: &Part| match part.element {
            NONE => (part.first, part.first + 1),
            element => self.evidence.spans[element as usize],
        };
        let first = parts.first().map_or(0, |part| span(part).0);
        (first, parts.last().map_or(first, |part| span(part).1).max(first))
    }
}

/// The parts that one of several headings of a box takes: `at..end`, under the label of the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeadScope {
    pub(super) at: usize,
    pub(super) end: usize,
}
