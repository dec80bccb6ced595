//! The fold: from all sites' sums to the taxonomy, and from the taxonomy to what is fetched next.
//!
//! The taxonomy is the value [`TAXONOMY`], with the [`corrections`](crate::work::corrections) of editors. Any miner may write
//! it: equal input gives equal bytes, and the last fold wins.
//! A fold computes all URLs that it wants fetched before it adds any. With `plan` it first writes them as the value
//! [`PLAN`]: the embedded engine folds only when nothing is under way, so a run that was killed while adding first finishes
//! exactly that plan ([`resume_plan`]), and ends where it would have ended.
//!
//! A page that was fetched before its concept was known is read again from the archive. Each fold asks the frontier about
//! each concept page until its links are *settled*, that is, added; so a crash loses no links. Start at [`fold_once`].

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

use crate::mining::fold::{FoldParams, Folded, Folder, scheme_labels};
use crate::mining::schemes::align_taxonomy;
use crate::mining::summary::SiteSummary;
use crate::mining::taxonomy::Taxonomy;
use crate::work::archive::read_contribution;
pub use crate::work::corrections::{TAXONOMY, read_taxonomy};
use crate::work::corrections::{Written, write_mined};
use crate::work::generations::Generations;
use crate::work::links::{add_urls, concept_links, page_links, requested_links};
use crate::work::parts::Parts;
use crate::work::registry::{announce_changes, follow_taxonomy};
use crate::work::scheme_summaries::SchemeSummaries;
use crate::work::summary_cache::SummaryCache;
use crate::work::values;

/// Name of the plan's value; its bytes are a JSON array of URLs to follow.
pub const PLAN: &str = "follow-plan";

/// The result of a fold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoldReport {
    /// Sites that were folded.
    pub sites: usize,
    /// Sites that changed.
    pub read: usize,
    /// Concepts found, after corrections.
    pub concepts: usize,
    /// Relations found, after corrections.
    pub relations: usize,
    /// URLs that the frontier did not know. 0: nothing more needs to be fetched.
    pub followed_new: u64,
    /// The taxonomy differs from the one before.
    pub changed: bool,
    /// Instead of folding, an unfinished plan was finished; fold again when its pages are counted.
    pub resumed: bool,
}

/// A miner's memory between folds; all of it may be lost.
#[derive(Debug, Default)]
pub struct FoldMemory {
    summaries: SummaryCache,
    schemes: SchemeSummaries,
    /// Whether the registry of identifiers followed the last taxonomy.
    has_followed: bool,
    /// The version of the registry at which readers had been told all changes.
    announced: Option<u64>,
    folder: Folder,
    /// Concept pages whose links were added.
    settled: BTreeMap<Site, BTreeSet<CanonicalUrl>>,
    folds: u64,
    last: Option<LastFold>,
}

/// The input and the result of the last fold.
#[derive(Clone, Debug)]
pub(super) struct LastFold {
    pub(super) taxonomy: Arc<Taxonomy>,
    pub(super) sites: Vec<Arc<SiteSummary>>,
}

impl FoldMemory {
    pub(super) fn last(&self) -> Option<&LastFold> {
        self.last.as_ref()
    }

    /// Saves the summaries for the next leader.
    ///
    /// # Errors
    /// When the store fails; then the next leader rebuilds them.
    pub async fn save(&mut self, state: &dyn SiteState) -> StoreResult<()> {
        self.summaries.save(state).await
    }
}

/// Number of folds after which the frontier is asked about settled pages again: a site may have been removed and come back.
const FORGET_SETTLED_EVERY: u64 = 32;

/// Folds once: reads what changed, writes the taxonomy, and adds the wanted URLs to the frontier. With `plan` (embedded
/// engine, nothing under way) these are stored first; see the head of this module.
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
    if plan || memory.folds.is_multiple_of(FORGET_SETTLED_EVERY) {
        memory.settled.clear();
    }
    let state = parts.stores.state.as_ref();
    let schemes = memory.schemes.refresh(state).await.context("cannot read the schemes of the sites")?;
    memory.summaries.want(scheme_labels(&schemes, config.support));
    let (sites, read) =
        memory.summaries.refresh(state, config.support).await.context("cannot read the sums of the sites")?;
    let (folded, params) = (sites.clone(), FoldParams { support: config.support, rules: parts.rules });
    // Thousands of sites take seconds, so this stays off the threads that serve the queues. The folder goes there and back.
    let mut folder = std::mem::take(&mut memory.folder);
    let outside = parts.schemes.clone();
    let work = move || {
        let folded = outside.set().map(|set| {
            let mut result = folder.fold_asking(&folded, &schemes, set.known(), &params);
            align_taxonomy(&set, &mut result.taxonomy);
            result
        });
        (folded, folder)
    };
    let (result, folder) = tokio::task::spawn_blocking(work).await?;
    memory.folder = folder;
    let Folded { taxonomy, asked } = result?;
    // What is fetched does not depend on corrections, so each of them can be undone.
    let mut links = concept_links(&taxonomy, &sites);
    let Written { taxonomy, is_new: changed } = write_mined(state, &taxonomy).await?;
    // An earlier process may have been killed before its registry followed, so the first fold always looks.
    memory.has_followed &= !changed;
    if !memory.has_followed {
        follow_taxonomy(state, now).await.context("cannot give the concepts identifiers")?;
        memory.has_followed = true;
    }
    // Also what corrections changed, which people make in other processes. What fails waits for the next fold.
    match announce_changes(state, parts.broker.as_ref(), memory.announced).await {
        Ok(version) => memory.announced = version,
        Err(error) => tracing::warn!("cannot tell readers how the taxonomy changed: {error:#}"),
    }
    links.extend(requested_links(asked));
    if config.follow == Follow::News {
        // A concept's label leads to a section, as an entry of a menu does.
        links.iter_mut().for_each(|link| link.schedule = Some(PageSchedule::in_menu()));
    }
    let followed_new = add_links(parts, config, memory, links, plan, now).await?;
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
    Ok(add_urls(parts.stores.frontier.as_ref(), &parts.metrics, urls, now).await?)
}

async fn add_links(
    parts: &Parts,
    config: &MinerConfig,
    memory: &mut FoldMemory,
    links: Vec<NewUrl>,
    plan: bool,
    now: Timestamp,
) -> anyhow::Result<u64> {
    let settled = |link: &NewUrl| {
        memory.settled.get(&link.url.site()).is_some_and(|settled| settled.contains(&link.url))
    };
    let open: Vec<NewUrl> = links.into_iter().filter(|link| !settled(link)).collect();
    let mut wanted = open.clone();
    let mut done = Vec::new();
    for link in &open {
        // Where the news is followed, the crawler takes the links of a page at its visit.
        let decision = match config.follow {
            Follow::News => LinkDecision::Settled(Vec::new()),
            Follow::Concepts | Follow::All => {
                decide_links(parts, config, parts.stores.frontier.entry(&link.url).await?).await?
            }
        };
        match decision {
            LinkDecision::Later => {}
            LinkDecision::Settled(instances) => {
                done.push(link.url.clone());
                wanted.extend(instances);
            }
        }
    }
    if plan && !wanted.is_empty() {
        values::put(parts.stores.state.as_ref(), PLAN, serde_json::to_vec(&wanted)?).await?;
    }
    let new = add_urls(parts.stores.frontier.as_ref(), &parts.metrics, wanted, now).await?;
    for url in done {
        memory.settled.entry(url.site()).or_default().insert(url);
    }
    Ok(new)
}

enum LinkDecision {
    /// Decide at the next fold.
    Later,
    /// Add these instances; then the page is settled.
    Settled(Vec<NewUrl>),
}

/// Decides about the links of a concept page by its entry in the frontier. If the entry says that it is a concept page and
/// nobody holds it, each later claim knows that, too, so the links are added when the page is counted. The links of earlier
/// fetches are read from the archive.
async fn decide_links(
    parts: &Parts,
    config: &MinerConfig,
    entry: Option<Entry>,
) -> anyhow::Result<LinkDecision> {
    let Some(entry) = entry else { return Ok(LinkDecision::Later) };
    let is_concept_page = entry.why >= Why::Concept;
    match entry.content {
        Some(content) => match fetched_contribution(parts, content).await? {
            Some(page) => {
                let found = page_links(config.follow, Why::Concept, entry.depth.min(1), &page);
                let settled = is_concept_page && !entry.leased;
                let found = found.into_iter().filter(|url| url.why == Why::Instance).collect();
                // If the entry does not say yet that it is a concept page, this fold adds that.
                if settled || entry.why < Why::Concept {
                    Ok(LinkDecision::Settled(found))
                } else {
                    Ok(LinkDecision::Later)
                }
            }
            None => Ok(LinkDecision::Later),
        },
        None if is_concept_page && !entry.leased => Ok(LinkDecision::Settled(Vec::new())),
        None => Ok(LinkDecision::Later),
    }
}

/// The archived contribution of a fetched content, whichever generation made it.
async fn fetched_contribution(
    parts: &Parts,
    content: ContentHash,
) -> Result<Option<Contribution>, StoreError> {
    let generations = Generations::read(parts.stores.state.as_ref()).await?;
    for name in generations.names(content) {
        if let Some(page) = read_contribution(parts.stores.archive.as_ref(), name).await? {
            return Ok(Some(page));
        }
    }
    Ok(None)
}
