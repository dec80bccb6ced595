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

/// What a page's view makes of its archived article.
#[derive(Clone, Debug, PartialEq)]
pub enum ArticleView {
    /// It stays as it is, or there is still none.
    Unchanged,
    /// It is this now.
    Now(Box<Article>),
    /// The page is no article among the pages of its site.
    NoArticle,
}

/// The view of a page whose archived article is `held`. A page without one may be an article among the pages of its site.
#[must_use]
pub fn view(
    known: &SiteKnowledge,
    page: &Page,
    fetched_at: Timestamp,
    held: Option<&Article>,
) -> ArticleView {
    if held.is_none() && !known.kinds().is_enough() {
        return ArticleView::Unchanged;
    }
    match (known.article(page, fetched_at).1, held) {
        (Some(article), Some(held)) if article == *held => ArticleView::Unchanged,
        (Some(article), _) => ArticleView::Now(Box::new(article)),
        (None, Some(_)) if known.kinds().is_enough() => ArticleView::NoArticle,
        (None, _) => ArticleView::Unchanged,
    }
}

/// Whether readers may have to hear of it: a field or the text changed. What stands in and around the text, such as links and
/// pictures, and the evidence are no news.
#[must_use]
pub fn says_something_else(before: &Article, now: &Article) -> bool {
    fn fields(article: &Article) -> [Option<&String>; 8] {
        let Article { title, published, modified, place, section, language, image, method, .. } = article;
        let [title, published, modified, place] = [title, published, modified, place].map(Option::as_ref);
        let [section, language, image] = [section, language, image].map(Option::as_ref);
        [title, published, modified, place, section, language, image, Some(method)]
    }
    fields(before) != fields(now)
        || before.authors != now.authors
        || before.kind != now.kind
        || before.listed != now.listed
        || before.text() != now.text()
}

/// The method of an article whose text was removed to save space.
const REMOVED: &str = "removed";

/// The article without its text, which is removed to save space.
#[must_use]
pub fn without_text(mut article: Article) -> Article {
    article.body.clear();
    article.evidence.remove(BODY);
    REMOVED.clone_into(&mut article.method);
    article
}

/// Whether the text of an article was removed to save space.
#[must_use]
pub fn is_text_removed(article: &Article) -> bool {
    article.method == REMOVED
}

/// Whether the site's knowledge was used for an article, not the page alone.
#[must_use]
pub fn is_view(article: &Article) -> bool {
    article.evidence.contains_key(BODY)
}

#[cfg(test)]
mod tests {
    use newslode_page::article::{Block, BlockKind, Picture};

    use super::*;

    #[test]
    fn what_stands_beside_the_text_is_no_news() {
        let before = Article {
            title: Some("Bridge stays open".into()),
            body: vec![Block::new(BlockKind::Paragraph, "It was close.")],
            ..Article::default()
        };
        let mut now = before.clone();
        let picture = Picture { address: "https://a.test/1.jpg".into(), ..Picture::default() };
        now.body.push(Block { picture: Some(picture.clone()), ..Block::new(BlockKind::Picture, "") });
        now.lead = Some(picture);
        now.keywords = vec!["bridges".into()];
        assert!(!says_something_else(&before, &now));
        now.body.push(Block::new(BlockKind::Paragraph, "Nine were for it."));
        assert!(says_something_else(&before, &now));
        assert!(says_something_else(&before, &Article { authors: vec!["Ann Lee".into()], ..before.clone() }));
    }
}
