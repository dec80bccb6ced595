//! Waiting for a server that is away: growing pauses, one line in the log when it goes and one when it
//! is back, however many loops wait for it.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use newslode_common::store::StoreResult;

/// First and longest pause.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(5));

/// Pauses that double.
pub(crate) struct Pause {
    next: Duration,
    longest: Duration,
}

impl Default for Pause {
    fn default() -> Self {
        Pause::between(PAUSES.0, PAUSES.1)
    }
}

impl Pause {
    pub(crate) fn between(first: Duration, longest: Duration) -> Pause {
        Pause { next: first, longest }
    }

    /// Waits, and longer the next time.
    pub(crate) async fn wait(&mut self) {
        tokio::time::sleep(self.next).await;
        self.next = (self.next * 2).min(self.longest);
    }
}

/// Whether a server is known to be away.
pub(crate) struct Outage {
    server: &'static str,
    away: AtomicBool,
}

impl Outage {
    pub(crate) fn is_away(&self, error: &dyn Display) {
        if !self.away.swap(true, Ordering::Relaxed) {
            tracing::warn!(server = self.server, %error, "away; waiting for it");
        }
    }

    pub(crate) fn is_back(&self) {
        if self.away.swap(false, Ordering::Relaxed) {
            tracing::info!(server = self.server, "back");
        }
    }

    /// Repeats a store call until it is answered; an answer that no repetition changes is returned.
    pub(crate) async fn persist<T, F>(&self, call: impl Fn() -> F) -> StoreResult<T>
    where
        F: Future<Output = StoreResult<T>>,
    {
        let mut pause = Pause::default();
        loop {
            match call().await {
                Err(error) if error.is_waited_for() => self.is_away(&error),
                answer => {
                    self.is_back();
                    return answer;
                }
            }
            pause.wait().await;
        }
    }
}

/// The servers that a crawler waits for.
pub(crate) struct Outages {
    pub(crate) store: Outage,
    pub(crate) broker: Outage,
}

impl Default for Outages {
    fn default() -> Self {
        let of = |server| Outage { server, away: AtomicBool::new(false) };
        Outages { store: of("store"), broker: of("broker") }
    }
}
