//! Profiles of people, and the page of tables.

use super::Desk;
use crate::facts::{Table, tables};
use crate::marks::{GoldTable, Mark, Tag, Text};
use crate::view::{Fact, Main, ProfileView, TableView};

impl Desk<'_, '_> {
    /// The page's title and the profile.
    pub(super) fn profile(&self, number: usize) -> (String, Main) {
        let (person, words) = (&self.book.people[number], self.words());
        let heading =
            self.ink.write(&person.name, Mark { begins: true, tag: Tag::Concept, ..Mark::default() });
        let write = |text: &str, above: usize, tag| self.ink.write(text, Mark { tag, ..Mark::under(above) });
        let fact = |label: &str, values: &[String]| {
            let label = write(label, heading.id, Tag::Attribute);
            let values = values.iter().map(|value| write(value, label.id, Tag::Value)).collect();
            Fact { label, values }
        };
        let facts = words.facts.iter().zip(&person.facts).map(|(label, values)| fact(label, values));
        let facts = facts.collect();
        let career = fact(words.career, &person.career);
        let rows = person.facts.len();
        let table = self.ink.table(GoldTable {
            is_genuine: Some(true),
            orientation: "row",
            header_cells: (0..rows).map(|row| (row, 0)).collect(),
        });
        let view = ProfileView {
            table,
            role: write(&person.role, heading.id, Tag::Value),
            paragraph: write(&person.paragraph, heading.id, Tag::Value),
            facts,
            career,
            heading,
        };
        (person.name.clone(), Main::Profile(Box::new(view)))
    }

    pub(super) fn figures(&self) -> Main {
        let heading = self.ink.write(self.words().figures, Mark { begins: true, ..Mark::default() });
        let tables = tables(self.plan()).iter().map(|table| self.table(table, heading.id)).collect();
        Main::Figures { heading, tables }
    }

    /// A cell is under its column's header, or under its row's first cell if the table has no header row.
    fn table(&self, table: &Table, above: usize) -> TableView {
        let Table { caption, rows, head_rows, head_columns } = table;
        let caption = self.ink.write(caption, Mark { begins: true, ..Mark::under(above) });
        let mut written: Vec<Vec<Text>> = Vec::with_capacity(rows.len());
        for (r, cells) in rows.iter().enumerate() {
            let mut line: Vec<Text> = Vec::with_capacity(cells.len());
            for (c, cell) in cells.iter().enumerate() {
                let head = if *head_rows > 0 && r > 0 {
                    written[0][c].id
                } else if *head_rows == 0 && c > 0 {
                    line[0].id
                } else {
                    caption.id
                };
                line.push(self.ink.write(cell, Mark::under(head)));
            }
            written.push(line);
        }
        let is_header = |r: usize, c: usize| r < *head_rows || c < *head_columns;
        let cells = rows.iter().enumerate().flat_map(|(r, line)| (0..line.len()).map(move |c| (r, c)));
        let gold = GoldTable {
            is_genuine: Some(true),
            orientation: match (head_rows, head_columns) {
                (_, 0) => "column",
                (0, _) => "row",
                _ => "row-column",
            },
            header_cells: cells.filter(|&(r, c)| is_header(r, c)).collect(),
        };
        let attribute = self.ink.table(gold);
        TableView { caption, rows: written, head_rows: *head_rows, head_columns: *head_columns, attribute }
    }
}
