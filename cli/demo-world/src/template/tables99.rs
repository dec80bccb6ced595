//! 1999: the page is a table of tables; structure is `font`, `b` and `br`, and no element has a name.

use super::parts::fact_rows;
use crate::marks::Text;
use crate::view::{Entry, Link, Main, Panel, SectionBox, StoryView, TableView, Teaser, View, esc, lines, t};

pub(super) fn render(view: &View<'_>) -> String {
    let plan = view.plan;
    let [dark, pale] = &plan.colours;
    let mut rng = plan.rng.fork("tables99");
    let (menu_width, gap) = (rng.between(110, 170), rng.between(2, 8));
    let rail_left = rng.chance(25);
    let menu =
        format!("<td width=\"{menu_width}\" bgcolor=\"{pale}\" valign=\"top\">\n{}\n</td>", menu(view));
    let rail = format!("<td width=\"160\" valign=\"top\">\n{}\n</td>", rail(view));
    let main = format!("<td valign=\"top\">\n{}\n</td>", main(view));
    let columns = if rail_left { [rail, main, menu] } else { [menu, main, rail] }.join("\n");
    format!(
        "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.0 Transitional//EN\">\n<html>\n<head>\n{}<title>{}</title>\n{}\
         </head>\n<body bgcolor=\"#ffffff\" link=\"{dark}\" marginwidth=\"0\">\n\
         <table width=\"100%\" border=\"0\" cellpadding=\"{gap}\">\n<tr><td bgcolor=\"{dark}\" colspan=\"3\">\
         <a href=\"{}\"><font face=\"Times\" size=\"6\" color=\"#ffffff\">{}</font></a></td></tr>\n\
         <tr><td colspan=\"3\" align=\"right\"><font size=\"1\">{}</font></td></tr>\n<tr>\n{columns}\n</tr>\n\
         <tr><td colspan=\"3\" align=\"center\"><hr size=\"1\" noshade><font size=\"1\">{}<br>{}</font></td></tr>\n\
         </table>\n</body>\n</html>\n",
        plan.charset.meta(false),
        esc(&view.title),
        view.head_html,
        esc(&view.logo.href),
        esc(&view.logo.text),
        lines(&view.utility, |l| format!("{} |", l.a(""))),
        lines(&view.footer, |l| format!("{} |", l.a(""))),
        t(&view.copyright),
    )
}

fn menu(view: &View<'_>) -> String {
    let mut out = String::from("<font face=\"Arial\" size=\"2\">");
    out.extend(view.home.iter().map(|home| format!("{}<br>\n", home.a(""))));
    let mut stack: Vec<(usize, &Entry)> = view.menu.iter().rev().map(|e| (0, e)).collect();
    while let Some((depth, entry)) = stack.pop() {
        if depth == 0 {
            out.push_str(&format!("<b>{}</b><br>\n", entry.link.a("")));
        } else {
            out.push_str(&format!("{}{}<br>\n", "&nbsp;&nbsp;".repeat(depth), entry.link.a("")));
        }
        stack.extend(entry.children.iter().rev().map(|e| (depth + 1, e)));
    }
    out + "</font>"
}

fn rail(view: &View<'_>) -> String {
    let [dark, _] = &view.plan.colours;
    let panel = |panel: &Panel| {
        format!(
            "<table border=\"1\" bordercolor=\"{dark}\" cellspacing=\"0\" width=\"100%\">\n\
             <tr><td><font size=\"2\"><b>{}</b></font></td></tr>\n{}\n</table><br>",
            t(&panel.heading),
            lines(&panel.items, |l| format!("<tr><td><font size=\"1\">{}</font></td></tr>", l.a(""))),
        )
    };
    format!(
        "{}\n<center><font size=\"1\">{}</font><br>\n{}\n</center>",
        lines(&view.panels, panel),
        t(&view.ads_heading),
        lines(&view.ads, |l| format!("<p><font color=\"#ff0000\">{}</font></p>", l.a(" target=\"_blank\""))),
    )
}

fn main(view: &View<'_>) -> String {
    match &view.main {
        Main::Front { heading, lead, boxes } => format!(
            "{}\n{}\n<table width=\"100%\" cellpadding=\"4\">\n{}\n</table>",
            bar(view, heading),
            lines(lead, teaser),
            lines(boxes.chunks(2), |pair| format!("<tr>\n{}\n</tr>", lines(pair, section_box))),
        ),
        Main::Section { heading, crumbs, list, boxes, pages } => format!(
            "<font size=\"1\">{}</font><br>\n{}\n{}\n<p align=\"right\">{}</p>\n\
             <table width=\"100%\" cellpadding=\"4\">\n{}\n</table>",
            lines(crumbs, |l| format!("{} &gt;", l.a(""))),
            bar(view, heading),
            lines(list, teaser),
            lines(pages, |l| l.a("")),
            lines(boxes.chunks(2), |pair| format!("<tr>\n{}\n</tr>", lines(pair, section_box))),
        ),
        Main::Story(story) => article(story),
        Main::Profile(profile) => format!(
            "{}\n<i>{}</i><br>\n<table border=\"0\" cellpadding=\"3\"{}>\n{}\n</table>\n<p>{}</p>\n<b>{}</b>\n<ul>\n{}\n</ul>",
            bar(view, &profile.heading),
            t(&profile.role),
            profile.table,
            fact_rows(profile, "td bgcolor=\"#eeeeee\"", "td"),
            t(&profile.paragraph),
            t(&profile.career.label),
            lines(&profile.career.values, |v| format!("<li>{}</li>", t(v))),
        ),
        Main::Figures { heading, tables } => {
            format!("{}\n{}", bar(view, heading), lines(tables, |table| figures(view, table)))
        }
        Main::Plain { heading, paragraphs, links } => format!(
            "{}\n{}\n<ul>\n{}\n</ul>",
            bar(view, heading),
            lines(paragraphs, |p| format!("<p>{}</p>", t(p))),
            lines(links, |l| format!("<li>{}</li>", l.a(""))),
        ),
    }
}

/// A data table inside a table that only draws its frame.
fn figures(view: &View<'_>, table: &TableView) -> String {
    format!(
        "<table width=\"90%\" bgcolor=\"{}\"><tr><td>\n{}\n</td></tr></table><br>",
        view.plan.colours[1],
        super::parts::data_table(view, table, " border=\"1\" cellpadding=\"2\"")
    )
}

fn bar(view: &View<'_>, text: &Text) -> String {
    format!(
        "<table width=\"100%\" bgcolor=\"{}\"><tr><td><font face=\"Arial\" size=\"4\" color=\"#ffffff\"><b>{}</b>\
         </font></td></tr></table>",
        view.plan.colours[0],
        t(text)
    )
}

fn teaser(teaser: &Teaser) -> String {
    let kicker =
        teaser.kicker.iter().map(|k| format!("<font size=\"1\" color=\"#990000\">{}</font><br>", t(k)));
    let byline = teaser.byline.iter().map(|b| format!("<font size=\"1\">{}</font><br>", t(b)));
    format!(
        "<p>{}<font size=\"3\"><b>{}</b></font><br>\n{}<font size=\"2\">{} <i>({})</i></font></p>",
        kicker.collect::<String>(),
        teaser.link.a(""),
        byline.collect::<String>(),
        t(&teaser.text),
        t(&teaser.date)
    )
}

fn section_box(section: &SectionBox) -> String {
    format!(
        "<td valign=\"top\" width=\"50%\"><font face=\"Arial\"><b>{}</b></font><br>\n{}\n\
         <font size=\"1\">{}</font></td>",
        section.heading.a(""),
        lines(&section.items, |l: &Link| format!("&#149; {}<br>", l.a(""))),
        section.more.a(""),
    )
}

fn article(story: &StoryView) -> String {
    let mut out = String::new();
    if let Some(kicker) = &story.kicker {
        out.push_str(&format!("<font size=\"1\" color=\"#990000\">{}</font><br>\n", kicker.a("")));
    }
    out.push_str(&format!("<font face=\"Times\" size=\"5\"><b>{}</b></font><br>\n", t(&story.title)));
    for line in [&story.byline_html, &story.date_html].into_iter().flatten() {
        out.push_str(&format!("<font size=\"2\"><i>{line}</i></font><br>\n"));
    }
    if let Some(caption) = &story.caption {
        out.push_str(&format!(
            "<table align=\"right\" width=\"200\"><tr><td><img src=\"{}\" width=\"200\" height=\"150\" alt=\"\"><br>\
             <font size=\"1\">{}</font></td></tr></table>\n",
            esc(&story.image),
            t(caption)
        ));
    }
    out.push_str(&lines(&story.paragraphs_html, |p| format!("<p>{p}</p>")));
    out.push_str(&format!(
        "\n<hr width=\"50%\">\n<font size=\"2\"><b>{}</b></font>\n<ul>\n",
        t(&story.related_heading)
    ));
    out.push_str(&lines(&story.related, |l| format!("<li>{}</li>", l.a(""))));
    out.push_str("\n</ul>\n");
    if !story.comments.is_empty() {
        let heading = t(&story.comments_heading);
        out.push_str(&format!("<b>{heading}</b>\n<table border=\"1\"{}>\n", story.comments_table));
        out.push_str(&lines(&story.comments, |(name, text)| {
            format!("<tr><td><b>{}</b></td><td>{}</td></tr>", t(name), t(text))
        }));
        out.push_str("\n</table>\n");
    }
    out
}
