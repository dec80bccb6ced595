//! Measures bytes per record: of a URL in the frontier, and of a counted page.

use newslode_common::store::{Change, Frontier, NewUrl, SiteSettings, SiteState, Why};
use newslode_common::time;
use newslode_common::version::{ContentHash, Version};
use newslode_page::contribution::Delta;
use newslode_page::reading::Site;
use serde::Serialize;

use super::made::{MadeSite, REAL};

/// Number of sites, and of URLs per site.
const SITES: u64 = 20;
const URLS: u64 = 2_000;
/// Number of records per call.
const BATCH: usize = 500;

/// Figures of one store.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Records {
    pub(crate) store: &'static str,
    /// Mean length of the URLs themselves.
    pub(crate) url_bytes: f64,
    /// Bytes of a URL that waits to be fetched.
    pub(crate) known_url_bytes: f64,
    /// Bytes of a page's record without its counters; it says which version is counted.
    pub(crate) counted_page_bytes: f64,
}

/// Measures a store; `size` returns its bytes.
pub(super) async fn measure<S: Frontier + SiteState>(
    name: &'static str,
    store: &S,
    size: impl AsyncFn() -> anyhow::Result<u64>,
) -> anyhow::Result<Records> {
    let mut work: Vec<(Site, Vec<NewUrl>)> = Vec::new();
    for number in 0..SITES {
        let site = MadeSite::new(number, REAL)?;
        let new = |page| anyhow::Ok(NewUrl::once(site.url(page)?, 2, Why::Instance, 0));
        let urls = (100..100 + URLS).map(new).collect::<anyhow::Result<_>>()?;
        work.push((site.site, urls));
    }
    let settings = SiteSettings {
        max_pages: URLS,
        max_depth: 9,
        delay_ms: 1_000,
        paused: false,
        labels: std::collections::BTreeMap::new(),
    };
    for (site, _) in &work {
        store.put_site(site, &settings).await?;
    }
    let now = time::now();
    let before = size().await?;
    for part in work.iter().flat_map(|(_, urls)| urls.chunks(BATCH)) {
        store.add(part, now).await?;
    }
    let known = size().await?;
    for (site, urls) in &work {
        for part in urls.chunks(BATCH) {
            let change = |new: &NewUrl| Change {
                url: new.url.clone(),
                expected: None,
                new: Version { fetch: 1, content: ContentHash::of(&new.url, None, &[]) },
                fetched_at: now,
                delta: Delta::default(),
                again: false,
            };
            store.apply(site, &part.iter().map(change).collect::<Vec<_>>()).await?;
        }
    }
    let counted = size().await?;
    for (site, _) in &work {
        store.forget(site).await?;
        store.remove_site(site).await?;
    }
    let count = (SITES * URLS) as f64;
    let letters: usize = work.iter().flat_map(|(_, urls)| urls).map(|new| new.url.as_str().len()).sum();
    Ok(Records {
        store: name,
        url_bytes: letters as f64 / count,
        known_url_bytes: known.saturating_sub(before) as f64 / count,
        counted_page_bytes: counted.saturating_sub(known) as f64 / count,
    })
}
