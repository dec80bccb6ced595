//! Corrections of the taxonomy: the list of all, the part of a concept's page, and the form behind both.
//!
//! A correction is shown before it is kept: what becomes of the concepts, and how many articles they have now. How many they will
//! have is known when all articles were filed again; `newslode correct --preview` does that beforehand. Start at [`change`].

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::{RawQuery, State};
use maud::{Markup, html};
use newslode_common::time::{iso, now};
use newslode_miner::mining::corrections::{Correction, Entry, apply};
use newslode_miner::mining::taxonomy::{Concept, Taxonomy};
use newslode_miner::work::corrections::{read_corrections, read_mined};

use super::form::{Form, mark_field};
use crate::console::access::Visitor;
use crate::console::answer::{PageResult, Problem};
use crate::console::pages::parts::concept_path;
use crate::console::pages::shell::{NavigationItem, Page, page_response};
use crate::console::snapshot::Mined;
use crate::console::state::Console;
use crate::control::Change;
use crate::correcting::TaxonomyChange;
use crate::html::values::{count_with_noun, empty_note};
use crate::queries::audit::Deed;
use crate::queries::corrections::{ListedCorrection, Overlay, list_corrections, meant_concept};

/// The path of the list and its form.
pub(in crate::console) const PATH: &str = "/corrections";
/// The most concepts whose change is shown.
const SHOWN: usize = 60;

/// The corrections; before the first fold there are none to read.
async fn overlay(console: &Console) -> Result<Option<Overlay>, Problem> {
    let read = Overlay::read(console.source.parts.stores.state.as_ref()).await;
    read.map_err(|error| Problem::away(&format!("{error:#}")))
}

/// All corrections, as the API lists them.
///
/// # Errors
/// When the store fails.
pub(in crate::console) async fn listed(console: &Console) -> Result<Vec<ListedCorrection>, Problem> {
    let state = console.source.parts.stores.state.as_ref();
    let read = async {
        let corrections = read_corrections(state).await?;
        // The taxonomy is large, and as a rule nothing was corrected.
        let mined = if corrections.entries().is_empty() { None } else { read_mined(state).await? };
        anyhow::Ok(list_corrections(&corrections, &mined.unwrap_or_default()))
    };
    read.await.map_err(|error| Problem::away(&format!("{error:#}")))
}

pub(in crate::console) async fn page(
    State(console): State<Arc<Console>>,
    RawQuery(query): RawQuery,
    visitor: Visitor,
) -> PageResult {
    let snapshot = console.snapshot().await?;
    let listed = listed(&console).await?;
    let page = Page {
        place: NavigationItem::Taxonomy,
        title: "Corrections".into(),
        trail: html! { a href="/taxonomy" { "Taxonomy" } },
        lead: html! {
            p.lead {
                "What editors changed. The mined taxonomy is kept, so each correction can be undone. To correct a concept, open its page."
            }
        },
        main: html! {
            (console.notices.shown(query.as_deref()))
            @if listed.is_empty() {
                (empty_note("Nothing was corrected."))
            } @else {
                (table(listed.iter(), &visitor))
            }
        },
    };
    page_response(&console, &snapshot, page)
}

fn table<'a>(listed: impl Iterator<Item = &'a ListedCorrection>, visitor: &Visitor) -> Markup {
    html! {
        div.scroll {
            table {
                thead { tr {
                    th.number scope="col" { "Number" } th scope="col" { "Correction" } th scope="col" { "By" } th scope="col" { "Why" }
                    @if visitor.mark.is_some() { th scope="col" { span.hidden { "Undo" } } }
                } }
                tbody {
                    @for correction in listed {
                        tr {
                            td.number { (correction.entry.number) }
                            th scope="row" dir="auto" {
                                (correction.text)
                                @if let Some(cause) = &correction.unmatched { p.soft { "does not apply now: " (cause) } }
                            }
                            td dir="auto" { (correction.entry.author.as_deref().unwrap_or_default()) }
                            td dir="auto" { (correction.entry.note.as_deref().unwrap_or_default()) }
                            @if let Some(mark) = &visitor.mark {
                                td {
                                    form method="post" action=(PATH) {
                                        (mark_field(mark))
                                        input type="hidden" name="number" value=(correction.entry.number);
                                        button.plain name="act" value="undo" aria-label={ "Undo correction " (correction.entry.number) } { "Undo" }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The part of a concept's page: what was corrected about it, and a form for more.
///
/// # Errors
/// When the store fails.
pub(in crate::console) async fn concept_section(
    console: &Console,
    concept: &Concept,
    visitor: &Visitor,
) -> Result<Markup, Problem> {
    let listed = listed(console).await?;
    let own: Vec<_> = listed.iter().filter(|own| own.entry.is_about(concept)).collect();
    Ok(html! {
        section #corrections {
            h2 { "Corrections" }
            @if own.is_empty() {
                p.soft { "No editor set anything about it. " a href=(PATH) { "All corrections" } }
            } @else {
                (table(own.into_iter(), visitor))
            }
            @if let Some(mark) = &visitor.mark { (form_of(&concept.key, mark)) }
        }
    })
}

/// What can be chosen, and what it says.
const KINDS: [(&str, &str); 5] = [
    ("rename", "Rename it to"),
    ("merge", "Merge it into the concept"),
    ("under", "Put it under the concept"),
    ("not-under", "Never put it under the concept"),
    ("hide", "Leave it out"),
];

fn form_of(key: &str, mark: &str) -> Markup {
    html! {
        form.fields method="post" action=(PATH) {
            (mark_field(mark))
            input type="hidden" name="concept" value=(key);
            div {
                label for="correct-kind" { "Correct it" }
                select #correct-kind name="kind" { @for (kind, text) in KINDS { option value=(kind) { (text) } } }
            }
            div {
                label for="correct-value" { "Label, or key or name of the other concept" }
                input #correct-value name="value" autocomplete="off" dir="auto";
            }
            div {
                label for="correct-note" { "Why" }
                input #correct-note name="note" autocomplete="off" dir="auto";
            }
            div.acts { button name="act" value="preview" { "See what it would change" } }
        }
    }
}

/// What a form asks for.
fn correction_of(form: &Form, overlay: &Overlay) -> Result<Correction, Problem> {
    let meant =
        |name: &str| meant_concept(&overlay.corrected, &overlay.mined, name).map_err(Problem::refused);
    let concept = meant(form.get("concept"))?;
    let value = form.get("value");
    Ok(match form.get("kind") {
        "hide" => Correction::Hide { concept },
        "rename" => Correction::Rename { concept, label: value.to_owned() },
        "merge" => Correction::Merge { concept, into: meant(value)? },
        "under" => Correction::Under { concept, parent: meant(value)? },
        "not-under" => Correction::NotUnder { concept, parent: meant(value)? },
        other => return Err(Problem::bad(format!("`{other}` is no kind of correction."))),
    })
}

/// Shows what a correction would change, keeps it, or undoes one.
pub(in crate::console) async fn change(State(console): State<Arc<Console>>, form: Form) -> PageResult {
    if form.get("act") == "undo" {
        let number: u64 =
            form.get("number").parse().map_err(|_| Problem::bad("A correction has a number."))?;
        return keep(&console, &form, TaxonomyChange::Undo(vec![number]), &format!("undo {number}")).await;
    }
    let overlay = overlay(&console).await?.ok_or_else(|| Problem::bad("There is no taxonomy yet."))?;
    let correction = correction_of(&form, &overlay)?;
    let about = correction.to_string();
    let note = Some(form.get("note").to_owned()).filter(|note| !note.is_empty());
    let author = form.sender().map(str::to_owned);
    let entry = Entry { note, author, at: Some(iso(now())), ..Entry::new(correction) };
    let addition = TaxonomyChange::Add(Box::new(entry));
    match form.get("act") {
        "keep" => keep(&console, &form, addition, &about).await,
        "preview" => {
            let mut then = overlay.corrections.clone();
            addition.make(&mut then, &overlay.mined).map_err(Problem::refused)?;
            let after = apply(&overlay.mined, &then).taxonomy;
            let snapshot = console.snapshot().await?;
            let effects = effects(&snapshot.mined, &overlay.corrected, &after);
            page_response(&console, &snapshot, preview_page(&form, &about, &effects))
        }
        other => Err(Problem::bad(format!("`{other}` is nothing that can be done to corrections.")).into()),
    }
}

async fn keep(console: &Console, form: &Form, change: TaxonomyChange, about: &str) -> PageResult {
    let said = console.source.change(Change::Correct(change)).await.map_err(Problem::refused)?;
    form.did(console, Deed::CorrectedTaxonomy, about).await;
    Ok(console.notices.then(PATH, format!("Done: {said}. The console shows it at its next look.")))
}

/// What becomes of each concept that changes, a line each.
fn effects(mined: &Mined, before: &Taxonomy, after: &Taxonomy) -> Vec<String> {
    let keys: BTreeSet<&str> =
        before.concepts.iter().chain(&after.concepts).map(|concept| concept.key.as_str()).collect();
    let names = |taxonomy: &Taxonomy, keys: &[String]| {
        let names = keys.iter().filter_map(|key| taxonomy.concept(key)).map(|above| above.label.as_str());
        let names: Vec<&str> = names.collect();
        if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
    };
    let mut lines = Vec::new();
    for key in keys {
        match (before.concept(key), after.concept(key)) {
            (Some(gone), None) => {
                let articles = mined.facts(key).map_or(0, |facts| facts.articles);
                let filed = count_with_noun(articles, "article is filed", "articles are filed").0;
                lines.push(format!("{} goes; {filed} under it now", gone.label));
            }
            (None, Some(new)) => lines.push(format!("{} is a concept of its own", new.label)),
            (Some(old), Some(new)) => {
                if old.label != new.label {
                    lines.push(format!("{} is called {}", old.label, new.label));
                }
                if old.keys != new.keys {
                    lines.push(format!("{} has other labels and forms", new.label));
                }
                if old.parents != new.parents {
                    let (old, above) = (names(before, &old.parents), names(after, &new.parents));
                    lines.push(format!("{} is under {above} instead of {old}", new.label));
                }
            }
            (None, None) => {}
        }
    }
    lines
}

fn preview_page(form: &Form, about: &str, effects: &[String]) -> Page {
    let key = form.get("concept");
    Page {
        place: NavigationItem::Taxonomy,
        title: "What the correction changes".into(),
        trail: html! { a href="/taxonomy" { "Taxonomy" } " / " a href=(concept_path(key)) { (key) } },
        lead: html! { p.lead dir="auto" { (about) ". Nothing is kept yet." } },
        main: html! {
            form.acts method="post" action=(PATH) {
                (mark_field(&form.mark))
                @for name in ["concept", "kind", "value", "note"] { input type="hidden" name=(name) value=(form.get(name)); }
                button name="act" value="keep" { "Keep it" }
                a href=(concept_path(key)) { "Drop it" }
            }
            section {
                h2 { "Concepts that change" }
                @if effects.is_empty() { p.empty { "None." } }
                ul { @for line in effects.iter().take(SHOWN) { li dir="auto" { (line) } } }
                @if effects.len() > SHOWN { p.soft { "and " (effects.len() - SHOWN) " more" } }
            }
        },
    }
}
