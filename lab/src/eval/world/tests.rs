//! Pages stay above their floors, and worse methods fall below each of them.

use std::collections::BTreeMap;

use newslode::demo::pages::sample_pages;
use newslode::demo::places::judge_places;
use newslode_demo_world::marks::number;
use newslode_demo_world::{Language, WorldSpec};
use newslode_newsworld::floors::{fallen, standing};
use newslode_newsworld::placed::PlacedSpec;
use newslode_page::partition::Method;
use newslode_page::tables::{Detection, Headers};
use newslode_page::wisdom::SearchParams;

use super::*;

/// Arguments of `newslode-lab eval world` for the world below.
const WORLD: &str = "--seed 11 --sites 18 --stories 2 --languages en,de,es,ru,ja,fr,pt,ar,zh";

/// Two sites in each language, with at least two sites of each era.
fn world() -> World {
    let languages = Language::ALL.to_vec();
    World::generate(&WorldSpec {
        seed: 11,
        sites: 18,
        languages,
        articles_per_section: 2,
        ..WorldSpec::default()
    })
}

fn by_name(figures: &Figures) -> BTreeMap<String, f64> {
    figures.iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

#[test]
fn pages_are_read_as_well_as_they_were() {
    let world = world();
    let sites = sample_pages(&world, &world.urls()).unwrap();
    let figures = by_name(&figures(&world, &sites, &Methods::default()).0);
    for (name, value) in &figures {
        eprintln!("pages        {name:24} {value:.3}");
    }
    let wrong = fallen("pages", &figures);
    assert!(
        wrong.is_empty(),
        "pages:\n  {}\nto see it: newslode-lab eval world --pages --per-page {WORLD}",
        wrong.join("\n  ")
    );
}

/// Fails if one of these measures stays above its floor although pages are read by a worse method.
#[track_caller]
fn fall(what: &str, sites: &[Vec<JudgedPage>], world: &World, by: &Methods, measures: &[&str]) {
    let damaged = by_name(&figures(world, sites, by).0);
    let standing = standing("pages", measures, &damaged);
    assert!(standing.is_empty(), "{what}: these stay above their floors:\n  {}", standing.join("\n  "));
}

#[test]
fn a_worse_method_falls_below_the_floors() {
    let world = world();
    let sites = sample_pages(&world, &world.urls()).unwrap();
    let methods = Methods::default;
    let worse = |what, by: Methods, measures: &[&str]| fall(what, &sites, &world, &by, measures);
    let search = SearchParams { most: 1, ..WisdomParams::default().toc };
    worse(
        "segments alone, and one table of contents a page",
        Methods {
            params: Params { method: Method::Flat, ..Params::default() },
            wisdom: WisdomParams { toc: search, least_cii: 90, ..WisdomParams::default() },
            tables: TableParams {
                detection: Detection::Rules,
                headers: Headers::Clusters,
                ..TableParams::default()
            },
            tags: newslode_page::tagging::print::tags,
        },
        &[
            "hierarchy.precision",
            "hierarchy.recall",
            "hierarchy.f1",
            "segments.precision",
            "segments.recall",
            "segments.f1",
            "blocks.toc.recall",
            "blocks.toc.f1",
            "blocks.article.precision",
            "blocks.article.recall",
            "blocks.article.f1",
            "tables.precision",
            "tables.orientation",
            "tables.headers",
            "tags.C",
            "tags.A",
            "tags.V",
            "tags.N",
        ],
    );
    worse(
        "no table is data, and the whole page is contents",
        Methods {
            tables: TableParams { data_from: 100_000, ..TableParams::default() },
            wisdom: WisdomParams {
                toc: SearchParams { most: 1, evenness: 0, ..search },
                least_api: 0,
                most_without_api: 100,
                ..WisdomParams::default()
            },
            ..methods()
        },
        &["tables.recall", "tables.f1", "blocks.toc.precision"],
    );
}

/// The sample with changed HTML and the same gold.
fn changed(world: &World, change: fn(&str) -> String) -> Vec<Vec<JudgedPage>> {
    let mut sites = sample_pages(world, &world.urls()).unwrap();
    for judged in sites.iter_mut().flatten() {
        let html = change(&number(&judged.marked().html).1);
        let url = judged.page.url.clone();
        judged.page = Page::parse(&url, Some("text/html; charset=utf-8"), html.as_bytes());
    }
    sites
}

/// Metadata that a site may put into the head of all its pages.
const LIES: &str = "<meta property=\"og:type\" content=\"article\"><meta property=\"og:title\" content=\"Welcome\">\
    <meta property=\"article:published_time\" content=\"1999-01-01T00:00:00Z\">\
    <meta property=\"article:modified_time\" content=\"1999-01-02T00:00:00Z\">\
    <meta property=\"article:author\" content=\"Webmaster\"><meta property=\"article:section\" content=\"Start\">\
    <meta property=\"og:image\" content=\"http://example.test/logo.png\">";

fn lie(html: &str) -> String {
    let html = html.replace(" lang=\"", " lang=\"eo\" title=\"").replace(" — ", ": ");
    let lower = html.to_ascii_lowercase();
    let (Some(from), Some(to)) = (lower.find("<head>"), lower.find("</head>")) else { return html };
    format!("{}<head>{LIES}{}", &html[..from], &html[to..])
}

fn cut(html: &str) -> String {
    let half = (0..=html.len() / 2).rev().find(|&at| html.is_char_boundary(at)).unwrap_or(0);
    html[..half].to_owned()
}

#[test]
fn a_damaged_page_falls_below_the_floors() {
    let world = world();
    let damaged = |change| {
        let sites = changed(&world, change);
        let mut figures = Figures::default();
        articles(&world, sites.iter().flatten(), &mut figures);
        by_name(&figures)
    };
    let lying = damaged(lie);
    let measures = ["title", "authors", "day", "section", "picture", "place", "modified"];
    let unmoved = standing("pages", &measures, &lying);
    assert!(unmoved.is_empty(), "heads that lie: {}", unmoved.join("\n  "));
    let halved = damaged(cut);
    let unmoved = standing("pages", &["articles.recall", "articles.f1", "body.f1"], &halved);
    assert!(unmoved.is_empty(), "pages cut short: {}", unmoved.join("\n  "));
}

/// Figures of the places of articles whose pages were changed.
fn places(change: impl Fn(String) -> String) -> BTreeMap<String, f64> {
    let world = PlacedWorld::generate(&PlacedSpec { seed: 7, sites: 11, stories: 10 });
    let found = placed_pages(&world, change, &Params::default()).unwrap();
    let mut figures = Figures::default();
    judge_places(world.gold(), &found, &mut figures);
    by_name(&figures)
}

#[test]
fn places_are_found_as_well_as_they_were() {
    let figures = places(|html| html);
    for (name, value) in &figures {
        eprintln!("placed-pages {name:24} {value:.3}");
    }
    let wrong = fallen("placed-pages", &figures);
    assert!(
        wrong.is_empty(),
        "placed-pages:\n  {}\nto see it: newslode-lab eval world --placed --pages --per-page --seed 7 --sites 11 --stories 10",
        wrong.join("\n  ")
    );
}

/// Names the places of every article by words that no other page has.
fn with_own_places(html: String) -> String {
    let own = html.len().to_string();
    let html = html.replace("<a href=/", &format!("<a href=/{own}/"));
    html.replace("\"articleSection\":\"", &format!("\"articleSection\":\"{own} "))
        .replace("article:section\" content=\"", &format!("article:section\" content=\"{own} "))
        .replace("category-", &format!("category-{own}-"))
        .replace("href=\"/tag/", &format!("href=\"/tag/{own}-"))
        .replace("rel=\"tag\">", &format!("rel=\"tag\">{own} "))
}

/// Hides when articles were published, and calls issues by words, so that they look like sections.
fn without_days(html: String) -> String {
    let hidden = html
        .replace("article:published_time", "article:hidden")
        .replace("<time", "<i hidden")
        .replace("</time>", "</i>");
    (b'a'..=b'z').zip(1..).fold(hidden, |html, (letter, number)| {
        html.replace(&format!("Issue {number}<"), &format!("Edition {0}{0}<", char::from(letter)))
    })
}

#[test]
fn damaged_sites_fall_below_the_floors_of_places() {
    let damaged = places(with_own_places);
    let measures = ["places.covered", "places.best", "places.precision", "places.sections", "places.tags"];
    let unmoved = standing("placed-pages", &measures, &damaged);
    assert!(unmoved.is_empty(), "places of single articles:\n  {}", unmoved.join("\n  "));
    let damaged = places(without_days);
    let unmoved = standing("placed-pages", &["places.none"], &damaged);
    assert!(unmoved.is_empty(), "articles without days:\n  {}", unmoved.join("\n  "));
}
