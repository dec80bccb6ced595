//! The weights of the evidence, in the order of the measures. Written by `train/tables.py`; not by hand.

use super::{detect, lines};

/// For the first row as header.
#[rustfmt::skip]
pub(crate) const TOP: [f32; lines::CONTENT.len()] = [
    -0.13, // bias
    1.10, // words over numbers
    -0.87, // numbers
    1.70, // shorter
    -0.61, // shorter everywhere
    -0.57, // long
    0.07, // colons
    -0.07, // links
    0.02, // capitals
    -0.02, // distinct
    0.61, // more distinct
    0.67, // first empty
    -0.08, // others empty
    -0.86, // two places
    0.50, // shape unlike
    0.94, // matrix
];

/// For a table as data.
#[rustfmt::skip]
pub(crate) const DATA: [f32; detect::MEASURES.len()] = [
    -0.91, // bias
    0.97, // rows
    0.63, // columns
    -0.63, // one row
    -1.43, // one column
    -0.62, // rows of equal length
    -0.20, // holds a table
    -1.41, // inside a table
    1.17, // th
    0.86, // thead or scope
    1.67, // caption or summary
    -0.21, // border
    -2.25, // images
    -2.79, // links
    -0.55, // controls
    -2.01, // empty
    1.28, // numbers
    -0.48, // prose
    -0.90, // words
    0.40, // longest
    -0.52, // blocks
    -0.50, // headings
    -0.57, // share of the page
    0.07, // full-width rows
    0.92, // top header
    0.22, // left header
    -0.84, // matrix
    -0.80, // several links in a cell
    0.00, // said to be layout
    0.32, // unlike looks
];
