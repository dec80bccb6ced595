//! `tables`: the data tables of a page, with records that `pandas.DataFrame` takes.
//!
//! A table keeps the text of each cell once and the records as numbers of cells, since spans may repeat a cell a
//! thousand times; the objects for Python share the texts in the same way. Names of a record's fields are made in
//! [`names`].

mod names;

use std::collections::BTreeMap;
use std::sync::Arc;

use newslode_page::Page;
use newslode_page::tables::{self as found, DataTable, Record};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use serde_json::json;

use crate::guard::guarded;
use crate::input::{Address, Given, Html};
use crate::value::plain;

use names::Names;

/// The data tables of a page, in page order. Tables that only lay out the page are left out.
///
/// >>> import newslode
/// >>> page = '''<table><caption>Prices</caption><tr><th>Fruit<th>Price
/// ... <tr><td>Apple<td>1.20<tr><td>Pear<td>2.10</table>'''
/// >>> table, = newslode.tables(page)
/// >>> table.titles, table.header
/// (['Prices'], ['Fruit', 'Price'])
/// >>> table.records
/// [{'Fruit': 'Apple', 'Price': '1.20'}, {'Fruit': 'Pear', 'Price': '2.10'}]
#[pyfunction]
#[pyo3(signature = (html, url=None, *, content_type=None))]
#[allow(clippy::needless_pass_by_value, reason = "arguments come by value from Python")]
pub(crate) fn tables(
    py: Python<'_>,
    html: Html,
    url: Option<Address>,
    content_type: Option<String>,
) -> PyResult<Vec<Table>> {
    let given = Given::new(html, url, content_type);
    guarded(py, || {
        let page = given.parse();
        found::tables(&page).into_iter().map(|table| Table::new(&page, table)).collect()
    })
}

/// A data table of a page.
///
/// >>> import newslode
/// >>> page = '''<table><tr><td><th>Lane<th>Reyes<tr><th>Goals<td>3<td>5<tr><th>Cards<td>1<td>0</table>'''
/// >>> table, = newslode.tables(page)
/// >>> table.orientation
/// 'row-column'
/// >>> table.cells
/// [['', 'Lane', 'Reyes'], ['Goals', '3', '5'], ['Cards', '1', '0']]
/// >>> table.records
/// [{'': 'Goals', 'Lane': '3', 'Reyes': '5'}, {'': 'Cards', 'Lane': '1', 'Reyes': '0'}]
#[pyclass(frozen, module = "newslode", name = "Table")]
pub(crate) struct Table {
    table: Arc<DataTable>,
    titles: Vec<String>,
    /// The text of each cell of the grid.
    texts: Vec<String>,
    records: Vec<Record>,
    names: Names,
}

impl Table {
    fn new(page: &Page, table: DataTable) -> Table {
        let texts: Vec<String> = (0..table.grid.cells.len()).map(|cell| table.text(page, cell)).collect();
        let records = table.records();
        let names = Names::new(&table, &texts, &records);
        Table { titles: table.titles(page), table: Arc::new(table), texts, records, names }
    }

    fn strings<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyString>> {
        self.texts.iter().map(|text| PyString::new(py, text)).collect()
    }

    fn path(&self, cells: &[usize]) -> Vec<&str> {
        cells.iter().map(|&cell| self.texts[cell].as_str()).filter(|text| !text.is_empty()).collect()
    }

    fn record(&self, record: &Record) -> serde_json::Value {
        let fields: Vec<_> = record
            .fields
            .iter()
            .map(|field| {
                let leaves = self.table.cell_leaves(field.cell);
                json!({
                    "path": self.path(&field.path),
                    "value": self.texts[field.cell],
                    "leaves": [leaves.start, leaves.end],
                })
            })
            .collect();
        json!({ "key": self.path(&record.key), "fields": fields })
    }
}

#[pymethods]
impl Table {
    /// Its number among all tables of the page, those without data included, from 0.
    #[getter]
    fn index(&self) -> usize {
        self.table.index
    }

    /// Its caption and the full-width lines over it.
    #[getter]
    fn titles(&self) -> Vec<String> {
        self.titles.clone()
    }

    /// Where the headers stand: `"column"` (at the top, each row is a record), `"row"` (at the left, each column
    /// is a record), `"row-column"`, `"none"`, or one of these with headers that recur (`"multi-header column"` …).
    #[getter]
    fn orientation(&self) -> &'static str {
        self.table.orientation.name()
    }

    /// Number of rows.
    #[getter]
    fn rows(&self) -> usize {
        self.table.grid.rows.len()
    }

    /// Number of columns.
    #[getter]
    fn columns(&self) -> usize {
        self.table.grid.columns
    }

    /// Whether the table is so large that rows or columns were left out.
    #[getter]
    fn is_cut(&self) -> bool {
        self.table.grid.is_cut
    }

    /// The names of the records' fields: the keys of `records`, in the order in which they come.
    #[getter]
    fn header(&self) -> Vec<String> {
        self.names.all().to_vec()
    }

    /// The records, ready for `pandas.DataFrame(table.records)`.
    ///
    /// The name of a field is the text of its headers, outermost first with " › " between them. If several fields
    /// of a record would have one name, the second is called `"name (2)"`; without any header it is the number of the
    /// column. What names the record itself (the header of its row) stands under the header of that, or under `""`.
    /// A record has no key for a cell that is empty.
    #[getter]
    fn records<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let texts = self.strings(py);
        let names: Vec<Bound<'py, PyString>> =
            self.names.all().iter().map(|name| PyString::new(py, name)).collect();
        let records = PyList::empty(py);
        for (record, names_of) in self.records.iter().zip(self.names.by_record()) {
            let dict = PyDict::new(py);
            if let Some(name) = names_of.key {
                dict.set_item(&names[name], self.path(&record.key).join(names::BETWEEN))?;
            }
            for (field, &name) in record.fields.iter().zip(&names_of.fields) {
                dict.set_item(&names[name], &texts[field.cell])?;
            }
            records.append(dict)?;
        }
        Ok(records)
    }

    /// The cells, row by row. A cell over several rows or columns stands in each; where there is none, the text is
    /// empty.
    #[getter]
    fn cells<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let (texts, empty) = (self.strings(py), PyString::new(py, ""));
        let grid = &self.table.grid;
        let row = |row: usize| {
            PyList::new(
                py,
                grid.row(row).map(|cell| cell.map_or(&empty, |cell| &texts[cell])).collect::<Vec<_>>(),
            )
        };
        PyList::new(py, (0..grid.rows.len()).map(row).collect::<PyResult<Vec<_>>>()?)
    }

    /// The table as a dictionary, as `newslode tables --format json` prints it (without the page's name).
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let table = &self.table;
        let fields = [
            ("table", json!(table.index)),
            ("titles", json!(self.titles)),
            ("orientation", json!(table.orientation.name())),
            ("rows", json!(table.grid.rows.len())),
            ("columns", json!(table.grid.columns)),
            ("leaves", json!([table.leaves.start, table.leaves.end])),
            ("header_cells", json!(table.header_slots())),
            ("records", json!(self.records.iter().map(|record| self.record(record)).collect::<Vec<_>>())),
            ("is_cut", json!(table.grid.is_cut)),
        ];
        plain(py, &BTreeMap::from(fields))
    }

    fn __len__(&self) -> usize {
        self.records.len()
    }

    fn __repr__(&self) -> String {
        let (records, orientation) = (self.records.len(), self.table.orientation.name());
        format!("<Table {}: {records} records, {orientation}>", self.table.index)
    }
}
