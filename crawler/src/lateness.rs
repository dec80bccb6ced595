//! Whether a claim is answered too late to be used.
//!
//! A turn is counted from the time at which its crawler asked for it. If the answer is on its way for long, because the store or
//! the way to it is disturbed, the request would come so much later, and the next crawler's would not: two requests would be
//! closer than the site's delay. Such a turn passes unused. But a store that is always slow delays all requests alike, so not
//! every turn may pass. Start at [`Lateness`].

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// An answer that takes no longer is in time for any site.
const LEAST: Duration = Duration::from_millis(250);
/// The share of a site's delay that an answer may take.
const SHARE: u32 = 4;
/// After so many late answers in a row the next one is used: the store is slow, not disturbed.
const MOST: u32 = 5;

/// Judges how late the store answers claims.
#[derive(Debug, Default)]
pub(crate) struct Lateness {
    in_a_row: AtomicU32,
}

impl Lateness {
    /// Returns how late an answer is that took this long; `None` if its claims may be used for any site.
    pub(crate) fn judge(&self, took: Duration) -> Option<Duration> {
        if took <= LEAST {
            self.in_a_row.store(0, Ordering::Relaxed);
            return None;
        }
        if self.in_a_row.fetch_add(1, Ordering::Relaxed) < MOST {
            tracing::debug!(?took, "the store answered a claim late");
            return Some(took);
        }
        self.in_a_row.store(0, Ordering::Relaxed);
        tracing::warn!(
            ?took,
            "the store answers claims so late that requests may come closer than the delay: mend it, or the way to it"
        );
        None
    }
}

/// Whether an answer is too late to still ask a site with this delay.
pub(crate) fn is_too_late(late: Duration, delay: Duration) -> bool {
    late > delay / SHARE && !delay.is_zero()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATE: Duration = Duration::from_millis(300);

    #[test]
    fn answers_are_late_but_not_for_ever() {
        let lateness = Lateness::default();
        assert_eq!(lateness.judge(LEAST), None);
        for _ in 0..3 {
            for _ in 0..MOST {
                assert_eq!(lateness.judge(LATE), Some(LATE));
            }
            assert_eq!(lateness.judge(LATE), None, "the crawl stands");
        }
        assert_eq!(lateness.judge(LATE), Some(LATE));
        assert_eq!(lateness.judge(LEAST), None, "the store is well again");
        for _ in 0..MOST {
            assert_eq!(lateness.judge(LATE), Some(LATE));
        }
    }

    #[test]
    fn a_quarter_of_the_delay_is_not_too_late() {
        let seconds = Duration::from_secs;
        assert!(is_too_late(LATE, seconds(1)));
        assert!(!is_too_late(LATE, seconds(2)));
        assert!(is_too_late(seconds(3), seconds(8)));
        assert!(!is_too_late(seconds(3), Duration::ZERO), "there is nobody to be polite to");
    }
}
