//! How the running text of a site's articles spells labels.
//!
//! Menus write "nepal", "SOFTWARE" and "NBA" as their designs want; texts write Nepal, software and NBA. Only the middle of a sentence
//! tells: beginnings of sentences, headings and names of works have capitals of their own. So an occurrence counts where the word
//! before it begins in lower case and ends no sentence. Start at [`Spellings::new`].

use std::collections::{BTreeMap, BTreeSet};

use newslode_page::article::{Article, BlockKind};
use rustc_hash::FxHashMap;

/// Most words of a label that is looked for.
const MOST_WORDS: usize = 6;
/// Most labels that begin with one word, which bounds the work on hostile sites.
const MOST_NAMESAKES: usize = 100;
/// Most spellings of a label that are kept, those of most articles.
const MOST_SPELLINGS: usize = 4;

/// The spellings of a label, each with the number of articles that have it; those of most articles first.
pub(super) type Spelled = Vec<(String, u32)>;

/// Counts the spellings of labels.
pub(super) struct Spellings {
    /// First word in lower case → the words of labels in lower case, each with the number of its label.
    by_first: FxHashMap<String, Vec<(Vec<String>, usize)>>,
    /// By the number of the label.
    counts: Vec<BTreeMap<String, u32>>,
}

impl Spellings {
    /// A count of labels, each of which has several forms.
    pub(super) fn new<'a>(labels: impl Iterator<Item = impl Iterator<Item = &'a String>>) -> Spellings {
        let mut spellings = Spellings { by_first: FxHashMap::default(), counts: Vec::new() };
        for (number, forms) in labels.enumerate() {
            spellings.counts.push(BTreeMap::new());
            let phrases: BTreeSet<Vec<String>> = forms
                .map(|form| form.split_whitespace().map(|word| bare(word).to_lowercase()).collect())
                .collect();
            for words in phrases.into_iter().filter(|words| (1..=MOST_WORDS).contains(&words.len())) {
                let Some(first) = words.first().filter(|_| words.iter().all(|word| !word.is_empty())) else {
                    continue;
                };
                let labels = spellings.by_first.entry(first.clone()).or_default();
                if labels.len() < MOST_NAMESAKES {
                    labels.push((words, number));
                }
            }
        }
        spellings
    }

    /// Counts an article.
    pub(super) fn add(&mut self, article: &Article) {
        let mut found: BTreeSet<(usize, String)> = BTreeSet::new();
        for block in article.body.iter().filter(|block| block.kind == BlockKind::Paragraph) {
            let words: Vec<&str> = block.text.split_whitespace().collect();
            let folded: Vec<String> = words.iter().map(|word| bare(word).to_lowercase()).collect();
            for (at, before) in words.iter().enumerate() {
                if before.starts_with(char::is_lowercase) && !ends_phrase(before) {
                    self.find(&words[at + 1..], &folded[at + 1..], &mut found);
                }
            }
        }
        for (number, spelling) in found {
            if let Some(counts) = self.counts.get_mut(number) {
                *counts.entry(spelling).or_default() += 1;
            }
        }
    }

    /// Finds the labels with which these words begin, which are given as written and in lower case.
    fn find(&self, words: &[&str], folded: &[String], found: &mut BTreeSet<(usize, String)>) {
        let labels = folded.first().and_then(|first| self.by_first.get(first));
        for (label, number) in labels.into_iter().flatten().filter(|(label, _)| folded.starts_with(label)) {
            let own = &words[..label.len()];
            if own.iter().rev().skip(1).all(|word| !ends_phrase(word)) {
                let spelling: Vec<&str> = own.iter().map(|word| bare(word)).collect();
                found.insert((*number, spelling.join(" ")));
            }
        }
    }

    /// The spellings of each label, in their order.
    pub(super) fn spelled(self) -> impl Iterator<Item = Spelled> {
        self.counts.into_iter().map(|counts| {
            let mut spelled: Spelled = counts.into_iter().collect();
            spelled.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            spelled.truncate(MOST_SPELLINGS);
            spelled
        })
    }
}

/// A word without what surrounds it.
pub(super) fn bare(word: &str) -> &str {
    let word = word.trim_matches(|letter: char| !letter.is_alphanumeric());
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word)
}

/// Whether a sentence or a part of it ends with this word.
pub(super) fn ends_phrase(word: &str) -> bool {
    word.ends_with(|letter: char| !letter.is_alphanumeric() && letter != '-')
}

#[cfg(test)]
mod tests {
    use newslode_page::article::Block;

    use super::*;
    use crate::mining::testing;

    /// How these texts, each of an article, spell labels.
    fn spelled(labels: &[&str], texts: &[&str]) -> Vec<Spelled> {
        let labels: Vec<Vec<String>> = labels.iter().map(|label| vec![(*label).to_owned()]).collect();
        let mut spellings = Spellings::new(labels.iter().map(|forms| forms.iter()));
        for text in texts {
            let body = vec![Block::new(BlockKind::Paragraph, (*text).to_owned())];
            spellings.add(&Article { body, ..testing::article("https://a.test/x") });
        }
        spellings.spelled().collect()
    }

    #[test]
    fn names_are_spelled_as_the_middle_of_sentences_has_them() {
        let texts = [
            "Games began. In the mountains of Nepal, games for the NBA were played; even nepal.",
            "GAMES IN NEPAL. The people in Nepal's valleys love games",
        ];
        let found = spelled(&["nepal", "GAMES", "nba"], &texts);
        assert_eq!(found[0], [("Nepal".to_owned(), 2), ("nepal".to_owned(), 1)]);
        assert_eq!(found[1], [("games".to_owned(), 1)]);
        assert_eq!(found[2], [("NBA".to_owned(), 1)]);
    }

    #[test]
    fn several_words_are_a_label_unless_a_phrase_ends_between_them() {
        let found =
            spelled(&["REAL MADRID"], &["they beat Real Madrid. it was real, Madrid said", "a real madrid"]);
        assert_eq!(found[0], [("Real Madrid".to_owned(), 1), ("real madrid".to_owned(), 1)]);
        assert_eq!(
            spelled(&["", "&", "a b c d e f g"], &["we see a b c d e f g &"]),
            vec![Spelled::new(); 3]
        );
    }
}
