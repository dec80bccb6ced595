//! Failures of a fetch, and what they mean.
//!
//! Expected answers (gone, refused, unchanged, not HTML) are values of `fetch::Answer`. A [`FetchError`] is a failure
//! that may pass, or an answer that we will not take. Only [`FetchError::meaning`] decides what follows: which outcome,
//! and whether the page or its whole site is concerned. `visit::trouble` carries it out.

use std::error::Error as _;
use std::time::Duration;

use newslode_common::outcome::Outcome;
use newslode_common::schedule::Trouble;
use newslode_common::schedule::outcome::Target;
use url::Url;

use crate::tls;

/// Longest wait at a server's request.
pub const LONGEST_WAIT: Duration = Duration::from_secs(86_400);

/// The error for a host that leads only to reserved addresses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{host}` resolves to a private or reserved address; `crawler.allow_private` allows such addresses")]
pub struct PrivateAddress {
    /// The host's name, or the address itself.
    pub host: String,
}

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
    /// TLS failed, so nothing was sent.
    #[error("cannot connect to `{host}` safely: {} ({reason})", .cause.meaning())]
    Tls {
        /// Host of the URL.
        host: String,
        /// The outcome that names the cause.
        cause: Outcome,
        /// The error of the TLS library.
        reason: String,
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

/// What an error means for the page, and for its site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// An answer that is not taken. Asking again soon would bring the same one.
    NotTaken(Outcome),
    /// The server, or the way to it, failed. That may pass.
    Fails(Outcome),
    /// The server asks us to come back later.
    Busy {
        /// How the visit ends.
        outcome: Outcome,
        /// The site's trouble.
        trouble: Trouble,
        /// The wait that `Retry-After` asks for.
        retry_after: Option<Duration>,
    },
    /// A bug of ours. It says nothing of the site.
    OurBug(Outcome),
}

impl Meaning {
    /// How a visit ends that failed so.
    #[must_use]
    pub fn outcome(self) -> Outcome {
        match self {
            Meaning::NotTaken(outcome) | Meaning::Fails(outcome) | Meaning::OurBug(outcome) => outcome,
            Meaning::Busy { outcome, .. } => outcome,
        }
    }
}

impl FetchError {
    /// The failure that an error of the HTTP client means.
    pub(crate) fn of_client(url: &Url, error: reqwest::Error) -> FetchError {
        let mut source = error.source();
        while let Some(cause) = source {
            if let Some(private) = cause.downcast_ref::<PrivateAddress>() {
                return FetchError::PrivateAddress(private.clone());
            }
            source = cause.source();
        }
        let host = url.host_str().unwrap_or_default().to_owned();
        if let Some(cause) = tls::outcome_of(&error) {
            return FetchError::Tls { host, cause, reason: with_causes(&error.without_url()) };
        }
        if error.is_connect() {
            return FetchError::Connect { host, source: error.without_url() };
        }
        FetchError::Broken { url: url.clone(), reason: with_causes(&error.without_url()) }
    }

    /// Whether nothing answered at all: no address for the name, no host, or nothing in time. A machine that refuses the connection
    /// has answered. Without a network, some systems say that a name is not known, so that counts as no answer.
    #[must_use]
    pub fn is_without_answer(&self) -> bool {
        match self {
            FetchError::Connect { source, .. } => !is_refusal(source),
            FetchError::Timeout { .. } => true,
            FetchError::PrivateAddress(_)
            | FetchError::Tls { .. }
            | FetchError::Broken { .. }
            | FetchError::Server { .. }
            | FetchError::Busy { .. }
            | FetchError::TooLarge { .. }
            | FetchError::Panicked { .. } => false,
        }
    }

    /// What the error leads to. No other code decides that.
    #[must_use]
    pub fn meaning(&self, target: Target) -> Meaning {
        match self {
            FetchError::PrivateAddress(_) => Meaning::NotTaken(Outcome::PrivateAddress),
            FetchError::TooLarge { .. } => Meaning::NotTaken(Outcome::TooLarge),
            FetchError::Connect { .. } | FetchError::Broken { .. } => Meaning::Fails(Outcome::Unreachable),
            FetchError::Tls { cause, .. } => Meaning::Fails(*cause),
            FetchError::Timeout { .. } => Meaning::Fails(Outcome::Timeout),
            FetchError::Server { .. } => Meaning::Fails(Outcome::ServerError),
            FetchError::Panicked { .. } => Meaning::OurBug(Outcome::Unreachable),
            // Where sites are visited again and again, 429 is a block. A page that is due once is only late.
            FetchError::Busy { status: 429, retry_after, .. } if target != Target::Once => {
                let wish = retry_after.map(|wait| wait.as_secs().max(1));
                let (outcome, trouble) = (Outcome::Refused, Trouble::Blocked(wish));
                Meaning::Busy { outcome, trouble, retry_after: *retry_after }
            }
            FetchError::Busy { retry_after, .. } => {
                let (outcome, trouble) = (Outcome::ServerError, Trouble::Failing);
                Meaning::Busy { outcome, trouble, retry_after: *retry_after }
            }
        }
    }

    /// What the error leads to if robots.txt could not be read because of it.
    #[must_use]
    pub fn robots_meaning(&self, target: Target) -> Meaning {
        let outcome = Outcome::RobotsUnreachable;
        match self.meaning(target) {
            // It concerns all of the host, and people must know the cause.
            Meaning::Fails(cause) if cause.is_tls() => Meaning::Fails(cause),
            Meaning::NotTaken(Outcome::PrivateAddress) => Meaning::NotTaken(Outcome::PrivateAddress),
            Meaning::NotTaken(_) | Meaning::Fails(_) | Meaning::OurBug(_) => Meaning::Fails(outcome),
            Meaning::Busy { retry_after, .. } => {
                Meaning::Busy { outcome, trouble: Trouble::RobotsUnreachable, retry_after }
            }
        }
    }

    /// How long robots.txt is not asked for again after this error, `retry` at least.
    #[must_use]
    pub fn robots_wait(&self, retry: Duration) -> Duration {
        match self {
            FetchError::Busy { retry_after, .. } => {
                retry_after.map_or(retry, |wait| wait.min(LONGEST_WAIT).max(retry))
            }
            FetchError::PrivateAddress(_)
            | FetchError::Connect { .. }
            | FetchError::Tls { .. }
            | FetchError::Timeout { .. }
            | FetchError::Broken { .. }
            | FetchError::Server { .. }
            | FetchError::TooLarge { .. }
            | FetchError::Panicked { .. } => retry,
        }
    }
}

/// Whether an error of a connection is an answer: it was refused.
fn is_refusal(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let io = error.downcast_ref::<std::io::Error>();
        if io.is_some_and(|io| io.kind() == std::io::ErrorKind::ConnectionRefused) {
            return true;
        }
        cause = error.source();
    }
    false
}

/// An error and its causes in one line.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGETS: [Target; 3] = [Target::Listing, Target::Article, Target::Once];

    fn url() -> Url {
        Url::parse("http://a.test/").unwrap()
    }

    fn busy(status: u16, retry_after: Option<Duration>) -> FetchError {
        FetchError::Busy { url: url(), status, retry_after }
    }

    fn connect() -> FetchError {
        newslode_common::tls::ready();
        let source = reqwest::Client::new().get("no-url").build().unwrap_err();
        FetchError::Connect { host: "a.test".into(), source }
    }

    fn private() -> FetchError {
        FetchError::PrivateAddress(PrivateAddress { host: "a.test".into() })
    }

    fn tls() -> FetchError {
        FetchError::Tls { host: "a.test".into(), cause: Outcome::TlsExpired, reason: "expired".into() }
    }

    /// All errors but those of busy servers.
    fn errors() -> [(FetchError, Meaning); 8] {
        let unreachable = Meaning::Fails(Outcome::Unreachable);
        [
            (private(), Meaning::NotTaken(Outcome::PrivateAddress)),
            (FetchError::TooLarge { url: url(), limit: 1 }, Meaning::NotTaken(Outcome::TooLarge)),
            (connect(), unreachable),
            (tls(), Meaning::Fails(Outcome::TlsExpired)),
            (FetchError::Broken { url: url(), reason: "cut".into() }, unreachable),
            (
                FetchError::Timeout { url: url(), limit: Duration::from_secs(1) },
                Meaning::Fails(Outcome::Timeout),
            ),
            (FetchError::Server { url: url(), status: 500 }, Meaning::Fails(Outcome::ServerError)),
            (FetchError::Panicked { url: url(), reason: "oh".into() }, Meaning::OurBug(Outcome::Unreachable)),
        ]
    }

    #[test]
    fn each_error_has_its_meaning_whatever_the_page_is() {
        for target in TARGETS {
            for (error, meaning) in errors() {
                assert_eq!(error.meaning(target), meaning, "{error}");
            }
        }
    }

    #[test]
    fn a_busy_server_blocks_who_comes_again_and_again_and_delays_a_page_that_is_due_once() {
        let wait = Some(Duration::from_millis(7_900));
        let means = |status, retry_after, target| busy(status, retry_after).meaning(target);
        let meaning = |outcome, trouble, retry_after| Meaning::Busy { outcome, trouble, retry_after };
        let fails = |retry_after| meaning(Outcome::ServerError, Trouble::Failing, retry_after);
        for target in [Target::Listing, Target::Article] {
            let blocked = |wish, retry_after| meaning(Outcome::Refused, Trouble::Blocked(wish), retry_after);
            assert_eq!(means(429, wait, target), blocked(Some(7), wait));
            assert_eq!(means(429, None, target), blocked(None, None));
            assert_eq!(means(503, wait, target), fails(wait));
        }
        for status in [429, 503] {
            assert_eq!(means(status, wait, Target::Once), fails(wait));
            assert_eq!(means(status, None, Target::Once), fails(None));
        }
    }

    #[test]
    fn a_robots_txt_that_cannot_be_read_is_unreachable_unless_its_address_is_private_or_tls_fails() {
        for target in TARGETS {
            for (error, meaning) in errors() {
                let wanted = match meaning {
                    Meaning::NotTaken(Outcome::PrivateAddress) | Meaning::Fails(Outcome::TlsExpired) => {
                        meaning
                    }
                    _ => Meaning::Fails(Outcome::RobotsUnreachable),
                };
                assert_eq!(error.robots_meaning(target), wanted, "{error}");
            }
            for status in [429, 503] {
                let wait = Some(Duration::from_secs(7));
                let (outcome, trouble) = (Outcome::RobotsUnreachable, Trouble::RobotsUnreachable);
                let wanted = Meaning::Busy { outcome, trouble, retry_after: wait };
                assert_eq!(busy(status, wait).robots_meaning(target), wanted);
            }
        }
    }

    #[test]
    fn a_robots_txt_is_asked_for_again_after_the_retry_wait_or_as_late_as_the_server_asks() {
        let retry = Duration::from_secs(2);
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        for (error, _) in errors() {
            assert_eq!(error.robots_wait(retry), retry, "{error}");
        }
        assert_eq!(busy(503, None).robots_wait(retry), retry);
        assert_eq!(busy(503, seconds(1)).robots_wait(retry), retry);
        assert_eq!(busy(429, seconds(60)).robots_wait(retry), Duration::from_secs(60));
        assert_eq!(busy(429, seconds(1 << 40)).robots_wait(retry), LONGEST_WAIT);
    }
}
