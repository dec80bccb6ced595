//! Corrections of the taxonomy, sent by programs: made, looked at before, and undone.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use newslode_miner::mining::corrections::Entry;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::sent::sent_json;
use crate::console::answer::Problem;
use crate::console::state::Console;
use crate::console::writing::corrections::{Checked, check_addition, check_undoing};
use crate::control::Change;
use crate::queries::audit::Deed;

/// Makes a correction, says what it would do (`preview`), or undoes one (`undo`).
pub(super) async fn post_correction(
    State(console): State<Arc<Console>>,
    request: Request,
) -> Result<Response, Problem> {
    let (caller, mut sent) = sent_json::<Map<String, Value>>(&console, request, "correction").await?;
    let is_preview: bool = taken(&mut sent, "preview")?.unwrap_or_default();
    let (checked, about) = match taken::<u64>(&mut sent, "undo")? {
        Some(number) => (check_undoing(&console, number).await?, format!("undo {number}")),
        None => {
            let Entry { correction, note, .. } = parsed(Value::Object(sent))?;
            let about = correction.to_string();
            let author = Some(caller.name().to_owned());
            (check_addition(&console, correction, note, author).await?, about)
        }
    };
    if is_preview {
        return show(&console, checked).await;
    }
    let Checked { change, .. } = checked;
    let said = console.source.change(Change::Correct(change)).await.map_err(Problem::refused)?;
    console.did(&caller, Deed::CorrectedTaxonomy, &about).await;
    console.look_again();
    Ok(answer(&json!({ "said": said, "kept": true, "moves": null, "not_counted": null })))
}

/// Answers with what a change would do, and how many articles it moves.
async fn show(console: &Console, checked: Checked) -> Result<Response, Problem> {
    let said = checked.said.clone();
    let (moves, not_counted) = match checked.count_moves(console).await {
        Ok(moves) => (Some(moves), None),
        Err(reason) => (None, Some(reason)),
    };
    Ok(answer(&json!({ "said": said, "kept": false, "moves": moves, "not_counted": not_counted })))
}

fn answer(said: &Value) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], said.to_string()).into_response()
}

/// A value that is no part of a correction, taken out of what was sent.
fn taken<T: DeserializeOwned>(sent: &mut Map<String, Value>, name: &str) -> Result<Option<T>, Problem> {
    sent.remove(name).map(parsed).transpose()
}

fn parsed<T: DeserializeOwned>(value: Value) -> Result<T, Problem> {
    serde_json::from_value(value).map_err(|error| Problem::bad(format!("This is no correction: {error}.")))
}
