//! Seeds, sent by programs as they are sent on the queue.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use newslode_common::message::seed::SeedMessage;

use super::sent::sent_json;
use crate::console::answer::Problem;
use crate::console::state::Console;
use crate::console::writing::seeds::{apply_seed_messages, deed_of};

pub(super) async fn post_seed(
    State(console): State<Arc<Console>>,
    request: Request,
) -> Result<Response, Problem> {
    let (caller, message) = sent_json::<SeedMessage>(&console, request, "seed message").await?;
    let messages = [message];
    apply_seed_messages(&console, &messages).await?;
    let (did, about) = deed_of(&messages);
    console.did(&caller, did, &about).await;
    Ok((StatusCode::ACCEPTED, [(header::CONTENT_TYPE, "application/json")], "{\"accepted\":true}")
        .into_response())
}
