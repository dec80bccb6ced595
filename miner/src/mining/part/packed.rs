//! The cells of a part in packed form.

use std::collections::BTreeMap;

use newslode_page::contribution::Table;

use crate::mining::summary::Tables;

/// Effort of the compression: parts are packed at every fold.
const LEVEL: i32 = 1;

/// The cells, packed: for each the letter of its table, the length of its key in two bytes, the key, and the count in eight
/// bytes. `None` if a key is too long.
pub(super) fn pack(tables: &Tables) -> Option<Vec<u8>> {
    let mut plain = Vec::new();
    for (table, cells) in tables {
        for (key, count) in cells {
            plain.push(u8::try_from(table.code()).ok()?);
            plain.extend(u16::try_from(key.len()).ok()?.to_be_bytes());
            plain.extend(key.as_bytes());
            plain.extend(count.to_be_bytes());
        }
    }
    zstd::encode_all(&plain[..], LEVEL).ok()
}

/// The cells that were packed; `None` if the bytes are damaged.
pub(super) fn unpack(packed: &[u8]) -> Option<Tables> {
    let plain = zstd::decode_all(packed).ok()?;
    let mut tables: BTreeMap<Table, Vec<(String, i64)>> = BTreeMap::new();
    let mut rest = &plain[..];
    while !rest.is_empty() {
        let (table, key, count, behind) = first_cell(rest)?;
        tables.entry(table).or_default().push((key, count));
        rest = behind;
    }
    // A map is built faster from sorted entries.
    Some(tables.into_iter().map(|(table, cells)| (table, cells.into_iter().collect())).collect())
}

fn first_cell(bytes: &[u8]) -> Option<(Table, String, i64, &[u8])> {
    let (code, rest) = bytes.split_first()?;
    let (length, rest) = rest.split_first_chunk()?;
    let (key, rest) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
    let (count, rest) = rest.split_first_chunk()?;
    let key = std::str::from_utf8(key).ok()?.to_owned();
    Some((Table::of_code(char::from(*code))?, key, i64::from_be_bytes(*count), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_parts_are_read_back() {
        let cells =
            |keys: &[&str]| (1..).zip(keys).map(|(count, key)| ((*key).to_owned(), 5 - count)).collect();
        let tables = Tables::from([
            (Table::Pages, cells(&[""])),
            (Table::Forms, cells(&["AAAAAAAAAAAJazz", "AAAAAAAAAAAジャズ"])),
        ]);
        let packed = pack(&tables).unwrap();
        assert_eq!(unpack(&packed).as_ref(), Some(&tables));
        assert_eq!(unpack(&packed[..packed.len() / 2]), None);
        let long = Tables::from([(Table::Forms, cells(&[&"x".repeat(70_000)]))]);
        assert_eq!(pack(&long), None);
    }
}
