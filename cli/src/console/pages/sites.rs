//! *Sites*: how each is, what it brings, and how much of what it shows is read.

use std::sync::Arc;

use axum::extract::State;
use maud::{Markup, html};
use newslode_common::outcome::Outcome;

use super::parts::{Number, counted, empty, percent, site_link, state, time};
use super::shell::{Page, Place, answer};
use crate::console::Console;
use crate::console::answer::Shown;
use crate::console::snapshot::{SiteFacts, Snapshot};

pub(in crate::console) async fn page(State(console): State<Arc<Console>>) -> Shown {
    let snapshot = console.snapshot().await?;
    let page = Page {
        place: Place::Sites,
        title: "Sites".into(),
        trail: html! {},
        lead: html! {
            p.lead { (counted(snapshot.sites.len() as u64, "site", "sites")) ". Recall is the share of articles, shown by a site's listings within seven days, that was read." }
        },
        main: html! { (super::explain::form("")) (table(&snapshot)) },
    };
    answer(&console, &snapshot, page)
}

fn table(snapshot: &Snapshot) -> Markup {
    if snapshot.sites.is_empty() {
        return empty(
            "No site is known. Add one: newslode seed add https://www.example.com, or start newslode mine with its address.",
        );
    }
    html! {
        div.scroll tabindex="0" role="region" aria-label="Table of sites" {
            table {
                thead {
                    tr {
                        th scope="col" { "Site" } th scope="col" { "State" }
                        th.number scope="col" { "Articles" } th.number scope="col" { "URLs" }
                        th.number scope="col" { "Read" } th.number scope="col" { "Not read" } th.number scope="col" { "Waiting" }
                        th.number scope="col" { "Recall" } th.number scope="col" { "Sources" }
                        th.number scope="col" { "Delay" } th.number scope="col" { "Next request" }
                    }
                }
                tbody { @for facts in &snapshot.sites { (row(facts)) } }
            }
        }
    }
}

fn row(facts: &SiteFacts) -> Markup {
    let status = &facts.status;
    let came = [Outcome::Fetched, Outcome::Unchanged];
    let read: u64 = came.iter().filter_map(|outcome| status.outcomes.get(outcome)).sum();
    let ended: u64 = status.outcomes.values().sum();
    html! {
        tr {
            th scope="row" { (site_link(&status.site)) }
            td { (state(status, facts.health)) }
            td.number { (Number(facts.articles)) }
            td.number { (Number(status.urls)) }
            td.number { (Number(read)) }
            td.number { (Number(ended.saturating_sub(read))) }
            td.number { (Number(status.pending)) }
            td.number { @if let Some(recall) = facts.recall { (percent(recall)) } @else { span.soft { "unknown" } } }
            td.number { (Number(facts.listings)) }
            td.number { (Number(status.settings.delay_ms)) " ms" }
            td.number { @if let Some(ready) = status.ready { (time(ready)) } @else { span.soft { "none" } } }
        }
    }
}
