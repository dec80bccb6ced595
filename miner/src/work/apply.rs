//! Counting pages: a batch of one site's partitioned pages becomes one call to the store.
//!
//! The order of effects makes a crash harmless at any point. First the contribution is archived (so that
//! everything counted can be subtracted), then its links go to the frontier (idempotent), then it is counted,
//! then readers are told what happened to the article (at least once), then the schedule what the page is. Only then
//! is the message acknowledged. Links come before
//! counting, so a store that loses its last writes never holds a counted page whose links it lost; a page
//! that is not counted is found again by [`crate::work::reconcile`]. Start at [`batch`].

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use futures::future::try_join_all;
use newslode_common::config::Follow;
use newslode_common::message::{PartitionedPage, envelope};
use newslode_common::schedule::PageSchedule;
use newslode_common::store::{Applied, Change, Kind, NewUrl, StoreError, Why};
use newslode_common::version::{ContentHash, Version};
use newslode_page::article::Article;
use newslode_page::contribution::Delta;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;

use crate::mining::articles::is_view;
use crate::work::archive::{self, contribution};
use crate::work::error::BatchError;
use crate::work::follow::{add, at_once};
use crate::work::histories::FetchedArticle;
use crate::work::histories::history::Fetch;
use crate::work::notes::tell_all;
use crate::work::parts::Parts;

/// Another miner may count the page between our read and our write. After this many times in a row the batch
/// is given back.
const ROUNDS: usize = 5;

/// The result for one page of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageEnd {
    /// Its contribution is counted.
    Applied,
    /// It was counted before, or a newer one is; its effects were made sure.
    Stale,
    /// Nobody wants its site, or no longer: nothing was done.
    Unwanted,
    /// It cannot be counted and goes to the dead letters, for this reason.
    Rejected(String),
}

/// Counts pages of one site and makes all their effects. Returns each page's result, in order.
///
/// # Errors
/// When the store or the broker fails; then the whole batch may be tried again.
pub async fn batch(
    parts: &Parts,
    follow: Follow,
    site: &Site,
    pages: &[PartitionedPage],
    now: Timestamp,
) -> Result<Vec<PageEnd>, BatchError> {
    let Some(settings) = parts.stores.frontier.site(site).await? else { return unwanted(parts, pages).await };
    let viewed = archive(parts, pages, now).await?;
    follow_up(parts, follow, pages, now).await?;
    let Counted { ends, versions, replaced } = count(parts, site, pages).await?;
    // A site forgotten since we asked may have been forgotten before we counted: nobody else would clean up.
    if parts.stores.frontier.site(site).await?.is_none() {
        parts.stores.state.forget(site).await?;
        return unwanted(parts, pages).await;
    }
    let mut twins = BTreeSet::new();
    for (page, end) in pages.iter().zip(&ends) {
        // What an older fetch says must not follow what a newer one said.
        let Some(counted) = versions.get(&page.url) else { continue };
        let number = number(page, *counted);
        let is_newest = number >= counted.fetch && counted.content != ContentHash::NONE;
        let article = viewed.get(&page.version.content).or(page.article.as_ref());
        if let Some(article) = article
            && is_newest
            && matches!(end, PageEnd::Applied | PageEnd::Stale)
        {
            let fetch = Fetch { number, at: page.fetched_at };
            let canonical = page.canonical.as_ref();
            let fetched = FetchedArticle { url: &page.url, article, fetch, canonical };
            if parts.histories().record_fetch(&settings.labels, fetched, now).await? {
                twins.insert(page.url.clone());
            }
        }
    }
    if follow == Follow::News {
        tell_all(parts.stores.frontier.as_ref(), &parts.schedule, pages, &twins).await?;
    }
    archive::forget_replaced(&parts.stores, replaced).await?;
    Ok(ends)
}

/// Nobody wants the pages' site: everything archived of them on their way is removed, too.
async fn unwanted(parts: &Parts, pages: &[PartitionedPage]) -> Result<Vec<PageEnd>, BatchError> {
    archive::forget_counted(&parts.stores, pages.iter().map(|page| page.version.content)).await?;
    Ok(vec![PageEnd::Unwanted; pages.len()])
}

/// Archives contributions and articles. If a page comes again and its article was viewed meanwhile, the
/// viewed article stays; these are returned.
async fn archive(
    parts: &Parts,
    pages: &[PartitionedPage],
    now: Timestamp,
) -> Result<BTreeMap<ContentHash, Article>, BatchError> {
    let mut viewed = BTreeMap::new();
    for page in pages.iter().filter(|page| page.article.is_some()) {
        let held = parts.stores.archive.get(Kind::Article, page.version.content).await?;
        let held = held.and_then(|bytes| serde_json::from_slice::<Article>(&bytes).ok());
        viewed.extend(held.filter(is_view).map(|article| (page.version.content, article)));
    }
    let mut puts = Vec::new();
    for page in pages {
        let sealed = envelope::seal(&page.contribution).map_err(|e| StoreError::Corrupt(e.to_string()))?;
        let content = page.version.content;
        puts.push(parts.stores.archive.put(Kind::Contribution, content, sealed.into(), now));
        if let Some(article) = page.article.as_ref().filter(|_| !viewed.contains_key(&content)) {
            let json = serde_json::to_vec(article).map_err(|e| StoreError::Corrupt(e.to_string()))?;
            puts.push(parts.stores.archive.put(Kind::Article, content, json.into(), now));
        }
    }
    try_join_all(puts).await?;
    Ok(viewed)
}

/// What counting a batch led to.
struct Counted {
    /// Each page's result.
    ends: Vec<PageEnd>,
    /// The versions that count now.
    versions: BTreeMap<CanonicalUrl, Version>,
    /// Contents that others replaced, by the name under which they counted.
    replaced: Vec<(CanonicalUrl, ContentHash)>,
}

/// Counts each URL's newest page; older ones of the batch are stale.
async fn count(parts: &Parts, site: &Site, pages: &[PartitionedPage]) -> Result<Counted, BatchError> {
    let mut newest: BTreeMap<&CanonicalUrl, usize> = BTreeMap::new();
    for (at, page) in pages.iter().enumerate() {
        let held = newest.entry(&page.url).or_insert(at);
        // What we fetched ourselves goes before what others captured: see `number`.
        let order = |page: &PartitionedPage| (!page.version.is_dated(), page.version.fetch);
        if pages.get(*held).is_some_and(|held| order(held) < order(page)) {
            *held = at;
        }
    }
    let mut ends = vec![PageEnd::Stale; pages.len()];
    let mut open: Vec<usize> = newest.into_values().collect();
    let urls: Vec<CanonicalUrl> = open.iter().filter_map(|at| Some(pages.get(*at)?.url.clone())).collect();
    let versions = parts.stores.state.versions(site, &urls).await?;
    let mut replaced = Vec::new();
    let mut counted: BTreeMap<CanonicalUrl, Version> =
        urls.into_iter().zip(versions).filter_map(|(url, version)| Some((url, version?))).collect();
    for _ in 0..ROUNDS {
        let mut changes = Vec::new();
        let mut sent = Vec::new();
        for at in open.drain(..) {
            let Some(page) = pages.get(at) else { continue };
            match change(parts, page, counted.get(&page.url).copied()).await? {
                Ok(change) => {
                    changes.push(change);
                    sent.push(at);
                }
                Err(end) => ends.iter_mut().skip(at).take(1).for_each(|held| *held = end.clone()),
            }
        }
        if changes.is_empty() {
            return Ok(Counted { ends, versions: counted, replaced });
        }
        let start = Instant::now();
        let results = parts.stores.state.apply(site, &changes).await?;
        parts.metrics.apply_seconds.observe(start.elapsed().as_secs_f64());
        for ((at, change), result) in sent.into_iter().zip(changes).zip(results) {
            parts.metrics.applied.with_label_values(&[result_name(result)]).inc();
            match result {
                Applied::Applied => {
                    ends.iter_mut().skip(at).take(1).for_each(|end| *end = PageEnd::Applied);
                    let before = change.expected.map(|before| before.content);
                    let other =
                        |before: &ContentHash| *before != ContentHash::NONE && *before != change.new.content;
                    replaced.extend(before.filter(other).map(|before| (change.url.clone(), before)));
                    counted.insert(change.url, change.new);
                }
                Applied::Stale => {}
                Applied::Conflict(stored) => {
                    match stored {
                        Some(stored) => counted.insert(change.url, stored),
                        None => counted.remove(&change.url),
                    };
                    open.push(at);
                }
            }
        }
    }
    if !open.is_empty() {
        return Err(BatchError::Contended(site.clone()));
    }
    Ok(Counted { ends, versions: counted, replaced })
}

fn result_name(applied: Applied) -> &'static str {
    match applied {
        Applied::Applied => "applied",
        Applied::Stale => "stale",
        Applied::Conflict(_) => "conflict",
    }
}

/// The number under which a page stands against the version that counts. Captures of others are numbered by
/// their time. A fetch of our own stands against one by its time, too. A capture is older than any page that
/// only we fetched: the store does not know when that was.
fn number(page: &PartitionedPage, counted: Version) -> u64 {
    match (page.version.is_dated(), counted.is_dated()) {
        (false, true) => page.fetched_at.0,
        (true, false) => 0,
        (true, true) | (false, false) => page.version.fetch,
    }
}

/// The change of the sums by this page, given what is counted; or its result, if there is nothing to send.
async fn change(
    parts: &Parts,
    page: &PartitionedPage,
    counted: Option<Version>,
) -> Result<Result<Change, PageEnd>, BatchError> {
    let fetch = counted.map_or(page.version.fetch, |counted| number(page, counted));
    if counted.is_some_and(|counted| counted.fetch >= fetch) {
        parts.metrics.applied.with_label_values(&["stale"]).inc();
        return Ok(Err(PageEnd::Stale));
    }
    let old = match counted.map(|counted| counted.content) {
        None | Some(ContentHash::NONE) => None,
        Some(content) if content == page.version.content => Some(page.contribution.clone()),
        Some(content) => match contribution(parts.stores.archive.as_ref(), content).await? {
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

async fn follow_up(
    parts: &Parts,
    follow: Follow,
    pages: &[PartitionedPage],
    now: Timestamp,
) -> Result<(), StoreError> {
    // What a capture of others leads to may be years old.
    let ours = || pages.iter().filter(|page| !page.version.is_dated());
    let mut found: Vec<_> =
        ours().flat_map(|page| at_once(follow, page.why, page.depth, &page.contribution)).collect();
    if follow == Follow::News {
        found.extend(ours().filter_map(declared));
    }
    add(parts.stores.frontier.as_ref(), &parts.metrics, found, now).await.map(|_| ())
}

/// The address that an article's page declares as its own: it may be the only one that lives on.
fn declared(page: &PartitionedPage) -> Option<NewUrl> {
    let declared = page.canonical.as_ref().filter(|url| page.article.is_some() && url.site() == page.site)?;
    let schedule = Some(PageSchedule::page(None, page.fetched_at));
    Some(NewUrl { schedule, ..NewUrl::once(declared.clone(), page.depth, Why::Link, 0) })
}
