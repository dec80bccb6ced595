//! Operators' messages: JSON on the queues `seeds` and `removals`, so that any AMQP client can send one.
//!
//! Each message is one object with `"version": 1` and exactly one of `url` (add a site or change its limits;
//! a paused site goes on), `remove`, `pause` and `forget` (one page). Each belongs on [one of the queues](SeedCommand::queue).
//! Unknown keys are refused by name. A message that cannot be taken becomes a dead letter with its reason. The JSON Schema is `docs/schema/seed.json`; a test compares
//! it with these types.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::broker::Queue;
use crate::schedule::Days;

/// Version of the seed messages that this build reads.
pub const VERSION: u32 = 1;

/// Most bytes of a message.
pub const MAX_MESSAGE: usize = 64 << 10;
/// Longest delay between two requests to a site, in milliseconds: a day.
pub const MAX_DELAY_MS: u64 = 86_400_000;
/// Most pages to fetch from a site.
pub const MAX_PAGES: u64 = 1_000_000_000_000;
/// Most links from the seed to a page.
pub const MAX_DEPTH: u32 = 10_000;
/// Most labels of a site, and most bytes of their names and texts.
const MAX_LABELS: (usize, usize, usize) = (32, 64, 1 << 10);

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
    for (key, given, most) in [
        ("max_pages", max_pages, MAX_PAGES),
        ("max_depth", max_depth.map(u64::from), MAX_DEPTH.into()),
        ("delay_ms", delay_ms, MAX_DELAY_MS),
    ] {
        if let Some(found) = given.filter(|given| *given > most) {
            return Err(SeedError::TooLarge { key, found, most });
        }
    }
    Ok(())
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
    #[schemars(range(min = 1, max = 1_000_000_000_000_u64))]
    pub max_pages: Option<u64>,
    /// Maximum number of links from the seed to a page; the service's default if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 10_000))]
    pub max_depth: Option<u32>,
    /// Minimum milliseconds between the starts of two requests to the site, at most a day; the service's default if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 86_400_000))]
    pub delay_ms: Option<u64>,
    /// Your own marks, stored with the site: at most 32, with names of at most 64 and texts of at most 1,024 bytes, without
    /// control characters.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// First day of the site's past that is read besides its news, such as `2024-04-01` (UTC).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Last day of that past; the day on which the message is carried out if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// The days of its past that a seed asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeedPast {
    /// The first day, counted from 1970-01-01.
    pub first: u32,
    /// The last day; `None`: today.
    pub last: Option<u32>,
}

impl SeedPast {
    /// The days that have come; `None`: none of them has.
    #[must_use]
    pub fn days(self, today: u32) -> Option<Days> {
        Days { first: self.first, last: self.last.unwrap_or(today) }.and(Days { first: 0, last: today })
    }
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
        /// Days of its past that are read, too.
        past: Option<SeedPast>,
    },
    /// Forget a site.
    Remove(Url),
    /// Stop fetching from a site.
    Pause(Url),
    /// Forget a page.
    Forget(Url),
}

impl SeedCommand {
    /// The queue for this command. Removals have a queue of their own, so that a user who may add sites cannot delete what was mined.
    #[must_use]
    pub fn queue(&self) -> Queue {
        match self {
            SeedCommand::Add { .. } | SeedCommand::Pause(_) => Queue::Seeds,
            SeedCommand::Remove(_) | SeedCommand::Forget(_) => Queue::Removals,
        }
    }
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
    /// A number that nobody means.
    #[error("`{key}` is {found}; it must be at most {most}")]
    TooLarge {
        /// The key.
        key: &'static str,
        /// The number.
        found: u64,
        /// The limit.
        most: u64,
    },
    /// Days that are none, or in the wrong order.
    #[error("`since` and `until` must be days such as 2024-05-01, in this order; `until` needs `since`")]
    Days,
    /// A message that is longer than any with sensible labels.
    #[error("a seed message of {0} bytes is over the limit of {MAX_MESSAGE}")]
    TooLong(usize),
    /// Too many labels, or one that is too long or has control characters.
    #[error(
        "`labels` must be at most {}, with names of 1 to {} and texts of at most {} bytes, without control characters",
        MAX_LABELS.0, MAX_LABELS.1, MAX_LABELS.2
    )]
    Labels,
}

impl SeedMessage {
    /// Reads and checks the JSON of a message.
    ///
    /// # Errors
    /// Says what is wrong and names the key.
    pub fn parse(json: &[u8]) -> Result<SeedCommand, SeedError> {
        if json.len() > MAX_MESSAGE {
            return Err(SeedError::TooLong(json.len()));
        }
        serde_json::from_slice::<SeedMessage>(json)?.command()
    }

    /// The queue for this message.
    #[must_use]
    pub fn queue(&self) -> Queue {
        if self.remove.is_some() || self.forget.is_some() { Queue::Removals } else { Queue::Seeds }
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
        message.check_limits()?;
        if let Some(url) = &message.remove {
            return Ok(SeedCommand::Remove(web_url(url)?));
        }
        if let Some(url) = &message.pause {
            return Ok(SeedCommand::Pause(web_url(url)?));
        }
        if let Some(url) = &message.forget {
            return Ok(SeedCommand::Forget(web_url(url)?));
        }
        let past = message.past()?;
        let SeedMessage { url, max_pages, max_depth, delay_ms, labels, .. } = message;
        let url = web_url(url.as_deref().unwrap_or_default())?;
        Ok(SeedCommand::Add { url, max_pages, max_depth, delay_ms, labels, past })
    }

    fn past(&self) -> Result<Option<SeedPast>, SeedError> {
        let day = |text: &String| Days::parse_day(text).ok_or(SeedError::Days);
        let (since, until) =
            (self.since.as_ref().map(day).transpose()?, self.until.as_ref().map(day).transpose()?);
        match (since, until) {
            (None, None) => Ok(None),
            (Some(first), last) if last.is_none_or(|last| first <= last) => {
                Ok(Some(SeedPast { first, last }))
            }
            _ => Err(SeedError::Days),
        }
    }

    fn check_limits(&self) -> Result<(), SeedError> {
        check_limits(self.max_pages, self.max_depth, self.delay_ms)?;
        let (most, name_bytes, text_bytes) = MAX_LABELS;
        let is_label = |(name, text): (&String, &String)| {
            (1..=name_bytes).contains(&name.len())
                && text.len() <= text_bytes
                && !name.chars().chain(text.chars()).any(char::is_control)
        };
        match self.labels.len() <= most && self.labels.iter().all(is_label) {
            true => Ok(()),
            false => Err(SeedError::Labels),
        }
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
    }

    #[test]
    fn a_seed_may_ask_for_days_of_the_past() {
        let past = |days: &str| match SeedMessage::parse(
            format!(r#"{{"version":1,"url":"https://a.test"{days}}}"#).as_bytes(),
        ) {
            Ok(SeedCommand::Add { past, .. }) => Ok(past),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.to_string()),
        };
        let days = |days: &str| past(days).unwrap().and_then(|past| past.days(19_858));
        assert_eq!(days(""), None);
        assert_eq!(days(r#","since":"2024-04-01""#), Some(Days { first: 19_814, last: 19_858 }));
        let quarter = r#","since":"2024-04-01","until":"2024-06-30""#;
        assert_eq!(days(quarter), Some(Days { first: 19_814, last: 19_858 }), "the rest has not come yet");
        assert_eq!(days(r#","since":"2024-05-16""#), None);
        for wrong in [
            r#","until":"2024-04-01""#,
            r#","since":"2024-04-02","until":"2024-04-01""#,
            r#","since":"1969-12-31""#,
            r#","since":"2024-04-01T12:00:00""#,
            r#","since":"last week""#,
        ] {
            assert!(past(wrong).is_err_and(|said| said.contains("`since`")), "{wrong}");
        }
    }

    #[test]
    fn limits_and_labels_that_nobody_means_are_refused() {
        let most = u64::MAX;
        refused(&format!(r#"{{"version":1,"url":"https://a.test","delay_ms":{most}}}"#), "at most 86400000");
        refused(r#"{"version":1,"url":"https://a.test","delay_ms":86400001}"#, "`delay_ms` is 86400001");
        refused(&format!(r#"{{"version":1,"url":"https://a.test","max_pages":{most}}}"#), "`max_pages`");
        refused(r#"{"version":1,"url":"https://a.test","max_depth":10001}"#, "`max_depth`");
        let labelled = |name: &str, text: &str| {
            serde_json::json!({"version": 1, "url": "https://a.test", "labels": {name: text}}).to_string()
        };
        for (name, text) in
            [("", "x"), ("a", "\u{1b}]52;"), ("a\nb", "x"), (&"a".repeat(65), "x"), ("a", &"x".repeat(1_025))]
        {
            refused(&labelled(name, text), "`labels` must be at most 32");
        }
        refused(&labelled("a", &"x".repeat(9_000_000)), "over the limit of 65536");
        refused(&"[".repeat(200_000), "over the limit");
        let many: BTreeMap<String, String> = (0..33).map(|n| (n.to_string(), String::new())).collect();
        let many = SeedMessage {
            version: 1,
            url: Some("https://a.test".into()),
            labels: many,
            ..Default::default()
        };
        assert!(matches!(many.command(), Err(SeedError::Labels)));
        let longest = format!(r#"{{"version":1,"url":"https://a.test","delay_ms":{MAX_DELAY_MS}}}"#);
        assert!(SeedMessage::parse(longest.as_bytes()).is_ok());
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
