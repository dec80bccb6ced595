//! A page's article, read again with what is known of its site.
//!
//! Articles are what a page says by itself when it is counted; then they are a view of page and knowledge, written
//! over the article of the same content, with the witness that names what had a say. One that says something
//! else than before is handed out again.

use newslode_page::Page;
use newslode_page::article::Article;
use newslode_page::extract::SiteKnowledge;
use newslode_page::time::Timestamp;

/// The field whose evidence says that the site had a say.
const BODY: &str = "body";

/// The article of a page whose archived one is `held`, if it is another one now.
#[must_use]
pub fn view(known: &SiteKnowledge, page: &Page, fetched_at: Timestamp, held: &Article) -> Option<Article> {
    let article = known.article(page, fetched_at).1?;
    (article != *held).then_some(article)
}

/// Whether readers have to know: more is different than what the fields are known by.
#[must_use]
pub fn says_something_else(before: &Article, now: &Article) -> bool {
    let said = |article: &Article| Article { evidence: Default::default(), ..article.clone() };
    said(before) != said(now)
}

/// Whether an article was read with what is known of its site, which a page alone does not know.
#[must_use]
pub fn is_view(article: &Article) -> bool {
    article.evidence.contains_key(BODY)
}
