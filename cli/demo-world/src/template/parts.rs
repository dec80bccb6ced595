//! Parts that templates of several eras share, with the markup of the site's looks.
//!
//! A heading may be an element, a styled span or bold words; a list may be a list, boxes, lines or definitions. The
//! content is the same.

use crate::looks::{Headings, Lists, TableHeads};
use crate::marks::Text;
use crate::view::{Link, Panel, ProfileView, TableView, View, lines, t};

/// A heading of this level around `inner`, which is escaped text or a link.
pub(super) fn heading(view: &View<'_>, inner: &str, level: u8, class: &str) -> String {
    match view.plan.looks.headings {
        Headings::Elements => format!("<h{level} class=\"{class}\">{inner}</h{level}>"),
        Headings::Spans => {
            let size = 30 - 4 * u32::from(level);
            format!("<span style=\"display:block;font-size:{size}px;font-weight:700\">{inner}</span>")
        }
        Headings::Bold => format!("<div><b>{inner}</b></div>"),
        Headings::Classes => format!("<p class=\"heading heading-{level}\">{inner}</p>"),
    }
}

/// A list of links.
pub(super) fn list(view: &View<'_>, items: &[Link]) -> String {
    links(view.plan.looks.lists, items)
}

fn links(how: Lists, items: &[Link]) -> String {
    match how {
        Lists::Items => format!("<ul>\n{}\n</ul>", lines(items, |l| format!("<li>{}</li>", l.a("")))),
        Lists::Numbers => format!("<ol>\n{}\n</ol>", lines(items, |l| format!("<li>{}</li>", l.a("")))),
        Lists::Divs => lines(items, |l| format!("<div class=\"item\">{}</div>", l.a(""))),
        Lists::Breaks => format!("<div>\n{}\n</div>", lines(items, |l| format!("&bull; {}<br>", l.a("")))),
        Lists::Definitions => format!("<dl>\n{}\n</dl>", lines(items, |l| format!("<dd>{}</dd>", l.a("")))),
        Lists::Paragraphs => lines(items, |l| format!("<p>{}</p>", l.a(""))),
    }
}

/// A list of links in the site's number of columns.
pub(super) fn columns(view: &View<'_>, items: &[Link]) -> String {
    let each = items.len().div_ceil(view.plan.looks.columns).max(1);
    if each >= items.len() {
        return list(view, items);
    }
    let column = |part: &[Link]| format!("<div class=\"column\">\n{}\n</div>", list(view, part));
    format!("<div class=\"columns\">\n{}\n</div>", lines(items.chunks(each), column))
}

/// The rail's lists: one box, or tabs over panels.
pub(super) fn panels(view: &View<'_>, level: u8, class: &str) -> String {
    let [first, others @ ..] = view.panels.as_slice() else { return String::new() };
    if others.is_empty() {
        return panel_box(view, first, level, class);
    }
    let numbered = || view.panels.iter().enumerate();
    let tab = |(n, panel): (usize, &Panel)| {
        format!("<li><a href=\"#panel{n}\" data-toggle=\"tab\">{}</a></li>", t(&panel.heading))
    };
    let pane = |(n, panel): (usize, &Panel)| {
        format!("<div class=\"tab-pane\" id=\"panel{n}\">\n{}\n</div>", list(view, &panel.items))
    };
    format!(
        "<div class=\"{class} tabbed\">\n<ul class=\"tabs\">\n{}\n</ul>\n<div class=\"tab-content\">\n{}\n</div>\n</div>",
        lines(numbered(), tab),
        lines(numbered(), pane)
    )
}

/// The rail's lists as separate boxes, for eras without tabs.
pub(super) fn boxes(view: &View<'_>, level: u8, class: &str) -> String {
    lines(&view.panels, |panel| panel_box(view, panel, level, class))
}

fn panel_box(view: &View<'_>, panel: &Panel, level: u8, class: &str) -> String {
    let heading = heading(view, &t(&panel.heading), level, "box-title");
    format!("<div class=\"{class}\">{heading}\n{}\n</div>", list(view, &panel.items))
}

/// A profile as a list of definitions.
pub(super) fn definitions(profile: &ProfileView) -> String {
    let fact = |fact: &crate::view::Fact| {
        format!("<dt>{}</dt>\n{}", t(&fact.label), lines(&fact.values, |v| format!("<dd>{}</dd>", t(v))))
    };
    format!("<dl class=\"facts\">\n{}\n</dl>", lines(&profile.facts, fact))
}

/// A profile as lines, each with its label in bold and a colon.
pub(super) fn bold_lines(profile: &ProfileView) -> String {
    let fact = |fact: &crate::view::Fact| {
        let values: Vec<String> = fact.values.iter().map(|v| format!("<span>{}</span>", t(v))).collect();
        format!("<b>{}:</b> {}<br>", t(&fact.label), values.join(" "))
    };
    format!("<p>{}</p>", lines(&profile.facts, fact))
}

/// A profile as table rows of two cells. `head` and `cell` are element names, with attributes if needed.
pub(super) fn fact_rows(profile: &ProfileView, head: &str, cell: &str) -> String {
    let close = |tag: &str| tag.split(' ').next().unwrap_or_default().to_owned();
    let fact = |fact: &crate::view::Fact| {
        let values = lines(&fact.values, |v| format!("<div>{}</div>", t(v)));
        let label = t(&fact.label);
        format!("<tr><{head}>{label}</{}><{cell}>{values}</{}></tr>", close(head), close(cell))
    };
    lines(&profile.facts, fact)
}

/// A data table with its caption above.
pub(super) fn data_table(view: &View<'_>, table: &TableView, attributes: &str) -> String {
    let caption = heading(view, &t(&table.caption), 3, "caption");
    let row = |(r, cells): (usize, &Vec<Text>)| {
        let cell = |(c, text): (usize, &Text)| {
            let is_head = r < table.head_rows || c < table.head_columns;
            data_cell(view.plan.looks.table_heads, is_head, &t(text))
        };
        format!("<tr>{}</tr>", cells.iter().enumerate().map(cell).collect::<String>())
    };
    let rows = lines(table.rows.iter().enumerate(), row);
    format!("{caption}\n<table{}{attributes}>\n{rows}\n</table>", table.attribute)
}

fn data_cell(heads: TableHeads, is_head: bool, text: &str) -> String {
    match heads {
        TableHeads::Elements if is_head => format!("<th>{text}</th>"),
        TableHeads::Bold if is_head => format!("<td><b>{text}</b></td>"),
        TableHeads::Coloured if is_head => format!("<td bgcolor=\"#ccccdd\">{text}</td>"),
        _ => format!("<td>{text}</td>"),
    }
}
