//! Counts pages again after the page algorithms changed. An update needs nothing else.
//!
//! A page counted by another generation is read from the archive, computed again, and counted under its own fetch number. What
//! is subtracted is the archived contribution that was added. So each batch leaves a consistent state, in which pages of two
//! generations count side by side, and at the end the state equals a fresh one to the bit. A page that the archive lost cannot
//! be computed again: its contribution is subtracted, and the loss is logged and counted. This happens outside the queues, at a
//! pace of its own, so no message waits for it. Two processes that do it at once have the same effect as one. Start at
//! [`recompute`].

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt as _, TryStreamExt as _};
use newslode_common::config::{Follow, MinerConfig};
use newslode_common::message::{CountedPage, FetchedPage, envelope};
use newslode_common::store::{Applied, Change, Entry, Kind, NewUrl, StoreError};
use newslode_common::version::{ContentHash, Version};
use newslode_page::article::Article;
use newslode_page::contribution::{Contribution, Delta};
use newslode_page::extract::SiteKnowledge;
use newslode_page::generation::Generation;
use newslode_page::hierarchy::xml;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;
use newslode_page::{Analysis, Params};
use tokio_util::sync::CancellationToken;

use crate::mining::articles::{self, ArticleView};
use crate::work::archive::read_contribution;
use crate::work::error::BatchError;
use crate::work::generations::{Claimed, Generations};
use crate::work::histories::history::Fetch;
use crate::work::knowledge::Knowledge;
use crate::work::links::{add_urls, page_links};
use crate::work::parts::Parts;
use crate::work::views::{Pace, paced};
use crate::work::waiting::pause;

/// First and longest wait before the next search for pages of other generations. Processes of an older version keep counting
/// for minutes; each search reads the frontier's entry of every page.
const SEARCH_WAITS: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(86_400));
/// Number of pages of one store call.
const BATCH: usize = 32;

/// What one run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Recomputed {
    /// Pages that count.
    pub pages: u64,
    /// Pages that were counted again.
    pub counted: u64,
    /// Pages that the archive lost, and that no longer count.
    pub lost: u64,
    /// Pages whose bytes were removed, to save space or because they ask for no copy; they stay counted as they are.
    pub removed: u64,
    /// Pages that cannot be computed again, or whose contribution the archive lost; they stay counted as they are.
    pub stuck: u64,
}

impl Recomputed {
    /// Whether there was nothing left to do.
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

/// A page that was computed again, ready to be counted.
struct Recounted {
    change: Change,
    analysis: Option<Analysis>,
}

/// How computing a page again ended.
enum Computing {
    Done(Box<Recounted>),
    /// Its bytes were removed, to save space or because it asks for no copy.
    Removed,
    /// It cannot be computed, or its contribution cannot be subtracted.
    Stuck,
}

/// Counts all pages again that another generation counted, of the sites that this miner owns: until done or `stop`, or until
/// our generation is no longer the one that counts. `progress` is called after each batch.
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
    // A failed run may have left the gauge at the pages of a site that another miner owns now.
    left.set(0);
    for (site, _) in parts.stores.state.sites().await? {
        if !parts.owners.owns(&site) {
            continue;
        }
        // A large store takes hours, in which a process with newer algorithms may have started.
        let generations = Generations::read(parts.stores.state.as_ref()).await?;
        if generations.counting.as_ref() != Some(&ours) {
            return Ok(done);
        }
        let outdated = outdated(parts, &generations, &site, &mut done).await?;
        if outdated.is_empty() {
            continue;
        }
        let known = Arc::new(Knowledge::read(parts.stores.state.as_ref(), &site).await?.0.site_knowledge());
        left.set(i64::try_from(outdated.len()).unwrap_or(i64::MAX));
        for pages in outdated.chunks(BATCH) {
            if stop.is_cancelled() {
                return Ok(done);
            }
            recompute_batch(parts, follow, &site, pages, (&known, pace), &mut done).await?;
            left.sub(i64::try_from(pages.len()).unwrap_or(i64::MAX));
            progress(done);
        }
    }
    Ok(done)
}

/// The miner's loop: after an update nearly all pages are counted again, then, for a while, those that processes of the older
/// version still count.
///
/// # Errors
/// Never; failures are logged and tried again.
pub async fn run(parts: Parts, config: MinerConfig, stop: CancellationToken) -> anyhow::Result<()> {
    let ours = parts.params.generation();
    let pace = Pace { at_once: 1, share: config.recompute_share };
    let (mut wait, mut is_claimed) = (SEARCH_WAITS.0, false);
    loop {
        match other_generation(&parts, &ours, &mut is_claimed).await {
            Ok(None) if config.recompute_share == 0 => {}
            Ok(None) => match recompute(&parts, config.follow, pace, &stop, |_| {}).await {
                Ok(done) if !done.is_done() => {
                    tracing::info!(?done, "counted pages again with the current algorithms");
                    wait = SEARCH_WAITS.0;
                }
                Ok(_) => wait = (wait * 2).min(SEARCH_WAITS.1),
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

/// The generation that counts, if it is not ours. Ours is claimed only once, at the start: among processes with different
/// parameters the one that started last wins, instead of all of them taking turns endlessly.
async fn other_generation(
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

/// The content of a page that another generation counted. `None` if ours did, or if the content is unknown because the page
/// is on its way or lost.
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
    // The frontier knows a newer fetch, which is on its way. The archive finds the counted one.
    let page = generations.page(parts.stores.archive.as_ref(), counted).await?;
    Ok(page.map(|(content, _)| content).filter(|content| content.seen_by(ours) != counted))
}

async fn recompute_batch(
    parts: &Parts,
    follow: Follow,
    site: &Site,
    pages: &[Outdated],
    (known, pace): (&Arc<SiteKnowledge>, Pace),
    done: &mut Recomputed,
) -> Result<(), BatchError> {
    let now = parts.clock.now();
    let mut work = Vec::new();
    for page in pages {
        work.push(recompute_page(parts, page, known, pace, now));
    }
    let ends: Vec<Computing> =
        futures::stream::iter(work).buffered(pace.at_once.max(1)).try_collect().await?;
    let mut anew: Vec<(&Outdated, Recounted)> = Vec::new();
    for (page, end) in pages.iter().zip(ends) {
        match end {
            Computing::Done(recounted) => anew.push((page, *recounted)),
            Computing::Removed => done.removed += 1,
            Computing::Stuck => done.stuck += 1,
        }
    }
    let links = anew.iter().flat_map(|(page, anew)| links(follow, page, anew));
    add_urls(parts.stores.frontier.as_ref(), &parts.metrics, links.collect(), now).await?;
    let changes: Vec<Change> = anew.iter().map(|(_, anew)| anew.change.clone()).collect();
    let verdicts = parts.stores.state.apply(site, &changes).await?;
    for ((page, anew), verdict) in anew.iter().zip(verdicts) {
        // Another miner was first: it counted a newer fetch, or did the same.
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

/// The links of a page, as when it is counted for the first time.
fn links(follow: Follow, page: &Outdated, anew: &Recounted) -> Vec<NewUrl> {
    let (Some(entry), Some(analysis)) = (&page.entry, &anew.analysis) else { return Vec::new() };
    page_links(follow, entry.why, entry.depth, &analysis.contribution)
}

/// Computes a page again and archives the results.
async fn recompute_page(
    parts: &Parts,
    page: &Outdated,
    known: &Arc<SiteKnowledge>,
    pace: Pace,
    now: Timestamp,
) -> Result<Computing, BatchError> {
    let Some(old) = read_contribution(parts.stores.archive.as_ref(), page.counted.content).await? else {
        tracing::warn!(url = %page.url, "the archive lost the contribution of a page; the page stays counted by older algorithms");
        parts.metrics.recomputed.with_label_values(&["stuck"]).inc();
        return Ok(Computing::Stuck);
    };
    let Some(bytes) = parts.stores.archive.get(Kind::Page, page.content).await? else {
        if parts.stores.archive.removed(Kind::Page, page.content).await?.is_some() {
            return Ok(Computing::Removed);
        }
        let gone = Version { content: ContentHash::NONE, ..page.counted };
        let change = change(page, gone, now, &old, None);
        return Ok(Computing::Done(Box::new(Recounted { change, analysis: None })));
    };
    let (params, known) = (parts.params.clone(), known.clone());
    let (analysis, fetched_at) = match paced(pace, move || analyse_archived(&bytes, &params, &known)).await {
        Ok(done) => done,
        Err(reason) => {
            tracing::warn!(url = %page.url, reason, "cannot compute a page again; it stays counted by older algorithms");
            parts.metrics.recomputed.with_label_values(&["stuck"]).inc();
            return Ok(Computing::Stuck);
        }
    };
    let new = Version { content: page.content.seen_by(&parts.params.generation()), ..page.counted };
    let fetch = Fetch { number: page.counted.fetch, at: fetched_at };
    archive_results(parts, page, new.content, &analysis, fetch, now).await?;
    let change = change(page, new, fetched_at, &old, Some(&analysis.contribution));
    Ok(Computing::Done(Box::new(Recounted { change, analysis: Some(analysis) })))
}

/// Analyses an archived page. The article is read with the site's knowledge, if that changes it.
fn analyse_archived(
    bytes: &[u8],
    params: &Params,
    known: &SiteKnowledge,
) -> Result<(Analysis, Timestamp), String> {
    let fetched: FetchedPage = envelope::open(bytes).map_err(|error| error.to_string())?;
    let (html, at) = (fetched.bytes().map_err(|error| error.to_string())?, fetched.fetched_at);
    let mut analysis = fetched.analyse(&html, params);
    if analysis.article.is_some() || known.kinds().is_enough() {
        let page = fetched.parse(&html);
        match articles::view(known, &page, at, analysis.article.as_ref()) {
            ArticleView::Unchanged => {}
            ArticleView::Now(article) => analysis.article = Some(*article),
            ArticleView::NoArticle => analysis.article = None,
        }
    }
    Ok((analysis, at))
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

/// Publishes the event of a changed article, and archives the results under their name.
async fn archive_results(
    parts: &Parts,
    page: &Outdated,
    name: ContentHash,
    analysis: &Analysis,
    fetch: Fetch,
    now: Timestamp,
) -> Result<(), BatchError> {
    let kept = CountedPage { contribution: analysis.contribution.clone(), slots: analysis.slots.clone() };
    let sealed = envelope::seal(&kept).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    parts.stores.archive.put(Kind::Contribution, name, sealed.into(), now).await?;
    parts.stores.archive.put(Kind::Hierarchy, name, xml::write(&analysis.hierarchy).into(), now).await?;
    let before = parts.stores.archive.get(Kind::Article, page.counted.content).await?;
    let before: Option<Article> = before.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let Some(article) = &analysis.article else {
        // What these algorithms do not take for an article any more is withdrawn, not forgotten in silence.
        return match &before {
            Some(before) => parts.histories().withdraw(before, now).await,
            None => Ok(()),
        };
    };
    if before.is_none_or(|before| articles::says_something_else(&before, article)) {
        parts.histories().revise(article, fetch, now).await?;
    }
    let json = serde_json::to_vec(article).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    Ok(parts.stores.archive.put(Kind::Article, name, json.into(), now).await?)
}
