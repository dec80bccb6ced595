//! Scores informative blocks against gold: words of articles (IC) and anchors of tables of contents (SNC).
//!
//! IC compares the words of the article blocks with those of the article's text, as multisets in lower
//! case. SNC looks at the anchors that people judged on a page and expects those that lead to news.

use std::collections::BTreeMap;

use super::Prf;

/// Scores a text against an article's text (IC).
#[must_use]
pub fn score_article_words(gold: &str, text: &str) -> Prf {
    let (wanted, found) = (count_words(gold), count_words(text));
    let hit = wanted.iter().map(|(word, n)| (*n).min(found.get(word).copied().unwrap_or(0))).sum();
    Prf::of(hit, found.values().sum(), wanted.values().sum())
}

fn count_words(text: &str) -> BTreeMap<String, usize> {
    let lower = text.to_lowercase();
    let mut counts = BTreeMap::new();
    for word in lower.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()) {
        *counts.entry(word.to_owned()).or_insert(0) += 1;
    }
    counts
}

/// An anchor that people judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// Its first leaf.
    pub leaf: usize,
    /// Whether it leads to news.
    pub is_news: bool,
}

/// Scores the anchors whose first leaf lies in the blocks (SNC).
pub fn score_anchors(gold: &[Anchor], is_held: impl Fn(usize) -> bool) -> Prf {
    let in_blocks = || gold.iter().filter(|anchor| is_held(anchor.leaf));
    let hit = in_blocks().filter(|anchor| anchor.is_news).count();
    Prf::of(hit, in_blocks().count(), gold.iter().filter(|anchor| anchor.is_news).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_as_often_as_they_stand() {
        let ic = score_article_words("One two, two.", "TWO three");
        assert_eq!((ic.precision, ic.recall), (0.5, 1.0 / 3.0));
    }

    #[test]
    fn only_judged_anchors_count() {
        let gold = [(1, true), (4, true), (6, false)].map(|(leaf, is_news)| Anchor { leaf, is_news });
        let snc = score_anchors(&gold, |leaf| leaf > 3);
        assert_eq!((snc.precision, snc.recall), (0.5, 0.5));
    }
}
