//! What each slot of a grid is, and the orientation that follows (`[OM05 §4.2.2]`, figure 5).
//!
//! However header cells were found (`clusters`, `bands`), the result is a role a slot. Orientation is read
//! from the roles: whether headers stand at the top, at the left, and whether either recurs.
//! Start at [`Template`].

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
    /// Header rows and columns of which one kind recurs.
    #[serde(rename = "multi-header row-column")]
    MultiRowColumn,
}

impl Orientation {
    /// The name, as the data sets write it.
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

    /// From what was found.
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

    /// Whether each column beside the headers is a record, not each row.
    pub(crate) fn records_are_columns(self) -> bool {
        matches!(self, Orientation::Row | Orientation::MultiRow)
    }
}

/// What a slot is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Role {
    /// A value, or no cell at all.
    #[default]
    Data,
    /// Heads the cells below it.
    ColumnHeader,
    /// Heads the cells to its right.
    RowHeader,
    /// Stands over all columns and heads the rows that follow.
    Section,
    /// A full-width line before the table proper: names the table.
    Title,
}

impl Role {
    /// Whether it is a header cell of the table.
    #[must_use]
    pub fn is_header(self) -> bool {
        self != Role::Data
    }
}

/// The roles of a grid's slots, and the orientation.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    pub(crate) roles: Vec<Role>,
    pub(crate) orientation: Orientation,
}

impl Template {
    /// From lines: what each row is, and which columns are headers in the rows of data.
    pub(crate) fn of_lines(grid: &Grid, rows: &[Role], columns: &[bool]) -> Template {
        let mut roles = Vec::with_capacity(rows.len() * grid.columns);
        for &row in rows {
            roles.extend(columns.iter().map(|&is_header| match row {
                Role::Data if is_header => Role::RowHeader,
                other => other,
            }));
        }
        let is_band = |row: &Role| *row == Role::ColumnHeader;
        let heads = rows.iter().any(|row| matches!(row, Role::ColumnHeader | Role::Section));
        let bands = runs(rows.iter().map(is_band));
        let sections = rows.contains(&Role::Section);
        let lefts = runs(columns.iter().copied());
        let orientation = Orientation::new(heads, lefts > 0, sections || bands > 1, lefts > 1);
        Template { roles, orientation }
    }
}

/// How many runs of `true` there are.
fn runs(flags: impl Iterator<Item = bool>) -> usize {
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
