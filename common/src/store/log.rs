//! The log of a bucket: what changed in its sites' sums, in order.
//!
//! A reader that knows the sums at one position of the log, and reads on from there, knows them at each later position; so it
//! pays for the changes, not for the sums. Each call that changes sums appends one [`Logged`], in the same transaction. It has
//! a [`Note`] of what the call added, and the [`Flips`], which only the store can know. The oldest entries are dropped once the
//! log has [`MOST_BYTES`]; a reader that fell behind reads its sites whole. When a site is forgotten, only the flips of its
//! entries stay: they are names of labels, of which a reader that counts labels must see each come and go.

use serde::{Deserialize, Serialize};

use super::change::Change;
use super::error::{StoreError, StoreResult};
use crate::compression;
use crate::message::wire;
use crate::version::ContentHash;
use newslode_page::contribution::names::NAME_LEN;
use newslode_page::contribution::{Cell, Table};
use newslode_page::reading::short::short_url;
use newslode_page::reading::{CanonicalUrl, Site};

/// Bytes of a bucket's log from which its oldest entries are dropped.
pub const MOST_BYTES: u64 = 1 << 20;
/// Number of the note's format.
const FORM: u8 = 1;

/// A part of a bucket's log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// Position of the last entry that was dropped; 0 if none was. A reader at an earlier position has a gap.
    pub dropped: u64,
    /// Position of the last entry that was ever appended; 0 if there was none.
    pub end: u64,
    /// Entries in the order of their positions, without gaps.
    pub entries: Vec<Logged>,
}

/// One change of a site's sums.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logged {
    /// Position in the bucket's log; the first is 1.
    pub position: u64,
    /// The site.
    pub site: Site,
    /// Whether the site was forgotten: nothing is left of its sums.
    pub is_forgotten: bool,
    /// What was added.
    pub note: Note,
    /// Which watched cells came and went.
    pub flips: Flips,
}

/// The cells of some homes, and the position of the log at which these are the sums.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// Position of the last entry that is part of the sums.
    pub position: u64,
    /// In no order.
    pub cells: Vec<(Cell, i64)>,
}

/// What a call added to a site's sums.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// The pages, each with the content that counts now; [`ContentHash::NONE`] if it counts no more.
    pub pages: Vec<(CanonicalUrl, ContentHash)>,
    /// What was added to each cell, in order; without terms, which no follower needs.
    pub cells: Vec<(Cell, i64)>,
}

/// [Watched](Cell::is_watched) cells that came or went, by the names of their labels; in no order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flips {
    /// They were absent before.
    pub came: Vec<String>,
    /// They are absent now.
    pub went: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    /// URLs as `short` writes them.
    pages: Vec<(String, [u8; 16])>,
    /// Letters of tables and keys.
    cells: Vec<(u8, String, i64)>,
}

/// The note of a batch, as it is stored.
pub(super) fn note(site: &Site, changes: &[&Change], sums: &[(&Cell, i64)]) -> StoreResult<Vec<u8>> {
    let page = |change: &&Change| (short_url(site.as_str(), &change.url).into_owned(), change.new.content.0);
    stored(changes.iter().map(page).collect(), sums)
}

/// The note of sums that no page brought.
pub(super) fn note_of_sums(sums: &[(&Cell, i64)]) -> StoreResult<Vec<u8>> {
    stored(Vec::new(), sums)
}

fn stored(pages: Vec<(String, [u8; 16])>, sums: &[(&Cell, i64)]) -> StoreResult<Vec<u8>> {
    let counted = sums.iter().filter(|(cell, by)| *by != 0 && cell.table != Table::Terms);
    let mut cells: Vec<&(&Cell, i64)> = counted.collect();
    // Neighbours share their beginnings, which compresses well.
    cells.sort_unstable();
    let letter = |table: Table| u8::try_from(table.code()).unwrap_or_default();
    let cells = cells.into_iter().map(|(cell, by)| (letter(cell.table), cell.key.clone(), *by)).collect();
    let wrong = |reason: String| StoreError::Corrupt(format!("cannot encode a note of the log: {reason}"));
    let plain = wire::encode(&Stored { pages, cells }).map_err(|error| wrong(error.to_string()))?;
    let mut bytes = vec![FORM];
    bytes.extend(compression::compress(&plain).map_err(|error| wrong(error.to_string()))?);
    Ok(bytes)
}

/// An entry without its flips, as it is stored: `site ⏎ length of the note ⏎ note`; a forgotten site has no note. The flips
/// follow, each as a sign and a name. `log` in `log.lua` writes the same.
pub(super) fn entry(site: &str, note: &[u8]) -> Vec<u8> {
    let mut bytes = format!("{site}\n{}\n", note.len()).into_bytes();
    bytes.extend(note);
    bytes
}

/// The note of an entry that says no more what it added: its site was forgotten since.
pub(super) fn blank() -> StoreResult<Vec<u8>> {
    stored(Vec::new(), &[])
}

/// A stored entry of a site with another note; `None` if it is another site's, or says that the site was forgotten.
/// `strip` in `log.lua` does the same.
pub(super) fn stripped(site: &Site, bytes: &[u8], note: &[u8]) -> Option<Vec<u8>> {
    let rest = bytes.strip_prefix(site.as_str().as_bytes())?.strip_prefix(b"\n")?;
    let (length, rest) = rest.split_at(rest.iter().position(|byte| *byte == b'\n')?);
    let length: usize = std::str::from_utf8(length).ok()?.parse().ok()?;
    let flips = rest.get(1..)?.get(length..).filter(|_| length > 0)?;
    let mut stripped = entry(site.as_str(), note);
    stripped.extend(flips);
    Some(stripped)
}

/// Reads a stored entry.
pub(super) fn decode_entry(position: u64, bytes: &[u8]) -> StoreResult<Logged> {
    let broken = || StoreError::Corrupt(format!("entry {position} of a log is broken"));
    let mut parts = bytes.splitn(3, |byte| *byte == b'\n');
    let mut part = || parts.next().ok_or_else(broken);
    let text = |bytes| std::str::from_utf8(bytes).map_err(|_| broken());
    let site = Site::of_host(text(part()?)?);
    let length: usize = text(part()?)?.parse().map_err(|_| broken())?;
    let (note, rest) = part()?.split_at_checked(length).ok_or_else(broken)?;
    let mut flips = Flips::default();
    for flip in rest.chunks(1 + NAME_LEN) {
        match flip.split_first() {
            Some((b'+', name)) if name.len() == NAME_LEN => flips.came.push(text(name)?.to_owned()),
            Some((b'-', name)) if name.len() == NAME_LEN => flips.went.push(text(name)?.to_owned()),
            _ => return Err(broken()),
        }
    }
    let note = if note.is_empty() { None } else { Some(unpacked(&site, note).ok_or_else(broken)?) };
    Ok(Logged { position, site, is_forgotten: note.is_none(), note: note.unwrap_or_default(), flips })
}

fn unpacked(site: &Site, note: &[u8]) -> Option<Note> {
    let (FORM, packed) = note.split_first().map(|(form, packed)| (*form, packed))? else { return None };
    let limit = u64::try_from(wire::MAX_BODY).unwrap_or(u64::MAX);
    let plain = compression::decompress(packed, limit).ok()?;
    let stored: Stored = wire::decode(&plain).ok()?;
    let page = |(url, content): (String, [u8; 16])| {
        Some((super::error::long(site.as_str(), &url).ok()?, ContentHash(content)))
    };
    let cell = |(code, key, by): (u8, String, i64)| {
        Some((Cell { table: Table::of_code(char::from(code))?, key }, by))
    };
    Some(Note {
        pages: stored.pages.into_iter().map(page).collect::<Option<_>>()?,
        cells: stored.cells.into_iter().map(cell).collect::<Option<_>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use newslode_page::contribution::names::short_name;

    #[test]
    fn an_entry_reads_back_and_a_broken_one_is_refused() {
        let site = Site::of_host("news.example");
        let (links, term) =
            (Cell { table: Table::Labels, key: short_name("jazz") + "l" }, Cell::new(Table::Terms, &["x"]));
        let bytes = note_of_sums(&[(&links, -2), (&term, 1)]).unwrap();
        let mut stored = entry(site.as_str(), &bytes);
        stored.extend(format!("+{}-{}", short_name("a"), short_name("b")).into_bytes());
        let read_back = decode_entry(7, &stored).unwrap();
        assert_eq!((read_back.position, &read_back.site, read_back.is_forgotten), (7, &site, false));
        assert_eq!(read_back.note.cells, [(links, -2)]);
        assert_eq!(read_back.flips, Flips { came: vec![short_name("a")], went: vec![short_name("b")] });
        assert!(decode_entry(1, &entry("news.example", &[])).unwrap().is_forgotten);
        let blank = stripped(&site, &stored, &blank().unwrap()).unwrap();
        let left = decode_entry(7, &blank).unwrap();
        assert_eq!((left.is_forgotten, left.note, left.flips), (false, Note::default(), read_back.flips));
        let forgotten = entry(site.as_str(), &[]);
        for other in
            [&b"news.example2\n1\nx"[..], &forgotten, b"news.example\nx\n", b"news.example\n9\nx", b""]
        {
            assert_eq!(stripped(&site, other, &blank), None, "{other:?}");
        }
        let cut = &stored[..stored.len() - 1];
        for broken in [&stored[..5], &stored[..20], b"news.example\n0\n*AAAAAAAAAAA", b"", cut] {
            assert!(matches!(decode_entry(1, broken), Err(StoreError::Corrupt(_))), "{broken:?}");
        }
    }
}
