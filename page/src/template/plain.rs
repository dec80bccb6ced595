//! The textbook top-down distance (Selkow's): dynamic programming over the children of every pair of vertices,
//! with no short cuts and no classes. RTDM is checked against it.
//!
//! If `is_restricted`, unequal vertices replace each other only if one is a leaf, as in RTDM; otherwise any two
//! vertices may be mapped to each other. Invariant: the walk is iterative.

use super::shape::{PageShape, Shapes};

/// The cost of the cheapest top-down mapping of two trees.
#[must_use]
pub fn top_down_distance(shapes: &Shapes, a: &PageShape, b: &PageShape, is_restricted: bool) -> u32 {
    let children = |tree: &PageShape| -> Vec<Vec<usize>> {
        (0..tree.vertices.len()).map(|at| tree.children(at).collect()).collect()
    };
    let (left, right) = (children(a), children(b));
    let size = |tree: &PageShape, at: usize| tree.vertices[at].end - at as u32;
    // One cell for every pair of vertices: the cost of mapping their subtrees to each other. Children come after
    // their parents, so the walk goes backwards and finds the costs of children filled in.
    let width = right.len();
    let mut costs: Vec<u32> = vec![0; left.len() * width];
    let mut table: Vec<u32> = Vec::new();
    for x in (0..left.len()).rev() {
        for y in (0..right.len()).rev() {
            let (xs, ys) = (&left[x], &right[y]);
            let is_equal = shapes.root_label(a.vertices[x].class) == shapes.root_label(b.vertices[y].class);
            if is_restricted && !is_equal {
                // Only a leaf can be replaced: one root takes the other's place, and all that is below them goes.
                let sizes = size(a, x) + size(b, y);
                costs[x * width + y] = if xs.is_empty() || ys.is_empty() { sizes - 1 } else { sizes };
                continue;
            }
            // The edit distance of the two lists of children, where an edit costs as much as its subtree.
            let row_width = ys.len() + 1;
            table.clear();
            table.resize((xs.len() + 1) * row_width, 0);
            for (column, y) in ys.iter().enumerate() {
                table[column + 1] = table[column] + size(b, *y);
            }
            for (row, x) in xs.iter().enumerate() {
                let row_start = (row + 1) * row_width;
                table[row_start] = table[row_start - row_width] + size(a, *x);
                for (column, y) in ys.iter().enumerate() {
                    let cell = row_start + column + 1;
                    let deleted = table[cell - row_width] + size(a, *x);
                    let inserted = table[cell - 1] + size(b, *y);
                    let mapped = table[cell - row_width - 1] + costs[x * width + y];
                    table[cell] = deleted.min(inserted).min(mapped);
                }
            }
            costs[x * width + y] = table[table.len() - 1] + u32::from(!is_equal);
        }
    }
    costs[0]
}
