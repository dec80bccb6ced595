//! Records of data tables: each cell goes under the header of its column, or of its row if columns have none.
//!
//! The headers place everything that [`tables`] classifies as data, whatever the boxes say; layout tables are
//! left alone. The outline inside a cell is kept. A column's header goes under the header above it, the
//! outermost header under the table's title, and the title under what heads the table. Then the way up from
//! every label of a table leaves the table header by header: there are no cycles. Start at [`place_cells`].

use std::collections::BTreeMap;
use std::ops::Range;

use super::result::Outline;
use super::skeleton::NONE;
use crate::Page;
use crate::tables::{self, DataTable, PlacedCell, Role};

/// Least number of values in a table that is used.
const LEAST_VALUES: usize = 4;

/// Puts the cells of data tables under their headers.
pub(super) fn place_cells(page: &Page, outline: &mut Outline) {
    for table in tables::tables(page) {
        if let Some(placed) = Placement::new(outline, &table) {
            placed.apply(outline);
        }
    }
}

/// The new places of one table's labels.
struct Placement {
    /// Cells in document order: the range of their labels, and the index of the label they go under; `None`: that
    /// of the table.
    cells: Vec<(Range<usize>, Option<usize>)>,
    /// The label outside that heads the table.
    above: Option<u32>,
}

impl Placement {
    /// Returns `None` if a label crosses the border of a cell, no cell has a header, or there are too few values.
    fn new(outline: &Outline, table: &DataTable) -> Option<Placement> {
        let placed = table.placed();
        let labels = labels_in(outline, &table.leaves)?;
        let mut cells = Vec::with_capacity(placed.len());
        let mut tops: BTreeMap<usize, usize> = BTreeMap::new();
        for cell in &placed {
            let own = labels_in(outline, &cell.leaves)?;
            tops.insert(cell.leaves.start, top(outline, &own)?);
            cells.push(own);
        }
        let values: Vec<&Range<usize>> = cells
            .iter()
            .zip(&placed)
            .filter(|(_, cell)| !cell.role.is_header())
            .map(|(own, _)| own)
            .collect();
        // Cells with several labels are boxes, not values, and fewer values are no records.
        let held: usize = values.iter().map(|own| own.len()).sum();
        if values.len() < LEAST_VALUES || held * 2 > values.len() * 3 {
            return None;
        }
        let under = heads(&placed, &tops);
        if under.iter().all(Option::is_none) {
            return None;
        }
        let above = above(outline, &labels);
        Some(Placement { cells: cells.into_iter().zip(under).collect(), above })
    }

    fn apply(self, outline: &mut Outline) {
        let mut lists: BTreeMap<usize, u32> = BTreeMap::new();
        let mut next = outline.lists.iter().filter(|list| **list != NONE).max().map_or(0, |most| most + 1);
        for (own, head) in self.cells {
            let list = match head {
                None => NONE,
                Some(head) => *lists.entry(head).or_insert_with(|| {
                    next += 1;
                    next - 1
                }),
            };
            for label in own.clone() {
                let is_top = outline.parents[label].is_none_or(|above| !own.contains(&(above as usize)));
                if is_top && head != Some(label) {
                    outline.parents[label] = head.map_or(self.above, |head| Some(head as u32));
                    outline.lists[label] = list;
                }
            }
        }
    }
}

/// The label that each cell goes under.
fn heads(placed: &[PlacedCell], tops: &BTreeMap<usize, usize>) -> Vec<Option<usize>> {
    let top = |leaves: &Range<usize>| tops.get(&leaves.start).copied();
    let title = placed.iter().find(|cell| cell.role == Role::Title).and_then(|cell| top(&cell.leaves));
    // By header: the header over it.
    let mut over: BTreeMap<usize, usize> = BTreeMap::new();
    for cell in placed {
        for path in [&cell.above, &cell.before] {
            for pair in path.windows(2) {
                if let (Some(outer), Some(inner)) = (top(&pair[0]), top(&pair[1]))
                    && outer < inner
                {
                    over.entry(inner).or_insert(outer);
                }
            }
        }
    }
    let head = |cell: &PlacedCell| {
        let own = top(&cell.leaves);
        let header = cell.above.last().or(cell.before.last()).or(cell.sections.last());
        let header = header.and_then(&top).or_else(|| own.and_then(|own| over.get(&own).copied()));
        // A header comes before the cells that it heads.
        header.or(title).filter(|head| own.is_some_and(|own| *head < own))
    };
    placed.iter().map(head).collect()
}

/// The labels of a range of leaves; `None` if it has none or one crosses its ends.
fn labels_in(outline: &Outline, leaves: &Range<usize>) -> Option<Range<usize>> {
    let place = |leaf: usize| outline.labels.partition_point(|label| (label.start as usize) < leaf);
    let own = place(leaves.start)..place(leaves.end);
    let first = outline.labels.get(own.start)?;
    let last = outline.labels.get(own.end.checked_sub(1)?)?;
    (first.start as usize == leaves.start && last.end as usize <= leaves.end && !own.is_empty())
        .then_some(own)
}

/// The first label of a cell that is under no other label of the cell.
fn top(outline: &Outline, own: &Range<usize>) -> Option<usize> {
    own.clone().find(|&label| outline.parents[label].is_none_or(|above| !own.contains(&(above as usize))))
}

/// The label that heads the table: the first one outside above the table's first label, unless the way up from it
/// leads back into the table.
fn above(outline: &Outline, labels: &Range<usize>) -> Option<u32> {
    let mut up = outline.parents[labels.start];
    while let Some(label) = up.filter(|label| labels.contains(&(*label as usize))) {
        up = outline.parents[label as usize];
    }
    let found = up;
    while let Some(label) = up {
        if labels.contains(&(label as usize)) {
            return None;
        }
        up = outline.parents[label as usize];
    }
    found
}
