//! What travels to the functions and lies in Redis: batches, URL records, versions.
//!
//! A batch is MessagePack, because Lua unpacks that in C: each distinct cell is named once, changes
//! refer to cells by number. A record is one line of text, readable with `redis-cli`, then the
//! validators' bytes: `depth why hops fetch attempts outcome content etag-length
//! last-modified-length ⏎ etag last-modified`, with `-` for what is not there. The functions read the
//! same form: `parse` and `record` in `frontier.lua`.

use std::collections::HashMap;

use crate::contribution::{Cell, Table};
use crate::outcome::Outcome;
use crate::page::{CanonicalUrl, Site};
use crate::store::{Change, Entry, StoreError, StoreResult, Validators, Why};
use crate::time::Timestamp;
use crate::version::{ContentHash, Version};

/// Sorted sets order by doubles and Lua counts in them: times beyond this are cut to it (the year 287,396).
const LATEST: u64 = (1 << 53) - 1;

/// A time or span as the functions take it.
pub(super) fn millis(millis: u64) -> u64 {
    millis.min(LATEST)
}

/// Reads a site's name back.
pub(super) fn site(text: &str) -> StoreResult<Site> {
    Ok(Site::of_host(text))
}

/// Reads a URL back.
pub(super) fn url(text: &str) -> StoreResult<CanonicalUrl> {
    text.parse().map_err(|_| StoreError::Corrupt(format!("`{text}` is not a canonical URL")))
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

/// `fetch content`.
pub(super) fn version_text(version: Version) -> String {
    format!("{} {}", version.fetch, version.content)
}

/// The other way.
pub(super) fn version(text: &str) -> StoreResult<Version> {
    let wrong = || StoreError::Corrupt(format!("`{text}` is not a page's version"));
    let (fetch, content) = text.split_once(' ').ok_or_else(wrong)?;
    Ok(Version { fetch: number(fetch)?, content: content.parse().map_err(|_| wrong())? })
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

/// The outcome of a name.
pub(super) fn outcome(name: &str) -> StoreResult<Outcome> {
    let found = Outcome::ALL.iter().copied().find(|outcome| outcome.name() == name);
    found.ok_or_else(|| StoreError::Corrupt(format!("`{name}` is not an outcome")))
}

/// The end of a record.
pub(super) fn validators_text(validators: &Validators) -> String {
    let length = |part: &Option<String>| part.as_ref().map_or("-".to_owned(), |text| text.len().to_string());
    let bytes = |part: &Option<String>| part.clone().unwrap_or_default();
    let (etag, modified) = (&validators.etag, &validators.last_modified);
    format!("{} {}\n{}{}", length(etag), length(modified), bytes(etag), bytes(modified))
}

/// A URL's record, as pending nowhere; the caller knows of its due time or lease.
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
        outcome: given(outcome_name).map(|name| outcome(&name)).transpose()?,
        content: given(content).map(|text| text.parse::<ContentHash>().map_err(|_| wrong())).transpose()?,
        validators: Validators {
            etag: etag.map(|_| first.to_owned()),
            last_modified: modified.map(|_| second.to_owned()),
        },
        url,
    })
}

/// A batch of changes as the function `apply` takes it.
pub(super) fn batch(changes: &[Change]) -> Vec<u8> {
    let (names, numbers) = number_cells(changes);
    let mut out = MessagePack::default();
    out.array(2);
    out.array(names.len());
    for cells in &names {
        out.array(cells.len());
        cells.iter().for_each(|cell| out.text(&cell.key));
    }
    out.array(changes.len());
    for change in changes {
        out.array(5);
        out.text(change.url.as_str());
        out.text(&change.expected.map(version_text).unwrap_or_default());
        out.text(&change.new.fetch.to_string());
        out.text(&change.new.content.to_string());
        out.array(2 * change.delta.len());
        for (cell, by) in change.delta.iter() {
            out.integer(i64::from(numbers.get(cell).copied().unwrap_or_default()));
            out.integer(by);
        }
    }
    out.0
}

/// The distinct cells by table, and each one's number, from 1 on through all tables.
fn number_cells(changes: &[Change]) -> (Vec<Vec<&Cell>>, HashMap<&Cell, u32>) {
    let mut numbers: HashMap<&Cell, u32> = HashMap::new();
    let mut names: Vec<Vec<&Cell>> = vec![Vec::new(); Table::ALL.len()];
    for (cell, _) in changes.iter().flat_map(|change| change.delta.iter()) {
        if numbers.insert(cell, 0).is_none() {
            names[cell.table as usize].push(cell);
        }
    }
    for (cell, number) in names.iter().flatten().zip(1..) {
        numbers.insert(cell, number);
    }
    (names, numbers)
}

/// As much of MessagePack as a batch needs. Integers that a double may not hold travel as text.
#[derive(Default)]
struct MessagePack(Vec<u8>);

impl MessagePack {
    /// Up to here the functions add doubles; beyond they add text (`EXACT` in `state.lua`).
    const EXACT: u64 = 1_000_000_000_000_000;

    fn array(&mut self, length: usize) {
        self.0.push(0xdd);
        self.0.extend(u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes());
    }

    fn text(&mut self, text: &str) {
        match u8::try_from(text.len()) {
            Ok(length) => self.0.extend([0xd9, length]),
            Err(_) => {
                self.0.push(0xdb);
                self.0.extend(u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes());
            }
        }
        self.0.extend(text.as_bytes());
    }

    fn integer(&mut self, value: i64) {
        if value.unsigned_abs() >= Self::EXACT {
            self.text(&value.to_string());
        } else if let Ok(small @ 0..) = i8::try_from(value) {
            self.0.extend(small.to_be_bytes());
        } else if let Ok(small) = i32::try_from(value) {
            self.0.push(0xd2);
            self.0.extend(small.to_be_bytes());
        } else {
            self.0.push(0xd3);
            self.0.extend(value.to_be_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_numbered_in_the_order_of_all() {
        for (n, table) in Table::ALL.iter().enumerate() {
            assert_eq!(*table as usize, n);
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
