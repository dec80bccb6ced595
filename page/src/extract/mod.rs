//! A page's article: the kind of the page, and the article's fields and body.
//!
//! Fields come from witnesses in the markup, most trusted first, and the article's `evidence` names the witness
//! of each. A field without a witness is empty, never guessed. The body is found from the page alone;
//! [`SiteKnowledge`] improves on it. Start at [`article`].
//!
//! Invariants: pure; a date after the fetch does not count; no link is followed.

use crate::article::{Article, PageKind};
use crate::time::Timestamp;

use crate::Page;

mod about;
mod alike;
mod authors;
mod body;
mod breadcrumbs;
mod choice;
mod cldr;
mod comments;
mod dates;
mod days;
mod finding;
mod foreign;
mod form;
mod hashes;
mod json_ld;
mod kind;
mod lenient;
mod measures;
mod metadata;
mod picture;
mod plain;
mod properties;
mod reader;
mod runs;
mod scorer;
mod scripts;
mod selection;
mod shown;
mod site;
mod slots;
mod state;
mod structure;
mod surroundings;
mod threads;
mod title;
mod visible;
mod zones;

pub use cldr::{month_name_like, month_name_readings, month_number};
pub use comments::{Comment, CommentedArticle, comments};
pub use dates::written_date;
use kind::Asked;
pub use kind::{KindEvidence, KindExplanation, KindReason, SiteKinds};
pub use reader::Reading;
pub use scorer::{Scorer, TreesError};
pub use selection::{Focus, UnknownFocus};
pub use site::{Correction, FieldLesson, Lesson, PlaceWords, SiteKnowledge, Source, TeachError, TitleSource};
pub use slots::{SEPARATORS, SlotName, SlotUse, check_slots, slots};

use metadata::Metadata;
use reader::{article_of, kind_by_feed, page_claims};

/// The host of pages without an address, as commands and scripts name it.
const NO_HOST: &str = "file.invalid";

/// The kind of a page and, unless it clearly is none, the fields and text of its article: who asks for one page by its
/// address mostly means an article. `fetched_at`: later dates on the page do not count.
///
/// ```
/// use newslode_page::article::PageKind;
/// use newslode_page::{Page, Timestamp, article};
///
/// let url = "https://news.example.org/2024/05/02/rain-ends-the-drought".parse()?;
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
    Reading::new(fetched_at, None).article(page)
}

/// [`article`] of a page that a crawl found: most pages of a site are none, so that it must be more likely one than not.
#[must_use]
pub fn crawled_article(page: &Page, fetched_at: Timestamp) -> (PageKind, Option<Article>) {
    article_of(page, Reading::new(fetched_at, None), Asked::ForArticles)
}

impl SiteKnowledge {
    /// [`crawled_article`] with knowledge of the page's site.
    #[must_use]
    pub fn article(&self, page: &Page, fetched_at: Timestamp) -> (PageKind, Option<Article>) {
        Reading::new(fetched_at, Some(self)).article(page)
    }
}

/// Explains why a page is or is not taken for an article: alone as [`article`] takes it, or with what
/// is known of its site.
///
/// ```
/// use newslode_page::Page;
/// use newslode_page::article::PageKind;
/// use newslode_page::extract::explain_kind;
///
/// let url = "https://news.example.org/contact".parse()?;
/// let page = Page::parse(&url, None, b"<title>Contact</title><h1>Contact</h1><p>Write to us.");
/// let found = explain_kind(&page, None);
/// assert_eq!(found.kind, PageKind::Other);
/// assert!(found.probability < found.threshold);
/// assert_eq!(found.reasons[0].text, "Fewer than 12 words stand outside links: too few for an article.");
/// # Ok::<(), newslode_page::reading::CanonicalUrlError>(())
/// ```
#[must_use]
pub fn explain_kind(page: &Page, site: Option<&SiteKnowledge>) -> KindExplanation {
    let explained = kind::explain_kind(page, site);
    let by_feed = kind_by_feed(page, site).filter(|_| explained.kind != PageKind::Article);
    let Some(by_feed) = by_feed else { return explained };
    let text = "It shows next to nothing, but a feed of its site holds its text.".to_owned();
    let reasons =
        [KindReason { text, log_odds: f32::INFINITY }].into_iter().chain(explained.reasons).collect();
    KindExplanation { kind: PageKind::Article, probability: by_feed.confidence, reasons, ..explained }
}

/// The fields and text of a page that is read as if it were an article. Its `kind` says what it is.
///
/// ```
/// use newslode_page::article::PageKind;
/// use newslode_page::extract::whatever_kind;
/// use newslode_page::{Page, Timestamp};
///
/// let url = "https://news.example.org/".parse()?;
/// let page = Page::parse(&url, None, b"<h1>Rain ends the drought</h1><p>It rained over the valley on Thursday.");
/// let found = whatever_kind(&page, Timestamp(1_714_700_000_000), None);
/// assert_eq!((found.kind, found.text().as_str()), (PageKind::Home, "It rained over the valley on Thursday."));
/// # Ok::<(), newslode_page::reading::CanonicalUrlError>(())
/// ```
#[must_use]
pub fn whatever_kind(page: &Page, fetched_at: Timestamp, site: Option<&SiteKnowledge>) -> Article {
    Reading::new(fetched_at, site).whatever_kind(page)
}

/// The names of the measures of a run, in the order of [`body_evidence`].
#[must_use]
pub(crate) fn body_measures() -> &'static [String] {
    measures::measure_names()
}

/// The text and the measures of each run of a page; for training.
#[must_use]
pub(crate) fn body_evidence(page: &Page, fetched_at: Timestamp) -> Vec<(String, Vec<f32>)> {
    let metadata = Metadata::new(page, fetched_at);
    let title = title::title(page, &metadata).map(|found| found.value);
    let runs = runs::Runs::new(page);
    let measures =
        measures::measure_runs(page, &runs, &page_claims(page, &metadata, title.as_deref()), |_| true);
    let texts = runs.runs.iter().map(|run| run.text.clone());
    texts.zip(measures.iter().map(<[f32]>::to_vec)).collect()
}

/// The names of the measures of a text that may be the title, in the order of [`title_evidence`].
#[must_use]
pub(crate) fn title_measures() -> &'static [String] {
    title::measure_names()
}

/// The texts of a page that may be its title, and their measures; for training.
#[must_use]
pub(crate) fn title_evidence(page: &Page, fetched_at: Timestamp) -> Vec<(String, Vec<f32>)> {
    title::evidence(page, &Metadata::new(page, fetched_at))
}

/// The names of the measures of a name that may be an author's, in the order of [`author_evidence`].
#[must_use]
pub(crate) fn author_measures() -> &'static [String] {
    authors::measure_names()
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
    days::measure_names()
}

/// The days that a page mentions, and their measures; for training.
#[must_use]
pub(crate) fn day_evidence(page: &Page, fetched_at: Timestamp) -> Vec<(String, Vec<f32>)> {
    let metadata = Metadata::new(page, fetched_at);
    let title = title::title(page, &metadata).map(|found| found.value);
    let runs = runs::Runs::new(page);
    days::evidence(page, &metadata, &visible::Visible::new(page, &runs, title.as_deref()), fetched_at)
}

/// The names of the measures of a page that may be an article, in the order of [`kind_evidence`].
#[must_use]
pub(crate) fn kind_measures() -> &'static [String] {
    kind::kind_measures()
}

/// The measures of a page that may be an article, and the groups of its site that it belongs to; for training.
#[must_use]
pub(crate) fn kind_evidence(page: &Page, fetched_at: Timestamp) -> (Vec<f32>, [u32; 4]) {
    kind::evidence(page, &Metadata::new(page, fetched_at))
}

#[cfg(test)]
mod tests;
