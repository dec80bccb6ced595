//! *Explain*: what is known of any page, and when it is asked for next, and why.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Redirect};
use maud::{Markup, html};
use newslode_common::time::now;
use newslode_miner::work::histories::history::history_key;
use newslode_page::reading::{CanonicalUrl, Site};

use super::parts::{article_path, site_link, site_path};
use super::shell::{NavigationItem, Page, page_response};
use crate::console::answer::{PageResult, Problem};
use crate::console::snapshot::Snapshot;
use crate::console::state::Console;
use crate::html::values::{external_link, fact_list};
use crate::queries::explain;

/// The most bytes of a URL; longer ones are no pages.
const MOST: usize = 2_048;

pub(in crate::console) async fn page(
    State(console): State<Arc<Console>>,
    RawQuery(query): RawQuery,
) -> PageResult {
    let snapshot = console.snapshot().await?;
    let target = query_value(query.as_deref(), "target");
    if !target.is_empty() && !target.contains("://") {
        return Ok(Redirect::to(&site_path(&Site::of_host(&target))).into_response());
    }
    let page = explanation_page(&console, &snapshot, &target).await?;
    page_response(&console, &snapshot, page)
}

/// The value of this name in a query, whole: URLs are long.
pub(in crate::console) fn query_value(query: Option<&str>, name: &str) -> String {
    let query = query.unwrap_or_default();
    // Encoded, each byte takes three.
    if query.len() > 3 * MOST + 100 {
        return String::new();
    }
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    pairs.find(|(own, _)| own == name).map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
}

/// Asks for a page or site.
pub(super) fn explain_form(target: &str) -> Markup {
    html! {
        form.filters action="/explain" {
            div.wide {
                label for="target" { "Explain a page or a site: what is known of it, and when it is asked for next" }
                input #target name="target" value=(target) placeholder="https://www.example.com/story" inputmode="url" autocomplete="off" spellcheck="false";
            }
            div.act { button { "Explain" } }
        }
    }
}

async fn explanation_page(console: &Console, snapshot: &Snapshot, target: &str) -> Result<Page, Problem> {
    let mut page = Page {
        place: NavigationItem::Sites,
        title: "Explain".into(),
        trail: html! { a href="/sites" { "Sites" } },
        lead: html! {},
        main: explain_form(target),
    };
    if target.is_empty() {
        return Ok(page);
    }
    let url: CanonicalUrl = target.parse().map_err(|error| Problem::bad(format!("{error}.")))?;
    let now = now();
    let explanation = explain::explain_page(&console.source.parts, &url, now).await?;
    let rows: Vec<_> =
        explanation.facts(now).into_iter().map(|(name, value)| (name, html! { (value) })).collect();
    let site = url.site();
    page.main = html! {
        (explain_form(target))
        section {
            h2 { (external_link(url.as_str())) }
            (fact_list(&rows))
        }
        p.pager {
            @if let Some(article) = snapshot.mined.article(&history_key(&url)) { a href=(article_path(article)) { "Its article" } }
            @if snapshot.site(site.as_str()).is_some() { span { "Its site: " (site_link(&site)) } }
        }
    };
    Ok(page)
}
