//! *Taxonomy*: the tree to browse, and a search among its concepts.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{RawQuery, State};
use maud::{Markup, html};
use newslode_miner::mining::taxonomy::{Concept, counted_sites};

use super::parts::{Number, concept_link, counted, empty};
use super::shell::{Page, Place, answer};
use crate::console::Console;
use crate::console::answer::Shown;
use crate::console::filter::values;
use crate::console::snapshot::{Mined, Snapshot};

/// Deeper concepts are not drawn; they have pages like all others.
const DEEPEST: usize = 40;
/// The most concepts that are drawn at once: levels that do not fit are left out.
const DRAWN: usize = 1_000;
/// The most concepts that a search shows.
const FOUND: usize = 200;

type Children<'a> = BTreeMap<Option<&'a str>, Vec<&'a Concept>>;

pub(in crate::console) async fn page(
    State(console): State<Arc<Console>>,
    RawQuery(query): RawQuery,
) -> Shown {
    let snapshot = console.snapshot().await?;
    let wanted = values(query.as_deref()).remove("q").unwrap_or_default();
    let taxonomy = &snapshot.mined.taxonomy;
    let page = Page {
        place: Place::Taxonomy,
        title: "Taxonomy".into(),
        trail: html! {},
        lead: html! {
            p.lead {
                (counted(taxonomy.concepts.len() as u64, "concept", "concepts")) " of "
                (counted_sites(taxonomy.sites as usize)) ". A concept is a label that at least " (taxonomy.support)
                " of them show, or that one files below such a label."
            }
        },
        main: html! { (search(&wanted)) (found_or_tree(&snapshot, &wanted)) },
    };
    answer(&console, &snapshot, page)
}

fn search(wanted: &str) -> Markup {
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

fn found_or_tree(snapshot: &Snapshot, wanted: &str) -> Markup {
    let mined = &snapshot.mined;
    if mined.taxonomy.concepts.is_empty() {
        return empty(
            "No concept was found yet. Concepts are labels that recur across sites: mine at least two sites of one language.",
        );
    }
    if wanted.is_empty() {
        return whole_tree(mined);
    }
    let folded = wanted.to_lowercase();
    let is_meant = |concept: &&Concept| {
        concept.key == wanted || concept.forms.iter().any(|form| form.text.to_lowercase().contains(&folded))
    };
    let found: Vec<&Concept> = mined.taxonomy.concepts.iter().filter(is_meant).collect();
    if found.is_empty() {
        return empty(
            html! { "No concept is written like “" (wanted) "”. " a href="/taxonomy" { "Browse the tree" } " instead." },
        );
    }
    html! {
        ul.tree { @for concept in found.iter().take(FOUND) { li { (line(mined, concept)) } } }
        @if found.len() > FOUND { p.soft { "and " (found.len() - FOUND) " more: write more of it" } }
    }
}

fn whole_tree(mined: &Mined) -> Markup {
    let children = mined.taxonomy.children();
    let (levels, drawn) = fitting(&children);
    let all = mined.taxonomy.concepts.len();
    html! {
        @if drawn < all {
            p.note {
                (Number(drawn as u64)) " of " (Number(all as u64)) " concepts are drawn, from the top. Those below are on the pages of the concepts \
                 above them; the search finds all."
            }
        }
        (tree(mined, None, levels, &children))
    }
}

/// How many levels can be drawn, at least one, and how many concepts they have.
fn fitting(children: &Children<'_>) -> (usize, usize) {
    let mut level: Vec<&Concept> = children.get(&None).into_iter().flatten().copied().collect();
    let (mut levels, mut drawn) = (1, level.len().min(DRAWN));
    while levels < DEEPEST {
        let mut next = Vec::new();
        for concept in &level {
            next.extend(children.get(&Some(concept.key.as_str())).into_iter().flatten().copied());
        }
        level = next;
        if level.is_empty() || drawn + level.len() > DRAWN {
            break;
        }
        (levels, drawn) = (levels + 1, drawn + level.len());
    }
    (levels, drawn)
}

fn tree(mined: &Mined, above: Option<&str>, levels: usize, children: &Children<'_>) -> Markup {
    let Some(own) = children.get(&above).filter(|_| levels > 0) else { return html! {} };
    html! {
        ul.tree.roots[above.is_none()] {
            @for concept in own.iter().take(DRAWN) {
                li { (line(mined, concept)) (tree(mined, Some(&concept.key), levels - 1, children)) }
            }
        }
    }
}

/// A concept with its numbers.
fn line(mined: &Mined, concept: &Concept) -> Markup {
    let articles = mined.facts(&concept.key).map_or(0, |facts| facts.articles);
    html! {
        div.line {
            span { (concept_link(concept)) @if concept.is_genre { small.soft { " genre" } } }
            span.number { (counted(articles, "article", "articles")) }
            span.number { (counted(concept.sites.len() as u64, "site", "sites")) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use newslode_miner::mining::taxonomy::Taxonomy;

    /// So many concepts, of which each but the first `roots` stands below an earlier one.
    fn mined(count: usize, roots: usize) -> Mined {
        let concept = |number: usize| Concept {
            key: format!("en:{number:06}"),
            keys: vec![format!("en:{number:06}")],
            label: format!("A concept with a rather long label {number}"),
            forms: Vec::new(),
            language: "en".into(),
            sites: Vec::new(),
            score: 1.0,
            is_genre: false,
            parents: Vec::new(),
            parent: number.checked_sub(roots).map(|above| format!("en:{:06}", above / 3)),
        };
        let taxonomy = Taxonomy { concepts: (0..count).map(concept).collect(), ..Taxonomy::default() };
        Mined { taxonomy, ..Mined::default() }
    }

    #[test]
    fn a_large_taxonomy_is_drawn_from_the_top() {
        for (count, roots) in [(900, 10), (50_000, 10), (50_000, 50_000)] {
            let html = whole_tree(&mined(count, roots)).0;
            let drawn = html.matches("<li>").count();
            assert!(drawn == count || (drawn > 100 && drawn <= DRAWN), "{drawn} of {count}");
            assert_eq!(html.contains("are drawn, from the top"), drawn < count);
            assert!(html.len() < 1_000_000, "{} bytes", html.len());
        }
    }
}
