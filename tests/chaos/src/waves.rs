//! Keeps work under way: whenever too few sites have something to fetch, the next site is added.
//!
//! The sites are drawn before; a run takes as many of them as it gets to. Start at [`keep_busy`].

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use newslode_common::store::{Frontier, SiteStatus};
use newslode_common::time::now;
use newslode_page::reading::Site;

use crate::bench::Bench;

/// The number of sites that are crawled at the same time.
const SITES: usize = 5;

/// A site that cannot be asked for so long is not being crawled: it rests, or only rechecks are left.
const SOON: Duration = Duration::from_secs(5);

/// The interval of looks.
const LOOK: Duration = Duration::from_millis(250);

/// The interval of lines on the progress.
const TELL: Duration = Duration::from_secs(15);

/// Adds sites and supervises the services for so long.
pub(crate) async fn keep_busy(bench: &Bench<'_>, sites: &mut impl Iterator<Item = String>, lasts: Duration) {
    let store = bench.store.clone();
    let (begun, mut told) = (Instant::now(), Instant::now());
    let mut waiting: BTreeSet<Site> = BTreeSet::new();
    while begun.elapsed() < lasts {
        bench.supervise();
        // The store may be away.
        if let Ok(known) = store.status().await {
            waiting.retain(|site| known.iter().all(|known| known.site != *site));
            let soon = now().plus(SOON);
            let is_crawled =
                |site: &&SiteStatus| site.leased > 0 || site.ready.is_some_and(|ready| ready <= soon);
            let crawled = known.iter().filter(is_crawled).count();
            for url in sites.by_ref().take(SITES.saturating_sub(crawled + waiting.len())) {
                waiting.extend(site_of(&url));
                bench.seed(&url).await;
            }
            if told.elapsed() > TELL {
                let done: u64 = known.iter().flat_map(|site| site.outcomes.values()).sum();
                eprintln!(
                    "{:7.1} s  {done} URLs of {} sites are done",
                    begun.elapsed().as_secs_f64(),
                    known.len()
                );
                told = Instant::now();
            }
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// The site of a page to start with.
fn site_of(url: &str) -> Option<Site> {
    let host = url.strip_prefix("http://")?.split('/').next()?;
    Some(Site::of_host(host))
}
