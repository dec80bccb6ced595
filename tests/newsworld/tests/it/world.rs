//! The world is deterministic, its links are closed, and its gold is in its pages.

use std::collections::{BTreeMap, BTreeSet};

use newslode_newsworld::marks::number;
use newslode_newsworld::{Charset, Content, Era, Gold, Language, Metadata, PageKind, World, WorldSpec};

use crate::html::{is_html, links, place, squeeze, text};

fn worlds() -> impl Iterator<Item = World> {
    [(1, 10, true), (2, 10, false), (77, 19, true)].into_iter().map(|(seed, sites, faults)| {
        World::generate(&WorldSpec { seed, sites, articles_per_section: 4, faults, ..WorldSpec::default() })
    })
}

fn charsets(world: &World) -> BTreeMap<String, Charset> {
    world.sites().flat_map(|s| s.hosts().into_iter().map(|h| (h, s.charset)).collect::<Vec<_>>()).collect()
}

fn digest(world: &World) -> String {
    let mut hasher = blake3::Hasher::new();
    for url in world.urls() {
        let (host, path) = place(&url);
        let reply = world.page(&host, &path).unwrap();
        hasher.update(format!("{url} {:?}\n", reply.headers).as_bytes());
        hasher.update(&reply.body);
    }
    hasher.update(&serde_json::to_vec(world.gold()).unwrap());
    hasher.finalize().to_hex().to_string()
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_does_not() {
    let spec = WorldSpec { faults: true, ..WorldSpec::default() };
    let first = digest(&World::generate(&spec));
    assert_eq!(first, digest(&World::generate(&spec)));
    assert_ne!(first, digest(&World::generate(&WorldSpec { seed: 2, ..spec })));
}

/// Follows all links from the home pages, except into the calendar and from forbidden pages.
#[test]
fn links_reach_exactly_the_listed_pages() {
    for world in worlds() {
        let hosts: BTreeSet<String> = world.hosts().into_iter().collect();
        let sets = charsets(&world);
        let (mut reached, mut missing) = (BTreeSet::new(), BTreeSet::new());
        let mut seen: BTreeSet<String> = world.seeds().into_iter().collect();
        let mut open: Vec<String> = world.seeds();
        while let Some(url) = open.pop() {
            let (host, path) = place(&url);
            if !hosts.contains(&host) || path.starts_with("/calendar/") {
                continue;
            }
            let Some(reply) = world.page(&host, &path) else {
                missing.insert(url);
                continue;
            };
            let mut next = Vec::new();
            if reply.status == 301 {
                next.push(reply.header("location").unwrap().to_owned());
            } else if !path.starts_with("/private/") && !path.starts_with("/search") {
                if is_html(&reply) {
                    next = links(&url, &sets[&host].decode(&reply.body));
                }
                reached.insert(url);
            }
            open.extend(next.into_iter().filter(|u| seen.insert(u.clone())));
        }
        assert_eq!(missing, world.broken().into_iter().collect());
        assert_eq!(reached, world.urls().into_iter().collect());
    }
}

#[test]
fn every_gold_article_stands_in_its_page() {
    for world in worlds() {
        let sets = charsets(&world);
        let nameless: BTreeSet<String> =
            world.sites().filter(|s| s.metadata == Metadata::Nothing).flat_map(|s| s.hosts()).collect();
        for article in &world.gold().articles {
            let (host, path) = place(&article.url);
            let reply = world.page(&host, &path).unwrap();
            let shown = text(&sets[&host].decode(&reply.body));
            for part in article.body.lines().chain([article.title.as_str()]) {
                assert!(shown.contains(&squeeze(part)), "{} lacks {part}", article.url);
            }
            assert_eq!(article.authors.is_empty(), nameless.contains(&host));
            assert_eq!(article.published.is_none(), nameless.contains(&host));
            let shown = shown.to_lowercase();
            for author in &article.authors {
                assert!(shown.contains(&author.to_lowercase()), "{} lacks {author}", article.url);
            }
        }
    }
}

/// A marked copy is its page with numbers: it has the same texts, and no number without a text.
#[test]
fn a_marked_copy_says_what_its_page_says() {
    for world in worlds() {
        let sets = charsets(&world);
        let mut kinds = BTreeSet::new();
        for url in world.urls().iter().step_by(7) {
            let Some(marked) = world.marked(url) else { continue };
            kinds.insert(marked.kind);
            let (host, path) = place(url);
            let shown = text(&sets[&host].decode(&world.page(&host, &path).unwrap().body));
            // The reader decodes numeric references of characters outside the set.
            let (_, copy) = number(&text(&marked.html));
            assert_eq!(squeeze(&copy), shown, "{url}");
            assert!(!marked.html.contains("\u{e001}<"), "{url} marks a text of no letters");
            let tables = marked.html.to_ascii_lowercase().matches("<table").count();
            assert_eq!(marked.tables.len(), tables, "{url}");
            if marked.kind == PageKind::Figures {
                assert_eq!(marked.tables.iter().filter(|t| t.is_genuine == Some(true)).count(), 3, "{url}");
            }
        }
        assert!(kinds.len() >= 5, "{kinds:?}");
    }
}

#[test]
fn every_gold_label_stands_in_its_page_and_depth_never_jumps() {
    for world in worlds() {
        let sets = charsets(&world);
        for hierarchy in &world.gold().hierarchies {
            let (host, path) = place(&hierarchy.url);
            let shown = text(&sets[&host].decode(&world.page(&host, &path).unwrap().body));
            let mut last = 0;
            for (i, (depth, label)) in hierarchy.outline.iter().enumerate() {
                assert!(shown.contains(&squeeze(label)), "{} lacks {label}", hierarchy.url);
                assert!(*depth <= if i == 0 { 0 } else { last + 1 }, "{} jumps at {label}", hierarchy.url);
                last = *depth;
            }
        }
    }
}

#[test]
fn hosts_and_titles_are_unique() {
    let world = World::generate(&WorldSpec { sites: 60, articles_per_section: 2, ..WorldSpec::default() });
    let hosts = world.hosts();
    assert_eq!(hosts.iter().collect::<BTreeSet<_>>().len(), hosts.len());
    assert!(hosts.iter().all(|h| h.ends_with(".test")));
    let articles = &world.gold().articles;
    assert_eq!(articles.iter().map(|a| &a.title).collect::<BTreeSet<_>>().len(), articles.len());
    assert_eq!(articles.iter().map(|a| &a.url).collect::<BTreeSet<_>>().len(), articles.len());
}

#[test]
fn the_default_world_is_varied_and_overlaps() {
    for seed in 1..6 {
        let world = World::generate(&WorldSpec { seed, ..WorldSpec::default() });
        assert_eq!(world.seeds().len(), 10);
        assert_eq!(world.sites().map(|s| s.era).collect::<BTreeSet<_>>(), Era::ALL.into_iter().collect());
        let languages: BTreeSet<_> = world.sites().map(|s| s.language.code()).collect();
        assert_eq!(languages, ["de", "en", "es", "ru"].into_iter().collect());
        assert!(world.sites().any(|s| s.charset.name != "utf-8"), "seed {seed} has no old character set");
        let concepts = &world.gold().concepts;
        let shared = concepts.iter().filter(|c| c.sites >= 3).count();
        assert!(shared * 10 >= concepts.len() * 7, "seed {seed}: {shared} of {} on 3 sites", concepts.len());
        assert!(concepts.iter().any(|c| !c.synonyms.is_empty()));
        assert!(world.gold().is_a.len() >= 20);
    }
}

#[test]
fn other_languages_count_from_three_sites_on() {
    let codes = |sites, languages: &[Language]| -> BTreeSet<String> {
        let languages = languages.to_vec();
        let spec = WorldSpec { sites, languages, articles_per_section: 1, ..WorldSpec::default() };
        World::generate(&spec).gold().concepts.iter().map(|c| c.language.clone()).collect()
    };
    assert_eq!(codes(23, &[]), ["en".to_owned()].into());
    let three = [Language::English, Language::Arabic, Language::Chinese];
    assert_eq!(codes(8, &three), ["ar", "en"].map(str::to_owned).into());
    let all = codes(27, &Language::ALL);
    assert_eq!(all, Language::ALL.map(|language| language.code().to_owned()).into());
}

#[test]
fn gold_survives_json() {
    let world = World::generate(&WorldSpec { sites: 4, ..WorldSpec::default() });
    let text = serde_json::to_string(world.gold()).unwrap();
    assert_eq!(&serde_json::from_str::<Gold>(&text).unwrap(), world.gold());
}

#[test]
fn the_other_spelling_of_a_domain_redirects_and_strangers_get_404() {
    let world = World::generate(&WorldSpec::default());
    for site in world.sites() {
        let reply = world.respond(&site.alias(), "/about?x=1");
        assert_eq!(reply.status, 301);
        assert_eq!(reply.header("location"), Some(format!("http://{}/about?x=1", site.host).as_str()));
    }
    assert_eq!(world.respond("www.elsewhere.test", "/").status, 404);
}

#[test]
fn the_calendar_has_no_end_and_stands_in_worlds_with_faults_only() {
    let faulty = World::generate(&WorldSpec { faults: true, sites: 1, ..WorldSpec::default() });
    let host = &faulty.hosts()[0];
    let december = faulty.respond(host, "/calendar/2024/12");
    assert!(String::from_utf8(december.body).unwrap().contains("/calendar/2025/1"));
    assert_eq!(faulty.respond(host, "/calendar/2024/13").status, 404);
    let robots = String::from_utf8(faulty.respond(host, "/robots.txt").body).unwrap();
    assert!(robots.contains("Disallow: /calendar/"));
    let healthy = World::generate(&WorldSpec { sites: 1, ..WorldSpec::default() });
    assert_eq!(healthy.respond(host, "/calendar/2024/12").status, 404);
}

#[test]
fn after_a_redesign_old_section_addresses_lead_to_the_new_ones() {
    let spec = WorldSpec { seed: 4, sites: 2, articles_per_section: 4, ..WorldSpec::default() };
    let (old, mut new) = (World::generate(&spec), World::generate(&spec));
    for host in new.hosts() {
        assert!(new.redesign(&host, Era::Blog));
    }
    let mut moved = 0;
    for address in old.urls() {
        let (host, path) = place(&address);
        let reply = new.page(&host, &path).unwrap();
        match old.kind(&address) {
            Some(PageKind::Story) => assert_eq!(reply.status, 200, "{address}"),
            Some(PageKind::Section) if reply.status != 200 => {
                let (host, path) = place(reply.header("location").unwrap());
                assert_eq!(new.page(&host, &path).unwrap().status, 200, "{address}");
                moved += 1;
            }
            _ => {}
        }
    }
    assert!(moved > 10, "{moved} sections moved");
}
