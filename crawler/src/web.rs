//! The network, behind one call, so that a simulated world can take its place.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use async_trait::async_trait;
use newslode_common::config::CrawlerConfig;
use newslode_common::tls;
pub use reqwest::Response;
use reqwest::header::HeaderValue;
pub use reqwest::header::{self, HeaderMap};
use reqwest::{Client, Proxy, redirect};
use url::Url;

use crate::error::FetchError;
use crate::guard::AddressGuard;

/// Most header lines of an answer.
const MOST_HEADERS: usize = 1_000;

/// Sends requests. Redirects are answers and are not followed, and bodies are as they came over the wire.
#[async_trait]
pub trait Web: Send + Sync {
    /// Sends a GET request with these headers beside its own.
    ///
    /// # Errors
    /// When there is no answer. A status is never an error here.
    async fn send(&self, url: &Url, headers: HeaderMap) -> Result<Response, FetchError>;

    /// The address that stands for the server of this URL, if it is known. Hosts of one server have the same.
    async fn address(&self, url: &Url) -> Option<IpAddr>;
}

/// The real network. The [`AddressGuard`] judges every address, also in front of a proxy. None is taken from the
/// environment.
pub struct Internet {
    client: Client,
    guard: AddressGuard,
    is_behind_proxy: bool,
}

impl Internet {
    /// # Errors
    /// When the `crawler.user_agent` cannot be used or names no contact, or TLS cannot be set up.
    pub fn new(config: &CrawlerConfig) -> anyhow::Result<Internet> {
        let proxy = Some(config.proxy.reveal()).filter(|proxy| !proxy.is_empty());
        let place = proxy.and_then(|proxy| Url::parse(proxy).ok());
        let guard = AddressGuard::new(config.allow_private, &config.resolve)
            .behind(place.as_ref().and_then(Url::host_str));
        let agent = HeaderValue::from_str(&config.agent()?)
            .context("`crawler.user_agent` cannot be sent in a header")?;
        let codings = HeaderValue::from_static("gzip, br, zstd, deflate");
        tls::ready();
        let mut client = Client::builder()
            .user_agent(agent)
            .default_headers(HeaderMap::from_iter([(header::ACCEPT_ENCODING, codings)]))
            .dns_resolver(Arc::new(guard.clone()))
            .no_proxy()
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
        if let Some(proxy) = proxy {
            // The error would show the URL with its password.
            let proxy = Proxy::all(proxy).ok().context("`crawler.proxy` cannot be used")?;
            client = client.proxy(proxy);
        }
        let client = client.build().context("cannot set up the HTTP client")?;
        Ok(Internet { client, guard, is_behind_proxy: proxy.is_some() })
    }
}

#[async_trait]
impl Web for Internet {
    async fn address(&self, url: &Url) -> Option<IpAddr> {
        if self.guard.is_one_for_all(url.host_str().unwrap_or_default()) {
            return None;
        }
        // Servers name their addresses in another order each time.
        self.guard.judge(url).await.ok()?.into_iter().min()
    }

    async fn send(&self, url: &Url, headers: HeaderMap) -> Result<Response, FetchError> {
        if self.is_behind_proxy {
            self.guard.judge(url).await?;
        } else {
            self.guard.check_url(url)?;
        }
        let sent = self.client.get(without_credentials(url.clone())).headers(headers).send().await;
        sent.map_err(|error| FetchError::of_client(url, error))
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
