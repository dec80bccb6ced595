//! `partition`: the tree of a page. A [`Node`] is a place in a tree that all its nodes share.

use std::sync::Arc;

use newslode_page::hierarchy::{self as found, svg, xml};
use newslode_page::partition::Method;
use newslode_page::preset::Preset;
use newslode_page::{Params, partition as methods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::errors::{FormatError, message};
use crate::guard::guarded;
use crate::input::{Address, Given, Html};
use crate::value::{json, name, of_json, plain};

/// Levels of indentation that `tree` shows: with all of them the text of a hostile page would be large.
const MOST_INDENTS: usize = 32;

/// A hierarchy, and the children of each node.
struct Tree {
    found: found::Hierarchy,
    /// Where the children of a node begin in `children`; one more than there are nodes.
    starts: Vec<usize>,
    children: Vec<usize>,
    /// The end of each node's subtree.
    ends: Vec<usize>,
}

impl Tree {
    fn new(found: found::Hierarchy) -> Tree {
        let count = found.nodes.len();
        let (mut starts, mut ends) = (vec![0; count + 1], (1..=count).collect::<Vec<_>>());
        let parents: Vec<Option<usize>> =
            found.nodes.iter().map(|node| node.parent.map(|parent| parent as usize)).collect();
        for (at, parent) in parents.iter().enumerate().rev() {
            if let Some(parent) = *parent {
                starts[parent + 1] += 1;
                ends[parent] = ends[parent].max(ends[at]);
            }
        }
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        let (mut next, mut children) = (starts.clone(), vec![0; starts[count]]);
        for (at, parent) in parents.iter().enumerate() {
            if let Some(parent) = *parent {
                children[next[parent]] = at;
                next[parent] += 1;
            }
        }
        Tree { found, starts, children, ends }
    }
}

/// The tree of a page: which text heads which.
///
/// `method` is `"default"` (headers by evidence of presentation, the same as `"outline"`), one of the papers'
/// (`"flat"`, `"entropy"`, `"regex"`, `"dp"`), or `"paper"` for the papers' parameters throughout.
///
/// >>> import newslode
/// >>> page = "<h2>Sport</h2><ul><li><a href=/cup>Cup</a><li><a href=/tour>Tour</a></ul>"
/// >>> found = newslode.partition(page, "https://news.example.org/")
/// >>> print(found.tree())
/// Sport
///   Cup
///   Tour
/// <BLANKLINE>
/// >>> [(node.text, node.href, node.heads) for node in found.nodes if not node.children]
/// [('Cup', 'https://news.example.org/cup', ['Sport']), ('Tour', 'https://news.example.org/tour', ['Sport'])]
#[pyfunction]
#[pyo3(signature = (html, url=None, method="default", *, content_type=None))]
#[allow(clippy::needless_pass_by_value, reason = "arguments come by value from Python")]
pub(crate) fn partition(
    py: Python<'_>,
    html: Html,
    url: Option<Address>,
    method: &str,
    content_type: Option<String>,
) -> PyResult<Hierarchy> {
    let params = params(method)?;
    let given = Given::new(html, url, content_type);
    guarded(py, || Hierarchy::new(methods::hierarchy(&given.parse(), &params)))
}

fn params(method: &str) -> PyResult<Params> {
    if let Ok(preset) = method.parse::<Preset>() {
        return Ok(preset.params());
    }
    let Ok(method) = of_json::<Method>(&json(&method)?) else {
        let known = "default, outline, dp, regex, entropy, flat and paper";
        return Err(PyValueError::new_err(message(format!(
            "`{method}` is no method; the methods are {known}"
        ))));
    };
    Ok(Params { method, ..Params::default() })
}

/// The tree of a page; see `partition`. Can be written as XML, JSON and SVG, compared and pickled.
#[pyclass(frozen, eq, module = "newslode", name = "Hierarchy")]
#[derive(Clone)]
pub(crate) struct Hierarchy {
    tree: Arc<Tree>,
}

impl PartialEq for Hierarchy {
    fn eq(&self, other: &Hierarchy) -> bool {
        self.tree.found == other.tree.found
    }
}

impl Hierarchy {
    fn new(found: found::Hierarchy) -> Hierarchy {
        Hierarchy { tree: Arc::new(Tree::new(found)) }
    }

    fn node(&self, at: usize) -> Node {
        Node { tree: self.tree.clone(), at }
    }
}

#[pymethods]
impl Hierarchy {
    /// The canonical URL of the page.
    #[getter]
    fn url(&self) -> &str {
        &self.tree.found.url
    }

    /// The page's title.
    #[getter]
    fn title(&self) -> Option<&str> {
        self.tree.found.title.as_deref()
    }

    /// The method and its parameters, with the version of the algorithms.
    #[getter]
    fn method(&self) -> &str {
        &self.tree.found.method
    }

    /// Limits that made the tree coarser (`"bytes"`, `"nodes"`, `"depth"`, `"leaves"` …); empty for all but
    /// very large pages.
    #[getter]
    fn coarse(&self) -> Vec<String> {
        self.tree.found.coarse.clone()
    }

    /// The number of texts of the page.
    #[getter]
    fn leaves(&self) -> u32 {
        self.tree.found.leaves
    }

    /// The root: the page.
    #[getter]
    fn root(&self) -> Node {
        self.node(0)
    }

    /// All nodes in page order; the first is the root.
    #[getter]
    fn nodes(&self) -> Vec<Node> {
        (0..self.tree.found.nodes.len()).map(|at| self.node(at)).collect()
    }

    /// The tree as XML (`page/schema/hierarchy.xsd`).
    fn xml(&self, py: Python<'_>) -> PyResult<String> {
        guarded(py, || xml::write(&self.tree.found))
    }

    /// The tree as JSON: its nodes in page order, each with the number of its parent.
    fn json(&self) -> PyResult<String> {
        json(&self.tree.found)
    }

    /// The tree drawn as SVG.
    fn svg(&self, py: Python<'_>) -> PyResult<String> {
        guarded(py, || svg::write(&self.tree.found))
    }

    /// The texts, each under its head and indented (by at most 32 levels).
    fn tree(&self) -> String {
        let (nodes, mut text) = (&self.tree.found.nodes, String::new());
        let mut depths: Vec<usize> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let depth = node.parent.and_then(|parent| depths.get(parent as usize)).copied().unwrap_or(0);
            if let Some(label) = &node.label {
                text.push_str(&format!("{}{}\n", "  ".repeat(depth.min(MOST_INDENTS)), label.text));
            }
            depths.push(depth + usize::from(node.label.is_some()));
        }
        text
    }

    /// The tree as a dictionary, of the same form as its JSON.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.tree.found)
    }

    /// The tree of XML that Newslode wrote. Raises `FormatError` if it is something else.
    #[classmethod]
    fn from_xml(class: &Bound<'_, PyType>, text: &str) -> PyResult<Hierarchy> {
        let read = guarded(class.py(), || xml::read(text).map_err(|error| error.to_string()))?;
        Ok(Hierarchy::new(read.map_err(|error| FormatError::new_err(message(error)))?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((slf.get_type().getattr("from_xml")?, (slf.get().xml(slf.py())?,)))
    }

    fn __hash__(&self) -> isize {
        crate::value::hash(&(&self.tree.found.url, self.tree.found.leaves))
    }

    fn __len__(&self) -> usize {
        self.tree.found.nodes.len()
    }

    fn __repr__(&self) -> String {
        format!("<Hierarchy of {}: {} nodes>", self.tree.found.url, self.tree.found.nodes.len())
    }
}

/// A node of a page's tree.
///
/// >>> import newslode
/// >>> page = "<h2>Sport</h2><ul><li><a href=/cup>Cup</a><li><a href=/tour>Tour</a></ul>"
/// >>> sport = next(node for node in newslode.partition(page).nodes if node.text == "Sport")
/// >>> [node.text for node in sport.walk() if not node.children]
/// ['Cup', 'Tour']
#[pyclass(frozen, eq, module = "newslode", name = "Node")]
#[derive(Clone)]
pub(crate) struct Node {
    tree: Arc<Tree>,
    at: usize,
}

impl PartialEq for Node {
    fn eq(&self, other: &Node) -> bool {
        self.at == other.at && (Arc::ptr_eq(&self.tree, &other.tree) || self.tree.found == other.tree.found)
    }
}

impl Node {
    fn found(&self) -> &found::Node {
        &self.tree.found.nodes[self.at]
    }

    fn other(&self, at: usize) -> Node {
        Node { tree: self.tree.clone(), at }
    }

    fn label(&self) -> Option<&found::Label> {
        self.found().label.as_ref()
    }
}

#[pymethods]
impl Node {
    /// Its number in `Hierarchy.nodes`.
    #[getter]
    fn index(&self) -> usize {
        self.at
    }

    /// `"page"`, `"segment"`, `"partition"`, `"group"` (children of one kind) or `"label"` (one text).
    #[getter]
    fn kind(&self) -> String {
        name(&self.found().kind)
    }

    /// The text that heads the node; of a node without children, its own text.
    #[getter]
    fn text(&self) -> Option<&str> {
        self.label().map(|label| label.text.as_str())
    }

    /// The URL that the text links to.
    #[getter]
    fn href(&self) -> Option<&str> {
        self.label().and_then(|label| label.href.as_deref())
    }

    /// Whether the text describes a picture.
    #[getter]
    fn image(&self) -> bool {
        self.label().is_some_and(|label| label.image)
    }

    /// The numbers of the page's texts that make up this text.
    #[getter]
    fn leaves(&self) -> Vec<u32> {
        self.label().map(|label| label.leaves.clone()).unwrap_or_default()
    }

    /// How the text came to head the node, if it does.
    #[getter]
    fn promotion(&self) -> Option<String> {
        self.found().promotion.as_ref().map(name)
    }

    /// The node above; `None` for the root.
    #[getter]
    fn parent(&self) -> Option<Node> {
        self.found().parent.map(|parent| self.other(parent as usize))
    }

    /// The nodes below, in page order.
    #[getter]
    fn children(&self) -> Vec<Node> {
        let children = &self.tree.children[self.tree.starts[self.at]..self.tree.starts[self.at + 1]];
        children.iter().map(|&child| self.other(child)).collect()
    }

    /// The texts over this node, outermost first.
    #[getter]
    fn heads(&self) -> Vec<String> {
        let mut heads = Vec::new();
        let mut above = self.tree.found.labelled_ancestor(self.at);
        while let Some(at) = above {
            heads.extend(self.tree.found.nodes[at].label.as_ref().map(|label| label.text.clone()));
            above = self.tree.found.labelled_ancestor(at);
        }
        heads.reverse();
        heads
    }

    /// This node and all below it, in page order.
    fn walk(&self) -> Vec<Node> {
        (self.at..self.tree.ends[self.at]).map(|at| self.other(at)).collect()
    }

    fn __hash__(&self) -> isize {
        crate::value::hash(&(self.at, &self.tree.found.url))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let text = self.text().into_pyobject(py)?.repr()?;
        Ok(format!("<Node {} {text}, {} children>", self.kind(), self.children().len()))
    }
}
