//! Signing in through an identity provider: OpenID Connect's authorization code flow with PKCE.
//!
//! A browser is sent to the provider with a state, a nonce and a challenge, all derived from one secret that a cookie keeps in that
//! browser. It comes back with the state and a code; the console exchanges the code for an ID token and checks it ([`id_token`]).
//! A claim of the token gives a role, and [`Access`](super::access::Access) begins a session of the usual kind. Nothing is kept here between
//! the two, so no stranger can fill a memory, and a console that was started again can finish what it began.
//!
//! Invariant: whatever a browser sends, a session begins only with a token that the provider signed for this console and for this
//! browser's attempt. The provider is asked within limits ([`provider`]), and one that is down takes nothing else with it.
//! Start at [`Oidc::begin`] and [`Oidc::finish`].

mod id_token;
mod provider;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use tokio::sync::Semaphore;
use url::Url;

use self::id_token::{Claims, Expected, Unproved};
pub(crate) use self::provider::is_issuer;
use self::provider::{Client, ExchangeError, Provider, ProviderError};
use super::access::Counted;
use super::shares::Shares;
use crate::queries::tokens::{Role, hash_of, random_secret};

/// Where a sign-in begins.
pub(in crate::console) const BEGIN: &str = "/session/oidc";
/// Where the provider sends browsers back.
pub(crate) const CALLBACK: &str = "/session/oidc/callback";
/// The cookie that keeps the secret of an attempt.
pub(in crate::console) const COOKIE: &str = "newslode_oidc";
/// The time for an attempt.
pub(in crate::console) const ATTEMPT: Duration = Duration::from_secs(600);
/// The most codes that are exchanged at once, in all and for a client: strangers can send any code, and each asks the provider.
const AT_ONCE: usize = 16;
const AT_ONCE_OF_CLIENT: usize = 4;
/// The longest wait for such a place.
const TURN: Duration = Duration::from_secs(5);

/// How people sign in at the provider.
#[derive(Clone, Debug)]
pub(crate) struct OidcOptions {
    /// The provider, exactly as its tokens name it.
    pub(crate) issuer: String,
    /// What the provider calls this console.
    pub(crate) client_id: String,
    /// The file with the secret that the console shows to the provider; `None`: the provider knows it as a public client.
    pub(crate) client_secret_file: Option<PathBuf>,
    /// The address to which the provider sends browsers back.
    pub(crate) redirect: Url,
    /// Scopes beside `openid` and `email`.
    pub(crate) scopes: Vec<String>,
    /// The claim whose values give a role. Dots lead into objects.
    pub(crate) claim: String,
    /// Values that let somebody read, and write.
    pub(crate) read: Vec<String>,
    pub(crate) write: Vec<String>,
}

/// Why somebody was not signed in.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::console) enum SignInError {
    /// What the browser brought proves nothing.
    #[error("{0}")]
    Wrong(String),
    /// The provider knows this person, but no value of the claim gives a role.
    #[error("no value of the claim gives {name} a role")]
    NoRole {
        /// The person's name.
        name: String,
    },
    /// Too many others sign in at this moment.
    #[error("too many sign in at once")]
    Busy,
    /// The provider cannot be asked, or refuses this console.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// The secret of the console or randomness cannot be read.
    #[error("{0}")]
    Ours(String),
}

/// Somebody whom the provider vouched for.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::console) struct Person {
    /// The name in the audit log and in limits: `oidc:` and an address of mail that was verified, otherwise the subject.
    pub(in crate::console) name: String,
    pub(in crate::console) subject: String,
    pub(in crate::console) role: Role,
}

/// An attempt that began.
pub(in crate::console) struct Attempt {
    /// The provider's page.
    pub(in crate::console) location: String,
    /// What the browser's cookie must say when it comes back.
    pub(in crate::console) secret: String,
}

/// Signs people in through a provider.
pub(in crate::console) struct Oidc {
    options: OidcOptions,
    provider: Provider,
    exchanging: Arc<Shares>,
    turns: Semaphore,
}

impl Oidc {
    /// # Errors
    /// When no client can be made, as without certificates of the system.
    pub(in crate::console) fn new(options: OidcOptions) -> Result<Oidc, reqwest::Error> {
        id_token::use_ring();
        let provider = Provider::new(&options.issuer)?;
        Ok(Oidc { options, provider, exchanging: Arc::default(), turns: Semaphore::new(AT_ONCE) })
    }

    /// The provider's name for people.
    pub(in crate::console) fn name(&self) -> &str {
        self.provider.host()
    }

    /// The console's own address, from which a sign-in must begin.
    pub(in crate::console) fn public_address(&self) -> String {
        self.options.redirect.origin().ascii_serialization()
    }

    /// Asks the provider what it is, so that a mistake is logged at the start and not at the first sign-in.
    pub(in crate::console) async fn warn_early(&self) {
        if let Err(error) = self.provider.metadata().await {
            tracing::warn!("nobody can sign in through `{}` yet: {error}", self.options.issuer);
        }
    }

    /// Where a browser ends its session at the provider, if the provider says so.
    pub(in crate::console) async fn end_address(&self) -> Option<String> {
        let mut end = self.provider.metadata().await.ok()?.end_session_endpoint.clone()?;
        end.query_pairs_mut().append_pair("client_id", &self.options.client_id);
        Some(end.into())
    }

    /// Begins an attempt.
    ///
    /// # Errors
    /// When the provider cannot be asked where it signs people in.
    pub(in crate::console) async fn begin(&self) -> Result<Attempt, SignInError> {
        let metadata = self.provider.metadata().await?;
        let secret = random_secret().map_err(|error| SignInError::Ours(error.to_string()))?;
        let marks = Marks::of(&secret);
        let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, marks.verifier.as_bytes()));
        let mut scopes = vec!["openid", "email"];
        scopes.extend(self.options.scopes.iter().map(String::as_str));
        let mut location = metadata.authorization_endpoint.clone();
        location
            .query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.options.client_id)
            .append_pair("redirect_uri", self.options.redirect.as_str())
            .append_pair("scope", &scopes.join(" "))
            .append_pair("state", &marks.state)
            .append_pair("nonce", &marks.nonce)
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256");
        Ok(Attempt { location: location.into(), secret })
    }

    /// Finishes the attempt of a browser whose cookie says `secret` and which comes back with this query.
    ///
    /// # Errors
    /// When what it brings proves nothing, the person has no role, or the provider fails.
    pub(in crate::console) async fn finish(
        &self,
        query: &str,
        secret: Option<&str>,
        client: Counted,
    ) -> Result<Person, SignInError> {
        let wrong = |why: &str| SignInError::Wrong(why.to_owned());
        let Some(secret) = secret else { return Err(wrong("this browser began no sign-in")) };
        let marks = Marks::of(secret);
        let pairs: Vec<(String, String)> =
            url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        let get = |name: &str| pairs.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str());
        // Hashes are compared in constant time.
        if get("state").is_none_or(|state| hash_of(state) != hash_of(&marks.state)) {
            return Err(wrong("the state is not that of this browser's sign-in"));
        }
        // A provider that mixes up its answers with those of another is known by this.
        if get("iss").is_some_and(|issuer| issuer != self.options.issuer) {
            return Err(wrong("another provider answers"));
        }
        if let Some(error) = get("error") {
            let error: String = error.chars().filter(|letter| letter.is_ascii_graphic()).take(60).collect();
            return Err(SignInError::Wrong(format!("the provider refuses: {error}")));
        }
        let Some(code) = get("code") else { return Err(wrong("there is no code")) };
        let share = self.exchanging.take(client, AT_ONCE_OF_CLIENT).ok_or(SignInError::Busy)?;
        let turn = tokio::time::timeout(TURN, self.turns.acquire()).await.map_err(|_| SignInError::Busy)?;
        let client_secret = self.client_secret()?;
        let console = Client {
            id: &self.options.client_id,
            secret: client_secret.as_deref(),
            redirect: self.options.redirect.as_str(),
        };
        let token = self.provider.exchange(&console, code, &marks.verifier).await;
        let token = token.map_err(|error| match error {
            ExchangeError::Unknown => wrong("the provider does not know the code, or it was used"),
            ExchangeError::Provider(error) => error.into(),
        })?;
        let claims = self.checked(&token, &marks).await?;
        drop((turn, share));
        self.person(&claims)
    }

    /// Read at each sign-in, so that a new secret needs no restart.
    fn client_secret(&self) -> Result<Option<String>, SignInError> {
        let read = self.options.client_secret_file.as_deref().map(read_client_secret);
        read.transpose().map_err(|error| SignInError::Ours(format!("{error:#}")))
    }

    /// The claims of a token that the provider signed. A key that is not known yet is looked for once: providers change them.
    async fn checked(&self, token: &str, marks: &Marks) -> Result<Claims, SignInError> {
        let expected = Expected {
            issuer: &self.options.issuer,
            client_id: &self.options.client_id,
            nonce: &marks.nonce,
        };
        let keys = self.provider.keys(false).await?;
        match id_token::check(token, &keys, &expected) {
            Ok(claims) => return Ok(claims),
            Err(Unproved::Wrong(why)) => return Err(SignInError::Wrong(why)),
            Err(Unproved::NoKey) => {}
        }
        let keys = self.provider.keys(true).await?;
        id_token::check(token, &keys, &expected).map_err(|unproved| match unproved {
            Unproved::Wrong(why) => SignInError::Wrong(why),
            Unproved::NoKey => SignInError::Wrong("no key of the provider signed its token".into()),
        })
    }

    fn person(&self, claims: &Claims) -> Result<Person, SignInError> {
        let subject = claims.text("sub").unwrap_or_default().to_owned();
        // Who may choose an address that nobody verified could sign in under another's name.
        let mail = claims.text("email").filter(|_| claims.is_true("email_verified"));
        let name: String = mail.unwrap_or(&subject).chars().filter(|letter| !letter.is_control()).collect();
        let name = format!("oidc:{}", name.chars().take(200).collect::<String>());
        let values = claims.values(&self.options.claim);
        let has = |wanted: &[String]| wanted.iter().any(|wanted| values.contains(&wanted.as_str()));
        let role = match (has(&self.options.write), has(&self.options.read)) {
            (true, _) => Role::Write,
            (false, true) => Role::Read,
            (false, false) => return Err(SignInError::NoRole { name }),
        };
        Ok(Person { name, subject, role })
    }
}

/// Reads the secret that the console shows to the provider.
///
/// # Errors
/// When it cannot be read, others may read it, or it is empty.
pub(crate) fn read_client_secret(file: &std::path::Path) -> anyhow::Result<String> {
    use anyhow::Context as _;
    crate::queries::tokens::refuse_open_file(file, "client secret")?;
    let shown = file.display();
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("cannot read the client secret in `{shown}`"))?;
    let secret = text.trim();
    anyhow::ensure!(!secret.is_empty(), "the client secret in `{shown}` is empty");
    Ok(secret.to_owned())
}

/// What is sent along with an attempt, all of it from the secret in the browser's cookie.
struct Marks {
    state: String,
    nonce: String,
    verifier: String,
}

impl Marks {
    fn of(secret: &str) -> Marks {
        let derive = |context: &str| {
            blake3::Hash::from_bytes(blake3::derive_key(context, secret.as_bytes())).to_hex().to_string()
        };
        Marks {
            state: derive("newslode console 2026 OpenID Connect state"),
            nonce: derive("newslode console 2026 OpenID Connect nonce"),
            verifier: derive("newslode console 2026 OpenID Connect PKCE verifier"),
        }
    }
}
