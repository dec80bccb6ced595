//! Thousands of broken messages on every queue, against partitioner and miner: none is counted, none stops a service.
//!
//! Damaged messages (bits flipped, cut, spliced, grown, of another version, on another queue) must all become dead letters with a
//! reason. Forged ones have a right checksum over wrong bytes, as somebody with rights of a service could make them: they may be
//! taken, but what counts stays as it was. `NEWSLODE_MUTANT_MESSAGES=5000` tries more.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use newslode_common::broker::in_process::InProcessBroker;
use newslode_common::broker::{Broker, Limits, Queue};
use newslode_common::config::{MinerConfig, PartitionerConfig};
use newslode_common::message::seed::{SeedCommand, SeedMessage};
use newslode_common::message::{Body, Ending, FetchedPage, GonePage, PartitionedPage, envelope};
use newslode_common::store::redb::RedbStore;
use newslode_common::store::{Kind, PageArchive as _, SiteState as _, Why, state_digest};
use newslode_common::telemetry::metrics::Metrics;
use newslode_common::time;
use newslode_common::version::{ContentHash, Version};
use newslode_miner::mining::fold::Rules;
use newslode_miner::work::generations::Generations;
use newslode_miner::work::parts::Parts;
use newslode_miner::work::stores::Stores;
use newslode_page::reading::{Site, canonical};
use newslode_page::{CanonicalUrl, Params, analyse};
use tokio_util::sync::CancellationToken;

const SEED: &str = r#"{"version":1,"url":"https://a.test/","delay_ms":0}"#;
const REMOVAL: &str = r#"{"version":1,"url":"https://b.test/","action":"remove"}"#;
const WAYS: [&str; 7] = ["flipped", "cut", "spliced", "grown", "another version", "another queue", "forged"];

struct Installation {
    store: Arc<RedbStore>,
    broker: InProcessBroker,
    metrics: Arc<Metrics>,
}

impl Installation {
    async fn new() -> Installation {
        let store = Arc::new(RedbStore::in_memory().unwrap());
        Generations::claim(store.as_ref(), &Params::default().generation()).await.unwrap();
        let limits = Limits { max_length: 100_000, ..Limits::default() };
        Installation { store, broker: InProcessBroker::new(limits), metrics: Metrics::new().unwrap() }
    }

    /// Runs partitioner and miner over these messages until nothing is left of them.
    async fn take(&self, messages: Vec<(Queue, Bytes)>) {
        for (queue, message) in messages {
            self.broker.publish(queue, message).await.unwrap();
        }
        let stop = CancellationToken::new();
        let (broker, store) = (Arc::new(self.broker.clone()), self.store.clone());
        let partitioner = newslode_partitioner::Parts {
            broker: broker.clone(),
            archive: store.clone(),
            parsed: Arc::default(),
            metrics: self.metrics.clone(),
            clock: Default::default(),
        };
        let miner = Parts {
            stores: Stores {
                frontier: store.clone(),
                state: store.clone(),
                archive: store,
                parsed: Arc::default(),
            },
            owners: Arc::default(),
            filing: Arc::default(),
            places: Arc::default(),
            schemes: Arc::default(),
            announcements: Arc::default(),
            broker,
            metrics: self.metrics.clone(),
            rules: Rules::default(),
            params: Arc::default(),
            schedule: Arc::default(),
            retention: Default::default(),
            noarchive: Default::default(),
            clock: Default::default(),
        };
        let config = MinerConfig { fold_s: 0, views_s: 0, linger_ms: 5, ..MinerConfig::default() };
        let partitioning = newslode_partitioner::run(partitioner, PartitionerConfig::default(), stop.clone());
        let mining = newslode_miner::work::service::run(miner, config, stop.clone());
        let watching = async {
            tokio::time::timeout(Duration::from_secs(600), self.broker.idle()).await.unwrap();
            stop.cancel();
        };
        let (partitioned, mined, ()) = tokio::join!(partitioning, mining, watching);
        partitioned.unwrap();
        mined.unwrap();
    }

    /// The number of pages that count. The store also lists pages that are gone; these have no content.
    async fn counted(&self, site: &Site) -> usize {
        let pages = self.store.pages(site).await.unwrap();
        pages.iter().filter(|(_, version)| version.content != ContentHash::NONE).count()
    }

    /// Prints why the messages that were changed in this way became dead letters, and drops these. Returns their number.
    async fn dead_letters(&self, way: &str) -> usize {
        let mut dead = 0;
        for queue in Queue::ALL {
            for (reason, count) in self.reasons(*queue).await {
                eprintln!("{way:>15} {queue:>10} {count:>5} {reason}");
                dead += count;
            }
        }
        dead
    }

    /// The reasons of a queue's dead letters, by their beginnings; they are dropped.
    async fn reasons(&self, queue: Queue) -> BTreeMap<String, usize> {
        let mut reasons = BTreeMap::new();
        for letter in self.broker.dead(queue, usize::MAX).await.unwrap() {
            assert!(!letter.reason.is_empty());
            let words = letter.reason.split(' ').filter(|word| !word.contains(['`', '0', '[', '/']));
            *reasons.entry(words.take(7).collect::<Vec<_>>().join(" ")).or_default() += 1;
        }
        self.broker.drop_dead(queue, &[]).await.unwrap();
        reasons
    }
}

fn fetched(path: &str, fetch: u64) -> FetchedPage {
    let url: CanonicalUrl = format!("https://a.test/{path}").parse().unwrap();
    let text =
        "The cup went north again after a long and cold match that few had stayed to watch. ".repeat(9);
    let html = format!(
        "<html lang=en><title>{path} wins</title><h1>{path} wins</h1><p>{text}<h3>Sport</h3><ul><li><a href=/cup>Cup</a>\
         <li><a href=/tour>Tour</a></ul>"
    );
    FetchedPage {
        site: url.site(),
        depth: 1,
        why: Why::Link,
        version: Version { fetch, content: ContentHash::of(&url, None, html.as_bytes()) },
        fetched_at: time::now(),
        content_type: None,
        body: Body::pack(html.as_bytes()).unwrap(),
        url,
        listed: None,
        rendered: false,
    }
}

/// What the partitioner makes of a page.
fn partitioned(page: &FetchedPage) -> PartitionedPage {
    let params = Params::default();
    let mut said = analyse(&page.url, None, &page.bytes().unwrap(), page.fetched_at, &params);
    PartitionedPage::new(&params.generation(), page, &mut said)
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }

    fn flip(&mut self, bytes: &mut [u8]) {
        for _ in 0..=self.below(3) {
            let at = self.below(bytes.len());
            bytes[at] ^= 1 << self.below(8);
        }
    }
}

/// A message changed in one of [`WAYS`], and the queue that it is sent to.
fn mutant(way: usize, queue: Queue, message: &[u8], other: &[u8], dice: &mut Dice) -> (Queue, Vec<u8>) {
    let mut bytes = message.to_vec();
    let mut to = queue;
    match WAYS[way] {
        "flipped" => dice.flip(&mut bytes),
        "cut" => bytes.truncate(dice.below(message.len())),
        "spliced" => {
            bytes.truncate(dice.below(message.len()));
            bytes.extend_from_slice(&other[dice.below(other.len())..]);
        }
        "grown" => {
            let (at, many) = (dice.below(bytes.len() + 1), dice.below(200) + 1);
            let more: Vec<u8> = (0..many).map(|_| dice.below(256) as u8).collect();
            bytes.splice(at..at, more);
        }
        // The fifth byte of a sealed message; of JSON some digit or letter.
        "another version" => bytes[4] = bytes[4].wrapping_add(dice.below(255) as u8 + 1),
        "another queue" => {
            let others: Vec<Queue> = Queue::ALL.iter().copied().filter(|other| *other != queue).collect();
            to = others[dice.below(others.len())];
        }
        // A right checksum over wrong bytes.
        _ => {
            let end = bytes.len() - 8;
            dice.flip(&mut bytes[5..end]);
            let checksum = blake3::hash(&bytes[..end]);
            bytes[end..].copy_from_slice(&checksum.as_bytes()[..8]);
        }
    }
    (to, bytes)
}

#[tokio::test(flavor = "multi_thread")]
async fn no_broken_message_counts_or_stops_a_service() {
    let times: usize = std::env::var("NEWSLODE_MUTANT_MESSAGES").map_or(700, |times| times.parse().unwrap());
    let site = Installation::new().await;
    let pages = [fetched("north", 3), fetched("south", 4)];
    let sealed = |page: &FetchedPage| Bytes::from(envelope::seal(page).unwrap());
    site.take(vec![(Queue::Seeds, SEED.into())]).await;
    for page in &pages {
        let content = page.version.content;
        site.store.put(Kind::Page, content, sealed(page), time::now()).await.unwrap();
    }
    site.take(pages.iter().map(|page| (Queue::Pages, sealed(page))).collect()).await;
    let name = pages[0].site.clone();
    assert_eq!(site.counted(&name).await, 2);
    let counts = state_digest(site.store.as_ref(), &name).await.unwrap();

    // Nothing is at its address, so that a forged one may remove nothing.
    let url: CanonicalUrl = "https://a.test/never-there".parse().unwrap();
    let gone = GonePage { site: url.site(), url, fetch: 1, at: time::now(), ending: Ending::NotFound };
    let messages: Vec<(Queue, Bytes)> = vec![
        (Queue::Pages, sealed(&pages[0])),
        (Queue::Pages, sealed(&pages[1])),
        (Queue::Partitions, envelope::seal(&partitioned(&pages[0])).unwrap().into()),
        (Queue::Partitions, envelope::seal(&partitioned(&pages[1])).unwrap().into()),
        (Queue::Gone, envelope::seal(&gone).unwrap().into()),
    ];
    let mut dice = Dice(7);
    for (way, name_of_way) in WAYS.iter().enumerate() {
        let (mut sent, mut whole) = (Vec::new(), 0);
        for number in 0..times / WAYS.len() {
            let (queue, message) = &messages[number % messages.len()];
            let (_, other) = &messages[dice.below(messages.len())];
            let (to, bytes) = mutant(way, *queue, message, other, &mut dice);
            // A splice at the same place of the same message, or a bit that is flipped back.
            whole += usize::from(to == *queue && messages.iter().any(|(_, message)| *message == bytes));
            sent.push((to, Bytes::from(bytes)));
        }
        let many = sent.len();
        site.take(sent).await;
        let dead = site.dead_letters(name_of_way).await;
        eprintln!("{name_of_way:>15}: {dead} of {many} are dead letters, {whole} are whole");
        if *name_of_way != "forged" {
            assert_eq!(dead + whole, many, "{name_of_way}: {dead} dead, {whole} whole");
        }
        let now = state_digest(site.store.as_ref(), &name).await.unwrap();
        assert_eq!(now, counts, "{name_of_way}: something of them counts");
    }
    // The services that took all this still count a page.
    let next = fetched("east", 5);
    site.store.put(Kind::Page, next.version.content, sealed(&next), time::now()).await.unwrap();
    site.take(vec![(Queue::Pages, sealed(&next))]).await;
    assert_eq!(site.counted(&name).await, 3);
}

/// Whether these bytes are a command for this queue, whose address can be that of a page.
fn is_command(bytes: &[u8], queue: Queue) -> bool {
    let Ok(command) = SeedMessage::parse(bytes) else { return false };
    let (SeedCommand::Add { url, .. }
    | SeedCommand::Remove(url)
    | SeedCommand::Pause(url)
    | SeedCommand::Forget(url)) = &command;
    command.queue() == queue && canonical(url).is_some()
}

/// Operators' messages are JSON without a checksum: a mutant that is one is obeyed, any other is a dead letter. A site that no
/// mutant can name keeps its pages.
#[tokio::test(flavor = "multi_thread")]
async fn broken_messages_of_operators_are_refused_with_a_reason() {
    let times: usize = std::env::var("NEWSLODE_MUTANT_MESSAGES").map_or(700, |times| times.parse().unwrap());
    let site = Installation::new().await;
    let page = fetched("north", 3);
    let sealed = Bytes::from(envelope::seal(&page).unwrap());
    site.take(vec![(Queue::Seeds, SEED.into())]).await;
    site.store.put(Kind::Page, page.version.content, sealed.clone(), time::now()).await.unwrap();
    site.take(vec![(Queue::Pages, sealed)]).await;
    let counts = state_digest(site.store.as_ref(), &page.site).await.unwrap();

    let texts =
        [(Queue::Seeds, SEED.replace("a.test", "other-site.test")), (Queue::Removals, REMOVAL.into())];
    let mut dice = Dice(9);
    for (way, name_of_way) in WAYS.iter().enumerate().take(6) {
        let (mut sent, mut obeyed) = (Vec::new(), 0);
        for number in 0..times / 6 {
            let (queue, text) = &texts[number % texts.len()];
            let (_, other) = &texts[dice.below(texts.len())];
            let (to, bytes) = mutant(way, *queue, text.as_bytes(), other.as_bytes(), &mut dice);
            obeyed += usize::from(is_command(&bytes, to));
            sent.push((to, Bytes::from(bytes)));
        }
        let many = sent.len();
        site.take(sent).await;
        let dead = site.dead_letters(name_of_way).await;
        eprintln!("{name_of_way:>15}: {dead} of {many} are dead letters, {obeyed} are obeyed");
        assert_eq!(dead + obeyed, many, "{name_of_way}: {dead} dead, {obeyed} obeyed");
        assert_eq!(state_digest(site.store.as_ref(), &page.site).await.unwrap(), counts, "{name_of_way}");
    }
}
