//! Views: what only the whole site can say of one of its pages, written into the page's hierarchy.
//!
//! A contribution must hold nothing that was learnt from its site. A view is computed with a versioned value
//! of the site, recorded with that version, redone when the site has changed, and never summed. There are two
//! views: the marks of the hierarchy (informative [`blocks`](crate::mining::blocks)), computed with the
//! site's `value`, and the [`articles`](crate::mining::articles), read with what is [`known`] of the site.
//! One loop serves both: it looks at the sites that changed, one by one (`look`). In a look the pages that are new
//! (`news`) pass the site's templates, and pages are read, viewed and written.
//!
//! Invariants: equal values and pages give equal bytes, so a view that was interrupted, or done by two
//! miners, ends as if done once; what is known of the site is written last. Memory holds some sites' values and a few
//! pages. All pages of a site are viewed again only when it has grown to four times its pages; new pages
//! are viewed at the next look, which costs as much as they do. Start at [`view_sites`].

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
mod news;
mod page;
mod preview;
mod report;
mod value;

pub use look::When;
pub use page::Pace;
pub(super) use page::paced;
pub use preview::{Preview, preview};
pub use report::ViewReport;
use value::Values;
pub(super) use value::forget;

/// The sites looked at, so that unchanged ones are left alone; may be lost.
#[derive(Debug, Default)]
pub struct Looked {
    /// Site → its change counter when it was looked at.
    sites: BTreeMap<Site, u64>,
    /// The version of the people's changes at that time.
    taught: Option<u64>,
    values: Values,
}

impl Looked {
    /// Without any site.
    #[must_use]
    pub fn new() -> Looked {
        Looked::default()
    }
}

/// Looks at all our sites that changed and views the pages that are due, until all is done or `stop`.
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
    let taught = known::changes(parts.stores.state.as_ref()).await?;
    if looked.taught != taught {
        // Only a site's own value tells whether a person taught it something, so all sites are looked at.
        (looked.sites, looked.taught) = (BTreeMap::new(), taught);
    }
    let sites = parts.stores.state.sites().await?;
    looked.sites.retain(|site, _| parts.owners.owns(site) && sites.iter().any(|(known, _)| known == site));
    for (site, counter) in sites.into_iter().filter(|(site, _)| parts.owners.owns(site)) {
        if stop.is_cancelled() {
            break;
        }
        if when == When::Grown && looked.sites.get(&site) == Some(&counter) {
            continue;
        }
        if look::look(parts, &site, (when, pace), stop, &mut looked.values, &mut report).await? {
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
    look::look(parts, site, (When::Changed, pace), stop, &mut Values::default(), &mut report).await?;
    Ok(report)
}

/// The miner's loop: looks every [`MinerConfig::views_s`] seconds, and takes at most
/// [`MinerConfig::views_share`] per cent of one core.
///
/// # Errors
/// Never; a failed look is logged and repeated.
pub async fn run(parts: Parts, config: MinerConfig, stop: CancellationToken) -> anyhow::Result<()> {
    let pace = Pace { at_once: 1, share: config.views_share };
    let mut looked = Looked::new();
    while pause(Duration::from_secs(config.views_s), &stop).await {
        match view_sites(&parts, When::Grown, pace, &mut looked, &stop).await {
            Ok(report) => tracing::debug!(?report, "looked for sites to view"),
            Err(error) => tracing::warn!(%error, "cannot view sites; the next pass tries again"),
        }
    }
    Ok(())
}
