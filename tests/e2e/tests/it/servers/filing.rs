//! Events of articles name their concepts: once the leader has learnt from the pages that are read by then, readers are told over
//! RabbitMQ where each further article is filed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use lapin::options::{BasicGetOptions, QueueDeclareOptions};
use lapin::types::ShortString;
use lapin::{Channel, Connection, ConnectionProperties};
use newslode_newsworld::{World, WorldSpec};
use serde_json::Value;

use crate::lab::Lab;
use crate::services::{Installation, Servers};

/// After this long without an event no more will come.
const SILENCE: Duration = Duration::from_secs(10);
const PATIENCE: Duration = Duration::from_secs(200);
/// The delay between two requests to a site, in milliseconds: so long that there is time to learn from the first pages.
const DELAY: u64 = 100;

/// A reader of all articles.
struct Reader {
    /// Open as long as the channel is used.
    _connection: Connection,
    channel: Channel,
    queue: ShortString,
}

impl Reader {
    async fn new(servers: &Servers, prefix: &str) -> Reader {
        let properties = ConnectionProperties::default();
        let _connection = Connection::connect(&servers.rabbit.url(), properties).await.unwrap();
        let channel = _connection.create_channel().await.unwrap();
        let options = QueueDeclareOptions { exclusive: true, ..QueueDeclareOptions::default() };
        let queue = channel.queue_declare("".into(), options, Default::default()).await.unwrap();
        let (queue, exchange) = (queue.name().clone(), format!("{prefix}.articles"));
        let bound = channel.queue_bind(
            queue.clone(),
            exchange.into(),
            "*.*.#".into(),
            Default::default(),
            Default::default(),
        );
        bound.await.unwrap();
        Reader { _connection, channel, queue }
    }

    async fn next(&self) -> Option<Value> {
        let options = BasicGetOptions { no_ack: true };
        let got = self.channel.basic_get(self.queue.clone(), options).await.unwrap()?;
        Some(serde_json::from_slice(&got.delivery.data).unwrap())
    }

    /// All events until none comes any more.
    async fn events(&self, services: &mut Installation<'_>) -> Vec<Value> {
        let (mut events, begun, mut last) = (Vec::new(), Instant::now(), Instant::now());
        while events.is_empty() || last.elapsed() < SILENCE {
            match self.next().await {
                Some(event) => {
                    events.push(event);
                    last = Instant::now();
                }
                None => tokio::time::sleep(Duration::from_millis(100)).await,
            }
            services.all_run();
            assert!(begun.elapsed() < PATIENCE, "{} events\n{}", events.len(), services.logs());
        }
        events
    }
}

/// Which labels are right for which section.
struct Truth {
    /// Spelling → label, and label → broader labels, in lower case.
    labels: BTreeMap<String, String>,
    broader: BTreeMap<String, BTreeSet<String>>,
    /// Address → label of the section.
    sections: BTreeMap<String, String>,
}

impl Truth {
    fn new(world: &World) -> Truth {
        let gold = world.gold();
        let mut labels = BTreeMap::new();
        for concept in &gold.concepts {
            let label = concept.label.to_lowercase();
            labels.extend(concept.synonyms.iter().map(|form| (form.to_lowercase(), label.clone())));
            labels.insert(label.clone(), label);
        }
        let mut broader: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for pair in &gold.is_a {
            broader.entry(pair.narrower.to_lowercase()).or_default().insert(pair.broader.to_lowercase());
        }
        let section =
            |article: &newslode_newsworld::GoldArticle| (article.url.clone(), article.section.to_lowercase());
        Truth { labels, broader, sections: gold.articles.iter().map(section).collect() }
    }

    fn is_right(&self, url: &str, label: &str) -> bool {
        let label = label.to_lowercase();
        let label = self.labels.get(&label).unwrap_or(&label);
        let mut open = vec![&self.sections[url]];
        while let Some(own) = open.pop() {
            if own == label {
                return true;
            }
            open.extend(self.broader.get(own).into_iter().flatten());
        }
        false
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn articles_are_told_with_the_concepts_that_are_known_by_then() {
    let spec = WorldSpec { seed: 5, sites: 6, articles_per_section: 6, ..WorldSpec::default() };
    let (world, gold) = (World::generate(&spec), World::generate(&spec));
    let lab = Lab::of(world).await;
    let servers = Servers::start().await;
    let mut services = Installation::following("news", &lab, &servers, "filing", DELAY);
    let config = std::fs::read_to_string(services.config()).unwrap();
    std::fs::write(services.config(), config.replace("fold_s = 1", "fold_s = 1, filing_s = 2")).unwrap();
    services.start_all();
    services.ready().await;
    let reader = Reader::new(&servers, "filing").await;
    services.seed().await;
    let events = reader.events(&mut services).await;
    let is_filed = |event: &Value| event["filed"].as_array().is_some_and(|filed| !filed.is_empty());
    let first = events.iter().position(is_filed).expect("no event was filed");
    let listed = events.iter().filter(|event| !event["discovered_on"].is_null()).count();
    eprintln!(
        "{} events, the first {first} before anything was learnt; {listed} found on a listing",
        events.len()
    );
    judge(&Truth::new(&gold), &events[first..]);
    services.no_dead_letters().await;
    services.stop().await;
}

fn judge(truth: &Truth, events: &[Value]) {
    let (mut told, mut filed, mut said, mut right) = (BTreeSet::new(), 0, 0, 0);
    let mut by_witness: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for event in events.iter().filter(|event| event["event"] == "new") {
        let url = event["url"].as_str().unwrap();
        if !truth.sections.contains_key(url) || !told.insert(url) {
            continue;
        }
        let placed = event["filed"].as_array().unwrap();
        let labels: Vec<&Value> = placed.iter().map(|placed| &placed["concept"]).collect();
        assert_eq!(labels, event["concepts"].as_array().unwrap().iter().collect::<Vec<_>>());
        filed += usize::from(!placed.is_empty());
        for placed in placed {
            let is_right = truth.is_right(url, placed["concept"].as_str().unwrap());
            let of_witness = by_witness.entry(placed["witness"].as_str().unwrap()).or_default();
            *of_witness = (of_witness.0 + usize::from(is_right), of_witness.1 + 1);
            (right, said) = (right + usize::from(is_right), said + 1);
            if !is_right {
                eprintln!("wrong: {url} {placed} {:?} {}", truth.sections.get(url), event["discovered_on"]);
            }
        }
    }
    let (precision, share) = (right as f64 / said as f64, filed as f64 / told.len() as f64);
    eprintln!(
        "{} articles, {filed} filed ({share:.3}), {right} of {said} right ({precision:.3})",
        told.len()
    );
    eprintln!("right and all, by witness: {by_witness:?}");
    assert!(told.len() > 100, "only {} articles", told.len());
    assert!(precision >= 0.9 && share >= 0.5, "precision {precision:.3}, share {share:.3}");
}
