//! Words for the index and for queries: folded to lower case without accents; scripts that put no spaces between words are cut
//! into overlapping pairs of letters.
//!
//! Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese text becomes pairs at successive positions, and the last letter of a
//! run alone, so that a word of any length is a phrase of pairs and one letter is the beginning of a token. Nothing is stemmed:
//! `beginnings*` are there for that, and work in every language.

use std::ops::Range;

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use unicode_normalization::UnicodeNormalization;

/// The tokenizer's name in the index.
pub(crate) const NAME: &str = "words";
/// The longest word, in bytes; the rest of a longer one is left out.
const MOST: usize = 64;

#[derive(Clone, Default)]
pub(crate) struct Words;

/// The words of a text.
pub(crate) struct Stream {
    tokens: std::vec::IntoIter<Token>,
    token: Token,
}

impl Tokenizer for Words {
    type TokenStream<'a> = Stream;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Stream {
        Stream { tokens: tokenize(text).into_iter(), token: Token::default() }
    }
}

impl TokenStream for Stream {
    fn advance(&mut self) -> bool {
        let next = self.tokens.next();
        let is_there = next.is_some();
        self.token = next.unwrap_or_default();
        is_there
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

/// The words of a text, in order, with their places in it.
pub(crate) fn tokenize(text: &str) -> Vec<Token> {
    let mut made = TokenBuilder::default();
    for (from, written) in text.char_indices() {
        let place = from..from + written.len_utf8();
        for letter in std::iter::once(written).nfkc() {
            if is_unspaced(letter) {
                made.end_word();
                made.run.push((letter, place.clone()));
            } else if letter.is_alphanumeric() {
                made.end_run();
                if made.word.is_empty() {
                    made.place = place.clone();
                }
                made.place.end = place.end;
                made.word.extend(
                    std::iter::once(letter)
                        .nfd()
                        .filter(|part| !is_accent(*part))
                        .flat_map(char::to_lowercase),
                );
            } else if is_accent(letter) {
                made.place.end = place.end;
            } else {
                made.end_word();
                made.end_run();
            }
        }
    }
    made.end_word();
    made.end_run();
    made.tokens
}

#[derive(Default)]
struct TokenBuilder {
    tokens: Vec<Token>,
    word: String,
    /// Where the word is, in bytes of the text.
    place: Range<usize>,
    run: Vec<(char, Range<usize>)>,
}

impl TokenBuilder {
    fn push(&mut self, text: String, place: Range<usize>) {
        let (position, offset_from, offset_to) = (self.tokens.len(), place.start, place.end);
        self.tokens.push(Token { offset_from, offset_to, position, text, position_length: 1 });
    }

    fn end_word(&mut self) {
        let mut word = std::mem::take(&mut self.word);
        if word.len() > MOST {
            let end = (0..=MOST).rev().find(|at| word.is_char_boundary(*at)).unwrap_or_default();
            word.truncate(end);
        }
        if !word.is_empty() {
            self.push(word, self.place.clone());
        }
    }

    fn end_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        for at in 0..run.len() {
            let pair = run.get(at..run.len().min(at + 2)).unwrap_or_default();
            if let [(_, first), ..] = pair {
                let end = pair.last().map_or(first.end, |(_, last)| last.end);
                self.push(pair.iter().map(|(letter, _)| letter).collect(), first.start..end);
            }
        }
    }
}

fn is_accent(letter: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&letter)
}

/// Whether a letter is of a script that puts no spaces between words, or glues to words what is not part of them.
pub(crate) fn is_unspaced(letter: char) -> bool {
    matches!(letter,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3005}' | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
        && letter != '\u{30fb}'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        tokenize(text).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn words_are_folded() {
        assert_eq!(words("L’Été à Zürich: ＡＢＣ-2"), ["l", "ete", "a", "zurich", "abc", "2"]);
        assert_eq!(words("e\u{301}te\u{301}"), ["ete"]);
        assert_eq!(words("Новости ПОГОДЫ"), ["новости", "погоды"]);
        assert_eq!(words("  -- !! "), [""; 0]);
        assert!(tokenize(&"é".repeat(500)).iter().all(|token| token.text.len() <= MOST));
    }

    #[test]
    fn words_have_their_places() {
        let text = "L’Été à 東京都 ﬁne";
        let at: Vec<&str> =
            tokenize(text).iter().map(|token| &text[token.offset_from..token.offset_to]).collect();
        assert_eq!(at, ["L", "Été", "à", "東京", "京都", "都", "ﬁne"]);
    }

    #[test]
    fn scripts_without_spaces_are_cut_into_pairs() {
        assert_eq!(words("東京都の雨"), ["東京", "京都", "都の", "の雨", "雨"]);
        assert_eq!(words("雨"), ["雨"]);
        assert_eq!(words("G7首脳"), ["g7", "首脳", "脳"]);
        assert_eq!(words("ジャズ・ロック"), ["ジャ", "ャズ", "ズ", "ロッ", "ック", "ク"]);
    }
}
