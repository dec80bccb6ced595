//! The fold finds concepts over sites, follows them, and comes to rest.

use std::time::Duration;

use newslode_common::config::{Follow, MinerConfig};
use newslode_common::outcome::Outcome;
use newslode_common::store::{Completion, Validators, Why};
use newslode_miner::mining::fold::Rules;
use newslode_miner::work::apply::count_batch;
use newslode_miner::work::fold::{FoldMemory, fold_once, read_taxonomy, resume_plan};
use newslode_miner::work::members::members;
use newslode_miner::work::reconcile::reconcile;
use newslode_miner::work::summaries::summaries;
use newslode_page::contribution::{FiledUse, url_id};
use newslode_page::preset::Preset;

use crate::world::{NOW, World, content_of, page, url, world};

async fn two_sites() -> World {
    let world = world();
    for home in ["https://a.test/", "https://b.test/"] {
        let site = world.seed(home).await;
        let pages = [page(home, Why::Seed, 1, &["sport", "tennis"], &["story"])];
        count_batch(&world.parts, Follow::Concepts, &site, &pages, NOW).await.unwrap();
    }
    world
}

#[tokio::test]
async fn concepts_are_followed_once_and_an_interrupted_plan_is_finished() {
    let world = two_sites().await;
    let (config, mut memory) = (MinerConfig::default(), FoldMemory::default());
    let report = fold_once(&world.parts, &config, &mut memory, true, NOW).await.unwrap();
    assert_eq!((report.concepts, report.relations, report.followed_new), (2, 1, 4));
    let taxonomy = read_taxonomy(world.parts.stores.state.as_ref()).await.unwrap().unwrap();
    assert_eq!(taxonomy.concepts[1].parent.as_deref(), Some("en:sport"));
    let entry = world.parts.stores.frontier.entry(&url("https://a.test/sport")).await.unwrap().unwrap();
    assert_eq!((entry.why, entry.depth), (Why::Concept, 1));
    let again = fold_once(&world.parts, &config, &mut memory, true, NOW).await.unwrap();
    assert_eq!((again.followed_new, again.changed, again.read), (0, false, 0));
    // As after a crash before the plan was added: the site comes back empty, and the plan is still there.
    world.parts.stores.frontier.remove_site(&url("https://a.test/").site()).await.unwrap();
    world.seed("https://a.test/").await;
    assert_eq!(resume_plan(&world.parts, NOW).await.unwrap(), 2);
}

/// One site files tennis below sport. Nobody has read that page, so it is fetched. It files stories of its
/// own, so the next fold believes the site.
#[tokio::test]
async fn pages_that_decide_what_a_single_site_adds_are_asked_for() {
    let world = world();
    let parts = &world.parts;
    let tennis = url("https://a.test/sport/tennis");
    for (home, menu) in [("https://a.test/", &["sport", "tennis"][..]), ("https://b.test/", &["sport"])] {
        let site = world.seed(home).await;
        let mut home = page(home, Why::Seed, 1, menu, &[]);
        for link in home.contribution.links.iter_mut().filter(|link| link.target.path() == "/tennis") {
            link.target = tennis.clone();
        }
        count_batch(parts, Follow::Concepts, &site, &[home], NOW).await.unwrap();
    }
    let (config, mut memory) = (MinerConfig::default(), FoldMemory::default());
    let report = fold_once(parts, &config, &mut memory, true, NOW).await.unwrap();
    assert_eq!((report.concepts, report.relations, report.followed_new), (1, 0, 3));
    let entry = parts.stores.frontier.entry(&tennis).await.unwrap().unwrap();
    assert_eq!((entry.why, entry.depth), (Why::Concept, 2));
    // It is asked for only once.
    assert_eq!(fold_once(parts, &config, &mut memory, true, NOW).await.unwrap().followed_new, 0);
    let mut read = page("https://a.test/sport/tennis", Why::Concept, 1, &[], &[]);
    let stories = ["one", "two", "three"].map(str::to_owned).to_vec();
    read.contribution.filed = Some(FiledUse { page: url_id(&tennis), stories });
    count_batch(parts, Follow::Concepts, &tennis.site(), &[read], NOW).await.unwrap();
    let report = fold_once(parts, &config, &mut memory, true, NOW).await.unwrap();
    assert_eq!((report.concepts, report.relations), (2, 1));
}

#[tokio::test]
async fn the_preset_of_the_pages_decides_the_rules_of_the_fold() {
    for (preset, concepts) in
        [(Preset::Default, &["en:busi", "en:busi travel"][..]), (Preset::Paper, &["en:busi"])]
    {
        let mut world = world();
        world.parts.rules = Rules::of_preset(preset);
        for home in ["https://a.test/", "https://b.test/"] {
            let site = world.seed(home).await;
            let pages = [page(home, Why::Seed, 1, &["busi", "busi travel"], &[])];
            count_batch(&world.parts, Follow::Concepts, &site, &pages, NOW).await.unwrap();
        }
        let mut memory = FoldMemory::default();
        fold_once(&world.parts, &MinerConfig::default(), &mut memory, true, NOW).await.unwrap();
        let taxonomy = read_taxonomy(world.parts.stores.state.as_ref()).await.unwrap().unwrap();
        // Only the paper merges labels that share half of their words.
        assert!(taxonomy.concepts.iter().map(|concept| &concept.key).eq(concepts), "{preset}");
    }
}

/// Claims everything that is due and completes one URL as fetched.
async fn fetched(world: &World, page: &newslode_common::message::PartitionedPage) {
    let frontier = &world.parts.stores.frontier;
    for _ in 0..10 {
        let now = newslode_page::time::Timestamp(NOW.0 + 60_000);
        for claim in frontier.claim(now, Duration::from_secs(60), 9).await.unwrap().claims {
            let content = (claim.url == page.url).then(|| content_of(page));
            let outcome = if content.is_some() { Outcome::Fetched } else { Outcome::Gone };
            let validators = Validators::default();
            let done = Completion::Done { outcome, content, validators, next: None, schedule: None };
            frontier.complete(&claim, done, now).await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_page_fetched_before_its_concept_was_found_is_read_again() {
    let world = two_sites().await;
    let sport = page("https://a.test/sport", Why::Link, 1, &[], &["late"]);
    let found = page("https://a.test/", Why::Seed, 1, &["sport"], &[]);
    count_batch(&world.parts, Follow::All, &sport.site, &[found], NOW).await.unwrap();
    fetched(&world, &sport).await;
    world.archive(&sport).await;
    // Fetched but not counted: the message was lost with the process.
    let parts = &world.parts;
    let lost =
        reconcile(&*parts.stores.frontier, &*parts.stores.state, &*parts.stores.archive, &*parts.broker)
            .await
            .unwrap();
    assert_eq!(lost, 1);
    count_batch(&world.parts, Follow::Concepts, &sport.site, std::slice::from_ref(&sport), NOW)
        .await
        .unwrap();
    assert_eq!(parts.stores.frontier.entry(&url("https://a.test/late")).await.unwrap(), None);
    let mut memory = FoldMemory::default();
    let config = MinerConfig { follow: Follow::Concepts, ..MinerConfig::default() };
    fold_once(parts, &config, &mut memory, true, NOW).await.unwrap();
    let late = parts.stores.frontier.entry(&url("https://a.test/late")).await.unwrap().unwrap();
    assert_eq!(late.why, Why::Instance);
    let taxonomy = read_taxonomy(parts.stores.state.as_ref()).await.unwrap().unwrap();
    let sites = summaries(parts.stores.state.as_ref()).await.unwrap();
    let members = members(&parts.stores, &taxonomy, &sites).await.unwrap();
    assert_eq!(members[&url("https://a.test/late")], ["en:sport".to_owned()].into());
}
