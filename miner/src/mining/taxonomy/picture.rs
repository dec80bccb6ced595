//! The taxonomy as a picture: the display tree in columns, one line for each concept.
//!
//! Each concept has a line of its own, as wide as its words, so labels cannot overlap. Children are indented below their parent
//! and connected to it. To the right, a bar and a number show the support. A concept with several broader ones is under one of
//! them and names the others. Trees fill columns of about equal height; trees of a single concept come after the others, and
//! trees of genres last. The file needs no other file; equal taxonomies give equal bytes.

use std::collections::BTreeSet;

use newslode_page::hierarchy::svg::text::{cut_to_width, escape_text, text_width};

use super::model::{Concept, Taxonomy};

/// Height of a line, and between two trees, in pixels.
const LINE: f64 = 20.0;
const GAP: f64 = 8.0;
/// Indent of one level.
const INDENT: f64 = 20.0;
/// The greatest width of a label or a note.
const WIDEST: f64 = 240.0;
/// The longest support bar with the room for its number.
const BAR: f64 = 70.0;
const NUMBER: f64 = 40.0;
/// The gap between columns, and the margin of the picture.
const MARGIN: f64 = 28.0;
/// Height of the title and the legend.
const TOP: f64 = 64.0;
/// Lines from which another column is worth it, and columns at most.
const COLUMN: f64 = 32.0;
const MOST_COLUMNS: f64 = 4.0;
/// Fills and borders of labels by depth; deeper levels start over.
const COLOURS: [(&str, &str); 4] =
    [("#dbe7f6", "#5b86bd"), ("#e0f0dc", "#6ea55f"), ("#fbe9cf", "#c99642"), ("#f0dff0", "#a36ba4")];

/// Appends a line to the picture.
macro_rules! drawn {
    ($out:expr, $($words:tt)*) => {{
        $out.push_str(&format!($($words)*));
        $out.push('\n');
    }};
}

/// A concept's line.
struct ConceptLine<'a> {
    concept: &'a Concept,
    depth: usize,
    /// The line of the concept above, in the same tree.
    above: Option<usize>,
    label: String,
    note: String,
}

impl ConceptLine<'_> {
    fn left(&self) -> f64 {
        self.depth as f64 * INDENT
    }

    /// Width of label and note.
    fn width(&self) -> f64 {
        let note = if self.note.is_empty() { 0.0 } else { text_width(&self.note) + 10.0 };
        self.left() + text_width(&self.label) + 12.0 + note
    }
}

/// The display tree as SVG.
#[must_use]
pub fn tree_svg(taxonomy: &Taxonomy) -> String {
    let columns = columns(trees(taxonomy));
    let height_of = |column: &[Vec<ConceptLine<'_>>]| -> f64 {
        column.iter().map(|tree| tree.len() as f64 * LINE + GAP).sum()
    };
    let width_of = |column: &[Vec<ConceptLine<'_>>]| -> f64 {
        column.iter().flatten().map(ConceptLine::width).fold(0.0, f64::max) + 12.0 + BAR + NUMBER
    };
    let height = columns.iter().map(|column| height_of(column)).fold(0.0, f64::max) + TOP + MARGIN;
    let total = columns.iter().map(|column| width_of(column) + MARGIN).sum::<f64>() + MARGIN;
    let total = total.max(620.0);
    let mut out = String::new();
    drawn!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{total:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {total:.0} {height:.0}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
    );
    draw_title(&mut out, taxonomy);
    let mut x = MARGIN;
    for column in &columns {
        let column_width = width_of(column);
        let mut y = TOP;
        for tree in column {
            drawn!(out, "<g transform=\"translate({x:.1} {y:.1})\">");
            draw_tree(&mut out, taxonomy, tree, column_width);
            out.push_str("</g>\n");
            y += tree.len() as f64 * LINE + GAP;
        }
        x += column_width + MARGIN;
    }
    out.push_str("</svg>\n");
    out
}

/// The roots' trees in preorder: larger trees first, by support, then trees of a single concept; those of genres last, in the
/// same order.
fn trees(taxonomy: &Taxonomy) -> Vec<Vec<ConceptLine<'_>>> {
    let children = taxonomy.children();
    let languages: BTreeSet<&str> = taxonomy.concepts.iter().map(|c| c.language.as_str()).collect();
    let mut trees = Vec::new();
    for root in children.get(&None).into_iter().flatten() {
        let mut lines: Vec<ConceptLine<'_>> = Vec::new();
        let mut open: Vec<(&Concept, usize, Option<usize>)> = vec![(root, 0, None)];
        while let Some((concept, depth, above)) = open.pop() {
            let own = lines.len();
            let note = note(taxonomy, concept, languages.len() > 1);
            let label = cut_to_width(&concept.label, WIDEST);
            lines.push(ConceptLine { concept, depth, above, label, note });
            let below = children.get(&Some(concept.key.as_str())).into_iter().flatten();
            open.extend(below.rev().map(|child| (*child, depth + 1, Some(own))));
        }
        trees.push(lines);
    }
    trees.sort_by_key(|lines| (lines.first().is_some_and(|root| root.concept.is_genre), lines.len() == 1));
    trees
}

/// Language and other parents, where they are worth mentioning.
fn note(taxonomy: &Taxonomy, concept: &Concept, with_language: bool) -> String {
    let others = concept.parents.iter().filter(|key| Some(*key) != concept.parent.as_ref());
    let others: Vec<&str> =
        others.map(|key| taxonomy.concept(key).map_or(key.as_str(), |other| other.label.as_str())).collect();
    let mut parts = Vec::new();
    if with_language {
        parts.push(concept.language.clone());
    }
    if !others.is_empty() {
        parts.push(format!("also under {}", others.join(", ")));
    }
    cut_to_width(&parts.join(" · "), WIDEST)
}

/// Trees in columns of about equal height, in order.
fn columns(trees: Vec<Vec<ConceptLine<'_>>>) -> Vec<Vec<Vec<ConceptLine<'_>>>> {
    let lines = |tree: &Vec<ConceptLine<'_>>| tree.len() as f64 + GAP / LINE;
    let total: f64 = trees.iter().map(lines).sum();
    let count = (total / COLUMN).ceil().clamp(1.0, MOST_COLUMNS);
    let mut columns: Vec<Vec<Vec<ConceptLine<'_>>>> = vec![Vec::new()];
    let mut done = 0.0;
    for tree in trees {
        let own = lines(&tree);
        let share = columns.len() as f64 * total / count;
        // A tree of which more than half would exceed the column's share starts the next column.
        if done > 0.0 && (columns.len() as f64) < count && done + own / 2.0 > share {
            columns.push(Vec::new());
        }
        done += own;
        if let Some(column) = columns.last_mut() {
            column.push(tree);
        }
    }
    columns
}

fn draw_title(out: &mut String, taxonomy: &Taxonomy) {
    let several = taxonomy.concepts.iter().filter(|concept| concept.parents.len() > 1).count();
    let (concepts, relations) = (taxonomy.concepts.len(), taxonomy.relations.len());
    drawn!(
        out,
        "<text x=\"{MARGIN}\" y=\"24\" font-size=\"16\" font-weight=\"bold\">Taxonomy of {} sites</text>",
        taxonomy.sites
    );
    drawn!(
        out,
        "<text x=\"{MARGIN}\" y=\"44\" fill=\"#555\">{concepts} concepts, {relations} relations; {several} concepts have \
         several broader ones. Bars: sites that show a concept.</text>"
    );
}

fn draw_tree(out: &mut String, taxonomy: &Taxonomy, lines: &[ConceptLine<'_>], column_width: f64) {
    for (at, line) in lines.iter().enumerate() {
        if let Some(above) = line.above {
            let (from, to) = (above as f64 * LINE + LINE - 2.0, at as f64 * LINE + LINE / 2.0);
            let x = line.left() - INDENT + 8.0;
            drawn!(
                out,
                "<path d=\"M{x:.1} {from:.1}V{to:.1}H{:.1}\" fill=\"none\" stroke=\"#aaa\"/>",
                line.left()
            );
        }
    }
    for (at, line) in lines.iter().enumerate() {
        let (y, (fill, border)) = (at as f64 * LINE, COLOURS[line.depth % COLOURS.len()]);
        let room = text_width(&line.label) + 8.0;
        let sites = line.concept.sites.len();
        drawn!(out, "<g><title>{}</title>", escape_text(&tooltip(line.concept)));
        drawn!(
            out,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{room:.1}\" height=\"16\" rx=\"3\" fill=\"{fill}\" stroke=\"{border}\"/>",
            line.left(),
            y + 2.0
        );
        drawn!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            line.left() + 4.0,
            y + 14.0,
            escape_text(&line.label)
        );
        if !line.note.is_empty() {
            let x = line.left() + room + 6.0;
            drawn!(
                out,
                "<text x=\"{x:.1}\" y=\"{:.1}\" fill=\"#777\" font-size=\"11\" font-style=\"italic\">{}</text>",
                y + 14.0,
                escape_text(&line.note)
            );
        }
        let bar = BAR * sites as f64 / taxonomy.sites.max(1) as f64;
        let left = column_width - BAR - NUMBER;
        drawn!(
            out,
            "<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"8\" fill=\"{border}\"/>",
            y + 6.0,
            bar.max(1.0)
        );
        drawn!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"#555\" font-size=\"11\">{sites}</text>",
            left + bar + 6.0,
            y + 14.0
        );
        out.push_str("</g>\n");
    }
}

/// The tooltip of a concept.
fn tooltip(concept: &Concept) -> String {
    let forms: Vec<&str> = concept.forms.iter().map(|form| form.text.as_str()).take(8).collect();
    let sites: Vec<&str> = concept.sites.iter().map(|site| site.as_str()).take(12).collect();
    let more = concept.sites.len().saturating_sub(sites.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!(
        "{} ({})\nwritten: {}\non: {}{more}",
        concept.label,
        concept.key,
        forms.join(", "),
        sites.join(", ")
    )
}

#[cfg(test)]
mod tests;
