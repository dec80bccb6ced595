//! Counters and their changes: the form in which a store holds contributions.
//!
//! A [`Cell`] is a [`Table`] and a key. A [`Delta`] is what a new version of a page adds to cells.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::names::split_name;
use super::{Contribution, Role};

/// Separates the parts of a key without names; never part of a label, term or URL.
pub const SEPARATOR: char = '\u{1f}';

/// The kinds of counters that a site's state is made of. In keys, labels and lists are [names](super::names) of equal
/// length, which need no separator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Table {
    /// `""` → number of pages counted.
    Pages,
    /// `label role` → pages that show the label in that role; the role is [`Role::letter`](super::Role::letter).
    /// The key of [`Role::Any`](super::Role::Any) ends with the label's text.
    Labels,
    /// `label form` → pages that write the label like that.
    Forms,
    /// `broader narrower level` → pages where `narrower` has `broader` as its level-th labelled ancestor, at
    /// the least such level of the page (`[OM05 §5]`).
    Pairs,
    /// `df ␟ term`, `tf ␟ term`, `q ␟ term` → document frequency, Σ tf, Σ q(tf) (`[W §3]`).
    Terms,
    /// `label URL` → pages where the label links to that page of the same site; the URL as
    /// [`short`](crate::reading::short) writes it.
    Targets,
    /// `label list` → pages that show the label in that list.
    Lists,
    /// `page story` → 1 if that page of the site files that story, `page` → 1 for each page that is counted; both are
    /// names of [`url_id`](super::url_id)s.
    Filed,
    /// `story` → pages that file it; `""` → pages that file any.
    Stories,
    /// `broader narrower stems` → pages where `broader` is an item over a list with `narrower`, or a directory
    /// above `narrower` in the path of a link; the number is that of the stems of `narrower`.
    Nested,
    /// `label` → pages that link to stories in a directory with this name.
    Directories,
    /// `label text` → uses of the label in [`Table::Nested`] and [`Table::Directories`]. These may name labels that
    /// no page shows.
    Texts,
    /// `rest label` → pages that show the label, where `rest` is the label without its numbers
    /// ([`without_numbers`](super::names::without_numbers)).
    Numbered,
}

impl Table {
    /// All tables.
    pub const ALL: &'static [Table] = &[
        Table::Pages,
        Table::Labels,
        Table::Forms,
        Table::Pairs,
        Table::Targets,
        Table::Lists,
        Table::Filed,
        Table::Stories,
        Table::Nested,
        Table::Directories,
        Table::Texts,
        Table::Numbered,
        Table::Terms,
    ];

    /// All tables but [`Table::Terms`]: those that a fold reads.
    pub const NAMED: &'static [Table] = match Table::ALL.split_last() {
        Some((_, named)) => named,
        None => &[],
    };

    /// A letter that never changes: it is part of keys on disk and in Redis.
    #[must_use]
    pub fn code(self) -> char {
        match self {
            Table::Pages => 'n',
            Table::Labels => 'l',
            Table::Forms => 'f',
            Table::Pairs => 'p',
            Table::Terms => 't',
            Table::Targets => 'k',
            Table::Lists => 'g',
            Table::Filed => 'y',
            Table::Stories => 's',
            Table::Nested => 'h',
            Table::Directories => 'd',
            Table::Texts => 'x',
            Table::Numbered => 'u',
        }
    }

    /// The table with this code.
    #[must_use]
    pub fn of_code(code: char) -> Option<Table> {
        Table::ALL.iter().copied().find(|table| table.code() == code)
    }
}

/// The name of one counter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Cell {
    /// The table.
    pub table: Table,
    /// See [`Table`].
    pub key: String,
}

impl Cell {
    /// The cell whose key has these parts.
    #[must_use]
    pub fn new(table: Table, parts: &[&str]) -> Cell {
        Cell { table, key: parts.join("\u{1f}") }
    }

    /// The name that the cell belongs to: of a label, page or story. `None`: it belongs to the whole site, or is a
    /// term's.
    #[must_use]
    pub fn home(&self) -> Option<&str> {
        match self.table {
            Table::Pages | Table::Terms => None,
            _ => split_name(&self.key).map(|(home, _)| home),
        }
    }

    /// Whether stores report when the cell appears and disappears. These cells record whether a site links a label.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        self.table == Table::Labels
            && split_name(&self.key).is_some_and(|(_, role)| role.chars().eq([Role::Link.letter()]))
    }
}

/// Changes of counters: new contribution minus old one. No entry is zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delta(BTreeMap<Cell, i64>);

impl Delta {
    /// Adds `by` to a cell; a cell that becomes zero is removed. Wraps on overflow, so subtraction always
    /// undoes addition.
    pub fn add(&mut self, cell: Cell, by: i64) {
        use std::collections::btree_map::Entry;
        match self.0.entry(cell) {
            Entry::Vacant(vacant) if by != 0 => {
                vacant.insert(by);
            }
            Entry::Vacant(_) => {}
            Entry::Occupied(mut entry) => {
                let sum = entry.get().wrapping_add(by);
                if sum == 0 {
                    entry.remove();
                } else {
                    entry.insert(sum);
                }
            }
        }
    }

    /// `new − old`; either may be missing.
    #[must_use]
    pub fn between(old: Option<&Contribution>, new: Option<&Contribution>) -> Delta {
        let mut cells = new.map(Contribution::cells).unwrap_or_default();
        let old = old.map(Contribution::cells).unwrap_or_default();
        cells.extend(old.into_iter().map(|(cell, count)| (cell, count.wrapping_neg())));
        // Sorted first, because a map is built faster from sorted entries.
        cells.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        cells.dedup_by(|next, entry| {
            let is_same = next.0 == entry.0;
            if is_same {
                entry.1 = entry.1.wrapping_add(next.1);
            }
            is_same
        });
        cells.retain(|(_, by)| *by != 0);
        Delta(cells.into_iter().collect())
    }

    /// The changed cells in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Cell, i64)> {
        self.0.iter().map(|(cell, by)| (cell, *by))
    }

    /// True if nothing changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of changed cells.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contribution::names::short_name;

    #[test]
    fn a_cell_knows_its_home_and_whether_it_is_watched() {
        let label = short_name("en:jazz");
        let cell = |table, key: &str| Cell { table, key: key.to_owned() };
        assert_eq!(cell(Table::Forms, &format!("{label}Jazz")).home(), Some(label.as_str()));
        assert_eq!(cell(Table::Terms, "tf\u{1f}internationalisation").home(), None);
        assert_eq!(
            (cell(Table::Forms, "short").home(), cell(Table::Forms, "日本語日本語").home()),
            (None, None)
        );
        let watched = [("l", true), ("a", false), ("length", false), ("", false)];
        for (role, is_watched) in watched {
            assert_eq!(cell(Table::Labels, &format!("{label}{role}")).is_watched(), is_watched);
            assert!(!cell(Table::Forms, &format!("{label}{role}")).is_watched());
        }
    }
}
