//! Header bands: the rows and columns that head the others. The default way to headers.
//!
//! Figure 5's templates are made of whole rows and columns, so lines are judged, not cells: the first row
//! with more than one cell against the rows below, then the first column against the columns beside it,
//! each by the weighted evidence of [`lines`](super::lines). What continues a band, what recurs further
//! down or right, and which full-width rows are sections, follows by comparison with the band.
//! Start at [`template`].

use super::grid::Grid;
use super::lines::{self, Line, View, share};
use super::looks::{Kind, Look, Looks};
use super::template::{Role, Template};
use super::weights;

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
    pub(crate) fn of(grid: &Grid, looks: &Looks) -> Rows {
        let mut rows = Rows { titles: Vec::new(), body: Vec::new(), wide: Vec::new() };
        for row in 0..grid.rows.len() {
            let is_blank = grid.row(row).flatten().all(|cell| looks.cells[cell].chars == 0);
            if is_wide(grid, row) || is_blank {
                if rows.body.is_empty() {
                    rows.titles.push(row);
                } else if !is_blank {
                    rows.wide.push(row);
                } else {
                    rows.body.push(row);
                }
            } else {
                rows.body.push(row);
            }
        }
        rows
    }
}

/// Whether one cell is all that a row has, in a table of several columns.
fn is_wide(grid: &Grid, row: usize) -> bool {
    let first = grid.row(row).flatten().next();
    let is_lone = grid.row(row).flatten().all(|cell| Some(cell) == first);
    // A cell that reaches down from the rows above is no section.
    grid.columns > 1 && is_lone && first.is_some_and(|cell| grid.cells[cell].row == row)
}

/// What is known of a table's first row and first column.
pub(crate) struct Candidates {
    pub(crate) rows: Rows,
    pub(crate) top: Line,
    /// How many rows of the body are a header band at the top.
    pub(crate) band: usize,
    pub(crate) is_left: bool,
}

/// Markup or style that at least so many of a line's cells have speaks for the line.
const MOST: f32 = 0.7;
/// And so many at most of the others.
const FEW: f32 = 0.3;
/// From here on a contrast of texts counts.
const HALF: f32 = 0.5;

impl Candidates {
    pub(crate) fn of(grid: &Grid, looks: &Looks) -> Candidates {
        let rows = Rows::of(grid, looks);
        let by_row = View { grid, looks, transposed: false };
        let by_column = View { grid, looks, transposed: true };
        let places: Vec<usize> = (0..grid.columns).collect();
        let others: Vec<usize> = (1..grid.columns).collect();
        let (first, below) = rows.body.split_first().map_or((0, &[][..]), |(first, below)| (*first, below));
        let top = Line::of(by_row, first, below, &places);
        let left = Line::of(by_column, 0, &others, &rows.body);
        let is_telling = th_is_telling(looks);
        let is_top = rows.body.len() > 1 && is_top(&top, &left, is_telling);
        let band = if is_top { band(by_row, &rows.body, &places) } else { 0 };
        let left = Line::of(by_column, 0, &others, &rows.body[band..]);
        let is_left =
            grid.columns > 1 && is_left(&left, is_top.then_some(&top), grid.columns == 2, is_telling);
        Candidates { rows, top, band, is_left }
    }
}

/// Whether `th` tells cells apart: some texts are `th`, and a fifth are not.
fn th_is_telling(looks: &Looks) -> bool {
    let texts: Vec<&Look> = looks.cells.iter().filter(|look| look.chars > 0).collect();
    let th = share(&texts, |look| look.is_th);
    th > 0.0 && th <= 0.8
}

/// Whether the first row heads the rows below: markup first, then style, then what the texts are like.
fn is_top(top: &Line, left: &Line, is_telling: bool) -> bool {
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
    score(&weights::TOP, &top.content()) > 0.0
}

/// Whether the first column heads the columns beside it; `top`: the first row, if that is a header.
fn is_left(left: &Line, top: Option<&Line>, is_pair: bool, is_telling: bool) -> bool {
    let is_marked = left.declared >= MOST && left.declared_below <= FEW
        || is_telling && left.th >= MOST && left.th_below < MOST
        || left.bold >= MOST && left.bold_below <= FEW
        || left.colons >= HALF;
    match top {
        _ if is_marked => true,
        // Two columns without a header row are labels and values; of more, numbers beside words tell.
        None => is_pair || left.words_over_numbers >= HALF,
        Some(top) if top.first_empty && top.others_empty < FEW => true,
        // Days by hours: numbers at the side of one matrix.
        Some(_) => left.numbers >= HALF && left.matrix >= HALF,
    }
}

pub(crate) fn score(weights: &[f32], measures: &[f32]) -> f32 {
    weights.iter().zip(measures).map(|(weight, measure)| weight * measure).sum()
}

/// The template of a grid.
pub(crate) fn template(grid: &Grid, looks: &Looks, found: &Candidates) -> Template {
    let mut rows = vec![Role::Data; grid.rows.len()];
    for &row in &found.rows.titles {
        rows[row] = Role::Title;
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
    let th = |row: usize| share(&line(row), |look| look.is_th);
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
    let line = |column: usize| -> Vec<&Look> {
        let looks = data.iter().filter_map(|&row| view.look(column, row));
        looks.filter(|look| look.kind != Kind::Empty).collect()
    };
    if let Some(pairs) = pairs(grid.columns, &line) {
        return pairs;
    }
    if grid.columns < 2 || !found.is_left {
        return columns;
    }
    columns[0] = true;
    let th = |column: usize| share(&line(column), |look| look.is_th);
    let mut end = 1;
    while end + 1 < grid.columns && th(end) >= 0.8 && th(0) >= 0.8 && th(grid.columns - 1) < 0.5 {
        columns[end] = true;
        end += 1;
    }
    if found.band > 0 {
        let head = found.rows.body[found.band - 1];
        let text = |column: usize| view.look(column, head).map(|look| look.text);
        for period in 2..=grid.columns / 2 {
            let repeats = (period..grid.columns).all(|column| text(column) == text(column - period));
            if grid.columns.is_multiple_of(period) && repeats {
                (0..grid.columns).step_by(period).for_each(|column| columns[column] = true);
                break;
            }
        }
    }
    columns
}

/// Label, value, label, value: every second column is set off from the ones between in the same way.
fn pairs<'a>(n_columns: usize, line: &impl Fn(usize) -> Vec<&'a Look>) -> Option<Vec<bool>> {
    if n_columns < 4 || !n_columns.is_multiple_of(2) || n_columns > 12 {
        return None;
    }
    let tests: [fn(&Look) -> bool; 3] = [|look| look.is_th, |look| look.bold, |look| look.colon];
    let lines: Vec<Vec<&Look>> = (0..n_columns).map(line).collect();
    let sets_off = tests.into_iter().any(|test| {
        lines.iter().enumerate().all(|(column, looks)| {
            let share = share(looks, test);
            if column % 2 == 0 { !looks.is_empty() && share >= 0.7 } else { share <= 0.3 }
        })
    });
    sets_off.then(|| (0..n_columns).map(|column| column % 2 == 0).collect())
}

/// How much of the table is one matrix, see [`lines::matrix`].
pub(crate) fn matrix(grid: &Grid, looks: &Looks, found: &Candidates) -> f32 {
    let places: Vec<usize> = (0..grid.columns).collect();
    lines::matrix(View { grid, looks, transposed: false }, &found.rows.body[found.band..], &places)
}
