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
        let mut sites = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if sites.len() >= MAX_SITES && !sites.contains_key(site) {
            sites.clear();
        }
        let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        sites.entry(site.clone()).or_default().add(took_ms, now)
    }
}
