//! Who may change things: people who know the token; if there is none, everybody on this machine, and only on loopback.
//!
//! A browser signs in once and gets a session, a cookie that no script reads and no other site sends. Every form carries a
//! mark of its session, so that a stranger's page cannot send one (CSRF). Programs send the token with each request.
//! Sessions live in memory: a console that starts again asks to sign in again.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::{HeaderMap, StatusCode, header};

use crate::console::answer::Problem;

/// The cookie that names a session.
const COOKIE: &str = "newslode_session";
/// A session that was not used for so long ends.
const IDLE: Duration = Duration::from_secs(12 * 3_600);
/// The most sessions; of more, those that were not used for longest end.
const MOST: usize = 1_000;
/// The fewest characters of a token, so that it cannot be guessed.
pub(crate) const LEAST_TOKEN: usize = 16;

/// A secret that nobody can guess.
fn random_secret() -> std::io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(blake3::Hash::from_bytes(bytes).to_hex().to_string())
}

/// Who may change things.
enum Writers {
    Nobody,
    /// Everybody who reaches the console, which is on loopback. The secret marks its forms.
    Everybody(String),
    /// Whoever knows the token. Only its hash is kept; hashes are compared in constant time.
    Token(blake3::Hash),
}

struct Session {
    /// Marks its forms.
    mark: String,
    used: Instant,
}

/// Decides who may change things.
pub(in crate::console) struct Access {
    writers: Writers,
    /// By the hash of what the cookie says.
    sessions: Mutex<HashMap<blake3::Hash, Session>>,
    /// One attempt to sign in at a time, so that tokens cannot be tried quickly.
    pub(super) attempts: tokio::sync::Mutex<()>,
}

impl Access {
    /// For a console at `addr`.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub(in crate::console) fn new(addr: SocketAddr, token: Option<&str>) -> std::io::Result<Access> {
        let writers = match token {
            Some(token) => Writers::Token(blake3::hash(token.as_bytes())),
            None if addr.ip().is_loopback() => Writers::Everybody(random_secret()?),
            None => Writers::Nobody,
        };
        Ok(Access { writers, sessions: Mutex::default(), attempts: tokio::sync::Mutex::default() })
    }

    /// Whether one signs in.
    pub(in crate::console) fn asks_for_token(&self) -> bool {
        matches!(self.writers, Writers::Token(_))
    }

    /// Begins a session; nothing if the token is wrong.
    pub(super) fn sign_in(&self, token: &str) -> std::io::Result<Option<String>> {
        if !self.knows(token) {
            return Ok(None);
        }
        let (name, mark) = (random_secret()?, random_secret()?);
        let mut sessions = self.sessions();
        sessions.retain(|_, session| session.used.elapsed() < IDLE);
        if sessions.len() >= MOST
            && let Some(oldest) =
                sessions.iter().min_by_key(|(_, session)| session.used).map(|(name, _)| *name)
        {
            sessions.remove(&oldest);
        }
        sessions.insert(blake3::hash(name.as_bytes()), Session { mark, used: Instant::now() });
        Ok(Some(name))
    }

    /// Ends the session of a request.
    pub(super) fn sign_out(&self, headers: &HeaderMap) {
        if let Some(name) = session_cookie(headers) {
            self.sessions().remove(&blake3::hash(name.as_bytes()));
        }
    }

    fn knows(&self, token: &str) -> bool {
        matches!(self.writers, Writers::Token(held) if held == blake3::hash(token.as_bytes()))
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<blake3::Hash, Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a request from a browser may do.
    pub(in crate::console) fn visitor(&self, headers: &HeaderMap) -> Visitor {
        match &self.writers {
            Writers::Nobody => Visitor { mark: None, may_sign_in: false },
            // A visitor behind a proxy need not be on this machine.
            Writers::Everybody(_) if is_forwarded(headers) => Visitor { mark: None, may_sign_in: false },
            Writers::Everybody(mark) => Visitor { mark: Some(mark.clone()), may_sign_in: false },
            Writers::Token(_) => {
                let mut sessions = self.sessions();
                let name = session_cookie(headers).map(|name| blake3::hash(name.as_bytes()));
                let session = name.and_then(|name| sessions.get_mut(&name));
                let mark = session.filter(|session| session.used.elapsed() < IDLE).map(|session| {
                    session.used = Instant::now();
                    session.mark.clone()
                });
                Visitor { mark, may_sign_in: true }
            }
        }
    }

    /// Checks that the request of a program may change things.
    ///
    /// # Errors
    /// When the token is missing or wrong, or nothing can be changed here.
    pub(in crate::console) fn program(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let bearer = bearer.and_then(|value| value.strip_prefix("Bearer "));
        match (&self.writers, bearer) {
            (Writers::Everybody(_), _) if comes_from_here(headers) && !is_forwarded(headers) => Ok(()),
            (Writers::Token(_), Some(token)) if self.knows(token.trim()) => Ok(()),
            (Writers::Token(_), Some(_)) => {
                Err(Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", "The token is wrong."))
            }
            (Writers::Token(_), None) => Err(Problem::new(
                StatusCode::UNAUTHORIZED,
                "unauthorized",
                "This changes something: send the token, as in `Authorization: Bearer TOKEN`.",
            )),
            _ => Err(read_only()),
        }
    }
}

/// Whether a proxy sends this request for somebody else.
fn is_forwarded(headers: &HeaderMap) -> bool {
    ["x-forwarded-for", "forwarded", "x-real-ip", "via"].into_iter().any(|name| headers.contains_key(name))
}

/// Why nobody may change anything here, and what to do.
pub(in crate::console) const READ_ONLY: &str = "Nothing can be changed here: this console has no token, and it is not on loopback or a \
                                                proxy is before it. Start it with --token-file FILE.";

/// Nobody may change anything here.
pub(super) fn read_only() -> Problem {
    Problem::new(StatusCode::FORBIDDEN, "read_only", READ_ONLY)
}

/// What a browser may do.
pub(in crate::console) struct Visitor {
    /// The mark that its forms must carry, if it may change things.
    pub(in crate::console) mark: Option<String>,
    /// Whether it may sign in.
    pub(in crate::console) may_sign_in: bool,
}

/// What the cookie of a request says.
fn session_cookie(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE).map(|(_, value)| value)
}

/// The cookie of a session; without a name, the one that ends it.
pub(super) fn set_cookie(name: Option<&str>, headers: &HeaderMap) -> String {
    // A proxy that encrypts says so.
    let is_encrypted = headers.get("x-forwarded-proto").is_some_and(|proto| proto == "https");
    let secure = if is_encrypted { "; Secure" } else { "" };
    let age = if name.is_some() { IDLE.as_secs() } else { 0 };
    format!("{COOKIE}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age={age}{secure}", name.unwrap_or_default())
}

/// Whether nothing says that another site's page sends this request. Browsers say so, programs say nothing.
pub(super) fn comes_from_here(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).map(|value: &axum::http::HeaderValue| value.to_str().unwrap_or("?"));
    let is_own = |origin: &str| {
        let host = origin.split_once("://").map(|(_, host)| host);
        // Pages that tell no referrer send `null` with their forms.
        origin == "null" || host == text(header::HOST)
    };
    text(header::ORIGIN).is_none_or(is_own)
        && text(header::HeaderName::from_static("sec-fetch-site"))
            .is_none_or(|site| matches!(site, "same-origin" | "none"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "a token of some length";

    fn addr(text: &str) -> SocketAddr {
        text.parse().unwrap()
    }

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (header::HeaderName::from_static(name), value.parse().unwrap()))
            .collect()
    }

    #[test]
    fn without_a_token_only_loopback_may_write() {
        let local = Access::new(addr("127.0.0.1:80"), None).unwrap();
        assert!(local.visitor(&HeaderMap::new()).mark.is_some());
        assert!(local.program(&HeaderMap::new()).is_ok());
        let forwarded = headers(&[("x-forwarded-for", "203.0.113.7")]);
        assert!(local.visitor(&forwarded).mark.is_none() && local.program(&forwarded).is_err());
        let open = Access::new(addr("10.0.0.1:80"), None).unwrap();
        assert!(open.visitor(&HeaderMap::new()).mark.is_none());
        assert!(open.program(&headers(&[("authorization", "Bearer x")])).is_err());
        assert_eq!(open.sign_in("x").unwrap(), None);
    }

    #[test]
    fn with_a_token_a_session_or_the_token_is_asked_for_even_on_loopback() {
        let access = Access::new(addr("127.0.0.1:80"), Some(TOKEN)).unwrap();
        assert!(access.visitor(&HeaderMap::new()).mark.is_none());
        assert!(access.program(&HeaderMap::new()).is_err());
        assert!(access.program(&headers(&[("authorization", &format!("Bearer {TOKEN}"))])).is_ok());
        assert_eq!(access.sign_in("a token of some lengtH").unwrap(), None);
        let name = access.sign_in(TOKEN).unwrap().unwrap();
        let other = access.sign_in(TOKEN).unwrap().unwrap();
        let with = |name: &str| headers(&[("cookie", &format!("a=b; {COOKIE}={name}"))]);
        let mark = access.visitor(&with(&name)).mark;
        assert!(mark.is_some() && mark == access.visitor(&with(&name)).mark);
        assert_ne!(mark, access.visitor(&with(&other)).mark);
        access.sign_out(&with(&name));
        assert!(access.visitor(&with(&name)).mark.is_none() && access.visitor(&with(&other)).mark.is_some());
        for wrong in ["", "x", TOKEN] {
            assert!(access.visitor(&with(wrong)).mark.is_none(), "{wrong}");
        }
    }

    #[test]
    fn sessions_are_bounded() {
        let access = Access::new(addr("127.0.0.1:80"), Some(TOKEN)).unwrap();
        for _ in 0..MOST + 5 {
            access.sign_in(TOKEN).unwrap();
        }
        assert_eq!(access.sessions().len(), MOST);
    }

    #[test]
    fn requests_of_other_sites_are_known_by_what_browsers_say() {
        let from = |pairs: &[(&'static str, &str)]| comes_from_here(&headers(pairs));
        assert!(from(&[("host", "a.test")]) && from(&[("host", "a.test"), ("origin", "null")]));
        assert!(from(&[
            ("host", "a.test:81"),
            ("origin", "http://a.test:81"),
            ("sec-fetch-site", "same-origin")
        ]));
        assert!(!from(&[("host", "a.test"), ("origin", "http://b.test")]));
        assert!(!from(&[("host", "a.test"), ("sec-fetch-site", "cross-site")]));
        assert!(!from(&[("host", "a.test"), ("sec-fetch-site", "same-site"), ("origin", "null")]));
    }

    #[test]
    fn a_proxy_that_encrypts_makes_cookies_secure() {
        assert!(set_cookie(Some("x"), &headers(&[("x-forwarded-proto", "https")])).ends_with("; Secure"));
        assert_eq!(
            set_cookie(None, &HeaderMap::new()),
            "newslode_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0"
        );
    }
}
