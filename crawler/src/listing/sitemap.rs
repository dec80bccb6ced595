//! Sitemaps, news sitemaps and their indexes.
//!
//! All are one level of entries, each with a location and a date. The elements of news stand one level deeper;
//! those of images and videos are passed over.

use super::collect::{Collector, ItemDraft, plain_title};
use super::names::ElementName;
use super::walk::{Walk, WalkEvent};

/// The depth of an entry's own elements.
const FIELD: usize = 3;

/// Reads the sitemap whose root was just opened. True if it is one of news: an entry has elements of news, or
/// there is no entry, but the namespace is declared.
pub(super) fn read_sitemap(walk: &mut Walk<'_>, found: &mut Collector<'_>) -> bool {
    let (mut draft, mut has_news) = (ItemDraft::default(), false);
    while let Some(next_event) = walk.next_event() {
        match next_event {
            WalkEvent::Open(ElementName::Location | ElementName::Modified, FIELD) => walk.keep_text(),
            WalkEvent::Open(ElementName::NewsTitle | ElementName::NewsDate, _) => {
                has_news = true;
                walk.keep_text();
            }
            WalkEvent::Close(ElementName::Url | ElementName::Sitemap, depth) if depth + 1 == FIELD => {
                found.take(std::mem::take(&mut draft));
            }
            WalkEvent::Close(name, _) => take_field(name, walk, &mut draft, found),
            WalkEvent::Open(..) => {}
        }
    }
    has_news || (found.seen() == 0 && walk.knows_news)
}

fn take_field(name: ElementName, walk: &Walk<'_>, draft: &mut ItemDraft, found: &mut Collector<'_>) {
    let (Some(text), Some(base)) = (walk.text(), walk.base()) else { return };
    match name {
        ElementName::Location => found.link(draft, 0, base, text),
        ElementName::Modified => draft.modified = draft.modified.or_else(|| found.date(text)),
        ElementName::NewsDate => draft.published = draft.published.or_else(|| found.date(text)),
        ElementName::NewsTitle => draft.title = draft.title.take().or_else(|| plain_title(text, false)),
        _ => {}
    }
}
