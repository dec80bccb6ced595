//! The audit log of the console: who changed what, who signed in or was refused, when, and from where.
//!
//! It is JSON Lines: `console-audit.jsonl` in a run's folder, or a value of the services' store, so that all consoles of an
//! installation write one log. Nothing secret is in it, and its size is limited: of more, the oldest lines go. The services' consoles also
//! write each record to their own log, which is kept elsewhere. Start at [`AuditLog::add`].

use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use bytes::Bytes;
use newslode_common::store::SiteState;
use newslode_common::time::{iso, now};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

/// The file of a run's folder, and what it is called once it is full.
pub(crate) const FILE: &str = "console-audit.jsonl";
pub(crate) const FULL_FILE: &str = "console-audit.1.jsonl";
/// The value of the services' store.
const VALUE: &str = "console-audit";
/// A file of so many bytes is full.
const FULL: u64 = 8 << 20;
/// The most bytes of the value.
const MOST: usize = 1 << 20;
/// The most characters of what a record is about.
const ABOUT: usize = 1_000;
/// After so many writers that were first, a record is given up.
const ROUNDS: usize = 20;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Deed {
    SignedIn,
    SignedOut,
    /// A wrong token; of many, the first, second, fourth, eighth …
    Refused,
    AddedSites,
    RemovedSites,
    PausedSites,
    ResumedSite,
    ForgotPages,
    LimitedSite,
    CorrectedArticle,
    ForgotLesson,
    CorrectedTaxonomy,
    ChangedFollowing,
    ReplayedLetters,
    DroppedLetters,
    AddedToken,
    RevokedToken,
}

impl Deed {
    /// For people.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Deed::SignedIn => "signed in",
            Deed::SignedOut => "signed out",
            Deed::Refused => "was refused",
            Deed::AddedSites => "added",
            Deed::RemovedSites => "removed",
            Deed::PausedSites => "paused",
            Deed::ResumedSite => "resumed",
            Deed::ForgotPages => "forgot",
            Deed::LimitedSite => "changed limits of",
            Deed::CorrectedArticle => "corrected",
            Deed::CorrectedTaxonomy => "corrected the taxonomy:",
            Deed::ForgotLesson => "forgot what was taught by",
            Deed::ChangedFollowing => "changed what is followed:",
            Deed::ReplayedLetters => "put back dead letters of",
            Deed::DroppedLetters => "dropped dead letters of",
            Deed::AddedToken => "made the token",
            Deed::RevokedToken => "revoked the token",
        }
    }
}

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// When, as ISO 8601 in UTC.
    pub(crate) at: String,
    /// The name of the token, `one-time`, `unix-socket`, `nobody`, or `command line`.
    pub(crate) who: String,
    /// The client's address.
    pub(crate) from: String,
    pub(crate) did: Deed,
    /// What it is about: sites, a page, a queue.
    pub(crate) about: String,
}

/// Where the log is.
pub(crate) enum AuditPlace {
    Folder(PathBuf),
    Services(Arc<dyn SiteState>),
}

/// The log.
pub(crate) struct AuditLog {
    place: AuditPlace,
    /// One writer at a time in this process.
    turn: Mutex<()>,
}

impl AuditLog {
    pub(crate) fn new(place: AuditPlace) -> AuditLog {
        AuditLog { place, turn: Mutex::default() }
    }

    /// Writes what happened. What was done stays done if the log cannot be written; that is an error in the process's own log.
    pub(crate) async fn add(&self, who: &str, from: &str, did: Deed, about: &str) {
        let about: String = about.chars().take(ABOUT).collect();
        let record = Record { at: iso(now()), who: who.to_owned(), from: from.to_owned(), did, about };
        tracing::info!(target: "newslode::audit", who, from, did = ?did, about = record.about, "audit");
        if let Err(error) = self.write(&record).await {
            tracing::error!("the audit log cannot be written: {error:#}");
        }
    }

    async fn write(&self, record: &Record) -> anyhow::Result<()> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        let _turn = self.turn.lock().await;
        match &self.place {
            AuditPlace::Folder(folder) => append(folder, &line, FULL),
            AuditPlace::Services(state) => {
                for _ in 0..ROUNDS {
                    let held = state.value(VALUE).await?;
                    let (number, mut text) = match held {
                        Some((number, text)) => (Some(number), text.to_vec()),
                        None => (None, Vec::new()),
                    };
                    text.extend_from_slice(&line);
                    let text = newest(&text, MOST).to_vec();
                    if state.put_value(VALUE, number, Bytes::from(text)).await?.is_some() {
                        return Ok(());
                    }
                }
                anyhow::bail!("others keep writing to it at the same time")
            }
        }
    }

    /// All lines that are kept, the oldest first.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(crate) async fn text(&self) -> anyhow::Result<Vec<u8>> {
        match &self.place {
            AuditPlace::Folder(folder) => {
                let mut text = read(&folder.join(FULL_FILE))?;
                text.extend(read(&folder.join(FILE))?);
                Ok(text)
            }
            AuditPlace::Services(state) => {
                Ok(state.value(VALUE).await?.map(|(_, text)| text.to_vec()).unwrap_or_default())
            }
        }
    }

    /// The newest records, the newest first. Lines that are none, such as half of one after a full disk, are left out.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(crate) async fn newest(&self, most: usize) -> anyhow::Result<Vec<Record>> {
        let text = self.text().await?;
        let lines = text.rsplit(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).take(most).collect())
    }
}

/// Appends a line to the file of a folder; a full file makes way first.
fn append(folder: &Path, line: &[u8], full: u64) -> anyhow::Result<()> {
    let file = folder.join(FILE);
    let write = || -> std::io::Result<()> {
        if std::fs::metadata(&file).is_ok_and(|metadata| metadata.len() >= full) {
            std::fs::rename(&file, folder.join(FULL_FILE))?;
        }
        let mut open = std::fs::OpenOptions::new().append(true).create(true).mode(0o600).open(&file)?;
        open.write_all(line)
    };
    write().with_context(|| format!("`{}`", file.display()))
}

fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    match std::fs::read(file) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error).with_context(|| format!("cannot read `{}`", file.display())),
    }
}

/// The last whole lines of a text, at most `most` bytes of them.
fn newest(text: &[u8], most: usize) -> &[u8] {
    if text.len() <= most {
        return text;
    }
    let rest = &text[text.len() - most..];
    let begin = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
    &rest[begin..]
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[tokio::test]
    async fn records_are_lines_of_json_that_only_the_owner_reads() {
        let folder = tempfile::tempdir().unwrap();
        let log = AuditLog::new(AuditPlace::Folder(folder.path().to_owned()));
        assert!(log.newest(9).await.unwrap().is_empty());
        log.add("ann", "203.0.113.7", Deed::AddedSites, "https://a.test/").await;
        log.add("nobody", "203.0.113.8", Deed::Refused, &"x\n".repeat(5_000)).await;
        let newest = log.newest(9).await.unwrap();
        let seen: Vec<_> = newest.iter().map(|record| (record.who.as_str(), record.did)).collect();
        assert_eq!(seen, [("nobody", Deed::Refused), ("ann", Deed::AddedSites)]);
        assert_eq!(newest[0].about.chars().count(), ABOUT);
        let text = String::from_utf8(log.text().await.unwrap()).unwrap();
        assert!(text.lines().count() == 2 && text.starts_with("{\"at\":\"20"), "{text}");
        let mode = std::fs::metadata(folder.path().join(FILE)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        // After a full disk.
        append(folder.path(), b"{\"at\":\n", FULL).unwrap();
        assert_eq!(log.newest(9).await.unwrap().len(), 2);
    }

    #[test]
    fn a_full_file_makes_way_and_the_oldest_goes() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..5 {
            append(folder.path(), format!("{number}\n").as_bytes(), 4).unwrap();
        }
        let has = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!((has(FULL_FILE), has(FILE)), ("2\n3\n".into(), "4\n".into()));
    }

    #[test]
    fn the_newest_whole_lines_are_kept() {
        assert_eq!(newest(b"one\ntwo\nthree\n", 9), b"three\n");
        assert_eq!(newest(b"one\ntwo\n", 9), b"one\ntwo\n");
        assert_eq!(newest(b"a line without end", 3), b"");
    }
}
