//! Header cells as in the print: cells that cluster with the first cell (`[OM05 §4.2.2]`).
//!
//! A row or column is one cluster if its cells are close together, otherwise two by k-means (k = 2, started
//! from the two cells farthest apart). The first cell is a header, and so is every cell of its row and column
//! that clusters with it. The same is done along the rows and columns of these cells. The print gives neither
//! the weights of the features nor the threshold: here all features weigh the same, and the threshold is a
//! parameter. "Recursively" is read as one step from the first row and column, where the first cell's clusters
//! lie. Repeated without end it would flood the table from any two similar cells.

use super::TableParams;
use super::features::{CellFeatures, TableFeatures, TextKind};
use super::grid::Grid;
use super::template::{Orientation, Role, TableTemplate};

/// Number of features.
const N_FEATURES: usize = 10;
/// Most cells of a line that are clustered.
const MAX_CELLS: usize = 200;
/// Most rounds of k-means; lines settle in a few.
const ROUNDS: usize = 20;

/// A cell as a point in the space of features, each from 0 to 1.
type Point = [f32; N_FEATURES];

fn cell_point(cell: &CellFeatures) -> Point {
    let flag = |yes: bool| f32::from(u8::from(yes));
    [
        flag(cell.bold || cell.is_th),
        flag(cell.italic),
        flag(cell.capitals),
        flag(cell.link),
        flag(matches!(cell.kind, TextKind::Phrase | TextKind::Prose)),
        flag(cell.kind == TextKind::Number),
        flag(cell.kind == TextKind::Mixed),
        (cell.words as f32 / 10.0).min(1.0),
        (cell.chars as f32 / cell.words.max(1) as f32 / 10.0).min(1.0),
        flag(cell.special),
    ]
}

fn distance(a: &Point, b: &Point) -> f32 {
    let squares: f32 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
    (squares / N_FEATURES as f32).sqrt()
}

fn mean_point<'a>(points: impl Iterator<Item = &'a Point>) -> Option<Point> {
    let mut sum = [0.0; N_FEATURES];
    let mut n = 0.0_f32;
    for point in points {
        sum.iter_mut().zip(point).for_each(|(sum, value)| *sum += value);
        n += 1.0;
    }
    (n > 0.0).then(|| sum.map(|sum| sum / n))
}

/// Tells for each point whether it is in the cluster of the first one.
fn in_first_cluster(points: &[Point], one_cluster: u32) -> Vec<bool> {
    let Some(mean) = mean_point(points.iter()) else { return Vec::new() };
    let near = one_cluster as f32 / 100.0;
    if points.iter().all(|point| distance(point, &mean) < near) {
        return vec![true; points.len()];
    }
    // Start from the point farthest from the mean and the one farthest from that: the same on every machine.
    let farthest = |from: &Point| {
        let start = (0, -1.0_f32);
        let best = points.iter().enumerate().fold(start, |best, (at, point)| {
            let far = distance(point, from);
            if far > best.1 { (at, far) } else { best }
        });
        points[best.0]
    };
    let one = farthest(&mean);
    let mut centres = [one, farthest(&one)];
    let mut sides = vec![false; points.len()];
    for _ in 0..ROUNDS {
        let next: Vec<bool> =
            points.iter().map(|point| distance(point, &centres[1]) < distance(point, &centres[0])).collect();
        let is_settled = next == sides;
        sides = next;
        for (side, centre) in centres.iter_mut().enumerate() {
            let own = points.iter().zip(&sides).filter(|(_, at)| **at == (side == 1)).map(|(point, _)| point);
            *centre = mean_point(own).unwrap_or(*centre);
        }
        if is_settled {
            break;
        }
    }
    let first = sides.first().copied().unwrap_or_default();
    sides.into_iter().map(|side| side == first).collect()
}

/// Tells for each slot of a line whether its cell clusters with the first cell. Empty slots do not.
fn clustered_with_first(
    features: &TableFeatures,
    cells: impl Iterator<Item = Option<usize>>,
    params: &TableParams,
) -> Vec<bool> {
    let slots: Vec<Option<usize>> = cells.take(MAX_CELLS).collect();
    let points: Vec<Point> = slots.iter().flatten().map(|&cell| cell_point(&features.cells[cell])).collect();
    let mut clustered = in_first_cluster(&points, params.one_cluster).into_iter();
    slots.iter().map(|slot| slot.is_some() && clustered.next().unwrap_or_default()).collect()
}

/// Third rule of the detector: some row or column is not one cluster, and the larger of its two clusters has at
/// least `regular` per cent of the slots.
pub(crate) fn has_two_clusters(grid: &Grid, features: &TableFeatures, params: &TableParams) -> bool {
    let rows = (0..grid.rows.len()).map(|row| clustered_with_first(features, grid.row(row), params));
    let columns = (0..grid.columns).map(|column| clustered_with_first(features, grid.column(column), params));
    rows.take(MAX_CELLS).chain(columns.take(MAX_CELLS)).any(|sides| {
        let with = sides.iter().filter(|side| **side).count();
        let most = with.max(sides.len() - with);
        with < sides.len() && most * 100 >= params.regular as usize * sides.len()
    })
}

/// Builds the template by clustering.
pub(crate) fn template_by_clusters(
    grid: &Grid,
    features: &TableFeatures,
    params: &TableParams,
) -> TableTemplate {
    let (n_rows, n_columns) = (grid.rows.len(), grid.columns);
    let mut roles = vec![Role::Data; n_rows * n_columns];
    if roles.is_empty() {
        return TableTemplate { roles, orientation: Orientation::None };
    }
    let left = clustered_with_first(features, grid.column(0), params);
    let top = clustered_with_first(features, grid.row(0), params);
    let is_all = |line: &[bool]| line.iter().all(|with| *with);
    for (row, _) in left.iter().enumerate().filter(|(_, with)| **with) {
        roles[row * n_columns] = Role::RowHeader;
    }
    for (column, _) in top.iter().enumerate().filter(|(_, with)| **with) {
        roles[column] = Role::ColumnHeader;
    }
    // Repeat the first step along the rows and columns of the header cells found.
    for row in (1..n_rows.min(left.len())).filter(|&row| left[row] && !is_all(&left)) {
        let along = clustered_with_first(features, grid.row(row), params);
        for (column, _) in along.iter().enumerate().filter(|(_, with)| **with) {
            roles[row * n_columns + column] = Role::ColumnHeader;
        }
    }
    for column in (1..n_columns.min(top.len())).filter(|&column| top[column] && !is_all(&top)) {
        let along = clustered_with_first(features, grid.column(column), params);
        for (row, _) in along.iter().enumerate().filter(|(_, with)| **with) {
            let role = &mut roles[row * n_columns + column];
            *role = if *role == Role::Data { Role::RowHeader } else { *role };
        }
    }
    let orientation = infer_orientation(grid, &roles);
    TableTemplate { roles, orientation }
}

/// The orientation, where a line counts as header if four fifths of its slots are headers.
fn infer_orientation(grid: &Grid, roles: &[Role]) -> Orientation {
    let (n_rows, n_columns) = (grid.rows.len(), grid.columns);
    let is_header = |row: usize, column: usize| roles[row * n_columns + column].is_header();
    let rows: Vec<bool> = (0..n_rows)
        .map(|row| (0..n_columns).filter(|&column| is_header(row, column)).count() * 5 >= n_columns * 4)
        .collect();
    let columns: Vec<bool> = (0..n_columns)
        .map(|column| (0..n_rows).filter(|&row| is_header(row, column)).count() * 5 >= n_rows * 4)
        .collect();
    if rows.iter().all(|row| *row) {
        return Orientation::None;
    }
    let recurs = |lines: &[bool]| lines.windows(2).filter(|pair| !pair[0] && pair[1]).count() > 0;
    let first = |lines: &[bool]| lines.first().copied().unwrap_or_default();
    Orientation::new(first(&rows), first(&columns), recurs(&rows), recurs(&columns))
}
