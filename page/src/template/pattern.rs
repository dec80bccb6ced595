//! Node extraction patterns: what pages of one template have in common, with wildcards where they differ \[R\].
//!
//! A pattern is a tree whose leaves may be wildcards; a page is a pattern without wildcards. Two patterns are
//! composed along their cheapest mapping: equal vertices stay, a replaced vertex becomes a wildcard, a deleted
//! or inserted one an optional wildcard. Then sibling wildcards with at most one plain vertex between them are
//! joined into one of variable size: they stand for one list. The composition accepts everything that its parts
//! accept.
//!
//! Start at [`compose`].

use serde::{Deserialize, Serialize};

use super::distance::{Distances, Step};
use super::shape::{Class, Shapes, Wild};

/// Composes two patterns.
pub fn compose(shapes: &mut Shapes, distances: &mut Distances, a: Class, b: Class) -> Class {
    if a == b {
        return a;
    }
    if shapes.root(a) != shapes.root(b) {
        let wild = replaced(shapes, a, b);
        return shapes.wild(wild);
    }
    let mut open = vec![OpenVertex::new(shapes, distances, a, b)];
    loop {
        let Some(top) = open.last_mut() else { return a };
        let Some(step) = top.steps.next() else {
            let children = joined(shapes, std::mem::take(&mut top.children));
            let done = shapes.class(shapes.root(top.of), children);
            open.pop();
            match open.last_mut() {
                Some(above) => above.children.push(done),
                None => return done,
            }
            continue;
        };
        match step {
            Step::Match(x, y) if x == y => top.children.push(x),
            Step::Match(x, y) if shapes.root(x) == shapes.root(y) => {
                let below = OpenVertex::new(shapes, distances, x, y);
                open.push(below);
            }
            Step::Match(x, y) => {
                let wild = replaced(shapes, x, y);
                top.children.push(shapes.wild(wild));
            }
            Step::Delete(x) | Step::Insert(x) => {
                let wild = wildcard(shapes, x).or_none();
                top.children.push(shapes.wild(wild));
            }
        }
    }
}

/// Composes several patterns one after the other; `None` if there are none.
pub fn compose_all(shapes: &mut Shapes, distances: &mut Distances, parts: &[Class]) -> Option<Class> {
    let (first, rest) = parts.split_first()?;
    Some(rest.iter().fold(*first, |sum, part| compose(shapes, distances, sum, *part)))
}

/// Two vertices whose children are being composed.
struct OpenVertex {
    of: Class,
    steps: std::vec::IntoIter<Step>,
    children: Vec<Class>,
}

impl OpenVertex {
    fn new(shapes: &mut Shapes, distances: &mut Distances, a: Class, b: Class) -> OpenVertex {
        // Lists that are too long to align become one wildcard.
        let (steps, children) = match distances.align(shapes, a, b) {
            Some(steps) => (steps, Vec::new()),
            None => (Vec::new(), vec![shapes.wild(Wild::Any)]),
        };
        OpenVertex { of: a, steps: steps.into_iter(), children }
    }
}

/// The wildcard that accepts a subtree; a wildcard is its own.
fn wildcard(shapes: &Shapes, class: Class) -> Wild {
    shapes.root(class).wild().unwrap_or(Wild::One)
}

fn replaced(shapes: &Shapes, a: Class, b: Class) -> Wild {
    wildcard(shapes, a).or(wildcard(shapes, b))
}

/// Joins the wildcards among children if at most one plain vertex lies between them.
fn joined(shapes: &mut Shapes, children: Vec<Class>) -> Vec<Class> {
    let wild = |class: Class| shapes.root(class).wild();
    let mut kept: Vec<Class> = Vec::with_capacity(children.len());
    let mut joins: Vec<(usize, Wild)> = Vec::new();
    // Position of the last wildcard kept.
    let mut last: Option<usize> = None;
    for child in children {
        let Some(own) = wild(child) else {
            kept.push(child);
            continue;
        };
        match last.filter(|last| kept.len() - last <= 2) {
            Some(at) => {
                let known = joins.iter().rev().find(|(place, _)| *place == at).map(|(_, wild)| *wild);
                let before = known.or(wild(kept[at])).unwrap_or(Wild::One);
                let has_plain = kept.len() - at == 2;
                let may_be_none = before.may_be_none() && own.may_be_none() && !has_plain;
                kept.truncate(at + 1);
                joins.push((at, if may_be_none { Wild::Any } else { Wild::Some }));
            }
            None => {
                last = Some(kept.len());
                kept.push(child);
            }
        }
    }
    for (at, wild) in joins {
        kept[at] = shapes.wild(wild);
    }
    kept
}

/// A vertex of a stored pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vertex {
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
    pub vertices: Vec<Vertex>,
}

impl Pattern {
    /// The stored form of a class.
    #[must_use]
    pub fn new(shapes: &Shapes, class: Class) -> Pattern {
        let mut vertices = Vec::new();
        let mut open = vec![class];
        while let Some(class) = open.pop() {
            let label = shapes.root(class);
            let wild = label.wild();
            let name = wild.map_or_else(|| shapes.name(label).to_owned(), |wild| wild.sign().to_string());
            vertices.push(Vertex { label: name, is_wild: wild.is_some(), size: shapes.size(class) });
            open.extend(shapes.children(class).iter().rev());
        }
        Pattern { vertices }
    }

    /// For each vertex its holder: its parent, or its grandparent if it is an only child.
    #[must_use]
    pub fn holders(&self) -> Vec<usize> {
        let mut holders = Vec::with_capacity(self.vertices.len());
        // The vertices above, each with the end of its subtree.
        let mut open: Vec<(usize, usize)> = Vec::new();
        for (at, vertex) in self.vertices.iter().enumerate() {
            while open.last().is_some_and(|(_, end)| *end <= at) {
                open.pop();
            }
            let is_only = |above: usize| self.vertices[above].size == vertex.size + 1;
            let holder = match open[..] {
                [.., (holder, _), (parent, _)] if is_only(parent) => holder,
                [.., (parent, _)] => parent,
                [] => at,
            };
            holders.push(holder);
            open.push((at, at + vertex.size as usize));
        }
        holders
    }

    /// The class of this pattern in `shapes`; `None` if its vertices do not form a tree.
    pub fn class(&self, shapes: &mut Shapes) -> Option<Class> {
        let mut below: Vec<(usize, Class)> = Vec::new();
        for (at, vertex) in self.vertices.iter().enumerate().rev() {
            let end = at.checked_add(vertex.size as usize)?;
            let mut children = Vec::new();
            let mut next = at + 1;
            while next < end {
                let (place, class) = below.pop()?;
                if place != next {
                    return None;
                }
                next += shapes.size(class) as usize;
                children.push(class);
            }
            if next != end || vertex.is_wild && !children.is_empty() {
                return None;
            }
            let wild =
                Wild::ALL.into_iter().find(|wild| vertex.is_wild && vertex.label.starts_with(wild.sign()));
            let class = match wild {
                Some(wild) => shapes.wild(wild),
                None => {
                    let label = shapes.label(&vertex.label);
                    shapes.class(label, children)
                }
            };
            below.push((at, class));
        }
        let root = below.pop().map(|(_, class)| class);
        root.filter(|_| below.is_empty())
    }
}
