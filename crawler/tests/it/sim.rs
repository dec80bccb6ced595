//! One site on simulated time: a web that answers what it was told, and a crawler of its one site.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use newslode_common::config::CrawlerConfig;
use newslode_common::outcome::Outcome;
use newslode_common::schedule::{
    Class, ListingId, ListingKind, PageSchedule, Role, ScheduleConfig, SiteSchedule, name,
};
use newslode_common::store::redb::RedbStore;
use newslode_common::store::teach::teach;
use newslode_common::store::{Again, Entry, Frontier, NewUrl, Note, SiteSettings, Why};
use newslode_common::telemetry::metrics::Metrics;
use newslode_common::time::Clock;
use newslode_crawler::error::FetchError;
use newslode_crawler::network::Network;
use newslode_crawler::web::{HeaderMap, Response, Web, header, response};
use newslode_crawler::{Crawler, Parts, Step, Surroundings};
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;
use url::Url;

use crate::doubles::{MemoryArchive, MemoryBroker};

pub(crate) const START: Timestamp = Timestamp(1_700_000_000_000);
pub(crate) const MINUTE: u64 = 60;
pub(crate) const HOUR: u64 = 3_600;
pub(crate) const DAY: u64 = 86_400;
pub(crate) const FRONT: &str = "http://a.test/";
pub(crate) const STORY: &str = "http://a.test/2026/a-long-way-home-for-the-cup";

/// Status, headers and body.
pub(crate) type ScriptedAnswer = (u16, Headers, Vec<u8>);

pub(crate) type Headers = &'static [(&'static str, &'static str)];

/// A web that answers what it was told, and writes the requests down. What it answers to a request with cookies
/// is told under the URL, a space and the cookies; to one that prefers a feed, under the URL, a space and `feed`; to all else,
/// under `*`.
pub(crate) struct ScriptedWeb {
    pub(crate) answers: Mutex<BTreeMap<String, ScriptedAnswer>>,
    pub(crate) asked: Mutex<Vec<(Timestamp, String, bool)>>,
    /// How long each answer takes, in milliseconds.
    pub(crate) takes: AtomicU64,
    pub(crate) clock: Clock,
}

#[async_trait]
impl Web for ScriptedWeb {
    async fn address(&self, _: &Url) -> Option<std::net::IpAddr> {
        None
    }

    async fn send(&self, url: &Url, headers: HeaderMap) -> Result<Response, FetchError> {
        let is_conditional = headers.contains_key(header::IF_NONE_MATCH);
        self.asked.lock().unwrap().push((self.clock.now(), url.to_string(), is_conditional));
        self.clock.set(Timestamp(self.clock.now().0 + self.takes.load(Ordering::SeqCst)));
        let cookies = headers.get(header::COOKIE).and_then(|cookies| cookies.to_str().ok());
        let with_cookies = cookies.map(|cookies| format!("{url} {cookies}"));
        let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
        let as_feed = accept.starts_with("application/rss+xml").then(|| format!("{url} feed"));
        let answers = self.answers.lock().unwrap();
        let keys = [with_cookies, as_feed, Some(url.to_string())].into_iter().flatten();
        let answer = keys.into_iter().find_map(|key| answers.get(&key));
        let answer = answer.or_else(|| answers.get("*")).cloned();
        drop(answers);
        let (status, headers, body) = answer.unwrap_or((404, &[], Vec::new()));
        if status == 0 {
            return Err(FetchError::Timeout { url: url.clone(), limit: Duration::from_secs(20) });
        }
        let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        Ok(response(status, &headers, body))
    }
}

pub(crate) struct Sim {
    pub(crate) store: Arc<RedbStore>,
    pub(crate) web: Arc<ScriptedWeb>,
    pub(crate) outbox: Arc<MemoryBroker>,
    pub(crate) archive: Arc<MemoryArchive>,
    pub(crate) network: Arc<Network>,
    pub(crate) clock: Clock,
    pub(crate) crawler: Crawler,
    config: CrawlerConfig,
    schedule: ScheduleConfig,
}

impl Sim {
    /// A crawler of one site, whose front page is due.
    pub(crate) async fn new() -> Sim {
        Sim::with(ScheduleConfig::default()).await
    }

    pub(crate) async fn with(schedule: ScheduleConfig) -> Sim {
        Sim::of(schedule, |_| ()).await
    }

    /// The same with another configuration of the crawler.
    pub(crate) async fn configured(change: impl FnOnce(&mut CrawlerConfig)) -> Sim {
        Sim::of(ScheduleConfig::default(), change).await
    }

    async fn of(schedule: ScheduleConfig, change: impl FnOnce(&mut CrawlerConfig)) -> Sim {
        let clock = Clock::standing(START);
        let store = Arc::new(RedbStore::in_memory().unwrap());
        let (answers, asked, takes) = Default::default();
        let web = Arc::new(ScriptedWeb { answers, asked, takes, clock: clock.clone() });
        let outbox = Arc::new(MemoryBroker::default());
        let archive = Arc::new(MemoryArchive::default());
        let network = Arc::new(Network::default());
        // Tests count requests; those of rights ask for the files.
        let mut config = CrawlerConfig { max_redirects: 4, rights_files: false, ..CrawlerConfig::default() };
        change(&mut config);
        let crawler = crawler_of(&store, &web, (&outbox, &archive, &network), &clock, (&config, &schedule));
        store.put_site(&site(), &settings()).await.unwrap();
        let sim = Sim { store, web, outbox, archive, network, clock, crawler, config, schedule };
        sim.set_answer(FRONT, 200, &[], page("Front", &[]));
        sim.add(FRONT, Why::Seed, Class::Listing, PageSchedule::of(Role::Listing(ListingKind::Front))).await;
        sim
    }

    /// Ends the crawler and starts another one, which knows what the store and the archive know.
    pub(crate) fn restart(&mut self) {
        let Sim { store, web, outbox, archive, network, clock, config, schedule, .. } = &*self;
        self.crawler = crawler_of(store, web, (outbox, archive, network), clock, (config, schedule));
    }

    pub(crate) fn set_answer(&self, url: &str, status: u16, headers: Headers, body: impl Into<Vec<u8>>) {
        self.web.answers.lock().unwrap().insert(url.into(), (status, headers, body.into()));
    }

    pub(crate) async fn add(&self, url: &str, why: Why, class: Class, known: PageSchedule) {
        let url = url.parse().unwrap();
        let new = NewUrl { url, depth: 0, why, hops: 0, class, again: Again::Now, schedule: Some(known) };
        self.store.add(&[new], self.clock.now()).await.unwrap();
    }

    pub(crate) async fn add_story(&self) {
        self.add(STORY, Why::Link, Class::New, PageSchedule::page(None, START)).await;
    }

    /// Visits until this many seconds after the start.
    pub(crate) async fn run(&self, until: u64) {
        let end = Timestamp(START.0 + until * 1_000);
        loop {
            match self.crawler.step().await.unwrap() {
                Step::Visited => {}
                Step::Nothing(Some(next)) if next <= end => self.clock.set(next),
                Step::Nothing(_) => return self.clock.set(end),
            }
        }
    }

    pub(crate) async fn entry(&self, url: &str) -> Entry {
        self.store.entry(&url.parse().unwrap()).await.unwrap().unwrap_or_else(|| panic!("{url} is unknown"))
    }

    /// The last outcome of a URL that has not left, and how many seconds after the last request to it its next visit is due.
    pub(crate) async fn next(&self, url: &str) -> (Option<Outcome>, Option<u64>) {
        let Some(entry) = self.store.entry(&url.parse().unwrap()).await.unwrap() else { return (None, None) };
        let last = self.asked(url).last().copied().unwrap_or_default();
        (entry.outcome, entry.due.map(|due| (due.0 - START.0) / 1_000 - last))
    }

    /// The seconds after the start at which a URL was asked for.
    pub(crate) fn asked(&self, url: &str) -> Vec<u64> {
        let asked = self.web.asked.lock().unwrap();
        asked.iter().filter(|(_, to, _)| to == url).map(|(at, ..)| (at.0 - START.0) / 1_000).collect()
    }

    /// Tells what the pages that were handed on turned out to be, as the miner does: articles, or none.
    pub(crate) async fn judge(&self, is_article: impl Fn(&CanonicalUrl) -> bool) {
        let now = self.clock.now();
        let config = ScheduleConfig::default();
        for entry in self.store.entries(&site()).await.unwrap() {
            let Some(mut known) = entry.schedule else { continue };
            let is_story = matches!(known.role, Role::Page | Role::Past { .. });
            if !is_story || known.is_told || entry.outcome != Some(Outcome::Fetched) {
                continue;
            }
            let text = is_article(&entry.url).then(|| name(entry.url.as_str()));
            let next = known.told(text, now, &config).next;
            let note = Note { url: entry.url.clone(), fetch: entry.fetch, at: now, next, schedule: known };
            assert!(self.store.note(&note).await.unwrap());
            let learn = |site: &mut SiteSchedule| match text {
                Some(_) if known.role == Role::Page => site.confirm(known.by, true, now),
                None if matches!(known.role, Role::Listing(_)) => {
                    site.meet(&entry.url, ListingKind::Section);
                }
                Some(_) | None => {}
            };
            teach(self.store.as_ref(), &site(), &config, now, learn).await.unwrap();
        }
    }

    pub(crate) async fn site_schedule(&self) -> SiteSchedule {
        self.store.schedule(&site()).await.unwrap().0
    }
}

fn crawler_of(
    store: &Arc<RedbStore>,
    web: &Arc<ScriptedWeb>,
    (outbox, archive, network): (&Arc<MemoryBroker>, &Arc<MemoryArchive>, &Arc<Network>),
    clock: &Clock,
    (config, schedule): (&CrawlerConfig, &ScheduleConfig),
) -> Crawler {
    let parts = Parts {
        frontier: store.clone(),
        broker: outbox.clone(),
        archive: archive.clone(),
        parsed: Arc::default(),
        metrics: Metrics::new().unwrap(),
        network: network.clone(),
        room: None,
    };
    let surroundings = Surroundings { web: web.clone(), clock: clock.clone() };
    Crawler::new(parts, config.clone(), schedule.clone(), surroundings)
}

/// The settings of the sites.
pub(crate) fn settings() -> SiteSettings {
    SiteSettings { max_pages: 100, max_depth: 9, delay_ms: 1_000, paused: false, labels: BTreeMap::new() }
}

pub(crate) fn site() -> Site {
    Site::of_host("a.test")
}

pub(crate) fn id(url: &str) -> ListingId {
    ListingId::of(&url.parse::<CanonicalUrl>().unwrap())
}

/// A page with links, each with a text.
pub(crate) fn page(title: &str, links: &[(&str, &str)]) -> String {
    let links: String = links.iter().map(|(url, text)| format!("<li><a href='{url}'>{text}</a>")).collect();
    format!("<html lang=en><title>{title}</title><body><h1>{title}</h1><ul>{links}</ul></body></html>")
}
