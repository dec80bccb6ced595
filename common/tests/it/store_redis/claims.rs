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
