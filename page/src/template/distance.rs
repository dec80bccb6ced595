//! RTDM: the cost of the cheapest restricted top-down mapping between two trees (\[R\], "The RTDM algorithm").
//!
//! Vertices are matched level by level. Equal vertices match at no cost, and their children are aligned. A
//! vertex is replaced by an unequal one only if one of the two is a leaf. To delete or insert a vertex is to
//! delete or insert its subtree. Every operation costs one per vertex.
//!
//! Both short cuts of the paper are taken: equal subtrees have one class and cost nothing (bottom), and the work
//! ends once no mapping can stay within the bound (top). A third one is ours: equal children at both ends of two
//! lists are skipped, since a mapping that does not match them is never cheaper.
//!
//! Costs of pairs of classes are cached, so pages of one site pay once for what they share. Each cost is cached with its
//! steps, which are those of a comparison without any cache. So whether a comparison exceeds its budget depends on the two
//! trees alone, not on what was compared before.
//!
//! Invariant: the walk is iterative; a comparison takes at most a number of steps that is linear in the vertices of both
//! trees ([`most_steps`]). Start at [`Distances::cost_within`].

use rustc_hash::FxHashMap;

use super::shape::{Shapes, SubtreeClass};

/// Most steps of one comparison or alignment for each vertex of both trees; beyond this two trees count as unlike. A step is
/// a cell of a table.
const STEPS_PER_VERTEX: u64 = 256;
/// Steps that any comparison may take, however small its trees are. Two articles of a real site take 2,000 to 200,000.
const FREE_STEPS: u64 = 1_000_000;
/// Most steps of one comparison, however large its trees are.
const MOST_STEPS: u64 = 10_000_000;
/// Most cells of the table that [`Distances::align`] keeps.
const MOST_ALIGNED_CELLS: usize = 4_000_000;
/// Most pairs whose costs are cached.
const MOST_PAIRS: usize = 4_000_000;

/// The most steps that comparing or aligning two trees of these sizes may take.
#[must_use]
pub fn most_steps(sizes: u64) -> u64 {
    sizes.saturating_mul(STEPS_PER_VERTEX).clamp(FREE_STEPS, MOST_STEPS)
}

/// The cost of a pair of classes, and the steps to compute it.
#[derive(Clone, Copy, Debug)]
struct PairCost {
    cost: u32,
    steps: u32,
}

/// Costs between classes of one [`Shapes`].
#[derive(Clone, Debug, Default)]
pub struct Distances {
    costs: FxHashMap<(SubtreeClass, SubtreeClass), PairCost>,
    steps: u64,
}

/// One step of an alignment of two vertices' children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditStep {
    /// These two are mapped to each other; they are equal if their classes are.
    Match(SubtreeClass, SubtreeClass),
    /// Only in the first tree.
    Delete(SubtreeClass),
    /// Only in the second.
    Insert(SubtreeClass),
}

/// Two vertices whose children are being aligned, with two rows of the table of costs: a cell is the cost of
/// aligning the first `row` children of one with the first `column` children of the other.
struct AlignmentFrame {
    pair: (SubtreeClass, SubtreeClass),
    /// Number of equal children at the start of both lists.
    skipped: usize,
    rows: usize,
    columns: usize,
    /// The cell to fill next.
    row: usize,
    column: usize,
    /// The row before the current one, and the current one.
    above: Vec<u32>,
    current: Vec<u32>,
    /// Steps so far, and the most that it may take.
    steps: u64,
    most_steps: u64,
}

impl AlignmentFrame {
    fn new(shapes: &Shapes, pair: (SubtreeClass, SubtreeClass), most_steps: u64) -> AlignmentFrame {
        let (skipped, a, b) = differing_children(shapes, pair);
        let mut above = vec![0];
        for (at, child) in b.iter().enumerate() {
            above.push(above[at] + shapes.size(*child));
        }
        let current = vec![0; above.len()];
        let (rows, columns) = (a.len(), b.len());
        // Skipping takes steps, too.
        let steps = (shapes.children(pair.0).len() + shapes.children(pair.1).len()) as u64;
        AlignmentFrame { pair, skipped, rows, columns, row: 0, column: 0, above, current, steps, most_steps }
    }
}

/// The children of two vertices without the common prefix and suffix of both lists; also the length of the
/// prefix.
fn differing_children(
    shapes: &Shapes,
    (a, b): (SubtreeClass, SubtreeClass),
) -> (usize, &[SubtreeClass], &[SubtreeClass]) {
    let (a, b) = (shapes.children(a), shapes.children(b));
    let first = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[first..], &b[first..]);
    let last = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    (first, &a[..a.len() - last], &b[..b.len() - last])
}

impl Distances {
    /// The cost of the cheapest mapping of two trees' roots to each other, if it is at most `most` and can be computed within
    /// [`most_steps`].
    pub fn cost_within(
        &mut self,
        shapes: &Shapes,
        a: SubtreeClass,
        b: SubtreeClass,
        most: u32,
    ) -> Option<u32> {
        if self.costs.len() > MOST_PAIRS {
            self.costs.clear();
        }
        if shapes.size(a).abs_diff(shapes.size(b)) > most {
            return None;
        }
        let most_steps = most_steps(u64::from(shapes.size(a)) + u64::from(shapes.size(b)));
        let found = match self.known_cost(shapes, a, b) {
            Ok(found) => found,
            Err(pair) => self.compute_cost(shapes, pair, most, most_steps)?,
        };
        self.steps += u64::from(found.steps).min(most_steps);
        (found.cost <= most && u64::from(found.steps) <= most_steps).then_some(found.cost)
    }

    /// The similarity of two trees, 1 − cost / (vertices of both), if it is at least `least`.
    pub fn similarity(
        &mut self,
        shapes: &Shapes,
        a: SubtreeClass,
        b: SubtreeClass,
        least: f64,
    ) -> Option<f64> {
        let sizes = f64::from(shapes.size(a)) + f64::from(shapes.size(b));
        // The margin keeps a cost of exactly the bound, whatever rounding did to the product.
        let most = ((1.0 - least) * sizes + 1e-9).floor().max(0.0) as u32;
        self.cost_within(shapes, a, b, most).map(|cost| 1.0 - f64::from(cost) / sizes)
    }

    /// The steps of all comparisons and alignments so far. Costs that were cached count as if they had not been, so the sum
    /// depends on what was compared, but not on the order.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The cost of a pair if it needs no table or is cached; otherwise the pair whose table is needed.
    fn known_cost(
        &self,
        shapes: &Shapes,
        mut a: SubtreeClass,
        mut b: SubtreeClass,
    ) -> Result<PairCost, (SubtreeClass, SubtreeClass)> {
        let mut steps = 1;
        loop {
            if a == b {
                return Ok(PairCost { cost: 0, steps });
            }
            let sizes = shapes.size(a).saturating_add(shapes.size(b));
            let (left, right) = (shapes.children(a), shapes.children(b));
            let has_leaf = left.is_empty() || right.is_empty();
            // Beside a leaf, all that is below the two roots is deleted and inserted. The roots match or one replaces the
            // other; two unequal inner vertices are not mapped at all.
            let cost = match (shapes.root_label(a) == shapes.root_label(b), has_leaf) {
                (true, true) => sizes - 2,
                (false, true) => sizes - 1,
                (false, false) => sizes,
                (true, false) => match (left, right) {
                    // To map an only child never costs more than to delete and insert it.
                    ([x], [y]) => {
                        (a, b) = (*x, *y);
                        steps += 1;
                        continue;
                    }
                    _ => {
                        let pair = if shapes.order(a) <= shapes.order(b) { (a, b) } else { (b, a) };
                        let found = self.costs.get(&pair).ok_or(pair)?;
                        return Ok(PairCost { steps: found.steps.saturating_add(steps), ..*found });
                    }
                },
            };
            return Ok(PairCost { cost, steps });
        }
    }

    fn compute_cost(
        &mut self,
        shapes: &Shapes,
        pair: (SubtreeClass, SubtreeClass),
        most: u32,
        most_steps: u64,
    ) -> Option<PairCost> {
        // Depth first without recursion: a frame waits, half filled, for the pair that it needs next. Only the outermost
        // pair has a limit on its cost, since the costs of inner pairs are cached for other limits.
        let mut frames = vec![AlignmentFrame::new(shapes, pair, most_steps)];
        while let Some(frame) = frames.last_mut() {
            match self.advance(shapes, frame, if frame.pair == pair { most } else { u32::MAX }) {
                FrameProgress::Needs(pair) => {
                    let frame =
                        AlignmentFrame::new(shapes, pair, frame.most_steps.saturating_sub(frame.steps));
                    frames.push(frame);
                }
                FrameProgress::Done(cost) => {
                    let steps = u32::try_from(frame.steps).unwrap_or(u32::MAX);
                    self.costs.insert(frame.pair, PairCost { cost, steps });
                    frames.pop();
                }
                FrameProgress::TooExpensive => {
                    self.steps += frame.steps.min(most_steps);
                    return None;
                }
                FrameProgress::TooLong => {
                    self.steps += most_steps;
                    return None;
                }
            }
        }
        self.costs.get(&pair).copied()
    }

    /// Fills a frame's table until it is full, too costly, or needs the cost of another pair first.
    fn advance(&mut self, shapes: &Shapes, frame: &mut AlignmentFrame, most: u32) -> FrameProgress {
        let (a, b) = (shapes.children(frame.pair.0), shapes.children(frame.pair.1));
        while frame.row < frame.rows {
            let x = a[frame.skipped + frame.row];
            let size = shapes.size(x);
            if frame.column == 0 {
                frame.current[0] = frame.above[0] + size;
            }
            while frame.column < frame.columns {
                let y = b[frame.skipped + frame.column];
                let found = match self.known_cost(shapes, x, y) {
                    Ok(found) => found,
                    Err(pair) => return FrameProgress::Needs(pair),
                };
                let at = frame.column;
                let deleted = frame.above[at + 1] + size;
                let inserted = frame.current[at] + shapes.size(y);
                let mapped = frame.above[at] + found.cost;
                frame.current[at + 1] = deleted.min(inserted).min(mapped);
                frame.steps += u64::from(found.steps);
                frame.column += 1;
            }
            // The top short cut: costs only grow from row to row, so no alignment is cheaper than the least cell.
            let least = frame.current.iter().min().copied().unwrap_or(0);
            if least > most {
                return FrameProgress::TooExpensive;
            }
            if frame.steps > frame.most_steps {
                return FrameProgress::TooLong;
            }
            std::mem::swap(&mut frame.above, &mut frame.current);
            frame.row += 1;
            frame.column = 0;
        }
        FrameProgress::Done(frame.above[frame.columns])
    }

    /// The cheapest alignment of the children of two vertices, in order; `None` if the lists are too long, or take more than
    /// [`most_steps`].
    pub fn align(&mut self, shapes: &Shapes, a: SubtreeClass, b: SubtreeClass) -> Option<Vec<EditStep>> {
        let (skipped, left, right) = differing_children(shapes, (a, b));
        let width = right.len() + 1;
        if (left.len() + 1).saturating_mul(width) > MOST_ALIGNED_CELLS {
            return None;
        }
        let most_steps = most_steps(u64::from(shapes.size(a)) + u64::from(shapes.size(b)));
        let before = self.steps;
        // The same table as in `advance`, but all of it is kept, so that the steps can be traced back.
        let mut table = vec![0; (left.len() + 1) * width];
        for (column, y) in right.iter().enumerate() {
            table[column + 1] = table[column] + shapes.size(*y);
        }
        for (row, x) in left.iter().enumerate() {
            let row_start = (row + 1) * width;
            table[row_start] = table[row_start - width] + shapes.size(*x);
            for (column, y) in right.iter().enumerate() {
                let cell = row_start + column + 1;
                let deleted = table[cell - width] + shapes.size(*x);
                let inserted = table[cell - 1] + shapes.size(*y);
                table[cell] = deleted.min(inserted);
                // Trees that are too large to compare are deleted and inserted.
                if let Some(cost) = self.cost_within(shapes, *x, *y, u32::MAX) {
                    table[cell] = table[cell].min(table[cell - width - 1] + cost);
                }
                if self.steps - before > most_steps {
                    return None;
                }
            }
        }
        let mut middle = self.trace_back(shapes, left, right, &table);
        middle.reverse();
        let same = |class: &SubtreeClass| EditStep::Match(*class, *class);
        let children = shapes.children(a);
        let mut steps: Vec<EditStep> = children[..skipped].iter().map(same).collect();
        steps.extend(middle);
        steps.extend(children[skipped + left.len()..].iter().map(same));
        Some(steps)
    }

    /// As [`align`](Self::align), for two vertices that an alignment of their parents mapped to each other. Their children were compared
    /// then, and those costs are cached, so only the cells of their own table are further steps.
    pub fn align_mapped(
        &mut self,
        shapes: &Shapes,
        a: SubtreeClass,
        b: SubtreeClass,
    ) -> Option<Vec<EditStep>> {
        let before = self.steps;
        let steps = self.align(shapes, a, b);
        let (_, left, right) = differing_children(shapes, (a, b));
        let cells = (left.len() as u64).saturating_mul(right.len() as u64);
        self.steps = self.steps.min(before.saturating_add(cells));
        steps
    }

    /// The steps that lead to the last cell of a table, last step first; prefers matches, then deletions, then
    /// insertions.
    fn trace_back(
        &self,
        shapes: &Shapes,
        left: &[SubtreeClass],
        right: &[SubtreeClass],
        table: &[u32],
    ) -> Vec<EditStep> {
        let width = right.len() + 1;
        let (mut row, mut column) = (left.len(), right.len());
        let mut steps = Vec::new();
        while row > 0 || column > 0 {
            let at = row * width + column;
            let pair = (row > 0 && column > 0).then(|| (left[row - 1], right[column - 1]));
            let cost = pair.and_then(|(x, y)| Some((x, y, self.known_cost(shapes, x, y).ok()?.cost)));
            match cost {
                // Unequal internal vertices are never mapped to each other.
                Some((x, y, cost))
                    if may_be_mapped(shapes, x, y) && table[at] == table[at - width - 1] + cost =>
                {
                    steps.push(EditStep::Match(x, y));
                    (row, column) = (row - 1, column - 1);
                }
                _ if row > 0 && table[at] == table[at - width] + shapes.size(left[row - 1]) => {
                    steps.push(EditStep::Delete(left[row - 1]));
                    row -= 1;
                }
                _ if column > 0 => {
                    steps.push(EditStep::Insert(right[column - 1]));
                    column -= 1;
                }
                _ => break,
            }
        }
        steps
    }
}

/// Whether a mapping may contain this pair.
fn may_be_mapped(shapes: &Shapes, a: SubtreeClass, b: SubtreeClass) -> bool {
    shapes.root_label(a) == shapes.root_label(b)
        || shapes.children(a).is_empty()
        || shapes.children(b).is_empty()
}

/// How far a frame's table is filled.
enum FrameProgress {
    /// The cost of this pair is needed first.
    Needs((SubtreeClass, SubtreeClass)),
    /// The table is full; the cost of the frame's pair.
    Done(u32),
    /// The cost exceeds the bound.
    TooExpensive,
    /// The comparison takes too many steps.
    TooLong,
}
