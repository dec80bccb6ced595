//! Concepts keep their identifiers: over merges, over kills between the taxonomy and the registry, between miners that fold at
//! once, and over a month of changes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use newslode_common::config::{Follow, MinerConfig};
use newslode_common::message::{Ending, GonePage};
use newslode_common::store::Why;
use newslode_miner::mining::registry::{ChangeKind, Registry};
use newslode_miner::work::apply::count_batch;
use newslode_miner::work::fold::{FoldMemory, fold_once, read_taxonomy};
use newslode_miner::work::parts::Parts;
use newslode_miner::work::registry::{
    REGISTRY, TAXONOMY_TOPIC, TaxonomyEvent, check_registry, follow_taxonomy, read_registry,
};
use newslode_miner::work::removal::remove_page;
use newslode_miner::work::stores::Stores;
use newslode_page::time::Timestamp;

use crate::flaky::Flaky;
use crate::world::{NOW, World, home_page, page, served, url, world};

const LATER: Timestamp = Timestamp(NOW.0 + 60_000);

/// Counts the home page of a site. Its menu has sport and athletics, which lead to one page or to two.
async fn add_site(world: &World, home: &str, is_one_page: bool) {
    let site = world.seed(home).await;
    let mut home = page(home, Why::Seed, 1, &["art", "sport", "athletics"], &[]);
    let sport = url(&format!("{}/sport", home.url.origin()));
    for link in
        home.contribution.links.iter_mut().filter(|link| is_one_page && link.target.path() == "/athletics")
    {
        link.target = sport.clone();
    }
    count_batch(&world.parts, Follow::Concepts, &site, &[home], NOW).await.unwrap();
}

/// Two sites; one of them leads both labels to one page, which is not enough to merge them.
async fn add_first_sites(world: &World) {
    add_site(world, "https://a.test/", true).await;
    add_site(world, "https://b.test/", false).await;
}

async fn fold(parts: &Parts, now: Timestamp) -> anyhow::Result<()> {
    let config = MinerConfig { support: 2, ..MinerConfig::default() };
    fold_once(parts, &config, &mut FoldMemory::default(), false, now).await.map(|_| ())
}

fn over(good: &Parts, flaky: Flaky) -> Parts {
    let flaky = Arc::new(flaky);
    let stores =
        Stores { frontier: flaky.clone(), state: flaky.clone(), archive: flaky, ..good.stores.clone() };
    Parts { stores, ..good.clone() }
}

/// The registry of a fold that is sound.
async fn registry(parts: &Parts) -> Registry {
    let state = parts.stores.state.as_ref();
    let check = check_registry(state).await.unwrap();
    assert_eq!((check.is_behind, check.faults), (false, Vec::new()));
    read_registry(state).await.unwrap()
}

fn id(registry: &Registry, key: &str) -> String {
    registry.identifiers()[key].to_owned()
}

/// A miner is killed before each of the calls of a fold that merges two concepts. The next fold ends where it would have ended.
#[tokio::test]
async fn a_kill_at_any_call_of_a_fold_that_merges_leaves_one_identifier() {
    let (mut calls, mut were_behind, mut is_done) = (0, 0, false);
    while !is_done {
        let world = world();
        add_first_sites(&world).await;
        fold(&world.parts, NOW).await.unwrap();
        let before = registry(&world.parts).await;
        let (sport, athletics) = (id(&before, "en:sport"), id(&before, "en:athletics"));
        assert_ne!(sport, athletics);
        add_site(&world, "https://c.test/", true).await;
        is_done =
            fold(&over(&world.parts, Flaky::killed_after(&world.parts.stores, calls)), LATER).await.is_ok();
        were_behind += u32::from(check_registry(world.parts.stores.state.as_ref()).await.unwrap().is_behind);
        fold(&world.parts, LATER).await.unwrap();
        let after = registry(&world.parts).await;
        let taxonomy = read_taxonomy(world.parts.stores.state.as_ref()).await.unwrap().unwrap();
        assert!(
            taxonomy.concepts.iter().any(|concept| concept.keys == ["en:athletics", "en:sport"]),
            "{taxonomy:?}"
        );
        let (kept, lost) = if after.identifiers().values().any(|id| *id == sport) {
            (sport, athletics)
        } else {
            (athletics, sport)
        };
        for named in ["en:sport", "en:athletics", &kept, &lost] {
            assert_eq!(after.resolve(named).unwrap().id, kept);
        }
        assert_eq!(after.entries.len(), before.entries.len(), "no identifier was given twice");
        let merged = ChangeKind::Merged { into: kept };
        let merges: Vec<_> = after.changes.iter().filter(|change| change.kind == merged).collect();
        assert!(merges.len() == 1 && merges[0].id == lost && merges[0].at == LATER, "{:?}", after.changes);
        calls += 1;
    }
    // Between the taxonomy and the registry, the registry, the taxonomy and the registry's version are read.
    assert!(were_behind >= 3 && calls > 10, "{were_behind} of {calls} kills were between the two writes");
}

#[tokio::test]
async fn a_fold_that_changes_nothing_leaves_the_registry() {
    let world = world();
    add_first_sites(&world).await;
    fold(&world.parts, NOW).await.unwrap();
    let state = world.parts.stores.state.as_ref();
    let before = state.value(REGISTRY).await.unwrap();
    fold(&world.parts, LATER).await.unwrap();
    assert_eq!(state.value(REGISTRY).await.unwrap(), before);
    assert_eq!(follow_taxonomy(state, LATER).await.unwrap(), 0);
}

async fn fold_at_once(world: World) {
    add_first_sites(&world).await;
    let (one, two) = tokio::join!(fold(&world.parts, NOW), fold(&world.parts, LATER));
    one.and(two).unwrap();
    let first = registry(&world.parts).await;
    add_site(&world, "https://c.test/", true).await;
    let (one, two) = tokio::join!(fold(&world.parts, LATER), fold(&world.parts, LATER));
    one.and(two).unwrap();
    let second = registry(&world.parts).await;
    assert_eq!(second.entries.len(), first.entries.len());
    assert_eq!(id(&second, "en:art"), id(&first, "en:art"));
    assert_eq!(second.replaced().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_miners_that_fold_at_once_give_one_identifier() {
    for _ in 0..8 {
        fold_at_once(world()).await;
    }
}

/// Another miner folds between the read and the write of one that follows.
#[tokio::test]
async fn a_miner_that_comes_second_follows_the_other_one() {
    let world = world();
    add_first_sites(&world).await;
    fold(&world.parts, NOW).await.unwrap();
    let state = world.parts.stores.state.as_ref();
    let stale = state.value(REGISTRY).await.unwrap().unwrap();
    add_site(&world, "https://c.test/", true).await;
    fold(&world.parts, LATER).await.unwrap();
    let before = registry(&world.parts).await;
    // What a miner would write that read the registry before the other one's fold.
    assert_eq!(state.put_value(REGISTRY, Some(stale.0), stale.1).await.unwrap(), None);
    assert_eq!(registry(&world.parts).await, before);
}

/// The days of the month.
const DAYS: u64 = 30;
/// Sites that are there all month, and sites that come and go.
const SITES: u64 = 6;
const VISITORS: u64 = 2;
/// Subjects, each by the two names that sites have for it. All sites change from the first to the second name, each subject at
/// another time. The last two are shown by the visitors alone.
const SUBJECTS: [(&str, &str); 8] = [
    ("chess", "draughts"),
    ("opera", "recitals"),
    ("rowing", "regattas"),
    ("cycling", "velodrome"),
    ("fishing", "angling"),
    ("gardens", "horticulture"),
    ("sailing", "yachts"),
    ("boxing", "pugilism"),
];
/// These subjects are one for some days, because sites lead both labels to one page.
const JOINED: (usize, usize, std::ops::Range<u64>) = (2, 3, 18..25);

/// The names of a subject in a site's menu on a day. For some days a site has both.
fn names_of(subject: usize, site: u64, day: u64) -> Vec<&'static str> {
    let (old, new) = SUBJECTS[subject];
    let change = 2 + 2 * subject as u64;
    let (begins, ends) = (change + site % 2, change + 4 + site);
    match day {
        _ if subject >= SUBJECTS.len() - 2 || day < begins => vec![old],
        _ if day < ends => vec![old, new],
        _ => vec![new],
    }
}

/// Whether a site is there on a day.
fn is_there(site: u64, day: u64) -> bool {
    site < SITES || !(10..16).contains(&(day + site)) && day > 1
}

/// The menu of a site on a day.
fn menu_of(site: u64, day: u64) -> Vec<(&'static str, &'static str)> {
    let mut menu = vec![("art", "art"), ("sport", "sport")];
    let shown = if site < SITES { 0..SUBJECTS.len() - 2 } else { 0..SUBJECTS.len() };
    for subject in shown {
        let is_joined = subject == JOINED.1 && JOINED.2.contains(&day);
        let page = SUBJECTS[if is_joined { JOINED.0 } else { subject }].0;
        menu.extend(names_of(subject, site, day).into_iter().map(|name| (name, page)));
    }
    menu
}

/// A month in which sites come and go, subjects get other names, and two are one for a week. Each third day a miner is killed
/// between the taxonomy and the registry, and each third day two miners fold at once. A subject that stays keeps its identifier,
/// no two have the same, and readers are told each change.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn identifiers_last_through_a_month_of_changes() {
    let world = world();
    let mut readers = world.broker.subscribe_articles(10_000);
    let state = world.parts.stores.state.clone();
    let mut first_ids: BTreeMap<usize, String> = BTreeMap::new();
    let (mut killed, mut compared) = (0, 0);
    for day in 0..DAYS {
        let now = Timestamp(NOW.0 + day * 86_400_000);
        for site in 0..SITES + VISITORS {
            let home = format!("https://site{site}.test/");
            let name = if day == 0 { world.seed(&home).await } else { url(&home).site() };
            let fetch = day + 1;
            if is_there(site, day) {
                let made = home_page(&home, fetch, &menu_of(site, day));
                count_batch(&world.parts, Follow::Concepts, &name, &[made], now).await.unwrap();
            } else if day > 0 && is_there(site, day - 1) {
                let gone = GonePage { site: name, url: url(&home), fetch, at: now, ending: Ending::NotFound };
                remove_page(&world.parts, &gone, now).await.unwrap();
            }
        }
        match day % 3 {
            0 => fold(&world.parts, now).await.unwrap(),
            1 => {
                // Killed one call later each time, until that is between the two writes.
                for calls in 0.. {
                    let flaky = over(&world.parts, Flaky::killed_after(&world.parts.stores, calls));
                    let is_done = fold(&flaky, now).await.is_ok();
                    let is_behind = check_registry(state.as_ref()).await.unwrap().is_behind;
                    killed += u32::from(is_behind);
                    if is_done || is_behind {
                        break;
                    }
                }
                fold(&world.parts, now).await.unwrap();
            }
            _ => {
                let (one, two) = tokio::join!(fold(&world.parts, now), fold(&world.parts, now));
                one.and(two).unwrap();
            }
        }
        let registry = registry(&world.parts).await;
        let ids = registry.identifiers();
        assert_eq!(ids.values().collect::<BTreeSet<_>>().len(), ids.len(), "day {day}");
        let taxonomy = read_taxonomy(state.as_ref()).await.unwrap().unwrap();
        for (subject, (old, new)) in SUBJECTS.into_iter().enumerate() {
            let is_joined = JOINED.2.contains(&day) && [JOINED.0, JOINED.1].contains(&subject);
            let keys = [format!("en:{old}"), format!("en:{new}")];
            let own =
                taxonomy.concepts.iter().filter(|concept| keys.iter().any(|key| concept.keys.contains(key)));
            let own: BTreeSet<&str> = own.map(|concept| ids[concept.key.as_str()]).collect();
            assert!(own.len() <= 1, "{old} has the identifiers {own:?} on day {day}");
            let Some(id) = own.first().filter(|_| !is_joined) else { continue };
            let first = first_ids.entry(subject).or_insert_with(|| (*id).to_owned());
            assert_eq!(first, id, "{old} on day {day}");
            compared += 1;
            // Both names lead to it from now on.
            assert_eq!(registry.resolve(&keys[0]).unwrap().id, *id, "{old} on day {day}");
        }
    }
    let last = registry(&world.parts).await;
    assert_eq!(first_ids.len(), SUBJECTS.len(), "each subject was a concept");
    assert_eq!(last.entries.len(), SUBJECTS.len() + 2, "a subject has one identifier: {:#?}", last.entries);
    let kinds: BTreeSet<String> = last.changes.iter().map(|change| kind_of(&change.kind)).collect();
    for kind in ["new", "returned", "gone", "merged", "renamed"] {
        assert!(kinds.contains(kind), "{kind} is not among {kinds:?}");
    }
    // Each change was told under one number.
    let mut told: BTreeMap<u64, serde_json::Value> = BTreeMap::new();
    while let Ok(event) = readers.try_recv() {
        if event.topic == TAXONOMY_TOPIC {
            let event: serde_json::Value = serde_json::from_slice(&event.body).unwrap();
            let number = event["number"].as_u64().unwrap();
            let before = told.entry(number).or_insert_with(|| event.clone());
            assert_eq!(*before, event);
        }
    }
    let wanted: BTreeMap<u64, serde_json::Value> = last
        .changes
        .iter()
        .map(|change| (change.number, serde_json::to_value(TaxonomyEvent::new(change)).unwrap()))
        .collect();
    assert_eq!(told, wanted);
    assert!(killed >= 5, "{killed} kills were between the two writes");
    let replaced = last.entries.iter().filter(|entry| entry.replaced_by.is_some()).count();
    eprintln!(
        "{DAYS} days, {} sites: {} identifiers of {} subjects, {} changes, {replaced} replaced at the end, {compared} comparisons, \
         {killed} kills between the writes",
        SITES + VISITORS,
        last.entries.len(),
        SUBJECTS.len() + 2,
        last.changes.len(),
    );
}

/// The name of a change, as programs get it.
fn kind_of(kind: &ChangeKind) -> String {
    serde_json::to_value(kind).unwrap()["change"].as_str().unwrap().to_owned()
}

mod servers {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn two_miners_over_redis_give_one_identifier() {
        let (_server, world) = served().await;
        fold_at_once(world).await;
    }
}
