//! A blog engine's theme: posts in `article.hentry`, everything else in a sidebar of widgets.

use crate::view::{Entry, Main, SectionBox, StoryView, Teaser, View, esc, lines};

pub(super) fn render(view: &View<'_>) -> String {
    let plan = view.plan;
    let ui = view.ui();
    let sidebar_first = plan.rng.fork("blog").chance(30);
    let content = format!("<div id=\"primary\" class=\"content-area\">\n{}\n</div>", main(view));
    let sidebar = sidebar(view);
    let body = if sidebar_first { [sidebar, content] } else { [content, sidebar] }.join("\n");
    let cookies = if plan.cookies {
        format!(
            "<div id=\"cookie-notice\"><span>{}</span> <a href=\"#\">{}</a></div>\n",
            ui.cookies.0, ui.cookies.1
        )
    } else {
        String::new()
    };
    format!(
        "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n{}<title>{}</title>\n{}\
         <style>a {{ color: {} }}</style>\n</head>\n<body class=\"blog custom-background\">\n<div id=\"page\" \
         class=\"hfeed site\">\n<header id=\"masthead\"><p class=\"site-title\"><a href=\"{}\">{}</a></p>\n\
         <nav id=\"site-navigation\"><ul class=\"menu\">\n{}\n</ul></nav></header>\n<div id=\"main\">\n{body}\n</div>\n\
         <footer id=\"colophon\"><div class=\"site-info\">{}<br>{}</div></footer>\n</div>\n{cookies}</body>\n</html>\n",
        plan.language.code(),
        plan.charset.meta(true),
        esc(&view.title),
        view.head_html,
        plan.colours[0],
        esc(&view.home.href),
        esc(&plan.name),
        lines(&view.menu, menu_item),
        lines(&view.footer, |l| format!("{} |", l.a(""))),
        view.copyright(),
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
    let ui = view.ui();
    let widget = |title: &str, inner: String| {
        format!("<div class=\"widget\"><h4 class=\"widget-title\">{title}</h4>\n<ul>\n{inner}\n</ul></div>\n")
    };
    format!(
        "<div id=\"secondary\" class=\"sidebar\">\n<div class=\"widget\"><form action=\"{}\"><input name=\"q\"></form>\
         </div>\n{}{}{}</div>",
        esc(&view.search),
        widget(ui.most_read, lines(&view.most_read, |l| format!("<li>{}</li>", l.a("")))),
        widget(ui.advertisement, lines(&view.ads, |l| format!("<li>{}</li>", l.a("")))),
        widget(ui.home, lines(&view.utility, |l| format!("<li>{}</li>", l.a("")))),
    )
}

fn main(view: &View<'_>) -> String {
    match &view.main {
        Main::Front { lead, boxes } => format!(
            "<h2 class=\"page-title\">{}</h2>\n{}\n{}",
            view.ui().top_stories,
            lines(lead, post),
            lines(boxes, section_box)
        ),
        Main::Section { heading, crumbs, list, boxes, pages } => format!(
            "<div class=\"breadcrumbs\">{}</div>\n<h1 class=\"page-title\">{}</h1>\n{}\n\
             <div class=\"nav-links\">{}</div>\n{}",
            lines(crumbs, |l| format!("{} &gt;", l.a(""))),
            esc(heading),
            lines(list, post),
            lines(pages, |l| l.a(" class=\"page-numbers\"")),
            lines(boxes, section_box),
        ),
        Main::Story(story) => article(view, story),
        Main::Plain { heading, paragraphs, links } => format!(
            "<article class=\"page hentry\"><h1 class=\"entry-title\">{}</h1>\n{}\n<ul>\n{}\n</ul></article>",
            esc(heading),
            lines(paragraphs, |p| format!("<p>{}</p>", esc(p))),
            lines(links, |l| format!("<li>{}</li>", l.a(""))),
        ),
    }
}

fn post(teaser: &Teaser) -> String {
    format!(
        "<article class=\"post hentry\"><h2 class=\"entry-title\">{}</h2><div class=\"entry-meta\">{}</div>\
         <div class=\"entry-summary\"><p>{}</p></div></article>",
        teaser.link.a(" rel=\"bookmark\""),
        esc(&teaser.date),
        esc(&teaser.text),
    )
}

fn section_box(section: &SectionBox) -> String {
    format!(
        "<div class=\"category-box\"><h3>{}</h3>\n<ul>\n{}\n</ul>\n<p>{}</p></div>",
        section.heading.a(""),
        lines(&section.items, |l| format!("<li>{}</li>", l.a(""))),
        section.more.a(" class=\"more-link\""),
    )
}

fn article(view: &View<'_>, story: &StoryView) -> String {
    let ui = view.ui();
    let [scope, headline, body] = story.scope;
    let mut out = format!("<article class=\"post hentry single\"{scope}>\n");
    out.push_str(&format!("<h1 class=\"entry-title\"{headline}>{}</h1>\n", esc(&story.title)));
    let meta: Vec<&str> =
        [&story.byline_html, &story.date_html].into_iter().flatten().map(String::as_str).collect();
    if !meta.is_empty() {
        out.push_str(&format!("<div class=\"entry-meta\">{}</div>\n", meta.join(" | ")));
    }
    out.push_str(&format!("<div class=\"entry-content\"{body}>\n"));
    if let Some(caption) = &story.caption {
        let (image, text) = (esc(&story.image), esc(caption));
        out.push_str(&format!(
            "<div class=\"wp-caption\"><img src=\"{image}\" alt=\"\"><p class=\"wp-caption-text\">{text}</p></div>\n"
        ));
    }
    out.push_str(&lines(&story.paragraphs_html, |p| format!("<p>{p}</p>")));
    out.push_str(&format!("\n</div>\n<div class=\"sharedaddy\"><b>{}</b> {}</div>\n", ui.share, {
        lines(&story.share, |l| l.a(""))
    }));
    if let Some(kicker) = &story.kicker {
        out.push_str(&format!("<div class=\"entry-footer\">{}</div>\n", kicker.a(" rel=\"category tag\"")));
    }
    out.push_str(&format!("</article>\n<div class=\"related-posts\"><h3>{}</h3>\n<ul>\n", ui.related));
    out.push_str(&lines(&story.related, |l| format!("<li>{}</li>", l.a(""))));
    out.push_str("\n</ul></div>\n");
    if !story.comments.is_empty() {
        out.push_str(&format!("<div id=\"comments\"><h3>{}</h3>\n<ol class=\"commentlist\">\n", ui.comments));
        out.push_str(&lines(&story.comments, |(name, text)| {
            format!("<li class=\"comment\"><cite>{}</cite><p>{}</p></li>", esc(name), esc(text))
        }));
        out.push_str("\n</ol></div>\n");
    }
    out
}
