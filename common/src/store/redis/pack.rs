//! The forms that travel to the functions and are stored in Redis: URL records, versions; `batch.rs` has batches.
//!
//! A record is one line of text, readable with `redis-cli`,
//! followed by the bytes of the validators: `depth why hops fetch attempts outcome content etag-length
//! last-modified-length ⏎ etag last-modified`, with `-` for missing parts. The functions read the same form:
//! `parse` and `record` in `waiting.lua`.

use crate::message::wire;
use crate::outcome::Outcome;
use crate::schedule::{Allowance, Class, PageSchedule};
use crate::store::layout::Word;
use crate::store::{Entry, StoreError, StoreResult, Validators, Why};
use crate::version::{ContentHash, Version};
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;

/// Latest time (the year 287,396); later ones are cut to it. Sorted sets order by doubles, and Lua counts in
/// them.
const LATEST: u64 = (1 << 53) - 1;

/// A time, a span or a position in the form that the functions take.
pub(super) fn millis(millis: u64) -> u64 {
    millis.min(LATEST)
}

/// Reads a site's name back.
pub(super) fn site(text: &str) -> StoreResult<Site> {
    Ok(Site::of_host(text))
}

/// Reads a number back.
pub(super) fn number<T: std::str::FromStr>(text: &str) -> StoreResult<T> {
    text.parse().map_err(|_| StoreError::Corrupt(format!("`{text}` is not a number of its kind")))
}

/// Reads a sorted set's score back as a time.
pub(super) fn time(score: &str) -> StoreResult<Timestamp> {
    match score.parse::<f64>() {
        Ok(millis) if (0.0..=LATEST as f64).contains(&millis) => Ok(Timestamp(millis as u64)),
        _ => Err(StoreError::Corrupt(format!("`{score}` is not a time"))),
    }
}

/// Content, then the fetch number, in the form that the functions compare.
pub(super) fn version_bytes(version: Version) -> Vec<u8> {
    [&version.content.0[..], version.fetch.to_string().as_bytes()].concat()
}

/// A version and the day of its fetch, as stored. A version as the functions return it has no day; it is then
/// 0.
pub(super) fn version(bytes: &[u8]) -> StoreResult<(Version, u32)> {
    let wrong = || StoreError::Corrupt(format!("{bytes:?} is not a page's version"));
    let (content, rest) = bytes.split_first_chunk::<16>().ok_or_else(wrong)?;
    let rest = std::str::from_utf8(rest).map_err(|_| wrong())?;
    let (fetch, day) = rest.split_once(' ').unwrap_or((rest, "0"));
    Ok((Version { fetch: number(fetch)?, content: ContentHash(*content) }, number(day)?))
}

/// Reads a word: df, tf and q; without q if that is 0, and without tf, too, if that is df.
pub(super) fn word(text: &str) -> StoreResult<Word> {
    let mut parts = text.split(' ');
    let df = number(parts.next().unwrap_or_default())?;
    let tf = parts.next().map_or(Ok(df), number)?;
    let q = parts.next().map_or(Ok(0), number)?;
    Ok([df, tf, q])
}

/// The reason as a digit that grows with its strength.
pub(super) fn why_code(why: Why) -> u8 {
    match why {
        Why::Link => 0,
        Why::Instance => 1,
        Why::Concept => 2,
        Why::Seed => 3,
    }
}

fn why(code: &str) -> StoreResult<Why> {
    match code {
        "0" => Ok(Why::Link),
        "1" => Ok(Why::Instance),
        "2" => Ok(Why::Concept),
        "3" => Ok(Why::Seed),
        _ => Err(StoreError::Corrupt(format!("`{code}` is not a reason"))),
    }
}

/// The outcome with this name.
pub(super) fn outcome(name: &str) -> StoreResult<Outcome> {
    let found = Outcome::ALL.iter().copied().find(|outcome| outcome.name() == name);
    found.ok_or_else(|| StoreError::Corrupt(format!("`{name}` is not an outcome")))
}

/// The validators, at the end of a record.
pub(super) fn validators_text(validators: &Validators) -> String {
    let length = |part: &Option<String>| part.as_ref().map_or("-".to_owned(), |text| text.len().to_string());
    let bytes = |part: &Option<String>| part.clone().unwrap_or_default();
    let (etag, modified) = (&validators.etag, &validators.last_modified);
    format!("{} {}\n{}{}", length(etag), length(modified), bytes(etag), bytes(modified))
}

/// What is known of a URL, at the end of its plan; empty: nothing.
pub(super) fn schedule_bytes(schedule: Option<&PageSchedule>) -> StoreResult<Vec<u8>> {
    let Some(schedule) = schedule else { return Ok(Vec::new()) };
    wire::encode(schedule).map_err(|error| StoreError::Corrupt(error.to_string()))
}

/// A URL's plan: where it waits, its last good fetch, and what is known of it.
pub(super) struct Plan {
    pub(super) class: Class,
    pub(super) seen: Option<Timestamp>,
    pub(super) schedule: Option<PageSchedule>,
}

/// Reads a URL's plan: `class seen schedule`.
pub(super) fn plan(bytes: Option<&[u8]>) -> StoreResult<Plan> {
    let Some(bytes) = bytes else { return Ok(Plan { class: Class::New, seen: None, schedule: None }) };
    let wrong = || StoreError::Corrupt(format!("{bytes:?} is not a URL's plan"));
    let mut parts = bytes.splitn(3, |byte| *byte == b' ');
    let mut part = || parts.next().ok_or_else(wrong);
    let mut digits = || std::str::from_utf8(part()?).map_err(|_| wrong());
    let class = Class::of_number(number(digits()?)?).ok_or_else(wrong)?;
    let seen = Timestamp(number(digits()?)?);
    let schedule = part()?;
    let schedule =
        if schedule.is_empty() { None } else { Some(wire::decode(schedule).map_err(|_| wrong())?) };
    Ok(Plan { class, seen: Some(seen).filter(|seen| seen.0 > 0), schedule })
}

/// Reads an allowance: requests a day, thousandths of tokens, and when these were right. Empty: there is none.
pub(super) fn allowance(text: &str) -> StoreResult<Option<Allowance>> {
    if text.is_empty() {
        return Ok(None);
    }
    let wrong = || StoreError::Corrupt(format!("`{text}` is not an allowance"));
    let [per_day, milli, at] = text.split(' ').collect::<Vec<_>>()[..] else { return Err(wrong()) };
    Ok(Some(Allowance { per_day: number(per_day)?, milli: number(milli)?, at: Timestamp(number(at)?) }))
}

/// A URL's record without its plan, due time or lease, which the caller adds.
pub(super) fn entry(url: CanonicalUrl, record: &str) -> StoreResult<Entry> {
    let wrong = || StoreError::Corrupt(format!("the record of `{url}` is broken"));
    let (line, bytes) = record.split_once('\n').ok_or_else(wrong)?;
    let fields: Vec<&str> = line.split(' ').collect();
    let [depth, reason, hops, fetch, attempts, outcome_name, content, etag, modified] = fields[..] else {
        return Err(wrong());
    };
    let given = |text: &str| (text != "-").then(|| text.to_owned());
    let lengths = [etag, modified].map(|text| given(text).map(|text| number::<usize>(&text)).transpose());
    let [etag, modified] = lengths;
    let (etag, modified) = (etag?, modified?);
    let (first, second) = bytes.split_at_checked(etag.unwrap_or(0)).ok_or_else(wrong)?;
    if second.len() != modified.unwrap_or(0) {
        return Err(wrong());
    }
    Ok(Entry {
        depth: number(depth)?,
        why: why(reason)?,
        hops: number(hops)?,
        fetch: number(fetch)?,
        attempts: number(attempts)?,
        due: None,
        leased: false,
        class: Class::New,
        seen: None,
        schedule: None,
        outcome: given(outcome_name).map(|name| outcome(&name)).transpose()?,
        content: given(content).map(|text| text.parse::<ContentHash>().map_err(|_| wrong())).transpose()?,
        validators: Validators {
            etag: etag.map(|_| first.to_owned()),
            last_modified: modified.map(|_| second.to_owned()),
        },
        url,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_reads_back_and_a_broken_one_is_refused() {
        let wanted = Version { fetch: 70, content: ContentHash(*b"1234 567 9012345") };
        let given = version_bytes(wanted);
        assert_eq!(version(&given).unwrap(), (wanted, 0));
        assert_eq!(version(&[&given[..], b" 20000"].concat()).unwrap(), (wanted, 20_000));
        for broken in [&given[..15], &given[..16], b"1234567890123456x 1", b"12345678901234561 x"] {
            assert!(version(broken).is_err(), "{broken:?}");
        }
    }

    #[test]
    fn a_word_reads_back_and_a_broken_one_is_refused() {
        for (text, wanted) in [("3", [3, 3, 0]), ("3 -4", [3, -4, 0]), ("0 2 7", [0, 2, 7])] {
            assert_eq!(word(text).unwrap(), wanted);
        }
        for broken in ["", " ", "1 ", "x", "1 2 q"] {
            assert!(word(broken).is_err(), "{broken:?}");
        }
    }

    #[test]
    fn a_record_reads_back_whatever_the_validators_hold() {
        let url: CanonicalUrl = "https://news.example/".parse().unwrap();
        for (etag, modified) in [(None, None), (Some(""), None), (Some("W/\"a b\n-\""), Some("7 Nov\u{1f}é"))]
        {
            let validators =
                Validators { etag: etag.map(str::to_owned), last_modified: modified.map(str::to_owned) };
            let record = format!("3 2 0 7 1 fetched {} {}", "ab".repeat(16), validators_text(&validators));
            let read = entry(url.clone(), &record).unwrap();
            assert_eq!(read.validators, validators);
            assert_eq!((read.depth, read.why, read.fetch, read.attempts), (3, Why::Concept, 7, 1));
            assert_eq!(read.outcome, Some(Outcome::Fetched));
        }
    }

    #[test]
    fn broken_records_are_refused() {
        let url: CanonicalUrl = "https://news.example/".parse().unwrap();
        for record in ["", "1 2\n", "0 9 0 0 0 - - - -\n", "0 0 0 0 0 - - 9 -\nx", "0 0 0 0 0 - - - -\nx"] {
            assert!(matches!(entry(url.clone(), record), Err(StoreError::Corrupt(_))), "{record:?}");
        }
    }
}
