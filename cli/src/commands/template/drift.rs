//! A site changes its layout during a crawl; tests what store, articles and metrics say about it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use newslode_common::config::{Config, Follow, ResolveRule};
use newslode_common::store::Kind;
use newslode_demo_world::{Content, Era, Reply, Server, World, WorldSpec};
use newslode_miner::mining::templates::Reason;
use newslode_miner::work::generations::Generations;
use newslode_page::article::Article;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::args::VerifyArgs;
use crate::commands::mine::mine;
use crate::commands::verify;
use crate::engine::{Engine, add_seeds};
use crate::installation::{RunArgs, Setup};
use crate::outputs::write_outputs;
use crate::queries::templates::dropped_text;

/// Number of requests that see the old layout.
const BEFORE: usize = 60;

/// A site that changes its layout while it is crawled.
#[derive(Clone)]
struct Redesigned {
    before: Arc<World>,
    after: Arc<World>,
    requests: Arc<AtomicUsize>,
}

impl Content for Redesigned {
    fn respond(&self, host: &str, path: &str) -> Reply {
        let is_after = self.requests.fetch_add(1, Ordering::Relaxed) >= BEFORE;
        if is_after { self.after.respond(host, path) } else { self.before.respond(host, path) }
    }
}

fn redesigned() -> Redesigned {
    let world = |era| {
        let mut world = World::generate(&WorldSpec {
            seed: 5,
            sites: 1,
            articles_per_section: 12,
            ..WorldSpec::default()
        });
        let hosts = world.hosts();
        assert!(hosts.iter().all(|host| world.redesign(host, era)));
        Arc::new(world)
    };
    Redesigned { before: world(Era::Semantic), after: world(Era::Blog), requests: Arc::default() }
}

/// The articles of a run with the witness of their bodies, grouped by the layout of their page.
async fn articles(engine: &Engine, after: &World) -> [Vec<(String, String)>; 2] {
    let (parts, mut found) = (engine.miner_parts(), [Vec::new(), Vec::new()]);
    let generations = Generations::read(parts.stores.state.as_ref()).await.unwrap();
    for (site, _) in parts.stores.state.sites().await.unwrap() {
        for (url, version) in parts.stores.state.pages(&site).await.unwrap() {
            let Some(json) = parts.stores.archive.get(Kind::Article, version.content).await.unwrap() else {
                continue;
            };
            let article: Article = serde_json::from_slice(&json).unwrap();
            let page =
                generations.fetched(parts.stores.archive.as_ref(), version.content).await.unwrap().unwrap();
            let html = page.bytes().unwrap();
            let (host, path) = article.url.trim_start_matches("http://").split_once('/').unwrap();
            let is_after = after.respond(host, &format!("/{path}")).body == html;
            found[usize::from(is_after)].push((url.to_string(), article.evidence["body"].witness.clone()));
        }
    }
    found
}

/// The delay between two pages, in milliseconds: so long that the miner's looks keep up with the pages on a busy machine.
const DELAY: u64 = 50;

#[tokio::test(flavor = "multi_thread")]
async fn a_new_layout_in_the_middle_of_a_crawl_is_learnt_and_the_old_template_dropped() {
    let content = redesigned();
    let server = Server::start(content.clone(), SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
    let mut config = Config::default();
    config.crawler.resolve.push(ResolveRule::any(server.addr()));
    config.miner.follow = Follow::All;
    let folder = tempfile::tempdir().unwrap();
    config.miner.views_s = 1;
    config.miner.views_share = 100;
    let engine = Engine::open(folder.path(), config.clone()).unwrap();
    let urls: Vec<_> = content.before.seeds().iter().map(|seed| seed.parse().unwrap()).collect();
    add_seeds(&engine.miner_parts(), &urls, (None, None, Some(DELAY)), &config.miner).await.unwrap();
    // The miner's own loop looks while pages arrive, as in the services. The engine looks last.
    let stop = CancellationToken::new();
    let looking =
        newslode_miner::work::service::views_loop(engine.miner_parts(), config.miner.clone(), stop.clone());
    let mining = async {
        let mined = mine(&engine, folder.path(), &[], &CancellationToken::new(), true).await;
        stop.cancel();
        mined
    };
    let (looked, mined) = tokio::join!(looking, mining);
    looked.unwrap();
    assert!(mined.unwrap().1.complete);

    let parts = engine.miner_parts();
    // The loop may have looked once more after the engine wrote its files.
    write_outputs(&parts, folder.path(), false).await.unwrap();
    let site = parts.stores.state.sites().await.unwrap()[0].0.clone();
    let knowledge = read_knowledge(parts.stores.state.as_ref(), &site).await.unwrap();
    let [before, after] = articles(&engine, &content.after).await;
    let by_template = |articles: &[(String, String)]| {
        articles.iter().filter(|(_, witness)| witness.starts_with("template ")).count()
    };
    show::show(&site, &knowledge, false).unwrap();
    // Each layout's articles are read by its own templates. The first articles of the new layout are read
    // again once its templates are learnt.
    assert!(before.len() > 20 && after.len() > 50, "{} before, {} after", before.len(), after.len());
    assert!(by_template(&before) > before.len() * 9 / 10, "{before:?}");
    assert!(by_template(&after) > after.len() * 9 / 10, "{after:?}");
    let dropped = knowledge.templates.dropped().iter().find(|dropped| dropped.version == 1).unwrap();
    assert!(
        matches!(dropped.reason, Reason::LayoutChanged { acceptance } if acceptance > 0.5),
        "{dropped:?}"
    );
    let newest = knowledge.templates.live().last().unwrap();
    assert!(dropped.last_at <= newest.since, "{dropped:?}, {:?}", newest.since);
    assert!(dropped_text(dropped).contains("the layout changed after "));
    assert!(engine.metrics.templates.with_label_values(&["layout_changed"]).get() > 0);
    drop((parts, engine));
    let args = VerifyArgs { run: RunArgs::of(folder.path()), json: false };
    assert_eq!(
        verify::run(args, &Setup { config, quiet: true, ..Setup::default() }).await.unwrap(),
        Exit::Done
    );
}
