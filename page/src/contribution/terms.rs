//! The terms of a page and their numbers of occurrences (`[W §3]`).
//!
//! A term is the stem of a word of at least two letters that is not a stop word of the page's language. Words
//! with digits do not count. In scripts without spaces each pair of neighbouring letters is a term. The counts
//! feed the site's term entropy: a term that is equally frequent on every page distinguishes none of them.

use std::collections::BTreeMap;

use crate::contribution::TermUse;
use rustc_hash::FxHashMap;

use crate::contribution::labels::for_each_word;
use crate::reading::Page;
use crate::reading::language::{LanguageWords, is_unspaced};

/// Most letters of a word; longer ones are addresses and garbage.
const MAX_LETTERS: usize = 40;
/// Most distinct terms of a page; of more the most frequent stay (a long article has some two thousand).
pub(crate) const MAX_TERMS: usize = 20_000;

/// The terms of a page, sorted; at most 20,000.
#[must_use]
pub fn terms(page: &Page) -> Vec<TermUse> {
    let leaves = (0..page.leaves.len()).map(|leaf| (page.leaves.text(leaf), 1));
    let terms = terms_of_texts(page.language.as_deref(), leaves);
    let mut terms: Vec<TermUse> = terms.into_iter().map(|(term, count)| TermUse { term, count }).collect();
    if terms.len() > MAX_TERMS {
        terms.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.term.cmp(&b.term)));
        terms.truncate(MAX_TERMS);
        terms.sort_unstable_by(|a, b| a.term.cmp(&b.term));
    }
    terms
}

/// The terms of texts in a language, each text with how often it counts.
pub fn terms_of_texts<'a>(
    language: Option<&str>,
    texts: impl Iterator<Item = (&'a str, u32)>,
) -> BTreeMap<String, u32> {
    let language = LanguageWords::new(language);
    // Words are counted before they are stemmed: a stem costs more than a look-up, and words repeat.
    let mut counts: FxHashMap<String, u32> = FxHashMap::default();
    for (text, times) in texts {
        for_each_word(text, |word| match counts.get_mut(word) {
            Some(count) => *count += times,
            None => drop(counts.insert(word.to_owned(), times)),
        });
    }
    let mut terms: BTreeMap<String, u32> = BTreeMap::new();
    for (word, count) in counts {
        for_each_term(&word, &language, |term| match terms.get_mut(term) {
            Some(all) => *all += count,
            None => drop(terms.insert(term.to_owned(), count)),
        });
    }
    terms
}

/// Calls `found` with each term of a word: its stem, or its pairs of letters in a script without spaces;
/// possibly none.
pub(crate) fn for_each_term(word: &str, language: &LanguageWords, mut found: impl FnMut(&str)) {
    if word.chars().any(is_unspaced) {
        let letters: Vec<(usize, char)> = word.char_indices().collect();
        for pair in letters.windows(2) {
            if is_unspaced(pair[0].1) && is_unspaced(pair[1].1) {
                found(&word[pair[0].0..pair[1].0 + pair[1].1.len_utf8()]);
            }
        }
        return;
    }
    let letters = word.chars().count();
    let is_word = (2..=MAX_LETTERS).contains(&letters) && !word.chars().any(char::is_numeric);
    if is_word {
        language.with_term(word, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    #[track_caller]
    fn check(html: &str, expected: &[(&str, u32)]) {
        let terms = terms(&page(html));
        let found: Vec<(&str, u32)> = terms.iter().map(|t| (t.term.as_str(), t.count)).collect();
        assert_eq!(found, expected, "{html}");
    }

    #[test]
    fn words_are_stemmed_and_counted() {
        check(
            "<html lang=en><p>The runner runs, and was running in 2012.<p>A1 x",
            &[("run", 2), ("runner", 1)],
        );
    }

    #[test]
    fn scripts_without_spaces_give_pairs() {
        check("<html lang=ja><p>経済新聞", &[("新聞", 1), ("済新", 1), ("経済", 1)]);
    }

    #[test]
    fn a_flood_of_words_is_cut_to_the_most_frequent() {
        let flood: String = (0..MAX_TERMS as u32 + 50)
            .map(|n| {
                let letters: String =
                    format!("{n:x}").chars().map(|d| (d as u8 % 16 + b'a') as char).collect();
                format!("q{letters}q ")
            })
            .collect();
        let terms = terms(&page(&format!("<html lang=xx><p>{flood} often often")));
        assert!(terms.len() <= MAX_TERMS && terms.len() > 1_000);
        assert!(terms.iter().any(|term| term.term == "often" && term.count == 2));
        assert!(terms.is_sorted_by(|a, b| a.term < b.term));
    }
}
