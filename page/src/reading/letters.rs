//! Character classes, which are looked up for every character of a page, and collapsing of white space.
//!
//! Outside ASCII the standard library searches a table for each question, which takes a third of the time of a
//! page in Arabic. Here the answers for the basic plane are cached, one byte per character.

use std::sync::LazyLock;

const ALPHABETIC: u8 = 1;
const NUMERIC: u8 = 2;
const UPPERCASE: u8 = 4;
const LOWERCASE: u8 = 8;
/// Number of code points in the basic plane.
const BASIC: u32 = 0x1_0000;

static CLASSES: LazyLock<Vec<u8>> =
    LazyLock::new(|| (0..BASIC).map(|code| char::from_u32(code).map_or(0, look_up)).collect());

/// Unicode properties of a character; the methods match those of [`char`].
#[derive(Clone, Copy)]
pub(crate) struct CharClass(u8);

/// The class of a character.
pub(crate) fn char_class(letter: char) -> CharClass {
    CharClass(CLASSES.get(letter as usize).copied().unwrap_or_else(|| look_up(letter)))
}

fn look_up(letter: char) -> u8 {
    let mut class = 0;
    for (is, bit) in [
        (letter.is_alphabetic(), ALPHABETIC),
        (letter.is_numeric(), NUMERIC),
        (letter.is_uppercase(), UPPERCASE),
        (letter.is_lowercase(), LOWERCASE),
    ] {
        class |= if is { bit } else { 0 };
    }
    class
}

impl CharClass {
    pub(crate) fn is_alphabetic(self) -> bool {
        self.0 & ALPHABETIC != 0
    }

    pub(crate) fn is_numeric(self) -> bool {
        self.0 & NUMERIC != 0
    }

    pub(crate) fn is_uppercase(self) -> bool {
        self.0 & UPPERCASE != 0
    }

    pub(crate) fn is_lowercase(self) -> bool {
        self.0 & LOWERCASE != 0
    }
}

/// Collapses white space (HTML's five characters and U+00A0) to single spaces and trims it.
pub fn squash(text: &str) -> String {
    let mut squashed = String::new();
    push_squashed(&mut squashed, text);
    squashed
}

/// Appends a text with its white space collapsed.
pub(super) fn push_squashed(to: &mut String, text: &str) {
    let words = text.split([' ', '\t', '\n', '\r', '\u{C}', '\u{A0}']).filter(|word| !word.is_empty());
    for (i, word) in words.enumerate() {
        if i > 0 {
            to.push(' ');
        }
        to.push_str(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_what_the_standard_library_says() {
        for letter in (0..=u32::from(char::MAX)).filter_map(char::from_u32) {
            let class = char_class(letter);
            let is = [class.is_alphabetic(), class.is_numeric(), class.is_uppercase(), class.is_lowercase()];
            let expected =
                [letter.is_alphabetic(), letter.is_numeric(), letter.is_uppercase(), letter.is_lowercase()];
            assert_eq!(is, expected, "{letter:?}");
        }
    }
}
