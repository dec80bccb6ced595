//! Which label is above which, asked often: a forest as intervals.

use super::super::skeleton::NONE;

#[derive(Clone, Copy, Default)]
struct Position {
    enters: u32,
    leaves: u32,
    depth: u32,
}

pub(super) struct LabelTree(Vec<Position>);

impl LabelTree {
    /// The forest in which each label has this parent; parents may come after their children.
    pub(super) fn new(parents: &[u32]) -> LabelTree {
        let mut places = vec![Position::default(); parents.len()];
        let mut next = vec![NONE; parents.len()];
        let mut first = vec![NONE; parents.len()];
        let mut tops = NONE;
        for (label, &parent) in parents.iter().enumerate().rev() {
            let head = first.get_mut(parent as usize).unwrap_or(&mut tops);
            next[label] = std::mem::replace(head, label as u32);
        }
        let (mut at, mut open, mut clock) = (tops, Vec::new(), 0);
        loop {
            if at != NONE {
                (places[at as usize].enters, places[at as usize].depth) = (clock, open.len() as u32);
                clock += 1;
                open.push(at);
                at = first[at as usize];
            } else if let Some(done) = open.pop() {
                places[done as usize].leaves = clock;
                at = next[done as usize];
            } else {
                break;
            }
        }
        LabelTree(places)
    }

    /// Number of labels above it.
    pub(super) fn depth(&self, label: u32) -> u32 {
        self.0[label as usize].depth
    }

    /// Number of labels in its tree, itself included.
    pub(super) fn size(&self, label: u32) -> u32 {
        self.0[label as usize].leaves - self.0[label as usize].enters
    }

    /// Whether a label is above another.
    pub(super) fn is_above(&self, above: u32, label: u32) -> bool {
        let (above, label) = (self.0[above as usize], self.0[label as usize]);
        above.enters < label.enters && label.leaves <= above.leaves
    }
}
