//! The own scheme of each site, as the store keeps it, and the places of articles by it.
//!
//! A scheme is a view: it is learnt from the archived pages of the site whenever all of them are viewed, and again if that view
//! changed which of them are articles. It is the value `scheme/SITE`: the number of a format, then a packed
//! [`SiteScheme`]. The places of an article are never stored: they are found when the article is written out, by the scheme
//! and the slots that are archived beside its contribution. Start at [`learn`] and [`PlaceCache::places_of`].

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use newslode_common::compression;
use newslode_common::message::wire;
use newslode_common::store::{Kind, PageArchive, SiteState, StoreError, StoreResult};
use newslode_common::version::ContentHash;
use newslode_page::article::Article;
use newslode_page::contribution::LinkUse;
use newslode_page::extract::SlotUse;
use newslode_page::reading::{CanonicalUrl, Site};

use crate::mining::site_scheme::{Place, PlaceFinder, SchemePage, SiteScheme, SlotReport};
use crate::work::archive::read_counted;
use crate::work::stores::Stores;
use crate::work::values;
use crate::work::views::{Pace, paced};

/// Number of the stored format.
const FORMAT: u8 = 1;
/// Maximum size of a scheme before it is packed; one of 20,000 tags has some 3 MB.
const MAX_BYTES: u64 = 64 << 20;
/// Most pages from which a scheme is learnt; more hardly change which slots are accepted.
const MOST_PAGES: usize = 4_000;
/// Most sites whose schemes are kept in memory, and for how long another miner's scheme may be missed.
const MOST_CACHED: usize = 64;
const FRESH: Duration = Duration::from_secs(60);

/// A page as it was read for learning.
struct ReadPage {
    url: CanonicalUrl,
    article: Option<Article>,
    slots: Vec<SlotUse>,
    links: Vec<LinkUse>,
}

/// Learns the scheme of a site with these counted pages, and stores it.
///
/// # Errors
/// When a store fails.
pub(super) async fn learn(
    stores: &Stores,
    site: &Site,
    pages: &[(CanonicalUrl, ContentHash)],
    pace: Pace,
) -> StoreResult<()> {
    let read = read_sample(stores.archive.as_ref(), pages).await?;
    let learnt = paced(pace, move || pack(&learn_from(&read).0).map_err(|error| error.to_string()));
    let bytes = learnt.await.map_err(|reason| corrupt(site, &reason))?;
    values::put(stores.state.as_ref(), &value_name(site), bytes).await.map(drop)
}

/// How the slots of a counted page behave on its site, for people who ask why it has no place: the reports of those that the
/// page has, accepted ones first, each with what this page says there. They are learnt again from all pages of the site, which
/// takes about as long as [`learn`].
///
/// # Errors
/// When a store fails.
pub async fn explain_slots(
    stores: &Stores,
    url: &CanonicalUrl,
    content: ContentHash,
) -> StoreResult<Vec<(SlotReport, SlotUse)>> {
    let archive = stores.archive.as_ref();
    let Some(own) = read_counted(archive, content).await? else { return Ok(Vec::new()) };
    let pages = stores.state.pages(&url.site()).await?;
    let pages: Vec<(CanonicalUrl, ContentHash)> = pages
        .into_iter()
        .filter(|(_, version)| version.content != ContentHash::NONE)
        .map(|(url, version)| (url, version.content))
        .collect();
    let read = read_sample(archive, &pages).await?;
    let learnt = tokio::task::spawn_blocking(move || learn_from(&read).1).await;
    let reports = learnt.map_err(|panic| corrupt(&url.site(), &panic.to_string()))?;
    let mut found: Vec<(SlotReport, SlotUse)> = own
        .slots
        .into_iter()
        .filter_map(|slot| Some((report_of(&reports, &slot.slot)?.clone(), slot)))
        .collect();
    found.sort_by_key(|(report, _)| report.rejected);
    Ok(found)
}

/// The report of a page's slot: reports leave out classes that few articles have.
fn report_of<'a>(reports: &'a [SlotReport], slot: &str) -> Option<&'a SlotReport> {
    let is_of = |report: &&SlotReport| {
        let (parts, all): (Vec<&str>, Vec<&str>) =
            (report.slot.split('>').collect(), slot.split('>').collect());
        let is_element = |(part, all): (&&str, &&str)| {
            let (mut named, mut classes) = (part.split('.'), all.split('.'));
            named.next() == classes.next() && named.all(|class| classes.clone().any(|other| other == class))
        };
        report.slot == slot
            || slot.starts_with("a ") && parts.len() == all.len() && parts.iter().zip(&all).all(is_element)
    };
    reports.iter().filter(is_of).max_by_key(|report| report.slot.len())
}

/// An even sample of a site's pages, which follows from the pages alone.
async fn read_sample(
    archive: &dyn PageArchive,
    pages: &[(CanonicalUrl, ContentHash)],
) -> StoreResult<Vec<ReadPage>> {
    let mut sorted: Vec<&(CanonicalUrl, ContentHash)> = pages.iter().collect();
    sorted.sort_unstable_by_key(|(_, content)| *content);
    let step = sorted.len().div_ceil(MOST_PAGES).max(1);
    let mut read = Vec::new();
    for (url, content) in sorted.into_iter().step_by(step) {
        read.extend(read_page(archive, url, *content).await?);
    }
    Ok(read)
}

fn learn_from(read: &[ReadPage]) -> (SiteScheme, Vec<SlotReport>) {
    let pages: Vec<SchemePage<'_>> = read
        .iter()
        .map(|page| SchemePage {
            url: &page.url,
            authors: page.article.as_ref().map(|article| article.authors.as_slice()),
            published: page.article.as_ref().and_then(|article| article.published.as_deref()),
            slots: &page.slots,
            links: &page.links,
        })
        .collect();
    SiteScheme::learn(&pages)
}

/// A counted page; of an article its slots, of another page its links, which is what learning reads of them.
async fn read_page(
    archive: &dyn PageArchive,
    url: &CanonicalUrl,
    content: ContentHash,
) -> StoreResult<Option<ReadPage>> {
    let Some(counted) = read_counted(archive, content).await? else { return Ok(None) };
    let article = archive.get(Kind::Article, content).await?;
    let article: Option<Article> = article.and_then(|json| serde_json::from_slice(&json).ok());
    let (slots, links) = match &article {
        Some(_) => (counted.slots, Vec::new()),
        None => (Vec::new(), counted.contribution.links),
    };
    Ok(Some(ReadPage { url: url.clone(), article, slots, links }))
}

/// The scheme of a site; `None` if none was learnt yet.
///
/// # Errors
/// When the store fails or holds something else.
pub async fn read_scheme(state: &dyn SiteState, site: &Site) -> StoreResult<Option<SiteScheme>> {
    let held = state.value(&value_name(site)).await?;
    // A forgotten site keeps an empty value.
    let Some((_, bytes)) = held.filter(|(_, bytes)| !bytes.is_empty()) else { return Ok(None) };
    unpack(&bytes).map(Some).map_err(|reason| corrupt(site, &reason))
}

/// What finds the places of a site's articles; without a scheme it finds none.
///
/// # Errors
/// As [`read_scheme`].
pub async fn place_finder(state: &dyn SiteState, site: &Site) -> StoreResult<PlaceFinder> {
    Ok(PlaceFinder::new(read_scheme(state, site).await?.unwrap_or_default()))
}

/// The places of the article that counts with this content, best first.
///
/// # Errors
/// When the archive fails.
pub async fn places_of(
    finder: &PlaceFinder,
    archive: &dyn PageArchive,
    (url, content): (&CanonicalUrl, ContentHash),
    article: &Article,
) -> StoreResult<Vec<Place>> {
    if finder.scheme().is_empty() {
        return Ok(Vec::new());
    }
    let slots = read_counted(archive, content).await?.map(|counted| counted.slots).unwrap_or_default();
    Ok(finder.places_of(url, &article.authors, &slots))
}

/// Forgets the scheme of a removed site.
///
/// # Errors
/// When the store fails.
pub(super) async fn forget(state: &dyn SiteState, site: &Site) -> StoreResult<()> {
    values::empty(state, &value_name(site)).await
}

/// The schemes that a miner used last, for the places of articles in events.
#[derive(Default)]
pub struct PlaceCache(Mutex<HashMap<Site, (Instant, Arc<PlaceFinder>)>>);

impl PlaceCache {
    /// The places of an article that is archived under this content, best first. A scheme that another miner has just learnt
    /// may be missed.
    ///
    /// # Errors
    /// When a store fails.
    pub(super) async fn places_of(
        &self,
        state: &dyn SiteState,
        archive: &dyn PageArchive,
        page: (&CanonicalUrl, ContentHash),
        article: &Article,
    ) -> StoreResult<Vec<Place>> {
        let site = page.0.site();
        let known = self
            .lock()
            .get(&site)
            .filter(|(read, _)| read.elapsed() < FRESH)
            .map(|(_, finder)| finder.clone());
        let finder = match known {
            Some(finder) => finder,
            None => {
                let finder = Arc::new(place_finder(state, &site).await?);
                self.keep(&site, finder.clone());
                finder
            }
        };
        places_of(&finder, archive, page, article).await
    }

    /// Has a site's scheme read again.
    pub(super) fn forget(&self, site: &Site) {
        self.lock().remove(site);
    }

    fn keep(&self, site: &Site, finder: Arc<PlaceFinder>) {
        let mut kept = self.lock();
        if kept.len() >= MOST_CACHED
            && let Some(oldest) = kept.iter().min_by_key(|(_, (read, _))| *read).map(|(site, _)| site.clone())
        {
            kept.remove(&oldest);
        }
        kept.insert(site.clone(), (Instant::now(), finder));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Site, (Instant, Arc<PlaceFinder>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn pack(scheme: &SiteScheme) -> anyhow::Result<Vec<u8>> {
    let plain = wire::encode(scheme)?;
    let mut bytes = vec![FORMAT];
    bytes.extend(compression::compress(&plain)?);
    Ok(bytes)
}

fn unpack(bytes: &[u8]) -> Result<SiteScheme, String> {
    let (format, packed) = bytes.split_first().ok_or("it is empty")?;
    if *format != FORMAT {
        return Err(format!("it has format {format}, this version reads format {FORMAT}"));
    }
    let plain = compression::decompress(packed, MAX_BYTES).map_err(|error| error.to_string())?;
    wire::decode(&plain).map_err(|error| error.to_string())
}

fn corrupt(site: &Site, reason: &str) -> StoreError {
    StoreError::Corrupt(format!("the value `{}`: {reason}", value_name(site)))
}

fn value_name(site: &Site) -> String {
    format!("scheme/{site}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_has_the_report_of_its_name_without_rare_classes() {
        let report = |slot: &str| SlotReport {
            slot: slot.into(),
            articles: 5,
            targets: 2,
            agreement: None,
            rejected: None,
            examples: Vec::new(),
        };
        let slots =
            ["a div.head>a", "a div.head.top>a.link", "a div>span>a", "a rel=tag div>a", "meta section"];
        let reports: Vec<SlotReport> = slots.map(report).into();
        for (slot, wanted) in [
            ("a div.head.top.rare>a.link", Some("a div.head.top>a.link")),
            ("a div.rare.head>a", Some("a div.head>a")),
            ("a rel=tag div.head>a", Some("a rel=tag div>a")),
            ("a p.head>a", None),
            ("a div>a", None),
            ("meta section", Some("meta section")),
            ("meta section.a", None),
        ] {
            let found = report_of(&reports, slot).map(|report| report.slot.as_str());
            assert_eq!(found, wanted, "{slot}");
        }
    }
}
