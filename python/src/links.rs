//! `links` and `feeds`: where a page leads.

use std::collections::HashSet;

use newslode_crawler::listing::discover::{Place, PlaceKind, on_page};
use newslode_page::Page;
use newslode_page::discovery::{LinkRole, judged_links};
use newslode_page::reading::links as links_of;
use pyo3::prelude::*;

use crate::guard::guarded;
use crate::input::{Address, Given, Html, NO_HOST};

/// Most links of a page.
const MOST_LINKS: usize = 50_000;
/// Most feeds that are found by links.
const MOST_LINKED_FEEDS: usize = 50;
/// Ends of paths of feeds.
const FEED_ENDS: [&str; 7] = ["/feed", "/rss", "/atom", ".rss", ".atom", "/rss.xml", "/feed.xml"];
/// Words, one of which names a feed in the text of a link.
const FEED_WORDS: [&str; 3] = ["rss", "atom", "rss-feed"];

/// The links of a page, in page order: elements `a` and `area` that lead to a web page. One address may come several times.
///
/// >>> import newslode
/// >>> page = '<a href=/sport/>Sport</a><h3><a href=/s/1>Harbour town wins the cup at last</a></h3><a href=https://b.example/>B</a>'
/// >>> [(link.kind, link.url, link.is_internal) for link in newslode.links(page, "https://a.example/")]
/// [('section', 'https://a.example/sport/', True), ('article', 'https://a.example/s/1', True), ('other', 'https://b.example/', False)]
#[pyfunction]
#[pyo3(signature = (html, url=None, *, content_type=None))]
#[allow(clippy::needless_pass_by_value, reason = "arguments come by value from Python")]
pub(crate) fn links(
    py: Python<'_>,
    html: Html,
    url: Option<Address>,
    content_type: Option<String>,
) -> PyResult<Vec<Link>> {
    let given = Given::new(html, url, content_type);
    guarded(py, || {
        let page = given.parse();
        let site = page.url.site();
        let link = |(link, role): (newslode_page::reading::Link, LinkRole)| Link {
            is_internal: link.target.site() == site,
            url: link.target.as_str().to_owned(),
            text: link.text,
            kind: role.name(),
            nofollow: link.rel_nofollow,
        };
        let judged = judged_links(&page).into_iter();
        // Without the page's address, relative links lead nowhere.
        judged.filter(|(link, _)| link.target.host() != NO_HOST).take(MOST_LINKS).map(link).collect()
    })
}

/// The feeds and sitemaps that a page names in its head, then those that its links seem to lead to: by an address such as
/// `/feed/` or `news.rss`, or a text such as "RSS". Each address comes once.
///
/// >>> import newslode
/// >>> page = '<link rel=alternate type=application/rss+xml title=News href=/feed/><a href=/sport.rss>Sport</a>'
/// >>> [(feed.url, feed.title, feed.is_declared) for feed in newslode.feeds(page, "https://a.example/")]
/// [('https://a.example/feed/', 'News', True), ('https://a.example/sport.rss', 'Sport', False)]
#[pyfunction]
#[pyo3(signature = (html, url=None, *, content_type=None))]
#[allow(clippy::needless_pass_by_value, reason = "arguments come by value from Python")]
pub(crate) fn feeds(
    py: Python<'_>,
    html: Html,
    url: Option<Address>,
    content_type: Option<String>,
) -> PyResult<Vec<Feed>> {
    let given = Given::new(html, url, content_type);
    guarded(py, || feeds_of(&given.parse()))
}

fn feeds_of(page: &Page) -> Vec<Feed> {
    let tree = &page.tree;
    let titles: Vec<(String, String)> = tree
        .node_ids()
        .filter(|&node| tree.tag(node) == Some("link"))
        .filter_map(|node| {
            Some((page.target(node)?.as_str().to_owned(), tree.attr(node, "title")?.trim().to_owned()))
        })
        .collect();
    let declared = |Place { url, kind }: Place| {
        let url = url.as_str().to_owned();
        let title = titles.iter().find(|(of, title)| *of == url && !title.is_empty());
        let kind = if kind == PlaceKind::Map { "sitemap" } else { "feed" };
        Feed { title: title.map(|(_, title)| title.clone()), url, kind, is_declared: true }
    };
    let places = on_page(page).into_iter().filter(|place| place.url.host() != NO_HOST);
    let mut feeds: Vec<Feed> = places.map(declared).collect();
    let mut known: HashSet<String> = feeds.iter().map(|feed| feed.url.clone()).collect();
    let linked = links_of(tree, &page.leaves, &page.url.to_url()).into_iter();
    let linked = linked
        .filter(|link| link.target.host() != NO_HOST && looks_like_feed(link.target.path(), &link.text));
    for link in linked.filter(|link| known.insert(link.target.as_str().to_owned())).take(MOST_LINKED_FEEDS) {
        let title = (!link.text.is_empty()).then_some(link.text);
        feeds.push(Feed { url: link.target.as_str().to_owned(), title, kind: "feed", is_declared: false });
    }
    feeds
}

/// Whether a link may lead to a feed.
fn looks_like_feed(path: &str, text: &str) -> bool {
    let path = path.split('?').next().unwrap_or_default().trim_end_matches('/').to_ascii_lowercase();
    let is_named = || {
        text.to_lowercase()
            .split(|c: char| !c.is_alphanumeric() && c != '-')
            .any(|word| FEED_WORDS.contains(&word))
    };
    FEED_ENDS.iter().any(|end| path.ends_with(end)) || text.len() <= 60 && is_named()
}

/// A link of a page; see `links`.
#[pyclass(frozen, eq, module = "newslode", name = "Link")]
#[derive(Clone, PartialEq)]
pub(crate) struct Link {
    /// Where it leads: a canonical address.
    #[pyo3(get)]
    url: String,
    /// Its text; empty for a picture.
    #[pyo3(get)]
    text: String,
    /// What it may lead to, by text and address alone: `"article"`, `"section"`, `"next"` (the next page of a list) or
    /// `"other"`. Links to other sites are always `"other"`.
    #[pyo3(get)]
    kind: &'static str,
    /// Whether it leads to the same site: the same registrable domain.
    #[pyo3(get)]
    is_internal: bool,
    /// Whether it asks crawlers not to follow it.
    #[pyo3(get)]
    nofollow: bool,
}

#[pymethods]
impl Link {
    fn __hash__(&self) -> isize {
        crate::value::hash(&self.url)
    }

    fn __repr__(&self) -> String {
        format!("<Link {} {}>", self.kind, self.url)
    }
}

/// A feed or sitemap; see `feeds`.
#[pyclass(frozen, eq, module = "newslode", name = "Feed")]
#[derive(Clone, PartialEq)]
pub(crate) struct Feed {
    /// Its address.
    #[pyo3(get)]
    url: String,
    /// What the page calls it.
    #[pyo3(get)]
    title: Option<String>,
    /// `"feed"` or `"sitemap"`.
    #[pyo3(get)]
    kind: &'static str,
    /// Whether the page declares it in a `link` element. Otherwise a link looks as if it led to one.
    #[pyo3(get)]
    is_declared: bool,
}

#[pymethods]
impl Feed {
    fn __hash__(&self) -> isize {
        crate::value::hash(&self.url)
    }

    fn __repr__(&self) -> String {
        format!("<Feed {}>", self.url)
    }
}
