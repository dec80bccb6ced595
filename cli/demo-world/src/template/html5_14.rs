//! 2014: HTML5 doctype, a grid framework's `div`s, `section`s with descriptive class names, an off-canvas menu.

use super::parts::{columns, data_table, definitions, heading, panels};
use crate::view::{Entry, Main, ProfileView, SectionBox, StoryView, Teaser, View, esc, lines, t};

pub(super) fn render(view: &View<'_>) -> String {
    let plan = view.plan;
    let mut rng = plan.rng.fork("html5_14");
    let (wide, grid) = (rng.between(7, 9), *rng.pick(&["col-md", "span", "grid"]));
    format!(
        "<!DOCTYPE html>\n<html{}>\n<head>\n{}<title>{}</title>\n{}\
         <!--[if lt IE 9]><script src=\"/js/html5shiv.js\"></script><![endif]-->\n</head>\n<body class=\"site\">\n\
         <div class=\"container\">\n<div class=\"masthead\"><h1 class=\"logo\"><a href=\"{}\">{}</a></h1>\
         <div class=\"tools\">{}</div></div>\n<div class=\"nav-main\">\n<ul class=\"nav\">\n{}\n</ul>\n</div>\n\
         <div class=\"row\">\n<div class=\"{grid}-{wide}\">\n{}\n</div>\n<div class=\"{grid}-{}\">\n\
         {}\n\
         <div class=\"widget promo\"><span>{}</span>\n{}</div>\n</div>\n</div>\n\
         <div class=\"site-footer\">{}<p>{}</p></div>\n</div>\n</body>\n</html>\n",
        plan.language.attributes(),
        plan.charset.meta(true),
        esc(&view.title),
        view.head_html,
        esc(&view.logo.href),
        esc(&view.logo.text),
        lines(&view.utility, |l| l.a(" class=\"tool\"")),
        lines(&view.menu, menu_item),
        main(view),
        12 - wide,
        panels(view, 3, "widget popular"),
        t(&view.ads_heading),
        lines(&view.ads, |l| l.a(" class=\"promo-link\"")),
        lines(&view.footer, |l| format!("{} &middot;", l.a(""))),
        t(&view.copyright),
    )
}

/// A top entry with its dropdown; the third level is a list after the second level's link.
fn menu_item(entry: &Entry) -> String {
    if entry.children.is_empty() {
        return format!("<li class=\"nav-item\">{}</li>", entry.link.a(""));
    }
    let second = lines(&entry.children, |child| {
        let third = lines(&child.children, |e| format!("<li class=\"sub-sub\">{}</li>", e.link.a("")));
        let below = if third.is_empty() { third } else { format!("<ul>{third}</ul>") };
        format!("<li>{}{below}</li>", child.link.a(""))
    });
    format!(
        "<li class=\"nav-item dropdown\">{}\n<ul class=\"dropdown-menu\">\n{second}\n</ul></li>",
        entry.link.a(" class=\"dropdown-toggle\"")
    )
}

fn main(view: &View<'_>) -> String {
    match &view.main {
        Main::Front { heading, lead, boxes } => format!(
            "<section class=\"lead\"><h2 class=\"section-title\">{}</h2>\n{}\n</section>\n{}",
            t(heading),
            lines(lead, teaser),
            lines(boxes, |b| section_box(view, b))
        ),
        Main::Section { heading, crumbs, list, boxes, pages } => format!(
            "<div class=\"crumbs\">{}</div>\n<section class=\"listing\"><h2 class=\"section-title\">{}</h2>\n{}\n\
             <div class=\"pager\">{}</div></section>\n{}",
            lines(crumbs, |l| format!("{} /", l.a(""))),
            t(heading),
            lines(list, teaser),
            lines(pages, |l| l.a(" class=\"btn\"")),
            lines(boxes, |b| section_box(view, b)),
        ),
        Main::Story(story) => article(story),
        Main::Profile(profile) => self::profile(profile),
        Main::Figures { heading, tables } => format!(
            "<section class=\"page\"><h2>{}</h2>\n{}\n</section>",
            t(heading),
            lines(tables, |table| data_table(view, table, " class=\"table table-striped\"")),
        ),
        Main::Plain { heading, paragraphs, links } => format!(
            "<section class=\"page\"><h2>{}</h2>\n{}\n<ul>\n{}\n</ul></section>",
            t(heading),
            lines(paragraphs, |p| format!("<p>{}</p>", t(p))),
            lines(links, |l| format!("<li>{}</li>", l.a(""))),
        ),
    }
}

fn profile(profile: &ProfileView) -> String {
    format!(
        "<section class=\"page\"><h2>{}</h2>\n<p class=\"lead\">{}</p>\n{}\n<p>{}</p>\n<h4>{}</h4>\n<ul>\n{}\n</ul></section>",
        t(&profile.heading),
        t(&profile.role),
        definitions(profile),
        t(&profile.paragraph),
        t(&profile.career.label),
        lines(&profile.career.values, |v| format!("<li>{}</li>", t(v))),
    )
}

fn teaser(teaser: &Teaser) -> String {
    let kicker: String =
        teaser.kicker.iter().map(|k| format!("<span class=\"tag\">{}</span>", t(k))).collect();
    let byline: String =
        teaser.byline.iter().map(|b| format!("<span class=\"writer\">{}</span>", t(b))).collect();
    format!(
        "<div class=\"media teaser\">{kicker}<h3 class=\"headline\">{}</h3><p class=\"summary\">{}</p>\
         {byline}<span class=\"stamp\">{}</span></div>",
        teaser.link.a(""),
        t(&teaser.text),
        t(&teaser.date)
    )
}

fn section_box(view: &View<'_>, section: &SectionBox) -> String {
    format!(
        "<section class=\"panel\">{}\n<div class=\"panel-body\">\n{}\n</div>\n{}</section>",
        heading(view, &section.heading.a(""), 3, "panel-heading"),
        columns(view, &section.items),
        section.more.a(" class=\"btn more\""),
    )
}

fn article(story: &StoryView) -> String {
    let [scope, headline, body] = story.scope;
    let mut out = format!("<article class=\"story\"{scope}>\n");
    if let Some(kicker) = &story.kicker {
        out.push_str(&format!("<span class=\"label\">{}</span>\n", kicker.a("")));
    }
    out.push_str(&format!("<h2 class=\"story-title\"{headline}>{}</h2>\n", t(&story.title)));
    for line in [&story.byline_html, &story.date_html].into_iter().flatten() {
        out.push_str(&format!("<span class=\"byline\">{line}</span>\n"));
    }
    out.push_str(&format!(
        "<ul class=\"social\">{}</ul>\n",
        lines(&story.share, |l| format!("<li>{}</li>", l.a("")))
    ));
    if let Some(caption) = &story.caption {
        let (image, text) = (esc(&story.image), t(caption));
        out.push_str(&format!(
            "<div class=\"photo\"><img src=\"{image}\" alt=\"\"><div class=\"caption\">{text}</div></div>\n"
        ));
    }
    out.push_str(&format!("<div class=\"story-body\"{body}>\n"));
    out.push_str(&lines(&story.paragraphs_html, |p| format!("<p>{p}</p>")));
    out.push_str("\n</div>\n</article>\n");
    if let Some((words, button)) = &story.newsletter {
        let (words, button) = (t(words), t(button));
        out.push_str(&format!(
            "<div class=\"well newsletter\"><p>{words}</p><button>{button}</button></div>\n"
        ));
    }
    out.push_str(&format!("<section class=\"related\"><h3>{}</h3>\n<ul>\n", t(&story.related_heading)));
    out.push_str(&lines(&story.related, |l| format!("<li>{}</li>", l.a(""))));
    out.push_str("\n</ul></section>\n");
    if !story.comments.is_empty() {
        out.push_str(&format!("<section class=\"comments\"><h3>{}</h3>\n", t(&story.comments_heading)));
        out.push_str(&lines(&story.comments, |(name, text)| {
            format!("<div class=\"comment\"><strong>{}</strong><p>{}</p></div>", t(name), t(text))
        }));
        out.push_str("\n</section>\n");
    }
    out
}
