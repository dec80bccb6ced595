//! Byline and date in the body of an article, in the site's style.

use crate::era::Era;
use crate::head::has_microdata;
use crate::looks::Bylines;
use crate::marks::{Ink, Mark, Role};
use crate::site::{Metadata, SitePlan};
use crate::story::Story;
use crate::view::esc;

/// Byline and date as HTML, headed by the text `title`; nothing if the site gives neither.
#[must_use]
pub(crate) fn byline_and_date(
    plan: &SitePlan,
    story: &Story,
    ink: &Ink,
    title: usize,
) -> (Option<String>, Option<String>) {
    if plan.metadata == Metadata::Nothing {
        return (None, None);
    }
    (Some(byline(plan, story, ink, title)), Some(date(plan, story, ink, title)))
}

/// The byline as plain text, as list pages show it.
#[must_use]
pub(crate) fn plain(plan: &SitePlan, story: &Story) -> String {
    let ui = &plan.language.pack().ui;
    format!("{}{}", ui.by, story.authors.join(&format!(" {} ", ui.and)))
}

fn byline(plan: &SitePlan, story: &Story, ink: &Ink, title: usize) -> String {
    let ui = &plan.language.pack().ui;
    let style = plan.looks.bylines;
    let text = ink.write(&plain(plan, story), Mark { role: Role::Other, ..Mark::under(title) });
    let name = |author: &String| {
        let shown = if style == Bylines::Capitals { author.to_uppercase() } else { author.clone() };
        let shown = esc(&ink.again(text.id, &shown));
        if has_microdata(plan) { format!("<span itemprop=\"author\">{shown}</span>") } else { shown }
    };
    let names: Vec<String> = story.authors.iter().map(name).collect();
    let by = match style {
        Bylines::Name => String::new(),
        Bylines::Capitals => ui.by.to_uppercase(),
        _ => ui.by.to_owned(),
    };
    let joined = names.join(&format!(" {} ", ui.and));
    let tail = match style {
        Bylines::City => format!(", {}", story.city),
        Bylines::Mail => format!(" (newsroom@{})", plan.domain),
        Bylines::Paper => format!(" | {}", esc(&plan.name)),
        Bylines::Plain | Bylines::Name | Bylines::Capitals => String::new(),
    };
    let by = if by.is_empty() { by } else { esc(&ink.again(text.id, &by)) };
    by + &joined + &tail
}

fn date(plan: &SitePlan, story: &Story, ink: &Ink, title: usize) -> String {
    let element = |moment: crate::dates::Moment, property: &str| {
        let shown = moment.shown(plan.dates, plan.language);
        let text = ink.write(&shown, Mark::under(title));
        let (shown, when) = (esc(&text.text), moment.rfc3339());
        if has_microdata(plan) {
            format!("<time itemprop=\"{property}\" datetime=\"{when}\">{shown}</time>")
        } else if plan.era == Era::Semantic && plan.metadata == Metadata::JsonLd {
            format!("<time datetime=\"{when}\">{shown}</time>")
        } else {
            shown
        }
    };
    let first = element(story.published, "datePublished");
    match story.updated {
        None => first,
        Some(updated) => {
            let (published, changed) = plan.language.words().published;
            let words = ink.write(published, Mark::under(title));
            let last = element(updated, "dateModified");
            format!("{} {first}, {changed} {last}", esc(&words.text))
        }
    }
}
