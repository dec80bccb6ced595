//! The XML form of a hierarchy: one element for each node, its data in attributes.
//!
//! ```xml
//! <page xmlns="https://newslode.org/ns/hierarchy/1" url="https://a.test/" method="…" leaves="4">
//!  <segment text="Sport" leaves="0" promotion="insider">
//!   <group>
//!    <label text="Cup" leaves="1" href="https://a.test/cup"/>
//! ```
//!
//! The schema is `page/schema/hierarchy.xsd`. Characters that XML 1.0 does not allow become U+FFFD; apart from
//! these, [`read`] gives back exactly what [`write()`] wrote. Leaf numbers are written as `3 5-9`. `tags` has a letter
//! for all leaves of a label, or one for each; hierarchies without it are read as those that were never tagged.
//! Both functions are iterative: a hierarchy may be nested to any depth. Unknown elements and attributes are
//! errors.

use std::fmt::Write as _;
use std::str::FromStr;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::{Block, Hierarchy, Label, Node, NodeKind, Promotion, tags};

/// The namespace; its last part is raised when the format changes.
pub const NAMESPACE: &str = "https://newslode.org/ns/hierarchy/1";

/// Most spaces of indentation. Without a limit, deep trees would be mostly white space.
const MAX_INDENT: usize = 40;
/// Most numbers in a list. A short range could ask for any amount of memory.
const MAX_NUMBERS: usize = 10_000_000;

/// Text that is not a hierarchy.
#[derive(Debug, thiserror::Error)]
pub enum XmlError {
    /// Not well-formed XML.
    #[error("not XML at byte {at}: {reason}")]
    Malformed {
        /// Offset in bytes.
        at: u64,
        /// The parser's message.
        reason: String,
    },
    /// XML that does not follow the schema.
    #[error("not a hierarchy at byte {at}: {reason}")]
    Invalid {
        /// Offset in bytes.
        at: u64,
        /// The reason.
        reason: String,
    },
}

// ---------------------------------------------------------------------------------- writing

/// The hierarchy as an XML document.
#[must_use]
pub fn write(h: &Hierarchy) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let mut open: Vec<u32> = Vec::new();
    for (i, node) in h.nodes.iter().enumerate() {
        // Nodes are in preorder: elements are closed until the node's parent is the innermost one.
        while open.last().copied() != node.parent && close_element(&mut out, h, &mut open) {}
        write_indent(&mut out, open.len());
        out.push('<');
        out.push_str(element_name(node.kind));
        if i == 0 {
            write_root_attributes(&mut out, h);
        }
        write_node_attributes(&mut out, node, i == 0);
        let has_children = h.nodes.get(i + 1).is_some_and(|next| next.parent == u32::try_from(i).ok());
        if has_children {
            out.push_str(">\n");
            open.push(i as u32);
        } else {
            out.push_str("/>\n");
        }
    }
    while close_element(&mut out, h, &mut open) {}
    out
}

fn close_element(out: &mut String, h: &Hierarchy, open: &mut Vec<u32>) -> bool {
    let Some(index) = open.pop() else { return false };
    write_indent(out, open.len());
    out.push_str("</");
    out.push_str(element_name(h.nodes[index as usize].kind));
    out.push_str(">\n");
    true
}

fn write_indent(out: &mut String, depth: usize) {
    out.extend(std::iter::repeat_n(' ', depth.min(MAX_INDENT)));
}

/// Writes the root's attributes about the whole hierarchy.
fn write_root_attributes(out: &mut String, h: &Hierarchy) {
    write_attribute(out, "xmlns", NAMESPACE);
    write_attribute(out, "url", &h.url);
    if let Some(title) = &h.title {
        write_attribute(out, "title", title);
    }
    write_attribute(out, "method", &h.method);
    write_attribute(out, "leaves", &h.leaves.to_string());
    if !h.coarse.is_empty() {
        write_attribute(out, "coarse", &h.coarse.join(" "));
    }
    if !h.boundaries.is_empty() {
        let numbers: Vec<String> = h.boundaries.iter().map(u32::to_string).collect();
        write_attribute(out, "boundaries", &numbers.join(" "));
    }
    if let Some(version) = &h.site_version {
        write_attribute(out, "site-version", version);
    }
}

/// The attribute for a label's leaves. On the root, `leaves` is already the number of leaves.
fn label_leaves(is_root: bool) -> &'static str {
    if is_root { "label-leaves" } else { "leaves" }
}

fn write_node_attributes(out: &mut String, node: &Node, is_root: bool) {
    if let Some(label) = &node.label {
        write_attribute(out, "text", &label.text);
        write_attribute(out, label_leaves(is_root), &format_ranges(&label.leaves));
        if let Some(href) = &label.href {
            write_attribute(out, "href", href);
        }
        if label.image {
            write_attribute(out, "image", "true");
        }
        if !label.tags.is_empty() {
            write_attribute(out, "tags", &tags::tag_letters(&label.tags));
        }
    }
    if let Some(promotion) = node.promotion {
        write_attribute(out, "promotion", promotion_name(promotion));
    }
    if let Some(block) = node.block {
        write_attribute(out, "block", block.name());
    }
}

fn write_attribute(out: &mut String, name: &str, value: &str) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    escape(out, value);
    out.push('"');
}

/// Escapes text for an attribute or element of XML 1.0 and replaces characters that XML does not allow.
pub(super) fn escape(out: &mut String, text: &str) {
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Unescaped, an XML reader would turn them into spaces.
            '\t' => out.push_str("&#9;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            '\u{0}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            _ => out.push(letter),
        }
    }
}

/// `3 5-9` for 3, 5, 6, 7, 8, 9.
fn format_ranges(leaves: &[u32]) -> String {
    let mut out = String::new();
    for run in leaves.chunk_by(|a, b| a.checked_add(1) == Some(*b)) {
        let space = if out.is_empty() { "" } else { " " };
        // Writing to a string does not fail.
        let _written = match run {
            [one] => write!(out, "{space}{one}"),
            [first, .., last] => write!(out, "{space}{first}-{last}"),
            [] => Ok(()),
        };
    }
    out
}

fn element_name(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Page => "page",
        NodeKind::Segment => "segment",
        NodeKind::Partition => "partition",
        NodeKind::Group => "group",
        NodeKind::Label => "label",
    }
}

fn promotion_name(promotion: Promotion) -> &'static str {
    match promotion {
        Promotion::Insider => "insider",
        Promotion::Outsider => "outsider",
        Promotion::Preceding => "preceding",
        Promotion::Evidence => "evidence",
    }
}

// ---------------------------------------------------------------------------------- reading

/// Reads a hierarchy back.
///
/// # Errors
/// The text is not XML or does not follow the schema; the error gives the place.
pub fn read(xml: &str) -> Result<Hierarchy, XmlError> {
    let mut reader = Reader::from_str(xml);
    let mut hierarchy: Option<Hierarchy> = None;
    let mut open: Vec<u32> = Vec::new();
    loop {
        let event = reader.read_event().map_err(|error| XmlError::Malformed {
            at: reader.error_position(),
            reason: error.to_string(),
        })?;
        let invalid = |reason| XmlError::Invalid { at: reader.buffer_position(), reason };
        match event {
            Event::Start(element) => {
                let index = add_node(&mut hierarchy, open.last().copied(), &element).map_err(invalid)?;
                open.push(index);
            }
            Event::Empty(element) => {
                add_node(&mut hierarchy, open.last().copied(), &element).map_err(invalid)?;
            }
            Event::End(_) => {
                open.pop();
            }
            Event::Eof if !open.is_empty() => return Err(invalid("it ends inside an element".into())),
            Event::Eof => return hierarchy.ok_or_else(|| invalid("there is no `page`".into())),
            Event::Text(text) if text.chars().all(char::is_whitespace) => {}
            Event::Decl(_) | Event::Comment(_) | Event::PI(_) => {}
            Event::Text(_) | Event::CData(_) | Event::GeneralRef(_) | Event::DocType(_) => {
                return Err(invalid("elements contain only elements, no text and no document type".into()));
            }
        }
    }
}

/// Adds an element to the hierarchy and returns its index.
fn add_node(
    hierarchy: &mut Option<Hierarchy>,
    parent: Option<u32>,
    element: &BytesStart<'_>,
) -> Result<u32, String> {
    let attributes = Attributes::new(element)?;
    match (hierarchy, parent) {
        (hierarchy @ None, None) => {
            *hierarchy = Some(read_root(element, attributes)?);
            Ok(0)
        }
        (Some(hierarchy), Some(parent)) => {
            let kind = parse_kind(element.name().as_ref())?;
            hierarchy.nodes.push(attributes.node(kind, Some(parent))?);
            u32::try_from(hierarchy.nodes.len() - 1).map_err(|_| "too many elements".into())
        }
        _ => Err("there is more than one root".into()),
    }
}

fn read_root(element: &BytesStart<'_>, mut attributes: Attributes) -> Result<Hierarchy, String> {
    if element.name().as_ref() != "page" {
        return Err("the root is a `page`".into());
    }
    let namespace = attributes.required("xmlns")?;
    if namespace != NAMESPACE {
        return Err(format!("namespace `{namespace}`, this build reads `{NAMESPACE}`"));
    }
    let words = |list: Option<String>| -> Vec<String> {
        list.unwrap_or_default().split_ascii_whitespace().map(str::to_owned).collect()
    };
    Ok(Hierarchy {
        url: attributes.required("url")?,
        title: attributes.take("title"),
        method: attributes.required("method")?,
        leaves: parse_number(&attributes.required("leaves")?)?,
        coarse: words(attributes.take("coarse")),
        boundaries: words(attributes.take("boundaries"))
            .iter()
            .map(|n| parse_number(n))
            .collect::<Result<_, _>>()?,
        site_version: attributes.take("site-version"),
        nodes: vec![attributes.node(NodeKind::Page, None)?],
    })
}

fn parse_kind(name: &str) -> Result<NodeKind, String> {
    match name {
        "segment" => Ok(NodeKind::Segment),
        "partition" => Ok(NodeKind::Partition),
        "group" => Ok(NodeKind::Group),
        "label" => Ok(NodeKind::Label),
        other => Err(format!("unknown element `{other}` inside a page")),
    }
}

/// The attributes of an element that are not used yet.
struct Attributes(Vec<(String, String)>);

impl Attributes {
    fn new(element: &BytesStart<'_>) -> Result<Attributes, String> {
        let read = |attribute: Result<quick_xml::events::attributes::Attribute<'_>, _>| {
            let attribute = attribute.map_err(|error| format!("{error}"))?;
            let value =
                attribute.normalized_value(XmlVersion::Explicit1_0).map_err(|error| error.to_string())?;
            Ok((attribute.key.as_ref().to_owned(), value.into_owned()))
        };
        element.attributes().map(read).collect::<Result<_, String>>().map(Attributes)
    }

    fn take(&mut self, name: &str) -> Option<String> {
        let at = self.0.iter().position(|(other, _)| other == name)?;
        Some(self.0.swap_remove(at).1)
    }

    fn required(&mut self, name: &str) -> Result<String, String> {
        self.take(name).ok_or_else(|| format!("attribute `{name}` is missing"))
    }

    /// The node that the attributes describe. An attribute left over is an error.
    fn node(mut self, kind: NodeKind, parent: Option<u32>) -> Result<Node, String> {
        let leaves = label_leaves(parent.is_none());
        let label = match self.take("text") {
            None => None,
            Some(text) => {
                let leaves = parse_numbers(&self.required(leaves)?)?;
                let tags = self
                    .take("tags")
                    .map(|letters| tags::tags_from_letters(&letters, leaves.len()))
                    .transpose()?;
                Some(Label {
                    text,
                    leaves,
                    href: self.take("href"),
                    image: self.take("image").map_or(Ok(false), |text| parse_bool(&text))?,
                    tags: tags.unwrap_or_default(),
                })
            }
        };
        let promotion = self.take("promotion").map(|name| parse_promotion(&name)).transpose()?;
        let block = self.take("block").map(|name| parse_block(&name)).transpose()?;
        match self.0.first() {
            Some((name, _)) => Err(format!("unexpected attribute `{name}`")),
            None => Ok(Node { parent, kind, label, promotion, block }),
        }
    }
}

fn parse_promotion(name: &str) -> Result<Promotion, String> {
    let all = [Promotion::Insider, Promotion::Outsider, Promotion::Preceding, Promotion::Evidence];
    all.into_iter()
        .find(|promotion| promotion_name(*promotion) == name)
        .ok_or_else(|| format!("unknown promotion `{name}`"))
}

fn parse_block(name: &str) -> Result<Block, String> {
    Block::ALL.into_iter().find(|block| block.name() == name).ok_or_else(|| format!("unknown block `{name}`"))
}

fn parse_bool(text: &str) -> Result<bool, String> {
    bool::from_str(text).map_err(|_| format!("`{text}` is neither `true` nor `false`"))
}

fn parse_number(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("`{text}` is not a leaf number"))
}

fn parse_numbers(text: &str) -> Result<Vec<u32>, String> {
    let mut numbers = Vec::new();
    for part in text.split_ascii_whitespace() {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (parse_number(first)?, parse_number(last)?);
        if last < first || (last - first) as usize >= MAX_NUMBERS.saturating_sub(numbers.len()) {
            return Err(format!("`{part}` is an empty range, or too long"));
        }
        numbers.extend(first..=last);
    }
    if numbers.is_empty() { Err("a label has at least one leaf".into()) } else { Ok(numbers) }
}

#[cfg(test)]
mod tests;
