//! The page of a concept: its sites and forms, its broader and narrower concepts, why it is one, its corrections, and its newest articles.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Redirect};
use maud::{Markup, html};
use newslode_miner::mining::taxonomy::{Concept, OtherLanguages, Taxonomy, counted_sites};

use super::parts::{Found, Pages, article_file_links, article_summaries, concept_link, concept_path};
use super::shell::{NavigationItem, Page, list_response};
use crate::console::access::Visitor;
use crate::console::answer::{PageResult, Problem, unknown_concept};
use crate::console::filter::ArticleQuery;
use crate::console::snapshot::{ConceptFacts, Snapshot};
use crate::console::state::Console;
use crate::console::writing::corrections::concept_section;
use crate::filter::Filter;
use crate::filter::times::Calendar;
use crate::html::lists::site_links;
use crate::html::taxonomy::{Neighbours, concept_links, form_table};
use crate::html::values::{Number, count_with_noun, empty_note};

/// Articles that are shown.
const SHOWN: usize = 10;

pub(in crate::console) async fn page(
    State(console): State<Arc<Console>>,
    Path(named): Path<String>,
    visitor: Visitor,
) -> PageResult {
    let snapshot = console.snapshot().await?;
    if snapshot.mined.concept(&named).is_none()
        && let Some(concept) = snapshot.current_concept(&named)
    {
        return Ok(Redirect::to(&concept_path(&concept.key)).into_response());
    }
    let (concept, _) = snapshot.mined.concept_with_facts(&named).ok_or_else(|| unknown_concept(&named))?;
    let corrections = concept_section(&console, concept, &visitor).await?;
    let list = ArticleQuery::of(Filter { concept: concept.key.clone(), ..Filter::default() });
    list_response(&console, &snapshot, concept_page(&snapshot, &named, &corrections)?, &list)
}

fn concept_page(snapshot: &Snapshot, named: &str, corrections: &Markup) -> Result<Page, Problem> {
    let mined = &snapshot.mined;
    let (concept, facts) = mined.concept_with_facts(named).ok_or_else(|| unknown_concept(named))?;
    let asked = ArticleQuery::of(Filter { concept: concept.key.clone(), ..Filter::default() });
    let newest = asked.select(snapshot, SHOWN, &Calendar::current())?;
    let about = html! {
        p.lead {
            @if !concept.edited.is_empty() { a href="#corrections" { "Set by an editor" } ". " }
            @if concept.is_genre { "A genre: how stories are told or chosen, not what they are about. " }
            (count_with_noun(facts.articles, "article", "articles")) ", " (counted_sites(concept.sites.len()))
            ", language " span.code { (concept.language) } ", "
            @if let Some(id) = snapshot.registry.identifiers().get(concept.key.as_str()) { "identifier " span.code { (id) } ", " }
            "score " span.number { (format!("{:.2}", concept.score)) } ". "
            a href={ "/?" (asked.query(None)) } { "What is new on it" }
        }
    };
    let main = html! {
        div.beside {
            div {
                section {
                    h2 { "Newest articles" }
                    @if newest.articles.is_empty() {
                        (empty_note("No article is filed under it. Its own pages may list none yet, or only sections and topics."))
                    } @else {
                        (article_summaries(mined, newest.articles.iter().copied(), false, &Found::default()))
                        (article_file_links(&asked))
                        @if newest.matched > SHOWN {
                            p.pager { a href={ "/articles?" (asked.query(None)) } { "All " (Number(newest.matched as u64)) " articles" } }
                        }
                    }
                }
                (explanation_section(facts))
                (corrections)
            }
            aside {
                (neighbour_sections(&mined.taxonomy, concept))
                (other_languages_section(&mined.taxonomy, concept))
                section { h2 { "Written forms" } (form_table(concept)) }
                section {
                    h2 { "Sites " small { (Number(concept.sites.len() as u64)) } }
                    (site_links(&concept.sites, &Pages))
                }
            }
        }
    };
    Ok(Page {
        place: NavigationItem::Taxonomy,
        title: concept.label.clone(),
        trail: trail(&mined.taxonomy, concept),
        lead: about,
        main,
    })
}

/// The way from the top of the tree.
fn trail(taxonomy: &Taxonomy, concept: &Concept) -> Markup {
    let mut above = Vec::new();
    let mut next = concept.parent.as_deref();
    while let Some(parent) = next.and_then(|key| taxonomy.concept(key)) {
        above.push(parent);
        next = parent.parent.as_deref();
        if above.len() > 12 {
            break;
        }
    }
    html! {
        a href="/taxonomy" { "Taxonomy" }
        @for concept in above.iter().rev() { " / " (concept_link(concept)) }
    }
}

fn neighbour_sections(taxonomy: &Taxonomy, concept: &Concept) -> Markup {
    let around = Neighbours::of(concept, taxonomy);
    html! {
        section {
            h2 { "Broader" }
            @if around.broader.is_empty() { p.soft { "Nothing: it stands at the top." } } @else { (concept_links(&around.broader, &Pages)) }
        }
        section {
            h2 { "Narrower" }
            @if around.narrower.is_empty() { p.soft { "Nothing." } } @else { (concept_links(&around.narrower, &Pages)) }
        }
    }
}

/// The same concept in other languages; nothing if no scheme knows one.
fn other_languages_section(taxonomy: &Taxonomy, concept: &Concept) -> Markup {
    let others = OtherLanguages::of(taxonomy).same_as(concept);
    html! {
        @if !others.is_empty() {
            section {
                h2 { "In other languages" }
                ul.links { @for other in others { li { (concept_link(other)) " " span.code { (other.language) } } } }
            }
        }
    }
}

fn explanation_section(facts: &ConceptFacts) -> Markup {
    html! {
        section {
            h2 { "Why it is a concept, and why it stands here" }
            p.soft { "Labels, the sites that show them in which roles, and the proof of each relation, as "
                span.code { "newslode taxonomy --explain" } " prints it." }
            pre tabindex="0" { (facts.explanation) }
        }
    }
}
