//! The weights of the evidence, in the order of the measures. Written by `train/tables.py`; not by hand.

use super::{detect, lines};

/// For the first row as header.
#[rustfmt::skip]
pub(crate) const TOP: [f32; lines::CONTENT.len()] = [
    -0.09, // bias
    1.36, // words over numbers
    -0.95, // numbers
    1.78, // shorter
    -0.40, // shorter everywhere
    -0.53, // long
    0.02, // colons
    -0.78, // links
    -0.27, // capitals
    -0.34, // distinct
    0.83, // more distinct
    0.85, // first empty
    0.34, // others empty
    -1.06, // two places
    1.20, // shape unlike
    1.19, // matrix
    -0.39, // one line below
];

/// For a table as data.
#[rustfmt::skip]
pub(crate) const DATA: [f32; detect::MEASURES.len()] = [
    -0.70, // bias
    1.00, // rows
    0.75, // columns
    -0.82, // one row
    -1.60, // one column
    -0.28, // rows of equal length
    -0.29, // holds a table
    -1.54, // inside a table
    0.04, // th
    1.51, // thead or scope
    2.06, // caption or summary
    -0.19, // border
    -2.77, // images
    -2.81, // links
    -1.20, // controls
    -2.79, // empty
    1.61, // numbers
    -0.25, // prose
    -1.29, // words
    0.54, // longest
    -0.31, // blocks
    -0.57, // headings
    -0.58, // share of the page
    -0.18, // full-width rows
    -0.75, // matrix
    -1.24, // several links in a cell
    0.83, // top row unlike below
    1.13, // labels with colons
];
