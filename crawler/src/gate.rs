//! Spaces the requests to each address, so that sites on one server do not add up to a burst.
//!
//! The frontier spaces the requests to a site; it knows no addresses. Many sites of one publisher or host are one
//! server, which sees the sum. So each request of this process, of whatever kind, books the next free time of its
//! host's address and waits for it. Start at [`Gate::book`].

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use newslode_page::time::Timestamp;

/// Largest number of addresses that are kept. Beyond it those go that are free again.
const MOST_ADDRESSES: usize = 10_000;

/// When each address may be asked next.
#[derive(Debug)]
pub(crate) struct Gate {
    delay: Duration,
    free_at: Mutex<HashMap<IpAddr, Timestamp>>,
}

impl Gate {
    pub(crate) fn new(delay: Duration) -> Gate {
        Gate { delay, free_at: Mutex::default() }
    }

    /// Whether no request ever waits, because there is no delay.
    pub(crate) fn is_open(&self) -> bool {
        self.delay.is_zero()
    }

    /// Books an address's next turn. Returns the wait until then.
    pub(crate) fn book(&self, address: IpAddr, now: Timestamp) -> Duration {
        let mut free_at = self.free_at.lock().unwrap_or_else(PoisonError::into_inner);
        if free_at.len() >= MOST_ADDRESSES {
            free_at.retain(|_, free_at| *free_at > now);
        }
        let turn = free_at.get(&address).map_or(now, |free_at| now.max(*free_at));
        free_at.insert(address, turn.plus(self.delay));
        now.until(turn)
    }

    /// The wait for an address's next turn, without booking it.
    pub(crate) fn wait(&self, address: IpAddr, now: Timestamp) -> Duration {
        let free_at = self.free_at.lock().unwrap_or_else(PoisonError::into_inner);
        free_at.get(&address).map_or(Duration::ZERO, |free_at| now.until(*free_at))
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const NOW: Timestamp = Timestamp(1_700_000_000_000);

    #[test]
    fn each_address_has_turns_of_its_own() {
        let gate = Gate::new(Duration::from_millis(500));
        let address = |n: u32| IpAddr::V4(Ipv4Addr::from(n));
        let waits = |n, at| u64::try_from(gate.book(address(n), Timestamp(at)).as_millis()).unwrap();
        assert_eq!([waits(1, NOW.0), waits(1, NOW.0), waits(1, NOW.0 + 400)], [0, 500, 600]);
        assert_eq!(waits(2, NOW.0), 0);
        assert_eq!(gate.wait(address(1), NOW).as_millis(), 1_500);
        assert_eq!(waits(1, NOW.0 + 9_000), 0, "what passed is passed");
    }

    #[test]
    fn addresses_that_are_free_again_are_forgotten() {
        let gate = Gate::new(Duration::from_millis(500));
        for n in 0..3 * MOST_ADDRESSES as u32 {
            gate.book(IpAddr::V4(Ipv4Addr::from(n)), Timestamp(NOW.0 + u64::from(n)));
        }
        assert!(gate.free_at.lock().unwrap().len() <= MOST_ADDRESSES);
    }
}
