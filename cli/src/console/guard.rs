//! Rules for every answer: which hosts a request may name, what a browser may load and run, and how long an answer may take.
//!
//! A console on loopback answers only to names of loopback. Otherwise a page of a stranger could have its own name point here
//! (DNS rebinding) and read everything through its visitor's browser. The policy allows no script at all, and style and pictures only
//! from here, so that no text of a mined page can do more than be shown.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;

use super::answer::{Problem, explain_refusal};
use super::state::Console;

/// What a browser may do with a page.
pub(super) const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; \
                                 frame-ancestors 'none'; base-uri 'none'";
/// The longest time for an answer.
const PATIENCE: Duration = Duration::from_secs(30);

const HEADERS: [(HeaderName, HeaderValue); 6] = [
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
];

pub(super) async fn guard(State(console): State<Arc<Console>>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let mut response = if console.addr.ip().is_loopback() && !names_loopback(request.headers()) {
        Problem::new(
            StatusCode::MISDIRECTED_REQUEST,
            "other_host",
            "This console answers only to the names of this machine: localhost, 127.0.0.1 or [::1].",
        )
        .on(&path)
    } else {
        match tokio::time::timeout(PATIENCE, next.run(request)).await {
            Ok(response) => explain_refusal(response, &path),
            Err(_) => Problem::new(
                StatusCode::GATEWAY_TIMEOUT,
                "too_slow",
                "The store did not answer in time. Try again.",
            )
            .on(&path),
        }
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, value);
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Whether a request names this machine as its host, with any port: ports may be forwarded.
fn names_loopback(headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(header::HOST).and_then(|host| host.to_str().ok()) else { return false };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    name.eq_ignore_ascii_case("localhost")
        || name.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(host: &str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        names_loopback(&headers)
    }

    #[test]
    fn only_names_of_loopback_are_answered() {
        let own = ["localhost", "LocalHost:8080", "127.0.0.1:80", "127.0.0.1", "[::1]:8080", "[::1]"];
        assert!(own.into_iter().all(answers));
        let others =
            ["evil.test", "evil.test:8080", "localhost.evil.test", "10.0.0.1:8080", "", "[::1].evil.test"];
        assert!(!others.into_iter().any(answers));
        assert!(!names_loopback(&HeaderMap::new()));
    }
}
