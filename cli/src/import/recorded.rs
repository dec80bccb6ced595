//! What the files of origins in a web archive say of rights: robots.txt, tdmrep.json and ai.txt.
//!
//! A page has what its origin's files said when it was captured: the last record at or before that time, or else the first within
//! a day after it, because some crawlers ask for a page first. That are the records that were read before the page. The newest
//! file of each origin is also kept in the archive, as if it had been read, so that outputs join it wherever it stood. What no
//! record says is unknown.
//!
//! Invariant: memory is bounded, whatever the archives hold; files beyond it say nothing. Start at [`RecordedFiles::note`].

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use newslode_common::rights::Rights;
use newslode_common::store::{PageArchive, StoreResult};
use newslode_common::warc::http::Answer;
use newslode_common::warc::{Record, RecordType};
use newslode_crawler::html::looks_like_html;
use newslode_crawler::rights::{FileRules, MAX_FILE_BYTES, OriginFile};
use newslode_crawler::robots;
use newslode_crawler::site_files::SiteRecord;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;
use url::Url;

use super::plan::ImportPlan;

/// A page that was captured before the first record of a file has what that says, if it is not older than this.
const DAY: Duration = Duration::from_secs(86_400);
/// Most bytes of files that are held.
const MOST_BYTES: usize = 64 << 20;
/// What a file counts for beside its text.
const OF_A_FILE: usize = 1_000;
/// Most bytes of a record's body.
const MOST_BODY: usize = 4 << 20;

/// Which file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Which {
    Robots,
    Of(OriginFile),
}

/// A file of an origin, as it was recorded.
#[derive(Clone, Debug)]
pub(super) struct RecordedFile {
    site: Site,
    url: Url,
    which: Which,
    at: Timestamp,
    /// Its text; nothing if the server had no such file.
    text: Option<String>,
}

impl RecordedFile {
    /// The file that a record holds, if it is one. `now` is the time of the machine.
    pub(super) fn of_record(record: &Record, plan: &ImportPlan, now: Timestamp) -> Option<RecordedFile> {
        let is_answer = matches!(record.kind, Some(RecordType::Response | RecordType::Resource));
        if !is_answer || record.is_segment() || record.fields.get("WARC-Truncated").is_some() {
            return None;
        }
        let url = Url::parse(record.target()?).ok()?;
        let which = match url.path() {
            "/robots.txt" => Which::Robots,
            path => Which::Of(OriginFile::ALL.into_iter().find(|file| file.path() == path)?),
        };
        let site = url.as_str().parse::<CanonicalUrl>().ok()?.site();
        let at = record.date().filter(|at| *at <= now.plus(DAY))?;
        if url.query().is_some() || !(plan.sites.is_empty() || plan.sites.contains(&site)) {
            return None;
        }
        let text = match Answer::parse(&record.block) {
            Some(answer) => match answer.status {
                200 => Some(answer.body(&record.block, MOST_BODY).ok()?),
                404 | 410 => None,
                _ => return None,
            },
            None if record.kind == Some(RecordType::Resource) => Some(record.block.clone()),
            None => return None,
        };
        let limit = match which {
            Which::Robots => robots::file::MAX_FILE_BYTES,
            // The rest may say the contrary.
            Which::Of(_) if text.as_ref().is_some_and(|text| text.len() > MAX_FILE_BYTES) => return None,
            Which::Of(_) => MAX_FILE_BYTES,
        };
        let is_file = |text: &Vec<u8>| !looks_like_html(text);
        let text = text.filter(is_file).map(|text| {
            let text = text.get(..limit).unwrap_or(&text);
            String::from_utf8_lossy(text).into_owned()
        });
        Some(RecordedFile { site, url, which, at, text })
    }

    fn rules(&self, token: &str) -> FileRules {
        let text = self.text.as_deref().unwrap_or_default().as_bytes();
        match self.which {
            Which::Robots => robots::read_rules(text, token),
            Which::Of(file) => file.read(text, token),
        }
    }

    /// Keeps the file in the archive, unless a newer one is kept.
    ///
    /// # Errors
    /// When the archive fails; then it may be repeated.
    pub(super) async fn keep(
        &self,
        archive: &dyn PageArchive,
        token: &str,
        now: Timestamp,
    ) -> StoreResult<()> {
        match self.which {
            Which::Robots => {
                let text = self.text.clone().unwrap_or_default();
                robots::keep_recorded(archive, &self.url, (self.at, text, token.to_owned()), now).await
            }
            Which::Of(file) => {
                let origin = self.url.origin().ascii_serialization();
                let read = (self.at, self.text.clone(), token.to_owned());
                SiteRecord::keep_recorded(archive, &self.site, (origin, file), read, now).await
            }
        }
    }
}

/// The files of an origin that were read so far.
#[derive(Default)]
struct OriginFiles {
    /// Whether the archives hold pages of it.
    has_pages: bool,
    /// What each file said, by time.
    said: BTreeMap<Which, BTreeMap<Timestamp, Arc<FileRules>>>,
    /// The newest of each, if it is still to be kept.
    to_keep: BTreeMap<Which, RecordedFile>,
}

/// The files of all origins that were read so far.
pub(super) struct RecordedFiles {
    token: String,
    origins: HashMap<String, OriginFiles>,
    bytes: usize,
}

impl RecordedFiles {
    pub(super) fn new(token: &str) -> RecordedFiles {
        RecordedFiles { token: token.to_owned(), origins: HashMap::new(), bytes: 0 }
    }

    /// Notes what a file says.
    pub(super) fn note(&mut self, file: RecordedFile) {
        let bytes = file.text.as_ref().map_or(0, String::len) + OF_A_FILE;
        if self.bytes + bytes > MOST_BYTES {
            tracing::info!(url = %file.url, "the archives hold more files about rights than are held in memory; it says nothing");
            return;
        }
        self.bytes += bytes;
        let origin = self.origins.entry(file.url.origin().ascii_serialization()).or_default();
        let said = origin.said.entry(file.which).or_default();
        let is_newest = said.last_key_value().is_none_or(|(at, _)| *at < file.at);
        said.insert(file.at, Arc::new(file.rules(&self.token)));
        if is_newest {
            origin.to_keep.insert(file.which, file);
        }
    }

    /// Notes that the archives hold a page, whose origin's files are kept.
    pub(super) fn note_page(&mut self, url: &CanonicalUrl) {
        let origin = url.to_url().origin().ascii_serialization();
        let is_known = self.origins.contains_key(&origin);
        if is_known || self.bytes + OF_A_FILE <= MOST_BYTES {
            self.bytes += if is_known { 0 } else { OF_A_FILE };
            self.origins.entry(origin).or_default().has_pages = true;
        }
    }

    /// The files that are to be kept: the newest of each origin with pages, each once.
    pub(super) fn take_kept(&mut self) -> Vec<RecordedFile> {
        let with_pages = self.origins.values_mut().filter(|origin| origin.has_pages);
        with_pages.flat_map(|origin| std::mem::take(&mut origin.to_keep).into_values()).collect()
    }

    /// What the files said of a page that was captured at a time.
    pub(super) fn rights_of(&self, url: &CanonicalUrl, at: Timestamp) -> Rights {
        let (mut rights, url) = (Rights::default(), url.to_url());
        let Some(origin) = self.origins.get(&url.origin().ascii_serialization()) else { return rights };
        for said in origin.said.values() {
            let before = said.range(..=at).next_back();
            let held = before.or_else(|| said.range(at..=at.plus(DAY)).next());
            if let Some((read, rules)) = held {
                rights.add_all(rules.about(&url, *read));
            }
        }
        rights
    }
}
