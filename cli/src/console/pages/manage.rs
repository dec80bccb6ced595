//! The parts of a site's page by which it is managed: its limits, and what people taught it.

use maud::{Markup, html};
use newslode_common::store::SiteSettings;
use newslode_miner::work::knowledge::Knowledge;
use newslode_page::extract::Lesson;
use newslode_page::reading::{CanonicalUrl, Site};

use super::parts::{explain_path, site_path};
use crate::console::access::Visitor;
use crate::console::writing::form::mark_field;
use crate::html::values::{empty_note, external_link};

/// Changes the limits of a site, pauses it, and removes it.
pub(super) fn limits_form(site: &Site, settings: &SiteSettings, mark: &str) -> Markup {
    let seconds = settings.delay_ms as f64 / 1_000.0;
    html! {
        section #limits {
            h2 { "Change it" }
            form.fields method="post" action={ (site_path(site)) "/limits" } {
                (mark_field(mark))
                div.numbers {
                    div { label for="max_pages" { "Pages a day" } input #max_pages name="max_pages" inputmode="numeric" value=(settings.max_pages); }
                    div { label for="max_depth" { "Links away" } input #max_depth name="max_depth" inputmode="numeric" value=(settings.max_depth); }
                    div { label for="delay" { "Delay, seconds" } input #delay name="delay" inputmode="decimal" value=(seconds); }
                }
                div.acts {
                    button name="act" value="save" { "Save" }
                    @if settings.paused {
                        button.plain name="act" value="resume" { "Go on" }
                    } @else {
                        button.plain name="act" value="pause" { "Pause" }
                    }
                    button.plain name="act" value="remove" { "Remove…" }
                }
            }
        }
    }
}

/// The corrected pages of a site.
pub(super) fn lesson_section(site: &Site, knowledge: &Knowledge, visitor: &Visitor) -> Markup {
    html! {
        section #lessons {
            h2 { "Corrected pages" }
            @if knowledge.site.lessons().is_empty() {
                (empty_note("No page of this site was corrected. Where an article is read wrongly, correct it on its page: the others are read better, too."))
            } @else {
                div.scroll {
                    table {
                        thead { tr {
                            th scope="col" { "Page" } th scope="col" { "Taught" }
                            @if visitor.mark.is_some() { th scope="col" { span.hidden { "Forget" } } }
                        } }
                        tbody { @for lesson in knowledge.site.lessons() { (lesson_row(site, lesson, visitor)) } }
                    }
                }
            }
        }
    }
}

fn lesson_row(site: &Site, lesson: &Lesson, visitor: &Visitor) -> Markup {
    html! {
        tr {
            th scope="row" {
                @if lesson.url.parse::<CanonicalUrl>().is_ok() { a href=(explain_path(&lesson.url)) { (lesson.url) } } @else { (external_link(&lesson.url)) }
            }
            td { (taught_fields(lesson)) }
            @if let Some(mark) = &visitor.mark {
                td {
                    form method="post" action={ (site_path(site)) "/lessons" } {
                        (mark_field(mark))
                        input type="hidden" name="url" value=(lesson.url);
                        button.plain aria-label={ "Forget what " (lesson.url) " taught" } { "Forget" }
                    }
                }
            }
        }
    }
}

/// Which fields a lesson is about.
fn taught_fields(lesson: &Lesson) -> String {
    let fields = &lesson.fields;
    let parts = [
        ("text", !lesson.places.is_empty()),
        ("title", !fields.title.is_empty()),
        ("authors", !fields.authors.is_empty()),
        ("published", !fields.published.is_empty()),
    ];
    let parts: Vec<&str> =
        parts.into_iter().filter(|(_, is_taught)| *is_taught).map(|(name, _)| name).collect();
    if parts.is_empty() { "that it is read rightly".to_owned() } else { parts.join(", ") }
}
