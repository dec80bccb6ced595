//! Pages that are due once: how often one that fails is tried, and when one that was read is read again.
//!
//! With `miner.follow = "concepts"` or `"all"` every page is due once: it ends with its first outcome. A failure that
//! may pass is no outcome. The page is tried again after `crawler.retry_ms`, doubled each time, and given up after
//! `crawler.max_attempts` tries. The frontier keeps no [`PageSchedule`](super::PageSchedule) of such a page, so its
//! record stays: a page without a schedule is due once, also in the stores of 0.1.0.
//!
//! Invariant: every page ends, whatever its server answers. Start at [`DueOnce::after_failure`].

use std::time::Duration;

use newslode_page::time::Timestamp;

use super::{Class, Next};

/// Longest wait between two tries, in milliseconds.
const LONGEST_WAIT_MS: u64 = 86_400_000;
/// First wait for a server that is busy and does not say for how long, in milliseconds.
const BUSY_WAIT_MS: u64 = 60_000;
/// Shortest wait that a server can ask for, in milliseconds.
const SHORTEST_WISH_MS: u64 = 1_000;
/// A try that a server answers with `Retry-After` does not count. One in this many claims counts all the same, so that
/// the page ends.
const COUNTED_EVERY: u64 = 8;

/// The policy's numbers, from `[crawler]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueOnce {
    /// Wait after the first failure, in milliseconds. It doubles with each further try, up to a day.
    pub retry_ms: u64,
    /// Tries that count before a page is given up; 0 is taken as 1.
    pub max_attempts: u32,
    /// Seconds after which a page that was read is due again; 0: never.
    pub revisit_s: u64,
}

/// A try that brought no usable answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailedTry {
    /// Number of tries that count, this one included.
    pub counted: u32,
    /// Number of the page's claim, which also counts the tries that do not count.
    pub claim: u64,
    /// What the server says of the next try.
    pub server: ServerSays,
}

/// What a server says of the next try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerSays {
    /// Nothing.
    Nothing,
    /// That it is busy.
    Busy,
    /// `Retry-After`: to come back after this wait.
    RetryAfter(Duration),
}

/// What follows from a try that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterFailure {
    /// The page is tried again.
    TryAgain {
        /// The earliest time.
        due: Timestamp,
        /// Whether the try that failed counts.
        counts: bool,
    },
    /// The page ends.
    GiveUp,
}

impl DueOnce {
    /// When a page is due again that was read now. `None`: never.
    #[must_use]
    pub fn after_success(&self, now: Timestamp) -> Option<Next> {
        let wait = Duration::from_secs(self.revisit_s);
        (self.revisit_s > 0).then(|| Next { due: now.plus(wait), class: Class::New })
    }

    /// What follows from a try that failed now.
    #[must_use]
    pub fn after_failure(&self, failed: FailedTry, now: Timestamp) -> AfterFailure {
        let counts = match failed.server {
            ServerSays::Nothing | ServerSays::Busy => true,
            ServerSays::RetryAfter(_) => failed.claim.is_multiple_of(COUNTED_EVERY),
        };
        if counts && failed.counted >= self.max_attempts {
            return AfterFailure::GiveUp;
        }
        let times = failed.counted.saturating_sub(1);
        let wait = match failed.server {
            ServerSays::Nothing => super::doubled(self.retry_ms, LONGEST_WAIT_MS, times),
            ServerSays::Busy => super::doubled(BUSY_WAIT_MS, LONGEST_WAIT_MS, times),
            ServerSays::RetryAfter(wish) => {
                let wish = u64::try_from(wish.as_millis()).unwrap_or(u64::MAX);
                wish.clamp(SHORTEST_WISH_MS, LONGEST_WAIT_MS)
            }
        };
        AfterFailure::TryAgain { due: now.plus(Duration::from_millis(wait)), counts }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: Timestamp = Timestamp(1_700_000_000_000);
    const FOUR_TRIES: DueOnce = DueOnce { retry_ms: 2_000, max_attempts: 4, revisit_s: 0 };

    fn again(seconds: u64, counts: bool) -> AfterFailure {
        AfterFailure::TryAgain { due: Timestamp(NOW.0 + seconds * 1_000), counts }
    }

    fn after(counted: u32, claim: u64, server: ServerSays) -> AfterFailure {
        FOUR_TRIES.after_failure(FailedTry { counted, claim, server }, NOW)
    }

    fn wish(seconds: u64) -> ServerSays {
        ServerSays::RetryAfter(Duration::from_secs(seconds))
    }

    #[test]
    fn waits_double_until_the_page_is_given_up() {
        let waits = |server| [1, 2, 3, 4].map(|tries| after(tries, u64::from(tries), server));
        let own = [again(2, true), again(4, true), again(8, true), AfterFailure::GiveUp];
        assert_eq!(waits(ServerSays::Nothing), own);
        let busy = [again(60, true), again(120, true), again(240, true), AfterFailure::GiveUp];
        assert_eq!(waits(ServerSays::Busy), busy);
    }

    #[test]
    fn a_wait_that_the_server_asks_for_is_no_attempt() {
        assert_eq!(after(4, 1, wish(7)), again(7, false));
        assert_eq!(after(4, 1, wish(0)), again(1, false), "at least a second");
        assert_eq!(after(4, 1, wish(1 << 40)), again(86_400, false), "at most a day");
        assert_eq!(after(2, 8, wish(7)), again(7, true), "one in eight counts");
        assert_eq!(after(4, 8, wish(7)), AfterFailure::GiveUp, "not for ever");
    }

    #[test]
    fn a_page_that_was_read_is_due_again_only_if_that_is_wanted() {
        assert_eq!(FOUR_TRIES.after_success(NOW), None);
        let daily = DueOnce { revisit_s: 86_400, ..FOUR_TRIES };
        let due = Timestamp(NOW.0 + 86_400_000);
        assert_eq!(daily.after_success(NOW), Some(Next { due, class: Class::New }));
    }

    /// What a server does at one claim.
    #[derive(Clone, Copy, Debug)]
    enum Server {
        Reads,
        Fails(ServerSays),
    }

    fn server() -> impl Strategy<Value = Server> {
        prop_oneof![
            1 => Just(Server::Reads),
            4 => Just(Server::Fails(ServerSays::Nothing)),
            2 => Just(Server::Fails(ServerSays::Busy)),
            4 => (0_u64..200_000).prop_map(|seconds| Server::Fails(wish(seconds))),
        ]
    }

    /// How a page's life goes: the seconds between its claims, and whether it was read or given up.
    #[derive(Debug, PartialEq, Eq)]
    struct Life {
        waits_ms: Vec<u64>,
        is_read: Option<bool>,
    }

    /// The life of a page as the frontier leads it: tries that count are added up, claims are numbered.
    fn life(policy: DueOnce, first_claim: u64, servers: &[Server]) -> Life {
        let (mut now, mut attempts, mut waits_ms) = (NOW, 0, Vec::new());
        for (number, server) in servers.iter().enumerate() {
            let Server::Fails(server) = *server else { return Life { waits_ms, is_read: Some(true) } };
            let failed = FailedTry { counted: attempts + 1, claim: first_claim + number as u64, server };
            match policy.after_failure(failed, now) {
                AfterFailure::GiveUp => return Life { waits_ms, is_read: Some(false) },
                AfterFailure::TryAgain { due, counts } => {
                    attempts += u32::from(counts);
                    waits_ms.push(due.0 - now.0);
                    now = due;
                }
            }
        }
        Life { waits_ms, is_read: None }
    }

    /// The manual's sentences, one after the other: which failures count, the wait that doubles with those that count,
    /// the end after so many of them.
    fn plain_life(policy: DueOnce, first_claim: u64, servers: &[Server]) -> Life {
        let day = 86_400_000_u128;
        let mut life = Life { waits_ms: Vec::new(), is_read: None };
        let mut left = policy.max_attempts.max(1);
        let mut factor = 1_u128;
        for (number, server) in servers.iter().enumerate() {
            let (wait, counts) = match server {
                Server::Reads => {
                    life.is_read = Some(true);
                    return life;
                }
                Server::Fails(ServerSays::Nothing) => {
                    (day.min(u128::from(policy.retry_ms).saturating_mul(factor)), true)
                }
                Server::Fails(ServerSays::Busy) => (day.min(60_000 * factor), true),
                Server::Fails(ServerSays::RetryAfter(wish)) => {
                    (day.min(wish.as_millis().max(1_000)), (first_claim + number as u64).is_multiple_of(8))
                }
            };
            if counts {
                left -= 1;
                factor *= 2;
            }
            if counts && left == 0 {
                life.is_read = Some(false);
                return life;
            }
            life.waits_ms.push(u64::try_from(wait).unwrap());
        }
        life
    }

    proptest! {
        #[test]
        fn the_policy_is_what_the_manual_says(
            retry_ms in 0_u64..200_000_000,
            max_attempts in 0_u32..12,
            first_claim in 1_u64..100_000_000,
            servers in proptest::collection::vec(server(), 0..40),
        ) {
            let policy = DueOnce { retry_ms, max_attempts, revisit_s: 0 };
            prop_assert_eq!(life(policy, first_claim, &servers), plain_life(policy, first_claim, &servers));
        }

        #[test]
        fn every_page_ends(
            max_attempts in 0_u32..12,
            first_claim in 1_u64..100_000_000,
            servers in proptest::collection::vec(server(), 96),
        ) {
            // Whatever mixture of failures a server answers with, eight claims for each attempt are enough.
            let policy = DueOnce { max_attempts, ..FOUR_TRIES };
            prop_assert!(life(policy, first_claim, &servers).is_read.is_some());
        }
    }
}
