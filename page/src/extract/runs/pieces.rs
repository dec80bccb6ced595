//! Builds runs from the texts of a page: one walk over its tree.
//!
//! Elements that HTML knows are inline or blocks by their names. Others, and buttons, are what their surroundings make of
//! them: an unknown element in a sentence goes on with it, one beside its like is a block.

use rustc_hash::{FxHashMap, FxHashSet};

use super::lines::{self, Line, MOST_OPEN, Span};
use super::{Run, RunMark, Without, ends_sentence};
use crate::Page;
use crate::article::MarkKind;
use crate::extract::plain::{readable, readable_at};
use crate::extract::shown::Shown;
use crate::reading::{NodeId, PageTree, is_excluded};
use crate::text::{is_inside_run, words_of_prose};

/// Most texts of a page. The longest front pages have some ten thousand.
const MAX_TEXTS: usize = 250_000;
/// Words under links with one address from which these are no link: it was never closed.
const MOST_LINK_WORDS: f32 = 80.0;
/// The same, counted in blocks; of links with this many words.
const MOST_LINK_BLOCKS: u32 = 3;
const LEAST_LINK_WORDS: f32 = 8.0;
const LEAST_LINK_BYTES: usize = 40;
/// Elements of one name that each hold but a word are parts of a sentence from this number on. Bytes of a word.
const LEAST_WORDS: usize = 5;
const WORD_BYTES: usize = 14;
/// Annotations of letters, which stand above or beside these.
const ANNOTATIONS: [&str; 3] = ["rt", "rp", "rtc"];
/// Elements whose text is one paragraph: what is inside goes on with it.
const LINE_HOLDERS: [&str; 14] = [
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "dt",
    "figcaption",
    "caption",
    "summary",
    "legend",
    "pre",
    "address",
];
/// Other blocks of HTML.
const BLOCKS: [&str; 45] = [
    "article",
    "aside",
    "blockquote",
    "body",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "fieldset",
    "figure",
    "footer",
    "form",
    "frameset",
    "header",
    "hgroup",
    "hr",
    "html",
    "input",
    "li",
    "main",
    "map",
    "menu",
    "nav",
    "ol",
    "optgroup",
    "option",
    "search",
    "section",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
    "video",
    "audio",
    "listing",
    "xmp",
];

/// What an element's name says of its place in the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Inline,
    Break,
    /// A block whose text is one paragraph.
    Line,
    Block,
    /// HTML does not say.
    Unknown,
    Unseen,
}

fn flow_of(name: &str, without: Without) -> Flow {
    if ANNOTATIONS.contains(&name) {
        Flow::Unseen
    } else if name == "br" {
        Flow::Break
    } else if is_inside_run(name) || matches!(name, "ruby" | "rb" | "output" | "meter") {
        Flow::Inline
    } else if LINE_HOLDERS.contains(&name) {
        Flow::Line
    } else if BLOCKS.contains(&name) || (name == "noscript" && without == Without::Nothing) {
        Flow::Block
    } else if is_excluded(name) {
        Flow::Unseen
    } else {
        Flow::Unknown
    }
}

/// An element above the current place of the walk.
#[derive(Clone, Copy)]
struct Open {
    end: NodeId,
    /// The nearest element that is a block, itself included.
    block: NodeId,
    is_link: bool,
    is_bold: bool,
    is_italic: bool,
    is_button: bool,
    keeps_lines: bool,
    /// The number of marked elements around it.
    marks: usize,
}

/// A part of a block's text that may continue.
struct Group {
    block: NodeId,
    is_button: bool,
    lines: Vec<Line>,
    /// Whether its line ends are those of its text.
    is_typed: bool,
}

pub(super) struct RunBuilder<'a> {
    page: &'a Page,
    shown: Shown,
    flows: Vec<Flow>,
    /// Unknown elements that go on with the text around them.
    inline_nodes: FxHashSet<NodeId>,
    /// Links that are none.
    false_links: FxHashSet<&'a str>,
    /// The links and elements of emphasis around the current place, outer ones first.
    marks: Vec<(MarkKind, NodeId)>,
    runs: Vec<Run>,
    group: Option<Group>,
    /// The white space and line breaks since the last text of the group.
    is_spaced: bool,
    breaks: u32,
}

impl<'a> RunBuilder<'a> {
    pub(super) fn new(page: &'a Page, without: Without) -> RunBuilder<'a> {
        let tree = &page.tree;
        let flows = (0..tree.tag_count()).map(|_| Flow::Unknown).collect();
        let mut builder = RunBuilder {
            page,
            shown: Shown::new(page),
            flows,
            inline_nodes: FxHashSet::default(),
            false_links: FxHashSet::default(),
            marks: Vec::new(),
            runs: Vec::new(),
            group: None,
            is_spaced: false,
            breaks: 0,
        };
        let mut is_known = vec![false; tree.tag_count()];
        for tag in tree.node_ids().filter_map(|node| tree.tag_id(node)) {
            if !std::mem::replace(&mut is_known[tag.index()], true) {
                builder.flows[tag.index()] = flow_of(tree.tag_name(tag), without);
            }
        }
        builder.inline_nodes = inline_nodes(tree, &builder.flows);
        builder.false_links = false_links(tree, &builder.flows);
        builder
    }

    pub(super) fn build(mut self) -> (Vec<Run>, Shown) {
        let tree = &self.page.tree;
        let root = Open {
            end: tree.subtree_end(tree.root()),
            block: tree.root(),
            is_link: false,
            is_bold: false,
            is_italic: false,
            is_button: false,
            keeps_lines: false,
            marks: 0,
        };
        let mut open = vec![root];
        let (mut at, mut texts) = (1, 0);
        while let Some(node) = tree.node_at(at) {
            while open.len() > 1 && open.last().is_some_and(|above| above.end <= node) {
                open.pop();
            }
            let above = open.last().copied().unwrap_or(root);
            self.marks.truncate(above.marks);
            at += 1;
            if let Some(text) = tree.text(node) {
                texts += 1;
                if texts > MAX_TEXTS {
                    break;
                }
                self.add_text(node, text, above);
                continue;
            }
            let flow = self.flow(node);
            if flow == Flow::Unseen || self.shown.is_unseen(node) {
                at = tree.subtree_end(node).index();
                continue;
            }
            match flow {
                Flow::Break => {
                    self.breaks += 1;
                    self.is_spaced = true;
                    if self.breaks >= 2 {
                        self.close_group();
                    }
                }
                Flow::Inline => {}
                _ => self.close_group(),
            }
            open.push(self.enter(node, flow, above));
        }
        self.close_group();
        (self.runs, self.shown)
    }

    fn flow(&self, node: NodeId) -> Flow {
        let tree = &self.page.tree;
        let flow = tree.tag_id(node).map_or(Flow::Unknown, |tag| self.flows[tag.index()]);
        match flow {
            // A shadow tree that the page itself holds is shown.
            Flow::Unseen if tree.tag(node) == Some("template") && is_shadow(tree, node) => Flow::Block,
            Flow::Unknown if self.inline_nodes.contains(&node) => Flow::Inline,
            flow => flow,
        }
    }

    fn enter(&mut self, node: NodeId, flow: Flow, above: Open) -> Open {
        let tree = &self.page.tree;
        let is_inline = matches!(flow, Flow::Inline | Flow::Break);
        let is_link = || {
            let href = tree.attr(node, "href");
            href.is_some_and(|href| !self.false_links.contains(href))
        };
        let tag = tree.tag(node);
        let mark = match tag {
            Some("a") => is_link().then_some(MarkKind::Link),
            Some("b" | "strong") => Some(MarkKind::Strong),
            Some("i" | "em") => Some(MarkKind::Emphasis),
            Some("code" | "kbd" | "samp" | "tt") => Some(MarkKind::Code),
            Some("sup") => Some(MarkKind::Superscript),
            Some("sub") => Some(MarkKind::Subscript),
            Some("s" | "del" | "strike") => Some(MarkKind::Deleted),
            _ => None,
        };
        if self.marks.len() < MOST_OPEN {
            self.marks.extend(mark.map(|kind| (kind, node)));
        }
        Open {
            end: tree.subtree_end(node),
            block: if is_inline { above.block } else { node },
            is_link: above.is_link || (tag == Some("a") && is_link()),
            is_bold: matches!(tag, Some("b" | "strong")) || (is_inline && above.is_bold),
            is_italic: matches!(tag, Some("i" | "em")) || (is_inline && above.is_italic),
            is_button: above.is_button || (!is_inline && tag == Some("button")),
            keeps_lines: above.keeps_lines || self.shown.keeps_lines(node),
            marks: self.marks.len(),
        }
    }

    fn add_text(&mut self, node: NodeId, text: &str, above: Open) {
        if text.trim_start_matches(|c: char| c.is_whitespace()).is_empty() {
            // Blank text is no run but separates words, and lines where these are kept.
            self.is_spaced |= !text.is_empty();
            if above.keeps_lines {
                self.breaks += text.matches('\n').count() as u32;
                if self.breaks >= 2 {
                    self.close_group();
                }
            }
            return;
        }
        // The end of a block ends its group; where the walk leaves one, the next text is in another.
        if self.group.as_ref().is_some_and(|group| group.block != above.block) {
            self.close_group();
        }
        if !above.keeps_lines {
            self.add_line(node, text, above);
            return;
        }
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.breaks += 1;
                self.is_spaced = true;
            }
            if line.trim().is_empty() {
                continue;
            }
            if self.breaks >= 2 {
                self.close_group();
            }
            self.add_line(node, line, above);
        }
    }

    fn add_line(&mut self, node: NodeId, text: &str, above: Open) {
        let group = self.group.get_or_insert_with(|| Group {
            block: above.block,
            is_button: above.is_button,
            lines: Vec::new(),
            is_typed: above.keeps_lines,
        });
        if group.lines.is_empty() || self.breaks > 0 {
            group.lines.push(Line::at(node));
        }
        let words = words_of_prose(text);
        if let Some(line) = group.lines.last_mut() {
            if self.is_spaced && !line.text.is_empty() {
                line.text.push(' ');
            }
            let start = line.text.len();
            line.text.push_str(text);
            line.last = node;
            for &(kind, marked) in &self.marks {
                line.extend_span(kind, marked, start..line.text.len());
            }
            line.words += words;
            line.link_words += if above.is_link { words } else { 0.0 };
            line.bold_words += if above.is_bold { words } else { 0.0 };
            line.italic_words += if above.is_italic { words } else { 0.0 };
        }
        self.breaks = 0;
        self.is_spaced = false;
    }

    fn close_group(&mut self) {
        self.breaks = 0;
        self.is_spaced = false;
        let Some(group) = self.group.take() else { return };
        for line in lines::joined(group.lines, group.is_typed) {
            let (text, marks) = text_and_marks(&line.text, &line.spans);
            if !text.is_empty() {
                self.runs.push(Run {
                    block: group.block,
                    first: line.first,
                    last: line.last,
                    text,
                    marks,
                    words: line.words,
                    link_words: line.link_words,
                    bold_words: line.bold_words,
                    italic_words: line.italic_words,
                    is_button: group.is_button,
                });
            }
        }
    }
}

/// The text of a line as readers see it, and its marks in characters of that text.
fn text_and_marks(text: &str, spans: &[Span]) -> (String, Vec<RunMark>) {
    if spans.is_empty() {
        return (readable(text), Vec::new());
    }
    let mut places: Vec<usize> = spans.iter().flat_map(|span| [span.start, span.end]).collect();
    places.sort_unstable();
    places.dedup();
    let bytes = places.clone();
    let readable = readable_at(text, &mut places);
    let letters: Vec<char> = readable.chars().collect();
    let place_of = |byte: usize| bytes.binary_search(&byte).map_or(0, |at| places[at]).min(letters.len());
    let mark = |span: &Span| {
        // White space at the ends of a link belongs to the text around it.
        let is_space = |at: usize| letters.get(at).is_some_and(|letter| letter.is_whitespace());
        let (mut start, mut end) = (place_of(span.start), place_of(span.end));
        while start < end && is_space(start) {
            start += 1;
        }
        while start < end && is_space(end - 1) {
            end -= 1;
        }
        (start < end).then_some(RunMark {
            kind: span.kind,
            node: span.node,
            start: start as u32,
            end: end as u32,
        })
    };
    let mut marks: Vec<RunMark> = spans.iter().filter_map(mark).collect();
    marks.sort_by_key(|mark| (mark.start, std::cmp::Reverse(mark.end)));
    (readable, marks)
}

/// Whether a template is a shadow tree that the parser attaches to its host.
fn is_shadow(tree: &PageTree, node: NodeId) -> bool {
    tree.attr(node, "shadowrootmode").or_else(|| tree.attr(node, "shadowroot")).is_some()
}

/// The unknown elements that go on with the text around them.
fn inline_nodes(tree: &PageTree, flows: &[Flow]) -> FxHashSet<NodeId> {
    let flow = |node: NodeId| tree.tag_id(node).map(|tag| flows[tag.index()]);
    let is_unknown = |node: NodeId| flow(node) == Some(Flow::Unknown) && tree.is_html(node);
    let mut found = FxHashSet::default();
    if !flows.contains(&Flow::Unknown) || !tree.node_ids().any(is_unknown) {
        return found;
    }
    // How many blocks and links begin, and how much text stands, before each node.
    let (mut blocks_before, mut bytes_before) = (vec![0_u32], vec![0_usize]);
    for node in tree.node_ids() {
        let is_block = matches!(flow(node), Some(Flow::Block | Flow::Line));
        blocks_before.push(blocks_before.last().copied().unwrap_or(0) + u32::from(is_block));
        let bytes = tree.text(node).map_or(0, |text| text.trim().len());
        bytes_before.push(bytes_before.last().copied().unwrap_or(0) + bytes);
    }
    let under = |sums: &[u32], node: NodeId| sums[tree.subtree_end(node).index()] - sums[node.index() + 1];
    let bytes_under =
        |node: NodeId| bytes_before[tree.subtree_end(node).index()] - bytes_before[node.index()];
    // By parent: whether the children are parts of a line.
    let mut is_line: FxHashMap<NodeId, bool> = FxHashMap::default();
    for node in tree.node_ids().filter(|&node| is_unknown(node)) {
        if under(&blocks_before, node) > 0 {
            continue;
        }
        let Some(parent) = tree.parent(node) else { continue };
        let holds_line = match flow(parent) {
            Some(Flow::Line | Flow::Inline) => true,
            Some(Flow::Unknown) if found.contains(&parent) => true,
            _ => *is_line.entry(parent).or_insert_with(|| {
                let has_text = |child: NodeId| tree.text(child).is_some_and(|text| !text.trim().is_empty());
                tree.children(parent).any(has_text)
                    || are_words(tree, parent, bytes_under(parent), &is_unknown)
            }),
        };
        if holds_line {
            found.insert(node);
        }
    }
    found
}

/// Whether the children of an element are the words of a sentence, each in an element of its own.
fn are_words(tree: &PageTree, parent: NodeId, bytes: usize, is_unknown: &impl Fn(NodeId) -> bool) -> bool {
    let parts = tree.children(parent).filter(|&child| is_unknown(child)).count();
    let are_short = parts >= LEAST_WORDS && bytes <= parts * WORD_BYTES;
    let last = || {
        tree.descendants(parent).rev().filter_map(|node| tree.text(node)).find(|text| !text.trim().is_empty())
    };
    are_short && last().is_some_and(|text| ends_sentence(text.trim()))
}

/// The addresses of links that hold too much text to be links: their ends are missing. A link that the end of a block
/// cut off is opened again in the next one.
fn false_links<'t>(tree: &'t PageTree, flows: &[Flow]) -> FxHashSet<&'t str> {
    let is_block = |node: NodeId| {
        tree.tag_id(node).is_some_and(|tag| matches!(flows[tag.index()], Flow::Block | Flow::Line))
    };
    let mut held: FxHashMap<&str, (f32, u32)> = FxHashMap::default();
    let mut at = 0;
    while let Some(node) = tree.node_at(at) {
        at += 1;
        let Some(href) = tree.attr(node, "href").filter(|_| tree.tag(node) == Some("a")) else { continue };
        at = tree.subtree_end(node).index();
        let texts = || tree.descendants(node).filter_map(|inner| tree.text(inner));
        // Most links are too short to count.
        if texts().map(str::len).sum::<usize>() < LEAST_LINK_BYTES {
            continue;
        }
        let words: f32 = texts().map(words_of_prose).sum();
        if words >= LEAST_LINK_WORDS {
            let blocks = tree.descendants(node).filter(|&inner| is_block(inner)).count().max(1) as u32;
            let sums = held.entry(href).or_default();
            *sums = (sums.0 + words, sums.1 + blocks);
        }
    }
    let is_false = |(words, blocks): &(f32, u32)| *words >= MOST_LINK_WORDS && *blocks >= MOST_LINK_BLOCKS;
    held.into_iter().filter(|(_, sums)| is_false(sums)).map(|(href, _)| href).collect()
}
