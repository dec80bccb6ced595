//! The pages for following concepts, labels and words: the list, its form, and the button on the pages of single topics.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use maud::{Markup, html};

use super::form::{Form, mark_field};
use crate::console::access::Visitor;
use crate::console::answer::{PageResult, Problem};
use crate::console::follows::{FILE, Follows, MOST};
use crate::console::pages::shell::{NavigationItem, Page, page_response};
use crate::console::state::Console;
use crate::filter::Filter;
use crate::html::values::{empty_note, fact_list};
use crate::queries::audit::Deed;

/// The path of the list.
const PATH: &str = "/following";

pub(in crate::console) async fn page(
    State(console): State<Arc<Console>>,
    RawQuery(query): RawQuery,
    visitor: Visitor,
) -> PageResult {
    let snapshot = console.snapshot().await?;
    let follows = console.follows.read().await.map_err(|error| Problem::away(&format!("{error:#}")))?;
    let main = html! {
        (console.notices.shown(query.as_deref()))
        @match &visitor.mark {
            Some(mark) => { (follows_form(&follows, mark)) }
            None => { (follows_list(&follows, &visitor)) }
        }
    };
    let page = Page {
        place: NavigationItem::News,
        title: "What you follow".into(),
        trail: html! { a href="/" { "News" } },
        lead: html! {
            p.lead { "The first page shows what is new on these concepts, labels and words. If nothing is followed, it shows everything. All who use this \
                console share the list." }
        },
        main,
    };
    page_response(&console, &snapshot, page)
}

fn follows_form(follows: &Follows, mark: &str) -> Markup {
    let field = |name: &str, label: &str, hint: &str, lines: &[String]| {
        html! {
            div {
                label for=(name) { (label) ", one a line" }
                textarea id=(name) name=(name) rows="4" spellcheck="false" dir="auto" placeholder=(hint) { (lines.join("\n")) }
            }
        }
    };
    html! {
        form.fields method="post" action=(PATH) {
            (mark_field(mark))
            (field("concepts", "Concepts by key or name", "Sport", &follows.concepts))
            (field("labels", "Labels of sites, sections of pages, or other names of concepts", "team=europe", &follows.labels))
            (field("words", "Words of title or text, as in a search", "\"interest rates\"", &follows.words))
            div.acts { button name="act" value="save" { "Save" } a href="/" { "Leave it as it is" } }
        }
    }
}

fn follows_list(follows: &Follows, visitor: &Visitor) -> Markup {
    let lists = [("Concepts", &follows.concepts), ("Labels", &follows.labels), ("Words", &follows.words)];
    let rows: Vec<(String, Markup)> = lists
        .into_iter()
        .filter(|(_, list)| !list.is_empty())
        .map(|(name, list)| {
            (name.to_owned(), html! { ul.links { @for text in list { li dir="auto" { (text) } } } })
        })
        .collect();
    html! {
        @if visitor.may_sign_in { p.note { "To change it, " a href="/session" { "sign in" } " first." } }
        @if rows.is_empty() { (empty_note("Nothing is followed, so the first page shows everything.")) } @else { (fact_list(&rows)) }
    }
}

/// Follows the one condition of a filter, or no longer.
pub(in crate::console) fn follow_button(filter: &Filter, follows: &Follows, mark: &str) -> Markup {
    // Whether it can be followed, and whether it is.
    let mut with = follows.clone();
    let is_possible = with.set(filter, false);
    let (act, text) =
        if with == *follows { ("follow", "Follow this") } else { ("leave", "No longer follow this") };
    html! {
        @if is_possible {
            form method="post" action=(PATH) {
                (mark_field(mark))
                @for (name, value) in filter.pairs() { input type="hidden" name=(name) value=(value); }
                button.plain name="act" value=(act) { (text) }
            }
        }
    }
}

pub(in crate::console) async fn change(State(console): State<Arc<Console>>, form: Form) -> PageResult {
    let lines = |name: &str| form.lines(name).map(str::to_owned).collect::<Vec<String>>();
    let text = |name: &str| form.get(name).to_owned();
    let (changed, about) = match form.get("act") {
        "save" => {
            let wanted =
                Follows { concepts: lines("concepts"), labels: lines("labels"), words: lines("words") };
            let filters = wanted.filters();
            let pairs = filters.iter().take(MOST).flat_map(Filter::pairs);
            let about =
                pairs.map(|(name, value)| format!("{name}={value}")).collect::<Vec<String>>().join(" ");
            (console.follows.change(|follows| *follows = wanted.clone()).await, about)
        }
        act @ ("follow" | "leave") => {
            let filter =
                Filter { concept: text("concept"), label: text("label"), q: text("q"), ..Filter::default() };
            if !Follows::default().set(&filter, true) {
                let sentence = "One concept, one label, or words can be followed.";
                return Err(Problem::bad(sentence).into());
            }
            let pairs = filter.pairs().into_iter().map(|(name, value)| format!("{act} {name}={value}"));
            let about = pairs.collect::<String>();
            let changed = console.follows.change(|follows| {
                follows.set(&filter, act == "follow");
            });
            (changed.await, about)
        }
        other => {
            return Err(
                Problem::bad(format!("`{other}` is nothing that can be done to what is followed.")).into()
            );
        }
    };
    changed.map_err(Problem::refused)?;
    form.did(&console, Deed::ChangedFollowing, &about).await;
    let place = if console.source.run.is_some() { format!(" It is in {FILE}.") } else { String::new() };
    Ok(console.notices.then(PATH, format!("What is followed was changed.{place}")))
}
