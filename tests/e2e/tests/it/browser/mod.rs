//! The console as a person with a browser meets it, in Chromium: pages load without a complaint, in light and dark, on a desk and
//! on a phone; articles are found by search and click; the taxonomy is walked by keys alone; axe-core finds no barrier.
//!
//! `./test quick` leaves out all tests whose names have `browser::` in them.

mod scripted;
mod writing;

use std::path::Path;
use std::process::Command;

use newslode_e2e::browser::{Browser, Scheme, keys};
use serde_json::Value;

use crate::client::encoded;
use crate::console::{Served, served};

const SCHEMES: [Scheme; 2] = [Scheme::Light, Scheme::Dark];
/// Windows of a desk and of a phone, in CSS pixels.
const DESK: (u32, u32) = (1280, 900);
const PHONE: (u32, u32) = (375, 812);

/// A console and a browser before it.
struct Visit {
    served: Served,
    browser: Browser,
}

/// A kind of page: its path, and the status with which it answers.
struct Kind {
    path: String,
    status: u16,
}

impl Visit {
    async fn begin() -> Visit {
        let served = served().await;
        let browser = Browser::start(&served.lab.path("")).await;
        Visit { served, browser }
    }

    fn open(&self, path: &str) {
        let is_file = path.starts_with("file:");
        let before = if is_file { String::new() } else { format!("http://{}", self.served.client.addr) };
        self.browser.open(&(before + path));
    }

    /// The path that the first link has which a selector finds on a page.
    fn link(&self, page: &str, selector: &str) -> String {
        self.open(page);
        let script = format!("return document.querySelector('{selector}')?.getAttribute('href')");
        let path = self.browser.run(&script);
        path.as_str().unwrap_or_else(|| panic!("`{page}` has no `{selector}`")).to_owned()
    }

    /// One page of each kind, the run's report, what is empty, and what cannot be answered. Of articles and sites also one that
    /// attacks.
    fn kinds(&self) -> Vec<Kind> {
        let (url, article) = self.served.exported.iter().find(|(_, article)| is_own(article)).unwrap();
        let site = article["site"].as_str().unwrap();
        let story = self.link(&format!("/articles?site={site}"), ".articles h3 a");
        let found = [
            "/".into(),
            "/?q=the&since=7d".into(),
            "/following".into(),
            "/taxonomy".into(),
            "/taxonomy?q=s".into(),
            self.link("/taxonomy", ".tree .tree a"),
            "/articles".into(),
            "/articles?q=zzzunheardof&day=2026-01-01".into(),
            "/articles?title=the&found_until=today".into(),
            format!("{story}/page"),
            format!("{story}/correct"),
            story,
            self.link("/articles?site=attack.test", ".articles h3 a"),
            "/sites".into(),
            "/sites/attack.test".into(),
            "/explain".into(),
            "/operations".into(),
            format!("/explain?target={}", encoded(url)),
            // The same templates write it.
            format!("file://{}", self.served.lab.path("run/report.html").display()),
        ];
        let mut kinds: Vec<Kind> = found.into_iter().map(|path| Kind { path, status: 200 }).collect();
        kinds.push(Kind { path: "/articles?day=tomorrow".into(), status: 400 });
        kinds.push(Kind { path: "/no/such/page".into(), status: 404 });
        kinds
    }
}

/// Whether an article is one of the small world, with a title.
fn is_own(article: &Value) -> bool {
    !article["site"].as_str().unwrap().ends_with("attack.test") && article["title"].is_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_of_the_console_is_drawn_without_a_complaint_on_desks_and_phones() {
    let visit = Visit::begin().await;
    let kinds = visit.kinds();
    visit.browser.complaints();
    for scheme in SCHEMES {
        visit.browser.see(scheme);
        for (width, height) in [DESK, PHONE] {
            visit.browser.resize(width, height);
            for kind in &kinds {
                is_drawn(&visit, kind, scheme, width);
            }
        }
    }
    // What is too wide would be found.
    visit.browser.run("document.querySelector('h1').style.width = '400px'");
    assert!(width_needed(&visit) > u64::from(PHONE.0));
}

fn is_drawn(visit: &Visit, kind: &Kind, scheme: Scheme, width: u32) {
    let at = format!("{} in {scheme:?} at {width} px", kind.path);
    visit.open(&kind.path);
    let complaints = visit.browser.complaints();
    if kind.status == 200 {
        assert!(complaints.is_empty(), "{at}: {complaints:#?}");
    } else {
        // The browser complains of the status alone.
        assert_eq!(complaints.len(), 1, "{at}: {complaints:#?}");
        assert!(complaints[0].contains(&kind.status.to_string()), "{at}: {complaints:#?}");
    }
    let ground = visit.browser.run("return getComputedStyle(document.body).backgroundColor");
    let wanted = if scheme == Scheme::Light { "rgb(255, 255, 255)" } else { "rgb(20, 23, 26)" };
    assert_eq!(ground, wanted, "{at}");
    assert!(width_needed(visit) <= u64::from(width), "{at}: {} px are needed", width_needed(visit));
}

/// The width that a page needs without scrolling to the side.
fn width_needed(visit: &Visit) -> u64 {
    visit.browser.run("return document.documentElement.scrollWidth").as_u64().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn articles_are_found_by_search_and_the_taxonomy_is_walked_by_keys() {
    let visit = Visit::begin().await;
    search_leads_to_an_article(&visit);
    the_taxonomy_is_walked_by_keys(&visit);
    new_articles_are_announced_where_nothing_moves(&visit);
}

/// The script of the first page counts again when the page is shown again.
fn new_articles_are_announced_where_nothing_moves(visit: &Visit) {
    let browser = &visit.browser;
    visit.open("/");
    assert_eq!(browser.run("return document.querySelector('#live').textContent"), "");
    // As if one article had come since the page was loaded.
    browser.run("document.querySelector('#live').dataset.new -= 1; document.dispatchEvent(new Event('visibilitychange'))");
    browser.until("document.querySelector('#live a')?.textContent === '1 new article – show'");
    browser.click("#live a");
    browser.until("document.querySelector('#live')?.textContent === ''");
    assert!(browser.complaints().is_empty());
}

/// From the front page: a headline is typed into the head's search, and the article opens by a click.
fn search_leads_to_an_article(visit: &Visit) {
    let browser = &visit.browser;
    let article = visit.served.exported.values().find(|article| is_own(article)).unwrap();
    let title = article["title"].as_str().unwrap();
    visit.open("/");
    browser.write("#search", &format!("\"{title}\""));
    browser.click("header button");
    browser.until("location.pathname === '/articles'");
    let link = "[...document.querySelectorAll('.articles h3 a')].find(link => link.textContent === wanted)";
    let marked = browser.run(&format!(
        "const wanted = {}; const link = {link}; link?.setAttribute('data-wanted', ''); return Boolean(link)",
        Value::from(title)
    ));
    assert_eq!(marked, true, "`{title}` is not found");
    browser.click("[data-wanted]");
    browser.until("location.pathname.startsWith('/articles/')");
    assert_eq!(browser.run("return document.querySelector('h1').textContent"), title);
    let paragraph =
        article["body"].as_array().unwrap().iter().find(|block| block["kind"] == "paragraph").unwrap();
    assert_eq!(browser.run("return document.querySelector('.body > p').textContent"), paragraph["text"]);
}

/// Past the navigation by the skip link, then down the tree, and by Enter to a concept, one of its articles and back up.
fn the_taxonomy_is_walked_by_keys(visit: &Visit) {
    let browser = &visit.browser;
    visit.open("/taxonomy");
    browser.press(keys::TAB);
    assert_eq!(focused(visit, "className"), "skip");
    browser.press(keys::ENTER);
    browser.until("document.activeElement.id === 'main'");
    browser.press(keys::TAB);
    assert_eq!(focused(visit, "id"), "concepts", "what comes first behind the navigation");
    tab_until(visit, ".tree .tree a");
    let (concept, path) = (focused(visit, "textContent"), focused(visit, "pathname"));
    browser.press(keys::ENTER);
    browser.until(&format!("location.pathname === '{path}'"));
    assert_eq!(browser.run("return document.querySelector('h1').textContent"), *concept);
    tab_until(visit, ".trail a:last-of-type");
    let above = focused(visit, "pathname");
    browser.press(keys::ENTER);
    browser.until(&format!("location.pathname === '{above}'"));
    tab_until(visit, ".articles h3 a");
    let title = focused(visit, "textContent");
    browser.press(keys::ENTER);
    browser.until("location.pathname.startsWith('/articles/')");
    assert_eq!(browser.run("return document.querySelector('h1').textContent"), *title);
}

/// Goes on by Tab until the focus is on what a selector finds; every stop on the way shows where it is.
fn tab_until(visit: &Visit, selector: &str) {
    for _ in 0..200 {
        visit.browser.press(keys::TAB);
        shows_its_focus(visit);
        if visit.browser.run(&format!("return document.activeElement.matches('{selector}')")) == true {
            return;
        }
    }
    panic!("no `{selector}` can be reached by Tab");
}

/// The focus is inside the window and has an outline of two pixels or more.
fn shows_its_focus(visit: &Visit) {
    let seen = visit.browser.run(
        "const own = document.activeElement, style = getComputedStyle(own), box = own.getBoundingClientRect();
         return { own: own.outerHTML.slice(0, 200), outline: style.outlineStyle, width: parseFloat(style.outlineWidth),
                  isInside: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth };",
    );
    assert!(seen["outline"] != "none" && seen["width"].as_f64().unwrap() >= 2.0, "{seen}");
    assert_eq!(seen["isInside"], true, "{seen}");
}

/// A text of what has the focus.
fn focused(visit: &Visit, property: &str) -> String {
    visit.browser.run(&format!("return document.activeElement.{property}")).as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_page_of_the_console_has_a_barrier() {
    let visit = Visit::begin().await;
    let axe = axe();
    let kinds = visit.kinds();
    let mut found = Vec::new();
    for (scheme, (width, height)) in [(Scheme::Light, DESK), (Scheme::Light, PHONE), (Scheme::Dark, DESK)] {
        visit.browser.see(scheme);
        visit.browser.resize(width, height);
        for kind in &kinds {
            visit.open(&kind.path);
            let here = format!("{} in {scheme:?} at {width} px:", kind.path);
            found.extend(
                barriers(&visit.browser, &axe).into_iter().map(|barrier| format!("{here} {barrier}")),
            );
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    // A barrier would be found.
    visit.browser.run("document.querySelector('main').append(document.createElement('button'))");
    let barriers = barriers(&visit.browser, &axe);
    assert!(barriers.len() == 1 && barriers[0].contains("button-name"), "{barriers:?}");
}

/// The library that finds barriers, from the environment that `tests/node-env.sh` makes.
pub(crate) fn axe() -> String {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let made = Command::new(tests.join("node-env.sh")).arg("axe").arg(tests.join("e2e")).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let folder = String::from_utf8(made.stdout).unwrap();
    std::fs::read_to_string(Path::new(folder.trim()).join("node_modules/axe-core/axe.min.js")).unwrap()
}

/// What axe-core finds on the page that is open.
pub(crate) fn barriers(browser: &Browser, axe: &str) -> Vec<String> {
    let found = browser.run(&format!(
        "{axe}; return axe.run(document, {{ resultTypes: ['violations'] }}).then(found => found.violations)"
    ));
    let say = |rule: &Value| {
        let places = rule["nodes"].as_array().unwrap();
        let places = places.iter().map(|node| format!("  {}\n  {}", node["html"], node["failureSummary"]));
        format!(
            "{} ({}): {}\n{}",
            rule["id"],
            rule["impact"],
            rule["help"],
            places.collect::<Vec<_>>().join("\n")
        )
    };
    found.as_array().unwrap().iter().map(say).collect()
}
