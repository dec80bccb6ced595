//! Compares two runs of a world.
//!
//! Sums, counted pages and articles are compared as they are. The life of an article is compared by its
//! events without their times, and a `changed` that follows another one counts as one with it: whether two edits between two
//! visits are seen as one depends on the moment of a visit. Taxonomy, filing and templates are compared after one more fold
//! and view of both runs. Start at [`Held::after_rest`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use anyhow::ensure;
use newslode::engine::{Ended, state_digests};
use newslode::queries::articles::each_article;
use newslode_common::time::Clock;
use newslode_common::version::ContentHash;
use newslode_crawler::Surroundings;
use newslode_crawler::error::FetchError;
use newslode_crawler::web::{HeaderMap, Response, Web};
use newslode_miner::work::histories::history::EventKind;
use newslode_miner::work::histories::read_history;
use newslode_miner::work::knowledge::Knowledge;
use newslode_page::Timestamp;
use serde::Serialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::life;

/// Names of differences that are kept.
const MOST_NAMED: usize = 10;

/// What a run holds.
pub(super) struct Held {
    /// Site → digest of its sums.
    pub(super) sums: BTreeMap<String, String>,
    /// Page → the content that counts; none: it is gone.
    pub(super) pages: BTreeMap<String, String>,
    pub(super) articles: BTreeMap<String, Value>,
    /// Article → its events.
    pub(super) lives: BTreeMap<String, Vec<Value>>,
    /// Article → the concepts that it is filed under.
    filing: BTreeMap<String, BTreeSet<String>>,
    taxonomy: Value,
    /// Site → its templates in use.
    pub(super) templates: BTreeMap<String, Vec<Value>>,
}

/// How many of each differ, and the first of them.
#[derive(Debug, Serialize)]
pub(crate) struct Differences {
    pub(crate) sums: usize,
    pub(crate) pages: usize,
    pub(crate) articles: usize,
    /// Lives that have other events, and those that differ only in how many edits they saw.
    pub(crate) lives: usize,
    pub(crate) merged_edits: usize,
    pub(crate) filing: usize,
    /// Concepts and relations.
    pub(crate) taxonomy: usize,
    /// Sites.
    pub(crate) templates: usize,
    pub(crate) named: BTreeMap<&'static str, Vec<String>>,
}

impl Differences {
    /// Whether the kills changed nothing that is compared.
    pub(crate) fn are_none(&self) -> bool {
        self.named.iter().all(|(what, _)| *what == "merged edits")
    }
}

/// A network without sites: nothing is fetched any more.
struct Nowhere;

#[async_trait::async_trait]
impl Web for Nowhere {
    async fn address(&self, _: &Url) -> Option<std::net::IpAddr> {
        None
    }
    async fn send(&self, url: &Url, _: HeaderMap) -> Result<Response, FetchError> {
        Err(FetchError::Timeout { url: url.clone(), limit: std::time::Duration::ZERO })
    }
}

impl Held {
    /// Folds and views a run once more, and reads it.
    ///
    /// # Errors
    /// When the run cannot be read.
    pub(super) async fn after_rest(folder: &Path, end: u64) -> anyhow::Result<Held> {
        let clock = Clock::standing(Timestamp(end));
        let engine = life::open(folder, Surroundings { web: Arc::new(Nowhere), clock })?.offline();
        let ended = engine.mine(async { Ok(()) }, &CancellationToken::new(), |_| {}).await?;
        ensure!(ended == Ended::Complete, "the run in `{}` did not come to rest", folder.display());
        let parts = engine.miner_parts();
        let state = parts.stores.state.as_ref();
        let (mut pages, mut templates) = (BTreeMap::new(), BTreeMap::new());
        for (site, _) in state.sites().await? {
            for (url, version) in state.pages(&site).await? {
                let is_gone = version.content == ContentHash::NONE;
                let content = if is_gone { "gone".to_owned() } else { version.content.to_string() };
                pages.insert(url.to_string(), content);
            }
            let (knowledge, _) = Knowledge::read(state, &site).await?;
            let live = knowledge.templates.live().iter().map(|live| {
                // Its number counts those that were learnt before.
                let template = newslode_page::template::Template { version: 0, ..live.template.clone() };
                serde_json::to_value(template)
            });
            templates.insert(site.to_string(), live.collect::<Result<_, _>>()?);
        }
        let (mut articles, mut filing, mut urls) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        let taxonomy = each_article(&parts, |article| {
            filing.insert(article.url.clone(), article.concepts.iter().cloned().collect());
            let mut value = serde_json::to_value(article)?;
            if let Some(fields) = value.as_object_mut() {
                fields.remove("concepts");
            }
            articles.insert(article.url.clone(), value);
            urls.push(article.url.parse()?);
            Ok(())
        })
        .await?;
        let mut lives = BTreeMap::new();
        for url in urls {
            let Some(history) = read_history(parts.stores.archive.as_ref(), &url).await? else { continue };
            let told = history.events.iter().map(|event| serde_json::json!([event.event, event.ending]));
            lives.insert(url.to_string(), told.collect());
        }
        let sums = state_digests(state).await?.into_iter().collect();
        Ok(Held {
            sums,
            pages,
            articles,
            lives,
            filing,
            taxonomy: serde_json::to_value(taxonomy)?,
            templates,
        })
    }

    /// Number of concepts.
    pub(super) fn concepts(&self) -> usize {
        self.taxonomy["concepts"].as_array().map_or(0, Vec::len)
    }

    /// How another run differs.
    pub(super) fn differences(&self, other: &Held) -> Differences {
        let mut named = BTreeMap::new();
        let mut count = |what: &'static str, found: Vec<String>| {
            let many = found.len();
            if many > 0 {
                named.insert(what, found.into_iter().take(MOST_NAMED).collect());
            }
            many
        };
        let merged = |held: &Held| -> BTreeMap<String, Vec<Value>> {
            let merge = |events: &Vec<Value>| {
                let mut events = events.clone();
                let changed = serde_json::json!(EventKind::Changed);
                events.dedup_by(|next, before| next[0] == changed && before[0] == changed);
                events
            };
            held.lives.iter().map(|(url, events)| (url.clone(), merge(events))).collect()
        };
        let lives = differing(&merged(self), &merged(other));
        let all_lives = differing(&self.lives, &other.lives);
        let merged_edits = all_lives.into_iter().filter(|url| !lives.contains(url)).collect();
        let (one, two) = (taxonomy_parts(&self.taxonomy), taxonomy_parts(&other.taxonomy));
        Differences {
            sums: count("sums", differing(&self.sums, &other.sums)),
            pages: count("pages", differing(&self.pages, &other.pages)),
            articles: count("articles", differing(&self.articles, &other.articles)),
            lives: count("lives", lives),
            merged_edits: count("merged edits", merged_edits),
            filing: count("filing", differing(&self.filing, &other.filing)),
            taxonomy: count("taxonomy", one.symmetric_difference(&two).cloned().collect()),
            templates: count("templates", differing(&self.templates, &other.templates)),
            named,
        }
    }
}

/// The keys whose values differ, or that only one has.
fn differing<V: PartialEq>(one: &BTreeMap<String, V>, other: &BTreeMap<String, V>) -> Vec<String> {
    let keys: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    keys.into_iter().filter(|key| one.get(*key) != other.get(*key)).cloned().collect()
}

/// The keys of concepts, and the relations. Identifiers depend on the keys that concepts had at first.
fn taxonomy_parts(taxonomy: &Value) -> BTreeSet<String> {
    let list = |name: &str| taxonomy[name].as_array().into_iter().flatten();
    let concepts = list("concepts").map(|concept| concept["key"].to_string());
    let relations =
        list("relations").map(|relation| format!("{} > {}", relation["broader"], relation["narrower"]));
    concepts.chain(relations).collect()
}
