//! 2003: a portal. Lines of links between bars, boxes as definition lists, headings that are bold links.

use super::parts::{boxes, data_table};
use crate::view::{Entry, Fact, Main, ProfileView, SectionBox, StoryView, Teaser, View, esc, lines, t};

pub(super) fn render(view: &View<'_>) -> String {
    let plan = view.plan;
    let [dark, pale] = &plan.colours;
    format!(
        "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\">\n<html{}>\n<head>\n{}<title>{}</title>\n{}\
         <style>.sm {{ font-size: 11px }} .bar {{ background: {dark} }}</style>\n</head>\n<body>\n\
         <table width=\"980\" cellspacing=\"0\">\n<tr><td colspan=\"2\"><a href=\"{}\"><b>{}</b></a></td></tr>\n\
         <tr><td colspan=\"2\" class=\"sm\">{}</td></tr>\n<tr><td colspan=\"2\" bgcolor=\"{pale}\">\n{}\n</td></tr>\n\
         <tr><td width=\"720\" valign=\"top\">\n{}\n</td><td valign=\"top\">\n{}\n<p class=\"sm\">{}</p>\n{}\n</td></tr>\n\
         <tr><td colspan=\"2\" class=\"sm\" align=\"center\">{}<br>{}</td></tr>\n</table>\n</body>\n</html>\n",
        plan.language.attributes(),
        plan.charset.meta(false),
        esc(&view.title),
        view.head_html,
        esc(&view.logo.href),
        esc(&view.logo.text),
        lines(&view.utility, |l| format!("{} &middot;", l.a(""))),
        menu(view),
        main(view),
        boxes(view, 3, "box"),
        t(&view.ads_heading),
        lines(&view.ads, |l| format!("<div>{}</div>", l.a(" target=\"_blank\""))),
        lines(&view.footer, |l| format!("{} |", l.a(""))),
        t(&view.copyright),
    )
}

/// A line for each top entry: the entry in bold, a colon, the entries below it.
fn menu(view: &View<'_>) -> String {
    let line = |entry: &Entry| {
        let below = lines(flat(&entry.children), |e| format!("{} |", e.link.a(" class=\"sm\"")));
        let colon = if below.is_empty() { "" } else { ":" };
        format!(
            "<div><a href=\"{}\"><b>{}</b></a>{colon} {below}</div>",
            esc(&entry.link.href),
            esc(&entry.link.text)
        )
    };
    let home: String = view.home.iter().map(|home| format!("<div>{}</div>\n", home.a(""))).collect();
    home + &lines(&view.menu, line)
}

/// Entries at all levels, in menu order.
fn flat(entries: &[Entry]) -> Vec<&Entry> {
    let mut out = Vec::new();
    let mut stack: Vec<&Entry> = entries.iter().rev().collect();
    while let Some(entry) = stack.pop() {
        out.push(entry);
        stack.extend(entry.children.iter().rev());
    }
    out
}

fn main(view: &View<'_>) -> String {
    let bar = |text: &crate::marks::Text| format!("<div class=\"bar\"><strong>{}</strong></div>", t(text));
    match &view.main {
        Main::Front { heading, lead, boxes } => {
            [bar(heading), lines(lead, teaser), lines(boxes, section_box)].join("\n")
        }
        Main::Section { heading, crumbs, list, boxes, pages } => [
            format!("<div class=\"sm\">{}</div>", lines(crumbs, |l| format!("{} &gt;&gt;", l.a("")))),
            bar(heading),
            lines(list, teaser),
            format!("<div align=\"right\">{}</div>", lines(pages, |l| l.a(""))),
            lines(boxes, section_box),
        ]
        .join("\n"),
        Main::Story(story) => article(story),
        Main::Profile(profile) => self::profile(profile),
        Main::Figures { heading, tables } => [
            bar(heading),
            lines(tables, |table| {
                let inner = data_table(view, table, " border=\"0\" cellpadding=\"4\"");
                format!("<table width=\"100%\"><tr><td>{inner}</td></tr></table>")
            }),
        ]
        .join("\n"),
        Main::Plain { heading, paragraphs, links } => [
            bar(heading),
            lines(paragraphs, |p| format!("<p>{}</p>", t(p))),
            lines(links, |l| format!("&raquo; {}<br>", l.a(""))),
        ]
        .join("\n"),
    }
}

/// A line for each property, with its label and values; `br` ends it.
fn profile(profile: &ProfileView) -> String {
    let fact = |fact: &Fact| {
        let values: Vec<String> = fact.values.iter().map(|v| format!("<font>{}</font>", t(v))).collect();
        format!("<strong>{}:</strong> {}<br>", t(&fact.label), values.join(" "))
    };
    format!(
        "<h2>{}</h2>\n<i>{}</i><br>\n{}\n<p>{}</p>\n<dl><dt>{}</dt>\n{}\n</dl>",
        t(&profile.heading),
        t(&profile.role),
        lines(&profile.facts, fact),
        t(&profile.paragraph),
        t(&profile.career.label),
        lines(&profile.career.values, |v| format!("<dd>{}</dd>", t(v))),
    )
}

fn teaser(teaser: &Teaser) -> String {
    let small = |text: &crate::marks::Text| format!("<span class=\"sm\">{}</span><br>\n", t(text));
    format!(
        "<p>{}<a href=\"{}\"><b>{}</b></a> <small>({})</small><br>\n{}{}</p>",
        teaser.kicker.iter().map(small).collect::<String>(),
        esc(&teaser.link.href),
        esc(&teaser.link.text),
        t(&teaser.date),
        teaser.byline.iter().map(small).collect::<String>(),
        t(&teaser.text),
    )
}

fn section_box(section: &SectionBox) -> String {
    format!(
        "<dl>\n<dt><a href=\"{}\"><b>{}</b></a></dt>\n{}\n<dd class=\"sm\">{}</dd>\n</dl>",
        esc(&section.heading.href),
        esc(&section.heading.text),
        lines(&section.items, |l| format!("<dd>{}</dd>", l.a(""))),
        section.more.a(""),
    )
}

fn article(story: &StoryView) -> String {
    let mut out = String::new();
    if let Some(kicker) = &story.kicker {
        out.push_str(&format!("<div class=\"sm\">{}</div>\n", kicker.a("")));
    }
    out.push_str(&format!("<div><font size=\"5\"><b>{}</b></font></div>\n", t(&story.title)));
    if let Some(caption) = &story.caption {
        out.push_str(&format!(
            "<table align=\"left\" width=\"220\"><tr><td><img src=\"{}\" width=\"220\" alt=\"\"></td></tr>\
             <tr><td class=\"sm\">{}</td></tr></table>\n",
            esc(&story.image),
            t(caption)
        ));
    }
    out.push_str(&lines(&story.paragraphs_html, |p| format!("<p>{p}</p>")));
    // Portals print byline and date last.
    for line in [&story.byline_html, &story.date_html].into_iter().flatten() {
        out.push_str(&format!("\n<div class=\"sm\">{line}</div>"));
    }
    out.push_str(&format!("\n<dl>\n<dt><b>{}</b></dt>\n", t(&story.related_heading)));
    out.push_str(&lines(&story.related, |l| format!("<dd>{}</dd>", l.a(""))));
    out.push_str("\n</dl>\n");
    if !story.comments.is_empty() {
        out.push_str(&format!("<div class=\"bar\"><strong>{}</strong></div>\n", t(&story.comments_heading)));
        out.push_str(&lines(&story.comments, |(name, text)| {
            format!("<p><b>{}</b><br><font>{}</font></p>", t(name), t(text))
        }));
    }
    out
}
