//! What several pages show: addresses of pages, links, lists of articles, the state of a site.

use maud::{Markup, html};
use newslode_common::schedule::Health;
use newslode_common::store::SiteStatus;
use newslode_miner::mining::taxonomy::Concept;
use newslode_page::reading::Site;

use crate::console::snapshot::{ArticleSummary, Mined};
use crate::console::source::Source;
use crate::html::Links;
use crate::html::lists::{self, ListedArticle};
use crate::html::values::{EXTERNAL_REL, page_url, time_element};

/// The console's own pages.
pub(in crate::console) struct Pages;

impl Links for Pages {
    fn concept(&self, concept: &Concept) -> String {
        concept_path(&concept.key)
    }

    fn site(&self, site: &Site) -> String {
        site_path(site)
    }
}

/// Says so while fetching waits for room on the disk.
pub(in crate::console) fn shortage_note(source: &Source) -> Markup {
    html! {
        @if let Some(shortage) = source.shortage() {
            p.note { "Fetching waits for room: " (shortage) "." }
        }
    }
}

/// A part of a path: everything that could mean something else is encoded.
pub(in crate::console) fn path_segment(text: &str) -> String {
    let mut path = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' => path.push(byte as char),
            // A part of dots alone would mean another folder.
            b'.' if text.bytes().any(|byte| byte != b'.') => path.push('.'),
            _ => path.push_str(&format!("%{byte:02X}")),
        }
    }
    path
}

/// The address of a concept's page.
pub(in crate::console) fn concept_path(key: &str) -> String {
    format!("/taxonomy/{}", path_segment(key))
}

/// The address of a site's page.
pub(in crate::console) fn site_path(site: &Site) -> String {
    format!("/sites/{}", path_segment(site.as_str()))
}

/// The address of an article's page.
pub(in crate::console) fn article_path(article: &ArticleSummary) -> String {
    format!("/articles/{}", article.id)
}

/// The address of the page that explains another one.
pub(in crate::console) fn explain_path(target: &str) -> String {
    let query = url::form_urlencoded::Serializer::new(String::new()).append_pair("target", target).finish();
    format!("/explain?{query}")
}

/// A link to a concept.
pub(super) fn concept_link(concept: &Concept) -> Markup {
    lists::concept_link(concept, &Pages)
}

/// A link to a site.
pub(in crate::console) fn site_link(site: &Site) -> Markup {
    html! { a href=(site_path(site)) { (site) } }
}

/// The same where an address matters less: only its host is shown.
pub(super) fn short_external_link(address: &str) -> Markup {
    match page_url(address).as_ref().and_then(|url| url.host_str()) {
        Some(host) => html! { a href=(address) rel=(EXTERNAL_REL) { "at " (host) } },
        None => html! { span { (address) } },
    }
}

/// A share in thousandths, as percent.
pub(super) fn percent_text(thousandths: u64) -> String {
    format!("{}.{} %", thousandths / 10, thousandths % 10)
}

/// A list of articles. A tight one has no texts.
pub(super) fn article_summaries<'a>(
    mined: &Mined,
    articles: impl IntoIterator<Item = &'a ArticleSummary>,
    is_tight: bool,
) -> Markup {
    let item = |article: &'a ArticleSummary| ListedArticle {
        headline: article.headline(),
        address: Some(article_path(article)),
        language: article.language.as_deref(),
        meta: html! {
            span { (article.site) }
            span { @if article.published.is_none() { "found " } (time_element(article.at)) }
            @for concept in mined.concepts_of(article).take(6) { (concept_link(concept)) }
        },
        lead: &article.lead,
    };
    lists::article_list(articles.into_iter().map(item), is_tight)
}

/// The mark of how a site is: a shape and words, besides a colour.
pub(super) fn site_state(status: &SiteStatus, health: Health) -> Markup {
    let (class, words) = match (status.settings.paused, health) {
        (true, _) => ("idle", "paused"),
        (false, Health::Healthy) => ("good", "healthy"),
        (false, Health::NoArticles) => ("warn", "pages, but no articles"),
        (false, Health::Quiet) => ("warn", "quiet"),
        (false, Health::Blocked) => ("bad", "blocks us"),
        (false, Health::Failing) => ("bad", "fails"),
        (false, Health::RobotsClosed) => ("bad", "robots.txt unreadable"),
    };
    html! { span class={ "state " (class) } { (words) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_paths_lead_back_to_their_texts() {
        assert_eq!(path_segment("en:top news/ü"), "en%3Atop%20news%2F%C3%BC");
        assert_eq!((path_segment(".."), path_segment("a.b")), ("%2E%2E".into(), "a.b".into()));
    }
}
