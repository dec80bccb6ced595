//! Writes the report's HTML, by the console's templates.

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped, html};
use newslode_common::store::SiteStatus;
use newslode_miner::mining::taxonomy::{Concept, counted_sites};
use newslode_page::reading::Site;

use super::contents::{ArticleExcerpt, NewestArticles, Report};
use crate::filter::times::parse_instant;
use crate::html::charts::{figure_list, outcome_table};
use crate::html::lists::{ListedArticle, article_list, site_links};
use crate::html::taxonomy::{Neighbours, Tree, concept_links};
use crate::html::values::{
    Number, count_with_noun, empty_note, fact_list, page_url, publication_element, time_element,
};
use crate::html::{Frame, Links, STYLE, document};
use crate::outcomes::{count_outcomes, outcomes_in_words};
use crate::zone::zone_name;

/// Forbids loading and running anything, whatever texts of pages contain.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/// The places of concepts and sites in the file, by their numbers.
struct Anchors<'a> {
    concepts: BTreeMap<&'a str, usize>,
    sites: BTreeMap<&'a Site, usize>,
}

impl<'a> Anchors<'a> {
    fn of(report: &'a Report<'_>) -> Anchors<'a> {
        let concepts = report.taxonomy.concepts.iter().enumerate();
        let sites = report.sites.iter().enumerate();
        Anchors {
            concepts: concepts.map(|(at, concept)| (concept.key.as_str(), at)).collect(),
            sites: sites.map(|(at, status)| (&status.site, at)).collect(),
        }
    }

    fn name_of(&self, concept: &Concept) -> String {
        self.concepts.get(concept.key.as_str()).map_or("taxonomy".into(), |number| format!("c{number}"))
    }

    fn name_of_site(&self, site: &Site) -> String {
        self.sites.get(site).map_or("sites".into(), |number| format!("s{number}"))
    }
}

impl Links for Anchors<'_> {
    fn concept(&self, concept: &Concept) -> String {
        format!("#{}", self.name_of(concept))
    }

    fn site(&self, site: &Site) -> String {
        format!("#{}", self.name_of_site(site))
    }
}

pub(super) fn report_page(report: &Report<'_>) -> String {
    let anchors = Anchors::of(report);
    let frame = Frame {
        title: "Report".into(),
        head: html! {
            meta http-equiv="Content-Security-Policy" content=(POLICY);
            style { (PreEscaped(STYLE)) }
        },
        home: "#main",
        navigation: [
            ("#taxonomy", "Taxonomy"),
            ("#concepts", "Concepts"),
            ("#sites", "Sites"),
            ("#pages", "Pages"),
        ]
        .map(|(address, name)| (address, name, false))
        .into(),
        bar: html! {},
        foot: html! {
            span { "Newslode " (env!("CARGO_PKG_VERSION")) }
            span { "Made " (time_element(report.made)) ", times in " (zone_name()) }
        },
    };
    let main = html! {
        (headline(report))
        section #taxonomy { h2 { "Taxonomy" } (taxonomy_tree(report, &anchors)) }
        div #concepts {
            @for (_, concept) in report.taxonomy.in_order() { (concept_section(report, concept, &anchors)) }
        }
        @if report.articles.unfiled.count > 0 {
            section #unfiled { h2 { "Filed under no concept" } (newest_articles(&report.articles.unfiled)) }
        }
        (site_table(report, &anchors))
        (drawing_section(report))
    };
    document(&frame, &main).into_string()
}

fn headline(report: &Report<'_>) -> Markup {
    let urls: u64 = report.sites.iter().map(|site| site.urls).sum();
    let numbers = [
        ("#concepts", "articles", report.articles.count as u64),
        ("#taxonomy", "concepts", report.taxonomy.concepts.len() as u64),
        ("#sites", "sites", report.sites.len() as u64),
        ("#sites", "URLs", urls),
        ("#unfiled", "filed under no concept", report.articles.unfiled.count as u64),
        ("#pages", "front pages drawn", report.drawings.len() as u64),
    ];
    let numbers: Vec<_> = numbers.into_iter().filter(|(_, _, count)| *count > 0).collect();
    html! {
        div.title {
            h1 { "What these sites write about" }
            p.lead { "Concepts are labels that recur across at least " (counted_sites(report.taxonomy.support as usize))
                ", or that one site files below such a label. Each shows its newest articles." }
        }
        (figure_list(&numbers))
    }
}

fn taxonomy_tree(report: &Report<'_>, anchors: &Anchors<'_>) -> Markup {
    let newest = |concept: &Concept| {
        report.articles.by_concept.get(&concept.key).map_or(0, |newest| newest.count as u64)
    };
    let rest = "Those below stand further down.";
    Tree { taxonomy: report.taxonomy, links: anchors, articles: &newest, rest }.whole()
}

fn concept_section(report: &Report<'_>, concept: &Concept, anchors: &Anchors<'_>) -> Markup {
    let around = Neighbours::of(concept, report.taxonomy);
    let forms: Vec<&str> = concept.other_names().collect();
    let mut about = Vec::new();
    for (name, found) in [("Broader", &around.broader), ("Narrower", &around.narrower)] {
        if !found.is_empty() {
            about.push((name.to_owned(), concept_links(found, anchors)));
        }
    }
    if !forms.is_empty() {
        about.push((
            "Also written".into(),
            html! { span dir="auto" lang=(concept.language) { (forms.join(", ")) } },
        ));
    }
    about.push(("Sites".into(), site_links(&concept.sites, anchors)));
    let newest = report.articles.by_concept.get(&concept.key);
    html! {
        section id=(anchors.name_of(concept)) {
            h2 dir="auto" {
                (concept.label) " "
                small { (count_with_noun(newest.map_or(0, |newest| newest.count as u64), "article", "articles")) @if concept.is_genre { ", a genre" } }
            }
            (fact_list(&about))
            @if let Some(newest) = newest { (newest_articles(newest)) }
        }
    }
}

fn newest_articles(newest: &NewestArticles) -> Markup {
    let more = (newest.count - newest.newest.len()) as u64;
    html! {
        (article_list(newest.newest.iter().map(listed_article), false))
        @if more > 0 { p.pager.soft { "and " (Number(more)) " more" } }
    }
}

fn listed_article(story: &ArticleExcerpt) -> ListedArticle<'_> {
    ListedArticle {
        headline: html! { (story.title) },
        address: page_url(&story.url).map(|_| story.url.clone()),
        language: story.language.as_deref(),
        meta: html! {
            span { (story.site) }
            span.when { (publication(story.published.as_deref())) }
            @if !story.authors.is_empty() { span dir="auto" { (story.authors.join(", ")) } }
            span { (count_with_noun(story.words as u64, "word", "words")) }
        },
        lead: html! { (story.lead) },
    }
}

/// When an article was published, as far as its page says.
fn publication(published: Option<&str>) -> Markup {
    let known = published.and_then(|text| Some((text, parse_instant(text)?)));
    known.map_or_else(|| html! { "undated" }, |(text, at)| publication_element(text, at))
}

fn site_table(report: &Report<'_>, anchors: &Anchors<'_>) -> Markup {
    let row = |status: &SiteStatus| {
        let articles = report.articles.by_site.get(status.site.as_str()).copied().unwrap_or_default();
        html! {
            tr id=(anchors.name_of_site(&status.site)) {
                th scope="row" { (status.site) @if status.settings.paused { span.soft { " (paused)" } } }
                td.number { (Number(articles as u64)) }
                td.number { (Number(status.urls)) }
                td.number { (Number(status.pending)) }
                td { (outcomes_in_words(&status.outcomes)) }
            }
        }
    };
    html! {
        section #sites {
            h2 { "Sites" }
            div.scroll tabindex="0" role="region" aria-label="Table of sites" {
                table {
                    thead {
                        tr {
                            th scope="col" { "Site" } th.number scope="col" { "Articles" } th.number scope="col" { "URLs" }
                            th.number scope="col" { "Waiting" } th scope="col" { "How URLs ended" }
                        }
                    }
                    tbody { @for status in &report.sites { (row(status)) } }
                }
            }
        }
        section {
            h2 { "How URLs ended " small { "all sites, last outcome of each" } }
            (outcome_table(&count_outcomes(&report.sites)).unwrap_or_else(|| empty_note("Nothing was asked for yet.")))
        }
    }
}

fn drawing_section(report: &Report<'_>) -> Markup {
    html! {
        section #pages {
            h2 { "Front pages as they were understood" }
            @if report.drawings.is_empty() { (empty_note("No front page was read.")) }
            @for (site, drawing) in &report.drawings {
                details { summary { (site) } div.drawing { (PreEscaped(drawing)) } }
            }
        }
    }
}
