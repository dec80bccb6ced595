//! What a report shows: articles by their concepts, the newest first, beside taxonomy and sites.

use std::collections::{BTreeMap, BTreeSet};

use newslode_common::store::SiteStatus;
use newslode_miner::mining::taxonomy::Taxonomy;
use newslode_page::article::Article;
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;

use crate::html::lists::article_lead;

/// Number of articles that a concept shows.
pub(super) const SHOWN: usize = 10;

/// An article as the report shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ArticleExcerpt {
    pub(super) url: String,
    pub(super) site: String,
    pub(super) title: String,
    pub(super) authors: Vec<String>,
    pub(super) published: Option<String>,
    pub(super) language: Option<String>,
    pub(super) words: usize,
    pub(super) lead: String,
}

impl ArticleExcerpt {
    pub(super) fn of(article: &Article) -> ArticleExcerpt {
        ArticleExcerpt {
            url: article.url.clone(),
            site: article.site.clone(),
            title: article.title.clone().unwrap_or_else(|| "(no title)".into()),
            authors: article.authors.clone(),
            published: article.published.clone(),
            language: article.language.clone(),
            words: article.text().split_whitespace().count(),
            lead: article_lead(article),
        }
    }
}

/// The newest articles of a concept, and the number of all its articles.
#[derive(Clone, Debug, Default)]
pub(super) struct NewestArticles {
    pub(super) count: usize,
    /// Newest first; undated ones last.
    pub(super) newest: Vec<ArticleExcerpt>,
}

impl NewestArticles {
    pub(super) fn put(&mut self, article: ArticleExcerpt) {
        self.count += 1;
        // Sites publish one story under several addresses.
        let is_same = |held: &ArticleExcerpt| (&held.site, &held.title) == (&article.site, &article.title);
        if self.newest.iter().any(|held| is_same(held) && held.published == article.published) {
            return;
        }
        let at = self.newest.partition_point(|held| held.published >= article.published);
        if at < SHOWN {
            self.newest.insert(at, article);
            self.newest.truncate(SHOWN);
        }
    }
}

/// Articles by their concepts.
#[derive(Clone, Debug, Default)]
pub(crate) struct ArticlesByConcept {
    pub(super) by_concept: BTreeMap<String, NewestArticles>,
    pub(super) unfiled: NewestArticles,
    pub(super) by_site: BTreeMap<String, usize>,
    /// Number of all articles.
    pub(super) count: usize,
}

impl ArticlesByConcept {
    /// Files an article under the concepts of these keys.
    pub(crate) fn put(&mut self, article: &Article, keys: &BTreeSet<String>) {
        self.count += 1;
        *self.by_site.entry(article.site.clone()).or_default() += 1;
        let article = ArticleExcerpt::of(article);
        for key in keys {
            self.by_concept.entry(key.clone()).or_default().put(article.clone());
        }
        if keys.is_empty() {
            self.unfiled.put(article);
        }
    }
}

/// Everything the report shows.
pub(super) struct Report<'a> {
    pub(super) taxonomy: &'a Taxonomy,
    pub(super) articles: &'a ArticlesByConcept,
    pub(super) sites: Vec<SiteStatus>,
    /// Each site with the drawing of its front page.
    pub(super) drawings: Vec<(Site, String)>,
    pub(super) made: Timestamp,
}
