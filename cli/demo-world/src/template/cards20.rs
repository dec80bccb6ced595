//! 2020: `div`s and `span`s with utility classes. A card is one link around kicker, headline and summary; headings are
//! styled spans; the rail has tabs.

use super::parts::{columns, data_table, panels};
use crate::view::{Entry, Fact, Main, ProfileView, SectionBox, StoryView, Teaser, View, esc, lines, t};

/// Classes of headings. They describe looks only.
const BIG: &str = "text-2xl font-bold leading-tight";
const MIDDLE: &str = "text-lg font-semibold";

pub(super) fn render(view: &View<'_>) -> String {
    let plan = view.plan;
    let cookies = view.cookies.iter().map(|(words, button)| {
        format!("<div class=\"fixed bottom-0\"><div>{}</div><button>{}</button></div>\n", t(words), t(button))
    });
    format!(
        "<!DOCTYPE html>\n<html{}>\n<head>\n{}<title>{}</title>\n{}</head>\n<body>\n<div id=\"root\">\n\
         <div class=\"flex items-center\"><a class=\"text-3xl\" href=\"{}\">{}</a><div class=\"ml-auto\">{}</div></div>\n\
         <nav class=\"flex\">\n{}\n</nav>\n<div class=\"grid grid-cols-12\">\n<div class=\"col-span-9\">\n{}\n</div>\n\
         <div class=\"col-span-3\">\n{}\n<div class=\"p-4\"><span class=\"text-xs\">{}</span>\n{}</div>\n</div>\n</div>\n\
         <footer class=\"p-8\">{}<div class=\"text-xs\">{}</div></footer>\n{}</div>\n</body>\n</html>\n",
        plan.language.attributes(),
        plan.charset.meta(true),
        esc(&view.title),
        view.head_html,
        esc(&view.logo.href),
        esc(&view.logo.text),
        lines(&view.utility, |l| l.a(" class=\"px-2\"")),
        lines(&view.menu, menu_item),
        main(view),
        panels(view, 3, "p-4"),
        t(&view.ads_heading),
        lines(&view.ads, |l| l.a(" rel=\"sponsored\" class=\"block\"")),
        lines(&view.footer, |l| l.a(" class=\"px-2 text-sm\"")),
        t(&view.copyright),
        cookies.collect::<String>(),
    )
}

/// A top entry with its panel, in which the third level is indented.
fn menu_item(entry: &Entry) -> String {
    let second = lines(&entry.children, |child| {
        let third = lines(&child.children, |e| format!("<div class=\"pl-4\">{}</div>", e.link.a("")));
        format!("<div class=\"py-1\">{}{third}</div>", child.link.a(""))
    });
    let below = if second.is_empty() { second } else { format!("\n<div class=\"absolute\">{second}</div>") };
    format!("<div class=\"relative\">{}{below}</div>", entry.link.a(" class=\"px-3\""))
}

fn main(view: &View<'_>) -> String {
    let big = |text: &crate::marks::Text| format!("<div><span class=\"{BIG}\">{}</span></div>", t(text));
    match &view.main {
        Main::Front { heading, lead, boxes } => format!(
            "<div class=\"mb-8\">{}\n<div class=\"grid grid-cols-2\">\n{}\n</div></div>\n{}",
            styled_heading(heading, 26),
            lines(lead, card),
            lines(boxes, |b| section_box(view, b))
        ),
        Main::Section { heading, crumbs, list, boxes, pages } => format!(
            "<div class=\"text-sm\">{}</div>\n{}\n<div class=\"grid grid-cols-2\">\n{}\n</div>\n\
             <div class=\"text-center\">{}</div>\n{}",
            lines(crumbs, |l| l.a(" class=\"pr-2\"")),
            styled_heading(heading, 26),
            lines(list, card),
            lines(pages, |l| l.a(" class=\"rounded border\"")),
            lines(boxes, |b| section_box(view, b)),
        ),
        Main::Story(story) => article(story),
        Main::Profile(profile) => self::profile(profile),
        Main::Figures { heading, tables } => {
            let tables = lines(tables, |table| data_table(view, table, " class=\"w-full\""));
            format!("{}\n{tables}", big(heading))
        }
        Main::Plain { heading, paragraphs, links } => format!(
            "{}\n{}\n{}",
            big(heading),
            lines(paragraphs, |p| format!("<div class=\"mb-4\">{}</div>", t(p))),
            lines(links, |l| format!("<div>{}</div>", l.a(""))),
        ),
    }
}

/// A `span` that only its style makes a heading.
fn styled_heading(text: &crate::marks::Text, size: u32) -> String {
    format!("<span style=\"display:block; font-size:{size}px; font-weight:bold\">{}</span>", t(text))
}

fn profile(profile: &ProfileView) -> String {
    let fact = |fact: &Fact| {
        let values = lines(&fact.values, |v| format!("<span class=\"mr-2\">{}</span>", t(v)));
        format!(
            "<div class=\"flex\"><span class=\"w-1/3 text-gray-500\">{}</span>{values}</div>",
            t(&fact.label)
        )
    };
    format!(
        "<div class=\"p-4\"><div><span class=\"{BIG}\">{}</span></div><div class=\"text-sm\">{}</div>\n{}\n\
         <div class=\"mb-4\">{}</div>\n<div class=\"{MIDDLE}\">{}</div>\n{}</div>",
        t(&profile.heading),
        t(&profile.role),
        lines(&profile.facts, fact),
        t(&profile.paragraph),
        t(&profile.career.label),
        lines(&profile.career.values, |v| format!("<div>{}</div>", t(v))),
    )
}

fn card(teaser: &Teaser) -> String {
    let line = |class: &str, text: &crate::marks::Text| format!("<div class=\"{class}\">{}</div>", t(text));
    format!(
        "<div class=\"card\"><a href=\"{}\" class=\"block\">{}<div class=\"{MIDDLE}\">{}</div>{}</a>{}{}</div>",
        esc(&teaser.link.href),
        teaser.kicker.iter().map(|k| line("text-xs uppercase", k)).collect::<String>(),
        esc(&teaser.link.text),
        line("text-sm", &teaser.text),
        teaser.byline.iter().map(|b| line("text-xs", b)).collect::<String>(),
        line("text-xs text-gray-500", &teaser.date),
    )
}

fn section_box(view: &View<'_>, section: &SectionBox) -> String {
    format!(
        "<div class=\"mb-8\"><div class=\"flex\"><a href=\"{}\"><span class=\"{BIG}\">{}</span></a>{}</div>\n{}\n</div>",
        esc(&section.heading.href),
        esc(&section.heading.text),
        section.more.a(" class=\"ml-auto text-sm\""),
        columns(view, &section.items),
    )
}

fn article(story: &StoryView) -> String {
    let [scope, headline, body] = story.scope;
    let mut out = format!("<div class=\"article\"{scope}>\n");
    if let Some(kicker) = &story.kicker {
        out.push_str(&format!("<div class=\"text-xs uppercase\">{}</div>\n", kicker.a("")));
    }
    out.push_str(&format!("<h1 class=\"{BIG}\"{headline}>{}</h1>\n", t(&story.title)));
    for line in [&story.byline_html, &story.date_html].into_iter().flatten() {
        out.push_str(&format!("<div class=\"text-sm\">{line}</div>\n"));
    }
    out.push_str(&format!("<div class=\"flex\">{}</div>\n", lines(&story.share, |l| l.a(" class=\"px-1\""))));
    if let Some(caption) = &story.caption {
        let (image, text) = (esc(&story.image), t(caption));
        out.push_str(&format!("<img src=\"{image}\" alt=\"\"><div class=\"text-xs\">{text}</div>\n"));
    }
    out.push_str(&format!("<div class=\"prose\"{body}>\n"));
    for (i, paragraph) in story.paragraphs_html.iter().enumerate() {
        out.push_str(&format!("<div class=\"mb-4\">{paragraph}</div>\n"));
        if let (Some((words, button)), 1) = (&story.newsletter, i) {
            let (words, button) = (t(words), t(button));
            out.push_str(&format!(
                "<div class=\"border p-4\"><div>{words}</div><button>{button}</button></div>\n"
            ));
        }
    }
    out.push_str(&format!("</div>\n</div>\n<div class=\"{MIDDLE}\">{}</div>\n", t(&story.related_heading)));
    out.push_str(&lines(&story.related, |l| format!("<div class=\"py-1\">{}</div>", l.a(""))));
    if !story.comments.is_empty() {
        out.push_str(&format!("\n<div class=\"{MIDDLE}\">{}</div>\n", t(&story.comments_heading)));
        out.push_str(&lines(&story.comments, |(name, text)| {
            format!(
                "<div class=\"p-2\"><div class=\"font-bold\">{}</div><div>{}</div></div>",
                t(name),
                t(text)
            )
        }));
    }
    out
}
