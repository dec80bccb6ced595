//! The fold: from all sites' sums to the taxonomy, and from the taxonomy to what is fetched next.
//!
//! The taxonomy is the value [`TAXONOMY`]: any miner may write it, equal input gives equal bytes, and the
//! last fold wins. A fold computes everything that it wants fetched before it adds any of it. With `plan` it
//! first writes that as the value [`PLAN`]: the embedded engine folds only when nothing is under way, so a
//! run that was killed while adding finishes exactly that plan ([`resume_plan`]) before anything else, and
//! ends where it would have ended.
//!
//! A page that was fetched before its concept was known is read again from the archive. The fold does not
//! rely on a single notice of that: it asks the frontier about each concept page until its links are settled,
//! so a crash costs no links. Start at [`fold_once`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use newslode_common::config::{Follow, MinerConfig};
use newslode_common::schedule::PageSchedule;
use newslode_common::store::{Entry, NewUrl, SiteState, StoreError, StoreResult, Why};
use newslode_common::version::ContentHash;
use newslode_page::contribution::Contribution;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;

use crate::mining::fold::{FoldParams, Folded, Folder};
use crate::mining::summary::SiteSummary;
use crate::mining::taxonomy::Taxonomy;
use crate::work::archive::contribution;
use crate::work::follow::{add, asked_links, at_once, concept_links};
use crate::work::followed::Followed;
use crate::work::generations::Generations;
use crate::work::parts::Parts;
use crate::work::values;

/// Name of the taxonomy's value; its bytes are JSON.
pub const TAXONOMY: &str = "taxonomy";
/// Name of the plan's value; its bytes are a JSON array of URLs to follow.
pub const PLAN: &str = "follow-plan";

/// The result of a fold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoldReport {
    /// Sites that were folded.
    pub sites: usize,
    /// Sites that changed.
    pub read: usize,
    /// Concepts found.
    pub concepts: usize,
    /// Relations found.
    pub relations: usize,
    /// URLs that the frontier did not know. 0 at rest: nothing more needs to be fetched.
    pub followed_new: u64,
    /// The taxonomy differs from the one before.
    pub changed: bool,
    /// An unfinished plan was finished instead; fold again when its pages are counted.
    pub resumed: bool,
}

/// A miner's memory between folds; all of it may be lost.
#[derive(Debug, Default)]
pub struct FoldMemory {
    followed: Followed,
    folder: Folder,
    /// Concept pages that the frontier knows and whose links are settled.
    settled: BTreeMap<Site, BTreeSet<CanonicalUrl>>,
    folds: u64,
    last: Option<LastFold>,
}

/// What the last fold saw and found.
#[derive(Clone, Debug)]
pub(super) struct LastFold {
    pub(super) taxonomy: Arc<Taxonomy>,
    pub(super) sites: Vec<Arc<SiteSummary>>,
}

impl FoldMemory {
    pub(super) fn last(&self) -> Option<&LastFold> {
        self.last.as_ref()
    }

    /// Keeps in the store what the next fold, here or in another process, need not read again.
    ///
    /// # Errors
    /// When the store fails; then more is read again.
    pub async fn keep(&mut self, state: &dyn SiteState) -> StoreResult<()> {
        self.followed.keep(state).await
    }
}

/// Settled pages are asked about again every this many folds: a site may have been forgotten and come back.
const ASK_AGAIN: u64 = 32;

/// Folds once: reads what changed, writes the taxonomy, and gives the frontier the URLs to follow. With
/// `plan` (embedded engine, nothing under way) the plan is stored first; see the head of this module.
///
/// # Errors
/// When a store fails; folding again is safe.
pub async fn fold_once(
    parts: &Parts,
    config: &MinerConfig,
    memory: &mut FoldMemory,
    plan: bool,
    now: Timestamp,
) -> anyhow::Result<FoldReport> {
    let start = Instant::now();
    if plan {
        let followed_new = resume_plan(parts, now).await?;
        if followed_new > 0 {
            return Ok(FoldReport { followed_new, resumed: true, ..FoldReport::default() });
        }
    }
    memory.folds += 1;
    if plan || memory.folds.is_multiple_of(ASK_AGAIN) {
        memory.settled.clear();
    }
    let state = parts.stores.state.as_ref();
    let (sites, read) =
        memory.followed.refresh(state, config.support).await.context("cannot read the sums of the sites")?;
    let (folded, params) = (sites.clone(), FoldParams { support: config.support, rules: parts.rules });
    // Thousands of sites take seconds, so this stays off the threads that serve the queues.
    let mut folder = std::mem::take(&mut memory.folder);
    let work = move || (folder.fold_asking(&folded, &params), folder);
    let (Folded { taxonomy, asked }, folder) = tokio::task::spawn_blocking(work).await?;
    memory.folder = folder;
    let changed = write(state, &taxonomy).await?;
    let mut links = concept_links(&taxonomy, &sites);
    links.extend(asked_links(asked));
    if config.follow == Follow::News {
        // The label of a concept leads to a section, as a menu does.
        links.iter_mut().for_each(|link| link.schedule = Some(PageSchedule::in_menu()));
    }
    let followed_new = follow(parts, config, memory, links, plan, now).await?;
    let report = FoldReport {
        sites: sites.len(),
        read,
        concepts: taxonomy.concepts.len(),
        relations: taxonomy.relations.len(),
        followed_new,
        changed,
        resumed: false,
    };
    memory.last = Some(LastFold { taxonomy: Arc::new(taxonomy), sites });
    let size = |what: &str| parts.metrics.taxonomy.with_label_values(&[what]);
    size("concepts").set(i64::try_from(report.concepts).unwrap_or(i64::MAX));
    size("relations").set(i64::try_from(report.relations).unwrap_or(i64::MAX));
    parts.metrics.fold_seconds.observe(start.elapsed().as_secs_f64());
    Ok(report)
}

/// Adds the plan of an interrupted run. An embedded engine calls this before it claims anything. Returns how
/// many of the plan's URLs were new.
///
/// # Errors
/// When a store fails or the plan cannot be read.
pub async fn resume_plan(parts: &Parts, now: Timestamp) -> anyhow::Result<u64> {
    let Some((_, bytes)) = parts.stores.state.value(PLAN).await? else { return Ok(0) };
    let urls: Vec<NewUrl> =
        serde_json::from_slice(&bytes).context("the value `follow-plan` cannot be read")?;
    Ok(add(parts.stores.frontier.as_ref(), &parts.metrics, urls, now).await?)
}

/// The taxonomy as it was last written.
///
/// # Errors
/// When the store fails or the value cannot be read.
pub async fn read(state: &dyn SiteState) -> anyhow::Result<Option<Taxonomy>> {
    let Some((_, bytes)) = state.value(TAXONOMY).await? else { return Ok(None) };
    serde_json::from_slice(&bytes).context("the value `taxonomy` cannot be read").map(Some)
}

async fn write(state: &dyn SiteState, taxonomy: &Taxonomy) -> anyhow::Result<bool> {
    Ok(values::put(state, TAXONOMY, serde_json::to_vec(taxonomy)?).await?)
}

async fn follow(
    parts: &Parts,
    config: &MinerConfig,
    memory: &mut FoldMemory,
    links: Vec<NewUrl>,
    plan: bool,
    now: Timestamp,
) -> anyhow::Result<u64> {
    let settled =
        |link: &NewUrl| memory.settled.get(&link.url.site()).is_some_and(|known| known.contains(&link.url));
    let open: Vec<NewUrl> = links.into_iter().filter(|link| !settled(link)).collect();
    let mut wanted = open.clone();
    let mut done = Vec::new();
    for link in &open {
        // The crawler of the news takes the links of a page at its visit.
        let look = match config.follow {
            Follow::News => Look::Settled(Vec::new()),
            Follow::Concepts | Follow::All => {
                look_again(parts, config, parts.stores.frontier.entry(&link.url).await?).await?
            }
        };
        match look {
            Look::Later => {}
            Look::Settled(instances) => {
                done.push(link.url.clone());
                wanted.extend(instances);
            }
        }
    }
    if plan && !wanted.is_empty() {
        values::put(parts.stores.state.as_ref(), PLAN, serde_json::to_vec(&wanted)?).await?;
    }
    let new = add(parts.stores.frontier.as_ref(), &parts.metrics, wanted, now).await?;
    for url in done {
        memory.settled.entry(url.site()).or_default().insert(url);
    }
    Ok(new)
}

enum Look {
    /// Ask again at the next fold.
    Later,
    /// Add these instances; nothing more is to be done.
    Settled(Vec<NewUrl>),
}

/// What to do about a concept page's links, by its record. If the frontier knows the page as a concept page
/// and nobody holds it, it is claimed as one from now on, so its links are followed when it is counted; the
/// links of earlier fetches are read from the archive.
async fn look_again(parts: &Parts, config: &MinerConfig, entry: Option<Entry>) -> anyhow::Result<Look> {
    let Some(entry) = entry else { return Ok(Look::Later) };
    let as_concept = entry.why >= Why::Concept;
    match entry.content {
        Some(content) => match of_content(parts, content).await? {
            Some(page) => {
                let found = at_once(config.follow, Why::Concept, entry.depth.min(1), &page);
                let settled = as_concept && !entry.leased;
                let found = found.into_iter().filter(|url| url.why == Why::Instance).collect();
                // Not yet known as a concept page: this fold makes it known, and the next one settles it.
                if settled || entry.why < Why::Concept { Ok(Look::Settled(found)) } else { Ok(Look::Later) }
            }
            None => Ok(Look::Later),
        },
        None if as_concept && !entry.leased => Ok(Look::Settled(Vec::new())),
        None => Ok(Look::Later),
    }
}

/// The contribution of a fetched content, whichever algorithms counted it.
async fn of_content(parts: &Parts, content: ContentHash) -> Result<Option<Contribution>, StoreError> {
    let generations = Generations::read(parts.stores.state.as_ref()).await?;
    for name in generations.names(content) {
        if let Some(page) = contribution(parts.stores.archive.as_ref(), name).await? {
            return Ok(Some(page));
        }
    }
    Ok(None)
}
