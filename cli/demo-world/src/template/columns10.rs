//! 2010: a broadsheet. The paper's name is the `h1` of every page; a section's headlines stand in columns under one
//! heading, in a layout table; small headings stand above large ones.

use super::parts::{boxes, data_table, heading, list};
use crate::marks::Text;
use crate::view::{Entry, Fact, Main, ProfileView, SectionBox, StoryView, Teaser, View, esc, lines, t};

pub(super) fn render(view: &View<'_>) -> String {
    let plan = view.plan;
    format!(
        "<!DOCTYPE html>\n<html{}>\n<head>\n{}<title>{}</title>\n{}<style>body {{ color: {} }}</style>\n</head>\n<body>\n\
         <div class=\"paper\">\n<h1><a href=\"{}\">{}</a></h1>\n<div class=\"ears\">{}</div>\n<ul class=\"menu\">\n{}\n</ul>\n\
         <div class=\"sheet\">\n<div class=\"text\">\n{}\n</div>\n<div class=\"margin\">\n{}\n<h5>{}</h5>\n{}\n</div>\n</div>\n\
         <div class=\"imprint\">{}<p>{}</p></div>\n</div>\n</body>\n</html>\n",
        plan.language.attributes(),
        plan.charset.meta(true),
        esc(&view.title),
        view.head_html,
        plan.colours[0],
        esc(&view.logo.href),
        esc(&view.logo.text),
        lines(&view.utility, |l| l.a("")),
        lines(&view.menu, menu_item),
        main(view),
        boxes(view, 4, "list"),
        t(&view.ads_heading),
        lines(&view.ads, |l| format!("<p>{}</p>", l.a(" class=\"ad\""))),
        lines(&view.footer, |l| format!("{} /", l.a(""))),
        t(&view.copyright),
    )
}

/// All levels as items of one list; only class and padding tell the depth.
fn menu_item(entry: &Entry) -> String {
    let mut out = String::new();
    let mut stack: Vec<(usize, &Entry)> = vec![(0, entry)];
    while let Some((depth, entry)) = stack.pop() {
        let indent = 12 * depth;
        out.push_str(&format!(
            "<li class=\"l{depth}\" style=\"padding-left: {indent}px\">{}</li>\n",
            entry.link.a("")
        ));
        stack.extend(entry.children.iter().rev().map(|e| (depth + 1, e)));
    }
    out
}

fn main(view: &View<'_>) -> String {
    match &view.main {
        Main::Front { heading, lead, boxes } => format!(
            "<h4>{}</h4>\n{}\n{}",
            t(heading),
            lines(lead, teaser),
            lines(boxes, |b| section_box(view, b))
        ),
        Main::Section { heading, crumbs, list, boxes, pages } => format!(
            "<div class=\"path\">{}</div>\n<h2>{}</h2>\n{}\n<div class=\"turn\">{}</div>\n{}",
            lines(crumbs, |l| format!("{} :", l.a(""))),
            t(heading),
            lines(list, teaser),
            lines(pages, |l| l.a("")),
            lines(boxes, |b| section_box(view, b)),
        ),
        Main::Story(story) => article(story),
        Main::Profile(profile) => self::profile(profile),
        Main::Figures { heading, tables } => {
            format!("<h2>{}</h2>\n{}", t(heading), lines(tables, |table| data_table(view, table, "")))
        }
        Main::Plain { heading, paragraphs, links } => format!(
            "<h2>{}</h2>\n{}\n<ul>\n{}\n</ul>",
            t(heading),
            lines(paragraphs, |p| format!("<p>{}</p>", t(p))),
            lines(links, |l| format!("<li>{}</li>", l.a(""))),
        ),
    }
}

/// A small heading for each property, its values in paragraphs below.
fn profile(profile: &ProfileView) -> String {
    let fact = |fact: &Fact| {
        format!("<h3>{}</h3>\n{}", t(&fact.label), lines(&fact.values, |v| format!("<p>{}</p>", t(v))))
    };
    format!(
        "<h2>{}</h2>\n<p><em>{}</em></p>\n<p>{}</p>\n{}\n{}",
        t(&profile.heading),
        t(&profile.role),
        t(&profile.paragraph),
        lines(&profile.facts, fact),
        fact(&profile.career),
    )
}

fn teaser(teaser: &Teaser) -> String {
    let small = |tag: &str, text: &Text| format!("<{tag}>{}</{tag}>\n", t(text));
    format!(
        "<div class=\"report\">\n{}<h3>{}</h3>\n{}<p>{}</p>\n<p class=\"when\">{}</p>\n</div>",
        teaser.kicker.iter().map(|k| small("h6", k)).collect::<String>(),
        teaser.link.a(""),
        teaser.byline.iter().map(|b| small("cite", b)).collect::<String>(),
        t(&teaser.text),
        t(&teaser.date),
    )
}

/// One heading over a row of columns; the link to more has a row of its own.
fn section_box(view: &View<'_>, section: &SectionBox) -> String {
    let each = section.items.len().div_ceil(view.plan.looks.columns).max(1);
    let columns = section.items.chunks(each);
    let width = columns.len().max(1);
    format!(
        "<table class=\"department\">\n<tr><td colspan=\"{width}\">{}</td></tr>\n<tr>\n{}\n</tr>\n\
         <tr><td colspan=\"{width}\">{}</td></tr>\n</table>",
        heading(view, &section.heading.a(""), 2, "department-title"),
        lines(columns, |part| format!("<td valign=\"top\">\n{}\n</td>", list(view, part))),
        section.more.a(""),
    )
}

fn article(story: &StoryView) -> String {
    let mut out = String::from("<div class=\"story\">\n");
    if let Some(kicker) = &story.kicker {
        out.push_str(&format!("<h6>{}</h6>\n", kicker.a("")));
    }
    out.push_str(&format!("<h2>{}</h2>\n", t(&story.title)));
    if let Some(date) = &story.date_html {
        out.push_str(&format!("<p class=\"when\">{date}</p>\n"));
    }
    if let Some(caption) = &story.caption {
        let (image, text) = (esc(&story.image), t(caption));
        out.push_str(&format!("<p class=\"plate\"><img src=\"{image}\" alt=\"\"><br><i>{text}</i></p>\n"));
    }
    if let Some(byline) = &story.byline_html {
        out.push_str(&format!("<cite>{byline}</cite>\n"));
    }
    out.push_str(&lines(&story.paragraphs_html, |p| format!("<p>{p}</p>")));
    out.push_str(&format!("\n</div>\n<h4>{}</h4>\n<ul>\n", t(&story.related_heading)));
    out.push_str(&lines(&story.related, |l| format!("<li>{}</li>", l.a(""))));
    out.push_str("\n</ul>\n");
    if !story.comments.is_empty() {
        out.push_str(&format!("<h4>{}</h4>\n", t(&story.comments_heading)));
        out.push_str(&lines(&story.comments, |(name, text)| {
            format!("<blockquote><b>{}</b><p>{}</p></blockquote>", t(name), t(text))
        }));
    }
    out
}
