//! A page's article: which kind of page it is, its fields, its body.
//!
//! Fields come from witnesses in the markup, most trusted first, and each says in the article's `evidence`
//! where it was found; a field that no witness gives is empty, never guessed. The body is what a
//! single-page reader finds; a site's templates come later, as a view. Start at [`article`].
//!
//! Invariants: pure; a date after the fetch is no date; nothing here follows a link.

use std::collections::BTreeMap;

use newslode_common::article::{Article, BlockKind, Evidence, PageKind};
use newslode_common::time::Timestamp;

use crate::Page;

mod body;
mod dates;
mod json_ld;
mod kind;
mod metadata;
mod title;

use metadata::{Found, Metadata};

/// The kind of a page and, if that is an article, its fields and text. `html` is the page's text (as
/// [`Page::html`] holds it), `fetched_at` the time that no date of the page may be after.
#[must_use]
pub fn article(page: &Page, html: &str, fetched_at: Timestamp) -> (PageKind, Option<Article>) {
    let metadata = Metadata::of(page, fetched_at);
    let kind = kind::kind(page, metadata.says_article);
    let article = (kind == PageKind::Article).then(|| read(page, html, metadata));
    (kind, article)
}

/// The fields and text of a page that is taken to be an article, whatever it looks like: for measuring
/// on pages that are known to be articles.
#[must_use]
pub fn as_article(page: &Page, html: &str, fetched_at: Timestamp) -> Article {
    read(page, html, Metadata::of(page, fetched_at))
}

fn read(page: &Page, html: &str, metadata: Metadata) -> Article {
    let mut evidence = Fields::default();
    let title = evidence.keep("title", title::title(page, &metadata));
    let body = body::body(page, html, title.as_deref());
    let place = metadata.place.clone().or_else(|| dateline(&body.blocks));
    let authors = evidence.keep("authors", metadata.authors).unwrap_or_default();
    Article {
        url: page.url.as_str().to_owned(),
        site: page.url.site().as_str().to_owned(),
        title,
        authors,
        published: evidence.keep("published", metadata.published),
        modified: evidence.keep("modified", metadata.modified),
        place: evidence.keep("place", place),
        section: evidence.keep("section", metadata.section),
        concepts: Vec::new(),
        language: page.language.clone(),
        image: evidence.keep("image", metadata.image),
        method: body.method.to_owned(),
        body: body.blocks,
        kind: PageKind::Article,
        evidence: evidence.0,
    }
}

/// Evidence by field.
#[derive(Default)]
struct Fields(BTreeMap<String, Evidence>);

impl Fields {
    fn keep<T>(&mut self, field: &str, found: Option<Found<T>>) -> Option<T> {
        let Found { value, witness, confidence } = found?;
        self.0.insert(field.to_owned(), Evidence { witness: witness.to_owned(), confidence });
        Some(value)
    }
}

/// "LONDON (Agency) — …", "Paris, France – …": the place before the dash that opens the first paragraph.
fn dateline(blocks: &[newslode_common::article::Block]) -> Option<Found<String>> {
    let first = blocks.iter().find(|block| block.kind == BlockKind::Paragraph)?;
    let head: String = first.text.chars().take(60).collect();
    let (before, _) = head.split_once(" — ").or_else(|| head.split_once(" – "))?;
    let place = before.split(" (").next().unwrap_or(before).trim();
    let opens_in_capitals = place.split([',', ' ']).next().is_some_and(|word| {
        word.chars().count() >= 3 && word.chars().all(|letter| letter.is_uppercase() || letter == '.')
    });
    opens_in_capitals.then(|| Found { value: place.to_owned(), witness: "text", confidence: 0.6 })
}

#[cfg(test)]
mod tests;
