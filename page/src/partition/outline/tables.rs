//! Tables: header cells over their columns, and rows of names over rows of boxes.
//!
//! Most tables of news pages are only layout, so a row heads what is below it in two cases alone: it consists of
//! header cells, or it has one label in each cell and the next row has as many cells, most with several labels.
//! Empty cells hold no leaves and are not known here, so shorter rows are taken to fill the table from the right.

use super::draft::Draft;
use super::forest::{Forest, Part};
use super::parts;
use super::skeleton::NONE;
use super::tags::TagKind;

/// Whether a row is in a table whose first row consists of header cells.
pub(super) fn is_under_header(draft: &Draft<'_>, row: u32) -> bool {
    let above = draft.evidence.skeleton.get(row).parent;
    let Some(first) = draft.evidence.skeleton.children(table_of_rows(draft, above)).next() else {
        return false;
    };
    let first = match draft.evidence.skeleton.get(first).kind {
        TagKind::Rows => draft.evidence.skeleton.children(first).next(),
        _ => Some(first),
    };
    first.is_some_and(|first| first != row && header_cells(draft, first) >= 2)
}

/// The table that holds rows, or the element that does instead.
fn table_of_rows(draft: &Draft<'_>, rows: u32) -> u32 {
    let this = draft.evidence.skeleton.get(rows);
    let is_inside = this.kind == TagKind::Rows && this.parent != NONE;
    if is_inside { this.parent } else { rows }
}

/// The number of cells of a row if all that hold anything are header cells, otherwise 0.
fn header_cells(draft: &Draft<'_>, row: u32) -> usize {
    if draft.evidence.skeleton.get(row).kind != TagKind::Row {
        return 0;
    }
    let is_head = |cell: u32| draft.evidence.skeleton.get(cell).kind == TagKind::HeadCell;
    let mut cells = draft.evidence.skeleton.children(row).take(100);
    if cells.all(is_head) { draft.evidence.skeleton.children(row).take(100).count() } else { 0 }
}

/// Some rows of a table.
pub(super) enum RowGroup {
    /// A row that heads nothing.
    Plain(Part),
    /// Rows with their cells, under the names of the row that heads them.
    Columns { names: Vec<Part>, header: u32, below: Vec<(Part, Vec<Part>)> },
}

/// Which rows are under which; `None` if the parts are not rows.
pub(super) fn group_rows(draft: &Draft<'_>, parts: &[Part]) -> Option<Vec<RowGroup>> {
    let is_row =
        |part: &Part| part.element != NONE && draft.evidence.skeleton.get(part.element).kind == TagKind::Row;
    if parts.len() < 2 || !parts.iter().all(is_row) {
        return None;
    }
    let mut found = Vec::new();
    let mut at = 0;
    while at < parts.len() {
        let names = cells_with_names(draft, &parts[at]);
        let end = match names.len() {
            0 | 1 => at + 1,
            _ if header_cells(draft, parts[at].element) >= 2 => parts.len(),
            count => match parts.get(at + 1) {
                Some(next) if are_boxes(draft, next, count) => at + 2,
                _ => at + 1,
            },
        };
        found.push(if end == at + 1 {
            RowGroup::Plain(parts[at])
        } else {
            let below = parts[at + 1..end].iter().map(|row| (*row, cells(draft, row))).collect();
            RowGroup::Columns { names, header: parts[at].element, below }
        });
        at = end;
    }
    Some(found)
}

/// Puts rows under the rows that head them.
pub(super) fn join_rows(rows: Vec<RowGroup>, forest: &mut Forest) -> Vec<Part> {
    let mut made = Vec::new();
    for rows in rows {
        match rows {
            RowGroup::Plain(row) => made.push(row),
            RowGroup::Columns { names, header, below } => {
                made.extend(columns_under(names, header, &below, forest));
            }
        }
    }
    made
}

/// The labels of a row that has one in each cell.
fn cells_with_names(draft: &Draft<'_>, row: &Part) -> Vec<Part> {
    let cells = cells(draft, row);
    let is_header = row.element != NONE && header_cells(draft, row.element) >= 2;
    let is_number = |cell: &Part| draft.evidence.labels[cell.best as usize].is_number;
    let is_name = |cell: &Part| parts::is_lone(draft, cell) && (is_header || !is_number(cell));
    if cells.iter().all(is_name) { cells } else { Vec::new() }
}

fn cells(draft: &Draft<'_>, row: &Part) -> Vec<Part> {
    let is_whole =
        row.is_open() && row.inner != NONE && draft.evidence.skeleton.get(row.inner).kind == TagKind::Row;
    if is_whole { draft.parts(row.inner) } else { Vec::new() }
}

fn are_boxes(draft: &Draft<'_>, row: &Part, count: usize) -> bool {
    let cells = cells(draft, row);
    cells.len() == count && cells.iter().filter(|cell| cell.labels > 1).count() * 2 >= count
}

/// Puts each name over the cells of its column; cells to the left of the first name stay beside the names.
fn columns_under(
    names: Vec<Part>,
    header: u32,
    below: &[(Part, Vec<Part>)],
    forest: &mut Forest,
) -> Vec<Part> {
    let count = names.len();
    let mut tops = names;
    let mut beside = Vec::new();
    for (row, cells) in below {
        if cells.is_empty() {
            beside.push(*row);
            continue;
        }
        let extra = cells.len().saturating_sub(count);
        let skipped = count.saturating_sub(cells.len());
        beside.extend_from_slice(&cells[..extra]);
        for (cell, top) in cells[extra..].iter().zip(&mut tops[skipped..]) {
            forest.attach(top.best, cell);
            top.labels += cell.labels;
        }
    }
    for top in &mut tops {
        let head = top.best;
        let single = Part::single(head, forest.ranks[head as usize], top.element);
        *top = Part { labels: top.labels, ..single };
    }
    let joined = forest.list(&tops, header);
    let mut made = vec![joined];
    made.append(&mut beside);
    made
}
