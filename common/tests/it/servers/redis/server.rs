//! What the store asks of the server itself: memory, clock, protocol, and whose keys it holds.

use std::time::Duration;

use newslode_common::store::redis::RedisStore;
use newslode_common::store::{Frontier, SiteState};
use newslode_common::time;
use newslode_page::time::Timestamp;

use newslode_test_servers::RedisServer;

use super::{claims, deliver, held, resp3, site, store, url};

#[tokio::test]
async fn the_memory_of_the_server_is_told_with_its_limit() {
    let server = RedisServer::start();
    let store = store(&server).await;
    let without = store.memory().await.unwrap().unwrap();
    assert!(without.used > 100_000 && without.limit > without.used, "{without:?}");
    server.tell(&["CONFIG", "SET", "maxmemory", "200mb"]);
    let bytes = vec![7; 8 << 20];
    store.put_value("large", None, bytes.into()).await.unwrap();
    let with = store.memory().await.unwrap().unwrap();
    assert_eq!(with.limit, 200 << 20);
    assert!(with.used > without.used + (8 << 20), "{without:?} {with:?}");
}

#[tokio::test]
async fn the_clock_of_the_server_is_told() {
    let server = RedisServer::start();
    let store = store(&server).await;
    let (before, told, after) = (time::now(), store.clock().await.unwrap(), time::now());
    assert!(before <= told && told <= after, "{before:?} {told:?} {after:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_of_a_newer_version_is_refused_and_left_as_it_is() {
    let server = RedisServer::start();
    let here = store(&server).await;
    assert_eq!(here.put_value("format", None, "7".into()).await.unwrap(), Some(1));
    let keys = server.tell(&["DBSIZE"]);
    let error = RedisStore::connect(&server.config()).await.err().unwrap().to_string();
    assert!(error.contains("format 7") && error.contains("update this program"), "{error}");
    assert_eq!(server.tell(&["DBSIZE"]), keys);
}

/// `?protocol=resp3` in `store.url` gives some answers another form.
#[tokio::test]
async fn either_protocol_is_understood() {
    let server = RedisServer::start();
    let resp2 = store(&server).await;
    let resp3 = resp3(&server).await;
    let now = Timestamp(1_700_000_000_000);
    claims::seed(&resp3, "news.example", 1_000, 3, now).await;
    assert_eq!(resp3.claim(now, Duration::from_secs(60), 9).await.unwrap().claims.len(), 1);
    deliver(&resp3, &site(), &[(1, 3), (2, 4)], 1).await;
    resp3.put_value("plan", None, "bytes".into()).await.unwrap();
    for path in 0..4 {
        let path = url(path);
        assert_eq!(resp3.entry(&path).await.unwrap(), resp2.entry(&path).await.unwrap());
    }
    assert_eq!(resp3.entries(&site()).await.unwrap(), resp2.entries(&site()).await.unwrap());
    assert_eq!(resp3.status().await.unwrap(), resp2.status().await.unwrap());
    assert_eq!(resp3.site(&site()).await.unwrap(), resp2.site(&site()).await.unwrap());
    assert_eq!(held(&resp3, &site()).await, held(&resp2, &site()).await);
    assert_eq!(resp3.pages(&site()).await.unwrap(), resp2.pages(&site()).await.unwrap());
    assert_eq!(resp3.sites().await.unwrap(), resp2.sites().await.unwrap());
    assert_eq!(resp3.value("plan").await.unwrap(), resp2.value("plan").await.unwrap());
    resp3.ready().await.unwrap();
}
