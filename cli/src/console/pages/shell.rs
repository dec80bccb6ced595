//! What is around every page: head, navigation, search, and a foot that says how old the figures are.

use axum::response::{Html, IntoResponse};
use maud::{Markup, html};

use crate::console::answer::PageResult;
use crate::console::filter::ArticleQuery;
pub(in crate::console) use crate::console::frame::NavigationItem;
use crate::console::frame::framed_page;
use crate::console::snapshot::Snapshot;
use crate::console::state::Console;
use crate::filter::Filter;
use crate::html::values::time_element;
use crate::zone::zone_name;

/// A page's own part.
pub(in crate::console) struct Page {
    pub(in crate::console) place: NavigationItem,
    pub(in crate::console) title: String,
    /// What is above the title: the way here.
    pub(in crate::console) trail: Markup,
    /// What is below the title.
    pub(in crate::console) lead: Markup,
    pub(in crate::console) main: Markup,
}

/// Answers with a page.
pub(in crate::console) fn page_response(console: &Console, snapshot: &Snapshot, page: Page) -> PageResult {
    response_of(console, snapshot, page, None)
}

/// Answers with a page that lists articles. Feed readers find the Atom feed of the list.
pub(in crate::console) fn list_response(
    console: &Console,
    snapshot: &Snapshot,
    page: Page,
    list: &ArticleQuery,
) -> PageResult {
    response_of(console, snapshot, page, Some(&feed_path(&list.filter)))
}

/// The Atom feed of a filter.
pub(super) fn feed_path(filter: &Filter) -> String {
    let query = ArticleQuery::of(filter.clone()).query(None);
    if query.is_empty() { "/articles.atom".to_owned() } else { format!("/articles.atom?{query}") }
}

fn response_of(console: &Console, snapshot: &Snapshot, page: Page, feed: Option<&str>) -> PageResult {
    let failure = console.failure();
    let main = html! {
        @if let Some(failure) = &failure {
            p.note role="status" {
                "The store could not be read at the last look: " (failure) ". What is shown is from " (time_element(snapshot.made)) "."
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
        span { "As of " (time_element(snapshot.made)) ", times in " (zone_name()) }
        a href="/api/v1/openapi.json" { "JSON API" }
        a href="/session" { "Sign in or out" }
    };
    Ok(Html(framed_page(page.place, &page.title, feed, main, foot).into_string()).into_response())
}
