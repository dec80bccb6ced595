//! A batch as the functions take it: the sums of all its changes by group, then the changes' versions.
//!
//! It is MessagePack, because Lua unpacks that in C. URLs are written by [`short`]. Start at [`Sums`].

use std::borrow::Cow;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::pack::version_bytes;
use crate::store::Change;
use crate::store::layout::{self, Place, Word};
use newslode_page::contribution::Cell;
use newslode_page::reading::short::short_url;

/// Into how many groups a site's cells and words are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Groups {
    pub(super) cells: u32,
    pub(super) words: u32,
}

/// The fields that a group of a new site should hold.
const LOAD: usize = 64;

/// What a batch adds to a site, by hash of the home.
pub(super) struct Sums<'a> {
    cells: Vec<(u32, &'a Cell, i64)>,
    words: Vec<(u32, Cow<'a, str>, Word)>,
}

impl<'a> Sums<'a> {
    /// These sums; each cell occurs once.
    pub(super) fn of(sums: impl IntoIterator<Item = (&'a Cell, i64)>) -> Sums<'a> {
        let mut words: FxHashMap<Cow<str>, Word> = FxHashMap::default();
        let mut cells = Vec::new();
        for (cell, by) in sums.into_iter().filter(|(_, by)| *by != 0) {
            match layout::place_of(cell) {
                Place::Word(term, at) => {
                    if let Some(part) = words.entry(term).or_default().get_mut(at) {
                        *part = part.wrapping_add(by);
                    }
                }
                Place::Cell(home) => cells.push((layout::hash(home), cell, by)),
            }
        }
        let words = words.into_iter().map(|(term, word)| (layout::hash(term.as_bytes()), term, word));
        Sums { cells, words: words.collect() }
    }

    /// The groups for a site that has none yet.
    pub(super) fn groups(&self) -> Groups {
        let of = |fields: usize| u32::try_from(fields / LOAD + 1).unwrap_or(u32::MAX);
        Groups { cells: of(self.cells.len()), words: of(self.words.len()) }
    }

    /// `{ groups, cells, words, changes }`.
    pub(super) fn packed(&self, groups: Groups, site: &str, changes: &[&Change]) -> Vec<u8> {
        let mut out = self.packed_sums(groups, 4);
        out.array(6 * changes.len());
        for change in changes {
            out.bytes(short_url(site, &change.url).as_bytes());
            out.bytes(&change.expected.map(version_bytes).unwrap_or_default());
            out.bytes(change.new.fetch.to_string().as_bytes());
            out.bytes(&change.new.content.0);
            out.bytes(change.fetched_at.day().to_string().as_bytes());
            out.bytes(if change.again { b"1" } else { b"" });
        }
        out.0
    }

    /// `{ groups, cells, words, … }`: an array of so many parts.
    pub(super) fn packed_sums(&self, groups: Groups, parts: usize) -> MessagePack {
        let mut out = MessagePack::default();
        out.array(parts);
        out.array(2);
        out.integer(i64::from(groups.cells));
        out.integer(i64::from(groups.words));
        let cells = by_group(&self.cells, groups.cells);
        out.array(3 * cells.len());
        for (group, cells) in cells {
            out.integer(i64::from(group));
            out.array(cells.len());
            cells.iter().for_each(|(_, cell, _)| out.field(cell));
            out.array(cells.len());
            cells.iter().for_each(|(.., by)| out.integer(*by));
        }
        let words = by_group(&self.words, groups.words);
        out.array(3 * words.len());
        for (group, words) in words {
            out.integer(i64::from(group));
            out.array(words.len());
            words.iter().for_each(|(_, term, _)| out.bytes(term.as_bytes()));
            out.array(3 * words.len());
            words.iter().flat_map(|(.., word)| word).for_each(|by| out.integer(*by));
        }
        out
    }
}

fn by_group<T, U>(all: &[(u32, T, U)], groups: u32) -> BTreeMap<u32, Vec<&(u32, T, U)>> {
    let mut sorted: BTreeMap<u32, Vec<&(u32, T, U)>> = BTreeMap::new();
    for one in all {
        sorted.entry(layout::group(one.0, groups)).or_default().push(one);
    }
    sorted
}

/// The part of MessagePack that a batch needs. Integers that a double cannot hold travel as text.
#[derive(Default)]
pub(super) struct MessagePack(pub(super) Vec<u8>);

impl MessagePack {
    /// Below this the functions add doubles, and from here on text (`EXACT` in `state.lua`).
    const EXACT: u64 = 1_000_000_000_000_000;

    pub(super) fn array(&mut self, length: usize) {
        self.0.push(0xdd);
        self.0.extend(u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes());
    }

    /// As a string, since Lua's strings are bytes.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.length(bytes.len());
        self.0.extend(bytes);
    }

    /// A cell's field: the letter of its table and its key.
    fn field(&mut self, cell: &Cell) {
        self.length(1 + cell.key.len());
        self.0.extend(cell.table.code().encode_utf8(&mut [0; 4]).as_bytes());
        self.0.extend(cell.key.as_bytes());
    }

    /// The head of a string.
    fn length(&mut self, bytes: usize) {
        match u8::try_from(bytes) {
            Ok(length) => self.0.extend([0xd9, length]),
            Err(_) => {
                self.0.push(0xdb);
                self.0.extend(u32::try_from(bytes).unwrap_or(u32::MAX).to_be_bytes());
            }
        }
    }

    fn integer(&mut self, value: i64) {
        if value.unsigned_abs() >= Self::EXACT {
            self.bytes(value.to_string().as_bytes());
        } else if let Ok(small @ 0..) = i8::try_from(value) {
            self.0.extend(small.to_be_bytes());
        } else if let Ok(small) = i32::try_from(value) {
            self.0.push(0xd2);
            self.0.extend(small.to_be_bytes());
        } else {
            self.0.push(0xd3);
            self.0.extend(value.to_be_bytes());
        }
    }
}
