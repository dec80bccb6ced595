//! Which messages the miner believes: those that a page can have, about pages that were fetched.
//!
//! Whoever may publish to a queue can write anything into it, and a damaged or forged message that counts stays in the sums for
//! ever. [`check`] looks at a message alone: its fields, and their limits. [`verdicts`] compares it with what the crawler left
//! behind: the frontier's record of the URL, and else the archived page. These bind the content to the URL and bound the number
//! of the fetch, so that a forged one cannot shadow those that follow. What a page *says* is believed: to check that would be to
//! partition it again.
//!
//! Everything refused goes to the dead letters with the reason. The bounds do not depend on the order of messages. Only times do
//! depend on a clock: none may be more than [`CLOCK_TOLERANCE`] ahead of the miner's.

use std::time::Duration;

use futures::future::try_join_all;
use newslode_common::message::{Ending, FetchedPage, GonePage, PartitionedPage};
use newslode_common::store::{Entry, Frontier, StoreResult, first_fetch};
use newslode_common::version::{FIRST_DATE, Version};
use newslode_page::extract::check_slots;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;

use crate::work::archive::read_contribution;
use crate::work::generations::Generations;
use crate::work::parts::Parts;

/// How far a crawler's clock may be ahead of the miner's. Imports refuse captures from later days, too.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(86_400);
/// Number of claims of a URL that a store may have forgotten when it was killed: it loses two seconds at most.
const LOST_CLAIMS: u64 = 2;

/// What is to be done with a partitioned page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is counted.
    Count,
    /// A newer version counts, and the archive holds nothing of this one any more: nothing is left to do.
    Stale,
    /// It goes to the dead letters, for this reason.
    Refuse(String),
}

fn refuse(reason: impl Into<String>) -> Verdict {
    Verdict::Refuse(reason.into())
}

/// Checks a message by itself.
///
/// # Errors
/// Says which field no page can have.
pub(super) fn check(page: &PartitionedPage) -> Result<(), String> {
    is_of_site(&page.url, &page.site)?;
    let of_page = |error| format!("`{}`: {error}", page.url);
    page.contribution.check(&page.url).map_err(of_page)?;
    check_slots(&page.slots, &page.site).map_err(of_page)?;
    page.notes.check().map_err(of_page)?;
    page.article.as_ref().map_or(Ok(()), |article| article.check(&page.url)).map_err(of_page)
}

fn is_of_site(url: &CanonicalUrl, site: &Site) -> Result<(), String> {
    if url.site() == *site { Ok(()) } else { Err(format!("`{url}` is not a page of the site `{site}`")) }
}

/// Compares pages of one site with what was fetched. Returns a verdict for each, in order.
///
/// # Errors
/// When a store fails.
pub(super) async fn verdicts(
    parts: &Parts,
    site: &Site,
    pages: &[PartitionedPage],
    now: Timestamp,
) -> StoreResult<Vec<Verdict>> {
    let stores = &parts.stores;
    let generations = Generations::read(stores.state.as_ref()).await?;
    let urls: Vec<CanonicalUrl> = pages.iter().map(|page| page.url.clone()).collect();
    let is_known = stores.frontier.site(site).await?.is_some();
    let entries = try_join_all(urls.iter().map(|url| stores.frontier.entry(url))).await?;
    let counted = stores.state.versions(site, &urls).await?;
    let facts = entries.into_iter().zip(counted);
    let judged = pages.iter().zip(facts).map(|(page, (entry, counted))| {
        let known = Known { entry, counted, is_site: is_known };
        known.verdict(parts, &generations, page, now)
    });
    try_join_all(judged).await
}

/// What the stores know of a page's URL.
struct Known {
    entry: Option<Entry>,
    counted: Option<Version>,
    /// Whether a seed named its site.
    is_site: bool,
}

impl Known {
    async fn verdict(
        self,
        parts: &Parts,
        generations: &Generations,
        page: &PartitionedPage,
        now: Timestamp,
    ) -> StoreResult<Verdict> {
        let (url, version, archive) = (&page.url, page.version, parts.stores.archive.as_ref());
        if page.fetched_at > now.plus(CLOCK_TOLERANCE) {
            return Ok(refuse(format!("`{url}`: the time of its fetch is over a day ahead")));
        }
        // The archived contribution is what will be subtracted later. It must stay the one that was added.
        if self.counted.is_some_and(|counted| counted.content == version.content)
            && let Some(held) = read_contribution(archive, version.content).await?
            && held != page.contribution
        {
            return Ok(refuse(format!(
                "`{url}` counts with this content already, and with another contribution"
            )));
        }
        let fetched_last = self.entry.as_ref().and_then(|entry| entry.content);
        let is_last = fetched_last
            .is_some_and(|content| generations.names(content).any(|name| name == version.content));
        if is_last && self.entry.as_ref().is_some_and(|entry| version.fetch <= entry.fetch) {
            return Ok(Verdict::Count);
        }
        match generations.fetched(archive, version.content).await? {
            Some(fetched) => Ok(self.verdict_by_archive(page, &fetched, now)),
            // Nothing is counted for a site without a seed.
            None if !self.is_site => Ok(Verdict::Count),
            None if self.counted.is_some_and(|counted| !version.is_newer(counted)) => Ok(Verdict::Stale),
            None => Ok(refuse(format!(
                "`{url}` was neither fetched by a crawler nor fed from an archive with this content"
            ))),
        }
    }

    /// The page may have been published before its claim was completed, have left the frontier since, or never been in it.
    fn verdict_by_archive(&self, page: &PartitionedPage, fetched: &FetchedPage, now: Timestamp) -> Verdict {
        let (url, version) = (&page.url, page.version);
        if fetched.url != *url {
            return refuse(format!("`{url}`: its content is that of `{}`", fetched.url));
        }
        if version.is_dated() {
            return match Timestamp(version.fetch) <= now.plus(CLOCK_TOLERANCE) {
                true => Verdict::Count,
                false => refuse(format!("`{url}`: the time of its capture is over a day ahead")),
            };
        }
        let claimed = self.entry.as_ref().map_or(0, |entry| entry.fetch);
        // The same content may have been archived by a crawler and by an import.
        let archived = if fetched.version.is_dated() { 0 } else { fetched.version.fetch };
        match claimed.max(archived) {
            most if version.fetch <= most => Verdict::Count,
            most => {
                refuse(format!("`{url}`: fetch {} was never claimed; the last one is {most}", version.fetch))
            }
        }
    }
}

/// Why a page that is said to be gone is not removed; `None` if it may be.
///
/// The removal of a page that does not count leaves its number in the store for good, so that the page's own message, which may
/// come later, counts nothing. Only a page that counted once or that the frontier knows can have such a message: a crawler tells of
/// an end before the URL leaves, and one that has left is remembered for longer than messages live. So an address that nobody knows is refused,
/// and there are never more such numbers than URLs.
///
/// # Errors
/// When a store fails.
pub(super) async fn refusal_of_gone(
    parts: &Parts,
    gone: &GonePage,
    now: Timestamp,
) -> StoreResult<Option<String>> {
    let url = &gone.url;
    if let Err(reason) = is_of_site(url, &gone.site) {
        return Ok(Some(reason));
    }
    if gone.at > now.plus(CLOCK_TOLERANCE) {
        return Ok(Some(format!("`{url}`: the time when it was gone is over a day ahead")));
    }
    match &gone.ending {
        Ending::NotFound | Ending::Disallowed | Ending::Noindex | Ending::Moved(_) => {}
        Ending::Forgotten | Ending::SameAs(_) | Ending::NotAnArticle => {
            return Ok(Some(format!(
                "`{url}`: no crawler can tell that a page is to be forgotten, a copy or no article"
            )));
        }
    }
    let frontier = parts.stores.frontier.as_ref();
    if frontier.site(&gone.site).await?.is_none() {
        // Nothing is removed of a site without a seed.
        return Ok(None);
    }
    let counted = parts.stores.state.versions(&gone.site, std::slice::from_ref(url)).await?;
    let counted = counted.into_iter().flatten().next();
    let entry = frontier.entry(url).await?;
    if counted.is_none() && entry.is_none() && !is_remembered(frontier, url, now).await? {
        return Ok(Some(format!("`{url}` is not known: it neither counts nor was it in the frontier")));
    }
    let counted = counted.filter(|counted| !counted.is_dated()).map_or(0, |counted| counted.fetch);
    let claimed = match entry {
        Some(entry) => entry.fetch,
        // It has left the frontier. Numbers begin at the day on which a URL was added.
        None => first_fetch(now.plus(CLOCK_TOLERANCE)),
    };
    let most = claimed.max(counted).saturating_add(LOST_CLAIMS).min(FIRST_DATE - 1);
    Ok((gone.fetch > most)
        .then(|| format!("`{url}`: fetch {} was never claimed; the last one is {claimed}", gone.fetch)))
}

/// Whether a URL without a record was in the frontier.
async fn is_remembered(frontier: &dyn Frontier, url: &CanonicalUrl, now: Timestamp) -> StoreResult<bool> {
    // One that has left may come back between the two looks.
    Ok(frontier.left(url, now).await?.is_some() || frontier.entry(url).await?.is_some())
}
