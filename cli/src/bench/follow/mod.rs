//! Follows simulated news sites for a month, for `newslode bench follow`: is each article in hand soon, and at
//! what price in requests?
//!
//! The sites are those of the synthetic world that lives (`newslode_newsworld::living`): they publish, edit and
//! move articles, and have outages, blocks and redesigns. The schedule, the readers of pages, feeds and maps, and
//! robots.txt are the crawler's own. Queues are kept in memory, one set a site, and time is simulated: nothing
//! sleeps. Start at [`follow`].

mod crawl;
mod pages;
mod queue;
mod reading;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use newslode_common::schedule::ScheduleConfig;
use newslode_newsworld::living::{FetchLog, Figures, LivingSite, LivingSpec, LivingWorld, judge};
use newslode_page::Timestamp;
use serde::Serialize;

use crawl::Crawl;

/// What is taken away from the policy, to see what it is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ablation {
    /// Nothing.
    #[default]
    None,
    /// All new links of a listing count for it, not the confirmed articles that it showed first.
    AllNewLinks,
    /// One queue for all.
    OneQueue,
    /// A failing site does not rest: a page that fails four times leaves, and a refused one at once.
    NoRests,
    /// What a listing's first visit shows is fetched like what is new.
    BacklogFirst,
}

impl Ablation {
    /// All of them.
    pub(crate) const ALL: [Ablation; 5] = [
        Ablation::None,
        Ablation::AllNewLinks,
        Ablation::OneQueue,
        Ablation::NoRests,
        Ablation::BacklogFirst,
    ];

    /// Its name in tables and arguments.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Ablation::None => "policy",
            Ablation::AllNewLinks => "all-new-links",
            Ablation::OneQueue => "one-queue",
            Ablation::NoRests => "no-rests",
            Ablation::BacklogFirst => "backlog-first",
        }
    }
}

/// The result of following a world.
#[derive(Debug, Serialize)]
pub(crate) struct FollowReport {
    #[serde(flatten)]
    pub(crate) figures: Figures,
    /// Silences that were told although the site was well, of all sites.
    pub(crate) false_alarms: usize,
    /// Sites whose server's log shows a request before the delay had passed, or one that robots.txt forbids.
    pub(crate) impolite_sites: usize,
    /// Time that it took, in seconds.
    pub(crate) seconds: f64,
}

/// Follows a world to its end. `show` is called with the number of sites that are done.
pub(crate) fn follow(
    spec: &LivingSpec,
    config: &ScheduleConfig,
    ablation: Ablation,
    show: impl Fn(usize) + Sync,
) -> FollowReport {
    let started = std::time::Instant::now();
    let world = LivingWorld::generate(spec);
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let collected = Mutex::new((FetchLog::default(), 0));
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(seed) = world.seeds().get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut crawl = Crawl::new(&world, config, ablation, seed);
                    crawl.run(Timestamp(world.end()));
                    let (log, alarms) = crawl.into_results();
                    let mut all = collected.lock().unwrap_or_else(PoisonError::into_inner);
                    all.0.fetches.extend(log);
                    all.1 += alarms;
                    drop(all);
                    show(done.fetch_add(1, Ordering::Relaxed) + 1);
                }
            });
        }
    });
    let (log, false_alarms) = collected.into_inner().unwrap_or_else(PoisonError::into_inner);
    let is_impolite = |site: &&LivingSite| {
        let log = world.requests_to(site.number);
        log.disallowed > 0 || log.smallest_gap_ms.is_some_and(|gap| gap < site.delay_ms)
    };
    FollowReport {
        figures: judge(&world, &log),
        false_alarms,
        impolite_sites: world.sites().iter().filter(is_impolite).count(),
        seconds: started.elapsed().as_secs_f64(),
    }
}

#[cfg(test)]
mod tests;
