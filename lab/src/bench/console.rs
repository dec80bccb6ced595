//! A run with many articles, to measure the console on.
//!
//! The pages of a synthetic web are analysed, archived and counted as the services do it, without fetching, and folded once. They
//! count as fetched within the last two weeks. Start at [`make`].

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use newslode::engine::{Engine, add_seeds, seeds};
use newslode_common::config::{Config, Follow};
use newslode_common::message::{Body, FetchedPage, PartitionedPage, envelope};
use newslode_common::store::{Kind, Why};
use newslode_common::time;
use newslode_common::version::{ContentHash, Version};
use newslode_demo_world::World;
use newslode_miner::work::apply::count_batch;
use newslode_miner::work::fold::{FoldMemory, fold_once};
use newslode_miner::work::generations::Generations;
use newslode_miner::work::parts::Parts;
use newslode_page::generation::Generation;
use newslode_page::hierarchy::xml;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;
use newslode_page::{Params, analyse};
use serde::Serialize;

/// Pages that are analysed and counted at once.
const BATCH: usize = 256;
/// The time over which pages were fetched.
const TWO_WEEKS: u64 = 14 * 86_400_000;

/// What was made.
#[derive(Debug, Serialize)]
pub(crate) struct MadeRun {
    /// Sites.
    pub(crate) sites: usize,
    /// Pages that were counted.
    pub(crate) pages: usize,
    /// Seconds that it took.
    pub(crate) seconds: f64,
}

/// A page with all that is kept of it.
struct Made {
    fetched: FetchedPage,
    hierarchy: String,
    partitioned: PartitionedPage,
}

/// Makes a run of all pages of a world in a new folder.
pub(crate) async fn make(world: World, folder: &Path, say: &mut dyn FnMut(&str)) -> anyhow::Result<MadeRun> {
    let (begun, now, config) = (Instant::now(), time::now(), Config::default());
    let engine = Engine::open(folder, config.clone())?;
    let parts = engine.miner_parts();
    add_seeds(
        &parts,
        &seeds::collect(&world.seeds(), None)?,
        (Some(1_000_000_000_000), None, None),
        &config.miner,
    )
    .await?;
    Generations::claim(parts.stores.state.as_ref(), &parts.params.generation()).await?;
    let mut by_site: BTreeMap<Site, Vec<CanonicalUrl>> = BTreeMap::new();
    for url in world.urls() {
        let url: CanonicalUrl = url.parse()?;
        by_site.entry(url.site()).or_default().push(url);
    }
    let (sites, world, mut pages) = (by_site.len(), Arc::new(world), 0);
    for (site, urls) in by_site {
        say(&format!("{site}: {} pages; {pages} are counted", urls.len()));
        for some in urls.chunks(BATCH) {
            pages += add(&parts, &world, &site, some, now).await?;
        }
    }
    say("folding");
    fold_once(&parts, &config.miner, &mut FoldMemory::default(), true, now).await?;
    Ok(MadeRun { sites, pages, seconds: begun.elapsed().as_secs_f64() })
}

/// Archives and counts some pages of a site, and returns how many there were.
async fn add(
    parts: &Parts,
    world: &Arc<World>,
    site: &Site,
    urls: &[CanonicalUrl],
    now: Timestamp,
) -> anyhow::Result<usize> {
    let ours = parts.params.generation();
    let (halves, mut work) = (urls.chunks(urls.len().div_ceil(2)), tokio::task::JoinSet::new());
    for half in halves {
        let (world, half, params, ours) = (world.clone(), half.to_vec(), parts.params.clone(), ours.clone());
        work.spawn_blocking(move || {
            let made = half.iter().filter_map(|url| made(&world, url, (&params, &ours), now).transpose());
            made.collect::<anyhow::Result<Vec<Made>>>()
        });
    }
    let mut pages = Vec::new();
    while let Some(made) = work.join_next().await {
        for Made { fetched, hierarchy, partitioned } in made?? {
            let content = fetched.version.content;
            parts
                .stores
                .archive
                .put(Kind::Page, content, envelope::seal(&fetched)?.into(), fetched.fetched_at)
                .await?;
            let seen = content.seen_by(&ours);
            parts.stores.archive.put(Kind::Hierarchy, seen, hierarchy.into(), fetched.fetched_at).await?;
            pages.push(partitioned);
        }
    }
    count_batch(parts, Follow::All, site, &pages, now).await?;
    Ok(pages.len())
}

/// Analyses a page; nothing if there is no HTML at its address.
fn made(
    world: &World,
    url: &CanonicalUrl,
    (params, ours): (&Params, &Generation),
    now: Timestamp,
) -> anyhow::Result<Option<Made>> {
    let address = url::Url::parse(url.as_str())?;
    let path =
        address.query().map_or(address.path().to_owned(), |query| format!("{}?{query}", address.path()));
    let reply = world.page(address.host_str().unwrap_or_default(), &path);
    let Some(reply) = reply.filter(|reply| reply.status == 200) else { return Ok(None) };
    let kind = reply.headers.iter().find(|(name, _)| *name == "content-type").map(|(_, value)| value.clone());
    if !kind.as_deref().is_some_and(|kind| kind.starts_with("text/html")) {
        return Ok(None);
    }
    let content = ContentHash::of(url, kind.as_deref(), &reply.body);
    let ago = u64::from_le_bytes(content.0[..8].try_into().context("a hash has 16 bytes")?) % TWO_WEEKS;
    let fetched_at = Timestamp(now.0.saturating_sub(ago));
    let fetched = FetchedPage {
        url: url.clone(),
        site: url.site(),
        depth: 1,
        why: Why::Link,
        version: Version { fetch: 1, content },
        fetched_at,
        content_type: kind,
        body: Body::pack(&reply.body)?,
        listed: None,
        rendered: false,
    };
    let mut said = analyse(url, fetched.content_type.as_deref(), &reply.body, fetched_at, params);
    let hierarchy = xml::write(&said.hierarchy);
    let partitioned = PartitionedPage::new(ours, &fetched, &mut said);
    Ok(Some(Made { fetched, hierarchy, partitioned }))
}

#[cfg(test)]
mod tests {
    use newslode_demo_world::WorldSpec;
    use newslode_miner::work::fold;

    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_run_is_made_with_articles_and_a_taxonomy() {
        let world = WorldSpec { seed: 3, sites: 2, articles_per_section: 1, ..WorldSpec::default() };
        let (folder, mut said) = (tempfile::tempdir().unwrap(), Vec::new());
        let run = folder.path().join("run");
        let made = make(World::generate(&world), &run, &mut |what| said.push(what.to_owned())).await.unwrap();
        assert_eq!((made.sites, said.len()), (2, 3), "{said:?}");
        let engine = Engine::open(&run, Config::default()).unwrap();
        let parts = engine.miner_parts();
        let (mut counted, mut articles) = (0, 0);
        for (site, _) in parts.stores.state.sites().await.unwrap() {
            for (_, version) in parts.stores.state.pages(&site).await.unwrap() {
                counted += 1;
                let article = parts.stores.archive.get(Kind::Article, version.content).await.unwrap();
                articles += usize::from(article.is_some());
            }
        }
        assert_eq!(counted, made.pages);
        assert!(articles > 10 && articles < counted, "{articles} of {counted}");
        let taxonomy = fold::read_taxonomy(parts.stores.state.as_ref()).await.unwrap();
        assert!(taxonomy.is_some_and(|taxonomy| taxonomy.concepts.len() > 2));
    }
}
