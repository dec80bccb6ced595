//! Header bands: the rows and columns that head the others. The default way to headers.
//!
//! Figure 5's templates are made of whole rows and columns, so lines are judged, not cells: the first row
//! with more than one cell against the rows below, then the first column against the columns beside it,
//! each by the weighted evidence of [`lines`](super::lines). What continues a band, what recurs further
//! down or right, and which full-width rows are sections, follows by comparison with the band.
//! Start at [`template`].

use std::sync::LazyLock;

use crate::measures::Weights;

use super::grid::Grid;
use super::lines::{self, HeaderLine, View, share};
use super::looks::{Kind, Look, Looks};
use super::template::{Role, Template};
use super::weights;

/// The weights of a first row's measures; that they are those is a test.
static WEIGHTS: LazyLock<Weights> =
    LazyLock::new(|| Weights::new(weights::TOP, &lines::names()).unwrap_or_default());
/// Most columns of labels and values side by side.
const MAX_PAIRED: usize = 12;
/// Longest text of a section row, in words.
const MAX_SECTION_WORDS: u32 = 12;

/// The rows of a table sorted by their make.
pub(crate) struct Rows {
    /// Full-width and empty rows before the first row with several cells.
    pub(crate) titles: Vec<usize>,
    /// Rows with a cell of their own beside another.
    pub(crate) body: Vec<usize>,
    /// Full-width rows among them.
    pub(crate) wide: Vec<usize>,
}

impl Rows {
    pub(crate) fn new(grid: &Grid, looks: &Looks) -> Rows {
        let mut rows = Rows { titles: Vec::new(), body: Vec::new(), wide: Vec::new() };
        for row in 0..grid.rows.len() {
            let is_blank = grid.row(row).flatten().all(|cell| looks.cells[cell].chars == 0);
            let is_wide = !is_blank && is_wide(grid, row);
            match rows.body.is_empty() {
                true if is_wide || is_blank => rows.titles.push(row),
                false if is_wide => rows.wide.push(row),
                _ => rows.body.push(row),
            }
        }
        rows
    }

    /// The columns that say something of their own: some row of the body has text there, and not only
    /// what reaches over from the left. Bullets, spacers and spans make no column.
    fn columns(&self, grid: &Grid, looks: &Looks) -> Vec<usize> {
        let mut columns: Vec<usize> = Vec::new();
        for column in 0..grid.columns {
            let says = |row: &usize| {
                let cell = grid.at(*row, column).filter(|&cell| looks.cells[cell].chars > 0);
                let before = columns.last().and_then(|&before| grid.at(*row, before));
                cell.is_some() && cell != before
            };
            if self.body.iter().any(says) {
                columns.push(column);
            }
        }
        columns
    }
}

/// Whether one cell is all that a row has, in a table of several columns.
fn is_wide(grid: &Grid, row: usize) -> bool {
    let first = grid.row(row).flatten().next();
    let is_lone = grid.row(row).flatten().all(|cell| Some(cell) == first);
    // A cell that reaches down from the rows above is no section, nor is a label whose values are missing.
    let spans = |cell: usize| grid.cells[cell].row == row && grid.cells[cell].columns > 1;
    grid.columns > 1 && is_lone && first.is_some_and(spans)
}

/// What is known of a table's first row and first column.
pub(crate) struct Candidates {
    pub(crate) rows: Rows,
    pub(crate) top: HeaderLine,
    /// How many rows of the body are a header band at the top.
    pub(crate) band: usize,
    pub(crate) is_left: bool,
    /// The share of rows that begin with a text that ends in a colon.
    pub(crate) colons: f32,
    /// The columns that say something of their own.
    columns: Vec<usize>,
}

/// Markup or style that at least so many of a line's cells have speaks for the line.
const MOST: f32 = 0.7;
/// And so many at most of the others.
const FEW: f32 = 0.3;
/// From here on a contrast of texts counts.
const HALF: f32 = 0.5;

impl Candidates {
    pub(crate) fn new(grid: &Grid, looks: &Looks) -> Candidates {
        let rows = Rows::new(grid, looks);
        let by_row = View { grid, looks, transposed: false };
        let by_column = View { grid, looks, transposed: true };
        let columns = rows.columns(grid, looks);
        let (first_column, others) =
            columns.split_first().map_or((0, &[][..]), |(first, others)| (*first, others));
        let (first, below) = rows.body.split_first().map_or((0, &[][..]), |(first, below)| (*first, below));
        let top = HeaderLine::new(by_row, first, below, &columns);
        let left = HeaderLine::new(by_column, first_column, others, &rows.body);
        let is_telling = th_is_telling(looks);
        let is_top = rows.body.len() > 1 && is_top(&top, &left, is_telling);
        let band = if is_top { band(by_row, &rows.body, &columns) } else { 0 };
        let left = HeaderLine::new(by_column, first_column, others, &rows.body[band..]);
        let is_left =
            columns.len() > 1 && is_left(&left, is_top.then_some(&top), columns.len() == 2, is_telling);
        let colons = share(&by_column.line(first_column, &rows.body), |look| look.colon);
        Candidates { rows, top, band, is_left, colons, columns }
    }
}

/// Whether `th` tells cells apart: some texts are `th`, and a fifth are not.
fn th_is_telling(looks: &Looks) -> bool {
    let texts: Vec<&Look> = looks.cells.iter().filter(|look| look.chars > 0).collect();
    let th = share(&texts, |look| look.is_th);
    th > 0.0 && th <= 0.8
}

/// Whether the first row heads the rows below: markup first, then style, then what the texts are like.
fn is_top(top: &HeaderLine, left: &HeaderLine, is_telling: bool) -> bool {
    if top.declared >= MOST && top.declared_below <= FEW {
        return true;
    }
    if is_telling && top.th >= MOST && top.th_below < MOST {
        return true;
    }
    // Who marks the first column as headers would have marked the first row, too.
    if is_telling && left.th >= MOST && top.th <= FEW {
        return false;
    }
    if top.bold >= MOST && top.bold_below <= FEW || top.paint >= MOST && top.bold >= top.bold_below {
        return true;
    }
    // Label and value: what sets the labels off, or nothing does and values are no longer than the first.
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

/// Whether the first column heads the columns beside it; `top`: the first row, if that is a header.
fn is_left(left: &HeaderLine, top: Option<&HeaderLine>, is_pair: bool, is_telling: bool) -> bool {
    let is_marked = left.declared >= MOST && left.declared_below <= FEW
        || is_telling && left.th >= MOST && left.th_below < MOST
        || left.bold >= MOST && left.bold_below <= FEW
        || left.colons >= HALF;
    match top {
        _ if is_marked => true,
        // Two columns without a header row are labels and values; of more, numbers beside words tell.
        None => is_pair || left.words_over_numbers >= HALF,
        Some(top) if top.first_empty && top.others_empty < FEW => true,
        // Days by hours: times at the side of one matrix. Plain counts only number the rows.
        Some(_) => left.numbers >= HALF && left.counts <= FEW && left.matrix >= HALF,
    }
}

/// The template of a grid.
pub(crate) fn template(grid: &Grid, looks: &Looks, found: &Candidates) -> Template {
    let mut rows = vec![Role::Data; grid.rows.len()];
    for &row in &found.rows.titles {
        let says = grid.row(row).flatten().any(|cell| looks.cells[cell].chars > 0 || looks.cells[cell].is_th);
        rows[row] = if says { Role::Title } else { Role::Data };
    }
    for &row in &found.rows.body[..found.band] {
        rows[row] = Role::ColumnHeader;
    }
    let body = &found.rows.body[found.band..];
    recurring(grid, looks, found, &mut rows);
    for &row in &found.rows.wide {
        let cell = grid.at(row, 0).map(|cell| &looks.cells[cell]);
        let is_short = cell.is_some_and(|look| look.words <= MAX_SECTION_WORDS && look.chars > 0);
        let data_follows = body.last().is_some_and(|&last| row < last);
        if is_short && data_follows {
            rows[row] = Role::Section;
        }
    }
    let columns = columns(grid, looks, found, &rows);
    Template::of_lines(grid, &rows, &columns)
}

/// How many rows the band at the top has: rows in the `thead`, rows of `th` over rows that are not, and
/// what stands under a header that spans columns.
fn band(view: View<'_>, body: &[usize], places: &[usize]) -> usize {
    let line =
        |row: usize| -> Vec<&Look> { places.iter().filter_map(|&place| view.look(row, place)).collect() };
    let is_th = |row: usize| share(&line(row), |look| look.is_th) >= 0.8;
    let is_head = |row: usize| share(&line(row), |look| look.in_head) >= 0.8;
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
            share(&line(row), |look| look.bold) >= 0.8 && share(&line(above), |look| look.bold) >= 0.8;
        let continues = is_head(row) || (is_th(row) && is_th(above) && !mostly_th) || (spans && alike);
        if !continues {
            break;
        }
        end += 1;
    }
    end
}

/// Marks rows further down that repeat the band: its texts, or its `th` where the others have none.
fn recurring(grid: &Grid, looks: &Looks, found: &Candidates, rows: &mut [Role]) {
    if found.band == 0 {
        return;
    }
    let view = View { grid, looks, transposed: false };
    let line =
        |row: usize| -> Vec<&Look> { (0..grid.columns).filter_map(|place| view.look(row, place)).collect() };
    let head = found.rows.body[found.band - 1];
    let body = &found.rows.body[found.band..];
    // Of the table's width: a label whose values are missing repeats no header.
    let th = |row: usize| line(row).iter().filter(|look| look.is_th).count() as f32 / grid.columns as f32;
    let usual = body.iter().map(|&row| th(row)).sum::<f32>() / body.len().max(1) as f32;
    for (at, &row) in body.iter().enumerate() {
        let same = (0..grid.columns)
            .filter(|&place| {
                let (a, b) = (view.look(head, place), view.look(row, place));
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

/// Which columns are headers.
fn columns(grid: &Grid, looks: &Looks, found: &Candidates, rows: &[Role]) -> Vec<bool> {
    let mut columns = vec![false; grid.columns];
    let view = View { grid, looks, transposed: true };
    let data: Vec<usize> = (0..rows.len()).filter(|&row| rows[row] == Role::Data).collect();
    let texts = |column: usize| -> Vec<&Look> {
        view.line(column, &data).into_iter().filter(|look| look.kind != Kind::Empty).collect()
    };
    if is_paired(&found.columns, &texts) {
        found.columns.iter().step_by(2).for_each(|&column| columns[column] = true);
        return columns;
    }
    let (true, Some((&first, others))) = (found.is_left, found.columns.split_first()) else { return columns };
    columns[first] = true;
    let th = |column: usize| share(&texts(column), |look| look.is_th);
    let is_th_alone = th(first) >= MOST && others.last().is_some_and(|&last| th(last) < HALF);
    if let Some((_, between)) = others.split_last().filter(|_| is_th_alone) {
        between.iter().take_while(|&&column| th(column) >= MOST).for_each(|&column| columns[column] = true);
    }
    if found.band > 0 {
        let head = found.rows.body[found.band - 1];
        let text = |column: usize| view.look(column, head).map(|look| look.text);
        let repeats = |period: &usize| {
            grid.columns.is_multiple_of(*period)
                && (*period..grid.columns).all(|column| text(column) == text(column - period))
        };
        // The headers of the table come twice side by side, and so do its columns.
        if let Some(period) = (2..=grid.columns / 2).find(repeats) {
            (first..grid.columns).step_by(period).for_each(|column| columns[column] = true);
        }
    }
    columns
}

/// Label, value, label, value: every second column is set off from the ones between in the same way.
fn is_paired<'a>(columns: &[usize], texts: &impl Fn(usize) -> Vec<&'a Look>) -> bool {
    if columns.len() < 4 || !columns.len().is_multiple_of(2) || columns.len() > MAX_PAIRED {
        return false;
    }
    let tests: [fn(&Look) -> bool; 3] = [|look| look.is_th, |look| look.bold, |look| look.colon];
    let lines: Vec<Vec<&Look>> = columns.iter().map(|&column| texts(column)).collect();
    tests.into_iter().any(|test| {
        lines.iter().enumerate().all(|(at, looks)| {
            let share = share(looks, test);
            if at % 2 == 0 { share >= MOST } else { share <= FEW }
        })
    })
}

/// How much of the table is one matrix, see [`lines::matrix`].
pub(crate) fn matrix(grid: &Grid, looks: &Looks, found: &Candidates) -> f32 {
    let view = View { grid, looks, transposed: false };
    lines::matrix(view, &found.rows.body[found.band..], &found.columns)
}
