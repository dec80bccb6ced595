//! A page's article: the kind of the page, and the article's fields and body.
//!
//! Fields come from witnesses in the markup, most trusted first, and the article's `evidence` names the witness
//! of each. A field without a witness is empty, never guessed. The body is found from the page alone;
//! [`SiteKnowledge`] improves on it. Start at [`article`].
//!
//! Invariants: pure; a date after the fetch does not count; no link is followed.

use std::collections::BTreeMap;

use crate::article::{Article, BlockKind, Evidence, PageKind};
use crate::text::words_of_prose;
use crate::time::Timestamp;

use crate::Page;

mod authors;
mod body;
mod choice;
mod dates;
mod days;
mod form;
mod json_ld;
mod kind;
mod measures;
mod metadata;
mod months;
mod runs;
mod scorer;
mod scripts;
mod site;
mod surroundings;
mod title;
mod trail;
mod visible;
mod zones;

pub use scorer::{Scorer, TreesError};
pub use site::{Correction, FieldLesson, Lesson, SiteKnowledge, Source, TeachError, TitleSource, Words};

use metadata::{Finding, Metadata, Names};
use site::{Known, Peers, SIBLINGS};
use zones::SiteZone;

/// The kind of a page and, if it is an article, its fields and text. `fetched_at`: later dates on the page do
/// not count.
///
/// ```
/// use newslode_page::article::PageKind;
/// use newslode_page::{Page, Timestamp, article};
///
/// let url = "https://news.example.org/rain".parse()?;
/// let html = "<title>Rain ends the drought - The Herald</title><meta property=og:type content=article>\
///             <nav><a href=/>Home</a> <a href=/sport>Sport</a></nav><h1>Rain ends the drought</h1>\
///             <p>After eleven dry weeks it rained over the valley on Thursday, and the farmers came out of \
///             their houses to watch it fall.<p>The reservoir above the town rose by a hand's breadth before \
///             noon, the water board said, and the ban on watering gardens will end today.";
/// let (kind, found) = article(&Page::parse(&url, None, html.as_bytes()), Timestamp(1_714_700_000_000));
/// assert_eq!(kind, PageKind::Article);
/// let found = found.ok_or("no article")?;
/// assert_eq!(found.title.as_deref(), Some("Rain ends the drought"));
/// assert!(found.text().starts_with("After eleven dry weeks"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn article(page: &Page, fetched_at: Timestamp) -> (PageKind, Option<Article>) {
    article_of(page, fetched_at, None)
}

impl SiteKnowledge {
    /// [`article`] with knowledge of the page's site.
    #[must_use]
    pub fn article(&self, page: &Page, fetched_at: Timestamp) -> (PageKind, Option<Article>) {
        article_of(page, fetched_at, Some(self))
    }
}

fn article_of(
    page: &Page,
    fetched_at: Timestamp,
    site: Option<&SiteKnowledge>,
) -> (PageKind, Option<Article>) {
    let metadata = Metadata::new(page, fetched_at);
    let kind = kind::kind(page, metadata.is_told, metadata.is_shared);
    let article =
        (kind == PageKind::Article).then(|| read(page, metadata, fetched_at, Scorer::shared(), site));
    (kind, article)
}

/// The fields and text of a page that is treated as an article, whatever its kind, with a given scorer. For
/// measuring: the scorer may be trained on other sites.
#[must_use]
pub fn as_article_by(
    page: &Page,
    fetched_at: Timestamp,
    scorer: &Scorer,
    site: Option<&SiteKnowledge>,
) -> Article {
    read(page, Metadata::new(page, fetched_at), fetched_at, scorer, site)
}

/// The names of the measures of a run, in the order of [`body_evidence`].
#[must_use]
pub(crate) fn body_measures() -> &'static [String] {
    measures::names()
}

/// The text and the measures of each run of a page; for training.
#[must_use]
pub(crate) fn body_evidence(page: &Page, fetched_at: Timestamp) -> Vec<(String, Vec<f32>)> {
    let metadata = Metadata::new(page, fetched_at);
    let title = title::title(page, &metadata).map(|found| found.value);
    let runs = runs::Runs::new(page);
    let measures = measures::measure(page, &runs, &said(page, &metadata, title.as_deref()), |_| true);
    let texts = runs.runs.iter().map(|run| run.text.clone());
    texts.zip(measures.iter().map(<[f32]>::to_vec)).collect()
}

/// The names of the measures of a text that may be the title, in the order of [`title_evidence`].
#[must_use]
pub(crate) fn title_measures() -> &'static [String] {
    title::measures()
}

/// The texts of a page that may be its title, and their measures; for training.
#[must_use]
pub(crate) fn title_evidence(page: &Page, fetched_at: Timestamp) -> Vec<(String, Vec<f32>)> {
    title::evidence(page, &Metadata::new(page, fetched_at))
}

/// The names of the measures of a name that may be an author's, in the order of [`author_evidence`].
#[must_use]
pub(crate) fn author_measures() -> &'static [String] {
    authors::measures()
}

/// The names on a page that may be an author's, and their measures; for training.
#[must_use]
pub(crate) fn author_evidence(page: &Page, fetched_at: Timestamp) -> Vec<(String, Vec<f32>)> {
    let metadata = Metadata::new(page, fetched_at);
    let title = title::title(page, &metadata).map(|found| found.value);
    let runs = runs::Runs::new(page);
    authors::evidence(page, &metadata, &visible::Visible::new(page, &runs, title.as_deref()))
}

/// The names of the measures of a day that may be the article's, in the order of [`day_evidence`].
#[must_use]
pub(crate) fn day_measures() -> &'static [String] {
    days::measures()
}

/// The days that a page says, and their measures; for training.
#[must_use]
pub(crate) fn day_evidence(page: &Page, fetched_at: Timestamp) -> Vec<(String, Vec<f32>)> {
    let metadata = Metadata::new(page, fetched_at);
    let title = title::title(page, &metadata).map(|found| found.value);
    let runs = runs::Runs::new(page);
    days::evidence(page, &metadata, &visible::Visible::new(page, &runs, title.as_deref()), fetched_at)
}

/// What a page's markup says of its article, for comparison with its text.
fn said(page: &Page, metadata: &Metadata, title: Option<&str>) -> measures::Claims {
    let title = title.map(str::to_owned);
    let titles = [&title, &metadata.headline, &metadata.og_title, &page.title];
    measures::Claims {
        titles: titles.into_iter().flatten().cloned().collect(),
        description: metadata.description.clone(),
        body: metadata.body.as_deref().map(scripts::plain),
        is_told: metadata.is_told,
        is_news: metadata.is_news,
        is_shared: metadata.is_shared,
    }
}

fn read(
    page: &Page,
    metadata: Metadata,
    fetched_at: Timestamp,
    scorer: &Scorer,
    site: Option<&SiteKnowledge>,
) -> Article {
    let runs = runs::Runs::new(page);
    let known = site.map(|site| Known::new(site, page, &runs));
    let taught = known.as_ref().map(|known| known.taught(&metadata, fetched_at)).unwrap_or_default();
    let peers = known.as_ref().and_then(Known::peers);
    let peers = peers.as_ref();
    let mut evidence = Fields { template: known.as_ref().and_then(Known::version), ..Fields::default() };
    let titles = title::choices(page, &metadata);
    let by_peers = || peers.and_then(|peers| peers.title(&titles));
    let title = taught.title.or_else(by_peers).or_else(|| title::decide(&titles));
    let title = evidence.keep("title", title);
    let said = said(page, &metadata, title.as_deref());
    let body = body::body(page, &runs, &said, title.as_deref(), scorer, known.as_ref());
    evidence.by_field.extend(body.witness.map(|witness| ("body".to_owned(), witness)));
    let words = body.blocks.iter().map(|block| words_of_prose(&block.text)).sum();
    let pictures = page.tree.node_ids().filter(|&node| page.tree.tag(node) == Some("img")).count();
    evidence.keep("form", metadata.forms.named(words, pictures));
    let place = metadata.place.clone().or_else(|| dateline(&body.blocks));
    let visible = visible::Visible::new(page, &runs, title.as_deref());
    let authors = taught.authors.or_else(|| authors(page, &metadata, &visible, peers));
    let authors = evidence.keep("authors", authors).unwrap_or_default();
    let zone = known.as_ref().map(Known::zone).unwrap_or_default();
    let published = || published(page, &metadata, &visible, fetched_at, &zone, peers);
    let published = taught.published.or_else(published);
    let shown = peers.and_then(|peers| peers.picture(metadata.image.as_ref()));
    Article {
        url: page.url.as_str().to_owned(),
        site: page.url.site().as_str().to_owned(),
        title,
        authors,
        published: evidence.keep("published", published),
        modified: evidence.keep("modified", metadata.modified),
        place: evidence.keep("place", place),
        section: evidence.keep("section", metadata.section),
        concepts: Vec::new(),
        language: page.language.clone(),
        image: evidence.keep("image", shown.or(metadata.image)),
        method: body.method.to_owned(),
        body: body.blocks,
        kind: PageKind::Article,
        evidence: evidence.by_field,
    }
}

/// The authors, from the page alone unless its peers know better.
fn authors(
    page: &Page,
    metadata: &Metadata,
    visible: &visible::Visible<'_>,
    peers: Option<&Peers<'_>>,
) -> Option<Names> {
    let choices = authors::choices(page, metadata, visible);
    peers.and_then(|peers| peers.authors(&choices)).or_else(|| authors::decide(&choices))
}

/// The date of publication, from the page alone unless its peers know better.
fn published(
    page: &Page,
    metadata: &Metadata,
    visible: &visible::Visible<'_>,
    fetched_at: Timestamp,
    zone: &SiteZone,
    peers: Option<&Peers<'_>>,
) -> Option<Finding<String>> {
    let (choices, _) = days::choices(page, metadata, visible, fetched_at, zone);
    peers.and_then(|peers| peers.published(&choices)).or_else(|| days::decide(&choices))
}

/// Evidence by field.
#[derive(Default)]
struct Fields {
    by_field: BTreeMap<String, Evidence>,
    /// The version of the template that accepts the page.
    template: Option<u32>,
}

impl Fields {
    fn keep<T>(&mut self, field: &str, found: Option<Finding<T>>) -> Option<T> {
        let Finding { value, witness, confidence } = found?;
        let witness = match self.template {
            Some(version) if witness == SIBLINGS => site::template_witness(version),
            _ => witness.to_owned(),
        };
        self.by_field.insert(field.to_owned(), Evidence { witness, confidence });
        Some(value)
    }
}

/// The place before the dash that opens the first paragraph: "LONDON (Agency) — …", "PARIS, France – …".
fn dateline(blocks: &[crate::article::Block]) -> Option<Finding<String>> {
    let first = blocks.iter().find(|block| block.kind == BlockKind::Paragraph)?;
    let head: String = first.text.chars().take(60).collect();
    let (before, _) = head.split_once(" — ").or_else(|| head.split_once(" – "))?;
    let place = before.split(" (").next().unwrap_or(before).trim();
    let opens_in_capitals = place.split([',', ' ']).next().is_some_and(|word| {
        word.chars().count() >= 3 && word.chars().all(|letter| letter.is_uppercase() || letter == '.')
    });
    opens_in_capitals.then(|| Finding { value: place.to_owned(), witness: "text", confidence: 0.6 })
}

#[cfg(test)]
mod tests;
