//! Forgetting what a corrected page taught.

use std::sync::Arc;

use axum::extract::{Path, State};
use newslode_miner::work::knowledge;

use super::form::Form;
use crate::console::answer::{PageResult, Problem};
use crate::console::pages::parts::site_path;
use crate::console::state::Console;
use crate::queries::audit::Deed;

pub(in crate::console) async fn forget(
    State(console): State<Arc<Console>>,
    Path(name): Path<String>,
    form: Form,
) -> PageResult {
    let snapshot = console.snapshot().await?;
    let site = &snapshot.known_site(&name)?.status.site;
    let url = form.get("url");
    let state = console.source.parts.stores.state.as_ref();
    let forgotten = knowledge::teach(state, site, |knowledge| {
        if knowledge.site.forget(Some(url)) == 0 {
            return Err(crate::exit::hinted(
                format!("no page `{url}` of {site} was corrected"),
                "load the page again",
            ));
        }
        Ok(())
    });
    forgotten.await.map_err(Problem::refused)?;
    console.source.flush().await?;
    form.did(&console, Deed::ForgotLesson, url).await;
    let next = console.read_again(site.clone());
    Ok(console.notices.then(&site_path(site), format!("What this page taught is forgotten. {next}")))
}
