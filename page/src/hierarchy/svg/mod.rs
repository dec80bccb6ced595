//! A picture of a hierarchy: labels as chips, headers and groups as boxes around them.
//!
//! Segments are laid out in columns, in reading order. A promoted header is a coloured bar on top of its box. A
//! box without a header has a dashed border if it is a group of like instances, and a thin one if it is a
//! partition. If the site's informative blocks are known, these are coloured and all else is grey; otherwise
//! the colour of a header shows its depth. If tags are known, a stripe at a label's left shows those of its leaves. A label
//! links to its target. Pointing at it shows its whole text, its
//! leaves and how it was promoted. The file needs nothing else: no script, style sheet or font of its own.
//!
//! [`layout`] decides where everything goes, [`text`] how wide words are; this module draws the boxes.
//! Equal hierarchies give equal bytes. Start at [`write()`].

use super::{Block, Hierarchy, Label, Node, NodeKind, Promotion, Tag};

mod layout;
pub mod text;

use layout::{LINE, Layout, Rect};
use text::FONT;

/// How much wider bold text is.
const BOLD: f64 = 1.12;
/// Height of the page's title and legend.
const TOP: f64 = 74.0;
/// Height of the legend of tags.
const TAGS_TOP: f64 = 18.0;
/// Width of the stripe that shows tags.
const STRIPE: f64 = 3.0;
/// Fill and border of header bars by depth. Deeper levels start over.
const COLOURS: [(&str, &str); 6] = [
    ("#dbe7f6", "#5b86bd"),
    ("#e0f0dc", "#6ea55f"),
    ("#fbe9cf", "#c99642"),
    ("#f0dff0", "#a36ba4"),
    ("#d9f0ee", "#4f9d97"),
    ("#f6dcdc", "#bd6a6a"),
];

/// Colours of a block's parts: bar and chip, border, background.
#[derive(Clone, Copy)]
struct Colours {
    fill: &'static str,
    border: &'static str,
    ground: &'static str,
}

const TOC: Colours = Colours { fill: "#ffe08a", border: "#b27b00", ground: "#fff8e1" };
const ARTICLE: Colours = Colours { fill: "#b9e3b0", border: "#2f7d22", ground: "#f0faed" };
/// For nodes outside the informative blocks, on a page whose blocks are known.
const REST: Colours = Colours { fill: "#e9e9e9", border: "#a0a0a0", ground: "#fff" };

impl Colours {
    /// Colours for a node under `depth` headers; `block` is `None` if the page's blocks are not known.
    fn new(block: Option<Block>, depth: usize) -> Colours {
        match block {
            Some(Block::Toc) => TOC,
            Some(Block::Article) => ARTICLE,
            Some(Block::Rest) => REST,
            None => {
                let (fill, border) = COLOURS[depth % COLOURS.len()];
                Colours { fill, border, ground: "#fff" }
            }
        }
    }
}

/// The colour of a tag's stripe.
fn stripe_colour(tag: Tag) -> &'static str {
    match tag {
        Tag::Concept => "#c2185b",
        Tag::Attribute => "#1565c0",
        Tag::Value => "#2e7d32",
        Tag::None => "#bdbdbd",
    }
}

/// Appends a line to the picture.
macro_rules! draw {
    ($out:expr, $($words:tt)*) => {{
        $out.push_str(&format!($($words)*));
        $out.push('\n');
    }};
}

/// The hierarchy as SVG.
#[must_use]
pub fn write(hierarchy: &Hierarchy) -> String {
    let layout = Layout::new(hierarchy);
    let top_height = if hierarchy.is_tagged() { TOP + TAGS_TOP } else { TOP };
    let (width, height) = (layout.width, layout.height + top_height);
    let mut out = String::new();
    draw!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width} {height:.0}\" font-family=\"sans-serif\" font-size=\"{FONT}\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
    );
    draw_top(&mut out, hierarchy);
    draw!(out, "<g transform=\"translate(0 {top_height})\">");
    let mut depth = vec![0_usize; hierarchy.nodes.len()];
    let blocks = hierarchy.site_version.as_ref().map(|_| hierarchy.blocks());
    for (index, node) in hierarchy.nodes.iter().enumerate().skip(1) {
        let above = node.parent.map_or(0, |parent| depth[parent as usize]);
        let heads = layout.has_children(index) && node.label.is_some();
        depth[index] = above + usize::from(heads);
        let block = blocks.as_ref().map(|blocks| blocks[index]);
        if layout.has_children(index) {
            draw_box(&mut out, node, layout.place(index), block, Colours::new(block, above));
        } else if let Some(label) = &node.label {
            draw_chip(&mut out, label, layout.place(index), block);
        }
    }
    out.push_str("</g>\n</svg>\n");
    out
}

/// Draws title, address, counts and legend.
fn draw_top(out: &mut String, hierarchy: &Hierarchy) {
    let title = hierarchy.title.as_deref().unwrap_or("Untitled page");
    draw_text(out, 12.0, 22.0, "font-size=\"16\" font-weight=\"bold\"", &text::cut_to_width(title, 900.0));
    let heads = |node: &&Node| node.promotion.is_some();
    let segments = hierarchy.nodes.iter().filter(|node| node.kind == NodeKind::Segment).count();
    let mut summary = format!(
        "{} · {} leaves · {segments} segments · {} headers",
        text::cut_to_width(&hierarchy.url, 600.0),
        hierarchy.leaves,
        hierarchy.nodes.iter().filter(heads).count()
    );
    if !hierarchy.coarse.is_empty() {
        summary.push_str(&format!(" · coarser: the limit of {} was met", hierarchy.coarse.join(", ")));
    }
    draw_text(out, 12.0, 42.0, "fill=\"#555\"", &summary);
    let has_blocks = hierarchy.site_version.is_some();
    let drawn = |colours: Colours| format!("fill=\"{}\" stroke=\"{}\"", colours.fill, colours.border);
    let blocks = [("table of contents", drawn(TOC)), ("article", drawn(ARTICLE))];
    let header = drawn(Colours::new(has_blocks.then_some(Block::Rest), 0));
    let legend = [
        ("header over what it heads", header.as_str()),
        ("group of like instances", "fill=\"none\" stroke=\"#777\" stroke-dasharray=\"4 3\""),
        ("partition", "fill=\"none\" stroke=\"#ccc\""),
        ("image", "fill=\"#f3ecd9\" stroke=\"none\""),
    ];
    let mut x = 12.0;
    let blocks = blocks.iter().filter(|_| has_blocks).map(|(words, look)| (*words, look.as_str()));
    for (words, look) in blocks.chain(legend) {
        draw!(out, "<rect x=\"{x:.1}\" y=\"52\" width=\"16\" height=\"12\" rx=\"2\" {look}/>");
        draw_text(out, x + 21.0, 62.0, "fill=\"#555\" font-size=\"11\"", words);
        x += 46.0 + text::text_width(words);
    }
    draw_text(out, x, 62.0, "fill=\"#1a4f9c\" font-size=\"11\"", "link");
    if hierarchy.is_tagged() {
        tags_legend(out);
    }
}

fn tags_legend(out: &mut String) {
    let mut x = 12.0;
    for (tag, words) in
        Tag::ALL.into_iter().zip(["concept of the page", "attribute", "value", "none of these"])
    {
        let colour = stripe_colour(tag);
        draw!(out, "<rect x=\"{x:.1}\" y=\"70\" width=\"{STRIPE}\" height=\"12\" fill=\"{colour}\"/>");
        draw_text(out, x + STRIPE + 5.0, 80.0, "fill=\"#555\" font-size=\"11\"", words);
        x += 30.0 + STRIPE + text::text_width(words);
    }
}

/// Draws the tags of a label at the left of its place, one above the other if there are several.
fn draw_tag_stripe(out: &mut String, label: &Label, x: f64, y: f64, height: f64) {
    let part = height / label.own_tags().count().max(1) as f64;
    for (number, tag) in label.own_tags().enumerate() {
        let (top, colour) = (y + part * number as f64, stripe_colour(tag));
        draw!(
            out,
            "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{STRIPE}\" height=\"{part:.1}\" fill=\"{colour}\"/>"
        );
    }
}

/// Draws the box of a node with children, with the bar of its header if it has one.
fn draw_box(out: &mut String, node: &Node, at: Rect, block: Option<Block>, colours: Colours) {
    let Rect { x, y, width, height } = at;
    let Colours { fill, border, ground } = colours;
    let is_marked = matches!(block, Some(Block::Toc | Block::Article));
    let ruled = |plain: &'static str| if is_marked { border } else { plain };
    let look = match (&node.label, node.kind) {
        (Some(_), _) => format!("fill=\"{ground}\" stroke=\"{border}\""),
        (None, NodeKind::Segment) => {
            format!("fill=\"{}\" stroke=\"{}\"", if is_marked { ground } else { "#fafafa" }, ruled("#999"))
        }
        (None, NodeKind::Group) => {
            let ground = if is_marked { ground } else { "none" };
            format!("fill=\"{ground}\" stroke=\"{}\" stroke-dasharray=\"4 3\"", ruled("#777"))
        }
        (None, _) => {
            format!("fill=\"{}\" stroke=\"{}\"", if is_marked { ground } else { "none" }, ruled("#ccc"))
        }
    };
    draw!(
        out,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"3\" {look}/>"
    );
    let Some(label) = &node.label else { return };
    draw!(
        out,
        "<path d=\"M{x:.1} {:.1}v-{:.1}a3 3 0 0 1 3-3h{:.1}a3 3 0 0 1 3 3v{:.1}z\" fill=\"{fill}\" stroke=\"{border}\"/>",
        y + LINE,
        LINE - 3.0,
        width - 6.0,
        LINE - 3.0
    );
    let words = text::cut_to_width(&label.text, (width - 24.0) / BOLD);
    open_label(out, label, node.promotion);
    draw_tag_stripe(out, label, x, y + 3.0, LINE - 3.0);
    draw_text(out, x + 6.0, y + 13.0, &format!("fill=\"{border}\""), "▾");
    draw_text(
        out,
        x + 18.0,
        y + 13.0,
        &format!("font-weight=\"bold\" fill=\"{}\"", text_colour(label)),
        &words,
    );
    close_label(out, label);
}

/// Draws a label that heads nothing.
fn draw_chip(out: &mut String, label: &Label, at: Rect, block: Option<Block>) {
    let Rect { x, y, width, height } = at;
    let fill = match block {
        Some(block @ (Block::Toc | Block::Article)) => Colours::new(Some(block), 0).fill,
        _ if label.image => "#f3ecd9",
        _ => "#f2f2f2",
    };
    open_label(out, label, None);
    draw!(
        out,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"3\" fill=\"{fill}\"/>"
    );
    draw_tag_stripe(out, label, x, y, height);
    let look = format!("fill=\"{}\"", text_colour(label));
    draw_text(out, x + 4.0, y + 12.5, &look, &text::cut_to_width(&label.text, width - 7.0));
    close_label(out, label);
}

fn text_colour(label: &Label) -> &'static str {
    if label.href.is_some() { "#1a4f9c" } else { "#222" }
}

/// Opens the element that shows a label's whole text when pointed at and links to its target.
fn open_label(out: &mut String, label: &Label, promotion: Option<Promotion>) {
    match &label.href {
        Some(href) => {
            draw!(out, "<a href=\"{}\">", text::escape_text(href));
        }
        None => out.push_str("<g>"),
    }
    let leaves: Vec<String> = label.leaves.iter().take(8).map(ToString::to_string).collect();
    let how = match promotion {
        None => "",
        Some(Promotion::Insider) => "; header: insider promotion",
        Some(Promotion::Outsider) => "; header: outsider promotion",
        Some(Promotion::Preceding) => "; header: precedes the group",
        Some(Promotion::Evidence) => "; header: by its presentation",
    };
    let names: Vec<&str> = label.own_tags().map(Tag::name).collect();
    let tags = if names.is_empty() { String::new() } else { format!("; tags: {}", names.join(", ")) };
    draw!(out, "<title>{} (leaf {}{how}{tags})</title>", text::escape_text(&label.text), leaves.join(" "));
}

fn close_label(out: &mut String, label: &Label) {
    out.push_str(if label.href.is_some() { "</a>\n" } else { "</g>\n" });
}

fn draw_text(out: &mut String, x: f64, y: f64, look: &str, words: &str) {
    draw!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" {look}>{}</text>", text::escape_text(words));
}

#[cfg(test)]
mod tests;
