//! *A site*: how it is, where its news come from, what its templates leave open, and what was not read and why.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use maud::{Markup, html};
use newslode_common::outcome::Outcome;
use newslode_common::store::Entry;
use newslode_common::time::now;
use newslode_miner::mining::site_scheme::{PlaceKind, SchemePlace, SiteScheme, broader_in_words};
use newslode_miner::mining::templates::Live;
use newslode_miner::work::knowledge::Knowledge;
use newslode_miner::work::schemes::read_scheme;
use newslode_miner::work::views::LearningCut;
use newslode_page::reading::Site;
use newslode_page::template::{SlotRole, Template};
use newslode_page::time::Timestamp;

use super::manage::{lesson_section, limits_form};
use super::parts::{Found, article_file_links, article_summaries, explain_path, percent_text, site_state};
use super::shell::{NavigationItem, Page, list_response};
use crate::console::access::Visitor;
use crate::console::answer::{PageResult, Problem};
use crate::console::filter::ArticleQuery;
use crate::console::snapshot::{SiteFacts, Snapshot};
use crate::console::state::Console;
use crate::console::writing::corrections::site_section;
use crate::filter::Filter;
use crate::filter::times::Calendar;
use crate::html::charts::outcome_table;
use crate::html::values::{Number, count_with_noun, empty_note, external_link, fact_list};
use crate::queries::explain::{ListingExplanation, SiteExplanation, due_text, kind_name};
use crate::queries::templates::{dropped_text, template_usage};

/// Articles, listings, and pages by outcome that are shown.
const SHOWN: usize = 8;
const LISTINGS: usize = 25;
const EXAMPLES: usize = 10;
/// Varying parts of a template that are shown.
const SLOTS: usize = 30;
/// Sections, and tags, of the site's own scheme that are shown.
const PLACES: usize = 40;

pub(in crate::console) async fn page(
    State(console): State<Arc<Console>>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
    visitor: Visitor,
) -> PageResult {
    let snapshot = console.snapshot().await?;
    let mut page = site_page(&console, &snapshot, &name, &visitor).await?;
    let notice = console.notices.shown(query.as_deref());
    page.main = html! { (notice) (page.main) };
    let list = ArticleQuery::of(Filter { site: name, ..Filter::default() });
    list_response(&console, &snapshot, page, &list)
}

async fn site_page(
    console: &Console,
    snapshot: &Snapshot,
    name: &str,
    visitor: &Visitor,
) -> Result<Page, Problem> {
    let facts = snapshot.site(name).ok_or_else(|| {
        Problem::not_found(format!(
            "`{name}` is not known: no seed named it. Add it: newslode seed add https://{name}/"
        ))
    })?;
    let (parts, now) = (&console.source.parts, now());
    let status = facts.status.clone();
    let (schedule, _) = parts.stores.frontier.schedule(&status.site).await?;
    let entries = parts.stores.frontier.entries(&status.site).await?;
    let (learnt, _) = Knowledge::read(parts.stores.state.as_ref(), &status.site).await?;
    let scheme = read_scheme(parts.stores.state.as_ref(), &status.site).await?;
    // The snapshot may be older than a change that was made just now.
    let settings = parts.stores.frontier.site(&status.site).await?.unwrap_or_else(|| status.settings.clone());
    let unread = unread_pages(&entries);
    let cut = LearningCut::read(parts.stores.state.as_ref(), &status.site).await?;
    let explanation = SiteExplanation::of(status.clone(), &schedule, entries, cut, now);
    let mut rows: Vec<_> = explanation
        .facts(now)
        .into_iter()
        // The title says it with a mark.
        .filter(|(name, _)| name != "is")
        .map(|(name, value)| (name, html! { (value) }))
        .collect();
    if let Some(recall) = facts.recall {
        rows.push((
            "recall".into(),
            html! { (percent_text(recall)) " of the articles that its listings showed within seven days" },
        ));
    }
    let labels = place_labels(scheme.as_ref());
    let maps = site_section(console, &status.site, &labels, visitor).await?;
    let main = html! {
        section { h2 { "How it is" } (fact_list(&rows)) }
        (newest_section(snapshot, facts)?)
        (listing_section(&explanation, now))
        (outcome_section(facts, &unread))
        (scheme_section(&status.site, scheme.as_ref()))
        (maps)
        (template_section(&learnt))
        (lesson_section(&status.site, &learnt, visitor))
        @if let Some(mark) = &visitor.mark { (limits_form(&status.site, &settings, mark)) }
    };
    Ok(Page {
        place: NavigationItem::Sites,
        title: name.to_owned(),
        trail: html! { a href="/sites" { "Sites" } },
        lead: html! {
            p { (site_state(&facts.status, &explanation.health)) }
            nav.jump aria-label="On this page" {
                a href="#lessons" { "Corrected pages" }
                @if visitor.mark.is_some() { a href="#limits" { "Change, pause or remove it" } }
            }
        },
        main,
    })
}

fn newest_section(snapshot: &Snapshot, facts: &SiteFacts) -> Result<Markup, Problem> {
    let asked = ArticleQuery::of(Filter { site: facts.status.site.to_string(), ..Filter::default() });
    let newest = asked.select(snapshot, SHOWN, &Calendar::current())?;
    Ok(html! {
            section {
                h2 { "Newest articles" }
                @if newest.articles.is_empty() {
                    (empty_note("No article of this site was read yet. What was not read is below, with the reasons."))
                } @else {
                    (article_summaries(&snapshot.mined, newest.articles.iter().copied(), true, &Found::default()))
                    (article_file_links(&asked))
    @if newest.matched > SHOWN {
                        p.pager { a href={ "/articles?" (asked.query(None)) } { "All " (Number(newest.matched as u64)) " articles" } }
                    }
                }
            }
        })
}

/// The listings of the site, which show its news.
fn listing_section(explanation: &SiteExplanation, now: Timestamp) -> Markup {
    html! {
        section {
            h2 { "Sources " small { "the one visited most often first" } }
            @if explanation.listings.is_empty() {
                (empty_note("It has no listings that are visited again. They are found with newslode mine --follow news, which is the default."))
            } @else {
                div.scroll {
                    table {
                        thead { tr {
                            th scope="col" { "Kind" } th scope="col" { "Address" } th.number scope="col" { "Visits" }
                            th.number scope="col" { "Articles" } th.number scope="col" { "Next visit" }
                        } }
                        tbody {
                            @for ListingExplanation { url, listing, due, .. } in explanation.listings.iter().take(LISTINGS) {
                                tr {
                                    th scope="row" { (kind_name(listing.kind)) }
                                    td.address { (external_link(url.as_str())) }
                                    td.number { (Number(listing.visits)) }
                                    td.number { (Number(listing.confirmed)) }
                                    td.number { (due.map_or("none".into(), |due| due_text(due, now))) }
                                }
                            }
                        }
                    }
                }
                @if explanation.listings.len() > LISTINGS { p.soft { "and " (explanation.listings.len() - LISTINGS) " more" } }
            }
        }
    }
}

/// Some pages that were not read, by outcome.
fn unread_pages(entries: &[Entry]) -> BTreeMap<Outcome, Vec<String>> {
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

fn outcome_section(facts: &SiteFacts, unread: &BTreeMap<Outcome, Vec<String>>) -> Markup {
    html! {
        section {
            h2 { "How its URLs ended " small { "last outcome of each" } }
            (outcome_table(&facts.status.outcomes).unwrap_or_else(|| empty_note("Nothing of it was asked for yet.")))
            @for (outcome, urls) in unread {
                details {
                    summary { "Pages that ended with " span.code { (outcome) } }
                    ul { @for url in urls { li { (external_link(url)) " " a.small href=(explain_path(url)) { "explain" } } } }
                }
            }
        }
    }
}

/// The site's own scheme: its sections, then its most frequent tags.
fn scheme_section(site: &Site, scheme: Option<&SiteScheme>) -> Markup {
    let places = |kind| {
        let of_kind = |(_, place): &(usize, &SchemePlace)| place.kind == kind;
        let places = scheme.into_iter().flat_map(|scheme| scheme.places().iter().enumerate());
        places.filter(of_kind).collect::<Vec<_>>()
    };
    let (sections, tags) = (places(PlaceKind::Section), places(PlaceKind::Tag));
    html! {
        section #places {
            h2 { "Its sections and tags " small { "as the site itself files its articles" } }
            @if sections.is_empty() && tags.is_empty() {
                (empty_note(match scheme {
                    Some(_) => "No part of its pages names sections or tags that its articles share; or it has too few articles.",
                    None => "They are not known yet. They are learnt from all articles of the site, when its pages are viewed together.",
                }))
            } @else {
                p { "The articles name them in links, metadata and addresses, and each carries its own as " span.code { "places" }
                    ". The numbers are articles among those that were learnt from. Labels are the site's own words; concepts are what many sites have in common." }
                @if let Some(scheme) = scheme {
                    (place_table("Section", (site, scheme), &sections))
                    (place_table("Tag", (site, scheme), &tags))
                }
            }
        }
    }
}

/// The labels of a site's sections, then of its tags, each once.
fn place_labels(scheme: Option<&SiteScheme>) -> Vec<&str> {
    let places = || scheme.into_iter().flat_map(SiteScheme::places);
    let of_kind = |kind| places().filter(move |place| place.kind == kind).map(|place| place.label.as_str());
    let mut seen = BTreeSet::new();
    let both = of_kind(PlaceKind::Section).chain(of_kind(PlaceKind::Tag));
    both.filter(|label| seen.insert(*label)).collect()
}

/// Where a place lies: within another one by the site's own word, or with most of its articles in a larger one, which is no relation.
fn place_order(scheme: &SiteScheme, at: usize, place: &SchemePlace) -> Markup {
    html! {
        @if let Some((broader, found)) = scheme.broader(at) {
            span dir="auto" { (broader.label) } " " small { "by " (broader_in_words(&found.by, found.articles)) }
        }
        @if let Some((wider, mostly)) = scheme.mostly_in(at) {
            p.soft {
                (Number(mostly.articles.into())) " of its " (Number(place.articles.into())) " articles are in " bdi { (wider.label) } ", too"
            }
        }
    }
}

/// Places by their numbers in the scheme, with their numbers of articles, those of most articles first.
fn place_table(kind: &str, (site, scheme): (&Site, &SiteScheme), places: &[(usize, &SchemePlace)]) -> Markup {
    let articles = |place: &SchemePlace| {
        let (site, place) = (site.to_string(), place.label.clone());
        ArticleQuery::of(Filter { site, place, ..Filter::default() }).query(None)
    };
    html! {
        @if !places.is_empty() {
            div.scroll tabindex="0" role="region" aria-label={ "Table of places: " (kind) } {
                table {
                    thead { tr {
                        th scope="col" { (kind) } th scope="col" { "Page" } th.number scope="col" { "Articles" } th scope="col" { "Within" }
                    } }
                    tbody {
                        @for (at, place) in places.iter().take(PLACES) {
                            tr {
                                th scope="row" dir="auto" { a href={ "/articles?" (articles(place)) } { (place.label) } }
                                td.address { @if let Some(address) = &place.address { (external_link(address.as_str())) } }
                                td.number { (Number(place.articles.into())) }
                                td.within { (place_order(scheme, *at, place)) }
                            }
                        }
                    }
                }
            }
            @if places.len() > PLACES { p.soft { "and " (Number((places.len() - PLACES) as u64)) " more" } }
        }
    }
}

fn template_section(knowledge: &Knowledge) -> Markup {
    let templates = &knowledge.templates;
    let (seen, accepted) = templates.acceptance();
    html! {
        section {
            h2 { "Templates " small { "what its pages have in common, and what varies" } }
            @if templates.live().is_empty() && templates.dropped().is_empty() {
                (empty_note(html! { "It has no template yet. One needs five similar articles; "
                    (count_with_noun(templates.waiting().len() as u64, "article waits", "articles wait")) " for one." }))
            } @else {
                p { (Number(accepted)) " of " (count_with_noun(seen, "article", "articles")) " are accepted by a template, "
                    (Number(templates.waiting().len() as u64)) " wait for one, and "
                    (count_with_noun(knowledge.site.lessons().len() as u64, "page was corrected", "pages were corrected")) " by people." }
                @for live in templates.live() { (template_details(live)) }
                @for dropped in templates.dropped().iter().rev() { p.soft { (dropped_text(dropped)) } }
            }
        }
    }
}

fn template_details(live: &Live<Template>) -> Markup {
    let role = |role: SlotRole| match role {
        SlotRole::Body => "body",
        SlotRole::Title => "title",
        SlotRole::Other => "varies",
    };
    let slots = &live.template.slots;
    html! {
        details {
            summary { "Template v" (live.version) ": " (slots.len()) " parts vary, accepts " (format!("{:.0} %", live.acceptance() * 100.0)) }
            p.soft { (template_usage(live)) }
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

#[cfg(test)]
mod tests {
    use newslode_miner::mining::site_scheme::SchemePage;
    use newslode_page::extract::{SlotName, SlotUse};
    use newslode_page::reading::CanonicalUrl;

    use super::*;

    #[test]
    fn sections_and_tags_of_a_site_are_shown_as_text_and_bounded() {
        // Each section has two articles, and each tag two others.
        let articles: Vec<(CanonicalUrl, Vec<SlotUse>)> = (0..2 * (PLACES + 3))
            .map(|number| {
                let slot = |slot: &str, name: String| SlotUse {
                    slot: slot.into(),
                    names: vec![SlotName { name, target: None }],
                };
                let section = slot("meta section", format!("Part <{}>", number / 2));
                let tag = slot("meta keywords", format!("word {}", number % (PLACES + 3) % 5));
                (format!("https://a.test/{number}").parse().unwrap(), vec![tag, section])
            })
            .collect();
        let pages: Vec<SchemePage<'_>> = articles
            .iter()
            .map(|(url, slots)| SchemePage {
                url,
                authors: Some(&[]),
                published: None,
                slots,
                breadcrumbs: &[],
                links: &[],
            })
            .collect();
        let site = Site::of_host("a.test");
        let shown = scheme_section(&site, Some(&SiteScheme::learn(&pages).0)).0;
        assert!(shown.contains("Part &lt;0&gt;</a></th>") && !shown.contains("Part <"), "{shown}");
        assert_eq!(shown.matches("Part &lt;").count(), PLACES, "{shown}");
        assert!(shown.contains("/articles?site=a.test&amp;place=Part+%3C0%3E\""), "{shown}");
        assert!(shown.contains("and 3 more"), "{shown}");
        assert_eq!(shown.matches(">word ").count(), 5, "{shown}");
        assert!(shown.find("Part").unwrap() < shown.find("word ").unwrap(), "sections come first: {shown}");
        let unknown = scheme_section(&site, None).0;
        assert!(unknown.contains("They are not known yet"), "{unknown}");
        let none = scheme_section(&site, Some(&SiteScheme::default())).0;
        assert!(none.contains("No part of its pages names sections or tags"), "{none}");
    }
}
