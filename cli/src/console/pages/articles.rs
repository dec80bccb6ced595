//! *Articles*: newest first, by words, concept, site, language, label, place, code and time.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use maud::{Markup, html};
use newslode_common::rights::Use;

use super::parts::{Found, article_file_links, article_summaries};
use super::shell::{NavigationItem, Page, list_response};
use crate::console::answer::{PageResult, Problem};
use crate::console::filter::ArticleQuery;
use crate::console::snapshot::Snapshot;
use crate::console::state::Console;
use crate::filter::Filter;
use crate::filter::times::{Calendar, When};
use crate::html::values::{count_with_noun, empty_note};

/// Articles of a page.
const SHOWN: usize = 25;
/// Of more sites or concepts, none are offered to choose from.
const CHOICES: usize = 400;

pub(in crate::console) async fn page(
    State(console): State<Arc<Console>>,
    RawQuery(query): RawQuery,
) -> PageResult {
    let snapshot = console.snapshot().await?;
    let (asked, _) = ArticleQuery::read(query.as_deref(), &[])?;
    list_response(&console, &snapshot, list_page(&console, &snapshot, &asked).await?, &asked)
}

async fn list_page(console: &Console, snapshot: &Snapshot, asked: &ArticleQuery) -> Result<Page, Problem> {
    let (mined, filter) = (&snapshot.mined, &asked.filter);
    let selected = asked.select(snapshot, SHOWN, &Calendar::current())?;
    let found = Found::read(console, filter, &selected.articles).await?;
    let main = html! {
        (filter_form(snapshot, filter))
        (conditions(filter))
        p.hint #how { "All words must occur; " span.code { "\"a phrase\"" } ", " span.code { "-without" } ", " span.code { "begin*" } " are understood." }
        @if selected.articles.is_empty() {
            (nothing_found(snapshot, filter))
        } @else {
            p.soft role="status" {
                (count_with_noun(selected.matched as u64, "article", "articles")) ", newest first"
                @if mined.older.articles > 0 { "; " (count_with_noun(mined.older.articles as u64, "older one is", "older ones are")) " not listed" }
            }
            section {
                h2.hidden { "Articles" }
                (article_summaries(mined, selected.articles.iter().copied(), false, &found))
            }
            (article_file_links(asked))
            nav.pager aria-label="Pages" {
                @if asked.cursor.is_some() { a href={ "/articles?" (asked.query(None)) } { "Newest" } }
                @if let Some(next) = selected.next {
                    a rel="next" href={ "/articles?" (asked.query(Some(next))) } { "Older articles" }
                }
            }
        }
    };
    Ok(Page {
        place: NavigationItem::Articles,
        title: "Articles".into(),
        trail: html! {},
        lead: html! {},
        main,
    })
}

fn nothing_found(snapshot: &Snapshot, filter: &Filter) -> Markup {
    let is_unknown = !filter.concept.is_empty() && snapshot.concept(&filter.concept).is_none();
    html! {
        @if is_unknown {
            (empty_note(html! { "There is no concept “" (filter.concept) "”. " a href="/taxonomy" { "Find one in the taxonomy" } "." }))
        } @else if filter.is_empty() {
            (empty_note("No article was read yet. Mine some sites: newslode mine https://www.example.com --out DIR --contact you@example.org"))
        } @else {
            (empty_note(html! { "No article is like this. Leave a condition out, or " a href="/articles" { "see all" } "." }))
        }
    }
}

/// The conditions, each with a link that leaves it out.
fn conditions(filter: &Filter) -> Markup {
    let pairs = filter.pairs();
    let without = |left_out: &str| {
        let rest = pairs.iter().filter(|(name, _)| *name != left_out);
        url::form_urlencoded::Serializer::new(String::new()).extend_pairs(rest).finish()
    };
    html! {
        @if !pairs.is_empty() {
            ul.links aria-label="Conditions" {
                @for (name, value) in &pairs {
                    li {
                        (condition_name(name)) ": " span dir="auto" { (value) } " "
                        a href={ "/articles?" (without(name)) } aria-label={ "Leave out: " (condition_name(name)) " " (value) } { "×" }
                    }
                }
            }
        }
    }
}

/// A condition's name for people.
fn condition_name(name: &'static str) -> &'static str {
    match name {
        "q" => "words",
        "found_since" => "found since",
        "found_until" => "found until",
        other => other,
    }
}

fn filter_form(snapshot: &Snapshot, filter: &Filter) -> Markup {
    let mined = &snapshot.mined;
    let concepts = &mined.taxonomy.concepts;
    let label = snapshot.concept(&filter.concept).and_then(|at| concepts.get(at as usize));
    html! {
        form.filters role="search" aria-label="Articles by what they are" action="/articles" {
            div.wide {
                label for="words" { "Words of title or text" }
                input #words type="search" name="q" value=(filter.q) autocomplete="off" dir="auto" aria-describedby="how";
            }
            div {
                label for="title" { "Words of the title" }
                input #title name="title" value=(filter.title) autocomplete="off" dir="auto" aria-describedby="how";
            }
            div {
                label for="concept" { "Concept" }
                input #concept name="concept" list="concepts" autocomplete="off" dir="auto"
                    value=(label.map_or(filter.concept.as_str(), |concept| concept.key.as_str()));
                @if concepts.len() <= CHOICES {
                    datalist #concepts {
                        @for concept in concepts { option value=(concept.key) { (concept.label) } }
                    }
                }
            }
            div {
                label for="site" { "Site" }
                @if snapshot.sites.len() <= CHOICES {
                    select #site name="site" {
                        option value="" { "all sites" }
                        @for facts in &snapshot.sites {
                            @let site = facts.status.site.as_str();
                            option value=(site) selected[site == filter.site] { (site) }
                        }
                    }
                } @else {
                    input #site name="site" value=(filter.site) placeholder="all sites" autocomplete="off";
                }
            }
            div {
                label for="language" { "Language" }
                select #language name="language" {
                    option value="" { "all languages" }
                    @for (language, count) in &mined.languages {
                        option value=(language) selected[*language == filter.language] { (language) " (" (count) ")" }
                    }
                }
            }
            div {
                label for="label" { "Label" }
                input #label name="label" value=(filter.label) autocomplete="off" dir="auto";
            }
            div {
                label for="place" { "Section or tag of its site" }
                input #place name="place" value=(filter.place) autocomplete="off" dir="auto";
            }
            div {
                label for="code" { "Code of a scheme" }
                input #code name="code" value=(filter.code) placeholder="medtop:15000000" autocomplete="off" spellcheck="false";
            }
            div {
                label for="rights" { "Rights" }
                input #rights name="rights" value=(filter.rights) list="standings" placeholder="ai_train=allowed"
                    autocomplete="off" spellcheck="false";
                datalist #standings {
                    @for of in Use::ALL { option value={ (of.name()) "=allowed" } {} }
                }
            }
            (time_input("from", "From", filter.from))
            (time_input("to", "To", filter.to))
            (time_input("found_since", "Found since", filter.found_since))
            (time_input("found_until", "Found until", filter.found_until))
            div {
                label for="day" { "Day" }
                input #day type="date" name="day" value=[filter.day];
            }
            div.act { button { "Show" } @if !filter.is_empty() { a href="/articles" { "all" } } }
        }
    }
}

fn time_input(name: &str, label: &str, value: Option<When>) -> Markup {
    html! {
        div {
            label for=(name) { (label) }
            input id=(name) name=(name) value=[value] placeholder="2026-11-25, today, 7d" autocomplete="off" spellcheck="false";
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_condition_can_be_left_out_alone() {
        let filter = Filter {
            site: "a.test".into(),
            place: "Cup & <League>".into(),
            code: "medtop:15".into(),
            ..Filter::default()
        };
        let shown = conditions(&filter).0;
        assert!(shown.contains("Cup &amp; &lt;League&gt;</span>"), "{shown}");
        for link in [
            "/articles?code=medtop%3A15&amp;site=a.test\"",
            "/articles?site=a.test&amp;place=Cup+%26+%3CLeague%3E\"",
            "/articles?code=medtop%3A15&amp;place=Cup+%26+%3CLeague%3E\"",
        ] {
            assert!(shown.contains(link), "{link} is not in {shown}");
        }
        assert_eq!(conditions(&Filter::default()).0, "");
    }
}
