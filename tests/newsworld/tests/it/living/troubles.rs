//! Outages, blocking, walls, redesigns, and what the servers write down.

use newslode_newsworld::living::clock::{DAY, HOUR, MINUTE, SECOND};
use newslode_newsworld::living::{
    Answer, Ask, End, Failure, ListingKind, LivingSite, LivingSpec, LivingWorld, MishapKind, RequestLog,
};

use super::{days, get, links, month, path, short, text};

/// What comes back for a page: a status, or nothing.
fn status(world: &LivingWorld, site: &LivingSite, path: &str, now_ms: u64) -> Option<u16> {
    match world.answer(&Ask::plain(&site.host, path), now_ms) {
        Answer::Reply(reply) => Some(reply.status),
        Answer::Timeout => None,
    }
}

#[test]
fn an_outage_takes_everything_and_ends() {
    let world = month();
    let mut seen = [0; 3];
    for site in world.sites().iter().filter(|site| site.troubles.block.is_none()) {
        for outage in &site.troubles.outages {
            let now = (outage.span.from_ms + outage.span.until_ms) / 2;
            if site.troubles.outages.iter().filter(|other| other.span.holds(now)).count() > 1 {
                continue;
            }
            let expected = (outage.failure == Failure::Unavailable).then_some(503);
            for path in ["/", "/robots.txt", "/about/"] {
                assert_eq!(status(&world, site, path, now), expected, "{}{path} {outage:?}", site.host);
            }
            if site.troubles.outage(outage.span.until_ms).is_none() {
                assert_eq!(status(&world, site, "/", outage.span.until_ms), Some(200));
            }
            seen[outage.failure as usize] += 1;
        }
    }
    assert!(seen[0] > 20 && seen[1] > 20 && seen[2] > 50, "{seen:?}");
    let cut = days(&world, 15.0) + 30 * MINUTE;
    assert!(world.sites().iter().all(|site| status(&world, site, "/about/", cut) != Some(200)));
}

/// A site that blocks, and a time at which it is up for hours.
fn blocking(world: &LivingWorld) -> (&LivingSite, u64) {
    let site = world.sites().iter().find(|site| site.troubles.block.is_some()).unwrap();
    let quiet = |at: &u64| {
        site.troubles.outages.iter().all(|o| o.span.until_ms < *at || o.span.from_ms > at + 9 * HOUR)
    };
    (site, (1..).map(|hour| world.start() + hour * HOUR).find(quiet).unwrap())
}

#[test]
fn a_site_blocks_above_its_rate_for_an_hour() {
    let world = month();
    let (site, start) = blocking(&world);
    let rule = site.troubles.block.unwrap();
    for nth in 0..rule.requests as u64 {
        assert_eq!(status(&world, site, "/", start + nth * SECOND), Some(200));
    }
    let over = start + 5 * MINUTE;
    assert_eq!(status(&world, site, "/robots.txt", over), Some(rule.status));
    assert_eq!(status(&world, site, "/", over + HOUR), Some(200), "nobody asked for an hour");
    assert_eq!(world.requests_to(site.number).blocks, 1);
}

#[test]
fn asking_while_blocked_makes_it_longer() {
    let world = month();
    let (site, start) = blocking(&world);
    let rule = site.troubles.block.unwrap();
    for _ in 0..=rule.requests {
        status(&world, site, "/", start);
    }
    let late = start + HOUR - SECOND;
    assert_eq!(status(&world, site, "/", late), Some(rule.status));
    assert_eq!(status(&world, site, "/", late + 29 * MINUTE), Some(rule.status));
    assert_eq!(status(&world, site, "/", late + 59 * MINUTE), Some(200));
    let log = world.requests_to(site.number);
    assert_eq!((log.blocks, log.while_blocked, log.requests), (1, 2, rule.requests as u64 + 4));
}

#[test]
fn a_slow_visitor_is_never_blocked() {
    let world = month();
    let (site, start) = blocking(&world);
    let rule = site.troubles.block.unwrap();
    let gap = 10 * MINUTE / rule.requests as u64 + SECOND;
    for nth in 0..3 * rule.requests as u64 {
        assert_eq!(status(&world, site, "/", start + nth * gap), Some(200));
    }
}

#[test]
fn the_request_log_tells_what_a_visitor_did() {
    let world = short();
    let site = &world.sites()[4];
    let now = days(&world, 1.0);
    assert_eq!(world.requests_to(4), RequestLog::default());
    let (address, _) = &site.addresses_of(0)[0];
    let asked = ["/robots.txt", "/", "/?page=2", path(site, address), "/private/archive/", "/nothing"];
    for (nth, path) in asked.iter().enumerate() {
        status(&world, site, path, now + [0, 5, 10, 12, 20, 60][nth] * SECOND);
    }
    let log = world.requests_to(4);
    assert_eq!((log.requests, log.robots, log.listings, log.disallowed), (6, 1, 2, 1));
    assert_eq!((log.blocks, log.while_blocked, log.smallest_gap_ms), (0, 0, Some(2 * SECOND)));
    assert_eq!(world.requests(), log);
    assert_eq!(world.answer(&Ask::plain("nobody.test", "/"), now), Answer::Timeout);
}

#[test]
fn a_consent_wall_hides_all_pages_but_no_feeds() {
    let world = month();
    let mut pages = 0;
    for site in world.sites() {
        let Some(wall) = site.troubles.wall else { continue };
        let now = wall.from_ms + HOUR;
        if site.troubles.outage(now).is_some() {
            continue;
        }
        let article = site.articles.partition_point(|article| article.published_ms < now) - 1;
        let (address, _) = &site.addresses_of(article)[0];
        for path in ["/", &site.listings[1].path, path(site, address)] {
            let reply = get(&world, site, path, now);
            assert_eq!(reply.status, 200);
            assert!(links(site, &reply).is_empty() && !text(&reply).contains("<article>"), "{path}");
            pages += 1;
        }
        for map in site.listings.iter().filter(|l| matches!(l.kind, ListingKind::NewsMap | ListingKind::Map))
        {
            assert!(text(&get(&world, site, &map.path, now)).contains("<urlset"));
        }
    }
    assert!(pages >= 9, "{pages} pages");
}

#[test]
fn a_redesign_moves_sections_and_may_need_scripts() {
    let (mut ends, mut scripts) = ([0; 3], 0);
    for seed in 1..4 {
        let world = LivingWorld::generate(&LivingSpec {
            world: seed,
            sites: 60,
            days: 22,
            mishaps: false,
            ..LivingSpec::default()
        });
        for site in world.sites() {
            let Some(redesign) = site.troubles.redesign else { continue };
            let (before, after) = (redesign.at_ms - HOUR, redesign.at_ms + DAY);
            let is_quiet = |at| site.troubles.outage(at).is_none() && !site.troubles.is_walled(at);
            let is_quiet = [before, after, after + DAY].into_iter().all(is_quiet);
            if !is_quiet || site.troubles.block.is_some() {
                continue;
            }
            for old in site.listings.iter().filter(|l| l.kind == ListingKind::Section && l.end.is_some()) {
                let new = site.listings.iter().find(|l| l.section == old.section && l.born_ms > 0).unwrap();
                assert_eq!(status(&world, site, &new.path, before), Some(404));
                assert_eq!(status(&world, site, &new.path, after), Some(200));
                let reply = get(&world, site, &old.path, after);
                let (expected, at) = match old.end.unwrap().1 {
                    End::Gone => (404, 0),
                    End::Redirect => (301, 1),
                    _ => (200, 2),
                };
                assert_eq!(reply.status, expected);
                ends[at] += 1;
                let target = reply.header("location").map(|target| path(site, target));
                assert!(target.is_none_or(|target| target == new.path));
                if expected == 200 {
                    let later = get(&world, site, &old.path, after + DAY);
                    let titles = |page: &str| page.split("<h1>").nth(1).unwrap().matches("<li>").count();
                    assert_eq!(titles(text(&reply)), titles(text(&later)));
                }
            }
            let front = get(&world, site, "/", after);
            assert_eq!(redesign.script_front, links(site, &front).is_empty());
            scripts += usize::from(redesign.script_front);
            let new_menu = links(site, &front).iter().any(|link| link.starts_with("/topics/"));
            assert_eq!(new_menu, !redesign.script_front);
        }
    }
    assert!(ends.iter().all(|&n| n > 20) && scripts > 0, "{ends:?} {scripts}");
}

#[test]
fn robots_txt_names_maps_and_delay_and_fails_alone() {
    let world = month();
    let (mut failed, mut delays) = (0, 0);
    for site in world.sites().iter().filter(|site| site.troubles.block.is_none()) {
        let up = |at: &u64| {
            let robots_up = site.troubles.robots_down.iter().all(|span| !span.holds(*at));
            site.troubles.outage(*at).is_none() && !site.troubles.is_walled(*at) && robots_up
        };
        let now = (1..).map(|hour| world.start() + hour * HOUR).find(up).unwrap();
        let reply = get(&world, site, "/robots.txt", now);
        let robots = text(&reply);
        assert!(robots.starts_with("User-agent: *\nDisallow: /private/\n"));
        assert_eq!(robots.contains("Crawl-delay: 10\n"), site.delay_ms == 10 * SECOND);
        delays += usize::from(site.delay_ms == 10 * SECOND);
        let maps = site.listings.iter().filter(|l| matches!(l.kind, ListingKind::NewsMap | ListingKind::Map));
        for map in maps {
            assert!(robots.contains(&format!("Sitemap: http://{}{}\n", site.host, map.path)));
        }
        for span in &site.troubles.robots_down {
            if site.troubles.outage(span.from_ms).is_none() {
                assert_eq!(status(&world, site, "/robots.txt", span.from_ms), Some(503));
                assert_eq!(status(&world, site, "/about/", span.from_ms), Some(200));
                failed += 1;
            }
        }
    }
    assert!(failed > 50 && delays > 2, "{failed} {delays}");
}

#[test]
fn traps_and_partner_links_lead_to_no_article() {
    let world = month();
    let (mut traps, mut partners) = (0, 0);
    for site in world.sites().iter().filter(|site| site.troubles.block.is_none()) {
        let now = (0..).map(|hour| days(&world, 3.0) + hour * HOUR);
        let now = now.clone().find(|&at| site.troubles.outage(at).is_none()).unwrap();
        for listing in site.listings.iter().filter(|l| l.traps > 0 && l.born_ms == 0) {
            let [first, second] =
                [now, now + MINUTE].map(|at| links(site, &get(&world, site, &listing.path, at)));
            let new = second.iter().filter(|link| !first.contains(link));
            let new: Vec<_> = new.filter(|link| link.starts_with("/events/")).collect();
            assert_eq!(new.len(), listing.traps);
            assert!(!text(&get(&world, site, new[0], now)).contains("<article>"));
            traps += 1;
        }
        let [first, second] =
            [now, now + DAY].map(|at| match world.answer(&Ask::plain(&site.host, "/"), at) {
                Answer::Reply(reply) => links(site, &reply),
                Answer::Timeout => Vec::new(),
            });
        let mut offers = second.iter().filter(|link| link.starts_with("/partner/") && !first.contains(link));
        if let Some(offer) = offers.next() {
            assert!(!text(&get(&world, site, offer, now)).contains("<article>"));
            partners += 1;
        }
    }
    assert!(traps > 0 && partners > 2, "{traps} traps, {partners} sites with partners");
}

/// Twenty sites for ten days, with the small troubles that pass.
fn with_mishaps() -> LivingWorld {
    LivingWorld::generate(&LivingSpec {
        world: 3,
        sites: 20,
        days: 10,
        mishaps: true,
        ..LivingSpec::default()
    })
}

#[test]
fn every_mishap_happens_at_several_sites_and_passes_within_hours() {
    let world = with_mishaps();
    for kind in MishapKind::ALL {
        let happens = |site: &&LivingSite| {
            site.mishaps.iter().any(|mishap| mishap.kind == kind && mishap.span.until_ms < world.end())
        };
        let sites = world.sites().iter().filter(happens).count();
        assert!((2..=5).contains(&sites), "{kind:?} at {sites} sites");
    }
    let lengths = world.sites().iter().flat_map(|site| &site.mishaps);
    let mut lengths = lengths.map(|mishap| mishap.span.until_ms - mishap.span.from_ms);
    assert!(lengths.all(|length| (10 * MINUTE..=3 * HOUR).contains(&length)));
}

#[test]
fn mishaps_change_nothing_else_of_a_world() {
    let world = with_mishaps();
    let plain = LivingWorld::generate(&LivingSpec {
        world: 3,
        sites: 20,
        days: 10,
        mishaps: false,
        ..LivingSpec::default()
    });
    for (site, other) in world.sites().iter().zip(plain.sites()) {
        assert_eq!(
            (&site.articles, &site.troubles, &site.host),
            (&other.articles, &other.troubles, &other.host)
        );
        assert!(other.mishaps.is_empty());
    }
}

#[test]
fn a_mishap_is_seen_while_it_lasts() {
    let world = with_mishaps();
    let mut seen = Vec::new();
    for site in world.sites().iter().filter(|site| site.troubles.block.is_none()) {
        for mishap in &site.mishaps {
            let now = mishap.span.from_ms;
            let overlap = site.mishaps.iter().filter(|other| other.span.holds(now)).count() > 1;
            if overlap || site.troubles.outage(now).is_some() || site.troubles.is_walled(now) {
                continue;
            }
            let get = |path: &str| get(&world, site, path, now);
            let feed = site.listings.iter().rfind(|listing| listing.kind == ListingKind::Feed);
            let is_seen = match mishap.kind {
                MishapKind::Detour => get("/about/").header("location") == Some("/maintenance"),
                MishapKind::Maintenance => text(&get("/about/")).contains("Back soon"),
                MishapKind::CookieWall => {
                    let agree = get("/about/").header("location").unwrap().to_owned();
                    let reply = get(&agree);
                    let ask = Ask { cookie: Some("agreed=yes"), ..Ask::plain(&site.host, "/about/") };
                    let Answer::Reply(page) = world.answer(&ask, now) else { panic!("no answer") };
                    reply.header("location") == Some("/about/") && page.status == 200
                }
                MishapKind::Refresh => text(&get("/about/")).contains("http-equiv=\"refresh\""),
                MishapKind::RobotsDown => get("/robots.txt").status == 503,
                MishapKind::Closed => text(&get("/robots.txt")).ends_with("Disallow: /\n"),
                MishapKind::FeedJunk => feed.is_none_or(|feed| {
                    feed.ended(now).is_some() || text(&get(&feed.path)).starts_with("<br />")
                }),
                MishapKind::Busy => feed.is_none_or(|feed| get(&feed.path).header("retry-after").is_some()),
                MishapKind::HeaderJunk => {
                    let types =
                        get("/about/").headers.into_iter().filter(|(name, _)| *name == "content-type");
                    types.map(|(_, value)| value).any(|value| value.starts_with("TEXT/HTML; CHARSET=UTF-8;;"))
                }
                // Small maps have no index.
                MishapKind::UndatedIndex => {
                    let map = site.listings.iter().find(|listing| listing.kind == ListingKind::Map);
                    map.is_none_or(|map| {
                        let reply = get(&map.path);
                        !text(&reply).contains("<sitemapindex") || !text(&reply).contains("<lastmod>")
                    })
                }
            };
            assert!(is_seen, "{mishap:?} at {}", site.host);
            seen.push(mishap.kind);
        }
    }
    assert!(MishapKind::ALL.into_iter().all(|kind| seen.contains(&kind)), "{seen:?}");
}

#[test]
fn servers_note_who_comes_although_they_asked_not_to() {
    let world = with_mishaps();
    let find = |kind| {
        world.sites().iter().find_map(|site| {
            let span = site.mishaps.iter().find(|mishap| mishap.kind == kind)?.span;
            let is_quiet = site.troubles.outages.iter().all(|outage| outage.span.overlap(span) == 0);
            let feed = site.listings.iter().rfind(|listing| listing.kind == ListingKind::Feed)?;
            (is_quiet && site.troubles.block.is_none()).then_some((site, feed, span))
        })
    };
    let (site, feed, span) = find(MishapKind::Busy).unwrap();
    for at in [span.from_ms, span.from_ms + MINUTE, span.until_ms + MINUTE, span.until_ms + HOUR] {
        get(&world, site, &feed.path, at);
    }
    assert_eq!(world.requests_to(site.number).too_early, 1);
    let (site, _, span) = find(MishapKind::Closed).unwrap();
    get(&world, site, "/about/", span.from_ms);
    get(&world, site, "/robots.txt", span.from_ms + SECOND);
    get(&world, site, "/about/", span.from_ms + MINUTE);
    get(&world, site, "/robots.txt", span.until_ms);
    get(&world, site, "/about/", span.until_ms + SECOND);
    assert_eq!(world.requests_to(site.number).disallowed, 1);
}
