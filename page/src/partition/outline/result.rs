//! The outline of a page: its labels, and which is under which.

use std::ops::Range;

/// Which label is under which.
pub(crate) struct Outline {
    /// The leaves of each label, in order.
    pub(super) labels: Vec<Range<u32>>,
    /// The label above each; `None` at the top.
    pub(super) parents: Vec<Option<u32>>,
    /// The number of the list of similar siblings that each label is in; `NONE`: no list.
    pub(super) lists: Vec<u32>,
    /// The first leaf of each block except the first one, ascending.
    pub(super) boundaries: Vec<u32>,
}
