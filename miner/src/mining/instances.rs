//! Instances of concepts with their attributes: the pages to which the lists of concept pages lead `[OM04 §4,
//! OM05 §6]`.
//!
//! [`members`](crate::mining::members) says which pages are listed under which concepts; this module reads
//! these pages. Each concept page's groups of links ([`groups`]) give an instance template, which reads the pages
//! behind the links ([`instances`]). Read together as pages of one site, they also say which of their texts name
//! attributes, and with which values ([`pairs()`]); of these, a page's memory is bounded.

use std::collections::BTreeMap;

use newslode_page::instances::{Attribute, InstanceTemplate, link_groups};
use newslode_page::reading::CanonicalUrl;
use newslode_page::tagging::{Pair, pairs};
use newslode_page::{Page, Params};
use serde::{Deserialize, Serialize};

/// The most instance pages that are read for one concept page; the rest of a longer list is left out.
pub const MOST_PAGES: usize = 100;
/// The most groups of one concept page that are compared.
const MOST_GROUPS: usize = 12;
/// The most pairs of one page; later ones are left out.
const MOST_PAIRS: usize = 100;
/// Maximum length of a pair's value, in characters. Longer ones are texts, not values, and are left out.
const LONGEST_VALUE: usize = 500;

/// An instance of concepts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConceptInstance {
    /// Its page.
    pub url: CanonicalUrl,
    /// Keys of the concepts of the page that lists it.
    pub concepts: Vec<String>,
    /// The page that lists it.
    pub listed_on: CanonicalUrl,
    /// What the instance template reads on its page, in page order.
    pub attributes: Vec<Attribute>,
    /// The attribute-value pairs that its page gives, in page order, at most a hundred short ones.
    pub pairs: Vec<Pair>,
}

/// An instance as its page was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instance {
    /// Its page.
    pub url: CanonicalUrl,
    /// As those of [`ConceptInstance`].
    pub attributes: Vec<Attribute>,
    /// As those of [`ConceptInstance`].
    pub pairs: Vec<Pair>,
}

impl Instance {
    /// The instance of the concepts with these keys, listed on their page.
    #[must_use]
    pub fn of(self, listed_on: &CanonicalUrl, concepts: &[&str]) -> ConceptInstance {
        let Instance { url, attributes, pairs } = self;
        let concepts = concepts.iter().map(|key| (*key).to_owned()).collect();
        ConceptInstance { url, concepts, listed_on: listed_on.clone(), attributes, pairs }
    }
}

/// The groups of a concept page's `wanted` links; a group of one says nothing and is left out.
pub fn groups(page: &Page, wanted: impl Fn(&CanonicalUrl) -> bool) -> Vec<Vec<CanonicalUrl>> {
    let mut groups = link_groups(page);
    groups.iter_mut().for_each(|group| group.retain(&wanted));
    groups.retain(|group| group.len() > 1);
    groups.truncate(MOST_GROUPS);
    groups
}

/// The instances among `pages`, in the order of the groups. `pages` are those behind the groups of one concept page that
/// could be read. Pages without attributes and pairs are left out.
#[must_use]
pub fn instances(groups: &[Vec<CanonicalUrl>], pages: &[(&CanonicalUrl, &Page)]) -> Vec<Instance> {
    let by_url: BTreeMap<&CanonicalUrl, &Page> = pages.iter().copied().collect();
    let pair = |group: &Vec<CanonicalUrl>| {
        let mut known = group.iter().filter_map(|url| by_url.get(url));
        Some((*known.next()?, *known.next()?))
    };
    let compared: Vec<(&Page, &Page)> = groups.iter().filter_map(pair).collect();
    let all: Vec<&Page> = pages.iter().map(|(_, page)| *page).collect();
    let template = InstanceTemplate::new(&compared, &Params::default());
    let read = template.map(|template| template.instances(&all)).unwrap_or_default();
    let mut attributes = read.into_iter().map(|instance| instance.attributes);
    let found = pages.iter().zip(pairs(&all)).map(|((url, _), pairs)| Instance {
        url: (*url).clone(),
        attributes: attributes.next().unwrap_or_default(),
        pairs: bounded(pairs),
    });
    found.filter(|instance| !instance.attributes.is_empty() || !instance.pairs.is_empty()).collect()
}

fn bounded(mut pairs: Vec<Pair>) -> Vec<Pair> {
    pairs.retain(|pair| pair.value.chars().count() <= LONGEST_VALUE);
    pairs.truncate(MOST_PAIRS);
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pages: &[String]) -> Vec<Instance> {
        let url = |number: usize| -> CanonicalUrl { format!("https://a.test/{number}").parse().unwrap() };
        let urls: Vec<CanonicalUrl> = (0..pages.len()).map(url).collect();
        let pages: Vec<Page> =
            urls.iter().zip(pages).map(|(url, html)| Page::parse(url, None, html.as_bytes())).collect();
        let pages: Vec<(&CanonicalUrl, &Page)> = urls.iter().zip(&pages).collect();
        instances(std::slice::from_ref(&urls), &pages)
    }

    #[test]
    fn attributes_are_found_by_comparing_the_pages_of_a_list() {
        let river = |name: &str, length: &str, mouth: &str| {
            format!("<h1>{name}</h1><div>Length</div><div>{length}</div><div>Mouth</div><div>{mouth}</div>")
        };
        let found = read(&[
            river("Aare", "288 km", "Rhine"),
            river("Ticino", "248 km", "Po"),
            river("Reuss", "164 km", "Aare"),
        ]);
        let pair = |label: &str, value: &str| Pair { label: label.into(), value: value.into() };
        assert_eq!(found[1].pairs, [pair("Length", "248 km"), pair("Mouth", "Po")]);
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn the_attributes_of_an_instance_are_bounded() {
        let rows: String = (0..300).map(|row| format!("<dt>Name {row}<dd>{row}")).collect();
        let long = "word ".repeat(LONGEST_VALUE);
        let found = read(&[format!("<h1>T</h1><dl><dt>Text<dd>{long}<dt>Size<dd>12{rows}</dl>")]);
        assert_eq!(found[0].pairs.len(), MOST_PAIRS);
        assert_eq!(found[0].pairs[0].label, "Size", "a text is no value");
    }
}
