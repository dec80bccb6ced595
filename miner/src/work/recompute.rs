//! Counts pages again after the page algorithms changed: an update needs nothing else.
//!
//! A page counted by another generation of the algorithms is read from the archive, computed anew, and
//! counted again under its own fetch. The subtracted contribution is the archived one that was added. So sums
//! of two generations stand side by side meanwhile, every batch leaves a true state, and at the end the state
//! equals a fresh one to the bit. A page that the archive lost cannot be computed: its archived contribution
//! is subtracted, and the loss is reported. This process computes by itself, without the queues, so it sets
//! its own pace and nothing waits behind it. Two processes that do so at once have the same effect as one.
//! Start at [`recompute`].

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt as _, TryStreamExt as _};
use newslode_common::config::{Follow, MinerConfig};
use newslode_common::message::{FetchedPage, envelope};
use newslode_common::store::{Applied, Change, Entry, Kind, NewUrl, StoreError};
use newslode_common::time;
use newslode_common::version::{ContentHash, Version};
use newslode_page::contribution::{Contribution, Delta};
use newslode_page::extract::SiteKnowledge;
use newslode_page::generation::Generation;
use newslode_page::hierarchy::xml;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;
use newslode_page::{Analysis, Page, Params, analyse};
use tokio_util::sync::CancellationToken;

use crate::mining::articles;
use crate::work::archive::contribution;
use crate::work::error::BatchError;
use crate::work::follow::{add, at_once};
use crate::work::generations::{Claimed, Generations};
use crate::work::histories::history::Fetch;
use crate::work::known::Known;
use crate::work::parts::Parts;
use crate::work::views::{Pace, paced};
use crate::work::waiting::pause;

/// First and longest wait before the next search for pages of other algorithms: processes of an older version
/// run on for minutes, and each search reads what the frontier knows of every page.
const RECOMPUTE_WAITS: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(86_400));
/// Pages in one store call.
const BATCH: usize = 32;

/// The numbers of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Recomputed {
    /// Pages that were looked at.
    pub pages: u64,
    /// Pages that are counted anew.
    pub counted: u64,
    /// Pages that the archive lost: subtracted by their archived contributions.
    pub lost: u64,
    /// Pages that cannot be read, or whose contribution the archive lost: they stay counted as they are.
    pub stuck: u64,
}

impl Recomputed {
    /// Whether every page is counted by today's algorithms, as far as that is possible.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.counted == 0 && self.lost == 0
    }
}

/// A counted page of another generation.
struct Outdated {
    url: CanonicalUrl,
    counted: Version,
    /// Its record in the frontier.
    entry: Option<Entry>,
    content: ContentHash,
}

/// A page computed anew, ready to be counted.
struct Anew {
    change: Change,
    analysis: Option<Analysis>,
}

/// Counts all pages of our sites again that another generation counted, until done or `stop`, or until our generation is
/// no longer the one that counts. `progress` is called now and then with the numbers so far.
///
/// # Errors
/// When a store or the broker fails; repeating it is safe.
pub async fn recompute(
    parts: &Parts,
    follow: Follow,
    pace: Pace,
    stop: &CancellationToken,
    mut progress: impl FnMut(Recomputed),
) -> Result<Recomputed, BatchError> {
    let (ours, mut done) = (parts.params.generation(), Recomputed::default());
    let left = &parts.metrics.outdated;
    // A run that failed may have left a site that is another miner's now.
    left.set(0);
    for (site, _) in parts.stores.state.sites().await? {
        if !parts.owners.owns(&site) {
            continue;
        }
        // A large store takes hours: a process of newer algorithms may have started meanwhile.
        let generations = Generations::read(parts.stores.state.as_ref()).await?;
        if generations.counting.as_ref() != Some(&ours) {
            return Ok(done);
        }
        let outdated = outdated(parts, &generations, &site, &mut done).await?;
        if outdated.is_empty() {
            continue;
        }
        let known = Arc::new(Known::read(parts.stores.state.as_ref(), &site).await?.0.reader());
        left.set(i64::try_from(outdated.len()).unwrap_or(i64::MAX));
        for pages in outdated.chunks(BATCH) {
            if stop.is_cancelled() {
                return Ok(done);
            }
            batch(parts, follow, &site, pages, (&known, pace), &mut done).await?;
            left.sub(i64::try_from(pages.len()).unwrap_or(i64::MAX));
            progress(done);
        }
    }
    Ok(done)
}

/// Counts pages again that other algorithms counted: nearly all after an update, then, for a while, those
/// that processes of the older version still count beside this one.
///
/// # Errors
/// Never; failures are logged and tried again.
pub async fn run(parts: Parts, config: MinerConfig, stop: CancellationToken) -> anyhow::Result<()> {
    let ours = parts.params.generation();
    let pace = Pace { at_once: 1, share: config.recompute_share };
    let (mut wait, mut is_claimed) = (RECOMPUTE_WAITS.0, false);
    loop {
        match whose(&parts, &ours, &mut is_claimed).await {
            Ok(None) if config.recompute_share == 0 => {}
            Ok(None) => match recompute(&parts, config.follow, pace, &stop, |_| {}).await {
                Ok(done) if !done.is_done() => {
                    tracing::info!(?done, "counted pages again with the current algorithms");
                    wait = RECOMPUTE_WAITS.0;
                }
                Ok(_) => wait = (wait * 2).min(RECOMPUTE_WAITS.1),
                Err(error) => tracing::warn!(%error, "cannot count pages again; trying again after a pause"),
            },
            Ok(Some(others)) => {
                tracing::warn!(%others, %ours, "another process counts pages with other algorithms or parameters; update or configure this process like that one");
            }
            Err(error) => {
                tracing::warn!(%error, "cannot read which algorithms count pages; trying again after a pause")
            }
        }
        if !pause(wait, &stop).await {
            return Ok(());
        }
    }
}

/// The generation that counts, if it is not ours. Ours is claimed only once: of processes with different
/// parameters the one that started last wins, and they do not take turns for ever.
async fn whose(
    parts: &Parts,
    ours: &Generation,
    is_claimed: &mut bool,
) -> Result<Option<Generation>, StoreError> {
    let state = parts.stores.state.as_ref();
    if !*is_claimed {
        let claimed = Generations::claim(state, ours).await?;
        *is_claimed = true;
        return Ok(match claimed {
            Claimed::Ours => None,
            Claimed::Newer(newer) => Some(newer),
        });
    }
    Ok(Generations::read(state).await?.counting.filter(|counting| counting != ours))
}

/// The site's pages of other generations.
async fn outdated(
    parts: &Parts,
    generations: &Generations,
    site: &Site,
    done: &mut Recomputed,
) -> Result<Vec<Outdated>, BatchError> {
    let ours = parts.params.generation();
    let mut entries: BTreeMap<CanonicalUrl, Entry> = parts
        .stores
        .frontier
        .entries(site)
        .await?
        .into_iter()
        .map(|entry| (entry.url.clone(), entry))
        .collect();
    let mut found = Vec::new();
    for (url, counted) in parts.stores.state.pages(site).await? {
        if counted.content == ContentHash::NONE {
            continue;
        }
        done.pages += 1;
        let entry = entries.remove(&url);
        let fetched = entry.as_ref().and_then(|entry| entry.content);
        if let Some(content) = content_of(parts, generations, &ours, counted.content, fetched).await? {
            found.push(Outdated { url, counted, entry, content });
        }
    }
    Ok(found)
}

/// The content of a page that another generation counted; `None` if ours did, or if the content cannot be
/// found: then the page is on its way, or lost.
async fn content_of(
    parts: &Parts,
    generations: &Generations,
    ours: &Generation,
    counted: ContentHash,
    fetched: Option<ContentHash>,
) -> Result<Option<ContentHash>, BatchError> {
    if let Some(content) = fetched {
        if content.seen_by(ours) == counted {
            return Ok(None);
        }
        if generations.names(content).any(|name| name == counted) {
            return Ok(Some(content));
        }
    }
    // A newer fetch is on its way; the archive knows the counted one.
    let page = generations.page(parts.stores.archive.as_ref(), counted).await?;
    Ok(page.map(|(content, _)| content).filter(|content| content.seen_by(ours) != counted))
}

async fn batch(
    parts: &Parts,
    follow: Follow,
    site: &Site,
    pages: &[Outdated],
    (known, pace): (&Arc<SiteKnowledge>, Pace),
    done: &mut Recomputed,
) -> Result<(), BatchError> {
    let now = time::now();
    let mut work = Vec::new();
    for page in pages {
        work.push(one(parts, page, known, pace, now));
    }
    let anew: Vec<Option<Anew>> =
        futures::stream::iter(work).buffered(pace.at_once.max(1)).try_collect().await?;
    done.stuck += anew.iter().filter(|anew| anew.is_none()).count() as u64;
    let anew: Vec<(&Outdated, Anew)> =
        pages.iter().zip(anew).filter_map(|(page, anew)| Some((page, anew?))).collect();
    let links = anew.iter().flat_map(|(page, anew)| links(follow, page, anew));
    add(parts.stores.frontier.as_ref(), &parts.metrics, links.collect(), now).await?;
    let changes: Vec<Change> = anew.iter().map(|(_, anew)| anew.change.clone()).collect();
    let verdicts = parts.stores.state.apply(site, &changes).await?;
    for ((page, anew), verdict) in anew.iter().zip(verdicts) {
        // Another writer was first: it counted a newer fetch, or did the same.
        if verdict != Applied::Applied {
            continue;
        }
        let end = if anew.analysis.is_some() { "counted" } else { "lost" };
        parts.metrics.recomputed.with_label_values(&[end]).inc();
        done.counted += u64::from(anew.analysis.is_some());
        done.lost += u64::from(anew.analysis.is_none());
        if anew.analysis.is_none() {
            tracing::warn!(url = %page.url, "the archive lost a page, so it cannot be counted again; it no longer counts");
        }
    }
    Ok(())
}

/// The links of a page to follow, as when it is counted for the first time.
fn links(follow: Follow, page: &Outdated, anew: &Anew) -> Vec<NewUrl> {
    let (Some(entry), Some(analysis)) = (&page.entry, &anew.analysis) else { return Vec::new() };
    at_once(follow, entry.why, entry.depth, &analysis.contribution)
}

/// Computes and archives a page; `None` if its counted contribution cannot be subtracted.
async fn one(
    parts: &Parts,
    page: &Outdated,
    known: &Arc<SiteKnowledge>,
    pace: Pace,
    now: Timestamp,
) -> Result<Option<Anew>, BatchError> {
    let Some(old) = contribution(parts.stores.archive.as_ref(), page.counted.content).await? else {
        tracing::warn!(url = %page.url, "the archive lost the contribution of a page; the page stays counted by older algorithms");
        parts.metrics.recomputed.with_label_values(&["stuck"]).inc();
        return Ok(None);
    };
    let Some(bytes) = parts.stores.archive.get(Kind::Page, page.content).await? else {
        let gone = Version { content: ContentHash::NONE, ..page.counted };
        return Ok(Some(Anew { change: change(page, gone, now, &old, None), analysis: None }));
    };
    let (params, known) = (parts.params.clone(), known.clone());
    let (said, fetched_at) = match paced(pace, move || analysis(&bytes, &params, &known)).await {
        Ok(done) => done,
        Err(reason) => {
            tracing::warn!(url = %page.url, reason, "cannot compute a page again; it stays counted by older algorithms");
            parts.metrics.recomputed.with_label_values(&["stuck"]).inc();
            return Ok(None);
        }
    };
    let new = Version { content: page.content.seen_by(&parts.params.generation()), ..page.counted };
    let fetch = Fetch { number: page.counted.fetch, at: fetched_at };
    archive(parts, page, new.content, &said, fetch, now).await?;
    let change = change(page, new, fetched_at, &old, Some(&said.contribution));
    Ok(Some(Anew { change, analysis: Some(said) }))
}

/// The analysis of an archived page. An article that was read with the site's knowledge is read with it
/// again.
fn analysis(bytes: &[u8], params: &Params, known: &SiteKnowledge) -> Result<(Analysis, Timestamp), String> {
    let fetched: FetchedPage = envelope::open(bytes).map_err(|error| error.to_string())?;
    let (html, at) = (fetched.bytes().map_err(|error| error.to_string())?, fetched.fetched_at);
    let mut said = analyse(&fetched.url, fetched.content_type.as_deref(), &html, at, params);
    if let Some(article) = &said.article {
        let page = Page::parse(&fetched.url, fetched.content_type.as_deref(), &html);
        if let Some(view) = articles::view(known, &page, at, article) {
            said.article = Some(view);
        }
    }
    Ok((said, at))
}

fn change(
    page: &Outdated,
    new: Version,
    fetched_at: Timestamp,
    old: &Contribution,
    contribution: Option<&Contribution>,
) -> Change {
    let delta = Delta::between(Some(old), contribution);
    Change { url: page.url.clone(), expected: Some(page.counted), new, fetched_at, delta, again: true }
}

/// Archives the results under their name; readers are told of an article that changed.
async fn archive(
    parts: &Parts,
    page: &Outdated,
    name: ContentHash,
    said: &Analysis,
    fetch: Fetch,
    now: Timestamp,
) -> Result<(), BatchError> {
    let sealed =
        envelope::seal(&said.contribution).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    parts.stores.archive.put(Kind::Contribution, name, sealed.into(), now).await?;
    parts.stores.archive.put(Kind::Hierarchy, name, xml::write(&said.hierarchy).into(), now).await?;
    let Some(article) = &said.article else { return Ok(()) };
    let before = parts.stores.archive.get(Kind::Article, page.counted.content).await?;
    let before = before.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    if before.is_none_or(|before| articles::says_something_else(&before, article)) {
        parts.histories().revise(article, fetch, now).await?;
    }
    let json = serde_json::to_vec(article).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    Ok(parts.stores.archive.put(Kind::Article, name, json.into(), now).await?)
}
