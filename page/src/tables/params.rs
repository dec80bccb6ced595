//! The parameters of the table algorithms: every number that changes what is found.
//!
//! `paper` follows the print; `default` differs where measurements favour it.

use crate::preset::Preset;

/// How data tables are distinguished from layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Detection {
    /// The three rules of `[OM05 §4.2.1]`.
    Rules,
    /// The weighted evidence of the table; see `detect`.
    Evidence,
}

/// How header cells are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Headers {
    /// Cells that cluster with the first cell, `[OM05 §4.2.2]`.
    Clusters,
    /// Markup first, then rows and columns that look different from the cells they would head.
    Bands,
}

/// Parameters of the table algorithms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TableParams {
    /// The preset that these parameters come from.
    pub name: &'static str,
    /// How data tables are distinguished from layout.
    pub detection: Detection,
    /// How header cells are found.
    pub headers: Headers,
    /// Least share in the second and third rule of the detector, in per cent: of rows of equal length, and of the
    /// cells of a row or column in one cluster.
    pub regular: u32,
    /// Cells of a row or column are one cluster if they are closer to their mean than this, in per cent of the
    /// largest distance.
    pub one_cluster: u32,
    /// Evidence above which a table is data, in thousandths of the log odds.
    pub data_from: i32,
    /// Most slots of one table's grid; later rows are left out.
    pub max_slots: usize,
    /// Most columns of a grid.
    pub max_columns: usize,
    /// Most slots of all grids of a page; later tables count as layout.
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
    /// As printed: thresholds of 80 %.
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

    /// The parameters of a preset.
    #[must_use]
    pub fn new(preset: Preset) -> TableParams {
        match preset {
            Preset::Default => TableParams::default(),
            Preset::Paper => TableParams::paper(),
        }
    }
}
