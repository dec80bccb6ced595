//! Views: what only the whole site can say of one of its pages, written into the page's hierarchy.
//!
//! A contribution may hold nothing that was learnt from its site; a view is computed with a versioned
//! value of the site, recorded with that version, redone when the site has changed, and
//! never summed. There are marks of the hierarchy (informative [`blocks`](crate::mining::blocks)), computed with
//! the site's `value`, and the [`articles`](crate::mining::articles), read with what is [`known`] of the site.
//! One loop serves both: it finds the sites that are due (`record`) or have new pages, and looks at them one
//! by one (`look`): new pages pass the site's templates, and pages are read, viewed and written.
//!
//! Invariants: equal values and pages give equal bytes, so a view that was cut short, or that two miners
//! did, is as if done once; the record is written last. In memory is one site's value and a few pages.
//! Viewing a site again only when a quarter of it changed keeps all work ever done within five times
//! the pages that a site ended with; articles of new pages are read with each look. Start at [`view_sites`].

use std::collections::BTreeMap;
use std::time::Duration;

use newslode_common::config::MinerConfig;
use newslode_page::reading::Site;
use tokio_util::sync::CancellationToken;

use crate::work::error::BatchError;
use crate::work::known;
use crate::work::parts::Parts;
use crate::work::waiting::pause;

mod look;
mod page;
mod record;
mod report;
mod value;

pub use page::Pace;
pub(super) use page::paced;
pub use record::When;
pub use report::ViewReport;

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
