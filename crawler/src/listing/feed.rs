//! RSS in all its versions, and Atom.
//!
//! Both are read by one walk, as feeds mix their elements. The link of an item is, in this order: what
//! FeedBurner replaced, a link as text or an Atom link to a page of `rel=alternate`, such a link to something
//! else, a `guid` that may be a link, and `rdf:about`. Only direct children of an item count, so the link of an
//! Atom entry's `source` does not.

use super::collect::{Collector, ItemDraft, plain_title};
use super::names::ElementName;
use super::walk::{Walk, WalkEvent};

const ORIGINAL: u8 = 0;
const LINK: u8 = 1;
const OTHER_LINK: u8 = 2;
const GUID: u8 = 3;
const ABOUT: u8 = 4;

/// Reads the feed whose root was just opened.
pub(super) fn read_feed(walk: &mut Walk<'_>, root: ElementName, found: &mut Collector<'_>) {
    let mut item: Option<ItemReader> = None;
    while let Some(next_event) = walk.next_event() {
        match (next_event, &mut item) {
            (WalkEvent::Open(ElementName::Item, depth), None) => {
                let mut reading = ItemReader::new(root, depth);
                reading.add_about(walk, found);
                item = Some(reading);
            }
            (WalkEvent::Open(name, depth), Some(reading)) if depth == reading.depth + 1 => {
                reading.open(name, walk, found);
            }
            (WalkEvent::Close(name, depth), Some(reading)) if depth == reading.depth + 1 => {
                reading.close(name, walk, found);
            }
            (WalkEvent::Close(_, depth), Some(reading)) if depth == reading.depth => {
                found.take(std::mem::take(&mut reading.draft));
                item = None;
            }
            _ => {}
        }
    }
}

/// An item that is read.
struct ItemReader {
    depth: usize,
    is_atom: bool,
    draft: ItemDraft,
    /// Whether the title being read is HTML inside text.
    is_html: bool,
    /// Whether the `guid` being read may be a link.
    is_perma_link: bool,
}

impl ItemReader {
    fn new(root: ElementName, depth: usize) -> ItemReader {
        let is_atom = root == ElementName::Feed;
        ItemReader { depth, is_atom, draft: ItemDraft::default(), is_html: false, is_perma_link: false }
    }

    fn add_about(&mut self, walk: &Walk<'_>, found: &mut Collector<'_>) {
        if let (Some(about), Some(base)) = (&walk.attributes().about, walk.base()) {
            found.link(&mut self.draft, ABOUT, base, about);
        }
    }

    /// A child of the item begins.
    fn open(&mut self, name: ElementName, walk: &mut Walk<'_>, found: &mut Collector<'_>) {
        let attributes = walk.attributes();
        match name {
            ElementName::Link if attributes.href.is_some() => self.add_atom_link(walk, found),
            ElementName::Title => {
                let is_html = |kind: &str| kind == "html" || kind == "text/html";
                self.is_html = !self.is_atom
                    || attributes.kind.as_deref().is_some_and(is_html)
                    || attributes.mode.as_deref() == Some("escaped");
                walk.keep_text();
            }
            ElementName::Guid => {
                let said = attributes.is_perma_link.as_deref().unwrap_or_default();
                self.is_perma_link = !said.trim().eq_ignore_ascii_case("false");
                walk.keep_text();
            }
            ElementName::Link | ElementName::OrigLink | ElementName::Published | ElementName::Modified => {
                walk.keep_text()
            }
            _ => {}
        }
    }

    /// `<link href rel type>`. Without `rel` it leads to the page.
    fn add_atom_link(&mut self, walk: &Walk<'_>, found: &mut Collector<'_>) {
        let attributes = walk.attributes();
        let rel = attributes.rel.as_deref().unwrap_or("alternate").trim();
        let is_page = attributes.kind.as_deref().is_none_or(|kind| kind.contains("html"));
        if let (true, Some(href), Some(base)) =
            (rel.eq_ignore_ascii_case("alternate"), &attributes.href, walk.base())
        {
            found.link(&mut self.draft, if is_page { LINK } else { OTHER_LINK }, base, href);
        }
    }

    /// A child of the item ends.
    fn close(&mut self, name: ElementName, walk: &Walk<'_>, found: &mut Collector<'_>) {
        let (Some(text), Some(base)) = (walk.text(), walk.base()) else { return };
        let draft = &mut self.draft;
        match name {
            ElementName::Title if draft.title.is_none() => draft.title = plain_title(text, self.is_html),
            ElementName::Published if draft.published.is_none() => draft.published = found.date(text),
            ElementName::Modified if draft.modified.is_none() => draft.modified = found.date(text),
            ElementName::Link => found.link(draft, LINK, base, text),
            ElementName::OrigLink => found.link(draft, ORIGINAL, base, text),
            // A `guid` without a scheme is a number of some program, not a relative link.
            ElementName::Guid if self.is_perma_link && text.contains("://") => {
                found.link(draft, GUID, base, text);
            }
            _ => {}
        }
    }
}
