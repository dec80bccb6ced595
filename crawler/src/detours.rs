//! The places to which this process saw addresses of a site redirected lately.
//!
//! A place to which several addresses lead is a maintenance page, a login or a consent wall, whatever it is called: it is
//! none of their stories.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use newslode_common::schedule::name;
use newslode_page::time::Timestamp;
use url::Url;

/// A redirect is forgotten after this, in milliseconds.
const REMEMBERED_MS: u64 = 3_600_000;
/// Largest number of places.
const MOST_PLACES: usize = 50_000;
/// Number of addresses that are remembered of a place.
const MOST_ADDRESSES: usize = 4;

/// Place → the addresses that led there, and when each did last.
#[derive(Default)]
pub(crate) struct Detours(Mutex<HashMap<u64, Vec<(u64, Timestamp)>>>);

impl Detours {
    /// Notes a redirect. Returns how many other addresses led to the same place within the hour.
    pub(crate) fn note(&self, from: &Url, to: &Url, now: Timestamp) -> usize {
        // The query often holds the way back.
        let place = format!(
            "{}{}{}",
            from.host_str().unwrap_or_default(),
            to.host_str().unwrap_or_default(),
            to.path()
        );
        let (from, place) = (name(from.as_str()), name(&place));
        let is_recent = |(_, at): &(u64, Timestamp)| at.0 + REMEMBERED_MS > now.0;
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if places.len() >= MOST_PLACES {
            places.retain(|_, addresses| addresses.iter().any(is_recent));
            if places.len() >= MOST_PLACES {
                places.clear();
            }
        }
        let addresses = places.entry(place).or_default();
        addresses.retain(|seen| is_recent(seen) && seen.0 != from);
        let others = addresses.len();
        if others >= MOST_ADDRESSES {
            addresses.remove(0);
        }
        addresses.push((from, now));
        others
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn other_addresses_that_lead_to_a_place_count_for_an_hour() {
        let (detours, at) =
            (Detours::default(), |minutes: u64| Timestamp(1_700_000_000_000 + minutes * 60_000));
        let note = |from: &str, to: &str, minutes| detours.note(&url(from), &url(to), at(minutes));
        assert_eq!(note("http://a.test/1", "http://a.test/login?back=1", 0), 0);
        assert_eq!(note("http://a.test/1", "http://a.test/login?back=1", 1), 0, "the same again");
        assert_eq!(note("http://a.test/2", "http://a.test/login?back=2", 2), 1);
        assert_eq!(note("http://b.test/1", "http://a.test/login", 2), 0, "another site");
        assert_eq!(note("http://a.test/3", "http://a.test/other", 3), 0);
        assert_eq!(note("http://a.test/4", "http://a.test/login", 62), 0);
    }

    #[test]
    fn memory_has_a_bound() {
        let detours = Detours::default();
        for n in 0..MOST_PLACES + 10 {
            detours.note(&url("http://a.test/"), &url(&format!("http://a.test/{n}")), Timestamp(1));
        }
        (0..20).for_each(|n| {
            detours.note(&url(&format!("http://a.test/{n}")), &url("http://a.test/one"), Timestamp(1));
        });
        let places = detours.0.lock().unwrap();
        assert!(places.len() <= MOST_PLACES && places.values().all(|seen| seen.len() <= MOST_ADDRESSES));
    }
}
