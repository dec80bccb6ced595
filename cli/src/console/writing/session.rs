//! Signing in and out: with a token, through an identity provider, or with the one-time address of the start.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use maud::{Markup, html};
use newslode_common::listen::Way;

use super::form;
use crate::console::access::{Caller, Counted, Identity, NOT_ENCRYPTED, Refused, Shown, cookie, set_cookie};
use crate::console::answer::{PageResult, Problem};
use crate::console::frame::{NavigationItem, bare_page};
use crate::console::oidc::{self, SignInError};
use crate::console::state::{Console, Guess};
use crate::queries::audit::Deed;
use crate::queries::tokens::Role;

/// The most bytes of a form that signs in.
const MOST: usize = 8 << 10;

pub(in crate::console) async fn page(
    State(console): State<Arc<Console>>,
    Extension(caller): Extension<Arc<Caller>>,
) -> PageResult {
    let may = |role| match role {
        Role::Read => "read",
        Role::Write => "change seeds, dead letters and articles",
    };
    let text = match (&caller.identity, caller.shown) {
        (Some(identity), Shown::Session) => html! {
            p.lead { "You are signed in as " b { (identity.name) } ", and may " (may(identity.role)) "." }
            form.filters method="post" action="/session/end" { div.act { button { "Sign out" } } }
        },
        (Some(_), _) => html! {
            p.lead { "You may change things here: you came over the console's Unix socket or sent a token." }
        },
        (None, _) if !caller.origin.is_private => html! { p.lead { (NOT_ENCRYPTED) } },
        (None, _) => token_form(&console, None),
    };
    Ok(sign_in_page(StatusCode::OK, text))
}

fn sign_in_page(status: StatusCode, text: Markup) -> Response {
    (status, Html(bare_page(NavigationItem::None, "Sign in", text).into_string())).into_response()
}

/// Asks for the token, or leads to the identity provider.
fn token_form(console: &Console, wrong: Option<&str>) -> Markup {
    html! {
        p.lead {
            @if console.access.asks_readers { "Reading and changing things ask for a token here." }
            @else { "Reading is open. To change seeds, dead letters and articles, sign in." }
        }
        @if let Some(wrong) = wrong { p.note role="alert" { (wrong) } }
        @if let Some(oidc) = &console.oidc {
            p { a href=(oidc::BEGIN) { "Sign in through " (oidc.name()) } }
        }
        form.filters method="post" action="/session" {
            div.wide {
                label for="token" { "Token" }
                input #token type="password" name="token" required autocomplete="current-password";
            }
            div.act { button { "Sign in" } }
        }
        p.small.soft {
            "The token is that of " span.code { "newslode token add NAME" } " or of the file that the console was started with. A console \
             without any names a one-time address when it starts."
        }
    }
}

/// Begins a session, or lets a wrong secret wait.
async fn begin(
    console: &Console,
    way: &Way,
    caller: &Caller,
    begun: Option<(Identity, String)>,
    wrong: Markup,
) -> PageResult {
    match begun {
        Some((identity, name)) => {
            console.access.guessed_right(caller.origin.client);
            let mut known = caller.clone();
            known.identity = Some(identity);
            console.did(&known, Deed::SignedIn, "").await;
            Ok(redirect_with_cookie(&set_cookie(Some(&name), caller.origin), "/operations"))
        }
        None => {
            way.place.is_wrong();
            console.wait_after_wrong_guess(caller.origin, Guess::Token, "wrong token").await;
            Ok(sign_in_page(StatusCode::UNAUTHORIZED, wrong))
        }
    }
}

pub(in crate::console) async fn sign_in(
    State(console): State<Arc<Console>>,
    Extension(caller): Extension<Arc<Caller>>,
    Extension(way): Extension<Way>,
    request: Request,
) -> PageResult {
    let token = read_field(&console, &caller, request, "token").await?;
    let begun = console.access.sign_in(&token).map_err(|error| Problem::away(&error))?;
    let wrong = token_form(&console, Some("This is not a token, or it is expired or revoked."));
    begin(&console, &way, &caller, begun, wrong).await
}

/// Asks before the one-time address is used, because mail programs and browsers open addresses ahead of their readers.
pub(in crate::console) async fn one_time_page(
    Extension(caller): Extension<Arc<Caller>>,
    Path(secret): Path<String>,
) -> PageResult {
    if !caller.origin.is_private {
        return Err(Refused::Public.problem().into());
    }
    let text = html! {
        p.lead { "This address signs in once. Whoever is signed in may change seeds, dead letters and articles." }
        form.filters method="post" action="/session/once" {
            input type="hidden" name="secret" value=(secret);
            div.act { button { "Sign in" } }
        }
    };
    Ok(sign_in_page(StatusCode::OK, text))
}

pub(in crate::console) async fn sign_in_once(
    State(console): State<Arc<Console>>,
    Extension(caller): Extension<Arc<Caller>>,
    Extension(way): Extension<Way>,
    request: Request,
) -> PageResult {
    let secret = read_field(&console, &caller, request, "secret").await?;
    let begun = console.access.sign_in_once(&secret).map_err(|error| Problem::away(&error))?;
    let wrong = html! {
        p.note role="alert" { "This address was used, is expired, or is that of an earlier start." }
        p.lead {
            "Start the console again for another one, or make a token, which this console takes within seconds: "
            span.code { "newslode token add NAME --role write" }
        }
    };
    begin(&console, &way, &caller, begun, wrong).await
}

/// The secret in a form.
async fn read_field(
    console: &Console,
    caller: &Caller,
    request: Request,
    name: &str,
) -> Result<String, Problem> {
    if !caller.origin.is_private {
        return Err(Refused::Public.problem());
    }
    let values = form::read_values(request, &console.access.hosts, MOST).await?;
    let value = values.into_iter().find(|(own, _)| own == name);
    Ok(value.map(|(_, value)| value.trim().to_owned()).unwrap_or_default())
}

pub(in crate::console) async fn sign_out(
    State(console): State<Arc<Console>>,
    Extension(caller): Extension<Arc<Caller>>,
    headers: HeaderMap,
    request: Request,
) -> PageResult {
    form::read_values(request, &console.access.hosts, MOST).await?;
    let is_provided = console.access.sign_out(&headers);
    if caller.identity.is_some() {
        console.did(&caller, Deed::SignedOut, "").await;
    }
    let cookie = set_cookie(None, caller.origin);
    let Some(oidc) = console.oidc.as_ref().filter(|_| is_provided) else {
        return Ok(redirect_with_cookie(&cookie, "/"));
    };
    // The policy of forms lets none lead elsewhere, so a link does.
    let end = oidc.end_address().await;
    let text = html! {
        p.lead { "You are signed out of the console, but perhaps not of " (oidc.name()) "." }
        @if let Some(end) = end {
            p { a href=(end) rel="noopener noreferrer nofollow" { "Sign out of " (oidc.name()) ", too" } }
        }
        p { "Or go on to the " a href="/" { "first page" } "." }
    };
    Ok(([(header::SET_COOKIE, cookie)], sign_in_page(StatusCode::OK, text)).into_response())
}

/// Sends a browser to the identity provider.
pub(in crate::console) async fn begin_at_provider(
    State(console): State<Arc<Console>>,
    Extension(caller): Extension<Arc<Caller>>,
) -> PageResult {
    let Some(oidc) = &console.oidc else { return Err(no_provider().into()) };
    if !caller.origin.is_private {
        return Err(Problem::new(StatusCode::FORBIDDEN, "not_encrypted", NOT_ENCRYPTED).into());
    }
    let attempt = oidc.begin().await.map_err(provider_problem)?;
    let cookie = attempt_cookie(Some(&attempt.secret), &caller);
    Ok(redirect_with_cookie(&cookie, &attempt.location))
}

/// Begins the session of a browser that comes back from the identity provider.
pub(in crate::console) async fn finish_at_provider(
    State(console): State<Arc<Console>>,
    Extension(caller): Extension<Arc<Caller>>,
    Extension(way): Extension<Way>,
    headers: HeaderMap,
    uri: Uri,
) -> PageResult {
    let Some(oidc) = &console.oidc else { return Err(no_provider().into()) };
    if !caller.origin.is_private {
        return Err(Problem::new(StatusCode::FORBIDDEN, "not_encrypted", NOT_ENCRYPTED).into());
    }
    let client = Counted::Client(caller.origin.client.counted());
    let finished = oidc.finish(uri.query().unwrap_or_default(), cookie(&headers, oidc::COOKIE), client).await;
    let forgotten = attempt_cookie(None, &caller);
    let refused = |status, text: Markup| {
        ([(header::SET_COOKIE, forgotten.clone())], sign_in_page(status, text)).into_response()
    };
    match finished {
        Ok(person) => {
            let begun = console
                .access
                .sign_in_person(&person.name, person.role)
                .map_err(|error| Problem::away(&error))?;
            let (identity, name) = begun;
            console.access.guessed_right(caller.origin.client);
            let mut known = Caller::clone(&caller);
            known.identity = Some(identity);
            let about = format!("{}, subject {}", person.role.name(), person.subject);
            console.did(&known, Deed::SignedIn, &about).await;
            // Browsers send the session's cookie only with what a page of the console asks for, and a redirect would still be a step
            // on the way from the provider's page.
            let text =
                html! { p.lead { "You are signed in. Go on to " a href="/operations" { "Operations" } "." } };
            let mut response = sign_in_page(StatusCode::OK, text);
            let values = response.headers_mut();
            for cookie in [set_cookie(Some(&name), caller.origin), forgotten] {
                values.append(
                    header::SET_COOKIE,
                    HeaderValue::try_from(cookie).map_err(|error| Problem::away(&error))?,
                );
            }
            values.insert(header::REFRESH, HeaderValue::from_static("0; url=/operations"));
            Ok(response)
        }
        Err(SignInError::Wrong(why)) => {
            way.place.is_wrong();
            console
                .wait_after_wrong_guess(
                    caller.origin,
                    Guess::SignIn,
                    &format!("wrong sign-in through {}: {why}", oidc.name()),
                )
                .await;
            let text = html! {
                p.note role="alert" { "You were not signed in: " (why) "." }
                p.lead { "Open " a href=(oidc.public_address()) { (oidc.public_address()) } " and sign in from there, within ten minutes." }
            };
            Ok(refused(StatusCode::UNAUTHORIZED, text))
        }
        Err(SignInError::NoRole { name }) => {
            let from = caller.origin.client.to_string();
            console.audit.add(&name, &from, Deed::Refused, "no role").await;
            let text = html! {
                p.note role="alert" { "You are " (name) ", but nothing gives you a role here." }
                p.lead { "Ask the one who runs this console." }
            };
            Ok(refused(StatusCode::FORBIDDEN, text))
        }
        Err(other) => Err(provider_problem(other).into()),
    }
}

/// The cookie that keeps the secret of a sign-in attempt; without a secret, the cookie that deletes it. Browsers must also send it when
/// the provider's page redirects back here.
fn attempt_cookie(secret: Option<&str>, caller: &Caller) -> String {
    let secure = if caller.origin.is_encrypted { "; Secure" } else { "" };
    let age = if secret.is_some() { oidc::ATTEMPT.as_secs() } else { 0 };
    let (name, path, secret) = (oidc::COOKIE, oidc::BEGIN, secret.unwrap_or_default());
    format!("{name}={secret}; Path={path}; HttpOnly; SameSite=Lax; Max-Age={age}{secure}")
}

fn no_provider() -> Problem {
    Problem::not_found("This console knows no identity provider (see --oidc-issuer).")
}

fn provider_problem(error: SignInError) -> Problem {
    let sentence = match error {
        SignInError::Busy => "Too many sign in at this moment. Try again.".to_owned(),
        SignInError::Ours(why) => {
            tracing::error!("nobody can sign in through the identity provider: {why}");
            "The console cannot sign anybody in; its log says why.".to_owned()
        }
        // The log says more, to those who may know it.
        other => {
            tracing::debug!("a sign-in fails: {other}");
            "The identity provider does not answer as it should, and the console's log says why. Try again, or sign in with a token.".to_owned()
        }
    };
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "provider_unavailable", sentence)
}

fn redirect_with_cookie(cookie: &str, path: &str) -> Response {
    ([(header::SET_COOKIE, cookie)], Redirect::to(path)).into_response()
}
