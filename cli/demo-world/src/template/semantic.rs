//! Today: landmarks, nested menus, headings in order, `figure`, `time`; also cookie banners and newsletter boxes.

use super::parts::{columns, data_table, fact_rows};
use crate::view::{Entry, Main, Panel, ProfileView, SectionBox, StoryView, Teaser, View, esc, lines, t};

pub(super) fn render(view: &View<'_>) -> String {
    let plan = view.plan;
    let cookies: String = view.cookies.iter().map(cookie_banner).collect();
    format!(
        "<!DOCTYPE html>\n<html{}>\n<head>\n{}<meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{}</title>\n{}</head>\n<body>\n{cookies}<header>\n<a href=\"{}\" rel=\"home\">{}</a>\n\
         <nav aria-label=\"main\">\n{}\n</nav>\n<form role=\"search\" action=\"{}\"><input name=\"q\"></form>\n\
         </header>\n<main>\n{}\n</main>\n<aside>\n{}\n<section class=\"ad\" aria-label=\"{}\">\n{}\n</section>\n</aside>\n<footer>\n<ul>\n{}\n</ul>\n\
         <small>{}</small>\n</footer>\n</body>\n</html>\n",
        plan.language.attributes(),
        plan.charset.meta(true),
        esc(&view.title),
        view.head_html,
        esc(&view.logo.href),
        esc(&view.logo.text),
        menu(&view.menu),
        esc(&view.search),
        main(view),
        lists(view),
        esc(view.plan.language.pack().ui.advertisement),
        lines(&view.ads, |l| format!("<p>{}</p>", l.a(" rel=\"sponsored\""))),
        lines(view.utility.iter().chain(&view.footer), |l| format!("<li>{}</li>", l.a(""))),
        t(&view.copyright),
    )
}

fn cookie_banner((words, button): &(crate::marks::Text, crate::marks::Text)) -> String {
    let (words, button) = (t(words), t(button));
    format!("<div role=\"dialog\" class=\"consent\"><p>{words}</p><button>{button}</button></div>\n")
}

/// One list under its heading, or tabs and panels with ARIA roles.
fn lists(view: &View<'_>) -> String {
    let items = |panel: &Panel| lines(&panel.items, |l| format!("<li>{}</li>", l.a("")));
    if let [panel] = view.panels.as_slice() {
        let (heading, items) = (t(&panel.heading), items(panel));
        return format!(
            "<section class=\"most-read\">\n<h2>{heading}</h2>\n<ol>\n{items}\n</ol>\n</section>"
        );
    }
    let tab = |panel: &Panel| format!("<button role=\"tab\">{}</button>", t(&panel.heading));
    let pane = |panel: &Panel| format!("<div role=\"tabpanel\">\n<ol>\n{}\n</ol>\n</div>", items(panel));
    format!(
        "<section class=\"lists\">\n<div role=\"tablist\">{}</div>\n{}\n</section>",
        lines(&view.panels, tab),
        lines(&view.panels, pane)
    )
}

/// Nested lists, written with an explicit stack: a list is closed when its entries run out.
fn menu(entries: &[Entry]) -> String {
    let mut out = String::from("<ul>");
    let mut open = vec![entries.iter()];
    while let Some(level) = open.last_mut() {
        match level.next() {
            Some(entry) if entry.children.is_empty() => {
                out.push_str(&format!("<li>{}</li>\n", entry.link.a("")));
            }
            Some(entry) => {
                out.push_str(&format!("<li>{}\n<ul>", entry.link.a("")));
                open.push(entry.children.iter());
            }
            None => {
                open.pop();
                out.push_str(if open.is_empty() { "</ul>" } else { "</ul></li>\n" });
            }
        }
    }
    out
}

fn main(view: &View<'_>) -> String {
    match &view.main {
        Main::Front { heading, lead, boxes } => format!(
            "<section>\n<h2>{}</h2>\n{}\n</section>\n{}",
            t(heading),
            lines(lead, |t| teaser(t, "h3")),
            lines(boxes, |b| section_box(view, b, "h2"))
        ),
        Main::Section { heading, crumbs, list, boxes, pages } => format!(
            "<nav aria-label=\"breadcrumb\"><ol>{}</ol></nav>\n<h1>{}</h1>\n{}\n<nav class=\"pages\">{}</nav>\n{}",
            lines(crumbs, |l| format!("<li>{}</li>", l.a(""))),
            t(heading),
            lines(list, |t| teaser(t, "h2")),
            lines(pages, |l| l.a(" rel=\"next\"")),
            lines(boxes, |b| section_box(view, b, "h2")),
        ),
        Main::Story(story) => article(story),
        Main::Profile(profile) => self::profile(profile),
        Main::Figures { heading, tables } => {
            format!("<h1>{}</h1>\n{}", t(heading), lines(tables, |table| data_table(view, table, "")),)
        }
        Main::Plain { heading, paragraphs, links } => format!(
            "<h1>{}</h1>\n{}\n<ul>\n{}\n</ul>",
            t(heading),
            lines(paragraphs, |p| format!("<p>{}</p>", t(p))),
            lines(links, |l| format!("<li>{}</li>", l.a(""))),
        ),
    }
}

fn profile(profile: &ProfileView) -> String {
    format!(
        "<article>\n<h1>{}</h1>\n<p>{}</p>\n<table{}>\n{}\n</table>\n<p>{}</p>\n<h2>{}</h2>\n<ul>\n{}\n</ul>\n</article>",
        t(&profile.heading),
        t(&profile.role),
        profile.table,
        fact_rows(profile, "th scope=\"row\"", "td"),
        t(&profile.paragraph),
        t(&profile.career.label),
        lines(&profile.career.values, |v| format!("<li>{}</li>", t(v))),
    )
}

fn teaser(teaser: &Teaser, level: &str) -> String {
    let kicker: String = teaser.kicker.iter().map(|k| format!("<p class=\"kicker\">{}</p>", t(k))).collect();
    let byline: String = teaser.byline.iter().map(|b| format!("<p class=\"byline\">{}</p>", t(b))).collect();
    format!(
        "<article>{kicker}<{level}>{}</{level}><p>{}</p>{byline}<time>{}</time></article>",
        teaser.link.a(""),
        t(&teaser.text),
        t(&teaser.date)
    )
}

fn section_box(view: &View<'_>, section: &SectionBox, level: &str) -> String {
    format!(
        "<section>\n<{level}>{}</{level}>\n{}\n{}\n</section>",
        section.heading.a(""),
        columns(view, &section.items),
        section.more.a(" class=\"more\"")
    )
}

fn article(story: &StoryView) -> String {
    let [scope, headline, body] = story.scope;
    let mut out = format!("<article{scope}>\n<header>\n");
    if let Some(kicker) = &story.kicker {
        out.push_str(&format!("<p class=\"kicker\">{}</p>\n", kicker.a("")));
    }
    out.push_str(&format!("<h1{headline}>{}</h1>\n", t(&story.title)));
    for line in [&story.byline_html, &story.date_html].into_iter().flatten() {
        out.push_str(&format!("<p class=\"meta\">{line}</p>\n"));
    }
    out.push_str("</header>\n");
    if let Some(caption) = &story.caption {
        let (image, text) = (esc(&story.image), t(caption));
        out.push_str(&format!(
            "<figure><img src=\"{image}\" alt=\"\"><figcaption>{text}</figcaption></figure>\n"
        ));
    }
    out.push_str(&format!("<div class=\"body\"{body}>\n"));
    for (i, paragraph) in story.paragraphs_html.iter().enumerate() {
        out.push_str(&format!("<p>{paragraph}</p>\n"));
        if let (Some((words, button)), 1) = (&story.newsletter, i) {
            let (words, button) = (t(words), t(button));
            out.push_str(&format!(
                "<aside class=\"newsletter\"><p>{words}</p><button>{button}</button></aside>\n"
            ));
        }
    }
    out.push_str(&format!(
        "</div>\n<section class=\"share\"><h2>{}</h2>{}</section>\n",
        t(&story.share_heading),
        { lines(&story.share, |l| l.a("")) }
    ));
    out.push_str("</article>\n");
    out.push_str(&format!("<section>\n<h2>{}</h2>\n<ul>\n", t(&story.related_heading)));
    out.push_str(&lines(&story.related, |l| format!("<li>{}</li>", l.a(""))));
    out.push_str("\n</ul>\n</section>\n");
    if !story.comments.is_empty() {
        out.push_str(&format!("<section id=\"comments\">\n<h2>{}</h2>\n", t(&story.comments_heading)));
        out.push_str(&lines(&story.comments, |(name, text)| {
            format!("<article><h3>{}</h3><p>{}</p></article>", t(name), t(text))
        }));
        out.push_str("\n</section>\n");
    }
    out
}
