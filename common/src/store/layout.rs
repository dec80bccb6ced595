//! How the stores lay counters out: which lie together, and which become one.
//!
//! - The cells of a label lie together, so that one label can be read alone; so do those of a page and of a story. A cell's
//!   *home* is that name.
//! - The three counters of a term (df, tf, q) become one [`Word`], since they nearly always change together. A key of
//!   that table which names none of them is a word of its own, marked by a separator.
//!
//! Redis keeps cells in many small hashes, which it packs tightly. A site's number of *groups* grows with it by linear
//! hashing: one group is split at a time. Start at [`place_of`] and [`group`].

use std::borrow::Cow;

use newslode_page::contribution::names::NAME_LEN;
use newslode_page::contribution::{Cell, SEPARATOR, Table};

/// The counters of a term, and what a batch adds to them.
pub(super) type Word = [i64; 3];

/// The codes of a [`Word`]'s counters in keys, in its order.
pub(super) const PARTS: [&str; 3] = ["df", "tf", "q"];

/// Where a counter lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place<'a> {
    /// In the word of this term, at this place.
    Word(Cow<'a, str>, usize),
    /// With all cells of this home.
    Cell(&'a [u8]),
}

/// Where a counter lies.
pub(super) fn place_of(cell: &Cell) -> Place<'_> {
    let key = cell.key.as_bytes();
    match cell.table {
        Table::Terms => {
            let counter = cell.key.split_once(SEPARATOR).and_then(|(part, term)| {
                let at = PARTS.iter().position(|known| *known == part)?;
                (!term.starts_with(SEPARATOR)).then_some((term, at))
            });
            match counter {
                Some((term, at)) => Place::Word(Cow::Borrowed(term), at),
                None => Place::Word(Cow::Owned(format!("{SEPARATOR}{}", cell.key)), 0),
            }
        }
        Table::Pages => Place::Cell(key),
        _ => Place::Cell(key.get(..NAME_LEN).unwrap_or(key)),
    }
}

/// The key of one counter of a word.
pub(super) fn word_key(term: &str, at: usize) -> String {
    if let Some(other) = term.strip_prefix(SEPARATOR) {
        return other.to_owned();
    }
    format!("{}{SEPARATOR}{term}", PARTS.get(at).copied().unwrap_or_default())
}

/// A number below 2³¹ − 1 for a home or a term, from its first eight bytes and its length. `hashed` in `groups.lua` is the same.
pub(super) fn hash(home: &[u8]) -> u32 {
    let first = |at: usize| u64::from(home.get(at).copied().unwrap_or(0));
    let hash = (0..8).fold(home.len() as u64 % 256, |hash, at| hash * 31 + first(at));
    u32::try_from(hash % 0x7fff_ffff).unwrap_or(u32::MAX)
}

/// The group of a hash among this many groups: those before the last full power of two are split already.
/// `group` in `groups.lua` is the same.
pub(super) fn group(hash: u32, groups: u32) -> u32 {
    let level = 1 << groups.max(1).ilog2();
    let at = hash % (level * 2);
    if at >= groups.max(1) { at - level } else { at }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counters_of_a_term_are_one_word_and_those_of_a_label_have_one_home() {
        let cell = |table, key: &str| Cell { table, key: key.to_owned() };
        for (key, term, at) in [
            ("tf\u{1f}jazz", "jazz", 1),
            ("jazz", "\u{1f}jazz", 0),
            ("df\u{1f}\u{1f}", "\u{1f}df\u{1f}\u{1f}", 0),
        ] {
            assert_eq!(place_of(&cell(Table::Terms, key)), Place::Word(term.into(), at));
            assert_eq!(word_key(term, at), key);
        }
        for key in ["abcdefghijka", "abcdefghijkJazz"] {
            assert_eq!(place_of(&cell(Table::Forms, key)), Place::Cell(b"abcdefghijk"));
        }
        assert_eq!(place_of(&cell(Table::Pages, "abcdefghijkl")), Place::Cell(b"abcdefghijkl"));
        assert_eq!(place_of(&cell(Table::Labels, "short")), Place::Cell(b"short"));
    }

    #[test]
    fn a_new_group_takes_from_one_other_alone() {
        for groups in 1..70 {
            let level = 1 << u32::ilog2(groups);
            for hash in 0..500 {
                let (before, after) = (group(hash, groups), group(hash, groups + 1));
                assert!(
                    before < groups && (after == before || (after == groups && before == groups - level))
                );
            }
        }
    }
}
