//! Views: what only the whole site can say of one of its pages, written into the page's hierarchy.
//!
//! A contribution may hold nothing that was learnt from its site; a view is computed with a versioned
//! value of the site ([`SiteValue`]), recorded with that version, redone when the site has changed, and
//! never summed. A kind of view is one function of the value and a page ([`KINDS`]): informative
//! [`blocks`] so far. One loop serves all kinds: it finds the sites that are due ([`record`]), reads
//! their value, and reads, marks and writes their pages one by one.
//!
//! Invariants: equal values and pages give equal bytes, so a view that was cut short, or that two miners
//! did, is as if done once; the record is written last. In memory is one site's value and a few pages.
//! Viewing a site again only when a quarter of it changed keeps all work ever done within five times
//! the pages that a site ended with. Start at [`view_sites`].

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt;
use newslode_common::config::MinerConfig;
use newslode_common::hierarchy::{Block, Label, xml};
use newslode_common::message::{FetchedPage, envelope};
use newslode_common::page::Site;
use newslode_common::store::{Kind, StoreError};
use newslode_common::time::Timestamp;
use newslode_common::version::ContentHash;
use newslode_partitioner::service::body;
use newslode_partitioner::work::limits;
use newslode_partitioner::{Page, wisdom};
use tokio_util::sync::CancellationToken;

use crate::service::{Parts, pause};

pub mod blocks;
pub mod record;
mod value;

use record::{Record, Viewed};
pub use value::{SiteValue, site_terms};

/// What the views of a page come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Its informative blocks.
    pub blocks: wisdom::Blocks,
}

/// A kind of view: adds what it has to say of a page, a pure function of the value and the page.
pub type View = fn(&SiteValue, &Page, &mut Marks);

/// All kinds, in the order they are computed.
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
}

/// How one page's view ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Marked,
    Unchanged,
    Missing,
    Failed,
}

/// Which sites were looked at, at which of their change counters; can be lost.
pub type Looked = BTreeMap<Site, u64>;

/// Views the sites that are due, until all are or `stop`.
///
/// # Errors
/// When a store fails; viewing again is safe.
pub async fn view_sites(
    parts: &Parts,
    when: When,
    pace: Pace,
    looked: &mut Looked,
    stop: &CancellationToken,
) -> Result<ViewReport, StoreError> {
    let mut report = ViewReport::default();
    let sites = parts.state.sites().await?;
    looked.retain(|site, _| sites.iter().any(|(known, _)| known == site));
    for (site, counter) in sites {
        if stop.is_cancelled() {
            break;
        }
        if when == When::Grown && looked.get(&site) == Some(&counter) {
            continue;
        }
        let held = Record::read(parts.state.as_ref(), &site).await?;
        let pages = parts.state.pages(&site).await?;
        let viewed = Viewed::of(&pages);
        if held.is_due(&viewed, when) && view_site(parts, &site, pages, pace, stop, &mut report).await? {
            held.write(parts.state.as_ref(), &site, viewed).await?;
        }
        looked.insert(site, counter);
    }
    Ok(report)
}

/// Views all pages of a site; false if told to stop before the end.
async fn view_site(
    parts: &Parts,
    site: &Site,
    pages: value::Pages,
    pace: Pace,
    stop: &CancellationToken,
    report: &mut ViewReport,
) -> Result<bool, StoreError> {
    let start = Instant::now();
    let params = wisdom::WisdomParams::default();
    let value = Arc::new(SiteValue::read(parts, site, pages, params).await?);
    let contents: Vec<ContentHash> = value.pages.iter().map(|(_, content)| *content).collect();
    let work = contents.into_iter().map(|content| view_page(parts, value.clone(), content, pace));
    let mut work = futures::stream::iter(work).buffer_unordered(pace.at_once.max(1));
    while let Some(end) = work.next().await {
        let (end, name) = (end?, |end| match end {
            End::Marked => "marked",
            End::Unchanged => "unchanged",
            End::Missing => "missing",
            End::Failed => "failed",
        });
        parts.metrics.viewed.with_label_values(&[name(end)]).inc();
        *match end {
            End::Marked => &mut report.marked,
            End::Unchanged => &mut report.unchanged,
            End::Missing => &mut report.missing,
            End::Failed => &mut report.failed,
        } += 1;
        if stop.is_cancelled() {
            return Ok(false);
        }
    }
    report.sites += 1;
    parts.metrics.view_seconds.observe(start.elapsed().as_secs_f64());
    tracing::debug!(%site, version = value.version, pages = value.pages.len(), "viewed");
    Ok(true)
}

/// Reads, marks and writes one page's hierarchy.
async fn view_page(
    parts: &Parts,
    value: Arc<SiteValue>,
    content: ContentHash,
    pace: Pace,
) -> Result<End, StoreError> {
    let page = parts.archive.get(Kind::Page, content).await?;
    let held = parts.archive.get(Kind::Hierarchy, content).await?;
    let (Some(page), Some(held)) = (page, held) else { return Ok(End::Missing) };
    let before = held.clone();
    let start = Instant::now();
    // A panic ends the page's view, as it ends a page's partition.
    let made = tokio::task::spawn_blocking(move || marked(&value, &page, &held)).await;
    let rest = start.elapsed() * 100_u32.saturating_sub(pace.share) / pace.share.max(1);
    if !rest.is_zero() {
        tokio::time::sleep(rest).await;
    }
    match made.map_err(|panic| panic.to_string()).and_then(|made| made) {
        Ok(xml) if xml.as_bytes() == before => Ok(End::Unchanged),
        Ok(xml) => {
            parts.archive.put(Kind::Hierarchy, content, xml.into(), Timestamp::now()).await?;
            Ok(End::Marked)
        }
        Err(reason) => {
            tracing::warn!(%content, reason, "a page cannot be viewed");
            Ok(End::Failed)
        }
    }
}

/// The hierarchy with the marks of all kinds of view, as XML.
fn marked(value: &SiteValue, page: &[u8], hierarchy: &[u8]) -> Result<String, String> {
    let fetched: FetchedPage = envelope::open(page).map_err(|error| error.to_string())?;
    let bytes = body(&fetched)?;
    let page = Page::parse(&fetched.url, fetched.content_type.as_deref(), &bytes, &limits());
    let text = std::str::from_utf8(hierarchy).map_err(|error| error.to_string())?;
    let mut hierarchy = xml::read(text).map_err(|error| error.to_string())?;
    if hierarchy.leaves as usize != page.leaves.len() {
        return Err("the hierarchy was made by other page algorithms".into());
    }
    let mut marks = Marks::default();
    KINDS.iter().for_each(|view| view(value, &page, &mut marks));
    let of = blocks::of_labels(&marks.blocks);
    hierarchy.mark(value.version.clone(), |label: &Label| -> Block { of(label) });
    Ok(xml::write(&hierarchy))
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
