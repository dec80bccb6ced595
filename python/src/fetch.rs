//! `fetch`: one page by the crawler's own request, with its robots.txt, delay, limits and address guard.
//!
//! Nothing outlives a call but a table of when each site may be asked again and of the robots.txt files that were read. Each
//! call builds a runtime on the caller's thread and a client, and drops both: importing the package starts no thread, and a
//! child of a fork shares no connection with its parent. The table is locked only while the interpreter's lock is held, without
//! which no fork begins.
//!
//! Invariant: every request, also those for robots.txt and behind a redirect, waits for its site's turn and passes the guard.
//! Start at [`fetch`].

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;
use newslode_common::config::CrawlerConfig;
use newslode_common::store::{Expired, Kind, PageArchive, StoreResult};
use newslode_common::time::{self, Clock};
use newslode_common::version::ContentHash;
use newslode_crawler::error::{FetchError as Failure, with_causes};
use newslode_crawler::fetch::{Fetcher, RawReply};
use newslode_crawler::robots::{Robots, RobotsVerdict, Rules};
use newslode_crawler::web::{Internet, header, without_credentials};
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use url::Url;

use crate::errors::{Disallowed, FetchError, message};
use crate::guard::guarded;
use crate::input::Address;
use crate::response::Response;

/// Redirects that are followed.
const MAX_REDIRECTS: usize = 5;
/// Longest `Crawl-delay` that is honoured, and longest time for which a robots.txt is used.
const LONGEST_DELAY: Duration = Duration::from_secs(30);
const ROBOTS_MS: u64 = 24 * 3_600_000;
/// Most sites and origins that are kept. Beyond it the table begins anew.
const MOST_KEPT: usize = 10_000;
/// Largest limits that a caller may set.
const LARGEST_BODY: u64 = 64 << 20;
const LONGEST_TIME: f64 = 600.0;
/// How often the interpreter is asked whether somebody pressed Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(50);

/// What calls know of each other.
#[derive(Default)]
struct Known {
    /// When a site may be asked next.
    turns: HashMap<Site, Instant>,
    /// By origin and by name of the robot.
    robots: HashMap<(String, String), Arc<Rules>>,
}

/// Runs `work` on the shared table while holding the interpreter's lock.
fn with_known<T>(work: impl FnOnce(&mut Known) -> T) -> T {
    static KNOWN: Mutex<Option<Known>> = Mutex::new(None);
    Python::attach(|_| {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        work(known.get_or_insert_default())
    })
}

/// Fetches a page as Newslode's crawler does, and returns the server's answer, which `extract` and the other functions take in
/// the place of HTML.
///
/// The site's robots.txt is asked for first and heeded; `Disallowed` is raised if it does not allow the page, or cannot be read.
/// Requests to one site start `delay` seconds apart, or as far as `Crawl-delay` asks (at most 30 s): the call waits. That holds
/// within one process. Up to five redirects are followed, each under the same rules. The answer has at most `max_bytes`
/// after decompression and takes at most `timeout` seconds. Addresses that are not public are refused unless
/// `allow_private=True`. No proxy or other setting is taken from the environment.
///
/// `contact` is your URL or mail address, which servers are sent with the name of the program (`user_agent`); it may be left out
/// with `allow_private=True` alone.
///
/// Raises `FetchError` if there is no answer. An answer of any status is returned; one that is no success has an empty body.
///
/// >>> import newslode
/// >>> newslode.fetch("http://127.0.0.1/", contact="desk@example.org")
/// Traceback (most recent call last):
///     ...
/// newslode.FetchError: `127.0.0.1` is a private or reserved address, or leads to one; `allow_private=True` allows such addresses
#[pyfunction]
#[pyo3(signature = (
    url, *, contact=None, user_agent=None, delay=1.0, timeout=20.0, max_bytes=10485760, allow_private=false
))]
#[allow(clippy::needless_pass_by_value, clippy::too_many_arguments, reason = "arguments from Python")]
pub(crate) fn fetch(
    py: Python<'_>,
    url: Address,
    contact: Option<String>,
    user_agent: Option<String>,
    delay: f64,
    timeout: f64,
    max_bytes: u64,
    allow_private: bool,
) -> PyResult<Response> {
    let is_delay = (0.0..=LONGEST_TIME).contains(&delay);
    let is_time = timeout > 0.0 && timeout <= LONGEST_TIME;
    if !(is_delay && is_time && (1..=LARGEST_BODY).contains(&max_bytes)) {
        return Err(PyValueError::new_err(format!(
            "`delay` is 0 to {LONGEST_TIME} seconds, `timeout` up to {LONGEST_TIME} and more than 0, and `max_bytes` 1 to {LARGEST_BODY}"
        )));
    }
    let mut config = CrawlerConfig {
        contact: contact.unwrap_or_default(),
        timeout_ms: (timeout * 1e3).ceil() as u64,
        connect_timeout_ms: ((timeout * 1e3).ceil() as u64).min(CrawlerConfig::default().connect_timeout_ms),
        max_page_bytes: max_bytes,
        // Sites are spaced by the table.
        address_delay_ms: 0,
        allow_private,
        ..CrawlerConfig::default()
    };
    if let Some(agent) = user_agent {
        config.user_agent = agent;
    }
    check_contact(&config)?;
    let delay = Duration::from_secs_f64(delay);
    let Address(url) = url;
    guarded(py, || run(config, delay, url.to_url()))?
}

/// Checks that servers are told whom to turn to.
fn check_contact(config: &CrawlerConfig) -> PyResult<()> {
    if config.contact.is_empty() && config.allow_private {
        return Ok(());
    }
    // An agent's name that is a contact needs no other.
    let named = CrawlerConfig { user_agent: config.contact.clone(), ..CrawlerConfig::default() };
    if config.contact.is_empty() || named.agent().is_err() {
        return Err(PyValueError::new_err(
            "`contact` must be a URL or mail address of yours, so that sites know whom to turn to: \
             contact=\"https://example.org/crawler\" or contact=\"crawler@example.org\"",
        ));
    }
    Ok(())
}

/// Runs the fetch on this thread, and ends it when somebody presses Ctrl-C.
fn run(config: CrawlerConfig, delay: Duration, url: Url) -> PyResult<Response> {
    let unusable = |error: anyhow::Error| PyValueError::new_err(message(format!("{error:#}")));
    let internet = Internet::new(&config).map_err(unusable)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build();
    let runtime = runtime.map_err(|error| FetchError::new_err(message(format!("cannot start: {error}"))))?;
    let fetcher = Fetcher::new(Arc::new(internet), Clock::Machine, &config);
    let robots = Robots::new(fetcher.clone(), Clock::Machine, &config, Arc::new(NoArchive));
    let visit = Visit {
        fetcher,
        robots,
        delay,
        token: config.product_token().to_owned(),
        most: config.max_page_bytes,
    };
    let done = runtime.block_on(async {
        let work = visit.follow(url);
        tokio::pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return done,
                () = tokio::time::sleep(PATIENCE) => Python::attach(|py| py.check_signals())?,
            }
        }
    });
    // A look-up of a name may still be under way on a thread of the runtime; nobody needs to wait for it.
    runtime.shutdown_background();
    done
}

/// One call.
struct Visit {
    fetcher: Fetcher,
    robots: Robots,
    delay: Duration,
    token: String,
    most: u64,
}

impl Visit {
    /// Asks for a page, and for those that it leads to.
    async fn follow(&self, start: Url) -> PyResult<Response> {
        let mut url = without_credentials(start.clone());
        let mut redirects = Vec::new();
        loop {
            let rules = self.rules(&url).await?;
            if !rules.robots.allows(&url) {
                return Err(Disallowed::new_err(message(format!("robots.txt does not allow `{url}`"))));
            }
            let asked_for = rules.robots.crawl_delay().unwrap_or_default().min(LONGEST_DELAY);
            self.wait_for_turn(&url, self.delay.max(asked_for)).await;
            let asking = self.fetcher.raw(&url, self.most.saturating_add(1));
            let RawReply { status, headers, body } =
                self.fetcher.within(&url, asking).await.map_err(failed)?;
            let location = headers.get(header::LOCATION).and_then(|location| location.to_str().ok());
            let is_redirect = matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308);
            if let Some(location) = location.filter(|_| is_redirect) {
                redirects.push(url.to_string());
                if redirects.len() > MAX_REDIRECTS {
                    let told = format!("`{start}` redirects more than {MAX_REDIRECTS} times");
                    return Err(FetchError::new_err(message(told)));
                }
                url = target(&url, location)?;
                continue;
            }
            if body.len() as u64 > self.most {
                let told =
                    format!("`{url}` is larger than {} bytes; `max_bytes` takes larger pages", self.most);
                return Err(FetchError::new_err(message(told)));
            }
            let mut lines: Vec<(String, String)> = Vec::new();
            for (name, value) in &headers {
                let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
                match lines.iter_mut().find(|(known, _)| known == name.as_str()) {
                    Some((_, known)) => *known = format!("{known}, {value}"),
                    None => lines.push((name.as_str().to_owned(), value)),
                }
            }
            return Ok(Response::new(url, status.as_u16(), lines, body, redirects));
        }
    }

    /// What the robots.txt of a page's origin says, if it can be read.
    async fn rules(&self, url: &Url) -> PyResult<Arc<Rules>> {
        let key = (url.origin().ascii_serialization(), self.token.clone());
        let fresh = |rules: &&Arc<Rules>| time::now().0.saturating_sub(rules.at.0) < ROBOTS_MS;
        if let Some(rules) = with_known(|known| known.robots.get(&key).filter(fresh).cloned()) {
            return Ok(rules);
        }
        self.wait_for_turn(url, self.delay).await;
        match self.robots.verdict_of(url).await.0 {
            RobotsVerdict::Rules(rules) => {
                with_known(|known| {
                    if known.robots.len() >= MOST_KEPT {
                        known.robots.clear();
                    }
                    known.robots.insert(key, rules.clone());
                });
                Ok(rules)
            }
            RobotsVerdict::Unreachable { reason, .. } => match &*reason {
                // Nothing was asked, so nothing was answered.
                Failure::PrivateAddress(_) | Failure::Connect { .. } | Failure::Tls { .. } => {
                    Err(failed_of(&reason))
                }
                reason => Err(Disallowed::new_err(message(format!(
                    "the robots.txt of `{url}` cannot be read, so nothing is allowed for now: {}",
                    with_causes(reason)
                )))),
            },
        }
    }

    /// Books the next turn of a URL's site and waits for it.
    async fn wait_for_turn(&self, url: &Url, delay: Duration) {
        let site = Site::of_host(url.host_str().unwrap_or_default());
        let now = Instant::now();
        let turn = with_known(|known| {
            if known.turns.len() >= MOST_KEPT {
                known.turns.retain(|_, free| *free > now);
            }
            let last = known.turns.get(&site).copied();
            let turn = last.map_or(now, |last| now.max(last));
            known.turns.insert(site, turn + delay);
            turn
        });
        tokio::time::sleep_until(turn.into()).await;
    }
}

/// Where a redirect leads.
fn target(at: &Url, location: &str) -> PyResult<Url> {
    let target = at.join(location).ok().filter(|target| matches!(target.scheme(), "http" | "https"));
    let Some(mut target) = target else {
        let told = format!("`{at}` redirects to `{location}`, which is not a web page");
        return Err(FetchError::new_err(message(told)));
    };
    target.set_fragment(None);
    Ok(without_credentials(target))
}

fn failed(error: Failure) -> PyErr {
    failed_of(&error)
}

fn failed_of(error: &Failure) -> PyErr {
    let told = match error {
        Failure::PrivateAddress(private) => format!(
            "`{}` is a private or reserved address, or leads to one; `allow_private=True` allows such addresses",
            private.host
        ),
        other => with_causes(other),
    };
    FetchError::new_err(message(told))
}

/// Keeps nothing: calls share what they need of robots.txt in memory.
struct NoArchive;

#[async_trait]
impl PageArchive for NoArchive {
    async fn put(
        &self,
        _kind: Kind,
        _content: ContentHash,
        _bytes: Bytes,
        _now: Timestamp,
    ) -> StoreResult<()> {
        Ok(())
    }

    async fn get(&self, _kind: Kind, _content: ContentHash) -> StoreResult<Option<Bytes>> {
        Ok(None)
    }

    async fn delete(&self, _kind: Kind, _content: ContentHash) -> StoreResult<()> {
        Ok(())
    }

    async fn expire(&self, _before: Timestamp) -> StoreResult<Expired> {
        Ok(Expired::default())
    }
}
