//! The sites' summaries as a miner keeps them between folds: by following the logs of their sums.
//!
//! At the start a follower takes over what the last one [`kept`] in the store; sites of which nothing is kept are read whole.
//! From then on only the logs are read, and homes that become needed. If a log has dropped entries that were not
//! read yet, the sites of its bucket are read whole. Start at [`Followed::refresh`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use newslode_common::store::log::Logged;
use newslode_common::store::{SiteState, StoreResult, bucket};
use newslode_page::contribution::Table;
use newslode_page::contribution::names::bits;
use newslode_page::reading::Site;

mod kept;

use crate::mining::concepts::least_support;
use crate::mining::linked::{self, Linked};
use crate::mining::part::Part;
use crate::mining::summary::{SiteSummary, Tables};
use crate::mining::world::World;
use kept::Head;
pub(super) use kept::forget;

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
    /// The run of the store's server, as of the start.
    incarnation: String,
    /// The number under which we keep parts.
    writer: u64,
}

#[derive(Clone, Debug)]
struct Kept {
    part: Part,
    summary: Arc<SiteSummary>,
    /// Positions through which the world and the part know the site.
    counted: u64,
    position: u64,
    /// The labels that the world counts for the site, as what changed since those that the store keeps for the
    /// position `base`.
    linked: Linked,
    base: u64,
    /// Since the summary was made.
    is_changed: bool,
    /// Whether the store keeps the site as it is.
    is_kept: bool,
}

impl Kept {
    /// A site whose summary is still to be made.
    fn new(site: Site, part: Part, position: u64, (base, linked): (u64, Linked)) -> Kept {
        let summary = Arc::new(SiteSummary::of(site, &Tables::new()));
        let (counted, is_changed, is_kept) = (position, true, false);
        Kept { part, summary, counted, position, linked, base, is_changed, is_kept }
    }
}

/// The log of a bucket no longer has what a follower did not read.
struct Gap(u16);

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
        while let Err(Gap(bucket)) = self.follow(state, support).await? {
            tracing::warn!(
                bucket,
                "the log of a bucket dropped entries before they were read; reading its sites again from the store"
            );
            if !self.read_again(state, bucket).await? {
                *self = Followed::start(state, support).await?;
            }
        }
        let mut changed = 0;
        for kept in self.sites.values_mut().filter(|kept| kept.is_changed) {
            kept.part.prune(self.world.frequent());
            kept.summary = Arc::new(kept.part.summary());
            kept.part.pack();
            (kept.is_changed, kept.is_kept) = (false, false);
            changed += 1;
        }
        let summaries = self.sites.values().map(|kept| kept.summary.clone());
        Ok((summaries.filter(|summary| summary.pages > 0).collect(), changed))
    }

    /// Keeps in the store what changed since the last call, for whoever follows next.
    ///
    /// # Errors
    /// When the store fails; who follows next then reads more.
    pub async fn keep(&mut self, state: &dyn SiteState) -> StoreResult<()> {
        // After a refresh that failed, parts are not right at one position.
        let is_torn = self.sites.values().any(|kept| kept.is_changed || kept.part.is_wanting());
        if is_torn || self.sites.values().all(|kept| kept.is_kept) {
            return Ok(());
        }
        let mut gone = Vec::new();
        for (site, kept) in self.sites.iter_mut().filter(|(_, kept)| !kept.is_kept) {
            if kept.part.is_empty() {
                kept::forget(state, site).await?;
                gone.push(site.clone());
                continue;
            }
            if kept.linked.is_old()
                && let Some(base) = kept::labels(state, site, kept.base).await?
            {
                let labels = kept.linked.now(&base);
                kept::write_labels(state, site, kept.counted, &labels).await?;
                (kept.base, kept.linked) = (kept.counted, Linked::of(labels.len()));
            }
            let position = self.read.get(&bucket(site)).copied().unwrap_or_default();
            let Some(part) = kept.part.stored() else { return Ok(()) };
            kept::write_part(state, site, (self.writer, position), part, (kept.base, &kept.linked)).await?;
            kept.is_kept = true;
        }
        self.sites.retain(|site, _| !gone.contains(site));
        let (frequent, sites) = (self.world.frequent(), self.sites.keys());
        let head = Head::new(self.writer, self.incarnation.clone(), frequent, self.read.clone(), sites);
        head.write(state).await
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

    /// Takes over what the last follower kept, and reads the other sites.
    async fn start(state: &dyn SiteState, support: u32) -> StoreResult<Followed> {
        let incarnation = state.incarnation().await?;
        let head = Head::read(state, &incarnation).await?;
        let mut sites: BTreeSet<Site> = state.sites().await?.into_iter().map(|(site, _)| site).collect();
        // A site that was forgotten since counted for the world.
        sites.extend(head.iter().flat_map(Head::sites));
        let frequent = head.as_ref().map(Head::frequent).unwrap_or_default();
        let mut new = Followed { writer: kept::number(), incarnation, ..Followed::default() };
        let mut whole = Vec::new();
        for site in sites {
            let restored = match &head {
                Some(head) => head.site(state, &site, bucket(&site), &frequent).await?,
                None => None,
            };
            match restored {
                Some(old) => {
                    new.count(&site, old.position, &old.labels);
                    let kept = Kept::new(site.clone(), old.part, old.position, (old.base, old.linked));
                    new.sites.insert(site, kept);
                }
                None => {
                    let (position, tables) = state.snapshot(&site, Table::NAMED).await?;
                    let labels = linked::labels(&tables);
                    kept::write_labels(state, &site, position, &labels).await?;
                    new.count(&site, position, &labels);
                    whole.push((site, position, labels.len()));
                }
            }
        }
        if !whole.is_empty() {
            let (sites, kept) = (whole.len(), new.sites.len());
            tracing::info!(sites, saved = kept, "reading the sums of all sites that have no saved summary");
        }
        if head.is_none() {
            new.world.turn(least_support(support, whole.len()));
        } else {
            new.world.begin(frequent);
        }
        for (site, counted, labels) in whole {
            let (position, tables) = state.snapshot(&site, Table::NAMED).await?;
            let part = Part::of(site.clone(), &tables, new.world.frequent());
            let mut kept = Kept::new(site.clone(), part, position, (counted, Linked::of(labels)));
            kept.counted = counted;
            new.sites.insert(site, kept);
        }
        Ok(new)
    }

    /// Counts the labels that a site links at a position of its log.
    fn count(&mut self, site: &Site, position: u64, labels: &[u64]) {
        labels.iter().for_each(|label| self.world.come(*label));
        let read = self.read.entry(bucket(site)).or_insert(position);
        *read = position.min(*read);
    }

    /// Reads the sites of a bucket whole. Returns false if it is not known what they counted for.
    async fn read_again(&mut self, state: &dyn SiteState, of: u16) -> StoreResult<bool> {
        let mut sites: BTreeSet<Site> = state.sites().await?.into_iter().map(|(site, _)| site).collect();
        sites.extend(self.sites.keys().cloned());
        self.read.remove(&of);
        for site in sites.into_iter().filter(|site| bucket(site) == of) {
            if let Some(kept) = self.sites.get(&site) {
                let Some(base) = kept::labels(state, &site, kept.base).await? else { return Ok(false) };
                kept.linked.now(&base).into_iter().for_each(|label| self.world.go(label));
            }
            let (position, tables) = state.snapshot(&site, Table::NAMED).await?;
            let labels = linked::labels(&tables);
            kept::write_labels(state, &site, position, &labels).await?;
            self.count(&site, position, &labels);
            let part = Part::of(site.clone(), &tables, self.world.frequent());
            let kept = Kept::new(site.clone(), part, position, (position, Linked::of(labels.len())));
            self.sites.insert(site, kept);
        }
        Ok(true)
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
                    return Ok(Err(Gap(bucket)));
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
            Kept::new(entry.site.clone(), part, 0, (0, Linked::default()))
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
            for label in entry.flips.came.iter().filter_map(|label| bits(label)) {
                self.world.come(label);
                kept.linked.come(label);
            }
            for label in entry.flips.went.iter().filter_map(|label| bits(label)) {
                self.world.go(label);
                kept.linked.go(label);
            }
            kept.counted = entry.position;
            kept.is_changed = true;
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
