//! Writes the report's HTML.

use std::collections::BTreeMap;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use newslode_common::store::SiteStatus;
use newslode_miner::mining::taxonomy::{Concept, counted_sites};

use super::{Report, Shelf, Story};
use crate::out;
use crate::outcomes::spelled;

const STYLE: &str = include_str!("style.css");
/// Forbids loading and running anything, whatever texts of pages contain.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/// Number of each concept by its key; the file's anchors are named by it.
type Numbers<'a> = BTreeMap<&'a str, usize>;

pub(super) fn page(report: &Report<'_>) -> String {
    let numbers: Numbers<'_> =
        report.taxonomy.concepts.iter().enumerate().map(|(at, concept)| (concept.key.as_str(), at)).collect();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { "Newslode report" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header { (head(report)) }
                nav {
                    h2 { "Taxonomy" }
                    (tree(report, &numbers))
                }
                main {
                    @for (_, concept) in report.taxonomy.in_order() { (concept_section(report, concept, &numbers)) }
                    @if report.shelves.unfiled.count > 0 {
                        section id="unfiled" {
                            h2 { "Filed under no concept" }
                            (shelf(&report.shelves.unfiled))
                        }
                    }
                    (sites(report))
                    (drawings(report))
                }
            }
        }
    };
    page.into_string()
}

fn head(report: &Report<'_>) -> Markup {
    let urls: u64 = report.sites.iter().map(|site| site.urls).sum();
    let numbers = [
        (report.sites.len() as u64, "sites", "#sites"),
        (urls, "URLs", "#sites"),
        (report.taxonomy.concepts.len() as u64, "concepts", "#concepts"),
        (report.taxonomy.relations.len() as u64, "is-a relations", "#concepts"),
        (report.shelves.articles as u64, "articles", "#concepts"),
        (report.shelves.unfiled.count as u64, "filed under no concept", "#unfiled"),
        (report.drawings.len() as u64, "pages drawn", "#pages"),
    ];
    html! {
        h1 { "What these sites write about" }
        p.numbers {
            @for (count, what, at) in numbers.into_iter().filter(|number| number.0 > 0) { a href=(at) { b { (count) } " " (what) } }
        }
        p.made { "Made " (out::time(report.made)) ". Concepts are labels that recur across at least "
            (report.taxonomy.support) " sites, or that one site files below such a label." }
    }
}

fn tree(report: &Report<'_>, numbers: &Numbers<'_>) -> Markup {
    html! {
        ul.tree id="concepts" {
            @for (depth, concept) in report.taxonomy.in_order() {
                li style=(format!("padding-left: {}em", depth as f64 * 1.2)) {
                    (link(concept, numbers))
                    small { " " (counted_sites(concept.sites.len())) @if concept.is_genre { ", a genre" } }
                    @let count = report.shelves.by_concept.get(&concept.key).map_or(0, |shelf| shelf.count);
                    @if count > 0 { small.count title="articles" { (count) } }
                }
            }
        }
    }
}

fn link(concept: &Concept, numbers: &Numbers<'_>) -> Markup {
    let number = numbers.get(concept.key.as_str()).copied().unwrap_or_default();
    html! { a href=(format!("#c{number}")) dir="auto" { (concept.label) } }
}

fn concept_section(report: &Report<'_>, concept: &Concept, numbers: &Numbers<'_>) -> Markup {
    let relations = &report.taxonomy.relations;
    let broader = relations.iter().filter(|relation| relation.narrower == concept.key);
    let broader: Vec<&Concept> =
        broader.filter_map(|relation| report.taxonomy.concept(&relation.broader)).collect();
    let narrower = relations.iter().filter(|relation| relation.broader == concept.key);
    let narrower: Vec<&Concept> =
        narrower.filter_map(|relation| report.taxonomy.concept(&relation.narrower)).collect();
    let others: Vec<&str> =
        concept.forms.iter().map(|form| form.text.as_str()).filter(|text| *text != concept.label).collect();
    let number = numbers.get(concept.key.as_str()).copied().unwrap_or_default();
    html! {
        section id=(format!("c{number}")) {
            h2 dir="auto" { (concept.label) @if concept.is_genre { small { " a genre" } } }
            p.about {
                @if !broader.is_empty() { "Under " (links(&broader, numbers)) ". " }
                @if !narrower.is_empty() { "Above " (links(&narrower, numbers)) ". " }
                @if !others.is_empty() { "Also written " span dir="auto" { (others.join(", ")) } ". " }
            }
            details.sites {
                summary { (counted_sites(concept.sites.len())) }
                p { @for site in &concept.sites { (site) " " } }
            }
            @if let Some(held) = report.shelves.by_concept.get(&concept.key) { (shelf(held)) }
        }
    }
}

fn links(concepts: &[&Concept], numbers: &Numbers<'_>) -> Markup {
    html! { @for (at, concept) in concepts.iter().enumerate() { @if at > 0 { ", " } (link(concept, numbers)) } }
}

fn shelf(shelf: &Shelf) -> Markup {
    html! {
        @for story in &shelf.newest { (story_line(story)) }
        @if shelf.count > shelf.newest.len() {
            p.more { "and " (shelf.count - shelf.newest.len()) " more" }
        }
    }
}

fn story_line(story: &Story) -> Markup {
    let day = story.published.as_deref().and_then(|date| date.get(..10)).unwrap_or("undated");
    html! {
        details.story {
            summary { span dir="auto" { (story.title) } small { " " (story.site) " · " (day) } }
            p.by {
                @if !story.authors.is_empty() { (story.authors.join(", ")) " · " }
                (story.words) " words · "
                a href=(story.url) rel="noreferrer" { "the page" }
            }
            p dir="auto" { (story.lead) }
        }
    }
}

fn sites(report: &Report<'_>) -> Markup {
    let row = |status: &SiteStatus| {
        let articles = report.shelves.by_site.get(status.site.as_str()).copied().unwrap_or_default();
        html! {
            tr {
                td { (status.site) @if status.settings.paused { " (paused)" } }
                td.number { (status.urls) }
                td.number { (status.pending) }
                td.number { (articles) }
                td { (spelled(&status.outcomes)) }
            }
        }
    };
    html! {
        section id="sites" {
            h2 { "Sites" }
            table {
                tr { th { "site" } th { "URLs" } th { "waiting" } th { "articles" } th { "how fetches ended" } }
                @for status in &report.sites { (row(status)) }
            }
        }
    }
}

fn drawings(report: &Report<'_>) -> Markup {
    html! {
        section id="pages" {
            h2 { "Front pages as they were understood" }
            @for (site, drawing) in &report.drawings {
                details.drawing {
                    summary { (site) }
                    div { (PreEscaped(drawing)) }
                }
            }
        }
    }
}
