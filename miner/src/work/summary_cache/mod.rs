//! The sites' summaries, cached up to date between folds by the logs of their sums.
//!
//! At the start the cache takes over what the last leader [`saved`] in the store; sites without saved parts are read whole.
//! From then on it reads only the logs, and the cells of *homes* (labels, pages, stories; see [`part`](crate::mining::part))
//! that become needed. If a log dropped entries before they were read, the sites of its bucket are read whole. Start at
//! [`SummaryCache::refresh`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use newslode_common::store::log::Logged;
use newslode_common::store::{SiteState, StoreResult, bucket};
use newslode_page::contribution::Table;
use newslode_page::contribution::names::{name_bits, short_name};
use newslode_page::reading::Site;

mod saved;

use crate::mining::concepts::least_support;
use crate::mining::linked::{self, Linked};
use crate::mining::part::Part;
use crate::mining::summary::{SiteSummary, Tables};
use crate::mining::world::World;
use saved::Head;
pub(super) use saved::forget;

/// Number of log entries that are read by one call.
const LOG_ENTRIES: usize = 64;
/// Number of homes that are read by one call.
const HOMES: usize = 500;

/// The sites' summaries, and what keeps them up to date.
#[derive(Debug, Default)]
pub struct SummaryCache {
    world: World,
    sites: BTreeMap<Site, CachedSite>,
    /// For each bucket, the position through which its log was read.
    read: BTreeMap<u16, u64>,
    /// The run of the store's server, as of the start.
    incarnation: String,
    /// The number under which this miner saves parts.
    writer: u64,
}

#[derive(Clone, Debug)]
struct CachedSite {
    part: Part,
    summary: Arc<SiteSummary>,
    /// Positions of the log up to which the world and the part include the site's changes.
    counted: u64,
    position: u64,
    /// The labels that the world counts for the site, as changes to those that are saved for the position `base`.
    linked: Linked,
    base: u64,
    /// Whether the part changed since the summary was made.
    is_changed: bool,
    /// Whether the site is saved as it is.
    is_saved: bool,
}

impl CachedSite {
    /// A site whose summary is still to be made.
    fn new(site: Site, part: Part, position: u64, (base, linked): (u64, Linked)) -> CachedSite {
        let summary = Arc::new(SiteSummary::of(site, &Tables::new()));
        let (counted, is_changed, is_saved) = (position, true, false);
        CachedSite { part, summary, counted, position, linked, base, is_changed, is_saved }
    }
}

/// The log of this bucket dropped entries that were not read yet.
struct Gap(u16);

impl SummaryCache {
    /// Sets the keys of labels that are held whole at the next [`refresh`](SummaryCache::refresh) even if few sites link them.
    pub fn want<'k>(&mut self, keys: impl Iterator<Item = &'k str>) {
        self.world.want(keys.filter_map(|key| name_bits(&short_name(key))).collect());
    }

    /// The summaries of all sites that have pages, in the order of their names, and the number of sites that changed since
    /// the last call. `support` as configured.
    ///
    /// # Errors
    /// When the store cannot be read. The next call goes on.
    pub async fn refresh(
        &mut self,
        state: &dyn SiteState,
        support: u32,
    ) -> StoreResult<(Vec<Arc<SiteSummary>>, usize)> {
        if self.sites.is_empty() {
            self.restore(state, support).await?;
        }
        while let Err(Gap(bucket)) = self.read_logs(state, support).await? {
            tracing::warn!(
                bucket,
                "the log of a bucket dropped entries before they were read; reading its sites again from the store"
            );
            if !self.reread_bucket(state, bucket).await? {
                self.restore(state, support).await?;
            }
        }
        let mut changed = 0;
        for cached in self.sites.values_mut().filter(|cached| cached.is_changed) {
            cached.part.prune(self.world.frequent());
            cached.summary = Arc::new(cached.part.summary());
            cached.part.pack();
            (cached.is_changed, cached.is_saved) = (false, false);
            changed += 1;
        }
        let summaries = self.sites.values().map(|cached| cached.summary.clone());
        Ok((summaries.filter(|summary| summary.pages > 0).collect(), changed))
    }

    /// Saves what changed since the last call, for the next leader.
    ///
    /// # Errors
    /// When the store fails; the next leader then reads more sites whole.
    pub async fn save(&mut self, state: &dyn SiteState) -> StoreResult<()> {
        // After a failed refresh the parts are at different positions. The head could not name one.
        let is_torn = self.sites.values().any(|cached| cached.is_changed || cached.part.has_missing_homes());
        if is_torn || self.sites.values().all(|cached| cached.is_saved) {
            return Ok(());
        }
        let mut gone = Vec::new();
        for (site, cached) in self.sites.iter_mut().filter(|(_, cached)| !cached.is_saved) {
            if cached.part.is_empty() {
                saved::forget(state, site).await?;
                gone.push(site.clone());
                continue;
            }
            if cached.linked.has_many_changes()
                && let Some(base) = saved::labels(state, site, cached.base).await?
            {
                let labels = cached.linked.labels(&base);
                saved::write_labels(state, site, cached.counted, &labels).await?;
                (cached.base, cached.linked) = (cached.counted, Linked::of(labels.len()));
            }
            let position = self.read.get(&bucket(site)).copied().unwrap_or_default();
            let Some(part) = cached.part.stored() else { return Ok(()) };
            saved::write_part(state, site, (self.writer, position), part, (cached.base, &cached.linked))
                .await?;
            cached.is_saved = true;
        }
        self.sites.retain(|site, _| !gone.contains(site));
        let (frequent, sites) = (self.world.frequent(), self.sites.keys());
        let head = Head::new(self.writer, self.incarnation.clone(), frequent, self.read.clone(), sites);
        head.write(state).await
    }

    /// Number of cells of all sites in memory.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.sites.values().map(|cached| cached.part.clone().cells()).sum()
    }

    /// Number of labels that enough sites link.
    #[must_use]
    pub fn frequent(&self) -> usize {
        self.world.frequent().len()
    }

    /// A copy of all parts and summaries, without the world, to measure their memory.
    #[must_use]
    pub fn copied(&self) -> SummaryCache {
        let copied = |cached: &CachedSite| CachedSite {
            summary: Arc::new(SiteSummary::clone(&cached.summary)),
            ..cached.clone()
        };
        let sites = self.sites.iter().map(|(site, cached)| (site.clone(), copied(cached)));
        SummaryCache { sites: sites.collect(), ..SummaryCache::default() }
    }

    /// Takes over what the last leader saved, and reads the other sites.
    ///
    /// The labels of all sites must be counted before any part is made, since a part holds the cells of frequent labels.
    /// So sites are read whole twice: first for their labels, then for their parts.
    async fn restore(&mut self, state: &dyn SiteState, support: u32) -> StoreResult<()> {
        let incarnation = state.incarnation().await?;
        let head = Head::read(state, &incarnation).await?;
        let mut sites: BTreeSet<Site> = state.sites().await?.into_iter().map(|(site, _)| site).collect();
        // A site that was forgotten since then still counts in the saved world. Its log takes it out.
        sites.extend(head.iter().flat_map(Head::sites));
        let frequent = head.as_ref().map(Head::frequent).unwrap_or_default();
        let mut new = SummaryCache { writer: saved::random_writer(), incarnation, ..SummaryCache::default() };
        new.world.want(self.world.wanted().clone());
        let mut whole = Vec::new();
        for site in sites {
            let restored = match &head {
                Some(head) => head.site(state, &site, bucket(&site), &frequent).await?,
                None => None,
            };
            match restored {
                Some(old) => {
                    new.add_labels(&site, old.position, &old.labels);
                    let cached =
                        CachedSite::new(site.clone(), old.part, old.position, (old.base, old.linked));
                    new.sites.insert(site, cached);
                }
                None => {
                    let (position, tables) = state.snapshot(&site, Table::NAMED).await?;
                    let labels = linked::labels(&tables);
                    saved::write_labels(state, &site, position, &labels).await?;
                    new.add_labels(&site, position, &labels);
                    whole.push((site, position, labels.len()));
                }
            }
        }
        if !whole.is_empty() {
            let (sites, cached) = (whole.len(), new.sites.len());
            tracing::info!(sites, saved = cached, "reading the sums of all sites that have no saved summary");
        }
        if head.is_none() {
            new.world.update(least_support(support, whole.len()));
        } else {
            new.world.restore(frequent);
        }
        for (site, counted, labels) in whole {
            let (position, tables) = state.snapshot(&site, Table::NAMED).await?;
            let part = Part::of(site.clone(), &tables, new.world.frequent());
            let mut cached = CachedSite::new(site.clone(), part, position, (counted, Linked::of(labels)));
            cached.counted = counted;
            new.sites.insert(site, cached);
        }
        *self = new;
        Ok(())
    }

    /// Adds the labels that a site links at a position of its log to the world.
    fn add_labels(&mut self, site: &Site, position: u64, labels: &[u64]) {
        labels.iter().for_each(|label| self.world.add(*label));
        let read = self.read.entry(bucket(site)).or_insert(position);
        *read = position.min(*read);
    }

    /// Reads the sites of a bucket whole. Returns false if it is unknown which of their labels the world counts.
    async fn reread_bucket(&mut self, state: &dyn SiteState, of: u16) -> StoreResult<bool> {
        let mut sites: BTreeSet<Site> = state.sites().await?.into_iter().map(|(site, _)| site).collect();
        sites.extend(self.sites.keys().cloned());
        self.read.remove(&of);
        for site in sites.into_iter().filter(|site| bucket(site) == of) {
            if let Some(cached) = self.sites.get(&site) {
                let Some(base) = saved::labels(state, &site, cached.base).await? else { return Ok(false) };
                cached.linked.labels(&base).into_iter().for_each(|label| self.world.remove(label));
            }
            let (position, tables) = state.snapshot(&site, Table::NAMED).await?;
            let labels = linked::labels(&tables);
            saved::write_labels(state, &site, position, &labels).await?;
            self.add_labels(&site, position, &labels);
            let part = Part::of(site.clone(), &tables, self.world.frequent());
            let cached = CachedSite::new(site.clone(), part, position, (position, Linked::of(labels.len())));
            self.sites.insert(site, cached);
        }
        Ok(true)
    }

    /// Reads the new entries of all logs, and the homes that become needed by them.
    async fn read_logs(&mut self, state: &dyn SiteState, support: u32) -> StoreResult<Result<(), Gap>> {
        for (site, _) in state.sites().await? {
            self.read.entry(bucket(&site)).or_default();
        }
        let buckets: Vec<u16> = self.read.keys().copied().collect();
        for bucket in buckets {
            let mut after = self.read.get(&bucket).copied().unwrap_or_default();
            loop {
                let log = state.log(bucket, after, LOG_ENTRIES).await?;
                // A log that ends earlier belongs to a server that lost its last writes.
                if log.dropped > after || log.end < after {
                    return Ok(Err(Gap(bucket)));
                }
                let Some(last) = log.entries.last() else { break };
                after = last.position;
                log.entries.into_iter().for_each(|entry| self.apply_entry(entry));
            }
            self.read.insert(bucket, after);
        }
        let sites = self.sites.values().filter(|cached| cached.part.pages() > 0).count();
        self.read_missing_homes(state, least_support(support, sites)).await?;
        Ok(Ok(()))
    }

    /// Applies one log entry: to the part, if that does not include it yet, and to the world, likewise.
    fn apply_entry(&mut self, entry: Logged) {
        let frequent = self.world.frequent();
        let cached = self.sites.entry(entry.site.clone()).or_insert_with(|| {
            let part = Part::of(entry.site.clone(), &Tables::new(), frequent);
            CachedSite::new(entry.site.clone(), part, 0, (0, Linked::default()))
        });
        if entry.position > cached.position {
            if entry.is_forgotten {
                cached.part.forget(entry.position);
            } else {
                cached.part.add(entry.position, &entry.note.cells, frequent);
            }
            cached.position = entry.position;
            cached.is_changed = true;
        }
        if entry.position > cached.counted {
            for label in entry.flips.came.iter().filter_map(|label| name_bits(label)) {
                self.world.add(label);
                cached.linked.add(label);
            }
            for label in entry.flips.went.iter().filter_map(|label| name_bits(label)) {
                self.world.remove(label);
                cached.linked.remove(label);
            }
            cached.counted = entry.position;
            cached.is_changed = true;
        }
    }

    /// Reads the homes that parts need and lack. New cells may need further homes, so this goes on until none is left.
    async fn read_missing_homes(&mut self, state: &dyn SiteState, support: u32) -> StoreResult<()> {
        // First tell every part which labels became frequent, and which no longer are.
        let (joined, left) = self.world.update(support);
        for cached in self.sites.values_mut() {
            left.iter().for_each(|label| cached.part.unmark_frequent(label));
            cached.part.mark_frequent(&joined);
        }
        let frequent = self.world.frequent();
        for (site, cached) in &mut self.sites {
            loop {
                let open = cached.part.missing_homes();
                if open.is_empty() {
                    break;
                }
                for homes in open.chunks(HOMES) {
                    let history = state.history(site, homes).await?;
                    cached.is_changed |= !history.cells.is_empty();
                    cached.part.fill(homes, history.position, history.cells, frequent);
                }
            }
            cached.part.forget_read_positions(self.read.get(&bucket(site)).copied().unwrap_or_default());
        }
        Ok(())
    }
}
