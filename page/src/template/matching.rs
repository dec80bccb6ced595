//! Matches a page with a pattern: which parts of the page the wildcards match (\[R\], "Data matching").
//!
//! The match is the cheapest mapping of every plain vertex of the pattern to an equal vertex of the page, in
//! which wildcards consume all other vertices of the page. Consuming a vertex costs one, so plain vertices
//! match where they can. Of equally cheap mappings the one is taken in which optional wildcards consume. If
//! there is no mapping, the pattern does not accept the page. The vertices that each wildcard consumed are a
//! passage of the page; passages are in order.
//!
//! Invariant: a pattern made of one page accepts this page at cost 0. Start at [`Matcher::cost`].

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::shape::{PageShape, Shapes, SubtreeClass, Wildcard};

/// Most cells of a table; longer lists of children are not accepted.
const MOST_CELLS: usize = 4_000_000;
/// Most pairs whose costs are cached.
const MOST_PAIRS: usize = 2_000_000;

/// Costs of matching classes of patterns with classes of pages.
#[derive(Clone, Debug, Default)]
pub struct Matcher {
    /// `None` for pairs of which the pattern does not accept the tree.
    costs: FxHashMap<(SubtreeClass, SubtreeClass), Option<u32>>,
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
    /// pattern does not accept the tree.
    pub fn cost(&mut self, shapes: &Shapes, pattern: SubtreeClass, tree: SubtreeClass) -> Option<u32> {
        if self.costs.len() > MOST_PAIRS {
            self.costs.clear();
        }
        if shapes.root_label(pattern).wildcard().is_some() {
            return Some(shapes.size(tree));
        }
        // Depth first without recursion: a pair stays on the stack until the costs of its children's pairs are known.
        let mut open = vec![(pattern, tree)];
        while let Some(&pair) = open.last() {
            if self.cached_cost(shapes, pair).is_some() {
                open.pop();
                continue;
            }
            match self.cost_table(shapes, pair) {
                Ok(table) => {
                    let cost = table.and_then(|table| table.last().copied().flatten());
                    self.costs.insert(pair, cost);
                }
                Err(needed) => open.push(needed),
            }
        }
        self.cached_cost(shapes, (pattern, tree)).flatten()
    }

    /// The cost of a pair if it is known; `Some(None)`: the pattern does not accept the tree.
    fn cached_cost(
        &self,
        shapes: &Shapes,
        (pattern, tree): (SubtreeClass, SubtreeClass),
    ) -> Option<Option<u32>> {
        if !shapes.has_wildcard(pattern) {
            return Some((pattern == tree).then_some(0));
        }
        if shapes.root_label(pattern) != shapes.root_label(tree) {
            return Some(None);
        }
        self.costs.get(&(pattern, tree)).copied()
    }

    /// The costs of matching each prefix of a pattern's children with each prefix of a tree's, row by row.
    /// `Ok(None)` if the lists are too long; `Err` with the pair whose cost is needed first.
    #[allow(clippy::type_complexity, reason = "a table, if it can be, or what it needs")]
    fn cost_table(
        &self,
        shapes: &Shapes,
        (pattern, tree): (SubtreeClass, SubtreeClass),
    ) -> Result<Option<Vec<Option<u32>>>, (SubtreeClass, SubtreeClass)> {
        let (rows, columns) = (shapes.children(pattern), shapes.children(tree));
        let width = columns.len() + 1;
        let cells = (rows.len() + 1).saturating_mul(width);
        if cells > MOST_CELLS {
            return Ok(None);
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
                let size = shapes.size(*child);
                let (diagonal, above, before) =
                    (table[cell - width - 1], table[cell - width], table[cell - 1]);
                table[cell] = match wildcard {
                    // A plain vertex takes exactly one child, at the cost of matching the two.
                    None if diagonal.is_none() => None,
                    None => {
                        let pair = (*part, *child);
                        let cost = self.cached_cost(shapes, pair).ok_or(pair)?;
                        add_costs(diagonal, cost)
                    }
                    // A wildcard takes this child as its first, as a further one, or takes nothing.
                    Some(wildcard) => {
                        let mut least = add_costs(diagonal, Some(size));
                        if wildcard.is_repeated() {
                            least = cheaper(least, add_costs(before, Some(size)));
                        }
                        if wildcard.is_optional() {
                            least = cheaper(least, above);
                        }
                        least
                    }
                };
            }
        }
        Ok(Some(table))
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
            let table = self.cost_table(shapes, pair).ok().flatten()?;
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
