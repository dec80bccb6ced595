//! What a site's own scheme says to the taxonomy of all sites: under which labels it files articles, and their words.
//!
//! Sites share a concept if they file stories under one label and these stories use the same words: "Conservatives" of a page on
//! politics and of one on nature do not. So a summary has for each label the number of articles and their most distinctive
//! words. Words are weighed within the site, so that what all of its articles say counts for nothing. Beside the labels are the
//! steps that breadcrumbs show between them, how running text spells them, and a sample of the site's headlines, by which sites that
//! copy each other are found. Start at [`SchemeSummary::of`].

use std::collections::BTreeMap;

use newslode_page::article::Article;
use newslode_page::contribution::labels::LabelKeys;
use newslode_page::extract::SlotUse;
use newslode_page::reading::CanonicalUrl;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::full_names::first_names;
use super::spellings::{Spelled, Spellings};
use super::{BroaderBy, PlaceFinder, SchemePlace, SiteScheme};
use crate::mining::concepts::key::language;
use crate::mining::filing::{hash, term_weights};
use crate::mining::fingerprints::headline_mark;

/// Most labels of a site, those of most articles. A site may have more tags, of which few recur elsewhere.
const MOST_LABELS: usize = 2_000;
/// Most words of a label's articles, and of all articles of a language.
const MOST_WORDS: usize = 64;
const MOST_SITE_WORDS: usize = 256;
/// Most first names of a label, and most labels of an article of which they are looked for.
const MOST_FIRST_NAMES: usize = 4;
const MOST_LOOKED_FOR: usize = 48;
/// Length of a vector of words. Weights are integers, so that what is stored is equal to the bit.
const WEIGHT_UNIT: f64 = 16_384.0;
/// Added to a likeness of words, so that a quotient of two small ones says little.
const SMALL: f64 = 0.005;
/// Most headlines of a site that are kept: those with the smallest marks, so that two sites keep the same ones.
const MOST_HEADLINES: usize = 128;
/// Articles whose words have a smaller cosine share none that matters.
const LEAST_COSINE: f64 = 0.02;

/// What a site's own scheme says to the taxonomy of all sites.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchemeSummary {
    /// Number of articles that it was made from.
    pub articles: u32,
    /// By label key.
    pub labels: BTreeMap<String, PlacedLabel>,
    /// By language, the words of all articles.
    words: BTreeMap<String, Words>,
    /// How labels lie in each other; nothing in summaries that were stored before this was known.
    order: Option<LabelOrder>,
    /// By label key, how running text spells the label; nothing in summaries that were stored before this was known.
    spellings: Option<BTreeMap<String, Spelled>>,
    /// By label key, the words with which texts of its articles make a full name of the label, each with the number of articles;
    /// those of most articles first. Nothing in summaries that were stored before this was known.
    first_names: Option<BTreeMap<String, Vec<(String, u32)>>>,
    /// The smallest marks of its headlines, ascending; nothing in summaries that were stored before this was known.
    headlines: Option<Vec<u32>>,
}

/// How the labels of a site lie in each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct LabelOrder {
    /// (broader, narrower) → number of articles whose breadcrumbs say so.
    breadcrumbs: BTreeMap<(String, String), u32>,
    /// Label → how the site writes the label that most of its articles have, too, and the number of these.
    mostly_in: BTreeMap<String, (String, u32)>,
}

/// A label under which a site files articles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedLabel {
    /// As the site writes it on most articles.
    pub form: String,
    /// Number of articles that it is a place of, without those that it is a byline of.
    pub articles: u32,
    words: Words,
}

/// The most distinctive words of some articles by their hashes, ascending, as a vector of length one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Words(Vec<(u32, u16)>);

/// The words of some articles, summed.
#[derive(Default)]
struct WordSums {
    articles: u32,
    /// Of each word the sum of its weights, and the number of articles that use it.
    weights: FxHashMap<u32, (u64, u32)>,
}

/// A label while it is counted.
#[derive(Default)]
struct Counted {
    forms: BTreeMap<String, u32>,
    articles: u32,
    words: WordSums,
    first_names: BTreeMap<String, u32>,
}

impl SchemeSummary {
    /// The summary of a site with this scheme and these articles, each with its slots.
    #[must_use]
    pub fn of<'a>(
        finder: &PlaceFinder,
        articles: impl Iterator<Item = (&'a CanonicalUrl, &'a Article, &'a [SlotUse])> + Clone,
    ) -> SchemeSummary {
        let mut labels: BTreeMap<String, Counted> = BTreeMap::new();
        let mut languages: BTreeMap<String, (LabelKeys, WordSums)> = BTreeMap::new();
        let mut summary = SchemeSummary::default();
        let mut headlines: Vec<u32> =
            articles.clone().filter_map(|(_, article, _)| headline_mark(article)).collect();
        headlines.sort_unstable();
        headlines.dedup();
        headlines.truncate(MOST_HEADLINES);
        summary.headlines = Some(headlines);
        for (url, article, slots) in articles.clone() {
            let language = article.language.as_deref();
            let (keys, all) = languages
                .entry(language.unwrap_or("und").to_owned())
                .or_insert_with(|| (LabelKeys::new(language), WordSums::default()));
            let words = term_weights(article, |term| Some(word(term)));
            all.add(&words);
            summary.articles += 1;
            let mut own: BTreeMap<String, String> = BTreeMap::new();
            for place in finder.places_of(url, &article.authors, slots) {
                if let Some(key) = keys.key(&place.label) {
                    own.entry(key).or_insert(place.label);
                }
            }
            for (at, (key, form)) in own.into_iter().enumerate() {
                let label = labels.entry(key).or_default();
                let firsts = if at < MOST_LOOKED_FOR { first_names(&form, article) } else { Vec::new() };
                for first in firsts {
                    *label.first_names.entry(first).or_default() += 1;
                }
                *label.forms.entry(form).or_default() += 1;
                label.articles += 1;
                label.words.add(&words);
            }
        }
        let mut most: Vec<(String, Counted)> = labels.into_iter().collect();
        most.sort_by(|a, b| b.1.articles.cmp(&a.1.articles).then_with(|| a.0.cmp(&b.0)));
        most.truncate(MOST_LABELS);
        let mut spellings = Spellings::new(most.iter().map(|(_, label)| label.forms.keys()));
        articles.for_each(|(_, article, _)| spellings.add(article));
        let spelled = most.iter().map(|(key, _)| key.clone()).zip(spellings.spelled());
        summary.spellings = Some(spelled.filter(|(_, spelled)| !spelled.is_empty()).collect());
        let mut firsts = BTreeMap::new();
        for (key, label) in most {
            let mut told: Vec<(String, u32)> = label.first_names.into_iter().collect();
            told.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            told.truncate(MOST_FIRST_NAMES);
            if !told.is_empty() {
                firsts.insert(key.clone(), told);
            }
            let Some((_, all)) = languages.get(language(&key)) else { continue };
            let form = label.forms.iter().max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)));
            let placed = PlacedLabel {
                form: form.map(|(form, _)| form.clone()).unwrap_or_default(),
                articles: label.articles,
                words: label.words.distinctive(all, MOST_WORDS),
            };
            summary.labels.insert(key, placed);
        }
        summary.first_names = Some(firsts);
        summary.order = Some(summary.order_of(finder.scheme(), &languages));
        let languages = languages.into_iter();
        summary.words = languages
            .map(|(language, (_, all))| (language, all.distinctive(&all, MOST_SITE_WORDS)))
            .collect();
        summary
    }

    /// How the labels under which articles are filed lie in each other, in each language.
    fn order_of(
        &self,
        scheme: &SiteScheme,
        languages: &BTreeMap<String, (LabelKeys, WordSums)>,
    ) -> LabelOrder {
        let mut order = LabelOrder::default();
        for (keys, _) in languages.values() {
            let key =
                |place: &SchemePlace| keys.key(&place.label).filter(|key| self.labels.contains_key(key));
            for (at, place) in scheme.places().iter().enumerate().take(MOST_LABELS) {
                let Some(own) = key(place) else { continue };
                if let Some((broader, by)) = scheme.broader(at)
                    && by.by.contains(&BroaderBy::Breadcrumbs)
                    && let Some(broader) = key(broader).filter(|broader| *broader != own)
                {
                    *order.breadcrumbs.entry((broader, own.clone())).or_default() += by.articles;
                }
                if let Some((wider, mostly)) = scheme.mostly_in(at) {
                    order.mostly_in.entry(own).or_insert_with(|| (wider.label.clone(), mostly.articles));
                }
            }
        }
        order
    }

    /// The smallest marks of the site's headlines, ascending: all of them if there are fewer than are kept.
    pub(crate) fn headlines(&self) -> &[u32] {
        self.headlines.as_deref().unwrap_or_default()
    }

    /// Up to which mark all headlines of the site are kept.
    pub(crate) fn headlines_kept_to(&self) -> u32 {
        let kept = self.headlines();
        kept.last().copied().filter(|_| kept.len() >= MOST_HEADLINES).unwrap_or(u32::MAX)
    }

    /// The pairs of labels of which the first is broader by the breadcrumbs of articles, each with the number of these.
    pub fn breadcrumbs(&self) -> impl Iterator<Item = (&str, &str, u32)> {
        let pairs = self.order.iter().flat_map(|order| &order.breadcrumbs);
        pairs.map(|((broader, narrower), articles)| (broader.as_str(), narrower.as_str(), *articles))
    }

    /// The number of articles whose breadcrumbs have a label right below another one.
    #[must_use]
    pub fn breadcrumbs_between(&self, broader: &str, narrower: &str) -> u32 {
        let pair = (broader.to_owned(), narrower.to_owned());
        self.order.as_ref().and_then(|order| order.breadcrumbs.get(&pair)).copied().unwrap_or(0)
    }

    /// Another label, as the site writes it, that most articles of this label also have, and how many have both. That makes neither label
    /// broader than the other.
    #[must_use]
    pub fn mostly_in(&self, key: &str) -> Option<(&str, u32)> {
        let (label, articles) = self.order.as_ref()?.mostly_in.get(key)?;
        Some((label, *articles))
    }

    /// How running text of the site's articles spells a label, each spelling with the number of articles that have it.
    pub fn spellings(&self, key: &str) -> impl Iterator<Item = (&str, u32)> {
        let spelled = self.spellings.as_ref().and_then(|spellings| spellings.get(key));
        spelled.into_iter().flatten().map(|(spelling, articles)| (spelling.as_str(), *articles))
    }

    /// The words with which texts of a label's articles make a full name of it ("Donald" for "Trump"), each with the number of
    /// articles that go on with the label alone.
    pub fn first_names(&self, key: &str) -> impl Iterator<Item = (&str, u32)> {
        let told = self.first_names.as_ref().and_then(|names| names.get(key));
        told.into_iter().flatten().map(|(first, articles)| (first.as_str(), *articles))
    }

    /// How alike the words are that two sites file under labels of one language, as a rule the same: the likeness of these articles over that of articles of the
    /// other site in general. About 1 if the label says nothing, 0 if they share no words; `None` if a site does not file under it.
    #[must_use]
    pub fn likeness(&self, key: &str, other: &SchemeSummary, other_key: &str) -> Option<f64> {
        let language = language(key);
        let (a, b) = (&self.labels.get(key)?.words, &other.labels.get(other_key)?.words);
        let (all_a, all_b) = (self.words.get(language)?, other.words.get(language)?);
        let (own, in_general) = (a.cosine(b), (a.cosine(all_b) + b.cosine(all_a)) / 2.0);
        Some(if own < LEAST_COSINE { 0.0 } else { (own + SMALL) / (in_general + SMALL) })
    }
}

/// A word's number, equal on every machine.
fn word(term: &str) -> u32 {
    hash(term) as u32
}

impl WordSums {
    fn add(&mut self, words: &[(u32, u16)]) {
        self.articles += 1;
        for (word, weight) in words {
            let (sum, articles) = self.weights.entry(*word).or_default();
            *sum += u64::from(*weight);
            *articles += 1;
        }
    }

    /// The most weighty words of these articles: frequent here, rare in all articles of the site.
    fn distinctive(&self, all: &WordSums, most: usize) -> Words {
        let rarity = |word: &u32| {
            let articles = all.weights.get(word).map_or(1, |(_, articles)| *articles);
            (f64::from(all.articles + 1) / f64::from(articles.max(1))).ln()
        };
        let weighed = self.weights.iter().map(|(word, (sum, _))| (*word, *sum as f64 * rarity(word)));
        let mut words: Vec<(u32, f64)> = weighed.filter(|(_, weight)| *weight > 0.0).collect();
        words.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        words.truncate(most);
        let length = words.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
        words.sort_by_key(|(word, _)| *word);
        let weighed = words.into_iter().map(|(word, weight)| (word, (weight / length * WEIGHT_UNIT) as u16));
        Words(weighed.filter(|(_, weight)| *weight > 0).collect())
    }
}

impl Words {
    fn cosine(&self, other: &Words) -> f64 {
        let (mut a, mut b) = (self.0.as_slice(), other.0.as_slice());
        let mut sum = 0.0;
        while let ([(one, weight), rest_of_a @ ..], [(two, by), rest_of_b @ ..]) = (a, b) {
            match one.cmp(two) {
                std::cmp::Ordering::Less => a = rest_of_a,
                std::cmp::Ordering::Greater => b = rest_of_b,
                std::cmp::Ordering::Equal => {
                    sum += f64::from(*weight) * f64::from(*by);
                    (a, b) = (rest_of_a, rest_of_b);
                }
            }
        }
        sum / (WEIGHT_UNIT * WEIGHT_UNIT)
    }
}

#[cfg(test)]
impl SchemeSummary {
    /// A summary of labels, each with its key, its form, its number of articles, and words that these share.
    pub(crate) fn made(labels: &[(&str, &str, u32, &[&str])]) -> SchemeSummary {
        let vector = |terms: &[&str]| {
            let weight = (WEIGHT_UNIT / (terms.len() as f64).sqrt()) as u16;
            let mut words: Vec<(u32, u16)> = terms.iter().map(|term| (word(term), weight)).collect();
            words.sort_unstable();
            Words(words)
        };
        let mut summary = SchemeSummary::default();
        for (key, form, articles, terms) in labels {
            let placed = PlacedLabel { form: (*form).into(), articles: *articles, words: vector(terms) };
            summary.articles += articles;
            summary.labels.insert((*key).into(), placed);
        }
        let all: Vec<&str> = labels.iter().flat_map(|(.., terms)| terms.iter().copied()).collect();
        summary.words = ["de", "en"].map(|language| (language.to_owned(), vector(&all))).into();
        summary
    }

    /// The same with the marks of headlines.
    pub(crate) fn with_headlines(mut self, marks: impl Iterator<Item = u32>) -> SchemeSummary {
        let mut marks: Vec<u32> = marks.collect();
        marks.sort_unstable();
        marks.truncate(MOST_HEADLINES);
        self.headlines = Some(marks);
        self
    }

    /// The same with words that make full names of labels.
    pub(crate) fn with_first_names(mut self, told: &[(&str, &str, u32)]) -> SchemeSummary {
        let names = self.first_names.get_or_insert_default();
        for (key, first, articles) in told {
            names.entry((*key).into()).or_default().push(((*first).into(), *articles));
        }
        self
    }

    /// The same with breadcrumbs that have the first label before the second, on so many articles.
    pub(crate) fn with_breadcrumbs(mut self, pairs: &[(&str, &str, u32)]) -> SchemeSummary {
        let pairs = pairs.iter().map(|(a, b, articles)| (((*a).to_owned(), (*b).to_owned()), *articles));
        self.order.get_or_insert_default().breadcrumbs = pairs.collect();
        self
    }
}

#[cfg(test)]
mod tests {
    use newslode_page::article::{Block, BlockKind, NamedLink};
    use newslode_page::extract::SlotName;

    use super::*;
    use crate::mining::site_scheme::SchemePage;
    use crate::mining::testing;

    /// What is learnt of a site whose pages are these.
    fn summary_of(read: &[(CanonicalUrl, Article, Vec<SlotUse>)]) -> SchemeSummary {
        let pages: Vec<SchemePage<'_>> = read
            .iter()
            .map(|(url, article, slots)| SchemePage {
                url,
                authors: Some(&article.authors),
                published: None,
                slots,
                breadcrumbs: &article.breadcrumbs,
                links: &[],
            })
            .collect();
        let finder = PlaceFinder::new(SiteScheme::learn(&pages).0);
        SchemeSummary::of(&finder, read.iter().map(|(url, article, slots)| (url, article, slots.as_slice())))
    }

    /// Articles of a site in three sections, each with the word of its section; of 2n articles each second is in the first one.
    fn site(name: &str, articles: usize) -> SchemeSummary {
        let section = |n: usize| ["Opera", "Tennis", "Opera", "Wine"][n % 4];
        let read: Vec<(CanonicalUrl, Article, Vec<SlotUse>)> = (0..articles)
            .map(|n| {
                let url = format!("https://{name}.test/2024/{n}");
                let text =
                    format!("Yesterday {} was seen by number{n} people of {name}", section(n).repeat(2));
                let block = Block::new(BlockKind::Paragraph, text);
                let article = Article { body: vec![block], ..testing::article(&url) };
                let names = vec![SlotName { name: section(n).into(), target: None }];
                (url.parse().unwrap(), article, vec![SlotUse { slot: "meta section".into(), names }])
            })
            .collect();
        summary_of(&read)
    }

    #[test]
    fn a_summary_counts_the_articles_of_each_label_and_knows_their_words() {
        let (one, other) = (site("one", 24), site("other", 36));
        assert_eq!((one.articles, one.labels.len()), (24, 3));
        assert_eq!((one.labels["en:opera"].articles, one.labels["en:opera"].form.as_str()), (12, "Opera"));
        assert_eq!(one.labels["en:wine"].articles, 6);
        let alike = |a: &str, b: &str| one.likeness(a, &other, b).unwrap();
        assert!(alike("en:opera", "en:opera") > 1.0, "{}", alike("en:opera", "en:opera"));
        assert!(alike("en:opera", "en:wine") < 0.5, "{}", alike("en:opera", "en:wine"));
        assert_eq!(one.likeness("en:opera", &other, "en:rain"), None);
    }

    /// The same site, whose articles have breadcrumbs: tennis and wine are in opera. All articles on wine are on tennis, too.
    fn site_with_breadcrumbs() -> SchemeSummary {
        let read: Vec<(CanonicalUrl, Article, Vec<SlotUse>)> = (0..60)
            .map(|n| {
                let crumbs: &[&str] = [&["Opera", "Tennis"][..], &["Opera"], &["Books"]][n % 3];
                let url = format!("https://one.test/2024/{n}");
                let crumb = |name: &&str| NamedLink { name: (*name).into(), address: None };
                let breadcrumbs = crumbs.iter().map(crumb).collect();
                let article = Article { breadcrumbs, ..testing::article(&url) };
                let mut names: Vec<&str> = crumbs.to_vec();
                names.extend((n % 5 == 0).then_some("Wine"));
                names.extend((n % 15 == 0).then_some("Golf"));
                let named = |name: &&str| SlotName { name: (*name).into(), target: None };
                let names = names.iter().map(named).collect();
                let slots = vec![SlotUse { slot: "meta section".into(), names }];
                (url.parse().unwrap(), article, slots)
            })
            .collect();
        summary_of(&read)
    }

    #[test]
    fn a_summary_has_the_steps_of_breadcrumbs_between_its_labels() {
        let summary = site_with_breadcrumbs();
        let steps: Vec<_> = summary.breadcrumbs().collect();
        assert_eq!(steps, [("en:opera", "en:tenni", 20)]);
        assert_eq!(site("one", 24).breadcrumbs().count(), 0);
    }

    #[test]
    fn equal_articles_in_any_order_give_an_equal_summary() {
        assert_eq!(site("one", 24), site("one", 24));
    }
}
