//! A form that a browser sent: its values, after the check that the sender may change things.

use std::sync::Arc;

use axum::body::{Bytes, to_bytes};
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use maud::{Markup, html};
use newslode_common::listen::BODY;

use crate::console::access::origin::Hosts;
use crate::console::access::{Caller, comes_from_here};
use crate::console::answer::{PageProblem, Problem};
use crate::console::state::{Console, caller_of};
use crate::queries::audit::Deed;

/// The most bytes that are taken: an article's text, a few times over.
pub(in crate::console) const MOST: usize = 1 << 20;
/// The field that carries the mark of the session.
const MARK: &str = "mark";

/// The values of a form of somebody who may change things.
pub(in crate::console) struct Form {
    /// Marks the forms of the answer.
    pub(in crate::console) mark: String,
    /// Who sent it; `None` where nobody asked.
    caller: Option<Arc<Caller>>,
    values: Vec<(String, String)>,
}

impl Form {
    /// The values of a form, whoever sent it.
    pub(in crate::console) fn unchecked(body: &[u8]) -> Form {
        let values = url::form_urlencoded::parse(body).into_owned().collect();
        Form { mark: String::new(), caller: None, values }
    }

    /// Writes what the sender did to the audit log.
    pub(in crate::console) async fn did(&self, console: &Console, did: Deed, about: &str) {
        if let Some(caller) = &self.caller {
            console.did(caller, did, about).await;
        }
    }

    /// The name of the sender; `None` where nobody asked.
    pub(in crate::console) fn sender(&self) -> Option<&str> {
        self.caller.as_deref().map(Caller::name)
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

/// Reads a form of at most `most` bytes without asking who sends it.
///
/// # Errors
/// When another site's page sent it, or it is too long or too slow.
pub(super) async fn read_values(
    request: Request,
    hosts: &Hosts,
    most: usize,
) -> Result<Vec<(String, String)>, Problem> {
    if !comes_from_here(request.headers(), hosts) {
        return Err(foreign_form());
    }
    Ok(url::form_urlencoded::parse(&read_body(request, most).await?).into_owned().collect())
}

/// What a request holds, at most `most` bytes.
///
/// # Errors
/// When it is too long or too slow.
pub(in crate::console) async fn read_body(request: Request, most: usize) -> Result<Bytes, Problem> {
    let long = || {
        let sentence = format!("What was sent holds more than {} KiB.", most >> 10);
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", sentence)
    };
    let slow = || {
        let sentence = format!("What was sent did not arrive within {} s.", BODY.as_secs());
        Problem::new(StatusCode::REQUEST_TIMEOUT, "too_slow", sentence)
    };
    let read = tokio::time::timeout(BODY, to_bytes(request.into_body(), most)).await;
    read.map_err(|_| slow())?.map_err(|_| long())
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
        let (parts, body) = request.into_parts();
        let caller = caller_of(&parts)?;
        let visitor = caller.visitor();
        let Some(mark) = visitor.mark.clone() else { return Err(visitor.refusal().into()) };
        let values = read_values(Request::from_parts(parts, body), &console.access.hosts, MOST).await?;
        let sent = values.iter().find(|(name, _)| name == MARK);
        // Hashes are compared in constant time.
        let is_own =
            sent.is_some_and(|(_, sent)| blake3::hash(sent.as_bytes()) == blake3::hash(mark.as_bytes()));
        if is_own { Ok(Form { mark, caller: Some(caller), values }) } else { Err(foreign_form().into()) }
    }
}
