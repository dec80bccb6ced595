//! Today: landmarks, nested menus, headings in order, `figure`, `time`; also cookie banners and newsletter boxes.

use crate::view::{Entry, Main, SectionBox, StoryView, Teaser, View, esc, lines};

pub(super) fn render(view: &View<'_>) -> String {
    let plan = view.plan;
    let ui = view.ui();
    let cookies = if plan.cookies { cookie_banner(view) } else { String::new() };
    format!(
        "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n{}<meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{}</title>\n{}</head>\n<body>\n{cookies}<header>\n<a href=\"{}\" rel=\"home\">{}</a>\n\
         <nav aria-label=\"main\">\n{}\n</nav>\n<form role=\"search\" action=\"{}\"><input name=\"q\"></form>\n\
         </header>\n<main>\n{}\n</main>\n<aside>\n<section class=\"most-read\">\n<h2>{}</h2>\n<ol>\n{}\n</ol>\n\
         </section>\n<section class=\"ad\" aria-label=\"{}\">\n{}\n</section>\n</aside>\n<footer>\n<ul>\n{}\n</ul>\n\
         <small>{}</small>\n</footer>\n</body>\n</html>\n",
        plan.language.code(),
        plan.charset.meta(true),
        esc(&view.title),
        view.head_html,
        esc(&view.home.href),
        esc(&plan.name),
        menu(&view.menu),
        esc(&view.search),
        main(view),
        ui.most_read,
        lines(&view.most_read, |l| format!("<li>{}</li>", l.a(""))),
        ui.advertisement,
        lines(&view.ads, |l| format!("<p>{}</p>", l.a(" rel=\"sponsored\""))),
        lines(view.utility.iter().chain(&view.footer), |l| format!("<li>{}</li>", l.a(""))),
        view.copyright(),
    )
}

fn cookie_banner(view: &View<'_>) -> String {
    let (text, button) = view.ui().cookies;
    format!("<div role=\"dialog\" class=\"consent\"><p>{text}</p><button>{button}</button></div>\n")
}

/// Nested lists, written by an explicit stack: an opened list is closed when its entries run out.
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
        Main::Front { lead, boxes } => format!(
            "<section>\n<h2>{}</h2>\n{}\n</section>\n{}",
            view.ui().top_stories,
            lines(lead, |t| teaser(t, "h3")),
            lines(boxes, |b| section_box(b, "h2"))
        ),
        Main::Section { heading, crumbs, list, boxes, pages } => format!(
            "<nav aria-label=\"breadcrumb\"><ol>{}</ol></nav>\n<h1>{}</h1>\n{}\n<nav class=\"pages\">{}</nav>\n{}",
            lines(crumbs, |l| format!("<li>{}</li>", l.a(""))),
            esc(heading),
            lines(list, |t| teaser(t, "h2")),
            lines(pages, |l| l.a(" rel=\"next\"")),
            lines(boxes, |b| section_box(b, "h2")),
        ),
        Main::Story(story) => article(view, story),
        Main::Plain { heading, paragraphs, links } => format!(
            "<h1>{}</h1>\n{}\n<ul>\n{}\n</ul>",
            esc(heading),
            lines(paragraphs, |p| format!("<p>{}</p>", esc(p))),
            lines(links, |l| format!("<li>{}</li>", l.a(""))),
        ),
    }
}

fn teaser(teaser: &Teaser, level: &str) -> String {
    format!(
        "<article><{level}>{}</{level}><p>{}</p><time>{}</time></article>",
        teaser.link.a(""),
        esc(&teaser.text),
        esc(&teaser.date)
    )
}

fn section_box(section: &SectionBox, level: &str) -> String {
    format!(
        "<section>\n<{level}>{}</{level}>\n<ul>\n{}\n</ul>\n{}\n</section>",
        section.heading.a(""),
        lines(&section.items, |l| format!("<li>{}</li>", l.a(""))),
        section.more.a(" class=\"more\"")
    )
}

fn article(view: &View<'_>, story: &StoryView) -> String {
    let ui = view.ui();
    let [scope, headline, body] = story.scope;
    let mut out = format!("<article{scope}>\n<header>\n");
    if let Some(kicker) = &story.kicker {
        out.push_str(&format!("<p class=\"kicker\">{}</p>\n", kicker.a("")));
    }
    out.push_str(&format!("<h1{headline}>{}</h1>\n", esc(&story.title)));
    for line in [&story.byline_html, &story.date_html].into_iter().flatten() {
        out.push_str(&format!("<p class=\"meta\">{line}</p>\n"));
    }
    out.push_str("</header>\n");
    if let Some(caption) = &story.caption {
        let (image, text) = (esc(&story.image), esc(caption));
        out.push_str(&format!(
            "<figure><img src=\"{image}\" alt=\"\"><figcaption>{text}</figcaption></figure>\n"
        ));
    }
    out.push_str(&format!("<div class=\"body\"{body}>\n"));
    for (i, paragraph) in story.paragraphs_html.iter().enumerate() {
        out.push_str(&format!("<p>{paragraph}</p>\n"));
        if story.newsletter && i == 1 {
            let (text, button) = ui.newsletter;
            out.push_str(&format!(
                "<aside class=\"newsletter\"><p>{text}</p><button>{button}</button></aside>\n"
            ));
        }
    }
    out.push_str(&format!("</div>\n<section class=\"share\"><h2>{}</h2>{}</section>\n", ui.share, {
        lines(&story.share, |l| l.a(""))
    }));
    out.push_str("</article>\n");
    out.push_str(&format!("<section>\n<h2>{}</h2>\n<ul>\n", ui.related));
    out.push_str(&lines(&story.related, |l| format!("<li>{}</li>", l.a(""))));
    out.push_str("\n</ul>\n</section>\n");
    if !story.comments.is_empty() {
        out.push_str(&format!("<section id=\"comments\">\n<h2>{}</h2>\n", ui.comments));
        out.push_str(&lines(&story.comments, |(name, text)| {
            format!("<article><h3>{}</h3><p>{}</p></article>", esc(name), esc(text))
        }));
        out.push_str("\n</section>\n");
    }
    out
}
