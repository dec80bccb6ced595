//! The full names behind labels of one word: "Trump" is "Donald Trump".
//!
//! "Supreme Court" is no full name of "Court", nor "North Korea" of "Korea". Texts tell names of people from these: they have the
//! full name, then go on with the last name alone, and put no article before it. Start at
//! [`first_names`].

use std::collections::BTreeMap;

use newslode_page::article::{Article, BlockKind};

use super::spellings::{bare, ends_phrase};

/// Most words of an article that are looked at.
const MOST_WORDS: usize = 20_000;
/// Occurrences of the name alone from which the word before them tells.
const TELLING: usize = 3;

/// The words with which an article's text makes a full name of a label of one word, each once: "Donald" for "Trump". Nothing for
/// other labels, and where the text goes on with the full name rather than with the label alone.
pub(super) fn first_names(label: &str, article: &Article) -> Vec<String> {
    let last = label.trim().to_lowercase();
    if last.chars().count() < 3 || !last.chars().all(char::is_alphabetic) {
        return Vec::new();
    }
    let (mut alone, mut firsts): (usize, BTreeMap<&str, usize>) = (0, BTreeMap::new());
    // In small letters, the words before the name alone.
    let mut before: BTreeMap<String, usize> = BTreeMap::new();
    let mut left = MOST_WORDS;
    for block in article.body.iter().filter(|block| block.kind == BlockKind::Paragraph) {
        let words: Vec<&str> = block.text.split_whitespace().take(left).collect();
        left -= words.len();
        for (at, word) in words.iter().enumerate() {
            let name = bare(word);
            // "GDP" is no last name.
            if !is_name(name) || name.to_lowercase() != last {
                continue;
            }
            // "Donald J. Trump".
            let mut others = words[..at].iter().rev().skip_while(|word| is_initial(word));
            match others.next() {
                Some(first) if is_name(bare(first)) && !ends_phrase(first) => {
                    *firsts.entry(bare(first)).or_default() += 1;
                }
                other => {
                    alone += 1;
                    let other = other.filter(|other| other.starts_with(char::is_lowercase));
                    *before
                        .entry(other.map(|other| other.to_lowercase()).unwrap_or_default())
                        .or_default() += 1;
                }
            }
        }
    }
    before.remove("");
    // "the House", "das Haus": one word before most of them.
    let has_article = before.values().any(|count| *count >= TELLING && 2 * count > alone);
    let told = firsts.into_iter().filter(|(_, count)| !has_article && alone >= *count);
    told.map(|(first, _)| first.to_owned()).collect()
}

/// Whether a word may be a name: a capital, and small letters.
fn is_name(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && word.contains(char::is_lowercase)
}

/// Whether a word is the first letter of a name.
fn is_initial(word: &str) -> bool {
    let mut letters = word.chars();
    let is_capital = letters.next().is_some_and(char::is_uppercase);
    is_capital && matches!(letters.as_str(), "" | ".")
}

#[cfg(test)]
mod tests {
    use newslode_page::article::Block;

    use super::*;
    use crate::mining::testing;

    #[track_caller]
    fn check(label: &str, text: &str, wanted: &[&str]) {
        let body = vec![Block::new(BlockKind::Paragraph, text.to_owned())];
        let article = Article { body, ..testing::article("https://a.test/x") };
        assert_eq!(first_names(label, &article), wanted, "{label}");
    }

    #[test]
    fn a_full_name_that_is_followed_by_the_last_name_alone_is_told() {
        check(
            "trump",
            "Donald J. Trump won. Later they said that Trump left, and that Trump won.",
            &["Donald"],
        );
        check("Muscat", "Joseph Muscat lost. Muscat's wife said that Muscat left.", &["Joseph"]);
    }

    #[test]
    fn a_word_that_texts_use_with_others_alone_or_after_an_article_is_no_last_name() {
        check("Korea", "North Korea fired. North Korea said that Korea is one.", &[]);
        check("House", "The White House said that the House, of the House, by the House, in the House.", &[]);
        check("court", "The Supreme Court said that a court is a court.", &[]);
        check("GDP", "Nominal GDP grew; GDP fell.", &[]);
        check("Trump", "They met Donald, Trump and Trump.", &[]);
        check("Donald Trump", "Donald Trump said that Donald Trump won.", &[]);
    }
}
