//! A blog engine's theme: posts in `article.hentry`, everything else in a sidebar of widgets.

use super::parts::{bold_lines, columns, data_table, heading, panels};
use crate::view::{Entry, Main, ProfileView, SectionBox, StoryView, Teaser, View, esc, lines, t};

pub(super) fn render(view: &View<'_>) -> String {
    let plan = view.plan;
    let sidebar_first = plan.rng.fork("blog").chance(30);
    let content = format!("<div id=\"primary\" class=\"content-area\">\n{}\n</div>", main(view));
    let sidebar = sidebar(view);
    let body = if sidebar_first { [sidebar, content] } else { [content, sidebar] }.join("\n");
    let cookies = view.cookies.iter().map(|(words, button)| {
        format!("<div id=\"cookie-notice\"><span>{}</span> <a href=\"#\">{}</a></div>\n", t(words), t(button))
    });
    let cookies: String = cookies.collect();
    format!(
        "<!DOCTYPE html>\n<html{}>\n<head>\n{}<title>{}</title>\n{}\
         <style>a {{ color: {} }}</style>\n</head>\n<body class=\"blog custom-background\">\n<div id=\"page\" \
         class=\"hfeed site\">\n<header id=\"masthead\"><p class=\"site-title\"><a href=\"{}\">{}</a></p>\n\
         <nav id=\"site-navigation\"><ul class=\"menu\">\n{}\n</ul></nav></header>\n<div id=\"main\">\n{body}\n</div>\n\
         <footer id=\"colophon\"><div class=\"site-info\">{}<br>{}</div></footer>\n</div>\n{cookies}</body>\n</html>\n",
        plan.language.attributes(),
        plan.charset.meta(true),
        esc(&view.title),
        view.head_html,
        plan.colours[0],
        esc(&view.logo.href),
        esc(&view.logo.text),
        lines(&view.menu, menu_item),
        lines(&view.footer, |l| format!("{} |", l.a(""))),
        t(&view.copyright),
    )
}

fn menu_item(entry: &Entry) -> String {
    let below = |children: &[Entry], each: &dyn Fn(&Entry) -> String| {
        if children.is_empty() {
            String::new()
        } else {
            format!("\n<ul class=\"sub-menu\">\n{}\n</ul>", lines(children, each))
        }
    };
    let leaf = |e: &Entry| format!("<li class=\"menu-item\">{}</li>", e.link.a(""));
    let second =
        |e: &Entry| format!("<li class=\"menu-item\">{}{}</li>", e.link.a(""), below(&e.children, &leaf));
    format!("<li class=\"menu-item\">{}{}</li>", entry.link.a(""), below(&entry.children, &second))
}

fn sidebar(view: &View<'_>) -> String {
    let widget = |title: &crate::marks::Text, links: &[crate::view::Link]| {
        if links.is_empty() {
            return String::new();
        }
        let title = t(title);
        let inner = lines(links, |l| format!("<li>{}</li>", l.a("")));
        format!("<div class=\"widget\"><h4 class=\"widget-title\">{title}</h4>\n<ul>\n{inner}\n</ul></div>\n")
    };
    format!(
        "<div id=\"secondary\" class=\"sidebar\">\n<div class=\"widget\"><form action=\"{}\"><input name=\"q\"></form>\
         </div>\n{}{}{}</div>",
        esc(&view.search),
        panels(view, 4, "widget"),
        widget(&view.ads_heading, &view.ads),
        widget(&view.utility_heading, &view.utility),
    )
}

fn main(view: &View<'_>) -> String {
    match &view.main {
        Main::Front { heading, lead, boxes } => format!(
            "<h2 class=\"page-title\">{}</h2>\n{}\n{}",
            t(heading),
            lines(lead, post),
            lines(boxes, |b| section_box(view, b))
        ),
        Main::Section { heading, crumbs, list, boxes, pages } => format!(
            "<div class=\"breadcrumbs\">{}</div>\n<h1 class=\"page-title\">{}</h1>\n{}\n\
             <div class=\"nav-links\">{}</div>\n{}",
            lines(crumbs, |l| format!("{} &gt;", l.a(""))),
            t(heading),
            lines(list, post),
            lines(pages, |l| l.a(" class=\"page-numbers\"")),
            lines(boxes, |b| section_box(view, b)),
        ),
        Main::Story(story) => article(story),
        Main::Profile(profile) => self::profile(profile),
        Main::Figures { heading, tables } => format!(
            "<div class=\"page hentry\"><h1 class=\"entry-title\">{}</h1>\n{}\n</div>",
            t(heading),
            lines(tables, |table| data_table(view, table, " class=\"wp-table\"")),
        ),
        Main::Plain { heading, paragraphs, links } => format!(
            "<article class=\"page hentry\"><h1 class=\"entry-title\">{}</h1>\n{}\n<ul>\n{}\n</ul></article>",
            t(heading),
            lines(paragraphs, |p| format!("<p>{}</p>", t(p))),
            lines(links, |l| format!("<li>{}</li>", l.a(""))),
        ),
    }
}

fn profile(profile: &ProfileView) -> String {
    format!(
        "<div class=\"page hentry\"><h1 class=\"entry-title\">{}</h1>\n<p class=\"role\">{}</p>\n{}\n<p>{}</p>\n\
         <h3>{}</h3>\n<ul>\n{}\n</ul>\n</div>",
        t(&profile.heading),
        t(&profile.role),
        bold_lines(profile),
        t(&profile.paragraph),
        t(&profile.career.label),
        lines(&profile.career.values, |v| format!("<li>{}</li>", t(v))),
    )
}

fn post(teaser: &Teaser) -> String {
    let kicker = teaser.kicker.iter().map(|k| format!("<span class=\"cat-label\">{}</span>", t(k)));
    let byline = teaser.byline.iter().map(|b| format!("<div class=\"entry-author\">{}</div>", t(b)));
    format!(
        "<article class=\"post hentry\">{}<h2 class=\"entry-title\">{}</h2><div class=\"entry-meta\">{}</div>{}\
         <div class=\"entry-summary\"><p>{}</p></div></article>",
        kicker.collect::<String>(),
        teaser.link.a(" rel=\"bookmark\""),
        t(&teaser.date),
        byline.collect::<String>(),
        t(&teaser.text),
    )
}

fn section_box(view: &View<'_>, section: &SectionBox) -> String {
    format!(
        "<div class=\"category-box\">{}\n{}\n<p>{}</p></div>",
        heading(view, &section.heading.a(""), 3, "box-heading"),
        columns(view, &section.items),
        section.more.a(" class=\"more-link\""),
    )
}

fn article(story: &StoryView) -> String {
    let [scope, headline, body] = story.scope;
    let mut out = format!("<article class=\"post hentry single\"{scope}>\n");
    out.push_str(&format!("<h1 class=\"entry-title\"{headline}>{}</h1>\n", t(&story.title)));
    let meta: Vec<&str> =
        [&story.byline_html, &story.date_html].into_iter().flatten().map(String::as_str).collect();
    if !meta.is_empty() {
        out.push_str(&format!("<div class=\"entry-meta\">{}</div>\n", meta.join(" | ")));
    }
    out.push_str(&format!("<div class=\"entry-content\"{body}>\n"));
    if let Some(caption) = &story.caption {
        let (image, text) = (esc(&story.image), t(caption));
        out.push_str(&format!(
            "<div class=\"wp-caption\"><img src=\"{image}\" alt=\"\"><p class=\"wp-caption-text\">{text}</p></div>\n"
        ));
    }
    out.push_str(&lines(&story.paragraphs_html, |p| format!("<p>{p}</p>")));
    out.push_str(&format!(
        "\n</div>\n<div class=\"sharedaddy\"><b>{}</b> {}</div>\n",
        t(&story.share_heading),
        { lines(&story.share, |l| l.a("")) }
    ));
    if let Some(kicker) = &story.kicker {
        out.push_str(&format!("<div class=\"entry-footer\">{}</div>\n", kicker.a(" rel=\"category tag\"")));
    }
    out.push_str(&format!(
        "</article>\n<div class=\"related-posts\"><h3>{}</h3>\n<ul>\n",
        t(&story.related_heading)
    ));
    out.push_str(&lines(&story.related, |l| format!("<li>{}</li>", l.a(""))));
    out.push_str("\n</ul></div>\n");
    if !story.comments.is_empty() {
        out.push_str(&format!(
            "<div id=\"comments\"><h3>{}</h3>\n<ol class=\"commentlist\">\n",
            t(&story.comments_heading)
        ));
        out.push_str(&lines(&story.comments, |(name, text)| {
            format!("<li class=\"comment\"><cite>{}</cite><p>{}</p></li>", t(name), t(text))
        }));
        out.push_str("\n</ol></div>\n");
    }
    out
}
