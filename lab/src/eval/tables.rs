//! Scores data tables against labels: genuine or layout, orientation, header cells.
//!
//! The measures agree with the scorer of the labels. Detection covers all tables, and means over pages.
//! Orientation covers genuine tables, once strictly and once with every orientation that a reader would
//! accept. Header cells count where the labels are sure of them. A missed table counts against everything.

use std::collections::{BTreeMap, BTreeSet};

use newslode_page::tables::DataTable;
use serde::{Deserialize, Serialize};

use super::{Figure, bootstrap_error, deviation, harmonic_mean, mean};

/// A table of the gold or of a prediction: one line of the file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct TableRecord {
    pub(crate) page: String,
    /// Index among the page's `table` elements, from 0.
    pub(crate) table: usize,
    pub(crate) genuine: Option<bool>,
    #[serde(default)]
    pub(crate) orientation: Option<String>,
    /// Row and column in the grid after spans are expanded.
    #[serde(default)]
    pub(crate) header_cells: Option<Vec<(usize, usize)>>,
    /// Other orientations that a reader would accept.
    #[serde(default, skip_serializing)]
    pub(crate) also: Vec<String>,
    #[serde(default, skip_serializing)]
    pub(crate) unsure: bool,
}

impl TableRecord {
    /// The record of a data table found on a page.
    pub(crate) fn of(page: &str, found: &DataTable) -> TableRecord {
        TableRecord {
            page: page.to_owned(),
            table: found.index,
            genuine: Some(true),
            orientation: Some(found.orientation.name().into()),
            header_cells: Some(found.header_slots()),
            ..TableRecord::default()
        }
    }

    fn is_judged(&self) -> bool {
        self.genuine.is_some() && !self.unsure
    }

    fn is_genuine(&self) -> bool {
        self.genuine == Some(true)
    }

    fn headers(&self) -> BTreeSet<(usize, usize)> {
        self.header_cells.iter().flatten().copied().collect()
    }
}

/// Numbers of right, predicted and expected items.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Counts {
    pub(crate) right: usize,
    pub(crate) said: usize,
    pub(crate) wanted: usize,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.right += other.right;
        self.said += other.said;
        self.wanted += other.wanted;
    }

    pub(crate) fn precision(&self) -> f64 {
        ratio(self.right, self.said)
    }

    pub(crate) fn recall(&self) -> f64 {
        ratio(self.right, self.wanted)
    }

    pub(crate) fn f1(&self) -> f64 {
        harmonic_mean(self.precision(), self.recall())
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Figures of one page.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Row {
    pub(crate) page: String,
    pub(crate) tables: Counts,
    pub(crate) strict: usize,
    pub(crate) lenient: usize,
    /// Slots of header cells.
    pub(crate) headers: Counts,
    /// F1 of the header cells of each genuine table.
    pub(crate) each: Vec<f64>,
    /// Numbers of genuine tables and of those with the right orientation, by orientation.
    pub(crate) by_orientation: BTreeMap<String, (usize, usize)>,
}

/// Scores one page's lines.
pub(crate) fn score(page: &str, gold: &[&TableRecord], said: &[&TableRecord]) -> Row {
    let unsure: BTreeSet<usize> =
        gold.iter().filter(|line| !line.is_judged()).map(|line| line.table).collect();
    let found: BTreeMap<usize, &TableRecord> = said
        .iter()
        .filter(|line| line.is_genuine() && !unsure.contains(&line.table))
        .map(|line| (line.table, *line))
        .collect();
    let mut row = Row { page: page.into(), ..Row::default() };
    row.tables.said = found.len();
    for want in gold.iter().filter(|line| line.is_judged() && line.is_genuine()) {
        let got = found.get(&want.table).copied();
        row.tables.add(Counts { right: usize::from(got.is_some()), said: 0, wanted: 1 });
        let name = want.orientation.clone().unwrap_or_default();
        let orientation = got.and_then(|got| got.orientation.as_ref());
        let is_strict = orientation == Some(&name);
        let is_lenient = is_strict || orientation.is_some_and(|one| want.also.contains(one));
        row.strict += usize::from(is_strict);
        row.lenient += usize::from(is_lenient);
        let of = row.by_orientation.entry(name).or_default();
        *of = (of.0 + 1, of.1 + usize::from(is_strict));
        if want.header_cells.is_some() {
            let (wanted, said) = (want.headers(), got.map(TableRecord::headers).unwrap_or_default());
            let right = wanted.intersection(&said).count();
            let counts = Counts { right, said: said.len(), wanted: wanted.len() };
            row.each.push(if wanted == said { 1.0 } else { counts.f1() });
            row.headers.add(counts);
        }
    }
    row
}

/// Figures of a set.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Summary {
    pub(crate) pages: usize,
    pub(crate) tables: Counts,
    pub(crate) precision: f64,
    pub(crate) recall: f64,
    pub(crate) f1: f64,
    /// Standard error of F1 by bootstrap over pages.
    pub(crate) f1_error: Figure,
    pub(crate) page_precision: Figure,
    pub(crate) page_recall: Figure,
    pub(crate) strict: Figure,
    pub(crate) lenient: Figure,
    /// Standard error of the strict share by bootstrap over tables.
    pub(crate) strict_error: Figure,
    pub(crate) header_precision: Figure,
    pub(crate) header_recall: Figure,
    pub(crate) header_f1: Figure,
    /// Mean over tables, and its standard error.
    pub(crate) header_f1_tables: Figure,
    pub(crate) header_error: Figure,
    /// Numbers of genuine tables and of those with the right orientation, by orientation.
    pub(crate) by_orientation: BTreeMap<String, (usize, usize)>,
}

/// Summarizes rows.
pub(crate) fn summary(rows: &[Row]) -> Summary {
    let (mut tables, mut headers) = (Counts::default(), Counts::default());
    let mut by_orientation: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for row in rows {
        tables.add(row.tables);
        headers.add(row.headers);
        for (name, of) in &row.by_orientation {
            let sum = by_orientation.entry(name.clone()).or_default();
            *sum = (sum.0 + of.0, sum.1 + of.1);
        }
    }
    let each: Vec<f64> = rows.iter().flat_map(|row| row.each.iter().copied()).collect();
    let (strict, lenient) =
        (rows.iter().map(|row| row.strict).sum(), rows.iter().map(|row| row.lenient).sum());
    let is_strict: Vec<f64> = (0..tables.wanted).map(|table| f64::from(u8::from(table < strict))).collect();
    let of_pages = |shares: Vec<f64>| mean(&shares);
    let of_headers = |value: f64| Figure((!each.is_empty()).then_some(value));
    let said = rows.iter().filter(|row| row.tables.said > 0);
    let wanted = rows.iter().filter(|row| row.tables.wanted > 0);
    Summary {
        pages: rows.len(),
        tables,
        precision: tables.precision(),
        recall: tables.recall(),
        f1: tables.f1(),
        f1_error: f1_error(rows),
        page_precision: of_pages(said.map(|row| row.tables.precision()).collect()),
        page_recall: of_pages(wanted.map(|row| row.tables.recall()).collect()),
        strict: Figure::ratio(strict, tables.wanted),
        lenient: Figure::ratio(lenient, tables.wanted),
        strict_error: bootstrap_error(&is_strict),
        header_precision: of_headers(headers.precision()),
        header_recall: of_headers(headers.recall()),
        header_f1: of_headers(headers.f1()),
        header_f1_tables: mean(&each),
        header_error: bootstrap_error(&each),
        by_orientation,
    }
}

/// F1 is not a mean over pages, so each of 2,000 rounds draws pages and computes F1 anew; the seed is fixed.
fn f1_error(rows: &[Row]) -> Figure {
    const ROUNDS: usize = 2000;
    if rows.is_empty() {
        return Figure(None);
    }
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % rows.len() as u64) as usize
    };
    let drawn: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let mut counts = Counts::default();
            (0..rows.len()).for_each(|_| counts.add(rows[draw()].tables));
            counts.f1()
        })
        .collect();
    Figure(Some(deviation(&drawn)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(json: &str) -> TableRecord {
        serde_json::from_str(json).unwrap()
    }

    fn gold() -> Vec<TableRecord> {
        vec![
            line(
                r#"{"page":"p","table":0,"genuine":true,"orientation":"column","also":["row"],
                    "header_cells":[[0,0],[0,1]]}"#,
            ),
            line(r#"{"page":"p","table":1,"genuine":false,"orientation":null,"header_cells":null}"#),
            line(r#"{"page":"p","table":2,"genuine":null,"unsure":true}"#),
            line(r#"{"page":"p","table":3,"genuine":true,"orientation":"none","header_cells":null}"#),
        ]
    }

    fn scored(said: &[TableRecord]) -> Row {
        let gold = gold();
        score("p", &gold.iter().collect::<Vec<_>>(), &said.iter().collect::<Vec<_>>())
    }

    #[test]
    fn what_is_not_found_counts_and_what_is_unsure_does_not() {
        let row = scored(&[
            line(r#"{"page":"p","table":0,"genuine":true,"orientation":"row","header_cells":[[0,0],[1,0]]}"#),
            line(r#"{"page":"p","table":2,"genuine":true}"#),
            line(r#"{"page":"p","table":9,"genuine":true}"#),
        ]);
        assert_eq!((row.tables.right, row.tables.said, row.tables.wanted), (1, 2, 2));
        assert_eq!((row.strict, row.lenient, row.each), (0, 1, vec![0.5]));
    }

    #[test]
    fn a_set_without_header_cells_has_no_figures_of_them() {
        let gold = line(r#"{"page":"p","table":0,"genuine":true,"orientation":"row","header_cells":null}"#);
        let all = summary(&[score("p", &[&gold], &[&gold])]);
        assert_eq!((all.f1, all.strict), (1.0, Figure(Some(1.0))));
        assert_eq!(
            (all.header_f1, all.header_f1_tables, all.header_error),
            (Figure(None), Figure(None), Figure(None))
        );
    }

    #[test]
    fn sums_are_over_tables_and_means_over_pages() {
        let right = scored(&gold());
        let nothing = scored(&[]);
        let all = summary(&[right, nothing]);
        let (half, whole) = (Figure(Some(0.5)), Figure(Some(1.0)));
        assert_eq!((all.precision, all.recall, all.strict), (1.0, 0.5, half));
        assert_eq!((all.page_precision, all.page_recall), (whole, half));
        assert_eq!((all.header_recall, all.header_f1_tables), (half, half));
        assert!(all.f1_error.0.unwrap() > 0.0);
        assert_eq!(all.by_orientation["none"], (2, 1));
    }
}
