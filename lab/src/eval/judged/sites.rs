//! Where the articles of each site fall out that are under no judged subject.

use std::collections::BTreeMap;

use newslode_miner::mining::taxonomy::{Concept, Taxonomy};
use serde::Serialize;

use super::{Judge, Verdict};

/// What counts of an article.
#[derive(Debug)]
pub(crate) struct PlacedArticle {
    pub(crate) site: String,
    pub(crate) language: Option<String>,
    /// The labels of its concepts.
    pub(crate) concepts: Vec<String>,
    pub(crate) has_place: bool,
    /// Whether a scheme that comes with the product knows the name of one of its places as that of a topic or region.
    pub(crate) is_known: bool,
}

/// How the articles of a site are filed.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct SiteScore {
    pub(crate) site: String,
    /// The language of most articles.
    pub(crate) language: String,
    pub(crate) articles: usize,
    /// Those under a judged subject. Every other article is in one of the next four.
    pub(crate) under_subjects: usize,
    /// Under no concept, and without a place.
    pub(crate) without_place: usize,
    /// Under no concept, but with a place.
    pub(crate) without_concept: usize,
    /// Under forms, house or broken labels only.
    pub(crate) under_junk_only: usize,
    /// Under a debatable or unjudged concept, and no subject.
    pub(crate) under_others: usize,
    /// Those of the four that have a place of which a scheme knows the name as that of a topic or region.
    pub(crate) known: usize,
}

impl Judge {
    /// How the articles of each site are filed; the sites of most articles under no subject first.
    pub(crate) fn score_sites(&self, taxonomy: &Taxonomy, articles: &[PlacedArticle]) -> Vec<SiteScore> {
        let verdict = |concept: &Concept| (concept.label.clone(), self.verdict(concept));
        let verdicts: BTreeMap<String, Option<Verdict>> = taxonomy.concepts.iter().map(verdict).collect();
        let mut sites: BTreeMap<&str, (SiteScore, BTreeMap<&str, usize>)> = BTreeMap::new();
        for article in articles {
            let (score, languages) = sites.entry(&article.site).or_default();
            *languages.entry(article.language.as_deref().unwrap_or("und")).or_default() += 1;
            score.articles += 1;
            let own: Vec<Option<Verdict>> =
                article.concepts.iter().map(|label| verdicts.get(label).copied().flatten()).collect();
            if own.contains(&Some(Verdict::Subject)) {
                score.under_subjects += 1;
                continue;
            }
            score.known += usize::from(article.is_known);
            let count = match (own.is_empty(), article.has_place) {
                (true, false) => &mut score.without_place,
                (true, true) => &mut score.without_concept,
                _ if own.iter().all(|verdict| verdict.is_some_and(Verdict::is_junk)) => {
                    &mut score.under_junk_only
                }
                _ => &mut score.under_others,
            };
            *count += 1;
        }
        let mut scores: Vec<SiteScore> = sites
            .into_iter()
            .map(|(site, (score, languages))| {
                let language = languages.into_iter().max_by_key(|(_, articles)| *articles);
                let language = language.map_or_else(String::new, |(language, _)| language.to_owned());
                SiteScore { site: site.to_owned(), language, ..score }
            })
            .collect();
        scores.sort_by_key(|score| std::cmp::Reverse(score.articles - score.under_subjects));
        scores
    }
}
