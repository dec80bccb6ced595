//! Where a site may keep its feeds and sitemaps.
//!
//! There are three sources, best first: the `link` elements of its pages ([`on_page`]), the `Sitemap:` lines of
//! its robots.txt ([`in_robots`]), and addresses that are usual ([`usual_places`]), for a site that names none.
//! Invariant: a place is only a hint. What is there shows when it is read.

use std::collections::HashSet;

use newslode_page::reading::{NodeId, resolve};
use newslode_page::{CanonicalUrl, Page};

use super::model::Alternate;
use crate::robots::file::sitemaps;

/// Most places taken of a page.
pub const MAX_ON_PAGE: usize = 20;

/// Most places taken of a robots.txt.
pub const MAX_IN_ROBOTS: usize = 1000;

/// More places of a page are not compared with each other.
const MAX_LOOKED_AT: usize = 1000;

/// Most alternates taken of a page.
pub const MAX_ALTERNATES: usize = 100;

/// Content types of feeds in `<link rel=alternate>`.
const FEED_TYPES: [&str; 4] =
    ["application/rss+xml", "application/atom+xml", "application/feed+json", "application/json"];

/// The usual addresses, the most likely first: those of the programs that run most news sites, then names that
/// are chosen by hand.
const USUAL: [(&str, PlaceKind); 11] = [
    ("/feed/", PlaceKind::Feed),
    ("/sitemap.xml", PlaceKind::Map),
    ("/rss", PlaceKind::Feed),
    ("/rss.xml", PlaceKind::Feed),
    ("/sitemap_index.xml", PlaceKind::Map),
    ("/news-sitemap.xml", PlaceKind::Map),
    ("/sitemap-news.xml", PlaceKind::Map),
    ("/atom.xml", PlaceKind::Feed),
    ("/feed.xml", PlaceKind::Feed),
    ("/index.xml", PlaceKind::Feed),
    ("/feed.json", PlaceKind::Feed),
];

/// What a place is said to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlaceKind {
    /// A feed.
    Feed,
    /// A sitemap of any kind.
    Map,
}

/// A place that may hold a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its address.
    pub url: CanonicalUrl,
    /// What is said to be there.
    pub kind: PlaceKind,
}

/// The feeds and sitemaps that a page names in `link` elements, at most [`MAX_ON_PAGE`], in the page's order;
/// feeds of comments come last. They may be on other sites: the page vouches for them.
#[must_use]
pub fn on_page(page: &Page) -> Vec<Place> {
    let mut known = HashSet::new();
    let (mut places, mut comments) = (Vec::new(), Vec::new());
    for node in link_elements(page) {
        let Some(place) = place_of_link(page, node) else { continue };
        if known.len() >= MAX_LOOKED_AT || !known.insert(place.url.clone()) {
            continue;
        }
        if is_of_comments(page, node, &place.url) { comments.push(place) } else { places.push(place) }
    }
    places.append(&mut comments);
    places.truncate(MAX_ON_PAGE);
    places
}

fn link_elements(page: &Page) -> impl Iterator<Item = NodeId> {
    page.tree.node_ids().filter(|&node| page.tree.is_html(node) && page.tree.tag(node) == Some("link"))
}

/// Whether the `rel` of an element names this relation.
fn has_rel(page: &Page, node: NodeId, wanted: &str) -> bool {
    let rels = page.tree.attr(node, "rel").unwrap_or_default();
    rels.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case(wanted))
}

/// The place behind a `link` element.
fn place_of_link(page: &Page, link: NodeId) -> Option<Place> {
    let essence =
        page.tree.attr(link, "type").unwrap_or_default().split(';').next().unwrap_or_default().trim();
    let is_feed = FEED_TYPES.iter().any(|known| known.eq_ignore_ascii_case(essence));
    let kind = match (has_rel(page, link, "sitemap"), has_rel(page, link, "alternate") && is_feed) {
        (true, _) => PlaceKind::Map,
        (false, true) => PlaceKind::Feed,
        (false, false) => return None,
    };
    let url = resolve(&page.base, page.tree.attr(link, "href")?)?;
    // WordPress names each page's own record in its programming interface in the same way.
    (!url.path().starts_with("/wp-json/")).then_some(Place { url, kind })
}

fn is_of_comments(page: &Page, link: NodeId, url: &CanonicalUrl) -> bool {
    let title = page.tree.attr(link, "title").unwrap_or_default().to_ascii_lowercase();
    url.path().contains("/comments/") || title.contains("comments feed")
}

/// Where a page says that it is in other languages (`<link rel=alternate hreflang>`), at most [`MAX_ALTERNATES`], in the
/// page's order.
#[must_use]
pub fn alternates_on_page(page: &Page) -> Vec<Alternate> {
    let attr = |node, name| page.tree.attr(node, name);
    let alternate = |node| {
        let found = Alternate::new(attr(node, "hreflang")?, &page.base, attr(node, "href")?);
        found.filter(|found| found.url != page.url)
    };
    let links = link_elements(page).filter(|&node| has_rel(page, node, "alternate"));
    links.filter_map(alternate).take(MAX_ALTERNATES).collect()
}

/// The sitemaps that a robots.txt names, at most [`MAX_IN_ROBOTS`], each once. `robots` is the address of the
/// file. They may be on other hosts: the file vouches for them.
#[must_use]
pub fn in_robots(file: &[u8], robots: &CanonicalUrl) -> Vec<CanonicalUrl> {
    let base = robots.to_url();
    let mut known = HashSet::new();
    let urls = sitemaps(file).filter(|value| !value.is_empty()).filter_map(|value| resolve(&base, &value));
    urls.filter(|url| known.insert(url.clone())).take(MAX_IN_ROBOTS).collect()
}

/// The usual places on the host of a page, the most likely first: to try on a site that named none.
#[must_use]
pub fn usual_places(page: &CanonicalUrl) -> Vec<Place> {
    let base = page.to_url();
    let place = |(path, kind): (&str, PlaceKind)| Some(Place { url: resolve(&base, path)?, kind });
    USUAL.into_iter().filter_map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(html: &str) -> Vec<String> {
        let url = "https://a.test/news/".parse().unwrap();
        let page = Page::parse(&url, None, html.as_bytes());
        on_page(&page).into_iter().map(|place| format!("{:?} {}", place.kind, place.url)).collect()
    }

    #[test]
    fn pages_name_feeds_and_sitemaps() {
        let html = "<link rel=alternate type='application/rss+xml' title='A &raquo; Comments Feed' href=/a/feed/>\
             <link rel=alternate type=application/rss+xml href=/comments/feed/>\
             <link rel='Alternate home' type='Application/RSS+xml; charset=utf-8' href=' /feed/ '>\
             <link rel=alternate type=application/atom+xml href=atom>\
             <link rel=alternate type=application/atom+xml href=/news/atom#again>\
             <link rel=alternate type=application/feed+json href=https://feeds.test/a.json>\
             <link rel=alternate type=application/json href=/feed.json>\
             <link rel=alternate type=application/json href=/wp-json/wp/v2/posts/1>\
             <link rel=sitemap href=/map.xml>\
             <link rel=alternate hreflang=de href=/de/><link rel=stylesheet href=/x.css>\
             <link rel=alternate type=application/rss+xml href=mailto:x@a.test>\
             <svg><link rel=sitemap href=/svg.xml /></svg>";
        assert_eq!(
            on(html),
            [
                "Feed https://a.test/feed/",
                "Feed https://a.test/news/atom",
                "Feed https://feeds.test/a.json",
                "Feed https://a.test/feed.json",
                "Map https://a.test/map.xml",
                "Feed https://a.test/a/feed/",
                "Feed https://a.test/comments/feed/",
            ]
        );
    }

    #[test]
    fn a_page_names_at_most_twenty() {
        let link = |number| format!("<link rel=alternate type=application/rss+xml href=/{number}>");
        let html: String = (0..99).map(link).collect();
        assert_eq!(on(&html), (0..20).map(|n| format!("Feed https://a.test/{n}")).collect::<Vec<_>>());
    }

    #[test]
    fn robots_names_sitemaps_anywhere() {
        let robots = "https://a.test/robots.txt".parse().unwrap();
        let text = "\u{FEFF}Sitemap: https://a.test/1.xml\r\nUser-agent: *\nDisallow: /\nSITEMAP :https://b.test/2.xml # x\r\
             sitemap: /3.xml\nSitemap:\nSitemap: https://a.test/1.xml\n# Sitemap: https://a.test/4.xml\nSitemap: ftp://a.test/";
        let found: Vec<String> =
            in_robots(text.as_bytes(), &robots).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["https://a.test/1.xml", "https://b.test/2.xml", "https://a.test/3.xml"]);
        let many: String = (0..2000).map(|number| format!("Sitemap: /{number}\n")).collect();
        assert_eq!(in_robots(many.as_bytes(), &robots).len(), MAX_IN_ROBOTS);
        assert_eq!(in_robots(b"Sitemap:/a", &robots).len(), 1);
    }

    #[test]
    fn sitemaps_are_found_under_each_spelling_of_their_name() {
        let robots = "https://a.test/robots.txt".parse().unwrap();
        for line in [
            "Site-map: https://a.test/m.xml",
            "site map:https://a.test/m.xml",
            "Sitemaps : https://a.test/m.xml",
            "Sitemap https://a.test/m.xml",
            "sitemap\thttps://a.test/m.xml # all",
            "SITEMAP /m.xml",
            "Sitemap: //a.test/m.xml",
        ] {
            let found: Vec<String> =
                in_robots(line.as_bytes(), &robots).iter().map(ToString::to_string).collect();
            assert_eq!(found, ["https://a.test/m.xml"], "{line}");
        }
        for prose in [
            "Our sitemap: https://a.test/m.xml",
            "Site Map of everything",
            "sitemap is at https://a.test/m.xml",
        ] {
            assert!(in_robots(prose.as_bytes(), &robots).is_empty(), "{prose}");
        }
    }

    #[test]
    fn the_usual_places_are_on_the_host() {
        let places = usual_places(&"https://www.a.test:8080/news/x?y".parse().unwrap());
        assert_eq!(places.len(), USUAL.len());
        assert_eq!(places[0].url.as_str(), "https://www.a.test:8080/feed/");
        assert!(places.iter().all(|place| place.url.origin() == "https://www.a.test:8080"));
    }

    #[test]
    fn a_page_names_itself_in_other_languages() {
        let html = "<base href=/x/><link rel='alternate nofollow' hreflang=de href=de><link rel=alternate hreflang=x-default href=https://b.test/>\
             <link rel=alternate hreflang=en href=/news/><link rel=alternate href=/no><link hreflang=fr href=/no>\
             <link rel=alternate hreflang='<b>' href=/no><link rel=alternate hreflang=e href=/no>\
             <link rel=alternate hreflang=it href=mailto:x@a.test><link rel=alternate hreflang=it>";
        let found = alternates(html);
        assert_eq!(found, ["de https://a.test/x/de", "x-default https://b.test/"]);
        let many: String = (0..300).map(|n| format!("<link rel=alternate hreflang=de href=/{n}>")).collect();
        assert_eq!(alternates(&many).len(), MAX_ALTERNATES);
    }

    fn alternates(html: &str) -> Vec<String> {
        let page = Page::parse(&"https://a.test/news/".parse().unwrap(), None, html.as_bytes());
        alternates_on_page(&page)
            .into_iter()
            .map(|found| format!("{} {}", found.language, found.url))
            .collect()
    }
}
