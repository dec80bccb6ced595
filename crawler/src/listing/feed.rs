//! RSS in all its versions, Atom, and CDF.
//!
//! They are read by one walk, as feeds mix their elements. The link of an item is, in this order: what
//! FeedBurner replaced, a link as text or an Atom link to a page of `rel=alternate`, such a link to something
//! else, a `guid` that may be a link, `rdf:about`, and an identifier that looks like a link. Only direct children of
//! an item count, so the link of an Atom entry's `source` does not. What the feed says of its own pace, and the
//! hubs that it names, are read outside of items.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use newslode_common::schedule::FeedHints;
use newslode_page::reading::listed::MAX_HTML;
use newslode_page::reading::resolve;

use super::collect::{Collector, ItemDraft, is_like_address, plain_title};
use super::names::{DateMeaning, ElementName};
use super::walk::{Attributes, Walk, WalkEvent};

const ORIGINAL: u8 = 0;
const LINK: u8 = 1;
const OTHER_LINK: u8 = 2;
const GUID: u8 = 3;
const ABOUT: u8 = 4;
/// An identifier that is said to be no link, or not said to be one.
const IDENTIFIER: u8 = 5;

/// Reads the feed whose root was just opened. Returns what it says of its own pace.
pub(super) fn read_feed(walk: &mut Walk<'_>, root: ElementName, found: &mut Collector<'_>) -> FeedHints {
    let mut item: Option<ItemReader> = None;
    let mut pace = PaceReader::default();
    while let Some(next_event) = walk.next_event() {
        match (next_event, &mut item) {
            (WalkEvent::Open(ElementName::Item, depth), None) => {
                let mut reading = ItemReader::new(root, depth);
                reading.add_attributes(walk, found);
                item = Some(reading);
            }
            (WalkEvent::Open(name, depth), Some(reading)) if depth == reading.depth + 1 => {
                reading.open(name, walk, found);
            }
            // `<author><name>`.
            (WalkEvent::Open(ElementName::PersonName, depth), Some(reading))
                if depth == reading.depth + 2 =>
            {
                walk.keep_text();
            }
            (WalkEvent::Close(ElementName::PersonName, depth), Some(reading))
                if depth == reading.depth + 2 =>
            {
                walk.text().into_iter().for_each(|name| reading.draft.add_author(name));
            }
            (WalkEvent::Close(name, depth), Some(reading)) if depth == reading.depth + 1 => {
                reading.close(name, walk, found);
            }
            (WalkEvent::Close(_, depth), Some(reading)) if depth == reading.depth => {
                found.take(std::mem::take(&mut reading.draft));
                item = None;
            }
            (WalkEvent::Open(name, _), None) => pace.open(name, walk),
            (WalkEvent::Close(name, _), None) => {
                walk.text().into_iter().for_each(|text| pace.close(name, text));
            }
            _ => {}
        }
    }
    pace.finish()
}

/// What a feed says of its own pace, while it is read.
#[derive(Default)]
struct PaceReader {
    hints: FeedHints,
    period: Option<String>,
    frequency: u64,
}

impl PaceReader {
    fn open(&mut self, name: ElementName, walk: &mut Walk<'_>) {
        match name {
            ElementName::Ttl
            | ElementName::SkippedHour
            | ElementName::SkippedDay
            | ElementName::UpdatePeriod
            | ElementName::UpdateFrequency => walk.keep_text(),
            ElementName::Link => {
                let Attributes { rel, href, .. } = walk.attributes();
                let mut rels = rel.as_deref().unwrap_or_default().split_ascii_whitespace();
                let is_hub = rels.any(|rel| rel.eq_ignore_ascii_case("hub"));
                if let (true, Some(href), Some(base)) = (is_hub, href, walk.base()) {
                    resolve(base, href).into_iter().for_each(|hub| self.hints.add_hub(hub));
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, name: ElementName, text: &str) {
        // Some programs write fractions.
        let number = text.trim().split('.').next().and_then(|number| number.parse::<u64>().ok());
        match (name, number) {
            (ElementName::Ttl, Some(minutes)) => self.hints.add_ttl(minutes),
            (ElementName::SkippedHour, Some(hour)) => self.hints.skip_hour(hour),
            (ElementName::SkippedDay, _) => self.hints.skip_day(text),
            (ElementName::UpdatePeriod, _) => self.period = Some(text.to_owned()),
            (ElementName::UpdateFrequency, Some(times)) => self.frequency = times,
            _ => {}
        }
    }

    fn finish(mut self) -> FeedHints {
        self.period.iter().for_each(|period| self.hints.add_period(period, self.frequency));
        self.hints
    }
}

/// How the text of a title is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TitleForm {
    #[default]
    Plain,
    /// HTML inside text.
    Html,
    /// Bytes in base64, which are HTML or plain.
    Base64 { is_html: bool },
}

/// An item that is read.
struct ItemReader {
    depth: usize,
    is_atom: bool,
    draft: ItemDraft,
    /// How the title being read is written.
    form: TitleForm,
    /// The rank of the `guid` being read.
    guid: u8,
}

impl ItemReader {
    fn new(root: ElementName, depth: usize) -> ItemReader {
        let is_atom = root == ElementName::Feed;
        ItemReader { depth, is_atom, draft: ItemDraft::default(), form: TitleForm::Plain, guid: GUID }
    }

    /// RSS 1.0 and CDF say in attributes where an item leads, and CDF when it changed.
    fn add_attributes(&mut self, walk: &Walk<'_>, found: &mut Collector<'_>) {
        let Attributes { about, href, last_modified, .. } = walk.attributes();
        for (rank, link) in [(ABOUT, about), (LINK, href)] {
            if let (Some(link), Some(base)) = (link, walk.base()) {
                found.link(&mut self.draft, rank, base, link);
            }
        }
        self.draft.modified = last_modified.as_ref().and_then(|date| found.date(date));
    }

    /// A child of the item begins.
    fn open(&mut self, name: ElementName, walk: &mut Walk<'_>, found: &mut Collector<'_>) {
        let attributes = walk.attributes();
        match name {
            ElementName::Link if attributes.href.is_some() => self.add_atom_link(walk, found),
            ElementName::Title | ElementName::DublinTitle | ElementName::MediaTitle => {
                self.form = self.title_form(attributes);
                walk.keep_text();
            }
            ElementName::Guid => {
                let said = attributes.is_perma_link.as_deref().unwrap_or_default();
                self.guid = if said.trim().eq_ignore_ascii_case("false") { IDENTIFIER } else { GUID };
                walk.keep_text();
            }
            ElementName::Link
            | ElementName::OrigLink
            | ElementName::Id
            | ElementName::Published
            | ElementName::Dated(_)
            | ElementName::Modified
            | ElementName::Author
            | ElementName::Section
            | ElementName::Language => walk.keep_text(),
            ElementName::Keywords => {
                attributes.term.iter().for_each(|term| self.draft.add_keywords(term));
                walk.keep_text();
            }
            ElementName::Summary | ElementName::FullText => walk.keep_long_text(MAX_HTML + 1),
            ElementName::Picture => self.add_picture(walk),
            _ => {}
        }
    }

    fn title_form(&self, attributes: &Attributes) -> TitleForm {
        let kind = attributes.kind.as_deref().unwrap_or_default().trim().to_ascii_lowercase();
        let is_html = matches!(&*kind, "html" | "text/html");
        // Atom 1.0 writes media types that are no text in base64.
        let is_binary =
            self.is_atom && kind.contains('/') && !kind.starts_with("text/") && !kind.ends_with("xml");
        match attributes.mode.as_deref().map(str::trim) {
            Some("base64") => TitleForm::Base64 { is_html: is_html || kind.contains("xhtml") },
            None if is_binary => TitleForm::Base64 { is_html: false },
            Some("escaped") => TitleForm::Html,
            _ if is_html || !self.is_atom => TitleForm::Html,
            _ => TitleForm::Plain,
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

    /// A picture: one that says so, or a file of a feed's pictures that says nothing else.
    fn add_picture(&mut self, walk: &Walk<'_>) {
        let Attributes { url, kind, medium, .. } = walk.attributes();
        let is_picture = match (medium, kind) {
            (Some(medium), _) => medium == "image",
            (None, Some(kind)) => kind.starts_with("image"),
            (None, None) => true,
        };
        if let (true, Some(url), Some(base)) = (is_picture, url, walk.base()) {
            self.draft.add_picture(base, url);
        }
    }

    /// A child of the item ends.
    fn close(&mut self, name: ElementName, walk: &Walk<'_>, found: &mut Collector<'_>) {
        let (Some(text), Some(base)) = (walk.text(), walk.base()) else { return };
        let draft = &mut self.draft;
        match name {
            ElementName::Title => draft.add_title(0, title_in(text, self.form)),
            ElementName::DublinTitle => draft.add_title(1, title_in(text, self.form)),
            ElementName::MediaTitle => draft.add_title(2, title_in(text, self.form)),
            ElementName::Published => draft.add_published(0, found.date(text)),
            ElementName::Dated(meaning) => draft.add_published(rank_of(meaning), found.date(text)),
            ElementName::Modified => draft.modified = draft.modified.max(found.date(text)),
            ElementName::Author => draft.add_author(text),
            ElementName::Section => draft.add_section(text),
            ElementName::Keywords => draft.add_keywords(text),
            ElementName::Language => draft.add_language(text),
            ElementName::Summary => draft.add_summary(text),
            ElementName::FullText => draft.add_full_text(text),
            ElementName::Link => found.link(draft, LINK, base, text),
            ElementName::OrigLink => found.link(draft, ORIGINAL, base, text),
            // What does not look like an address is a number of some program, not a relative link.
            ElementName::Guid if is_like_address(text) => found.link(draft, self.guid, base, text),
            ElementName::Id if is_like_address(text) => found.link(draft, IDENTIFIER, base, text),
            _ => {}
        }
    }
}

fn rank_of(meaning: DateMeaning) -> u8 {
    match meaning {
        DateMeaning::Issued => 1,
        DateMeaning::Any => 2,
        DateMeaning::Created => 3,
    }
}

fn title_in(text: &str, form: TitleForm) -> Option<String> {
    match form {
        TitleForm::Plain => plain_title(text, false),
        TitleForm::Html => plain_title(text, true),
        TitleForm::Base64 { is_html } => {
            let packed: String = text.split_ascii_whitespace().collect();
            match STANDARD.decode(packed) {
                Ok(bytes) => plain_title(&String::from_utf8_lossy(&bytes), is_html),
                // It was said to be packed and is not.
                Err(_) => plain_title(text, is_html),
            }
        }
    }
}
