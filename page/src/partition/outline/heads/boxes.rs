//! The boxes of a page as ranges of labels, and the position of each label in them.
//!
//! Elements that hold the same labels are one box; elements that hold fewer than two are none. Decoration does not count:
//! labels without letters and digits are left out, and the others are numbered without gaps ("items").

use rustc_hash::FxHashMap;

use super::super::evidence::Evidence;
use super::super::rank::Rank;
use super::super::skeleton::NONE;

/// Elements that hold the same two or more items.
#[derive(Clone, Copy, Debug)]
pub(super) struct LabelBox {
    /// First item, and one past the last.
    pub(super) lo: u32,
    pub(super) hi: u32,
    /// The box around it; `NONE` for the outermost ones.
    pub(super) up: u32,
    /// The outermost and the innermost of its elements.
    pub(super) outer: u32,
    pub(super) inner: u32,
    /// Number of branches: boxes in it, and items in none of these.
    pub(super) branches: u32,
    /// Its place among the branches of the box around it.
    pub(super) place: u32,
    /// The strongest rank in it, and the first item that has it.
    pub(super) rank: Rank,
    pub(super) best: u32,
}

impl LabelBox {
    pub(super) fn items(&self) -> u32 {
        self.hi - self.lo
    }

    pub(super) fn holds(&self, item: u32) -> bool {
        (self.lo..self.hi).contains(&item)
    }
}

/// An item: a label that is no decoration.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoxItem {
    pub(super) label: u32,
    /// The innermost box around it; `NONE` if there is none.
    pub(super) up: u32,
    /// The outermost element that holds nothing else; `NONE` if it has none.
    pub(super) outer: u32,
    /// Its place among the branches of that box.
    pub(super) place: u32,
}

/// A branch of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Branch {
    Box(u32),
    Item(u32),
}

pub(super) struct Boxes {
    pub(super) boxes: Vec<LabelBox>,
    pub(super) items: Vec<BoxItem>,
    /// By label: its item; `NONE` for decoration.
    pub(super) of_label: Vec<u32>,
    /// By box and style: number of branches.
    twins: FxHashMap<(u32, u32), u32>,
}

impl Boxes {
    pub(super) fn new(evidence: &Evidence, ranks: &[Rank]) -> Boxes {
        let mut items = Vec::new();
        let mut of_label = Vec::with_capacity(evidence.labels.len());
        // By label: number of items before it.
        let mut before = vec![0u32];
        for (label, this) in (0u32..).zip(&evidence.labels) {
            of_label.push(if this.is_decoration { NONE } else { items.len() as u32 });
            if !this.is_decoration {
                items.push(BoxItem { label, up: NONE, outer: NONE, place: 0 });
            }
            before.push(items.len() as u32);
        }
        let mut made = Boxes { boxes: Vec::new(), items, of_label, twins: FxHashMap::default() };
        made.find(evidence, &before);
        made.place(evidence);
        for item in (0..made.items.len() as u32).rev() {
            let BoxItem { label, mut up, .. } = made.items[item as usize];
            while up != NONE {
                let this = &mut made.boxes[up as usize];
                if ranks[label as usize] <= this.rank {
                    (this.rank, this.best) = (ranks[label as usize], item);
                }
                up = this.up;
            }
        }
        made
    }

    fn find(&mut self, evidence: &Evidence, before: &[u32]) {
        // By element: the innermost box that it is or is in.
        let mut of_element = Vec::with_capacity(evidence.spans.len());
        for (number, &(from, to)) in (0u32..).zip(&evidence.spans) {
            let (lo, hi) = (before[from as usize], before[to as usize]);
            let parent = evidence.skeleton.get(number).parent;
            let up = of_element.get(parent as usize).copied().unwrap_or(NONE);
            if hi - lo < 2 {
                if hi - lo == 1 && self.items[lo as usize].outer == NONE {
                    self.items[lo as usize].outer = number;
                }
                of_element.push(up);
                continue;
            }
            match self.boxes.get_mut(up as usize) {
                Some(around) if (around.lo, around.hi) == (lo, hi) => {
                    around.inner = number;
                    of_element.push(up);
                }
                _ => {
                    of_element.push(self.boxes.len() as u32);
                    let (branches, place, rank, best) = (0, 0, Rank::MAX, lo);
                    self.boxes.push(LabelBox {
                        lo,
                        hi,
                        up,
                        outer: number,
                        inner: number,
                        branches,
                        place,
                        rank,
                        best,
                    });
                    // Outer boxes come first, so the innermost one stays.
                    self.items[lo as usize..hi as usize]
                        .iter_mut()
                        .for_each(|item| item.up = self.boxes.len() as u32 - 1);
                }
            }
        }
    }

    /// Numbers the branches of each box, and counts those that look alike.
    fn place(&mut self, evidence: &Evidence) {
        // Boxes and items in document order; a box comes before its contents.
        let mut boxes = 0;
        for item in 0..self.items.len() {
            while let Some(this) = self.boxes.get(boxes).copied().filter(|this| this.lo as usize <= item) {
                if let Some(around) = self.boxes.get_mut(this.up as usize) {
                    around.branches += 1;
                    self.boxes[boxes].place = around.branches;
                }
                *self.twins.entry((this.up, evidence.skeleton.get(this.outer).sig)).or_default() += 1;
                boxes += 1;
            }
            let BoxItem { up, outer, .. } = self.items[item];
            if let Some(around) = self.boxes.get_mut(up as usize) {
                around.branches += 1;
                self.items[item].place = around.branches;
            }
            if let Some(element) = evidence.skeleton.elements.get(outer as usize) {
                *self.twins.entry((up, element.sig)).or_default() += 1;
            }
        }
    }

    pub(super) fn get(&self, number: u32) -> Option<&LabelBox> {
        self.boxes.get(number as usize)
    }

    /// The boxes around an item, the innermost first.
    pub(super) fn around(&self, item: u32) -> impl Iterator<Item = u32> + '_ {
        let first = Some(self.items[item as usize].up).filter(|&up| up != NONE);
        std::iter::successors(first, |&at| Some(self.boxes[at as usize].up).filter(|&up| up != NONE))
    }

    /// The innermost box that holds two items, and the branch of each; the number of boxes from each to it.
    pub(super) fn meet(&self, a: u32, b: u32) -> Meeting {
        let mut meeting = Meeting { at: NONE, branches: [Branch::Item(a), Branch::Item(b)], up: [0, 0] };
        for at in self.around(a) {
            if self.boxes[at as usize].holds(b) {
                meeting.at = at;
                break;
            }
            (meeting.branches[0], meeting.up[0]) = (Branch::Box(at), meeting.up[0] + 1);
        }
        for at in self.around(b).take_while(|&at| at != meeting.at) {
            (meeting.branches[1], meeting.up[1]) = (Branch::Box(at), meeting.up[1] + 1);
        }
        meeting
    }

    /// The first item of a branch, and one past the last.
    pub(super) fn range(&self, branch: Branch) -> (u32, u32) {
        match branch {
            Branch::Box(at) => (self.boxes[at as usize].lo, self.boxes[at as usize].hi),
            Branch::Item(at) => (at, at + 1),
        }
    }

    pub(super) fn place_of(&self, branch: Branch) -> u32 {
        match branch {
            Branch::Box(at) => self.boxes[at as usize].place,
            Branch::Item(at) => self.items[at as usize].place,
        }
    }

    /// The outermost element of a branch; `NONE` if it has none.
    pub(super) fn element_of(&self, branch: Branch) -> u32 {
        match branch {
            Branch::Box(at) => self.boxes[at as usize].outer,
            Branch::Item(at) => self.items[at as usize].outer,
        }
    }

    /// Number of branches of the same box that look like this one, itself included.
    pub(super) fn twins_of(&self, evidence: &Evidence, branch: Branch) -> u32 {
        let (up, element) = match branch {
            Branch::Box(at) => (self.boxes[at as usize].up, self.boxes[at as usize].outer),
            Branch::Item(at) => (self.items[at as usize].up, self.items[at as usize].outer),
        };
        let sig = evidence.skeleton.elements.get(element as usize).map(|element| element.sig);
        sig.and_then(|sig| self.twins.get(&(up, sig))).copied().unwrap_or(0)
    }
}

/// Where two items come together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    /// The innermost box that holds both; `NONE`: the page.
    pub(super) at: u32,
    /// The branches of that box that hold each.
    pub(super) branches: [Branch; 2],
    /// Number of boxes between each and that box.
    pub(super) up: [u32; 2],
}
