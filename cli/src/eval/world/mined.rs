//! What was mined of the synthetic world, against what the world knows: concepts, is-a pairs, articles with every
//! field, and what articles are filed under.
//!
//! Concepts are judged in the languages in which the world has enough sites. A concept's spellings are one concept.
//! An is-a pair is right if the world's pairs lead from one to the other, directly or over others; to be found are the
//! direct ones. Fields are judged on the articles that were found; a field that a page does not give must stay empty.

use std::collections::{BTreeMap, BTreeSet};

use newslode_miner::mining::taxonomy::Taxonomy;
use newslode_newsworld::{Gold, GoldArticle};
use newslode_page::Article;

use super::Figures;
use super::pages::Row;
use crate::eval::Prf;
use crate::eval::articles::{ArticleRecord, score};

/// A language and a concept's preferred label in lower case.
type Name = (String, String);

/// What a run brought home.
pub(crate) struct Mined {
    pub(crate) taxonomy: Taxonomy,
    /// With what they are filed under.
    pub(crate) articles: Vec<Article>,
    /// Addresses of all pages that were counted.
    pub(crate) pages: BTreeSet<String>,
}

/// What a run on the world is worth.
pub(crate) struct Judged {
    pub(crate) figures: Figures,
    /// Texts of menus and footers that were taken for concepts.
    pub(crate) junk: Vec<String>,
    /// How pages of it were read.
    pub(crate) pages: Vec<Row>,
}

/// Judges a run.
pub(crate) fn judge(gold: &Gold, mined: &Mined) -> Judged {
    let names = Names::of(gold);
    let mut figures = Figures::default();
    let junk = taxonomy(&names, gold, &mined.taxonomy, &mut figures);
    articles(gold, mined, &mut figures);
    filing(&names, gold, &mined.articles, &mut figures);
    Judged { figures, junk, pages: Vec::new() }
}

/// The world's concepts by every spelling.
struct Names {
    /// Language and spelling → the concept.
    of: BTreeMap<Name, Name>,
    languages: BTreeSet<String>,
    /// A concept → all broader ones.
    above: BTreeMap<Name, BTreeSet<Name>>,
    direct: BTreeSet<(Name, Name)>,
}

impl Names {
    fn of(gold: &Gold) -> Names {
        let name = |language: &str, label: &str| (language.to_owned(), label.to_lowercase());
        let mut of = BTreeMap::new();
        for concept in &gold.concepts {
            for form in concept.synonyms.iter().chain([&concept.label]) {
                of.insert(name(&concept.language, form), name(&concept.language, &concept.label));
            }
        }
        let direct: BTreeSet<(Name, Name)> = gold
            .is_a
            .iter()
            .map(|pair| (name(&pair.language, &pair.broader), name(&pair.language, &pair.narrower)))
            .collect();
        let mut above: BTreeMap<Name, BTreeSet<Name>> = BTreeMap::new();
        for concept in of.values() {
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
        Names { of, languages, above, direct }
    }

    /// The world's concept of this spelling, else the spelling itself; nothing in languages that are not judged.
    fn name(&self, language: &str, label: &str) -> Option<Name> {
        let spelled = (language.to_owned(), label.to_lowercase());
        self.languages.contains(language).then(|| self.of.get(&spelled).cloned().unwrap_or(spelled))
    }

    fn is_above(&self, broader: &Name, narrower: &Name) -> bool {
        self.above.get(narrower).is_some_and(|above| above.contains(broader))
    }
}

/// Judges concepts and pairs; returns the junk among the concepts.
fn taxonomy(names: &Names, gold: &Gold, taxonomy: &Taxonomy, figures: &mut Figures) -> Vec<String> {
    let wanted: BTreeSet<&Name> = names.of.values().collect();
    let said: BTreeMap<&str, Name> = taxonomy
        .concepts
        .iter()
        .filter_map(|concept| Some((concept.key.as_str(), names.name(&concept.language, &concept.label)?)))
        .collect();
    let found: BTreeSet<&Name> = said.values().collect();
    figures.prf("concepts", &Prf::of(found.intersection(&wanted).count(), found.len(), wanted.len()));
    let related = |key: &str| said.get(key);
    let pairs: BTreeSet<(&Name, &Name)> = taxonomy
        .relations
        .iter()
        .filter_map(|pair| Some((related(&pair.broader)?, related(&pair.narrower)?)))
        .collect();
    let right = pairs.iter().filter(|(broader, narrower)| names.is_above(broader, narrower)).count();
    let hit = names.direct.iter().filter(|(a, b)| pairs.contains(&(a, b))).count();
    let (precision, recall) =
        (Prf::of(right, pairs.len(), 0).precision, Prf::of(hit, 0, names.direct.len()).recall);
    figures.prf("is_a", &Prf { precision, recall, f1: crate::eval::harmonic(precision, recall) });
    let junk: BTreeSet<String> = gold.junk.iter().map(|label| label.to_lowercase()).collect();
    found.into_iter().filter(|name| junk.contains(&name.1)).map(|name| name.1.clone()).collect()
}

/// Judges which pages are articles, and their fields.
fn articles(gold: &Gold, mined: &Mined, figures: &mut Figures) {
    let right: BTreeMap<&str, &GoldArticle> =
        gold.articles.iter().map(|article| (article.url.as_str(), article)).collect();
    let wanted = right.keys().filter(|url| mined.pages.contains(**url)).count();
    let pairs: Vec<(&GoldArticle, &Article)> = mined
        .articles
        .iter()
        .filter_map(|article| Some((*right.get(article.url.as_str())?, article)))
        .collect();
    figures.prf("articles", &Prf::of(pairs.len(), mined.articles.len(), wanted));
    fields(&pairs, figures);
}

/// Judges fields of articles that are ones.
pub(crate) fn fields(pairs: &[(&GoldArticle, &Article)], figures: &mut Figures) {
    let scored: Vec<_> =
        pairs.iter().map(|(right, said)| (*right, *said, score(&wanted(right), &found(said)))).collect();
    let bodies: Vec<f64> = scored.iter().filter_map(|(.., row)| row.body.map(|body| body.f1)).collect();
    figures.mean("body.f1", &bodies);
    let share = |pick: &dyn Fn(&(&GoldArticle, &Article, crate::eval::articles::Row)) -> bool| {
        scored.iter().map(pick).collect::<Vec<bool>>()
    };
    figures.share("title", &share(&|(.., row)| row.title.unwrap_or_default()));
    figures.share("authors", &share(&|(_, said, row)| row.authors.unwrap_or(said.authors.is_empty())));
    figures.share("day", &share(&|(_, said, row)| row.day.unwrap_or(said.published.is_none())));
    let is_language =
        |right: &GoldArticle, said: &Article| said.language.as_deref() == Some(&*right.language);
    figures.share("language", &share(&|(right, said, _)| is_language(right, said)));
    // Few pages have these: where a page has it, it must be found, and nowhere else.
    let few = |pick: &dyn Fn(&GoldArticle, &Article) -> (bool, bool, bool)| {
        let judged = scored.iter().map(|(right, said, _)| pick(right, said));
        let (hit, found, wanted) = judged.fold((0, 0, 0), |(h, f, w), (is_hit, is_found, is_wanted)| {
            (h + usize::from(is_hit), f + usize::from(is_found), w + usize::from(is_wanted))
        });
        Prf::of(hit, found, wanted).f1
    };
    let text = |a: &Option<String>, b: &Option<String>| (a.is_some() && a == b, b.is_some(), a.is_some());
    figures.mean("section", &[few(&|right, said| text(&right.section_said, &said.section))]);
    figures.mean("picture", &[few(&|right, said| text(&right.picture, &said.image))]);
    figures.mean("place", &[few(&|right, said| text(&right.place, &said.place))]);
    let day = |text: &Option<String>| text.as_ref().and_then(|text| text.get(..10).map(str::to_owned));
    figures.mean("modified", &[few(&|right, said| text(&day(&right.modified), &day(&said.modified)))]);
}

fn wanted(right: &GoldArticle) -> ArticleRecord {
    ArticleRecord {
        id: right.url.clone(),
        title: Some(right.title.clone()),
        authors: Some(right.authors.clone()),
        published: right.published.clone(),
        body: Some(right.body.clone()),
        ..ArticleRecord::default()
    }
}

fn found(said: &Article) -> ArticleRecord {
    ArticleRecord {
        id: said.url.clone(),
        title: said.title.clone(),
        authors: Some(said.authors.clone()),
        published: said.published.clone(),
        body: Some(said.text()),
        ..ArticleRecord::default()
    }
}

/// Judges what articles are filed under: each under the concept of its own section; broader ones are right, too.
fn filing(names: &Names, gold: &Gold, articles: &[Article], figures: &mut Figures) {
    let sections: BTreeMap<&str, Name> = gold
        .articles
        .iter()
        .filter_map(|article| {
            let own = (article.language.clone(), article.section.to_lowercase());
            names.of.contains_key(&own).then_some((article.url.as_str(), own))
        })
        .collect();
    let (mut said, mut right, mut hit, mut wanted) = (0, 0, 0, 0);
    for article in articles {
        let Some(own) = sections.get(article.url.as_str()) else { continue };
        let filed: BTreeSet<Name> =
            article.concepts.iter().filter_map(|label| names.name(&own.0, label)).collect();
        said += filed.len();
        right += filed.iter().filter(|name| *name == own || names.is_above(name, own)).count();
        hit += usize::from(filed.contains(own));
        wanted += 1;
    }
    let (precision, recall) = (Prf::of(right, said, 0).precision, Prf::of(hit, 0, wanted).recall);
    figures.prf("filed", &Prf { precision, recall, f1: crate::eval::harmonic(precision, recall) });
}
