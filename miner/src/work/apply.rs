//! Counting pages: a batch of one site's partitioned pages becomes one call to the store.
//!
//! Counting is the last effect that matters, so that a crash is harmless at any point: whatever counts is complete, and
//! whatever does not count is delivered again, or found again by [`crate::work::reconcile`]. Everything before may be
//! repeated. The order (decision 58):
//! 1. The contribution is archived, so that everything counted can be subtracted.
//! 2. Its links go to the frontier.
//! 3. The history of its article is written, and readers hear what happened to it, at least once.
//! 4. The schedule hears what the page turned out to be.
//! 5. The page is counted.
//! 6. The content that this one replaced leaves the archive, and so does the hierarchy of a copy that was dropped before.
//!
//! Two miners may hold two fetches of a page at once: one that was paused goes on while another has its sites. Counting
//! compares, so the newer fetch counts whoever is first. A history is written without comparing, so there the later write
//! wins. The miner that counts second sees that it was not alone, looks whether the history knows the fetch that counts, and
//! has that page come again if not.
//!
//! Only then is the message acknowledged. Start at [`count_batch`].

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use futures::future::try_join_all;
use newslode_common::broker::Queue;
use newslode_common::config::{Follow, Noarchive};
use newslode_common::message::{CountedPage, PartitionedPage, envelope};
use newslode_common::schedule::PageSchedule;
use newslode_common::store::{Applied, Change, Kind, NewUrl, StoreError, Why};
use newslode_common::version::{ContentHash, Version};
use newslode_page::article::Article;
use newslode_page::contribution::Delta;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;
use tracing::{Instrument as _, Span};

use crate::mining::articles::is_view;
use crate::work::archive::{self, read_contribution};
use crate::work::copies;
use crate::work::error::BatchError;
use crate::work::feedback;
use crate::work::generations::{Generations, counted_page};
use crate::work::histories::history::Fetch;
use crate::work::histories::{self, FetchedArticle};
use crate::work::links::{add_urls, page_links};
use crate::work::parts::Parts;

/// Number of attempts to count a page that other miners keep counting. After that the batch returns to the queue.
const MAX_ATTEMPTS: usize = 5;

/// The result for one page of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageEnd {
    /// Its contribution is counted.
    Applied,
    /// It was counted before, or a newer one is. Its effects were repeated.
    Stale,
    /// Its site has no seed, or was removed: nothing was done.
    Unwanted,
    /// It cannot be counted and goes to the dead letters, for this reason.
    Rejected(String),
}

impl PageEnd {
    /// Its name in traces.
    pub(super) fn name(&self) -> &'static str {
        match self {
            PageEnd::Applied => "applied",
            PageEnd::Stale => "stale",
            PageEnd::Unwanted => "unwanted",
            PageEnd::Rejected(_) => "rejected",
        }
    }
}

/// Counts pages of one site, with all their effects. Returns each page's result, in order.
///
/// # Errors
/// When the store or the broker fails; then the whole batch may be tried again.
pub async fn count_batch(
    parts: &Parts,
    follow: Follow,
    site: &Site,
    pages: &[PartitionedPage],
    now: Timestamp,
) -> Result<Vec<PageEnd>, BatchError> {
    count_traced(parts, follow, site, pages, &[], now).await
}

/// The same with the span of each page, of which its article's event becomes a part.
pub(super) async fn count_traced(
    parts: &Parts,
    follow: Follow,
    site: &Site,
    pages: &[PartitionedPage],
    spans: &[Span],
    now: Timestamp,
) -> Result<Vec<PageEnd>, BatchError> {
    let Some(settings) = parts.stores.frontier.site(site).await? else { return discard(parts, pages).await };
    let withdrawn = withdrawn(parts, pages).await?;
    let viewed = archive_computed(parts, pages, &withdrawn, now).await?;
    add_links(parts, follow, pages, now).await?;
    let batch = Batch::prepare(parts, site, pages).await?;
    let mut twins = BTreeSet::new();
    for (at, number) in batch.articles_to_record(pages) {
        let Some(page) = pages.get(at).filter(|page| !withdrawn.contains(&page.url)) else { continue };
        let Some(article) = viewed.get(&page.version.content).or(page.article.as_ref()) else { continue };
        let fetch = Fetch { number, at: page.fetched_at };
        let canonical = page.canonical.as_ref();
        let content = Some(page.version.content);
        let fetched = FetchedArticle { url: &page.url, article, fetch, canonical, content };
        let histories = parts.histories();
        let recording = histories.record_fetch(&settings.labels, fetched, now);
        let span = spans.get(at).cloned().unwrap_or_else(Span::none);
        if recording.instrument(span).await? {
            twins.insert(page.url.clone());
        }
    }
    if follow == Follow::News {
        feedback::report_all(parts.stores.frontier.as_ref(), &parts.schedule, pages, (&twins, &withdrawn))
            .await?;
    }
    let Counted { ends, replaced, contended } = batch.count(parts, site, pages).await?;
    // A site removed since we asked may have been removed before we wrote. Nobody else would clean up then.
    if parts.stores.frontier.site(site).await?.is_none() {
        parts.stores.state.forget(site).await?;
        histories::forget(parts.stores.archive.as_ref(), pages.iter().map(|page| &page.url)).await?;
        return discard(parts, pages).await;
    }
    let contended = contended.into_iter().filter_map(|at| pages.get(at));
    publish_if_history_lags(parts, site, contended.filter(|page| page.article.is_some())).await?;
    archive::forget_replaced(&parts.stores, replaced).await?;
    if parts.noarchive == Noarchive::Drop {
        for (page, _) in pages.iter().zip(&ends).filter(|(_, end)| **end == PageEnd::Stale) {
            copies::drop_repeated(parts, &page.url, page.version.content).await?;
        }
    }
    Ok(ends)
}

/// Deletes everything archived of pages whose site has no seed, or was removed.
async fn discard(parts: &Parts, pages: &[PartitionedPage]) -> Result<Vec<PageEnd>, BatchError> {
    archive::forget_counted(&parts.stores, pages.iter().map(|page| page.version.content)).await?;
    Ok(vec![PageEnd::Unwanted; pages.len()])
}

/// The pages that look like articles and are none among the pages of their site: only a view can bring them back.
async fn withdrawn(parts: &Parts, pages: &[PartitionedPage]) -> Result<BTreeSet<CanonicalUrl>, BatchError> {
    let mut withdrawn = BTreeSet::new();
    for page in pages.iter().filter(|page| page.article.is_some()) {
        let history = histories::read_history(parts.stores.archive.as_ref(), &page.url).await?;
        if history.is_some_and(|history| history.is_no_article()) {
            withdrawn.insert(page.url.clone());
        }
    }
    Ok(withdrawn)
}

/// Archives contributions and articles, but not those that were withdrawn. If a page is delivered again whose article was viewed meanwhile, the viewed article
/// stays. Returns these articles.
async fn archive_computed(
    parts: &Parts,
    pages: &[PartitionedPage],
    withdrawn: &BTreeSet<CanonicalUrl>,
    now: Timestamp,
) -> Result<BTreeMap<ContentHash, Article>, BatchError> {
    let mut viewed = BTreeMap::new();
    for page in pages.iter().filter(|page| page.article.is_some()) {
        let stored = parts.stores.archive.get(Kind::Article, page.version.content).await?;
        let stored = stored.and_then(|bytes| serde_json::from_slice::<Article>(&bytes).ok());
        viewed.extend(stored.filter(is_view).map(|article| (page.version.content, article)));
    }
    let mut puts = Vec::new();
    for page in pages {
        let kept = CountedPage { contribution: page.contribution.clone(), slots: page.slots.clone() };
        let sealed = envelope::seal(&kept).map_err(|e| StoreError::Corrupt(e.to_string()))?;
        let content = page.version.content;
        puts.push(parts.stores.archive.put(Kind::Contribution, content, sealed.into(), now));
        let is_kept = !viewed.contains_key(&content) && !withdrawn.contains(&page.url);
        if let Some(article) = page.article.as_ref().filter(|_| is_kept) {
            let json = serde_json::to_vec(article).map_err(|e| StoreError::Corrupt(e.to_string()))?;
            puts.push(parts.stores.archive.put(Kind::Article, content, json.into(), now));
        }
    }
    try_join_all(puts).await?;
    Ok(viewed)
}

/// Has the pages come again whose articles have a history that does not know the fetch which counts. The pages given are
/// those that other fetches raced with: one that counts itself, and comes again, is none of them, so this ends.
async fn publish_if_history_lags(
    parts: &Parts,
    site: &Site,
    pages: impl Iterator<Item = &PartitionedPage>,
) -> Result<(), BatchError> {
    let urls: Vec<CanonicalUrl> = pages.map(|page| page.url.clone()).collect();
    if urls.is_empty() {
        return Ok(());
    }
    let counted = parts.stores.state.versions(site, &urls).await?;
    for (url, counted) in urls.into_iter().zip(counted) {
        let Some(counted) = counted.filter(|counted| counted.content != ContentHash::NONE) else { continue };
        let archive = parts.stores.archive.as_ref();
        let is_article = archive.get(Kind::Article, counted.content).await?.is_some();
        let is_known = match histories::read_history(archive, &url).await {
            Ok(history) => history.is_some_and(|history| history.fetch >= counted.fetch),
            // It stays as it is, and `verify` names it.
            Err(StoreError::Corrupt(_)) => true,
            Err(error) => return Err(error.into()),
        };
        if !is_article || is_known {
            continue;
        }
        let generations = Generations::read(parts.stores.state.as_ref()).await?;
        let frontier = parts.stores.frontier.as_ref();
        let Some(page) = counted_page(frontier, archive, &generations, &url, counted).await? else {
            continue;
        };
        tracing::info!(%url, fetch = counted.fetch, "an earlier fetch overwrote the history of this article; its page is published again");
        let sealed = page.sealed().map_err(|error| StoreError::Corrupt(error.to_string()))?;
        // A full queue fails the batch, which comes again: a miner that waited would hold up those who empty the queue.
        parts.broker.publish(Queue::Pages, sealed.message).await?;
    }
    Ok(())
}

/// What counting a batch did.
struct Counted {
    /// Each page's result.
    ends: Vec<PageEnd>,
    /// Contents that were replaced, by the URL that counted with them.
    replaced: Vec<(CanonicalUrl, ContentHash)>,
    /// The pages, as places in the batch, of which another fetch was counted by somebody else: while this one was being
    /// counted, or as a newer one before.
    contended: BTreeSet<usize>,
}

/// The newest page of each URL of a batch, and what each would change.
struct Batch {
    /// Each page's result. Pages are stale until the store says otherwise.
    ends: Vec<PageEnd>,
    /// The newest page of each URL, as a place in the batch.
    newest: Vec<usize>,
    /// The versions that count.
    counted: BTreeMap<CanonicalUrl, Version>,
    /// The changes that are not yet made, each with the place of its page.
    open: Vec<(usize, Change)>,
    /// See [`Counted::contended`].
    contended: BTreeSet<usize>,
}

impl Batch {
    async fn prepare(parts: &Parts, site: &Site, pages: &[PartitionedPage]) -> Result<Batch, BatchError> {
        // Of several pages with one URL only the newest is counted; older ones of the batch are stale.
        let mut newest: BTreeMap<&CanonicalUrl, usize> = BTreeMap::new();
        for (at, page) in pages.iter().enumerate() {
            let held = newest.entry(&page.url).or_insert(at);
            // What we fetched ourselves goes before what others captured: see `comparable_fetch`.
            let order = |page: &PartitionedPage| (!page.version.is_dated(), page.version.fetch);
            if pages.get(*held).is_some_and(|held| order(held) < order(page)) {
                *held = at;
            }
        }
        let newest: Vec<usize> = newest.into_values().collect();
        let urls: Vec<CanonicalUrl> =
            newest.iter().filter_map(|at| Some(pages.get(*at)?.url.clone())).collect();
        let versions = parts.stores.state.versions(site, &urls).await?;
        let counted = urls.into_iter().zip(versions).filter_map(|(url, version)| Some((url, version?)));
        let mut batch = Batch {
            ends: vec![PageEnd::Stale; pages.len()],
            counted: counted.collect(),
            open: Vec::new(),
            contended: BTreeSet::new(),
            newest,
        };
        for at in batch.newest.clone() {
            batch.open_page(parts, pages, at).await?;
        }
        Ok(batch)
    }

    /// Opens the change of the sums by a page, or ends the page if there is nothing to change.
    async fn open_page(
        &mut self,
        parts: &Parts,
        pages: &[PartitionedPage],
        at: usize,
    ) -> Result<(), BatchError> {
        let (Some(page), Some(end)) = (pages.get(at), self.ends.get_mut(at)) else { return Ok(()) };
        let is_older = |counted: &Version| comparable_fetch(page, *counted) < counted.fetch;
        if self.counted.get(&page.url).is_some_and(is_older) {
            self.contended.insert(at);
        }
        match change_of(parts, page, self.counted.get(&page.url).copied()).await? {
            Ok(change) => self.open.push((at, change)),
            Err(ended) => *end = ended,
        }
        Ok(())
    }

    /// The pages whose articles readers should hear of, each as its place in the batch with the number of its fetch: those that will count, and those
    /// that count already, whose message may have been delivered again because the first delivery ended early. Readers must
    /// not hear of an older fetch after a newer one.
    fn articles_to_record(&self, pages: &[PartitionedPage]) -> impl Iterator<Item = (usize, u64)> {
        self.newest.iter().filter_map(|&at| {
            let (page, end) = (pages.get(at)?, self.ends.get(at)?);
            let number = match self.counted.get(&page.url) {
                None => page.version.fetch,
                Some(counted) => {
                    let number = comparable_fetch(page, *counted);
                    let is_counted = number == counted.fetch && counted.content != ContentHash::NONE;
                    (number > counted.fetch || is_counted).then_some(number)?
                }
            };
            (*end == PageEnd::Stale).then_some((at, number))
        })
    }

    /// Counts the pages.
    async fn count(
        mut self,
        parts: &Parts,
        site: &Site,
        pages: &[PartitionedPage],
    ) -> Result<Counted, BatchError> {
        let mut replaced = Vec::new();
        for _ in 0..MAX_ATTEMPTS {
            let (sent, changes): (Vec<usize>, Vec<Change>) =
                std::mem::take(&mut self.open).into_iter().unzip();
            if changes.is_empty() {
                break;
            }
            let start = Instant::now();
            let results = parts.stores.state.apply(site, &changes).await?;
            parts.metrics.apply_seconds.observe(start.elapsed().as_secs_f64());
            for ((at, change), result) in sent.into_iter().zip(changes).zip(results) {
                parts.metrics.applied.with_label_values(&[result_name(result)]).inc();
                match result {
                    Applied::Applied => {
                        self.ends.iter_mut().skip(at).take(1).for_each(|end| *end = PageEnd::Applied);
                        let before = change.expected.map(|before| before.content);
                        let other = |before: &ContentHash| {
                            *before != ContentHash::NONE && *before != change.new.content
                        };
                        replaced.extend(before.filter(other).map(|before| (change.url, before)));
                    }
                    Applied::Stale => {
                        self.contended.insert(at);
                    }
                    Applied::Conflict(stored) => {
                        // Another miner counted this URL meanwhile: compare with what counts now.
                        self.contended.insert(at);
                        match stored {
                            Some(stored) => self.counted.insert(change.url, stored),
                            None => self.counted.remove(&change.url),
                        };
                        self.open_page(parts, pages, at).await?;
                    }
                }
            }
        }
        if !self.open.is_empty() {
            return Err(BatchError::Contended(site.clone()));
        }
        Ok(Counted { ends: self.ends, replaced, contended: self.contended })
    }
}

fn result_name(applied: Applied) -> &'static str {
    match applied {
        Applied::Applied => "applied",
        Applied::Stale => "stale",
        Applied::Conflict(_) => "conflict",
    }
}

/// The number by which a page compares with the version that counts. Captures are numbered by their time, so a fetch of our
/// own compares with a capture by its time, too. A capture is older than any fetch of our own, since the store does not know
/// when that was.
fn comparable_fetch(page: &PartitionedPage, counted: Version) -> u64 {
    match (page.version.is_dated(), counted.is_dated()) {
        (false, true) => page.fetched_at.0,
        (true, false) => 0,
        (true, true) | (false, false) => page.version.fetch,
    }
}

/// The change of the sums by this page, given the version that counts; or the page's result, if there is nothing to change.
async fn change_of(
    parts: &Parts,
    page: &PartitionedPage,
    counted: Option<Version>,
) -> Result<Result<Change, PageEnd>, BatchError> {
    let fetch = counted.map_or(page.version.fetch, |counted| comparable_fetch(page, counted));
    if counted.is_some_and(|counted| counted.fetch >= fetch) {
        parts.metrics.applied.with_label_values(&["stale"]).inc();
        return Ok(Err(PageEnd::Stale));
    }
    let old = match counted.map(|counted| counted.content) {
        None | Some(ContentHash::NONE) => None,
        Some(content) if content == page.version.content => Some(page.contribution.clone()),
        Some(content) => match read_contribution(parts.stores.archive.as_ref(), content).await? {
            Some(old) => Some(old),
            None => {
                let url = &page.url;
                let reason = format!(
                    "`{url}` counts as {content}, which the archive no longer holds: it cannot be subtracted"
                );
                return Ok(Err(PageEnd::Rejected(reason)));
            }
        },
    };
    let delta = Delta::between(old.as_ref(), Some(&page.contribution));
    let (url, new, fetched_at) = (page.url.clone(), Version { fetch, ..page.version }, page.fetched_at);
    Ok(Ok(Change { url, expected: counted, new, fetched_at, delta, again: false }))
}

async fn add_links(
    parts: &Parts,
    follow: Follow,
    pages: &[PartitionedPage],
    now: Timestamp,
) -> Result<(), StoreError> {
    // The links of a capture may be years old.
    let ours = || pages.iter().filter(|page| !page.version.is_dated());
    let mut found: Vec<_> =
        ours().flat_map(|page| page_links(follow, page.why, page.depth, &page.contribution)).collect();
    if follow == Follow::News {
        found.extend(ours().filter_map(declared_canonical));
    }
    add_urls(parts.stores.frontier.as_ref(), &parts.metrics, found, now).await.map(|_| ())
}

/// The URL that an article's page declares as canonical: the article may outlive its other URLs there.
fn declared_canonical(page: &PartitionedPage) -> Option<NewUrl> {
    let declared = page.canonical.as_ref().filter(|url| page.article.is_some() && url.site() == page.site)?;
    let schedule = Some(PageSchedule::page(None, page.fetched_at));
    Some(NewUrl { schedule, ..NewUrl::once(declared.clone(), page.depth, Why::Link, 0) })
}
