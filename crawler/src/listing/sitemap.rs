//! Sitemaps, news sitemaps and their indexes.
//!
//! All are one level of entries, each with a location and a date. The elements of news stand one level deeper;
//! those of images and videos are passed over. Links of an entry say where its page is in other languages. Some programs forget `<loc>` and write the address into the entry,
//! into a `<link>` or `<url>`, or right below the root; and some put several locations into one entry.

use super::collect::{Collector, ItemDraft, is_like_address, plain_title};
use super::names::ElementName;
use super::walk::{Attributes, Walk, WalkEvent};

/// The depth of an entry.
const ENTRY: usize = 2;
/// The depth of an entry's own elements.
const FIELD: usize = 3;

const LOCATION: u8 = 0;
/// An address elsewhere than in `<loc>`.
const MISPLACED: u8 = 1;

/// Reads the sitemap whose root was just opened. True if it is one of news: an entry has elements of news, or
/// there is no entry, but the namespace is declared.
pub(super) fn read_sitemap(walk: &mut Walk<'_>, found: &mut Collector<'_>) -> bool {
    let (mut draft, mut has_news) = (ItemDraft::default(), false);
    while let Some(next_event) = walk.next_event() {
        if let WalkEvent::Open(_, FIELD) = next_event {
            add_own_text(walk.text_so_far(), walk, &mut draft, found);
            // That of the elements inside is none of its own.
            walk.drop_text();
        }
        if let WalkEvent::Open(ElementName::HtmlLink | ElementName::Link, FIELD) = next_event {
            add_alternate(walk, &mut draft, found);
        }
        match next_event {
            WalkEvent::Open(ElementName::Location, ENTRY | FIELD) => {
                // Another page of the same entry.
                if draft.has_link() {
                    found.take(std::mem::take(&mut draft));
                }
                walk.keep_text();
            }
            WalkEvent::Open(ElementName::Url | ElementName::Sitemap, ENTRY | FIELD)
            | WalkEvent::Open(ElementName::Link | ElementName::Modified, FIELD) => walk.keep_text(),
            WalkEvent::Open(ElementName::NewsTitle | ElementName::NewsDate, _) => {
                has_news = true;
                walk.keep_text();
            }
            WalkEvent::Open(ElementName::Keywords | ElementName::Language, _) => walk.keep_text(),
            WalkEvent::Close(ElementName::Url | ElementName::Sitemap, ENTRY) => {
                add_own_text(walk.text(), walk, &mut draft, found);
                found.take(std::mem::take(&mut draft));
            }
            WalkEvent::Close(name, depth) => {
                take_field(name, walk, &mut draft, found);
                if name == ElementName::Location && depth == ENTRY {
                    found.take(std::mem::take(&mut draft));
                }
            }
            WalkEvent::Open(..) => {}
        }
    }
    has_news || (found.seen() == 0 && walk.knows_news)
}

/// Takes the text of an entry for its address, if it looks like one.
fn add_own_text(text: Option<&str>, walk: &Walk<'_>, draft: &mut ItemDraft, found: &mut Collector<'_>) {
    if let (Some(text), Some(base)) = (text, walk.base())
        && is_like_address(text)
    {
        found.link(draft, MISPLACED, base, text);
    }
}

/// Notes where a page is in another language: `<xhtml:link rel="alternate" hreflang="de" href="…"/>`.
fn add_alternate(walk: &Walk<'_>, draft: &mut ItemDraft, found: &mut Collector<'_>) {
    let Attributes { rel, hreflang, href, .. } = walk.attributes();
    let mut rels = rel.as_deref().unwrap_or_default().split_ascii_whitespace();
    let is_alternate = rels.any(|rel| rel.eq_ignore_ascii_case("alternate"));
    if let (true, Some(language), Some(href), Some(base)) = (is_alternate, hreflang, href, walk.base()) {
        found.add_alternate(draft, language, base, href);
    }
}

fn take_field(name: ElementName, walk: &Walk<'_>, draft: &mut ItemDraft, found: &mut Collector<'_>) {
    let (Some(text), Some(base)) = (walk.text(), walk.base()) else { return };
    match name {
        ElementName::Location => found.link(draft, LOCATION, base, text),
        ElementName::Url | ElementName::Link if is_like_address(text) => {
            found.link(draft, MISPLACED, base, text)
        }
        ElementName::Modified => draft.modified = draft.modified.or_else(|| found.date(text)),
        ElementName::NewsDate => draft.add_published(0, found.date(text)),
        ElementName::Keywords => draft.add_keywords(text),
        ElementName::Language => draft.add_language(text),
        ElementName::NewsTitle => draft.add_title(0, plain_title(text, false)),
        _ => {}
    }
}
