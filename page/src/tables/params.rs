//! The parameters of the table algorithms: every number that changes what is found, in one value.
//!
//! `paper` follows the print; `default` differs where measurement says so.

use crate::preset::Preset;

/// How genuine tables are told from layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Detection {
    /// The three rules of `[OM05 §4.2.1]`.
    Rules,
    /// The weighted evidence of the table, see `detect`.
    Evidence,
}

/// How header cells are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Headers {
    /// Cells that cluster with the first cell, `[OM05 §4.2.2]`.
    Clusters,
    /// Markup first, then rows and columns that look unlike the cells they would head.
    Bands,
}

/// Parameters of the table algorithms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TableParams {
    /// The preset these come from.
    pub name: &'static str,
    /// How genuine tables are told from layout.
    pub detection: Detection,
    /// How header cells are found.
    pub headers: Headers,
    /// Second and third rule of the detector, in per cent: rows of equal length; cells of a row or column
    /// in one cluster.
    pub regular: u32,
    /// Cells of a row or column nearer to one another than this, in per cent of the largest distance, are
    /// one cluster.
    pub one_cluster: u32,
    /// Evidence from which on a table is data, in thousandths of the logarithm of the odds.
    pub data_from: i32,
    /// Slots of one table's grid at most; rows beyond are left out.
    pub max_slots: usize,
    /// Columns of a grid at most.
    pub max_columns: usize,
    /// Slots of all grids of a page at most; tables beyond are taken for layout.
    pub max_page_slots: usize,
}

impl Default for TableParams {
    fn default() -> TableParams {
        TableParams {
            name: "default",
            detection: Detection::Evidence,
            headers: Headers::Bands,
            ..TableParams::paper()
        }
    }
}

impl TableParams {
    /// The print: thresholds of 80 %.
    #[must_use]
    pub fn paper() -> TableParams {
        TableParams {
            name: "paper",
            detection: Detection::Rules,
            headers: Headers::Clusters,
            regular: 80,
            one_cluster: 25,
            data_from: 0,
            max_slots: 200_000,
            max_columns: 1000,
            max_page_slots: 1_000_000,
        }
    }

    /// Those of a preset.
    #[must_use]
    pub fn new(preset: Preset) -> TableParams {
        match preset {
            Preset::Default => TableParams::default(),
            Preset::Paper => TableParams::paper(),
        }
    }
}
