//! Lists seeds that could not be fetched, with reasons and hints.
//!
//! A redirected seed is not among them, because its target becomes a seed, too. The crawler's log says why
//! exactly a server could not be reached. Start at [`unfetched_seeds`].

use newslode_common::outcome::Outcome;
use newslode_common::store::{Frontier, SiteStatus, Why};
use newslode_page::reading::CanonicalUrl;
use serde::Serialize;

/// A seed that gave no page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Unfetched {
    pub(crate) url: CanonicalUrl,
    pub(crate) outcome: Outcome,
    /// The outcome in words.
    pub(crate) reason: &'static str,
    /// What a person can do.
    pub(crate) hint: Option<&'static str>,
}

/// Finds the seeds that gave no page. Seeds still under way are not among them.
///
/// # Errors
/// When the store fails.
pub(crate) async fn unfetched_seeds(
    frontier: &dyn Frontier,
    sites: &[SiteStatus],
) -> anyhow::Result<Vec<Unfetched>> {
    let mut found = Vec::new();
    for site in sites {
        let entries = frontier.entries(&site.site).await?;
        found.extend(entries.into_iter().filter(|entry| entry.why == Why::Seed).filter_map(|entry| {
            let outcome = entry.outcome?;
            let (reason, hint) = reason_and_remedy(outcome)?;
            Some(Unfetched { url: entry.url, outcome, reason, hint })
        }));
    }
    Ok(found)
}

/// Reason and hint for an outcome. None if a page came or another URL took the seed's place.
fn reason_and_remedy(outcome: Outcome) -> Option<(&'static str, Option<&'static str>)> {
    Some(match outcome {
        Outcome::Fetched | Outcome::Unchanged | Outcome::Redirected => return None,
        Outcome::PrivateAddress => (
            "its host resolves to a private or reserved address",
            Some("--allow-private fetches from such addresses"),
        ),
        Outcome::RobotsUnreachable => (
            "its robots.txt cannot be read: the host is unknown, does not answer, or its server fails",
            Some(
                "check the spelling of the host and whether this machine can reach it, then run the command again later",
            ),
        ),
        Outcome::Disallowed => (
            "its robots.txt does not allow it",
            Some(
                "name another page of the site, or ask its owner; robots.txt rules are matched against `crawler.robots_token`",
            ),
        ),
        Outcome::RedirectLoop => {
            ("it redirects too often", Some("`crawler.max_redirects` limits the redirects in a row"))
        }
        Outcome::Gone => ("its server has no such page (404 or 410)", Some("check the spelling of the URL")),
        Outcome::Refused => {
            ("its server refuses the page (4xx)", Some("the site may reject crawlers or require a login"))
        }
        Outcome::ServerError => {
            ("its server fails (5xx, or too many requests)", Some("run the command again later"))
        }
        Outcome::Noindex => (
            "its page asks not to be indexed (`noindex`)",
            Some("`crawler.noindex = \"record\"` mines such pages, too"),
        ),
        Outcome::NotHtml => {
            ("it is not an HTML page", Some("name a page of the site, such as its front page"))
        }
        Outcome::Empty => ("its page is empty, or the same as at other addresses", None),
        Outcome::TooLarge => {
            ("its page is too large", Some("`crawler.max_page_bytes` limits the size of a page"))
        }
        Outcome::Unreachable => (
            "its server cannot be reached, or breaks off its response",
            Some("check whether this machine can reach it, then run the command again later"),
        ),
        Outcome::TlsExpired
        | Outcome::TlsWrongHost
        | Outcome::TlsUnknownIssuer
        | Outcome::TlsSelfSigned
        | Outcome::TlsNoCommonProtocol
        | Outcome::TlsFailed => (outcome.meaning(), Some(tls_remedy(outcome))),
        Outcome::Timeout => {
            ("its server does not answer in time", Some("`crawler.timeout_ms` limits the time per page"))
        }
    })
}

/// What a person can do if TLS fails.
fn tls_remedy(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::TlsUnknownIssuer => {
            "if its authority is your own, name the file of its certificate as `crawler.ca_file`; else its server may leave out a \
             certificate in between: tell its owner, or set `accept_invalid_certificate` for the site in `crawler.sites_file`"
        }
        Outcome::TlsWrongHost => {
            "name the host as its certificate does, often with or without `www.`; or set `accept_invalid_certificate` for the \
             site in `crawler.sites_file`"
        }
        Outcome::TlsNoCommonProtocol => {
            "the crawler speaks TLS 1.2 and 1.3; the site may be readable by http://, or through a proxy"
        }
        _ => {
            "tell its owner; check the clock of this machine; if you trust the way to it, set `accept_invalid_certificate` for the \
             site in `crawler.sites_file`"
        }
    }
}

/// Writes one line per seed.
pub(crate) fn seed_lines(seeds: &[Unfetched]) -> String {
    seeds.iter().map(|seed| format!("  {}: {}\n", seed.url, seed.reason)).collect()
}

/// Lists the hints without duplicates.
pub(crate) fn remedies(seeds: &[Unfetched]) -> String {
    let mut hints: Vec<&str> = Vec::new();
    for hint in seeds.iter().filter_map(|seed| seed.hint) {
        if !hints.contains(&hint) {
            hints.push(hint);
        }
    }
    hints.join("\n      ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seed(url: &str, outcome: Outcome) -> Unfetched {
        let (reason, hint) = reason_and_remedy(outcome).unwrap();
        Unfetched { url: url.parse().unwrap(), outcome, reason, hint }
    }

    #[test]
    fn every_outcome_without_a_page_is_explained() {
        for outcome in Outcome::ALL {
            let has_page = matches!(outcome, Outcome::Fetched | Outcome::Unchanged | Outcome::Redirected);
            assert_eq!(reason_and_remedy(*outcome).is_none(), has_page, "{outcome}");
        }
    }

    #[test]
    fn each_seed_has_its_line_and_each_hint_comes_once() {
        let seeds = [
            seed("http://127.0.0.1/", Outcome::PrivateAddress),
            seed("http://10.0.0.1/", Outcome::PrivateAddress),
            seed("http://a.test/", Outcome::Empty),
        ];
        assert_eq!(seed_lines(&seeds).lines().count(), 3);
        assert_eq!(remedies(&seeds), "--allow-private fetches from such addresses");
    }
}
