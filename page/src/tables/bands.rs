//! Header bands: the rows and columns that head the others. The default method to find headers.
//!
//! The templates of figure 5 consist of whole rows and columns, so lines are classified, not cells: the first
//! row with several cells is compared with the rows below, then the first column with the columns beside it,
//! each by the weighted evidence of [`lines`](super::lines). Comparison with the band then tells which rows
//! continue it, which lines repeat it further down or right, and which full-width rows are sections.
//! Start at [`template_by_bands`].

use std::sync::LazyLock;

use crate::measures::Weights;

use super::features::{CellFeatures, TableFeatures, TextKind};
use super::grid::Grid;
use super::lines::{self, HeaderLine, LineView, share};
use super::template::{Role, TableTemplate};
use super::weights;

/// The weights of a first row's measures. A test checks that they match.
static WEIGHTS: LazyLock<Weights> =
    LazyLock::new(|| Weights::new(weights::TOP, &lines::line_measure_names()).unwrap_or_default());
/// Most columns of a table of alternating labels and values.
const MAX_PAIRED: usize = 12;
/// Longest text of a section row, in words.
const MAX_SECTION_WORDS: u32 = 12;

/// The rows of a table by form.
pub(crate) struct RowForms {
    /// Full-width and empty rows before the first row with several cells.
    pub(crate) titles: Vec<usize>,
    /// The table proper: rows after the titles that are not full-width.
    pub(crate) body: Vec<usize>,
    /// Full-width rows after the first row of the body.
    pub(crate) wide: Vec<usize>,
}

impl RowForms {
    pub(crate) fn new(grid: &Grid, features: &TableFeatures) -> RowForms {
        let mut rows = RowForms { titles: Vec::new(), body: Vec::new(), wide: Vec::new() };
        for row in 0..grid.rows.len() {
            let is_blank = grid.row(row).flatten().all(|cell| features.cells[cell].chars == 0);
            let is_wide = !is_blank && is_wide(grid, row);
            match rows.body.is_empty() {
                true if is_wide || is_blank => rows.titles.push(row),
                false if is_wide => rows.wide.push(row),
                _ => rows.body.push(row),
            }
        }
        rows
    }

    /// The columns with content of their own: in some row of the body they have text in a cell that does not also
    /// cover the column before. Columns of bullets, spacers and spans do not count.
    fn columns(&self, grid: &Grid, features: &TableFeatures) -> Vec<usize> {
        let mut columns: Vec<usize> = Vec::new();
        for column in 0..grid.columns {
            let has_text = |row: &usize| {
                let cell = grid.at(*row, column).filter(|&cell| features.cells[cell].chars > 0);
                let before = columns.last().and_then(|&before| grid.at(*row, before));
                cell.is_some() && cell != before
            };
            if self.body.iter().any(has_text) {
                columns.push(column);
            }
        }
        columns
    }
}

/// Whether a row consists of one cell over several columns.
fn is_wide(grid: &Grid, row: usize) -> bool {
    let first = grid.row(row).flatten().next();
    let is_lone = grid.row(row).flatten().all(|cell| Some(cell) == first);
    // A cell that reaches down from the rows above is not a section, nor is a label whose values are missing.
    let spans = |cell: usize| grid.cells[cell].row == row && grid.cells[cell].columns > 1;
    grid.columns > 1 && is_lone && first.is_some_and(spans)
}

/// The evidence about a table's first row and first column.
pub(crate) struct HeaderBands {
    pub(crate) rows: RowForms,
    pub(crate) top: HeaderLine,
    /// Number of rows in the header band at the top.
    pub(crate) n_band_rows: usize,
    pub(crate) is_left: bool,
    /// The share of rows whose first text ends in a colon.
    pub(crate) colons: f32,
    /// The columns with content of their own.
    columns: Vec<usize>,
}

/// Markup or style speaks for a line if at least this share of its cells has it …
const MOST: f32 = 0.7;
/// … and at most this share of the other cells.
const FEW: f32 = 0.3;
/// Least share at which a contrast between texts counts.
const HALF: f32 = 0.5;

impl HeaderBands {
    pub(crate) fn new(grid: &Grid, features: &TableFeatures) -> HeaderBands {
        let rows = RowForms::new(grid, features);
        let by_row = LineView { grid, features, transposed: false };
        let by_column = LineView { grid, features, transposed: true };
        let columns = rows.columns(grid, features);
        let (first_column, others) =
            columns.split_first().map_or((0, &[][..]), |(first, others)| (*first, others));
        let (first, below) = rows.body.split_first().map_or((0, &[][..]), |(first, below)| (*first, below));
        let top = HeaderLine::new(by_row, first, below, &columns);
        let left = HeaderLine::new(by_column, first_column, others, &rows.body);
        let th_distinguishes = th_distinguishes_cells(features);
        // The column is measured twice: with the first row, which may look like a header of it, to decide about the row,
        // and then without the band at the top.
        let is_top = rows.body.len() > 1 && is_top(&top, &left, th_distinguishes);
        let n_band_rows = if is_top { count_band_rows(by_row, &rows.body, &columns) } else { 0 };
        let left = HeaderLine::new(by_column, first_column, others, &rows.body[n_band_rows..]);
        let is_left =
            columns.len() > 1 && is_left(&left, is_top.then_some(&top), columns.len() == 2, th_distinguishes);
        let colons = share(&by_column.cells_of(first_column, &rows.body), |cell| cell.colon);
        HeaderBands { rows, top, n_band_rows, is_left, colons, columns }
    }
}

/// Whether `th` distinguishes cells: some texts are in `th`, and at least a fifth are not.
fn th_distinguishes_cells(features: &TableFeatures) -> bool {
    let texts: Vec<&CellFeatures> = features.cells.iter().filter(|cell| cell.chars > 0).collect();
    let th = share(&texts, |cell| cell.is_th);
    th > 0.0 && th <= 0.8
}

/// Whether the first row heads the rows below. Decided by markup, then by style, then by the texts.
fn is_top(top: &HeaderLine, left: &HeaderLine, th_distinguishes: bool) -> bool {
    if top.declared >= MOST && top.declared_below <= FEW {
        return true;
    }
    if th_distinguishes && top.th >= MOST && top.th_below < MOST {
        return true;
    }
    // An author who marks the first column as headers would have marked the first row, too.
    if th_distinguishes && left.th >= MOST && top.th <= FEW {
        return false;
    }
    if top.bold >= MOST && top.bold_below <= FEW || top.paint >= MOST && top.bold >= top.bold_below {
        return true;
    }
    // Labels and values: the labels are set off, or nothing is and the first row's texts are not shorter.
    let is_labelled = left.bold >= MOST && left.bold_below <= FEW && top.bold <= FEW || left.colons >= HALF;
    if is_labelled && (top.two_places || left.colons >= HALF) {
        return false;
    }
    if top.two_places && top.th == 0.0 && left.th == 0.0 && top.least_shorter < HALF {
        return false;
    }
    let mut row = Vec::new();
    top.measure(&mut row);
    WEIGHTS.sum(&row) > 0.0
}

/// Whether the first column heads the columns beside it. `top` is the first row if it is a header.
fn is_left(left: &HeaderLine, top: Option<&HeaderLine>, is_pair: bool, th_distinguishes: bool) -> bool {
    let is_marked = left.declared >= MOST && left.declared_below <= FEW
        || th_distinguishes && left.th >= MOST && left.th_below < MOST
        || left.bold >= MOST && left.bold_below <= FEW
        || left.colons >= HALF;
    match top {
        _ if is_marked => true,
        // Two columns without a header row are labels and values. With more columns, words beside numbers decide.
        None => is_pair || left.words_over_numbers >= HALF,
        Some(top) if top.first_empty && top.others_empty < FEW => true,
        // Days by hours: times beside one matrix. Plain counts only number the rows.
        Some(_) => left.numbers >= HALF && left.counts <= FEW && left.matrix >= HALF,
    }
}

/// Builds the template of a grid.
pub(crate) fn template_by_bands(grid: &Grid, features: &TableFeatures, bands: &HeaderBands) -> TableTemplate {
    let mut rows = vec![Role::Data; grid.rows.len()];
    for &row in &bands.rows.titles {
        let has_text =
            grid.row(row).flatten().any(|cell| features.cells[cell].chars > 0 || features.cells[cell].is_th);
        rows[row] = if has_text { Role::Title } else { Role::Data };
    }
    for &row in &bands.rows.body[..bands.n_band_rows] {
        rows[row] = Role::ColumnHeader;
    }
    let body = &bands.rows.body[bands.n_band_rows..];
    mark_repeated_headers(grid, features, bands, &mut rows);
    for &row in &bands.rows.wide {
        let cell = grid.at(row, 0).map(|cell| &features.cells[cell]);
        let is_short = cell.is_some_and(|cell| cell.words <= MAX_SECTION_WORDS && cell.chars > 0);
        let data_follows = body.last().is_some_and(|&last| row < last);
        if is_short && data_follows {
            rows[row] = Role::Section;
        }
    }
    let columns = header_columns(grid, features, bands, &rows);
    TableTemplate::from_lines(grid, &rows, &columns)
}

/// The number of rows in the band at the top. It goes on over rows in the `thead`, rows of `th` if most rows are
/// not, and bold rows below a bold header that spans several columns.
fn count_band_rows(view: LineView<'_>, body: &[usize], places: &[usize]) -> usize {
    let line = |row: usize| -> Vec<&CellFeatures> {
        places.iter().filter_map(|&place| view.features_at(row, place)).collect()
    };
    let is_th = |row: usize| share(&line(row), |cell| cell.is_th) >= 0.8;
    let is_head = |row: usize| share(&line(row), |cell| cell.in_head) >= 0.8;
    let mostly_th = body.iter().filter(|&&row| is_th(row)).count() * 2 > body.len();
    let mut end = 1;
    while end + 1 < body.len() {
        let (row, above) = (body[end], body[end - 1]);
        let spans = places.iter().any(|&place| {
            view.cell(above, place).is_some_and(|cell| {
                let cell = &view.grid.cells[cell];
                cell.columns > 1 && cell.columns < view.grid.columns
            })
        });
        let alike =
            share(&line(row), |cell| cell.bold) >= 0.8 && share(&line(above), |cell| cell.bold) >= 0.8;
        let continues = is_head(row) || (is_th(row) && is_th(above) && !mostly_th) || (spans && alike);
        if !continues {
            break;
        }
        end += 1;
    }
    end
}

/// Marks rows further down that repeat the band: its texts, or its `th` where most rows have few.
fn mark_repeated_headers(grid: &Grid, features: &TableFeatures, bands: &HeaderBands, rows: &mut [Role]) {
    if bands.n_band_rows == 0 {
        return;
    }
    let view = LineView { grid, features, transposed: false };
    let line = |row: usize| -> Vec<&CellFeatures> {
        (0..grid.columns).filter_map(|place| view.features_at(row, place)).collect()
    };
    let head = bands.rows.body[bands.n_band_rows - 1];
    let body = &bands.rows.body[bands.n_band_rows..];
    // As a share of the table's width: a label whose values are missing does not repeat a header.
    let th = |row: usize| line(row).iter().filter(|cell| cell.is_th).count() as f32 / grid.columns as f32;
    let usual = body.iter().map(|&row| th(row)).sum::<f32>() / body.len().max(1) as f32;
    for (at, &row) in body.iter().enumerate() {
        let same = (0..grid.columns)
            .filter(|&place| {
                let (a, b) = (view.features_at(head, place), view.features_at(row, place));
                a.zip(b).is_some_and(|(a, b)| a.text == b.text && a.text != 0)
            })
            .count();
        let repeats = same * 10 >= grid.columns * 7;
        let is_th = th(row) >= 0.9 && th(head) >= 0.9 && usual < 0.6;
        if (repeats || is_th) && at > 0 && at + 1 < body.len() {
            rows[row] = Role::ColumnHeader;
        }
    }
}

/// Tells which columns are headers.
fn header_columns(grid: &Grid, features: &TableFeatures, bands: &HeaderBands, rows: &[Role]) -> Vec<bool> {
    let mut columns = vec![false; grid.columns];
    let view = LineView { grid, features, transposed: true };
    let data: Vec<usize> = (0..rows.len()).filter(|&row| rows[row] == Role::Data).collect();
    let texts = |column: usize| -> Vec<&CellFeatures> {
        view.cells_of(column, &data).into_iter().filter(|cell| cell.kind != TextKind::Empty).collect()
    };
    if is_paired(&bands.columns, &texts) {
        bands.columns.iter().step_by(2).for_each(|&column| columns[column] = true);
        return columns;
    }
    let (true, Some((&first, others))) = (bands.is_left, bands.columns.split_first()) else { return columns };
    columns[first] = true;
    // Columns of `th` continue the first one if the last column is not `th`, too.
    let th = |column: usize| share(&texts(column), |cell| cell.is_th);
    let is_th_alone = th(first) >= MOST && others.last().is_some_and(|&last| th(last) < HALF);
    if let Some((_, between)) = others.split_last().filter(|_| is_th_alone) {
        between.iter().take_while(|&&column| th(column) >= MOST).for_each(|&column| columns[column] = true);
    }
    // A table that is set in several columns repeats its header row from left to right.
    if bands.n_band_rows > 0 {
        let head = bands.rows.body[bands.n_band_rows - 1];
        let text = |column: usize| view.features_at(column, head).map(|cell| cell.text);
        let repeats = |period: &usize| {
            grid.columns.is_multiple_of(*period)
                && (*period..grid.columns).all(|column| text(column) == text(column - period))
        };
        // The table's headers come twice side by side, and so do its header columns.
        if let Some(period) = (2..=grid.columns / 2).find(repeats) {
            (first..grid.columns).step_by(period).for_each(|column| columns[column] = true);
        }
    }
    columns
}

/// Whether labels and values alternate: every second column is set off from those between in the same way.
fn is_paired<'a>(columns: &[usize], texts: &impl Fn(usize) -> Vec<&'a CellFeatures>) -> bool {
    if columns.len() < 4 || !columns.len().is_multiple_of(2) || columns.len() > MAX_PAIRED {
        return false;
    }
    let tests: [fn(&CellFeatures) -> bool; 3] = [|cell| cell.is_th, |cell| cell.bold, |cell| cell.colon];
    let lines: Vec<Vec<&CellFeatures>> = columns.iter().map(|&column| texts(column)).collect();
    tests.into_iter().any(|test| {
        lines.iter().enumerate().all(|(at, features)| {
            let share = share(features, test);
            if at % 2 == 0 { share >= MOST } else { share <= FEW }
        })
    })
}

/// How far the table is one matrix; see [`lines::matrix_share`].
pub(crate) fn matrix_share(grid: &Grid, features: &TableFeatures, bands: &HeaderBands) -> f32 {
    let view = LineView { grid, features, transposed: false };
    lines::matrix_share(view, &bands.rows.body[bands.n_band_rows..], &bands.columns)
}
