//! The files of a site that state rights and nothing else: tdmrep.json and ai.txt (`crawler.rights_files`).
//!
//! They are asked for in turns of the site's own, like robots.txt, at most twice a site and day, whatever the number of its hosts,
//! and only where robots.txt allows it. A redirect is not followed. What is no file, or too large, says nothing; so does a file
//! that could not be read, until the next day. What was read is one record of the site in the archive, so that other processes and
//! outputs have it, with a line for each change.
//!
//! Invariant: the record names a request before it is sent, so a crash cannot repeat it. Start at [`SiteFiles::due`].

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use newslode_common::config::CrawlerConfig;
use newslode_common::rights::{Rights, site_rights_key};
use newslode_common::store::{Kind, PageArchive, StoreError, StoreResult};
use newslode_common::time::Clock;
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::error::with_causes;
use crate::fetch::Fetcher;
use crate::html::looks_like_html;
use crate::rights::{FileRules, MAX_FILE_BYTES, OriginFile};
use crate::robots::{RightsChange, RobotsFile};

/// How long a file is kept, and for how long requests to a site are counted.
const DAY: Duration = Duration::from_secs(86_400);
/// Requests to a site within a day.
const MOST_REQUESTS: usize = 2;
/// Files of a site that are kept; the oldest go first.
const MOST_FILES: usize = 20;
/// Changes that are kept.
const MOST_CHANGES: usize = 50;
/// Sites whose records are in memory.
const MOST_SITES: usize = 2_000;

/// A file as it was read last.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct KeptFile {
    origin: String,
    file: OriginFile,
    /// When it was asked for.
    at: Timestamp,
    /// Its text; nothing if there is none, or if it could not be read.
    text: Option<String>,
    /// The name of the crawler that read it.
    token: String,
}

/// What the archive keeps of a site's files.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SiteRecord {
    /// The last requests.
    asked: Vec<Timestamp>,
    files: Vec<KeptFile>,
    /// How the files changed, the latest last, with the addresses of the files.
    changes: Vec<(String, RightsChange)>,
}

impl KeptFile {
    fn address(&self) -> String {
        format!("{}{}", self.origin, self.file.path())
    }

    fn rules(&self) -> FileRules {
        self.text.as_ref().map(|text| self.file.read(text.as_bytes(), &self.token)).unwrap_or_default()
    }
}

impl SiteRecord {
    /// Reads the record of a site; an empty one if there is none.
    ///
    /// # Errors
    /// When the archive fails.
    pub async fn read(archive: &dyn PageArchive, site: &Site) -> StoreResult<SiteRecord> {
        let bytes = archive.get(Kind::Rights, site_rights_key(site)).await?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default())
    }

    /// The rules of each file, with its origin and the time of the reading.
    #[must_use]
    pub fn rules(&self) -> Vec<(String, Timestamp, FileRules)> {
        self.files.iter().map(|file| (file.origin.clone(), file.at, file.rules())).collect()
    }

    /// How the files changed, the latest last, with the addresses of the files.
    #[must_use]
    pub fn changes(&self) -> &[(String, RightsChange)] {
        &self.changes
    }

    /// Keeps a file of an origin that a web archive recorded: its time, its text (`None` if the server had no such file) and the
    /// crawler's name. It does not replace a newer one.
    ///
    /// # Errors
    /// When the archive fails.
    pub async fn keep_recorded(
        archive: &dyn PageArchive,
        site: &Site,
        (origin, file): (String, OriginFile),
        (at, text, token): (Timestamp, Option<String>, String),
        now: Timestamp,
    ) -> StoreResult<()> {
        let mut record = SiteRecord::read(archive, site).await?;
        let is_newer = |kept: &KeptFile| kept.origin == origin && kept.file == file && kept.at >= at;
        if record.files.iter().any(is_newer) {
            return Ok(());
        }
        record.keep(KeptFile { origin, file, at, text, token });
        let json = serde_json::to_vec(&record).map_err(|error| StoreError::Corrupt(error.to_string()))?;
        archive.put(Kind::Rights, site_rights_key(site), json.into(), now).await
    }

    /// The file of an origin that is to be asked for now.
    fn due(&self, origin: &str, now: Timestamp) -> Option<OriginFile> {
        let is_recent = |at: Timestamp| at.plus(DAY) > now;
        if self.asked.iter().filter(|at| is_recent(**at)).count() >= MOST_REQUESTS {
            return None;
        }
        let is_kept = |file: OriginFile| {
            self.files.iter().any(|kept| kept.origin == origin && kept.file == file && is_recent(kept.at))
        };
        OriginFile::ALL.into_iter().find(|file| !is_kept(*file))
    }

    fn note_request(&mut self, now: Timestamp) {
        self.asked.push(now);
        let old = self.asked.len().saturating_sub(MOST_REQUESTS);
        self.asked.drain(..old);
    }

    /// Keeps what was read, and a line of how it differs from what was read before.
    fn keep(&mut self, read: KeptFile) {
        let before = self.files.iter().position(|kept| kept.origin == read.origin && kept.file == read.file);
        if let Some(before) = before.map(|at| self.files.remove(at)) {
            // A file that could not be read has not changed.
            let (old, new) = (before.rules().lines(), read.rules().lines());
            let beyond = |these: &BTreeSet<String>, those: &BTreeSet<String>| {
                these.difference(those).take(20).cloned().collect::<Vec<_>>()
            };
            let change = RightsChange { at: read.at, new: beyond(&new, &old), gone: beyond(&old, &new) };
            if !(change.new.is_empty() && change.gone.is_empty()) {
                self.changes.push((read.address(), change));
                let most = self.changes.len().saturating_sub(MOST_CHANGES);
                self.changes.drain(..most);
            }
        }
        self.files.push(read);
        let most = self.files.len().saturating_sub(MOST_FILES);
        self.files.drain(..most);
    }
}

/// What is known of a site.
#[derive(Clone, Default)]
struct Known {
    record: SiteRecord,
    rules: Arc<Vec<(String, Timestamp, FileRules)>>,
}

impl Known {
    fn of(record: SiteRecord) -> Known {
        Known { rules: Arc::new(record.rules()), record }
    }
}

/// The files of the visited sites.
pub(crate) struct SiteFiles {
    fetcher: Fetcher,
    clock: Clock,
    token: String,
    is_on: bool,
    archive: Arc<dyn PageArchive>,
    known: Mutex<HashMap<Site, Known>>,
}

impl SiteFiles {
    pub(crate) fn new(
        fetcher: Fetcher,
        clock: Clock,
        config: &CrawlerConfig,
        archive: Arc<dyn PageArchive>,
    ) -> SiteFiles {
        let (token, is_on) = (config.product_token().to_owned(), config.rights_files);
        SiteFiles { fetcher, clock, token, is_on, archive, known: Mutex::default() }
    }

    /// What the files say of a page.
    pub(crate) fn rights_of(&self, site: &Site, url: &Url) -> Rights {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(site).cloned();
        let mut rights = Rights::default();
        let origin = url.origin().ascii_serialization();
        for (of, at, rules) in known.iter().flat_map(|known| known.rules.iter()) {
            if *of == origin {
                rights.add_all(rules.about(url, *at));
            }
        }
        rights
    }

    /// Asks for a file of this page's origin, if one is due that robots.txt allows. Returns whether a request was sent, which then
    /// took the turn.
    pub(crate) async fn ask_if_due(&self, site: &Site, page: &Url, robots: &RobotsFile) -> bool {
        if !self.is_on {
            return false;
        }
        let origin = page.origin().ascii_serialization();
        loop {
            let Some(file) = self.due(site, &origin).await else { return false };
            let Ok(url) = page.join(file.path()) else { return false };
            let url = crate::web::without_credentials(url);
            let is_allowed = robots.allows(&url);
            self.change(site, |record| {
                if is_allowed {
                    record.note_request(self.clock.now());
                }
            })
            .await;
            let text = if is_allowed { self.fetch(&url).await } else { None };
            let (at, token) = (self.clock.now(), self.token.clone());
            self.change(site, |record| {
                record.keep(KeptFile { origin: origin.clone(), file, at, text, token })
            })
            .await;
            if is_allowed {
                return true;
            }
        }
    }

    /// The file that is due, by what this process knows, and if it seems due, by the archive.
    async fn due(&self, site: &Site, origin: &str) -> Option<OriginFile> {
        let now = self.clock.now();
        let held = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(site).cloned();
        if held.as_ref().is_some_and(|known| known.record.due(origin, now).is_none()) {
            return None;
        }
        match SiteRecord::read(self.archive.as_ref(), site).await {
            Ok(archived) => {
                // An archive that did not take the last record would have a file asked for again and again.
                let record = match held {
                    Some(known) if known.record.asked.last() > archived.asked.last() => known.record,
                    _ => archived,
                };
                let due = record.due(origin, now);
                self.hold(site, record);
                due
            }
            Err(error) => {
                tracing::debug!(%site, %error, "cannot read what the site's files say of rights");
                None
            }
        }
    }

    /// Changes the record of a site, here and in the archive. If the archive fails, this process still knows it.
    async fn change(&self, site: &Site, change: impl FnOnce(&mut SiteRecord)) {
        let held = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(site).cloned();
        let mut record = held.unwrap_or_default().record;
        change(&mut record);
        let json = serde_json::to_vec(&record).unwrap_or_default();
        self.hold(site, record);
        let putting = self.archive.put(Kind::Rights, site_rights_key(site), json.into(), self.clock.now());
        if let Err(error) = putting.await {
            tracing::debug!(%site, %error, "cannot keep what the site's files say of rights");
        }
    }

    fn hold(&self, site: &Site, record: SiteRecord) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_SITES && !known.contains_key(site) {
            // They are in the archive.
            known.clear();
        }
        known.insert(site.clone(), Known::of(record));
    }

    /// The text of a file; nothing if there is none, or it cannot be read.
    async fn fetch(&self, url: &Url) -> Option<String> {
        let asking = self.fetcher.raw(url, MAX_FILE_BYTES as u64 + 1);
        match self.fetcher.within(url, asking).await {
            Ok(reply) if reply.status.is_success() && reply.body.len() > MAX_FILE_BYTES => {
                tracing::info!(%url, "the file is too large; it says nothing of rights");
                None
            }
            Ok(reply) if reply.status.is_success() && !looks_like_html(&reply.body) => {
                Some(String::from_utf8_lossy(&reply.body).into_owned())
            }
            Ok(_) => None,
            Err(error) => {
                tracing::debug!(%url, error = with_causes(&error), "a file about rights cannot be fetched");
                None
            }
        }
    }
}
