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
