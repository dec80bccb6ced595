//! The names of people in bylines, and those of the site.
//!
//! The name of the site or its publisher is not a person; such a byline is used only if there is no other.

use super::words::Word;
use crate::reading::is_unspaced;
use crate::text::letters;

/// Words that do not begin a name.
const NOT_NAMES: [&str; 21] = [
    "name",
    "posted",
    "published",
    "publiziert",
    "veröffentlicht",
    "updated",
    "foto",
    "photo",
    "foto:",
    "photo:",
    "quelle",
    "quelle:",
    "source:",
    "head",
    "follow",
    "senior",
    "comments",
    "share",
    "view",
    "more",
    "about",
];

/// The names of the site that publishes a page.
#[derive(Clone, Debug, Default)]
pub(in crate::extract) struct SiteNames {
    /// The site's name and its publisher's, letters only.
    names: Vec<String>,
    host: String,
}

impl SiteNames {
    pub(in crate::extract) fn new(names: impl Iterator<Item = String>, host: &str) -> SiteNames {
        let names = names.map(|name| letters(&name)).filter(|name| !name.is_empty()).collect();
        SiteNames { names, host: letters(host.trim_start_matches("www.")) }
    }

    /// Whether a name is the site's own.
    pub(super) fn is_own(&self, name: &str) -> bool {
        let name = letters(name);
        let is_of_host =
            name.chars().count() >= 3 && (self.host.contains(&name) || name.contains(&self.host));
        let begins = |own: &String| own.chars().count() >= 4 && name.starts_with(own.as_str());
        name.is_empty() || (!self.host.is_empty() && is_of_host) || self.names.iter().any(begins)
    }

    /// A byline without the site's name at its end: "Ada Lovelace DAILY POST" gives "Ada Lovelace".
    pub(super) fn cut_off<'n>(&self, name: &'n str) -> &'n str {
        let starts = name.match_indices(' ').map(|(at, _)| at);
        let is_rest_own = |at: &usize| self.names.contains(&letters(&name[*at..]));
        starts.into_iter().find(is_rest_own).map_or(name, |at| name[..at].trim())
    }
}

/// Whether a letter is a syllable or word: three of them are a name.
pub(super) fn is_syllable(letter: char) -> bool {
    // A Thai, Lao, Khmer or Burmese syllable has several letters.
    matches!(letter, '\u{AC00}'..='\u{D7A3}') || (is_unspaced(letter) && letter >= '\u{3040}')
}

/// Whether a text is a name of two words or more that begin with capitals, particles inside it aside, or of several syllables.
pub(super) fn is_full_name(text: &str) -> bool {
    let is_dense = text.chars().all(is_syllable) && text.chars().count() > 1;
    let mut words = text.split_whitespace();
    let last = text.rsplit(' ').next().unwrap_or_default();
    let is_no_name = |word: &str| {
        let word = Word::new(word);
        word.is_label() || (word.is_small() && !word.is_particle())
    };
    is_name(text)
        && text.starts_with(char::is_alphabetic)
        && (is_dense || text.contains(' '))
        && !last.starts_with(char::is_lowercase)
        && !words.any(is_no_name)
}

pub(super) fn is_name(text: &str) -> bool {
    let words = text.split_whitespace().count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let first = text.split_whitespace().next().unwrap_or_default().to_lowercase();
    (1..=5).contains(&words)
        && (2..=60).contains(&letters)
        && !text.contains(['@', '{', '<', '=', '*'])
        && !text.contains("://")
        && !text.starts_with("www.")
        && !text.chars().any(|c| c.is_ascii_digit())
        && text.chars().next().is_some_and(|c| !c.is_lowercase())
        && !NOT_NAMES.contains(&first.as_str())
        && !Word::new(&first).is_by(None, false)
}
