//! Corrections of the taxonomy: the list of all, the part of a concept's page, and the form behind both.
//!
//! A correction is shown before it is kept: what becomes of the concepts, and how many articles move. For the latter all articles are
//! filed twice, so it is counted for a while only, for one editor at a time; `newslode correct --preview` takes its time. Start at
//! [`change`].

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{RawQuery, State};
use maud::{Markup, html};
use newslode_common::time::{iso, now};
use newslode_miner::mining::corrections::{Correction, Corrections, Entry, apply};
use newslode_miner::mining::taxonomy::{Concept, Taxonomy};
use newslode_miner::work::corrections::{read_corrections, read_mined};
use newslode_page::reading::Site;

use super::form::{Form, mark_field};
use crate::console::access::Visitor;
use crate::console::answer::{PageResult, Problem};
use crate::console::pages::parts::{concept_path, site_path};
use crate::console::pages::shell::{NavigationItem, Page, page_response};
use crate::console::snapshot::Mined;
use crate::console::state::Console;
use crate::control::Change;
use crate::correcting::TaxonomyChange;
use crate::html::values::{Number, count_with_noun, empty_note};
use crate::queries::audit::Deed;
use crate::queries::corrections::{
    ListedCorrection, Moves, Overlay, list_corrections, meant_concept, preview, sentence,
};

/// The path of the list and its form.
pub(in crate::console) const PATH: &str = "/corrections";
/// The most concepts whose change is shown, and the most forms or places that can be chosen.
const SHOWN: usize = 60;
const CHOICES: usize = 400;
/// The longest time in which it is counted how many articles a correction moves.
const COUNTING: Duration = Duration::from_secs(20);

/// The corrections; before the first fold there are none to read.
pub(in crate::console) async fn overlay(console: &Console) -> Result<Option<Overlay>, Problem> {
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
                    th.number scope="col" { "Number" } th scope="col" { "Correction" }
                    @if visitor.mark.is_some() { th scope="col" { span.hidden { "Undo" } } }
                } }
                tbody {
                    @for correction in listed {
                        tr {
                            td.number { (correction.entry.number) }
                            th scope="row" dir="auto" {
                                (correction.sentence)
                                @if let Some(note) = &correction.entry.note { p.small dir="auto" { (note) } }
                                @if let Some(author) = &correction.entry.author { p.soft.small { "by " bdi { (author) } } }
                                @if let Some(cause) = &correction.unmatched { p.soft { "does not apply now: " (cause) } }
                            }
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
            @if let Some(mark) = &visitor.mark { (form_of(&concept.key, mark)) (split_form(concept, mark)) }
        }
    })
}

/// The part of a site's page: which of its sections and tags editors mapped to concepts, and a form for more.
///
/// # Errors
/// When the store fails.
pub(in crate::console) async fn site_section(
    console: &Console,
    site: &Site,
    places: &[&str],
    visitor: &Visitor,
) -> Result<Markup, Problem> {
    let listed = listed(console).await?;
    let is_own = |own: &&ListedCorrection| matches!(&own.entry.correction, Correction::Map { site: of, .. } if of == site);
    let own: Vec<_> = listed.iter().filter(is_own).collect();
    Ok(html! {
        @if !own.is_empty() || (visitor.mark.is_some() && !places.is_empty()) {
            section #maps {
                h2 { "Sections mapped to concepts " small { "by editors" } }
                @if own.is_empty() {
                    p.soft { "None: articles are filed under the concepts that its sections and tags are called like. " a href=(PATH) { "All corrections" } }
                } @else {
                    (table(own.into_iter(), visitor))
                }
                @if let Some(mark) = &visitor.mark { (map_form(site, places, mark)) }
            }
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
                label for="correct-value" { "The new label, or the name or key of the other concept (empty if it is left out)" }
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

/// Makes written forms of a concept one of their own.
fn split_form(concept: &Concept, mark: &str) -> Markup {
    html! {
        @if concept.forms.len() > 1 {
            form.fields method="post" action=(PATH) {
                (mark_field(mark))
                input type="hidden" name="concept" value=(concept.key);
                input type="hidden" name="kind" value="split";
                fieldset {
                    legend { "Make written forms a concept of their own" }
                    @for form in concept.forms.iter().take(CHOICES) {
                        label dir="auto" { input type="checkbox" name="forms" value=(form.text); " " (form.text) }
                    }
                }
                div {
                    label for="split-label" { "Its label, if not the first form" }
                    input #split-label name="value" autocomplete="off" dir="auto";
                }
                div {
                    label for="split-note" { "Why" }
                    input #split-note name="note" autocomplete="off" dir="auto";
                }
                div.acts { button name="act" value="preview" { "See what it would change" } }
            }
        }
    }
}

/// Maps a section or tag of a site to a concept.
fn map_form(site: &Site, places: &[&str], mark: &str) -> Markup {
    html! {
        @if !places.is_empty() {
            form.fields method="post" action=(PATH) {
                (mark_field(mark))
                input type="hidden" name="kind" value="map";
                input type="hidden" name="site" value=(site);
                div {
                    label for="map-place" { "Articles of its section or tag" }
                    select #map-place name="place" {
                        @for place in places.iter().take(CHOICES) { option dir="auto" value=(place) { (place) } }
                    }
                }
                div {
                    label for="map-concept" { "belong to the concept (key or name)" }
                    input #map-concept name="value" autocomplete="off" dir="auto";
                }
                div {
                    label for="map-note" { "Why" }
                    input #map-note name="note" autocomplete="off" dir="auto";
                }
                div.acts { button name="act" value="preview" { "See what it would change" } }
            }
        }
    }
}

/// What a form asks for. Concepts are as a person names them.
fn correction_of(form: &Form) -> Result<Correction, Problem> {
    let [concept, value] = ["concept", "value"].map(|name| form.get(name).to_owned());
    Ok(match form.get("kind") {
        "hide" => Correction::Hide { concept },
        "rename" => Correction::Rename { concept, label: value },
        "merge" => Correction::Merge { concept, into: value },
        "split" => {
            let forms = form.all("forms").filter(|text| !text.is_empty()).map(str::to_owned).collect();
            Correction::Split { concept, forms, label: Some(value).filter(|label| !label.is_empty()) }
        }
        "under" => Correction::Under { concept, parent: value },
        "not-under" => Correction::NotUnder { concept, parent: value },
        "map" => {
            let (site, place) = (Site::of_host(form.get("site")), form.get("place").to_owned());
            Correction::Map { site, place, concept: value }
        }
        other => return Err(Problem::bad(format!("`{other}` is no kind of correction."))),
    })
}

/// A correction that names concepts by their keys, from one that names them as a person does.
///
/// # Errors
/// When a name is none, or that of several.
fn with_keys(correction: Correction, overlay: &Overlay) -> Result<Correction, Problem> {
    let meant =
        |name: String| meant_concept(&overlay.corrected, &overlay.mined, &name).map_err(Problem::refused);
    Ok(match correction {
        Correction::Hide { concept } => Correction::Hide { concept: meant(concept)? },
        Correction::Rename { concept, label } => Correction::Rename { concept: meant(concept)?, label },
        Correction::Merge { concept, into } => {
            Correction::Merge { concept: meant(concept)?, into: meant(into)? }
        }
        Correction::Split { concept, forms, label } => {
            Correction::Split { concept: meant(concept)?, forms, label }
        }
        Correction::Under { concept, parent } => {
            Correction::Under { concept: meant(concept)?, parent: meant(parent)? }
        }
        Correction::NotUnder { concept, parent } => {
            Correction::NotUnder { concept: meant(concept)?, parent: meant(parent)? }
        }
        Correction::Map { site, place, concept } => Correction::Map { site, place, concept: meant(concept)? },
    })
}

/// A change of the corrections that was checked, with what it would leave.
pub(in crate::console) struct Checked {
    pub(in crate::console) change: TaxonomyChange,
    overlay: Overlay,
    then: Corrections,
    /// What it does, in a sentence.
    pub(in crate::console) said: String,
}

/// Checks a new correction of somebody, which may name concepts as a person does.
///
/// # Errors
/// When there is no taxonomy, it does not apply, or the store fails.
pub(in crate::console) async fn check_addition(
    console: &Console,
    correction: Correction,
    note: Option<String>,
    author: Option<String>,
) -> Result<Checked, Problem> {
    let overlay = overlay(console).await?.ok_or_else(without_taxonomy)?;
    let correction = with_keys(correction, &overlay)?;
    let entry = Entry { note, author, at: Some(iso(now())), ..Entry::new(correction) };
    checked(TaxonomyChange::Add(Box::new(entry)), overlay)
}

/// Checks that a correction can be undone.
///
/// # Errors
/// As [`check_addition`].
pub(in crate::console) async fn check_undoing(console: &Console, number: u64) -> Result<Checked, Problem> {
    checked(TaxonomyChange::Undo(vec![number]), overlay(console).await?.ok_or_else(without_taxonomy)?)
}

fn without_taxonomy() -> Problem {
    Problem::bad("There is no taxonomy yet.")
}

fn checked(change: TaxonomyChange, overlay: Overlay) -> Result<Checked, Problem> {
    let mut then = overlay.corrections.clone();
    let said = change.make(&mut then, &overlay.mined).map_err(Problem::refused)?;
    Ok(Checked { change, overlay, then, said })
}

impl Checked {
    /// How many articles it moves. An error says why they were not counted.
    pub(in crate::console) async fn count_moves(self, console: &Console) -> Result<Moves, String> {
        let turn = console.counting.clone().try_lock_owned();
        let turn = turn.map_err(|_| "somebody else's correction is counted at the moment")?;
        let parts = console.source.parts.clone();
        let runtime = tokio::runtime::Handle::current();
        // Filing takes processor time between its reads.
        let work = move || {
            let Checked { overlay: Overlay { mined, corrections, .. }, then, .. } = self;
            let counted = preview(&parts, &mined, &corrections, &then);
            let counted = runtime.block_on(async { tokio::time::timeout(COUNTING, counted).await });
            drop(turn);
            counted
        };
        let counted = tokio::time::timeout(COUNTING + COUNTING / 4, tokio::task::spawn_blocking(work)).await;
        match counted {
            Ok(Ok(Ok(Ok(preview)))) => Ok(preview.moves),
            Ok(Ok(Ok(Err(error)))) => Err(format!("{error:#}")),
            Ok(Err(panic)) => Err(panic.to_string()),
            Ok(Ok(Err(_))) | Err(_) => Err(format!("that takes more than {} s", COUNTING.as_secs())),
        }
    }
}

/// Shows what a correction would change, keeps it, or undoes one.
pub(in crate::console) async fn change(State(console): State<Arc<Console>>, form: Form) -> PageResult {
    if form.get("act") == "undo" {
        let number: u64 =
            form.get("number").parse().map_err(|_| Problem::bad("A correction has a number."))?;
        let undoing = check_undoing(&console, number).await?;
        return keep(&console, &form, undoing.change, &format!("undo {number}")).await;
    }
    let note = Some(form.get("note").to_owned()).filter(|note| !note.is_empty());
    let author = form.sender().map(str::to_owned);
    let addition = check_addition(&console, correction_of(&form)?, note, author).await?;
    let TaxonomyChange::Add(entry) = &addition.change else {
        return Err(Problem::bad("A new correction was expected.").into());
    };
    let about = entry.correction.to_string();
    let sentence = sentence(&entry.correction, &addition.overlay.corrected);
    match form.get("act") {
        "keep" => keep(&console, &form, addition.change, &about).await,
        "preview" => {
            let after = apply(&addition.overlay.mined, &addition.then).taxonomy;
            let snapshot = console.snapshot().await?;
            let effects = effects(&snapshot.mined, &addition.overlay.corrected, &after);
            let moves = addition.count_moves(&console).await;
            page_response(
                &console,
                &snapshot,
                preview_page(&form, &snapshot.mined, &sentence, &effects, &moves),
            )
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
                lines.push(format!("{} is no concept any more; {filed} under it now", gone.label));
            }
            (None, Some(new)) => lines.push(format!("{} is a concept of its own", new.label)),
            (Some(old), Some(new)) => {
                if old.label != new.label {
                    lines.push(format!("{} is called {}", old.label, new.label));
                }
                if old.keys != new.keys || old.forms.len() != new.forms.len() {
                    let has = |one: &Concept, other: &Concept| {
                        other.keys.iter().all(|key| one.keys.contains(key))
                            && one.forms.len() >= other.forms.len()
                    };
                    let what = match (has(new, old), has(old, new)) {
                        (true, false) => "gets more written forms",
                        (false, true) => "loses written forms",
                        _ => "has other written forms",
                    };
                    lines.push(format!("{} {what}", new.label));
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

fn preview_page(
    form: &Form,
    mined: &Mined,
    sentence: &str,
    effects: &[String],
    moves: &Result<Moves, String>,
) -> Page {
    let (key, site) = (form.get("concept"), form.get("site"));
    let label = mined.concept_with_facts(key).map_or(key, |(concept, _)| concept.label.as_str());
    let (from, name) =
        if key.is_empty() { (site_path(&Site::of_host(site)), site) } else { (concept_path(key), label) };
    Page {
        place: NavigationItem::Taxonomy,
        title: "What the correction changes".into(),
        trail: html! { a href="/taxonomy" { "Taxonomy" } " / " a href=(from) { (name) } },
        lead: html! { p.lead dir="auto" { (sentence) ". Nothing is kept yet." } },
        main: html! {
            form.acts method="post" action=(PATH) {
                (mark_field(&form.mark))
                @for name in ["concept", "kind", "value", "note", "site", "place"] {
                    input type="hidden" name=(name) value=(form.get(name));
                }
                @for written in form.all("forms") { input type="hidden" name="forms" value=(written); }
                button name="act" value="keep" { "Keep it" }
                a href=(from) { "Drop it" }
            }
            section {
                h2 { "Concepts that change" }
                @if effects.is_empty() { p.empty { "None." } }
                ul { @for line in effects.iter().take(SHOWN) { li dir="auto" { (line) } } }
                @if effects.len() > SHOWN { p.soft { "and " (effects.len() - SHOWN) " more" } }
            }
            section {
                h2 { "Articles that move" }
                (moves_shown(moves))
            }
        },
    }
}

/// How many articles a correction moves, and between which concepts.
fn moves_shown(moves: &Result<Moves, String>) -> Markup {
    let articles = |count: Option<u64>| {
        html! {
            @match count { Some(count) => (Number(count)), None => "no concept" }
        }
    };
    html! {
        @match moves {
            Ok(moves) => {
                p { (Number(moves.moved)) " of " (count_with_noun(moves.articles, "article", "articles")) "." }
                @if !moves.concepts.is_empty() {
                    div.scroll {
                        table {
                            thead { tr {
                                th scope="col" { "Concept" } th.number scope="col" { "Articles now" } th.number scope="col" { "Then" }
                            } }
                            tbody {
                                @for concept in moves.concepts.iter().take(SHOWN) {
                                    tr {
                                        th scope="row" dir="auto" { (concept.label) }
                                        td.number { (articles(concept.before)) } td.number { (articles(concept.after)) }
                                    }
                                }
                            }
                        }
                    }
                    @if moves.concepts.len() > SHOWN { p.soft { "and " (moves.concepts.len() - SHOWN) " more" } }
                }
            }
            Err(reason) => p.soft {
                "They were not counted: " (reason) ". " span.code { "newslode correct" } " counts them with " span.code.whole { "--preview" } "."
            },
        }
    }
}
