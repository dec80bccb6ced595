//! The style sheet and the script of the first page, served under names that their content gives, so that browsers may keep them for
//! good.

use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use super::answer::Problem;
use super::frame::{SCRIPT, SCRIPT_PATH, STYLE_PATH};
use crate::html::STYLE;

pub(super) async fn file(Path(name): Path<String>) -> Response {
    let files = [
        (&*STYLE_PATH, "text/css; charset=utf-8", STYLE),
        (&*SCRIPT_PATH, "text/javascript; charset=utf-8", SCRIPT),
    ];
    let wanted = files.into_iter().find(|(path, ..)| path.strip_prefix("/assets/") == Some(name.as_str()));
    let Some((_, kind, content)) = wanted else {
        return Problem::not_found("There is no such file.").page();
    };
    let headers =
        [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "public, max-age=31536000, immutable")];
    (headers, content).into_response()
}
