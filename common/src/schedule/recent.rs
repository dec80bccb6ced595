//! How many requests a site got within the last ten minutes, in two counters.

use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

/// Length of a window, in milliseconds.
const WINDOW_MS: u64 = 600_000;

/// Requests of the window that runs and of the one before.
///
/// The estimate takes the requests of the window before as spread evenly over it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recent {
    /// Number of the window since the epoch.
    pub window: u64,
    /// Its requests.
    pub requests: u32,
    /// Requests of the window before.
    pub before: u32,
}

impl Recent {
    /// Counts a request and returns the number within the last ten minutes.
    pub fn count(&mut self, now: Timestamp) -> u32 {
        let window = now.0 / WINDOW_MS;
        if window != self.window {
            let follows = self.window.checked_add(1) == Some(window);
            *self = Recent { window, requests: 0, before: if follows { self.requests } else { 0 } };
        }
        self.requests = self.requests.saturating_add(1);
        let left = WINDOW_MS - now.0 % WINDOW_MS;
        let before = u64::from(self.before) * left / WINDOW_MS;
        self.requests.saturating_add(u32::try_from(before).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_requests_fade_within_ten_minutes() {
        let mut recent = Recent::default();
        let mut count = |ms: u64| recent.count(Timestamp(ms));
        let start = 1_000 * WINDOW_MS;
        assert_eq!((0..100).map(|n| count(start + n)).max(), Some(100));
        assert_eq!(count(start + WINDOW_MS), 101, "all hundred of the window before");
        assert_eq!(count(start + WINDOW_MS * 3 / 2), 52, "half of them");
        assert_eq!(count(start + 5 * WINDOW_MS), 1);
    }
}
