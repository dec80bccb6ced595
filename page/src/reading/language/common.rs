//! Languages that share a script, told apart by their most common words.
//!
//! A fourth of a text consists of some thirty words in most languages. Close languages share many of these, so two
//! languages are compared by the words that only one of them has.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::script::Script;
use crate::reading::letters::char_class;

static COMMON: LazyLock<CommonWords> = LazyLock::new(|| CommonWords::read(include_str!("common_words.txt")));

/// A set of lines of the table.
type Lines = u128;

/// The table of common words.
struct CommonWords {
    lines: Vec<Line>,
    words: FxHashMap<&'static str, Lines>,
}

/// A language in one script.
struct Line {
    script: Script,
    /// The language's code, and others for it.
    codes: Vec<&'static str>,
}

impl CommonWords {
    fn read(table: &'static str) -> CommonWords {
        let mut common = CommonWords { lines: Vec::new(), words: FxHashMap::default() };
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            let Some((codes, words)) = line.split_once('\t') else { continue };
            let Some(script) = words.chars().find_map(Script::of) else { continue };
            let bit = 1 << common.lines.len();
            common.lines.push(Line { script, codes: codes.split(' ').collect() });
            for word in words.split(' ') {
                *common.words.entry(word).or_default() |= bit;
            }
        }
        common
    }
}

/// Whether the table has a language.
pub(super) fn is_known(code: &str) -> bool {
    COMMON.lines.iter().any(|line| line.codes.contains(&code))
}

/// The common words of a text.
pub(super) struct CommonWordCount {
    script: Script,
    /// Number of words.
    words: usize,
    /// For each common word of the text, the lines that have it; and for each different one.
    found: Vec<Lines>,
    distinct: FxHashMap<&'static str, Lines>,
}

/// A language of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) code: &'static str,
    lines: Lines,
    /// How many words of the text are common in the language; how many different ones; and their share.
    pub(super) words: usize,
    pub(super) distinct: usize,
    pub(super) share: f32,
}

impl Candidate {
    /// Whether this is a code of the language.
    pub(super) fn is_called(self, code: &str) -> bool {
        let lines = COMMON.lines.iter().enumerate().filter(|(at, _)| self.lines >> at & 1 == 1);
        lines.flat_map(|(_, line)| &line.codes).any(|known| *known == code)
    }
}

impl CommonWordCount {
    pub(super) fn of(text: &str, script: Script) -> CommonWordCount {
        let mut count =
            CommonWordCount { script, words: 0, found: Vec::new(), distinct: FxHashMap::default() };
        let mut lower = String::new();
        for word in text.split(|letter: char| !char_class(letter).is_alphabetic()) {
            if word.is_empty() {
                continue;
            }
            count.words += 1;
            lower.clear();
            lower.extend(word.chars().flat_map(char::to_lowercase));
            if let Some((word, lines)) = COMMON.words.get_key_value(lower.as_str()) {
                count.found.push(*lines);
                count.distinct.insert(word, *lines);
            }
        }
        count
    }

    /// The language with most of the words.
    pub(super) fn best(&self) -> Option<Candidate> {
        let of_script = COMMON.lines.iter().enumerate().filter(|(_, line)| line.script == self.script);
        let candidates = of_script.map(|(at, line)| self.candidate(line.codes.first().copied(), 1 << at));
        // The first of equals is the one with more papers.
        candidates.flatten().reduce(|best, next| if next.words > best.words { next } else { best })
    }

    /// The language with this code, if it is written in the text's script.
    pub(super) fn language(&self, code: &str) -> Option<Candidate> {
        let lines = COMMON.lines.iter().enumerate();
        let is_it = |line: &Line| line.script == self.script && line.codes.contains(&code);
        let lines = lines.filter(|(_, line)| is_it(line)).fold(0, |lines, (at, _)| lines | 1 << at);
        let code = COMMON.lines.iter().flat_map(|line| &line.codes).find(|known| **known == code);
        self.candidate(code.copied(), lines).filter(|_| lines != 0)
    }

    fn candidate(&self, code: Option<&'static str>, lines: Lines) -> Option<Candidate> {
        let words = self.found.iter().filter(|found| *found & lines != 0).count();
        let distinct = self.distinct.values().filter(|found| *found & lines != 0).count();
        let share = words as f32 / self.words.max(1) as f32;
        Some(Candidate { code: code?, lines, words, distinct, share })
    }

    /// How many words are common in the one language and not in the other, and the reverse.
    pub(super) fn apart(&self, one: Candidate, other: Candidate) -> (usize, usize) {
        let only = |lines: Lines, not: Lines| {
            self.found.iter().filter(|found| *found & lines != 0 && *found & not == 0).count()
        };
        (only(one.lines, other.lines), only(other.lines, one.lines))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_used() {
        assert!(COMMON.lines.len() < 128);
        for line in include_str!("common_words.txt").lines().filter(|line| !line.starts_with('#')) {
            let (codes, words) = line.split_once('\t').unwrap();
            let words: Vec<&str> = words.split(' ').collect();
            assert!(words.len() >= 7, "{codes}");
            let script = words[0].chars().find_map(Script::of);
            assert!(script.is_some(), "{codes}");
            for word in &words {
                assert!(word.chars().all(|letter| char_class(letter).is_alphabetic()), "{codes}: {word}");
                assert_eq!(word.chars().find_map(Script::of), script, "{codes}: {word}");
                assert_eq!(&word.to_lowercase(), word, "{codes}");
                assert_eq!(words.iter().filter(|other| *other == word).count(), 1, "{codes}: {word}");
            }
            for code in codes.split(' ') {
                assert_eq!(crate::reading::language::declared::primary_language(code).as_deref(), Some(code));
            }
        }
    }
}
