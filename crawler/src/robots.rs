//! What robots.txt allows (RFC 9309), per origin. [`file`](mod@file) reads the file itself.
//!
//! A file is fetched once, even if many workers want it at the same time, and kept for a day. 4xx and endless
//! redirects allow everything. 5xx, 429 and network failures disallow everything, for as long as the server
//! asks or for one retry wait; then the file is asked for again. The first 500 KiB of a file count. The cache
//! has limits on files and bytes: the least recently used files go first.
//!
//! Invariant: no page of an origin is fetched before its robots.txt has answered. Start at [`Robots::verdict_of`].

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use newslode_common::config::CrawlerConfig;
use newslode_common::time::Clock;
use newslode_page::reading::{CanonicalUrl, canonical};
use newslode_page::time::Timestamp;
use tokio::sync::OnceCell;
use url::Url;

use crate::error::{FetchError, with_causes};
use crate::fetch::{self, Fetcher};
use crate::listing::discover::in_robots;
use crate::web::without_credentials;

pub use file::RobotsFile;

pub mod file;

/// Time that a file is kept (RFC 9309, section 2.4).
const CACHE_TIME: Duration = Duration::from_secs(86_400);
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
    /// The maps that it names.
    pub maps: Vec<CanonicalUrl>,
}

struct CachedVerdict {
    verdict: RobotsVerdict,
    until: Timestamp,
    bytes: usize,
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
}

impl Robots {
    /// Asks for files through this fetcher.
    #[must_use]
    pub fn new(fetcher: Fetcher, clock: Clock, config: &CrawlerConfig) -> Robots {
        let token = config.product_token().to_owned();
        let retry = Duration::from_millis(config.retry_ms);
        Robots { fetcher, clock, token, retry, cache: Mutex::default() }
    }

    /// The verdict of the robots.txt of this URL's origin, and whether this call fetched the file.
    pub async fn verdict_of(&self, url: &Url) -> (RobotsVerdict, bool) {
        let origin = url.origin().ascii_serialization();
        let now = self.clock.now();
        let cell = self.cache.lock().unwrap_or_else(PoisonError::into_inner).cell(&origin, now);
        let mut asked = false;
        let asking = || {
            asked = true;
            self.fetch_verdict(url)
        };
        let verdict = cell.get_or_init(asking).await.verdict.clone();
        (verdict, asked)
    }

    /// Whether the verdict of this URL's origin is known, so that asking for it needs no request.
    pub(crate) fn is_known(&self, url: &Url) -> bool {
        let (origin, now) = (url.origin().ascii_serialization(), self.clock.now());
        let cell = self.cache.lock().unwrap_or_else(PoisonError::into_inner).cell(&origin, now);
        cell.initialized()
    }

    async fn fetch_verdict(&self, url: &Url) -> CachedVerdict {
        match self.fetch_text(url).await {
            Ok(text) => {
                // Half a megabyte of rules takes milliseconds to parse, so that happens off the reactor.
                let token = self.token.clone();
                let place = canonical(url);
                let parsed = tokio::task::spawn_blocking(move || {
                    let maps = place.map(|place| in_robots(&text, &place));
                    let robots = RobotsFile::parse(&text, &token);
                    Rules { robots, maps: maps.unwrap_or_default() }
                });
                // A panic in the parser disallows everything.
                let nothing = |_| Rules { robots: RobotsFile::disallow_all(), maps: Vec::new() };
                let rules = parsed.await.unwrap_or_else(nothing);
                let bytes = rules.robots.memory();
                CachedVerdict {
                    verdict: RobotsVerdict::Rules(Arc::new(rules)),
                    until: self.clock.now().plus(CACHE_TIME),
                    bytes,
                }
            }
            Err(reason) => {
                let wait = reason.robots_wait(self.retry);
                let until = self.clock.now().plus(wait);
                tracing::debug!(%url, error = with_causes(&reason), "robots.txt cannot be fetched");
                CachedVerdict {
                    verdict: RobotsVerdict::Unreachable { reason: Arc::new(reason), until },
                    until,
                    bytes: 0,
                }
            }
        }
    }

    /// The text of the file; empty (everything is allowed) if there is none.
    async fn fetch_text(&self, page: &Url) -> Result<Vec<u8>, FetchError> {
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
                        200..=299 => return Ok(raw.body.to_vec()),
                        300..=399 => match redirect_target(&url, &raw.headers) {
                            Some(target) => url = target,
                            None => return Ok(Vec::new()),
                        },
                        429 | 503 => return Err(self.fetcher.busy(&url, raw.status, &raw.headers)),
                        500..=599 => {
                            return Err(FetchError::Server { url, status: raw.status.as_u16() });
                        }
                        _ => return Ok(Vec::new()),
                    }
                }
                Ok(Vec::new())
            })
            .await
    }
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
        let rules = Rules { robots: RobotsFile::default(), maps: Vec::new() };
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
