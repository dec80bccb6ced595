//! RSS in all its versions, and Atom.
//!
//! Both are read by one walk, as feeds mix their elements. The link of an item is, in this order: what
//! FeedBurner replaced, a link as text or an Atom link to a page of `rel=alternate`, such a link to something
//! else, a `guid` that may be a link, and `rdf:about`. Only direct children of an item count, so the link of an
//! Atom entry's `source` does not.

use super::collect::{Collector, Draft, title};
use super::names::Name;
use super::walk::{Step, Walk};

const ORIGINAL: u8 = 0;
const LINK: u8 = 1;
const OTHER_LINK: u8 = 2;
const GUID: u8 = 3;
const ABOUT: u8 = 4;

/// Reads the feed whose root was just opened.
pub(super) fn read(walk: &mut Walk<'_>, root: Name, found: &mut Collector<'_>) {
    let mut item: Option<Reading> = None;
    while let Some(step) = walk.step() {
        match (step, &mut item) {
            (Step::Open(Name::Item, depth), None) => {
                let mut reading = Reading::new(root, depth);
                reading.add_about(walk, found);
                item = Some(reading);
            }
            (Step::Open(name, depth), Some(reading)) if depth == reading.depth + 1 => {
                reading.open(name, walk, found);
            }
            (Step::Close(name, depth), Some(reading)) if depth == reading.depth + 1 => {
                reading.close(name, walk, found);
            }
            (Step::Close(_, depth), Some(reading)) if depth == reading.depth => {
                found.take(std::mem::take(&mut reading.draft));
                item = None;
            }
            _ => {}
        }
    }
}

/// An item that is read.
struct Reading {
    depth: usize,
    is_atom: bool,
    draft: Draft,
    /// Whether the title being read is HTML inside text.
    is_html: bool,
    /// Whether the `guid` being read may be a link.
    is_perma_link: bool,
}

impl Reading {
    fn new(root: Name, depth: usize) -> Reading {
        let is_atom = root == Name::Feed;
        Reading { depth, is_atom, draft: Draft::default(), is_html: false, is_perma_link: false }
    }

    fn add_about(&mut self, walk: &Walk<'_>, found: &mut Collector<'_>) {
        if let (Some(about), Some(base)) = (&walk.attributes().about, walk.base()) {
            found.link(&mut self.draft, ABOUT, base, about);
        }
    }

    /// A child of the item begins.
    fn open(&mut self, name: Name, walk: &mut Walk<'_>, found: &mut Collector<'_>) {
        let attributes = walk.attributes();
        match name {
            Name::Link if attributes.href.is_some() => self.add_atom_link(walk, found),
            Name::Title => {
                let is_html = |kind: &str| kind == "html" || kind == "text/html";
                self.is_html = !self.is_atom
                    || attributes.kind.as_deref().is_some_and(is_html)
                    || attributes.mode.as_deref() == Some("escaped");
                walk.keep_text();
            }
            Name::Guid => {
                let said = attributes.is_perma_link.as_deref().unwrap_or_default();
                self.is_perma_link = !said.trim().eq_ignore_ascii_case("false");
                walk.keep_text();
            }
            Name::Link | Name::OrigLink | Name::Published | Name::Modified => walk.keep_text(),
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
    fn close(&mut self, name: Name, walk: &Walk<'_>, found: &mut Collector<'_>) {
        let (Some(text), Some(base)) = (walk.text(), walk.base()) else { return };
        let draft = &mut self.draft;
        match name {
            Name::Title if draft.title.is_none() => draft.title = title(text, self.is_html),
            Name::Published if draft.published.is_none() => draft.published = found.date(text),
            Name::Modified if draft.modified.is_none() => draft.modified = found.date(text),
            Name::Link => found.link(draft, LINK, base, text),
            Name::OrigLink => found.link(draft, ORIGINAL, base, text),
            // A `guid` without a scheme is a number of some program, not a relative link.
            Name::Guid if self.is_perma_link && text.contains("://") => {
                found.link(draft, GUID, base, text);
            }
            _ => {}
        }
    }
}
