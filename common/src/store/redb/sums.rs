//! The sums of the sites in one file: cells by table and key, so that the cells of a label follow one another in each table,
//! and words.

use std::borrow::Cow;
use std::collections::BTreeMap;

use ::redb::{ReadTransaction, ReadableTable, Table as Open, TableDefinition, WriteTransaction};

use crate::store::layout::{self, Place, Word};
use crate::store::log::Flips;
use crate::store::{StoreResult, Sums};
use newslode_page::contribution::{Cell, Delta, Table, first};

/// Number of the site, code of the table, key.
pub(super) type CellKey = (u32, u8, &'static str);
/// Number of the site, term.
pub(super) type WordKey = (u32, &'static str);
/// df, tf and q of a term.
pub(super) type StoredWord = (i64, i64, i64);

pub(super) const CELLS: TableDefinition<'_, CellKey, i64> = TableDefinition::new("cells");
pub(super) const WORDS: TableDefinition<'_, WordKey, StoredWord> = TableDefinition::new("words");
/// Cells as 0.1.0 keyed them.
const FIRST_CELLS: TableDefinition<'_, CellKey, i64> = TableDefinition::new("state_cells");

/// The tables, open for writing.
pub(super) struct SumTables<'t> {
    cells: Open<'t, CellKey, i64>,
    words: Open<'t, WordKey, StoredWord>,
}

impl<'t> SumTables<'t> {
    pub(super) fn open(transaction: &'t WriteTransaction) -> StoreResult<SumTables<'t>> {
        Ok(SumTables { cells: transaction.open_table(CELLS)?, words: transaction.open_table(WORDS)? })
    }

    /// Takes over the cells of 0.1.0, site by site: these are the sites' numbers.
    pub(super) fn upgrade(transaction: &'t WriteTransaction, sites: &[u32]) -> StoreResult<()> {
        let mut held = SumTables::open(transaction)?;
        let old = transaction.open_table(FIRST_CELLS)?;
        for site in sites {
            let mut delta = Delta::default();
            for pair in old.range((*site, 0, "")..(*site + 1, 0, ""))? {
                let (key, count) = pair?;
                let (_, code, key) = key.value();
                if let Some(table) = Table::of_code(char::from(code)) {
                    let cells = first::to_current_cells(table, key, count.value());
                    cells.into_iter().for_each(|(cell, by)| delta.add(cell, by));
                }
            }
            held.add(*site, &Added::of(delta.iter()))?;
        }
        drop(old);
        transaction.delete_table(FIRST_CELLS)?;
        Ok(())
    }

    /// Adds to a site's cells and words. Returns the watched cells that came and went.
    pub(super) fn add(&mut self, site: u32, batch: &Added) -> StoreResult<Flips> {
        let mut flips = Flips::default();
        for (cell, by) in &batch.cells {
            let moved = self.add_cell(site, cell, *by)?;
            if moved != Moved::Stayed && cell.is_watched() {
                let names = if moved == Moved::Came { &mut flips.came } else { &mut flips.went };
                names.extend(cell.home().map(str::to_owned));
            }
        }
        for (term, by) in &batch.words {
            self.add_word(site, term, *by)?;
        }
        Ok(flips)
    }

    fn add_cell(&mut self, site: u32, cell: &Cell, by: i64) -> StoreResult<Moved> {
        let key = (site, code(cell.table), cell.key.as_str());
        // Most cells of a page are new: for them one walk down the tree is enough.
        let Some(held) = self.cells.insert(key, by)?.map(|held| held.value()) else { return Ok(Moved::Came) };
        let sum = held.wrapping_add(by);
        if sum == 0 {
            self.cells.remove(key)?;
            Ok(Moved::Went)
        } else {
            self.cells.insert(key, sum)?;
            Ok(Moved::Stayed)
        }
    }

    fn add_word(&mut self, site: u32, term: &str, [df, tf, q]: Word) -> StoreResult<()> {
        let key = (site, term);
        let Some(held) = self.words.insert(key, (df, tf, q))?.map(|held| held.value()) else { return Ok(()) };
        let sum = (held.0.wrapping_add(df), held.1.wrapping_add(tf), held.2.wrapping_add(q));
        if sum == (0, 0, 0) {
            self.words.remove(key)?;
        } else {
            self.words.insert(key, sum)?;
        }
        Ok(())
    }

    /// Forgets a site's cells and words. Returns the watched cells that went.
    pub(super) fn forget(&mut self, site: u32) -> StoreResult<Flips> {
        let mut flips = Flips::default();
        let labels = code(Table::Labels);
        for pair in self.cells.range((site, labels, "")..(site, labels + 1, ""))? {
            let cell = Cell { table: Table::Labels, key: pair?.0.value().2.to_owned() };
            flips.went.extend(cell.home().filter(|_| cell.is_watched()).map(str::to_owned));
        }
        self.cells.retain_in((site, 0, "")..(site + 1, 0, ""), |_, _| false)?;
        self.words.retain_in((site, "")..(site + 1, ""), |_, _| false)?;
        Ok(flips)
    }
}

/// What became of a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moved {
    Came,
    Went,
    Stayed,
}

/// What a batch adds to a site.
pub(super) struct Added {
    cells: Vec<(Cell, i64)>,
    words: Vec<(String, Word)>,
}

impl Added {
    /// What these sums add; each cell occurs once.
    pub(super) fn of<'c>(sums: impl Iterator<Item = (&'c Cell, i64)>) -> Added {
        let mut cells = Vec::new();
        let mut words: BTreeMap<Cow<str>, Word> = BTreeMap::new();
        for (cell, by) in sums.filter(|(_, by)| *by != 0) {
            match layout::place_of(cell) {
                Place::Cell(_) => cells.push((cell.clone(), by)),
                Place::Word(term, at) => {
                    words.entry(term).or_default().iter_mut().skip(at).take(1).for_each(|part| *part = by);
                }
            }
        }
        // Neighbours in the file follow one another.
        cells.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        let words = words.into_iter().map(|(term, word)| (term.into_owned(), word)).collect();
        Added { cells, words }
    }
}

/// The cells of these tables of a site.
pub(super) fn read_sums(transaction: &ReadTransaction, site: u32, tables: &[Table]) -> StoreResult<Sums> {
    let mut sums = Sums::new();
    let held = transaction.open_table(CELLS)?;
    for table in tables {
        let (cells, code) = (sums.entry(*table).or_default(), code(*table));
        for pair in held.range((site, code, "")..(site, code + 1, ""))? {
            let (key, sum) = pair?;
            cells.insert(key.value().2.to_owned(), sum.value());
        }
        if *table == Table::Terms {
            add_words(transaction, site, cells)?;
        }
    }
    Ok(sums)
}

/// The cells at these homes.
pub(super) fn at_homes(
    transaction: &ReadTransaction,
    site: u32,
    homes: &[String],
) -> StoreResult<Vec<(Cell, i64)>> {
    let held = transaction.open_table(CELLS)?;
    let mut cells = Vec::new();
    for home in homes {
        for table in Table::NAMED {
            // The site's own cells have no more in their keys, and no name continues another.
            let range = held.range((site, code(*table), home.as_str())..)?;
            for pair in range.take(if home.is_empty() { 1 } else { usize::MAX }) {
                let (key, sum) = pair?;
                let (of, letter, key) = key.value();
                let cell = Cell { table: *table, key: key.to_owned() };
                if (of, letter) != (site, code(*table)) || cell.home().unwrap_or(key) != home {
                    break;
                }
                cells.push((cell, sum.value()));
            }
        }
    }
    Ok(cells)
}

/// Adds the counters of a site's words.
fn add_words(transaction: &ReadTransaction, site: u32, cells: &mut BTreeMap<String, i64>) -> StoreResult<()> {
    for pair in transaction.open_table(WORDS)?.range((site, "")..(site + 1, ""))? {
        let (key, word) = pair?;
        let (df, tf, q) = word.value();
        for (at, count) in [df, tf, q].into_iter().enumerate().filter(|(_, count)| *count != 0) {
            cells.insert(layout::word_key(key.value().1, at), count);
        }
    }
    Ok(())
}

/// Codes are ASCII letters.
fn code(table: Table) -> u8 {
    u8::try_from(table.code()).unwrap_or(u8::MAX)
}
