//! Instances of concepts with their attributes: what the lists of concept pages lead to `[OM04 §4, OM05 §6]`.
//!
//! [`members`](crate::mining::members) says which pages are listed under which concepts; this reads them: each
//! concept page's groups of links ([`groups`]) give an instance template, which reads the pages that they lead
//! to ([`instances`]).

use std::collections::BTreeMap;

use newslode_page::instances::{Attribute, InstanceTemplate, link_groups};
use newslode_page::reading::CanonicalUrl;
use newslode_page::{Page, Params};
use serde::Serialize;

/// Pages that one concept page's instances are read of; the rest of a longer list is left out.
pub const MOST_PAGES: usize = 100;
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

/// The groups of a concept page's links, of those that are `wanted`; a group of one says nothing.
pub fn groups(page: &Page, wanted: impl Fn(&CanonicalUrl) -> bool) -> Vec<Vec<CanonicalUrl>> {
    let mut groups = link_groups(page);
    groups.iter_mut().for_each(|group| group.retain(&wanted));
    groups.retain(|group| group.len() > 1);
    groups.truncate(MOST_GROUPS);
    groups
}

/// The instances among `pages`, those that could be read of what the groups of the page `listed_on` lead to, in
/// the groups' order. What has no attributes is left out.
#[must_use]
pub fn instances(
    listed_on: &CanonicalUrl,
    concepts: &[&str],
    groups: &[Vec<CanonicalUrl>],
    pages: &[(&CanonicalUrl, Page)],
) -> Vec<ConceptInstance> {
    let by_url: BTreeMap<&CanonicalUrl, &Page> = pages.iter().map(|(url, page)| (*url, page)).collect();
    let pair = |group: &Vec<CanonicalUrl>| {
        let mut known = group.iter().filter_map(|url| by_url.get(url));
        Some((*known.next()?, *known.next()?))
    };
    let pairs: Vec<(&Page, &Page)> = groups.iter().filter_map(pair).collect();
    let Some(template) = InstanceTemplate::of(&pairs, &Params::default()) else { return Vec::new() };
    let all: Vec<&Page> = pages.iter().map(|(_, page)| page).collect();
    let found = pages.iter().zip(template.instances(&all)).map(|((url, _), instance)| ConceptInstance {
        url: (*url).clone(),
        concepts: concepts.iter().map(|key| (*key).to_owned()).collect(),
        listed_on: listed_on.clone(),
        attributes: instance.attributes,
    });
    found.filter(|instance| !instance.attributes.is_empty()).collect()
}
