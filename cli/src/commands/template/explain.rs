//! `newslode template explain`: shows a site's templates to people, as text or as a picture.
//!
//! Fixed parts are shortened: a chain of nested elements takes one line, and a part that all pages share
//! takes one line with its texts. A varying part shows its role, its number of pages and an example.

use newslode_common::version::ContentHash;
use newslode_miner::mining::templates::Templates;
use newslode_page::hierarchy::svg::text::escape_text;
use newslode_page::reading::Site;
use newslode_page::template::pattern::PatternVertex;
use newslode_page::template::{Slot, SlotRole, Template};

use crate::args::ExplainFormat;
use crate::exit::{Exit, hinted};
use crate::out;
use crate::queries::templates::{dropped_text, template_usage};

/// The picture's dimensions in pixels.
const LINE: usize = 20;
const INDENT: usize = 16;
const WIDTH: usize = 1080;
const MARGIN: usize = 12;
const LETTER: f64 = 7.3;
/// Maximum length of a line of text, in characters.
const MOST: usize = 120;

pub(super) fn explain(
    site: &Site,
    knowledge: &Templates<Template, ContentHash>,
    format: ExplainFormat,
) -> anyhow::Result<Exit> {
    if knowledge.live().is_empty() && knowledge.dropped().is_empty() {
        return Err(hinted(
            format!("{site} has no template"),
            "a template needs five similar articles: mine more of the site",
        ));
    }
    let mut parts: Vec<(String, Option<&Template>)> =
        knowledge.live().iter().map(|live| (template_usage(live), Some(&live.template))).collect();
    parts.extend(knowledge.dropped().iter().rev().map(|dropped| (dropped_text(dropped), None)));
    match format {
        ExplainFormat::Text => {
            parts.iter().try_for_each(|(head, part)| out::text(&template_text(head, *part)))?
        }
        ExplainFormat::Svg => out::data(template_svg(&parts).as_bytes())?,
    }
    Ok(Exit::Done)
}

fn role_name(role: SlotRole) -> &'static str {
    match role {
        SlotRole::Body => "body",
        SlotRole::Title => "title",
        SlotRole::Other => "varies",
    }
}

/// A line of the explanation of a pattern.
struct ExplanationLine {
    depth: usize,
    text: String,
    /// The kind of a varying part; for a fixed one, whether all pages have it.
    kind: LineKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LineKind {
    Holder,
    Fixed,
    Varies(SlotRole),
}

fn explanation_lines(template: &Template) -> Vec<ExplanationLine> {
    let vertices = &template.pattern.vertices;
    let mut lines = Vec::new();
    // Ends of the vertices above the current one that have lines of their own.
    let mut ends: Vec<usize> = Vec::new();
    let mut at = 0;
    while at < vertices.len() {
        while ends.last().is_some_and(|end| *end <= at) {
            ends.pop();
        }
        let end = at + vertices[at].size as usize;
        let is_fixed = !vertices[at..end].iter().any(|vertex| vertex.is_wild);
        let (text, kind, next) = match template.slots.iter().find(|slot| slot.vertex as usize == at) {
            Some(slot) => (
                varying_part_text(slot, &vertices[at].label, template.pages),
                LineKind::Varies(slot.role),
                at + 1,
            ),
            None if is_fixed => (fixed_part_text(&vertices[at..end]), LineKind::Fixed, end),
            None => {
                // A chain of elements, each the only child of the one before.
                let mut last = at;
                while last + 1 < end
                    && vertices[last].size == vertices[last + 1].size + 1
                    && !vertices[last + 1].is_wild
                {
                    last += 1;
                }
                let names: Vec<&str> =
                    vertices[at..=last].iter().map(|vertex| vertex.label.as_str()).collect();
                (names.join(" > "), LineKind::Holder, last + 1)
            }
        };
        lines.push(ExplanationLine { depth: ends.len(), text, kind });
        if kind == LineKind::Holder {
            ends.push(end);
        }
        at = next;
    }
    lines
}

/// Describes a varying part: its wildcard, what it is taken for, its number of pages and an example.
fn varying_part_text(slot: &Slot, wild: &str, pages: u32) -> String {
    let sort = match wild.chars().next() {
        Some('+') => "one or more",
        Some('?') => "one or none",
        Some('*') => "any number",
        _ => "one",
    };
    let on =
        if slot.pages == pages { "all pages".to_owned() } else { format!("{} of {pages} pages", slot.pages) };
    let example = if slot.example.is_empty() { String::new() } else { format!(": {}", slot.example) };
    format!("{} ({sort}, on {on}, {:.0} words){example}", role_name(slot.role), slot.words)
}

/// Describes a part that all pages have: its chain of nested elements, and its texts.
fn fixed_part_text(vertices: &[PatternVertex]) -> String {
    let is_text = |vertex: &&PatternVertex| vertex.label.starts_with('"');
    let chain = vertices.windows(2).take_while(|pair| pair[0].size == pair[1].size + 1).count();
    let names = vertices[..=chain].iter().filter(|vertex| !is_text(vertex));
    let names: Vec<&str> = names.map(|vertex| vertex.label.as_str()).collect();
    let texts = vertices.iter().filter(is_text).map(|vertex| vertex.label.trim_matches('"'));
    let texts: Vec<&str> = texts.collect();
    let texts = if texts.is_empty() { String::new() } else { format!(": {}", texts.join(" · ")) };
    format!("{}{texts}", names.join(" > "))
}

fn shortened(text: &str, most: usize) -> String {
    let mut letters = text.chars();
    let mut cut: String = letters.by_ref().take(most).collect();
    if letters.next().is_some() {
        cut.pop();
        cut.push('…');
    }
    cut
}

fn template_text(head: &str, template: Option<&Template>) -> String {
    let mut text = format!("{head}\n");
    for line in template.map(explanation_lines).unwrap_or_default() {
        let mark = if matches!(line.kind, LineKind::Varies(_)) { '»' } else { ' ' };
        let indent = "  ".repeat(line.depth);
        text.push_str(&format!(
            "{mark} {indent}{}\n",
            shortened(&line.text, MOST.saturating_sub(indent.len()).max(40))
        ));
    }
    text
}

fn line_colours(kind: LineKind) -> (&'static str, &'static str) {
    match kind {
        LineKind::Varies(SlotRole::Body) => ("#cde8c9", "#123d0c"),
        LineKind::Varies(SlotRole::Title) => ("#c9dcf2", "#0c2a4d"),
        LineKind::Varies(SlotRole::Other) => ("#f3e6c4", "#4d3a0c"),
        LineKind::Fixed => ("none", "#555555"),
        LineKind::Holder => ("none", "#1a1a1a"),
    }
}

fn template_svg(parts: &[(String, Option<&Template>)]) -> String {
    let mut rows = String::new();
    let mut y = LINE + 4;
    let mut legend = MARGIN;
    for (kind, name) in [
        (LineKind::Varies(SlotRole::Title), "title"),
        (LineKind::Varies(SlotRole::Body), "body"),
        (LineKind::Varies(SlotRole::Other), "varies"),
        (LineKind::Fixed, "grey: the same on all pages"),
    ] {
        draw_line(&mut rows, (legend, y), name.chars().count() as f64 * LETTER + 10.0, kind, name);
        legend += (name.chars().count() as f64 * LETTER) as usize + 26;
    }
    y += 2 * LINE;
    for (head, template) in parts {
        for (number, part) in head.split("; ").enumerate() {
            let weight = if number == 0 { " font-weight=\"bold\" font-size=\"14\"" } else { "" };
            rows.push_str(&format!("<text x=\"{MARGIN}\" y=\"{y}\"{weight}>{}</text>\n", escape_text(part)));
            y += LINE;
        }
        y += LINE / 4;
        for line in template.map(explanation_lines).unwrap_or_default() {
            let x = (MARGIN + line.depth * INDENT).min(WIDTH / 2);
            let width = (WIDTH - x - MARGIN) as f64;
            draw_line(
                &mut rows,
                (x, y),
                width,
                line.kind,
                &shortened(&line.text, ((width - 10.0) / LETTER) as usize),
            );
            y += LINE;
        }
        y += LINE;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{y}\" font-family=\"monospace\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{rows}</svg>\n"
    )
}

/// Draws a line of text on its background.
fn draw_line(rows: &mut String, (x, y): (usize, usize), width: f64, kind: LineKind, text: &str) {
    let (ground, ink) = line_colours(kind);
    if ground != "none" {
        let (top, height) = (y + 5 - LINE, LINE - 2);
        rows.push_str(&format!(
            "<rect x=\"{x}\" y=\"{top}\" width=\"{width:.0}\" height=\"{height}\" rx=\"3\" fill=\"{ground}\"/>"
        ));
    }
    let x = x + 5;
    rows.push_str(&format!("<text x=\"{x}\" y=\"{y}\" fill=\"{ink}\">{}</text>\n", escape_text(text)));
}

#[cfg(test)]
mod tests {
    use newslode_page::Page;
    use newslode_page::template::induce_templates;

    use super::*;

    fn templates() -> Vec<Template> {
        let page = |n: u32| {
            let html = format!(
                "<ul><li>News</li><li>Sport</li></ul><h1>Story {n}</h1><div><p>It is story {n} of this paper.</p></div><p>&amp; more</p>"
            );
            let url = format!("https://a.example/{n}").parse().unwrap();
            Page::parse(&url, None, html.as_bytes())
        };
        let pages: Vec<Page> = (0..4).map(page).collect();
        induce_templates(&pages.iter().collect::<Vec<_>>()).templates
    }

    #[test]
    fn people_see_what_varies() {
        let text = template_text("template v1", Some(&templates()[0]));
        assert!(text.starts_with("template v1\n"), "{text}");
        assert!(
            text.contains("» ") && text.contains("body (one, on all pages, 7 words): It is story 0"),
            "{text}"
        );
        assert!(text.contains("ul: News · Sport"), "{text}");
    }

    #[test]
    fn the_picture_is_well_formed() {
        let templates = templates();
        let svg = template_svg(&[("v2 & more".to_owned(), Some(&templates[0])), ("v1".to_owned(), None)]);
        assert!(svg.contains("v2 &amp; more"));
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("#cde8c9") && svg.contains("p: &amp; more"), "{svg}");
        assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
    }
}
