//! Instances of concepts with their attributes: the pages to which the lists of concept pages lead `[OM04 §4,
//! OM05 §6]`.
//!
//! [`members`](crate::mining::members) says which pages are listed under which concepts; this module reads
//! them. Each concept page's groups of links ([`groups`]) give an instance template, which reads the pages
//! behind the links ([`instances`]).

use std::collections::BTreeMap;

use newslode_page::instances::{Attribute, InstanceTemplate, link_groups};
use newslode_page::reading::CanonicalUrl;
use newslode_page::{Page, Params};
use serde::Serialize;

/// The most instance pages that are read for one concept page; the rest of a longer list is left out.
pub const MOST_PAGES: usize = 100;
/// The most groups of one concept page that are compared.
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
    /// The attributes that its page gives, in page order.
    pub attributes: Vec<Attribute>,
}

/// The groups of a concept page's `wanted` links; a group of one says nothing and is left out.
pub fn groups(page: &Page, wanted: impl Fn(&CanonicalUrl) -> bool) -> Vec<Vec<CanonicalUrl>> {
    let mut groups = link_groups(page);
    groups.iter_mut().for_each(|group| group.retain(&wanted));
    groups.retain(|group| group.len() > 1);
    groups.truncate(MOST_GROUPS);
    groups
}

/// The instances among `pages`, in the order of the groups. `pages` are those behind the groups of the page
/// `listed_on` that could be read. Pages without attributes are left out.
#[must_use]
pub fn instances(
    listed_on: &CanonicalUrl,
    concepts: &[&str],
    groups: &[Vec<CanonicalUrl>],
    pages: &[(&CanonicalUrl, &Page)],
) -> Vec<ConceptInstance> {
    let by_url: BTreeMap<&CanonicalUrl, &Page> = pages.iter().copied().collect();
    let pair = |group: &Vec<CanonicalUrl>| {
        let mut known = group.iter().filter_map(|url| by_url.get(url));
        Some((*known.next()?, *known.next()?))
    };
    let pairs: Vec<(&Page, &Page)> = groups.iter().filter_map(pair).collect();
    let Some(template) = InstanceTemplate::new(&pairs, &Params::default()) else { return Vec::new() };
    let all: Vec<&Page> = pages.iter().map(|(_, page)| *page).collect();
    let found = pages.iter().zip(template.instances(&all)).map(|((url, _), instance)| ConceptInstance {
        url: (*url).clone(),
        concepts: concepts.iter().map(|key| (*key).to_owned()).collect(),
        listed_on: listed_on.clone(),
        attributes: instance.attributes,
    });
    found.filter(|instance| !instance.attributes.is_empty()).collect()
}
