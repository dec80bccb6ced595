//! Views: what can be said of a page only by its whole site.
//!
//! A contribution must not contain anything learnt from its site, since it is summed. A view is never summed: it is computed
//! with a versioned value of the site, recorded with that version, and computed again when the site has changed. There are two
//! kinds: the informative [`blocks`](crate::mining::blocks), marked in the page's hierarchy by the site's `site_value`, and
//! the [`articles`](crate::mining::articles), read with the [`knowledge`] of the site. One loop computes both, in one `pass`
//! over each site that changed.
//!
//! Invariants: equal values and pages give equal bytes, so a view that was interrupted, or computed by two miners, ends as if
//! computed once. Memory holds some sites' values and a few pages. New pages are viewed at the next pass, which costs as much
//! as they do. All pages of a site are viewed again when it has grown to four times its pages, when it comes to rest after it
//! grew by a quarter, and, while it is small, once a day if it changed. Start at [`view_sites`].

use std::collections::{BTreeMap, BTreeSet};

use newslode_common::store::{SiteState, StoreResult};
use newslode_common::version::ContentHash;
use newslode_page::reading::Site;
use tokio_util::sync::CancellationToken;

use crate::work::error::BatchError;
use crate::work::knowledge;
use crate::work::parts::Parts;
use crate::work::places;

mod changes;
mod cut;
mod page;
mod pass;
mod preview;
mod report;
mod site_value;

use changes::SiteChanges;
pub use cut::LearningCut;
pub use page::Pace;
pub(super) use page::paced;
pub use pass::When;
pub use preview::{Preview, preview};
pub use report::ViewReport;
use site_value::SiteValueCache;

/// Forgets the views' values of a removed site.
///
/// # Errors
/// When the store fails.
pub(super) async fn forget(state: &dyn SiteState, site: &Site) -> StoreResult<()> {
    cut::forget(state, site).await?;
    places::forget(state, site).await?;
    site_value::forget(state, site).await
}

/// How far the pages of a site were viewed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Viewed {
    /// The position of the site's log up to which all pages were viewed.
    pub(super) position: u64,
    /// The pages that changed after it, by the names under which they count.
    pub(super) later: BTreeSet<ContentHash>,
    /// The pages that were viewed and wait for a template.
    pub(super) without_template: BTreeSet<ContentHash>,
}

/// How far the pages of a site were viewed; `None` if all of them are to be viewed: a person taught something, or nothing is
/// known of what changed.
///
/// # Errors
/// When the store fails.
pub(super) async fn viewed(state: &dyn SiteState, site: &Site) -> StoreResult<Option<Viewed>> {
    let (knowledge, _) = knowledge::Knowledge::read(state, site).await?;
    if knowledge.has_new_lessons {
        return Ok(None);
    }
    let changes = SiteChanges::since(state, site, knowledge.progress.position).await?;
    Ok((!changes.is_complete).then(|| Viewed {
        position: knowledge.progress.position,
        later: changes.contents().into_iter().collect(),
        without_template: knowledge.templates.waiting().iter().copied().collect(),
    }))
}

/// The changes of a site since a position of its log; 0: all its pages.
///
/// # Errors
/// When the store fails.
pub(super) async fn changes(state: &dyn SiteState, site: &Site, since: u64) -> StoreResult<SiteChanges> {
    SiteChanges::since(state, site, since).await
}

/// The pages of a site that are still to be viewed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Awaiting {
    /// All of them: a person taught something, or nothing is known of what changed.
    All,
    /// Those that count under these names.
    These(BTreeSet<ContentHash>),
}

/// Which pages of a site are still to be viewed, or wait for a template.
///
/// # Errors
/// When the store fails.
pub(super) async fn awaiting(state: &dyn SiteState, site: &Site) -> StoreResult<Awaiting> {
    Ok(match viewed(state, site).await? {
        None => Awaiting::All,
        Some(Viewed { mut later, without_template, .. }) => {
            later.extend(without_template);
            Awaiting::These(later)
        }
    })
}

/// The sites that were viewed, so that unchanged ones are skipped; may be lost.
#[derive(Debug, Default)]
pub struct ViewMemory {
    /// Site → its change counter when it was viewed, and whether it was viewed again at rest since.
    sites: BTreeMap<Site, (u64, bool)>,
    /// The version of people's lessons at that time.
    lessons: Option<u64>,
    values: SiteValueCache,
}

impl ViewMemory {
    /// No site was viewed yet.
    #[must_use]
    pub fn new() -> ViewMemory {
        ViewMemory::default()
    }
}

/// Views the pages that are due of all sites that changed and that this miner owns, until done or `stop`.
///
/// # Errors
/// When a store or the broker fails; viewing again is safe.
pub async fn view_sites(
    parts: &Parts,
    when: When,
    pace: Pace,
    memory: &mut ViewMemory,
    stop: &CancellationToken,
) -> Result<ViewReport, BatchError> {
    let mut report = ViewReport::default();
    let lessons = knowledge::lessons_version(parts.stores.state.as_ref()).await?;
    if memory.lessons != lessons {
        // Only a site's own value tells whether a person taught it something, so no site is skipped.
        (memory.sites, memory.lessons) = (BTreeMap::new(), lessons);
    }
    let sites = parts.stores.state.sites().await?;
    memory.sites.retain(|site, _| parts.owners.owns(site) && sites.iter().any(|(other, _)| other == site));
    for (site, counter) in sites.into_iter().filter(|(site, _)| parts.owners.owns(site)) {
        if stop.is_cancelled() {
            break;
        }
        let is_at_rest = memory.sites.get(&site).is_some_and(|(viewed, _)| *viewed == counter);
        let when = match when {
            When::Grown if memory.sites.get(&site) == Some(&(counter, true)) => continue,
            When::Grown if is_at_rest => When::AtRest,
            when => when,
        };
        if pass::view_changes(parts, &site, (when, pace), stop, &mut memory.values, &mut report).await? {
            memory.sites.insert(site, (counter, is_at_rest));
        }
    }
    Ok(report)
}

/// Views one site, if it changed or a person taught it something.
///
/// # Errors
/// As [`view_sites`].
pub async fn view_site(
    parts: &Parts,
    site: &Site,
    pace: Pace,
    stop: &CancellationToken,
) -> Result<ViewReport, BatchError> {
    let mut report = ViewReport::default();
    pass::view_changes(parts, site, (When::Changed, pace), stop, &mut SiteValueCache::default(), &mut report)
        .await?;
    Ok(report)
}
