//! Pages that scripts make, loaded by a browser (`crawler.browser`, and `render = true` in `crawler.sites_file`).
//!
//! The crawler fetches a page as always: robots.txt, delay, allowance, address guard, redirects and statuses are those of any
//! request. Only then the browser gets its bytes, runs its scripts, and returns the document that these made. The parts that
//! the scripts ask for (scripts, styles, data) are fetched by the crawler, too, each after its host's robots.txt, at most two
//! at a time from a host, within the limits below. The browser itself reaches no network: see `page`. Before the first page,
//! and whenever the browser was started again, `probe` proves that.
//!
//! Invariant: what a browser does or does not do says nothing of a site. Start at [`Renderer::load`].

mod devtools;
mod page;
mod probe;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use newslode_common::config::CrawlerConfig;
use newslode_page::reading::decode;
use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use tokio::sync::Semaphore;
use url::Url;

use crate::error::with_causes;
use crate::fetch::Fetcher;
use crate::robots::{Robots, RobotsVerdict};
use devtools::Browser;
pub(crate) use page::PageError;
use page::{BEFORE_SCRIPTS, Budget, Given, Limits, Part, PartAnswer, Parts};

/// The type of every rendered page.
pub(crate) const CONTENT_TYPE: &str = "text/html; charset=utf-8";

/// Pages that are loaded at once by this process.
const AT_ONCE: usize = 4;
/// Longest wait for one of these places.
const PLACE: Duration = Duration::from_secs(30);
/// After this long a page is taken as it is.
const ENOUGH: Duration = Duration::from_secs(15);
/// After this long a page hangs.
const LONGEST: Duration = Duration::from_secs(25);
/// A page may be complete when nothing was asked for and nothing changed for this long.
const QUIET: Duration = Duration::from_millis(500);
/// Longest wait for a page that changes all the time.
const SETTLES: Duration = Duration::from_secs(4);
/// Parts that are fetched from one host at once.
const AT_ONCE_OF_HOST: usize = 2;
/// Parts of a page.
const MOST_PARTS: usize = 200;
/// Hosts that the parts of a page come from.
const MOST_HOSTS: usize = 20;
/// Bytes of one part, and of all parts of a page, after decompression.
const MOST_BYTES_OF_PART: usize = 8 << 20;
const MOST_BYTES: usize = 32 << 20;
/// Headers of a request that a script may set: how many, and their bytes.
const MOST_HEADERS: usize = 16;
const MOST_HEADER_BYTES: usize = 4_096;

/// Why a page was not loaded by the browser.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RenderError {
    /// The browser is not there. Nothing is known of the page.
    #[error("the browser at `crawler.browser` is away: {0}")]
    Away(String),
    /// The browser ended while it loaded the page, perhaps because of it.
    #[error("the browser at `crawler.browser` ended while it loaded `{url}`: {reason}")]
    Lost { url: Url, reason: String },
    /// Too many other pages are loaded.
    #[error("the browser at `crawler.browser` is busy")]
    Busy,
    /// The page does not load.
    #[error("`{url}` cannot be loaded by the browser: {reason}")]
    Page { url: Url, reason: PageError },
}

/// The browser that loads pages.
pub(crate) struct Renderer {
    browser: Browser,
    places: Semaphore,
    checked: tokio::sync::Mutex<Option<Checked>>,
    limits: Limits,
}

/// What the probe found of one process of the browser.
struct Checked {
    endpoint: String,
    is_safe: bool,
}

impl Renderer {
    /// The browser that the configuration names, if any.
    pub(crate) fn of(config: &CrawlerConfig) -> Option<Renderer> {
        if config.browser.is_empty() {
            return None;
        }
        let browser = match Browser::new(&config.browser) {
            Ok(browser) => browser,
            Err(error) => {
                tracing::error!(
                    error = format!("{error:#}"),
                    "`crawler.browser` cannot be used, so no page is rendered"
                );
                return None;
            }
        };
        let document = usize::try_from(config.max_page_bytes).unwrap_or(usize::MAX);
        let limits = Limits { enough: ENOUGH, longest: LONGEST, quiet: QUIET, settles: SETTLES, document };
        let (places, checked) = (Semaphore::new(AT_ONCE), tokio::sync::Mutex::new(None));
        Some(Renderer { browser, places, checked, limits })
    }

    /// The endpoint of the browser; `None` if the probe found that this browser reaches the network by itself, so that no page may
    /// be loaded. A browser that was started anew is probed first.
    ///
    /// # Errors
    /// When the browser is away.
    pub(crate) async fn endpoint(&self) -> Result<Option<String>, RenderError> {
        let away = |error: &dyn std::error::Error| RenderError::Away(with_causes(error));
        let endpoint = self.browser.endpoint().await.map_err(|error| away(&error))?;
        let mut checked = self.checked.lock().await;
        if let Some(known) = checked.as_ref().filter(|known| known.endpoint == endpoint) {
            return Ok(known.is_safe.then_some(endpoint));
        }
        let attempts = probe::probe(&self.browser, &endpoint, BEFORE_SCRIPTS, self.limits)
            .await
            .map_err(|error| away(&error))?;
        let open: Vec<&str> =
            attempts.iter().filter(|attempt| !attempt.is_refused).map(|attempt| attempt.name).collect();
        let is_safe = open.is_empty();
        if is_safe {
            tracing::info!(attempts = attempts.len(), "the browser reaches the network by the crawler alone");
        } else {
            tracing::error!(
                "the browser at `crawler.browser` reaches addresses past the crawler ({}), so it loads no page; pages of sites \
                 with `render = true` are read as the server sends them. Start Chromium as docs/guide/rendering.md says",
                open.join(", ")
            );
        }
        *checked = Some(Checked { endpoint: endpoint.clone(), is_safe });
        Ok(is_safe.then_some(endpoint))
    }

    /// The document that the scripts of a page make, as HTML in UTF-8.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) async fn load(
        &self,
        endpoint: &str,
        url: &Url,
        content_type: Option<&str>,
        body: &[u8],
        fetcher: &Fetcher,
        robots: &Robots,
    ) -> Result<Bytes, RenderError> {
        let place = tokio::time::timeout(PLACE, self.places.acquire()).await;
        let _place = place.map_err(|_| RenderError::Busy)?.map_err(|_| RenderError::Busy)?;
        // Scripts without an encoding of their own have that of the page, which browsers guess worse.
        let kind = content_type.and_then(|kind| kind.split(';').next()).unwrap_or("text/html");
        let content_type = format!("{kind}; charset={}", decode(body, content_type).encoding);
        let given = Given { url, content_type: &content_type, body, before: BEFORE_SCRIPTS };
        let parts = SiteParts {
            page: url,
            browser_port: self.browser.port(),
            fetcher,
            robots,
            count: Budget::default(),
            bytes: Budget::default(),
            hosts: Mutex::default(),
        };
        match page::load(&self.browser, endpoint, given, &parts, self.limits).await {
            Ok(loaded) => {
                tracing::debug!(%url, bytes = loaded.html.len(), refused = loaded.refused.len(), "loaded by the browser");
                Ok(loaded.html.into())
            }
            Err(PageError::Browser(error)) if !error.is_of_page() => {
                Err(RenderError::Lost { url: url.clone(), reason: with_causes(&error) })
            }
            Err(reason) => Err(RenderError::Page { url: url.clone(), reason }),
        }
    }
}

/// Fetches the parts of a page as the crawler fetches pages.
struct SiteParts<'p> {
    page: &'p Url,
    browser_port: u16,
    fetcher: &'p Fetcher,
    robots: &'p Robots,
    count: Budget,
    bytes: Budget,
    /// The turns of each host.
    hosts: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// Headers that a script may not set for a request of the crawler, beside those that begin with `sec-` or `proxy-`.
const OWN_HEADERS: [&str; 14] = [
    "accept-encoding",
    "connection",
    "content-length",
    "cookie",
    "expect",
    "host",
    "keep-alive",
    "range",
    "referer",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
];

/// Headers of an answer that the browser does not get: what belongs to the connection, and what lasts or asks for more requests.
const DROPPED_HEADERS: [&str; 14] = [
    "alt-svc",
    "connection",
    "content-encoding",
    "content-length",
    "content-security-policy",
    "content-security-policy-report-only",
    "keep-alive",
    "link",
    "nel",
    "report-to",
    "reporting-endpoints",
    "set-cookie",
    "strict-transport-security",
    "transfer-encoding",
];

#[async_trait]
impl Parts for SiteParts<'_> {
    async fn answer(&self, part: Part) -> Option<PartAnswer> {
        let url = part.url.to_string();
        let answer = self.fetch(part).await;
        match &answer {
            Ok(answer) => {
                tracing::trace!(page = %self.page, url, status = answer.status, "a part was fetched")
            }
            Err(reason) => tracing::debug!(page = %self.page, url, reason, "a part is refused"),
        }
        answer.ok()
    }
}

impl SiteParts<'_> {
    /// Fetches a part, or says why not.
    async fn fetch(&self, part: Part) -> Result<PartAnswer, String> {
        if !matches!(part.kind.as_str(), "Script" | "Stylesheet" | "XHR" | "Fetch" | "Preflight") {
            return Err(format!("{} is of no use for the text", part.kind));
        }
        let header = |wanted: &str| {
            let found = part.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
            found.map(|(_, value)| value.as_str())
        };
        if header("accept").is_some_and(|accept| accept.contains("text/event-stream")) {
            return Err("a stream has no end".into());
        }
        let is_of_browser = part.url.port_or_known_default() == Some(self.browser_port)
            && part.url.host_str().is_some_and(|host| {
                let host = host.trim_matches(['[', ']']);
                host == "localhost"
                    || host.ends_with(".localhost")
                    || host.parse::<std::net::IpAddr>().is_ok_and(crate::guard::is_reserved)
            });
        if is_of_browser {
            return Err("it is the browser's own address".into());
        }
        if !self.count.take(1, MOST_PARTS) {
            return Err(format!("a page may have {MOST_PARTS} parts"));
        }
        if part.method == "OPTIONS" {
            return preflight(header("origin"), header("access-control-request-headers"));
        }
        if part.method != "GET" {
            return Err("only GET is sent".into());
        }
        if self.fetcher.is_foreign_account(self.page, &part.url) {
            return Err("`crawler.sites_file` gives access to another site than the page's".into());
        }
        let turns = self.turns(part.url.host_str().unwrap_or_default())?;
        let _turn = turns.acquire().await.map_err(|error| error.to_string())?;
        match self.robots.verdict_of(&part.url).await.0 {
            RobotsVerdict::Rules(rules) if rules.robots.allows(&part.url) => {}
            RobotsVerdict::Rules(_) => return Err("robots.txt forbids it".into()),
            RobotsVerdict::Unreachable { reason, .. } => return Err(with_causes(&*reason)),
        }
        let sent = request_headers(&part.headers);
        let fetched = self.fetcher.part(&part.url, sent, MOST_BYTES_OF_PART as u64).await;
        let raw = fetched.map_err(|error| with_causes(&error))?;
        if !self.bytes.take(raw.body.len(), MOST_BYTES) {
            return Err(format!("the parts of a page may have {MOST_BYTES} bytes"));
        }
        let headers = raw.headers.iter().filter(|(name, _)| !DROPPED_HEADERS.contains(&name.as_str()));
        let headers = headers
            .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())));
        Ok(PartAnswer { status: raw.status.as_u16(), headers: headers.collect(), body: raw.body })
    }

    /// The turns of a host.
    fn turns(&self, host: &str) -> Result<Arc<Semaphore>, String> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(turns) = hosts.get(host) {
            return Ok(Arc::clone(turns));
        }
        if hosts.len() >= MOST_HOSTS {
            return Err(format!("the parts of a page may come from {MOST_HOSTS} hosts"));
        }
        let turns = Arc::new(Semaphore::new(AT_ONCE_OF_HOST));
        hosts.insert(host.to_owned(), Arc::clone(&turns));
        Ok(turns)
    }
}

/// Lets a script send a GET request with headers of its own to another host. Whether it may read the answer, that host says in the
/// answer.
fn preflight(origin: Option<&str>, headers: Option<&str>) -> Result<PartAnswer, String> {
    let origin = origin.ok_or("a preflight without an origin")?;
    let allowed = [
        ("access-control-allow-origin", origin),
        ("access-control-allow-methods", "GET"),
        ("access-control-allow-headers", headers.unwrap_or_default()),
        ("access-control-allow-credentials", "true"),
    ];
    let headers = allowed.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    Ok(PartAnswer { status: 204, headers, ..PartAnswer::default() })
}

/// The headers of a script's request that the crawler sends.
fn request_headers(asked: &[(String, String)]) -> HeaderMap {
    let mut sent = HeaderMap::from_iter([(header::ACCEPT, HeaderValue::from_static("*/*"))]);
    let mut bytes = 0;
    for (name, value) in asked {
        let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value))
        else {
            continue;
        };
        let is_own = OWN_HEADERS.contains(&name.as_str())
            || name.as_str().starts_with("sec-")
            || name.as_str().starts_with("proxy-");
        bytes += name.as_str().len() + value.len();
        if !is_own && sent.len() < MOST_HEADERS && bytes <= MOST_HEADER_BYTES {
            sent.insert(name, value);
        }
    }
    sent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_sets_neither_who_asks_nor_what_gives_access() {
        let asked = [
            ("User-Agent", "Mozilla"),
            ("Cookie", "sid=1"),
            ("Sec-Fetch-Mode", "cors"),
            ("Proxy-Authorization", "x"),
            ("Host", "b.test"),
            ("X-Api-Key", "k"),
            ("Origin", "https://a.test"),
            ("Accept", "application/json"),
            ("bad name", "x"),
        ];
        let asked = asked.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let sent = request_headers(&asked);
        let mut names: Vec<&str> = sent.keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["accept", "origin", "x-api-key"]);
        assert_eq!(sent[header::ACCEPT], "application/json");
        let many: Vec<_> = (0..100).map(|n| (format!("x-{n}"), "v".repeat(100))).collect();
        assert!(request_headers(&many).len() <= MOST_HEADERS);
    }
}
