//! Failures of a fetch, and their consequences for the URL.
//!
//! Expected answers (gone, refused, unchanged, not HTML) are values of [`Answer`](crate::fetch::Answer). A
//! [`FetchError`] is a failure that may pass, or an answer that we will not take. Only [`FetchError::fate`]
//! decides: try again (when, whether it counts, whether the whole site rests), or end with an outcome. Start
//! there.

use std::time::Duration;

use newslode_common::outcome::Outcome;
use url::Url;

use crate::guard::PrivateAddress;

/// Longest wait, between attempts or at a server's request.
pub const LONGEST_WAIT: Duration = Duration::from_secs(86_400);

/// First wait after a 429 or 503 without `Retry-After`.
const BUSY_WAIT: Duration = Duration::from_secs(60);

/// An answer with `Retry-After` does not count as an attempt. But one in this many such answers does, so that
/// each URL ends.
const COUNTED_EVERY: u64 = 8;

/// A fetch without a usable answer.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The host leads to an address that we may not connect to.
    #[error(transparent)]
    PrivateAddress(#[from] PrivateAddress),
    /// No name, no route, no connection, no TLS.
    #[error("cannot connect to `{host}`")]
    Connect {
        /// Host of the URL.
        host: String,
        /// The client's error.
        source: reqwest::Error,
    },
    /// No complete answer in time.
    #[error("`{url}` did not answer within {limit:?}")]
    Timeout {
        /// The URL.
        url: Url,
        /// The time limit.
        limit: Duration,
    },
    /// The connection broke, or the answer is malformed.
    #[error("the answer of `{url}` is broken: {reason}")]
    Broken {
        /// The URL.
        url: Url,
        /// What broke.
        reason: String,
    },
    /// Any 5xx except 503.
    #[error("`{url}` answered {status}")]
    Server {
        /// The URL.
        url: Url,
        /// The status.
        status: u16,
    },
    /// 429 or 503: the server asks us to come back later.
    #[error("`{url}` answered {status}, come back later")]
    Busy {
        /// The URL.
        url: Url,
        /// The status.
        status: u16,
        /// The wait that `Retry-After` asks for, from now.
        retry_after: Option<Duration>,
    },
    /// The page exceeds the size limit, after decoding the content encoding.
    #[error("`{url}` is larger than {limit} bytes; raise `crawler.max_page_bytes` to take such pages")]
    TooLarge {
        /// The URL.
        url: Url,
        /// The limit, in bytes.
        limit: u64,
    },
    /// A bug of ours, caught around one fetch.
    #[error("the work on `{url}` panicked: {reason}")]
    Panicked {
        /// The URL.
        url: Url,
        /// The panic's message.
        reason: String,
    },
}

/// How often to try a URL, and how long to wait between.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// First wait after a failure; doubles with each attempt.
    pub first: Duration,
    /// Attempts before a URL is given up; 0 is taken as 1.
    pub attempts: u32,
}

/// The number of a try.
#[derive(Clone, Copy, Debug)]
pub struct Attempt {
    /// Number of attempts that count, this one included.
    pub counted: u32,
    /// Number of the claim, including those that do not count.
    pub claim: u64,
}

/// The consequence of a failed fetch for its URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The URL goes back to the frontier.
    Retry {
        /// Shortest wait from now.
        after: Duration,
        /// Whether the attempt counts.
        counts: bool,
        /// Whether the whole site rests for the same time.
        rest_site: bool,
    },
    /// The URL is given up.
    End(Outcome),
}

impl FetchError {
    /// Decides between retry and end. No other code does.
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
            // A site has many hosts: one that is gone must not stop the others. It is not asked in vain again
            // and again, since its robots.txt is asked first and remembered as unreachable.
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
