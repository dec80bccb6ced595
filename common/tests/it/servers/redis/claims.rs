//! Many crawlers on one server: who gets which URL, when.

use newslode_common::store::{Frontier, NewUrl, SiteSettings, Why};

use super::*;

fn settings(delay_ms: u64) -> SiteSettings {
    SiteSettings { max_pages: 1_000, max_depth: 9, delay_ms, paused: false, labels: BTreeMap::new() }
}

/// Makes a site known, with this many due URLs.
pub(super) async fn seed(store: &RedisStore, name: &str, delay_ms: u64, urls: u64, now: Timestamp) {
    store.put_site(&name.parse().unwrap(), &settings(delay_ms)).await.unwrap();
    let urls: Vec<NewUrl> = (0..urls)
        .map(|path| format!("https://{name}/{path}").parse().unwrap())
        .map(|url| NewUrl::once(url, 0, Why::Seed, 0))
        .collect();
    store.add(&urls, now).await.unwrap();
}

/// Crawlers with connections of their own: each URL goes to one, and each site's delay holds across all.
#[tokio::test]
async fn many_crawlers_share_urls_and_delays() {
    let server = RedisServer::start();
    let stores = [store(&server).await, store(&server).await, store(&server).await];
    let start = Timestamp(1_700_000_000_000);
    for number in 0..10 {
        seed(&stores[0], &format!("site{number}.example"), 1_000, 20, start).await;
    }
    let mut claims: BTreeMap<Site, Vec<(u64, CanonicalUrl)>> = BTreeMap::new();
    for step in 0..100 {
        let now = start.plus(Duration::from_millis(step * 300));
        let calls = stores.iter().map(|store| store.claim(now, Duration::from_secs(3600), 7));
        for claim in join_all(calls).await.into_iter().flat_map(|claimed| claimed.unwrap().claims) {
            claims.entry(claim.site).or_default().push((now.0, claim.url));
        }
    }
    assert_eq!(claims.len(), 10);
    for (site, claims) in claims {
        let mut urls: Vec<_> = claims.iter().map(|(_, url)| url).collect();
        urls.sort();
        urls.dedup();
        assert_eq!((claims.len(), urls.len()), (20, 20), "URLs of {site}, each once");
        assert!(claims.is_sorted_by(|(one, _), (next, _)| next - one >= 1_000), "{site}: {claims:?}");
    }
}

/// Claims of a few URLs at a time reach every site, however the names hash.
#[tokio::test]
async fn every_site_has_its_turn() {
    let server = RedisServer::start();
    let store = store(&server).await;
    let now = Timestamp(1_700_000_000_000);
    for number in 0..200 {
        seed(&store, &format!("site{number}.example"), 0, 3, now).await;
    }
    let mut claimed: BTreeMap<Site, u32> = BTreeMap::new();
    for round in 0..80 {
        let now = now.plus(Duration::from_millis(round));
        for claim in store.claim(now, Duration::from_secs(60), 5).await.unwrap().claims {
            *claimed.entry(claim.site).or_default() += 1;
        }
    }
    assert_eq!(claimed.len(), 200, "two rounds over all buckets reach every site");
}

/// What a crawler asks while nothing is due does not grow with the sites.
#[tokio::test]
async fn an_idle_crawler_asks_one_question_at_a_time() {
    let server = RedisServer::start();
    let store = store(&server).await;
    let now = Timestamp(1_700_000_000_000);
    let due = now.plus(Duration::from_secs(100));
    for number in 0..100 {
        seed(&store, &format!("site{number}.example"), 0, 1, due).await;
    }
    // The first claim asks all buckets.
    store.claim(now, Duration::from_secs(60), 16).await.unwrap();
    let before = store.work().await.unwrap().commands;
    for second in 0..20 {
        let now = now.plus(Duration::from_secs(second));
        let claimed = store.claim(now, Duration::from_secs(60), 16).await.unwrap();
        assert_eq!((claimed.claims, claimed.next), (Vec::new(), Some(due)));
    }
    let commands = store.work().await.unwrap().commands - before;
    assert!(
        commands <= 20 * 5 + 2,
        "{commands} commands for 20 questions, those inside the function included"
    );
}

/// A hint that was lost, as by a process that died before it wrote one, is found by the next sweep.
#[tokio::test]
async fn a_lost_hint_is_found_again() {
    let server = RedisServer::start();
    let store = store(&server).await;
    let now = Timestamp(1_700_000_000_000);
    store.claim(now, Duration::from_secs(60), 1).await.unwrap();
    seed(&store, "site.example", 0, 1, now).await;
    let bucket = newslode_common::store::bucket(&"site.example".parse().unwrap());
    let lost = server.tell(&["ZREM", "newslode:turns", &bucket.to_string()]);
    assert!(lost.contains('1'), "there was one: {lost}");
    let early = store.claim(now.plus(Duration::from_secs(299)), Duration::from_secs(60), 1).await.unwrap();
    assert_eq!(early.claims, Vec::new());
    let claimed = store.claim(now.plus(Duration::from_secs(300)), Duration::from_secs(60), 1).await.unwrap();
    assert_eq!(claimed.claims.len(), 1);
}
