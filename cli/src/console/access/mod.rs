//! Who may read and change things.
//!
//! Authority comes from what a request shows: a token, a session that a token, an identity provider ([`oidc`](super::oidc)) or the one-time address
//! began, or the Unix socket through which it came. It is never inferred from an address or from headers that are missing, because any of them may belong
//! to a proxy. [`Access::caller`] decides; [`guard`](super::guard) asks it once for each request and leaves the [`Caller`] with the
//! request.
//!
//! A browser signs in once and gets a session, a cookie that no script reads and no other site sends. Every form carries a
//! mark of its session, so that a stranger's page cannot send one (CSRF). Programs send a token with each request.
//! Sessions live in memory: a console that starts again asks to sign in again.

pub(in crate::console) mod brake;
pub(crate) mod origin;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use axum::http::{HeaderMap, StatusCode, header};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use newslode_common::listen::connections::Peer;
use newslode_common::time::now;
use tokio_util::sync::CancellationToken;

use self::brake::Brake;
use self::origin::{Client, Hosts, Network, Origin, Proxies};
use crate::console::answer::Problem;
use crate::console::followed::{Followed, LOOK};
use crate::queries::tokens::{NamedToken, Role, TokenList, TokenStore, hash_of, random_secret};

/// The cookie that names a session.
const COOKIE: &str = "newslode_session";
/// A session that was not used for so long ends.
const IDLE: Duration = Duration::from_secs(12 * 3_600);
/// A session that an identity provider began ends after so long, used or not: the console does not learn when the provider takes
/// somebody's rights away.
pub(crate) const OF_PROVIDER: Duration = Duration::from_secs(8 * 3_600);
/// The most sessions; of more, those that were not used for longest end.
const MOST: usize = 1_000;
/// The one-time address works for so long.
pub(crate) const ONE_TIME: Duration = Duration::from_secs(15 * 60);
/// The name of whoever knows the token in the file.
const OF_FILE: &str = "token-file";
/// The name of whoever opened the one-time address.
const OF_ONE_TIME: &str = "one-time";
/// The name of processes at the Unix socket.
const OF_SOCKET: &str = "unix-socket";

/// How a console decides who may do what.
#[derive(Default)]
pub(crate) struct AccessOptions {
    /// The token of a file, and the file.
    pub(crate) token: Option<String>,
    pub(crate) token_file: Option<Followed<String>>,
    /// Where the named tokens are; `None`: there are none.
    pub(crate) tokens: Option<TokenStore>,
    /// Names of the console besides those of loopback and its address.
    pub(crate) hosts: Vec<String>,
    /// Proxies that are believed.
    pub(crate) proxies: Vec<Network>,
    /// Whether clients need a token to read, too.
    pub(crate) asks_readers: bool,
    /// The secret of the one-time address.
    pub(crate) one_time: Option<OneTimeSecret>,
}

/// The secret of a one-time address, and the file that tells it. Dropping it removes the file.
pub(crate) struct OneTimeSecret {
    pub(crate) secret: String,
    pub(crate) file: Option<PathBuf>,
}

impl Drop for OneTimeSecret {
    fn drop(&mut self) {
        if let Some(file) = &self.file
            && let Err(error) = std::fs::remove_file(file)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            tracing::warn!("the used one-time address in `{}` cannot be removed: {error}", file.display());
        }
    }
}

/// Somebody who showed that they may use the console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::console) struct Identity {
    /// The name of the token, or that of a person with `oidc:` before it.
    pub(in crate::console) name: Arc<str>,
    pub(in crate::console) role: Role,
}

/// How a caller showed who it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::console) enum Shown {
    Nothing,
    Token,
    /// A token as the password of HTTP Basic.
    Basic,
    Session,
    Socket,
}

/// Who sends a request.
#[derive(Clone, Debug)]
pub(in crate::console) struct Caller {
    pub(in crate::console) origin: Origin,
    pub(in crate::console) identity: Option<Identity>,
    pub(in crate::console) shown: Shown,
    /// The mark of the session's forms.
    mark: Option<String>,
}

/// What limits count: somebody by the name of their token, otherwise the client's address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::console) enum Counted {
    Name(Arc<str>),
    Client(Client),
}

impl Caller {
    pub(in crate::console) fn may_write(&self) -> bool {
        self.identity.as_ref().is_some_and(|identity| identity.role == Role::Write)
    }

    pub(in crate::console) fn counted(&self) -> Counted {
        match &self.identity {
            Some(identity) if self.shown != Shown::Socket => Counted::Name(identity.name.clone()),
            _ => Counted::Client(self.origin.client.counted()),
        }
    }

    /// Its name in the audit log.
    pub(in crate::console) fn name(&self) -> &str {
        self.identity.as_ref().map_or("nobody", |identity| &identity.name)
    }

    /// What a page shows it.
    pub(in crate::console) fn visitor(&self) -> Visitor {
        Visitor {
            mark: self.mark.clone().filter(|_| self.may_write()),
            may_sign_in: !self.may_write() && self.origin.is_private,
            is_known: self.identity.is_some(),
        }
    }

    /// Checks that the request of a program may change things.
    ///
    /// # Errors
    /// When the token is missing or may only read.
    pub(in crate::console) fn program(&self, headers: &HeaderMap, hosts: &Hosts) -> Result<(), Problem> {
        match self.shown {
            Shown::Token | Shown::Socket if !self.may_write() => Err(may_only_read()),
            Shown::Token => Ok(()),
            Shown::Socket if comes_from_here(headers, hosts) => Ok(()),
            _ => Err(Problem::new(
                StatusCode::UNAUTHORIZED,
                "unauthorized",
                "This changes something: send a token, as in `Authorization: Bearer TOKEN`.",
            )),
        }
    }
}

/// Why a credential was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::console) enum Refused {
    /// It is wrong, expired or revoked.
    Wrong,
    /// It was sent so that others can read it.
    Public,
}

/// Who begins a session.
struct Session {
    /// Marks its forms.
    mark: String,
    used: Instant,
    identity: Identity,
    begun: Begun,
}

/// What began a session.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begun {
    /// The token with this hash: once it is revoked, the session ends.
    Token(blake3::Hash),
    OneTime,
    /// An identity provider, at this time.
    Provider(Instant),
}

/// A secret that works once.
struct OneTime {
    secret: OneTimeSecret,
    until: Instant,
}

/// Decides who may do what.
pub(in crate::console) struct Access {
    /// The hash of the token in the file. Hashes are compared in constant time.
    token: RwLock<Option<blake3::Hash>>,
    token_file: Mutex<Option<Followed<String>>>,
    tokens: Option<TokenStore>,
    /// The named tokens at the last look.
    named: RwLock<Vec<(blake3::Hash, NamedToken)>>,
    /// By the hash of what the cookie says.
    sessions: Mutex<HashMap<blake3::Hash, Session>>,
    one_time: Mutex<Option<OneTime>>,
    /// Marks the forms of visitors at the Unix socket.
    socket_mark: String,
    proxies: Proxies,
    pub(in crate::console) hosts: Hosts,
    pub(in crate::console) asks_readers: bool,
    brake: Brake,
}

impl Access {
    /// For a console at `addr`; `None`: only at a Unix socket.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub(in crate::console) fn new(
        addr: Option<SocketAddr>,
        options: AccessOptions,
    ) -> std::io::Result<Access> {
        let one_time = options.one_time.map(|secret| OneTime { secret, until: Instant::now() + ONE_TIME });
        Ok(Access {
            token: RwLock::new(options.token.as_deref().map(hash_of)),
            token_file: Mutex::new(options.token_file),
            tokens: options.tokens,
            named: RwLock::default(),
            sessions: Mutex::default(),
            one_time: Mutex::new(one_time),
            socket_mark: random_secret()?,
            hosts: Hosts::new(addr, &options.hosts),
            proxies: Proxies(options.proxies),
            asks_readers: options.asks_readers,
            brake: Brake::default(),
        })
    }

    /// Reads the tokens repeatedly until `stop`, so that added, changed and revoked tokens take effect without a restart, and expires the
    /// one-time address. While the tokens cannot be read, those that were read last stay in force.
    pub(in crate::console) async fn follow_tokens(self: Arc<Access>, stop: CancellationToken) {
        let mut fails = false;
        loop {
            {
                let mut one_time = self.one_time.lock().unwrap_or_else(PoisonError::into_inner);
                one_time.take_if(|held| Instant::now() >= held.until);
            }
            self.look_at_file();
            let list = match &self.tokens {
                Some(tokens) => tokens.read().await,
                None => Ok(TokenList::default()),
            };
            match list {
                Ok(list) => {
                    fails = false;
                    self.set_tokens(list.tokens);
                }
                Err(error) if !fails => {
                    fails = true;
                    tracing::warn!("the tokens of the last look count on: {error:#}");
                }
                Err(_) => {}
            }
            if stop.run_until_cancelled(tokio::time::sleep(LOOK)).await.is_none() {
                return;
            }
        }
    }

    /// Takes the token of the file, if it changed. Sessions that the old one began end.
    fn look_at_file(&self) {
        let mut file = self.token_file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(token) = file.as_mut().and_then(Followed::look) {
            *self.token.write().unwrap_or_else(PoisonError::into_inner) = Some(hash_of(&token));
        }
    }

    fn set_tokens(&self, tokens: Vec<NamedToken>) {
        let known = tokens.into_iter().filter_map(|token| Some((token.hash()?, token)));
        *self.named.write().unwrap_or_else(PoisonError::into_inner) = known.collect();
    }

    /// Whose token has this hash now.
    fn identity_of(&self, hash: &blake3::Hash) -> Option<Identity> {
        if self.token.read().unwrap_or_else(PoisonError::into_inner).as_ref() == Some(hash) {
            return Some(Identity { name: OF_FILE.into(), role: Role::Write });
        }
        let named = self.named.read().unwrap_or_else(PoisonError::into_inner);
        let (_, token) = named.iter().find(|(own, _)| own == hash)?;
        let is_valid = token.is_valid(now());
        is_valid.then(|| Identity { name: token.name.as_str().into(), role: token.role })
    }

    /// Where a request comes from.
    pub(in crate::console) fn origin(&self, peer: Peer, headers: &HeaderMap) -> Origin {
        self.proxies.origin(peer, headers)
    }

    /// Whether a peer is one of the named proxies.
    pub(in crate::console) fn is_proxy(&self, peer: Peer) -> bool {
        matches!(peer, Peer::Tcp { addr, .. } if self.proxies.names(addr))
    }

    /// Who sends a request.
    ///
    /// # Errors
    /// When it shows a token that is refused.
    pub(in crate::console) fn caller(&self, headers: &HeaderMap, origin: Origin) -> Result<Caller, Refused> {
        let nobody = Caller { origin, identity: None, shown: Shown::Nothing, mark: None };
        let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        if let Some(token) = bearer.and_then(bearer_token) {
            if !origin.is_private {
                return Err(Refused::Public);
            }
            let identity = self.identity_of(&hash_of(token)).ok_or(Refused::Wrong)?;
            return Ok(Caller { identity: Some(identity), shown: Shown::Token, ..nobody });
        }
        if origin.is_private
            && let Some((identity, mark)) = self.session(headers)
        {
            let shown = Shown::Session;
            return Ok(Caller { identity: Some(identity), shown, mark: Some(mark), ..nobody });
        }
        if origin.is_socket {
            let identity = Identity { name: OF_SOCKET.into(), role: Role::Write };
            let mark = Some(self.socket_mark.clone());
            return Ok(Caller { identity: Some(identity), shown: Shown::Socket, mark, ..nobody });
        }
        Ok(nobody)
    }

    /// The same for a request that reads what programs read, if readers need a token: one that showed nothing yet may show it as the
    /// password of HTTP Basic, as feed readers do. It may only read, because browsers repeat such a password by themselves. Where
    /// nobody needs a token, such headers are for a proxy in front of us.
    ///
    /// # Errors
    /// When the password is refused.
    pub(in crate::console) fn reader(&self, caller: Caller, headers: &HeaderMap) -> Result<Caller, Refused> {
        if !self.asks_readers || caller.identity.is_some() {
            return Ok(caller);
        }
        let basic = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let Some(token) = basic.and_then(basic_password) else { return Ok(caller) };
        if !caller.origin.is_private {
            return Err(Refused::Public);
        }
        let identity = self.identity_of(&hash_of(&token)).ok_or(Refused::Wrong)?;
        let identity = Identity { role: Role::Read, ..identity };
        Ok(Caller { identity: Some(identity), shown: Shown::Basic, ..caller })
    }

    /// The session of a request, if its token is still valid.
    fn session(&self, headers: &HeaderMap) -> Option<(Identity, String)> {
        let name = hash_of(session_cookie(headers)?);
        let mut sessions = self.sessions();
        let session = sessions.get_mut(&name)?;
        let identity = match &session.begun {
            Begun::Token(token) => self.identity_of(token),
            Begun::OneTime => Some(session.identity.clone()),
            Begun::Provider(at) => (at.elapsed() < OF_PROVIDER).then(|| session.identity.clone()),
        };
        let Some(identity) = identity.filter(|_| session.used.elapsed() < IDLE) else {
            sessions.remove(&name);
            return None;
        };
        session.used = Instant::now();
        Some((identity, session.mark.clone()))
    }

    /// Begins a session; nothing if the token is wrong.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub(in crate::console) fn sign_in(&self, token: &str) -> std::io::Result<Option<(Identity, String)>> {
        let hash = hash_of(token);
        let Some(identity) = self.identity_of(&hash) else { return Ok(None) };
        self.begin_session(identity, Begun::Token(hash)).map(Some)
    }

    /// Begins a session with the one-time address, which works no more afterwards; nothing if the secret is wrong, used or expired.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub(in crate::console) fn sign_in_once(
        &self,
        secret: &str,
    ) -> std::io::Result<Option<(Identity, String)>> {
        let mut one_time = self.one_time.lock().unwrap_or_else(PoisonError::into_inner);
        let is_right = one_time.as_ref().is_some_and(|held| {
            hash_of(&held.secret.secret) == hash_of(secret) && Instant::now() < held.until
        });
        if !is_right {
            return Ok(None);
        }
        let identity = Identity { name: OF_ONE_TIME.into(), role: Role::Write };
        let begun = self.begin_session(identity, Begun::OneTime)?;
        *one_time = None;
        Ok(Some(begun))
    }

    /// Begins a session of somebody whom the identity provider vouches for.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub(in crate::console) fn sign_in_person(
        &self,
        name: &str,
        role: Role,
    ) -> std::io::Result<(Identity, String)> {
        let identity = Identity { name: name.into(), role };
        self.begin_session(identity, Begun::Provider(Instant::now()))
    }

    /// Returns who it is of, and what its cookie says.
    fn begin_session(&self, identity: Identity, begun: Begun) -> std::io::Result<(Identity, String)> {
        let (name, mark) = (random_secret()?, random_secret()?);
        let mut sessions = self.sessions();
        sessions.retain(|_, session| session.used.elapsed() < IDLE);
        if sessions.len() >= MOST
            && let Some(oldest) =
                sessions.iter().min_by_key(|(_, session)| session.used).map(|(name, _)| *name)
        {
            sessions.remove(&oldest);
        }
        let session = Session { mark, used: Instant::now(), identity: identity.clone(), begun };
        sessions.insert(hash_of(&name), session);
        Ok((identity, name))
    }

    /// Ends the session of a request. Returns whether an identity provider began it.
    pub(in crate::console) fn sign_out(&self, headers: &HeaderMap) -> bool {
        let ended = session_cookie(headers).and_then(|name| self.sessions().remove(&hash_of(name)));
        ended.is_some_and(|session| matches!(session.begun, Begun::Provider(_)))
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<blake3::Hash, Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a wrong guess. Returns how many there were of this client, and how long its answer must wait.
    pub(in crate::console) fn guessed_wrong(&self, client: Client) -> (u32, Duration) {
        self.brake.wrong(client, Instant::now())
    }

    /// Forgets wrong guesses of a client that was right.
    pub(in crate::console) fn guessed_right(&self, client: Client) {
        self.brake.right(client);
    }
}

/// The token in an `Authorization` header; other schemes are for a proxy in front of us.
fn bearer_token(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

/// The password in an `Authorization` header of the scheme Basic (RFC 7617); the name before it may be any.
fn basic_password(value: &str) -> Option<String> {
    let (scheme, pair) = value.split_once(' ')?;
    let pair = scheme.eq_ignore_ascii_case("basic").then(|| STANDARD.decode(pair.trim()).ok())??;
    let (_, password) = std::str::from_utf8(&pair).ok()?.split_once(':')?;
    Some(password.to_owned())
}

/// Asks for a token as the password of HTTP Basic.
pub(in crate::console) const CHALLENGE: &str = "Basic realm=\"Newslode\", charset=\"UTF-8\"";

/// Whether a program may be asked for a password: a browser would open a window for it instead of the page for signing in.
pub(in crate::console) fn may_be_challenged(headers: &HeaderMap) -> bool {
    !headers.contains_key(header::HeaderName::from_static("sec-fetch-site"))
        && session_cookie(headers).is_none()
}

/// What a signed-in visitor may not do.
fn may_only_read() -> Problem {
    Problem::new(StatusCode::FORBIDDEN, "read_only", "You may read, but change nothing.")
}

impl Refused {
    /// The answer.
    pub(in crate::console) fn problem(self) -> Problem {
        match self {
            Refused::Wrong => Problem::new(
                StatusCode::UNAUTHORIZED,
                "unauthorized",
                "The token is wrong, expired or revoked.",
            ),
            Refused::Public => Problem::new(
                StatusCode::FORBIDDEN,
                "not_encrypted",
                "Tokens are not taken over plain HTTP from another machine. Use https, or a proxy that the console was told of \
                 by --trusted-proxy. If this token is in use, revoke it: it was sent so that others could read it.",
            ),
        }
    }
}

/// What a browser may do.
pub(in crate::console) struct Visitor {
    /// The mark that its forms must carry, if it may change things.
    pub(in crate::console) mark: Option<String>,
    /// Whether signing in would let it change things.
    pub(in crate::console) may_sign_in: bool,
    /// Whether it is signed in, or at the Unix socket.
    pub(in crate::console) is_known: bool,
}

impl Visitor {
    /// Why this visitor may not change anything.
    pub(in crate::console) fn refusal(&self) -> Problem {
        match (self.may_sign_in, self.is_known) {
            (true, false) => Problem::new(
                StatusCode::UNAUTHORIZED,
                "unauthorized",
                "This changes something: sign in first, at the foot of each page. What you sent was not done.",
            ),
            (_, true) => may_only_read(),
            (false, false) => Problem::new(StatusCode::FORBIDDEN, "not_encrypted", NOT_ENCRYPTED),
        }
    }
}

/// Why nobody may sign in here.
pub(in crate::console) const NOT_ENCRYPTED: &str = "Nothing can be changed from here: this connection is plain HTTP from another machine, so everybody on the way \
                                                    could read a token. Use https, or a proxy that the console was told of by --trusted-proxy.";

fn session_cookie(headers: &HeaderMap) -> Option<&str> {
    cookie(headers, COOKIE)
}

/// What a cookie of a request says.
pub(in crate::console) fn cookie<'a>(headers: &'a HeaderMap, wanted: &str) -> Option<&'a str> {
    let cookies = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == wanted).map(|(_, value)| value)
}

/// The cookie of a session; without a name, the one that ends it.
pub(in crate::console) fn set_cookie(name: Option<&str>, origin: Origin) -> String {
    let secure = if origin.is_encrypted { "; Secure" } else { "" };
    let age = if name.is_some() { IDLE.as_secs() } else { 0 };
    format!("{COOKIE}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age={age}{secure}", name.unwrap_or_default())
}

/// Whether nothing says that another site's page sends this request. Browsers say so, programs say nothing.
pub(in crate::console) fn comes_from_here(headers: &HeaderMap, hosts: &Hosts) -> bool {
    let text = |name| headers.get(name).map(|value: &axum::http::HeaderValue| value.to_str().unwrap_or("?"));
    let is_own = |origin: &str| {
        let host = origin.split_once("://").map(|(_, host)| host);
        // Pages that tell no referrer send `null` with their forms. A proxy may have changed `Host`.
        origin == "null" || host == text(header::HOST) || host.is_some_and(|host| hosts.is_named(host))
    };
    text(header::ORIGIN).is_none_or(is_own)
        && text(header::HeaderName::from_static("sec-fetch-site"))
            .is_none_or(|site| matches!(site, "same-origin" | "none"))
}

#[cfg(test)]
mod tests {
    use newslode_page::time::Timestamp;

    use super::*;

    const TOKEN: &str = "a token of some length";

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (header::HeaderName::from_static(name), value.parse().unwrap()))
            .collect()
    }

    fn access(options: AccessOptions) -> Access {
        Access::new(Some("127.0.0.1:80".parse().unwrap()), options).unwrap()
    }

    fn with_token() -> Access {
        access(AccessOptions { token: Some(TOKEN.into()), ..AccessOptions::default() })
    }

    fn loopback() -> Peer {
        Peer::tcp("127.0.0.1:9".parse().unwrap(), false)
    }

    fn caller(access: &Access, peer: Peer, pairs: &[(&'static str, &str)]) -> Result<Caller, Refused> {
        let headers = headers(pairs);
        access.caller(&headers, access.origin(peer, &headers))
    }

    fn is_writer(access: &Access, peer: Peer, pairs: &[(&'static str, &str)]) -> bool {
        caller(access, peer, pairs).is_ok_and(|caller| {
            let is_visitor = caller.visitor().mark.is_some();
            is_visitor || caller.program(&headers(pairs), &access.hosts).is_ok()
        })
    }

    fn cookie(name: &str) -> String {
        format!("a=b; {COOKIE}={name}")
    }

    /// What proxies send for a visitor: nginx with its default `proxy_pass` and with the headers of its documents, Caddy, Traefik, HAProxy,
    /// Apache, Envoy, and a few that say nothing.
    const PROXIED: [&[(&str, &str)]; 16] = [
        &[("host", "127.0.0.1:8080"), ("connection", "close")],
        &[("host", "localhost")],
        &[("host", "console.example.org")],
        &[("host", "127.0.0.1:8080"), ("x-real-ip", "203.0.113.7")],
        &[("host", "127.0.0.1:8080"), ("x-forwarded-for", "203.0.113.7"), ("x-forwarded-proto", "https")],
        &[
            ("host", "console.example.org"),
            ("x-forwarded-for", "203.0.113.7"),
            ("x-forwarded-host", "console.example.org"),
            ("x-forwarded-proto", "https"),
        ],
        &[
            ("host", "console.example.org"),
            ("x-forwarded-for", "203.0.113.7"),
            ("x-forwarded-port", "443"),
            ("x-forwarded-server", "edge"),
            ("x-real-ip", "203.0.113.7"),
        ],
        &[("host", "127.0.0.1:8080"), ("forwarded", "for=203.0.113.7;proto=https")],
        &[("host", "127.0.0.1:8080"), ("via", "1.1 edge")],
        &[("host", "127.0.0.1:8080"), ("x-client-ip", "203.0.113.7")],
        &[("host", "127.0.0.1:8080"), ("cf-connecting-ip", "203.0.113.7")],
        &[("host", "127.0.0.1:8080"), ("true-client-ip", "203.0.113.7")],
        &[("host", "127.0.0.1:8080"), ("x-envoy-external-address", "203.0.113.7")],
        &[("host", "127.0.0.1:8080"), ("x-forwarded", "for=203.0.113.7")],
        &[("host", "127.0.0.1:8080"), ("x-request-id", "1")],
        &[("host", "127.0.0.1:8080"), ("authorization", "Basic YTpi")],
    ];

    #[test]
    fn without_a_token_nobody_writes_over_tcp_whatever_proxies_send() {
        for proxies in [vec![], vec!["127.0.0.1".parse().unwrap()]] {
            let access = access(AccessOptions { proxies, ..AccessOptions::default() });
            let remote = Peer::tcp("203.0.113.9:1".parse().unwrap(), false);
            for pairs in PROXIED {
                for peer in [loopback(), remote] {
                    assert!(!is_writer(&access, peer, pairs), "{peer:?} {pairs:?}");
                }
            }
            assert!(!is_writer(&access, loopback(), &[]));
        }
    }

    #[test]
    fn with_a_token_every_set_of_proxies_headers_lets_its_owner_write() {
        let access = with_token();
        let bearer = format!("Bearer {TOKEN}");
        for pairs in
            PROXIED.into_iter().filter(|pairs| pairs.iter().all(|(name, _)| *name != "authorization"))
        {
            let pairs = [pairs, &[("authorization", bearer.as_str())]].concat();
            assert!(is_writer(&access, loopback(), &pairs), "{pairs:?}");
        }
    }

    #[test]
    fn a_unix_socket_is_trusted_unless_it_is_said_to_forward() {
        let access = access(AccessOptions::default());
        assert!(is_writer(&access, Peer::Socket, &[("host", "localhost")]));
        assert!(!is_writer(&access, Peer::Socket, &[("host", "localhost"), ("x-forwarded-for", "1.2.3.4")]));
        // A page of another site that a browser sends there.
        let foreign = caller(&access, Peer::Socket, &[]).unwrap();
        assert!(foreign.program(&headers(&[("sec-fetch-site", "cross-site")]), &access.hosts).is_err());
    }

    #[test]
    fn a_session_or_the_token_is_asked_for_even_on_loopback() {
        let access = with_token();
        assert!(!is_writer(&access, loopback(), &[]));
        assert!(is_writer(&access, loopback(), &[("authorization", &format!("bearer {TOKEN}"))]));
        assert_eq!(
            caller(&access, loopback(), &[("authorization", "Bearer x")]).unwrap_err(),
            Refused::Wrong
        );
        assert_eq!(access.sign_in("a token of some lengtH").unwrap(), None);
        let (_, name) = access.sign_in(TOKEN).unwrap().unwrap();
        let (_, other) = access.sign_in(TOKEN).unwrap().unwrap();
        let mark =
            |name: &str| caller(&access, loopback(), &[("cookie", &cookie(name))]).unwrap().visitor().mark;
        assert!(mark(&name).is_some() && mark(&name) == mark(&name));
        assert_ne!(mark(&name), mark(&other));
        access.sign_out(&headers(&[("cookie", &cookie(&name))]));
        assert!(mark(&name).is_none() && mark(&other).is_some());
        for wrong in ["", "x", TOKEN] {
            assert!(mark(wrong).is_none(), "{wrong}");
        }
    }

    fn basic(pair: &str) -> String {
        format!("Basic {}", STANDARD.encode(pair))
    }

    #[test]
    fn a_token_as_the_password_of_basic_lets_read_and_never_write() {
        let options = || AccessOptions { token: Some(TOKEN.into()), ..AccessOptions::default() };
        let asking = access(AccessOptions { asks_readers: true, ..options() });
        let read = |access: &Access, peer: Peer, value: &str| {
            let headers = headers(&[("authorization", value)]);
            let caller = access.caller(&headers, access.origin(peer, &headers))?;
            access.reader(caller, &headers)
        };
        let right = basic(&format!("anybody:{TOKEN}"));
        let reader = read(&asking, loopback(), &right).unwrap();
        assert_eq!((reader.shown, reader.name()), (Shown::Basic, OF_FILE));
        assert!(!reader.may_write() && reader.visitor().mark.is_none());
        assert!(reader.program(&headers(&[("authorization", &right)]), &asking.hosts).is_err());
        assert!(!is_writer(&asking, loopback(), &[("authorization", &right)]));
        assert_eq!(read(&asking, loopback(), &basic("a:b")).unwrap_err(), Refused::Wrong);
        let remote = Peer::tcp("10.0.0.9:1".parse().unwrap(), false);
        assert_eq!(read(&asking, remote, &right).unwrap_err(), Refused::Public);
        for none in ["Basic", "Basic ", "Basic ***", &format!("Basic {TOKEN}"), "Digest a"] {
            assert_eq!(read(&asking, loopback(), none).unwrap().identity, None, "{none}");
        }
        // A proxy in front may have passwords of its own.
        let open = access(options());
        assert_eq!(read(&open, loopback(), &basic("a:b")).unwrap().identity, None);
        let (_, name) = asking.sign_in(TOKEN).unwrap().unwrap();
        let both = headers(&[("authorization", &basic("a:b")), ("cookie", &cookie(&name))]);
        let caller = asking.caller(&both, asking.origin(loopback(), &both)).unwrap();
        assert_eq!(asking.reader(caller, &both).unwrap().shown, Shown::Session);
    }

    #[test]
    fn programs_are_asked_for_a_password_and_browsers_are_not() {
        assert!(may_be_challenged(&headers(&[("accept", "application/atom+xml")])));
        assert!(!may_be_challenged(&headers(&[("sec-fetch-site", "same-origin")])));
        assert!(!may_be_challenged(&headers(&[("cookie", &cookie("old"))])));
    }

    #[test]
    fn secrets_that_were_sent_over_plain_http_from_elsewhere_are_refused() {
        let access = with_token();
        let bearer = format!("Bearer {TOKEN}");
        let (_, name) = access.sign_in(TOKEN).unwrap().unwrap();
        let (plain, encrypted) = ("10.0.0.9:1".parse().unwrap(), "10.0.0.9:1".parse().unwrap());
        let (plain, encrypted) = (Peer::tcp(plain, false), Peer::tcp(encrypted, true));
        assert_eq!(caller(&access, plain, &[("authorization", &bearer)]).unwrap_err(), Refused::Public);
        let visitor = caller(&access, plain, &[("cookie", &cookie(&name))]).unwrap().visitor();
        assert!(visitor.mark.is_none() && !visitor.may_sign_in);
        assert!(is_writer(&access, encrypted, &[("authorization", &bearer)]));
        assert!(is_writer(&access, encrypted, &[("cookie", &cookie(&name))]));
    }

    #[test]
    fn the_one_time_address_works_once_and_expires() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("sign-in");
        let once = || {
            std::fs::write(&file, "once").unwrap();
            let secret = OneTimeSecret { secret: "once".into(), file: Some(file.clone()) };
            access(AccessOptions { one_time: Some(secret), ..AccessOptions::default() })
        };
        let fresh = once();
        assert_eq!(fresh.sign_in_once("other").unwrap(), None);
        assert_eq!(fresh.sign_in("once").unwrap(), None);
        let (identity, name) = fresh.sign_in_once("once").unwrap().unwrap();
        assert_eq!(identity.role, Role::Write);
        assert!(is_writer(&fresh, loopback(), &[("cookie", &cookie(&name))]));
        assert_eq!(fresh.sign_in_once("once").unwrap(), None);
        assert!(!file.exists());
        let late = once();
        late.one_time.lock().unwrap().as_mut().unwrap().until = Instant::now();
        assert_eq!(late.sign_in_once("once").unwrap(), None);
        assert_eq!(access(AccessOptions::default()).sign_in_once("").unwrap(), None);
    }

    #[test]
    fn a_new_token_in_the_file_ends_what_the_old_one_began() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        std::fs::write(&file, TOKEN).unwrap();
        let own = file.clone();
        let read = move || Ok(std::fs::read_to_string(&own)?);
        let (token, followed) = Followed::start("token file", vec![file.clone()], read).unwrap();
        let access = access(AccessOptions {
            token: Some(token),
            token_file: Some(followed),
            ..AccessOptions::default()
        });
        let (_, name) = access.sign_in(TOKEN).unwrap().unwrap();
        let is_signed_in = || is_writer(&access, loopback(), &[("cookie", &cookie(&name))]);
        access.look_at_file();
        assert!(is_signed_in());
        std::fs::write(&file, "another token of some length").unwrap();
        access.look_at_file();
        assert!(!is_signed_in());
        assert_eq!(access.sign_in(TOKEN).unwrap(), None);
        assert!(access.sign_in("another token of some length").unwrap().is_some());
    }

    #[test]
    fn sessions_of_the_provider_have_a_role_and_end_at_some_time() {
        let access = access(AccessOptions::default());
        let (_, name) = access.sign_in_person("oidc:ann", Role::Write).unwrap();
        let pairs = [("cookie", cookie(&name))];
        let pairs = [(pairs[0].0, pairs[0].1.as_str())];
        assert!(is_writer(&access, loopback(), &pairs));
        let (_, reader) = access.sign_in_person("oidc:bob", Role::Read).unwrap();
        assert!(!is_writer(&access, loopback(), &[("cookie", &cookie(&reader))]));
        assert!(access.sign_out(&headers(&[("cookie", &cookie(&reader))])));
        let late = Instant::now().checked_sub(OF_PROVIDER).unwrap();
        access.sessions().get_mut(&hash_of(&name)).unwrap().begun = Begun::Provider(late);
        assert!(!is_writer(&access, loopback(), &pairs));
    }

    #[test]
    fn named_tokens_have_a_role_and_end_with_their_sessions() {
        let access = access(AccessOptions::default());
        let mut list = TokenList::default();
        let reader = list.add("reader", Role::Read, Timestamp(0), None).unwrap();
        let writer = list.add("writer", Role::Write, Timestamp(0), None).unwrap();
        let old = list.add("old", Role::Write, Timestamp(0), Some(Timestamp(1))).unwrap();
        access.set_tokens(list.tokens.clone());
        let bearer =
            |token: &str| caller(&access, loopback(), &[("authorization", &format!("Bearer {token}"))]);
        let seen = bearer(&reader).unwrap();
        assert_eq!((seen.name(), seen.counted()), ("reader", Counted::Name("reader".into())));
        assert!(seen.program(&HeaderMap::new(), &access.hosts).is_err());
        assert!(bearer(&writer).unwrap().program(&HeaderMap::new(), &access.hosts).is_ok());
        assert!(bearer(&old).is_err());
        let (_, name) = access.sign_in(&writer).unwrap().unwrap();
        let (_, read) = access.sign_in(&reader).unwrap().unwrap();
        assert!(is_writer(&access, loopback(), &[("cookie", &cookie(&name))]));
        let visitor = caller(&access, loopback(), &[("cookie", &cookie(&read))]).unwrap().visitor();
        assert!(visitor.mark.is_none() && visitor.is_known);
        list.revoke("writer").unwrap();
        access.set_tokens(list.tokens);
        assert!(!is_writer(&access, loopback(), &[("cookie", &cookie(&name))]));
        assert!(bearer(&writer).is_err());
    }

    #[test]
    fn sessions_are_bounded() {
        let access = with_token();
        for _ in 0..MOST + 5 {
            access.sign_in(TOKEN).unwrap();
        }
        assert_eq!(access.sessions().len(), MOST);
    }

    #[test]
    fn requests_of_other_sites_are_known_by_what_browsers_say() {
        let hosts = Hosts::new(None, &["console.example.org".into()]);
        let from = |pairs: &[(&'static str, &str)]| comes_from_here(&headers(pairs), &hosts);
        assert!(from(&[("host", "a.test")]) && from(&[("host", "a.test"), ("origin", "null")]));
        assert!(from(&[
            ("host", "a.test:81"),
            ("origin", "http://a.test:81"),
            ("sec-fetch-site", "same-origin")
        ]));
        assert!(from(&[("host", "127.0.0.1:8080"), ("origin", "https://console.example.org")]));
        assert!(!from(&[("host", "a.test"), ("origin", "http://b.test")]));
        assert!(!from(&[("host", "a.test"), ("origin", "http://localhost")]));
        assert!(!from(&[("host", "a.test"), ("sec-fetch-site", "cross-site")]));
        assert!(!from(&[("host", "a.test"), ("sec-fetch-site", "same-site"), ("origin", "null")]));
    }

    #[test]
    fn cookies_are_secure_where_the_browser_speaks_tls() {
        let proxies =
            AccessOptions { proxies: vec!["127.0.0.1".parse().unwrap()], ..AccessOptions::default() };
        let (trusting, other) = (access(proxies), access(AccessOptions::default()));
        let https = headers(&[("x-forwarded-proto", "https")]);
        assert!(set_cookie(Some("x"), trusting.origin(loopback(), &https)).ends_with("; Secure"));
        assert_eq!(
            set_cookie(None, other.origin(loopback(), &https)),
            "newslode_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0"
        );
    }
}
