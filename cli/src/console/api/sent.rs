//! What programs send: JSON, of those who may change things.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::{StatusCode, header};
use serde::de::DeserializeOwned;

use crate::console::access::Caller;
use crate::console::answer::Problem;
use crate::console::state::{Console, caller_of};
use crate::console::writing::form::{MOST, read_body};

/// What a program sent as JSON, after the check that it may change things, and who sent it. `what` names it for people.
///
/// # Errors
/// When the sender may not, or it is no JSON of this kind.
pub(super) async fn sent_json<T: DeserializeOwned>(
    console: &Console,
    request: Request,
    what: &str,
) -> Result<(Arc<Caller>, T), Problem> {
    let (parts, body) = request.into_parts();
    let caller = caller_of(&parts)?;
    let request = Request::from_parts(parts, body);
    caller.program(request.headers(), &console.access.hosts)?;
    // A page of another site can send forms and texts, but no JSON.
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_json =
        kind.is_some_and(|kind| kind.split(';').next().unwrap_or_default().trim() == "application/json");
    if !is_json {
        let sentence = "Send the message as JSON: `Content-Type: application/json`.";
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_json", sentence));
    }
    let sent = serde_json::from_slice(&read_body(request, MOST).await?)
        .map_err(|error| Problem::bad(format!("This is no {what}: {error}.")))?;
    Ok((caller, sent))
}
