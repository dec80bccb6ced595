//! The detector: which tables hold data, and which are only layout (`[OM05 §4.2.1]`).
//!
//! The print's three rules take every table of two rows and columns as a candidate, and page frames are such
//! tables. The default weighs evidence instead: what the cells hold (images, links, controls, numbers, long
//! text), what the markup declares (`th`, `thead`, `scope`, `caption`), and the table's size and place. Each
//! measure is a share, a flag or the logarithm of a size. The weights are learnt by `train/tables.py`.
//! Start at [`data_log_odds`]; the print's rules are [`is_data_by_rules`].

use std::sync::LazyLock;

use crate::measures::{self, MeasureSink, Weights};
use crate::reading::{NodeId, Page, PageTree};

use super::bands::{self, HeaderBands};
use super::clusters;
use super::features::{CellFeatures, Census, TableFeatures, TextKind};
use super::grid::Grid;
use super::{TableParams, weights};

/// The weights of the measures. A test checks that they match.
static WEIGHTS: LazyLock<Weights> =
    LazyLock::new(|| Weights::new(weights::DATA, &table_measure_names()).unwrap_or_default());

pub(crate) struct MeasuredTable<'a> {
    pub(crate) page: &'a Page,
    pub(crate) table: NodeId,
    pub(crate) grid: &'a Grid,
    pub(crate) features: &'a TableFeatures,
    pub(crate) bands: &'a HeaderBands,
}

/// Measures a table: evidence for and against data.
pub(crate) fn measure_table(measured: &MeasuredTable<'_>, measures: &mut impl MeasureSink) {
    let MeasuredTable { page, table, grid, features, bands } = *measured;
    let tree = &page.tree;
    let cells = &features.cells;
    let cell_share = |test: fn(&CellFeatures) -> bool| {
        cells.iter().filter(|cell| test(cell)).count() as f32 / cells.len().max(1) as f32
    };
    let texts = cells.iter().filter(|cell| cell.kind != TextKind::Empty).count().max(1) as f32;
    let words: Vec<u32> =
        cells.iter().filter(|cell| cell.kind != TextKind::Empty).map(|cell| cell.words).collect();
    let mean = words.iter().sum::<u32>() as f32 / texts;
    let longest = words.iter().copied().max().unwrap_or(0) as f32;
    let (n_rows, n_columns) = (grid.rows.len(), grid.columns);
    let leaves = page.leaves.range_under(tree, table).len() as f32;
    let log = |n: f32| (1.0 + n).log2();
    measures.add("bias", 1.0);
    measures.add("rows", log(n_rows as f32).min(5.0));
    measures.add("columns", log(n_columns as f32).min(4.0));
    measures.flag("one row", n_rows <= 1);
    measures.flag("one column", n_columns <= 1);
    measures.add("rows of equal length", equal_rows(grid));
    measures.add("holds a table", cell_share(|cell| cell.tables > 0));
    measures.flag("inside a table", tree.ancestors(table).any(|above| tree.tag(above) == Some("table")));
    measures.add("th", cell_share(|cell| cell.is_th));
    measures.flag(
        "thead or scope",
        cells.iter().any(|cell| cell.in_head || cell.scope != super::features::HeaderScope::None),
    );
    measures.flag("caption or summary", is_described(tree, table));
    measures.flag("border", has_border(tree, table));
    measures.add("images", cell_share(|cell| cell.images > 0));
    measures.add("links", link_share(grid, features, bands));
    measures.add("controls", cell_share(|cell| cell.controls > 0));
    measures.add("empty", cell_share(|cell| cell.kind == TextKind::Empty));
    measures.add("numbers", cell_share(|cell| matches!(cell.kind, TextKind::Number | TextKind::Mixed)));
    measures.add("prose", cell_share(|cell| cell.kind == TextKind::Prose));
    measures.add("words", log(mean).min(6.0));
    measures.add("longest", log(longest).min(9.0));
    measures.add("blocks", cell_share(|cell| cell.blocks > 0));
    measures.add("headings", cell_share(|cell| cell.headings > 0));
    measures.add("share of the page", leaves / page.leaves.len().max(1) as f32);
    measures.add("full-width rows", bands.rows.wide.len() as f32 / n_rows.max(1) as f32);
    measures.add("matrix", bands::matrix_share(grid, features, bands));
    measures.add("several links in a cell", cell_share(|cell| cell.links > 1));
    measures.add("top row unlike below", bands.top.unlike);
    measures.add("labels with colons", bands.colons);
}

/// The names of the measures, in their order.
pub(crate) fn table_measure_names() -> Vec<String> {
    let Some(page) = measures::sample_page() else { return Vec::new() };
    let elements =
        |tag: &str| page.tree.node_ids().filter(|&node| page.tree.tag(node) == Some(tag)).collect::<Vec<_>>();
    let Some(&table) = elements("table").first() else { return Vec::new() };
    let grid = Grid::new(&page.tree, &elements("tr"), &TableParams::default());
    let features = TableFeatures::new(&page, &Census::new(&page.tree), &grid);
    let bands = HeaderBands::new(&grid, &features);
    let measured = MeasuredTable { page: &page, table, grid: &grid, features: &features, bands: &bands };
    measures::measure_names(|sink| measure_table(&measured, sink))
}

/// The share of texts below the header band that consist of links only.
fn link_share(grid: &Grid, features: &TableFeatures, bands: &HeaderBands) -> f32 {
    let mut is_body = vec![false; grid.rows.len()];
    bands.rows.body[bands.n_band_rows..].iter().for_each(|&row| is_body[row] = true);
    let cells = grid.cells.iter().zip(&features.cells);
    let texts: Vec<&CellFeatures> =
        cells.filter(|(cell, own)| is_body[cell.row] && own.chars > 0).map(|(_, own)| own).collect();
    super::lines::share(&texts, |cell| cell.link)
}

/// The share of rows that have the most frequent number of columns after spans are replicated.
pub(crate) fn equal_rows(grid: &Grid) -> f32 {
    let lengths = (0..grid.rows.len()).map(|row| grid.row(row).flatten().count() as u64);
    super::lines::most_frequent(lengths).1 as f32 / grid.rows.len().max(1) as f32
}

/// Whether `border` is greater than zero; without a value it counts as 1.
pub(crate) fn has_border(tree: &PageTree, table: NodeId) -> bool {
    tree.attr(table, "border").is_some_and(|border| {
        let border = border.trim();
        border.is_empty() || border.trim_start_matches('0').starts_with(|c: char| c.is_ascii_digit())
    })
}

fn is_described(tree: &PageTree, table: NodeId) -> bool {
    let has_caption = tree.children(table).any(|child| tree.tag(child) == Some("caption"));
    has_caption || tree.attr(table, "summary").is_some_and(|summary| !summary.trim().is_empty())
}

/// Whether the page itself declares the table as layout, by `role=presentation` or `role=none`.
fn is_declared_layout(tree: &PageTree, table: NodeId) -> bool {
    let role = tree.attr(table, "role").unwrap_or_default().trim();
    role.eq_ignore_ascii_case("presentation") || role.eq_ignore_ascii_case("none")
}

/// The first two rules of the print: a border, or at least two rows and columns; and rows of equal length.
pub(crate) fn is_regular(measured: &MeasuredTable<'_>, params: &TableParams) -> bool {
    let MeasuredTable { page, table, grid, .. } = *measured;
    let is_candidate = has_border(&page.tree, table) || grid.rows.len() >= 2 && grid.columns >= 2;
    is_candidate && equal_rows(grid) * 100.0 >= params.regular as f32
}

/// Whether a table is data by the print's rules: it is regular, and its cells cluster.
pub(crate) fn is_data_by_rules(measured: &MeasuredTable<'_>, params: &TableParams) -> bool {
    is_regular(measured, params) && clusters::has_two_clusters(measured.grid, measured.features, params)
}

/// The log odds that a table is data; the least number if the page declares the table as layout.
pub(crate) fn data_log_odds(measured: &MeasuredTable<'_>) -> f32 {
    if is_declared_layout(&measured.page.tree, measured.table) {
        return f32::MIN;
    }
    let mut row = Vec::new();
    measure_table(measured, &mut row);
    WEIGHTS.sum(&row)
}
