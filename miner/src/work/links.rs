//! Which links become URLs to fetch: those of a page when it is counted, and those that a fold wants.
//!
//! [`page_links`] needs one page and no taxonomy, so a page's links do not depend on when it is counted. A fold wants the
//! pages to which the labels of concepts lead ([`concept_links`]), and pages that decide what is a concept
//! ([`requested_links`]). The frontier takes each URL once and keeps the strongest reason and the least depth, so
//! [`add_urls`] may be repeated.

use std::collections::BTreeMap;

use newslode_common::config::Follow;
use newslode_common::store::{Frontier, NewUrl, StoreError, Why};
use newslode_common::telemetry::metrics::Metrics;
use newslode_page::contribution::Contribution;
use newslode_page::discovery::is_page;
use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;

use crate::mining::concept_pages::concept_pages;
use crate::mining::summary::SiteSummary;
use crate::mining::taxonomy::Taxonomy;

/// The links of a page to fetch when it is counted.
///
/// With [`Follow::All`] these are all links inside the site. A concept page's grouped links are instances with
/// [`Follow::Concepts`], too. With [`Follow::News`] there are none, since the crawler takes the links of a page at its visit.
/// Labels of other concepts are among them, although the fold adds the same URLs for a stronger reason: leaving them out would
/// save no fetch and would need the taxonomy.
#[must_use]
pub fn page_links(follow: Follow, why: Why, depth: u32, page: &Contribution) -> Vec<NewUrl> {
    let mut found = Vec::new();
    if follow == Follow::News {
        return found;
    }
    for link in page.links.iter().filter(|link| link.inside && is_page(&link.target)) {
        let why = match (follow, why) {
            (_, Why::Concept) if link.in_group => Why::Instance,
            (Follow::All, _) => Why::Link,
            (Follow::Concepts | Follow::News, _) => continue,
        };
        found.push(NewUrl::once(link.target.clone(), depth.saturating_add(1), why, 0));
    }
    found
}

/// The concept pages of all sites, by site and URL. Their depth is 1, since the front page's menu links nearly all of them.
/// The sums do not tell which page showed a label, so concept pages that only others link get the same depth.
#[must_use]
pub fn concept_links<S: AsRef<SiteSummary>>(taxonomy: &Taxonomy, sites: &[S]) -> Vec<NewUrl> {
    let pages = sites.iter().flat_map(|site| concept_pages(taxonomy, site.as_ref()).into_keys());
    pages.map(|url| NewUrl::once(url, 1, Why::Concept, 0)).collect()
}

/// The pages that a fold asks for. They lie some levels below a concept's page, and so is their depth. The site's maximum
/// depth thus bounds how far the labels of a single site are believed.
pub fn requested_links(requested: Vec<(CanonicalUrl, u32)>) -> impl Iterator<Item = NewUrl> {
    let pages = requested.into_iter().filter(|(url, _)| is_page(url));
    pages.map(|(url, level)| NewUrl::once(url, 1 + level, Why::Concept, 0))
}

/// Adds URLs to the frontier, each for its strongest reason, and counts the new ones by reason. Returns their number.
///
/// # Errors
/// When the frontier fails.
pub async fn add_urls(
    frontier: &dyn Frontier,
    metrics: &Metrics,
    found: Vec<NewUrl>,
    now: Timestamp,
) -> Result<u64, StoreError> {
    let mut new = 0;
    for why in [Why::Seed, Why::Concept, Why::Instance, Why::Link] {
        let mut urls: BTreeMap<CanonicalUrl, NewUrl> = BTreeMap::new();
        for url in found.iter().filter(|url| url.why == why) {
            let held = urls.entry(url.url.clone()).or_insert_with(|| url.clone());
            held.depth = held.depth.min(url.depth);
        }
        if urls.is_empty() {
            continue;
        }
        let urls: Vec<NewUrl> = urls.into_values().collect();
        let added = frontier.add(&urls, now).await?;
        metrics.followed.with_label_values(&[why_name(why)]).inc_by(added.new);
        new += added.new;
    }
    Ok(new)
}

fn why_name(why: Why) -> &'static str {
    match why {
        Why::Seed => "seed",
        Why::Concept => "concept",
        Why::Instance => "instance",
        Why::Link => "link",
    }
}

#[cfg(test)]
mod tests {
    use newslode_page::contribution::LinkUse;

    use super::*;

    fn check(follow: Follow, why: Why, wanted: &[(&str, Why)]) {
        let link = |path: &str, in_group, inside| LinkUse {
            target: format!("https://a.test{path}").parse().unwrap(),
            label: None,
            in_group,
            inside,
        };
        let links = vec![
            link("/one", true, true),
            link("/about", false, true),
            link("/photo.JPG", true, true),
            link("/elsewhere", true, false),
        ];
        let page = Contribution { links, ..Contribution::default() };
        let found = page_links(follow, why, 3, &page);
        let short: Vec<_> = found.iter().map(|new| (new.url.path(), new.why)).collect();
        assert_eq!(short, wanted);
        assert!(found.iter().all(|new| new.depth == 4));
    }

    #[test]
    fn concept_pages_lead_to_instances_and_all_links_if_configured() {
        check(Follow::Concepts, Why::Seed, &[]);
        check(Follow::Concepts, Why::Instance, &[]);
        check(Follow::Concepts, Why::Concept, &[("/one", Why::Instance)]);
        check(Follow::All, Why::Seed, &[("/one", Why::Link), ("/about", Why::Link)]);
        check(Follow::All, Why::Concept, &[("/one", Why::Instance), ("/about", Why::Link)]);
    }
}
