//! Small sites made by hand: pages as the partitioner sends them.

use std::sync::Arc;

use newslode_common::broker::Limits;
use newslode_common::broker::in_process::InProcessBroker;
use newslode_common::message::seed::SeedMessage;
use newslode_common::message::{Body, CountedPage, FetchedPage, PartitionedPage, envelope};
use newslode_common::store::redb::RedbStore;
use newslode_common::store::redis::RedisStore;
use newslode_common::store::{Kind, Why};
use newslode_common::telemetry::metrics::Metrics;
use newslode_common::version::{ContentHash, Version};
use newslode_miner::mining::fold::Rules;
use newslode_miner::work::generations::Generations;
use newslode_miner::work::parts::Parts;
use newslode_miner::work::stores::Stores;
use newslode_miner::work::verify::Computed;
use newslode_page::Params;
use newslode_page::analysis::PageNotes;
use newslode_page::contribution::{Contribution, LabelUse, LinkUse, NestedUse, PairUse, Role};
use newslode_page::generation::Generation;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;
use newslode_test_servers::RedisServer;

pub(crate) const NOW: Timestamp = Timestamp(1_000);

pub(crate) struct World {
    pub(crate) parts: Parts,
    pub(crate) broker: InProcessBroker,
}

pub(crate) fn world() -> World {
    let store = Arc::new(RedbStore::in_memory().unwrap());
    let broker = InProcessBroker::new(Limits::default());
    let parts = Parts {
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
        broker: Arc::new(broker.clone()),
        metrics: Metrics::new().unwrap(),
        rules: Rules::default(),
        params: Arc::default(),
        schedule: Arc::default(),
        retention: Default::default(),
        noarchive: Default::default(),
        clock: Default::default(),
    };
    World { parts, broker }
}

/// The same over a Redis server, which ends when the first value is dropped.
pub(crate) async fn served() -> (RedisServer, World) {
    let server = RedisServer::start();
    let store = Arc::new(RedisStore::connect(&server.config()).await.unwrap());
    let mut world = world();
    (world.parts.stores.frontier, world.parts.stores.state) = (store.clone(), store);
    (server, world)
}

impl World {
    /// Makes a site known.
    pub(crate) async fn seed(&self, url: &str) -> Site {
        let json = format!(r#"{{"version":1,"url":"{url}","delay_ms":0}}"#);
        let command = SeedMessage::parse(json.as_bytes()).unwrap();
        Generations::claim(self.parts.stores.state.as_ref(), &ours()).await.unwrap();
        newslode_miner::work::seeds::apply_seed(&self.parts, &Default::default(), command, NOW).await.unwrap()
    }

    /// Archives a page's bytes; here these are its contribution.
    pub(crate) async fn archive(&self, page: &PartitionedPage) {
        self.archive_at(page, NOW).await;
    }

    /// The same at a given time.
    pub(crate) async fn archive_at(&self, page: &PartitionedPage, now: Timestamp) {
        let bytes = envelope::seal(&counted(&page.contribution)).unwrap();
        self.archive_body(page, Body::Inline(bytes), now).await;
    }

    /// Archives a page with bytes that can be parsed.
    pub(crate) async fn archive_html(&self, page: &PartitionedPage, html: &str) {
        self.archive_body(page, Body::pack(html.as_bytes()).unwrap(), NOW).await;
    }

    async fn archive_body(&self, page: &PartitionedPage, body: Body, now: Timestamp) {
        let fetched = FetchedPage {
            url: page.url.clone(),
            site: page.site.clone(),
            depth: page.depth,
            why: page.why,
            version: Version { content: content_of(page), ..page.version },
            fetched_at: page.fetched_at,
            content_type: None,
            body,
            listed: None,
            rendered: false,
        };
        let sealed = envelope::seal(&fetched).unwrap();
        self.parts.stores.archive.put(Kind::Page, content_of(page), sealed.into(), now).await.unwrap();
    }
}

/// The generation that counts.
pub(crate) fn ours() -> Generation {
    Params::default().generation()
}

/// The content of a page that was counted by this generation.
pub(crate) fn content_of(page: &PartitionedPage) -> ContentHash {
    page.version.content.seen_by(&ours())
}

/// The `recompute` for pages of [`World::archive`].
pub(crate) fn recompute(page: FetchedPage) -> Computed {
    let Body::Inline(bytes) = page.body else { return Computed::default() };
    let page: CountedPage = envelope::open(&bytes).unwrap();
    Computed { contribution: page.contribution, is_article: false }
}

pub(crate) fn url(text: &str) -> CanonicalUrl {
    text.parse().unwrap()
}

/// A page with a menu of these labels, each linking to `/label`, and these grouped links.
pub(crate) fn page(at: &str, why: Why, fetch: u64, menu: &[&str], items: &[&str]) -> PartitionedPage {
    let (at, roles) = (url(at), vec![Role::Any, Role::Link, Role::Inside, Role::Spelled]);
    let link = |path: &str, label: Option<String>| LinkUse {
        target: url(&format!("{}/{path}", at.origin())),
        in_group: label.is_none(),
        label,
        inside: true,
    };
    let mut contribution = Contribution::default();
    for name in menu {
        let key = format!("en:{name}");
        contribution.links.push(link(name, Some(key.clone())));
        contribution.labels.push(LabelUse { key, form: (*name).into(), roles: roles.clone() });
    }
    contribution.labels.sort_by(|a, b| a.key.cmp(&b.key));
    contribution.links.extend(items.iter().map(|item| link(item, None)));
    if let [broader, narrower, ..] = menu {
        let (broader, narrower) = (format!("en:{broader}"), format!("en:{narrower}"));
        let menu = NestedUse { broader: broader.clone(), narrower: narrower.clone() };
        contribution.nested.push(menu);
        contribution.pairs.push(PairUse { broader, narrower, level: 1 });
    }
    let content = ContentHash::of(&at, None, &envelope::seal(&counted(&contribution)).unwrap());
    PartitionedPage {
        site: at.site(),
        depth: u32::from(why != Why::Seed),
        url: at,
        why,
        version: Version { fetch, content: content.seen_by(&ours()) },
        fetched_at: NOW,
        contribution,
        article: None,
        notes: PageNotes::default(),
        canonical: None,
        slots: Vec::new(),
    }
}

/// The home page of a site whose menu has these labels, each with the path to which it leads.
pub(crate) fn home_page(at: &str, fetch: u64, menu: &[(&str, &str)]) -> PartitionedPage {
    let labels: Vec<&str> = menu.iter().map(|(label, _)| *label).collect();
    let mut home = page(at, Why::Seed, fetch, &labels, &[]);
    for (link, (_, path)) in home.contribution.links.iter_mut().zip(menu) {
        link.target = url(&format!("{}/{path}", home.url.origin()));
    }
    let sealed = envelope::seal(&counted(&home.contribution)).unwrap();
    home.version.content = ContentHash::of(&home.url, None, &sealed).seen_by(&ours());
    home
}

/// What is archived of a page with this contribution.
fn counted(contribution: &Contribution) -> CountedPage {
    CountedPage { contribution: contribution.clone(), slots: Vec::new() }
}
