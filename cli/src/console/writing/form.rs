//! A form that a browser sent: its values, after the check that the sender may change things.

use std::sync::Arc;

use axum::body::{Bytes, to_bytes};
use axum::extract::{FromRequest, FromRequestParts as _, Request};
use axum::http::StatusCode;
use maud::{Markup, html};

use super::access::{Visitor, comes_from_here, read_only};
use crate::console::answer::{PageProblem, Problem};
use crate::console::state::Console;

/// The most bytes that are taken: an article's text, a few times over.
const MOST: usize = 1 << 20;
/// The field that carries the mark of the session.
const MARK: &str = "mark";

/// The values of a form of somebody who may change things.
pub(in crate::console) struct Form {
    /// Marks the forms of the answer.
    pub(in crate::console) mark: String,
    values: Vec<(String, String)>,
}

impl Form {
    /// The values of a form, whoever sent it.
    pub(in crate::console) fn unchecked(body: &[u8]) -> Form {
        Form { mark: String::new(), values: url::form_urlencoded::parse(body).into_owned().collect() }
    }

    /// A value without the space around it; empty if there is none.
    pub(in crate::console) fn get(&self, name: &str) -> &str {
        let first = self.values.iter().find(|(own, _)| own == name);
        first.map(|(_, value)| value.trim()).unwrap_or_default()
    }

    /// All values of this name.
    pub(in crate::console) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.values.iter().filter(move |(own, _)| own == name).map(|(_, value)| value.trim())
    }

    /// The lines of a value that are not empty.
    pub(in crate::console) fn lines(&self, name: &str) -> impl Iterator<Item = &str> {
        self.get(name).lines().map(str::trim).filter(|line| !line.is_empty())
    }
}

/// Reads a form without asking who sends it.
///
/// # Errors
/// When another site's page sent it, or it is too long.
pub(super) async fn read_values(request: Request) -> Result<Vec<(String, String)>, Problem> {
    if !comes_from_here(request.headers()) {
        return Err(foreign_form());
    }
    Ok(url::form_urlencoded::parse(&read_body(request).await?).into_owned().collect())
}

/// What a request holds.
///
/// # Errors
/// When it is too long.
pub(in crate::console) async fn read_body(request: Request) -> Result<Bytes, Problem> {
    let long =
        || Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", "What was sent holds more than 1 MiB.");
    to_bytes(request.into_body(), MOST).await.map_err(|_| long())
}

/// The mark of a session, as a field of a form.
pub(in crate::console) fn mark_field(mark: &str) -> Markup {
    html! { input type="hidden" name=(MARK) value=(mark); }
}

fn foreign_form() -> Problem {
    Problem::new(
        StatusCode::FORBIDDEN,
        "foreign",
        "This form was not sent from a page of this session. Load the page again, and send it from there.",
    )
}

impl FromRequest<Arc<Console>> for Form {
    type Rejection = PageProblem;

    async fn from_request(request: Request, console: &Arc<Console>) -> Result<Form, PageProblem> {
        let (mut parts, body) = request.into_parts();
        let visitor = Visitor::from_request_parts(&mut parts, console).await?;
        let Some(mark) = visitor.mark else {
            return Err(if visitor.may_sign_in { not_signed_in() } else { read_only() }.into());
        };
        let values = read_values(Request::from_parts(parts, body)).await?;
        let sent = values.iter().find(|(name, _)| name == MARK);
        // Hashes are compared in constant time.
        let is_own =
            sent.is_some_and(|(_, sent)| blake3::hash(sent.as_bytes()) == blake3::hash(mark.as_bytes()));
        if is_own { Ok(Form { mark, values }) } else { Err(foreign_form().into()) }
    }
}

fn not_signed_in() -> Problem {
    Problem::new(
        StatusCode::UNAUTHORIZED,
        "unauthorized",
        "This changes something: sign in first, at the foot of each page. What you sent was not done.",
    )
}
