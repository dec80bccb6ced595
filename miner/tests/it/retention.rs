//! Retention removes the oldest bytes, keeps those that are still needed, and leaves the sums as they are.

use std::sync::Arc;
use std::time::Duration;

use newslode_common::config::{Follow, MinerConfig, RetentionConfig};
use newslode_common::outcome::Outcome;
use newslode_common::store::redb::RedbStore;
use newslode_common::store::{
    Completion, Frontier as _, Kind, NewUrl, PageArchive as _, Validators, Why, state_digest,
};
use newslode_common::version::ContentHash;
use newslode_miner::mining::articles::is_text_removed;
use newslode_miner::work::apply::count_batch;
use newslode_miner::work::recompute;
use newslode_miner::work::retention::{Swept, sweep};
use newslode_miner::work::verify::verify;
use newslode_miner::work::views::{Pace, ViewMemory, When, view_sites};
use newslode_page::article::Article;
use newslode_page::preset::Preset;
use newslode_page::time::Timestamp;
use newslode_page::{Page, article};
use tokio_util::sync::CancellationToken;

use crate::world::{NOW, World, content_of, ours, page, recompute as computed, world};

const DAY: u64 = 86_400_000;
const PACE: Pace = Pace { at_once: 1, share: 100 };

fn world_of(store: &Arc<RedbStore>) -> World {
    let mut world = world();
    let stores = &mut world.parts.stores;
    (stores.frontier, stores.state, stores.archive) = (store.clone(), store.clone(), store.clone());
    world
}

async fn sweep_after(world: &World, store: &RedbStore, days: u64, retention: RetentionConfig) -> Swept {
    let (miner, now) = (MinerConfig::default(), Timestamp(NOW.0 + days * DAY));
    let stop = CancellationToken::new();
    sweep(&world.parts.stores, store, (&retention, &miner), now, &stop).await.unwrap()
}

#[tokio::test]
async fn a_page_counts_without_its_bytes_and_stays_as_long_as_somebody_is_to_read_it() {
    let store = Arc::new(RedbStore::in_memory().unwrap());
    let mut world = world_of(&store);
    let site = world.seed("https://a.test/").await;
    let pages = ["", "sport", "art", "money"]
        .map(|path| page(&format!("https://a.test/{path}"), Why::Link, 1, &["sport", "art"], &["story"]));
    for page in &pages {
        world.archive(page).await;
        store.put(Kind::Hierarchy, page.version.content, "<page/>".into(), NOW).await.unwrap();
    }
    count_batch(&world.parts, Follow::Concepts, &site, &pages, NOW).await.unwrap();
    let digest = async || state_digest(store.as_ref(), &site).await.unwrap();
    let before = digest().await;

    // They are still to be viewed.
    let young = sweep_after(&world, &store, 20, RetentionConfig::default()).await;
    assert_eq!(young, Swept::default());
    let retention = || RetentionConfig { hierarchies_days: 30, ..RetentionConfig::default() };
    let swept = sweep_after(&world, &store, 40, retention()).await;
    assert_eq!(swept, Swept { needed: 8, ..Swept::default() });
    let (mut memory, stop) = (ViewMemory::new(), CancellationToken::new());
    view_sites(&world.parts, When::Changed, PACE, &mut memory, &stop).await.unwrap();

    // One more was fetched and does not count yet.
    let late = page("https://a.test/late", Why::Link, 1, &["sport"], &[]);
    world.archive(&late).await;
    store.add(&[NewUrl::once(late.url.clone(), 1, Why::Link, 0)], NOW).await.unwrap();
    loop {
        let claimed = store.claim(NOW, Duration::from_secs(9), 1).await.unwrap();
        let Some(claim) = claimed.claims.first() else { break };
        let content = [&late, &pages[0]].into_iter().find(|page| page.url == claim.url).map(content_of);
        let (outcome, validators) = (Outcome::Fetched, Validators::default());
        let done = Completion::Done { outcome, content, validators, next: None, schedule: None };
        store.complete(claim, done, NOW).await.unwrap();
    }
    let swept = sweep_after(&world, &store, 40, retention()).await;
    assert_eq!(swept, Swept { pages: 4, hierarchies: 4, bodies: 0, needed: 1 });
    let later = Timestamp(NOW.0 + 40 * DAY);
    for page in &pages {
        assert_eq!(store.removed(Kind::Page, content_of(page)).await.unwrap(), Some(later));
        assert_eq!(store.get(Kind::Hierarchy, page.version.content).await.unwrap(), None);
        assert!(store.get(Kind::Contribution, page.version.content).await.unwrap().is_some());
    }
    assert!(store.get(Kind::Page, content_of(&late)).await.unwrap().is_some(), "it is to be counted");
    assert_eq!(sweep_after(&world, &store, 40, retention()).await, Swept { needed: 1, ..Swept::default() });

    // The sums are proved by the contributions; verify counts the pages apart, and finds no fault.
    assert_eq!(digest().await, before);
    let sites = [site.clone()];
    let report = verify(store.as_ref(), store.as_ref(), &sites, &ours(), computed, |_| ()).await.unwrap();
    assert_eq!((report.removed, report.pages, report.different), (4, 0, 0));
    assert!(report.is_proof(), "{report:?}");
    assert!(store.check().await.unwrap().is_whole());

    // Newer algorithms leave them as they are.
    world.parts.params = Arc::new(Preset::Paper.params());
    newslode_miner::work::generations::Generations::claim(store.as_ref(), &world.parts.params.generation())
        .await
        .unwrap();
    let done = recompute::recompute(&world.parts, Follow::Concepts, PACE, &stop, |_| ()).await.unwrap();
    assert_eq!((done.lost, done.stuck, done.counted), (0, 0, 0), "{done:?}");
    // Only a page that the frontier knows is found to be outdated: nothing else names the content of the others.
    assert_eq!((done.pages, done.removed, done.is_done()), (4, 1, true), "{done:?}");
    assert_eq!(digest().await, before);

    // A page that is handed on again is there again, and can be subtracted without its bytes.
    world.archive_at(&pages[0], later).await;
    assert_eq!(store.removed(Kind::Page, content_of(&pages[0])).await.unwrap(), None);
    let window = newslode_miner::work::window::slide(&world.parts.stores, 1, later).await.unwrap();
    assert_eq!((window.pages, window.stuck), (4, 0));
    let report = verify(store.as_ref(), store.as_ref(), &sites, &ours(), computed, |_| ()).await.unwrap();
    assert!(report.is_proof() && report.removed == 0, "{report:?}");
}

/// An article of a page that was archived so many days after [`NOW`].
async fn archive_article(world: &World, store: &RedbStore, path: &str, days: u64) -> ContentHash {
    let made = page(&format!("https://a.test/{path}"), Why::Link, 1, &[path], &[]);
    let at = Timestamp(NOW.0 + days * DAY);
    world.archive_at(&made, at).await;
    let text = format!(
        "<title>Rain {path}</title><meta property=og:type content=article><h1>Rain {path}</h1><p>After eleven dry weeks it \
         rained over the valley on Thursday, and the farmers came out of their houses to watch it fall.<p>The reservoir \
         above the town rose by a hand's breadth before noon, the water board said."
    );
    let article = article(&Page::parse(&made.url, None, text.as_bytes()), at).1.unwrap();
    let json = serde_json::to_vec(&article).unwrap();
    store.put(Kind::Article, made.version.content, json.into(), at).await.unwrap();
    made.version.content
}

async fn read_article(store: &RedbStore, content: ContentHash) -> Article {
    serde_json::from_slice(&store.get(Kind::Article, content).await.unwrap().unwrap()).unwrap()
}

#[tokio::test]
async fn the_oldest_articles_lose_their_texts_and_keep_their_other_fields() {
    let store = Arc::new(RedbStore::in_memory().unwrap());
    let world = world_of(&store);
    world.seed("https://a.test/").await;
    let mut contents = Vec::new();
    for (path, days) in [("one", 0), ("two", 1), ("live", 2), ("four", 3), ("five", 30)] {
        contents.push(archive_article(&world, &store, path, days).await);
    }
    // Nothing of the site counts, so all bytes that are old enough go; those of a live page are put again.
    let live = page("https://a.test/live", Why::Link, 1, &["live"], &[]);
    world.archive_at(&live, Timestamp(NOW.0 + 36 * DAY)).await;
    let retention = RetentionConfig { pages_days: 7, bodies_days: 20, ..RetentionConfig::default() };
    let swept = sweep_after(&world, &store, 40, retention.clone()).await;
    assert_eq!((swept.pages, swept.bodies), (4, 3));
    let texts = async || {
        let mut texts = Vec::new();
        for content in &contents {
            let article = read_article(&store, *content).await;
            assert!(article.title.is_some() && is_text_removed(&article) == article.body.is_empty());
            texts.push(!article.body.is_empty());
        }
        texts
    };
    assert_eq!(texts().await, [false, false, true, false, true]);
    assert_eq!(sweep_after(&world, &store, 41, retention.clone()).await, Swept::default());
    // The next day's sweep goes on where the last one ended, and the live page's article is not old any more.
    assert_eq!(sweep_after(&world, &store, 52, retention.clone()).await.bodies, 1);
    assert_eq!(texts().await, [false, false, true, false, false]);
    // Once the bytes of its page are gone, its text is removed, too.
    assert_eq!(sweep_after(&world, &store, 70, retention).await.bodies, 1);
    assert_eq!(texts().await, [false; 5]);
    assert!(store.check().await.unwrap().is_whole());
}
