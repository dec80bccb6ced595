//! The place of every box and chip in the picture.
//!
//! Three passes over the preorder, none recursive: widths from the root down, heights and places within the
//! parent from the leaves up, places on the page from the root down. Segments fill columns of about equal
//! height in reading order. A box that is nested too deep to be readable keeps the least width.

use super::text;
use crate::hierarchy::Hierarchy;

/// Height of a line of text and of a header's bar, in pixels.
pub(super) const LINE: f64 = 18.0;
/// Width of a column of segments, in pixels.
const COLUMN: f64 = 440.0;
/// Most columns of the picture.
const MOST_COLUMNS: f64 = 4.0;
/// Height from which the content is worth another column.
const LEAST_HEIGHT: f64 = 500.0;
/// Space between boxes, and between a box and its content.
const GAP: f64 = 5.0;
/// Least width of a box, however deeply nested.
const LEAST_WIDTH: f64 = 120.0;
/// Largest width of a chip, whatever the space.
const WIDEST_CHIP: f64 = 400.0;

/// Least width of the picture: the title and legend need it.
const LEAST_PAGE: f64 = 900.0;

/// A place on the page, in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rect {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// All places, and the size of the picture.
pub(super) struct Layout {
    pub(super) width: f64,
    pub(super) height: f64,
    places: Vec<Rect>,
    children: Vec<Vec<usize>>,
}

impl Layout {
    pub(super) fn new(hierarchy: &Hierarchy) -> Layout {
        let nodes = &hierarchy.nodes;
        let mut children = vec![Vec::new(); nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            if let Some(parent) = node.parent {
                children[parent as usize].push(index);
            }
        }
        let mut layout =
            Layout { width: 0.0, height: 0.0, places: vec![Rect::default(); nodes.len()], children };
        layout.set_widths(hierarchy);
        for index in (1..nodes.len()).rev() {
            if layout.has_children(index) {
                layout.place_children(index, nodes[index].label.is_some());
            }
        }
        layout.place_in_columns();
        for (index, node) in nodes.iter().enumerate().skip(1) {
            if let Some(parent) = node.parent.filter(|parent| *parent > 0) {
                let Rect { x, y, .. } = layout.places[parent as usize];
                layout.places[index].x += x;
                layout.places[index].y += y;
            }
        }
        layout
    }

    /// Whether the node is a box, that is, has children.
    pub(super) fn has_children(&self, index: usize) -> bool {
        !self.children[index].is_empty()
    }

    pub(super) fn place(&self, index: usize) -> Rect {
        self.places[index]
    }

    fn set_widths(&mut self, hierarchy: &Hierarchy) {
        for (index, node) in hierarchy.nodes.iter().enumerate().skip(1) {
            let above = match node.parent {
                Some(0) | None => COLUMN + 2.0 * GAP,
                Some(parent) => self.places[parent as usize].width,
            };
            let room = (above - 2.0 * GAP).max(LEAST_WIDTH);
            let words = node.label.as_ref().map_or("", |label| &label.text);
            self.places[index].width = if self.has_children(index) {
                room
            } else {
                // The text and the padding on both sides.
                (text::text_width(words) + 8.0).min(room).min(WIDEST_CHIP)
            };
            self.places[index].height = LINE;
        }
    }

    /// Places the children of a box.
    fn place_children(&mut self, index: usize, has_header: bool) {
        let rows = self.rows(index, self.places[index].width);
        let mut y = GAP + if has_header { LINE } else { 0.0 };
        for row in rows {
            for &child in &row {
                self.places[child].y = y;
            }
            y += self.height_of(&row) + GAP;
        }
        self.places[index].height = y;
    }

    /// Arranges a node's children in rows of this width: chips side by side, each box in a row of its own. Sets the
    /// horizontal place of each child.
    fn rows(&mut self, index: usize, width: f64) -> Vec<Vec<usize>> {
        let (mut rows, mut row, mut x): (Vec<_>, Vec<_>, f64) = (Vec::new(), Vec::new(), GAP);
        for &child in &self.children[index] {
            let is_box = !self.children[child].is_empty();
            let place = &mut self.places[child];
            if !row.is_empty() && (is_box || x + place.width > width - GAP) {
                rows.push(std::mem::take(&mut row));
                x = GAP;
            }
            place.x = x;
            x += place.width + GAP;
            row.push(child);
            if is_box {
                rows.push(std::mem::take(&mut row));
                x = GAP;
            }
        }
        rows.extend((!row.is_empty()).then_some(row));
        rows
    }

    fn height_of(&self, row: &[usize]) -> f64 {
        row.iter().map(|&child| self.places[child].height).fold(0.0, f64::max)
    }

    /// Places the root's children in columns of about equal height.
    fn place_in_columns(&mut self) {
        let rows = self.rows(0, COLUMN + 2.0 * GAP);
        let total: f64 = rows.iter().map(|row| self.height_of(row) + GAP).sum();
        let columns = ((total / LEAST_HEIGHT).ceil().clamp(1.0, MOST_COLUMNS)).max(1.0);
        let (mut left, mut y, mut placed_height) = (GAP, 0.0, 0.0);
        for row in rows {
            let height = self.height_of(&row) + GAP;
            let column = ((left - GAP) / (COLUMN + GAP)).round() + 1.0;
            // A row that lies more than half beyond the column's share begins the next column.
            if y > 0.0 && column < columns && placed_height + height / 2.0 > column * total / columns {
                (left, y) = (left + COLUMN + GAP, 0.0);
            }
            for &child in &row {
                self.places[child].x += left - GAP;
                self.places[child].y = y;
            }
            (y, placed_height) = (y + height, placed_height + height);
            self.height = self.height.max(y);
            self.width = self.width.max(left + COLUMN + 2.0 * GAP);
        }
        self.width = self.width.max(LEAST_PAGE);
        self.height += GAP;
    }
}
