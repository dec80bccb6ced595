//! What must hold at the end of every run in the default mode, whatever happened to it.
//!
//! A run that follows the news never ends by itself: listings are visited again, articles rechecked, failed pages wait. So
//! outcomes are compared with no other run's. What is wanted instead: the sums are those of an undisturbed run, to the bit;
//! the archive proves them; every article of the world is counted, and exported once if it is recognised; each event
//! comes once a version; every URL that is known has an outcome. Start at [`News`] and [`Installation::ends_with_the_news`]; `docs/decisions/0056-one-crawl-path.md`
//! says what is compared in which mode, and why.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use lapin::options::{BasicGetOptions, QueueBindOptions, QueueDeclareOptions};
use lapin::types::FieldTable;
use lapin::{Connection, ConnectionProperties};
use newslode_common::store::{Frontier, SiteState};
use newslode_common::version::{ContentHash, Version};
use serde_json::Value;

use crate::lab::{Digests, Lab, digests_in, digests_of, open};
use crate::services::Installation;

/// What an undisturbed run of the embedded engine finds in the default mode.
pub struct News {
    /// The digest of each site's mined state.
    pub digests: Digests,
    /// Number of URLs with an outcome.
    pub done: u64,
    /// The addresses of the world's articles.
    gold: BTreeSet<String>,
    /// The articles that are exported. Some of the world's are not recognised as articles, whatever fetches them.
    articles: BTreeSet<String>,
    /// Pages that were articles until others of their site showed that they are none.
    changed: BTreeSet<String>,
}

/// The longest time that articles may take to follow the sums.
const ARTICLES_FOLLOW: Duration = Duration::from_secs(60);

impl News {
    /// The name of the undisturbed run.
    pub const RUN: &str = "undisturbed-news";

    /// Mines the lab's world in the default mode in one go.
    pub async fn undisturbed(lab: &Lab, more: &[&str]) -> News {
        let summary = lab.json(&lab.mining_by("news", News::RUN, more)).await;
        assert_eq!(summary["complete"], true, "{summary}");
        let digests = digests_of(&summary);
        assert_eq!(digests.len(), lab.seeds().len(), "{summary}");
        let outcomes = summary["outcomes"].as_object().unwrap();
        let done = outcomes.values().map(|urls| urls.as_u64().unwrap()).sum();
        let folder = lab.path(News::RUN).display().to_string();
        let exported = lab.ok(&["export", "articles", &folder]).await;
        let changed = changed_kind(&lab.ok(&["export", "articles", &folder, "--history"]).await);
        let (gold, articles) = (lab.gold().clone(), urls(&exported));
        let known = articles.intersection(&gold).count();
        assert!(known * 10 >= gold.len() * 7, "only {known} of {} articles are recognised", gold.len());
        let news = News { digests, done, gold, articles, changed };
        news.is_in(lab, News::RUN).await;
        news
    }

    /// Checks the folder of a run, as the head of this module says.
    pub async fn is_in(&self, lab: &Lab, run: &str) {
        {
            let store = open(&lab.path(run));
            assert_eq!(self.digests, digests_in(&store).await, "{run}");
            assert_eq!(without_outcome(&store).await, Vec::<String>::new(), "{run}: URLs without an outcome");
            assert_eq!(
                not_counted(&store, &self.gold).await,
                Vec::<String>::new(),
                "{run}: articles are lost"
            );
        }
        let folder = lab.path(run).display().to_string();
        lab.ok(&["verify", "--quiet", &folder]).await;
        let articles = lab.ok(&["export", "articles", &folder]).await;
        let history = lab.ok(&["export", "articles", &folder, "--history"]).await;
        self.are_all_in(&articles, &history).unwrap_or_else(|error| panic!("{run}: {error}"));
        each_event_once(&history).unwrap_or_else(|error| panic!("{run}: {error}"));
    }

    /// Whether exported lines hold the articles of the undisturbed run, each once, and no page that is no article. A page
    /// changes its kind once a week at most, so those that did, here or there, may have the one or the other; and a page at
    /// the threshold is an article or none by which pages of its site were read before it.
    fn are_all_in(&self, lines: &str, history: &str) -> Result<(), String> {
        let either: BTreeSet<String> = changed_kind(history).union(&self.changed).cloned().collect();
        let must = self.articles.difference(&either).cloned().collect();
        let may = self.articles.union(&either).chain(&self.gold).cloned().collect();
        each_article_once(lines, &must, &may)
    }
}

/// The addresses of pages that were articles until the other pages of their site showed that they are none, by the lines of
/// an exported history.
pub fn changed_kind(history: &str) -> BTreeSet<String> {
    let events = history.lines().map(parsed);
    events.filter(|event| event["reason"] == "not_an_article").map(|event| text(&event, "url")).collect()
}

/// The addresses of exported articles.
pub fn urls(lines: &str) -> BTreeSet<String> {
    lines.lines().map(|line| text(&parsed(line), "url")).collect()
}

/// Whether exported lines hold each of the articles that `must` be there, only those that `may`, and none twice.
///
/// # Errors
/// What is missing, what is there twice, and what should not be there.
pub fn each_article_once(lines: &str, must: &BTreeSet<String>, may: &BTreeSet<String>) -> Result<(), String> {
    let found = urls(lines);
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for line in lines.lines() {
        *times.entry(text(&parsed(line), "url")).or_default() += 1;
    }
    let missing: Vec<&String> = must.difference(&found).collect();
    let others: Vec<&String> = found.difference(may).collect();
    let twice: Vec<&String> = times.iter().filter(|(_, times)| **times > 1).map(|(url, _)| url).collect();
    match missing.is_empty() && others.is_empty() && twice.is_empty() {
        true => Ok(()),
        false => {
            Err(format!("articles: missing {missing:?}, twice {twice:?}, should not be there {others:?}"))
        }
    }
}

/// Those of the pages that are not counted.
pub async fn not_counted(state: &dyn SiteState, pages: &BTreeSet<String>) -> Vec<String> {
    let mut counted = BTreeSet::new();
    for (site, _) in state.sites().await.unwrap() {
        let pages = state.pages(&site).await.unwrap().into_iter();
        let is_there = |version: &Version| version.content != ContentHash::NONE;
        counted.extend(pages.filter(|(_, version)| is_there(version)).map(|(url, _)| url.to_string()));
    }
    pages.difference(&counted).cloned().collect()
}

/// An event of an article.
pub type Event = (String, u64, String);

/// The events of an exported history. Each must be there once: the versions of an article are 1, 2, ….
///
/// # Errors
/// The articles whose versions are others.
pub fn each_event_once(history: &str) -> Result<BTreeSet<Event>, String> {
    let mut versions: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    let mut events = BTreeSet::new();
    for event in history.lines().map(|line| event(&parsed(line))) {
        versions.entry(event.0.clone()).or_default().push(event.1);
        events.insert(event);
    }
    let is_wrong = |versions: &[u64]| !versions.iter().copied().eq(1..=versions.len() as u64);
    let wrong: Vec<_> = versions.iter().filter(|(_, versions)| is_wrong(versions)).collect();
    if wrong.is_empty() { Ok(events) } else { Err(format!("versions of articles: {wrong:?}")) }
}

/// Whether readers heard each of these events, and no version with two meanings. Delivery is at least once, so an event
/// may have come twice.
///
/// # Errors
/// The events that nobody heard, and the versions with two meanings.
pub fn each_event_heard(heard: &[Value], history: &BTreeSet<Event>) -> Result<(), String> {
    let heard: BTreeSet<Event> = heard.iter().map(event).collect();
    let unheard: Vec<_> = history.difference(&heard).collect();
    let mut meanings: BTreeMap<(&String, u64), BTreeSet<&String>> = BTreeMap::new();
    for (url, version, kind) in &heard {
        meanings.entry((url, *version)).or_default().insert(kind);
    }
    meanings.retain(|_, kinds| kinds.len() > 1);
    match unheard.is_empty() && meanings.is_empty() {
        true => Ok(()),
        false => Err(format!("events that nobody heard: {unheard:?}; two in one version: {meanings:?}")),
    }
}

/// The known URLs without an outcome.
pub async fn without_outcome(frontier: &dyn Frontier) -> Vec<String> {
    let mut urls = Vec::new();
    for site in frontier.status().await.unwrap() {
        let entries = frontier.entries(&site.site).await.unwrap();
        urls.extend(
            entries.into_iter().filter(|entry| entry.outcome.is_none()).map(|entry| entry.url.to_string()),
        );
    }
    urls
}

/// A reader of all events, with a durable queue of its own: it outlasts a kill of RabbitMQ.
pub struct Listener {
    url: String,
    queue: String,
}

impl Listener {
    /// Begins to listen. The services, or a connection to their broker, must have declared the exchange.
    pub async fn bind(url: &str, prefix: &str) -> Listener {
        let listener = Listener { url: url.to_owned(), queue: format!("{prefix}.listener") };
        let connection = listener.connect().await;
        let channel = connection.create_channel().await.unwrap();
        let options = QueueDeclareOptions { durable: true, ..QueueDeclareOptions::default() };
        channel.queue_declare(listener.queue.as_str().into(), options, FieldTable::default()).await.unwrap();
        let exchange = format!("{prefix}.articles");
        let (queue, exchange) = (listener.queue.as_str().into(), exchange.as_str().into());
        channel
            .queue_bind(queue, exchange, "*.*.#".into(), QueueBindOptions::default(), FieldTable::default())
            .await
            .unwrap();
        listener
    }

    async fn connect(&self) -> Connection {
        Connection::connect(&self.url, ConnectionProperties::default()).await.unwrap()
    }

    /// Takes all events that came since the last call.
    pub async fn events(&self) -> Vec<Value> {
        let connection = self.connect().await;
        let channel = connection.create_channel().await.unwrap();
        let mut events = Vec::new();
        let options = BasicGetOptions { no_ack: true };
        while let Some(got) = channel.basic_get(self.queue.as_str().into(), options).await.unwrap() {
            events.push(serde_json::from_slice(&got.delivery.data).unwrap());
        }
        events
    }
}

impl Installation<'_> {
    /// Begins to listen to the events of this installation.
    pub async fn listener(&self) -> Listener {
        drop(self.broker().await);
        Listener::bind(&self.broker_url(), self.prefix()).await
    }

    /// Checks the end of a run in the default mode, as the head of this module says; that no message was given up; and
    /// that the services end well.
    pub async fn ends_with_the_news(&mut self, news: &News, listener: &Listener) {
        let history = self.has_the_news(news).await;
        each_event_heard(&listener.events().await, &history)
            .unwrap_or_else(|error| panic!("{error}\n{}", self.logs()));
        self.stop().await;
    }

    /// The same but for the readers and the end: RabbitMQ was lost, and the queues of readers with it. Returns the
    /// history of events.
    pub async fn has_the_news(&mut self, news: &News) -> BTreeSet<Event> {
        self.comes_to(&news.digests).await;
        self.no_dead_letters().await;
        self.proved().await;
        let without = without_outcome(&self.store().await).await;
        assert!(without.is_empty(), "URLs without an outcome: {without:?}\n{}", self.logs());
        let lost = not_counted(&self.store().await, &news.gold).await;
        assert!(lost.is_empty(), "articles that are not counted: {lost:?}\n{}", self.logs());
        self.has_the_articles(news).await;
        let history = self.exported(&["--history"]).await;
        each_event_once(&history).unwrap_or_else(|error| panic!("{error}\n{}", self.logs()))
    }

    /// Waits until the exported articles are those of the undisturbed run: they follow the sums a moment later.
    async fn has_the_articles(&self, news: &News) {
        let begun = Instant::now();
        loop {
            let articles = self.exported(&[]).await;
            let history = self.exported(&["--history"]).await;
            let Err(error) = news.are_all_in(&articles, &history) else { return };
            assert!(begun.elapsed() < ARTICLES_FOLLOW, "{error}\n{}", self.logs());
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}

fn parsed(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("no JSON ({error}): {line}"))
}

fn text(object: &Value, key: &str) -> String {
    object[key].as_str().unwrap_or_else(|| panic!("no `{key}`: {object}")).to_owned()
}

fn event(object: &Value) -> Event {
    let version = object["version"].as_u64().unwrap_or_else(|| panic!("no `version`: {object}"));
    (text(object, "url"), version, text(object, "event"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(url: &str, version: u64, event: &str) -> String {
        serde_json::json!({ "url": url, "version": version, "event": event }).to_string()
    }

    #[test]
    fn articles_that_are_missing_repeated_or_wrong_are_found() {
        let set = |urls: &[&str]| urls.iter().map(|url| url.to_string()).collect::<BTreeSet<_>>();
        let (must, may) = (set(&["a", "b"]), set(&["a", "b", "c"]));
        let check = |urls: &[&str]| {
            let lines: Vec<String> = urls.iter().map(|url| line(url, 1, "new")).collect();
            each_article_once(&lines.join("\n"), &must, &may)
        };
        assert_eq!(check(&["b", "a", "c"]), Ok(()));
        assert!(check(&["a", "c"]).is_err());
        assert!(check(&["a", "b", "a"]).is_err());
        assert!(check(&["a", "b", "d"]).is_err());
    }

    #[test]
    fn versions_that_are_missing_repeated_or_ambiguous_are_found() {
        let lines = |events: &[(u64, &str)]| {
            events.iter().map(|(version, event)| line("a", *version, event)).collect::<Vec<_>>().join("\n")
        };
        let history = each_event_once(&lines(&[(1, "new"), (2, "changed")])).unwrap();
        assert_eq!(history.len(), 2);
        assert!(each_event_once(&lines(&[(1, "new"), (3, "changed")])).is_err());
        assert!(each_event_once(&lines(&[(1, "new"), (1, "new")])).is_err());
        let heard = |events: &[(u64, &str)]| -> Vec<Value> {
            lines(events).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        let all = [(1, "new"), (2, "changed"), (1, "new")];
        assert_eq!(each_event_heard(&heard(&all), &history), Ok(()), "an event may come twice");
        assert!(each_event_heard(&heard(&all[..1]), &history).is_err());
        assert!(each_event_heard(&heard(&[(1, "new"), (2, "changed"), (2, "gone")]), &history).is_err());
    }
}
