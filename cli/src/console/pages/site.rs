//! *A site*: how it is, where its news come from, what its templates leave open, and what was not read and why.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use maud::{Markup, html};
use newslode_common::outcome::Outcome;
use newslode_common::store::Entry;
use newslode_common::time::now;
use newslode_miner::mining::templates::Live;
use newslode_miner::work::knowledge::Knowledge;
use newslode_page::template::{SlotRole, Template};
use newslode_page::time::Timestamp;

use super::manage::{lessons, limits};
use super::parts::{articles, explain_path, percent, state};
use super::shell::{Page, Place, answer};
use crate::console::answer::{Problem, Shown};
use crate::console::filter::Filter;
use crate::console::snapshot::{SiteFacts, Snapshot};
use crate::console::state::Console;
use crate::console::writing::access::Visitor;
use crate::html::charts::ends;
use crate::html::values::{Number, away, counted, empty, facts};
use crate::queries::explain::{SiteStory, kind_name, when};
use crate::queries::templates::{end, usage};

/// Articles, listings, and pages by outcome that are shown.
const SHOWN: usize = 8;
const LISTINGS: usize = 25;
const EXAMPLES: usize = 10;
/// Varying parts of a template that are shown.
const SLOTS: usize = 30;

pub(in crate::console) async fn page(
    State(console): State<Arc<Console>>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
    visitor: Visitor,
) -> Shown {
    let snapshot = console.snapshot().await?;
    let mut page = site_page(&console, &snapshot, &name, &visitor).await?;
    let notice = console.notices.shown(query.as_deref());
    page.main = html! { (notice) (page.main) };
    answer(&console, &snapshot, page)
}

async fn site_page(
    console: &Console,
    snapshot: &Snapshot,
    name: &str,
    visitor: &Visitor,
) -> Result<Page, Problem> {
    let known = snapshot.site(name).ok_or_else(|| {
        Problem::not_found(format!(
            "`{name}` is not known: no seed named it. Add it: newslode seed add https://{name}/"
        ))
    })?;
    let (parts, now) = (&console.source.parts, now());
    let status = known.status.clone();
    let (schedule, _) = parts.stores.frontier.schedule(&status.site).await?;
    let entries = parts.stores.frontier.entries(&status.site).await?;
    let (learnt, _) = Knowledge::read(parts.stores.state.as_ref(), &status.site).await?;
    // The look may be older than what was changed just now.
    let settings = parts.stores.frontier.site(&status.site).await?.unwrap_or_else(|| status.settings.clone());
    let unread = unread(&entries);
    let story = SiteStory::of(status.clone(), &schedule, entries, now);
    let mut rows: Vec<_> = story
        .rows(now)
        .into_iter()
        // The title says it with a mark.
        .filter(|(name, _)| name != "is")
        .map(|(name, value)| (name, html! { (value) }))
        .collect();
    if let Some(recall) = known.recall {
        rows.push((
            "recall".into(),
            html! { (percent(recall)) " of the articles that its listings showed within seven days" },
        ));
    }
    let main = html! {
        section { h2 { "How it is" } (facts(&rows)) }
        (newest(snapshot, known)?)
        (listings(&story, now))
        (endings(known, &unread))
        (layouts(&learnt))
        (lessons(&status.site, &learnt, visitor))
        @if let Some(mark) = &visitor.mark { (limits(&status.site, &settings, mark)) }
    };
    Ok(Page {
        place: Place::Sites,
        title: name.to_owned(),
        trail: html! { a href="/sites" { "Sites" } },
        lead: html! {
            p { (state(&known.status, story.health)) }
            nav.jump aria-label="On this page" {
                a href="#lessons" { "Corrected pages" }
                @if visitor.mark.is_some() { a href="#limits" { "Change, pause or remove it" } }
            }
        },
        main,
    })
}

fn newest(snapshot: &Snapshot, known: &SiteFacts) -> Result<Markup, Problem> {
    let filter = Filter { site: known.status.site.to_string(), ..Filter::default() };
    let newest = filter.select(&snapshot.mined, SHOWN)?;
    Ok(html! {
        section {
            h2 { "Newest articles" }
            @if newest.articles.is_empty() {
                (empty("No article of this site was read yet. What was not read is below, with the reasons."))
            } @else {
                (articles(&snapshot.mined, newest.articles.iter().copied(), true))
                @if newest.matched > SHOWN {
                    p.pager { a href={ "/articles?" (filter.query(None)) } { "All " (Number(newest.matched as u64)) " articles" } }
                }
            }
        }
    })
}

/// Where the site's news come from.
fn listings(story: &SiteStory, now: Timestamp) -> Markup {
    html! {
        section {
            h2 { "Sources " small { "the one visited most often first" } }
            @if story.listings.is_empty() {
                (empty("It has no listings that are visited again. They are found with newslode mine --follow news, which is the default."))
            } @else {
                div.scroll {
                    table {
                        thead { tr {
                            th scope="col" { "Kind" } th scope="col" { "Address" } th.number scope="col" { "Visits" }
                            th.number scope="col" { "Articles" } th.number scope="col" { "Next visit" }
                        } }
                        tbody {
                            @for listing in story.listings.iter().take(LISTINGS) {
                                tr {
                                    th scope="row" { (kind_name(listing.known.kind)) }
                                    td.address { (away(listing.url.as_str())) }
                                    td.number { (Number(listing.known.visits)) }
                                    td.number { (Number(listing.known.confirmed)) }
                                    td.number { (listing.due.map_or("none".into(), |due| when(due, now))) }
                                }
                            }
                        }
                    }
                }
                @if story.listings.len() > LISTINGS { p.soft { "and " (story.listings.len() - LISTINGS) " more" } }
            }
        }
    }
}

/// Some pages that were not read, by outcome.
fn unread(entries: &[Entry]) -> BTreeMap<Outcome, Vec<String>> {
    let mut unread: BTreeMap<Outcome, Vec<String>> = BTreeMap::new();
    for entry in entries {
        let Some(outcome) = entry.outcome else { continue };
        if matches!(outcome, Outcome::Fetched | Outcome::Unchanged) {
            continue;
        }
        let held = unread.entry(outcome).or_default();
        if held.len() < EXAMPLES {
            held.push(entry.url.to_string());
        }
    }
    unread
}

fn endings(known: &SiteFacts, unread: &BTreeMap<Outcome, Vec<String>>) -> Markup {
    html! {
        section {
            h2 { "How its URLs ended " small { "last outcome of each" } }
            (ends(&known.status.outcomes).unwrap_or_else(|| empty("Nothing of it was asked for yet.")))
            @for (outcome, urls) in unread {
                details {
                    summary { "Pages that ended with " span.code { (outcome) } }
                    ul { @for url in urls { li { (away(url)) " " a.small href=(explain_path(url)) { "explain" } } } }
                }
            }
        }
    }
}

fn layouts(known: &Knowledge) -> Markup {
    let templates = &known.templates;
    let (seen, accepted) = templates.acceptance();
    html! {
        section {
            h2 { "Templates " small { "what its pages have in common, and what varies" } }
            @if templates.live().is_empty() && templates.dropped().is_empty() {
                (empty(html! { "It has no template yet. One needs five similar articles; "
                    (counted(templates.waiting().len() as u64, "article waits", "articles wait")) " for one." }))
            } @else {
                p { (Number(accepted)) " of " (counted(seen, "article", "articles")) " are accepted by a template, "
                    (Number(templates.waiting().len() as u64)) " wait for one, and "
                    (counted(known.site.lessons().len() as u64, "page was corrected", "pages were corrected")) " by people." }
                @for live in templates.live() { (layout(live)) }
                @for dropped in templates.dropped().iter().rev() { p.soft { (end(dropped)) } }
            }
        }
    }
}

fn layout(live: &Live<Template>) -> Markup {
    let role = |role: SlotRole| match role {
        SlotRole::Body => "body",
        SlotRole::Title => "title",
        SlotRole::Other => "varies",
    };
    let slots = &live.template.slots;
    html! {
        details {
            summary { "Template v" (live.version) ": " (slots.len()) " parts vary, accepts " (format!("{:.0} %", live.acceptance() * 100.0)) }
            p.soft { (usage(live)) }
            div.scroll tabindex="0" role="region" aria-label={ "Parts of template v" (live.version) } {
                table {
                    thead { tr {
                        th scope="col" { "Part" } th scope="col" { "Example" } th.number scope="col" { "Words" } th.number scope="col" { "Pages" }
                    } }
                    tbody {
                        @for slot in slots.iter().take(SLOTS) {
                            tr {
                                th scope="row" { (role(slot.role)) }
                                td dir="auto" { (slot.example) }
                                td.number { (format!("{:.0}", slot.words)) }
                                td.number { (slot.pages) " of " (live.template.pages) }
                            }
                        }
                    }
                }
            }
            @if slots.len() > SLOTS { p.soft { "and " (slots.len() - SLOTS) " more" } }
        }
    }
}
