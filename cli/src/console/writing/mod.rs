//! What people change from the console: seeds and their limits, dead letters, corrected articles and concepts, what is followed.
//!
//! [`access`](super::access) says who may, [`form`] reads what they send. Each form answers by leading to a page that tells what was done
//! ([`notices`]); what cannot be undone asks first. In a run's folder changes are made here and now; for the services they go
//! the way of the command line: seeds and dead letters over the broker, lessons and corrections through the store, which miners watch.

pub(super) mod corrections;
pub(super) mod dead;
pub(super) mod follows;
pub(super) mod form;
pub(super) mod lessons;
pub(super) mod notices;
pub(super) mod seeds;
pub(super) mod session;
pub(super) mod teach;

use axum::Router;
use axum::routing::{get, post};
use std::sync::Arc;

use crate::console::oidc;
use crate::console::state::Console;

/// The routes of forms.
pub(super) fn router() -> Router<Arc<Console>> {
    Router::new()
        .route("/session", get(session::page).post(session::sign_in))
        .route("/session/once/{secret}", get(session::one_time_page))
        .route("/session/once", post(session::sign_in_once))
        .route(oidc::BEGIN, get(session::begin_at_provider))
        .route(oidc::CALLBACK, get(session::finish_at_provider))
        .route("/session/end", post(session::sign_out))
        .route(corrections::PATH, get(corrections::page).post(corrections::change))
        .route("/operations/seeds", post(seeds::add))
        .route("/operations/dead", post(dead::settle))
        .route("/following", get(follows::page).post(follows::change))
        .route("/sites/{site}/limits", post(seeds::change))
        .route("/sites/{site}/lessons", post(lessons::forget))
        .route("/articles/{id}/correct", get(teach::page).post(teach::correct))
}
