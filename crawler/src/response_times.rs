//! How long sites took to answer lately, as this crawler saw it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use newslode_common::schedule::AnswerTimes;
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;

/// Number of sites whose times are kept. When there are more, all are learnt again.
const MAX_SITES: usize = 10_000;

/// The averages of all sites.
#[derive(Default)]
pub(crate) struct ResponseTimes(Mutex<HashMap<Site, AnswerTimes>>);

impl ResponseTimes {
    /// Adds the time of one answer. Returns the delay in milliseconds that the site's schedule should get, if it
    /// changed enough to be worth a write.
    pub(crate) fn add(&self, site: &Site, took: Duration, now: Timestamp) -> Option<u64> {
        let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        self.change(site, |times| times.add(took_ms, now))
    }

    /// Notes that the server was busy, although requests are at least this far apart. Returns the delay as [`add`](Self::add)
    /// does.
    pub(crate) fn add_busy(&self, site: &Site, delay: Duration, now: Timestamp) -> Option<u64> {
        let delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        self.change(site, |times| times.add_busy(delay_ms, now))
    }

    fn change(&self, site: &Site, change: impl FnOnce(&mut AnswerTimes) -> Option<u64>) -> Option<u64> {
        let mut sites = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if sites.len() >= MAX_SITES && !sites.contains_key(site) {
            sites.clear();
        }
        change(sites.entry(site.clone()).or_default())
    }
}
