//! Views: what only the whole site can say of one of its pages, written into the page's hierarchy.
//!
//! A contribution may hold nothing that was learnt from its site; a view is computed with a versioned
//! value of the site, recorded with that version, redone when the site has changed, and
//! never summed. There are marks of the hierarchy ([`KINDS`]: informative [`blocks`]), computed with a
//! [`SiteValue`], and the [`articles`], read with what is [`known`] of the site. One loop serves
//! both: it finds the sites that are due ([`record`]) or have new pages, and looks at them one by one
//! (`look`): new pages pass the site's templates, and pages are read, viewed and written.
//!
//! Invariants: equal values and pages give equal bytes, so a view that was cut short, or that two miners
//! did, is as if done once; the record is written last. In memory is one site's value and a few pages.
//! Viewing a site again only when a quarter of it changed keeps all work ever done within five times
//! the pages that a site ended with; articles of new pages are read with each look. Start at [`view_sites`].

use std::collections::BTreeMap;
use std::time::Duration;

use newslode_common::config::MinerConfig;
use newslode_page::reading::Site;
use newslode_page::{Page, wisdom};
use tokio_util::sync::CancellationToken;

use crate::work::apply::BatchError;
use crate::work::known;
use crate::work::service::{Parts, pause};

pub mod articles;
pub mod blocks;
mod look;
mod page;
pub mod record;
mod value;

use page::End;
pub use page::open as archived;
pub use value::{SiteValue, site_terms};

/// What the marks of a page come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Its informative blocks.
    pub blocks: wisdom::Blocks,
}

/// A kind of mark: adds what it has to say of a page, a pure function of the value and the page.
pub type View = fn(&SiteValue, &Page, &mut Marks);

/// All kinds of marks, in the order they are computed.
pub const KINDS: &[View] = &[blocks::view];

/// Which sites are viewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Those of which a quarter changed since their last view.
    Grown,
    /// Those of which anything changed.
    Changed,
}

/// How much of the machine views may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Pages at once.
    pub at_once: usize,
    /// Per cent of the time that each of them works; it rests for the others. 1 to 100.
    pub share: u32,
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ViewReport {
    /// Sites whose pages were all viewed.
    pub sites: u64,
    /// Pages whose marks were written.
    pub marked: u64,
    /// Pages that had the same marks already.
    pub unchanged: u64,
    /// Pages that the archive no longer holds.
    pub missing: u64,
    /// Pages that could not be viewed.
    pub failed: u64,
    /// Articles that were read again, and those of them that changed.
    pub articles: u64,
    /// Articles that changed.
    pub changed: u64,
    /// Templates that were learnt.
    pub learnt: u64,
    /// Templates that were dropped.
    pub dropped: u64,
}

impl ViewReport {
    fn count(&mut self, parts: &Parts, viewed: &page::Viewed) {
        if let Some(end) = viewed.marks {
            let (count, name) = match end {
                End::Marked => (&mut self.marked, "marked"),
                End::Unchanged => (&mut self.unchanged, "unchanged"),
                End::Missing => (&mut self.missing, "missing"),
                End::Failed => (&mut self.failed, "failed"),
            };
            *count += 1;
            parts.metrics.viewed.with_label_values(&[name]).inc();
        }
        if let Some(is_changed) = viewed.article {
            self.articles += 1;
            self.changed += u64::from(is_changed);
            let name = if is_changed { "changed" } else { "unchanged" };
            parts.metrics.articles_viewed.with_label_values(&[name]).inc();
        }
    }
}

/// What was looked at, to leave alone what did not change since; can be lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Looked {
    /// Sites, at which of their change counters.
    sites: BTreeMap<Site, u64>,
    /// What people had taught by then.
    taught: Option<u64>,
}

impl Looked {
    /// Nothing was looked at.
    #[must_use]
    pub fn new() -> Looked {
        Looked::default()
    }
}

/// Looks at all sites that changed and views what is due, until all is done or `stop`.
///
/// # Errors
/// When a store or the broker fails; viewing again is safe.
pub async fn view_sites(
    parts: &Parts,
    when: When,
    pace: Pace,
    looked: &mut Looked,
    stop: &CancellationToken,
) -> Result<ViewReport, BatchError> {
    let mut report = ViewReport::default();
    let taught = known::changes(parts.state.as_ref()).await?;
    if looked.taught != taught {
        // Which site a person taught only its own value tells.
        *looked = Looked { sites: BTreeMap::new(), taught };
    }
    let sites = parts.state.sites().await?;
    looked.sites.retain(|site, _| sites.iter().any(|(known, _)| known == site));
    for (site, counter) in sites {
        if stop.is_cancelled() {
            break;
        }
        if when == When::Grown && looked.sites.get(&site) == Some(&counter) {
            continue;
        }
        if look::look(parts, &site, (when, pace), stop, &mut report).await? {
            looked.sites.insert(site, counter);
        }
    }
    Ok(report)
}

/// Views one site that changed or was taught something.
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
    look::look(parts, site, (When::Changed, pace), stop, &mut report).await?;
    Ok(report)
}

/// The miner's loop: looks every [`MinerConfig::views_s`] seconds, and takes
/// [`MinerConfig::views_share`] per cent of one core at most.
///
/// # Errors
/// Never; a look that fails is told and done again.
pub async fn run(parts: Parts, config: MinerConfig, stop: CancellationToken) -> anyhow::Result<()> {
    let pace = Pace { at_once: 1, share: config.views_share };
    let mut looked = Looked::new();
    while pause(Duration::from_secs(config.views_s), &stop).await {
        match view_sites(&parts, When::Grown, pace, &mut looked, &stop).await {
            Ok(report) => tracing::debug!(?report, "looked for sites to view"),
            Err(error) => tracing::warn!(%error, "the sites' views failed; the next look tries again"),
        }
    }
    Ok(())
}
