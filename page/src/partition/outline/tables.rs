//! Tables: header cells over their columns, and rows of names over rows of boxes.
//!
//! Most tables of news pages only lay out, so a row heads what is below it in two cases alone: it is made
//! of header cells, or it holds one label a cell and the next row as many cells with more in them. Empty
//! cells hold no leaves and are not known here: shorter rows are taken to fill the table from the right.

use super::compose::Composer;
use super::forest::Part;
use super::skeleton::NONE;
use super::tags::Kind;

impl Composer<'_> {
    /// Whether a row stands in a table whose first row is made of header cells.
    pub(super) fn is_under_header(&self, row: u32) -> bool {
        let above = self.skeleton.get(row).parent;
        let Some(first) = self.skeleton.children(self.table(above)).next() else { return false };
        let first = match self.skeleton.get(first).kind {
            Kind::Rows => self.skeleton.children(first).next(),
            _ => Some(first),
        };
        first.is_some_and(|first| first != row && self.header_cells(first) >= 2)
    }

    /// The table that holds rows, or what else does.
    fn table(&self, rows: u32) -> u32 {
        let this = self.skeleton.get(rows);
        let is_inside = this.kind == Kind::Rows && this.parent != NONE;
        if is_inside { this.parent } else { rows }
    }

    /// Cells of a row if all that hold anything are header cells.
    fn header_cells(&self, row: u32) -> usize {
        if self.skeleton.get(row).kind != Kind::Row {
            return 0;
        }
        let is_head = |cell: u32| self.skeleton.get(cell).kind == Kind::HeadCell;
        let mut cells = self.skeleton.children(row).take(100);
        if cells.all(is_head) { self.skeleton.children(row).take(100).count() } else { 0 }
    }

    /// Puts rows under the rows that head them.
    pub(super) fn join_rows(&mut self, parts: Vec<Part>) -> Vec<Part> {
        let is_row = |part: &Part| part.element != NONE && self.skeleton.get(part.element).kind == Kind::Row;
        if parts.len() < 2 || !parts.iter().all(is_row) {
            return parts;
        }
        let mut made = Vec::new();
        let mut at = 0;
        while at < parts.len() {
            let names = self.names(&parts[at]);
            let end = match names.len() {
                0 | 1 => at + 1,
                _ if self.header_cells(parts[at].element) >= 2 => parts.len(),
                count => match parts.get(at + 1) {
                    Some(next) if self.are_boxes(next, count) => at + 2,
                    _ => at + 1,
                },
            };
            if end == at + 1 {
                made.push(parts[at]);
            } else {
                made.extend(self.columns_under(&names, &parts[at], &parts[at + 1..end]));
            }
            at = end;
        }
        made
    }

    /// The labels of a row that has one in each cell.
    fn names(&self, row: &Part) -> Vec<Part> {
        let cells = self.cells(row);
        let is_header = row.element != NONE && self.header_cells(row.element) >= 2;
        let is_number = |cell: &Part| self.labels[cell.best as usize].is_number;
        let is_name = |cell: &Part| self.is_lone(cell) && (is_header || !is_number(cell));
        if cells.iter().all(is_name) { cells } else { Vec::new() }
    }

    fn cells(&self, row: &Part) -> Vec<Part> {
        let is_whole = row.is_open() && row.inner != NONE && self.skeleton.get(row.inner).kind == Kind::Row;
        if is_whole { self.parts(row.inner) } else { Vec::new() }
    }

    fn are_boxes(&self, row: &Part, count: usize) -> bool {
        let cells = self.cells(row);
        cells.len() == count && cells.iter().filter(|cell| cell.labels > 1).count() * 2 >= count
    }

    /// Each name over the cells of its column; cells left of the first name stay beside the names.
    fn columns_under(&mut self, names: &[Part], header: &Part, rows: &[Part]) -> Vec<Part> {
        let mut tops: Vec<Part> = names.to_vec();
        let mut beside = Vec::new();
        for row in rows {
            let cells = self.cells(row);
            if cells.is_empty() {
                beside.push(*row);
                continue;
            }
            let extra = cells.len().saturating_sub(names.len());
            let skipped = names.len().saturating_sub(cells.len());
            beside.extend_from_slice(&cells[..extra]);
            for (cell, top) in cells[extra..].iter().zip(&mut tops[skipped..]) {
                self.forest.attach(top.best, cell);
                top.labels += cell.labels;
            }
        }
        for top in &mut tops {
            let head = top.best;
            let single = Part::single(head, self.forest.ranks[head as usize], top.element);
            *top = Part { labels: top.labels, ..single };
        }
        let joined = self.forest.list(&tops, header.element);
        let mut made = vec![joined];
        made.append(&mut beside);
        made
    }
}
