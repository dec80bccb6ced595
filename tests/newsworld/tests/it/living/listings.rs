//! What listings show, and how they answer conditional requests.

use std::collections::BTreeSet;

use newslode_newsworld::living::clock::{DAY, HOUR, MINUTE};
use newslode_newsworld::living::{
    Answer, Ask, Listing, ListingKind, LivingSite, LivingSpec, LivingWorld, PAGES_BEHIND, Validators,
};
use newslode_newsworld::{Reply, Rng};

use super::{days, get, links, month, path, short, text};

fn digest(spec: &LivingSpec) -> String {
    let world = LivingWorld::generate(spec);
    let mut hasher = blake3::Hasher::new();
    for site in world.sites() {
        for step in 0..12 {
            let now = world.start() + step * 5 * HOUR;
            for path in site.listings.iter().map(|listing| listing.path.as_str()).chain(["/robots.txt"]) {
                hasher.update(format!("{:?}", world.answer(&Ask::plain(&site.host, path), now)).as_bytes());
            }
        }
        for article in (0..site.articles.len()).step_by(7) {
            for (address, from) in site.addresses_of(article) {
                let path = path(site, &address);
                let answer = world.answer(&Ask::plain(&site.host, path), from + 9 * HOUR);
                hasher.update(format!("{answer:?}").as_bytes());
            }
        }
    }
    hasher.finalize().to_hex().to_string()
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_does_not() {
    let spec = LivingSpec { world: 5, sites: 6, days: 3, mishaps: false, ..LivingSpec::default() };
    let first = digest(&spec);
    assert_eq!(first, digest(&spec));
    assert_ne!(first, digest(&LivingSpec { world: 6, ..spec }));
}

#[test]
fn the_links_of_a_steady_site_do_not_depend_on_the_hour_of_a_visit() {
    // Adverts and calendar pages that a look at each hour of a day shows, a site that has any.
    let strange_links = |is_steady: bool| {
        let world = LivingWorld::generate(&LivingSpec {
            world: 2,
            sites: 20,
            days: 2,
            mishaps: false,
            is_steady,
            ..LivingSpec::default()
        });
        let (mut adverts, mut calendars) = (BTreeSet::new(), BTreeSet::new());
        for site in world.sites() {
            let is_page = |listing: &&Listing| {
                matches!(listing.kind, ListingKind::Front | ListingKind::Section) && listing.born_ms == 0
            };
            for listing in site.listings.iter().filter(is_page) {
                for hour in 0..24 {
                    let ask = Ask::plain(&site.host, &listing.path);
                    let Answer::Reply(reply) = world.answer(&ask, world.start() + hour * HOUR) else {
                        continue;
                    };
                    for link in links(site, &reply) {
                        match link {
                            link if link.starts_with("/partner/") => adverts.insert((site.number, link)),
                            link if link.starts_with("/events/") => calendars.insert((site.number, link)),
                            _ => false,
                        };
                    }
                }
            }
        }
        let with = |found: &BTreeSet<(usize, String)>| {
            found.iter().map(|(site, _)| *site).collect::<BTreeSet<_>>().len()
        };
        (adverts.len() / with(&adverts).max(1), calendars.len() / with(&calendars).max(1))
    };
    let (adverts, calendars) = strange_links(true);
    assert!((20..=21).contains(&adverts) && calendars == 5, "{adverts} {calendars}: one more a day");
    let (adverts, calendars) = strange_links(false);
    assert!(adverts > 30 && calendars > 60, "{adverts} {calendars}");
}

#[test]
fn a_longer_world_changes_nothing_before() {
    let spec = LivingSpec { world: 5, sites: 6, days: 3, mishaps: false, ..LivingSpec::default() };
    let (short, long) =
        (LivingWorld::generate(&spec), LivingWorld::generate(&LivingSpec { days: 9, ..spec }));
    let now = short.end() - 1;
    for (site, longer) in short.sites().iter().zip(long.sites()) {
        assert!(longer.articles.len() > site.articles.len());
        for listing in &site.listings {
            // whether a sitemap has parts depends on its final size
            if listing.kind != ListingKind::Map {
                let ask = Ask::plain(&site.host, &listing.path);
                assert_eq!(short.answer(&ask, now), long.answer(&ask, now), "{}{}", site.host, listing.path);
            }
        }
    }
}

#[test]
fn a_listing_shows_no_article_before_its_publication_and_no_address_before_it_holds() {
    let world = short();
    let mut shown = 0;
    for site in world.sites() {
        for listing in &site.listings {
            for step in 0..20 {
                let now = world.start() + step * 5 * HOUR + 7 * MINUTE;
                let Answer::Reply(reply) = world.answer(&Ask::plain(&site.host, &listing.path), now) else {
                    continue;
                };
                for link in links(site, &reply) {
                    let Some((number, article)) = world.article_of(&site.host, &link) else { continue };
                    assert_eq!(number, site.number);
                    let addresses = site.addresses_of(article);
                    let (address, from) =
                        addresses.iter().find(|(address, _)| path(site, address) == link).unwrap();
                    assert!(*from <= now, "{address} in {} at {now}", listing.path);
                    shown += 1;
                }
            }
        }
    }
    assert!(shown > 50_000, "{shown} links");
}

#[test]
fn a_working_listing_shows_each_of_its_articles_after_it_appeared() {
    let world = short();
    let site = &world.sites()[6];
    for listing in site.listings.iter().filter(|listing| listing.end.is_none()) {
        for item in listing.items().iter().filter(|item| item.at_ms < world.end()).step_by(9) {
            if site.troubles.outage(item.at_ms).is_some() || item.url as usize >= site.articles.len() {
                continue;
            }
            let reply = get(&world, site, &listing.path, item.at_ms);
            let found: BTreeSet<String> = links(site, &reply).into_iter().collect();
            let (address, _) = &site.addresses_of(item.url as usize)[0];
            assert!(found.contains(path(site, address)), "{address} is not in {}", listing.path);
        }
    }
}

/// How a listing answered a visitor with validators.
#[derive(Debug, Default)]
struct Watched {
    asked: usize,
    /// Answers with status 304.
    unchanged: usize,
    /// Those of them that hid a change.
    lies: usize,
    /// Answers with the bytes that the visitor had.
    repeats: usize,
}

/// Asks for a listing every few minutes of a day, with the validators of the last answer that had a body.
fn watch(world: &LivingWorld, site: &LivingSite, path: &str, by_date: bool) -> Watched {
    let mut watched = Watched::default();
    let mut last: Option<Reply> = None;
    let mut rng = Rng::new(1);
    let mut now = world.start();
    while now < world.start() + DAY {
        now += rng.between(20, 1_200) as u64 * 1_000;
        if site.troubles.outage(now).is_some() {
            continue;
        }
        let header = |name| last.as_ref().and_then(|reply| reply.header(name));
        let (tag, date) = (header("etag"), header("last-modified"));
        let ask = Ask {
            if_none_match: tag.filter(|_| !by_date),
            if_modified_since: date,
            ..Ask::plain(&site.host, path)
        };
        let Answer::Reply(reply) = world.answer(&ask, now) else { panic!("no answer at {now}") };
        watched.asked += 1;
        if reply.status == 304 {
            assert!(reply.body.is_empty());
            watched.unchanged += 1;
            let full = get(world, site, path, now);
            watched.lies += usize::from(last.as_ref().is_some_and(|last| last.body != full.body));
        } else {
            assert_eq!(reply.status, 200);
            watched.repeats += usize::from(last.as_ref().is_some_and(|last| last.body == reply.body));
            last = Some(reply);
        }
    }
    watched
}

#[test]
fn honest_listings_answer_304_when_and_only_when_nothing_changed() {
    let world = month();
    let mut seen = BTreeSet::new();
    for site in world.sites().iter().filter(|site| site.troubles.block.is_none()) {
        let all = site.number % 8 == 3;
        let works = |l: &&Listing| l.born_ms == 0 && l.end.is_none_or(|(at, _)| at > 0);
        for listing in site.listings.iter().filter(works).filter(|l| all || l.kind == ListingKind::Front) {
            for by_date in [false, true] {
                let watched = watch(&world, site, &listing.path, by_date);
                let name = format!("{}{} {watched:?}", site.host, listing.path);
                match (listing.validators, listing.noisy) {
                    (Validators::None, _) | (Validators::Honest, true) => {
                        assert_eq!(watched.unchanged, 0, "{name}");
                    }
                    (Validators::Honest, false) => {
                        assert_eq!(watched.lies, 0, "{name}");
                        // a date is not given in the second of a change, and a map with dates may know of edits
                        assert!(watched.repeats == 0 || by_date || listing.lastmod, "{name}");
                        if watched.unchanged > 0 {
                            seen.insert((listing.kind, by_date));
                        }
                    }
                    (Validators::Sticky, _) => {}
                }
            }
        }
    }
    for kind in [ListingKind::Front, ListingKind::Section, ListingKind::Feed] {
        assert!(seen.contains(&(kind, false)) && seen.contains(&(kind, true)), "{kind:?} {seen:?}");
    }
}

#[test]
fn sticky_feeds_answer_304_whatever_happened() {
    let world = month();
    let mut feeds = 0;
    for site in world.sites().iter().filter(|site| site.rate > 1.5) {
        let sticky =
            |l: &&Listing| l.validators == Validators::Sticky && l.end.is_none() && l.stale_ms.is_none();
        for listing in site.listings.iter().filter(sticky) {
            let watched = watch(&world, site, &listing.path, false);
            assert_eq!(watched.unchanged, watched.asked - 1, "{}{}", site.host, listing.path);
            feeds += usize::from(watched.lies > 0);
        }
    }
    assert!(feeds > 0, "no sticky feed lied");
}

#[test]
fn the_pages_behind_a_section_continue_it() {
    let world = month();
    let now = days(&world, 14.0) + 7 * MINUTE;
    let site = world.sites().iter().rev().find(|site| site.paged && site.troubles.block.is_none()).unwrap();
    let section = site.listings.iter().find(|l| l.kind == ListingKind::Section).unwrap();
    let (mut next, mut stories, mut pages) = (Some(section.path.clone()), Vec::new(), 0);
    while let Some(here) = next {
        let reply = get(&world, site, &here, now);
        assert_eq!(reply.status, 200, "{here}");
        pages += 1;
        let list = text(&reply).split("<h1>").nth(1).unwrap();
        let articles = Reply { body: list.as_bytes().to_vec(), ..reply.clone() };
        stories
            .extend(links(site, &articles).into_iter().filter(|l| world.article_of(&site.host, l).is_some()));
        let rel = text(&reply).split("rel=\"next\" href=\"").nth(1).and_then(|rest| rest.split('"').next());
        next = rel.map(|link| if link.starts_with('/') { link } else { path(site, link) }.to_owned());
    }
    assert_eq!(pages, PAGES_BEHIND + 1);
    let unique: BTreeSet<&String> = stories.iter().collect();
    assert!(stories.len() >= 20 * pages && unique.len() == stories.len(), "{} stories", stories.len());
    let beyond = format!("{}?page={}", section.path, pages + 1);
    assert_eq!(get(&world, site, &beyond, now).status, 404);

    let unpaged = world.sites().iter().rev().find(|site| !site.paged).unwrap();
    let section = unpaged.listings.iter().find(|l| l.kind == ListingKind::Section).unwrap();
    assert!(!text(&get(&world, unpaged, &section.path, now)).contains("rel=\"next\""));
    assert_eq!(get(&world, unpaged, &format!("{}?page=2", section.path), now).status, 404);
}

#[test]
fn a_large_sitemap_is_an_index_whose_parts_hold_every_address_once() {
    let world = month();
    let now = days(&world, 29.0) + 7 * MINUTE;
    let large = |site: &&LivingSite| {
        let items =
            site.listings.iter().filter(|l| l.kind == ListingKind::Map).map(|l| l.items().len()).max();
        items > Some(10_000) && site.troubles.block.is_none()
    };
    let site = world.sites().iter().find(large).unwrap();
    let index = get(&world, site, "/sitemap.xml", now);
    assert!(text(&index).contains("<sitemapindex"));
    let mut found = BTreeSet::new();
    for part in links(site, &index) {
        let reply = get(&world, site, &part, now);
        let urls: Vec<_> = links(site, &reply);
        assert!((1..=5_000).contains(&urls.len()), "{} in {part}", urls.len());
        for url in urls {
            let (_, article) = world.article_of(&site.host, &url).unwrap();
            assert!(found.insert(article), "{url} stands twice");
        }
    }
    let published = site.articles.partition_point(|article| article.published_ms <= now - DAY);
    assert!(found.len() * 100 >= published * 98, "{} of {published}", found.len());
    let missing = format!("/sitemap-{}.xml", found.len() / 5_000 + 2);
    assert_eq!(get(&world, site, &missing, now).status, 404);
}

/// The sizes that `render.rs` and `xml.rs` promise.
#[test]
fn answers_are_small() {
    let world = month();
    let mut rng = Rng::new(8);
    let mut largest = [0; 5];
    for _ in 0..6_000 {
        let site = rng.pick(world.sites());
        let listing = rng.pick(&site.listings);
        let now = world.start() + rng.next_u64() % (30 * DAY);
        if let Answer::Reply(reply) = world.answer(&Ask::plain(&site.host, &listing.path), now) {
            let size = &mut largest[listing.kind as usize];
            *size = reply.body.len().max(*size);
        }
        let article = rng.below(site.articles.len());
        let (address, from) = site.addresses_of(article).pop().unwrap();
        let ask = Ask::plain(&site.host, path(site, &address));
        if let Answer::Reply(reply) = world.answer(&ask, from + rng.next_u64() % (3 * DAY)) {
            let most = if site.articles[article].live { 40 } else { 12 };
            assert!(reply.body.len() <= most << 10, "{} bytes: {address}", reply.body.len());
        }
    }
    let most = [16, 10, 40, 640, 1_024].map(|kib: usize| kib << 10);
    assert!(
        largest.iter().zip(most).all(|(&size, most)| size > 0 && size <= most),
        "{largest:?} of {most:?}"
    );
}
