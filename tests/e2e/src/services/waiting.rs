//! What tests wait for while services run.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use newslode_common::broker::depths;
use newslode_common::broker::rabbitmq::RabbitBroker;
use newslode_common::store::redis::RedisStore;
use newslode_common::store::{Frontier, SiteState, SiteStatus};
use newslode_page::Params;

use super::{Installation, SOON};
use crate::lab::{Digests, are_alike, digests_in, without_identifiers};
use crate::process::LOOK;

/// The longest time for a small world with all that happens to it.
const ALL_OF_IT: Duration = Duration::from_secs(150);

/// After this long at rest in the wrong state, the state will never be right. Longer than any wait of a
/// service that holds a delivery until a server is back.
const RESTED: Duration = Duration::from_secs(25);

impl Installation<'_> {
    /// Waits until this many URLs have an outcome.
    pub async fn done(&mut self, wanted: u64) {
        let (store, begun) = (self.store().await, Instant::now());
        loop {
            // The store may have been restarted a moment ago.
            if let Ok(sites) = Frontier::status(&store).await {
                let done: u64 = sites.iter().flat_map(|site| site.outcomes.values()).sum();
                if done >= wanted {
                    return;
                }
                assert!(
                    begun.elapsed() < ALL_OF_IT,
                    "only {done} of {wanted} URLs are done\n{}",
                    self.logs()
                );
            }
            self.all_run();
            tokio::time::sleep(LOOK).await;
        }
    }

    /// The URLs of pages that are fetched and not counted.
    pub async fn uncounted(&self) -> BTreeSet<String> {
        let pages = uncounted(&self.store().await).await;
        pages.iter().filter_map(|page| page.split(' ').next()).map(str::to_owned).collect()
    }

    /// Waits until all these pages are counted.
    pub async fn counts(&mut self, wanted: &BTreeSet<String>) {
        let begun = Instant::now();
        loop {
            let uncounted = self.uncounted().await;
            let waiting: Vec<_> = wanted.intersection(&uncounted).collect();
            if waiting.is_empty() {
                return;
            }
            self.all_run();
            assert!(begun.elapsed() < ALL_OF_IT, "not counted: {waiting:?}\n{}", self.logs());
            tokio::time::sleep(LOOK).await;
        }
    }

    /// The digests, if nothing is pending or claimed and the queues are empty.
    pub async fn resting_digests(&self) -> Option<Digests> {
        let store = self.store().await;
        // A broker on a busy machine may take longer than a connection waits. The caller looks again.
        let broker = self.connect_broker().await.ok()?;
        let has_pages = !store.sites().await.unwrap_or_default().is_empty();
        let queues = depths(&broker).await;
        let is_empty = queues.iter().all(|(_, depth)| matches!(depth, Ok(0)));
        if has_pages && is_empty { Some(digests_in(&store).await) } else { None }
    }

    /// The taxonomy after the next folds, without identifiers.
    pub async fn folded(&mut self) -> String {
        let (mut seen, mut same) = (String::new(), 0);
        while same < 3 {
            // The configuration folds once a second.
            tokio::time::sleep(Duration::from_millis(1_200)).await;
            let folded = self.lab.run(&self.asking(&["taxonomy", "--format", "json"])).await;
            same = if folded.code == Some(0) && folded.out == seen { same + 1 } else { 0 };
            seen = folded.out;
        }
        serde_json::from_str(&seen).map_or(seen, |taxonomy| without_identifiers(taxonomy).to_string())
    }

    /// Waits until the taxonomy is [like](are_alike) the wanted one.
    pub async fn folds_to(&mut self, wanted: &serde_json::Value) {
        let begun = Instant::now();
        loop {
            let folded = self.lab.run(&self.asking(&["taxonomy", "--format", "json"])).await;
            let is_wanted = |folded| are_alike(&folded, wanted);
            if serde_json::from_str(&folded.out).is_ok_and(is_wanted) {
                return;
            }
            self.all_run();
            assert!(begun.elapsed() < SOON, "folded {}\nwanted {wanted}\n{}", folded.out, self.logs());
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Waits until all is at rest in the wanted state: nothing pending, nothing claimed, queues empty and
    /// digests equal, twice in a row. After [`RESTED`] at rest in another state it fails and says what
    /// differs.
    pub async fn comes_to(&mut self, wanted: &Digests) {
        let (store, broker, begun) = (self.store().await, self.broker().await, Instant::now());
        let (mut equal, mut since, mut seen) = (0, Instant::now(), String::new());
        loop {
            let busy = busy(&store, &broker).await;
            let found = if busy.is_empty() { digests_in(&store).await } else { Digests::new() };
            equal = if found == *wanted { equal + 1 } else { 0 };
            if equal == 2 {
                return;
            }
            let now = format!("busy: {busy}; digests {found:?}");
            if now != seen || !busy.is_empty() {
                (since, seen) = (Instant::now(), now);
            }
            self.all_run();
            let (rested, late) = (since.elapsed() > RESTED, begun.elapsed() > ALL_OF_IT);
            if rested || late {
                let pages = uncounted(&store).await;
                panic!("wanted {wanted:?}\n{seen}\nfetched, not counted: {pages:?}\n{}", self.logs());
            }
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
    }

    /// Waits until nothing moves any more: nothing pending, nothing claimed, queues empty, and the same state in all
    /// looks of so long.
    pub async fn rests(&mut self, so_long: Duration) {
        let (store, broker, begun) = (self.store().await, self.broker().await, Instant::now());
        let (mut since, mut seen) = (Instant::now(), String::new());
        loop {
            let busy = busy(&store, &broker).await;
            let found = if busy.is_empty() { digests_in(&store).await } else { Digests::new() };
            let now = format!("{busy} {found:?}");
            if now != seen || !busy.is_empty() {
                (since, seen) = (Instant::now(), now);
            }
            if since.elapsed() > so_long {
                return;
            }
            self.all_run();
            assert!(begun.elapsed() < ALL_OF_IT, "it does not come to rest: {seen}\n{}", self.logs());
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
    }
}

/// The work under way, in words; empty at rest. Deliveries that a service holds unacknowledged are not seen.
pub async fn busy(store: &RedisStore, broker: &RabbitBroker) -> String {
    let sites = match Frontier::status(store).await {
        Ok(sites) if sites.is_empty() => return "no site yet".into(),
        Ok(sites) => sites,
        Err(error) => return error.to_string(),
    };
    // What is due later is left to later.
    let later = newslode_common::time::now().plus(Duration::from_secs(30));
    let pending_of = |site: &SiteStatus| if site.next_due > Some(later) { 0 } else { site.pending };
    let (pending, leased) = sites.iter().fold((0, 0), |(p, l), site| (p + pending_of(site), l + site.leased));
    let mut waiting = String::new();
    for (queue, depth) in depths(broker).await {
        match depth {
            Ok(0) => {}
            Ok(depth) => waiting.push_str(&format!(" {depth} in {queue}")),
            Err(error) => waiting.push_str(&format!(" {error}")),
        }
    }
    if (pending, leased) == (0, 0) && waiting.is_empty() {
        return String::new();
    }
    format!("{pending} pending, {leased} leased,{waiting}")
}

/// Pages whose fetched content is not the counted one: URL, outcome, fetch and what is counted.
pub async fn uncounted(store: &RedisStore) -> Vec<String> {
    let mut differ = Vec::new();
    for site in Frontier::status(store).await.unwrap_or_default() {
        let counted: BTreeMap<_, _> = store.pages(&site.site).await.unwrap_or_default().into_iter().collect();
        for entry in store.entries(&site.site).await.unwrap_or_default() {
            let held = counted.get(&entry.url).map(|version| version.content);
            let wanted = entry.content.map(|content| content.seen_by(&Params::default().generation()));
            if wanted.is_some() && held != wanted {
                differ.push(format!("{} {:?} fetch {} {held:?}", entry.url, entry.outcome, entry.fetch));
            }
        }
    }
    differ
}
