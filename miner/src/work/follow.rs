//! What to fetch next: pages that concepts' labels lead to, then the instances that those pages list.
//!
//! Beside these, pages that a fold asks for, since they decide what is a concept ([`asked_links`]).
//! Pure decisions; whoever calls gives the result to the frontier, which admits each URL once and keeps the
//! strongest reason and the least depth, so deciding again is harmless. [`at_once`] needs one page alone
//! and no taxonomy: so what a page leads to does not hang on when it is looked at. [`concept_links`] is
//! for the fold.

use std::collections::BTreeMap;

use newslode_common::config::Follow;
use newslode_common::store::{NewUrl, Why};
use newslode_page::contribution::Contribution;
use newslode_page::reading::CanonicalUrl;

use crate::mining::summary::SiteSummary;
use crate::mining::taxonomy::Taxonomy;

/// Pages that a label of a site leads to at most; the ones most pages agree on. A concept's label leads to
/// one page, or to a few editions of it.
const MOST_TARGETS: usize = 4;

/// Ends of paths that are no pages, whatever the server says later.
const NO_PAGES: &[&str] = &[
    "7z", "apk", "avi", "bmp", "bz2", "css", "csv", "dmg", "doc", "docx", "eot", "epub", "exe", "flac",
    "gif", "gz", "ico", "ics", "iso", "jpeg", "jpg", "js", "json", "m4a", "m4v", "mobi", "mov", "mp3", "mp4",
    "mpeg", "mpg", "odt", "ogg", "ogv", "otf", "pdf", "png", "ppt", "pptx", "rar", "svg", "swf", "tar",
    "tgz", "tif", "tiff", "ttf", "wav", "webm", "webp", "wmv", "woff", "woff2", "xls", "xlsx", "zip",
];

/// What a page's links are worth as soon as it was counted. With [`Follow::All`] every link inside the site;
/// a concept page's grouped links are instances either way. Those that labels of other concepts make are
/// among them: the fold adds the same URLs for the stronger reason, so leaving them out would fetch no
/// page less, and would need the taxonomy.
#[must_use]
pub fn at_once(follow: Follow, why: Why, depth: u32, page: &Contribution) -> Vec<NewUrl> {
    let mut found = Vec::new();
    for link in page.links.iter().filter(|link| link.inside && is_page(&link.target)) {
        let why = match (follow, why) {
            (_, Why::Concept) if link.in_group => Why::Instance,
            (Follow::All, _) => Why::Link,
            (Follow::Concepts, _) => continue,
        };
        found.push(NewUrl { url: link.target.clone(), depth: depth.saturating_add(1), why, hops: 0 });
    }
    found
}

/// The pages that a site's concept labels lead to, each with the concepts' keys. The front page is none:
/// what it lists is not one concept's.
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

/// The concept pages of all sites, as URLs to follow, by site and URL. Their depth is 1: nearly all stand
/// in the front page's menu. The sums do not tell which page showed a label, so one that only concept
/// pages show is taken for as near.
#[must_use]
pub fn concept_links<S: AsRef<SiteSummary>>(taxonomy: &Taxonomy, sites: &[S]) -> Vec<NewUrl> {
    let pages = sites.iter().flat_map(|site| concept_pages(taxonomy, site.as_ref()).into_keys());
    pages.map(|url| NewUrl { url, depth: 1, why: Why::Concept, hops: 0 }).collect()
}

/// The pages that a fold asks for, as URLs to follow. They lie below a concept's, and so count as that much
/// further away: the site's greatest depth bounds how far a site is believed alone.
pub fn asked_links(asked: Vec<(CanonicalUrl, u32)>) -> impl Iterator<Item = NewUrl> {
    let pages = asked.into_iter().filter(|(url, _)| is_page(url));
    pages.map(|(url, level)| NewUrl { url, depth: 1 + level, why: Why::Concept, hops: 0 })
}

/// Whether a URL may be a page, by the end of its path.
#[must_use]
pub fn is_page(url: &CanonicalUrl) -> bool {
    let file = url.path().rsplit('/').next().unwrap_or_default();
    let end = file.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase());
    end.is_none_or(|end| NO_PAGES.binary_search(&end.as_str()).is_err())
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
        let found = at_once(follow, why, 3, &page);
        let short: Vec<_> = found.iter().map(|new| (new.url.path(), new.why)).collect();
        assert_eq!(short, wanted);
        assert!(found.iter().all(|new| new.depth == 4));
    }

    #[test]
    fn instances_come_from_concept_pages_and_everything_if_asked() {
        check(Follow::Concepts, Why::Seed, &[]);
        check(Follow::Concepts, Why::Instance, &[]);
        check(Follow::Concepts, Why::Concept, &[("/one", Why::Instance)]);
        check(Follow::All, Why::Seed, &[("/one", Why::Link), ("/about", Why::Link)]);
        check(Follow::All, Why::Concept, &[("/one", Why::Instance), ("/about", Why::Link)]);
    }

    #[test]
    fn ends_of_files_are_sorted() {
        assert!(NO_PAGES.is_sorted());
    }
}
