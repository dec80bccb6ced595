//! `newslode eval tables`: data tables against labels, presets and a trivial baseline side by side.

use std::collections::BTreeMap;

use newslode_partitioner::Page;
use newslode_partitioner::tables::{self, TableParams};
use newslode_partitioner::work::limits;

use super::{page, write_predictions};
use crate::args::EvalCommon;
use crate::commands::tables::named;
use crate::eval::read_lines;
use crate::eval::tables::{Line, Row, Summary, score, summary};
use crate::exit::Exit;
use crate::out;
use crate::progress::Shown;

pub(crate) fn run(common: &EvalCommon, quiet: bool) -> anyhow::Result<Exit> {
    let gold: Vec<Line> = read_lines(&common.gold)?;
    let mut pages: BTreeMap<&str, Vec<&Line>> = BTreeMap::new();
    for line in &gold {
        pages.entry(&line.page).or_default().push(line);
    }
    let presets = match &common.params {
        Some(name) => vec![named(name)?],
        None => vec![TableParams::paper(), TableParams::default()],
    };
    let mut methods: Vec<(&str, Vec<Line>, Vec<Row>)> = vec![("trivial", Vec::new(), Vec::new())];
    methods.extend(presets.iter().map(|params| (params.name, Vec::new(), Vec::new())));
    let mut shown = Shown::new(quiet);
    for (done, (name, gold)) in pages.iter().enumerate() {
        shown.say(|| format!("{done} of {} pages", pages.len()));
        let input = page(&common.pages, name, None)?;
        let parsed = Page::parse(&input.url, None, &input.bytes, &limits());
        for (at, (_, all, rows)) in methods.iter_mut().enumerate() {
            let said = match at.checked_sub(1) {
                None => trivial(name, &parsed),
                Some(preset) => predicted(name, &parsed, &presets[preset]),
            };
            rows.push(score(name, gold, &said.iter().collect::<Vec<_>>()));
            all.extend(said);
        }
    }
    shown.end();
    if let Some((_, said, _)) = methods.last() {
        write_predictions(common, said)?;
    }
    print(common, &methods)?;
    Ok(Exit::Done)
}

/// What the algorithms say of a page's tables.
fn predicted(name: &str, page: &Page, params: &TableParams) -> Vec<Line> {
    tables::of(page, params).iter().map(|table| Line::of(name, table)).collect()
}

/// The trivial baseline: a table with a border, or with two rows and two columns, of which four fifths of the
/// rows are equally long, is data; it is column-oriented, and its first row is the header.
fn trivial(name: &str, page: &Page) -> Vec<Line> {
    let found = tables::plain(page, &TableParams::paper()).into_iter();
    found
        .map(|(table, grid)| Line {
            page: name.into(),
            table,
            genuine: Some(true),
            orientation: Some("column".into()),
            header_cells: Some(
                (0..grid.columns)
                    .filter(|&column| grid.at(0, column).is_some())
                    .map(|column| (0, column))
                    .collect(),
            ),
            ..Line::default()
        })
        .collect()
}

fn print(common: &EvalCommon, methods: &[(&str, Vec<Line>, Vec<Row>)]) -> anyhow::Result<()> {
    let summaries: BTreeMap<&str, Summary> =
        methods.iter().map(|(name, _, rows)| (*name, summary(rows))).collect();
    if common.json {
        let rows: BTreeMap<&str, &Vec<Row>> = methods.iter().map(|(name, _, rows)| (*name, rows)).collect();
        return if common.per_page {
            out::json(&serde_json::json!({ "summary": summaries, "pages": rows }))
        } else {
            out::json(&summaries)
        };
    }
    for (name, _, rows) in methods {
        if common.per_page {
            rows.iter().try_for_each(row)?;
        }
        figures(name, &summaries[name])?;
    }
    Ok(())
}

fn row(row: &Row) -> anyhow::Result<()> {
    let wrong = row.tables.said - row.tables.right;
    let headers = if row.each.is_empty() { "—".into() } else { format!("{:.3}", row.headers.f1()) };
    out::line(format!(
        "  {:32} {} of {} found, {wrong} wrong | orientation {} strict, {} lenient | header cells F1 {headers}",
        row.page, row.tables.right, row.tables.wanted, row.strict, row.lenient
    ))
}

fn figures(name: &str, s: &Summary) -> anyhow::Result<()> {
    out::line(format!(
        "{name:8} {} pages, {} genuine: data P {:.3} R {:.3} F1 {:.3} (se {:.3}), page means P {:.3} R {:.3}",
        s.pages, s.tables.wanted, s.precision, s.recall, s.f1, s.f1_error, s.page_precision, s.page_recall
    ))?;
    out::line(format!(
        "         orientation strict {:.3} (se {:.3}) lenient {:.3} | header cells P {:.3} R {:.3} F1 {:.3}, mean over tables {:.3} (se {:.3})",
        s.strict,
        s.strict_error,
        s.lenient,
        s.header_precision,
        s.header_recall,
        s.header_f1,
        s.header_f1_tables,
        s.header_error
    ))?;
    let of: Vec<String> =
        s.by_orientation.iter().map(|(name, (n, right))| format!("{name} {right} of {n}")).collect();
    out::line(format!("         {}", of.join(", ")))
}
