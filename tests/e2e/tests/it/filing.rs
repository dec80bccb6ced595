//! Events of articles name their concepts: what is published after the sites were learnt from is filed when it is told.
//!
//! At first the sites hide one story in three. When their other stories are read and the leader has learnt from them,
//! the hidden ones appear on the sites' listings, and readers are told of them over RabbitMQ.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use lapin::options::{BasicGetOptions, QueueDeclareOptions};
use lapin::types::ShortString;
use lapin::{Channel, Connection, ConnectionProperties};
use newslode_common::store::SiteState;
use newslode_newsworld::{Content, Reply, World, WorldSpec};
use serde_json::Value;

use crate::lab::Lab;
use crate::services::{Installation, Servers};

/// After this long without an event no more will come: listings are visited every few seconds.
const SILENCE: Duration = Duration::from_secs(15);
const PATIENCE: Duration = Duration::from_secs(240);
/// Listings are visited every two seconds.
const OFTEN: &str = "schedule = { allowance = false, least_interval_s = 2, longest_interval_s = 2, \
    longest_silent_s = 2, lead_interval_s = 2, silent_visits = 100000 }";

fn world() -> World {
    World::generate(&WorldSpec { seed: 5, sites: 6, articles_per_section: 6, ..WorldSpec::default() })
}

/// A world that hides some of its stories for a while.
struct Hiding {
    world: World,
    /// Host and path, longest first.
    hidden: Vec<(String, String)>,
    is_open: Arc<AtomicBool>,
}

impl Content for Hiding {
    fn respond(&self, host: &str, path: &str) -> Reply {
        let mut reply = self.world.respond(host, path);
        // What tells whether a page changed does not know what is hidden.
        reply.headers.retain(|(name, _)| !["etag", "last-modified"].contains(name));
        if self.is_open.load(Ordering::Relaxed) {
            return reply;
        }
        for (_, hidden) in self.hidden.iter().filter(|(of, _)| of == host) {
            if hidden == path {
                return Reply { status: 404, body: b"not yet".to_vec(), ..reply };
            }
            for written in BTreeSet::from([hidden.clone(), hidden.replace('&', "&amp;")]) {
                reply.body = without(&reply.body, written.as_bytes());
            }
        }
        reply
    }
}

/// A page whose links to a path lead to the front page.
fn without(page: &[u8], path: &[u8]) -> Vec<u8> {
    let mut left = Vec::with_capacity(page.len());
    let mut rest = page;
    while !rest.is_empty() {
        let ends = rest.get(path.len()).is_none_or(|next| !next.is_ascii_alphanumeric());
        if rest.starts_with(path) && ends {
            left.push(b'/');
            rest = &rest[path.len()..];
        } else {
            left.push(rest[0]);
            rest = &rest[1..];
        }
    }
    left
}

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
            "#".into(),
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

    /// The events until `is_enough` of them came, or none comes any more.
    async fn events(
        &self,
        services: &mut Installation<'_>,
        is_enough: impl AsyncFn(&[Value]) -> bool,
    ) -> Vec<Value> {
        let (mut events, begun, mut last) = (Vec::new(), Instant::now(), Instant::now());
        loop {
            match self.next().await {
                Some(event) => {
                    events.push(event);
                    last = Instant::now();
                }
                None if last.elapsed() > SILENCE && is_enough(&events).await => return events,
                None => tokio::time::sleep(Duration::from_millis(100)).await,
            }
            services.all_run();
            assert!(begun.elapsed() < PATIENCE, "{} events\n{}", events.len(), services.logs());
        }
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
    let (world, gold) = (world(), world());
    let (seeds, truth) = (world.seeds(), Truth::new(&gold));
    let all = gold.gold().articles.iter();
    let hidden_urls: BTreeSet<String> = all.map(|article| article.url.clone()).step_by(3).collect();
    let mut hidden: Vec<(String, String)> = hidden_urls
        .iter()
        .map(|url| url.strip_prefix("http://").unwrap().split_once('/').unwrap())
        .map(|(host, path)| (host.to_owned(), format!("/{path}")))
        .collect();
    hidden.sort_by_key(|(_, path)| std::cmp::Reverse(path.len()));
    let is_open = Arc::new(AtomicBool::new(false));
    let lab = Lab::serving(Hiding { world, hidden, is_open: is_open.clone() }, &seeds).await;
    let servers = Servers::start().await;
    let mut services = Installation::following("news", &lab, &servers, "filing", 0);
    let config = std::fs::read_to_string(services.config()).unwrap();
    let config = config.replace("schedule = { allowance = false }", OFTEN);
    let config = config.replace("fold_s = 1", "fold_s = 1, filing_s = 3");
    std::fs::write(services.config(), config).unwrap();
    services.start_all();
    services.ready().await;
    let reader = Reader::new(&servers, "filing").await;
    services.seed().await;
    let store = services.store().await;
    let is_learnt =
        async |events: &[Value]| events.len() > 40 && store.value("filing").await.unwrap().is_some();
    let before = reader.events(&mut services, is_learnt).await;
    assert!(before.iter().all(|event| !hidden_urls.contains(event["url"].as_str().unwrap())));

    is_open.store(true, Ordering::Relaxed);
    let after = reader.events(&mut services, async |events| events.len() > 40).await;
    judge(&truth, &hidden_urls, &after);
    services.no_dead_letters().await;
    services.stop().await;
}

fn judge(truth: &Truth, hidden: &BTreeSet<String>, events: &[Value]) {
    let (mut told, mut filed, mut said, mut right) = (BTreeSet::new(), 0, 0, 0);
    let mut by_witness: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for event in events.iter().filter(|event| event["event"] == "new") {
        let url = event["url"].as_str().unwrap();
        if !hidden.contains(url) || !told.insert(url) {
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
    assert!(told.len() * 10 >= hidden.len() * 8, "{} of {} were told", told.len(), hidden.len());
    assert!(precision >= 0.9 && share >= 0.5, "precision {precision:.3}, share {share:.3}");
    assert!(by_witness.contains_key("list"), "{by_witness:?}");
}
