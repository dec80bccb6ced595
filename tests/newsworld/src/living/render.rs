//! HTML of a living site: small pages that look like what they are.
//!
//! Every page has the menu of sections, a main part and a footer. Menus are made once; headlines and addresses are
//! made at each request from the numbers of the articles. Sizes, at most: front page 16 KiB, section 10 KiB,
//! article 12 KiB (a live blog 40 KiB), others 6 KiB.

use super::clock::{MINUTE, rfc3339};
use super::listing::{Listing, ListingKind, State};
use super::site::{LivingSite, SharedHtml};
use newslode_demo_world::Rng;

/// Headlines in the first list of a front page.
const TOP: usize = 10;
/// Links to partners on a front page that has any.
const PARTNERS: u64 = 20;
/// Latest articles beside an article.
const LATEST: usize = 6;
/// Age from which an article is among the latest.
const LATEST_AGE: u64 = 5 * MINUTE;

/// The HTML that all pages of a site share. The listings must be known, because menus and heads link to them.
pub(super) fn shared_html(site: &LivingSite) -> SharedHtml {
    let redesign = site.troubles.redesign.map_or(0, |redesign| redesign.at_ms);
    let feeds = site.listings.iter().filter(|listing| listing.kind == ListingKind::Feed);
    let home = site.href("/");
    let footer = [
        "</main>\n<footer><p>© ",
        &site.name,
        "</p> <a href=\"/about/\">About us</a> <a href=\"/private/archive/\">Subscribers’ archive</a></footer>\n\
         </body></html>\n",
    ];
    SharedHtml {
        menus: [0, redesign].map(|at| menu(site, &home, at)),
        feeds: feeds.map(|feed| alternate(site, feed)).collect(),
        footer: footer.concat(),
    }
}

fn menu(site: &LivingSite, home: &str, at_ms: u64) -> String {
    let mut out = String::with_capacity(2_048);
    push(&mut out, &["<header><a href=\"", home, "\">", &site.name, "</a>\n<nav><ul>"]);
    for listing in &site.listings {
        if let (ListingKind::Section, Some(section)) = (listing.kind, listing.section)
            && listing.is_alive(at_ms)
        {
            let label = site.addresses.topics[section].label;
            push(&mut out, &["<li><a href=\"", &site.href(&listing.path), "\">", label, "</a></li>\n"]);
        }
    }
    out.push_str("</ul></nav></header>\n<main>\n");
    out
}

fn alternate(site: &LivingSite, feed: &Listing) -> String {
    let kind = if is_atom(feed) { "atom" } else { "rss" };
    let label = feed.section.map_or("All stories", |section| site.addresses.topics[section].label);
    let href = site.href(&feed.path);
    format!("<link rel=\"alternate\" type=\"application/{kind}+xml\" title=\"{label}\" href=\"{href}\">\n")
}

/// Whether a feed is Atom and not RSS.
pub(super) fn is_atom(feed: &Listing) -> bool {
    feed.path.ends_with("atom.xml")
}

/// Appends the parts.
pub(super) fn push(out: &mut String, parts: &[&str]) {
    for part in parts {
        out.push_str(part);
    }
}

/// The URL numbers that a listing shows, newest first, each once.
pub(super) fn urls(listing: &Listing, state: &State) -> Vec<usize> {
    let mut urls: Vec<usize> = Vec::with_capacity(state.items.len());
    for item in listing.items()[state.items.clone()].iter().rev() {
        // only front pages show a story twice, and they are short
        if listing.kind != ListingKind::Front || !urls.contains(&(item.url as usize)) {
            urls.push(item.url as usize);
        }
    }
    urls
}

/// The front page.
pub(super) fn front(site: &LivingSite, listing: &Listing, state: &State, now_ms: u64) -> String {
    let mut out = open(site, now_ms, &site.name, &site.shared_html.feeds);
    teaser(&mut out, site, state);
    let urls = urls(listing, state);
    let (top, more) = urls.split_at(urls.len().min(TOP));
    list(&mut out, site, "Top stories", top);
    list(&mut out, site, "More news", more);
    if listing.junk.is_some() {
        out.push_str("<aside><h2>From our partners</h2>\n<ul>");
        for number in (state.junk.saturating_sub(PARTNERS - 1)..=state.junk).rev() {
            let number = number.to_string();
            let href = site.href(&format!("/partner/offer-{number}"));
            push(
                &mut out,
                &["<li><a href=\"", &href, "\">Offer ", &number, " ends tonight, save now</a></li>\n"],
            );
        }
        out.push_str("</ul></aside>\n");
    }
    close(out, site, listing.noisy.then_some(now_ms))
}

/// Page `page` of a section; `next` if there is one behind it.
pub(super) fn section(
    site: &LivingSite,
    listing: &Listing,
    state: &State,
    (page, next): (usize, bool),
    now_ms: u64,
) -> String {
    let label = listing.section.map_or("News", |section| site.addresses.topics[section].label);
    let feeds = site.listings.iter().filter(|feed| feed.kind == ListingKind::Feed);
    let own = feeds.filter(|feed| feed.section.is_none_or(|section| Some(section) == listing.section));
    let mut out = open(site, now_ms, label, &own.map(|feed| alternate(site, feed)).collect::<String>());
    teaser(&mut out, site, state);
    push(&mut out, &["<h1>", label, "</h1>\n<ul>"]);
    for url in urls(listing, state) {
        entry(&mut out, site, url);
    }
    out.push_str("</ul>\n");
    if next {
        let href = site.href(&format!("{}?page={}", listing.path, page + 1));
        push(&mut out, &["<p><a rel=\"next\" href=\"", &href, "\">Older stories</a></p>\n"]);
    }
    if listing.traps > 0 {
        traps(&mut out, site, listing, now_ms);
    }
    close(out, site, listing.noisy.then_some(now_ms))
}

/// Links with a new session number at each visit; with a constant one on a steady site.
fn traps(out: &mut String, site: &LivingSite, listing: &Listing, now_ms: u64) {
    out.push_str("<h2>Events</h2>\n<ul>");
    let mut rng = Rng::new(if site.is_steady { site.seed } else { site.seed ^ now_ms });
    for nth in 1..=listing.traps {
        let path = format!("/events/?day={nth}&amp;sid={:012x}", rng.next_u64() >> 16);
        push(out, &["<li><a href=\"", &site.href(&path), "\">Calendar of the day</a></li>\n"]);
    }
    out.push_str("</ul>\n");
}

/// An article under one of its addresses.
pub(super) fn article(site: &LivingSite, url: usize, now_ms: u64) -> String {
    let number = site.article_of(url);
    let facts = &site.articles[number];
    let source = site.source(number);
    let (headline, version) = (site.headline(url), facts.version(now_ms));
    let canonical = format!("http://{}{}", site.host, site.path_with(url, &headline));
    let published = rfc3339(facts.published_ms);
    let mut head = String::with_capacity(600);
    push(&mut head, &["<link rel=\"canonical\" href=\"", &canonical, "\">\n"]);
    let mut property = |name: &str, value: &str| {
        push(&mut head, &["<meta property=\"", name, "\" content=\"", value, "\">\n"]);
    };
    property("og:type", "article");
    property("og:title", &headline);
    property("og:url", &canonical);
    property("article:published_time", &published);
    property("article:section", source.topic.label);
    if let Some(&edited) = version.checked_sub(1).and_then(|last| facts.edits_ms.get(last)) {
        property("article:modified_time", &rfc3339(edited));
    }
    let mut out = open(site, now_ms, &headline, &head);
    push(&mut out, &["<article>\n<h1>", &headline, "</h1>\n<p class=\"byline\">By ", &source.author()]);
    let shown = published[..16].replace('T', " ");
    push(&mut out, &[", <time datetime=\"", &published, "\">", &shown, "</time></p>\n"]);
    for text in paragraphs(site, number, version) {
        push(&mut out, &["<p>", &text, "</p>\n"]);
    }
    out.push_str("</article>\n");
    if site.latest {
        list(&mut out, site, "Latest", &latest(site, now_ms));
    }
    close(out, site, site.noisy.then_some(now_ms))
}

/// The paragraphs after `version` edits. An edit writes the next paragraph anew; that of a live blog adds one.
fn paragraphs(site: &LivingSite, number: usize, version: usize) -> Vec<String> {
    let source = site.source(number);
    let n = source.n_paragraphs();
    if site.articles[number].live {
        let updates = (n..n + version).rev();
        return updates.chain(0..n).map(|place| source.paragraph(place, 0)).collect();
    }
    // edits 0, n, 2n … concern the first paragraph
    (0..n).map(|place| source.paragraph(place, (version + n - 1 - place) / n)).collect()
}

/// The six latest articles, newest first, under their first addresses.
pub(super) fn latest(site: &LivingSite, now_ms: u64) -> Vec<usize> {
    let count = site.articles.partition_point(|article| article.published_ms + LATEST_AGE <= now_ms);
    let stays = |&number: &usize| site.articles[number].moved_ms.is_none_or(|moved| now_ms < moved);
    (count.saturating_sub(LATEST)..count).rev().filter(stays).collect()
}

/// A page that is no news: a heading and a sentence.
pub(super) fn plain(site: &LivingSite, now_ms: u64, title: &str, text: &str) -> String {
    let mut out = open(site, now_ms, title, "");
    push(&mut out, &["<h1>", title, "</h1>\n<p>", text, "</p>\n"]);
    close(out, site, None)
}

/// A page that stands in the way of all others.
pub(super) fn wall(site: &LivingSite) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Before you continue</title></head>\n\
         <body><h1>{} and your privacy</h1>\n<form method=\"post\" action=\"/consent\">\
         <button name=\"all\">Accept all</button> <button name=\"none\">Reject all</button></form></body></html>\n",
        site.name
    )
}

/// A page that shows nothing without scripts.
pub(super) fn script(site: &LivingSite) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title></head>\n\
         <body><div id=\"root\"></div><noscript>Please enable JavaScript.</noscript>\
         <script src=\"/app.js\"></script></body></html>\n",
        site.name
    )
}

fn open(site: &LivingSite, now_ms: u64, title: &str, head: &str) -> String {
    let mut out = String::with_capacity(16 * 1_024);
    out.push_str("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
    push(&mut out, &[title, "</title>\n", head, "</head>\n<body>\n"]);
    out.push_str(&site.shared_html.menus[usize::from(site.troubles.is_redesigned(now_ms))]);
    out
}

/// Ends a page; with `noise` it differs from the same page at another time.
fn close(mut out: String, site: &LivingSite, noise: Option<u64>) -> String {
    if let Some(now_ms) = noise {
        let token = Rng::new(site.seed ^ now_ms).next_u64();
        out.push_str(&format!(
            "<form action=\"/search\"><input name=\"q\"><input type=\"hidden\" name=\"token\" value=\"{token:016x}\"></form>\n"
        ));
    }
    out.push_str(&site.shared_html.footer);
    out
}

/// A line that changes without news.
fn teaser(out: &mut String, site: &LivingSite, state: &State) {
    let degrees = Rng::new(site.seed ^ state.teaser).below(30).to_string();
    let number = (state.teaser % 10_000).to_string();
    push(out, &["<p>Weather report ", &number, ": ", &degrees, " °C</p>\n"]);
}

fn list(out: &mut String, site: &LivingSite, heading: &str, urls: &[usize]) {
    push(out, &["<section><h2>", heading, "</h2>\n<ul>"]);
    for &url in urls {
        entry(out, site, url);
    }
    out.push_str("</ul></section>\n");
}

fn entry(out: &mut String, site: &LivingSite, url: usize) {
    let headline = site.headline(url);
    let href = site.href(&site.path_with(url, &headline));
    push(out, &["<li><a href=\"", &href, "\">", &headline, "</a></li>\n"]);
}
