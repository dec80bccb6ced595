//! Rules for every request and answer: which hosts a request may name, who sends it, how much a client may ask for at once, what a
//! browser may load and run, and how long an answer may take.
//!
//! The policy allows no script, but that of the first page there, and style and pictures only from here, so that no text of a mined
//! page can do more than be shown. A wrong token is checked before any place is taken and waits without one, so guessing takes nothing from others.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Redirect, Response};
use http_body::Body as _;
use newslode_common::listen::Way;

use super::access::origin::Origin;
use super::access::{CHALLENGE, Caller, NOT_ENCRYPTED, Refused, may_be_challenged};
use super::answer::{Problem, explain_refusal, is_for_programs};
use super::api::events::PATH as EVENTS;
use super::oidc;
use super::shares::{HeldBody, Holds};
use super::state::{Console, Guess};

/// What a browser may do with a page.
pub(super) const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; \
                                 frame-ancestors 'none'; base-uri 'none'";
/// The same for the first page, whose script listens to new articles.
const LIVE_POLICY: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; \
                           form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
/// The longest time for an answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// Requests of one client at once.
const AT_ONCE: usize = 16;
/// Requests that read, of all clients at once. Others wait for their turn.
pub(super) const READING: usize = 32;
/// The longest wait for a turn, and for the memory of an answer.
const TURN: Duration = Duration::from_secs(10);

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
    // Without a way there is no connection: a request that was made here.
    let Some(way) = request.extensions().get::<Way>().cloned() else {
        return Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "no_connection",
            "The request came over no connection.",
        )
        .on(&path);
    };
    way.place.works();
    let origin = console.access.origin(way.peer, request.headers());
    let is_reading = matches!(*request.method(), Method::GET | Method::HEAD) && is_for_programs(&path);
    let may_challenge = is_reading && may_be_challenged(request.headers());
    let mut holds = Holds { memory: None, share: None, place: Some(way.place.clone()) };
    let answered = if !console.access.hosts.answer(request.uri(), request.headers()) {
        Err(Problem::new(
            StatusCode::MISDIRECTED_REQUEST,
            "other_host",
            "This console answers only to its own names: localhost, its address, and those given by --host NAME.",
        ))
    } else {
        let caller = console.access.caller(request.headers(), origin);
        match caller.and_then(|caller| match is_reading {
            true => console.access.reader(caller, request.headers()),
            false => Ok(caller),
        }) {
            Ok(caller) => answer(&console, caller, request, next, &mut holds).await,
            Err(refused) => Err(refuse(&console, refused, &way, origin).await),
        }
    };
    let mut response = match answered {
        Ok(response) => explain_refusal(response, &path),
        Err(problem) => problem.on(&path),
    };
    if response.status() == StatusCode::UNAUTHORIZED && may_challenge {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(CHALLENGE));
    }
    let is_first_page = path == "/" && response.status() == StatusCode::OK;
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, value);
    }
    if is_first_page {
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(LIVE_POLICY));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response.map(|body| Body::new(HeldBody::new(body, holds)))
}

/// Answers a request of somebody who showed no wrong token.
async fn answer(
    console: &Arc<Console>,
    caller: Caller,
    mut request: Request,
    next: Next,
    holds: &mut Holds,
) -> Result<Response, Problem> {
    let path = request.uri().path();
    // What a visitor needs to sign in.
    let is_open = path == "/session" || path.starts_with("/session/") || path.starts_with("/assets/");
    if console.access.asks_readers && caller.identity.is_none() && !is_open {
        if !caller.origin.is_private {
            return Err(Problem::new(StatusCode::FORBIDDEN, "not_encrypted", NOT_ENCRYPTED));
        }
        if request.method() == Method::GET && !is_for_programs(path) {
            return Ok(Redirect::to("/session").into_response());
        }
        let sentence = "Reading asks for a token here: send one, as in `Authorization: Bearer TOKEN` or as the password of HTTP Basic, or sign in.";
        return Err(Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", sentence));
    }
    let is_stream = path == EVENTS;
    // Signing in takes no place, so that those who guess cannot take all places of one who knows.
    let is_sign_in =
        path == oidc::CALLBACK || (request.method() == Method::POST && path.starts_with("/session"));
    if !is_stream && !is_sign_in {
        holds.share =
            Some(console.requests.take(caller.counted(), AT_ONCE).ok_or_else(|| too_many(console))?);
    }
    // Who waits for the identity provider reads nothing here meanwhile.
    let is_reading = matches!(*request.method(), Method::GET | Method::HEAD)
        && !is_stream
        && !request.uri().path().starts_with(oidc::BEGIN);
    request.extensions_mut().insert(Arc::new(caller));
    let turn = async { if is_reading { console.reading.acquire().await.ok() } else { None } };
    let turn = tokio::time::timeout(TURN, turn).await.map_err(|_| busy(console))?;
    let response = tokio::time::timeout(PATIENCE, next.run(request)).await.map_err(|_| {
        Problem::new(StatusCode::GATEWAY_TIMEOUT, "too_slow", "The store did not answer in time. Try again.")
    })?;
    if !is_stream {
        let size = response.body().size_hint();
        let memory = tokio::time::timeout(TURN, console.budget.take(&size)).await;
        holds.memory = memory.map_err(|_| busy(console))?;
    }
    drop(turn);
    Ok(response)
}

/// Lets a wrong token wait, on a connection that counts as waiting.
pub(super) async fn refuse(console: &Console, refused: Refused, way: &Way, origin: Origin) -> Problem {
    if refused == Refused::Wrong {
        way.place.is_wrong();
        console.wait_after_wrong_guess(origin, Guess::Token, "wrong token").await;
    }
    refused.problem()
}

fn too_many(console: &Console) -> Problem {
    console.refused("request");
    Problem::new(
        StatusCode::TOO_MANY_REQUESTS,
        "too_many",
        format!("You have {AT_ONCE} requests under way. Read their answers first."),
    )
}

fn busy(console: &Console) -> Problem {
    console.refused("busy");
    let sentence = "Others are reading a lot just now. Try again in a moment.";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", sentence)
}
