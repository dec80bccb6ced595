//! A site changes its layout in the middle of a crawl: what the store, the articles and the metrics say of it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use newslode_common::article::Article;
use newslode_common::config::Follow;
use newslode_miner::templates::Reason;
use newslode_newsworld::{Content, Era, Reply, Server, World, WorldSpec};

use super::*;
use crate::args::VerifyArgs;
use crate::commands::mine::mine;
use crate::commands::verify;
use crate::engine::{Engine, add_seeds};

/// One site before and after its publisher gave it another layout.
#[derive(Clone)]
struct Redesigned {
    before: Arc<World>,
    after: Arc<World>,
    is_after: Arc<AtomicBool>,
}

impl Content for Redesigned {
    fn respond(&self, host: &str, path: &str) -> Reply {
        let world = if self.is_after.load(Ordering::Relaxed) { &self.after } else { &self.before };
        world.respond(host, path)
    }
}

fn redesigned() -> Redesigned {
    let world = |era| {
        let mut world =
            World::generate(&WorldSpec { seed: 5, sites: 1, articles_per_section: 14, faults: false });
        let hosts = world.hosts();
        assert!(hosts.iter().all(|host| world.redesign(host, era)));
        Arc::new(world)
    };
    Redesigned { before: world(Era::Semantic), after: world(Era::Blog), is_after: Arc::default() }
}

/// Mines on until so many pages were fetched.
async fn mine_on(engine: &Engine, folder: &Path, seeds: &[String], most: u64, config: &Config) {
    let urls: Vec<_> = seeds.iter().map(|seed| seed.parse().unwrap()).collect();
    add_seeds(&engine.miner_parts(), &urls, (Some(most), None, Some(0)), &config.miner).await.unwrap();
    let (_, summary) = mine(engine, folder, &[], &CancellationToken::new(), true).await.unwrap();
    assert!(summary.complete);
}

/// The articles of a run with the witness of their bodies, by the layout of their page.
async fn articles(engine: &Engine, after: &World) -> [Vec<(String, String)>; 2] {
    let (parts, mut found) = (engine.miner_parts(), [Vec::new(), Vec::new()]);
    for (site, _) in parts.state.sites().await.unwrap() {
        for (url, version) in parts.state.pages(&site).await.unwrap() {
            let Some(json) = parts.archive.get(Kind::Article, version.content).await.unwrap() else {
                continue;
            };
            let article: Article = serde_json::from_slice(&json).unwrap();
            let page = parts.archive.get(Kind::Page, version.content).await.unwrap().unwrap();
            let html = newslode_partitioner::service::body(&envelope::open(&page).unwrap()).unwrap();
            let (host, path) = article.url.trim_start_matches("http://").split_once('/').unwrap();
            let is_after = after.respond(host, &format!("/{path}")).body == html;
            found[usize::from(is_after)].push((url.to_string(), article.evidence["body"].witness.clone()));
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_layout_in_the_middle_of_a_crawl_is_learnt_and_the_old_template_dropped() {
    let content = redesigned();
    let seeds = content.before.seeds();
    let server = Server::start(content.clone(), SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
    let mut config = Config::default();
    config.crawler.resolve.push(format!("*:{}", server.addr()));
    config.miner.follow = Follow::All;
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(folder.path(), config.clone()).unwrap();
    mine_on(&engine, folder.path(), &seeds, 150, &config).await;
    content.is_after.store(true, Ordering::Relaxed);
    mine_on(&engine, folder.path(), &seeds, 400, &config).await;

    let parts = engine.miner_parts();
    let site = parts.state.sites().await.unwrap()[0].0.clone();
    let known = read(parts.state.as_ref(), &site).await.unwrap();
    let [before, after] = articles(&engine, &content.after).await;
    eprintln!("{} before, {} after; {:?}", before.len(), after.len(), known.templates.acceptance());
    show::show(&site, &known).unwrap();
    let by_template = |articles: &[(String, String)]| {
        articles.iter().filter(|(_, witness)| witness.starts_with("template ")).count()
    };
    eprintln!("{} {}", by_template(&before), by_template(&after));
    let dropped = known.templates.dropped();
    assert!(dropped.iter().any(|dropped| matches!(dropped.reason, Reason::LayoutChanged { .. })));
    assert!(engine.metrics.templates.with_label_values(&["layout_changed"]).get() > 0);
    drop((parts, engine));
    let args = VerifyArgs { dir: Some(folder.path().to_path_buf()), json: false };
    assert_eq!(verify::run(args, &config, true).await.unwrap(), Exit::Done);
}
