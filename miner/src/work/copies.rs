//! Deletes the copies of pages that ask for none (`crawler.noarchive = "drop"`): their bytes and hierarchies, once they were viewed.
//!
//! A page counts without its bytes: what is subtracted is its contribution, which stays, as its article does. The archive notes
//! the time, so that nobody takes the bytes for lost, and whoever reads bytes treats the page as one whose bytes
//! [retention](crate::work::retention) removed.
//!
//! Which pages ask is read from their rights. All pages of a site are looked at once in a process, then those that the site's log
//! names, as far as views have come. So a kill costs nothing: the next process looks at all of them again. A page that is
//! fetched again has its bytes again until it is viewed. Start at [`drop_copies`].

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use newslode_common::config::Noarchive;
use newslode_common::message::{FetchedPage, envelope};
use newslode_common::outcome::Outcome;
use newslode_common::rights::read_rights;
use newslode_common::store::{Entry, Kind, PageArchive, StoreResult};
use newslode_common::version::ContentHash;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;
use tokio_util::sync::CancellationToken;

use crate::work::generations::Generations;
use crate::work::parts::Parts;
use crate::work::views::{self, Pace, Viewed};

/// Pages that are looked at before a pause.
const BATCH: usize = 64;

/// What pages keep their bytes for after they were viewed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Waits {
    /// Whether pages that other algorithms counted are going to be counted again.
    pub recounting: bool,
    /// How long after its fetch a page waits for a template of its site.
    pub template: Duration,
}

/// What was deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Pages whose bytes were deleted.
    pub pages: u64,
    /// Hierarchies that were deleted.
    pub hierarchies: u64,
}

/// How far the sites were looked through; may be lost.
#[derive(Debug, Default)]
pub struct CopyMemory {
    sites: BTreeMap<Site, SiteCursor>,
}

/// How far a site was looked through.
#[derive(Debug, Default)]
struct SiteCursor {
    /// The position of the log up to which all pages were looked at; 0: none was.
    position: u64,
    /// Pages before it that keep their bytes for now.
    held: BTreeSet<CanonicalUrl>,
    /// The site's change counter at which nothing was left to do.
    done_at: Option<u64>,
}

/// Deletes the copies of all viewed pages that ask for none, of the sites that this miner owns, until done or `stop`.
///
/// # Errors
/// When a store fails; repeating it is safe.
pub async fn drop_copies(
    parts: &Parts,
    (waits, pace): (Waits, Pace),
    memory: &mut CopyMemory,
    stop: &CancellationToken,
) -> StoreResult<Dropped> {
    let state = parts.stores.state.as_ref();
    let generations = Generations::read(state).await?;
    let mut search = Search { parts, generations, waits, dropped: Dropped::default() };
    let sites = state.sites().await?;
    memory.sites.retain(|site, _| parts.owners.owns(site) && sites.iter().any(|(other, _)| other == site));
    for (site, counter) in sites.into_iter().filter(|(site, _)| parts.owners.owns(site)) {
        let cursor = memory.sites.entry(site.clone()).or_default();
        if cursor.done_at == Some(counter) {
            continue;
        }
        let is_done = search.of_site(&site, cursor, pace, stop).await?;
        cursor.done_at = is_done.then_some(counter);
        if stop.is_cancelled() {
            break;
        }
    }
    Ok(search.dropped)
}

/// What is to be done with a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// Nothing, until the site's log names it again.
    Leave,
    /// It keeps its bytes for now.
    Hold,
    /// Its copy is deleted, which counts or counted under this name.
    Drop(ContentHash),
}

struct Search<'a> {
    parts: &'a Parts,
    generations: Generations,
    waits: Waits,
    dropped: Dropped,
}

impl Search<'_> {
    /// Looks at the pages of a site that views have passed since the last search, and at those that were held. Returns whether
    /// nothing is left to do until the site changes.
    async fn of_site(
        &mut self,
        site: &Site,
        cursor: &mut SiteCursor,
        pace: Pace,
        stop: &CancellationToken,
    ) -> StoreResult<bool> {
        let state = self.parts.stores.state.as_ref();
        // The log is read before the views' progress: what comes in between is not viewed and stays for the next search.
        let changes = views::changes(state, site, cursor.position).await?;
        let Some(viewed) = views::viewed(state, site).await? else { return Ok(false) };
        let mut pages: Vec<(CanonicalUrl, ContentHash)> = changes.pages.into_iter().collect();
        let held: Vec<CanonicalUrl> = std::mem::take(&mut cursor.held).into_iter().collect();
        let versions = state.versions(site, &held).await?;
        let held = held.into_iter().zip(versions);
        pages.extend(held.filter_map(|(url, version)| Some((url, version?.content))));
        for batch in pages.chunks(BATCH) {
            let begun = Instant::now();
            for (url, counted) in batch {
                match self.judge(url, *counted, &viewed).await? {
                    Verdict::Leave => {}
                    Verdict::Hold => _ = cursor.held.insert(url.clone()),
                    Verdict::Drop(name) => self.drop_copy(name).await?,
                }
            }
            let rest = pace.rest_after(begun.elapsed());
            if stop.run_until_cancelled(tokio::time::sleep(rest)).await.is_none() {
                // The next search begins here again, with those that were held.
                cursor.held.extend(pages.iter().map(|(url, _)| url.clone()));
                return Ok(false);
            }
        }
        let is_viewed = viewed.later.is_empty();
        cursor.position = if is_viewed { changes.position } else { changes.position.min(viewed.position) };
        Ok(is_viewed && cursor.held.is_empty())
    }

    async fn judge(&self, url: &CanonicalUrl, counted: ContentHash, viewed: &Viewed) -> StoreResult<Verdict> {
        let stores = &self.parts.stores;
        if viewed.later.contains(&counted)
            || !read_rights(stores.archive.as_ref(), url).await?.asks_for_no_copy()
        {
            return Ok(Verdict::Leave);
        }
        let entry = stores.frontier.entry(url).await?;
        if entry.as_ref().is_some_and(|entry| entry.leased) {
            // A crawler may be about to archive it again.
            return Ok(Verdict::Hold);
        }
        if counted == ContentHash::NONE {
            return Ok(entry.as_ref().and_then(copy_of_gone).map_or(Verdict::Leave, Verdict::Drop));
        }
        if let Some((content, sealed)) = self.generations.page(stores.archive.as_ref(), counted).await? {
            let counting = self.generations.counting.as_ref();
            if self.waits.recounting && counting.is_some_and(|ours| content.seen_by(ours) != counted) {
                return Ok(Verdict::Leave);
            }
            let waits = || match envelope::open::<FetchedPage>(&sealed) {
                Ok(page) => page.fetched_at.plus(self.waits.template) > self.parts.clock.now(),
                Err(_) => false,
            };
            if viewed.without_template.contains(&counted) && waits() {
                return Ok(Verdict::Hold);
            }
        }
        Ok(Verdict::Drop(counted))
    }

    async fn drop_copy(&mut self, name: ContentHash) -> StoreResult<()> {
        let dropped =
            drop_copy(self.parts.stores.archive.as_ref(), &self.generations, name, self.parts.clock.now())
                .await?;
        self.dropped.pages += dropped.pages;
        self.dropped.hierarchies += dropped.hierarchies;
        Ok(())
    }
}

/// The content with which a page was fetched last that does not count any more. One that was fetched again is on its way.
fn copy_of_gone(entry: &Entry) -> Option<ContentHash> {
    let is_on_its_way = matches!(entry.outcome, Some(Outcome::Fetched | Outcome::Unchanged));
    entry.content.filter(|_| !is_on_its_way)
}

/// Deletes the bytes and the hierarchies of the page that counts, or counted, under this name.
async fn drop_copy(
    archive: &dyn PageArchive,
    generations: &Generations,
    name: ContentHash,
    now: Timestamp,
) -> StoreResult<Dropped> {
    let (mut dropped, mut names) = (Dropped::default(), vec![name]);
    // Applied twice, `seen_by` gives back the content, so this lists the contents for which the name may stand.
    for content in generations.names(name) {
        let is_dropped = archive.discard(Kind::Page, content, now).await?;
        if is_dropped || archive.removed(Kind::Page, content).await?.is_some() {
            dropped.pages += u64::from(is_dropped);
            names = generations.names(content).collect();
            break;
        }
    }
    for name in names {
        dropped.hierarchies += u64::from(archive.discard(Kind::Hierarchy, name, now).await?);
    }
    Ok(dropped)
}

/// Why the bytes of a page were removed, in words.
///
/// # Errors
/// When the archive fails.
pub async fn why_removed(parts: &Parts, url: &CanonicalUrl) -> StoreResult<&'static str> {
    let is_dropped = parts.noarchive == Noarchive::Drop
        && read_rights(parts.stores.archive.as_ref(), url).await?.asks_for_no_copy();
    Ok(if is_dropped { "because it asks for no copy (crawler.noarchive)" } else { "to save space" })
}

/// Deletes the copy of a page that is gone and asked for none, if copies are dropped.
///
/// # Errors
/// When a store fails; repeating it is safe.
pub(super) async fn drop_gone(parts: &Parts, url: &CanonicalUrl, name: ContentHash) -> StoreResult<()> {
    let archive = parts.stores.archive.as_ref();
    if read_rights(archive, url).await?.asks_for_no_copy() {
        let generations = Generations::read(parts.stores.state.as_ref()).await?;
        drop_copy(archive, &generations, name, parts.clock.now()).await?;
    }
    Ok(())
}

/// Deletes the hierarchy of a page that was delivered once more after its copy was dropped: the partitioner archived it again.
///
/// # Errors
/// When a store fails; repeating it is safe.
pub(super) async fn drop_repeated(parts: &Parts, url: &CanonicalUrl, name: ContentHash) -> StoreResult<()> {
    let archive = parts.stores.archive.as_ref();
    if read_rights(archive, url).await?.asks_for_no_copy() {
        let generations = Generations::read(parts.stores.state.as_ref()).await?;
        if generations.removed(archive, name).await?.is_some() {
            archive.discard(Kind::Hierarchy, name, parts.clock.now()).await?;
        }
    }
    Ok(())
}
