//! Sites that name the places of their articles: their links are closed, and what gold names stands on the pages.

use std::collections::BTreeSet;

use newslode_newsworld::Content as _;
use newslode_newsworld::placed::{Naming, PlacedSpec, PlacedWorld};

use crate::html::{links, place, squeeze, text};

fn world() -> PlacedWorld {
    PlacedWorld::generate(&PlacedSpec { seed: 7, sites: Naming::ALL.len(), stories: 8 })
}

fn html(world: &PlacedWorld, url: &str) -> Option<String> {
    let (host, path) = place(url);
    let reply = world.respond(&host, &path);
    (reply.status == 200).then(|| String::from_utf8(reply.body).unwrap())
}

#[test]
fn the_same_seed_gives_the_same_pages_and_another_seed_does_not() {
    let pages = |seed| {
        let world = PlacedWorld::generate(&PlacedSpec { seed, sites: 4, stories: 3 });
        let urls: Vec<String> = world.urls().concat();
        urls.iter().map(|url| html(&world, url).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(pages(1), pages(1));
    assert_ne!(pages(1), pages(2));
}

#[test]
fn links_reach_exactly_the_listed_pages() {
    let world = world();
    for (seed, urls) in world.seeds().into_iter().zip(world.urls()) {
        let mut reached: BTreeSet<String> = BTreeSet::from([seed.clone()]);
        let mut open = vec![seed];
        while let Some(url) = open.pop() {
            let page = html(&world, &url).unwrap_or_else(|| panic!("{url} is linked and missing"));
            open.extend(links(&url, &page).into_iter().filter(|target| reached.insert(target.clone())));
        }
        assert_eq!(reached, urls.into_iter().collect());
    }
}

#[test]
fn titles_are_unique_and_articles_say_what_gold_says() {
    let world = world();
    let titles: BTreeSet<&str> = world.gold().iter().map(|article| article.title.as_str()).collect();
    assert_eq!(titles.len(), world.gold().len());
    for article in world.gold() {
        let shown = text(&html(&world, &article.url).unwrap());
        let parts = article.body.lines().chain([article.title.as_str(), article.authors[0].as_str()]);
        parts.for_each(|part| assert!(shown.contains(&squeeze(part)), "{} lacks {part}", article.url));
    }
}

/// What names the sections of an article has the names themselves, or their words in an address or class.
#[test]
fn every_section_and_tag_of_the_gold_is_named_by_its_page() {
    let world = world();
    let plain = |text: &str| -> String {
        let text = text.replace("&amp;", "&").to_lowercase();
        text.chars().filter(|letter| letter.is_alphanumeric()).collect()
    };
    for article in world.gold() {
        let page = html(&world, &article.url).unwrap();
        // The menu is on all pages.
        let (head, body) = page.split_once("</header>").unwrap();
        let head = head.split_once("<header>").unwrap().0;
        let (said, address) = (plain(&format!("{head}{body}")), plain(&article.url));
        for name in article.sections.iter().chain(&article.tags) {
            let name = plain(name);
            assert!(said.contains(&name) || address.contains(&name), "{} lacks {name}", article.url);
        }
    }
}

#[test]
fn each_way_of_naming_has_a_site_and_two_have_no_sections() {
    let world = world();
    let namings: BTreeSet<Naming> = world.sites().iter().map(|site| site.naming).collect();
    assert_eq!(namings.len(), Naming::ALL.len());
    for site in world.sites() {
        let of_site = |url: &str| url.starts_with(&format!("http://{}/", site.host));
        let mut articles = world.gold().iter().filter(|article| of_site(&article.url));
        assert!(articles.all(|article| article.sections.is_empty() != site.naming.has_sections()));
    }
}
