//! How a claimed URL ends: with exactly one outcome, counted once in one metric.
//!
//! Expected outcomes (gone, disallowed, unchanged) are values, not errors. A page that is due once and will be tried again
//! has no outcome yet.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! outcomes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// The end of a URL's claim. The name is the metric's label, stable across versions.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Outcome { $($(#[$doc])* $variant,)* }

        impl Outcome {
            /// All outcomes, so that every counter exists from the start.
            pub const ALL: &'static [Outcome] = &[$(Outcome::$variant,)*];

            /// The metric's label.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Outcome::$variant => $name,)* }
            }
        }
    };
}

outcomes! {
    /// A page was fetched and published.
    Fetched = "fetched",
    /// The server said 304, or the same bytes came again.
    Unchanged = "unchanged",
    /// The server pointed elsewhere. The target is in the frontier.
    Redirected = "redirected",
    /// More redirects in a row than the limit, or a redirect out of the site.
    RedirectLoop = "redirect_loop",
    /// robots.txt disallows it.
    Disallowed = "disallowed",
    /// robots.txt could not be read (5xx or no answer): the whole host is disallowed until it can be.
    RobotsUnreachable = "robots_unreachable",
    /// 404 or 410.
    Gone = "gone",
    /// Any other 4xx. A 429 only where the news is followed.
    Refused = "refused",
    /// 5xx. Of a page that is due once: after all attempts, also a 429 that never ended.
    ServerError = "server_error",
    /// The body is not HTML, or a redirect leads to what is no web page.
    NotHtml = "not_html",
    /// An HTML page without a byte of content, or with nothing but what several other addresses of its site show: a
    /// consent wall, a login, a bot check.
    Empty = "empty",
    /// Larger than the limit, on the wire or decompressed.
    TooLarge = "too_large",
    /// No connection, no address for the name, or a broken answer.
    Unreachable = "unreachable",
    /// No answer within the time limit.
    Timeout = "timeout",
    /// The host leads to a private, loopback or otherwise reserved address.
    PrivateAddress = "private_address",
    /// The page, or its header, asks not to be indexed. It is not mined; what a listing shows is followed.
    Noindex = "noindex",
    // New outcomes go to the end: records of visits hold places of this list.
    /// The server's certificate has expired.
    TlsExpired = "tls_expired",
    /// The server's certificate is of another host.
    TlsWrongHost = "tls_wrong_host",
    /// No authority that this machine knows vouches for the server's certificate.
    TlsUnknownIssuer = "tls_unknown_issuer",
    /// The server's certificate vouches for itself.
    TlsSelfSigned = "tls_self_signed",
    /// The server knows no version of TLS, or no way to encrypt, that the crawler knows.
    TlsNoCommonProtocol = "tls_no_common_protocol",
    /// TLS failed in another way: a certificate that is broken, revoked or not valid yet, or a server that speaks no TLS.
    TlsFailed = "tls_failed",
}

impl Outcome {
    /// What it means, for people.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Outcome::Fetched => "a page was read",
            Outcome::Unchanged => "the same page as before",
            Outcome::Redirected => "the server points elsewhere",
            Outcome::RedirectLoop => "it points elsewhere too often",
            Outcome::Disallowed => "robots.txt forbids it",
            Outcome::RobotsUnreachable => "robots.txt cannot be read, so nothing is asked for",
            Outcome::Gone => "there is no such page (404 or 410)",
            Outcome::Refused => "the server refuses it (another 4xx)",
            Outcome::ServerError => "the server fails (5xx)",
            Outcome::NotHtml => "it is no HTML page",
            Outcome::Empty => "it is empty, or shows what other addresses show",
            Outcome::TooLarge => "it is larger than the limit",
            Outcome::Unreachable => "no connection, or a broken answer",
            Outcome::Timeout => "no answer in time",
            Outcome::PrivateAddress => "its host leads to a private address",
            Outcome::Noindex => "the page asks not to be indexed",
            Outcome::TlsExpired => "the server's certificate has expired",
            Outcome::TlsWrongHost => "the server's certificate is of another host",
            Outcome::TlsUnknownIssuer => "the server's certificate is of an unknown authority",
            Outcome::TlsSelfSigned => "the server's certificate is self-signed",
            Outcome::TlsNoCommonProtocol => "the server and the crawler share no version of TLS or cipher",
            Outcome::TlsFailed => "TLS fails: the server's certificate is unusable, or it speaks no TLS",
        }
    }

    /// Whether TLS failed.
    #[must_use]
    pub fn is_tls(self) -> bool {
        matches!(
            self,
            Outcome::TlsExpired
                | Outcome::TlsWrongHost
                | Outcome::TlsUnknownIssuer
                | Outcome::TlsSelfSigned
                | Outcome::TlsNoCommonProtocol
                | Outcome::TlsFailed
        )
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_serialised_form_and_unique() {
        let mut names: Vec<_> = Outcome::ALL.iter().map(|o| o.name()).collect();
        for outcome in Outcome::ALL {
            assert_eq!(serde_json::to_value(outcome).unwrap(), outcome.name());
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Outcome::ALL.len());
    }
}
