//! Classifies an article by its words, learnt from the articles that sites filed themselves.
//!
//! A concept is the mean of its articles' words, less the mean of all others (Rocchio's classifier). How often that is right on
//! other sites is measured by cross-validation over groups of sites. If it is not right often enough, nothing is filed by words.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use newslode_page::article::Article;
use newslode_page::contribution::terms;
use serde::{Deserialize, Serialize};

use super::catalogue::{Catalogue, Number};
use super::hash::hash;
use super::witness::Named;

/// Number of groups of sites, each of which is classified by what the others teach.
const GROUPS: usize = 8;
/// A concept is learnt from this many articles or more, on two sites or more.
const LEAST_ARTICLES: i64 = 3;
const LEAST_SITES: usize = 2;
/// Least number of articles by which the classifier is measured, and the least share that must be right.
const LEAST_JUDGED: usize = 20;
const LEAST_RIGHT: f32 = 0.9;
/// Length of an article's vector of weights, which are integers, so that sums do not depend on their order.
const WEIGHT_UNIT: f64 = 4096.0;
/// Number of times that the words of the title count.
const TITLE: u32 = 3;
/// Maximum number of terms of a concept.
const MAX_TERMS: usize = 400;
/// Maximum number of articles of a language to learn from: those whose URLs have the smallest hashes.
const MAX_EXAMPLES: usize = 20_000;
/// Exponent of a concept's number of articles in its score: frequent concepts are likelier.
const COMMON: f64 = 0.25;

/// An article's terms, by number, with their weights.
type Terms = Vec<(u32, u16)>;

/// An article that its site filed, to be learnt from.
struct Example {
    hash: u64,
    group: usize,
    site: String,
    terms: Terms,
    concepts: Vec<Number>,
}

/// Filed articles of one language.
#[derive(Default)]
struct LanguageCorpus {
    numbers: HashMap<String, u32>,
    examples: Vec<Example>,
}

/// Filed articles, by language.
#[derive(Default)]
pub(super) struct Corpus(BTreeMap<String, LanguageCorpus>);

impl Corpus {
    pub(super) fn add(&mut self, catalogue: &Catalogue, article: &Article, named: &Named) {
        let Some(language) = &article.language else { return };
        let is_subject = |number: &Number| catalogue.is_subject(*number);
        let concepts: Vec<Number> = named.keys().copied().filter(is_subject).collect();
        if concepts.is_empty() {
            return;
        }
        let language_corpus = self.0.entry(language.clone()).or_default();
        let numbers = &mut language_corpus.numbers;
        let terms = term_weights(article, |term| {
            let next = u32::try_from(numbers.len()).ok()?;
            Some(*numbers.entry(term.to_owned()).or_insert(next))
        });
        let site = article.site.clone();
        let (hash, group) = (hash(&article.url), (hash(&site) % GROUPS as u64) as usize);
        language_corpus.examples.push(Example { hash, group, site, terms, concepts });
        if language_corpus.examples.len() > 2 * MAX_EXAMPLES {
            language_corpus.sample();
        }
    }

    /// Trains a classifier on these articles.
    pub(super) fn train(self, catalogue: &Catalogue) -> WordClassifier {
        let learnt = self.0.into_iter().filter_map(|(language, mut language_corpus)| {
            language_corpus.sample();
            language_corpus.renumber();
            let right = Calibration::new(language_corpus.cross_validate(catalogue))?;
            let Model { concepts, mut uses } = Model::new(&language_corpus, |_| true);
            let used = language_corpus.numbers.into_iter().filter_map(|(term, number)| {
                let uses = uses.remove(&number)?;
                Some((term, uses))
            });
            Some((language, LanguageClassifier { uses: used.collect(), concepts, right }))
        });
        WordClassifier(learnt.collect())
    }
}

/// The terms of an article's title and body, with integer weights that do not depend on its length.
pub(in crate::mining) fn term_weights<T>(
    article: &Article,
    mut found: impl FnMut(&str) -> Option<T>,
) -> Vec<(T, u16)> {
    let title = article.title.iter().map(|title| (title.as_str(), TITLE));
    let body = article.body.iter().map(|block| (block.text.as_str(), 1));
    let counts = terms::terms_of_texts(article.language.as_deref(), title.chain(body));
    let weights: Vec<(&String, f64)> =
        counts.iter().map(|(term, count)| (term, 1.0 + f64::from(*count).ln())).collect();
    let length = weights.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
    let weighed = weights
        .into_iter()
        .filter_map(|(term, weight)| Some((found(term)?, (weight / length * WEIGHT_UNIT).round() as u16)));
    weighed.collect()
}

impl LanguageCorpus {
    /// Keeps at most [`MAX_EXAMPLES`].
    fn sample(&mut self) {
        self.examples.sort_by_key(|example| example.hash);
        self.examples.truncate(MAX_EXAMPLES);
    }

    /// Numbers the terms in their own order, so that it does not matter which article came first.
    fn renumber(&mut self) {
        let mut terms: Vec<(&String, &mut u32)> = self.numbers.iter_mut().collect();
        terms.sort_unstable_by_key(|(term, _)| *term);
        let mut new = vec![0; terms.len()];
        for (number, (_, held)) in (0..).zip(terms) {
            if let Some(new) = new.get_mut(*held as usize) {
                *new = number;
            }
            *held = number;
        }
        for (term, _) in self.examples.iter_mut().flat_map(|example| &mut example.terms) {
            *term = new.get(*term as usize).copied().unwrap_or_default();
        }
    }

    /// Classifies each example by the examples of other groups of sites. Returns how sure the classifier is, and whether it is
    /// right.
    fn cross_validate(&self, catalogue: &Catalogue) -> Vec<(f64, bool)> {
        let mut judged = Vec::new();
        for group in 0..GROUPS {
            let model = Model::new(self, |example| example.group != group);
            for example in self.examples.iter().filter(|example| example.group == group) {
                let Some((concept, sure)) = model.likeliest(&example.terms) else { continue };
                let is_right = |own: &Number| *own == concept || catalogue.is_broader(concept, *own);
                judged.push((sure, example.concepts.iter().any(is_right)));
            }
        }
        judged
    }
}

/// The concepts that use a term more than others do, by their places in a list, and its weights there.
type Uses = Vec<(u32, f64)>;

/// Concepts by their words.
struct Model {
    concepts: Vec<Number>,
    uses: HashMap<u32, Uses>,
}

/// Sums over articles.
#[derive(Default)]
struct Sum {
    articles: i64,
    weights: HashMap<u32, i64>,
}

impl Sum {
    fn add(&mut self, terms: &Terms) {
        self.articles += 1;
        terms.iter().for_each(|(term, weight)| *self.weights.entry(*term).or_default() += i64::from(*weight));
    }
}

impl Model {
    fn new(language_corpus: &LanguageCorpus, is_read: impl Fn(&Example) -> bool) -> Model {
        let (mut all, mut articles_with) = (Sum::default(), HashMap::<u32, i64>::new());
        let mut by_concept: BTreeMap<Number, (Sum, BTreeSet<&str>)> = BTreeMap::new();
        for example in language_corpus.examples.iter().filter(|example| is_read(example)) {
            all.add(&example.terms);
            example.terms.iter().for_each(|(term, _)| *articles_with.entry(*term).or_default() += 1);
            for concept in &example.concepts {
                let (sum, sites) = by_concept.entry(*concept).or_default();
                sum.add(&example.terms);
                sites.insert(&example.site);
            }
        }
        let is_known = |(sum, sites): &(Sum, BTreeSet<&str>)| {
            sum.articles >= LEAST_ARTICLES && sites.len() >= LEAST_SITES && sum.articles < all.articles
        };
        by_concept.retain(|_, of| is_known(of));
        let rarity =
            |term: &u32| (all.articles as f64 / articles_with.get(term).copied().unwrap_or(1) as f64).ln();
        let (mut concepts, mut uses) = (Vec::new(), HashMap::<u32, Uses>::new());
        for (at, (concept, (sum, _))) in (0..).zip(by_concept) {
            let peculiar = distinctive_terms(&sum, &all, &rarity);
            let length = peculiar.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
            let common = (sum.articles as f64).powf(COMMON);
            for (term, weight) in peculiar {
                // The classified article's own weight has a rarity as well; it is multiplied in here once.
                let weight = weight / length * rarity(&term) * common;
                uses.entry(term).or_default().push((at, weight));
            }
            concepts.push(concept);
        }
        Model { concepts, uses }
    }

    fn likeliest(&self, terms: &Terms) -> Option<(Number, f64)> {
        let uses = terms.iter().filter_map(|(term, weight)| Some((self.uses.get(term)?, *weight)));
        likeliest(&self.concepts, uses)
    }
}

/// The likeliest concept of terms with these uses and weights, and how many times as likely it is as the next.
fn likeliest<'u>(
    concepts: &[Number],
    terms: impl IntoIterator<Item = (&'u Uses, u16)>,
) -> Option<(Number, f64)> {
    let mut scores = vec![0.0; concepts.len()];
    for (uses, weight) in terms {
        for (concept, used) in uses {
            if let Some(score) = scores.get_mut(*concept as usize) {
                *score += f64::from(weight) * used;
            }
        }
    }
    let mut order: Vec<(f64, Number)> = scores.into_iter().zip(concepts.iter().copied()).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let (best, next) = (*order.first()?, *order.get(1)?);
    (best.0 > 0.0).then(|| (best.1, best.0 / (next.0 + 0.01 * WEIGHT_UNIT)))
}

/// The terms that a concept's articles use more than all others do, most weighty first, ties by number.
fn distinctive_terms(of: &Sum, all: &Sum, rarity: &impl Fn(&u32) -> f64) -> Vec<(u32, f64)> {
    let others = (all.articles - of.articles) as f64;
    let mut found: Vec<(u32, f64)> = of
        .weights
        .iter()
        .map(|(term, weight)| {
            let elsewhere = all.weights.get(term).copied().unwrap_or(0) - weight;
            let more = *weight as f64 / of.articles as f64 - elsewhere as f64 / others;
            (*term, more * rarity(term))
        })
        .filter(|(_, weight)| *weight > 0.0)
        .collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    found.truncate(MAX_TERMS);
    found
}

/// The share of classifications that are right on other sites, by how sure the classifier is at least; surest first, each share
/// once.
#[derive(Serialize, Deserialize)]
struct Calibration(Vec<(f64, f32)>);

impl Calibration {
    /// `None` if nothing is right often enough.
    fn new(mut judged: Vec<(f64, bool)>) -> Option<Calibration> {
        judged.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| b.1.cmp(&a.1)));
        let mut right = 0;
        let shares = judged.iter().enumerate().map(|(number, (sure, is_right))| {
            right += usize::from(*is_right);
            (*sure, right as f32 / (number + 1) as f32)
        });
        let shares: Vec<(f64, f32)> = shares.collect();
        let is_enough =
            |(number, share): (usize, &(f64, f32))| number + 1 >= LEAST_JUDGED && share.1 >= LEAST_RIGHT;
        let last = shares.iter().enumerate().rev().find(|(number, share)| is_enough((*number, share)))?.0;
        let mut shares = shares[..=last].to_vec();
        // A surer classification is right at least as often. The first few alone would say little.
        for at in (0..last).rev() {
            shares[at].1 = shares[at].1.max(shares[at + 1].1);
        }
        let mut last_of_each: Vec<(f64, f32)> = Vec::new();
        for (sure, share) in shares {
            match last_of_each.last_mut().filter(|last| last.1 == share) {
                Some(last) => last.0 = sure,
                None => last_of_each.push((sure, share)),
            }
        }
        Some(Calibration(last_of_each))
    }

    fn share_right(&self, sure: f64) -> Option<f32> {
        let at = self.0.partition_point(|(known, _)| *known > sure);
        self.0.get(at).map(|(_, share)| *share)
    }
}

/// The classifier of one language.
#[derive(Serialize, Deserialize)]
struct LanguageClassifier {
    concepts: Vec<Number>,
    uses: BTreeMap<String, Uses>,
    right: Calibration,
}

/// Finds the concept of an article by its words; one classifier for each language.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct WordClassifier(BTreeMap<String, LanguageClassifier>);

impl WordClassifier {
    /// The concept of an article by its words, and the share of such classifications that are right.
    pub(super) fn classify(&self, article: &Article) -> Option<(Number, f32)> {
        let learnt = self.0.get(article.language.as_deref()?)?;
        let terms = term_weights(article, |term| learnt.uses.get(term));
        let (concept, sure) = likeliest(&learnt.concepts, terms)?;
        Some((concept, learnt.right.share_right(sure)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_higher_score_is_never_less_likely_to_be_right() {
        // The surest is wrong, the next nineteen are right, and then one in two.
        let judged =
            (0..40).map(|number| (f64::from(40 - number), number != 0 && (number < 20 || number % 2 == 0)));
        let right = Calibration::new(judged.collect()).unwrap();
        assert_eq!(
            (right.share_right(50.0), right.share_right(21.0)),
            (Some(20.0 / 21.0), Some(20.0 / 21.0))
        );
        // Of the first 23, 21 are right; of 24, too few.
        assert_eq!((right.share_right(18.0), right.share_right(17.0)), (Some(21.0 / 23.0), None));
        let few = (0..19).map(|number| (f64::from(number), true));
        assert!(Calibration::new(few.collect()).is_none());
    }
}
