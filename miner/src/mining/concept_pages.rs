//! Concept pages: where the labels of concepts lead.

use std::collections::BTreeMap;

use newslode_page::discovery::is_page;
use newslode_page::reading::CanonicalUrl;

use crate::mining::summary::SiteSummary;
use crate::mining::taxonomy::Taxonomy;

/// The most pages that a concept has on one site; those that most pages link are kept. A concept's label
/// leads to one page, or to a few editions of it.
const MOST_TARGETS: usize = 4;

/// The pages that a site's concept labels lead to, each with the concepts' keys. The front page is left out:
/// its lists do not belong to one concept.
#[must_use]
pub fn concept_pages<'a>(taxonomy: &'a Taxonomy, site: &SiteSummary) -> BTreeMap<CanonicalUrl, Vec<&'a str>> {
    let mut pages: BTreeMap<CanonicalUrl, Vec<&'a str>> = BTreeMap::new();
    for concept in &taxonomy.concepts {
        let labels = concept.keys.iter().filter_map(|key| site.labels.get(key));
        let mut named: BTreeMap<&CanonicalUrl, u64> = BTreeMap::new();
        for (url, on) in labels.flat_map(|label| &label.targets) {
            if is_page(url) && !url.is_front_page() {
                *named.entry(url).or_default() += on;
            }
        }
        let mut targets: Vec<_> = named.into_iter().collect();
        targets.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        for (url, _) in targets.into_iter().take(MOST_TARGETS) {
            pages.entry(url.clone()).or_default().push(&concept.key);
        }
    }
    pages
}
