//! Matches a page with a pattern: which parts of the page the wildcards match (\[R\], "Data matching").
//!
//! The match is the cheapest mapping of every plain vertex of the pattern to an equal vertex of the page, in
//! which wildcards consume all other vertices of the page. Consuming a vertex costs one, so plain vertices
//! match where they can. Of equally cheap mappings the one is taken in which optional wildcards consume. If
//! there is no mapping, the pattern does not accept the page. The vertices that each wildcard consumed are a
//! passage of the page; passages are in order.
//!
//! Invariants: a pattern made of one page accepts this page at cost 0. The walk is iterative, and a match takes at most a
//! number of steps that is linear in the vertices of both trees ([`most_steps`]); a pattern does not accept a page that takes
//! more. Start at [`Matcher::cost`].

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::distance::most_steps;
use super::shape::{PageShape, Shapes, SubtreeClass, Wildcard};

/// Most cells of a table; longer lists of children are not accepted.
const MOST_CELLS: usize = 4_000_000;
/// Most pairs whose costs are cached.
const MOST_PAIRS: usize = 2_000_000;

/// Costs of matching classes of patterns with classes of pages.
#[derive(Clone, Debug, Default)]
pub struct Matcher {
    costs: FxHashMap<(SubtreeClass, SubtreeClass), PairCost>,
    steps: u64,
}

/// The cost of matching a tree with a pattern, and the steps to compute it without a cache.
#[derive(Clone, Copy, Debug)]
struct PairCost {
    /// `None` if the pattern does not accept the tree.
    cost: Option<u32>,
    steps: u32,
}

/// A pair whose table is being filled: a cell is the cost of matching the first `row` children of the pattern with the first
/// `column` children of the tree. Only two rows are held.
struct TableFrame {
    pair: (SubtreeClass, SubtreeClass),
    /// The cell to fill next.
    row: usize,
    column: usize,
    /// The row before the current one, and the current one.
    above: Vec<Option<u32>>,
    current: Vec<Option<u32>>,
    /// Steps so far, and the most that it may take.
    steps: u64,
    most_steps: u64,
}

impl TableFrame {
    fn new(shapes: &Shapes, pair: (SubtreeClass, SubtreeClass), most_steps: u64) -> TableFrame {
        let width = shapes.children(pair.1).len() + 1;
        let mut above = vec![None; width];
        above[0] = Some(0);
        TableFrame {
            pair,
            row: 0,
            column: 0,
            above,
            current: vec![None; width],
            steps: width as u64,
            most_steps,
        }
    }
}

/// How far a frame's table is filled.
enum TableProgress {
    /// The cost of this pair is needed first.
    Needs((SubtreeClass, SubtreeClass)),
    /// The table is full; the cost of the frame's pair.
    Done(Option<u32>),
    /// The match takes too many steps.
    TooLong,
}

/// The part of a page that a wildcard consumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The wildcard, as its vertex number in the pattern.
    pub slot: u32,
    /// The page's vertices; empty if an optional wildcard consumed nothing.
    pub vertices: Range<usize>,
}

/// A page matched with a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatternMatch {
    /// The passage that each wildcard matched, in document order.
    pub passages: Vec<Passage>,
    /// The page's vertices that match plain vertices of the pattern.
    pub fixed: Vec<usize>,
}

impl Matcher {
    /// The cost of matching a tree with a pattern: the number of vertices that wildcards consume. `None` if the
    /// pattern does not accept the tree, or takes more than [`most_steps`].
    pub fn cost(&mut self, shapes: &Shapes, pattern: SubtreeClass, tree: SubtreeClass) -> Option<u32> {
        if self.costs.len() > MOST_PAIRS {
            self.costs.clear();
        }
        if shapes.root_label(pattern).wildcard().is_some() {
            return Some(shapes.size(tree));
        }
        let most_steps = most_steps(u64::from(shapes.size(pattern)) + u64::from(shapes.size(tree)));
        let found = match self.known_cost(shapes, (pattern, tree)) {
            Ok(found) => found,
            Err(pair) => self.compute_cost(shapes, pair, most_steps)?,
        };
        self.steps += u64::from(found.steps).min(most_steps);
        found.cost.filter(|_| u64::from(found.steps) <= most_steps)
    }

    /// The steps of all matches so far. Costs that were cached count as if they had not been.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    fn compute_cost(
        &mut self,
        shapes: &Shapes,
        pair: (SubtreeClass, SubtreeClass),
        most_steps: u64,
    ) -> Option<PairCost> {
        // Depth first without recursion: a frame waits, half filled, for the pair that it needs next.
        let mut frames = vec![TableFrame::new(shapes, pair, most_steps)];
        while let Some(frame) = frames.last_mut() {
            match self.advance(shapes, frame) {
                TableProgress::Needs(pair) => {
                    let frame = TableFrame::new(shapes, pair, frame.most_steps.saturating_sub(frame.steps));
                    frames.push(frame);
                }
                TableProgress::Done(cost) => {
                    let steps = u32::try_from(frame.steps).unwrap_or(u32::MAX);
                    self.costs.insert(frame.pair, PairCost { cost, steps });
                    frames.pop();
                }
                TableProgress::TooLong => {
                    self.steps += most_steps;
                    return None;
                }
            }
        }
        self.costs.get(&pair).copied()
    }

    /// Fills a frame's table until it is full, takes too long, or needs the cost of another pair first.
    fn advance(&self, shapes: &Shapes, frame: &mut TableFrame) -> TableProgress {
        let (rows, columns) = (shapes.children(frame.pair.0), shapes.children(frame.pair.1));
        if (rows.len() + 1).saturating_mul(columns.len() + 1) > MOST_CELLS {
            return TableProgress::Done(None);
        }
        while let Some(part) = rows.get(frame.row) {
            let wildcard = shapes.root_label(*part).wildcard();
            if frame.column == 0 {
                frame.current[0] = frame.above[0].filter(|_| wildcard.is_some_and(Wildcard::is_optional));
            }
            while let Some(child) = columns.get(frame.column) {
                let at = frame.column;
                let neighbours = (frame.above[at], frame.above[at + 1], frame.current[at]);
                let found = match self.cell(shapes, (*part, *child), wildcard, neighbours) {
                    Ok(found) => found,
                    Err(pair) => return TableProgress::Needs(pair),
                };
                frame.current[at + 1] = found.cost;
                frame.steps += u64::from(found.steps);
                frame.column += 1;
            }
            if frame.steps > frame.most_steps {
                return TableProgress::TooLong;
            }
            std::mem::swap(&mut frame.above, &mut frame.current);
            frame.row += 1;
            frame.column = 0;
        }
        TableProgress::Done(frame.above.last().copied().flatten())
    }

    /// The cost of a cell from the cells diagonally above, above and before it.
    fn cell(
        &self,
        shapes: &Shapes,
        (part, child): (SubtreeClass, SubtreeClass),
        wildcard: Option<Wildcard>,
        (diagonal, above, before): (Option<u32>, Option<u32>, Option<u32>),
    ) -> Result<PairCost, (SubtreeClass, SubtreeClass)> {
        let Some(wildcard) = wildcard else {
            // A plain vertex takes exactly one child, at the cost of matching the two.
            if diagonal.is_none() {
                return Ok(PairCost { cost: None, steps: 1 });
            }
            let found = self.known_cost(shapes, (part, child))?;
            return Ok(PairCost { cost: add_costs(diagonal, found.cost), ..found });
        };
        // A wildcard takes this child as its first, as a further one, or takes nothing.
        let size = Some(shapes.size(child));
        let mut cost = add_costs(diagonal, size);
        if wildcard.is_repeated() {
            cost = cheaper(cost, add_costs(before, size));
        }
        if wildcard.is_optional() {
            cost = cheaper(cost, above);
        }
        Ok(PairCost { cost, steps: 1 })
    }

    /// The cost of a pair if it needs no table or is cached; otherwise the pair whose table is needed.
    fn known_cost(
        &self,
        shapes: &Shapes,
        (mut pattern, mut tree): (SubtreeClass, SubtreeClass),
    ) -> Result<PairCost, (SubtreeClass, SubtreeClass)> {
        let mut steps = 1;
        loop {
            if !shapes.has_wildcard(pattern) {
                return Ok(PairCost { cost: (pattern == tree).then_some(0), steps });
            }
            if shapes.root_label(pattern) != shapes.root_label(tree) {
                return Ok(PairCost { cost: None, steps });
            }
            match (shapes.children(pattern), shapes.children(tree)) {
                ([part], [child]) if shapes.root_label(*part).wildcard().is_some() => {
                    return Ok(PairCost { cost: Some(shapes.size(*child)), steps });
                }
                ([part], [child]) => {
                    (pattern, tree) = (*part, *child);
                    steps += 1;
                }
                _ => {
                    let found = self.costs.get(&(pattern, tree)).ok_or((pattern, tree))?;
                    return Ok(PairCost { steps: found.steps.saturating_add(steps), ..*found });
                }
            }
        }
    }

    /// The costs of matching each prefix of a pattern's children with each prefix of a tree's, row by row; `None` if the
    /// lists are too long, or the cost of a pair is not known yet.
    fn cost_table(
        &self,
        shapes: &Shapes,
        (pattern, tree): (SubtreeClass, SubtreeClass),
    ) -> Option<Vec<Option<u32>>> {
        let (rows, columns) = (shapes.children(pattern), shapes.children(tree));
        let width = columns.len() + 1;
        let cells = (rows.len() + 1).saturating_mul(width);
        if cells > MOST_CELLS {
            return None;
        }
        let mut table: Vec<Option<u32>> = vec![None; cells];
        table[0] = Some(0);
        for (row, part) in rows.iter().enumerate() {
            let wildcard = shapes.root_label(*part).wildcard();
            let row_start = (row + 1) * width;
            if wildcard.is_some_and(Wildcard::is_optional) {
                table[row_start] = table[row_start - width];
            }
            for (column, child) in columns.iter().enumerate() {
                let cell = row_start + column + 1;
                let neighbours = (table[cell - width - 1], table[cell - width], table[cell - 1]);
                table[cell] = self.cell(shapes, (*part, *child), wildcard, neighbours).ok()?.cost;
            }
        }
        Some(table)
    }

    /// Matches a page with a pattern, if the pattern accepts it.
    pub fn match_page(
        &mut self,
        shapes: &Shapes,
        pattern: SubtreeClass,
        page: &PageShape,
    ) -> Option<PatternMatch> {
        self.cost(shapes, pattern, page.class())?;
        let mut matched = PatternMatch::default();
        if shapes.root_label(pattern).wildcard().is_some() {
            matched.passages.push(Passage { slot: 0, vertices: 0..page.vertices.len() });
            return Some(matched);
        }
        // Pairs of a plain vertex of the pattern (its class and number) and the page's vertex that it matches.
        let mut open = vec![(pattern, 0_u32, 0_usize)];
        while let Some((pattern, slot, vertex)) = open.pop() {
            matched.fixed.push(vertex);
            let children: Vec<usize> = page.children(vertex).collect();
            let pair = (pattern, page.vertices[vertex].class);
            if !shapes.has_wildcard(pattern) {
                matched.fixed.extend(vertex + 1..page.vertices[vertex].end as usize);
                continue;
            }
            let table = self.cost_table(shapes, pair)?;
            self.trace_back(shapes, pair, slot, &children, page, &table, &mut matched, &mut open);
        }
        matched.passages.sort_by_key(|passage| passage.slot);
        matched.fixed.sort_unstable();
        Some(matched)
    }

    /// Traces a table back from its last cell: collects what wildcards consumed and which children are mapped.
    #[allow(clippy::too_many_arguments, reason = "a step of `layout` that has its state")]
    fn trace_back(
        &self,
        shapes: &Shapes,
        (pattern, _): (SubtreeClass, SubtreeClass),
        slot: u32,
        children: &[usize],
        page: &PageShape,
        table: &[Option<u32>],
        matched: &mut PatternMatch,
        open: &mut Vec<(SubtreeClass, u32, usize)>,
    ) {
        let parts = shapes.children(pattern);
        // The vertex numbers of the parts in the whole pattern: subtrees follow one another.
        let mut slots = Vec::with_capacity(parts.len());
        parts.iter().fold(slot + 1, |next, part| {
            slots.push(next);
            next + shapes.size(*part)
        });
        let width = children.len() + 1;
        let (mut row, mut column) = (parts.len(), children.len());
        while row > 0 {
            let part = parts[row - 1];
            let Some(wildcard) = shapes.root_label(part).wildcard() else {
                open.push((part, slots[row - 1], children[column - 1]));
                (row, column) = (row - 1, column - 1);
                continue;
            };
            let end = column;
            // The wildcard takes as much as the cheapest mapping allows. A step to the left in the table adds a child to it;
            // a diagonal one takes its first child and ends it; a step up takes nothing.
            loop {
                let cell = row * width + column;
                let size = column.checked_sub(1).map(|last| {
                    let class = page.vertices[children[last]].class;
                    shapes.size(class)
                });
                let comes_from = |earlier: usize| {
                    size.is_some_and(|size| table[cell] == add_costs(table[earlier], Some(size)))
                };
                if wildcard.is_repeated() && column > 0 && comes_from(cell - 1) && table[cell - 1].is_some() {
                    column -= 1;
                } else if column > 0 && table[cell - width - 1].is_some() && comes_from(cell - width - 1) {
                    column -= 1;
                    break;
                } else {
                    break;
                }
            }
            let start = children.get(column).copied().unwrap_or(0);
            let vertices = if column < end {
                start..page.vertices[children[end - 1]].end as usize
            } else {
                start..start
            };
            matched.passages.push(Passage { slot: slots[row - 1], vertices });
            row -= 1;
        }
    }
}

/// The sum of two costs; without a mapping of both parts there is none of the whole.
fn add_costs(a: Option<u32>, b: Option<u32>) -> Option<u32> {
    Some(a?.saturating_add(b?))
}

/// The smaller cost, if there is one.
fn cheaper(a: Option<u32>, b: Option<u32>) -> Option<u32> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
