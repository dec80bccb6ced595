//! The network, behind one call, so that a simulated world can take its place.

use std::collections::BTreeMap;
use std::error::Error as _;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use async_trait::async_trait;
use bytes::Bytes;
use newslode_common::config::CrawlerConfig;
pub use reqwest::Response;
use reqwest::header::HeaderValue;
pub use reqwest::header::{self, HeaderMap};
use reqwest::{Client, Proxy, redirect};
use rustls::ClientConfig;
use url::Url;

use crate::error::FetchError;
use crate::guard::AddressGuard;
use crate::site_requests::SiteRequests;
use crate::tls;

/// Most header lines of an answer.
const MOST_HEADERS: usize = 1_000;

/// For how long a host whose HTTP/2 failed is asked with HTTP/1.1, and the most such hosts that are remembered.
const HTTP_1_FOR: Duration = Duration::from_secs(24 * 60 * 60);
const MOST_HTTP_1_HOSTS: usize = 10_000;

/// Sends requests. Redirects are answers and are not followed, and bodies are as they came over the wire.
#[async_trait]
pub trait Web: Send + Sync {
    /// Sends a GET request with these headers beside its own.
    ///
    /// # Errors
    /// When there is no answer. A status is never an error here.
    async fn send(&self, url: &Url, headers: HeaderMap) -> Result<Response, FetchError>;

    /// Adds what the settings of the URL's site add to its requests.
    fn add_site_headers(&self, _url: &Url, _headers: &mut HeaderMap) {}

    /// Whether a browser loads the pages of the URL's site.
    fn renders(&self, _url: &Url) -> bool {
        false
    }

    /// Whether the settings of sites give access to the host of `part`, and to another one than they do for `page`: then a script of
    /// the page must not use it.
    fn is_foreign_account(&self, _page: &Url, _part: &Url) -> bool {
        false
    }

    /// Takes notice that the body of an answer of a URL broke off with this error.
    fn note_broken(&self, _url: &Url, _error: &reqwest::Error) {}

    /// Takes notice of the document that a browser made of the last answer of a URL.
    fn note_rendered(&self, _url: &Url, _document: &Bytes) {}

    /// The address that stands for the server of this URL, if it is known. Hosts of one server have the same.
    async fn address(&self, url: &Url) -> Option<IpAddr>;
}

/// The real network. The [`AddressGuard`] judges every address, also in front of a proxy. None is taken from the
/// environment.
pub struct Internet {
    way: Way,
    /// By the proxies of single sites.
    other_ways: BTreeMap<String, Way>,
    sites: Arc<SiteRequests>,
    /// Hosts whose HTTP/2 may have failed, and when. Some servers offer it, and break each stream; browsers and curl then use HTTP/1.1.
    http_1_hosts: Mutex<BTreeMap<String, Instant>>,
}

/// A client, with or without a proxy.
struct Way {
    client: Client,
    /// Offers no HTTP/2, and makes a connection for each request.
    http_1: Client,
    guard: AddressGuard,
    is_behind_proxy: bool,
}

impl Internet {
    /// # Errors
    /// When the `crawler.user_agent` cannot be used or names no contact, a file that `config` names cannot be used, or TLS
    /// cannot be set up.
    pub fn new(config: &CrawlerConfig) -> anyhow::Result<Internet> {
        let sites = Arc::new(SiteRequests::open(&config.sites_file)?);
        let tls = tls::client_config(&config.ca_file, sites.clone())?;
        let proxy = Some(config.proxy.reveal()).filter(|proxy| !proxy.is_empty());
        let way = Way::new(config, proxy, "crawler.proxy", &tls)?;
        let other = |proxy: &str| {
            anyhow::Ok((proxy.to_owned(), Way::new(config, Some(proxy), "crawler.sites_file", &tls)?))
        };
        let other_ways = sites.proxies().map(other).collect::<anyhow::Result<_>>()?;
        Ok(Internet { way, other_ways, sites, http_1_hosts: Mutex::default() })
    }

    /// Whether the HTTP/2 of this host may have failed within the last day.
    fn needs_http_1(&self, url: &Url) -> bool {
        let hosts = self.http_1_hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = url.host_str().and_then(|host| hosts.get(host));
        failed.is_some_and(|at| at.elapsed() < HTTP_1_FOR)
    }

    /// Remembers the host if its HTTP/2 may be at fault.
    fn note_break(&self, url: &Url, error: &reqwest::Error) {
        if url.scheme() != "https" || self.needs_http_1(url) || !broke(error) {
            return;
        }
        let host = url.host_str().unwrap_or_default();
        tracing::debug!(
            host,
            "an answer broke off, perhaps because of HTTP/2; the host is asked with HTTP/1.1 for a day"
        );
        let mut hosts = self.http_1_hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= MOST_HTTP_1_HOSTS {
            hosts.retain(|_, at| at.elapsed() < HTTP_1_FOR);
        }
        if hosts.len() < MOST_HTTP_1_HOSTS {
            hosts.insert(host.to_owned(), Instant::now());
        }
    }

    /// Logs which sites are trusted without a check.
    pub(crate) fn warn_of_unchecked_certificates(&self) {
        for site in self.sites.with_unchecked_certificates() {
            tracing::warn!(
                site,
                "the certificates of this site and its subdomains are NOT checked, as `crawler.sites_file` says: \
                 anybody between the crawler and the site can read and change the traffic"
            );
        }
    }

    /// Logs that the pages of some sites wait for a browser that is not configured.
    pub(crate) fn warn_of_missing_browser(&self) {
        let sites: Vec<&str> = self.sites.rendered().collect();
        if !sites.is_empty() {
            tracing::warn!(
                sites = sites.join(", "),
                "`crawler.sites_file` says `render = true`, but `crawler.browser` names no browser: pages of these sites are read as the \
                 server sends them"
            );
        }
    }

    fn way(&self, url: &Url) -> &Way {
        self.sites.proxy(url).and_then(|proxy| self.other_ways.get(proxy)).unwrap_or(&self.way)
    }
}

impl Way {
    fn new(
        config: &CrawlerConfig,
        proxy: Option<&str>,
        key: &'static str,
        tls: &ClientConfig,
    ) -> anyhow::Result<Way> {
        let place = proxy.and_then(|proxy| Url::parse(proxy).ok());
        let guard = AddressGuard::new(config.allow_private, &config.resolve)
            .behind(place.as_ref().and_then(Url::host_str));
        let agent = HeaderValue::from_str(&config.agent()?)
            .context("`crawler.user_agent` cannot be sent in a header")?;
        let codings = HeaderValue::from_static("gzip, br, zstd, deflate");
        let mut tls_1 = tls.clone();
        tls_1.alpn_protocols = vec![b"http/1.1".to_vec()];
        // The error would show the URL with its password.
        let proxy = proxy
            .map(|proxy| Proxy::all(proxy).ok().with_context(|| format!("`{key}`: a proxy cannot be used")))
            .transpose()?;
        let is_behind_proxy = proxy.is_some();
        let builder = |tls: ClientConfig| {
            let client = Client::builder()
                .user_agent(agent.clone())
                .default_headers(HeaderMap::from_iter([(header::ACCEPT_ENCODING, codings.clone())]))
                .dns_resolver(Arc::new(guard.clone()))
                .no_proxy()
                .tls_backend_preconfigured(tls)
                // What browsers and curl take. The client joins folded lines, and leaves out lines that are none.
                .http1_allow_obsolete_multiline_headers_in_responses(true)
                .http1_allow_spaces_after_header_name_in_responses(true)
                .http1_ignore_invalid_headers_in_responses(true)
                .http1_max_headers(MOST_HEADERS)
                .referer(false)
                .redirect(redirect::Policy::none())
                .connect_timeout(Duration::from_millis(config.connect_timeout_ms))
                // Politeness spaces out the requests to a site, so few connections last until the next one.
                .pool_max_idle_per_host(2)
                .pool_idle_timeout(Duration::from_secs(15));
            match &proxy {
                Some(proxy) => client.proxy(proxy.clone()),
                None => client,
            }
        };
        let client = builder(tls.clone()).build().context("cannot set up the HTTP client")?;
        let http_1 = builder(tls_1)
            .http1_only()
            .pool_max_idle_per_host(0)
            .build()
            .context("cannot set up the HTTP client")?;
        Ok(Way { client, http_1, guard, is_behind_proxy })
    }
}

/// Whether a connection or a stream broke that had been made, so that a new one may be better: the server may have closed it while it
/// was idle, or its HTTP/2 is at fault.
fn broke(error: &reqwest::Error) -> bool {
    if error.is_connect() || error.is_timeout() {
        return false;
    }
    let mut source = error.source();
    while let Some(cause) = source {
        if cause.is::<h2::Error>() {
            return true;
        }
        if let Some(error) = cause.downcast_ref::<hyper::Error>()
            && (error.is_incomplete_message() || error.is_closed() || error.is_canceled())
        {
            return true;
        }
        if let Some(error) = cause.downcast_ref::<io::Error>() {
            return matches!(
                error.kind(),
                io::ErrorKind::ConnectionReset
                    | io::ErrorKind::ConnectionAborted
                    | io::ErrorKind::BrokenPipe
                    | io::ErrorKind::UnexpectedEof
            );
        }
        source = cause.source();
    }
    false
}

#[async_trait]
impl Web for Internet {
    fn add_site_headers(&self, url: &Url, headers: &mut HeaderMap) {
        self.sites.add_to(url, headers);
    }

    fn renders(&self, url: &Url) -> bool {
        self.sites.renders(url)
    }

    fn is_foreign_account(&self, page: &Url, part: &Url) -> bool {
        let account = self.sites.account(part);
        account.is_some() && account != self.sites.account(page)
    }

    async fn address(&self, url: &Url) -> Option<IpAddr> {
        let guard = &self.way(url).guard;
        if guard.is_one_for_all(url.host_str().unwrap_or_default()) {
            return None;
        }
        // Servers name their addresses in another order each time.
        guard.judge(url).await.ok()?.into_iter().min()
    }

    async fn send(&self, url: &Url, mut headers: HeaderMap) -> Result<Response, FetchError> {
        let Way { client, http_1, guard, is_behind_proxy } = self.way(url);
        if *is_behind_proxy {
            guard.judge(url).await?;
        } else {
            guard.check_url(url)?;
        }
        self.sites.add_to(url, &mut headers);
        let get =
            |client: &Client| client.get(without_credentials(url.clone())).headers(headers.clone()).send();
        let sent = match get(if self.needs_http_1(url) { http_1 } else { client }).await {
            // Nothing was answered: it is sent once more on a new connection, as browsers do.
            Err(error) if broke(&error) => {
                self.note_break(url, &error);
                get(http_1).await
            }
            sent => sent,
        };
        sent.map_err(|error| FetchError::of_client(url, error))
    }

    fn note_broken(&self, url: &Url, error: &reqwest::Error) {
        self.note_break(url, error);
    }
}

/// The URL without user and password, which the client would send: nobody gave us any to use, so they are another site's
/// words.
#[must_use]
pub fn without_credentials(mut url: Url) -> Url {
    // Only a URL without a host can have none, and refuses.
    url.set_username("").ok();
    url.set_password(None).ok();
    url
}

/// An answer that did not come over a network. A status or header that HTTP does not know is left out.
#[must_use]
pub fn response(status: u16, headers: &[(&'static str, String)], body: Vec<u8>) -> Response {
    let mut answer = http::Response::new(body);
    if let Ok(status) = http::StatusCode::from_u16(status) {
        *answer.status_mut() = status;
    }
    for (name, value) in headers {
        if let Ok(value) = HeaderValue::from_str(value) {
            answer.headers_mut().append(*name, value);
        }
    }
    answer.into()
}
