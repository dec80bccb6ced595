//! *Operations*: how much there is, how requests ended, what waits and was given up and why, and sites to add.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{RawQuery, State};
use axum::http::header;
use axum::response::IntoResponse as _;
use futures::{StreamExt as _, TryStreamExt as _};
use maud::{Markup, html};
use newslode_common::broker::{Broker as _, DeadLetter, Queue};
use newslode_common::time::now;
use newslode_page::time::Timestamp;

use super::parts::{site_link, standstill_note};
use super::shell::{NavigationItem, Page, page_response};
use crate::console::access::{Caller, Visitor};
use crate::console::answer::PageResult;
use crate::console::filter::ArticleQuery;
use crate::console::snapshot::{SiteFacts, Snapshot};
use crate::console::state::Console;
use crate::console::writing::form::mark_field;
use crate::engine::space::Space;
use crate::filter::Filter;
use crate::filter::times::{Calendar, When, parse_instant};
use crate::html::charts::{self, Bars, outcome_table};
use crate::html::values::{Number, count_with_noun, empty_note, time_element};
use crate::queries::audit::Record;
use crate::queries::dead::printable;

/// Dead letters of a queue that are shown.
const LETTERS: usize = 100;
/// Records of the audit log that are shown.
const RECORDS: usize = 50;
/// Characters of a letter's body that are shown.
const CUT: usize = 300;

/// A queue, what waits in it, and the beginning of what was given up.
struct QueueState {
    queue: Queue,
    depth: u64,
    dead: Vec<DeadLetter>,
}

pub(in crate::console) async fn page(
    State(console): State<Arc<Console>>,
    RawQuery(query): RawQuery,
    visitor: Visitor,
) -> PageResult {
    let snapshot = console.snapshot().await?;
    let queues = match (&console.source.run, console.source.broker()) {
        (Some(_), _) => Ok(Vec::new()),
        (None, Ok(broker)) => {
            let ask = async |queue: Queue| {
                let (depth, dead) = futures::try_join!(broker.depth(queue), broker.dead(queue, LETTERS + 1))?;
                Ok::<_, newslode_common::broker::BrokerError>(QueueState { queue, depth, dead })
            };
            let asked = futures::stream::iter(Queue::ALL.iter().copied().map(ask)).buffered(Queue::ALL.len());
            asked.try_collect().await.map_err(|error| error.to_string())
        }
        (None, Err(_)) => Err("RabbitMQ did not answer when the console started; start it again".to_owned()),
    };
    let records = match visitor.mark {
        Some(_) => Some(console.audit.newest(RECORDS).await?),
        None => None,
    };
    let space = match &console.source.run {
        Some(run) => {
            let reserve_mb = console.source.config.archive.reserve_mb;
            Some(Space::read(console.source.parts.stores.state.as_ref(), &run.folder, reserve_mb).await?)
        }
        None => None,
    };
    let main = html! {
        (console.notices.shown(query.as_deref()))
        (standstill_note(&console.source, &snapshot))
        @if visitor.may_sign_in && visitor.mark.is_none() {
            p.note { "To change something here, " a href="/session" { "sign in" } " first." }
        }
        (headline_figures(&snapshot))
        div.columns { (add_sites_section(&visitor)) (paused_section(&snapshot)) }
        div.columns { (outcome_section(&snapshot)) (waiting_section(&snapshot, now())) }
        (found_by_hour(&snapshot, &Calendar::current()))
        @match &queues {
            Err(reason) => section { h2 { "Queues" } p.note { "The queues cannot be read: " (reason) "." } },
            Ok(queues) if queues.is_empty() => section {
                h2 { "Queues" }
                (empty_note("A run's folder has no queues: what it fetched is mined at once. Queues and dead letters are those of services (newslode serve --config FILE)."))
            },
            Ok(queues) => { (queue_table(queues)) @for waiting in queues { (dead_letter_section(waiting, &visitor)) } },
        }
        @if let Some(space) = &space { (space_section(space)) }
        @if let Some(records) = &records { (audit_section(records)) }
    };
    let page = Page {
        place: NavigationItem::Operations,
        title: "Operations".into(),
        trail: html! {},
        lead: html! {},
        main,
    };
    page_response(&console, &snapshot, page)
}

/// The audit log as JSON Lines, for those who may change things.
pub(in crate::console) async fn audit(
    State(console): State<Arc<Console>>,
    visitor: Visitor,
    Extension(caller): Extension<Arc<Caller>>,
) -> PageResult {
    if !caller.may_write() {
        return Err(visitor.refusal().into());
    }
    let text = console.audit.text().await?;
    Ok(([(header::CONTENT_TYPE, "application/jsonl")], text).into_response())
}

/// The space that the run takes.
fn space_section(space: &Space) -> Markup {
    html! {
        section #space {
            h2 { "Space" }
            div.scroll {
                table {
                    thead { tr { th scope="col" { "What" } th scope="col" { "Bytes, and their growth" } } }
                    tbody { @for (name, value) in space.facts() { tr { th scope="row" { (name) } td { (value) } } } }
                }
            }
            @if space.growth.is_none() { p.small.soft { "How fast it grows is shown after half a day of newslode watch." } }
        }
    }
}

/// Who changed what.
fn audit_section(records: &[Record]) -> Markup {
    html! {
        section #audit {
            h2 { "Who did what " small { "the newest first; " a href="/operations/audit.jsonl" { "all of it as JSON Lines" } } }
            @if records.is_empty() {
                (empty_note("Nobody has signed in or changed anything yet."))
            } @else {
                div.scroll {
                    table {
                        thead { tr { th scope="col" { "When" } th scope="col" { "Who" } th scope="col" { "From" } th scope="col" { "What" } } }
                        tbody {
                            @for record in records {
                                tr {
                                    td { (record_time(&record.at)) } th scope="row" { (record.who) } td.code { (record.from) }
                                    td { (record.did.text()) " " span.code { (record.about) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// How much there is of everything.
fn headline_figures(snapshot: &Snapshot) -> Markup {
    let mined = &snapshot.mined;
    let waiting: u64 = snapshot.sites.iter().map(|facts| facts.status.pending).sum();
    let figures = [
        ("/articles", "articles", (mined.articles.len() + mined.older.articles) as u64),
        ("/sites", "sites", snapshot.sites.len() as u64),
        ("/taxonomy", "concepts", mined.taxonomy.concepts.len() as u64),
        ("#waiting", "URLs to ask for", waiting),
    ];
    charts::figure_list(&figures)
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

fn found_by_hour(snapshot: &Snapshot, calendar: &Calendar) -> Markup {
    let mut hours = [0_u64; 24];
    for found in snapshot.mined.articles.iter().filter_map(|article| article.found) {
        let found = calendar.local(found);
        if found.date() == calendar.today()
            && let Some(count) = usize::try_from(found.hour()).ok().and_then(|hour| hours.get_mut(hour))
        {
            *count += 1;
        }
    }
    let is_quiet = hours.iter().all(|count| *count == 0);
    let values = hours.iter().zip(0..).map(|(count, hour)| (format!("{hour:02}"), *count)).collect();
    let links = (0_i8..24).map(|hour| hour_path(calendar.today(), hour)).collect();
    html! {
        section {
            h2 { "Found today " small { "by hour" } }
            @if is_quiet {
                (empty_note("No article was found today. A run that has ended finds nothing: start newslode mine again to visit what is due."))
            } @else {
                (Bars { about: "Articles found today, by hour", values, links, every: 3 })
            }
        }
    }
}

/// The list of the articles that were found in an hour of a day, where the console is.
fn hour_path(day: jiff::civil::Date, hour: i8) -> String {
    let since = When::Local(day.at(hour, 0, 0, 0));
    let until = When::Local(day.at(hour, 59, 59, 999_000_000));
    let filter = Filter { found_since: Some(since), found_until: Some(until), ..Filter::default() };
    format!("/articles?{}", ArticleQuery::of(filter).query(None))
}

/// The log has times as ISO 8601.
fn record_time(at: &str) -> Markup {
    match parse_instant(at) {
        Some(at) => time_element(at),
        None => html! { (at) },
    }
}

fn add_sites_section(visitor: &Visitor) -> Markup {
    html! {
        section {
            h2 { "Add sites" }
            @if let Some(mark) = &visitor.mark {
                form.fields method="post" action="/operations/seeds" {
                    (mark_field(mark))
                    div {
                        label for="urls" { "Front pages, one a line" }
                        textarea #urls name="urls" rows="4" required placeholder="https://www.example.com" spellcheck="false" {}
                    }
                    div.numbers {
                        div { label for="max_pages" { "Pages a day" } input #max_pages name="max_pages" inputmode="numeric" placeholder="default"; }
                        div { label for="max_depth" { "Links away" } input #max_depth name="max_depth" inputmode="numeric" placeholder="default"; }
                        div { label for="delay" { "Delay, seconds" } input #delay name="delay" inputmode="decimal" placeholder="default"; }
                    }
                    div.acts { button { "Add" } }
                }
                p.small.soft { "A known site takes these limits, and goes on if it was paused. Pause, change and remove sites on their own pages." }
            } @else {
                (empty_note("Sites are added here by those who may change things, or with newslode seed add https://www.example.com"))
            }
        }
    }
}

fn paused_section(snapshot: &Snapshot) -> Markup {
    let paused: Vec<&SiteFacts> =
        snapshot.sites.iter().filter(|facts| facts.status.settings.paused).collect();
    html! {
        section {
            h2 { "Paused sites" }
            @if paused.is_empty() {
                (empty_note("No site is paused."))
            } @else {
                ul.links { @for facts in paused { li { (site_link(&facts.status.site)) } } }
            }
        }
    }
}

fn queue_table(queues: &[QueueState]) -> Markup {
    html! {
        section {
            h2 { "Queues" }
            div.scroll {
                table {
                    thead { tr {
                        th scope="col" { "Queue" } th scope="col" { "Holds" }
                        th.number scope="col" { "Waiting" } th.number scope="col" { "Dead letters" }
                    } }
                    tbody {
                        @for waiting in queues {
                            tr {
                                th.code scope="row" { (waiting.queue) }
                                td { (queue_meaning(waiting.queue)) }
                                td.number { (Number(waiting.depth)) }
                                td.number { (number_of(&waiting.dead)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn number_of(dead: &[DeadLetter]) -> Markup {
    html! { (Number(dead.len().min(LETTERS) as u64)) @if dead.len() > LETTERS { " or more" } }
}

fn queue_meaning(queue: Queue) -> &'static str {
    match queue {
        Queue::Seeds => "sites to add, change and pause",
        Queue::Removals => "sites to remove and pages to forget",
        Queue::Pages => "fetched pages, for partitioners",
        Queue::Partitions => "partitioned pages, for miners",
        Queue::Gone => "pages that are gone, for miners",
    }
}

fn dead_letter_section(waiting: &QueueState, visitor: &Visitor) -> Markup {
    let QueueState { queue, dead, .. } = waiting;
    html! {
        @if !dead.is_empty() {
            section {
                h2 { "Dead letters of " span.code { (queue) } " " small { (number_of(dead)) ", the oldest first" } }
                form method="post" action="/operations/dead" {
                    @if let Some(mark) = &visitor.mark {
                        (mark_field(mark))
                        input type="hidden" name="queue" value=(queue);
                    }
                    div.scroll {
                        table {
                            thead { tr {
                                @if visitor.mark.is_some() { th scope="col" { span.hidden { "Chosen" } } }
                                th scope="col" { "Given up" } th scope="col" { "Why" } th scope="col" { "What" }
                            } }
                            tbody { @for letter in dead.iter().take(LETTERS) { (dead_letter_row(letter, visitor.mark.is_some())) } }
                        }
                    }
                    @if visitor.mark.is_some() {
                        div.acts {
                            button name="act" value="replay" { "Put the chosen back" }
                            button.plain name="act" value="drop" { "Drop the chosen…" }
                            button.plain name="act" value="replay_all" { "Put all back" }
                            button.plain name="act" value="drop_all" { "Drop all…" }
                        }
                    }
                }
            }
        }
    }
}

fn dead_letter_row(letter: &DeadLetter, may_choose: bool) -> Markup {
    let what: String = printable(&letter.body[..letter.body.len().min(4 * CUT)]).chars().take(CUT).collect();
    html! {
        tr {
            @if may_choose {
                td { input type="checkbox" name="id" value=(letter.id) aria-label={ "Choose the dead letter " (letter.id) }; }
            }
            td { @if letter.at > 0 { (time_element(Timestamp(letter.at))) } @else { "at an unknown time" } div.soft { "by " (letter.by) } }
            td { (letter.reason) }
            td { div.what.code { (what) } div.soft { (count_with_noun(letter.body.len() as u64, "byte", "bytes")) } }
        }
    }
}
