//! Metadata of article pages in six styles: JSON-LD, OpenGraph, plain `meta`, microdata, visible text, nothing.
//!
//! Each style states authors and dates in its own way. Gold holds only what the page states.

use serde_json::json;

use crate::era::Era;
use crate::site::{Metadata, SitePlan};
use crate::story::Story;
use crate::view::esc;

/// The metadata elements for the head of an article page, one per line.
#[must_use]
pub(crate) fn story_head(plan: &SitePlan, story: &Story, url: &str) -> String {
    let meta = |name: &str, value: &str| format!("<meta name=\"{name}\" content=\"{}\">\n", esc(value));
    let property =
        |name: &str, value: &str| format!("<meta property=\"{name}\" content=\"{}\">\n", esc(value));
    let when = story.published.rfc3339();
    let section = &plan.sections[story.section].label;
    let changed = story.updated.map(|moment| moment.rfc3339());
    let picture = story.caption.is_some().then(|| picture(plan, story));
    let own = match plan.metadata {
        Metadata::JsonLd => {
            let authors: Vec<_> =
                story.authors.iter().map(|a| json!({"@type": "Person", "name": a})).collect();
            let mut data = json!({
                "@context": "https://schema.org", "@type": "NewsArticle", "headline": story.title,
                "datePublished": when, "author": authors, "articleSection": section, "url": url,
                "publisher": {"@type": "Organization", "name": plan.name},
            });
            for (key, value) in [("dateModified", changed), ("image", picture)] {
                if let Some(value) = value {
                    data[key] = value.into();
                }
            }
            // A script must not contain its own end tag.
            let text = data.to_string().replace("</", "<\\/");
            format!("<script type=\"application/ld+json\">{text}</script>\n")
        }
        Metadata::OpenGraph => {
            let mut out = property("og:type", "article") + &property("og:title", &story.title);
            out += &(property("og:url", url) + &property("og:site_name", &plan.name));
            out += &property("og:description", &story.teaser);
            out += &(property("article:published_time", &when) + &property("article:section", section));
            for author in &story.authors {
                out += &property("article:author", author);
            }
            for (name, value) in [("article:modified_time", changed), ("og:image", picture)] {
                out += &value.map_or_else(String::new, |value| property(name, &value));
            }
            out
        }
        Metadata::PlainMeta => {
            let date = if plan.dates.has_time() { when } else { story.published.date() };
            meta("author", &story.authors.join(", "))
                + &meta("date", &date)
                + &meta("description", &story.teaser)
        }
        Metadata::Microdata | Metadata::Visible | Metadata::Nothing => String::new(),
    };
    if plan.era == Era::Tables99 {
        own
    } else {
        format!("{own}<link rel=\"canonical\" href=\"{}\">\n", esc(url))
    }
}

/// Whether bylines and dates carry `itemprop`s.
#[must_use]
pub(crate) fn has_microdata(plan: &SitePlan) -> bool {
    plan.metadata == Metadata::Microdata
}

/// Address of the story's photograph.
#[must_use]
pub(crate) fn picture(plan: &SitePlan, story: &Story) -> String {
    format!("http://{}/img/{}.jpg", plan.host, story.number)
}

/// Attributes of the article's element, its title and its body.
#[must_use]
pub(crate) const fn scope(plan: &SitePlan) -> [&'static str; 3] {
    match plan.metadata {
        Metadata::Microdata => [
            " itemscope itemtype=\"http://schema.org/NewsArticle\"",
            " itemprop=\"headline\"",
            " itemprop=\"articleBody\"",
        ],
        _ => ["", "", ""],
    }
}
