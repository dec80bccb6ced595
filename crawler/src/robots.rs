//! What robots.txt allows (RFC 9309), per origin. [`file`](mod@file) reads the file itself.
//!
//! A file is fetched once, even if many workers want it at the same time, and kept for a day, in memory and in the archive, so
//! that the next process has it, too. A file that disallows everything is obeyed at once, and asked for again after 15
//! minutes, doubled up to a day: many are put up by mistake or for an hour.
//!
//! 404 allows everything. What else is no file of rules (403, a web page, endless redirects, 5xx, 429, no answer) leaves the
//! last good rules in force, for a day longer than they are kept. Without such rules 4xx, a web page and endless redirects allow
//! everything (RFC 9309, section 2.3.1.3), and the others disallow everything, for as long as the server asks or for one
//! retry wait; then the file is asked for again. The first 500 KiB of a file count. The cache has limits on files and
//! bytes: the least recently used files go first.
//!
//! Invariant: no page of an origin is fetched before its robots.txt has answered. Start at [`Robots::verdict_of`].

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use newslode_common::config::CrawlerConfig;
use newslode_common::rights::Rights;
use newslode_common::store::{Kind, PageArchive, StoreError, StoreResult, robots_key};
use newslode_common::time::Clock;
use newslode_common::version::ContentHash;
use newslode_page::reading::{CanonicalUrl, canonical};
use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::sync::OnceCell;
use url::Url;

use crate::error::{FetchError, with_causes};
use crate::fetch::{self, Fetcher};
use crate::html::looks_like_html;
use crate::listing::discover::in_robots;
use crate::rights::FileRules;
use crate::web::without_credentials;

pub use file::RobotsFile;
pub use rights::read as read_rules;

pub mod file;
mod rights;

/// Time that a file is kept (RFC 9309, section 2.4).
const CACHE_TIME: Duration = Duration::from_secs(86_400);
/// Time for which the last good rules outlast that while the file cannot be read.
const GRACE: Duration = Duration::from_secs(86_400);
/// First wait before a file is asked for again that disallows everything, or that cannot be read while older rules are in
/// force.
const SOON: Duration = Duration::from_secs(900);
/// Redirects to follow (RFC 9309, section 2.3.1.2).
const MAX_REDIRECTS: u32 = 5;
/// Largest number of files in the cache.
const MAX_FILES: usize = 10_000;
/// Largest number of bytes of files in the cache.
const MAX_BYTES: usize = 64 << 20;

/// The verdict of an origin's robots.txt.
#[derive(Clone, Debug)]
pub enum RobotsVerdict {
    /// These rules apply.
    Rules(Arc<Rules>),
    /// The file could not be read: everything is disallowed.
    Unreachable {
        /// The reason.
        reason: Arc<FetchError>,
        /// When to ask for it again.
        until: Timestamp,
    },
}

/// What a robots.txt says.
#[derive(Debug)]
pub struct Rules {
    /// What may be fetched, and how fast.
    pub robots: RobotsFile,
    /// What may be done with what was fetched.
    pub rights: FileRules,
    /// When the file was read.
    pub at: Timestamp,
    /// The maps that it names.
    pub maps: Vec<CanonicalUrl>,
}

struct CachedVerdict {
    verdict: RobotsVerdict,
    until: Timestamp,
    bytes: usize,
}

/// Most changes of a file's rights that are kept.
const MOST_CHANGES: usize = 50;
/// Most lines of such a change.
const MOST_LINES: usize = 20;

/// A file as the archive keeps it.
#[derive(Default, Serialize, Deserialize)]
struct KeptFile {
    /// When it was read.
    at: Timestamp,
    /// Since when it disallows everything.
    closed_since: Option<Timestamp>,
    /// Its text; bytes that are no UTF-8 are replaced.
    text: String,
    /// The name of the crawler that read it.
    #[serde(default)]
    token: String,
    /// How its lines about rights changed, the latest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    changes: Vec<RightsChange>,
    /// Whether a web archive recorded it: it says what may be done with pages, and never what may be fetched.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_recorded: bool,
}

/// A change of the lines of a file that are about rights.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RightsChange {
    /// When it was seen.
    pub at: Timestamp,
    /// Lines that are new.
    pub new: Vec<String>,
    /// Lines that are gone.
    pub gone: Vec<String>,
}

/// What the robots.txt of an origin says of rights today, as the archive keeps it.
#[derive(Debug, Default)]
pub struct OriginRights {
    /// When it was read.
    pub at: Timestamp,
    /// What it says.
    pub rules: FileRules,
    /// How that changed, the latest last.
    pub changes: Vec<RightsChange>,
}

/// Reads what the robots.txt of a page's origin says of rights to the crawler that read it last; nothing if none was read.
///
/// # Errors
/// When the archive fails.
pub async fn read_origin_rights(archive: &dyn PageArchive, page: &Url) -> StoreResult<OriginRights> {
    let Some(key) = key(page) else { return Ok(OriginRights::default()) };
    let Some(json) = archive.get(Kind::Robots, key).await? else { return Ok(OriginRights::default()) };
    let Ok(KeptFile { at, text, token, changes, .. }) = serde_json::from_slice(&json) else {
        return Ok(OriginRights::default());
    };
    Ok(OriginRights { at, rules: rights::read(text.as_bytes(), &token), changes })
}

/// Keeps the robots.txt of an origin that a web archive recorded: its time, its text and the crawler's name. It replaces neither a
/// newer one nor one that the crawler read itself and that may still be in force.
///
/// # Errors
/// When the archive fails.
pub async fn keep_recorded(
    archive: &dyn PageArchive,
    page: &Url,
    (at, text, token): (Timestamp, String, String),
    now: Timestamp,
) -> StoreResult<()> {
    let Some(key) = key(page) else { return Ok(()) };
    let json = archive.get(Kind::Robots, key).await?;
    let before: Option<KeptFile> = json.and_then(|json| serde_json::from_slice(&json).ok());
    let in_force = |before: &KeptFile| match before.is_recorded {
        true => before.at,
        false => before.at.plus(CACHE_TIME + GRACE),
    };
    if before.as_ref().is_some_and(|before| in_force(before) >= at) {
        return Ok(());
    }
    let mut kept = KeptFile { at, text, token, is_recorded: true, ..KeptFile::default() };
    if let Some(before) = before {
        let lines = rights::read(before.text.as_bytes(), &kept.token).lines();
        kept.changes = before.changes;
        let after = rights::read(kept.text.as_bytes(), &kept.token).lines();
        kept.note_change(&lines, &after);
    }
    let json = serde_json::to_vec(&kept).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    archive.put(Kind::Robots, key, json.into(), now).await
}

/// What a server answers to the request for a file.
enum Answer {
    /// A file; empty if there is none.
    File(Vec<u8>),
    /// Something else, which allows everything.
    NoFile,
}

struct CacheSlot {
    cell: Arc<OnceCell<CachedVerdict>>,
    used: u64,
}

#[derive(Default)]
struct Cache {
    slots: HashMap<String, CacheSlot>,
    clock: u64,
}

/// The robots.txt files of the visited origins.
pub struct Robots {
    fetcher: Fetcher,
    clock: Clock,
    token: String,
    retry: Duration,
    cache: Mutex<Cache>,
    archive: Arc<dyn PageArchive>,
}

impl Robots {
    /// Asks for files through this fetcher, and keeps them in this archive.
    #[must_use]
    pub fn new(
        fetcher: Fetcher,
        clock: Clock,
        config: &CrawlerConfig,
        archive: Arc<dyn PageArchive>,
    ) -> Robots {
        let token = config.product_token().to_owned();
        let retry = Duration::from_millis(config.retry_ms);
        Robots { fetcher, clock, token, retry, cache: Mutex::default(), archive }
    }

    /// The verdict of the robots.txt of this URL's origin, and whether this call fetched the file.
    pub async fn verdict_of(&self, url: &Url) -> (RobotsVerdict, bool) {
        let origin = url.origin().ascii_serialization();
        let now = self.clock.now();
        let cell = self.cache.lock().unwrap_or_else(PoisonError::into_inner).cell(&origin, now);
        let asked = AtomicBool::new(false);
        let verdict = cell.get_or_init(|| self.find_verdict(url, &asked)).await.verdict.clone();
        (verdict, asked.into_inner())
    }

    /// What the robots.txt that was read last says of the uses of a page; nothing if none was.
    pub(crate) fn rights_of(&self, url: &Url) -> Rights {
        let (origin, now) = (url.origin().ascii_serialization(), self.clock.now());
        let cell = self.cache.lock().unwrap_or_else(PoisonError::into_inner).cell(&origin, now);
        match cell.get().map(|kept| &kept.verdict) {
            Some(RobotsVerdict::Rules(rules)) => rules.rights.about(url, rules.at),
            Some(RobotsVerdict::Unreachable { .. }) | None => Rights::default(),
        }
    }

    /// Forgets that the file of this URL's origin could not be fetched, so that the next visit asks for it again.
    pub(crate) fn forget_failure(&self, url: &Url) {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let is_failure = |slot: &CacheSlot| {
            slot.cell.get().is_some_and(|kept| matches!(kept.verdict, RobotsVerdict::Unreachable { .. }))
        };
        let origin = url.origin().ascii_serialization();
        if cache.slots.get(&origin).is_some_and(is_failure) {
            cache.slots.remove(&origin);
        }
    }

    /// Whether the verdict of this URL's origin is known, so that asking for it needs no request.
    pub(crate) fn is_known(&self, url: &Url) -> bool {
        let (origin, now) = (url.origin().ascii_serialization(), self.clock.now());
        let cell = self.cache.lock().unwrap_or_else(PoisonError::into_inner).cell(&origin, now);
        cell.initialized()
    }

    /// The verdict by the file that the archive keeps, or by the server. `asked` is set if the server was asked.
    async fn find_verdict(&self, url: &Url, asked: &AtomicBool) -> CachedVerdict {
        let now = self.clock.now();
        let known = self.kept(url).await;
        let kept = known.as_ref().filter(|known| !known.is_recorded);
        if let Some(kept) = kept {
            let until = due_again(kept);
            if until > now {
                return self.verdict_by(url, kept, until).await;
            }
        }
        asked.store(true, Ordering::Relaxed);
        let answer = self.fetch_file(url).await;
        let now = self.clock.now();
        let (reason, is_open) = match answer {
            Ok(Answer::File(text)) => {
                let text = String::from_utf8_lossy(&text).into_owned();
                let token = self.token.clone();
                let closed_since = kept.and_then(|kept| kept.closed_since).unwrap_or(now);
                let (before, changes) = match known {
                    Some(known) => {
                        let lines = rights::read(known.text.as_bytes(), &self.token).lines();
                        (Some(lines), known.changes)
                    }
                    None => (None, Vec::new()),
                };
                let closed_since = Some(closed_since);
                let mut kept = KeptFile { at: now, closed_since, text, token, changes, is_recorded: false };
                let found = self.verdict_by(url, &kept, now.plus(CACHE_TIME)).await;
                if let (Some(before), RobotsVerdict::Rules(rules)) = (&before, &found.verdict) {
                    kept.note_change(before, &rules.rights.lines());
                }
                kept.closed_since = kept.closed_since.filter(|_| is_closed(&found.verdict, url));
                self.keep(url, &kept).await;
                return CachedVerdict { until: due_again(&kept), ..found };
            }
            Ok(Answer::NoFile) => (None, true),
            Err(reason) => (Some(reason), false),
        };
        if let Some(reason) = &reason {
            tracing::debug!(%url, error = with_causes(reason), "robots.txt cannot be fetched");
        }
        // The last good rules stay in force for a while.
        if let Some(kept) = kept.filter(|kept| now < kept.at.plus(CACHE_TIME + GRACE)) {
            let wait = reason.as_ref().map_or(SOON, |reason| reason.robots_wait(SOON));
            let until = now.plus(wait).min(kept.at.plus(CACHE_TIME + GRACE));
            return self.verdict_by(url, kept, until).await;
        }
        match reason {
            Some(reason) if !is_open => {
                let until = now.plus(reason.robots_wait(self.retry));
                let verdict = RobotsVerdict::Unreachable { reason: Arc::new(reason), until };
                CachedVerdict { verdict, until, bytes: 0 }
            }
            _ => {
                let open = KeptFile { at: now, ..KeptFile::default() };
                self.verdict_by(url, &open, now.plus(CACHE_TIME)).await
            }
        }
    }

    /// The verdict that a file gives until a time.
    async fn verdict_by(&self, url: &Url, kept: &KeptFile, until: Timestamp) -> CachedVerdict {
        // Half a megabyte of rules takes milliseconds to parse, so that happens off the reactor.
        let (token, text, place, at) = (self.token.clone(), kept.text.clone(), canonical(url), kept.at);
        let parsed = tokio::task::spawn_blocking(move || {
            let maps = place.map(|place| in_robots(text.as_bytes(), &place));
            let robots = RobotsFile::parse(text.as_bytes(), &token);
            let rights = rights::read(text.as_bytes(), &token);
            Rules { robots, rights, at, maps: maps.unwrap_or_default() }
        });
        // A panic in the parser disallows everything.
        let nothing = |_| {
            let (robots, rights) = (RobotsFile::disallow_all(), FileRules::default());
            Rules { robots, rights, at, maps: Vec::new() }
        };
        let rules = parsed.await.unwrap_or_else(nothing);
        let bytes = rules.robots.memory() + rules.rights.memory();
        CachedVerdict { verdict: RobotsVerdict::Rules(Arc::new(rules)), until, bytes }
    }

    /// The file that the archive keeps. One that cannot be read is asked for again.
    async fn kept(&self, url: &Url) -> Option<KeptFile> {
        let bytes = match self.archive.get(Kind::Robots, key(url)?).await {
            Ok(bytes) => bytes?,
            Err(error) => {
                tracing::debug!(%url, %error, "cannot read the robots.txt that was kept");
                return None;
            }
        };
        serde_json::from_slice(&bytes).ok()
    }

    async fn keep(&self, url: &Url, file: &KeptFile) {
        let (Some(key), Ok(json)) = (key(url), serde_json::to_vec(file)) else { return };
        if let Err(error) = self.archive.put(Kind::Robots, key, json.into(), file.at).await {
            tracing::debug!(%url, %error, "cannot keep a robots.txt; the next process asks for it again");
        }
    }

    /// The file.
    async fn fetch_file(&self, page: &Url) -> Result<Answer, FetchError> {
        let broken = |reason: String| FetchError::Broken { url: page.clone(), reason };
        let start = page.join("/robots.txt").map_err(|error| broken(error.to_string()))?;
        let start = without_credentials(start);
        self.fetcher
            .within(&start, async {
                let mut url = start.clone();
                for _ in 0..=MAX_REDIRECTS {
                    let raw = self.fetcher.raw(&url, file::MAX_FILE_BYTES as u64 + 1).await;
                    let raw = raw.map_err(|error| broken_if_redirected(&start, &url, error))?;
                    match raw.status.as_u16() {
                        200..=299 if looks_like_html(&raw.body) => return Ok(Answer::NoFile),
                        200..=299 => return Ok(Answer::File(file_text(&raw.body).into_owned())),
                        300..=399 => match redirect_target(&url, &raw.headers) {
                            Some(target) => url = target,
                            None => return Ok(Answer::NoFile),
                        },
                        404 | 410 => return Ok(Answer::File(Vec::new())),
                        429 | 503 => return Err(self.fetcher.busy(&url, raw.status, &raw.headers)),
                        500..=599 => {
                            return Err(FetchError::Server { url, status: raw.status.as_u16() });
                        }
                        _ => return Ok(Answer::NoFile),
                    }
                }
                Ok(Answer::NoFile)
            })
            .await
    }
}

impl KeptFile {
    /// Notes how the lines about rights changed with this reading, if they did.
    fn note_change(&mut self, before: &BTreeSet<String>, after: &BTreeSet<String>) {
        let beyond = |these: &BTreeSet<String>, those: &BTreeSet<String>| {
            these.difference(those).take(MOST_LINES).cloned().collect::<Vec<_>>()
        };
        let change = RightsChange { at: self.at, new: beyond(after, before), gone: beyond(before, after) };
        if !(change.new.is_empty() && change.gone.is_empty()) {
            self.changes.push(change);
            let old = self.changes.len().saturating_sub(MOST_CHANGES);
            self.changes.drain(..old);
        }
    }
}

/// The bytes of a file in UTF-8. UTF-16 is known by its byte order mark, or by the zeros of its ASCII letters.
fn file_text(bytes: &[u8]) -> Cow<'_, [u8]> {
    let encoding = match (Encoding::for_bom(bytes), bytes) {
        (Some((encoding, _)), _) => encoding,
        (None, [0, 1..=u8::MAX, 0, 1..=u8::MAX, ..]) => UTF_16BE,
        (None, [1..=u8::MAX, 0, 1..=u8::MAX, 0, ..]) => UTF_16LE,
        (None, _) => UTF_8,
    };
    if encoding == UTF_8 {
        return Cow::Borrowed(bytes);
    }
    Cow::Owned(encoding.decode(bytes).0.into_owned().into_bytes())
}

/// The key of the file of this URL's origin in the archive.
fn key(url: &Url) -> Option<ContentHash> {
    let file = canonical(&url.join("/robots.txt").ok()?)?;
    Some(robots_key(&file))
}

/// When a file is asked for again.
fn due_again(kept: &KeptFile) -> Timestamp {
    let wait = match kept.closed_since {
        // As long as it has been closed: the waits double.
        Some(since) => since.until(kept.at).clamp(SOON, CACHE_TIME),
        None => CACHE_TIME,
    };
    kept.at.plus(wait)
}

/// Whether nothing of an origin may be fetched.
fn is_closed(verdict: &RobotsVerdict, url: &Url) -> bool {
    let RobotsVerdict::Rules(rules) = verdict else { return false };
    url.join("/").is_ok_and(|home| !rules.robots.allows(&home))
}

/// The target of a redirect without user and password, if it is http(s).
fn redirect_target(url: &Url, headers: &reqwest::header::HeaderMap) -> Option<Url> {
    let target = url.join(&fetch::redirect_location(headers)?).ok()?;
    matches!(target.scheme(), "http" | "https").then(|| without_credentials(target))
}

/// A redirect to a private address makes robots.txt unreachable. It says nothing about the page's own host.
fn broken_if_redirected(start: &Url, url: &Url, error: FetchError) -> FetchError {
    match error {
        FetchError::PrivateAddress(private) if start.host() != url.host() => {
            FetchError::Broken { url: start.clone(), reason: private.to_string() }
        }
        other => other,
    }
}

impl Cache {
    /// The cell of the origin; a new one if there is none or the old one expired.
    fn cell(&mut self, origin: &str, now: Timestamp) -> Arc<OnceCell<CachedVerdict>> {
        self.clock += 1;
        if let Some(slot) = self.slots.get_mut(origin)
            && slot.cell.get().is_none_or(|kept| kept.until > now)
        {
            slot.used = self.clock;
            return slot.cell.clone();
        }
        self.make_room();
        let cell = Arc::new(OnceCell::new());
        self.slots.insert(origin.to_owned(), CacheSlot { cell: cell.clone(), used: self.clock });
        cell
    }

    /// Forgets the less recently used half once the cache is full. This is rare, so it may cost a sort.
    fn make_room(&mut self) {
        let bytes: usize = self.slots.values().map(|slot| slot.cell.get().map_or(0, |kept| kept.bytes)).sum();
        if self.slots.len() < MAX_FILES && bytes < MAX_BYTES {
            return;
        }
        let mut uses: Vec<u64> = self.slots.values().map(|slot| slot.used).collect();
        uses.sort_unstable();
        let middle = uses.get(uses.len() / 2).copied().unwrap_or(0);
        self.slots.retain(|_, slot| slot.used > middle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(cell: &OnceCell<CachedVerdict>, until: Timestamp, bytes: usize) {
        let (robots, rights) = (RobotsFile::default(), FileRules::default());
        let rules = Rules { robots, rights, at: Timestamp(0), maps: Vec::new() };
        let verdict = RobotsVerdict::Rules(Arc::new(rules));
        assert!(cell.set(CachedVerdict { verdict, until, bytes }).is_ok());
    }

    #[test]
    fn the_cache_forgets_what_is_old_and_what_is_not_used() {
        let mut cache = Cache::default();
        let now = Timestamp(1_700_000_000_000);
        filled(&cache.cell("old", now), now, 1);
        assert!(cache.cell("old", now).get().is_none(), "a day has passed");
        for number in 0..MAX_FILES * 2 {
            filled(&cache.cell(&number.to_string(), now), now.plus(CACHE_TIME), 1);
            assert!(cache.cell("0", now).get().is_some(), "used all the time, so kept");
        }
        assert!(cache.slots.len() <= MAX_FILES);
        filled(&cache.cell("large", now), now.plus(CACHE_TIME), MAX_BYTES);
        let before = cache.slots.len();
        let _another = cache.cell("another", now);
        assert!(cache.slots.len() <= before / 2 + 2);
    }
}
