//! Faults of the server under the store: it evicts, refuses, forgets the functions, fills up, hangs or dies.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures::future::join_all;
use newslode_common::config::{Secret, StoreConfig};
use newslode_common::store::redis::RedisStore;
use newslode_common::store::{Applied, SiteState, StoreError, StoreResult};
use newslode_page::contribution::Table;

use super::{change, site, store, url, version};
use newslode_test_servers::RedisServer;

/// The message of a `Refused` error.
#[track_caller]
fn refused<T>(result: StoreResult<T>) -> String {
    match result {
        Err(StoreError::Refused(message)) => message,
        Err(other) => panic!("not refused, but: {other}"),
        Ok(_) => panic!("not refused"),
    }
}

#[tokio::test]
async fn a_policy_that_evicts_is_refused() {
    let server = RedisServer::start_with(&["--maxmemory-policy", "allkeys-lru"]);
    let message = refused(RedisStore::connect(&server.config()).await);
    assert!(message.contains("`allkeys-lru`") && message.contains("`noeviction`"), "{message}");
    server.tell(&["CONFIG", "SET", "maxmemory-policy", "noeviction"]);
    let store = store(&server).await;
    server.tell(&["CONFIG", "SET", "maxmemory-policy", "volatile-ttl"]);
    assert!(refused(store.ready().await).contains("`volatile-ttl`"));
}

#[tokio::test]
async fn a_user_who_may_not_read_the_policy_by_config_can_work() {
    let server = RedisServer::start();
    server.tell(&["ACL", "SETUSER", "default", "-config"]);
    let store = store(&server).await;
    store.apply(&site(), &[change(0, None, version(1), &[(Table::Labels, "en:jazz", 1)])]).await.unwrap();
    server.tell(&["ACL", "SETUSER", "default", "-fcall"]);
    let message = refused(store.forget(&site()).await);
    assert!(message.contains("permission"), "{message}");
}

#[tokio::test]
async fn a_wrong_password_a_replica_and_a_wrong_url_are_refused() {
    let server = RedisServer::start();
    server.tell(&["CONFIG", "SET", "requirepass", "secret"]);
    let message = refused(RedisStore::connect(&server.config()).await);
    assert!(message.contains("password"), "{message}");
    let replica = RedisServer::start();
    replica.tell(&["REPLICAOF", "127.0.0.1", "1"]);
    let message = refused(RedisStore::connect(&replica.config()).await);
    assert!(message.contains("replica"), "{message}");
    let config = StoreConfig { url: Secret::new("http://user:hunter2@redis/"), ..StoreConfig::default() };
    let message = refused(RedisStore::connect(&config).await);
    assert!(message.contains("`store.url`") && !message.contains("hunter2"), "{message}");
}

#[tokio::test]
async fn lost_functions_are_loaded_again() {
    let server = RedisServer::start();
    let store = store(&server).await;
    for fetch in 1..4 {
        server.tell(&["FUNCTION", "FLUSH"]);
        let expected = (fetch > 1).then(|| version(fetch - 1));
        let applied =
            store.apply(&site(), &[change(0, expected, version(fetch), &[(Table::Pages, "", 1)])]).await;
        assert_eq!(applied.unwrap(), [Applied::Applied]);
    }
    assert_eq!(store.cells(&site(), Table::Pages).await.unwrap()[""], 3);
}

#[tokio::test]
async fn other_functions_under_our_name_are_replaced() {
    let server = RedisServer::start();
    let other = "#!lua name=newslode_2\nredis.register_function('nl2_apply', function() return {'A'} end)";
    assert_eq!(server.tell(&["FUNCTION", "LOAD", other]), "newslode_2");
    let store = store(&server).await;
    store.apply(&site(), &[change(0, None, version(1), &[(Table::Pages, "", 1)])]).await.unwrap();
    assert_eq!(store.cells(&site(), Table::Pages).await.unwrap()[""], 1);
}

#[tokio::test]
async fn a_full_server_refuses_and_changes_nothing_but_can_be_emptied() {
    let server = RedisServer::start();
    let store = store(&server).await;
    let first = change(0, None, version(1), &[(Table::Pages, "", 1)]);
    store.apply(&site(), std::slice::from_ref(&first)).await.unwrap();
    server.tell(&["CONFIG", "SET", "maxmemory", "1"]);
    let second = change(0, Some(version(1)), version(2), &[(Table::Pages, "", 1)]);
    let message = refused(store.apply(&site(), &[second]).await);
    assert!(message.contains("`maxmemory`"), "{message}");
    assert_eq!(store.cells(&site(), Table::Pages).await.unwrap()[""], 1);
    store.forget(&site()).await.unwrap();
    assert_eq!(store.pages(&site()).await.unwrap(), []);
}

/// Data of another kind under our keys is an error, before any write.
#[tokio::test]
async fn what_makes_no_sense_is_corrupt_and_changes_nothing() {
    let server = RedisServer::start();
    let store = store(&server).await;
    let cells = [(Table::Pages, "", 1), (Table::Lists, "l", 1)];
    store.apply(&site(), &[change(0, None, version(1), &cells)]).await.unwrap();
    let key = server.tell(&["EVAL", "return redis.call('KEYS', '*:x:*:0')[1]", "0"]);
    server.tell(&["HSET", &key, "gl", "many"]);
    let broken = store.apply(&site(), &[change(1, None, version(1), &cells)]).await;
    assert!(matches!(broken, Err(StoreError::Corrupt(_))), "{broken:?}");
    assert_eq!(store.cells(&site(), Table::Pages).await.unwrap()[""], 1);
    assert_eq!(store.versions(&site(), &[url(1)]).await.unwrap(), [None]);
    assert!(matches!(store.cells(&site(), Table::Lists).await, Err(StoreError::Corrupt(_))));
}

#[tokio::test]
async fn a_server_that_is_away_or_hangs_is_unavailable_in_time() {
    let mut server = RedisServer::start();
    let config = StoreConfig { timeout_ms: 300, ..server.config() };
    let store = RedisStore::connect(&config).await.unwrap();
    server.tell(&["CLIENT", "PAUSE", "2000", "ALL"]);
    let begin = Instant::now();
    let hung = store.versions(&site(), &[url(0)]).await;
    assert!(matches!(hung, Err(StoreError::Unavailable(_))), "{hung:?}");
    server.kill();
    for _ in 0..3 {
        let away = store.ready().await;
        assert!(matches!(away, Err(StoreError::Unavailable(_))), "{away:?}");
    }
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    assert!(matches!(RedisStore::connect(&config).await, Err(StoreError::Unavailable(_))));
    server.restart();
    until_available(|| store.ready()).await;
}

/// Nothing known of one server (its functions, its buckets in use) is assumed of the next one.
#[tokio::test]
async fn a_server_that_lost_everything_is_filled_anew() {
    let mut server = RedisServer::start();
    let store = store(&server).await;
    let changes = [change(0, None, version(1), &[(Table::Pages, "", 1)])];
    store.apply(&site(), &changes).await.unwrap();
    server.kill();
    server.restart_empty();
    let site = site();
    let again = until_available(|| store.apply(&site, &changes)).await;
    assert_eq!(again, [Applied::Applied]);
    assert_eq!(store.sites().await.unwrap(), [(site, 1)]);
}

/// Repeats a call while the store is unavailable, as services do.
async fn until_available<T, F: Future<Output = StoreResult<T>>>(call: impl Fn() -> F) -> T {
    let begin = Instant::now();
    loop {
        match call().await {
            Err(StoreError::Unavailable(_)) if begin.elapsed() < Duration::from_secs(60) => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            other => return other.unwrap(),
        }
    }
}

/// Counts versions 1, 2, … of one page until told to stop. Version n counts n² in a shared cell. Returns the
/// last version.
async fn count_until(stop: &AtomicBool, store: &RedisStore, path: u64, done: &AtomicU64) -> u64 {
    let (site, mut fetch) = (site(), 0u64);
    while !stop.load(Ordering::Relaxed) {
        fetch += 1;
        let by = i64::try_from(2 * fetch - 1).unwrap();
        let expected = (fetch > 1).then(|| version(fetch - 1));
        let changes = [change(path, expected, version(fetch), &[(Table::Terms, "shared", by)])];
        let verdicts = until_available(|| store.apply(&site, &changes)).await;
        // `Stale`: the unanswered call had its effect.
        assert!(matches!(verdicts[..], [Applied::Applied | Applied::Stale]), "{verdicts:?}");
        done.fetch_add(1, Ordering::Relaxed);
    }
    fetch
}

/// A server is killed under load and comes back. Every answered call holds, every unanswered one is repeated,
/// and nothing is counted twice. This needs `appendfsync always`: with `everysec` a server whose disk is busy
/// may answer up to two seconds before it writes.
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_loses_nothing_and_counts_nothing_twice() {
    let mut server = RedisServer::start_with(&["--appendfsync", "always"]);
    let store = store(&server).await;
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let workers = join_all((0..8).map(|path| count_until(&stop, &store, path, &done)));
    let killer = async {
        for _ in 0..5 {
            let seen = done.load(Ordering::Relaxed);
            while done.load(Ordering::Relaxed) < seen + 100 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            server.kill();
            tokio::time::sleep(Duration::from_millis(50)).await;
            tokio::task::block_in_place(|| server.restart());
        }
        stop.store(true, Ordering::Relaxed);
    };
    let (last, ()) = futures::join!(workers, killer);
    let sum: u64 = last.iter().map(|fetch| fetch * fetch).sum();
    let held = store.cells(&site(), Table::Terms).await.unwrap();
    assert_eq!(held["shared"], i64::try_from(sum).unwrap(), "last versions {last:?}");
    let versions: Vec<_> = store.pages(&site()).await.unwrap().into_iter().map(|(_, held)| held).collect();
    assert_eq!(versions, last.iter().map(|fetch| version(*fetch)).collect::<Vec<_>>());
}
