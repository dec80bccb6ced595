//! The part of a site's sums that a fold needs.
//!
//! A fold needs the labels that at least `support` sites link ([`World`](super::world::World)), and labels that a site files
//! below these. Without all other cells the taxonomy is the same to the bit. So a miner keeps, of each site, only the cells of
//! some *homes*: frequent labels, the labels nested below them, the pages to which these lead, the stories that such pages
//! file, and labels without their numbers.
//!
//! A part is kept up to date by the changes in the log ([`Part::add`]). A home that becomes needed is read from the store
//! once, with the log position up to which its cells are right; earlier changes to it are then skipped. Homes that are no
//! longer needed do no harm, and are dropped when there are many ([`Part::prune`]). Between changes the cells are packed
//! ([`Part::pack`]).

use std::collections::BTreeMap;

use newslode_page::contribution::names::{
    name_bits, name_from_bits, short_name, split_name, without_numbers,
};
use newslode_page::contribution::{Cell, Role, Table};
use newslode_page::reading::Site;
use newslode_page::reading::short::full_url;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

mod packed;

use super::summary::{SiteSummary, Tables, page_name};
use super::world::Frequent;

/// Maximum number of stems of a label that a single site may add below a concept: the same as in the fold's expansion.
const MOST_STEMS: usize = 3;
/// Number of homes beyond those in use from which unused ones are dropped.
const SPARE: usize = 1_000;

/// The cells of one site that have certain homes.
#[derive(Clone, Debug)]
pub struct Part {
    site: Site,
    /// Empty while the cells are packed.
    tables: Tables,
    packed: Option<Vec<u8>>,
    pages: i64,
    /// Homes that are kept though they are not frequent labels.
    own: FxHashSet<u64>,
    /// Labels that are no longer frequent. Those that have cells move to `own` when the cells are unpacked.
    no_longer_frequent: FxHashSet<u64>,
    /// Homes that were read from the store ahead of the log, with the positions up to which they are right.
    read_at: FxHashMap<u64, u64>,
    /// Homes that are needed and still to be read.
    missing: FxHashSet<String>,
    /// Number of homes in use when they were last counted.
    in_use: usize,
}

/// A part as it is saved. It is valid with the labels that were frequent when it was saved, or more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredPart {
    own: Vec<u64>,
    read_at: Vec<(u64, u64)>,
    cells: Vec<u8>,
}

impl Part {
    /// Whether homes are still to be read.
    #[must_use]
    pub fn has_missing_homes(&self) -> bool {
        !self.missing.is_empty()
    }

    /// Whether it has no page and no cell.
    pub fn is_empty(&mut self) -> bool {
        self.pages == 0 && self.cells() == 0
    }

    /// The part to save, once all homes are read; `None` if it cannot be packed.
    pub fn stored(&mut self) -> Option<StoredPart> {
        self.unpack();
        self.pack();
        let mut own: Vec<u64> = self.own.iter().copied().collect();
        own.sort_unstable();
        let mut read_at: Vec<(u64, u64)> = self.read_at.iter().map(|(home, read)| (*home, *read)).collect();
        read_at.sort_unstable();
        Some(StoredPart { own, read_at, cells: self.packed.clone()? })
    }

    /// A saved part, given the frequent labels, which must include those of the time when it was saved. `None` if it is
    /// damaged.
    #[must_use]
    pub fn restored(site: Site, stored: StoredPart, frequent: &Frequent) -> Option<Part> {
        let tables = packed::unpack(&stored.cells)?;
        let pages = tables.get(&Table::Pages).and_then(|cells| cells.values().next()).copied();
        let mut part = Part::of(site, &Tables::new(), frequent);
        part.pages = pages.unwrap_or(0);
        part.own = stored.own.into_iter().collect();
        // A home of cells that is no frequent label is kept for another reason.
        let homes =
            tables.iter().filter(|(table, _)| **table != Table::Pages).flat_map(|(_, cells)| cells.keys());
        let homes = homes.filter_map(|key| split_name(key)).filter_map(|(home, _)| name_bits(home));
        part.own.extend(homes.filter(|home| !frequent.contains(home)));
        part.read_at = stored.read_at.into_iter().collect();
        part.in_use = part.own.len();
        part.tables = tables;
        Some(part)
    }

    /// The part of a site, given all of its cells. Starts from the frequent labels and takes in the homes that their cells need,
    /// until no new ones are needed.
    #[must_use]
    pub fn of(site: Site, tables: &Tables, frequent: &Frequent) -> Part {
        let mut part = Part {
            site,
            tables: Tables::new(),
            packed: None,
            pages: 0,
            own: FxHashSet::default(),
            no_longer_frequent: FxHashSet::default(),
            read_at: FxHashMap::default(),
            missing: FxHashSet::default(),
            in_use: 0,
        };
        let mut by_home: FxHashMap<&str, Vec<(Table, &str, i64)>> = FxHashMap::default();
        for (table, cells) in tables {
            for (key, by) in cells {
                let home = split_name(key).map_or("", |(home, _)| home);
                by_home.entry(home).or_default().push((*table, key, *by));
            }
        }
        let mut open: Vec<String> = by_home
            .keys()
            .filter(|home| home.is_empty() || is_in(frequent, home))
            .map(|home| (*home).to_owned())
            .collect();
        while let Some(home) = open.pop() {
            for (table, key, by) in by_home.remove(home.as_str()).unwrap_or_default() {
                part.set(Cell { table, key: key.to_owned() }, by, frequent);
            }
            for home in std::mem::take(&mut part.missing) {
                part.own.extend(name_bits(&home));
                open.push(home);
            }
        }
        part.in_use = part.own.len();
        part
    }

    /// Adds the changes of the log entry at this position.
    pub fn add(&mut self, position: u64, cells: &[(Cell, i64)], frequent: &Frequent) {
        self.unpack();
        for (cell, by) in cells {
            // Cells without a home belong to the whole site.
            if let Some(home) = cell.home().and_then(name_bits) {
                let is_kept = frequent.contains(&home) || self.own.contains(&home);
                if !is_kept || self.read_at.get(&home).is_some_and(|read| *read >= position) {
                    continue;
                }
            }
            let held = self.tables.get(&cell.table).and_then(|cells| cells.get(&cell.key)).copied();
            self.set(cell.clone(), held.unwrap_or(0).wrapping_add(*by), frequent);
        }
    }

    /// Takes over the cells of homes as they were read from the store, right up to a position.
    pub fn fill(&mut self, homes: &[String], position: u64, cells: Vec<(Cell, i64)>, frequent: &Frequent) {
        for home in homes {
            self.missing.remove(home);
            let Some(bits) = name_bits(home) else { continue };
            if !frequent.contains(&bits) {
                self.own.insert(bits);
            }
            self.read_at.insert(bits, position);
        }
        if cells.is_empty() {
            return;
        }
        self.unpack();
        for (cell, by) in cells {
            self.set(cell, by, frequent);
        }
    }

    /// Drops all cells: the log entry at this position forgot the site. Homes that were read after it stay.
    pub fn forget(&mut self, position: u64) {
        self.unpack();
        let stays = |home: Option<&str>| {
            let home = home.and_then(name_bits);
            home.and_then(|home| self.read_at.get(&home)).is_some_and(|read| *read >= position)
        };
        for (table, cells) in &mut self.tables {
            cells.retain(|key, _| {
                stays(split_name(key).map(|(home, _)| home).filter(|_| *table != Table::Pages))
            });
        }
        self.pages = 0;
    }

    /// Marks a label as no longer frequent. Its cells stay until unused homes are dropped.
    pub fn unmark_frequent(&mut self, label: &str) {
        self.no_longer_frequent.extend(name_bits(label));
    }

    /// Whether the cells of a home are kept though it is no frequent label.
    fn has(&self, home: &str) -> bool {
        name_bits(home)
            .is_some_and(|home| self.own.contains(&home) || self.no_longer_frequent.contains(&home))
    }

    /// Packs the cells until they are needed.
    pub fn pack(&mut self) {
        if self.packed.is_none() {
            self.packed = packed::pack(&self.tables);
            if self.packed.is_some() {
                self.tables = Tables::new();
            }
        }
    }

    /// Unpacks the cells.
    fn unpack(&mut self) {
        if let Some(packed) = self.packed.take() {
            self.tables = packed::unpack(&packed).unwrap_or_default();
        }
        for label in std::mem::take(&mut self.no_longer_frequent) {
            let name = name_from_bits(label);
            let is_home = |cells: &BTreeMap<String, i64>| {
                cells.range(name.clone()..).next().is_some_and(|(key, _)| key.starts_with(&name))
            };
            if self.tables.values().any(is_home) {
                self.own.insert(label);
            }
        }
    }

    /// Forgets which homes were read ahead of the log, now that all entries up to this position are added.
    pub fn forget_read_positions(&mut self, position: u64) {
        self.read_at.retain(|_, read| *read > position);
    }

    /// Marks labels as frequent: their cells are needed, unless they are kept already.
    pub fn mark_frequent(&mut self, labels: &[String]) {
        let unknown: Vec<String> = labels.iter().filter(|label| !self.has(label)).cloned().collect();
        self.missing.extend(unknown);
    }

    /// Homes that are needed and still to be read ([`Part::fill`]), in order.
    #[must_use]
    pub fn missing_homes(&self) -> Vec<String> {
        let mut missing: Vec<String> = self.missing.iter().cloned().collect();
        missing.sort_unstable();
        missing
    }

    /// Drops homes that are not needed, if there are many.
    pub fn prune(&mut self, frequent: &Frequent) {
        if self.own.len() > 2 * self.in_use + SPARE {
            self.unpack();
            let read_at = std::mem::take(&mut self.read_at);
            let missing = std::mem::take(&mut self.missing);
            *self = Part { read_at, ..Part::of(self.site.clone(), &self.tables, frequent) };
            self.missing = missing;
        }
    }

    /// Number of counted pages.
    #[must_use]
    pub fn pages(&self) -> i64 {
        self.pages
    }

    /// The summary that the fold reads.
    #[must_use]
    pub fn summary(&mut self) -> SiteSummary {
        self.unpack();
        SiteSummary::of(self.site.clone(), &self.tables)
    }

    /// Number of cells.
    #[must_use]
    pub fn cells(&mut self) -> usize {
        self.unpack();
        self.tables.values().map(BTreeMap::len).sum()
    }

    fn keeps(&self, home: &str, frequent: &Frequent) -> bool {
        name_bits(home).is_some_and(|home| frequent.contains(&home) || self.own.contains(&home))
    }

    /// Sets a cell. A new cell may make other homes needed.
    fn set(&mut self, cell: Cell, by: i64, frequent: &Frequent) {
        if cell.table == Table::Pages {
            self.pages = by;
        }
        let cells = self.tables.entry(cell.table).or_default();
        if by == 0 {
            cells.remove(&cell.key);
        } else if let Some(held) = cells.get_mut(&cell.key) {
            *held = by;
        } else {
            cells.insert(cell.key.clone(), by);
            if let Some(home) = home_needed_by(&self.site, &cell).filter(|home| !self.keeps(home, frequent)) {
                self.missing.insert(home);
            }
        }
    }
}

/// The home that a cell makes needed, if any.
fn home_needed_by(site: &Site, cell: &Cell) -> Option<String> {
    let (_, rest) = split_name(&cell.key)?;
    match cell.table {
        // A label below a kept one.
        Table::Nested => {
            let (narrower, stems) = split_name(rest)?;
            (stems.parse::<usize>().ok()? <= MOST_STEMS).then(|| narrower.to_owned())
        }
        // A page to which a kept label leads.
        Table::Targets => {
            let url = full_url(site.as_str(), rest).ok()?;
            (!url.is_front_page()).then(|| page_name(&url))
        }
        // A story of a kept page.
        Table::Filed => (!rest.is_empty()).then(|| rest.to_owned()),
        // How many labels differ from a kept one in numbers alone.
        Table::Labels => {
            without_numbers(rest.strip_prefix(Role::Any.letter())?).map(|rest| short_name(&rest))
        }
        _ => None,
    }
}

fn is_in(frequent: &Frequent, home: &str) -> bool {
    name_bits(home).is_some_and(|home| frequent.contains(&home))
}
