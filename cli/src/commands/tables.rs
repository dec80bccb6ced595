//! `newslode tables`: shows the data tables of pages, for people or programs.

use newslode_common::config::Config;
use newslode_page::Page;
use newslode_page::tables::{self, DataTable, Record, TableParams};
use serde_json::{Value, json};

use crate::args::{TablesArgs, TablesFormat};
use crate::csv::{self, Cells};
use crate::exit::Exit;
use crate::{input, out};

/// Maximum width of the label column, in characters; longer labels take a line of their own.
const MAX_LABEL: usize = 28;
/// Maximum length of a value in the tree, in characters.
const MAX_VALUE: usize = 160;

pub(crate) async fn run(args: TablesArgs, config: &Config) -> anyhow::Result<Exit> {
    let params = TableParams::new(args.params);
    let pages = input::read_pages(&args.pages, &config.crawler).await?;
    let several = pages.len() > 1;
    let cells = if args.raw_cells { Cells::Raw } else { Cells::Neutral };
    for page in pages {
        let parsed = Page::parse(&page.url, page.content_type.as_deref(), &page.bytes);
        let found = tables::tables_with(&parsed, &params);
        if args.format == TablesFormat::Tree && several {
            out::line(format!("== {}", page.name))?;
        }
        if args.format == TablesFormat::Tree && found.is_empty() {
            out::line("no data tables")?;
        }
        for table in &found {
            match args.format {
                TablesFormat::Tree => out::text(&tree_text(&parsed, table))?,
                TablesFormat::Json => out::json_line(&as_json(&page.name, &parsed, table))?,
                TablesFormat::Csv => out::data(csv_text(&page.name, &parsed, table, cells).as_bytes())?,
            }
        }
    }
    Ok(Exit::Done)
}

/// The texts of header cells, without empty ones.
fn cell_texts(page: &Page, table: &DataTable, cells: &[usize]) -> Vec<String> {
    cells.iter().map(|&cell| table.text(page, cell)).filter(|text| !text.is_empty()).collect()
}

fn path_text(page: &Page, table: &DataTable, cells: &[usize]) -> String {
    cell_texts(page, table, cells).join(" › ")
}

/// Draws a heading, then each record with a column of labels and a column of values.
fn tree_text(page: &Page, table: &DataTable) -> String {
    let mut text = String::new();
    let title = table.titles(page).join(" — ");
    let (rows, columns) = (table.grid.rows.len(), table.grid.columns);
    text.push_str(&format!("── table {}", table.index));
    if !title.is_empty() {
        text.push_str(&format!(": {}", shortened(&title, MAX_VALUE)));
    }
    text.push_str(&format!("  ({}, {rows} rows, {columns} columns)\n", table.orientation.name()));
    let records = table.records();
    let labels: Vec<Vec<String>> = records
        .iter()
        .map(|record| record.fields.iter().map(|field| path_text(page, table, &field.path)).collect())
        .collect();
    let widths =
        labels.iter().flatten().map(|label| label.chars().count()).filter(|width| *width <= MAX_LABEL);
    let width = widths.max().unwrap_or(0);
    for (number, (record, labels)) in records.iter().zip(&labels).enumerate() {
        let key = path_text(page, table, &record.key);
        match (key.is_empty(), records.len()) {
            (true, 1) => {}
            (true, _) => text.push_str(&format!("{}.\n", number + 1)),
            (false, _) => text.push_str(&format!("▾ {}\n", shortened(&key, MAX_VALUE))),
        }
        for (field, label) in record.fields.iter().zip(labels) {
            push_field(&mut text, width, label, &shortened(&table.text(page, field.cell), MAX_VALUE));
        }
    }
    if table.grid.is_cut {
        text.push_str("(coarser: the limit of slots was met)\n");
    }
    text.push('\n');
    text
}

fn push_field(text: &mut String, width: usize, label: &str, value: &str) {
    let length = label.chars().count();
    if width == 0 && length == 0 {
        text.push_str(&format!("  {value}\n"));
    } else if length > width {
        text.push_str(&format!("  {label}\n  {:width$}  {value}\n", ""));
    } else {
        text.push_str(&format!("  {label}{:fill$}  {value}\n", "", fill = width - length));
    }
}

/// Cuts a text to a length and marks the cut.
fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most - 1).collect();
    format!("{}…", kept.trim_end())
}

fn as_json(name: &str, page: &Page, table: &DataTable) -> Value {
    let record = |record: &Record| {
        let fields: Vec<Value> = record
            .fields
            .iter()
            .map(|field| {
                let leaves = table.cell_leaves(field.cell);
                json!({
                    "path": cell_texts(page, table, &field.path),
                    "value": table.text(page, field.cell),
                    "leaves": [leaves.start, leaves.end],
                })
            })
            .collect();
        json!({ "key": cell_texts(page, table, &record.key), "fields": fields })
    };
    json!({
        "page": name,
        "table": table.index,
        "titles": table.titles(page),
        "orientation": table.orientation.name(),
        "rows": table.grid.rows.len(),
        "columns": table.grid.columns,
        "leaves": [table.leaves.start, table.leaves.end],
        "header_cells": table.header_slots(),
        "records": table.records().iter().map(record).collect::<Vec<_>>(),
        "is_cut": table.grid.is_cut,
    })
}

/// Writes one line per field (RFC 4180): page, table, record, key, path, value. Tables have different
/// attributes, so a column for each attribute would need a file for each table.
fn csv_text(name: &str, page: &Page, table: &DataTable, cells: Cells) -> String {
    let mut text = String::new();
    for (number, record) in table.records().iter().enumerate() {
        let key = path_text(page, table, &record.key);
        for field in &record.fields {
            let row = [
                name.to_owned(),
                table.index.to_string(),
                number.to_string(),
                key.clone(),
                path_text(page, table, &field.path),
                table.text(page, field.cell),
            ];
            text.push_str(&csv::row(row, cells));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(html: &str) -> Page {
        Page::parse(&input::made_up("p.html").unwrap(), None, html.as_bytes())
    }

    const PRICES: &str = "<table><caption>Prices</caption><thead><tr><th>Fruit<th>Price<tbody>\
        <tr><td>Apple<td>1.20<tr><td>Fig, \"dried\"<td>3.40<tr><td>Pear<td>2.10</table>";

    #[test]
    fn the_tree_aligns_values_and_numbers_records() {
        let page = page(PRICES);
        let found = tables::tables(&page);
        let shown = tree_text(&page, &found[0]);
        assert!(shown.starts_with("── table 0: Prices  (column, 4 rows, 2 columns)\n"), "{shown}");
        assert!(shown.contains("1.\n  Fruit  Apple\n  Price  1.20\n"), "{shown}");
    }

    #[test]
    fn csv_quotes_what_needs_it() {
        let page = page(PRICES);
        let found = tables::tables(&page);
        let text = csv_text("p", &page, &found[0], Cells::Neutral);
        assert!(text.contains("p,0,1,,Fruit,\"Fig, \"\"dried\"\"\"\r\n"), "{text}");
        assert_eq!(text.lines().count(), 6);
    }

    #[test]
    fn long_labels_take_a_line_of_their_own() {
        let mut text = String::new();
        push_field(&mut text, 4, "Prices in June", "12");
        push_field(&mut text, 4, "Name", "Fig");
        assert_eq!(text, "  Prices in June\n        12\n  Name  Fig\n");
    }
}
