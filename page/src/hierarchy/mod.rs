//! The labelled hierarchy of a page: the result of the partitioner, written as XML.
//!
//! A [`Hierarchy`] is a tree in preorder: children follow their parent and have larger indices. The root is
//! the page. A node may carry a [`Label`]: a promoted header over its children, or the node's own text if it
//! has no children. Leaf numbers are those of [`crate::reading::Leaves`].
//! [`xml`] writes and reads it (schema: `page/schema/hierarchy.xsd`); JSON is the serde form. Marks on the
//! nodes ([`Block`]) and tags of the labels' leaves ([`Tag`]) are added later, when the site is known.

use serde::{Deserialize, Serialize};

mod blocks;
mod marks;
pub mod svg;
mod tags;
pub mod xml;

pub use marks::{Block, Tag};

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// The root.
    Page,
    /// A segment of the flat partition (`[OM05 §4.1]`).
    Segment,
    /// An inner node whose children differ (`[OM05 §4.3]`).
    Partition,
    /// An inner node whose children are instances of one kind (`[OM05 §4.3.2]`).
    Group,
    /// One label of the page. If it has children, it heads them.
    Label,
}

/// How a header was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Promotion {
    /// Emphasised first child of a partition (`[OM05 §4.3.3]`).
    Insider,
    /// First child whose only sibling is a group or a leaf (`[OM05 §4.3.3]`).
    Outsider,
    /// The nearest emphasised leaf before a group (`[OM04 §2.2]`).
    Preceding,
    /// Any other evidence, named by the method.
    Evidence,
}

/// A text of the page as a reader takes it: one leaf, or several that inline markup split.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// The text with white space collapsed.
    pub text: String,
    /// Numbers of its leaves, ascending, at least one.
    pub leaves: Vec<u32>,
    /// Canonical URL of the target, if the label is a link.
    pub href: Option<String>,
    /// Whether the text describes an image.
    pub image: bool,
    /// The tag of each leaf; empty if they are not known ([`Hierarchy::tag`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Tag>,
}

/// One node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Index of the parent; `None` for the root alone.
    pub parent: Option<u32>,
    /// The kind of the node.
    pub kind: NodeKind,
    /// The node's header, or its own text.
    pub label: Option<Label>,
    /// How the label came to head the node.
    pub promotion: Option<Promotion>,
    /// The informative block of this node and its descendants, if it differs from the parent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<Block>,
}

/// A page's hierarchy.
///
/// ```
/// use newslode_page::hierarchy::xml;
/// use newslode_page::{Page, Params, hierarchy};
///
/// let url = "https://news.example.org/".parse()?;
/// let html = "<h2>Sport</h2><ul><li><a href=/cup>Cup</a><li><a href=/tour>Tour</a></ul>";
/// let found = hierarchy(&Page::parse(&url, None, html.as_bytes()), &Params::default());
/// assert_eq!(found.url, "https://news.example.org/");
/// assert!(found.coarse.is_empty());
/// // It leaves as XML and comes back equal.
/// let text = xml::write(&found);
/// assert!(text.contains(r#"<label text="Cup" leaves="1" href="https://news.example.org/cup"/>"#));
/// assert_eq!(xml::read(&text)?, found);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hierarchy {
    /// Canonical URL, or a file's name.
    pub url: String,
    /// The page's title, if it has one.
    pub title: Option<String>,
    /// Partition method and parameters, as text.
    pub method: String,
    /// Limits that made the result coarser; empty if none did.
    pub coarse: Vec<String>,
    /// Number of leaves of the page.
    pub leaves: u32,
    /// First leaf of each segment except the first one, ascending.
    pub boundaries: Vec<u32>,
    /// Version of the site's value that the marks were computed with; `None` without marks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site_version: Option<String>,
    /// The nodes in preorder; the first is the root.
    pub nodes: Vec<Node>,
}

impl Hierarchy {
    /// Children of a node, in order.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> {
        let parent = u32::try_from(node).ok();
        (node + 1..self.nodes.len()).filter(move |&child| self.nodes[child].parent == parent)
    }

    /// The nearest ancestor that carries a label.
    #[must_use]
    pub fn labelled_ancestor(&self, node: usize) -> Option<usize> {
        let mut above = self.nodes[node].parent;
        while let Some(index) = above {
            if self.nodes[index as usize].label.is_some() {
                return Some(index as usize);
            }
            above = self.nodes[index as usize].parent;
        }
        None
    }

    /// Checks the invariants: one root, parents before children, labels with leaves and a tag for each or for none.
    ///
    /// # Errors
    /// Names the first node that breaks one.
    pub fn check(&self) -> Result<(), String> {
        for (index, node) in self.nodes.iter().enumerate() {
            let sound = match node.parent {
                None => index == 0 && node.kind == NodeKind::Page,
                Some(parent) => (parent as usize) < index && node.kind != NodeKind::Page,
            };
            if !sound {
                return Err(format!("node {index} has a wrong parent or kind"));
            }
            if let Some(label) = &node.label
                && (label.leaves.is_empty() || !label.leaves.is_sorted())
            {
                return Err(format!("the label of node {index} has no leaves, or not in order"));
            }
            if let Some(label) = &node.label
                && !(label.tags.is_empty() || label.tags.len() == label.leaves.len())
            {
                return Err(format!("the label of node {index} has more or fewer tags than leaves"));
            }
        }
        if self.nodes.is_empty() { Err("a hierarchy has a root".into()) } else { Ok(()) }
    }
}
