//! The part of a site's sums that a fold needs.
//!
//! A fold asks about labels that sites *link* on at least `support` sites ([`World`](super::world::World)), and about labels that a site files
//! below these. With all other cells left out the taxonomy is the same to the bit. So a miner keeps, of each site, the cells at some *homes*: frequent labels, the labels nested below them, the
//! pages to which these lead, the stories that such pages file, and labels without their numbers.
//!
//! A part is kept right by what the log says was added ([`Part::add`]). A home that it did not keep before is read from the
//! store, once, with the position at which that is right; earlier additions to it are passed over from then on. Homes that are
//! no longer needed do no harm: they are dropped when they have become many ([`Part::prune`]). Between changes the cells lie
//! packed ([`Part::pack`]).

use std::collections::BTreeMap;

use newslode_page::contribution::names::{bits, name, of_bits, split, without_numbers};
use newslode_page::contribution::{Cell, Role, Table};
use newslode_page::reading::Site;
use newslode_page::reading::short::long;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

mod packed;

use super::summary::{SiteSummary, Tables, page_name};
use super::world::Frequent;

/// The most stems of a label that a single site may add below a concept: as in the fold's expansion.
const MOST_STEMS: usize = 3;
/// Homes beyond those in use that are kept before they are dropped.
const SPARE: usize = 1_000;

/// The cells of one site at some homes.
#[derive(Clone, Debug)]
pub struct Part {
    site: Site,
    /// Empty while they lie packed.
    tables: Tables,
    packed: Option<Vec<u8>>,
    pages: i64,
    /// Homes of this site alone.
    own: FxHashSet<u64>,
    /// Labels that are no longer frequent: those of them that have cells are homes of this site alone.
    left: FxHashSet<u64>,
    /// Homes that were read behind additions that are still to come: they are right at these positions.
    read_at: FxHashMap<u64, u64>,
    /// Homes that are needed and not kept yet.
    wanted: FxHashSet<String>,
    /// Homes in use when these were last counted.
    in_use: usize,
}

/// A part as it is kept elsewhere. It is of use beside the labels that were frequent then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredPart {
    own: Vec<u64>,
    read_at: Vec<(u64, u64)>,
    cells: Vec<u8>,
}

impl Part {
    /// Whether homes are still to be read.
    #[must_use]
    pub fn is_wanting(&self) -> bool {
        !self.wanted.is_empty()
    }

    /// Whether it has no page and no cell.
    pub fn is_empty(&mut self) -> bool {
        self.pages == 0 && self.cells() == 0
    }

    /// The part to be kept elsewhere, once all homes are read; `None` if it cannot be written.
    pub fn stored(&mut self) -> Option<StoredPart> {
        self.open();
        self.pack();
        let mut own: Vec<u64> = self.own.iter().copied().collect();
        own.sort_unstable();
        let mut read_at: Vec<(u64, u64)> = self.read_at.iter().map(|(home, read)| (*home, *read)).collect();
        read_at.sort_unstable();
        Some(StoredPart { own, read_at, cells: self.packed.clone()? })
    }

    /// The part that was kept elsewhere, given the labels that are frequent; no fewer than when it was written may
    /// have been. `None` if it is broken.
    #[must_use]
    pub fn restored(site: Site, stored: StoredPart, frequent: &Frequent) -> Option<Part> {
        let tables = packed::unpack(&stored.cells)?;
        let pages = tables.get(&Table::Pages).and_then(|cells| cells.values().next()).copied();
        let mut part = Part::of(site, &Tables::new(), frequent);
        part.pages = pages.unwrap_or(0);
        part.own = stored.own.into_iter().collect();
        // A label that was frequent when the part was written, and is no longer, is the site's own.
        let homes =
            tables.iter().filter(|(table, _)| **table != Table::Pages).flat_map(|(_, cells)| cells.keys());
        let homes = homes.filter_map(|key| split(key)).filter_map(|(home, _)| bits(home));
        part.own.extend(homes.filter(|home| !frequent.contains(home)));
        part.read_at = stored.read_at.into_iter().collect();
        part.in_use = part.own.len();
        part.tables = tables;
        Some(part)
    }

    /// The part of a site of which all cells are known.
    #[must_use]
    pub fn of(site: Site, tables: &Tables, frequent: &Frequent) -> Part {
        let mut part = Part {
            site,
            tables: Tables::new(),
            packed: None,
            pages: 0,
            own: FxHashSet::default(),
            left: FxHashSet::default(),
            read_at: FxHashMap::default(),
            wanted: FxHashSet::default(),
            in_use: 0,
        };
        let mut by_home: FxHashMap<&str, Vec<(Table, &str, i64)>> = FxHashMap::default();
        for (table, cells) in tables {
            for (key, by) in cells {
                let home = split(key).map_or("", |(home, _)| home);
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
            for wanted in std::mem::take(&mut part.wanted) {
                part.own.extend(bits(&wanted));
                open.push(wanted);
            }
        }
        part.in_use = part.own.len();
        part
    }

    /// Adds what the entry of the log at this position added to the site's cells.
    pub fn add(&mut self, position: u64, cells: &[(Cell, i64)], frequent: &Frequent) {
        self.open();
        for (cell, by) in cells {
            // Cells without a home are the whole site's.
            if let Some(home) = cell.home().and_then(bits) {
                let is_kept = frequent.contains(&home) || self.own.contains(&home);
                if !is_kept || self.read_at.get(&home).is_some_and(|read| *read >= position) {
                    continue;
                }
            }
            let held = self.tables.get(&cell.table).and_then(|cells| cells.get(&cell.key)).copied();
            self.set(cell.clone(), held.unwrap_or(0).wrapping_add(*by), frequent);
        }
    }

    /// Takes cells over that were read at their homes: these are right at a position.
    pub fn learn(&mut self, homes: &[String], position: u64, cells: Vec<(Cell, i64)>, frequent: &Frequent) {
        for home in homes {
            self.wanted.remove(home);
            let Some(bits) = bits(home) else { continue };
            if !frequent.contains(&bits) {
                self.own.insert(bits);
            }
            self.read_at.insert(bits, position);
        }
        if cells.is_empty() {
            return;
        }
        self.open();
        for (cell, by) in cells {
            self.set(cell, by, frequent);
        }
    }

    /// The site was forgotten by the entry of the log at this position. What was read behind it stays.
    pub fn forget(&mut self, position: u64) {
        self.open();
        let stays = |home: Option<&str>| {
            let home = home.and_then(bits);
            home.and_then(|home| self.read_at.get(&home)).is_some_and(|read| *read >= position)
        };
        for (table, cells) in &mut self.tables {
            cells.retain(|key, _| stays(split(key).map(|(home, _)| home).filter(|_| *table != Table::Pages)));
        }
        self.pages = 0;
    }

    /// A label is no longer frequent. Its cells stay, as if they were needed for another reason, until they are dropped.
    pub fn leave(&mut self, label: &str) {
        self.left.extend(bits(label));
    }

    /// Whether the cells at a home are kept, though it is not frequent.
    fn has(&self, home: &str) -> bool {
        bits(home).is_some_and(|home| self.own.contains(&home) || self.left.contains(&home))
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
    fn open(&mut self) {
        if let Some(packed) = self.packed.take() {
            self.tables = packed::unpack(&packed).unwrap_or_default();
        }
        for label in std::mem::take(&mut self.left) {
            let name = of_bits(label);
            let is_home = |cells: &BTreeMap<String, i64>| {
                cells.range(name.clone()..).next().is_some_and(|(key, _)| key.starts_with(&name))
            };
            if self.tables.values().any(is_home) {
                self.own.insert(label);
            }
        }
    }

    /// Forgets what was read behind additions, now that all through this position were taken.
    pub fn settle(&mut self, position: u64) {
        self.read_at.retain(|_, read| *read > position);
    }

    /// Labels became frequent: their cells are needed, unless they are kept.
    pub fn join(&mut self, labels: &[String]) {
        let unknown: Vec<String> = labels.iter().filter(|label| !self.has(label)).cloned().collect();
        self.wanted.extend(unknown);
    }

    /// Homes that are needed and not kept yet, and so are to be read ([`Part::learn`]); in order.
    #[must_use]
    pub fn wanted(&self) -> Vec<String> {
        let mut wanted: Vec<String> = self.wanted.iter().cloned().collect();
        wanted.sort_unstable();
        wanted
    }

    /// Drops homes that are not needed, if they have become many.
    pub fn prune(&mut self, frequent: &Frequent) {
        if self.own.len() > 2 * self.in_use + SPARE {
            self.open();
            let read_at = std::mem::take(&mut self.read_at);
            let wanted = std::mem::take(&mut self.wanted);
            *self = Part { read_at, ..Part::of(self.site.clone(), &self.tables, frequent) };
            self.wanted = wanted;
        }
    }

    /// Number of counted pages.
    #[must_use]
    pub fn pages(&self) -> i64 {
        self.pages
    }

    /// What the fold reads.
    #[must_use]
    pub fn summary(&mut self) -> SiteSummary {
        self.open();
        SiteSummary::of(self.site.clone(), &self.tables)
    }

    /// Number of cells.
    #[must_use]
    pub fn cells(&mut self) -> usize {
        self.open();
        self.tables.values().map(BTreeMap::len).sum()
    }

    fn keeps(&self, home: &str, frequent: &Frequent) -> bool {
        bits(home).is_some_and(|home| frequent.contains(&home) || self.own.contains(&home))
    }

    /// Sets a cell. A new cell may need other homes.
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
            if let Some(home) = needed(&self.site, &cell).filter(|home| !self.keeps(home, frequent)) {
                self.wanted.insert(home);
            }
        }
    }
}

/// The homes that a kept cell needs.
fn needed(site: &Site, cell: &Cell) -> Option<String> {
    let (_, rest) = split(&cell.key)?;
    match cell.table {
        // A label below a kept one.
        Table::Nested => {
            let (narrower, stems) = split(rest)?;
            (stems.parse::<usize>().ok()? <= MOST_STEMS).then(|| narrower.to_owned())
        }
        // A page to which a kept label leads.
        Table::Targets => {
            let url = long(site.as_str(), rest).ok()?;
            (!url.is_front_page()).then(|| page_name(&url))
        }
        // A story of a kept page.
        Table::Filed => (!rest.is_empty()).then(|| rest.to_owned()),
        // How many labels differ from a kept one in numbers alone.
        Table::Labels => without_numbers(rest.strip_prefix(Role::Any.letter())?).map(|rest| name(&rest)),
        _ => None,
    }
}

fn is_in(frequent: &Frequent, home: &str) -> bool {
    bits(home).is_some_and(|home| frequent.contains(&home))
}
