//! Which fetch of a page is counted, with which content and by which algorithms.
//!
//! A [`ContentHash`] names the input of everything that is computed from a page: the canonical URL, the
//! `Content-Type` header and the body's bytes. The page itself is filed under it. The results depend on the
//! algorithms, too, so they are filed and counted under the hash [as seen by](ContentHash::seen_by) the
//! algorithms' generation.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use newslode_page::generation::Generation;
use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;

/// 128 bits of BLAKE3 over URL, content type and body.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ContentHash(pub [u8; 16]);

impl ContentHash {
    /// The hash of "no page": the version of a page that was removed and counts nothing.
    pub const NONE: ContentHash = ContentHash([0; 16]);

    /// Hashes everything that a page's contribution depends on.
    #[must_use]
    pub fn of(url: &CanonicalUrl, content_type: Option<&str>, body: &[u8]) -> ContentHash {
        let mut hasher = blake3::Hasher::new();
        for part in [url.as_str().as_bytes(), content_type.unwrap_or("").as_bytes()] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        hasher.update(body);
        let mut short = [0; 16];
        short.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        ContentHash(short)
    }

    /// The name of the results that algorithms compute from this content. Applied to such a name, it returns
    /// the content, so a counted page need not store its content separately. Version 0.1.0 filed its results
    /// under the content itself.
    #[must_use]
    pub fn seen_by(self, generation: &Generation) -> ContentHash {
        let mut name = self.0;
        name.iter_mut().zip(generation.digest()).for_each(|(byte, by)| *byte ^= by);
        ContentHash(name)
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not 32 hexadecimal digits.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a content hash: 32 hexadecimal digits are wanted")]
pub struct NotAHash(String);

impl FromStr for ContentHash {
    type Err = NotAHash;

    fn from_str(text: &str) -> Result<Self, NotAHash> {
        let wrong = || NotAHash(text.chars().take(40).collect());
        if text.len() != 32 || !text.is_ascii() {
            return Err(wrong());
        }
        let mut bytes = [0; 16];
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
            let digits = std::str::from_utf8(pair).map_err(|_| wrong())?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| wrong())?;
        }
        Ok(ContentHash(bytes))
    }
}

impl Serialize for ContentHash {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            self.0.serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for ContentHash {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
        } else {
            <[u8; 16]>::deserialize(deserializer).map(ContentHash)
        }
    }
}

/// A page as it was fetched or as it is counted: the number of the fetch and a hash. The frontier gives the
/// number, which grows with each claim of the URL. The hash of a fetched page is its content; that of a
/// counted page is its content as [seen by](ContentHash::seen_by) the algorithms. [`Version::is_newer`] says
/// which of two is newer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Version {
    /// Grows by one with every claim of the URL; a capture's is its time.
    pub fetch: u64,
    /// The hash; [`ContentHash::NONE`] once the page was removed.
    pub content: ContentHash,
}

/// Fetch numbers from here on are times, in milliseconds since 1970 ([`Version::of_capture`]). It is the start
/// of 1990, before which nobody captured a page; no URL is claimed so often.
pub const FIRST_DATE: u64 = 631_152_000_000;

impl Version {
    /// The version of a page that another crawler captured: its number is the time of its capture. So the newest
    /// capture counts in any order, and the same one again is stale. `None` for times before 1990.
    #[must_use]
    pub fn of_capture(at: Timestamp, content: ContentHash) -> Option<Version> {
        (at.0 >= FIRST_DATE).then_some(Version { fetch: at.0, content })
    }

    /// Whether its number is a time, and not that of a claim.
    #[must_use]
    pub fn is_dated(self) -> bool {
        self.fetch >= FIRST_DATE
    }

    /// Whether it takes the place of `other`: its fetch number is larger, or it removes what that fetch
    /// brought. So a page can be removed without a new fetch, a late message cannot bring it back, and the
    /// next fetch can.
    #[must_use]
    pub fn is_newer(self, other: Version) -> bool {
        let removes = self.content == ContentHash::NONE && other.content != ContentHash::NONE;
        self.fetch > other.fetch || (self.fetch == other.fetch && removes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_removal_is_newer_than_its_own_fetch_alone() {
        let version = |fetch, content| Version { fetch, content: ContentHash([content; 16]) };
        assert!(version(2, 0).is_newer(version(2, 7)) && version(3, 7).is_newer(version(2, 0)));
        for (late, stored) in [((2, 7), (2, 0)), ((2, 0), (2, 0)), ((2, 7), (2, 8)), ((1, 0), (2, 7))] {
            assert!(!version(late.0, late.1).is_newer(version(stored.0, stored.1)), "{late:?} {stored:?}");
        }
    }

    #[test]
    fn captures_are_numbered_by_their_time() {
        let of = |millis| Version::of_capture(Timestamp(millis), ContentHash([7; 16]));
        let (older, newer) = (of(1_600_000_000_000).unwrap(), of(1_700_000_000_000).unwrap());
        assert!(newer.is_newer(older) && !older.is_newer(newer) && !newer.is_newer(newer));
        assert!(newer.is_dated() && !Version { fetch: 9_000, ..newer }.is_dated());
        assert_eq!(of(86_400_000), None);
    }

    #[test]
    fn a_content_has_a_name_of_its_own_with_each_generation() {
        let generation = |number| Generation { number, parameters: "default".into() };
        let content = ContentHash([7; 16]);
        let names = [content, content.seen_by(&generation(6)), content.seen_by(&generation(7))];
        assert!(names[0] != names[1] && names[1] != names[2] && names[0] != names[2]);
        assert_eq!(names[2].seen_by(&generation(7)), content);
    }

    #[test]
    fn a_hash_reads_back_from_its_text_and_refuses_others() {
        let hash = ContentHash([0xab; 16]);
        assert_eq!(hash.to_string().parse(), Ok(hash));
        assert_eq!(
            serde_json::from_str::<ContentHash>(&serde_json::to_string(&hash).unwrap()).unwrap(),
            hash
        );
        for wrong in ["", "zz", &"g".repeat(32), &"é".repeat(16)] {
            assert!(wrong.parse::<ContentHash>().is_err(), "{wrong}");
        }
    }
}
