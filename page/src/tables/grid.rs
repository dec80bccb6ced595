//! The cleaner: a table's cells with every column and row span replicated into a full grid (`[OM05 §4.2.2]`).
//!
//! Rows are the table's own `tr`, not those of nested tables. Spans follow the HTML standard (at most 1,000
//! columns; a row span of 0 reaches the end) but end at the last row there is, so that a row span of 65,534
//! costs nothing. Where two cells claim a slot, the earlier one keeps it: a cell goes to the next free slot and
//! never overwrites another.
//! Invariants: `cells` are in document order; a slot holds the cell that covers it; `max_slots` and
//! `max_columns` bound the work, and a grid that they cut is marked as cut. Start at [`Grid::new`].

use crate::reading::{NodeId, PageTree};

use super::TableParams;

/// A slot without a cell, where a row is shorter than the table.
const EMPTY_SLOT: u32 = u32::MAX;
/// The standard's largest column span.
const MAX_COLSPAN: u32 = 1000;

/// A `td` or `th` and the rectangle of slots that it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The element.
    pub node: NodeId,
    /// First row, from 0.
    pub row: usize,
    /// First column, from 0.
    pub column: usize,
    /// Rows covered, at least 1.
    pub rows: usize,
    /// Columns covered, at least 1.
    pub columns: usize,
}

/// A table as a full grid.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    /// The `tr` elements, one for each row.
    pub rows: Vec<NodeId>,
    /// Number of columns: the width of the widest row.
    pub columns: usize,
    /// The cells in document order.
    pub cells: Vec<Cell>,
    /// Whether the limits cut rows or columns.
    pub is_cut: bool,
    slots: Vec<u32>,
}

impl Grid {
    /// The grid of a table with these rows of its own.
    #[must_use]
    pub fn new(tree: &PageTree, rows: &[NodeId], params: &TableParams) -> Grid {
        let mut builder =
            GridBuilder { params, lines: Vec::new(), open: Vec::new(), cells: Vec::new(), used: 0 };
        let is_cut = !rows.iter().enumerate().all(|(row, &tr)| builder.add_row(tree, row, tr, rows.len()));
        builder.build(rows, is_cut)
    }

    /// The cell that covers a slot, as an index into `cells`.
    #[must_use]
    pub fn at(&self, row: usize, column: usize) -> Option<usize> {
        let slot = *self.slots.get(row.checked_mul(self.columns)?.checked_add(column)?)?;
        (column < self.columns && slot != EMPTY_SLOT).then_some(slot as usize)
    }

    /// The cell over each slot of a row, from the left; a cell with spans comes once for each slot.
    pub fn row(&self, row: usize) -> impl DoubleEndedIterator<Item = Option<usize>> + '_ {
        (0..self.columns).map(move |column| self.at(row, column))
    }

    /// The cell over each slot of a column, from the top.
    pub fn column(&self, column: usize) -> impl DoubleEndedIterator<Item = Option<usize>> + '_ {
        (0..self.rows.len()).map(move |row| self.at(row, column))
    }
}

/// A cell that reaches down into the following rows.
#[derive(Clone, Copy)]
struct OpenSpan {
    cell: u32,
    rows_left: usize,
}

struct GridBuilder<'a> {
    params: &'a TableParams,
    lines: Vec<Vec<u32>>,
    /// By column: the cell that reaches down into the next row.
    open: Vec<Option<OpenSpan>>,
    cells: Vec<Cell>,
    used: usize,
}

impl GridBuilder<'_> {
    /// Adds a row. Returns false if the limits end the table here.
    fn add_row(&mut self, tree: &PageTree, row: usize, tr: NodeId, n_rows: usize) -> bool {
        // First the slots that cells of earlier rows cover, then this row's own cells in the slots that are left.
        let mut line = vec![EMPTY_SLOT; self.open.len()];
        for (slot, open) in line.iter_mut().zip(&mut self.open) {
            if let Some(reaching) = open {
                *slot = reaching.cell;
                reaching.rows_left -= 1;
                *open = Some(*reaching).filter(|reaching| reaching.rows_left > 0);
            }
        }
        while self.open.pop_if(|open| open.is_none()).is_some() {}
        // A cell that ends in this row is no longer open, but still covers its slots here.
        while line.pop_if(|slot| *slot == EMPTY_SLOT).is_some() {}
        let mut at = 0;
        for node in tree.children(tr).filter(|&child| matches!(tree.tag(child), Some("td" | "th"))) {
            while line.get(at).is_some_and(|slot| *slot != EMPTY_SLOT) {
                at += 1;
            }
            if at >= self.params.max_columns {
                self.used = usize::MAX;
                break;
            }
            at = self.add_cell(tree, &mut line, node, row, at, n_rows);
        }
        self.used = self.used.saturating_add(line.len());
        if self.used > self.params.max_slots {
            return false;
        }
        self.lines.push(line);
        true
    }

    /// Puts a cell at a free slot and returns the column after it.
    fn add_cell(
        &mut self,
        tree: &PageTree,
        line: &mut Vec<u32>,
        node: NodeId,
        row: usize,
        column: usize,
        n_rows: usize,
    ) -> usize {
        let colspan = parse_span(tree, node, "colspan").clamp(1, MAX_COLSPAN) as usize;
        let below = n_rows - row;
        let rows = match parse_span(tree, node, "rowspan") as usize {
            0 if tree.attr(node, "rowspan").is_some() => below,
            rows => rows.clamp(1, below),
        };
        let free = (column..).take_while(|&at| line.get(at).is_none_or(|slot| *slot == EMPTY_SLOT));
        let columns = free.take(colspan.min(self.params.max_columns - column)).count();
        let id = self.cells.len() as u32;
        let end = column + columns;
        line.resize(line.len().max(end), EMPTY_SLOT);
        line[column..end].fill(id);
        if rows > 1 {
            self.open.resize(self.open.len().max(end), None);
            self.open[column..end].fill(Some(OpenSpan { cell: id, rows_left: rows - 1 }));
        }
        self.cells.push(Cell { node, row, column, rows, columns });
        end
    }

    fn build(mut self, rows: &[NodeId], mut is_cut: bool) -> Grid {
        let columns = self.lines.iter().map(Vec::len).max().unwrap_or(0);
        // The grid is rows times the longest row: with one long row, many short ones may be too many.
        let most = self.params.max_slots / columns.max(1);
        is_cut |= self.lines.len() > most;
        self.lines.truncate(most);
        let n_rows = self.lines.len();
        let n_cells = self.cells.partition_point(|cell| cell.row < n_rows);
        self.cells.truncate(n_cells);
        for cell in &mut self.cells {
            cell.rows = cell.rows.min(n_rows - cell.row);
        }
        let mut slots = vec![EMPTY_SLOT; columns * n_rows];
        for (line, slots) in self.lines.iter().zip(slots.chunks_mut(columns.max(1))) {
            slots[..line.len()].copy_from_slice(line);
        }
        Grid { rows: rows[..n_rows].to_vec(), columns, cells: self.cells, is_cut, slots }
    }
}

/// A span as the standard parses it: digits after white space, the rest ignored; 1 without digits.
fn parse_span(tree: &PageTree, node: NodeId, name: &str) -> u32 {
    let text = tree.attr(node, name).unwrap_or_default().trim_ascii_start();
    let text = text.strip_prefix('+').unwrap_or(text);
    let digits = text.bytes().take_while(u8::is_ascii_digit);
    let mut digits = digits.peekable();
    if digits.peek().is_none() {
        return 1;
    }
    digits.fold(0_u32, |value, digit| value.saturating_mul(10).saturating_add(u32::from(digit - b'0')))
}
