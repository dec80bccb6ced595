//! Sitemaps, news sitemaps and their indexes.
//!
//! All are one level of entries, each with a location and a date. The elements of news stand one level deeper;
//! those of images and videos are passed over.

use super::collect::{Collector, Draft, title};
use super::names::Name;
use super::walk::{Step, Walk};

/// The depth of an entry's own elements.
const FIELD: usize = 3;

/// Reads the sitemap whose root was just opened. True if it is one of news: an entry has elements of news, or
/// there is no entry, but the namespace is declared.
pub(super) fn read(walk: &mut Walk<'_>, found: &mut Collector<'_>) -> bool {
    let (mut draft, mut has_news) = (Draft::default(), false);
    while let Some(step) = walk.step() {
        match step {
            Step::Open(Name::Location | Name::Modified, FIELD) => walk.keep_text(),
            Step::Open(Name::NewsTitle | Name::NewsDate, _) => {
                has_news = true;
                walk.keep_text();
            }
            Step::Close(Name::Url | Name::Sitemap, depth) if depth + 1 == FIELD => {
                found.take(std::mem::take(&mut draft));
            }
            Step::Close(name, _) => close(name, walk, &mut draft, found),
            Step::Open(..) => {}
        }
    }
    has_news || (found.seen() == 0 && walk.knows_news)
}

fn close(name: Name, walk: &Walk<'_>, draft: &mut Draft, found: &mut Collector<'_>) {
    let (Some(text), Some(base)) = (walk.text(), walk.base()) else { return };
    match name {
        Name::Location => found.link(draft, 0, base, text),
        Name::Modified => draft.modified = draft.modified.or_else(|| found.date(text)),
        Name::NewsDate => draft.published = draft.published.or_else(|| found.date(text)),
        Name::NewsTitle => draft.title = draft.title.take().or_else(|| title(text, false)),
        _ => {}
    }
}
