//! What machines read: feeds, news maps, sitemaps and robots.txt.
//!
//! A sitemap of more than 5,000 addresses in the whole life of its world is an index of parts; a part never loses an
//! address, and only the last one grows. Sizes, at most: feed 40 KiB, news map 640 KiB, part of a sitemap 1 MiB.

use super::clock::{http, rfc3339};
use super::listing::{Listing, ListingKind, State};
use super::render::{is_atom, push, urls};
use super::site::LivingSite;
use super::trouble::MishapKind;

/// Addresses in one file of a sitemap.
pub(super) const PART: usize = 5_000;

const PROLOGUE: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
const SITEMAP: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";

/// robots.txt.
pub(super) fn robots(site: &LivingSite) -> String {
    let mut out = "User-agent: *\nDisallow: /private/\n".to_owned();
    if site.delay_ms > 1_000 {
        out.push_str(&format!("Crawl-delay: {}\n", site.delay_ms / 1_000));
    }
    for map in site.listings.iter().filter(|l| matches!(l.kind, ListingKind::NewsMap | ListingKind::Map)) {
        push(&mut out, &["Sitemap: http://", &site.host, &map.path, "\n"]);
    }
    out
}

/// An RSS or Atom feed.
pub(super) fn feed(site: &LivingSite, listing: &Listing, state: &State, now_ms: u64) -> String {
    let label = listing.section.map_or("", |section| site.addresses.topics[section].label);
    let title = format!("{} {label}", site.name);
    let mut out = String::with_capacity(24 * 1_024);
    if site.has_mishap(MishapKind::FeedJunk, now_ms) {
        out.push_str("<br />\n<b>Warning</b>:  Undefined variable $thumb in <b>/srv/feed.php</b> on line <b>12</b><br />\n");
    }
    out.push_str(PROLOGUE);
    if is_atom(listing) {
        push(
            &mut out,
            &["<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>", title.trim_end(), "</title>"],
        );
        push(&mut out, &["<id>http://", &site.host, &listing.path, "</id>"]);
        push(&mut out, &["<updated>", &rfc3339(state.changed_ms), "</updated>\n"]);
    } else {
        push(&mut out, &["<rss version=\"2.0\"><channel><title>", title.trim_end(), "</title>"]);
        push(&mut out, &["<link>http://", &site.host, "/</link><description>News</description>\n"]);
    }
    for url in urls(listing, state) {
        entry(&mut out, site, url, is_atom(listing));
    }
    out.push_str(if is_atom(listing) { "</feed>\n" } else { "</channel></rss>\n" });
    noise(out, listing, now_ms)
}

fn entry(out: &mut String, site: &LivingSite, url: usize, is_atom: bool) {
    let number = site.article_of(url);
    let headline = site.headline(url);
    let link = format!("http://{}{}", site.host, site.path_with(url, &headline));
    let (published, text) = (site.articles[number].published_ms, site.source(number).summary());
    if is_atom {
        push(out, &["<entry><title>", &headline, "</title><link href=\"", &link, "\"/><id>", &link, "</id>"]);
        let date = rfc3339(published);
        push(out, &["<published>", &date, "</published><updated>", &date, "</updated>"]);
        push(out, &["<summary>", &text, "</summary></entry>\n"]);
    } else {
        push(out, &["<item><title>", &headline, "</title><link>", &link, "</link><guid>", &link, "</guid>"]);
        push(out, &["<pubDate>", &http(published), "</pubDate>"]);
        push(out, &["<description>", &text, "</description></item>\n"]);
    }
}

/// A news sitemap.
pub(super) fn news_map(site: &LivingSite, listing: &Listing, state: &State, now_ms: u64) -> String {
    let mut out = String::with_capacity(64 * 1_024);
    const NEWS: &str = "http://www.google.com/schemas/sitemap-news/0.9";
    push(&mut out, &[PROLOGUE, "<urlset xmlns=\"", SITEMAP, "\" xmlns:news=\"", NEWS, "\">\n"]);
    let made = listing.made_ms(now_ms);
    for url in urls(listing, state) {
        let facts = &site.articles[site.article_of(url)];
        let headline = site.headline(url);
        push(&mut out, &["<url><loc>http://", &site.host, &site.path_with(url, &headline), "</loc>"]);
        if listing.lastmod {
            let edits = &facts.edits_ms[..facts.version(made)];
            let changed = edits.last().copied().unwrap_or(facts.published_ms);
            push(&mut out, &["<lastmod>", &rfc3339(changed), "</lastmod>"]);
        }
        push(&mut out, &["<news:news><news:publication><news:name>", &site.name, "</news:name>"]);
        out.push_str("<news:language>en</news:language></news:publication>");
        push(
            &mut out,
            &["<news:publication_date>", &rfc3339(facts.published_ms), "</news:publication_date>"],
        );
        push(&mut out, &["<news:title>", &headline, "</news:title></news:news></url>\n"]);
    }
    out.push_str("</urlset>\n");
    noise(out, listing, now_ms)
}

/// Whether a sitemap is an index of parts.
pub(super) fn has_parts(listing: &Listing) -> bool {
    listing.items().len() > PART
}

/// The path of a part, from 1.
pub(super) fn part_path(part: usize) -> String {
    format!("/sitemap-{part}.xml")
}

/// An index of the parts of a sitemap that hold anything yet.
pub(super) fn index(site: &LivingSite, listing: &Listing, state: &State, now_ms: u64) -> String {
    let is_dated = !site.has_mishap(MishapKind::UndatedIndex, now_ms);
    let mut out = format!("{PROLOGUE}<sitemapindex xmlns=\"{SITEMAP}\">\n");
    let items = &listing.items()[state.items.clone()];
    for (nth, part) in items.chunks(PART).enumerate() {
        push(&mut out, &["<sitemap><loc>http://", &site.host, &part_path(nth + 1), "</loc>"]);
        let newest = part.last().map_or(state.changed_ms, |item| item.at_ms);
        if is_dated {
            push(&mut out, &["<lastmod>", &rfc3339(newest), "</lastmod>"]);
        }
        out.push_str("</sitemap>\n");
    }
    out.push_str("</sitemapindex>\n");
    out
}

/// A part of a sitemap, from 1, or nothing if it does not exist yet. The first one always does.
pub(super) fn part(site: &LivingSite, listing: &Listing, state: &State, part: usize) -> Option<String> {
    let items = &listing.items()[state.items.clone()];
    let from = part.checked_sub(1)?.checked_mul(PART)?;
    let items = items.get(from..items.len().min(from.saturating_add(PART)))?;
    if items.is_empty() && part > 1 {
        return None;
    }
    let mut out = String::with_capacity(items.len() * 128);
    push(&mut out, &[PROLOGUE, "<urlset xmlns=\"", SITEMAP, "\">\n"]);
    for item in items {
        push(&mut out, &["<url><loc>http://", &site.host, &site.path(item.url as usize), "</loc></url>\n"]);
    }
    out.push_str("</urlset>\n");
    Some(out)
}

fn noise(mut out: String, listing: &Listing, now_ms: u64) -> String {
    if listing.noisy {
        push(&mut out, &["<!-- made in ", &(now_ms % 9_973).to_string(), " µs -->\n"]);
    }
    out
}
