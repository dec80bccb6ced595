//! Instances of concepts with their attributes: what the lists of concept pages lead to `[OM04 §4, OM05 §6]`.
//!
//! [`members`](crate::work::members) says which pages are listed under which concepts; this reads them: each concept
//! page's groups of links give an instance template, which reads the pages that they lead to. Computed from
//! the archive when somebody asks, one concept page at a time; nothing is stored. Start at [`instances`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use newslode_common::store::Kind;
use newslode_common::version::ContentHash;
use newslode_page::instances::{Attribute, InstanceTemplate, link_groups};
use newslode_page::reading::CanonicalUrl;
use newslode_page::{Page, Params};
use serde::Serialize;

use crate::mining::summary::SiteSummary;
use crate::mining::taxonomy::Taxonomy;
use crate::work::follow::concept_pages;
use crate::work::service::Parts;
use crate::work::views::archived;

/// Pages that one concept page's instances are read of; the rest of a longer list is left out.
const MOST_PAGES: usize = 100;
/// Groups of one concept page that are compared.
const MOST_GROUPS: usize = 12;

/// An instance of concepts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConceptInstance {
    /// Its page.
    pub url: CanonicalUrl,
    /// Keys of the concepts of the page that lists it.
    pub concepts: Vec<String>,
    /// The page that lists it.
    pub listed_on: CanonicalUrl,
    /// What its page says, in page order.
    pub attributes: Vec<Attribute>,
}

/// Hands the instances of all concept pages to `take`, those of one page together; only of pages that are
/// members of a concept and `wanted`.
///
/// # Errors
/// When a store cannot be read, or what `take` returns.
pub async fn instances(
    parts: &Parts,
    taxonomy: &Taxonomy,
    sites: &[Arc<SiteSummary>],
    members: &BTreeMap<CanonicalUrl, BTreeSet<String>>,
    wanted: impl Fn(&CanonicalUrl) -> bool,
    mut take: impl FnMut(ConceptInstance) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    for site in sites {
        for (url, concepts) in concept_pages(taxonomy, site) {
            let Some(page) = load(parts, &url).await? else { continue };
            let is_member = |target: &CanonicalUrl| members.contains_key(target) && wanted(target);
            let mut groups = link_groups(&page);
            groups.iter_mut().for_each(|group| group.retain(is_member));
            groups.retain(|group| group.len() > 1);
            let concepts: Vec<String> = concepts.into_iter().map(str::to_owned).collect();
            of_page(parts, &groups, |url, attributes| {
                take(ConceptInstance {
                    url,
                    concepts: concepts.clone(),
                    listed_on: page.url.clone(),
                    attributes,
                })
            })
            .await?;
        }
    }
    Ok(())
}

/// The instances that the groups of one page lead to.
async fn of_page(
    parts: &Parts,
    groups: &[Vec<CanonicalUrl>],
    mut take: impl FnMut(CanonicalUrl, Vec<Attribute>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut pages: BTreeMap<&CanonicalUrl, Page> = BTreeMap::new();
    let mut order = Vec::new();
    for url in groups.iter().take(MOST_GROUPS).flatten() {
        if pages.len() >= MOST_PAGES {
            break;
        }
        if !pages.contains_key(url)
            && let Some(page) = load(parts, url).await?
        {
            pages.insert(url, page);
            order.push(url);
        }
    }
    let pair = |group: &Vec<CanonicalUrl>| {
        let mut known = group.iter().filter_map(|url| pages.get(url));
        Some((known.next()?, known.next()?))
    };
    let pairs: Vec<(&Page, &Page)> = groups.iter().take(MOST_GROUPS).filter_map(pair).collect();
    let Some(template) = InstanceTemplate::of(&pairs, &Params::default()) else { return Ok(()) };
    let all: Vec<&Page> = order.iter().filter_map(|url| pages.get(*url)).collect();
    for (url, instance) in order.iter().zip(template.instances(&all)) {
        if !instance.attributes.is_empty() {
            take((*url).clone(), instance.attributes)?;
        }
    }
    Ok(())
}

/// The page of a URL as it is counted.
async fn load(parts: &Parts, url: &CanonicalUrl) -> anyhow::Result<Option<Page>> {
    let versions = parts.state.versions(&url.site(), std::slice::from_ref(url)).await?;
    let content = versions.into_iter().next().flatten().map(|version| version.content);
    let Some(content) = content.filter(|content| *content != ContentHash::NONE) else { return Ok(None) };
    let Some(bytes) = parts.archive.get(Kind::Page, content).await? else { return Ok(None) };
    Ok(archived(&bytes).ok().map(|(_, page)| page))
}
