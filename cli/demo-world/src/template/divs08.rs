//! 2008: boxes within boxes; class names are opaque and everything, even headings and paragraphs, may be a `div`.

use super::parts::{columns, data_table, list};
use crate::rng::Rng;
use crate::view::{
    Entry, Fact, Main, Panel, ProfileView, SectionBox, StoryView, Teaser, View, esc, lines, t,
};

/// The site's class names, unrelated to the parts they mark.
struct Classes {
    names: Vec<String>,
    paragraph: &'static str,
}

impl Classes {
    fn draw(mut rng: Rng) -> Self {
        let prefix = *rng.pick(&["c", "x", "mod", "box", "r"]);
        let names = (0..16).map(|_| format!("{prefix}{:03x}", rng.below(4096))).collect();
        Self { names, paragraph: if rng.chance(70) { "p" } else { "div" } }
    }

    /// ` class="..."` of the n-th part.
    fn attribute(&self, part: usize) -> String {
        format!(" class=\"{}\"", self.names[part])
    }
}

pub(super) fn render(view: &View<'_>) -> String {
    let plan = view.plan;
    let classes = Classes::draw(plan.rng.fork("divs08"));
    let c = |part| classes.attribute(part);
    let columns = [main(view, &classes), rail(view, &classes)];
    format!(
        "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Transitional//EN\" \
         \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd\">\n\
         <html xmlns=\"http://www.w3.org/1999/xhtml\"{}>\n<head>\n{}<title>{}</title>\n{}\
         <style type=\"text/css\">#wrap {{ width: 960px; color: {} }}</style>\n</head>\n<body>\n<div id=\"wrap\">\n\
         <div{}><div{}><a href=\"{}\"><img src=\"/img/logo.gif\" alt=\"{}\" /></a></div>\n\
         <div{}>{}</div></div>\n<div{}>\n{}\n</div>\n<div{}>\n{}\n</div>\n\
         <div{}>{}<div>{}</div></div>\n</div>\n\
         <script type=\"text/javascript\">var _t = _t || []; _t.push([\"page\"]);</script>\n</body>\n</html>\n",
        plan.language.attributes(),
        plan.charset.meta(false),
        esc(&view.title),
        view.head_html,
        plan.colours[0],
        c(0),
        c(1),
        esc(&view.logo.href),
        esc(&view.logo.text),
        c(2),
        lines(&view.utility, |l| l.a("")),
        c(3),
        menu(view, &classes),
        c(4),
        columns.join("\n"),
        c(5),
        lines(&view.footer, |l| format!("<span>{}</span>", l.a(" rel=\"nofollow\""))),
        t(&view.copyright),
    )
}

fn menu(view: &View<'_>, classes: &Classes) -> String {
    let item = |entry: &Entry| {
        let below = lines(flat(&entry.children), |(depth, e)| {
            format!(
                "<div{} style=\"padding-left:{}px\">{}</div>",
                classes.attribute(7),
                8 * depth,
                e.link.a("")
            )
        });
        format!("<div{}><span>{}</span>\n<div>{below}</div></div>", classes.attribute(6), entry.link.a(""))
    };
    let home = view.home.iter().map(|home| format!("<div{}>{}</div>\n", classes.attribute(6), home.a("")));
    home.collect::<String>() + &lines(&view.menu, item)
}

/// Entries at all levels with their depth, in menu order.
fn flat(entries: &[Entry]) -> Vec<(usize, &Entry)> {
    let mut out = Vec::new();
    let mut stack: Vec<(usize, &Entry)> = entries.iter().rev().map(|e| (1, e)).collect();
    while let Some((depth, entry)) = stack.pop() {
        out.push((depth, entry));
        stack.extend(entry.children.iter().rev().map(|e| (depth + 1, e)));
    }
    out
}

fn rail(view: &View<'_>, classes: &Classes) -> String {
    let panel = |panel: &Panel| {
        let (outer, inner, heading) = (classes.attribute(9), classes.attribute(10), t(&panel.heading));
        format!("<div{outer}><div{inner}>{heading}</div>\n{}\n</div>", list(view, &panel.items))
    };
    format!(
        "<div{}>\n{}\n<div{}><span>{}</span>\n{}</div>\n</div>",
        classes.attribute(8),
        lines(&view.panels, panel),
        classes.attribute(11),
        t(&view.ads_heading),
        lines(&view.ads, |l| format!("<div>{}</div>", l.a(" onclick=\"track(1)\""))),
    )
}

fn main(view: &View<'_>, classes: &Classes) -> String {
    let bold = |text: &crate::marks::Text| format!("<div{}><b>{}</b></div>", classes.attribute(10), t(text));
    let inner = match &view.main {
        Main::Front { heading, lead, boxes } => [
            bold(heading),
            lines(lead, |t| teaser(t, classes)),
            lines(boxes, |b| section_box(view, b, classes)),
        ]
        .join("\n"),
        Main::Section { heading, crumbs, list, boxes, pages } => [
            format!(
                "<div{}>{}</div>",
                classes.attribute(2),
                lines(crumbs, |l| format!("{} &raquo;", l.a("")))
            ),
            bold(heading),
            lines(list, |t| teaser(t, classes)),
            format!("<div{}>{}</div>", classes.attribute(7), lines(pages, |l| l.a(""))),
            lines(boxes, |b| section_box(view, b, classes)),
        ]
        .join("\n"),
        Main::Story(story) => article(story, classes),
        Main::Profile(profile) => self::profile(profile, classes),
        Main::Figures { heading, tables } => {
            [bold(heading), lines(tables, |table| data_table(view, table, " cellspacing=\"0\""))].join("\n")
        }
        Main::Plain { heading, paragraphs, links } => [
            bold(heading),
            lines(paragraphs, |p| format!("<p>{}</p>", t(p))),
            lines(links, |l| format!("<div>{}</div>", l.a(""))),
        ]
        .join("\n"),
    };
    format!("<div{}>\n{inner}\n</div>", classes.attribute(12))
}

/// Label and values in boxes side by side.
fn profile(profile: &ProfileView, classes: &Classes) -> String {
    let fact = |fact: &Fact| {
        let values = lines(&fact.values, |v| format!("<div>{}</div>", t(v)));
        format!(
            "<div{}><div{}>{}:</div>{values}</div>",
            classes.attribute(7),
            classes.attribute(15),
            t(&fact.label)
        )
    };
    format!(
        "<h1>{}</h1>\n<div{}>{}</div>\n{}\n<p>{}</p>\n<div{}><b>{}</b></div>\n{}",
        t(&profile.heading),
        classes.attribute(2),
        t(&profile.role),
        lines(&profile.facts, fact),
        t(&profile.paragraph),
        classes.attribute(10),
        t(&profile.career.label),
        lines(&profile.career.values, |v| format!("<div>{}</div>", t(v))),
    )
}

fn teaser(teaser: &Teaser, classes: &Classes) -> String {
    let small = |text: &crate::marks::Text| format!("<div{}>{}</div>", classes.attribute(2), t(text));
    format!(
        "<div{}>{}<div{}>{}</div>{}<div>{} <span>{}</span></div></div>",
        classes.attribute(13),
        teaser.kicker.iter().map(small).collect::<String>(),
        classes.attribute(14),
        teaser.link.a(""),
        teaser.byline.iter().map(small).collect::<String>(),
        t(&teaser.text),
        t(&teaser.date)
    )
}

fn section_box(view: &View<'_>, section: &SectionBox, classes: &Classes) -> String {
    format!(
        "<div{}>\n<div{}>{}</div>\n{}\n<div{}>{}</div>\n</div>",
        classes.attribute(9),
        classes.attribute(10),
        section.heading.a(""),
        columns(view, &section.items),
        classes.attribute(7),
        section.more.a(""),
    )
}

fn article(story: &StoryView, classes: &Classes) -> String {
    let mut out = String::new();
    if let Some(kicker) = &story.kicker {
        out.push_str(&format!("<div{}>{}</div>\n", classes.attribute(2), kicker.a("")));
    }
    out.push_str(&format!("<h1>{}</h1>\n", t(&story.title)));
    for line in [&story.byline_html, &story.date_html].into_iter().flatten() {
        out.push_str(&format!("<div{}>{line}</div>\n", classes.attribute(15)));
    }
    out.push_str(&format!(
        "<div{}>{}: {}</div>\n<div{}>\n",
        classes.attribute(7),
        t(&story.share_heading),
        lines(&story.share, |l| l.a("")),
        classes.attribute(13)
    ));
    if let Some(caption) = &story.caption {
        let image = esc(&story.image);
        let text = t(caption);
        out.push_str(&format!(
            "<div{}><img src=\"{image}\" alt=\"\" /><span>{text}</span></div>\n",
            classes.attribute(11)
        ));
    }
    let tag = classes.paragraph;
    out.push_str(&lines(&story.paragraphs_html, |p| format!("<{tag}>{p}</{tag}>")));
    out.push_str(&format!(
        "\n</div>\n<div{}><div{}>{}</div>\n",
        classes.attribute(9),
        classes.attribute(10),
        t(&story.related_heading)
    ));
    out.push_str(&lines(&story.related, |l| format!("<div>{}</div>", l.a(""))));
    out.push_str("\n</div>\n");
    if !story.comments.is_empty() {
        out.push_str(&format!(
            "<div{}><div{}>{}</div>\n",
            classes.attribute(9),
            classes.attribute(10),
            t(&story.comments_heading)
        ));
        out.push_str(&lines(&story.comments, |(name, text)| {
            format!("<div><b>{}</b><p>{}</p></div>", t(name), t(text))
        }));
        out.push_str("\n</div>\n");
    }
    out
}
