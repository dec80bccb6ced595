//! What the miner that leads makes anew now and then, beside its folds: values of the store that readers may do without.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use newslode_page::reading::Site;
use tokio::task::JoinSet;

use crate::mining::summary::SiteSummary;
use crate::work::fold::LastFold;

/// Makes something anew, one time after the other.
pub(super) struct Renewal {
    every: Duration,
    begun: Option<Instant>,
    /// The sites of the last one.
    of: Vec<Arc<SiteSummary>>,
    work: JoinSet<()>,
}

impl Renewal {
    /// One every so many seconds; 0: never.
    pub(super) fn new(every_s: u64) -> Renewal {
        Renewal { every: Duration::from_secs(every_s), begun: None, of: Vec::new(), work: JoinSet::new() }
    }

    /// Begins the next one, if there are concepts and it is time: at once if a site was removed, of which nothing may stay.
    pub(super) fn begin_if_due<W>(&mut self, last: &LastFold, work: impl FnOnce(LastFold) -> W)
    where
        W: Future<Output = ()> + Send + 'static,
    {
        while self.work.try_join_next().is_some() {}
        let is_late = self.begun.is_none_or(|begun| begun.elapsed() >= self.every);
        let known: BTreeSet<&Site> = last.sites.iter().map(|site| &site.site).collect();
        let is_due = is_late || self.of.iter().any(|site| !known.contains(&site.site));
        if self.every.is_zero() || !is_due || !self.work.is_empty() || last.taxonomy.concepts.is_empty() {
            return;
        }
        (self.begun, self.of) = (Some(Instant::now()), last.sites.clone());
        self.work.spawn(work(last.clone()));
    }

    /// Ends the one under way; each value is written as a whole.
    pub(super) async fn stop(&mut self) {
        self.work.shutdown().await;
        self.begun = None;
    }
}
