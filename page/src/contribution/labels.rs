//! Labels as keys: which spellings are the same label.
//!
//! A label is a text of one to six words. Its key is the language and the sorted set of its stems: `en:art
//! design` for "Arts & Design", "Design and Arts", "ART + DESIGN". "&", the language's "and", dots ("U.S." is
//! "US") and a possessive "'s" are dropped. Labels of different languages never share a key. If the language
//! has no stemmer, the words stay as they are, in their order; if it is unknown, the key begins with `und`.
//! Invariant: after its colon a key holds letters, digits and single spaces.

use unicode_normalization::UnicodeNormalization;

use crate::reading::language::{LanguageWords, is_unspaced};

/// Most words of a label (`[OM05 §5]`).
const MAX_WORDS: usize = 6;
/// Most characters of a label in a script without spaces: about six words.
const MAX_UNSPACED: usize = 12;
/// Longest label in bytes; this also bounds the work on a hostile page.
const MAX_BYTES: usize = 240;

/// Makes keys for the labels of one language.
pub struct LabelKeys {
    words: LanguageWords,
    language: Option<String>,
}

impl LabelKeys {
    /// Makes keys for labels in this language.
    #[must_use]
    pub fn new(language: Option<&str>) -> LabelKeys {
        LabelKeys { words: LanguageWords::new(language), language: language.map(str::to_owned) }
    }

    /// The key of a text; `None` if it is not a label: too long, or without a letter.
    #[must_use]
    pub fn key(&self, text: &str) -> Option<String> {
        if text.len() > MAX_BYTES {
            return None;
        }
        // Most texts are headlines: these need not be split.
        let spelled = text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric));
        if !(1..=MAX_WORDS).contains(&spelled.take(MAX_WORDS + 1).count()) {
            return None;
        }
        let words = self.split(text);
        let letters = || words.iter().flat_map(|word| word.chars());
        let unspaced = letters().filter(|&letter| is_unspaced(letter)).count();
        if unspaced > MAX_UNSPACED || !letters().any(char::is_alphabetic) {
            return None;
        }
        let language = self.language.as_deref().unwrap_or("und");
        Some(format!("{language}:{}", self.join(words)))
    }

    /// The distinct stems of a text, sorted; for comparing a URL's path with a key.
    pub(crate) fn stems(&self, text: &str) -> Vec<String> {
        let mut stems: Vec<String> = self.split(text).iter().map(|word| self.words.stem(word)).collect();
        stems.sort_unstable();
        stems.dedup();
        stems
    }

    fn join(&self, words: Vec<String>) -> String {
        if !self.words.has_stems() {
            return words.join(" ");
        }
        let mut stems: Vec<String> = words.iter().map(|word| self.words.stem(word)).collect();
        stems.sort_unstable();
        stems.dedup();
        stems.join(" ")
    }

    /// The words in lower case, without dots, possessives and "and"; a lone "and" stays.
    fn split(&self, text: &str) -> Vec<String> {
        let mut all = words(text);
        if all.iter().any(|word| !self.words.is_and(word)) {
            all.retain(|word| !self.words.is_and(word));
        }
        all
    }
}

/// The key of one text, see [`LabelKeys::key`].
#[must_use]
pub fn label_key(text: &str, language: Option<&str>) -> Option<String> {
    LabelKeys::new(language).key(text)
}

/// The words of a text: NFKC, lower case; only letters, marks and digits.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for_each_word(text, |word| words.push(word.to_owned()));
    words
}

/// Calls `found` with each of the [`words`] of a text.
pub(crate) fn for_each_word(text: &str, mut found: impl FnMut(&str)) {
    let mut folded = String::new();
    // No letter composes with white space, so that each piece can be folded alone; most are ASCII.
    for piece in text.split_ascii_whitespace() {
        folded.clear();
        if piece.is_ascii() {
            folded.extend(piece.chars().filter(|&letter| letter != '.').map(|c| c.to_ascii_lowercase()));
        } else {
            fold_word(piece, &mut folded);
        }
        for word in folded.split(|letter| !is_word_letter(letter)) {
            let word = word.trim_matches('\'');
            let word = without_article(word.strip_suffix("'s").unwrap_or(word));
            if !word.chars().any(char::is_alphanumeric) {
                continue;
            }
            match word.contains('\'') {
                true => found(&word.replace('\'', "")),
                false => found(word),
            }
        }
    }
}

fn fold_word(text: &str, folded: &mut String) {
    let letters = text.nfkc().flat_map(char::to_lowercase).nfc();
    let letters = letters.filter(|&letter| letter != '.' && letter != '\u{AD}' && !is_joiner(letter));
    folded.extend(letters.map(|letter| if letter == '\u{2019}' { '\'' } else { letter }));
}

/// Whether a word may hold this letter.
fn is_word_letter(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '\'' || (!letter.is_ascii() && is_mark(letter))
}

/// Drops an elided article: "l'économie", "d'Italia" give the word after the apostrophe if at most two letters
/// precede it.
fn without_article(word: &str) -> &str {
    match word.split_once('\'') {
        Some((before, after)) if before.chars().count() <= 2 && after.chars().count() >= 3 => after,
        _ => word,
    }
}

fn is_mark(letter: char) -> bool {
    unicode_normalization::char::is_combining_mark(letter)
}

/// Zero-width characters, which no reader sees.
fn is_joiner(letter: char) -> bool {
    matches!(letter, '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn english(text: &str, expected: &str) {
        assert_eq!(label_key(text, Some("en")).as_deref(), Some(expected), "{text}");
    }

    #[test]
    fn forms_of_one_label_share_a_key() {
        for text in ["Arts & Design", "design and arts", "ART + DESIGN »", " “Arts – Designs” "] {
            english(text, "en:art design");
        }
        english("U.S.", "en:us");
        english("Women\u{2019}s Sports", "en:sport women");
        english("Ｗｏｒｌｄ", "en:world");
        english("And", "en:and");
    }

    #[test]
    fn languages_do_not_mix() {
        assert_eq!(label_key("Politik und Kultur", Some("de")).as_deref(), Some("de:kultur polit"));
        assert_eq!(label_key("Kultur", None).as_deref(), Some("und:kultur"));
        assert_eq!(label_key("経済", Some("ja")).as_deref(), Some("ja:経済"));
        assert_eq!(label_key("Спорт", Some("ru")).as_deref(), Some("ru:спорт"));
        assert_eq!(label_key("Świat i Polska", Some("pl")).as_deref(), Some("pl:świat i polska"));
    }

    #[test]
    fn what_is_no_label() {
        for text in ["", " | ", "12.5", "a b c d e f g", "2012/11", "今日のニュースと天気と経済の話"]
        {
            assert_eq!(label_key(text, Some("en")), None, "{text}");
        }
        assert_eq!(label_key(&"x".repeat(1 << 20), Some("en")), None);
        assert!(label_key("one two three four five six", Some("en")).is_some());
        assert!(label_key("one - two & three four five six", Some("en")).is_some());
    }

    /// The words of a text that is folded as a whole.
    fn plain(text: &str) -> Vec<String> {
        let mut folded = String::new();
        fold_word(text, &mut folded);
        folded
            .split(|letter| !is_word_letter(letter))
            .map(|word| word.trim_matches('\''))
            .map(|word| without_article(word.strip_suffix("'s").unwrap_or(word)).replace('\'', ""))
            .filter(|word| word.chars().any(char::is_alphanumeric))
            .collect()
    }

    proptest! {
        #[test]
        fn a_text_folded_by_pieces_has_the_words_of_the_whole(
            text in "[a-zA-Z0-9 .'\u{2019}\u{AD}\u{200B}\u{300}\u{327}\u{A8}\u{130}\u{1E9B}<=\n\u{A0}é가각ｱﾞ]{0,20}|\\PC{0,20}"
        ) {
            prop_assert_eq!(words(&text), plain(&text));
        }

        #[test]
        fn keys_are_clean(text in "\\PC{0,30}|[\\x00-\\x20a-z&.']{0,30}", known in any::<bool>()) {
            if let Some(key) = label_key(&text, known.then_some("en")) {
                let stems = key.split_once(':').unwrap().1;
                prop_assert!(!stems.is_empty() && !stems.starts_with(' ') && !stems.ends_with(' '));
                prop_assert!(!stems.contains("  ") && !stems.chars().any(char::is_control), "{stems:?}");
            }
        }
    }
}
