//! The numbers and words of a text.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use crate::extract::cldr;

/// A number or a word, and where it is in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) range: Range<usize>,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Its value, and how many digits it is written with.
    Number(u32, usize),
    /// Folded.
    Word(String),
}

impl Token {
    pub(super) fn word(&self) -> Option<&str> {
        match &self.kind {
            Kind::Word(word) => Some(word),
            Kind::Number(..) => None,
        }
    }

    /// The value and the count of digits.
    pub(super) fn number(&self) -> Option<(u32, usize)> {
        match self.kind {
            Kind::Number(value, digits) => Some((value, digits)),
            Kind::Word(_) => None,
        }
    }
}

/// Most digits of a number that has a value; longer ones are 0.
const MOST_DIGITS: usize = 8;

/// The tokens of a text, in order. A word may hold full stops and apostrophes between its letters.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let mut letters = text.char_indices().peekable();
    while let Some((start, first)) = letters.next() {
        let end_of = |at: Option<&(usize, char)>| at.map_or(text.len(), |(at, _)| *at);
        if let Some(digit) = cldr::digit(first) {
            let (mut value, mut digits) = (digit, 1);
            while let Some(digit) = letters.peek().and_then(|(_, letter)| cldr::digit(*letter)) {
                digits += 1;
                value = if digits <= MOST_DIGITS { value * 10 + digit } else { 0 };
                letters.next();
            }
            let range = start..end_of(letters.peek());
            found.push(Token { range, kind: Kind::Number(value, digits) });
        } else if first.is_alphabetic() {
            let mut end = start + first.len_utf8();
            while let Some((at, letter)) = letters.peek().copied() {
                let is_joint = matches!(letter, '.' | '\'' | '’' | 'ʻ' | 'ʼ' | '״' | '׳');
                let goes_on =
                    || text[at + letter.len_utf8()..].chars().next().is_some_and(char::is_alphabetic);
                let is_inside = is_part(letter) || (is_joint && goes_on());
                if !is_inside {
                    break;
                }
                end = at + letter.len_utf8();
                letters.next();
            }
            let word = cldr::fold(&text[start..end]).into_owned();
            found.push(Token { range: start..end, kind: Kind::Word(word) });
        }
    }
    found
}

/// Whether a character goes on with a word: a letter, a mark on one, a joiner.
fn is_part(letter: char) -> bool {
    (letter.is_alphabetic() && cldr::digit(letter).is_none())
        || is_combining_mark(letter)
        || matches!(letter, '\u{200c}' | '\u{200d}' | '\u{ad}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_words() {
        let plain = |text: &str| -> Vec<String> {
            let plain = |token: Token| match token.kind {
                Kind::Number(value, digits) => format!("{value}:{digits}"),
                Kind::Word(word) => word,
            };
            tokens(text).into_iter().map(plain).collect()
        };
        assert_eq!(plain("3rd d’abril, ٠٥"), ["3:1", "rd", "d'abril", "5:2"]);
        assert_eq!(plain("18 ก.ย. 2567"), ["18:2", "กย", "2567:4"]);
        assert_eq!(plain("2024年5月"), ["2024:4", "年", "5:1", "月"]);
        assert_eq!(plain("नवंबर १७"), ["नवंबर", "17:2"]);
        assert_eq!(plain("12345678901 a.m."), ["0:11", "am"]);
    }
}
