//! Signing in and out.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use maud::{Markup, html};

use super::access::{READ_ONLY, Visitor, set_cookie};
use super::form::{self, Form, mark_field};
use crate::console::answer::{PageResult, Problem};
use crate::console::frame::{NavigationItem, bare_page};
use crate::console::state::Console;

/// An attempt to sign in takes at least this long.
const SLOWLY: Duration = Duration::from_millis(300);

pub(in crate::console) async fn page(State(console): State<Arc<Console>>, visitor: Visitor) -> PageResult {
    let text = match (&visitor.mark, console.access.asks_for_token()) {
        (Some(mark), true) => html! {
            p.lead { "You are signed in: seeds, dead letters and corrections can be changed." }
            form.filters method="post" action="/session/end" {
                (mark_field(mark))
                div.act { button { "Sign out" } }
            }
        },
        (Some(_), false) => html! {
            p.lead { "Everybody on this machine may change things here: the console is on loopback and has no token." }
        },
        (None, true) => token_form(None),
        (None, false) => html! {
            p.lead { (READ_ONLY) }
        },
    };
    Ok(Html(bare_page(NavigationItem::None, "Sign in", text).into_string()).into_response())
}

/// Asks for the token.
fn token_form(wrong: Option<&str>) -> Markup {
    html! {
        p.lead { "Reading is open. To change seeds, dead letters and articles, give the token that the console was started with." }
        @if let Some(wrong) = wrong { p.note role="alert" { (wrong) } }
        form.filters method="post" action="/session" {
            div.wide {
                label for="token" { "Token" }
                input #token type="password" name="token" required autocomplete="current-password";
            }
            div.act { button { "Sign in" } }
        }
    }
}

pub(in crate::console) async fn sign_in(State(console): State<Arc<Console>>, request: Request) -> PageResult {
    let headers = request.headers().clone();
    let values = form::read_values(request).await?;
    let token =
        values.iter().find(|(name, _)| name == "token").map(|(_, value)| value.trim()).unwrap_or_default();
    let begun = {
        let _one = console.access.attempts.lock().await;
        tokio::time::sleep(SLOWLY).await;
        console.access.sign_in(token).map_err(|error| Problem::away(&error))?
    };
    match begun {
        Some(name) => Ok(redirect_with_cookie(&set_cookie(Some(&name), &headers), "/operations")),
        None => {
            let text = token_form(Some("This is not the token."));
            let page = bare_page(NavigationItem::None, "Sign in", text).into_string();
            Ok((StatusCode::UNAUTHORIZED, Html(page)).into_response())
        }
    }
}

pub(in crate::console) async fn sign_out(
    State(console): State<Arc<Console>>,
    headers: HeaderMap,
    _form: Form,
) -> Response {
    console.access.sign_out(&headers);
    redirect_with_cookie(&set_cookie(None, &headers), "/")
}

fn redirect_with_cookie(cookie: &str, path: &str) -> Response {
    ([(header::SET_COOKIE, cookie)], Redirect::to(path)).into_response()
}
