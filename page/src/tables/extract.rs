//! The extractor: records as attribute paths with values (`[OM05 §4.2.2]`).
//!
//! One scan over the roles keeps for each column the nearest header band above, for each row the nearest header
//! cells to the left, and the sections above. If the only headers are at the left, each column beside them is a
//! record; otherwise each row is. Cells are named by their index in the grid and texts are not copied, so spans
//! replicate nothing but numbers.
//! Invariant: every data cell with a leaf is in at least one field. Start at [`records`].

use super::grid::Grid;
use super::template::{Orientation, Role};

/// Most headers of a band, and most nested sections, that a path keeps: the outermost ones.
const MAX_BAND: usize = 8;

/// A value and the header cells that describe it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Header cells, outermost first, as indices into [`Grid::cells`]; empty if there are none.
    pub path: Vec<usize>,
    /// Index of the value's cell.
    pub cell: usize,
}

/// One thing that the table describes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Sections and header cells that name the record itself, outermost first.
    pub key: Vec<usize>,
    /// Its fields in page order.
    pub fields: Vec<Field>,
}

/// The header cells of a slot: sections, column headers and row headers, each outermost first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeaderPath {
    /// Full-width rows above.
    pub sections: Vec<usize>,
    /// Headers of its column.
    pub above: Vec<usize>,
    /// Headers of its row.
    pub before: Vec<usize>,
}

/// Calls `see` with the row, column, cell and header path of every data slot.
pub(crate) fn for_each_value(
    grid: &Grid,
    roles: &[Role],
    mut visit: impl FnMut(usize, usize, usize, &HeaderPath),
) {
    let mut bands: Vec<HeaderBand> = vec![HeaderBand::default(); grid.columns];
    let mut sections = HeaderBand::default();
    for row in 0..grid.rows.len() {
        let mut before = HeaderBand::default();
        let line = &roles[row * grid.columns..(row + 1) * grid.columns];
        let is_section = line.contains(&Role::Section);
        if !is_section {
            sections.close();
        }
        for (column, role) in line.iter().enumerate() {
            let Some(cell) = grid.at(row, column) else {
                before.close();
                continue;
            };
            // Data ends a run of headers: the next header of the same line begins a new band.
            match role {
                Role::Section => sections.push(cell),
                Role::ColumnHeader => bands[column].push(cell),
                Role::RowHeader => {
                    before.push(cell);
                    bands[column].close();
                }
                Role::Title => {}
                Role::Data => {
                    before.close();
                    bands[column].close();
                    let path = HeaderPath {
                        sections: sections.cells.clone(),
                        above: bands[column].cells.clone(),
                        before: before.cells.clone(),
                    };
                    visit(row, column, cell, &path);
                }
            }
        }
    }
}

/// Adjacent headers. The first header after a gap begins a new band.
#[derive(Clone, Default)]
struct HeaderBand {
    cells: Vec<usize>,
    is_closed: bool,
}

impl HeaderBand {
    fn push(&mut self, cell: usize) {
        if std::mem::take(&mut self.is_closed) {
            self.cells.clear();
        }
        if self.cells.last() != Some(&cell) && self.cells.len() < MAX_BAND {
            self.cells.push(cell);
        }
    }

    fn close(&mut self) {
        self.is_closed = true;
    }
}

/// The records of a table, in the order of its rows or columns. Only cells that pass `has_text` become fields.
pub(crate) fn records(
    grid: &Grid,
    roles: &[Role],
    orientation: Orientation,
    has_text: impl Fn(usize) -> bool,
) -> Vec<Record> {
    let mut found = Vec::new();
    if orientation.records_are_columns() {
        records_by_column(grid, roles, &has_text, &mut found);
    } else {
        records_by_row(grid, roles, &has_text, &mut found);
    }
    found.retain(|record: &Record| !record.fields.is_empty());
    found
}

fn records_by_row(grid: &Grid, roles: &[Role], has_text: &impl Fn(usize) -> bool, found: &mut Vec<Record>) {
    let mut at = None;
    for_each_value(grid, roles, |row, _, cell, path| {
        // A second header column begins another record in the same row.
        let key = [&path.sections[..], &path.before[..]].concat();
        let place = (row, path.before.clone());
        if at.as_ref() != Some(&place) {
            found.push(Record { key, fields: Vec::new() });
            at = Some(place);
        }
        let Some(record) = found.last_mut().filter(|_| has_text(cell)) else { return };
        let field = Field { path: path.above.clone(), cell };
        match record.fields.last_mut() {
            // A value over several columns counts once, under the headers that these columns have in common.
            Some(last) if last.cell == cell => {
                let common = last.path.iter().zip(&field.path).take_while(|(a, b)| a == b).count();
                last.path.truncate(common);
            }
            _ => record.fields.push(field),
        }
    });
}

fn records_by_column(
    grid: &Grid,
    roles: &[Role],
    has_text: &impl Fn(usize) -> bool,
    found: &mut Vec<Record>,
) {
    let mut last_row = None;
    let mut offset = 0;
    let mut before: Vec<usize> = Vec::new();
    for_each_value(grid, roles, |row, _, cell, path| {
        // The n-th value after a label belongs to the n-th record, whichever label column it follows.
        let is_next = last_row == Some(row) && before == path.before;
        offset = if is_next { offset + 1 } else { 0 };
        last_row = Some(row);
        before.clone_from(&path.before);
        if found.len() <= offset {
            found.resize(offset + 1, Record::default());
        }
        let is_repeat = offset > 0
            && found[..offset]
                .iter()
                .any(|other| other.fields.last().is_some_and(|field| field.cell == cell));
        if has_text(cell) && !is_repeat {
            let path = [&path.sections[..], &path.before[..]].concat();
            let is_same =
                found[offset].fields.last().is_some_and(|last| last.cell == cell && last.path == path);
            if !is_same {
                found[offset].fields.push(Field { path, cell });
            }
        }
    });
}
