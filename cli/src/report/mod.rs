//! Writes a run as one HTML file: a taxonomy to browse, articles by concept, sites, and drawings of
//! front pages.
//!
//! The file loads nothing and contains no script, and no text of a page can run one. Its size is bounded:
//! a concept shows only its newest articles, and only the largest sites show their front pages. Start at
//! [`Shelves`], which collects articles during an export, and [`written`].

mod html;

use std::collections::{BTreeMap, BTreeSet};

use newslode_common::store::{Kind, SiteStatus};
use newslode_common::time;
use newslode_miner::mining::taxonomy::Taxonomy;
use newslode_miner::work::parts::Parts;
use newslode_page::article::Article;
use newslode_page::hierarchy::{svg, xml};
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;

use crate::html::lists::lead;

/// Number of articles that a concept shows.
const SHOWN: usize = 10;
/// Number of sites whose front pages are drawn.
const DRAWN: usize = 12;

/// An article as the report shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Story {
    url: String,
    site: String,
    title: String,
    authors: Vec<String>,
    published: Option<String>,
    language: Option<String>,
    words: usize,
    lead: String,
}

impl Story {
    fn of(article: &Article) -> Story {
        Story {
            url: article.url.clone(),
            site: article.site.clone(),
            title: article.title.clone().unwrap_or_else(|| "(no title)".into()),
            authors: article.authors.clone(),
            published: article.published.clone(),
            language: article.language.clone(),
            words: article.text().split_whitespace().count(),
            lead: lead(article),
        }
    }
}

/// The newest articles of a concept, and the number of all its articles.
#[derive(Clone, Debug, Default)]
struct Shelf {
    count: usize,
    /// Newest first; undated ones last.
    newest: Vec<Story>,
}

impl Shelf {
    fn put(&mut self, story: Story) {
        self.count += 1;
        // Sites publish one story under several addresses.
        let is_same = |held: &Story| (&held.site, &held.title) == (&story.site, &story.title);
        if self.newest.iter().any(|held| is_same(held) && held.published == story.published) {
            return;
        }
        let at = self.newest.partition_point(|held| held.published >= story.published);
        if at < SHOWN {
            self.newest.insert(at, story);
            self.newest.truncate(SHOWN);
        }
    }
}

/// Articles by their concepts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shelves {
    by_concept: BTreeMap<String, Shelf>,
    unfiled: Shelf,
    by_site: BTreeMap<String, usize>,
    articles: usize,
}

impl Shelves {
    /// Files an article under the concepts of these keys.
    pub(crate) fn put(&mut self, article: &Article, keys: &BTreeSet<String>) {
        self.articles += 1;
        *self.by_site.entry(article.site.clone()).or_default() += 1;
        let story = Story::of(article);
        for key in keys {
            self.by_concept.entry(key.clone()).or_default().put(story.clone());
        }
        if keys.is_empty() {
            self.unfiled.put(story);
        }
    }
}

/// Everything the report shows.
struct Report<'a> {
    taxonomy: &'a Taxonomy,
    shelves: &'a Shelves,
    sites: Vec<SiteStatus>,
    /// Each site with the drawing of its front page.
    drawings: Vec<(Site, String)>,
    made: Timestamp,
}

/// Writes the report of a run as HTML.
pub(crate) async fn written(parts: &Parts, taxonomy: &Taxonomy, shelves: &Shelves) -> anyhow::Result<String> {
    let sites = parts.stores.frontier.status().await?;
    let drawings = drawings(parts, &sites).await?;
    Ok(html::page(&Report { taxonomy, shelves, sites, drawings, made: time::now() }))
}

/// Draws the front pages of the sites with the most pages. Skips sites without a front page.
async fn drawings(parts: &Parts, sites: &[SiteStatus]) -> anyhow::Result<Vec<(Site, String)>> {
    let mut order: Vec<&SiteStatus> = sites.iter().collect();
    order.sort_by_key(|site| (std::cmp::Reverse(site.urls), site.site.clone()));
    let mut drawn = Vec::new();
    for status in order {
        if drawn.len() == DRAWN {
            break;
        }
        let versions = parts.stores.state.versions(&status.site, &homes(&status.site)).await?;
        let Some(version) = versions.into_iter().flatten().next() else { continue };
        let Some(bytes) = parts.stores.archive.get(Kind::Hierarchy, version.content).await? else { continue };
        let Ok(hierarchy) = xml::read(&String::from_utf8_lossy(&bytes)) else { continue };
        drawn.push((status.site.clone(), svg::write(&hierarchy)));
    }
    Ok(drawn)
}

/// Possible URLs of a site's front page.
fn homes(site: &Site) -> Vec<CanonicalUrl> {
    let hosts = ["https://www.", "https://", "http://www.", "http://"];
    hosts.iter().filter_map(|before| format!("{before}{site}/").parse().ok()).collect()
}

#[cfg(test)]
mod tests;
