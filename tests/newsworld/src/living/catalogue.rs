//! Which listings a site has, what they miss, and how late they are.
//!
//! The front page leaves out some articles and brings old ones back. Sections, feeds and maps each leave out a few.
//! One feed in eight is stale or dead, one news map in ten thin, one in ten stale; sections of a redesigned site
//! are born again at a new address.

use super::chance::Chance;
use super::clock::{DAY, HOUR, MINUTE, SECOND, day, seconds};
use super::listing::{End, Item, Listing, ListingKind, Ticks, Validators};
use super::site::LivingSite;

/// Adverts that come in an hour on the front page of a steady site. Each stays for twenty days, so everybody who reads the page once a
/// day meets all of them.
const ONE_A_DAY: f64 = 1.0 / 24.0;
/// Articles that move later than this are not listed again.
const LISTED_AGAIN: u64 = 12 * HOUR;

/// All listings of a site, the front page first, then the sections.
pub(super) fn listings(site: &LivingSite, chance: &Chance) -> Vec<Listing> {
    let mut all = vec![front(site, chance.fork("front"))];
    let has_trap = chance.fork("trap").happens(0.1);
    let n_sections = site.addresses.topics.len();
    for number in 0..n_sections {
        let traps = if has_trap && number == n_sections - 1 { 5 } else { 0 };
        all.extend(sections(site, number, traps, &chance.fork(&format!("section {number}"))));
    }
    all.extend(feeds(site, &chance.fork("feeds")));
    all.extend(news_map(site, chance.fork("news map")));
    all.extend(map(site, chance.fork("map")));
    all
}

/// An empty listing without habits.
fn blank(kind: ListingKind, path: String, most: usize) -> Listing {
    Listing {
        kind,
        path,
        section: None,
        validators: Validators::None,
        noisy: false,
        born_ms: 0,
        end: None,
        stale_ms: None,
        traps: 0,
        lastmod: false,
        most,
        window_ms: None,
        regen_ms: 0,
        teaser: Ticks::new(0.0, 0),
        junk: Ticks::new(0.0, 0),
        items: Vec::new(),
    }
}

/// Fills a listing with the share `share` of the articles, each `lag` seconds after its publication.
fn fill(
    site: &LivingSite,
    listing: &mut Listing,
    chance: &mut Chance,
    share: f64,
    mut lag: impl FnMut(&mut Chance) -> f64,
) {
    let regen = listing.regen_ms;
    let cached = |at: u64| if regen == 0 { at } else { at.next_multiple_of(regen) };
    for (number, article) in site.articles.iter().enumerate() {
        if listing.section.is_some_and(|section| section != article.section) || !chance.happens(share) {
            continue;
        }
        let at_ms = cached(article.published_ms + seconds(lag(chance)));
        listing.items.push(Item { at_ms, url: number as u32 });
        let second = site.second_url(number).zip(article.moved_ms);
        if let Some((url, moved)) = second
            && listing.kind != ListingKind::Map
            && moved - article.published_ms < LISTED_AGAIN
        {
            listing.items.push(Item { at_ms: cached(moved + MINUTE), url: url as u32 });
        }
    }
    if let Some(stale) = listing.stale_ms {
        listing.items.retain(|item| item.at_ms <= stale);
    }
    listing.items.sort_by_key(|item| item.at_ms);
}

fn front(site: &LivingSite, mut chance: Chance) -> Listing {
    let mut front = blank(ListingKind::Front, "/".to_owned(), 40);
    let share = chance.uniform(0.5, 0.95);
    front.regen_ms = chance.pick(&[0, 30, 60, 180]) * SECOND;
    front.validators = chance.pick(&[Validators::None, Validators::Honest, Validators::None]);
    front.noisy = chance.happens(0.6);
    front.teaser = Ticks::new(chance.uniform(0.2, 4.0), chance.bits());
    if chance.happens(0.15) {
        let (per_hour, bits) = (chance.uniform(0.5, 6.0), chance.bits());
        front.junk = Ticks::new(if site.is_steady { ONE_A_DAY } else { per_hour }, bits);
    }
    let scripted = site.troubles.redesign.filter(|redesign| redesign.script_front);
    front.end = scripted.map(|redesign| (redesign.at_ms, End::Script));
    fill(site, &mut front, &mut chance, share, |c| {
        let mean = if c.happens(0.8) { 90.0 } else { 1_800.0 };
        c.exponential(mean)
    });
    let mut again = Vec::new();
    for item in &front.items {
        if chance.happens(0.03) {
            let later = chance.uniform(3.0, 40.0) * DAY as f64;
            again.push(Item { at_ms: item.at_ms + later as u64, ..*item });
        }
    }
    front.items.extend(again);
    front.items.sort_by_key(|item| item.at_ms);
    front
}

/// The section's page and, on a redesigned site, the one that takes its place.
fn sections(site: &LivingSite, number: usize, traps: usize, chance: &Chance) -> Vec<Listing> {
    let slug = site.addresses.topics[number].slug;
    let mut chance = chance.fork("page");
    let mut page = blank(ListingKind::Section, format!("/{slug}/"), 20);
    page.section = Some(number);
    page.traps = traps;
    page.regen_ms = chance.pick(&[0, 60, 300]) * SECOND;
    page.validators = chance.pick(&[Validators::None, Validators::None, Validators::Honest]);
    // a page whose links differ at each request has no validator that holds
    page.noisy = chance.happens(0.5) || traps > 0;
    page.teaser = Ticks::new(chance.uniform(0.02, 0.5), chance.bits());
    fill(site, &mut page, &mut chance, 0.97, |c| c.exponential(120.0));
    let Some(redesign) = site.troubles.redesign else { return vec![page] };
    let born = Listing { path: format!("/topics/{slug}/"), born_ms: redesign.at_ms, ..page.clone() };
    let end = chance.pick(&[End::Gone, End::Redirect, End::Frozen]);
    vec![Listing { end: Some((redesign.at_ms, end)), ..page }, born]
}

/// One feed of everything or, on four sites in ten that have any, feeds of some sections.
fn feeds(site: &LivingSite, chance: &Chance) -> Vec<Listing> {
    let mut draw = chance.fork("habits");
    if !draw.happens(0.65) {
        return Vec::new();
    }
    let sticky = draw.happens(0.08);
    let usual = draw.pick(&[Validators::Honest, Validators::Honest, Validators::None]);
    let delay = draw.pick(&[0.0, 0.0, 0.0, 600.0, 3_600.0]);
    let ends = draw.happens(0.5);
    let many = draw.rng().between(2, 7).min(site.addresses.topics.len());
    let atom = draw.happens(0.25);
    let one = |section: Option<usize>, mut chance: Chance| {
        let most = if section.is_some() { 20 } else { chance.pick(&[20, 30, 50]) };
        let path = match section {
            Some(number) => format!("/{}/feed/", site.addresses.topics[number].slug),
            None => (if atom { "/atom.xml" } else { "/rss.xml" }).to_owned(),
        };
        let mut feed = blank(ListingKind::Feed, path, most);
        feed.section = section;
        feed.validators = if sticky { Validators::Sticky } else { usual };
        feed.regen_ms = chance.pick(&[0, 300, 900]) * SECOND;
        feed.noisy = chance.happens(0.3);
        match site.troubles.redesign.filter(|_| ends) {
            Some(redesign) => feed.end = Some((redesign.at_ms, End::Gone)),
            None => sicken(&mut feed, &mut chance),
        }
        fill(site, &mut feed, &mut chance, 0.96, |c| delay + c.exponential(90.0));
        feed
    };
    if draw.happens(0.6) {
        return vec![one(None, chance.fork("all"))];
    }
    (0..many).map(|number| one(Some(number), chance.fork(&format!("of section {number}")))).collect()
}

/// Eight feeds in a hundred stop at some day, perhaps before the world began; five never work.
fn sicken(feed: &mut Listing, chance: &mut Chance) {
    let health = chance.uniform(0.0, 1.0);
    if health < 0.08 {
        feed.stale_ms = Some(day(chance.uniform(-30.0, 25.0)));
    } else if health < 0.13 {
        feed.end = Some((0, End::Gone));
    }
}

fn news_map(site: &LivingSite, mut chance: Chance) -> Option<Listing> {
    if !chance.happens(0.55) {
        return None;
    }
    let mut map = blank(ListingKind::NewsMap, "/news-sitemap.xml".to_owned(), 1_000);
    let share = if chance.happens(0.1) { 0.1 } else { 0.97 };
    map.window_ms = Some(2 * DAY);
    map.regen_ms = chance.pick(&[1, 5, 15]) * MINUTE;
    map.validators = chance.pick(&[Validators::Honest, Validators::None, Validators::None]);
    map.stale_ms = chance.happens(0.1).then(|| day(-1.0));
    map.lastmod = chance.happens(0.4);
    fill(site, &mut map, &mut chance, share, |c| c.exponential(60.0));
    Some(map)
}

fn map(site: &LivingSite, mut chance: Chance) -> Option<Listing> {
    if !chance.happens(0.7) {
        return None;
    }
    let mut map = blank(ListingKind::Map, "/sitemap.xml".to_owned(), 50_000);
    map.regen_ms = chance.pick(&[HOUR, DAY, DAY]);
    fill(site, &mut map, &mut chance, 0.99, |_| 0.0);
    Some(map)
}
