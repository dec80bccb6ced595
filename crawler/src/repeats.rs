//! What several addresses of a site did lately, as far as this process saw it: one address alone teaches little.
//!
//! A place to which several addresses redirect is a maintenance page, a login or a consent wall, whatever it is called. A
//! site of which several addresses are busy is busy.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use newslode_common::schedule::name;
use newslode_page::time::Timestamp;

/// Largest number of keys.
const MOST_KEYS: usize = 50_000;
/// Number of addresses that are remembered of a key.
const MOST_ADDRESSES: usize = 4;

/// Key (a place, a site) → the addresses that were seen with it, and when each was last.
pub(crate) struct Repeats {
    remembered: Duration,
    keys: Mutex<HashMap<u64, Vec<(u64, Timestamp)>>>,
}

impl Repeats {
    /// Forgets an address after this time.
    pub(crate) fn within(remembered: Duration) -> Repeats {
        Repeats { remembered, keys: Mutex::default() }
    }

    /// Notes an address. Returns how many others were seen with the same key and are remembered: 0 to 4.
    pub(crate) fn note(&self, key: &str, address: &str, now: Timestamp) -> usize {
        let (key, address) = (name(key), name(address));
        let is_recent = |(_, at): &(u64, Timestamp)| at.plus(self.remembered) > now;
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if keys.len() >= MOST_KEYS && !keys.contains_key(&key) {
            keys.retain(|_, addresses| addresses.iter().any(is_recent));
            if keys.len() >= MOST_KEYS {
                keys.clear();
            }
        }
        let addresses = keys.entry(key).or_default();
        addresses.retain(|seen| is_recent(seen) && seen.0 != address);
        let others = addresses.len();
        if others >= MOST_ADDRESSES {
            addresses.remove(0);
        }
        addresses.push((address, now));
        others
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3_600);

    #[test]
    fn other_addresses_count_as_long_as_they_are_remembered() {
        let (repeats, at) =
            (Repeats::within(HOUR), |minutes: u64| Timestamp(1_700_000_000_000 + minutes * 60_000));
        let note = |address: &str, key: &str, minutes| repeats.note(key, address, at(minutes));
        assert_eq!(note("/1", "/login", 0), 0);
        assert_eq!(note("/1", "/login", 1), 0, "the same again");
        assert_eq!(note("/2", "/login", 2), 1);
        assert_eq!(note("/3", "/other", 3), 0);
        assert_eq!(note("/3", "/login", 4), 2);
        assert_eq!(note("/4", "/login", 65), 0);
    }

    #[test]
    fn memory_has_a_bound() {
        let repeats = Repeats::within(HOUR);
        for n in 0..MOST_KEYS + 10 {
            repeats.note(&n.to_string(), "/", Timestamp(1));
        }
        for n in 0..20 {
            repeats.note("one", &n.to_string(), Timestamp(1));
        }
        let keys = repeats.keys.lock().unwrap();
        assert!(keys.len() <= MOST_KEYS && keys.values().all(|seen| seen.len() <= MOST_ADDRESSES));
    }
}
