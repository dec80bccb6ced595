//! Names of a table's fields: unique in each record, and the same in all records for the same column.
//!
//! Two columns may be headed by equal texts, or by one wide cell. They are numbered from the left among the columns
//! of one band of headers: a column keeps its number where a record has no value in another one, and headers that recur
//! further down give the same names again. All this holds for rows where the records are columns.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use newslode_page::tables::{DataTable, Field, Orientation, Record, Role};

/// What stands between the headers of a field, as in the output of `newslode tables`.
pub(super) const BETWEEN: &str = " › ";

/// The names of one record, as numbers of names.
pub(super) struct RecordNames {
    /// The name of the record's own name, if it has one.
    pub(super) key: Option<usize>,
    pub(super) fields: Vec<usize>,
}

/// The names of all fields.
#[derive(Default)]
pub(super) struct Names {
    all: Vec<String>,
    numbers: HashMap<String, usize>,
    by_record: Vec<RecordNames>,
}

impl Names {
    pub(super) fn new(table: &DataTable, texts: &[String], records: &[Record]) -> Names {
        let naming = Naming::new(table, texts, records);
        let mut names = Names::default();
        for record in records {
            let key = naming.key(record).map(|name| names.number(name));
            let mut used: BTreeSet<usize> = key.into_iter().collect();
            let mut fields = Vec::with_capacity(record.fields.len());
            for field in &record.fields {
                let name = naming.field(field);
                let mut number = names.number(name.clone());
                // A name that a record has already: its own name's, or that of another band of headers.
                let mut time = 1;
                while !used.insert(number) {
                    time += 1;
                    number = names.number(format!("{name} ({time})"));
                }
                fields.push(number);
            }
            names.by_record.push(RecordNames { key, fields });
        }
        names
    }

    fn number(&mut self, name: String) -> usize {
        let next = self.all.len();
        let number = *self.numbers.entry(name.clone()).or_insert(next);
        if number == next {
            self.all.push(name);
        }
        number
    }

    pub(super) fn all(&self) -> &[String] {
        &self.all
    }

    pub(super) fn by_record(&self) -> &[RecordNames] {
        &self.by_record
    }
}

struct Naming<'a> {
    table: &'a DataTable,
    texts: &'a [String],
    /// Whether each column is a record, and not each row.
    by_columns: bool,
    /// By label and band, the lines that it heads.
    lines: BTreeMap<(String, usize), BTreeSet<usize>>,
}

impl<'a> Naming<'a> {
    fn new(table: &'a DataTable, texts: &'a [String], records: &[Record]) -> Naming<'a> {
        let by_columns = matches!(table.orientation, Orientation::Row | Orientation::MultiRow);
        let mut naming = Naming { table, texts, by_columns, lines: BTreeMap::new() };
        for field in records.iter().flat_map(|record| &record.fields) {
            if let Some(of) = naming.label(&field.path) {
                let line = naming.line(field.cell);
                naming.lines.entry(of).or_default().insert(line);
            }
        }
        naming
    }

    /// The column of a cell, where records are rows.
    fn line(&self, cell: usize) -> usize {
        let cell = &self.table.grid.cells[cell];
        if self.by_columns { cell.row } else { cell.column }
    }

    fn joined(&self, cells: &[usize]) -> String {
        let texts = cells.iter().map(|&cell| self.texts[cell].as_str()).filter(|text| !text.is_empty());
        texts.collect::<Vec<_>>().join(BETWEEN)
    }

    /// The text of headers, and their band: the row of the innermost one, where records are rows.
    fn label(&self, path: &[usize]) -> Option<(String, usize)> {
        let last = &self.table.grid.cells[*path.last()?];
        let label = self.joined(path);
        (!label.is_empty()).then_some((label, if self.by_columns { last.column } else { last.row }))
    }

    fn field(&self, field: &Field) -> String {
        let line = self.line(field.cell);
        let Some(of) = self.label(&field.path) else { return (line + 1).to_string() };
        let before = self.lines.get(&of).map_or(0, |lines| lines.range(..line).count());
        if before == 0 { of.0 } else { format!("{} ({})", of.0, before + 1) }
    }

    /// The name of what names a record: the header over it, in the corner of the table.
    fn key(&self, record: &Record) -> Option<String> {
        if self.joined(&record.key).is_empty() {
            return None;
        }
        let head = record.key.last().map(|&cell| &self.table.grid.cells[cell])?;
        let is_corner =
            |role| if self.by_columns { role == Role::RowHeader } else { role == Role::ColumnHeader };
        let before = if self.by_columns { head.column } else { head.row };
        let slots =
            (0..before).rev().map(|at| if self.by_columns { (head.row, at) } else { (at, head.column) });
        let mut corners = slots.filter(|&(row, column)| is_corner(self.table.role(row, column)));
        let corner = corners.next().and_then(|(row, column)| self.table.grid.at(row, column));
        Some(corner.map(|cell| self.texts[cell].clone()).unwrap_or_default())
    }
}
