//! Signing in and out: with a token, or with the one-time address of the start.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use maud::{Markup, html};

use super::form;
use crate::console::access::{Caller, Identity, NOT_ENCRYPTED, Refused, Shown, set_cookie};
use crate::console::answer::{PageResult, Problem};
use crate::console::frame::{NavigationItem, bare_page};
use crate::console::server::Way;
use crate::console::state::Console;
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

/// Asks for the token.
fn token_form(console: &Console, wrong: Option<&str>) -> Markup {
    html! {
        p.lead {
            @if console.access.asks_readers { "Reading and changing things ask for a token here." }
            @else { "Reading is open. To change seeds, dead letters and articles, sign in." }
        }
        @if let Some(wrong) = wrong { p.note role="alert" { (wrong) } }
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
            way.place.waits();
            console.wait_after_wrong_guess(caller.origin).await;
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
    console.access.sign_out(&headers);
    if caller.identity.is_some() {
        console.did(&caller, Deed::SignedOut, "").await;
    }
    Ok(redirect_with_cookie(&set_cookie(None, caller.origin), "/"))
}

fn redirect_with_cookie(cookie: &str, path: &str) -> Response {
    ([(header::SET_COOKIE, cookie)], Redirect::to(path)).into_response()
}
