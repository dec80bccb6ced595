//! Data tables: which `table` elements hold records, how they are oriented, and the records (`[OM05 §4.2]`).
//!
//! There are four steps. The cleaner (`grid`) replicates spans into a full grid. The detector (`detect`) tells
//! data from layout. The template identifier finds the header cells (`clusters` as in the print, `bands` by
//! default) and with them one of seven orientations (`template`). The extractor (`extract`) reads the records.
//! `features` holds the features of a cell, `lines` those of a row or column. A nested table is a table of its own.
//! Invariants: a function of page and parameters; no recursion; the slots that the parameters allow bound work
//! and memory. Start at [`tables`].

mod bands;
mod clusters;
mod detect;
mod extract;
mod features;
mod grid;
mod lines;
mod params;
mod template;
#[cfg(test)]
mod tests;
mod weights;

use std::ops::Range;

use crate::reading::{NodeId, Page, PageTree};
use rustc_hash::FxHashMap;

use self::bands::HeaderBands;
use self::features::{Census, TableFeatures};
use self::template::TableTemplate;

pub use self::extract::{Field, HeaderPath, Record};
pub use self::grid::{Cell, Grid};
pub use self::params::{Detection, Headers, TableParams};
pub use self::template::{Orientation, Role};

/// Longest text of a cell in [`DataTable::text`], in characters.
const MAX_TEXT: usize = 2000;

/// A table that holds data.
#[derive(Clone, Debug)]
pub struct DataTable {
    /// The element.
    pub node: NodeId,
    /// Its index among all `table` elements of the page, layout tables included, from 0.
    pub index: usize,
    /// Its leaves, caption and nested tables included.
    pub leaves: Range<usize>,
    /// The leaves of its `caption`.
    pub caption: Option<Range<usize>>,
    /// How it is oriented.
    pub orientation: Orientation,
    /// Its cells.
    pub grid: Grid,
    roles: Vec<Role>,
    cell_leaves: Vec<Range<usize>>,
}

/// A cell in leaf numbers, with the cells that head it, as a hierarchy needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedCell {
    /// Its leaves; never empty.
    pub leaves: Range<usize>,
    /// The role of the cell.
    pub role: Role,
    /// The leaves of each section over it, outermost first.
    pub sections: Vec<Range<usize>>,
    /// The leaves of each header of its column, outermost first.
    pub above: Vec<Range<usize>>,
    /// The leaves of each header of its row, outermost first.
    pub before: Vec<Range<usize>>,
}

impl DataTable {
    /// The role of a slot; `Data` beyond the grid.
    #[must_use]
    pub fn role(&self, row: usize, column: usize) -> Role {
        let slot = (column < self.grid.columns).then(|| row * self.grid.columns + column);
        slot.and_then(|slot| self.roles.get(slot).copied()).unwrap_or_default()
    }

    /// The slots that are header cells, row by row.
    #[must_use]
    pub fn header_slots(&self) -> Vec<(usize, usize)> {
        let columns = self.grid.columns;
        let headers = self.roles.iter().enumerate().filter(|(_, role)| role.is_header());
        headers
            .map(|(slot, _)| (slot / columns, slot % columns))
            .filter(|&(row, column)| self.grid.at(row, column).is_some())
            .collect()
    }

    /// The leaves of a cell; `cell` is an index into the grid's cells.
    #[must_use]
    pub fn cell_leaves(&self, cell: usize) -> Range<usize> {
        self.cell_leaves.get(cell).cloned().unwrap_or_default()
    }

    /// The text of a cell of the grid: its leaves joined by spaces, at most 2,000 characters.
    #[must_use]
    pub fn text(&self, page: &Page, cell: usize) -> String {
        joined_text(page, self.cell_leaves(cell))
    }

    /// The table's titles: its caption and the full-width lines above the table proper.
    #[must_use]
    pub fn titles(&self, page: &Page) -> Vec<String> {
        let is_title = |cell: &&Cell| self.role(cell.row, cell.column) == Role::Title;
        let cells = self.grid.cells.iter().enumerate().filter(|(_, cell)| is_title(cell));
        let texts = self.caption.clone().into_iter().map(|leaves| joined_text(page, leaves));
        texts.chain(cells.map(|(cell, _)| self.text(page, cell))).filter(|text| !text.is_empty()).collect()
    }

    /// The records, in page order.
    #[must_use]
    pub fn records(&self) -> Vec<Record> {
        extract::records(&self.grid, &self.roles, self.orientation, |cell| !self.cell_leaves(cell).is_empty())
    }

    /// All cells with leaves, once each, in document order, with the leaves of the cells that head them. A cell over
    /// several slots has the headers of its first data slot; a header has none.
    #[must_use]
    pub fn placed(&self) -> Vec<PlacedCell> {
        let mut paths: Vec<Option<HeaderPath>> = vec![None; self.grid.cells.len()];
        extract::for_each_value(&self.grid, &self.roles, |_, _, cell, path| {
            if paths[cell].is_none() {
                paths[cell] = Some(path.clone());
            }
        });
        let leaves = |cells: &[usize]| -> Vec<Range<usize>> {
            cells.iter().map(|&cell| self.cell_leaves(cell)).filter(|leaves| !leaves.is_empty()).collect()
        };
        let cells = self.grid.cells.iter().zip(paths).enumerate();
        cells
            .filter(|(cell, _)| !self.cell_leaves(*cell).is_empty())
            .map(|(at, (cell, path))| {
                let path = path.unwrap_or_default();
                PlacedCell {
                    leaves: self.cell_leaves(at),
                    role: self.role(cell.row, cell.column),
                    sections: leaves(&path.sections),
                    above: leaves(&path.above),
                    before: leaves(&path.before),
                }
            })
            .collect()
    }
}

/// The measures of one `table` element, on which `train/tables.py` trains the weights.
#[derive(Clone, Debug, serde::Serialize)]
pub struct TableEvidence {
    /// Its index among the page's tables.
    pub table: usize,
    /// Measures of the table as data.
    pub data: Vec<f32>,
    /// Measures of its first row as header.
    pub top: Vec<f32>,
    /// The first row that is more than a title: where a header at the top would be.
    pub first_row: usize,
    /// Width of the grid.
    pub columns: usize,
    /// Rows of the grid.
    pub rows: usize,
}

/// The names of the measures in [`TableEvidence`]: those of `data` and those of `top`.
#[must_use]
pub(crate) fn measure_names() -> (Vec<String>, Vec<String>) {
    (detect::table_measure_names(), lines::line_measure_names())
}

/// The data tables of a page, in document order. Layout tables are left out.
///
/// ```
/// use newslode_page::{Page, tables};
///
/// let url = "https://news.example.org/market".parse()?;
/// let html = "<table><caption>Prices</caption><tr><th>Fruit<th>Price\
///             <tr><td>Apple<td>1.20<tr><td>Pear<td>2.10</table>";
/// let page = Page::parse(&url, None, html.as_bytes());
/// let found = tables(&page);
/// assert_eq!(found[0].titles(&page), ["Prices"]);
///
/// // A record's fields name their cells, and the cells that head them.
/// let records = found[0].records();
/// let pear: Vec<_> = records[1]
///     .fields
///     .iter()
///     .map(|field| (found[0].text(&page, field.path[0]), found[0].text(&page, field.cell)))
///     .collect();
/// assert_eq!(pear, [("Fruit".into(), "Pear".into()), ("Price".into(), "2.10".into())]);
/// # Ok::<(), newslode_page::reading::CanonicalUrlError>(())
/// ```
#[must_use]
pub fn tables(page: &Page) -> Vec<DataTable> {
    tables_with(page, &TableParams::default())
}

/// The data tables of a page by the given parameters.
#[must_use]
pub fn tables_with(page: &Page, params: &TableParams) -> Vec<DataTable> {
    let mut found = Vec::new();
    for_each_table(page, params, |measured, index| {
        let is_data = match params.detection {
            Detection::Rules => detect::is_data_by_rules(measured, params),
            Detection::Evidence => detect::data_log_odds(measured) * 1000.0 > params.data_from as f32,
        };
        if is_data {
            found.push(data_table(measured, index, params));
        }
    });
    found
}

/// The measures of every `table` of a page.
#[must_use]
pub(crate) fn evidence(page: &Page, params: &TableParams) -> Vec<TableEvidence> {
    let mut found = Vec::new();
    for_each_table(page, params, |measured, table| {
        let (mut data, mut top) = (Vec::new(), Vec::new());
        detect::measure_table(measured, &mut data);
        measured.bands.top.measure(&mut top);
        found.push(TableEvidence {
            table,
            data,
            top,
            first_row: measured.bands.rows.body.first().copied().unwrap_or(0),
            columns: measured.grid.columns,
            rows: measured.grid.rows.len(),
        });
    });
    found
}

/// The trivial baseline: the tables that pass the first two rules of the print, as index and grid.
#[must_use]
pub fn regular_tables(page: &Page, params: &TableParams) -> Vec<(usize, Grid)> {
    let mut found = Vec::new();
    for_each_table(page, params, |measured, index| {
        if detect::is_regular(measured, params) {
            found.push((index, measured.grid.clone()));
        }
    });
    found
}

/// Builds the grid of each table in turn, within the slots of the page, and passes its measures to `see`.
fn for_each_table(
    page: &Page,
    params: &TableParams,
    mut visit: impl FnMut(&detect::MeasuredTable<'_>, usize),
) {
    let tables = table_elements(&page.tree);
    if tables.is_empty() {
        return;
    }
    let census = Census::new(&page.tree);
    let rows_by_table = own_rows(&page.tree);
    let mut slots_left = params.max_page_slots;
    for (index, &table) in tables.iter().enumerate() {
        let rows = rows_by_table.get(&table).map(Vec::as_slice).unwrap_or_default();
        let table_params = TableParams { max_slots: params.max_slots.min(slots_left), ..params.clone() };
        let grid = Grid::new(&page.tree, rows, &table_params);
        slots_left = slots_left.saturating_sub(grid.rows.len() * grid.columns);
        if grid.cells.is_empty() {
            continue;
        }
        let features = TableFeatures::new(page, &census, &grid);
        let bands = HeaderBands::new(&grid, &features);
        visit(&detect::MeasuredTable { page, table, grid: &grid, features: &features, bands: &bands }, index);
    }
}

fn data_table(measured: &detect::MeasuredTable<'_>, index: usize, params: &TableParams) -> DataTable {
    let detect::MeasuredTable { page, table, grid, features, bands } = *measured;
    let TableTemplate { roles, orientation } = match params.headers {
        Headers::Clusters => clusters::template_by_clusters(grid, features, params),
        Headers::Bands => bands::template_by_bands(grid, features, bands),
    };
    let tree = &page.tree;
    let caption = tree.children(table).find(|&child| tree.tag(child) == Some("caption"));
    let caption = caption.map(|caption| page.leaves.range_under(tree, caption));
    DataTable {
        node: table,
        index,
        leaves: page.leaves.range_under(tree, table),
        caption: caption.filter(|leaves| !leaves.is_empty()),
        orientation,
        grid: grid.clone(),
        roles,
        cell_leaves: features.leaves.clone(),
    }
}

fn joined_text(page: &Page, leaves: Range<usize>) -> String {
    let mut all = String::new();
    for leaf in leaves {
        if !all.is_empty() {
            all.push(' ');
        }
        all.extend(page.leaves.text(leaf).chars().take(MAX_TEXT.saturating_sub(all.len())));
        if all.len() >= MAX_TEXT {
            break;
        }
    }
    all
}

/// The `table` elements of a page in document order.
fn table_elements(tree: &PageTree) -> Vec<NodeId> {
    tree.node_ids().filter(|&node| tree.is_html(node) && tree.tag(node) == Some("table")).collect()
}

/// The `tr` elements of each table in document order, without those of nested tables; one walk.
fn own_rows(tree: &PageTree) -> FxHashMap<NodeId, Vec<NodeId>> {
    let mut rows: FxHashMap<NodeId, Vec<NodeId>> = FxHashMap::default();
    let mut open: Vec<NodeId> = Vec::new();
    for node in tree.node_ids() {
        while open.last().is_some_and(|&table| tree.subtree_end(table) <= node) {
            open.pop();
        }
        match tree.tag(node) {
            Some("table") => open.push(node),
            Some("tr") => {
                if let Some(&table) = open.last() {
                    rows.entry(table).or_default().push(node);
                }
            }
            _ => {}
        }
    }
    rows
}
