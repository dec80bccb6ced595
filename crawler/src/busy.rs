//! The addresses that asked this process to come back later, so that one of them does not speak for its whole site.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use newslode_common::schedule::name;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;

/// An answer is forgotten after this, in milliseconds.
const REMEMBERED_MS: u64 = 600_000;
/// Largest number of sites.
const MOST_SITES: usize = 10_000;

/// Site → the last two addresses that were busy, and when each was.
#[derive(Default)]
pub(crate) struct BusyAddresses(Mutex<HashMap<Site, Vec<(u64, Timestamp)>>>);

impl BusyAddresses {
    /// Notes that an address was busy. Returns how many others of its site were within ten minutes: 0 to 2.
    pub(crate) fn note(&self, site: &Site, url: &CanonicalUrl, now: Timestamp) -> usize {
        let url = name(url.as_str());
        let is_recent = |(_, at): &(u64, Timestamp)| at.0 + REMEMBERED_MS > now.0;
        let mut sites = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if sites.len() >= MOST_SITES && !sites.contains_key(site) {
            sites.retain(|_, addresses| addresses.iter().any(is_recent));
            if sites.len() >= MOST_SITES {
                sites.clear();
            }
        }
        let addresses = sites.entry(site.clone()).or_default();
        addresses.retain(|seen| is_recent(seen) && seen.0 != url);
        let others = addresses.len();
        if others > 1 {
            addresses.remove(0);
        }
        addresses.push((url, now));
        others
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_addresses_of_the_site_count_for_ten_minutes() {
        let busy = BusyAddresses::default();
        let note = |url: &str, minutes: u64| {
            let url: CanonicalUrl = url.parse().unwrap();
            busy.note(&url.site(), &url, Timestamp(1_700_000_000_000 + minutes * 60_000))
        };
        assert_eq!(note("http://a.test/1", 0), 0);
        assert_eq!(note("http://a.test/1", 1), 0, "the same again");
        assert_eq!(note("http://b.test/2", 1), 0, "another site");
        assert_eq!(note("http://a.test/2", 2), 1);
        assert_eq!(note("http://a.test/3", 3), 2);
        assert_eq!(note("http://a.test/4", 14), 0);
    }
}
