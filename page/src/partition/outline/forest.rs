//! The forest that grows from the leaves up: which label is under which, and the tops of each box.
//!
//! A [`Part`] is a run of labels whose trees are complete except for their tops. Tops are chained, so joining two
//! parts costs nothing, and every label is put under another at most once.

use super::rank::Rank;
use super::skeleton::NONE;

/// The labels that an element holds, or a label beside elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// The outermost element that holds exactly this; `NONE` for a label without an element of its own.
    pub(super) element: u32,
    /// The innermost such element.
    pub(super) inner: u32,
    /// First and last top.
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) tops: u32,
    /// Number of labels without decoration.
    pub(super) labels: u32,
    /// The strongest top (on a tie, the first), its rank, and the number of tops with this rank.
    pub(super) best: u32,
    pub(super) rank: Rank,
    pub(super) bests: u32,
    /// Whether its tops are those of similar siblings.
    pub(super) is_list: bool,
}

impl Part {
    pub(super) fn single(label: u32, rank: Rank, element: u32) -> Part {
        Part {
            element,
            inner: element,
            first: label,
            last: label,
            tops: 1,
            labels: 1,
            best: label,
            rank,
            bests: 1,
            is_list: false,
        }
    }

    /// Whether it is one label.
    pub(super) fn is_single(&self) -> bool {
        self.labels == 1
    }

    /// Whether it is one top over other labels.
    pub(super) fn is_closed(&self) -> bool {
        self.tops == 1 && self.labels > 1
    }

    /// Whether it has several tops.
    pub(super) fn is_open(&self) -> bool {
        self.tops > 1
    }
}

/// Most tops of a part that are examined.
const SOME: usize = 200;

pub(super) struct Forest {
    pub(super) ranks: Vec<Rank>,
    pub(super) parent: Vec<u32>,
    /// By label: the number of labels directly under it.
    pub(super) children: Vec<u32>,
    /// By label: the one of these that was attached last.
    child: Vec<u32>,
    /// By label: the list of similar siblings in which it first was a top.
    pub(super) list: Vec<u32>,
    lists: u32,
    next: Vec<u32>,
}

impl Forest {
    pub(super) fn new(ranks: Vec<Rank>) -> Forest {
        let n = ranks.len();
        Forest {
            ranks,
            parent: vec![NONE; n],
            children: vec![0; n],
            child: vec![NONE; n],
            list: vec![NONE; n],
            lists: 0,
            next: vec![NONE; n],
        }
    }

    /// The label directly under this one that was attached last.
    pub(super) fn some_child(&self, label: u32) -> u32 {
        self.child[label as usize]
    }

    /// Gives labels their heads anew; `NONE`: none. Tops and lists stay as they were.
    pub(super) fn place(&mut self, heads: impl Iterator<Item = (u32, u32)>) {
        for (label, head) in heads {
            self.parent[label as usize] = head;
        }
    }

    /// The tops of a part, in order. If cells of a row went into columns, they belong to another part now: the rest of
    /// the row's chain may end early or lead elsewhere, so at most the original number of tops is followed.
    pub(super) fn tops(&self, part: &Part) -> impl Iterator<Item = u32> + '_ {
        let last = part.last;
        let next =
            move |&top: &u32| (top != last).then(|| self.next[top as usize]).filter(|&next| next != NONE);
        std::iter::successors(Some(part.first), next).take(part.tops as usize)
    }

    /// The first tops of a part: enough to classify it, at a bounded cost however often that is done.
    pub(super) fn some_tops(&self, part: &Part) -> impl Iterator<Item = u32> + '_ {
        self.tops(part).take(SOME)
    }

    /// Puts all tops of a part under the head, except the head itself.
    pub(super) fn attach(&mut self, head: u32, part: &Part) {
        let mut top = part.first;
        for _ in 0..part.tops {
            if top != head {
                self.parent[top as usize] = head;
                self.children[head as usize] += 1;
                self.child[head as usize] = top;
            }
            top = self.next[top as usize];
            if top == NONE {
                break;
            }
        }
    }

    /// Joins the parts side by side. `element` is the box that they fill.
    pub(super) fn join(&mut self, parts: &[Part], element: u32) -> Part {
        let mut all = parts[0];
        for part in &parts[1..] {
            self.next[all.last as usize] = part.first;
            all.last = part.last;
            all.tops += part.tops;
            all.labels += part.labels;
            if part.rank < all.rank {
                (all.best, all.rank, all.bests) = (part.best, part.rank, part.bests);
            } else if part.rank == all.rank {
                all.bests += part.bests;
            }
        }
        if parts.len() > 1 {
            (all.element, all.inner, all.is_list) = (element, element, false);
        }
        all
    }

    /// The same for parts that are alike.
    pub(super) fn list(&mut self, parts: &[Part], element: u32) -> Part {
        // Tops of parts that are lists already have their numbers.
        for part in parts.iter().filter(|part| !part.is_list) {
            let mut top = part.first;
            for _ in 0..part.tops {
                if self.list[top as usize] == NONE {
                    self.list[top as usize] = self.lists;
                }
                top = self.next[top as usize];
                if top == NONE {
                    break;
                }
            }
        }
        self.lists += 1;
        Part { is_list: true, ..self.join(parts, element) }
    }

    /// Joins the parts under one of their tops.
    pub(super) fn close(&mut self, parts: &[Part], head: u32, element: u32) -> Part {
        for part in parts {
            self.attach(head, part);
        }
        let labels = parts.iter().map(|part| part.labels).sum();
        Part { labels, inner: element, ..Part::single(head, self.ranks[head as usize], element) }
    }
}
