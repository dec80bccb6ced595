//! Member of the ontology: which concepts an article is filed under.
//!
//! An article belongs to the concepts whose pages list it, and to the one its own section names. Lists that
//! stand on every page ("most read") say nothing: a link that too many of a site's concept pages show is
//! left out. Start at [`Lists`], which one site's concept pages are shown to, and [`Filing`].

use std::collections::{BTreeMap, BTreeSet};

use newslode_page::article::Article;
use newslode_page::contribution::LinkUse;
use newslode_page::reading::CanonicalUrl;

use crate::mining::concept_pages::concept_pages;
use crate::mining::summary::SiteSummary;
use crate::mining::taxonomy::Taxonomy;

/// Concept pages that may always list one article: a story stands in two or three sections.
const FEW_PAGES: usize = 3;
/// Beyond these, a link on more than one in so many of the site's concept pages is furniture.
const ONE_IN: usize = 4;

/// Article → keys of the concepts whose pages list it.
pub type Members = BTreeMap<CanonicalUrl, BTreeSet<String>>;

/// What the concept pages of one site list.
pub struct Lists<'a> {
    /// The pages, with their concepts' keys.
    pages: BTreeMap<CanonicalUrl, Vec<&'a str>>,
    /// Article → the pages that list it.
    listed: BTreeMap<CanonicalUrl, Vec<CanonicalUrl>>,
}

impl<'a> Lists<'a> {
    /// Of a site none of whose pages was read yet.
    #[must_use]
    pub fn new(taxonomy: &'a Taxonomy, site: &SiteSummary) -> Lists<'a> {
        Lists { pages: concept_pages(taxonomy, site), listed: BTreeMap::new() }
    }

    /// The pages to read.
    #[must_use]
    pub fn pages(&self) -> Vec<CanonicalUrl> {
        self.pages.keys().cloned().collect()
    }

    /// Takes in the links of one of the pages.
    pub fn see(&mut self, page: &CanonicalUrl, links: Vec<LinkUse>) {
        for link in links {
            if link.inside && link.in_group && !self.pages.contains_key(&link.target) {
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

/// Files articles: by the pages that list them and by their own section.
pub struct Filing<'a> {
    members: &'a Members,
    /// (language, form in lower case) → concept key.
    sections: BTreeMap<(&'a str, String), &'a str>,
}

impl<'a> Filing<'a> {
    /// By these members.
    #[must_use]
    pub fn new(taxonomy: &'a Taxonomy, members: &'a Members) -> Self {
        let forms = taxonomy.concepts.iter().flat_map(|concept| {
            let language = concept.language.as_str();
            concept.forms.iter().map(move |form| ((language, form.text.to_lowercase()), concept.key.as_str()))
        });
        Filing { members, sections: forms.collect() }
    }

    /// Keys of the concepts that an article is filed under. Its section counts only in its own language.
    #[must_use]
    pub fn concepts(&self, article: &Article) -> BTreeSet<String> {
        let url = article.url.parse::<CanonicalUrl>().ok();
        let mut keys = url.and_then(|url| self.members.get(&url)).cloned().unwrap_or_default();
        if let (Some(section), Some(language)) = (&article.section, article.language.as_deref()) {
            let key = self.sections.get(&(language, section.trim().to_lowercase()));
            keys.extend(key.map(|key| (*key).to_owned()));
        }
        keys
    }
}
