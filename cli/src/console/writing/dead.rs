//! Dead letters: put back into their queue, or dropped.

use std::sync::Arc;

use axum::extract::State;
use maud::html;
use newslode_common::broker::{Broker as _, Queue};

use super::form::{Form, mark_field};
use crate::console::answer::{PageResult, Problem};
use crate::console::pages::shell::{NavigationItem, Page, page_response};
use crate::console::state::Console;
use crate::queries::audit::Deed;

pub(in crate::console) async fn settle(State(console): State<Arc<Console>>, form: Form) -> PageResult {
    let named = form.get("queue");
    let queue = Queue::ALL.iter().copied().find(|queue| queue.name() == named);
    let queue = queue.ok_or_else(|| Problem::bad(format!("There is no queue `{named}`.")))?;
    let ids: Vec<String> = form.all("id").filter(|id| !id.is_empty()).map(str::to_owned).collect();
    let (act, is_all) = match form.get("act") {
        "replay_all" => ("replay", true),
        "drop_all" => ("drop", true),
        other => (other, false),
    };
    if ids.is_empty() && !is_all {
        return Err(Problem::bad("No dead letter was chosen. Go back and mark some, or take all.").into());
    }
    // To the broker, no name means all.
    let chosen: &[String] = if is_all { &[] } else { &ids };
    let broker = console.source.broker()?;
    let done = match act {
        "replay" => broker.replay(queue, chosen).await,
        "drop" if form.get("sure") == "yes" => broker.drop_dead(queue, chosen).await,
        "drop" => return drop_page(&console, queue, chosen, &form).await,
        other => {
            return Err(
                Problem::bad(format!("`{other}` is nothing that can be done to dead letters.")).into()
            );
        }
    };
    let count = done.map_err(|error| Problem::without_queues(&error))?;
    let did = if act == "replay" { Deed::ReplayedLetters } else { Deed::DroppedLetters };
    form.did(&console, did, &format!("{queue}: {count} {}", chosen.join(" "))).await;
    let letters = if count == 1 { "1 dead letter was" } else { &format!("{count} dead letters were") };
    let what = match act {
        "replay" => {
            format!("{letters} put back into the queue {queue}. One that fails again comes back here.")
        }
        _ => format!("{letters} dropped."),
    };
    Ok(console.notices.then("/operations", what))
}

/// Asks before letters are dropped.
async fn drop_page(console: &Console, queue: Queue, ids: &[String], form: &Form) -> PageResult {
    let what = match ids.len() {
        0 => format!("all dead letters of the queue {queue}"),
        1 => "1 dead letter".to_owned(),
        count => format!("{count} dead letters"),
    };
    let page = Page {
        place: NavigationItem::Operations,
        title: format!("Drop {what}?"),
        trail: html! { a href="/operations" { "Operations" } },
        lead: html! { p.lead { "What they hold is lost. If its cause was mended, put them back into the queue instead." } },
        main: html! {
            form.acts method="post" action="/operations/dead" {
                (mark_field(&form.mark))
                input type="hidden" name="sure" value="yes";
                input type="hidden" name="queue" value=(queue);
                @for id in ids { input type="hidden" name="id" value=(id); }
                @let all = if ids.is_empty() { "_all" } else { "" };
                button.danger name="act" value={ "drop" (all) } { "Drop " (what) }
                button.plain name="act" value={ "replay" (all) } { "Put back instead" }
                a href="/operations" { "Leave them" }
            }
        },
    };
    let snapshot = console.snapshot().await?;
    page_response(console, &snapshot, page)
}
