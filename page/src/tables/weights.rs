//! The weights of the evidence, by the names of the measures. Written by `train/tables.py`; not by hand.

/// For the first row as header.
#[rustfmt::skip]
pub(crate) const TOP: &[(&str, f32)] = &[
    ("bias", -0.11),
    ("words over numbers", 1.37),
    ("numbers", -1.02),
    ("shorter", 1.90),
    ("shorter everywhere", -0.55),
    ("long", -1.01),
    ("colons", 0.02),
    ("links", -0.83),
    ("capitals", -0.27),
    ("distinct", -0.37),
    ("more distinct", 0.96),
    ("first empty", 0.97),
    ("others empty", 0.32),
    ("two places", -1.25),
    ("shape unlike", 1.13),
    ("matrix", 1.33),
    ("one line below", -0.38),
];

/// For a table as data.
#[rustfmt::skip]
pub(crate) const DATA: &[(&str, f32)] = &[
    ("bias", -0.96),
    ("rows", 1.00),
    ("columns", 0.72),
    ("one row", -0.90),
    ("one column", -1.93),
    ("rows of equal length", -0.26),
    ("holds a table", -0.40),
    ("inside a table", -1.51),
    ("th", 0.42),
    ("thead or scope", 1.42),
    ("caption or summary", 2.33),
    ("border", 0.01),
    ("images", -3.11),
    ("links", -3.00),
    ("controls", -1.26),
    ("empty", -2.98),
    ("numbers", 1.75),
    ("prose", -0.31),
    ("words", -1.45),
    ("longest", 0.74),
    ("blocks", -0.37),
    ("headings", -0.67),
    ("share of the page", -0.41),
    ("full-width rows", -0.44),
    ("matrix", -1.00),
    ("several links in a cell", -1.24),
    ("top row unlike below", 0.88),
    ("labels with colons", 1.71),
];
