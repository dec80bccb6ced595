//! Seeds, sent by programs as they are sent on the queue.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use newslode_common::message::seed::SeedMessage;

use crate::console::answer::Problem;
use crate::console::state::{Console, caller_of};
use crate::console::writing::form::{MOST, read_body};
use crate::console::writing::seeds::{apply_seed_messages, deed_of};

pub(super) async fn post_seed(
    State(console): State<Arc<Console>>,
    request: Request,
) -> Result<Response, Problem> {
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
    let message: SeedMessage = serde_json::from_slice(&read_body(request, MOST).await?)
        .map_err(|error| Problem::bad(format!("This is no seed message: {error}.")))?;
    let messages = [message];
    apply_seed_messages(&console, &messages).await?;
    let (did, about) = deed_of(&messages);
    console.did(&caller, did, &about).await;
    Ok((StatusCode::ACCEPTED, [(header::CONTENT_TYPE, "application/json")], "{\"accepted\":true}")
        .into_response())
}
