//! *Taxonomy*: the tree to browse, and a search among its concepts.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use maud::{Markup, html};
use newslode_miner::mining::registry::Registry;
use newslode_miner::mining::taxonomy::{Concept, Taxonomy, counted_sites};

use super::news::usual_day;
use super::parts::{PLAIN, Pages, concept_link, file_links};
use super::shell::{NavigationItem, Page, page_response};
use crate::console::answer::PageResult;
use crate::console::filter::parameters;
use crate::console::snapshot::{ConceptFacts, Snapshot};
use crate::console::state::Console;
use crate::html::taxonomy::Tree;
use crate::html::values::{count_with_noun, empty_note, time_element};
use crate::queries::taxonomy::change_sentence;

/// The most concepts that a search shows.
const FOUND: usize = 200;
/// The most changes, and the most rising concepts, that are shown.
const CHANGES: usize = 20;
const RISING: usize = 10;

pub(in crate::console) async fn page(
    State(console): State<Arc<Console>>,
    RawQuery(query): RawQuery,
) -> PageResult {
    let snapshot = console.snapshot().await?;
    let values = parameters(query.as_deref(), &["q"])?;
    let wanted = values.value("q");
    let taxonomy = &snapshot.mined.taxonomy;
    let page = Page {
        place: NavigationItem::Taxonomy,
        title: "Taxonomy".into(),
        trail: html! {},
        lead: html! {
            p.lead {
                (count_with_noun(taxonomy.concepts.len() as u64, "concept", "concepts")) " of "
                (counted_sites(taxonomy.sites as usize)) ". A concept is a label under which at least " (taxonomy.support)
                " of them file articles, or which their menus show as such. Editors may correct them."
            }
        },
        main: html! {
            (search_form(wanted)) (found_or_tree(&snapshot, wanted)) (file_links("/taxonomy", &concept_query(wanted), &PLAIN))
            p { a href="/corrections" { "Corrections of editors" } }
            @if wanted.is_empty() { (rising_concepts(&snapshot)) (latest_changes(&snapshot.registry)) }
        },
    };
    page_response(&console, &snapshot, page)
}

/// The concepts that have clearly more articles of the last day than of a usual day before, the steepest first.
fn rising_concepts(snapshot: &Snapshot) -> Markup {
    let mined = &snapshot.mined;
    let rising = snapshot.rising.concepts.iter().take(RISING).filter_map(|rising| {
        let at = rising.concept as usize;
        Some((mined.taxonomy.concepts.get(at)?, mined.concepts.get(at)?))
    });
    let rising: Vec<(&Concept, &ConceptFacts)> = rising.collect();
    html! {
        @if !rising.is_empty() {
            section {
                h2 { "Concepts that rise " small { "against the week before" } }
                ul {
                    @for (concept, facts) in rising {
                        li {
                            (concept_link(concept)) ": " (count_with_noun(facts.lately, "article", "articles"))
                            " of the last day, " (usual_day(facts.before)) " on a usual day"
                        }
                    }
                }
                p { a href="/" { "What else is new" } }
            }
        }
    }
}

/// The latest changes of the taxonomy, newest first.
fn latest_changes(registry: &Registry) -> Markup {
    html! {
        @if !registry.changes.is_empty() {
            section {
                h2 { "Latest changes" }
                ul {
                    @for change in registry.changes.iter().rev().take(CHANGES) {
                        li { (time_element(change.at)) " " (change_sentence(change, registry)) }
                    }
                }
            }
        }
    }
}

fn concept_query(wanted: &str) -> String {
    let pairs = [("q", wanted)].into_iter().filter(|(_, value)| !value.is_empty());
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

fn search_form(wanted: &str) -> Markup {
    html! {
        form.filters role="search" aria-label="Concepts" action="/taxonomy" {
            div.wide {
                label for="concepts" { "Find a concept by any of its written forms" }
                input #concepts type="search" name="q" value=(wanted) autocomplete="off";
            }
            div.act { button { "Find" } @if !wanted.is_empty() { a href="/taxonomy" { "the whole tree" } } }
        }
    }
}

/// The concepts that have a written form with `wanted` in it; all concepts if `wanted` is empty. Genres come last.
pub(in crate::console) fn named_concepts<'a>(taxonomy: &'a Taxonomy, wanted: &str) -> Vec<&'a Concept> {
    let folded = wanted.to_lowercase();
    let is_meant = |concept: &&Concept| {
        wanted.is_empty()
            || concept.key == wanted
            || concept.forms.iter().any(|form| form.text.to_lowercase().contains(&folded))
    };
    let mut named: Vec<&Concept> = taxonomy.concepts.iter().filter(is_meant).collect();
    named.sort_by_key(|concept| concept.is_genre);
    named
}

fn found_or_tree(snapshot: &Snapshot, wanted: &str) -> Markup {
    let mined = &snapshot.mined;
    let tree = Tree {
        taxonomy: &mined.taxonomy,
        links: &Pages,
        articles: &|concept| mined.facts(&concept.key).map_or(0, |facts| facts.articles),
        rest: "Those below are on the pages of the concepts above them; the search finds all.",
    };
    if wanted.is_empty() || mined.taxonomy.concepts.is_empty() {
        return tree.whole();
    }
    let found = named_concepts(&mined.taxonomy, wanted);
    if found.is_empty() {
        return empty_note(
            html! { "No concept is written like “" (wanted) "”. " a href="/taxonomy" { "Browse the tree" } " instead." },
        );
    }
    html! {
        (tree.flat(&found[..found.len().min(FOUND)]))
        @if found.len() > FOUND { p.soft { "and " (found.len() - FOUND) " more: write more of it" } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::snapshot::{Mined, Rising, RisingConcept};
    use crate::html::taxonomy::tests::test_concept;

    #[test]
    fn the_page_shows_the_concepts_that_rise() {
        let facts = |lately, before| ConceptFacts { lately, before, ..ConceptFacts::default() };
        let shown = |rising: &[u32]| {
            let concepts = ["en:opera", "en:tenni"].map(test_concept).into();
            let taxonomy = Arc::new(Taxonomy { concepts, ..Taxonomy::default() });
            let concepts = vec![facts(2, 14), facts(9, 7)];
            let mined = Arc::new(Mined { taxonomy, concepts, ..Mined::default() });
            let concepts =
                rising.iter().map(|concept| RisingConcept { concept: *concept, usual: 0.0, days: [0; 8] });
            let rising = Arc::new(Rising { concepts: concepts.collect(), ..Rising::default() });
            rising_concepts(&Snapshot { mined, rising, ..Snapshot::default() }).0
        };
        let page = shown(&[1]);
        assert!(page.contains("/taxonomy/en%3Atenni") && page.contains("9 articles"), "{page}");
        assert!(page.contains("1.0 on a usual day") && !page.contains("opera"), "{page}");
        assert_eq!(shown(&[]), "");
    }
}
