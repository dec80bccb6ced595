//! Learns the own scheme of a site from its archived pages, and explains how its slots behave.
//!
//! A scheme is a view: it is learnt whenever all pages of the site are viewed, and again if that view changed which of them are
//! articles. [`crate::work::schemes`] keeps it. Start at [`learn`].

use newslode_common::store::{Kind, PageArchive, SiteState, StoreResult};
use newslode_common::version::ContentHash;
use newslode_page::article::Article;
use newslode_page::contribution::LinkUse;
use newslode_page::extract::SlotUse;
use newslode_page::reading::{CanonicalUrl, Site};

use crate::mining::site_scheme::{PlaceFinder, SchemePage, SchemeSummary, SiteScheme, SlotReport};
use crate::work::archive::read_counted;
use crate::work::scheme_summaries;
use crate::work::schemes::{corrupt, pack, value_name};
use crate::work::stores::Stores;
use crate::work::values;
use crate::work::views::{Pace, paced};

/// Most pages from which a scheme is learnt; more hardly change which slots are accepted.
const MOST_PAGES: usize = 4_000;

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
    let learnt = paced(pace, move || {
        let finder = PlaceFinder::new(learn_from(&read).0);
        let articles =
            read.iter().filter_map(|page| Some((&page.url, page.article.as_ref()?, &page.slots[..])));
        let summary = SchemeSummary::of(&finder, articles);
        let packed = pack(finder.scheme()).and_then(|scheme| Ok((scheme, pack(&summary)?)));
        packed.map_err(|error| error.to_string())
    });
    let (scheme, summary) = learnt.await.map_err(|reason| corrupt(&value_name(site), &reason))?;
    values::put(stores.state.as_ref(), &value_name(site), scheme).await?;
    scheme_summaries::write(stores.state.as_ref(), site, summary).await
}

/// Learns the scheme of a site from all of its counted pages, and stores it.
///
/// # Errors
/// When a store fails.
pub async fn learn_site(stores: &Stores, site: &Site) -> StoreResult<()> {
    let pages = counted(stores.state.as_ref(), site).await?;
    learn(stores, site, &pages, Pace { at_once: 1, share: 100 }).await
}

async fn counted(state: &dyn SiteState, site: &Site) -> StoreResult<Vec<(CanonicalUrl, ContentHash)>> {
    let pages = state.pages(site).await?.into_iter();
    let counted = pages.filter(|(_, version)| version.content != ContentHash::NONE);
    Ok(counted.map(|(url, version)| (url, version.content)).collect())
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
    let pages = counted(stores.state.as_ref(), &url.site()).await?;
    let read = read_sample(archive, &pages).await?;
    let learnt = tokio::task::spawn_blocking(move || learn_from(&read).1).await;
    let reports = learnt.map_err(|panic| corrupt(&value_name(&url.site()), &panic.to_string()))?;
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
            breadcrumbs: page.article.as_ref().map_or(&[], |article| &article.breadcrumbs),
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

/// Forgets the scheme of a removed site.
///
/// # Errors
/// When the store fails.
pub(super) async fn forget(state: &dyn SiteState, site: &Site) -> StoreResult<()> {
    scheme_summaries::forget(state, site).await?;
    values::empty(state, &value_name(site)).await
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
