//! The sites' summaries as a miner keeps them between folds: by following the logs of their sums.
//!
//! At the start each site is read whole, twice: to learn which labels are frequent, then for its [`Part`]. From then on
//! only the logs are read, and homes that become needed. If a log has dropped entries that were not read yet, all
//! starts anew. Start at [`Followed::refresh`].

use std::collections::BTreeMap;
use std::sync::Arc;

use newslode_common::store::log::Logged;
use newslode_common::store::{SiteState, StoreResult, bucket};
use newslode_page::contribution::Table;
use newslode_page::reading::Site;

use crate::mining::concepts::least_support;
use crate::mining::part::Part;
use crate::mining::summary::{SiteSummary, Tables};
use crate::mining::world::World;

/// Entries of a log that are read at once.
const ENTRIES: usize = 64;
/// Homes that are read at once.
const HOMES: usize = 500;

/// The sites' summaries, and what keeps them right.
#[derive(Debug, Default)]
pub struct Followed {
    world: World,
    sites: BTreeMap<Site, Kept>,
    /// For each bucket, the position through which its log was read.
    read: BTreeMap<u16, u64>,
}

#[derive(Clone, Debug)]
struct Kept {
    part: Part,
    summary: Arc<SiteSummary>,
    /// Positions through which the world and the part know the site.
    counted: u64,
    position: u64,
    is_changed: bool,
}

impl Kept {
    /// A site whose summary is still to be made.
    fn new(site: Site, part: Part, counted: u64, position: u64) -> Kept {
        let summary = Arc::new(SiteSummary::of(site, &Tables::new()));
        Kept { part, summary, counted, position, is_changed: true }
    }
}

/// A log no longer has what a follower did not read.
struct Gap;

impl Followed {
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
            *self = Followed::start(state, support).await?;
        }
        if let Err(Gap) = self.follow(state, support).await? {
            tracing::warn!("the log of the sums was cut before it was read: all sites are read again");
            *self = Followed::start(state, support).await?;
        }
        let mut changed = 0;
        for kept in self.sites.values_mut().filter(|kept| kept.is_changed) {
            kept.part.prune(self.world.frequent());
            kept.summary = Arc::new(kept.part.summary());
            kept.part.pack();
            kept.is_changed = false;
            changed += 1;
        }
        let summaries = self.sites.values().map(|kept| kept.summary.clone());
        Ok((summaries.filter(|summary| summary.pages > 0).collect(), changed))
    }

    /// Number of cells that are kept of all sites.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.sites.values().map(|kept| kept.part.clone().cells()).sum()
    }

    /// Number of labels that enough sites link.
    #[must_use]
    pub fn frequent(&self) -> usize {
        self.world.frequent().len()
    }

    /// The same parts and summaries once more, without the world: to measure what they take.
    #[must_use]
    pub fn copied(&self) -> Followed {
        let copied =
            |kept: &Kept| Kept { summary: Arc::new(SiteSummary::clone(&kept.summary)), ..kept.clone() };
        let sites = self.sites.iter().map(|(site, kept)| (site.clone(), copied(kept)));
        Followed { sites: sites.collect(), ..Followed::default() }
    }

    /// Reads all sites.
    async fn start(state: &dyn SiteState, support: u32) -> StoreResult<Followed> {
        let mut new = Followed::default();
        let (mut counted, sites) = (Vec::new(), state.sites().await?);
        if !sites.is_empty() {
            tracing::info!(
                sites = sites.len(),
                "reading the sums of all sites; from then on only what changes"
            );
        }
        for (site, _) in sites {
            let (position, tables) = state.snapshot(&site, Table::NAMED).await?;
            new.world.add_site(&tables);
            counted.push((site, position));
        }
        new.world.turn(least_support(support, counted.len()));
        for (site, counted) in counted {
            let (position, tables) = state.snapshot(&site, Table::NAMED).await?;
            let part = Part::of(site.clone(), &tables, new.world.frequent());
            let read = new.read.entry(bucket(&site)).or_insert(counted);
            *read = counted.min(*read);
            new.sites.insert(site.clone(), Kept::new(site, part, counted, position));
        }
        Ok(new)
    }

    /// Reads what was added to the logs, and the homes that are needed because of it.
    async fn follow(&mut self, state: &dyn SiteState, support: u32) -> StoreResult<Result<(), Gap>> {
        for (site, _) in state.sites().await? {
            self.read.entry(bucket(&site)).or_default();
        }
        let buckets: Vec<u16> = self.read.keys().copied().collect();
        for bucket in buckets {
            let mut after = self.read.get(&bucket).copied().unwrap_or_default();
            loop {
                let log = state.log(bucket, after, ENTRIES).await?;
                // A log that ends earlier is that of a server which lost its last writes.
                if log.dropped > after || log.end < after {
                    return Ok(Err(Gap));
                }
                let Some(last) = log.entries.last() else { break };
                after = last.position;
                log.entries.into_iter().for_each(|entry| self.take(entry));
            }
            self.read.insert(bucket, after);
        }
        let sites = self.sites.values().filter(|kept| kept.part.pages() > 0).count();
        self.learn(state, least_support(support, sites)).await?;
        Ok(Ok(()))
    }

    /// Takes one entry of a log.
    fn take(&mut self, entry: Logged) {
        let frequent = self.world.frequent();
        let kept = self.sites.entry(entry.site.clone()).or_insert_with(|| {
            let part = Part::of(entry.site.clone(), &Tables::new(), frequent);
            Kept::new(entry.site.clone(), part, 0, 0)
        });
        if entry.position > kept.position {
            if entry.is_forgotten {
                kept.part.forget(entry.position);
            } else {
                kept.part.add(entry.position, &entry.note.cells, frequent);
            }
            kept.position = entry.position;
            kept.is_changed = true;
        }
        if entry.position > kept.counted {
            entry.flips.came.iter().for_each(|label| self.world.come(label));
            entry.flips.went.iter().for_each(|label| self.world.go(label));
            kept.counted = entry.position;
        }
    }

    /// Reads the homes that parts need and do not keep, until none is left.
    async fn learn(&mut self, state: &dyn SiteState, support: u32) -> StoreResult<()> {
        let (joined, left) = self.world.turn(support);
        for kept in self.sites.values_mut() {
            left.iter().for_each(|label| kept.part.leave(label));
            kept.part.join(&joined);
        }
        let frequent = self.world.frequent();
        for (site, kept) in &mut self.sites {
            loop {
                let open = kept.part.wanted();
                if open.is_empty() {
                    break;
                }
                for homes in open.chunks(HOMES) {
                    let history = state.history(site, homes).await?;
                    kept.is_changed |= !history.cells.is_empty();
                    kept.part.learn(homes, history.position, history.cells, frequent);
                }
            }
            kept.part.settle(self.read.get(&bucket(site)).copied().unwrap_or_default());
        }
        Ok(())
    }
}
