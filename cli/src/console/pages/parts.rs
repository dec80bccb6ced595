//! What several pages show: addresses of pages, links, lists of articles, the state of a site.

use std::collections::HashMap;

use futures::{StreamExt as _, TryStreamExt as _};
use maud::{Markup, html};
use newslode_common::schedule::Health;
use newslode_common::store::{Kind, SiteStatus};
use newslode_common::version::ContentHash;
use newslode_miner::mining::taxonomy::Concept;
use newslode_page::article::Article;
use newslode_page::reading::Site;

use crate::console::answer::Problem;
use crate::console::filter::ArticleQuery;
use crate::console::snapshot::{ArticleSummary, Mined, Snapshot};
use crate::console::source::Source;
use crate::console::state::Console;
use crate::filter::Filter;
use crate::filter::phrases::{PASSAGE, Passage, WordQuery};
use crate::html::Links;
use crate::html::lists::{self, ListedArticle};
use crate::html::values::{EXTERNAL_REL, count_with_noun, page_url, publication_element, time_element};
use crate::queries::health::SiteHealth;

/// Articles that are read at once.
const AT_ONCE: usize = 8;

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

/// Says so while nothing can be fetched: the disk is short of room, or the machine has no network.
pub(in crate::console) fn standstill_note(source: &Source, snapshot: &Snapshot) -> Markup {
    html! {
        @if let Some(network) = &snapshot.network {
            p.note #network {
                "No network" (network.place()) ": " (count_with_noun(network.sites, "site", "sites")) " could not be reached since " (time_element(network.since))
                ". No site and no article is blamed for it."
            }
        }
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

/// A name in the words of strangers, which leads to their page if the address is that of one.
pub(super) fn named_external_link(name: &str, address: Option<&str>) -> Markup {
    match address.filter(|address| page_url(address).is_some()) {
        Some(address) => html! { a dir="auto" href=(address) rel=(EXTERNAL_REL) { (name) } },
        None => html! { span dir="auto" { (name) } },
    }
}

/// A share in thousandths, as percent.
pub(super) fn percent_text(thousandths: u64) -> String {
    format!("{}.{} %", thousandths / 10, thousandths % 10)
}

/// Formats of lists as files: the end of the address, and the name.
pub(super) const PLAIN: [(&str, &str); 2] = [("csv", "CSV"), ("jsonl", "JSON Lines")];
const OF_ARTICLES: [(&str, &str); 3] = [("csv", "CSV"), ("jsonl", "JSON Lines"), ("atom", "Atom feed")];

/// Links to a list of articles as files.
pub(super) fn article_file_links(asked: &ArticleQuery) -> Markup {
    file_links("/articles", &asked.query(None), &OF_ARTICLES)
}

/// Links to the list at this path, with this query, as files.
pub(super) fn file_links(path: &str, query: &str, formats: &[(&str, &str)]) -> Markup {
    let query = if query.is_empty() { String::new() } else { format!("?{query}") };
    html! {
        p.soft {
            "This list as"
            @for (number, (end, name)) in formats.iter().enumerate() {
                @if number > 0 { "," } " " a href={ (path) "." (end) (query) } { (name) }
            }
        }
    }
}

/// What was found in articles: the passages of their texts, by their names.
#[derive(Default)]
pub(super) struct Found {
    /// Words that are marked in titles.
    in_titles: WordQuery,
    passages: HashMap<ContentHash, Passage>,
}

impl Found {
    /// Reads the texts of articles that were found by their words.
    ///
    /// # Errors
    /// When the archive fails.
    pub(super) async fn read(
        console: &Console,
        filter: &Filter,
        articles: &[&ArticleSummary],
    ) -> Result<Found, Problem> {
        let (words, mut in_titles) = (WordQuery::parse(&filter.q), WordQuery::parse(&filter.title));
        in_titles.parts.extend(words.parts.iter().cloned());
        if words.is_empty() {
            return Ok(Found { in_titles, passages: HashMap::new() });
        }
        let archive = &console.source.parts.stores.archive;
        let read = |(id, content): (ContentHash, ContentHash)| {
            let words = words.clone();
            async move {
                let Some(json) = archive.get(Kind::Article, content).await? else { return Ok(None) };
                // Long texts take their time.
                let passage = tokio::task::spawn_blocking(move || {
                    let article: Article = serde_json::from_slice(&json).ok()?;
                    words.passage(article.body.iter().map(|block| block.text.as_str()), PASSAGE)
                });
                let passage = passage.await.map_err(|error| Problem::away(&error))?;
                Ok::<_, Problem>(passage.map(|passage| (id, passage)))
            }
        };
        let wanted: Vec<_> = articles.iter().map(|summary| (summary.id, summary.content)).collect();
        let passages = futures::stream::iter(wanted).map(read).buffer_unordered(AT_ONCE);
        let passages = passages.try_filter_map(|passage| futures::future::ready(Ok(passage)));
        let passages = passages.try_collect().await?;
        Ok(Found { in_titles, passages })
    }

    fn headline(&self, article: &ArticleSummary) -> Markup {
        marked_text(&self.in_titles.marked(article.headline()))
    }

    /// What an article says around the words; its beginning if they are in its title only.
    fn lead(&self, article: &ArticleSummary) -> Markup {
        match self.passages.get(&article.id) {
            Some(passage) => marked_text(passage),
            None => html! { (article.lead) },
        }
    }
}

/// A text with the words that were found in it marked.
fn marked_text(passage: &Passage) -> Markup {
    let mut at = 0;
    let mut parts = Vec::new();
    for mark in &passage.marks {
        parts.push((passage.text.get(at..mark.start), passage.text.get(mark.clone())));
        at = mark.end;
    }
    html! {
        @for (before, word) in parts { (before.unwrap_or_default()) mark { (word.unwrap_or_default()) } }
        (passage.text.get(at..).unwrap_or_default())
    }
}

/// When an article was published, else when it was found. A time of publication that lies behind the finding is no such.
pub(super) fn article_when(article: &ArticleSummary) -> Markup {
    let published = article.published.as_deref().filter(|_| article.found != Some(article.at));
    match published {
        Some(published) => publication_element(published, article.at),
        None => html! { "found " (time_element(article.at)) },
    }
}

/// A list of articles. A tight one has no texts.
pub(super) fn article_summaries<'a>(
    mined: &Mined,
    articles: impl IntoIterator<Item = &'a ArticleSummary>,
    is_tight: bool,
    found: &Found,
) -> Markup {
    let item = |article: &'a ArticleSummary| ListedArticle {
        headline: found.headline(article),
        address: Some(article_path(article)),
        language: article.language.as_deref(),
        meta: html! {
            span { (article.site) }
            span { (article_when(article)) }
            @for concept in mined.concepts_of(article).take(6) { (concept_link(concept)) }
        },
        lead: found.lead(article),
    };
    lists::article_list(articles.into_iter().map(item), is_tight)
}

/// The mark of how a site is: a shape and words, besides a colour.
pub(super) fn site_state(status: &SiteStatus, health: &SiteHealth) -> Markup {
    let class = match health.health {
        _ if status.settings.paused => "idle",
        Health::Healthy => "good",
        Health::NoArticles | Health::Quiet | Health::TooFewListings | Health::RateLimited => "warn",
        Health::Redirected | Health::Blocked | Health::Failing | Health::RobotsClosed => "bad",
    };
    let words = if status.settings.paused { "paused".to_owned() } else { health.in_words() };
    html! { span class={ "state " (class) } { (words) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_were_found_are_marked_and_all_else_is_text() {
        let passage = WordQuery::parse("rain").marked("<script>Rain</script> & rain");
        assert_eq!(
            marked_text(&passage).0,
            "&lt;script&gt;<mark>Rain</mark>&lt;/script&gt; &amp; <mark>rain</mark>"
        );
    }

    #[test]
    fn parts_of_paths_lead_back_to_their_texts() {
        assert_eq!(path_segment("en:top news/ü"), "en%3Atop%20news%2F%C3%BC");
        assert_eq!((path_segment(".."), path_segment("a.b")), ("%2E%2E".into(), "a.b".into()));
    }
}
