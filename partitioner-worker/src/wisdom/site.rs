//! What WISDOM knows of a site: the entropy of its terms, and which terms its pages hold.
//!
//! The entropies come from the site's sums (they are kept incrementally, the service that mines owns
//! them); the pages are those that anchors may lead to. Terms are interned, a page is a sorted list of them.

use newslode_common::contribution::TermUse;
use newslode_common::page::CanonicalUrl;
use rustc_hash::FxHashMap;

/// A term of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct TermId(u32);

/// The terms and the pages of one site.
#[derive(Clone, Debug, Default)]
pub struct SiteTerms {
    ids: FxHashMap<String, TermId>,
    entropies: Vec<f64>,
    pages: FxHashMap<CanonicalUrl, Vec<TermId>>,
}

impl SiteTerms {
    /// A site by the entropy EN of each of its terms, 0 to 1.
    pub fn new(entropies: impl IntoIterator<Item = (String, f64)>) -> SiteTerms {
        let mut site = SiteTerms::default();
        for (term, entropy) in entropies {
            let id = TermId(site.entropies.len() as u32);
            if *site.ids.entry(term).or_insert(id) == id {
                site.entropies.push(entropy.clamp(0.0, 1.0));
            }
        }
        site
    }

    /// Adds a page that anchors may lead to; terms that the site does not know are left out.
    pub fn add_page(&mut self, url: CanonicalUrl, terms: &[TermUse]) {
        let mut known: Vec<TermId> = terms.iter().filter_map(|used| self.id(&used.term)).collect();
        known.sort_unstable();
        self.pages.insert(url, known);
    }

    pub(super) fn id(&self, term: &str) -> Option<TermId> {
        self.ids.get(term).copied()
    }

    /// EN of a term.
    pub(super) fn entropy(&self, term: TermId) -> f64 {
        self.entropies.get(term.0 as usize).copied().unwrap_or(1.0)
    }

    /// The terms of a page, sorted, if it is known.
    pub(super) fn page(&self, url: &CanonicalUrl) -> Option<&[TermId]> {
        self.pages.get(url).map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_said_twice_keeps_the_numbers_of_others() {
        let entropies = [("a", 0.5), ("b", 2.0), ("a", 0.7), ("c", 0.25)].map(|(term, en)| (term.to_owned(), en));
        let mut site = SiteTerms::new(entropies);
        let of = |term| site.entropy(site.id(term).unwrap());
        assert_eq!([of("a"), of("b"), of("c")], [0.5, 1.0, 0.25]);
        assert!(site.id("d").is_none());
        let url: CanonicalUrl = "https://a.test/".parse().unwrap();
        let terms = ["d", "c", "a"].map(|term| TermUse { term: term.into(), count: 1 });
        site.add_page(url.clone(), &terms);
        assert_eq!(site.page(&url).unwrap().len(), 2);
    }
}
