//! The features of a cell: those of `[OM05 §4.2.2]`, and others that set header cells off.
//!
//! The features are syntactic (bold, italic, capitals, link, `th`, background, text colour, class), statistical
//! (words, characters), semantic (number, date, money by their shape, in any language), and what a cell holds
//! beside text (images, controls, blocks, tables). The word's shape replaces part of speech: it needs no
//! dictionary. Only the first 64 leaves of a cell are read, so that nested tables cost at most twice as much.
//! Start at [`TableFeatures::new`].

use std::hash::Hasher;
use std::ops::Range;

use crate::reading::{NodeId, Page, PageTree};
use rustc_hash::{FxHashMap, FxHasher};

use super::grid::Grid;
use crate::reading::letters::char_class;
use crate::text::parts_between_spaces;

/// Most leaves of a cell that are read.
const MAX_LEAVES: usize = 64;

/// The kind of a cell's text, by its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TextKind {
    /// No leaf.
    Empty,
    /// Mostly digits: numbers, money, per cents, times.
    Number,
    /// A date or a range of digits among words: at least a quarter of the characters are digits.
    Mixed,
    /// Up to eight words.
    Phrase,
    /// More than eight words.
    Prose,
}

/// The features of one cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CellFeatures {
    pub(crate) is_th: bool,
    /// In a `thead`.
    pub(crate) in_head: bool,
    /// The cell's `scope` attribute.
    pub(crate) scope: HeaderScope,
    pub(crate) kind: TextKind,
    pub(crate) words: u32,
    pub(crate) chars: u32,
    /// Whether all its text is bold.
    pub(crate) bold: bool,
    pub(crate) italic: bool,
    /// Whether all its text is link text.
    pub(crate) link: bool,
    /// Whether its cased letters, at least two, are all capitals.
    pub(crate) capitals: bool,
    /// Whether its text ends in a colon.
    pub(crate) colon: bool,
    /// Whether it has one of the paper's special characters: currency, sign, brace.
    pub(crate) special: bool,
    /// Background, text colour and class, interned over the table; 0 if it has none.
    pub(crate) background: u32,
    pub(crate) text_colour: u32,
    pub(crate) class: u32,
    pub(crate) images: u32,
    pub(crate) controls: u32,
    pub(crate) blocks: u32,
    pub(crate) tables: u32,
    pub(crate) links: u32,
    pub(crate) headings: u32,
    /// Whether it is empty or has only dots and dashes as filler.
    pub(crate) is_blank: bool,
    /// Whether its text is digits alone.
    pub(crate) is_count: bool,
    /// Hash of the text, case folded; 0 if it has none.
    pub(crate) text: u64,
    /// Hash of the text's shape: runs of letters, runs of digits, and the signs between them.
    pub(crate) shape: u64,
}

/// The value of `scope`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeaderScope {
    /// Nothing.
    None,
    /// `col`, `colgroup`.
    Column,
    /// `row`, `rowgroup`.
    Row,
}

/// The number of elements of some kinds before each node, so that two look-ups count a subtree.
pub(crate) struct Census {
    before: Vec<[u32; 6]>,
}

impl Census {
    pub(crate) fn new(tree: &PageTree) -> Census {
        let mut sums = [0; 6];
        let mut before = Vec::with_capacity(tree.len() + 1);
        before.push(sums);
        for node in tree.node_ids() {
            if let Some(kind) = tree.tag(node).and_then(census_kind) {
                sums[kind] += 1;
            }
            before.push(sums);
        }
        Census { before }
    }

    /// The number of images, controls, blocks, tables, links and headings below an element.
    pub(crate) fn under(&self, tree: &PageTree, node: NodeId) -> [u32; 6] {
        let (start, end) = (node.index() + 1, tree.subtree_end(node).index());
        std::array::from_fn(|kind| self.before[end][kind] - self.before[start][kind])
    }
}

fn census_kind(tag: &str) -> Option<usize> {
    match tag {
        "img" | "svg" | "video" | "picture" | "canvas" | "iframe" | "object" | "embed" => Some(0),
        "input" | "select" | "textarea" | "button" | "form" => Some(1),
        "p" | "ul" | "ol" | "dl" | "div" | "blockquote" | "pre" | "hr" | "article" | "section" | "center" => {
            Some(2)
        }
        "table" => Some(3),
        "a" => Some(4),
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => Some(5),
        _ => None,
    }
}

/// The features of all cells of a grid.
pub(crate) struct TableFeatures {
    pub(crate) cells: Vec<CellFeatures>,
    /// The leaves of each cell.
    pub(crate) leaves: Vec<Range<usize>>,
}

impl TableFeatures {
    pub(crate) fn new(page: &Page, census: &Census, grid: &Grid) -> TableFeatures {
        let mut interned = FxHashMap::default();
        let leaves: Vec<Range<usize>> =
            grid.cells.iter().map(|cell| page.leaves.range_under(&page.tree, cell.node)).collect();
        let cells = grid
            .cells
            .iter()
            .zip(&leaves)
            .map(|(cell, leaves)| cell_features(page, census, cell.node, leaves.clone(), &mut interned))
            .collect();
        TableFeatures { cells, leaves }
    }
}

type InternedValues = FxHashMap<(u8, String), u32>;

fn cell_features(
    page: &Page,
    census: &Census,
    node: NodeId,
    leaves: Range<usize>,
    interned: &mut InternedValues,
) -> CellFeatures {
    let tree = &page.tree;
    let mut text = TextCounts::default();
    for leaf in leaves.take(MAX_LEAVES) {
        text.add_leaf(page, node, leaf);
    }
    let row = tree.parent(node);
    let in_head = row.and_then(|row| tree.parent(row)).is_some_and(|group| tree.tag(group) == Some("thead"));
    let mut intern = |kind: u8, value: Option<String>| match value.filter(|value| !value.is_empty()) {
        None => 0,
        Some(value) => {
            let next = interned.len() as u32 + 1;
            *interned.entry((kind, value)).or_insert(next)
        }
    };
    let background = intern(0, own_background(tree, node).or_else(|| own_background(tree, row?)));
    let class = intern(1, tree.attr(node, "class").map(|class| class.trim().to_ascii_lowercase()));
    let text_colour = intern(2, text.text_colour.take());
    let [images, controls, blocks, tables, links, headings] = census.under(tree, node);
    CellFeatures {
        is_th: tree.tag(node) == Some("th"),
        in_head,
        scope: header_scope(tree, node),
        kind: text.kind(),
        words: text.words,
        chars: text.chars,
        bold: text.chars > 0 && text.bold == text.chars,
        italic: text.chars > 0 && text.italic == text.chars,
        link: text.chars > 0 && text.link == text.chars,
        capitals: text.upper >= 2 && text.lower == 0,
        colon: text.colon,
        special: text.special,
        background,
        text_colour,
        class,
        images,
        controls,
        blocks,
        tables,
        links,
        headings,
        is_blank: !text.has_words,
        is_count: text.chars > 0 && text.digits == text.chars,
        text: if text.chars == 0 { 0 } else { text.text.finish() },
        shape: if text.chars == 0 { 0 } else { text.shape.finish() },
    }
}

fn header_scope(tree: &PageTree, node: NodeId) -> HeaderScope {
    match tree.attr(node, "scope").unwrap_or_default().trim().to_ascii_lowercase().as_str() {
        "col" | "colgroup" => HeaderScope::Column,
        "row" | "rowgroup" => HeaderScope::Row,
        _ => HeaderScope::None,
    }
}

/// The background that the element itself sets.
fn own_background(tree: &PageTree, node: NodeId) -> Option<String> {
    let own = tree.attr(node, "bgcolor").map(|colour| colour.trim().to_ascii_lowercase());
    own.or_else(|| style_property(tree, node, "background-color"))
        .or_else(|| style_property(tree, node, "background"))
}

/// A property of the element's inline style, in lower case.
fn style_property(tree: &PageTree, node: NodeId, property: &str) -> Option<String> {
    let style = tree.attr(node, "style")?;
    style.split(';').take(64).find_map(|rule| {
        let (name, value) = rule.split_once(':')?;
        name.trim().eq_ignore_ascii_case(property).then(|| value.trim().to_ascii_lowercase())
    })
}

/// Counts over the text of one cell.
#[derive(Default)]
struct TextCounts {
    words: u32,
    chars: u32,
    digits: u32,
    letters: u32,
    upper: u32,
    lower: u32,
    bold: u32,
    italic: u32,
    link: u32,
    colon: bool,
    special: bool,
    has_words: bool,
    text_colour: Option<String>,
    text: FxHasher,
    shape: FxHasher,
    /// The class of the shape's last run, and the number of runs.
    run: char,
    runs: u32,
}

/// Most runs that count for the shape; longer texts differ in length, not in kind.
const MAX_RUNS: u32 = 12;

impl TextCounts {
    fn add_leaf(&mut self, page: &Page, cell: NodeId, leaf: usize) {
        let text = page.leaves.text(leaf);
        let mut chars = 0;
        for c in text.chars().filter(|c| !c.is_whitespace()) {
            chars += 1;
            let class = char_class(c);
            let is_letter = class.is_alphabetic();
            let is_digit = !is_letter && class.is_numeric();
            let is_upper = is_letter && class.is_uppercase();
            self.digits += u32::from(is_digit);
            self.letters += u32::from(is_letter);
            self.upper += u32::from(is_upper);
            self.lower += u32::from(is_letter && !is_upper && class.is_lowercase());
            let folded = if is_upper { c.to_lowercase().next().unwrap_or(c) } else { c };
            self.text.write_u32(u32::from(folded));
            // The shape: runs of digits and of letters count once, any other character as itself.
            let run = match (is_digit, is_letter) {
                (true, _) => '9',
                (false, true) => 'a',
                (false, false) => c,
            };
            if run != self.run && self.runs < MAX_RUNS {
                self.shape.write_u32(u32::from(run));
                (self.run, self.runs) = (run, self.runs + 1);
            }
            self.has_words |= !matches!(c, '.' | '-' | '–' | '—' | '_' | '·' | '…');
            self.special |= matches!(c, '$' | '€' | '£' | '¥' | '+' | '%' | '{' | '}' | '=' | '<' | '>');
        }
        self.chars += chars;
        self.words += parts_between_spaces(text) as u32;
        self.colon = text.ends_with([':', '：']);
        let shown_leaf = page.leaves.get(leaf);
        if shown_leaf.link.is_some_and(|link| cell < link) {
            self.link += chars;
        }
        // Style, by the elements from the leaf up to its cell; the first colour found is the cell's.
        let (mut bold, mut italic) = (false, false);
        let mut at = Some(shown_leaf.parent);
        while let Some(node) = at.filter(|&node| node >= cell) {
            match page.tree.tag(node).unwrap_or_default() {
                "b" | "strong" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => bold = true,
                "i" | "em" | "cite" => italic = true,
                "font" if self.text_colour.is_none() => {
                    self.text_colour = page.tree.attr(node, "color").map(str::to_ascii_lowercase)
                }
                _ => {}
            }
            bold |= style_property(&page.tree, node, "font-weight").is_some_and(|weight| {
                matches!(weight.as_str(), "bold" | "bolder" | "600" | "700" | "800" | "900")
            });
            if self.text_colour.is_none() {
                self.text_colour = style_property(&page.tree, node, "color");
            }
            at = page.tree.parent(node);
        }
        self.bold += if bold { chars } else { 0 };
        self.italic += if italic { chars } else { 0 };
    }

    fn kind(&self) -> TextKind {
        if self.chars == 0 {
            TextKind::Empty
        } else if self.digits > 0 && self.letters <= self.digits && self.words <= 6 {
            TextKind::Number
        } else if self.digits * 4 >= self.chars && self.words <= 8 {
            TextKind::Mixed
        } else if self.words <= 8 {
            TextKind::Phrase
        } else {
            TextKind::Prose
        }
    }
}
