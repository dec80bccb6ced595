//! Notices of what a form did, shown on the page that follows. So loading that page again does nothing again.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};

/// The most notices that are kept.
const MOST: usize = 200;

/// What was done lately.
#[derive(Default)]
pub(in crate::console) struct Notices {
    next: AtomicU64,
    kept: Mutex<VecDeque<(u64, String)>>,
}

impl Notices {
    /// Redirects to a page that shows this text.
    pub(super) fn then(&self, path: &str, text: String) -> Response {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back((number, text));
        if kept.len() > MOST {
            kept.pop_front();
        }
        Redirect::to(&format!("{path}?notice={number}")).into_response()
    }

    /// The notice that a page is asked to show.
    pub(in crate::console) fn shown(&self, query: Option<&str>) -> Markup {
        let number = query.unwrap_or_default().split('&').find_map(|pair| pair.strip_prefix("notice="));
        let number: Option<u64> = number.and_then(|number| number.parse().ok());
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let text = kept.iter().find(|(own, _)| Some(*own) == number).map(|(_, text)| text);
        html! { @if let Some(text) = text { p.done role="status" { (text) } } }
    }
}
