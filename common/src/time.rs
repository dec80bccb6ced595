//! The clock: the machine's, or a simulated one.
//!
//! No algorithm and no store reads a clock. The caller passes the time in, so tests choose it and replays
//! repeat it. Only loops and mains read one. What must also run on simulated time gets a [`Clock`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use newslode_page::time::Timestamp;

/// The time now.
#[must_use]
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// A time as ISO 8601 has it, in UTC: to the second, or to the millisecond where it has one.
#[must_use]
pub fn iso(at: Timestamp) -> String {
    let millis = i64::try_from(at.0).unwrap_or(i64::MAX);
    let time = jiff::Timestamp::from_millisecond(millis).unwrap_or(jiff::Timestamp::MAX);
    let form = if at.0.is_multiple_of(1000) { "%Y-%m-%dT%H:%M:%SZ" } else { "%Y-%m-%dT%H:%M:%S%.3fZ" };
    time.strftime(form).to_string()
}

/// A clock. Clones tell the same time.
#[derive(Clone, Debug, Default)]
pub enum Clock {
    /// The machine's.
    #[default]
    Machine,
    /// One that somebody sets.
    Set(Arc<AtomicU64>),
}

impl Clock {
    /// A clock that stands at this time until it is set.
    #[must_use]
    pub fn standing(at: Timestamp) -> Clock {
        Clock::Set(Arc::new(AtomicU64::new(at.0)))
    }

    /// The time now.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        match self {
            Clock::Machine => now(),
            Clock::Set(time) => Timestamp(time.load(Ordering::SeqCst)),
        }
    }

    /// Waits. Simulated time passes at once.
    pub async fn sleep(&self, wait: Duration) {
        match self {
            Clock::Machine => tokio::time::sleep(wait).await,
            Clock::Set(_) => self.set(self.now().plus(wait)),
        }
    }

    /// Sets a simulated clock. The machine's goes on as it does.
    pub fn set(&self, to: Timestamp) {
        if let Clock::Set(time) = self {
            time.store(to.0, Ordering::SeqCst);
        }
    }
}
