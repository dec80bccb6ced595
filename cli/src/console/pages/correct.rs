//! *Correcting an article*: the form, and what the correction would change before it is kept.

use maud::{Markup, html};
use newslode_miner::work::histories::history::history_key;
use newslode_miner::work::knowledge::Knowledge;
use newslode_miner::work::views::Preview;
use newslode_page::article::Article;

use super::parts::{article_path, site_link};
use super::shell::{NavigationItem, Page};
use crate::console::access::Visitor;
use crate::console::snapshot::{ArticleSummary, Mined};
use crate::console::writing::form::{Form, mark_field};
use crate::html::values::{count_with_noun, external_link};

/// Articles that change and are shown with what changes.
const SHOWN: usize = 12;
/// Passages of a body that are shown.
const PASSAGES: usize = 8;

/// What the form says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::console) struct CorrectionForm {
    pub(in crate::console) title: String,
    pub(in crate::console) authors: Vec<String>,
    pub(in crate::console) published: String,
    /// Passages with an empty line between two.
    pub(in crate::console) body: String,
    /// Passages that belong to no article of the site.
    pub(in crate::console) drop: Vec<String>,
}

impl CorrectionForm {
    /// What was read.
    pub(in crate::console) fn of_article(article: &Article) -> CorrectionForm {
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        CorrectionForm {
            title: text(&article.title),
            authors: article.authors.clone(),
            published: text(&article.published),
            body: separate_passages(&article.text()),
            drop: Vec::new(),
        }
    }

    /// What was sent.
    pub(in crate::console) fn of_form(form: &Form) -> CorrectionForm {
        let lines = |name: &str| form.lines(name).map(str::to_owned).collect();
        CorrectionForm {
            title: form.get("title").to_owned(),
            authors: lines("authors"),
            published: form.get("published").to_owned(),
            body: separate_passages(form.get("body")),
            drop: lines("drop"),
        }
    }

    /// It again, to be sent with a button.
    fn fields(&self, mark: &str) -> Markup {
        html! {
            (mark_field(mark))
            input type="hidden" name="title" value=(self.title);
            input type="hidden" name="authors" value=(self.authors.join("\n"));
            input type="hidden" name="published" value=(self.published);
            input type="hidden" name="body" value=(self.body);
            input type="hidden" name="drop" value=(self.drop.join("\n"));
        }
    }
}

/// A text with an empty line between two passages.
fn separate_passages(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// What a correction would do.
pub(in crate::console) enum Effect {
    /// Its page does not show it, for this reason.
    Refused(String),
    /// The corrected article, and others of its site.
    Read(Vec<Preview>),
}

/// Whether this page was corrected before.
pub(in crate::console) fn was_corrected(knowledge: &Knowledge, summary: &ArticleSummary) -> bool {
    knowledge.site.lessons().iter().any(|lesson| lesson.url == summary.url.as_str())
}

fn trail(summary: &ArticleSummary) -> Markup {
    html! { a href="/articles" { "Articles" } " / " (site_link(&summary.site)) " / " a href=(article_path(summary)) dir="auto" { (summary.headline()) } }
}

fn correction_path(summary: &ArticleSummary) -> String {
    format!("{}/correct", article_path(summary))
}

/// The form.
pub(in crate::console) fn form_page(
    summary: &ArticleSummary,
    form: &CorrectionForm,
    knowledge: &Knowledge,
    visitor: &Visitor,
) -> Page {
    Page {
        place: NavigationItem::Articles,
        title: "Correct this article".into(),
        trail: trail(summary),
        lead: html! {
            p.lead {
                "Write what the page shows. From where it shows it, all articles of " (summary.site) " are read better. You see what changes before it is \
                 kept. " (external_link(summary.url.as_str()))
            }
            @if was_corrected(knowledge, summary) { p.note { "This page was corrected before. What you send now replaces that as a whole." } }
        },
        main: html! {
            form.fields method="post" action=(correction_path(summary)) {
                @if let Some(mark) = &visitor.mark { (mark_field(mark)) }
                (text_field("title", "Title", &form.title))
                (text_area("authors", "Authors, one a line", &form.authors.join("\n"), 2))
                (text_field("published", "Published, as 2026-11-25", &form.published))
                (text_area("body", "Text, with an empty line between two passages", &form.body, 18))
                (text_area("drop", "Passages of the page that belong to no article of this site, one a line", &form.drop.join("\n"), 3))
                (form_buttons(visitor))
            }
        },
    }
}

fn form_buttons(visitor: &Visitor) -> Markup {
    html! {
        @if visitor.mark.is_some() {
            div.acts { button name="act" value="preview" { "See what it would change" } }
        } @else if visitor.may_sign_in {
            p.note { "To correct articles, " a href="/session" { "sign in" } " first." }
        } @else {
            p.note { (visitor.refusal().sentence()) }
        }
    }
}

fn text_field(name: &str, label: &str, value: &str) -> Markup {
    html! {
        div {
            label for={ "correct-" (name) } { (label) }
            input id={ "correct-" (name) } name=(name) value=(value) autocomplete="off" dir="auto";
        }
    }
}

fn text_area(name: &str, label: &str, value: &str, rows: usize) -> Markup {
    html! {
        div {
            label for={ "correct-" (name) } { (label) }
            // A line break after the tag is none of the text.
            textarea id={ "correct-" (name) } name=(name) rows=(rows) dir="auto" { "\n" (value) }
        }
    }
}

/// What the correction would change.
pub(in crate::console) fn preview_page(
    mined: &Mined,
    summary: &ArticleSummary,
    form: &CorrectionForm,
    effect: &Effect,
    mark: &str,
) -> Page {
    let (lead, main) = match effect {
        Effect::Refused(reason) => (
            html! { p.note role="alert" { "Nothing can be learnt from this: " (reason) "." } },
            html! {
                form.acts method="post" action=(correction_path(summary)) {
                    (form.fields(mark))
                    button name="act" value="edit" { "Back to the form" }
                }
            },
        ),
        Effect::Read(read) => effect_parts(mined, summary, form, read, mark),
    };
    Page {
        place: NavigationItem::Articles,
        title: "What the correction changes".into(),
        trail: trail(summary),
        lead,
        main,
    }
}

fn effect_parts(
    mined: &Mined,
    summary: &ArticleSummary,
    form: &CorrectionForm,
    read: &[Preview],
    mark: &str,
) -> (Markup, Markup) {
    let own = read.iter().find(|preview| preview.content == summary.content).map(changes).unwrap_or_default();
    let others: Vec<&Preview> = read.iter().filter(|preview| preview.content != summary.content).collect();
    let changed: Vec<(&Preview, Vec<Change>)> = others
        .iter()
        .map(|preview| (*preview, changes(preview)))
        .filter(|(_, changes)| !changes.is_empty())
        .collect();
    let of = |preview: &Preview| mined.article(&history_key(&preview.after.url.parse().ok()?));
    let lead = html! {
        p.lead {
            @if own.is_empty() {
                "This article stays as it is: where its page shows what was corrected does not tell it from the rest. "
            } @else {
                "This article changes as shown. "
            }
            "Of " (count_with_noun(others.len() as u64, "other article", "other articles")) " of " (summary.site) " that were looked at, "
            (count_with_noun(changed.len() as u64, "changes", "change")) ". Nothing is kept yet."
        }
    };
    let main = html! {
        form.acts method="post" action=(correction_path(summary)) {
            (form.fields(mark))
            button name="act" value="keep" { "Keep it, and read all articles of " (summary.site) " again" }
            button.plain name="act" value="edit" { "Back to the form" }
            a href=(article_path(summary)) { "Drop it" }
        }
        section { h2 { "This article" } (change_list(&own)) }
        section {
            h2 { "Others of the site" }
            @for (preview, changes) in changed.iter().take(SHOWN) {
                article.changed {
                    h3 dir="auto" {
                        @let headline = preview.after.title.as_deref().unwrap_or("(no title)");
                        @if let Some(article) = of(preview) { a href=(article_path(article)) { (headline) } } @else { (headline) }
                    }
                    (change_list(changes))
                }
            }
            @if changed.is_empty() { p.empty { "None of those that were looked at changes." } }
            @if changed.len() > SHOWN { p.soft { "and " (changed.len() - SHOWN) " more" } }
        }
    };
    (lead, main)
}

/// A change of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Change {
    field: &'static str,
    /// What goes and what comes.
    gone: Vec<String>,
    new: Vec<String>,
}

/// What differs between two readings.
fn changes(preview: &Preview) -> Vec<Change> {
    let (before, after) = (&preview.before, &preview.after);
    let one = |value: &Option<String>| value.iter().cloned().collect::<Vec<_>>();
    let body = |article: &Article| article.body.iter().map(|block| block.text.clone()).collect::<Vec<_>>();
    let fields = [
        ("title", one(&before.title), one(&after.title)),
        ("authors", before.authors.clone(), after.authors.clone()),
        ("published", one(&before.published), one(&after.published)),
        ("text", body(before), body(after)),
    ];
    let differ = fields.into_iter().filter(|(_, before, after)| before != after);
    differ
        .map(|(field, before, after)| Change {
            field,
            gone: without(&before, &after),
            new: without(&after, &before),
        })
        .collect()
}

/// What the first has and the second has not.
fn without(all: &[String], knowledge: &[String]) -> Vec<String> {
    all.iter().filter(|text| !knowledge.contains(text)).cloned().collect()
}

fn change_list(changes: &[Change]) -> Markup {
    html! {
        @if changes.is_empty() {
            p.empty { "It is read as before." }
        } @else {
            dl.changes {
                @for change in changes {
                    dt { (change.field) }
                    dd {
                        @for text in change.gone.iter().take(PASSAGES) { del dir="auto" { (text) } }
                        @for text in change.new.iter().take(PASSAGES) { ins dir="auto" { (text) } }
                        @let more = change.gone.len().saturating_sub(PASSAGES) + change.new.len().saturating_sub(PASSAGES);
                        @if more > 0 { span.soft { "and " (more) " more" } }
                        @if change.gone.is_empty() && change.new.is_empty() { span.soft { "the order changes" } }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_compared_whatever_their_line_breaks() {
        assert_eq!(separate_passages("a\r\n\r\nb \n c\n"), "a\n\nb\n\nc");
        assert_eq!(separate_passages(" \n"), "");
    }

    #[test]
    fn what_goes_and_what_comes_is_told_apart() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        assert_eq!(without(&texts(&["a", "b", "c"]), &texts(&["b"])), texts(&["a", "c"]));
    }
}
