//! What is around every page: head, navigation, search, and a foot that says how old the figures are.

use axum::response::{Html, IntoResponse};
use maud::{Markup, html};

use crate::console::Console;
use crate::console::answer::Shown;
use crate::console::assets::STYLE_PATH;
use crate::console::snapshot::Snapshot;
use crate::html::values::time;
use crate::html::{Frame, document};

/// Where a page stands in the navigation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::console) enum Place {
    Overview,
    Taxonomy,
    Articles,
    Sites,
    Operations,
    None,
}

const NAVIGATION: [(Place, &str, &str); 5] = [
    (Place::Overview, "/", "Overview"),
    (Place::Taxonomy, "/taxonomy", "Taxonomy"),
    (Place::Articles, "/articles", "Articles"),
    (Place::Sites, "/sites", "Sites"),
    (Place::Operations, "/operations", "Operations"),
];

/// A page's own part.
pub(in crate::console) struct Page {
    pub(in crate::console) place: Place,
    pub(in crate::console) title: String,
    /// What is above the title: the way here.
    pub(in crate::console) trail: Markup,
    /// What is below the title.
    pub(in crate::console) lead: Markup,
    pub(in crate::console) main: Markup,
}

/// Answers with a page.
pub(in crate::console) fn answer(console: &Console, snapshot: &Snapshot, page: Page) -> Shown {
    let failure = console.failure();
    let main = html! {
        @if let Some(failure) = &failure {
            p.note role="status" {
                "The store could not be read at the last look: " (failure) ". What is shown is from " (time(snapshot.made)) "."
            }
        }
        div.title {
            @if !page.trail.0.is_empty() { p.trail { (page.trail) } }
            h1 dir="auto" { (page.title) }
            (page.lead)
        }
        (page.main)
    };
    let foot = html! {
        span { "Newslode " (env!("CARGO_PKG_VERSION")) }
        span { "Shows " (console.source.name) }
        span { "As of " (time(snapshot.made)) " UTC" }
        a href="/api/v1/openapi.json" { "JSON API" }
        @if console.access.asks_for_token() { a href="/session" { "Sign in or out" } }
    };
    Ok(Html(whole(page.place, &page.title, main, foot).into_string()).into_response())
}

/// A page of which nothing but a title and a text is known.
pub(in crate::console) fn bare(place: Place, title: &str, text: Markup) -> Markup {
    let main = html! { div.title { h1 { (title) } (text) } };
    whole(place, title, main, html! { span { "Newslode " (env!("CARGO_PKG_VERSION")) } })
}

fn whole(place: Place, title: &str, main: Markup, foot: Markup) -> Markup {
    let frame = Frame {
        title: title.into(),
        head: html! { link rel="stylesheet" href=(*STYLE_PATH); },
        home: "/",
        navigation: NAVIGATION.map(|(there, path, name)| (path, name, there == place)).into(),
        bar: html! {
            form role="search" aria-label="Articles" action="/articles" {
                label.hidden for="search" { "Search articles" }
                input #search type="search" name="q" placeholder="Search articles" autocomplete="off" dir="auto";
                button { "Search" }
            }
        },
        foot,
    };
    document(&frame, &main)
}
