//! One request, one answer, within limits of time and size.
//!
//! [`Fetcher`] asks the [`Web`]. Redirects are values and are never followed here. Bytes are counted as they come and as they
//! are unpacked, so neither a large page nor a small one that unpacks to gigabytes takes more memory than twice the limit.
//! If a body ends too early, the part that arrived is kept and marked as cut. A body of an unwanted type is not read.
//!
//! Start at [`Fetcher::page`]. [`Fetcher::raw`] serves robots.txt.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use newslode_common::coding::{self, CodingError, Decoded, End};
use newslode_common::config::CrawlerConfig;
use newslode_common::rights::Rights;
use newslode_common::store::Validators;
use newslode_common::time::Clock;
use newslode_page::reading::{CanonicalUrl, Listed, resolve};
use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Response, StatusCode};
use url::Url;

use crate::directives::Directives;
use crate::error::{FetchError, with_causes};
use crate::gate::Gate;
use crate::html::{is_html_type, looks_like_html};
use crate::link_header::links;
use crate::listing::sniff;
use crate::retry_after;
use crate::rights::{self, Reader};
use crate::web::Web;

const ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// A body as it was fetched, and what its headers say.
#[derive(Clone, Debug)]
pub struct FetchedBody {
    /// The `Content-Type` header.
    pub content_type: Option<String>,
    /// The body after decoding the content encoding.
    pub body: Bytes,
    /// What `X-Robots-Tag` asks for.
    pub directives: Directives,
    /// What its headers say of the uses of the page.
    pub rights: Rights,
    /// The `Refresh` header.
    pub refresh: Option<String>,
    /// The WebSub hubs that its `Link` headers name.
    pub hubs: Vec<CanonicalUrl>,
    /// Whether the body ended too early.
    pub is_cut: bool,
    /// Whether the body is the document that a browser made of the server's answer.
    pub rendered: bool,
    /// What a listing says of the page, once a visit has looked it up.
    pub listed: Option<Listed>,
}

/// A server's answer to a request for a page.
#[derive(Debug)]
pub enum Answer {
    /// An HTML page, or the listing that was wanted.
    Page {
        /// The body, and what its headers say.
        fetched: Box<FetchedBody>,
        /// The validators for the next request.
        validators: Validators,
    },
    /// 304 to a conditional request.
    NotModified {
        /// The validators for the next request.
        validators: Validators,
    },
    /// A 3xx.
    Redirect {
        /// The `Location`, as written.
        location: String,
        /// The values of `Set-Cookie`.
        cookies: Vec<String>,
        /// Whether it says that the page has moved for good (301, 308).
        is_permanent: bool,
    },
    /// 404 or 410.
    Gone,
    /// Any other status that is neither a success nor a server error.
    Refused(u16),
    /// A success, but not HTML.
    NotHtml,
    /// An HTML page of white space only.
    Empty,
}

/// A server's answer, and what it says beside it.
#[derive(Debug)]
pub struct Reply {
    /// The answer, or why there is none.
    pub answer: Result<Answer, FetchError>,
    /// The wait that `Retry-After` asks for, from now. Not of 429 and 503, which hold it themselves.
    pub retry_after: Option<Duration>,
}

/// Status, headers and the first bytes of any answer.
#[derive(Debug)]
pub struct RawReply {
    /// Status.
    pub status: StatusCode,
    /// Headers.
    pub headers: HeaderMap,
    /// At most as many bytes as were asked for.
    pub body: Bytes,
}

/// Sends requests. Cheap to clone.
#[derive(Clone)]
pub struct Fetcher {
    web: Arc<dyn Web>,
    clock: Clock,
    token: Arc<str>,
    gate: Arc<Gate>,
    timeout: Duration,
    max_bytes: u64,
}

/// What an answer may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// An HTML page.
    Page,
    /// An HTML page, a feed or a map.
    Listing,
    /// The same, but of what may be either, a feed or a map.
    Feed,
}

impl Wanted {
    /// The `Accept` header. Some servers choose between a page and its feed by it.
    fn accept(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Wanted::Page | Wanted::Listing => "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1",
            Wanted::Feed => {
                "application/rss+xml,application/atom+xml,application/feed+json,application/xml;q=0.9,\
                 text/xml;q=0.9,application/json;q=0.5,text/html;q=0.2,*/*;q=0.1"
            }
        })
    }
}

/// Minimum limit for a feed or sitemap, in bytes: the largest size that the sitemap protocol allows.
const LONGEST_LISTING: u64 = 50 << 20;

impl Fetcher {
    /// Sends its requests over this network, and reads the time from this clock.
    #[must_use]
    pub fn new(web: Arc<dyn Web>, clock: Clock, config: &CrawlerConfig) -> Fetcher {
        let timeout = Duration::from_millis(config.timeout_ms);
        let token = config.product_token().into();
        let gate = Arc::new(Gate::new(Duration::from_millis(config.address_delay_ms)));
        Fetcher { web, clock, token, gate, timeout, max_bytes: config.max_page_bytes }
    }

    /// Longest time for one answer.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Requests a page, conditionally if there are validators.
    pub async fn page(&self, url: &Url, validators: &Validators, wanted: Wanted) -> Reply {
        self.page_with(url, validators, wanted, "").await
    }

    /// The same with a `Cookie` header, unless that is empty.
    pub(crate) async fn page_with(
        &self,
        url: &Url,
        validators: &Validators,
        wanted: Wanted,
        cookies: &str,
    ) -> Reply {
        self.take_turn(url).await;
        let mut retry_after = None;
        let asking = async {
            let mut sent = HeaderMap::from_iter([(header::ACCEPT, wanted.accept())]);
            let conditions = [
                (header::IF_NONE_MATCH, &validators.etag),
                (header::IF_MODIFIED_SINCE, &validators.last_modified),
                (header::COOKIE, &(!cookies.is_empty()).then(|| cookies.to_owned())),
            ];
            let conditions = conditions
                .into_iter()
                .filter_map(|(name, value)| Some((name, HeaderValue::from_str(value.as_deref()?).ok()?)));
            sent.extend(conditions);
            let response = self.web.send(url, sent).await?;
            retry_after = self.retry_after(response.headers());
            self.judge(url, response, validators, wanted).await
        };
        let answer = self.within(url, asking).await;
        let is_told = matches!(answer, Err(FetchError::Busy { .. }));
        Reply { answer, retry_after: retry_after.filter(|_| !is_told) }
    }

    /// Requests any URL and reads the first `most` bytes of the answer. Has no time limit of its own.
    ///
    /// # Errors
    /// When there is no answer. A status is never an error here.
    pub async fn raw(&self, url: &Url, most: u64) -> Result<RawReply, FetchError> {
        self.take_turn(url).await;
        let response = self.web.send(url, HeaderMap::new()).await?;
        let has_body = response.status().is_success();
        raw_reply(self.web.as_ref(), url, response, most, has_body).await.map(|(reply, _)| reply)
    }

    /// Requests a part of a page that a browser loads: at most `most` bytes. Its turn is that of the page.
    pub(crate) async fn part(
        &self,
        url: &Url,
        headers: HeaderMap,
        most: u64,
    ) -> Result<RawReply, FetchError> {
        let asking = async {
            let response = self.web.send(url, headers).await?;
            let has_body = !response.status().is_redirection();
            match raw_reply(self.web.as_ref(), url, response, most, has_body).await? {
                (_, End::OverLimit) => Err(FetchError::TooLarge { url: url.clone(), limit: most }),
                (reply, _) => Ok(reply),
            }
        };
        self.within(url, asking).await
    }

    /// As [`Web::renders`].
    pub(crate) fn renders(&self, url: &Url) -> bool {
        self.web.renders(url)
    }

    /// As [`Web::is_foreign_account`].
    pub(crate) fn is_foreign_account(&self, page: &Url, part: &Url) -> bool {
        self.web.is_foreign_account(page, part)
    }

    /// As [`Web::note_rendered`].
    pub(crate) fn note_rendered(&self, url: &Url, document: &Bytes) {
        self.web.note_rendered(url, document);
    }

    /// Waits until the URL's address may be asked, and books that turn.
    async fn take_turn(&self, url: &Url) {
        if let Some(address) = self.address(url).await {
            let wait = self.gate.book(address, self.clock.now());
            if !wait.is_zero() {
                self.clock.sleep(wait).await;
            }
        }
    }

    /// How long other requests have booked the URL's address, from now.
    pub(crate) async fn address_wait(&self, url: &Url) -> Duration {
        let wait = |address| self.gate.wait(address, self.clock.now());
        self.address(url).await.map_or(Duration::ZERO, wait)
    }

    async fn address(&self, url: &Url) -> Option<IpAddr> {
        if self.gate.is_open() { None } else { self.web.address(url).await }
    }

    /// Runs `work` on `url` within the time limit.
    ///
    /// # Errors
    /// [`FetchError::Timeout`], and the errors of `work`.
    pub async fn within<T>(
        &self,
        url: &Url,
        work: impl Future<Output = Result<T, FetchError>>,
    ) -> Result<T, FetchError> {
        let late = |_| FetchError::Timeout { url: url.clone(), limit: self.timeout };
        tokio::time::timeout(self.timeout, work).await.map_err(late)?
    }

    /// The error for a 429 or 503.
    pub(crate) fn busy(&self, url: &Url, status: StatusCode, headers: &HeaderMap) -> FetchError {
        FetchError::Busy { url: url.clone(), status: status.as_u16(), retry_after: self.retry_after(headers) }
    }

    fn retry_after(&self, headers: &HeaderMap) -> Option<Duration> {
        retry_after::parse(&header_text(headers, &header::RETRY_AFTER)?, self.clock.now())
    }

    fn directives(&self, headers: &HeaderMap) -> Directives {
        let values = headers.get_all(ROBOTS_TAG).iter().filter_map(|value| value.to_str().ok());
        Directives::of_headers(values, &self.token, self.clock.now())
    }

    fn rights(&self, url: &Url, headers: &HeaderMap) -> Rights {
        let texts = headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
        rights::of_headers(texts, url, Reader { token: &self.token, at: self.clock.now() })
    }

    async fn judge(
        &self,
        url: &Url,
        response: Response,
        sent: &Validators,
        wanted: Wanted,
    ) -> Result<Answer, FetchError> {
        let status = response.status();
        match status.as_u16() {
            200..=299 => self.read_page(url, response, wanted).await,
            304 if sent.etag.is_some() || sent.last_modified.is_some() => {
                let new = validators_in(response.headers());
                Ok(Answer::NotModified {
                    validators: Validators {
                        etag: new.etag.or_else(|| sent.etag.clone()),
                        last_modified: new.last_modified.or_else(|| sent.last_modified.clone()),
                    },
                })
            }
            // Nobody asked whether it changed.
            304 => Ok(Answer::Refused(304)),
            300..=303 | 307 | 308 => match redirect_location(response.headers()) {
                Some(location) => {
                    let cookies = response.headers().get_all(header::SET_COOKIE).iter();
                    let cookies =
                        cookies.filter_map(|cookie| cookie.to_str().ok().map(str::to_owned)).collect();
                    let is_permanent = matches!(status.as_u16(), 301 | 308);
                    Ok(Answer::Redirect { location, cookies, is_permanent })
                }
                // It leads nowhere, which says nothing of its site.
                None => Ok(Answer::Refused(status.as_u16())),
            },
            404 | 410 => Ok(Answer::Gone),
            429 | 503 => Err(self.busy(url, status, response.headers())),
            500..=599 => Err(FetchError::Server { url: url.clone(), status: status.as_u16() }),
            other => Ok(Answer::Refused(other)),
        }
    }

    async fn read_page(&self, url: &Url, response: Response, wanted: Wanted) -> Result<Answer, FetchError> {
        let any = wanted != Wanted::Page;
        let content_type = content_type(response.headers());
        let validators = validators_in(response.headers());
        let directives = self.directives(response.headers());
        let rights = self.rights(url, response.headers());
        let refresh = header_text(response.headers(), &header::REFRESH);
        let is_part = is_part(response.status(), response.headers());
        let hubs = hubs(url, response.headers());
        if !any && content_type.as_deref().is_some_and(|value| !is_html_type(value)) {
            return Ok(Answer::NotHtml);
        }
        let too_large = || FetchError::TooLarge { url: url.clone(), limit: self.max_bytes };
        if !any && response.content_length().is_some_and(|length| length > self.max_bytes) {
            return Err(too_large());
        }
        // A sitemap may be larger than a page, and whether this is one shows only in its bytes. A longer one is cut, since what
        // was read of it is of use.
        let most = if any { self.max_bytes.max(LONGEST_LISTING) } else { self.max_bytes };
        let Decoded { bytes: body, end } = read_body(self.web.as_ref(), url, response, most).await?;
        let is_listing = any && sniff(content_type.as_deref(), &body);
        if (end == End::OverLimit || body.len() as u64 > self.max_bytes) && !is_listing {
            return Err(too_large());
        }
        let is_cut = end == End::Cut || is_part;
        if body.trim_ascii().is_empty() {
            return if is_cut {
                Err(FetchError::Broken { url: url.clone(), reason: CUT.into() })
            } else {
                Ok(Answer::Empty)
            };
        }
        // Without a type the first bytes decide.
        if !any && content_type.is_none() && !looks_like_html(&body) {
            return Ok(Answer::NotHtml);
        }
        let fetched = FetchedBody {
            content_type,
            body: body.into(),
            directives,
            rights,
            refresh,
            hubs,
            is_cut,
            rendered: false,
            listed: None,
        };
        Ok(Answer::Page { fetched: Box::new(fetched), validators })
    }
}

/// Hubs that are read of an answer.
const MOST_HUBS: usize = 10;
/// Why a body that ends too early is broken.
const CUT: &str = "it ended too early";
/// A body of more bytes than this is unpacked off the reactor.
const UNPACKED_HERE: usize = 64 << 10;

/// An answer with its body, unless that is of no use, and how the body ended. One that ended too early is an error.
async fn raw_reply(
    web: &dyn Web,
    url: &Url,
    response: Response,
    most: u64,
    has_body: bool,
) -> Result<(RawReply, End), FetchError> {
    let (status, headers) = (response.status(), response.headers().clone());
    if !has_body {
        return Ok((RawReply { status, headers, body: Bytes::new() }, End::Whole));
    }
    let is_part = is_part(status, &headers);
    let Decoded { bytes, end } = read_body(web, url, response, most).await?;
    match end {
        _ if is_part => Err(FetchError::Broken { url: url.clone(), reason: "it is a part".into() }),
        End::Cut => Err(FetchError::Broken { url: url.clone(), reason: CUT.into() }),
        End::Whole | End::OverLimit => Ok((RawReply { status, headers, body: bytes.into() }, end)),
    }
}

/// Reads a body and undoes its codings: at most `most` bytes, before and after.
async fn read_body(
    web: &dyn Web,
    url: &Url,
    mut response: Response,
    most: u64,
) -> Result<Decoded, FetchError> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let codings: Vec<String> = response
        .headers()
        .get_all(header::CONTENT_ENCODING)
        .iter()
        .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
        .collect();
    let (mut body, mut end) = (Vec::new(), End::Whole);
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => break,
            // The connection broke, or the length or the chunks are not what they say.
            Err(error) if body.is_empty() => {
                web.note_broken(url, &error);
                return Err(FetchError::of_client(url, error));
            }
            Err(error) => {
                web.note_broken(url, &error);
                let error = with_causes(&error.without_url());
                tracing::debug!(%url, error, bytes = body.len(), "an answer ended too early; what came is kept");
                end = End::Cut;
                break;
            }
        }
        if body.len() > most {
            body.truncate(most);
            end = End::OverLimit;
            break;
        }
    }
    let is_small = body.len() <= UNPACKED_HERE;
    let unpacking = move || coding::decode(codings.iter().map(String::as_str), body, most);
    let unpacked = match is_small {
        true => unpacking(),
        false => tokio::task::spawn_blocking(unpacking).await.unwrap_or(Err(CodingError::Broken("content"))),
    };
    let unpacked =
        unpacked.map_err(|error| FetchError::Broken { url: url.clone(), reason: error.to_string() })?;
    // If the transfer was cut, the unpacked body is cut as well.
    let end = if unpacked.end == End::Whole { end } else { unpacked.end };
    Ok(Decoded { end, ..unpacked })
}

fn header_text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let value = String::from_utf8_lossy(headers.get(name)?.as_bytes()).trim().to_owned();
    if value.is_empty() { None } else { Some(value) }
}

/// The WebSub hubs that an answer's `Link` headers name, at most [`MOST_HUBS`].
fn hubs(url: &Url, headers: &HeaderMap) -> Vec<CanonicalUrl> {
    let values: Vec<_> =
        headers.get_all(header::LINK).iter().map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
    let links = values.iter().flat_map(|value| links(value));
    let hubs = links.filter(|link| link.has_rel("hub")).filter_map(|link| resolve(url, link.target));
    hubs.take(MOST_HUBS).collect()
}

/// The last `Content-Type` that names a type, as browsers take it: servers send several headers, or several types in one.
/// `None` if none does, so that the bytes decide.
fn content_type(headers: &HeaderMap) -> Option<String> {
    let values: Vec<String> = headers
        .get_all(header::CONTENT_TYPE)
        .iter()
        .map(|value| String::from_utf8_lossy(value.as_bytes()).trim().to_owned())
        .collect();
    last_type(values.iter().flat_map(|value| value.split(',')))
}

/// The last of these texts that begins like a media type.
fn last_type<'v>(values: impl Iterator<Item = &'v str>) -> Option<String> {
    let is_token = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
    };
    let is_type = |value: &&str| {
        let essence = value.split(';').next().unwrap_or_default().trim();
        essence
            .split_once('/')
            .is_some_and(|(kind, form)| is_token(kind) && is_token(form) && essence != "*/*")
    };
    let essence = |value: &str| value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let has_charset = |value: &str| value.to_ascii_lowercase().contains("charset=");
    let types: Vec<&str> = values.map(str::trim).filter(is_type).collect();
    let last = *types.last()?;
    // The encoding holds for the same type said again without one.
    let with_charset = types.iter().rev().find(|value| has_charset(value) && essence(value) == essence(last));
    Some(with_charset.filter(|_| !has_charset(last)).map_or(last, |value| *value).to_owned())
}

/// The target of a redirect. Bytes that are no UTF-8 are escaped, as browsers do.
pub(crate) fn redirect_location(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::LOCATION)?.as_bytes().trim_ascii();
    let escaped = |byte: &u8| match byte {
        0x80.. => format!("%{byte:02X}"),
        _ => char::from(*byte).to_string(),
    };
    let location = String::from_utf8(value.to_vec()).unwrap_or_else(|_| value.iter().map(escaped).collect());
    (!location.is_empty()).then_some(location)
}

/// Whether an answer says that its body is a part of what is there, though nobody asked for a part.
fn is_part(status: StatusCode, headers: &HeaderMap) -> bool {
    let is_whole = |range: String| {
        let range = range.trim_start().strip_prefix("bytes")?.trim_start().strip_prefix("0-")?.to_owned();
        let (last, length) = range.split_once('/')?;
        let (last, length) = (last.trim().parse::<u64>().ok()?, length.trim().parse::<u64>().ok()?);
        (last.checked_add(1)? == length).then_some(())
    };
    status == StatusCode::PARTIAL_CONTENT
        && header_text(headers, &header::CONTENT_RANGE).and_then(is_whole).is_none()
}

fn validators_in(headers: &HeaderMap) -> Validators {
    Validators {
        etag: header_text(headers, &header::ETAG),
        last_modified: header_text(headers, &header::LAST_MODIFIED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_may_hold_any_bytes() {
        for (value, wanted) in [
            (&b"/a b"[..], Some("/a b")),
            (b" //b.test/x\t", Some("//b.test/x")),
            ("http://münchen.test/é".as_bytes(), Some("http://münchen.test/é")),
            (b"/caf\xe9?q=\xff", Some("/caf%E9?q=%FF")),
            (b"", None),
            (b"  ", None),
        ] {
            let headers = HeaderMap::from_iter([(header::LOCATION, HeaderValue::from_bytes(value).unwrap())]);
            assert_eq!(redirect_location(&headers).as_deref(), wanted);
        }
        assert_eq!(redirect_location(&HeaderMap::new()), None);
    }

    #[test]
    fn an_answer_to_a_range_that_nobody_asked_for_is_a_part_unless_it_is_all() {
        for (status, range, wanted) in [
            (206, "bytes 0-99/100", false),
            (206, "Bytes=0-99/100", true),
            (206, "bytes 0-98/100", true),
            (206, "bytes 5-99/100", true),
            (206, "bytes 0-99/*", true),
            (206, "", true),
            (200, "bytes 0-98/100", false),
        ] {
            let headers = HeaderMap::from_iter([(header::CONTENT_RANGE, HeaderValue::from_static(range))]);
            let found = is_part(StatusCode::from_u16(status).unwrap(), &headers);
            assert_eq!(found, wanted, "{status} {range}");
        }
    }

    #[test]
    fn the_last_type_that_is_one_counts() {
        for (values, wanted) in [
            (&["text/html"][..], Some("text/html")),
            (&["text/html", "text/html; charset=utf-8"], Some("text/html; charset=utf-8")),
            (&["text/html; charset=utf-8, text/html"], Some("text/html; charset=utf-8")),
            (&["text/plain", "TEXT/HTML ; q=1"], Some("TEXT/HTML ; q=1")),
            (&["application/pdf; charset=x", "text/html"], Some("text/html")),
            (&["text/html, junk", ""], Some("text/html")),
            (&["html"], None),
            (&["*/*", "text/", "a b/c"], None),
            (&[], None),
        ] {
            let all = values.iter().flat_map(|value| value.split(','));
            assert_eq!(last_type(all).as_deref(), wanted, "{values:?}");
        }
    }
}
