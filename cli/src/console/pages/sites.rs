//! *Sites*: how each is, what it brings, and how much of what it shows is read.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use maud::{Markup, html};
use newslode_common::outcome::Outcome;

use super::parts::{PLAIN, file_links, path_segment, percent_text, site_link, site_state, standstill_note};
use super::shell::{NavigationItem, Page, page_response};
use crate::console::answer::PageResult;
use crate::console::filter::parameters;
use crate::console::snapshot::SiteFacts;
use crate::console::state::Console;
use crate::html::values::{Number, count_with_noun, empty_note, time_element};

/// Sites of a page.
const SHOWN: usize = 200;

pub(in crate::console) async fn page(
    State(console): State<Arc<Console>>,
    RawQuery(query): RawQuery,
) -> PageResult {
    let snapshot = console.snapshot().await?;
    let values = parameters(query.as_deref(), &["after"])?;
    let after = values.value("after");
    let page = Page {
        place: NavigationItem::Sites,
        title: "Sites".into(),
        trail: html! {},
        lead: html! {
            p.lead { (count_with_noun(snapshot.sites.len() as u64, "site", "sites")) ". Recall is the share of articles, shown by a site's listings within seven days, that was read. New articles a day and the share read in full are those of the last seven days." }
        },
        main: html! { (standstill_note(&console.source, &snapshot)) (super::explain::explain_form("")) (site_table(&snapshot.sites, after)) (file_links("/sites", "", &PLAIN)) },
    };
    page_response(&console, &snapshot, page)
}

/// The sites behind this name, as many as a page shows.
fn site_table(sites: &[SiteFacts], after: &str) -> Markup {
    if sites.is_empty() {
        return empty_note(
            "No site is known. Add one: newslode seed add https://www.example.com, or start newslode mine with its address.",
        );
    }
    let name = |facts: &SiteFacts| facts.status.site.to_string();
    let mut behind = sites.iter().filter(|facts| facts.status.site.as_str() > after);
    let shown: Vec<&SiteFacts> = behind.by_ref().take(SHOWN).collect();
    let last = shown.last().filter(|_| behind.next().is_some()).map(|last| name(last));
    html! {
        div.scroll tabindex="0" role="region" aria-label="Table of sites" {
            table {
                thead {
                    tr {
                        th scope="col" { "Site" } th scope="col" { "State" }
                        th.number scope="col" { "Articles" } th.number scope="col" { "A day" } th.number scope="col" { "In full" }
                        th.number scope="col" { "Last article" } th.number scope="col" { "URLs" }
                        th.number scope="col" { "Read" } th.number scope="col" { "Not read" } th.number scope="col" { "Waiting" }
                        th.number scope="col" { "Recall" } th.number scope="col" { "Sources" }
                        th.number scope="col" { "Delay" } th.number scope="col" { "Next request" }
                    }
                }
                tbody { @for facts in shown { (site_row(facts)) } }
            }
        }
        @if !after.is_empty() || last.is_some() {
            nav.pager aria-label="Pages" {
                @if !after.is_empty() { a href="/sites" { "From the beginning" } }
                @if let Some(last) = &last { a rel="next" href={ "/sites?after=" (path_segment(last)) } { "Further sites" } }
            }
        }
    }
}

fn site_row(facts: &SiteFacts) -> Markup {
    let (status, health) = (&facts.status, &facts.health);
    let unknown = html! { span.soft { "unknown" } };
    let came = [Outcome::Fetched, Outcome::Unchanged];
    let read: u64 = came.iter().filter_map(|outcome| status.outcomes.get(outcome)).sum();
    let ended: u64 = status.outcomes.values().sum();
    html! {
        tr {
            th scope="row" { (site_link(&status.site)) }
            td { (site_state(status, health)) }
            td.number { (Number(facts.articles)) }
            td.number { @if let Some(rate) = health.articles_a_day { (format!("{rate:.1}")) } @else { (unknown) } }
            td.number { @if let Some(full) = health.read_in_full { (percent_text(full)) } @else { (unknown) } }
            td.number { @if let Some(last) = health.last_article { (time_element(last)) } @else { span.soft { "none" } } }
            td.number { (Number(status.urls)) }
            td.number { (Number(read)) }
            td.number { (Number(ended.saturating_sub(read))) }
            td.number { (Number(status.pending)) }
            td.number { @if let Some(recall) = facts.recall { (percent_text(recall)) } @else { (unknown) } }
            td.number { (Number(facts.listings)) }
            td.number { (Number(status.settings.delay_ms)) " ms" }
            td.number { @if let Some(ready) = status.ready { (time_element(ready)) } @else { span.soft { "none" } } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queries::health::SiteHealth;
    use newslode_common::schedule::SiteSchedule;
    use newslode_common::store::{SiteSettings, SiteStatus};
    use newslode_page::reading::Site;
    use newslode_page::time::Timestamp;

    fn site(number: usize) -> SiteFacts {
        let settings = SiteSettings {
            max_pages: 9,
            max_depth: 9,
            delay_ms: 1_000,
            paused: false,
            labels: Default::default(),
        };
        let status = SiteStatus {
            site: Site::of_host(&format!("site{number:05}.test")),
            settings,
            urls: 9_999_999,
            remembered: 0,
            pending: 9_999_999,
            leased: 0,
            next_due: None,
            ready: Some(Timestamp(1_700_000_000_000)),
            allowance: None,
            turn: Timestamp(0),
            outcomes: Default::default(),
        };
        let mut schedule = SiteSchedule::default();
        let read = Timestamp(1_700_000_000_000);
        schedule.confirm(None, true, read);
        schedule.count_article(true, true, read);
        let health = SiteHealth::of(&schedule, &status.outcomes, read);
        SiteFacts { status, health, articles: 9_999_999, recall: Some(999), listings: 99 }
    }

    #[test]
    fn many_sites_are_shown_in_parts_and_each_once() {
        let sites: Vec<SiteFacts> = (0..2_345).map(site).collect();
        let (mut seen, mut after) = (0, String::new());
        loop {
            let html = site_table(&sites, &after).0;
            assert!(html.len() < 500_000, "{} bytes", html.len());
            seen += html.matches("<th scope=\"row\">").count();
            let Some(next) = html.split("/sites?after=").nth(1) else { break };
            after = next.split('"').next().unwrap().to_owned();
        }
        assert_eq!(seen, sites.len());
    }
}
