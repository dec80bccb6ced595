//! Operators' messages: JSON on the seeds queue, so that any AMQP client can send one.
//!
//! Each message is one object with `"version": 1` and exactly one of `url` (add a site or change its limits;
//! a paused site goes on), `remove`, `pause` and `forget` (one page). Unknown keys are refused by name. A message that cannot be
//! taken becomes a dead letter with its reason. The JSON Schema is `docs/schema/seed.json`; a test compares
//! it with these types.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

/// Version of the seed messages that this build reads.
pub const VERSION: u32 = 1;

/// Largest limits of a site that anything takes: seed messages, the command line, the console and the configuration.
pub const MOST_PAGES: u64 = 1_000_000_000;
/// See [`MOST_PAGES`].
pub const MOST_DEPTH: u32 = 10_000;
/// A day in milliseconds. See [`MOST_PAGES`].
pub const LONGEST_DELAY_MS: u64 = 86_400_000;

/// Checks the limits of a site, those that are given.
///
/// # Errors
/// When one admits nothing, or is so large that it must be a mistake and sums with it could overflow.
pub fn check_limits(
    max_pages: Option<u64>,
    max_depth: Option<u32>,
    delay_ms: Option<u64>,
) -> Result<(), SeedError> {
    if max_pages == Some(0) {
        return Err(SeedError::Zero("max_pages"));
    }
    let limits = [
        ("max_pages", max_pages, MOST_PAGES),
        ("max_depth", max_depth.map(u64::from), u64::from(MOST_DEPTH)),
        ("delay_ms", delay_ms, LONGEST_DELAY_MS),
    ];
    match limits.into_iter().find(|(_, given, most)| given.is_some_and(|given| given > *most)) {
        Some((key, _, most)) => Err(SeedError::TooLarge(key, most)),
        None => Ok(()),
    }
}

/// A seed message in its JSON form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SeedMessage {
    /// Always 1.
    pub version: u32,
    /// Adds this site (its registrable domain), starting from this page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Forgets the site of this URL: its frontier, its counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remove: Option<String>,
    /// Stops fetching from the site of this URL until it is added again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause: Option<String>,
    /// Forgets the page at this URL: its record, its counts, its archived copies. If a listing shows it again, it is
    /// fetched again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forget: Option<String>,
    /// Maximum number of pages to fetch from the site; the service's default if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub max_pages: Option<u64>,
    /// Maximum number of links from the seed to a page; the service's default if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 10_000))]
    pub max_depth: Option<u32>,
    /// Minimum milliseconds between the starts of two requests to the site; the service's default if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 86_400_000))]
    pub delay_ms: Option<u64>,
    /// Your own marks, stored with the site.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
}

/// An operator's request, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeedCommand {
    /// Add or change a site.
    Add {
        /// Where to start.
        url: Url,
        /// Page budget; `None`: the service's default.
        max_pages: Option<u64>,
        /// Largest number of links away from the seed.
        max_depth: Option<u32>,
        /// Shortest time between the starts of two requests, in milliseconds.
        delay_ms: Option<u64>,
        /// The operator's own marks.
        labels: BTreeMap<String, String>,
    },
    /// Forget a site.
    Remove(Url),
    /// Stop fetching from a site.
    Pause(Url),
    /// Forget a page.
    Forget(Url),
}

/// Why a seed message is refused.
#[derive(Debug, thiserror::Error)]
pub enum SeedError {
    /// Not JSON, or not of this shape (the message names the key).
    #[error("not a seed message: {0}")]
    Malformed(#[from] serde_json::Error),
    /// A version that this build does not read.
    #[error("seed message version {0}, this build reads version {VERSION}")]
    Version(u32),
    /// None, or several, of `url`, `remove`, `pause`, `forget`.
    #[error("a seed message has exactly one of `url`, `remove`, `pause` and `forget`, this one has {0}")]
    Command(usize),
    /// Not an http(s) URL with a host.
    #[error("`{0}` is not an http or https URL")]
    NotAUrl(String),
    /// A limit that would admit nothing.
    #[error("`{0}` must be at least 1")]
    Zero(&'static str),
    /// A limit that must be a mistake.
    #[error("`{0}` must be at most {1}")]
    TooLarge(&'static str, u64),
}

impl SeedMessage {
    /// Reads and checks the JSON of a message.
    ///
    /// # Errors
    /// Says what is wrong and names the key.
    pub fn parse(json: &[u8]) -> Result<SeedCommand, SeedError> {
        serde_json::from_slice::<SeedMessage>(json)?.command()
    }

    /// Checks a message.
    ///
    /// # Errors
    /// As [`SeedMessage::parse`].
    pub fn command(self) -> Result<SeedCommand, SeedError> {
        let message = self;
        if message.version != VERSION {
            return Err(SeedError::Version(message.version));
        }
        let commands = [&message.url, &message.remove, &message.pause, &message.forget];
        let given = commands.into_iter().flatten().count();
        if given != 1 {
            return Err(SeedError::Command(given));
        }
        check_limits(message.max_pages, message.max_depth, message.delay_ms)?;
        if let Some(url) = &message.remove {
            return Ok(SeedCommand::Remove(web_url(url)?));
        }
        if let Some(url) = &message.pause {
            return Ok(SeedCommand::Pause(web_url(url)?));
        }
        if let Some(url) = &message.forget {
            return Ok(SeedCommand::Forget(web_url(url)?));
        }
        let SeedMessage { url, max_pages, max_depth, delay_ms, labels, .. } = message;
        let url = web_url(url.as_deref().unwrap_or_default())?;
        Ok(SeedCommand::Add { url, max_pages, max_depth, delay_ms, labels })
    }
}

/// Parses an http(s) URL with a host, as people type it.
///
/// # Errors
/// When it is anything else.
pub fn web_url(text: &str) -> Result<Url, SeedError> {
    let wrong = || SeedError::NotAUrl(text.chars().take(200).collect());
    let url = Url::parse(text.trim()).map_err(|_| wrong())?;
    if matches!(url.scheme(), "http" | "https") && url.has_host() { Ok(url) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(json: &str, wanted: &str) {
        let error = SeedMessage::parse(json.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(wanted), "`{error}` does not name `{wanted}`");
    }

    #[test]
    fn a_seed_is_read_with_its_limits() {
        let json = br#"{"version":1,"url":"https://a.test/news","max_pages":9,"labels":{"desk":"eu"}}"#;
        let SeedCommand::Add { url, max_pages, labels, .. } = SeedMessage::parse(json).unwrap() else {
            unreachable!("it is an addition")
        };
        assert_eq!((url.as_str(), max_pages), ("https://a.test/news", Some(9)));
        assert_eq!(labels["desk"], "eu");
    }

    #[test]
    fn what_is_wrong_is_named() {
        refused("{", "not a seed message");
        refused(r#"{"version":1,"url":"https://a.test","max_page":3}"#, "max_page");
        refused(r#"{"version":2,"url":"https://a.test"}"#, "version 2");
        refused(r#"{"version":1}"#, "this one has 0");
        refused(r#"{"version":1,"url":"https://a.test","pause":"https://a.test"}"#, "this one has 2");
        refused(r#"{"version":1,"url":"ftp://a.test"}"#, "ftp://a.test");
        refused(r#"{"version":1,"url":"https://a.test","max_pages":0}"#, "max_pages");
        for (key, most) in
            [("max_pages", MOST_PAGES), ("max_depth", MOST_DEPTH.into()), ("delay_ms", LONGEST_DELAY_MS)]
        {
            let json = |value: u64| format!(r#"{{"version":1,"url":"https://a.test","{key}":{value}}}"#);
            refused(&json(most + 1), key);
            assert!(SeedMessage::parse(json(most).as_bytes()).is_ok(), "{key}");
        }
        refused(r#"{"version":1,"url":"https://a.test","delay_ms":18446744073709551615}"#, "delay_ms");
    }

    #[test]
    fn the_checked_in_schema_is_that_of_the_types() {
        let schema = serde_json::to_string_pretty(&schemars::schema_for!(SeedMessage)).unwrap() + "\n";
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/schema/seed.json");
        if std::env::var_os("NEWSLODE_UPDATE_GOLDEN").is_some() {
            std::fs::write(file, &schema).unwrap();
        }
        let kept = std::fs::read_to_string(file).unwrap_or_default();
        assert_eq!(
            kept, schema,
            "docs/schema/seed.json is stale: run the tests with NEWSLODE_UPDATE_GOLDEN=1"
        );
    }
}
