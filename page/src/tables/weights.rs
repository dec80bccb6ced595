//! The weights of the evidence, in the order of the measures. Written by `train/tables.py`; not by hand.

/// For the first row as header.
#[rustfmt::skip]
pub(crate) const TOP: [f32; 17] = [
    -0.11, // bias
    1.37, // words over numbers
    -1.02, // numbers
    1.90, // shorter
    -0.55, // shorter everywhere
    -1.01, // long
    0.02, // colons
    -0.83, // links
    -0.27, // capitals
    -0.37, // distinct
    0.96, // more distinct
    0.97, // first empty
    0.32, // others empty
    -1.25, // two places
    1.13, // shape unlike
    1.33, // matrix
    -0.38, // one line below
];

/// For a table as data.
#[rustfmt::skip]
pub(crate) const DATA: [f32; 28] = [
    -0.96, // bias
    1.00, // rows
    0.72, // columns
    -0.90, // one row
    -1.93, // one column
    -0.26, // rows of equal length
    -0.40, // holds a table
    -1.51, // inside a table
    0.42, // th
    1.42, // thead or scope
    2.33, // caption or summary
    0.01, // border
    -3.11, // images
    -3.00, // links
    -1.26, // controls
    -2.98, // empty
    1.75, // numbers
    -0.31, // prose
    -1.45, // words
    0.74, // longest
    -0.37, // blocks
    -0.67, // headings
    -0.41, // share of the page
    -0.44, // full-width rows
    -1.00, // matrix
    -1.24, // several links in a cell
    0.88, // top row unlike below
    1.71, // labels with colons
];
