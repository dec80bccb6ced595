//! What a miner's look at a site costs when one page is new, while the site grows.
//!
//! Made-up articles are archived, counted and viewed as the services do it, in a file of its own. Start at [`measure`].

use std::sync::Arc;
use std::time::Instant;

use newslode_common::broker::Limits;
use newslode_common::broker::in_process::InProcessBroker;
use newslode_common::config::Follow;
use newslode_common::message::{Body, FetchedPage, PartitionedPage, envelope};
use newslode_common::parsed::ParsedPages;
use newslode_common::store::redb::RedbStore;
use newslode_common::store::{Kind, SiteSettings, Why};
use newslode_common::telemetry::metrics::Metrics;
use newslode_common::time;
use newslode_common::version::{ContentHash, Version};
use newslode_miner::mining::fold::Rules;
use newslode_miner::work::apply::count_batch;
use newslode_miner::work::generations::Generations;
use newslode_miner::work::parts::Parts;
use newslode_miner::work::stores::Stores;
use newslode_miner::work::views::{Pace, ViewMemory, When, view_sites};
use newslode_page::hierarchy::xml;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::{Params, analyse};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::mine::{Dice, word};

/// Pages in one batch.
const BATCH: u64 = 64;
/// Looks at each size; the median counts.
const LOOKS: u64 = 9;
/// Words of an article.
const WORDS: usize = 400;
/// Words of the language; frequent ones come first.
const VOCABULARY: f64 = 60_000.0;

/// The looks at a site of one size.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Look {
    /// Pages of the site.
    pub(crate) pages: u64,
    /// Milliseconds of a look with one new page.
    pub(crate) new_page_ms: f64,
    /// Milliseconds of a look that views all pages.
    pub(crate) all_pages_ms: f64,
}

/// Looks at a site of each of these sizes, in pages.
pub(crate) async fn measure(sizes: &[u64], say: &mut dyn FnMut(&str)) -> anyhow::Result<Vec<Look>> {
    let folder = tempfile::tempdir()?;
    let parts = parts(RedbStore::open(&folder.path().join("bench.redb"))?)?;
    let site = Site::of_host("looks.example");
    let labels = Default::default();
    let settings =
        SiteSettings { max_pages: u64::MAX >> 12, max_depth: 9, delay_ms: 0, paused: false, labels };
    parts.stores.frontier.put_site(&site, &settings).await?;
    Generations::claim(parts.stores.state.as_ref(), &parts.params.generation()).await?;
    let (mut looked, mut made, mut looks) = (ViewMemory::new(), 0, Vec::new());
    for &pages in sizes {
        say(&format!("{pages} pages"));
        while made < pages {
            let until = (made + BATCH).min(pages);
            add(&parts, &site, made..until).await?;
            made = until;
        }
        let all_pages_ms = look(&parts, When::Changed, &mut looked).await?;
        let mut times = Vec::new();
        for _ in 0..LOOKS {
            add(&parts, &site, made..made + 1).await?;
            made += 1;
            let before = parts.metrics.viewed.with_label_values(&["marked"]).get();
            times.push(look(&parts, When::Grown, &mut looked).await?);
            let marked = parts.metrics.viewed.with_label_values(&["marked"]).get() - before;
            anyhow::ensure!(marked == 1, "{marked} pages were viewed instead of the new one");
        }
        times.sort_by(f64::total_cmp);
        let new_page_ms = times.get(times.len() / 2).copied().unwrap_or_default();
        looks.push(Look { pages, new_page_ms, all_pages_ms });
    }
    Ok(looks)
}

pub(super) fn parts(store: RedbStore) -> anyhow::Result<Parts> {
    let store = Arc::new(store);
    Ok(Parts {
        stores: Stores {
            frontier: store.clone(),
            state: store.clone(),
            archive: store,
            parsed: Arc::new(ParsedPages::within(64 << 20)),
        },
        owners: Arc::default(),
        filing: Arc::default(),
        places: Arc::default(),
        schemes: Arc::default(),
        announcements: Arc::default(),
        broker: Arc::new(InProcessBroker::new(Limits::default())),
        metrics: Metrics::new()?,
        rules: Rules::default(),
        params: Arc::default(),
        schedule: Arc::default(),
        retention: Default::default(),
        noarchive: Default::default(),
        clock: Default::default(),
    })
}

pub(super) async fn look(parts: &Parts, when: When, looked: &mut ViewMemory) -> anyhow::Result<f64> {
    let (start, pace) = (Instant::now(), Pace { at_once: 1, share: 100 });
    view_sites(parts, when, pace, looked, &CancellationToken::new()).await?;
    Ok(start.elapsed().as_secs_f64() * 1_000.0)
}

/// Archives and counts the pages of these numbers.
async fn add(parts: &Parts, site: &Site, numbers: std::ops::Range<u64>) -> anyhow::Result<()> {
    let page = |number| (format!("https://looks.example/story/{number}"), article(number));
    add_pages(parts, site, numbers.map(page)).await
}

/// Archives and counts these pages of a site, each an address and HTML, as the services do.
pub(super) async fn add_pages(
    parts: &Parts,
    site: &Site,
    htmls: impl Iterator<Item = (String, String)>,
) -> anyhow::Result<()> {
    let (mut pages, ours, now) = (Vec::new(), Params::default().generation(), time::now());
    for (url, html) in htmls {
        let url: CanonicalUrl = url.parse()?;
        let content = ContentHash::of(&url, None, html.as_bytes());
        let fetched = FetchedPage {
            site: site.clone(),
            depth: 1,
            why: Why::Link,
            version: Version { fetch: 1, content },
            fetched_at: now,
            content_type: None,
            body: Body::pack(html.as_bytes())?,
            url,
            listed: None,
            rendered: false,
        };
        let mut said = analyse(&fetched.url, None, html.as_bytes(), now, &Params::default());
        parts.stores.archive.put(Kind::Page, content, envelope::seal(&fetched)?.into(), now).await?;
        let hierarchy = xml::write(&said.hierarchy).into();
        parts.stores.archive.put(Kind::Hierarchy, content.seen_by(&ours), hierarchy, now).await?;
        pages.push(PartitionedPage::new(&ours, &fetched, &mut said));
    }
    count_batch(parts, Follow::Concepts, site, &pages, now).await?;
    Ok(())
}

/// An article that links to ten others.
fn article(number: u64) -> String {
    let mut dice = Dice::new(&[7, number]);
    let mut words = |count: usize| {
        let drawn = (0..count).map(|_| word(VOCABULARY.powf(dice.share()) as u64));
        drawn.collect::<Vec<_>>().join(" ")
    };
    let title = words(8);
    let links: String = (1..=10)
        .map(|back| format!("<li><a href=/story/{}>{}</a>", number.saturating_sub(back * 3), words(6)))
        .collect();
    let text: String = (0..WORDS / 40).map(|_| format!("<p>{}.", words(40))).collect();
    format!(
        "<html lang=en><title>{title}</title><meta property=og:type content=article><body>\
         <ul><li><a href=/>Home</a><li><a href=/sport>Sport</a><li><a href=/arts>Arts</a></ul>\
         <main><h1>{title}</h1>{text}</main><ul>{links}</ul><footer><p>All rights reserved</footer>"
    )
}
