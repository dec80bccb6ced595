//! What can go wrong with a fetch, and what becomes of the URL then.
//!
//! Answers that are expected (gone, refused, unchanged, not HTML) are values of
//! [`Answer`](crate::fetch::Answer). A [`FetchError`] is what may be different next time, or what we
//! will not take. [`FetchError::fate`] is the one place that decides: try again (when, does it count,
//! does the whole site rest), or end with an outcome. Start there.

use std::time::Duration;

use newslode_common::outcome::Outcome;
use url::Url;

use crate::guard::PrivateAddress;

/// No wait is longer: between attempts, and what a server may ask for.
pub const LONGEST_WAIT: Duration = Duration::from_secs(86_400);

/// First wait after a 429 or 503 that does not say how long.
const BUSY_WAIT: Duration = Duration::from_secs(60);

/// A server that says `Retry-After` does so without cost, but not for ever: one in this many such answers
/// counts as an attempt, so that each URL ends.
const COUNTED_EVERY: u64 = 8;

/// A fetch that brought no answer we can use.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The host leads to an address that we do not connect to.
    #[error(transparent)]
    PrivateAddress(#[from] PrivateAddress),
    /// No name, no route, no connection, no TLS.
    #[error("cannot connect to `{host}`")]
    Connect {
        /// Host of the URL.
        host: String,
        /// What the network said.
        source: reqwest::Error,
    },
    /// No whole answer in time.
    #[error("`{url}` did not answer within {limit:?}")]
    Timeout {
        /// What was asked for.
        url: Url,
        /// The time it had.
        limit: Duration,
    },
    /// The connection broke, or the answer makes no sense.
    #[error("the answer of `{url}` is broken: {reason}")]
    Broken {
        /// What was asked for.
        url: Url,
        /// Where it broke.
        reason: String,
    },
    /// Any 5xx but 503.
    #[error("`{url}` answered {status}")]
    Server {
        /// What was asked for.
        url: Url,
        /// The status.
        status: u16,
    },
    /// 429 or 503: not now.
    #[error("`{url}` answered {status}, come back later")]
    Busy {
        /// What was asked for.
        url: Url,
        /// The status.
        status: u16,
        /// What `Retry-After` asks for, from now.
        retry_after: Option<Duration>,
    },
    /// Past the size limit, content encoding undone.
    #[error("`{url}` is larger than {limit} bytes; raise `crawler.max_page_bytes` to take such pages")]
    TooLarge {
        /// What was asked for.
        url: Url,
        /// The limit.
        limit: u64,
    },
    /// Our own mistake, caught at the border of one fetch.
    #[error("the work on `{url}` panicked: {reason}")]
    Panicked {
        /// What was asked for.
        url: Url,
        /// The panic's words.
        reason: String,
    },
}

/// How often a URL is tried, and after which waits.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// First wait after a failure; doubles with each attempt.
    pub first: Duration,
    /// Attempts before a URL is given up; 0 is taken as 1.
    pub attempts: u32,
}

/// Which try this was.
#[derive(Clone, Copy, Debug)]
pub struct Attempt {
    /// 1 for the first that counts.
    pub counted: u32,
    /// Number of the claim, those that do not count included.
    pub claim: u64,
}

/// What becomes of a URL whose fetch failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Back to the frontier.
    Retry {
        /// Not before this time from now.
        after: Duration,
        /// Whether the attempt counts.
        counts: bool,
        /// Whether the whole site rests as long.
        rest_site: bool,
    },
    /// Given up.
    End(Outcome),
}

impl FetchError {
    /// Retry or end: the one place that decides.
    #[must_use]
    pub fn fate(&self, attempt: Attempt, policy: Policy) -> Fate {
        let again = |first: Duration, rest_site: bool, end: Outcome| {
            if attempt.counted >= policy.attempts {
                Fate::End(end)
            } else {
                Fate::Retry { after: doubled(first, attempt.counted), counts: true, rest_site }
            }
        };
        match self {
            FetchError::PrivateAddress(_) => Fate::End(Outcome::PrivateAddress),
            FetchError::TooLarge { .. } => Fate::End(Outcome::TooLarge),
            // A site has many hosts: one that is gone must not stop the others. It is not asked in vain
            // again and again, since its robots.txt is asked first and remembered as unreachable.
            FetchError::Connect { .. } => again(policy.first, false, Outcome::Unreachable),
            FetchError::Timeout { .. } => again(policy.first, false, Outcome::Timeout),
            FetchError::Broken { .. } | FetchError::Panicked { .. } => {
                again(policy.first, false, Outcome::Unreachable)
            }
            FetchError::Server { .. } => again(policy.first, false, Outcome::ServerError),
            FetchError::Busy { retry_after: None, .. } => again(BUSY_WAIT, true, Outcome::ServerError),
            FetchError::Busy { retry_after: Some(wait), .. } => {
                let after = (*wait).clamp(Duration::from_secs(1), LONGEST_WAIT);
                let counts = attempt.claim.is_multiple_of(COUNTED_EVERY);
                if counts && attempt.counted >= policy.attempts {
                    Fate::End(Outcome::ServerError)
                } else {
                    Fate::Retry { after, counts, rest_site: true }
                }
            }
        }
    }
}

/// `first`, doubled with each attempt after the first, at most a day.
#[must_use]
pub fn doubled(first: Duration, attempt: u32) -> Duration {
    let factor = 1_u32.checked_shl(attempt.saturating_sub(1)).unwrap_or(u32::MAX);
    first.saturating_mul(factor).min(LONGEST_WAIT)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const POLICY_OF_4: Policy = Policy { first: Duration::from_secs(2), attempts: 4 };

    fn url() -> Url {
        Url::parse("http://a.test/").unwrap()
    }

    fn busy(seconds: Option<u64>) -> FetchError {
        FetchError::Busy { url: url(), status: 503, retry_after: seconds.map(Duration::from_secs) }
    }

    fn connect() -> FetchError {
        newslode_common::tls::ready();
        let source = reqwest::Client::new().get("no-url").build().unwrap_err();
        FetchError::Connect { host: "a.test".into(), source }
    }

    fn retry(seconds: u64, counts: bool, rest_site: bool) -> Fate {
        Fate::Retry { after: Duration::from_secs(seconds), counts, rest_site }
    }

    #[test]
    fn each_error_has_its_fate_at_first_and_at_last() {
        let timeout = FetchError::Timeout { url: url(), limit: Duration::from_secs(1) };
        let broken = FetchError::Broken { url: url(), reason: "cut".into() };
        let panicked = FetchError::Panicked { url: url(), reason: "oh".into() };
        let server = FetchError::Server { url: url(), status: 500 };
        let large = FetchError::TooLarge { url: url(), limit: 1 };
        let private = FetchError::PrivateAddress(PrivateAddress { host: "a.test".into() });
        for (error, third, last) in [
            (private, Fate::End(Outcome::PrivateAddress), Outcome::PrivateAddress),
            (large, Fate::End(Outcome::TooLarge), Outcome::TooLarge),
            (connect(), retry(8, true, false), Outcome::Unreachable),
            (timeout, retry(8, true, false), Outcome::Timeout),
            (broken, retry(8, true, false), Outcome::Unreachable),
            (panicked, retry(8, true, false), Outcome::Unreachable),
            (server, retry(8, true, false), Outcome::ServerError),
            (busy(None), retry(240, true, true), Outcome::ServerError),
        ] {
            assert_eq!(error.fate(Attempt { counted: 3, claim: 3 }, POLICY_OF_4), third, "{error}");
            assert_eq!(error.fate(Attempt { counted: 4, claim: 4 }, POLICY_OF_4), Fate::End(last), "{error}");
        }
    }

    #[test]
    fn what_retry_after_asks_for_is_no_attempt() {
        let fate = |seconds, claim| busy(Some(seconds)).fate(Attempt { counted: 4, claim }, POLICY_OF_4);
        assert_eq!(fate(7, 1), retry(7, false, true));
        assert_eq!(fate(0, 1), retry(1, false, true), "at least a second");
        assert_eq!(fate(1 << 40, 1), retry(86_400, false, true), "at most a day");
        assert_eq!(fate(7, 8), Fate::End(Outcome::ServerError), "not for ever");
    }

    proptest! {
        #[test]
        fn waits_grow_up_to_a_day(first in 0_u64..10_000_000, attempt in 0_u32..200) {
            let first = Duration::from_millis(first);
            let (one, next) = (doubled(first, attempt), doubled(first, attempt + 1));
            prop_assert!(one <= next && next <= LONGEST_WAIT);
        }

        #[test]
        fn every_url_ends(claims in proptest::collection::vec(any::<bool>(), 64)) {
            // Whatever mixture of failures a server answers with, a few dozen claims are enough.
            let mut counted = 0;
            let ended = claims.iter().enumerate().any(|(number, with_header)| {
                let error = if *with_header { busy(Some(1)) } else { busy(None) };
                let attempt = Attempt { counted: counted + 1, claim: number as u64 + 1 };
                match error.fate(attempt, POLICY_OF_4) {
                    Fate::End(_) => true,
                    Fate::Retry { counts, .. } => { counted += u32::from(counts); false }
                }
            });
            prop_assert!(ended);
        }
    }
}
