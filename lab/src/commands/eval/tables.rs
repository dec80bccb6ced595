//! `newslode-lab eval tables`: scores data tables against labels, beside a trivial baseline.

use std::collections::BTreeMap;

use newslode::exit::Exit;
use newslode::out;
use newslode::progress::ProgressDisplay;
use newslode_page::Page;
use newslode_page::tables::{self, TableParams};

use super::gold::{page, write_predictions};
use crate::args::EvalCommon;
use crate::eval::tables::{Row, Summary, TableRecord, score, summary};
use crate::eval::{Figure, read_lines};

pub(crate) fn run(common: &EvalCommon, quiet: bool) -> anyhow::Result<Exit> {
    let gold: Vec<TableRecord> = read_lines(&common.gold)?;
    let mut pages: BTreeMap<&str, Vec<&TableRecord>> = BTreeMap::new();
    for line in &gold {
        pages.entry(&line.page).or_default().push(line);
    }
    let presets = match &common.params {
        Some(name) => vec![TableParams::new(name.parse()?)],
        None => vec![TableParams::paper(), TableParams::default()],
    };
    let mut methods: Vec<(&str, Vec<TableRecord>, Vec<Row>)> = vec![("trivial", Vec::new(), Vec::new())];
    methods.extend(presets.iter().map(|params| (params.name, Vec::new(), Vec::new())));
    let mut display = ProgressDisplay::new(quiet);
    for (done, (name, gold)) in pages.iter().enumerate() {
        display.count(done, pages.len(), "pages");
        let input = page(&common.pages, name, None)?;
        let parsed = Page::parse(&input.url, None, &input.bytes);
        for (at, (_, all, rows)) in methods.iter_mut().enumerate() {
            let said = match at.checked_sub(1) {
                None => trivial(name, &parsed),
                Some(preset) => predicted(name, &parsed, &presets[preset]),
            };
            rows.push(score(name, gold, &said.iter().collect::<Vec<_>>()));
            all.extend(said);
        }
    }
    display.end();
    if let Some((_, said, _)) = methods.last() {
        write_predictions(common, said)?;
    }
    print(common, &methods)?;
    Ok(Exit::Done)
}

/// Predicts the labels of a page's tables.
fn predicted(name: &str, page: &Page, params: &TableParams) -> Vec<TableRecord> {
    tables::tables_with(page, params).iter().map(|table| TableRecord::of(name, table)).collect()
}

/// The trivial baseline: a table is data if it has a border or at least two rows and two columns, and if four
/// fifths of its rows are equally long. It is column-oriented, and its first row is the header.
fn trivial(name: &str, page: &Page) -> Vec<TableRecord> {
    let found = tables::regular_tables(page, &TableParams::paper()).into_iter();
    found
        .map(|(table, grid)| TableRecord {
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
            ..TableRecord::default()
        })
        .collect()
}

fn print(common: &EvalCommon, methods: &[(&str, Vec<TableRecord>, Vec<Row>)]) -> anyhow::Result<()> {
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
    let headers = Figure((!row.each.is_empty()).then(|| row.headers.f1()));
    out::line(format!(
        "  {:32} {} of {} found, {wrong} wrong | orientation {} strict, {} lenient | header cells F1 {headers:.3}",
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
