//! Removes the oldest bytes of pages, the oldest hierarchies, and the texts of the oldest articles, so that the archive of a run
//! that goes on for years does not grow for ever.
//!
//! A page counts without its bytes: what is subtracted is its contribution, which stays. So the sums are the same whatever is
//! removed. Bytes that somebody is still going to read stay: those of pages that are to be counted, to be counted again by newer
//! algorithms, or to be viewed. The archive keeps when it removed something, so that nobody takes it for lost.
//!
//! The text of an article can be read again as long as the bytes of its page are there, so it is removed only after them.
//!
//! Everything is done in small steps, each of which is one change of the store: a kill costs nothing, and the next sweep begins
//! with the oldest that is left. Start at [`sweep`].

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use newslode_common::config::{MinerConfig, RetentionConfig};
use newslode_common::message::{FetchedPage, envelope};
use newslode_common::store::{Aged, AgedArchive, Entry, Kind, SiteState, StoreError, StoreResult};
use newslode_common::version::{ContentHash, Version};
use newslode_page::article::Article;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;
use tokio_util::sync::CancellationToken;

use crate::mining::articles;
use crate::work::captures;
use crate::work::generations::Generations;
use crate::work::stores::Stores;
use crate::work::views::{self, Awaiting};

const DAY_MS: u64 = 86_400_000;
/// Values that are looked at before anything is removed.
const BATCH: usize = 64;
/// A sweep rests this many times as long as it works.
const REST: u32 = 9;
/// What is known of a site is read again after this time, because a sweep may take hours.
const KNOWN_FOR: Duration = Duration::from_secs(30);
/// An article whose page is still there counts as written anew, at most this often.
const RENEWED_AFTER_MS: u64 = 7 * DAY_MS;
/// The value that says which article was looked at last: everything before it has no text, or was written anew.
const BODIES: &str = "retention/bodies";

/// What a sweep did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Pages whose bytes were removed.
    pub pages: u64,
    /// Hierarchies that were removed.
    pub hierarchies: u64,
    /// Articles whose texts were removed.
    pub bodies: u64,
    /// Pages and hierarchies that are old or too much, and that are still needed.
    pub needed: u64,
}

/// What may stay of a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Limit {
    /// What was put before this time goes.
    before: Option<Timestamp>,
    /// The oldest go while there are more bytes.
    most: Option<u64>,
}

impl Limit {
    fn new(days: u32, mb: u64, now: Timestamp) -> Limit {
        let before = (days > 0).then(|| Timestamp(now.0.saturating_sub(u64::from(days) * DAY_MS)));
        Limit { before, most: (mb > 0).then(|| mb.saturating_mul(1 << 20)) }
    }

    fn is_none(&self) -> bool {
        self.before.is_none() && self.most.is_none()
    }

    /// Whether a value is too old, or one of too many with `left` bytes in all.
    fn exceeds(&self, value: &Aged, left: u64) -> bool {
        self.before.is_some_and(|before| value.put_at < before) || self.most.is_some_and(|most| left > most)
    }
}

/// A sweep's rest between two steps, and its end.
struct Step<'a> {
    begun: Instant,
    stop: &'a CancellationToken,
}

impl Step<'_> {
    fn begin(stop: &CancellationToken) -> Step<'_> {
        Step { begun: Instant::now(), stop }
    }

    /// Rests. Returns false if the sweep is to end.
    async fn end(self) -> bool {
        let rest = tokio::time::sleep(self.begun.elapsed() * REST);
        self.stop.run_until_cancelled(rest).await.is_some()
    }
}

/// Removes what exceeds the limits, as a share of the time, until done or `stop`.
///
/// # Errors
/// When a store fails; sweeping again is safe.
pub async fn sweep(
    stores: &Stores,
    archive: &dyn AgedArchive,
    (retention, miner): (&RetentionConfig, &MinerConfig),
    now: Timestamp,
    stop: &CancellationToken,
) -> StoreResult<Swept> {
    let generations = Generations::read(stores.state.as_ref()).await?;
    let (counts_again, views) = (miner.recompute_share > 0, miner.views_s > 0);
    let mut needs = Needs { stores, generations, counts_again, views, sites: BTreeMap::new() };
    let limit = Limit::new(retention.hierarchies_days, retention.hierarchies_mb, now);
    let hierarchies = remove_oldest(archive, Kind::Hierarchy, (limit, now), &mut needs, stop).await?;
    let limit = Limit::new(retention.pages_days, retention.pages_mb, now);
    let pages = remove_oldest(archive, Kind::Page, (limit, now), &mut needs, stop).await?;
    let limit = Limit::new(retention.bodies_days, retention.bodies_mb, now);
    let bodies = remove_texts(stores.state.as_ref(), archive, &needs.generations, (limit, now), stop).await?;
    Ok(Swept {
        pages: pages.removed,
        hierarchies: hierarchies.removed,
        bodies,
        needed: pages.needed + hierarchies.needed,
    })
}

/// What became of the values of a kind that exceed its limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Removed {
    removed: u64,
    needed: u64,
}

/// Removes the oldest values of a kind that exceed a limit and are not needed.
async fn remove_oldest(
    archive: &dyn AgedArchive,
    kind: Kind,
    (limit, now): (Limit, Timestamp),
    uses: &mut dyn Uses,
    stop: &CancellationToken,
) -> StoreResult<Removed> {
    let (mut done, mut after) = (Removed::default(), None);
    if limit.is_none() {
        return Ok(done);
    }
    let mut left = archive.usage().await?.get(&kind).map_or(0, |held| held.bytes);
    loop {
        let step = Step::begin(stop);
        let values = archive.oldest(kind, after, BATCH).await?;
        let (mut going, mut is_end) = (Vec::new(), values.len() < BATCH);
        for value in &values {
            if !limit.exceeds(value, left) {
                is_end = true;
                break;
            }
            if uses.has_use(archive, kind, value).await? {
                done.needed += 1;
            } else {
                left = left.saturating_sub(value.bytes);
                going.push(*value);
            }
        }
        done.removed += if going.is_empty() { 0 } else { archive.remove(kind, &going, now).await? };
        after = values.last().copied();
        if is_end || !step.end().await {
            return Ok(done);
        }
    }
}

/// Whether somebody is still going to read a value.
trait Uses: Send {
    fn has_use<'a>(
        &'a mut self,
        archive: &'a dyn AgedArchive,
        kind: Kind,
        value: &'a Aged,
    ) -> BoxFuture<'a, StoreResult<bool>>;
}

/// Which pages are still to be read, and with them their hierarchies.
struct Needs<'a> {
    stores: &'a Stores,
    generations: Generations,
    /// Whether pages that other algorithms counted are counted again.
    counts_again: bool,
    /// Whether pages are viewed.
    views: bool,
    sites: BTreeMap<Site, SiteNeeds>,
}

/// What is still to be done with a site's pages.
struct SiteNeeds {
    read: Instant,
    awaiting: Awaiting,
    captures: BTreeSet<ContentHash>,
}

impl Uses for Needs<'_> {
    fn has_use<'a>(
        &'a mut self,
        archive: &'a dyn AgedArchive,
        kind: Kind,
        value: &'a Aged,
    ) -> BoxFuture<'a, StoreResult<bool>> {
        Box::pin(async move {
            let page = match kind {
                Kind::Page => {
                    archive.get(Kind::Page, value.content).await?.map(|sealed| (value.content, sealed))
                }
                _ => self.generations.page(archive, value.content).await?,
            };
            match page {
                Some((content, sealed)) => self.is_needed(content, &sealed).await,
                None => Ok(false),
            }
        })
    }
}

impl Needs<'_> {
    /// Whether an archived page is still to be read. One that cannot be read is damaged, and stays.
    async fn is_needed(&mut self, content: ContentHash, sealed: &[u8]) -> StoreResult<bool> {
        let Ok(page) = envelope::open::<FetchedPage>(sealed) else { return Ok(true) };
        let (url, site) = (page.url, page.site);
        let counted = self.stores.state.versions(&site, std::slice::from_ref(&url)).await?;
        let counted = counted.into_iter().next().flatten();
        let name = counted.map(|counted| counted.content).filter(|counted| {
            *counted != ContentHash::NONE && self.generations.names(content).any(|name| name == *counted)
        });
        match name {
            Some(name) => {
                let counting = self.generations.counting.as_ref();
                let is_older = counting.is_some_and(|counting| content.seen_by(counting) != name);
                Ok((self.counts_again && is_older) || (self.views && self.awaits_view(&site, name).await?))
            }
            None => self.is_to_be_counted(&url, &site, content, counted).await,
        }
    }

    /// Whether a page that does not count is on its way: it was fetched after what counts, is being fetched, or was imported.
    async fn is_to_be_counted(
        &mut self,
        url: &CanonicalUrl,
        site: &Site,
        content: ContentHash,
        counted: Option<Version>,
    ) -> StoreResult<bool> {
        if self.site(site).await?.captures.contains(&content) {
            return Ok(true);
        }
        let Some(entry) = self.stores.frontier.entry(url).await? else { return Ok(false) };
        let is_last = |entry: &Entry| entry.content == Some(content);
        Ok(match counted {
            None => entry.leased || is_last(&entry),
            Some(counted) => {
                let is_newer = entry.fetch > counted.fetch
                    || (counted.is_dated() && counted.content != ContentHash::NONE);
                entry.leased || (is_last(&entry) && is_newer)
            }
        })
    }

    async fn awaits_view(&mut self, site: &Site, name: ContentHash) -> StoreResult<bool> {
        Ok(match &self.site(site).await?.awaiting {
            Awaiting::All => true,
            Awaiting::These(names) => names.contains(&name),
        })
    }

    async fn site(&mut self, site: &Site) -> StoreResult<&SiteNeeds> {
        let is_known = self.sites.get(site).is_some_and(|known| known.read.elapsed() < KNOWN_FOR);
        if !is_known {
            let state = self.stores.state.as_ref();
            let awaiting = views::awaiting(state, site).await?;
            let captures = captures::uncounted(state, site).await?;
            self.sites.insert(site.clone(), SiteNeeds { read: Instant::now(), awaiting, captures });
        }
        self.sites.get(site).ok_or_else(|| StoreError::Unavailable(format!("`{site}` is not known")))
    }
}

/// Removes the texts of the oldest articles whose pages' bytes are gone. Returns how many.
async fn remove_texts(
    state: &dyn SiteState,
    archive: &dyn AgedArchive,
    generations: &Generations,
    (limit, now): (Limit, Timestamp),
    stop: &CancellationToken,
) -> StoreResult<u64> {
    let mut removed = 0;
    if limit.is_none() {
        return Ok(removed);
    }
    let (mut version, mut after) = read_cursor(state).await?;
    let mut left = archive.usage().await?.get(&Kind::Article).map_or(0, |held| held.bytes);
    loop {
        let step = Step::begin(stop);
        let begun_after = after.map(|after| after.content);
        let values = archive.oldest(Kind::Article, after, BATCH).await?;
        let mut is_end = values.len() < BATCH;
        for value in &values {
            if value.put_at >= now || !limit.exceeds(value, left) {
                is_end = true;
                break;
            }
            match remove_text(archive, generations, value, now).await? {
                TextEnd::Removed => {
                    let is_it = |held: &&Aged| held.content == value.content;
                    let held = archive.oldest(Kind::Article, after, 1).await?;
                    let bytes = held.first().filter(is_it).map_or(0, |held| held.bytes);
                    left = left.saturating_sub(value.bytes.saturating_sub(bytes));
                    removed += 1;
                }
                TextEnd::HasPage if value.put_at.0.saturating_add(RENEWED_AFTER_MS) > now.0 => {
                    is_end = true;
                    break;
                }
                TextEnd::HasPage | TextEnd::Nothing => {}
            }
            after = Some(*value);
        }
        if let Some(after) = after.as_ref().filter(|after| Some(after.content) != begun_after) {
            let bytes = [&after.put_at.0.to_le_bytes()[..], &after.content.0].concat();
            version = state.put_value(BODIES, version, bytes.into()).await?;
        }
        if is_end || !step.end().await {
            return Ok(removed);
        }
    }
}

/// What became of an article's text.
enum TextEnd {
    Removed,
    /// It stays, because the bytes of the page are there.
    HasPage,
    /// There is none, or the article changed meanwhile.
    Nothing,
}

async fn remove_text(
    archive: &dyn AgedArchive,
    generations: &Generations,
    value: &Aged,
    now: Timestamp,
) -> StoreResult<TextEnd> {
    let Some(json) = archive.get(Kind::Article, value.content).await? else { return Ok(TextEnd::Nothing) };
    let article = match serde_json::from_slice::<Article>(&json) {
        Ok(article) if !articles::is_text_removed(&article) => article,
        _ => return Ok(TextEnd::Nothing),
    };
    if generations.page(archive, value.content).await?.is_some() {
        if value.put_at.0.saturating_add(RENEWED_AFTER_MS) <= now.0 {
            archive.replace(Kind::Article, *value, json, now).await?;
        }
        return Ok(TextEnd::HasPage);
    }
    let json = serde_json::to_vec(&articles::without_text(article))
        .map_err(|error| StoreError::Corrupt(error.to_string()))?;
    Ok(match archive.replace(Kind::Article, *value, json.into(), value.put_at).await? {
        true => TextEnd::Removed,
        false => TextEnd::Nothing,
    })
}

/// The version of the value, and the article that was looked at last.
async fn read_cursor(state: &dyn SiteState) -> StoreResult<(Option<u64>, Option<Aged>)> {
    let Some((version, bytes)) = state.value(BODIES).await? else { return Ok((None, None)) };
    let cursor = bytes.split_first_chunk().and_then(|(at, content)| {
        let content = ContentHash(content.try_into().ok()?);
        Some(Aged { content, put_at: Timestamp(u64::from_le_bytes(*at)), bytes: 0 })
    });
    // Without a cursor, the sweep begins with the oldest: an article without text stays as it is.
    Ok((Some(version), cursor))
}

#[cfg(test)]
mod tests {
    use newslode_common::store::PageArchive as _;
    use newslode_common::store::redb::RedbStore;
    use proptest::prelude::*;

    use super::*;

    /// Contents that somebody is still going to read.
    struct These(BTreeSet<ContentHash>);

    impl Uses for These {
        fn has_use<'a>(
            &'a mut self,
            _: &'a dyn AgedArchive,
            _: Kind,
            value: &'a Aged,
        ) -> BoxFuture<'a, StoreResult<bool>> {
            Box::pin(std::future::ready(Ok(self.0.contains(&value.content))))
        }
    }

    /// What is left, by going through all values from the newest to the oldest and back.
    fn plain(values: &[Aged], needed: &BTreeSet<ContentHash>, limit: Limit) -> Vec<ContentHash> {
        let mut left: Vec<Aged> = values.to_vec();
        left.sort_by_key(|value| (value.put_at, value.content));
        let is_old = |value: &Aged| limit.before.is_some_and(|before| value.put_at < before);
        left.retain(|value| needed.contains(&value.content) || !is_old(value));
        let bytes = |left: &[Aged]| left.iter().map(|value| value.bytes).sum::<u64>();
        while limit.most.is_some_and(|most| bytes(&left) > most) {
            let Some(oldest) = left.iter().position(|value| !needed.contains(&value.content)) else { break };
            left.remove(oldest);
        }
        left.into_iter().map(|value| value.content).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Exactly the newest within age and size stay, and what is needed; a stop in the midst changes nothing of that.
        #[test]
        fn what_stays_is_the_newest_and_what_is_needed(
            puts in prop::collection::vec((0_u8..200, 0_u64..1_000, 0_usize..3_000), 0..150),
            needed in prop::collection::btree_set(0_u8..200, 0..20),
            before in prop::option::of(0_u64..1_000),
            most in prop::option::of(0_u64..60_000),
            is_stopped in any::<bool>(),
        ) {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            runtime.block_on(async {
                let store = RedbStore::in_memory().unwrap();
                for (name, at, bytes) in puts {
                    // Bytes that cannot be packed.
                    let bytes = (0..bytes).map(|place| (place * place * 31 + usize::from(name)) as u8 ^ (place as u8).reverse_bits());
                    let bytes: Vec<u8> = bytes.collect();
                    store.put(Kind::Page, ContentHash([name; 16]), bytes.into(), Timestamp(at)).await.unwrap();
                }
                let needed: BTreeSet<_> = needed.into_iter().map(|name| ContentHash([name; 16])).collect();
                let limit = Limit { before: before.map(Timestamp), most };
                let values = store.oldest(Kind::Page, None, usize::MAX).await.unwrap();
                let wanted = plain(&values, &needed, limit);
                let mut uses = These(needed);
                let (now, stop) = (Timestamp(5_000), CancellationToken::new());
                if is_stopped {
                    let stopped = CancellationToken::new();
                    stopped.cancel();
                    remove_oldest(&store, Kind::Page, (limit, now), &mut uses, &stopped).await.unwrap();
                }
                remove_oldest(&store, Kind::Page, (limit, now), &mut uses, &stop).await.unwrap();
                let left = store.oldest(Kind::Page, None, usize::MAX).await.unwrap();
                let left: Vec<_> = left.into_iter().map(|value| value.content).collect();
                assert_eq!(left, wanted);
                for value in values.iter().filter(|value| !wanted.contains(&value.content)) {
                    assert_eq!(store.removed(Kind::Page, value.content).await.unwrap(), Some(now));
                }
                let again = remove_oldest(&store, Kind::Page, (limit, now), &mut uses, &stop).await.unwrap();
                assert_eq!(again.removed, 0, "a second sweep removes more");
            });
        }
    }
}
