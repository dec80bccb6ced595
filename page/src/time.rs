//! Points in time. They are passed in: nothing in this crate reads a clock.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Milliseconds since 1970-01-01T00:00:00Z.
///
/// ```
/// use std::time::Duration;
///
/// use newslode_page::Timestamp;
///
/// let noon = Timestamp(43_200_000);
/// assert_eq!(noon.plus(Duration::from_secs(86_400)).day(), 1);
/// assert_eq!(noon.until(Timestamp(43_200_500)), Duration::from_millis(500));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// This time plus `wait`, at most the largest timestamp.
    #[must_use]
    pub fn plus(self, wait: Duration) -> Timestamp {
        Timestamp(self.0.saturating_add(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)))
    }

    /// The UTC day that contains this time, in days since 1970-01-01.
    #[must_use]
    pub fn day(self) -> u32 {
        u32::try_from(self.0 / 86_400_000).unwrap_or(u32::MAX)
    }

    /// The time until `later`; zero if `later` has passed.
    #[must_use]
    pub fn until(self, later: Timestamp) -> Duration {
        Duration::from_millis(later.0.saturating_sub(self.0))
    }
}
