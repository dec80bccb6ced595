//! `newslode template explain`: a site's templates for people, as text and as a picture.

use newslode_common::page::Site;
use newslode_common::version::ContentHash;
use newslode_miner::templates::Templates;
use newslode_partitioner::template::{Role, Template};

use super::show::{end, usage};

use crate::args::ExplainFormat;
use crate::exit::{Exit, hinted};
use crate::out;

/// Lines of the picture and its measures in pixels.
const LINE: usize = 18;
const INDENT: usize = 14;
const WIDTH: usize = 960;
/// Characters of a line of either form.
const MOST: usize = 100;

pub(super) fn explain(
    site: &Site,
    known: &Templates<Template, ContentHash>,
    format: ExplainFormat,
) -> anyhow::Result<Exit> {
    if known.live().is_empty() && known.dropped().is_empty() {
        return Err(hinted(
            format!("{site} has no template"),
            "five articles that are alike make one: mine more of the site",
        ));
    }
    let mut parts: Vec<(String, Option<&Template>)> =
        known.live().iter().map(|live| (usage(live), Some(&live.template))).collect();
    parts.extend(known.dropped().iter().rev().map(|dropped| (end(dropped), None)));
    match format {
        ExplainFormat::Text => parts.iter().try_for_each(|(head, part)| out::text(&text(head, *part)))?,
        ExplainFormat::Svg => out::text(&svg(&parts))?,
    }
    Ok(Exit::Done)
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Body => "body",
        Role::Title => "title",
        Role::Other => "varies",
    }
}

/// One line of the pattern: its depth, what stands there, and its role if it varies.
fn lines(template: &Template) -> Vec<(usize, String, Option<Role>)> {
    let mut lines = Vec::new();
    let mut ends: Vec<usize> = Vec::new();
    for (at, vertex) in template.pattern.vertices.iter().enumerate() {
        while ends.last().is_some_and(|end| *end <= at) {
            ends.pop();
        }
        let depth = ends.len();
        ends.push(at + vertex.size as usize);
        let slot = template.slots.iter().find(|slot| slot.vertex as usize == at);
        let text = match slot {
            Some(slot) => format!(
                "{} {} on {} of {} pages, {:.0} words: {}",
                vertex.label,
                role(slot.role),
                slot.pages,
                template.pages,
                slot.words,
                slot.example
            ),
            None => vertex.label.clone(),
        };
        let text: String = out::harmless(&text).chars().take(MOST).collect();
        lines.push((depth, text, slot.map(|slot| slot.role)));
    }
    lines
}

fn text(head: &str, template: Option<&Template>) -> String {
    let mut text = format!("{head}\n");
    for (depth, line, slot) in template.map(lines).unwrap_or_default() {
        let mark = if slot.is_some() { '»' } else { ' ' };
        text.push_str(&format!("{mark} {}{line}\n", "  ".repeat(depth)));
    }
    text
}

fn svg(parts: &[(String, Option<&Template>)]) -> String {
    let mut rows = String::new();
    let mut y = LINE;
    let escaped = |text: &str| {
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        text.replace('>', "&gt;").replace('"', "&quot;")
    };
    for (head, template) in parts {
        rows.push_str(&format!("<text x=\"8\" y=\"{y}\" font-weight=\"bold\">{}</text>\n", escaped(head)));
        y += LINE;
        for (depth, line, slot) in template.map(lines).unwrap_or_default() {
            let x = 8 + depth * INDENT;
            let colour = match slot {
                Some(Role::Body) => "#cde8c9",
                Some(Role::Title) => "#c9dcf2",
                Some(Role::Other) => "#f3e6c4",
                None => "none",
            };
            let top = y - LINE + 5;
            rows.push_str(&format!(
                "<rect x=\"{x}\" y=\"{top}\" width=\"{}\" height=\"{LINE}\" fill=\"{colour}\"/>\
                 <text x=\"{x}\" y=\"{y}\">{}</text>\n",
                WIDTH.saturating_sub(x + 8),
                escaped(&line)
            ));
            y += LINE;
        }
        y += LINE;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{y}\" font-family=\"monospace\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{rows}</svg>\n"
    )
}

#[cfg(test)]
mod tests {
    use newslode_partitioner::Page;
    use newslode_partitioner::template::induce;
    use newslode_partitioner::work::limits;

    use super::*;

    fn templates() -> Vec<Template> {
        let page = |n: u32| {
            let html = format!(
                "<ul><li>News</li><li>Sport</li></ul><h1>Story {n}</h1><div><p>It is story {n} of this paper.</p></div><p>&amp; more</p>"
            );
            let url = format!("https://a.example/{n}").parse().unwrap();
            Page::parse(&url, None, html.as_bytes(), &limits())
        };
        let pages: Vec<Page> = (0..4).map(page).collect();
        induce(&pages.iter().collect::<Vec<_>>())
    }

    #[test]
    fn people_see_what_varies() {
        let text = text("template v1", Some(&templates()[0]));
        assert!(text.starts_with("template v1\n"), "{text}");
        assert!(
            text.contains("» ") && text.contains("body on 4 of 4 pages, 7 words: It is story 0"),
            "{text}"
        );
        assert!(text.contains("\"Sport\""), "{text}");
    }

    #[test]
    fn the_picture_is_well_formed() {
        let templates = templates();
        let svg = svg(&[("v2 & more".to_owned(), Some(&templates[0])), ("v1".to_owned(), None)]);
        assert!(svg.contains("v2 &amp; more"));
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("#cde8c9") && svg.contains("&quot;&amp; more&quot;"), "{svg}");
        assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
    }
}
