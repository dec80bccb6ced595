//! Judges what was mined of the synthetic world against its gold: concepts, is-a pairs, articles with every field, and
//! the concepts that articles are filed under.
//!
//! Concepts are judged in the languages with enough sites. All spellings of a concept count as that concept. An is-a
//! pair is right if the gold's pairs lead from one concept to the other, directly or through others; recall counts the
//! direct pairs. Fields are judged on the articles that were found. A field that a page does not give must stay empty.

use std::collections::{BTreeMap, BTreeSet};

use newslode_demo_world::{Gold, GoldArticle};
use newslode_miner::mining::taxonomy::Taxonomy;
use newslode_page::Article;

use super::figures::Figures;
use super::pages::PageScores;
use super::scores::articles::{ArticleRecord, ArticleScores, score_article};
use super::scores::{Prf, harmonic_mean};

/// A language and a concept's preferred label in lower case.
type Name = (String, String);

/// What a run mined.
pub(crate) struct Mined {
    pub(crate) taxonomy: Taxonomy,
    /// Articles with the concepts that they are filed under.
    pub(crate) articles: Vec<Article>,
    /// Addresses of all pages that were counted.
    pub(crate) pages: BTreeSet<String>,
}

/// The scores of a run on the world.
pub struct Judged {
    /// All figures.
    pub figures: Figures,
    /// Texts of menus and footers that were taken for concepts.
    pub junk: Vec<String>,
    /// The scores of its pages.
    pub pages: Vec<PageScores>,
}

/// Judges a run.
pub(crate) fn judge_mined(gold: &Gold, mined: &Mined) -> Judged {
    let names = Names::new(gold);
    let mut figures = Figures::default();
    let junk = judge_taxonomy(&names, gold, &mined.taxonomy, &mut figures);
    judge_articles(gold, mined, &mut figures);
    judge_filing(&names, gold, &mined.articles, &mut figures);
    Judged { figures, junk, pages: Vec::new() }
}

/// The gold's concepts by every spelling.
struct Names {
    /// Language and spelling → the concept.
    by_spelling: BTreeMap<Name, Name>,
    languages: BTreeSet<String>,
    /// A concept → all broader ones.
    above: BTreeMap<Name, BTreeSet<Name>>,
    direct: BTreeSet<(Name, Name)>,
}

impl Names {
    fn new(gold: &Gold) -> Names {
        let name = |language: &str, label: &str| (language.to_owned(), label.to_lowercase());
        let mut by_spelling = BTreeMap::new();
        for concept in &gold.concepts {
            for form in concept.synonyms.iter().chain([&concept.label]) {
                by_spelling.insert(name(&concept.language, form), name(&concept.language, &concept.label));
            }
        }
        let direct: BTreeSet<(Name, Name)> = gold
            .is_a
            .iter()
            .map(|pair| (name(&pair.language, &pair.broader), name(&pair.language, &pair.narrower)))
            .collect();
        let mut above: BTreeMap<Name, BTreeSet<Name>> = BTreeMap::new();
        for concept in by_spelling.values() {
            let mut open = vec![concept];
            while let Some(at) = open.pop() {
                for (broader, _) in direct.iter().filter(|(_, narrower)| narrower == at) {
                    if above.entry(concept.clone()).or_default().insert(broader.clone()) {
                        open.push(broader);
                    }
                }
            }
        }
        let languages = gold.concepts.iter().map(|concept| concept.language.clone()).collect();
        Names { by_spelling, languages, above, direct }
    }

    /// The concept with this spelling, else the spelling itself; nothing in languages that are not judged.
    fn name(&self, language: &str, label: &str) -> Option<Name> {
        let spelled = (language.to_owned(), label.to_lowercase());
        self.languages.contains(language).then(|| self.by_spelling.get(&spelled).cloned().unwrap_or(spelled))
    }

    fn is_above(&self, broader: &Name, narrower: &Name) -> bool {
        self.above.get(narrower).is_some_and(|above| above.contains(broader))
    }
}

/// Judges concepts and pairs; returns the junk among the concepts.
fn judge_taxonomy(names: &Names, gold: &Gold, taxonomy: &Taxonomy, figures: &mut Figures) -> Vec<String> {
    let wanted: BTreeSet<&Name> = names.by_spelling.values().collect();
    let named: BTreeMap<&str, Name> = taxonomy
        .concepts
        .iter()
        .filter_map(|concept| Some((concept.key.as_str(), names.name(&concept.language, &concept.label)?)))
        .collect();
    let found: BTreeSet<&Name> = named.values().collect();
    figures.prf("concepts", &Prf::of(found.intersection(&wanted).count(), found.len(), wanted.len()));
    let related = |key: &str| named.get(key);
    let pairs: BTreeSet<(&Name, &Name)> = taxonomy
        .relations
        .iter()
        .filter_map(|pair| Some((related(&pair.broader)?, related(&pair.narrower)?)))
        .collect();
    let right = pairs.iter().filter(|(broader, narrower)| names.is_above(broader, narrower)).count();
    let hit = names.direct.iter().filter(|(a, b)| pairs.contains(&(a, b))).count();
    let (precision, recall) =
        (Prf::of(right, pairs.len(), 0).precision, Prf::of(hit, 0, names.direct.len()).recall);
    figures.prf("is_a", &Prf { precision, recall, f1: harmonic_mean(precision, recall) });
    let junk: BTreeSet<String> = gold.junk.iter().map(|label| label.to_lowercase()).collect();
    found.into_iter().filter(|name| junk.contains(&name.1)).map(|name| name.1.clone()).collect()
}

/// Judges which pages are articles, and their fields.
fn judge_articles(gold: &Gold, mined: &Mined, figures: &mut Figures) {
    let right: BTreeMap<&str, &GoldArticle> =
        gold.articles.iter().map(|article| (article.url.as_str(), article)).collect();
    let wanted = right.keys().filter(|url| mined.pages.contains(**url)).count();
    let pairs: Vec<(&GoldArticle, &Article)> = mined
        .articles
        .iter()
        .filter_map(|article| Some((*right.get(article.url.as_str())?, article)))
        .collect();
    figures.prf("articles", &Prf::of(pairs.len(), mined.articles.len(), wanted));
    judge_fields(&pairs, figures);
}

/// Judges the fields of articles that were found.
pub fn judge_fields(pairs: &[(&GoldArticle, &Article)], figures: &mut Figures) {
    let scored: Vec<_> = pairs
        .iter()
        .map(|(gold, article)| (*gold, *article, score_article(&gold_record(gold), &found_record(article))))
        .collect();
    let bodies: Vec<f64> = scored.iter().filter_map(|(.., row)| row.body.map(|body| body.f1)).collect();
    figures.mean("body.f1", &bodies);
    let share = |pick: &dyn Fn(&(&GoldArticle, &Article, ArticleScores)) -> bool| {
        scored.iter().map(pick).collect::<Vec<bool>>()
    };
    figures.share("title", &share(&|(.., row)| row.title.unwrap_or_default()));
    figures.share("authors", &share(&|(_, article, row)| row.authors.unwrap_or(article.authors.is_empty())));
    figures.share("day", &share(&|(_, article, row)| row.day.unwrap_or(article.published.is_none())));
    let is_language =
        |gold: &GoldArticle, article: &Article| article.language.as_deref() == Some(&*gold.language);
    figures.share("language", &share(&|(gold, article, _)| is_language(gold, article)));
    // Few pages have these fields. They must be found on those pages and nowhere else.
    let few = |pick: &dyn Fn(&GoldArticle, &Article) -> (bool, bool, bool)| {
        let judged = scored.iter().map(|(gold, article, _)| pick(gold, article));
        let (hit, found, wanted) = judged.fold((0, 0, 0), |(h, f, w), (is_hit, is_found, is_wanted)| {
            (h + usize::from(is_hit), f + usize::from(is_found), w + usize::from(is_wanted))
        });
        Prf::of(hit, found, wanted).f1
    };
    let text = |a: &Option<String>, b: &Option<String>| (a.is_some() && a == b, b.is_some(), a.is_some());
    // A page without metadata of its section may show it.
    let section = |gold: &GoldArticle, article: &Article| match &gold.section_said {
        None if article.section.as_ref() == Some(&gold.section_shown) => (false, false, false),
        gold_section => text(gold_section, &article.section),
    };
    figures.mean("section", &[few(&section)]);
    figures.mean("picture", &[few(&|gold, article| text(&gold.picture, &article.image))]);
    figures.mean("place", &[few(&|gold, article| text(&gold.place, &article.place))]);
    let day = |text: &Option<String>| text.as_ref().and_then(|text| text.get(..10).map(str::to_owned));
    figures.mean("modified", &[few(&|gold, article| text(&day(&gold.modified), &day(&article.modified)))]);
}

fn gold_record(gold: &GoldArticle) -> ArticleRecord {
    ArticleRecord {
        id: gold.url.clone(),
        title: Some(gold.title.clone()),
        authors: Some(gold.authors.clone()),
        published: gold.published.clone(),
        body: Some(gold.body.clone()),
        ..ArticleRecord::default()
    }
}

fn found_record(article: &Article) -> ArticleRecord {
    ArticleRecord {
        id: article.url.clone(),
        title: article.title.clone(),
        authors: Some(article.authors.clone()),
        published: article.published.clone(),
        body: Some(article.text()),
        ..ArticleRecord::default()
    }
}

/// Judges what articles are filed under. Each belongs under its section's concept; broader concepts are right, too.
fn judge_filing(names: &Names, gold: &Gold, articles: &[Article], figures: &mut Figures) {
    let sections: BTreeMap<&str, Name> = gold
        .articles
        .iter()
        .filter_map(|article| {
            let own = (article.language.clone(), article.section.to_lowercase());
            names.by_spelling.contains_key(&own).then_some((article.url.as_str(), own))
        })
        .collect();
    let (mut filed_count, mut right, mut hit, mut wanted) = (0, 0, 0, 0);
    for article in articles {
        let Some(own) = sections.get(article.url.as_str()) else { continue };
        let filed: BTreeSet<Name> =
            article.concepts.iter().filter_map(|label| names.name(&own.0, label)).collect();
        filed_count += filed.len();
        right += filed.iter().filter(|name| *name == own || names.is_above(name, own)).count();
        hit += usize::from(filed.contains(own));
        wanted += 1;
    }
    let (precision, recall) = (Prf::of(right, filed_count, 0).precision, Prf::of(hit, 0, wanted).recall);
    figures.prf("filed", &Prf { precision, recall, f1: harmonic_mean(precision, recall) });
}
