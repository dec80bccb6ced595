//! Tests of the service between queues that may be full and an archive that may be away.

use std::collections::{BTreeMap, VecDeque};
use std::io::Read as _;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use newslode_common::broker::{
    Acker, Broker, BrokerError, Consumer, DeadLetter, Delivery, Headers, PublishError, Queue,
};
use newslode_common::config::PartitionerConfig;
use newslode_common::message::envelope::{open, seal};
use newslode_common::message::{Body, CountedPage, FetchedPage, PartitionedPage};
use newslode_common::store::{Expired, Kind, PageArchive, StoreError, StoreResult, Why};
use newslode_common::telemetry::metrics::Metrics;
use newslode_common::version::{ContentHash, Version};
use newslode_page::Params;
use newslode_page::hierarchy::{Block, xml};
use newslode_page::reading::{CanonicalUrl, Listed, ListedBy, ListedEntry};
use newslode_page::time::Timestamp;
use newslode_partitioner::{Parts, run};
use tokio_util::sync::CancellationToken;

/// The ends of the deliveries, and the published messages.
#[derive(Default)]
struct World {
    waiting: Mutex<VecDeque<Vec<u8>>>,
    ends: Mutex<Vec<String>>,
    published: Mutex<Vec<Bytes>>,
    /// Number of publishes still to refuse.
    full: AtomicU32,
    /// Number of archive calls still to leave unanswered.
    away: AtomicU32,
    objects: Mutex<BTreeMap<(Kind, ContentHash), Bytes>>,
    taken: AtomicU32,
}

fn spend(left: &AtomicU32) -> bool {
    left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok()
}

struct Ends(Arc<World>);

impl Ends {
    fn end(&self, how: &str) -> Result<(), BrokerError> {
        self.0.ends.lock().unwrap().push(how.to_owned());
        Ok(())
    }
}

#[async_trait]
impl Acker for Ends {
    async fn ack(self: Box<Self>) -> Result<(), BrokerError> {
        self.end("ack")
    }
    async fn reject(self: Box<Self>, reason: &str) -> Result<(), BrokerError> {
        self.end(&format!("reject: {reason}"))
    }
    async fn release(self: Box<Self>) -> Result<(), BrokerError> {
        self.end("release")
    }
}

struct Source(Arc<World>);

#[async_trait]
impl Consumer for Source {
    async fn next(&mut self) -> Result<Delivery, BrokerError> {
        let next = self.0.waiting.lock().unwrap().pop_front();
        let Some(body) = next else { std::future::pending().await };
        self.0.taken.fetch_add(1, Ordering::SeqCst);
        Ok(Delivery {
            body: body.into(),
            redelivered: false,
            trace: None,
            acker: Box::new(Ends(Arc::clone(&self.0))),
        })
    }
}

struct Queues(Arc<World>);

#[async_trait]
impl Broker for Queues {
    async fn publish(&self, queue: Queue, body: Bytes) -> Result<(), PublishError> {
        assert_eq!(queue, Queue::Partitions);
        if spend(&self.0.full) {
            return Err(PublishError::Full { queue: queue.to_string() });
        }
        self.0.published.lock().unwrap().push(body);
        Ok(())
    }
    async fn publish_article(&self, _: &str, _: Headers<'_>, _: Bytes) -> Result<(), PublishError> {
        unreachable!("the partitioner hands out no articles")
    }
    async fn consume(&self, queue: Queue, _: u16) -> Result<Box<dyn Consumer>, BrokerError> {
        assert_eq!(queue, Queue::Pages);
        Ok(Box::new(Source(Arc::clone(&self.0))))
    }
    async fn depth(&self, _: Queue) -> Result<u64, BrokerError> {
        Ok(0)
    }
    async fn dead(&self, _: Queue, _: usize) -> Result<Vec<DeadLetter>, BrokerError> {
        Ok(Vec::new())
    }
    async fn replay(&self, _: Queue, _: &[String]) -> Result<u64, BrokerError> {
        Ok(0)
    }
    async fn drop_dead(&self, _: Queue, _: &[String]) -> Result<u64, BrokerError> {
        Ok(0)
    }
    async fn ready(&self) -> Result<(), BrokerError> {
        Ok(())
    }
}

struct Objects(Arc<World>);

#[async_trait]
impl PageArchive for Objects {
    async fn put(&self, kind: Kind, content: ContentHash, bytes: Bytes, _: Timestamp) -> StoreResult<()> {
        if spend(&self.0.away) {
            return Err(StoreError::Unavailable("away".into()));
        }
        self.0.objects.lock().unwrap().insert((kind, content), bytes);
        Ok(())
    }
    async fn get(&self, kind: Kind, content: ContentHash) -> StoreResult<Option<Bytes>> {
        Ok(self.0.objects.lock().unwrap().get(&(kind, content)).cloned())
    }
    async fn delete(&self, _: Kind, _: ContentHash) -> StoreResult<()> {
        Ok(())
    }
    async fn expire(&self, _: Timestamp) -> StoreResult<Expired> {
        Ok(Expired::default())
    }
}

const HTML: &str = "<html lang=en><h3>Sports</h3><ul><li><a href=/cup>Cup</a><li><a href=/tour>Tour</a></ul>";

/// The name under which the page is counted.
fn name() -> ContentHash {
    inline().version.content.seen_by(&Params::default().generation())
}

fn message(body: Body) -> FetchedPage {
    let url: CanonicalUrl = "https://news.example.org/sports".parse().unwrap();
    let content = ContentHash::of(&url, None, HTML.as_bytes());
    FetchedPage {
        site: url.site(),
        url,
        depth: 1,
        why: Why::Concept,
        version: Version { fetch: 3, content },
        fetched_at: Timestamp(1_717_200_000_000),
        content_type: None,
        body,
        listed: None,
        rendered: false,
    }
}

fn inline() -> FetchedPage {
    message(Body::Inline(zstd::encode_all(HTML.as_bytes(), 0).unwrap()))
}

fn config() -> PartitionerConfig {
    PartitionerConfig { grace_ms: 1_000, ..PartitionerConfig::default() }
}

/// Runs the service until `wanted` deliveries have ended.
async fn until(world: &Arc<World>, wanted: usize) -> Arc<Metrics> {
    let metrics = Metrics::new().unwrap();
    let parts = Parts {
        broker: Arc::new(Queues(Arc::clone(world))),
        archive: Arc::new(Objects(Arc::clone(world))),
        parsed: Arc::default(),
        metrics: Arc::clone(&metrics),
        clock: Default::default(),
    };
    let stop = CancellationToken::new();
    let watched = async {
        while world.ends.lock().unwrap().len() < wanted {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        stop.cancel();
    };
    let run = run(parts, config(), stop.clone());
    let both = async { tokio::join!(run, watched).0 };
    tokio::time::timeout(Duration::from_secs(60), both).await.expect("the service hangs").unwrap();
    metrics
}

async fn ends_of(message: Vec<u8>) -> (Arc<World>, String) {
    let world = Arc::new(World::default());
    world.waiting.lock().unwrap().push_back(message);
    until(&world, 1).await;
    let end = world.ends.lock().unwrap().join("\n");
    (world, end)
}

#[tokio::test]
async fn a_page_is_kept_published_and_acknowledged() {
    let (world, end) = ends_of(seal(&inline()).unwrap()).await;
    assert_eq!(end, "ack");
    let published: PartitionedPage = open(&world.published.lock().unwrap()[0]).unwrap();
    assert_eq!(published.version, Version { content: name(), ..inline().version });
    assert_eq!(published.notes.leaves, 3);
    let objects = world.objects.lock().unwrap();
    let of = |kind| objects.get(&(kind, name()));
    assert!(
        published
            .contribution
            .pairs
            .iter()
            .any(|pair| pair.broader == "en:sport" && pair.narrower == "en:cup")
    );
    let hierarchy = std::str::from_utf8(of(Kind::Hierarchy).unwrap()).unwrap();
    assert_eq!(xml::read(hierarchy).unwrap().leaves, 3);
    assert!(of(Kind::Article).is_none());
}

#[tokio::test]
async fn a_page_that_comes_again_keeps_its_marks_unless_they_are_of_another_hierarchy() {
    let (world, _) = ends_of(seal(&inline()).unwrap()).await;
    let key = (Kind::Hierarchy, name());
    let held = |world: &World| String::from_utf8(world.objects.lock().unwrap()[&key].to_vec()).unwrap();
    let fresh = held(&world);
    let mut marked = xml::read(&fresh).unwrap();
    marked.mark("v".into(), |_| Block::Toc);
    let mut other = marked.clone();
    other.method = "of before".into();
    for (before, after) in [(&marked, xml::write(&marked)), (&other, fresh)] {
        world.objects.lock().unwrap().insert(key, xml::write(before).into());
        world.ends.lock().unwrap().clear();
        world.waiting.lock().unwrap().push_back(seal(&inline()).unwrap());
        until(&world, 1).await;
        assert_eq!(held(&world), after);
    }
}

#[tokio::test]
async fn what_can_never_be_worked_on_is_rejected_with_its_reason() {
    let (_, end) = ends_of(b"GET / HTTP/1.1".to_vec()).await;
    assert!(end.starts_with("reject: not a Newslode message"), "{end}");
    let (_, end) = ends_of(seal(&CountedPage::default()).unwrap()).await;
    assert!(end.contains("kind 3"), "{end}");
    let (_, end) = ends_of(seal(&message(Body::Archived)).unwrap()).await;
    assert!(end.contains("the archive has no page"), "{end}");
    let (_, end) = ends_of(seal(&message(Body::Inline(b"plain".to_vec()))).unwrap()).await;
    assert!(end.contains("not zstd"), "{end}");
    let other = "https://news.example.org/sport5".parse().unwrap();
    let (_, end) = ends_of(seal(&FetchedPage { url: other, ..inline() }).unwrap()).await;
    assert!(end.contains("a damaged page: `https://news.example.org/sport5`"), "{end}");
    let elsewhere = "https://b.test/".parse::<CanonicalUrl>().unwrap().site();
    let (_, end) = ends_of(seal(&FetchedPage { site: elsewhere, ..inline() }).unwrap()).await;
    assert!(end.contains("not a page of the site `b.test`"), "{end}");
    let entry = ListedEntry::new("https://b.test/feed".parse().unwrap(), ListedBy::Feed);
    let listed = Some(Listed { entry, html: None });
    let (_, end) = ends_of(seal(&FetchedPage { listed, ..inline() }).unwrap()).await;
    assert!(end.contains("is of a listing of another site"), "{end}");
    let bomb = zstd::encode_all(std::io::repeat(b'x').take(65 << 20), 19).unwrap();
    let (world, end) = ends_of(seal(&message(Body::Inline(bomb))).unwrap()).await;
    assert!(end.contains("when decompressed"), "{end}");
    assert!(world.published.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_large_page_comes_from_the_archive() {
    let world = Arc::new(World::default());
    let content = inline().version.content;
    world.objects.lock().unwrap().insert((Kind::Page, content), seal(&inline()).unwrap().into());
    world.waiting.lock().unwrap().push_back(seal(&message(Body::Archived)).unwrap());
    until(&world, 1).await;
    assert_eq!(*world.ends.lock().unwrap(), ["ack"]);
    assert_eq!(world.published.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_full_queue_and_an_archive_that_is_away_are_waited_for() {
    let world = Arc::new(World::default());
    world.full.store(2, Ordering::SeqCst);
    world.away.store(2, Ordering::SeqCst);
    world.waiting.lock().unwrap().push_back(seal(&inline()).unwrap());
    let metrics = until(&world, 1).await;
    assert_eq!(*world.ends.lock().unwrap(), ["ack"]);
    assert_eq!(metrics.refused.with_label_values(&["partitions"]).get(), 2);
    assert_eq!(metrics.partitioned.with_label_values(&["whole"]).get(), 1);
}

#[tokio::test]
async fn a_stop_takes_nothing_new_and_returns_what_is_stuck() {
    let world = Arc::new(World::default());
    world.full.store(u32::MAX, Ordering::SeqCst);
    for _ in 0..5 {
        world.waiting.lock().unwrap().push_back(seal(&inline()).unwrap());
    }
    let metrics = Metrics::new().unwrap();
    let parts = Parts {
        broker: Arc::new(Queues(Arc::clone(&world))),
        archive: Arc::new(Objects(Arc::clone(&world))),
        parsed: Arc::default(),
        metrics: Arc::clone(&metrics),
        clock: Default::default(),
    };
    let stop = CancellationToken::new();
    let refused = metrics.refused.with_label_values(&["partitions"]);
    let watched = async {
        while refused.get() < 4 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        stop.cancel();
    };
    let (ended, ()) = tokio::join!(run(parts, config(), stop.clone()), watched);
    ended.unwrap();
    // The service held as many pages as it has workers, and gave them back.
    assert_eq!(world.taken.load(Ordering::SeqCst), 2);
    assert_eq!(*world.ends.lock().unwrap(), ["release", "release"]);
}
