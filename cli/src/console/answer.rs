//! Answers that are no page: what went wrong, as a page for people or as JSON for programs.

use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use maud::{Render as _, html};
use newslode_miner::mining::corrections::CorrectionsError;
use serde_json::json;

use super::frame::{NavigationItem, bare_page};
use crate::html::values::Number;

/// The code of the answer while the console has not read the run yet. The browser reloads that page by itself.
const READING: &str = "reading";
/// After how many seconds to ask again.
const ASK_AGAIN: header::HeaderValue = header::HeaderValue::from_static("3");
/// Addresses below this are for programs.
pub(super) const API: &str = "/api/";
/// Beginnings of the addresses of lists as files.
const FILES: [&str; 3] = ["/articles.", "/sites.", "/taxonomy."];

/// Whether programs read what this path answers, so that even an error is no page.
pub(super) fn is_for_programs(path: &str) -> bool {
    path.starts_with(API) || FILES.iter().any(|file| path.starts_with(file))
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) struct Problem {
    status: StatusCode,
    /// For programs.
    code: &'static str,
    /// For people: what is wrong, and what to do.
    sentence: String,
}

impl Problem {
    pub(super) fn new(status: StatusCode, code: &'static str, sentence: impl Into<String>) -> Problem {
        Problem { status, code, sentence: sentence.into() }
    }

    /// What was asked for is not known.
    pub(super) fn not_found(sentence: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, "not_found", sentence)
    }

    /// The question is wrong.
    pub(super) fn bad(sentence: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "bad_request", sentence)
    }

    /// The store fails.
    pub(super) fn away(error: &impl std::fmt::Display) -> Problem {
        let sentence = format!("The store cannot be read: {error}. The console goes on trying.");
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "store_unavailable", sentence)
    }

    /// The queues fail.
    pub(super) fn without_queues(error: &impl std::fmt::Display) -> Problem {
        let sentence = format!("The queues cannot be reached: {error}. Nothing was done; try again.");
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "broker_unavailable", sentence)
    }

    /// A change that was asked for is refused, for a reason that says what to do; or the store fails.
    pub(super) fn refused(error: anyhow::Error) -> Problem {
        if let Some(wrong) = error.downcast_ref::<CorrectionsError>() {
            return Problem::bad(format!("{wrong}."));
        }
        match error.downcast_ref::<crate::exit::Hinted>() {
            Some(hinted) => Problem::bad(format!("{}: {}.", hinted.message, hinted.hint)),
            None => Problem::away(&format!("{error:#}")),
        }
    }

    /// Nothing was read yet but this many articles; before the first one, the taxonomy is worked out.
    pub(super) fn reading(articles: u64) -> Problem {
        let step = match articles {
            0 => "works out the taxonomy, then reads the articles".to_owned(),
            _ => format!("is reading the articles, {} so far", Number(articles).render().into_string()),
        };
        let sentence = format!("The console {step}. After an update this may take minutes; nothing is lost.");
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, READING, sentence)
    }

    /// What is wrong, and what to do.
    pub(super) fn sentence(&self) -> &str {
        &self.sentence
    }

    /// The problem in the form that a path's readers expect.
    pub(super) fn on(self, path: &str) -> Response {
        if is_for_programs(path) { self.json() } else { self.page() }
    }

    /// As a page.
    pub(super) fn page(self) -> Response {
        let title = match self.status {
            StatusCode::NOT_FOUND => "Not found",
            StatusCode::BAD_REQUEST => "This cannot be answered",
            StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS => "Not yet",
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => "This may not be changed",
            _ => "No answer",
        };
        let page = bare_page(
            NavigationItem::None,
            title,
            html! {
                p.lead { (self.sentence) }
                @if self.code == READING {
                    p { "This page is loaded again by itself." }
                }
                @if self.status == StatusCode::NOT_FOUND {
                    p { "Search for it above, or go on from the " a href="/" { "first page" } "." }
                }
            },
        );
        let mut response = (self.status, Html(page.into_string())).into_response();
        if self.code == READING {
            response.headers_mut().insert(header::REFRESH, ASK_AGAIN);
        }
        self.may_be_asked_again(response)
    }

    /// As JSON.
    pub(super) fn json(self) -> Response {
        let body = json!({ "code": self.code, "message": self.sentence });
        let response = (self.status, [(header::CONTENT_TYPE, "application/json")], body.to_string());
        self.may_be_asked_again(response.into_response())
    }

    /// Says when to ask again, if that helps.
    fn may_be_asked_again(&self, mut response: Response) -> Response {
        if matches!(self.status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS) {
            response.headers_mut().insert(header::RETRY_AFTER, ASK_AGAIN);
        }
        response
    }
}

/// What a page's handler gives: problems are pages there, and JSON in the API.
pub(super) type PageResult = Result<Response, PageProblem>;

/// A problem of a page.
pub(super) struct PageProblem(Problem);

impl<P: Into<Problem>> From<P> for PageProblem {
    fn from(problem: P) -> PageProblem {
        PageProblem(problem.into())
    }
}

impl IntoResponse for PageProblem {
    fn into_response(self) -> Response {
        self.0.page()
    }
}

impl From<anyhow::Error> for Problem {
    /// Errors with a hint are answers about what was asked for; others come from the store.
    fn from(error: anyhow::Error) -> Problem {
        match error.downcast_ref::<crate::exit::Hinted>() {
            Some(hinted) => Problem::not_found(format!("{}.", hinted.message)),
            None => Problem::away(&format!("{error:#}")),
        }
    }
}

impl From<newslode_common::store::StoreError> for Problem {
    fn from(error: newslode_common::store::StoreError) -> Problem {
        Problem::away(&error)
    }
}

/// There is no such concept.
pub(super) fn unknown_concept(named: &str) -> Problem {
    Problem::not_found(format!("There is no concept `{named}` in the taxonomy."))
}

/// There is no such site.
pub(super) fn unknown_site(named: &str) -> Problem {
    Problem::not_found(format!("The site `{named}` is not known: no seed named it."))
}

/// Puts what the framework refuses by itself (a method, a path that is no text) into the form of all problems.
pub(super) fn explain_refusal(refused: Response, path: &str) -> Response {
    let status = refused.status();
    let kind = refused.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if !status.is_client_error() || kind.is_some_and(|kind| !kind.starts_with("text/plain")) {
        return refused;
    }
    let problem = match status {
        StatusCode::METHOD_NOT_ALLOWED => Problem::new(
            status,
            "method_not_allowed",
            "This address is not asked in this way; `Allow` says how.",
        ),
        _ => Problem::new(status, "bad_request", "The address holds something that is no text (UTF-8)."),
    };
    let mut answer = problem.on(path);
    if let Some(allow) = refused.headers().get(header::ALLOW) {
        answer.headers_mut().insert(header::ALLOW, allow.clone());
    }
    answer
}

pub(super) async fn not_found(request: Request) -> Response {
    Problem::not_found("There is no such page.").on(request.uri().path())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_read_yet_is_asked_for_again_by_browsers_and_programs() {
        let header = |response: &Response, name: header::HeaderName| {
            response.headers().get(name).map(|value| value.to_str().unwrap().to_owned())
        };
        for path in ["/", "/api/v1/articles"] {
            let response = Problem::reading(0).on(path);
            assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
            assert_eq!(header(&response, header::RETRY_AFTER).as_deref(), Some("3"), "{path}");
            // Only a page is loaded again by itself.
            assert_eq!(header(&response, header::REFRESH).is_some(), path == "/", "{path}");
        }
        let wrong = Problem::bad("No.").page();
        assert_eq!((header(&wrong, header::REFRESH), header(&wrong, header::RETRY_AFTER)), (None, None));
        assert!(Problem::reading(0).sentence().contains("taxonomy"));
        assert!(Problem::reading(1_200).sentence().contains("1\u{202f}200 so far"));
    }
}
