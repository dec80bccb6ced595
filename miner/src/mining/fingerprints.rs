//! Fingerprints by which two articles are recognised as one: of the text, the headline and the day.
//!
//! The fingerprint of a text is a SimHash (Charikar 2002; Manku et al. 2007): 64 bits, of which two texts share more the more words
//! they share. A corrected name changes few bits of a long text, another report made from the same form many. (Shingles of
//! words would be so sharp that corrected texts differ.)
//!
//! Articles are never merged by words alone: twins of a site have the same headline and no different day, or one of them
//! declares the other's URL as canonical. Start at [`Fingerprint::of`].

use newslode_page::article::Article;
use newslode_page::reading::is_unspaced;
use newslode_page::splitmix::SplitMix;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// Maximum number of bits in which nearly equal texts differ; [`MOST_NEAR_BITS`] for long texts, where chance changes fewer.
const NEAR_BITS: u32 = 3;
/// See [`NEAR_BITS`].
pub const MOST_NEAR_BITS: u32 = 6;
/// Words of a long text.
const MANY_WORDS: u32 = 150;
/// Most bits in which texts differ of which one declares the other's address.
const DECLARED_BITS: u32 = 12;
/// Below this number of words only equal texts are near: one word moves many bits.
const FEW_WORDS: u32 = 40;
/// Texts of other sites with fewer words are no agency's.
const AGENCY_WORDS: u32 = 60;
/// Headlines of fewer words recur by chance.
const LEAST_HEADLINE: usize = 4;

/// Fingerprints of an article.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// SimHash of the body.
    pub text: u64,
    /// Words of the body.
    pub words: u32,
    /// Hash of the headline's words; 0: it has none.
    pub title: u64,
    /// The day of publication, counted from 1970; `None` if the article names none.
    pub day: Option<i32>,
}

impl Fingerprint {
    /// The fingerprints of an article.
    #[must_use]
    pub fn of(article: &Article) -> Fingerprint {
        let words =
            words(&article.body.iter().map(|block| block.text.as_str()).collect::<Vec<_>>().join(" "));
        let title = self::words(article.title.as_deref().unwrap_or_default());
        Fingerprint {
            text: simhash(&words),
            words: u32::try_from(words.len()).unwrap_or(u32::MAX),
            title: if title.is_empty() { 0 } else { row(&title).max(1) },
            day: article.published.as_deref().and_then(day_of),
        }
    }

    /// Number of bits in which the texts differ.
    #[must_use]
    pub fn distance(&self, other: &Fingerprint) -> u32 {
        (self.text ^ other.text).count_ones()
    }

    /// Whether two articles of one site are one story, though neither declares the other's address.
    #[must_use]
    pub fn is_same_story(&self, other: &Fingerprint) -> bool {
        self.is_near(other) && self.title != 0 && self.title == other.title && !self.is_of_other_day(other)
    }

    /// Whether two articles of one site may be one story of which one page declares the other's address. Some pages
    /// declare a wrong one.
    #[must_use]
    pub fn may_be_same_story(&self, other: &Fingerprint) -> bool {
        let is_same_title = self.title != 0 && self.title == other.title;
        is_same_title || (self.words > 0 && self.distance(other) <= DECLARED_BITS)
    }

    /// Whether two articles of different sites have the same text, as if from one agency. Their headlines may differ, so
    /// the texts must be nearer than inside a site.
    #[must_use]
    pub fn is_same_text(&self, other: &Fingerprint) -> bool {
        let (few, many) = (self.words.min(other.words), self.words.max(other.words));
        let is_as_long = many - few <= few / 5;
        few >= AGENCY_WORDS && is_as_long && !self.is_of_other_day(other) && self.distance(other) <= NEAR_BITS
    }

    fn is_of_other_day(&self, other: &Fingerprint) -> bool {
        self.day.zip(other.day).is_some_and(|(one, other)| one.abs_diff(other) > 1)
    }

    /// Whether two texts are nearly equal, word for word: few words of a long one differ, none of a short one.
    #[must_use]
    pub fn is_near(&self, other: &Fingerprint) -> bool {
        let few = self.words.min(other.words);
        let most = match few {
            0..FEW_WORDS => 0,
            FEW_WORDS..MANY_WORDS => NEAR_BITS,
            _ => MOST_NEAR_BITS,
        };
        few > 0 && self.distance(other) <= most
    }
}

/// A number of the headline's words, by which the same story is found on other sites; nothing if the headline is so short that other
/// stories may have it.
#[must_use]
pub fn headline_mark(article: &Article) -> Option<u32> {
    let words = words(article.title.as_deref()?);
    (words.len() >= LEAST_HEADLINE).then(|| (row(&words) >> 32) as u32)
}

/// The day of a date (ISO 8601), counted from 1970; `None` if it is none.
#[must_use]
pub fn day_of(published: &str) -> Option<i32> {
    let day: jiff::civil::Date = published.get(..10)?.parse().ok()?;
    day.since(jiff::civil::date(1970, 1, 1)).ok().map(|span| span.get_days())
}

/// Hashes of a text's words in lower case. Each letter of a script without spaces is a word.
fn words(text: &str) -> Vec<u64> {
    let mut words = Vec::new();
    let mut word = String::new();
    for letter in text.chars() {
        let is_word = is_unspaced(letter);
        if (is_word || !letter.is_alphanumeric()) && !word.is_empty() {
            words.push(hash(&word));
            word.clear();
        }
        if is_word {
            words.push(hash(letter.encode_utf8(&mut [0; 4])));
        } else if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
    }
    if !word.is_empty() {
        words.push(hash(&word));
    }
    words
}

fn hash(word: &str) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&blake3::hash(word.as_bytes()).as_bytes()[..8]);
    u64::from_le_bytes(first)
}

/// A hash of words in this order.
fn row(words: &[u64]) -> u64 {
    words.iter().fold(0, |before, word| SplitMix(before ^ word).draw())
}

fn simhash(words: &[u64]) -> u64 {
    // Each distinct word votes on each bit; repetitions of a word must not outweigh the others.
    let words: FxHashSet<u64> = words.iter().copied().collect();
    let mut votes = [0_i32; 64];
    for word in words {
        for (bit, votes) in votes.iter_mut().enumerate() {
            *votes += if word >> bit & 1 == 1 { 1 } else { -1 };
        }
    }
    votes.iter().enumerate().filter(|(_, votes)| **votes > 0).map(|(bit, _)| 1 << bit).sum()
}

#[cfg(test)]
mod tests;
