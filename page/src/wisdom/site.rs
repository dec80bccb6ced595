//! A site as WISDOM needs it: the entropy of its terms, and the terms of its pages.
//!
//! The entropies come from the site's sums, which the mining service keeps incrementally. The pages are those
//! that anchors may lead to. Terms are interned; a page is a sorted list of them.

use crate::contribution::TermUse;
use crate::reading::CanonicalUrl;
use rustc_hash::FxHashMap;

/// A term of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct TermId(u32);

/// The terms and the pages of one site.
#[derive(Clone, Debug, Default)]
pub struct SiteTerms {
    ids: FxHashMap<String, TermId>,
    /// Entropy EN and count TF by term.
    term_stats: Vec<(f64, f64)>,
    /// Terms and their counts by [`normalized_address`].
    pages: FxHashMap<String, Vec<(TermId, u32)>>,
    ln_pages: f64,
}

impl SiteTerms {
    /// A site with this number of pages, and its terms, each with its count TF and its entropy EN, 0 to 1.
    pub fn new(pages: u64, terms: impl IntoIterator<Item = (String, u64, f64)>) -> SiteTerms {
        let mut site = SiteTerms { ln_pages: (pages as f64).ln(), ..SiteTerms::default() };
        for (term, count, entropy) in terms {
            let id = TermId(site.term_stats.len() as u32);
            if *site.ids.entry(term).or_insert(id) == id {
                site.term_stats.push((entropy.clamp(0.0, 1.0), count as f64));
            }
        }
        site
    }

    /// Adds a page that anchors may lead to. Terms that the site does not know are left out.
    pub fn add_page(&mut self, url: CanonicalUrl, terms: &[TermUse]) {
        let used = terms.iter().filter_map(|used| Some((self.id(&used.term)?, used.count)));
        let mut page_terms: Vec<(TermId, u32)> = used.collect();
        page_terms.sort_unstable();
        self.pages.insert(normalized_address(&url).to_owned(), page_terms);
    }

    pub(super) fn id(&self, term: &str) -> Option<TermId> {
        self.ids.get(term).copied()
    }

    /// Entropy EN of a term.
    pub(super) fn entropy(&self, term: TermId) -> f64 {
        self.term_stats.get(term.0 as usize).map_or(1.0, |stats| stats.0)
    }

    /// The page at an address, if it was added.
    pub(super) fn page(&self, url: &CanonicalUrl) -> Option<LinkedPage<'_>> {
        self.pages.get(normalized_address(url)).map(|terms| LinkedPage { site: self, terms })
    }
}

/// The part of an address that is the same however it is written: scheme, `www.`, the name of a default document
/// and a slash at the end are left out.
pub(super) fn normalized_address(url: &CanonicalUrl) -> &str {
    let text = url.as_str();
    let text = text.split_once("://").map_or(text, |(_, rest)| rest);
    let text = text.strip_prefix("www.").unwrap_or(text);
    let is_default = |file: &str| matches!(file, "" | "index.html" | "index.htm" | "index.php");
    match text.rsplit_once('/') {
        Some((folder, file)) if is_default(file) => folder,
        _ => text,
    }
}

/// A page that an anchor leads to.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinkedPage<'a> {
    site: &'a SiteTerms,
    terms: &'a [(TermId, u32)],
}

impl LinkedPage<'_> {
    fn count(&self, term: TermId) -> Option<u32> {
        let at = self.terms.binary_search_by_key(&term, |used| used.0).ok()?;
        Some(self.terms[at].1)
    }

    pub(super) fn holds(&self, term: TermId) -> bool {
        self.count(term).is_some()
    }

    /// How much more of a term this page has than an even share: log_n(n·w), where n is the number of pages and w
    /// this page's share of the term's uses. 0 or less: no more than an even share; 1: all. Its mean over the term's
    /// uses is W = 1 − EN.
    pub(super) fn lift(&self, term: TermId) -> f64 {
        let total = self.site.term_stats.get(term.0 as usize).map_or(0.0, |stats| stats.1);
        match self.count(term) {
            Some(count) if total > 0.0 && self.site.ln_pages > 0.0 => {
                1.0 + (f64::from(count) / total).ln() / self.site.ln_pages
            }
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_address_are_normalized_alike() {
        let address = |text: &str| normalized_address(&text.parse().unwrap()).to_owned();
        for spelled in ["http://a.test/b/", "https://www.a.test/b", "https://a.test/b/index.html"] {
            assert_eq!(address(spelled), "a.test/b");
        }
        assert_eq!(address("https://www.a.test/"), address("http://a.test/index.php"));
        assert_ne!(address("https://a.test/b?c=/"), address("https://a.test/b"));
        assert_ne!(address("https://a.test/b/about.html"), address("https://a.test/b/"));
    }

    #[test]
    fn a_repeated_term_leaves_the_numbers_of_others() {
        let terms = [("a", 0.5), ("b", 2.0), ("a", 0.7), ("c", 0.25)];
        let mut site = SiteTerms::new(4, terms.map(|(term, en)| (term.to_owned(), 8, en)));
        let entropy = |term| site.entropy(site.id(term).unwrap());
        assert_eq!([entropy("a"), entropy("b"), entropy("c")], [0.5, 1.0, 0.25]);
        assert!(site.id("d").is_none());
        let url: CanonicalUrl = "https://a.test/".parse().unwrap();
        let terms = [("d", 1), ("c", 2), ("a", 8)];
        site.add_page(url.clone(), &terms.map(|(term, count)| TermUse { term: term.into(), count }));
        let linked = site.page(&url).unwrap();
        let lift = |term| linked.lift(site.id(term).unwrap());
        // The page has all uses, an even share, none.
        assert_eq!([lift("a"), lift("c"), lift("b")], [1.0, 0.0, 0.0]);
        assert!(!linked.holds(site.id("b").unwrap()));
    }
}
