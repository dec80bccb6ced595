//! The style sheet, served under a name that its content gives, so that browsers may keep it for good.

use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use super::answer::Problem;
use super::frame::STYLE_PATH;
use crate::html::STYLE;

pub(super) async fn file(Path(name): Path<String>) -> Response {
    if STYLE_PATH.strip_prefix("/assets/") != Some(name.as_str()) {
        return Problem::not_found("There is no such file.").page();
    }
    let headers = [
        (header::CONTENT_TYPE, "text/css; charset=utf-8"),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
    ];
    (headers, STYLE).into_response()
}
