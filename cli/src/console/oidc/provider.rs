//! The provider as the console asks it: what it is, which keys it has, and what a code is worth.
//!
//! Every question has a time limit and a limit of bytes, follows no redirect, and goes to an address with TLS (a provider on this machine may do
//! without). Answers about the provider itself are kept for an hour, and longer while it does not answer. Keys are looked
//! for again when a token names an unknown one, but not more often than every [`KEYS_AGAIN`], so that tokens without a fitting key do not
//! make the console ask all the time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jsonwebtoken::jwk::Jwk;
use reqwest::{RequestBuilder, header, redirect};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::sync::Mutex;
use url::{Host, Url};

/// Time for a connection, and for a whole answer.
const CONNECT: Duration = Duration::from_secs(4);
const ANSWER: Duration = Duration::from_secs(8);
/// The most bytes of an answer.
const MOST: usize = 1 << 20;
/// The most keys that are kept.
const MOST_KEYS: usize = 100;
/// Answers are kept for so long.
const KEPT: Duration = Duration::from_secs(3_600);
/// After a failure the provider is left alone for so long.
const FAILED: Duration = Duration::from_secs(3);
/// The least time between two looks for new keys.
const KEYS_AGAIN: Duration = Duration::from_secs(10);

/// Why the provider is of no use now.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(in crate::console) struct ProviderError(String);

/// Why a code brings no token.
pub(super) enum ExchangeError {
    /// The provider does not know it, or it was used.
    Unknown,
    Provider(ProviderError),
}

impl From<ProviderError> for ExchangeError {
    fn from(error: ProviderError) -> ExchangeError {
        ExchangeError::Provider(error)
    }
}

/// The console as the provider knows it.
pub(super) struct Client<'a> {
    pub(super) id: &'a str,
    pub(super) secret: Option<&'a str>,
    pub(super) redirect: &'a str,
}

/// What a provider says of itself.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Metadata {
    issuer: String,
    pub(super) authorization_endpoint: Url,
    token_endpoint: Url,
    jwks_uri: Url,
    pub(super) end_session_endpoint: Option<Url>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
}

/// Something that was asked for, when, and how the last question ended.
struct Kept<T> {
    held: Option<(Instant, Arc<T>)>,
    failed: Option<(Instant, ProviderError)>,
}

impl<T> Default for Kept<T> {
    fn default() -> Kept<T> {
        Kept { held: None, failed: None }
    }
}

impl<T> Kept<T> {
    /// What is kept, asked for again if it is older than `oldest`. While the provider fails, the old answer counts.
    async fn get(
        &mut self,
        oldest: Duration,
        ask: impl Future<Output = Result<T, ProviderError>>,
    ) -> Result<Arc<T>, ProviderError> {
        let held = self.held.as_ref();
        if let Some((_, held)) = held.filter(|(at, _)| at.elapsed() < oldest) {
            return Ok(held.clone());
        }
        let failed = self.failed.as_ref().filter(|(at, _)| at.elapsed() < FAILED);
        let error = match failed {
            Some((_, error)) => error.clone(),
            None => match ask.await {
                Ok(fresh) => {
                    let fresh = Arc::new(fresh);
                    *self = Kept { held: Some((Instant::now(), fresh.clone())), failed: None };
                    return Ok(fresh);
                }
                Err(error) => {
                    tracing::warn!("the OpenID Connect provider fails: {error}");
                    self.failed = Some((Instant::now(), error.clone()));
                    error
                }
            },
        };
        self.held.as_ref().map(|(_, held)| held.clone()).ok_or(error)
    }
}

pub(super) struct Provider {
    issuer: String,
    /// The issuer's host.
    host: String,
    /// Whether it is on this machine and speaks plain HTTP.
    is_local: bool,
    http: reqwest::Client,
    metadata: Mutex<Kept<Metadata>>,
    keys: Mutex<Kept<Vec<Jwk>>>,
}

impl Provider {
    pub(super) fn new(issuer: &str) -> Result<Provider, reqwest::Error> {
        newslode_common::tls::ready();
        let client = reqwest::Client::builder()
            .connect_timeout(CONNECT)
            .timeout(ANSWER)
            .redirect(redirect::Policy::none())
            .user_agent(concat!("newslode/", env!("CARGO_PKG_VERSION")));
        let url = Url::parse(issuer).ok();
        Ok(Provider {
            issuer: issuer.to_owned(),
            host: url.as_ref().and_then(Url::host_str).unwrap_or(issuer).to_owned(),
            is_local: url.is_some_and(|url| url.scheme() == "http"),
            http: client.build()?,
            metadata: Mutex::default(),
            keys: Mutex::default(),
        })
    }

    pub(super) fn host(&self) -> &str {
        &self.host
    }

    /// What the provider says of itself (OpenID Connect Discovery 1.0).
    pub(super) async fn metadata(&self) -> Result<Arc<Metadata>, ProviderError> {
        self.metadata.lock().await.get(KEPT, self.discover()).await
    }

    async fn discover(&self) -> Result<Metadata, ProviderError> {
        let url = format!("{}/.well-known/openid-configuration", self.issuer.trim_end_matches('/'));
        let metadata: Metadata = self.json(self.http.get(&url), &url).await?;
        if metadata.issuer != self.issuer {
            return Err(ProviderError(format!(
                "it calls itself `{}`, not `{}`: name it so, by --oidc-issuer",
                metadata.issuer, self.issuer
            )));
        }
        let ends = metadata.end_session_endpoint.as_ref();
        for url in [&metadata.authorization_endpoint, &metadata.token_endpoint, &metadata.jwks_uri]
            .into_iter()
            .chain(ends)
        {
            if !is_private(url, self.is_local) {
                return Err(ProviderError(format!("it names `{url}`, which is no https address")));
            }
        }
        Ok(metadata)
    }

    /// The provider's keys; newer ones if `again`.
    pub(super) async fn keys(&self, again: bool) -> Result<Arc<Vec<Jwk>>, ProviderError> {
        let url = self.metadata().await?.jwks_uri.clone();
        let oldest = if again { KEYS_AGAIN } else { KEPT };
        self.keys.lock().await.get(oldest, self.fetch_keys(url)).await
    }

    async fn fetch_keys(&self, url: Url) -> Result<Vec<Jwk>, ProviderError> {
        #[derive(Deserialize)]
        struct KeySet {
            keys: Vec<serde_json::Value>,
        }
        let set: KeySet = self.json(self.http.get(url.clone()), url.as_str()).await?;
        // Keys of kinds that nobody here knows are no error.
        let keys = set.keys.into_iter().take(MOST_KEYS).filter_map(|key| serde_json::from_value(key).ok());
        Ok(keys.collect())
    }

    /// The ID token for a code.
    pub(super) async fn exchange(
        &self,
        console: &Client<'_>,
        code: &str,
        verifier: &str,
    ) -> Result<String, ExchangeError> {
        #[derive(Deserialize)]
        struct Tokens {
            id_token: Option<String>,
        }
        let metadata = self.metadata().await?;
        let request = self.token_request(&metadata, console, code, verifier);
        let url = metadata.token_endpoint.as_str();
        let (status, body) = self.ask(request, url).await?;
        if status.is_success() {
            let tokens: Tokens = parse(&body, url)?;
            let none = || ProviderError(format!("`{url}` answers without an ID token"));
            return Ok(tokens.id_token.ok_or_else(none)?);
        }
        #[derive(Deserialize)]
        struct Refusal {
            error: String,
        }
        match serde_json::from_slice::<Refusal>(&body) {
            Ok(refusal) if refusal.error == "invalid_grant" => Err(ExchangeError::Unknown),
            Ok(refusal) => {
                let error: String =
                    refusal.error.chars().filter(|letter| letter.is_ascii_graphic()).take(60).collect();
                let error = ProviderError(format!("it refuses this console: {error}"));
                tracing::warn!("the OpenID Connect provider fails: {error}");
                Err(error.into())
            }
            Err(_) => Err(ProviderError(format!("`{url}` answers with status {status}")).into()),
        }
    }

    /// Asks what a code is worth, with the console's own secret in the way that the provider takes.
    fn token_request(
        &self,
        metadata: &Metadata,
        console: &Client<'_>,
        code: &str,
        verifier: &str,
    ) -> RequestBuilder {
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.append_pair("grant_type", "authorization_code")
            .append_pair("code", code)
            .append_pair("redirect_uri", console.redirect)
            .append_pair("code_verifier", verifier);
        let methods = metadata.token_endpoint_auth_methods_supported.as_deref();
        let takes_basic =
            methods.is_none_or(|methods| methods.iter().any(|method| method == "client_secret_basic"));
        let request = self
            .http
            .post(metadata.token_endpoint.clone())
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(header::ACCEPT, "application/json");
        let id = console.id;
        let request = match console.secret {
            Some(secret) if takes_basic => {
                let encode =
                    |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
                request.basic_auth(encode(id), Some(encode(secret)))
            }
            Some(secret) => {
                form.append_pair("client_id", id).append_pair("client_secret", secret);
                request
            }
            None => {
                form.append_pair("client_id", id);
                request
            }
        };
        request.body(form.finish())
    }

    async fn json<T: DeserializeOwned>(
        &self,
        request: RequestBuilder,
        url: &str,
    ) -> Result<T, ProviderError> {
        let (status, body) = self.ask(request, url).await?;
        if !status.is_success() {
            return Err(ProviderError(format!("`{url}` answers with status {status}")));
        }
        parse(&body, url)
    }

    /// The status and the body of an answer.
    async fn ask(
        &self,
        request: RequestBuilder,
        url: &str,
    ) -> Result<(reqwest::StatusCode, Vec<u8>), ProviderError> {
        let failed = |error: reqwest::Error| {
            let error = anyhow::Error::from(error.without_url());
            ProviderError(newslode_common::tls::with_remedy(&format!("`{url}` does not answer: {error:#}")))
        };
        let mut response = request.send().await.map_err(failed)?;
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(failed)? {
            body.extend_from_slice(&piece);
            if body.len() > MOST {
                return Err(ProviderError(format!("`{url}` answers with more than {} KiB", MOST >> 10)));
            }
        }
        Ok((response.status(), body))
    }
}

fn parse<T: DeserializeOwned>(body: &[u8], url: &str) -> Result<T, ProviderError> {
    serde_json::from_slice(body)
        .map_err(|error| ProviderError(format!("`{url}` answers with something else: {error}")))
}

/// Whether what is sent to an address can be read by its owner alone.
fn is_private(url: &Url, is_local: bool) -> bool {
    url.scheme() == "https" || (is_local && is_loopback(url))
}

/// Whether an address is on this machine.
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(addr)) => addr.is_loopback(),
        Some(Host::Ipv6(addr)) => addr.is_loopback(),
        None => false,
    }
}

/// Whether an issuer can be asked: over TLS, or on this machine.
pub(crate) fn is_issuer(issuer: &Url) -> bool {
    let is_plain = issuer.scheme() == "http" && is_loopback(issuer);
    (issuer.scheme() == "https" || is_plain) && issuer.query().is_none() && issuer.fragment().is_none()
}
