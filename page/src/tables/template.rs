//! The role of each slot of a grid, and the resulting orientation (`[OM05 §4.2.2]`, figure 5).
//!
//! Both ways to find header cells (`clusters`, `bands`) give each slot a role. The roles tell the orientation:
//! whether headers are at the top or at the left, and whether either recurs.
//! Start at [`TableTemplate`].

use super::grid::Grid;

/// The orientations of figure 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub enum Orientation {
    /// Records without headers.
    #[serde(rename = "none")]
    None,
    /// Header rows at the top: each row below is a record.
    #[serde(rename = "column")]
    Column,
    /// Header columns at the left: each column beside them is a record.
    #[serde(rename = "row")]
    Row,
    /// Both: each cell belongs to a pair of attributes.
    #[serde(rename = "row-column")]
    RowColumn,
    /// Header rows that recur further down, sections included.
    #[serde(rename = "multi-header column")]
    MultiColumn,
    /// Header columns that recur further right.
    #[serde(rename = "multi-header row")]
    MultiRow,
    /// Header rows and columns, at least one of which recur.
    #[serde(rename = "multi-header row-column")]
    MultiRowColumn,
}

impl Orientation {
    /// The name as in the data sets.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Orientation::None => "none",
            Orientation::Column => "column",
            Orientation::Row => "row",
            Orientation::RowColumn => "row-column",
            Orientation::MultiColumn => "multi-header column",
            Orientation::MultiRow => "multi-header row",
            Orientation::MultiRowColumn => "multi-header row-column",
        }
    }

    /// The orientation of a table with header rows or columns, which may recur.
    pub(crate) fn new(rows: bool, columns: bool, rows_recur: bool, columns_recur: bool) -> Orientation {
        match (rows, columns, rows_recur, columns_recur) {
            (true, true, false, false) => Orientation::RowColumn,
            (true, true, _, _) => Orientation::MultiRowColumn,
            (true, false, true, _) => Orientation::MultiColumn,
            (true, false, false, _) => Orientation::Column,
            (false, true, _, true) => Orientation::MultiRow,
            (false, true, _, false) => Orientation::Row,
            (false, false, _, _) => Orientation::None,
        }
    }

    /// Whether the records are the columns beside the headers instead of the rows.
    pub(crate) fn records_are_columns(self) -> bool {
        matches!(self, Orientation::Row | Orientation::MultiRow)
    }
}

/// The role of a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Role {
    /// A value, or no cell at all.
    #[default]
    Data,
    /// Heads the cells below it.
    ColumnHeader,
    /// Heads the cells to its right.
    RowHeader,
    /// Spans all columns and heads the rows that follow.
    Section,
    /// A full-width line above the table proper that names the table.
    Title,
}

impl Role {
    /// Whether it is any kind of header: everything but data.
    #[must_use]
    pub fn is_header(self) -> bool {
        self != Role::Data
    }
}

/// The roles of a grid's slots, and its orientation.
#[derive(Clone, Debug)]
pub(crate) struct TableTemplate {
    pub(crate) roles: Vec<Role>,
    pub(crate) orientation: Orientation,
}

impl TableTemplate {
    /// Builds a template from the role of each row and the columns that are headers in data rows.
    pub(crate) fn from_lines(grid: &Grid, rows: &[Role], columns: &[bool]) -> TableTemplate {
        let mut roles = Vec::with_capacity(rows.len() * grid.columns);
        for &row in rows {
            roles.extend(columns.iter().map(|&is_header| match row {
                Role::Data if is_header => Role::RowHeader,
                other => other,
            }));
        }
        let is_band = |row: &Role| *row == Role::ColumnHeader;
        let heads = rows.iter().any(|row| matches!(row, Role::ColumnHeader | Role::Section));
        let bands = count_runs(rows.iter().map(is_band));
        let sections = rows.contains(&Role::Section);
        let lefts = count_runs(columns.iter().copied());
        let orientation = Orientation::new(heads, lefts > 0, sections || bands > 1, lefts > 1);
        TableTemplate { roles, orientation }
    }
}

/// The number of runs of `true`.
fn count_runs(flags: impl Iterator<Item = bool>) -> usize {
    let mut before = false;
    flags
        .filter(|&flag| {
            flag && !std::mem::replace(&mut before, flag) || {
                before = flag;
                false
            }
        })
        .count()
}
