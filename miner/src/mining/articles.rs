//! A page's article, read again with the knowledge of its site.
//!
//! When a page is counted, its article comes from the page alone. Later the article is a view of page and
//! knowledge: it replaces the article of the same content, and its witness names the knowledge that was used.
//! If it changes, an event is published.

use newslode_page::Page;
use newslode_page::article::Article;
use newslode_page::extract::SiteKnowledge;
use newslode_page::time::Timestamp;

/// The field whose evidence names the site's knowledge.
const BODY: &str = "body";

/// The new article of a page whose archived article is `held`; `None` if nothing changed.
#[must_use]
pub fn view(known: &SiteKnowledge, page: &Page, fetched_at: Timestamp, held: &Article) -> Option<Article> {
    let article = known.article(page, fetched_at).1?;
    (article != *held).then_some(article)
}

/// Whether readers must hear of it: more than the evidence changed.
#[must_use]
pub fn says_something_else(before: &Article, now: &Article) -> bool {
    let said = |article: &Article| Article { evidence: Default::default(), ..article.clone() };
    said(before) != said(now)
}

/// Whether the site's knowledge was used for an article, not the page alone.
#[must_use]
pub fn is_view(article: &Article) -> bool {
    article.evidence.contains_key(BODY)
}
