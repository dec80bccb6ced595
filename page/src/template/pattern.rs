//! Node extraction patterns: what pages of one template have in common, with wildcards where they differ (\[R\],
//! "Extraction pattern generation").
//!
//! A pattern is a tree whose leaves may be wildcards; a page is a pattern without wildcards. Two patterns are
//! composed along their cheapest mapping: equal vertices stay, a replaced vertex becomes a wildcard, a deleted
//! or inserted one an optional wildcard. Then sibling wildcards with at most one plain vertex between them are
//! joined into one of variable size, since they match parts of one list. The composition accepts everything
//! that its parts accept.
//!
//! Start at [`compose_pair`].

use serde::{Deserialize, Serialize};

use super::distance::{Distances, EditStep};
use super::shape::{Shapes, SubtreeClass, Wildcard};

/// Composes two patterns along their cheapest mapping, depth first without recursion.
pub fn compose_pair(
    shapes: &mut Shapes,
    distances: &mut Distances,
    a: SubtreeClass,
    b: SubtreeClass,
) -> SubtreeClass {
    if a == b {
        return a;
    }
    // Unequal roots have nothing in common; the pattern is a single wildcard.
    if shapes.root_label(a) != shapes.root_label(b) {
        let wildcard = wildcard_for_both(shapes, a, b);
        return shapes.wildcard(wildcard);
    }
    let steps = distances.align(shapes, a, b);
    let mut open = vec![OpenVertex::new(shapes, a, steps)];
    loop {
        let Some(top) = open.last_mut() else { return a };
        let Some(step) = top.steps.next() else {
            // All children are composed, so the vertex is complete: a child of its parent, or the whole.
            let children = join_wildcards(shapes, std::mem::take(&mut top.children));
            let composed = shapes.intern(shapes.root_label(top.class), children);
            open.pop();
            match open.last_mut() {
                Some(parent) => parent.children.push(composed),
                None => return composed,
            }
            continue;
        };
        match step {
            EditStep::Match(x, y) if x == y => top.children.push(x),
            EditStep::Match(x, y) if shapes.root_label(x) == shapes.root_label(y) => {
                let steps = distances.align_mapped(shapes, x, y);
                let child = OpenVertex::new(shapes, x, steps);
                open.push(child);
            }
            EditStep::Match(x, y) => {
                let wildcard = wildcard_for_both(shapes, x, y);
                top.children.push(shapes.wildcard(wildcard));
            }
            EditStep::Delete(x) | EditStep::Insert(x) => {
                let wildcard = wildcard_for(shapes, x).optional();
                top.children.push(shapes.wildcard(wildcard));
            }
        }
    }
}

/// Composes several patterns one after the other; `None` if there are none.
pub fn compose_all(
    shapes: &mut Shapes,
    distances: &mut Distances,
    parts: &[SubtreeClass],
) -> Option<SubtreeClass> {
    let (first, rest) = parts.split_first()?;
    Some(rest.iter().fold(*first, |sum, part| compose_pair(shapes, distances, sum, *part)))
}

/// Two vertices whose children are being composed.
struct OpenVertex {
    /// One of the two; both have the same label.
    class: SubtreeClass,
    /// The steps that remain.
    steps: std::vec::IntoIter<EditStep>,
    /// The children that are composed.
    children: Vec<SubtreeClass>,
}

impl OpenVertex {
    /// A vertex with the alignment of its children and the other's.
    fn new(shapes: &mut Shapes, class: SubtreeClass, alignment: Option<Vec<EditStep>>) -> OpenVertex {
        // Lists that are too long to align become one wildcard.
        let (steps, children) = match alignment {
            Some(steps) => (steps, Vec::new()),
            None => (Vec::new(), vec![shapes.wildcard(Wildcard::ZeroOrMore)]),
        };
        OpenVertex { class, steps: steps.into_iter(), children }
    }
}

/// The wildcard that accepts a subtree; a wildcard is its own.
fn wildcard_for(shapes: &Shapes, class: SubtreeClass) -> Wildcard {
    shapes.root_label(class).wildcard().unwrap_or(Wildcard::One)
}

/// The narrowest wildcard that accepts both subtrees.
fn wildcard_for_both(shapes: &Shapes, a: SubtreeClass, b: SubtreeClass) -> Wildcard {
    wildcard_for(shapes, a).or(wildcard_for(shapes, b))
}

/// Joins the wildcards among children if at most one plain vertex lies between them (\[R\], the step after each
/// composition). The plain vertex goes into the joined wildcard, which is therefore not optional.
fn join_wildcards(shapes: &mut Shapes, children: Vec<SubtreeClass>) -> Vec<SubtreeClass> {
    let wildcard = |class: SubtreeClass| shapes.root_label(class).wildcard();
    let mut joined: Vec<SubtreeClass> = Vec::with_capacity(children.len());
    // Positions in `joined` whose wildcard changes; of several changes of one position the last counts.
    let mut changes: Vec<(usize, Wildcard)> = Vec::new();
    let mut last_wildcard: Option<usize> = None;
    for child in children {
        let Some(own) = wildcard(child) else {
            joined.push(child);
            continue;
        };
        match last_wildcard.filter(|last| joined.len() - last <= 2) {
            Some(at) => {
                // Positions only grow, so the last change is the only one that may be of this position.
                let changed =
                    changes.last().filter(|(position, _)| *position == at).map(|(_, wildcard)| *wildcard);
                let before = changed.or(wildcard(joined[at])).unwrap_or(Wildcard::One);
                let has_plain = joined.len() - at == 2;
                let is_optional = before.is_optional() && own.is_optional() && !has_plain;
                joined.truncate(at + 1);
                changes.push((at, if is_optional { Wildcard::ZeroOrMore } else { Wildcard::OneOrMore }));
            }
            None => {
                last_wildcard = Some(joined.len());
                joined.push(child);
            }
        }
    }
    for (at, wildcard) in changes {
        joined[at] = shapes.wildcard(wildcard);
    }
    joined
}

/// A vertex of a stored pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternVertex {
    /// An element's tag, a text in quotes, or the sign of a wildcard.
    pub label: String,
    /// Whether it is a wildcard.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_wild: bool,
    /// Number of vertices of its subtree, including itself.
    pub size: u32,
}

/// A pattern that can be stored: its vertices in document order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    /// The vertices; a pattern without vertices accepts nothing.
    pub vertices: Vec<PatternVertex>,
}

impl Pattern {
    /// The stored form of a class.
    #[must_use]
    pub fn new(shapes: &Shapes, class: SubtreeClass) -> Pattern {
        let mut vertices = Vec::new();
        let mut open = vec![class];
        while let Some(class) = open.pop() {
            let label = shapes.root_label(class);
            let wildcard = label.wildcard();
            let name = wildcard
                .map_or_else(|| shapes.name(label).to_owned(), |wildcard| wildcard.sign().to_string());
            vertices.push(PatternVertex {
                label: name,
                is_wild: wildcard.is_some(),
                size: shapes.size(class),
            });
            open.extend(shapes.children(class).iter().rev());
        }
        Pattern { vertices }
    }

    /// For each vertex its holder: its parent, or its grandparent if it is an only child.
    #[must_use]
    pub fn holders(&self) -> Vec<usize> {
        let mut holders = Vec::with_capacity(self.vertices.len());
        // The ancestors of the current vertex, each with the end of its subtree.
        let mut open: Vec<(usize, usize)> = Vec::new();
        for (at, vertex) in self.vertices.iter().enumerate() {
            while open.last().is_some_and(|(_, end)| *end <= at) {
                open.pop();
            }
            let is_only_child_of = |parent: usize| self.vertices[parent].size == vertex.size + 1;
            let holder = match open[..] {
                [.., (grandparent, _), (parent, _)] if is_only_child_of(parent) => grandparent,
                [.., (parent, _)] => parent,
                [] => at,
            };
            holders.push(holder);
            open.push((at, at + vertex.size as usize));
        }
        holders
    }

    /// The class of this pattern in `shapes`; `None` if its vertices do not form a tree.
    pub fn intern(&self, shapes: &mut Shapes) -> Option<SubtreeClass> {
        // From the last vertex to the first: a vertex takes the subtrees that lie between it and its own end. Stored
        // patterns are input, so sizes may contradict one another.
        let mut roots: Vec<(usize, SubtreeClass)> = Vec::new();
        for (at, vertex) in self.vertices.iter().enumerate().rev() {
            let end = at.checked_add(vertex.size as usize)?;
            let mut children = Vec::new();
            let mut next = at + 1;
            while next < end {
                let (position, class) = roots.pop()?;
                if position != next {
                    return None;
                }
                next += shapes.size(class) as usize;
                children.push(class);
            }
            if next != end || vertex.is_wild && !children.is_empty() {
                return None;
            }
            let wildcard = Wildcard::ALL
                .into_iter()
                .find(|wildcard| vertex.is_wild && vertex.label.starts_with(wildcard.sign()));
            let class = match wildcard {
                Some(wildcard) => shapes.wildcard(wildcard),
                None => {
                    let label = shapes.intern_label(&vertex.label);
                    shapes.intern(label, children)
                }
            };
            roots.push((at, class));
        }
        let root = roots.pop().map(|(_, class)| class);
        root.filter(|_| roots.is_empty())
    }
}
