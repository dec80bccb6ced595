//! Repeats calls while a server is unavailable: with growing waits, until a deadline or a stop.
//!
//! The error says whether another attempt may help ([`Retryable`]). The [`Retry`] says how long to try. Its deadline counts
//! from its creation, so all steps of one piece of work share it. A stop ends the waits, but never aborts a call, whose effect
//! would be unknown. An [`Outage`] logs when a server becomes unavailable and when it is back, once for all callers. Start at
//! [`Retry::run`].

use std::fmt::Display;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

/// The longest time that a service holds a delivery while a server is unavailable, over all steps of its work. Then
/// it returns the delivery to the queue, before the broker takes it away after
/// [`consumer_timeout_ms`](crate::config::BrokerConfig::consumer_timeout_ms).
pub const HOLD: Duration = Duration::from_secs(600);
/// First and longest wait before another attempt.
const WAITS: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(5));
/// Shortest time between two log lines about the same outage.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// An error that knows whether the same call may work later.
pub trait Retryable: Display {
    /// Whether another attempt may help.
    fn is_retryable(&self) -> bool;

    /// Whether the log should report the error. A full queue is worth waiting for, too, but it is no outage.
    fn is_outage(&self) -> bool {
        self.is_retryable()
    }
}

/// Waits that double up to a limit. Each is shortened at random, to half at most, so that clients that lost a server together
/// do not return to it together.
pub struct Backoff {
    next: Duration,
    longest: Duration,
    chance: RandomState,
}

impl Default for Backoff {
    fn default() -> Backoff {
        Backoff::new(WAITS.0, WAITS.1)
    }
}

impl Backoff {
    /// Makes a backoff from the first and the longest wait.
    #[must_use]
    pub fn new(first: Duration, longest: Duration) -> Backoff {
        Backoff { next: first, longest, chance: RandomState::new() }
    }

    /// The next wait; longer each time.
    pub fn next_wait(&mut self) -> Duration {
        let part = self.chance.hash_one(self.next) % 512 + 512;
        let wait = self.next.mul_f64(part as f64 / 1024.0);
        self.next = (self.next * 2).min(self.longest);
        wait
    }
}

/// How long to try.
#[derive(Clone, Debug, Default)]
pub struct Retry {
    deadline: Option<Instant>,
    stop: Option<CancellationToken>,
}

impl Retry {
    /// Tries until the call works or its error is final.
    #[must_use]
    pub fn for_ever() -> Retry {
        Retry::default()
    }

    /// Tries for this long from now, however many calls share the deadline.
    #[must_use]
    pub fn within(hold: Duration) -> Retry {
        Retry { deadline: Some(Instant::now() + hold), stop: None }
    }

    /// Also ends the waits when `stop` is cancelled.
    #[must_use]
    pub fn until(self, stop: &CancellationToken) -> Retry {
        Retry { stop: Some(stop.clone()), ..self }
    }

    /// Repeats the call until it succeeds, its error is final, the next wait would pass the deadline, or the stop is
    /// cancelled. Makes at least one call.
    ///
    /// # Errors
    /// The last call's error. If it is retryable, the time was up or the stop came.
    pub async fn run<T, E, F>(&self, outage: &Outage, mut call: impl FnMut() -> F) -> Result<T, E>
    where
        E: Retryable,
        F: Future<Output = Result<T, E>>,
    {
        let mut backoff = Backoff::default();
        loop {
            let error = match call().await {
                Err(error) if error.is_retryable() => error,
                answer => {
                    outage.is_back();
                    return answer;
                }
            };
            if error.is_outage() {
                outage.is_away(&error);
            } else {
                outage.is_back();
            }
            if !self.waited(backoff.next_wait()).await {
                return Err(error);
            }
        }
    }

    /// Waits; false if the deadline or the stop came first.
    async fn waited(&self, wait: Duration) -> bool {
        if self.deadline.is_some_and(|deadline| Instant::now() + wait >= deadline) {
            return false;
        }
        match &self.stop {
            Some(stop) => stop.run_until_cancelled(sleep(wait)).await.is_some(),
            None => {
                sleep(wait).await;
                true
            }
        }
    }
}

/// Whether a server is unavailable, and when that was last logged.
pub struct Outage {
    server: String,
    logged: Mutex<Option<Instant>>,
}

impl Outage {
    /// For a server with this name in the log, assumed to be available.
    #[must_use]
    pub fn new(server: impl Into<String>) -> Outage {
        Outage { server: server.into(), logged: Mutex::new(None) }
    }

    fn is_away(&self, error: &dyn Display) {
        if self.is_log_due(Instant::now()) {
            tracing::warn!(server = self.server, %error, "away; trying again");
        }
    }

    /// True at first, and then from time to time while the outage lasts.
    fn is_log_due(&self, now: Instant) -> bool {
        let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = logged.is_none_or(|logged| now.duration_since(logged) >= LOG_INTERVAL);
        if is_due {
            *logged = Some(now);
        }
        is_due
    }

    fn is_back(&self) {
        if self.logged.lock().unwrap_or_else(PoisonError::into_inner).take().is_some() {
            tracing::info!(server = self.server, "back");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::broker::PublishError;

    fn away() -> PublishError {
        PublishError::Unavailable { reason: "away".into() }
    }

    /// Number of calls until `retry` gave up or call number `good` worked.
    async fn calls(retry: &Retry, good: u32) -> u32 {
        let made = Cell::new(0);
        let call = || async {
            made.set(made.get() + 1);
            if made.get() == good { Ok(()) } else { Err(away()) }
        };
        let ended = retry.run(&Outage::new("broker"), call).await;
        assert_eq!(ended.is_ok(), made.get() == good);
        made.get()
    }

    #[test]
    fn waits_double_up_to_the_longest_and_are_cut_by_half_at_most() {
        let ms = Duration::from_millis;
        let mut backoff = Backoff::new(ms(100), ms(500));
        for whole in [100, 200, 400, 500, 500] {
            let wait = backoff.next_wait();
            assert!((ms(whole / 2)..=ms(whole)).contains(&wait), "{wait:?} of {whole} ms");
        }
    }

    #[tokio::test]
    async fn a_call_is_repeated_until_it_works() {
        assert_eq!(calls(&Retry::for_ever(), 4).await, 4);
        assert_eq!(calls(&Retry::within(HOLD), 3).await, 3);
    }

    #[tokio::test]
    async fn what_never_works_is_tried_once() {
        let made = Cell::new(0);
        let call = || async {
            made.set(made.get() + 1);
            Err::<(), _>(PublishError::TooLarge { size: 2, limit: 1 })
        };
        assert!(Retry::for_ever().run(&Outage::new("broker"), call).await.is_err());
        assert_eq!(made.get(), 1);
    }

    /// Three steps of ten minutes each would hold a delivery for thirty.
    #[tokio::test]
    async fn steps_share_the_time_from_when_the_retry_was_made() {
        let retry = Retry::within(Duration::from_millis(20));
        assert_eq!(calls(&retry, 1).await, 1, "one step that works");
        sleep(Duration::from_millis(20)).await;
        assert_eq!(calls(&retry, 2).await, 1, "no time is left, one call is made");
        assert_eq!(calls(&retry.clone(), 2).await, 1, "nor for a clone");
    }

    #[tokio::test]
    async fn no_wait_passes_the_deadline() {
        // Each wait is at least 25 ms.
        assert!(calls(&Retry::within(Duration::from_millis(70)), 9).await <= 3);
    }

    #[tokio::test]
    async fn a_stop_ends_the_wait_and_no_call() {
        let stop = CancellationToken::new();
        let retry = Retry::for_ever().until(&stop);
        let made = Cell::new(0);
        let call = || async {
            stop.cancel();
            tokio::task::yield_now().await;
            made.set(made.get() + 1);
            Err::<(), _>(away())
        };
        assert!(retry.run(&Outage::new("broker"), call).await.unwrap_err().is_retryable());
        assert_eq!(made.get(), 1);
    }

    #[test]
    fn an_outage_is_told_once_and_again_if_it_lasts() {
        let outage = Outage::new("store");
        let now = Instant::now();
        let told = [0, 1, 9, 10, 11, 20].map(|s| outage.is_log_due(now + Duration::from_secs(s)));
        assert_eq!(told, [true, false, false, true, false, true]);
        outage.is_back();
        assert!(outage.is_log_due(now + Duration::from_secs(21)));
    }

    #[test]
    fn a_full_queue_is_waited_for_without_a_word() {
        let full = PublishError::Full { queue: "pages".into() };
        assert!(full.is_retryable() && !full.is_outage());
        assert!(away().is_outage());
    }
}
