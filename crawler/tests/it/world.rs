//! A web server on loopback that plays any host, and a crawler in front of it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use newslode_common::config::CrawlerConfig;
use newslode_common::message::{self, FetchedPage, envelope};
use newslode_common::outcome::Outcome;
use newslode_common::schedule::ScheduleConfig;
use newslode_common::store::{Entry, Frontier, NewUrl, SiteSettings, Why};
use newslode_common::telemetry::metrics::Metrics;
use newslode_common::time;
use newslode_crawler::Parts;
use newslode_page::reading::CanonicalUrl;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::doubles::{MemoryArchive, MemoryBroker, MemoryFrontier};

/// A request as the server sees it.
pub(crate) struct SeenRequest {
    /// Host and path: `a.test/robots.txt`.
    pub(crate) page: String,
    pub(crate) headers: HeaderMap,
    /// 1 for the first request for this page.
    pub(crate) nth: usize,
}

pub(crate) struct World {
    pub(crate) frontier: Arc<MemoryFrontier>,
    pub(crate) broker: Arc<MemoryBroker>,
    pub(crate) archive: Arc<MemoryArchive>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) config: CrawlerConfig,
    /// Folder of web archives; empty: none.
    pub(crate) warc: String,
    pub(crate) port: u16,
    hits: Arc<Mutex<BTreeMap<String, usize>>>,
    _server: JoinSet<()>,
}

pub(crate) const PAGE: &str = "<!doctype html><title>t</title><p>Words.";

/// An HTML page.
pub(crate) fn html(body: &str) -> Option<Response> {
    Some(([("content-type", "text/html")], body.to_owned()).into_response())
}

/// An answer with a status and headers.
pub(crate) fn answer<const N: usize>(
    status: u16,
    headers: [(&'static str, &str); N],
    body: impl Into<Body>,
) -> Option<Response> {
    let headers = headers.map(|(name, value)| (name, value.to_owned()));
    let body: Body = body.into();
    Some(
        (StatusCode::from_u16(status).unwrap(), axum::response::AppendHeaders(headers), body).into_response(),
    )
}

impl World {
    /// `web` answers for every host. `None` is a 404, so no host has a robots.txt unless told.
    pub(crate) async fn new(web: impl Fn(&SeenRequest) -> Option<Response> + Send + Sync + 'static) -> World {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let hits = Arc::new(Mutex::new(BTreeMap::<String, usize>::new()));
        let (counted, web) = (hits.clone(), Arc::new(web));
        let router = Router::new().fallback(move |request: Request| {
            let host = request.headers().get("host").unwrap().to_str().unwrap().to_owned();
            let page = format!("{host}{}", request.uri());
            let nth = {
                let mut hits = counted.lock().unwrap();
                let hit = hits.entry(page.clone()).or_default();
                *hit += 1;
                *hit
            };
            let request = SeenRequest { page, headers: request.headers().clone(), nth };
            let response = web(&request).unwrap_or_else(|| StatusCode::NOT_FOUND.into_response());
            async move { response }
        });
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, router).await.unwrap() });
        let config = CrawlerConfig {
            contact: "crawler@a.test".into(),
            workers: 2,
            timeout_ms: 10_000,
            retry_ms: 5,
            max_attempts: 2,
            grace_ms: 1_000,
            resolve: vec![format!("*:127.0.0.1:{port}").parse().unwrap()],
            // Tests count requests.
            rights_files: false,
            ..CrawlerConfig::default()
        };
        World {
            frontier: Arc::default(),
            broker: Arc::default(),
            archive: Arc::default(),
            metrics: Metrics::new().unwrap(),
            config,
            warc: String::new(),
            port,
            hits,
            _server: server,
        }
    }

    pub(crate) fn parts(&self) -> Parts {
        Parts {
            frontier: self.frontier.clone(),
            broker: self.broker.clone(),
            archive: self.archive.clone(),
            parsed: Arc::default(),
            metrics: self.metrics.clone(),
            network: Arc::default(),
            room: None,
        }
    }

    pub(crate) async fn add(&self, url: &str, why: Why) {
        let url: CanonicalUrl = url.parse().unwrap();
        let settings = SiteSettings {
            max_pages: 100,
            max_depth: 5,
            delay_ms: 1,
            paused: false,
            labels: BTreeMap::new(),
        };
        self.frontier.put_site(&url.site(), &settings).await.unwrap();
        let new = NewUrl::once(url, 0, why, 0);
        assert_eq!(self.frontier.add(&[new], time::now()).await.unwrap().new, 1);
    }

    /// Crawls until `done`, then stops. Returns the result of `run`.
    pub(crate) async fn crawl_until(&self, done: impl Fn(&World) -> bool) -> anyhow::Result<()> {
        self.crawl_until_within(done, Duration::from_secs(60)).await
    }

    async fn crawl_until_within(
        &self,
        done: impl Fn(&World) -> bool,
        longest: Duration,
    ) -> anyhow::Result<()> {
        let stop = CancellationToken::new();
        let mut crawler = JoinSet::new();
        crawler.spawn(newslode_crawler::run(
            self.parts(),
            self.config.clone(),
            ScheduleConfig::default(),
            self.warc.clone(),
            time::Clock::Machine,
            stop.clone(),
        ));
        let limit = tokio::time::Instant::now() + longest;
        while !done(self) && !crawler.is_empty() && tokio::time::Instant::now() < limit {
            let pause = Duration::from_millis(5);
            if let Ok(Some(ended)) = tokio::time::timeout(pause, crawler.join_next()).await {
                return ended.unwrap();
            }
        }
        assert!(done(self), "not done after {longest:?}: {:?}", self.frontier.all());
        stop.cancel();
        crawler.join_next().await.unwrap().unwrap()
    }

    /// Crawls until every URL has its outcome.
    pub(crate) async fn crawl(&self) {
        self.crawl_within(Duration::from_secs(60)).await;
    }

    /// The same with a longest time.
    pub(crate) async fn crawl_within(&self, longest: Duration) {
        let is_done = |world: &World| world.frontier.all().iter().all(|e| e.outcome.is_some() && !e.leased);
        self.crawl_until_within(is_done, longest).await.unwrap();
        for outcome in Outcome::ALL {
            let found = self.frontier.all().iter().filter(|entry| entry.outcome == Some(*outcome)).count();
            assert_eq!(self.counted(*outcome), found as u64, "{outcome} is counted once a URL");
        }
    }

    pub(crate) fn entry(&self, url: &str) -> Entry {
        let all = self.frontier.all();
        all.into_iter().find(|entry| entry.url.as_str() == url).unwrap_or_else(|| panic!("{url} is unknown"))
    }

    #[track_caller]
    pub(crate) fn expect(&self, url: &str, outcome: Outcome) {
        assert_eq!(self.entry(url).outcome, Some(outcome), "{url}");
    }

    /// Number of requests for a page, such as `a.test/robots.txt`.
    pub(crate) fn hits(&self, page: &str) -> usize {
        self.hits.lock().unwrap().get(page).copied().unwrap_or(0)
    }

    pub(crate) fn counted(&self, outcome: Outcome) -> u64 {
        self.metrics.urls.with_label_values(&[outcome.name()]).get()
    }

    /// The published pages.
    pub(crate) fn pages(&self) -> Vec<FetchedPage> {
        self.broker.pages.lock().unwrap().iter().map(|bytes| envelope::open(bytes).unwrap()).collect()
    }
}

/// The bytes of a page whose body is inline.
pub(crate) fn body_of(page: &FetchedPage) -> Vec<u8> {
    match &page.body {
        message::Body::Inline(packed) => zstd::stream::decode_all(packed.as_slice()).unwrap(),
        message::Body::Archived => panic!("the body is in the archive"),
    }
}

/// One seed, one outcome.
pub(crate) async fn check(
    web: impl Fn(&SeenRequest) -> Option<Response> + Send + Sync + 'static,
    seed: &str,
    outcome: Outcome,
) -> World {
    let world = World::new(web).await;
    world.add(seed, Why::Seed).await;
    world.crawl().await;
    world.expect(seed, outcome);
    assert_eq!(world.pages().len(), usize::from(outcome == Outcome::Fetched));
    world
}
