//! WISDOM's term entropy `[W §3]`: how evenly a term is spread over the pages of one site.
//!
//! EN(t) = −Σ_j w_j log_n w_j with w_j = tf_j/TF over the n pages of the site. Menus and slogans come near 1,
//! an article's subject near 0; W(t) = 1 − EN(t). It is computed from sums alone: EN = (ln TF − Q/(2³²·TF)) /
//! ln n with Q = Σ round(2³²·tf·ln tf). The sums are integers, so any order and any subtraction give the same
//! bits. The result agrees with the batch formula over the pages to 1e-9.

use std::collections::BTreeMap;

use newslode_page::contribution::SEPARATOR;
use newslode_page::wisdom::SiteTerms;
use serde::Serialize;

/// 2³², the scale of `Q`.
const SCALE: f64 = 4_294_967_296.0;

/// EN(t) of a term that occurs `tf` times with `q` = Σ q(tf_j) on a site of `pages` pages, 0 to 1. With fewer
/// than two pages there is no evidence, and EN is 1.
#[must_use]
pub fn entropy(tf: i64, q: i64, pages: u64) -> f64 {
    if pages < 2 || tf < 1 {
        return 1.0;
    }
    let tf = tf as f64;
    ((tf.ln() - q as f64 / (SCALE * tf)) / (pages as f64).ln()).clamp(0.0, 1.0)
}

/// W(t) = 1 − EN(t): the information of a term.
#[must_use]
pub fn weight(entropy: f64) -> f64 {
    1.0 - entropy
}

/// EN of each term of a site, by term, from its number of pages and the cells of its
/// [`Table::Terms`](newslode_page::contribution::Table::Terms).
#[must_use]
pub fn terms(cells: &BTreeMap<String, i64>, pages: u64) -> Vec<(String, f64)> {
    let frequencies = cells.iter().filter_map(|(key, tf)| match key.split_once(SEPARATOR)? {
        ("tf", term) => Some((term, *tf)),
        _ => None,
    });
    let q = |term: &str| cells.get(&format!("q{SEPARATOR}{term}")).copied().unwrap_or(0);
    frequencies.map(|(term, tf)| (term.to_owned(), entropy(tf, q(term), pages))).collect()
}

/// A site's terms, from its number of pages and the cells of its
/// [`Table::Terms`](newslode_page::contribution::Table::Terms). No page is known yet.
#[must_use]
pub fn site_terms(cells: &BTreeMap<String, i64>, pages: u64) -> SiteTerms {
    SiteTerms::new(pages, counted_terms(cells, pages))
}

/// Each term of a site with its count TF and its entropy EN; the arguments are those of [`terms`].
#[must_use]
pub fn counted_terms(cells: &BTreeMap<String, i64>, pages: u64) -> Vec<(String, u64, f64)> {
    let entropies = terms(cells, pages).into_iter();
    let counted = entropies.map(|(term, entropy)| {
        let count = cells.get(&format!("tf{SEPARATOR}{term}")).copied().unwrap_or_default();
        (term, count.unsigned_abs(), entropy)
    });
    counted.collect()
}

/// A term of a site with its figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TermFigures {
    /// The stem.
    pub term: String,
    /// EN, 0 to 1.
    pub entropy: f64,
    /// W = 1 − EN.
    pub weight: f64,
    /// Pages that hold it.
    pub df: u64,
    /// How often it occurs on all pages together.
    pub tf: u64,
}

/// All terms of a site with their figures, by term; the arguments are those of [`terms`].
#[must_use]
pub fn figures(cells: &BTreeMap<String, i64>, pages: u64) -> Vec<TermFigures> {
    let count = |what: &str, term: &str| {
        let count = cells.get(&format!("{what}{SEPARATOR}{term}")).copied().unwrap_or(0);
        u64::try_from(count).unwrap_or(0)
    };
    let of = |(term, entropy): (String, f64)| {
        let (df, tf) = (count("df", &term), count("tf", &term));
        TermFigures { term, entropy, weight: weight(entropy), df, tf }
    };
    terms(cells, pages).into_iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use newslode_page::contribution::{Contribution, Delta, Table, TermUse};
    use proptest::prelude::*;

    use super::*;

    fn page(count: u32) -> Contribution {
        let terms = (count > 0).then(|| TermUse { term: "jazz".into(), count });
        Contribution { terms: terms.into_iter().collect(), ..Contribution::default() }
    }

    fn add(sum: &mut Delta, delta: &Delta) {
        delta.iter().for_each(|(cell, by)| sum.add(cell.clone(), by));
    }

    fn cells(sum: &Delta) -> BTreeMap<String, i64> {
        sum.iter().filter(|(c, _)| c.table == Table::Terms).map(|(c, by)| (c.key.clone(), by)).collect()
    }

    fn batch(counts: &[u32]) -> f64 {
        let total: f64 = counts.iter().map(|c| f64::from(*c)).sum();
        let summands = counts.iter().filter(|c| **c > 0).map(|c| f64::from(*c) / total);
        summands.map(|w| -w * w.ln() / (counts.len() as f64).ln()).sum()
    }

    proptest! {
        #[test]
        fn entropy_from_sums_equals_the_batch_formula_in_any_order_and_after_subtraction(
            counts in prop::collection::vec(0u32..5000, 2..40),
            gone in prop::collection::vec(1u32..5000, 0..10),
        ) {
            prop_assume!(counts.iter().any(|count| *count > 0));
            let mut sum = Delta::default();
            for count in gone.iter().chain(counts.iter().rev()) {
                add(&mut sum, &Delta::between(None, Some(&page(*count))));
            }
            for count in &gone {
                add(&mut sum, &Delta::between(Some(&page(*count)), None));
            }
            let mut straight = Delta::default();
            counts.iter().for_each(|count| add(&mut straight, &Delta::between(None, Some(&page(*count)))));
            prop_assert_eq!(&sum, &straight);
            let found = terms(&cells(&sum), counts.len() as u64);
            prop_assert!((found[0].1 - batch(&counts)).abs() < 1e-9, "{:?} {}", found, batch(&counts));
        }
    }

    #[test]
    fn a_word_of_every_page_has_high_entropy_and_a_rare_one_low() {
        let even = Delta::between(None, Some(&page(3)));
        let mut sum = even.clone();
        add(&mut sum, &even);
        assert!(weight(terms(&cells(&sum), 2)[0].1).abs() < 1e-9);
        assert!((weight(terms(&cells(&even), 2)[0].1) - 1.0).abs() < 1e-9);
        assert_eq!(entropy(3, 0, 1), 1.0);
        let figures = figures(&cells(&sum), 2);
        assert_eq!((figures.len(), figures[0].df, figures[0].tf), (1, 2, 6));
        assert!(figures[0].weight.abs() < 1e-9);
    }
}
