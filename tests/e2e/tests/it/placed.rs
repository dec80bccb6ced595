//! Articles have the places that their pages name, however sites name them: mined in one process, while it is watched, by
//! services, and after pages were counted again.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use newslode_common::store::SiteState;
use newslode_newsworld::floors::fallen;
use newslode_newsworld::placed::{PlacedSpec, PlacedWorld};
use newslode_page::reading::Site;
use serde_json::Value;

use crate::lab::{Lab, digests_of, open};
use crate::services::{Installation, Servers};

/// The longest wait for something that takes seconds.
const PATIENCE: Duration = Duration::from_secs(120);

/// All ways of naming places.
const ALL: PlacedSpec = PlacedSpec { seed: 7, sites: 11, stories: 10 };
/// A link above the headline, no sections, and `rel` words.
const FEW: PlacedSpec = PlacedSpec { seed: 7, sites: 3, stories: 10 };

/// The labels of each article's places, best first, by its address.
type Places = BTreeMap<String, Vec<String>>;

fn places(lines: &str) -> Places {
    let of = |line: &str| {
        let article: Value = serde_json::from_str(line).unwrap();
        let label = |place: &Value| place["label"].as_str().unwrap().to_owned();
        let labels = article["places"].as_array().unwrap_or_else(|| panic!("no places: {line}"));
        (article["url"].as_str().unwrap().to_owned(), labels.iter().map(label).collect())
    };
    lines.lines().map(of).collect()
}

async fn exported(lab: &Lab, run: &str) -> Places {
    places(&lab.ok(&["export", "articles", "--quiet", "--dir", lab.path(run).to_str().unwrap()]).await)
}

/// Mines the world into a run.
async fn mine(lab: &Lab, run: &str) -> Value {
    let summary = lab.json(&lab.mining(run, &[])).await;
    assert_eq!(summary["complete"], true, "{summary}");
    summary
}

async fn lab_of(spec: PlacedSpec) -> (Lab, PlacedWorld) {
    let world = PlacedWorld::generate(&spec);
    (Lab::serving(world.clone(), &world.seeds()).await, world)
}

fn site_of(host: &str) -> Site {
    Site::of_host(host)
}

/// Whether the store holds a scheme of this site.
async fn has_scheme(state: &dyn SiteState, host: &str) -> bool {
    let held = state.value(&format!("scheme/{}", site_of(host))).await.unwrap();
    held.is_some_and(|(_, bytes)| !bytes.is_empty())
}

#[tokio::test(flavor = "multi_thread")]
async fn articles_have_the_places_that_their_pages_name() {
    let (lab, world) = lab_of(ALL).await;
    mine(&lab, "run").await;
    let folder = lab.path("run");
    let folder = folder.to_str().unwrap();
    let PlacedSpec { seed, sites, stories } = ALL;
    let numbers = [seed.to_string(), sites.to_string(), stories.to_string()];
    let spec = ["--seed", &numbers[0], "--sites", &numbers[1], "--stories", &numbers[2]];
    let arguments = [&["eval", "world", "--placed", "--json", "--dir", folder], &spec[..]].concat();
    let figures: BTreeMap<String, f64> = serde_json::from_value(lab.measured(&arguments).await).unwrap();
    for (name, value) in &figures {
        eprintln!("placed       {name:24} {value:.3}");
    }
    let wrong = fallen("placed", &figures);
    assert!(
        wrong.is_empty(),
        "placed:\n  {}\nto see it: newslode-newsworld serve --placed, newslode mine --follow all, newslode-lab eval world --placed",
        wrong.join("\n  ")
    );

    // Nothing is invented on sites without sections, whose tables of contents, authors and next stories are links.
    let all = places(&std::fs::read_to_string(lab.path("run").join("articles.jsonl")).unwrap());
    for site in world.sites().iter().filter(|site| !site.naming.has_sections()) {
        let home = format!("http://{}/", site.host);
        let of_site = all.iter().filter(|(url, _)| url.starts_with(&home));
        let placed: Vec<_> = of_site.filter(|(_, places)| !places.is_empty()).collect();
        assert!(placed.is_empty(), "{placed:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recount_changes_no_place_and_a_removed_site_leaves_no_scheme() {
    let (mut lab, world) = lab_of(FEW).await;
    mine(&lab, "run").await;
    let (removed, kept) = (&world.sites()[0].host, &world.sites()[2].host);
    {
        let store = open(&lab.path("run"));
        assert!(has_scheme(&store, removed).await && has_scheme(&store, kept).await);
    }
    // Other parameters are another generation of the page algorithms, which read slots in the same way.
    let before = exported(&lab, "run").await;
    lab.set("NEWSLODE__PARTITIONER__PARAMS", "paper");
    let folder = lab.path("run");
    let done = lab.json(&["recompute", "--quiet", "--json", folder.to_str().unwrap()]).await;
    assert!(done["counted"].as_u64().unwrap() > 150, "{done}");
    assert_eq!(exported(&lab, "run").await, before);

    let seed = format!("http://{removed}/");
    lab.ok(&["seed", "remove", &seed, "--dir", folder.to_str().unwrap()]).await;
    let store = open(&folder);
    assert!(!has_scheme(&store, removed).await && has_scheme(&store, kept).await);
}

/// Waits until this is so.
async fn until<F: Future<Output = bool>>(what: &str, mut is_so: impl FnMut() -> F) {
    let begun = Instant::now();
    while !is_so().await {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// An article is announced when its site's other pages were read, too, so that the site has a scheme by then.
#[tokio::test(flavor = "multi_thread")]
async fn events_of_a_watch_have_places() {
    let (mut lab, world) = lab_of(FEW).await;
    for (name, value) in [
        ("NEWSLODE__MINER__FOLLOW", "all"),
        ("NEWSLODE__SCHEDULE__ALLOWANCE", "false"),
        ("NEWSLODE__MINER__FOLD_S", "1"),
        ("NEWSLODE__MINER__VIEWS_S", "1"),
    ] {
        lab.set(name, value);
    }
    let (out, resolve) = (lab.path("run").display().to_string(), lab.resolve());
    let fixed = ["watch", "--addr", "127.0.0.1:0", "--contact", "you@example.org", "--allow-private"];
    let mut arguments: Vec<String> = fixed.iter().map(ToString::to_string).collect();
    arguments.extend(["--delay", "0", "--out", &out, "--resolve", &resolve].map(str::to_owned));
    arguments.extend(lab.seeds().iter().cloned());
    let mut watching = lab.start(&arguments);
    let gold: BTreeMap<&str, BTreeSet<String>> = world
        .gold()
        .iter()
        .map(|gold| (gold.url.as_str(), gold.sections.iter().chain(&gold.tags).cloned().collect()))
        .collect();
    let events = || {
        let lines = std::fs::read_to_string(lab.path("run").join("events.jsonl")).unwrap_or_default();
        // The last line may be half written.
        let whole = lines.rfind('\n').map_or("", |end| &lines[..end]);
        let of_articles = whole.lines().filter(|line| !line.contains(r#""event":"taxonomy""#));
        places(&of_articles.collect::<Vec<_>>().join("\n"))
    };
    // The last event of an article has what its page names.
    let is_named = |(url, places): (&String, &Vec<String>)| {
        let wanted = &gold[url.as_str()];
        !wanted.is_empty() && places.iter().cloned().collect::<BTreeSet<_>>() == *wanted
    };
    let wanted = gold.values().filter(|names| !names.is_empty()).count();
    until("most events have places", async || {
        events().iter().filter(|of| is_named(*of)).count() * 2 > wanted
    })
    .await;
    // Nobody hears of a place where there is none.
    let none = |(url, places): &(&String, &Vec<String>)| gold[url.as_str()].is_empty() && !places.is_empty();
    assert_eq!(events().iter().filter(none).count(), 0);
    watching.terminate();
    let ended = watching.end(PATIENCE).await;
    assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
}

/// Tests over RabbitMQ and Redis.
mod servers {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn services_find_the_places_that_the_embedded_engine_finds() {
        let (lab, world) = lab_of(FEW).await;
        let digests = digests_of(&mine(&lab, "embedded").await);
        // Services come to rest with a scheme that may lack up to a quarter of the pages until the next day. How many articles
        // a place has decides only which of them is named first.
        let sorted = |mut all: Places| {
            all.values_mut().for_each(|places| places.sort());
            all
        };
        let embedded = sorted(exported(&lab, "embedded").await);
        assert!(embedded.values().filter(|places| !places.is_empty()).count() > 40, "{embedded:?}");
        let servers = Servers::start().await;
        let mut services = Installation::new(&lab, &servers, "placed", 0);
        services.start_all();
        services.ready().await;
        services.seed().await;
        services.comes_to(&digests).await;
        // Schemes are views, which follow the counts.
        let begun = Instant::now();
        loop {
            let served = sorted(places(&services.exported(&[]).await));
            if served == embedded {
                break;
            }
            let differ: Vec<_> = embedded
                .iter()
                .filter(|(url, places)| served.get(*url) != Some(*places))
                .map(|(url, places)| format!("{url}: embedded {places:?}, served {:?}", served.get(url)))
                .collect();
            services.all_run();
            assert!(begun.elapsed() < PATIENCE, "{} differ:\n{}", differ.len(), differ.join("\n"));
            tokio::time::sleep(Duration::from_millis(500)).await;
        }

        let removed = &world.sites()[0].host;
        let store = services.store().await;
        assert!(has_scheme(&store, removed).await);
        lab.ok(&services.asking(&["seed", "remove", &format!("http://{removed}/")])).await;
        until("the scheme is gone", async || !has_scheme(&store, removed).await).await;
        services.stop().await;
        assert!(!has_scheme(&store, removed).await);
    }
}
