//! Members of concepts: the articles that their pages list.
//!
//! A page lists the links in its groups, and the stories that it files (a list of headlines with texts of their own is an
//! outline, not a group). Lists that are on every page ("most read") say nothing, so a link on too many of a site's concept
//! pages is left out. So are all links of a page that files no stories of its own. Start at [`Lists`], which takes the concept
//! pages of one site. [`filing`](crate::mining::filing) has the other witnesses.

use std::collections::{BTreeMap, BTreeSet};

use newslode_page::contribution::{FiledUse, LinkUse, url_id};
use newslode_page::reading::CanonicalUrl;

use crate::mining::concept_pages::concept_pages;
use crate::mining::summary::SiteSummary;
use crate::mining::taxonomy::Taxonomy;

/// Number of concept pages that may always list one article: a story is in two or three sections.
const FEW_PAGES: usize = 3;
/// Beyond that, a link on more than one in this many of the site's concept pages is left out.
const ONE_IN: usize = 4;

/// Article → keys of the concepts whose pages list it.
pub type Members = BTreeMap<CanonicalUrl, BTreeSet<String>>;

/// The lists of one site's concept pages.
pub struct Lists<'a> {
    /// The pages, with their concepts' keys.
    pages: BTreeMap<CanonicalUrl, Vec<&'a str>>,
    /// Article → the pages that list it.
    listed: BTreeMap<CanonicalUrl, Vec<CanonicalUrl>>,
}

impl<'a> Lists<'a> {
    /// Lists of a site of which no page was read yet.
    #[must_use]
    pub fn new(taxonomy: &'a Taxonomy, site: &SiteSummary) -> Lists<'a> {
        let mut pages = concept_pages(taxonomy, site);
        pages.retain(|page, _| site.is_section(page) != Some(false));
        Lists { pages, listed: BTreeMap::new() }
    }

    /// The pages to read.
    #[must_use]
    pub fn pages(&self) -> Vec<CanonicalUrl> {
        self.pages.keys().cloned().collect()
    }

    /// The pages with their concepts' keys.
    pub fn concepts(&self) -> impl Iterator<Item = (&CanonicalUrl, &[&'a str])> {
        self.pages.iter().map(|(page, concepts)| (page, concepts.as_slice()))
    }

    /// Adds the links of one of the pages, and the stories that it files.
    pub fn see(&mut self, page: &CanonicalUrl, links: Vec<LinkUse>, filed: Option<&FiledUse>) {
        let is_filed = |link: &LinkUse| {
            filed.is_some_and(|filed| filed.stories.binary_search(&url_id(&link.target)).is_ok())
        };
        for link in links {
            let is_listed = link.inside && (link.in_group || is_filed(&link));
            if is_listed && !self.pages.contains_key(&link.target) {
                self.listed.entry(link.target).or_default().push(page.clone());
            }
        }
    }

    /// Adds what the pages list to the members, given how many of the pages are counted.
    pub fn add_to(self, members: &mut Members, counted: usize) {
        let most = FEW_PAGES.max(counted / ONE_IN);
        for (article, on) in self.listed.into_iter().filter(|(_, on)| on.len() <= most) {
            let concepts = on.iter().filter_map(|page| self.pages.get(page)).flatten();
            members.entry(article).or_default().extend(concepts.map(|key| (*key).to_owned()));
        }
    }
}
