//! Forgetting what a corrected page taught.

use std::sync::Arc;

use axum::extract::{Path, State};

use super::form::Form;
use crate::console::answer::{PageResult, Problem};
use crate::console::pages::parts::site_path;
use crate::console::state::Console;
use crate::control::Change;
use crate::queries::audit::Deed;
use crate::teaching::{Lesson, LessonContent};

pub(in crate::console) async fn forget(
    State(console): State<Arc<Console>>,
    Path(name): Path<String>,
    form: Form,
) -> PageResult {
    let snapshot = console.snapshot().await?;
    let site = &snapshot.known_site(&name)?.status.site;
    let url = form.get("url");
    let lesson = Lesson { site: site.clone(), content: LessonContent::Forget { page: url.to_owned() } };
    console.source.change(Change::Lesson(lesson)).await.map_err(Problem::refused)?;
    form.did(&console, Deed::ForgotLesson, url).await;
    let next = console.read_again(site.clone());
    Ok(console.notices.then(&site_path(site), format!("What this page taught is forgotten. {next}")))
}
