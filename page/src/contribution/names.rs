//! Short names of labels, lists, pages and stories, for the keys of cells.
//!
//! A label is in many cells of a page that shows it. So keys hold its name instead: 64 bits of BLAKE3 as
//! eleven letters, digits, `-` and `_`. The label's text is kept in one of its cells ([`Table::Labels`](super::Table::Labels),
//! [`Table::Texts`](super::Table::Texts)). Of a million labels two share a name in one of 37 million worlds. Keys begin with the name
//! of the label that they belong to ([`Cell::home`](super::Cell::home)), so a store can keep the cells of one label together.

/// Bytes of a name.
pub const NAME_LEN: usize = 11;
/// The most stems of a label that is counted. Longer ones are titles, of which a site has more and more; without them the
/// taxonomy of real front pages is the same.
const MOST_STEMS: usize = 4;
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The short name of a text.
#[must_use]
pub fn short_name(text: &str) -> String {
    name_from_hasher(blake3::Hasher::new().update(text.as_bytes()))
}

/// The short name that a hasher's digest gives.
pub(super) fn name_from_hasher(hasher: &blake3::Hasher) -> String {
    let mut bits = [0; 8];
    bits.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    name_from_bits(u64::from_be_bytes(bits))
}

/// The name with these bits.
#[must_use]
pub fn name_from_bits(bits: u64) -> String {
    (0..NAME_LEN).map(|at| name_letter(bits, at)).collect()
}

/// Six bits of the name; the last letter holds four.
fn name_letter(bits: u64, at: usize) -> char {
    let six = if at + 1 < NAME_LEN { bits >> (58 - 6 * at) } else { bits << 2 };
    LETTERS.get((six & 63) as usize).map_or('A', |letter| char::from(*letter))
}

/// The bits of a name; `None` if it is none.
#[must_use]
pub fn name_bits(name: &str) -> Option<u64> {
    if name.len() != NAME_LEN {
        return None;
    }
    name.bytes().enumerate().try_fold(0u64, |bits, (at, letter)| {
        let six = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'-' => 62,
            b'_' => 63,
            _ => return None,
        };
        Some(if at + 1 < NAME_LEN {
            bits | u64::from(six) << (58 - 6 * at)
        } else {
            bits | u64::from(six) >> 2
        })
    })
}

/// Whether a label is counted.
#[must_use]
pub fn is_counted(label: &str) -> bool {
    stem_count(label) <= MOST_STEMS
}

/// Number of stems of a label.
#[must_use]
pub fn stem_count(label: &str) -> usize {
    label.split_once(':').map_or(label, |(_, stems)| stems).split(' ').count()
}

/// A name at the start of a key, and what follows it.
#[must_use]
pub fn split_name(key: &str) -> Option<(&str, &str)> {
    key.is_char_boundary(NAME_LEN).then(|| key.split_at_checked(NAME_LEN)).flatten()
}

/// The label without its numbers, as "comment" of "3 comments"; `None` if it has none.
#[must_use]
pub fn without_numbers(label: &str) -> Option<String> {
    let (language, stems) = label.split_once(':')?;
    let is_number = |stem: &&str| stem.starts_with(|letter: char| letter.is_ascii_digit());
    let rest: Vec<&str> = stems.split(' ').filter(|stem| !is_number(stem)).collect();
    stems.split(' ').any(|stem| is_number(&stem)).then(|| format!("{language}:{}", rest.join(" ")))
}

/// The name of a page or story with this [`url_id`](super::url_id).
#[must_use]
pub fn name_of_url_id(id: &str) -> String {
    u64::from_str_radix(id, 16).map_or_else(|_| short_name(id), name_from_bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_stable_and_different() {
        assert_eq!(short_name("en:jazz").len(), NAME_LEN);
        assert_eq!(short_name("en:jazz"), short_name("en:jazz"));
        assert_ne!(short_name("en:jazz"), short_name("en:rock"));
        let all: std::collections::BTreeSet<String> =
            (0..10_000).map(|n| short_name(&n.to_string())).collect();
        assert_eq!(all.len(), 10_000);
    }

    #[test]
    fn all_bits_of_the_hash_are_in_the_name() {
        let names: std::collections::BTreeSet<String> = (0..64).map(|bit| name_from_bits(1 << bit)).collect();
        assert_eq!(names.len(), 64);
        assert!((0..64).all(|bit| name_bits(&name_from_bits(1 << bit)) == Some(1 << bit)));
        assert_eq!((name_bits("short"), name_bits("en:jazz 123")), (None, None));
        assert_eq!(
            (name_from_bits(0), name_from_bits(u64::MAX)),
            ("A".repeat(11), format!("{}8", "_".repeat(10)))
        );
    }

    #[test]
    fn titles_are_not_counted() {
        assert!(is_counted("en:art design") && is_counted("en:a b c d") && is_counted("und:news"));
        assert!(!is_counted("en:a b c d e"));
    }

    #[test]
    fn numbers_leave_the_rest_of_a_label() {
        assert_eq!(without_numbers("en:3 comment").as_deref(), Some("en:comment"));
        assert_eq!(without_numbers("en:2026 3").as_deref(), Some("en:"));
        assert_eq!(without_numbers("en:comment"), None);
        assert_eq!(name_of_url_id("00000000000000ff"), name_from_bits(255));
    }
}
