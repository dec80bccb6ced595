//! *Overview*: what came in, which concepts rise, how the sites are, how requests ended, and what waits.

use std::sync::Arc;

use axum::extract::State;
use maud::{Markup, html};
use newslode_common::schedule::Health;
use newslode_common::time::now;
use newslode_page::time::Timestamp;

use super::parts::{Found, article_summaries, concept_link, shortage_note, site_link, site_state};
use super::shell::{NavigationItem, Page, page_response};
use crate::console::answer::PageResult;
use crate::console::snapshot::{ConceptFacts, SiteFacts, Snapshot};
use crate::console::state::Console;
use crate::html::charts::{self, Bars, outcome_table};
use crate::html::values::{Number, count_with_noun, date_of_day, empty_note, time_element};

/// Days that the chart shows.
const DAYS: u32 = 14;
/// Concepts that rise, sites in trouble and articles that are shown at most.
const SHOWN: usize = 8;
/// A concept rises if it has this many times as many articles as on a usual day, and at least so many.
const RISES: (f64, u64) = (1.5, 2);

const HOUR: u64 = 3_600_000;

pub(in crate::console) async fn page(State(console): State<Arc<Console>>) -> PageResult {
    let snapshot = console.snapshot().await?;
    let now = now();
    let main = html! {
        (shortage_note(&console.source))
        (headline_figures(&snapshot, now))
        div.columns { (found_by_hour(&snapshot, now)) (published_by_day(&snapshot, now)) }
        div.columns { (rising_concepts(&snapshot)) (site_health(&snapshot)) }
        div.columns { (outcome_section(&snapshot)) (waiting_section(&snapshot, now)) }
        (newest_section(&snapshot))
    };
    let page = Page {
        place: NavigationItem::Overview,
        title: "Overview".into(),
        trail: html! {},
        lead: html! {},
        main,
    };
    page_response(&console, &snapshot, page)
}

fn headline_figures(snapshot: &Snapshot, now: Timestamp) -> Markup {
    let mined = &snapshot.mined;
    let found = |found: Option<Timestamp>| found.is_some_and(|found| found.day() == now.day());
    let today = mined.articles.iter().filter(|article| found(article.found)).count();
    let waiting: u64 = snapshot.sites.iter().map(|facts| facts.status.pending).sum();
    let figures = [
        ("/articles", "articles", (mined.articles.len() + mined.older.articles) as u64),
        ("#today", "found today", today as u64),
        ("/sites", "sites", snapshot.sites.len() as u64),
        ("/taxonomy", "concepts", mined.taxonomy.concepts.len() as u64),
        ("#waiting", "URLs to ask for", waiting),
    ];
    charts::figure_list(&figures)
}

fn found_by_hour(snapshot: &Snapshot, now: Timestamp) -> Markup {
    let mut hours = [0_u64; 24];
    for found in snapshot.mined.articles.iter().filter_map(|article| article.found) {
        if found.day() == now.day() {
            hours[(found.0 / HOUR % 24) as usize] += 1;
        }
    }
    let is_quiet = hours.iter().all(|count| *count == 0);
    let values = hours.iter().zip(0..).map(|(count, hour)| (format!("{hour:02}"), *count)).collect();
    html! {
        section #today {
            h2 { "Found today " small { "by hour, UTC" } }
            @if is_quiet {
                (empty_note("No article was found today. A run that has ended finds nothing: start newslode mine again to visit what is due."))
            } @else {
                (Bars { about: "Articles found today, by hour", values, every: 3 })
            }
        }
    }
}

fn published_by_day(snapshot: &Snapshot, now: Timestamp) -> Markup {
    let first = now.day().saturating_sub(DAYS - 1);
    let mut days = [0_u64; DAYS as usize];
    for article in &snapshot.mined.articles {
        let number = article.at.day();
        if (first..=now.day()).contains(&number) {
            days[(number - first) as usize] += 1;
        }
    }
    let is_quiet = days.iter().all(|count| *count == 0);
    let values = days
        .iter()
        .zip(first..)
        .map(|(count, number)| (date_of_day(number).strftime("%d %b").to_string(), *count));
    html! {
        section {
            h2 { "Published " small { "by day, UTC" } }
            @if is_quiet {
                (empty_note("No article of these two weeks is there; all are older."))
            } @else {
                (Bars { about: "Articles by day of publication, last two weeks", values: values.collect(), every: 3 })
            }
        }
    }
}

fn rising_concepts(snapshot: &Snapshot) -> Markup {
    let mined = &snapshot.mined;
    let rises = |facts: &ConceptFacts| facts.lately >= RISES.1 && facts.rise() >= RISES.0;
    let mut rising: Vec<_> =
        mined.taxonomy.concepts.iter().zip(&mined.concepts).filter(|(_, facts)| rises(facts)).collect();
    rising.sort_by(|a, b| b.1.rise().total_cmp(&a.1.rise()).then_with(|| a.0.key.cmp(&b.0.key)));
    rising.truncate(SHOWN);
    html! {
        section {
            h2 { "Concepts that rise" }
            @if rising.is_empty() {
                (empty_note("No concept has clearly more articles of the last day than it had on a usual day of the week before."))
            } @else {
                div.scroll {
                    table {
                        thead { tr { th scope="col" { "Concept" } th.number scope="col" { "Last day" } th.number scope="col" { "Usual day" } } }
                        tbody {
                            @for (concept, facts) in rising {
                                tr {
                                    th scope="row" { (concept_link(concept)) }
                                    td.number { (Number(facts.lately)) }
                                    td.number { (format!("{:.1}", facts.before as f64 / 7.0)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn site_health(snapshot: &Snapshot) -> Markup {
    let is_well = |facts: &&SiteFacts| facts.health == Health::Healthy && !facts.status.settings.paused;
    let well = snapshot.sites.iter().filter(is_well).count() as u64;
    let ill: Vec<&SiteFacts> = snapshot.sites.iter().filter(|facts| !is_well(facts)).collect();
    html! {
        section {
            h2 { "Sites " small { (count_with_noun(well, "is healthy", "are healthy")) } }
            @if snapshot.sites.is_empty() {
                (empty_note("No site is known. Add one: newslode seed add https://www.example.com"))
            } @else if ill.is_empty() {
                p { "All sites answer and publish as they used to. " a href="/sites" { "See them" } }
            } @else {
                div.scroll {
                    table {
                        thead { tr { th scope="col" { "Site" } th scope="col" { "State" } th.number scope="col" { "Articles" } } }
                        tbody {
                            @for facts in ill.iter().take(SHOWN) {
                                tr {
                                    th scope="row" { (site_link(&facts.status.site)) }
                                    td { (site_state(&facts.status, facts.health)) }
                                    td.number { (Number(facts.articles)) }
                                }
                            }
                        }
                    }
                }
                @if ill.len() > SHOWN { p.small { a href="/sites" { "all " (snapshot.sites.len()) " sites" } } }
            }
        }
    }
}

fn outcome_section(snapshot: &Snapshot) -> Markup {
    html! {
        section {
            h2 { "How URLs ended " small { "last outcome of each" } }
            (outcome_table(&snapshot.outcomes).unwrap_or_else(|| empty_note("Nothing was asked for yet.")))
        }
    }
}

fn waiting_section(snapshot: &Snapshot, now: Timestamp) -> Markup {
    let sites = || snapshot.sites.iter().map(|facts| &facts.status).filter(|status| !status.settings.paused);
    let due = sites().filter(|status| status.next_due.is_some_and(|due| due <= now)).count() as u64;
    let oldest = sites().filter_map(|status| status.next_due).min();
    let rows = [
        ("URLs that are due now or later", Number(sites().map(|status| status.pending).sum())),
        ("URLs that crawlers hold", Number(sites().map(|status| status.leased).sum())),
        ("sites with a URL that is due now", Number(due)),
    ];
    html! {
        section #waiting {
            h2 { "What waits" }
            div.scroll {
                table {
                    tbody {
                        @for (name, count) in rows { tr { th scope="row" { (name) } td.number { (count) } } }
                        @for (queue, depth) in &snapshot.queues {
                            tr { th scope="row" { "messages in the queue " span.code { (queue) } } td.number { (Number(*depth)) } }
                        }
                        @if let Some(oldest) = oldest {
                            tr { th scope="row" { "the first is due" @if oldest <= now { " since" } } td.number { (time_element(oldest)) } }
                        }
                    }
                }
            }
        }
    }
}

fn newest_section(snapshot: &Snapshot) -> Markup {
    let mined = &snapshot.mined;
    html! {
        section {
            h2 { "Newest articles" }
            @if mined.articles.is_empty() {
                (empty_note("No article was read yet. Mine some sites: newslode mine https://www.example.com --out DIR --contact you@example.org"))
            } @else {
                (article_summaries(mined, mined.newest().take(SHOWN), true, &Found::default()))
                p.pager { a href="/articles" { "All articles" } }
            }
        }
    }
}
