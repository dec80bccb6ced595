//! Reads the instances that one concept page lists, from the archive.

use std::collections::BTreeSet;
use std::sync::Arc;

use newslode_common::store::StoreResult;
use newslode_page::Page;
use newslode_page::reading::CanonicalUrl;

use super::concept_page::ConceptPageLinks;
use crate::mining::instances::{self as mining, Instance, MOST_PAGES, groups};
use crate::work::archive;
use crate::work::generations::Generations;
use crate::work::stores::Stores;
use crate::work::views::{Pace, paced};

/// Reads the instances that a concept page lists.
pub(super) async fn read_listed(
    stores: &Stores,
    generations: &Generations,
    links: &ConceptPageLinks,
    pace: Pace,
) -> StoreResult<Vec<Instance>> {
    if links.linked.len() < 2 {
        return Ok(Vec::new());
    }
    let archived = stores.archive.as_ref();
    let Some((_, bytes)) = generations.page(archived, links.content).await? else { return Ok(Vec::new()) };
    let (parsed, linked) = (stores.parsed.clone(), links.linked.clone());
    let grouping = move || {
        let (_, page) = archive::open(&bytes, &parsed)?;
        Ok(groups(&page, |url| linked.contains_key(url)))
    };
    let groups = match paced(pace, grouping).await {
        Ok(groups) => groups,
        Err(reason) => return Ok(unreadable(links, &reason)),
    };
    let (mut pages, mut seen) = (Vec::new(), BTreeSet::new());
    for url in groups.iter().flatten().filter(|url| seen.insert(*url)) {
        if pages.len() == MOST_PAGES {
            break;
        }
        let Some(content) = links.linked[url] else { continue };
        pages.extend(generations.page(archived, content).await?.map(|(_, bytes)| (url.clone(), bytes)));
    }
    let parsed = stores.parsed.clone();
    let reading = move || {
        let open = |bytes| Some(archive::open(bytes, &parsed).ok()?.1);
        let opened: Vec<(&CanonicalUrl, Arc<Page>)> =
            pages.iter().filter_map(|(url, bytes)| Some((url, open(bytes)?))).collect();
        let pages: Vec<(&CanonicalUrl, &Page)> = opened.iter().map(|(url, page)| (*url, &**page)).collect();
        Ok(mining::instances(&groups, &pages))
    };
    Ok(paced(pace, reading).await.unwrap_or_else(|reason| unreadable(links, &reason)))
}

fn unreadable(links: &ConceptPageLinks, reason: &str) -> Vec<Instance> {
    tracing::warn!(page = %links.page, reason, "cannot read the instances that a concept page lists; they are left out");
    Vec::new()
}
