//! An XML document as a sequence of elements that open and close.
//!
//! Feeds are often not well-formed, so the walk is forgiving: an end tag closes all that was opened inside its
//! element, one without a start is ignored, an entry or field that is never closed ends where the next begins,
//! entities that nobody knows stay as they are written, and `&` may
//! stand alone. The document type is not read, so entities never expand.
//! Invariants: each opened element is closed once, in order, unless the text breaks off. The memory for open
//! elements is bounded by [`MAX_DEPTH`], that for a text by [`MAX_TEXT`]. Start at [`Walk::next_event`].

use std::io::BufRead as _;

use newslode_page::CanonicalUrl;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;
use url::Url;

use super::input::{Input, TextEnd};
use super::names::{ElementName, NamespaceKind};

/// Elements nested deeper are passed over.
const MAX_DEPTH: usize = 128;
/// More elements that are never closed break the document.
const MAX_UNCLOSED: usize = 100_000;
/// Longest text of an element or attribute, in bytes. Of a longer one a few bytes more are kept: so a text was
/// cut if it is longer than this.
pub(super) const MAX_TEXT: usize = 8192;
/// Bytes kept of a text; more than [`MAX_TEXT`] by the longest character.
pub(super) const KEPT_TEXT: usize = MAX_TEXT + 4;
/// Attributes after these are ignored.
const MAX_ATTRIBUTES: usize = 64;
/// When a text is not a listing, errors quote at most this many bytes of its first element's name.
pub(super) const MAX_SHOWN: usize = 40;

/// An element begins or ends. The number is its depth: 1 for the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WalkEvent {
    Open(ElementName, usize),
    Close(ElementName, usize),
}

/// The attributes of the element opened last that may matter.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    pub(super) href: Option<String>,
    pub(super) rel: Option<String>,
    pub(super) hreflang: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) is_perma_link: Option<String>,
    pub(super) about: Option<String>,
    pub(super) mode: Option<String>,
    pub(super) last_modified: Option<String>,
    pub(super) url: Option<String>,
    pub(super) medium: Option<String>,
    pub(super) term: Option<String>,
}

struct OpenElement {
    name: ElementName,
    /// Where its written name begins in `written`.
    written_at: usize,
    /// Numbers of bases and namespaces outside it.
    bases: usize,
    spaces: usize,
}

/// A walk through a document.
pub(super) struct Walk<'a> {
    reader: Reader<Input<'a>>,
    buffer: Vec<u8>,
    open: Vec<OpenElement>,
    /// The names of the open elements as they are written, one behind the other.
    written: String,
    bases: Vec<Url>,
    spaces: Vec<(String, NamespaceKind)>,
    attributes: Attributes,
    /// The elements of this depth and deeper are closed before the next event.
    closing: Option<usize>,
    /// The element that begins once these are closed.
    pending: Option<BytesStart<'static>>,
    unclosed: usize,
    /// The depth of the element whose text is kept.
    text_depth: Option<usize>,
    text: String,
    /// Bytes of it that are kept.
    text_limit: usize,
    first: String,
    has_root: bool,
    has_ended: bool,
    /// Whether the news namespace was declared.
    pub(super) knows_news: bool,
}

impl<'a> Walk<'a> {
    /// A walk through a document whose relative links start at `url`.
    pub(super) fn new(input: Input<'a>, url: &CanonicalUrl) -> Walk<'a> {
        let mut reader = Reader::from_reader(input);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        Walk {
            reader,
            buffer: Vec::new(),
            open: Vec::new(),
            written: String::new(),
            bases: vec![url.to_url()],
            spaces: Vec::new(),
            attributes: Attributes::default(),
            closing: None,
            pending: None,
            unclosed: 0,
            text_depth: None,
            text: String::new(),
            text_limit: KEPT_TEXT,
            first: String::new(),
            has_root: false,
            has_ended: false,
            knows_news: false,
        }
    }

    /// The next element that begins or ends; `None` after the root, and where the text breaks off.
    pub(super) fn next_event(&mut self) -> Option<WalkEvent> {
        if let Some(depth) = self.closing {
            return self.close(depth);
        }
        if let Some(element) = self.pending.take() {
            return self.opened(&element);
        }
        while !self.has_ended {
            let mut buffer = std::mem::take(&mut self.buffer);
            buffer.clear();
            let next_event = match self.reader.read_event_into(&mut buffer) {
                Ok(Event::Start(element)) => match self.implied_end(&element) {
                    Some(depth) => {
                        self.pending = Some(element.into_owned());
                        self.close(depth)
                    }
                    None => self.opened(&element),
                },
                Ok(Event::End(element)) => self.closed(element.name().as_ref()),
                Ok(Event::Text(text)) => self.push(&text),
                Ok(Event::CData(text)) => self.push(&text),
                Ok(Event::GeneralRef(entity)) => self.push_entity(&entity),
                Ok(Event::Eof) | Err(_) => {
                    self.has_ended = true;
                    None
                }
                Ok(_) => None,
            };
            self.buffer = buffer;
            if next_event.is_some() {
                return next_event;
            }
        }
        None
    }

    /// Whether the root was closed.
    pub(super) fn is_whole(&self) -> bool {
        self.has_root && self.open.is_empty()
    }

    /// Why the text ended.
    pub(super) fn end(&self) -> TextEnd {
        self.reader.get_ref().end()
    }

    /// What the document begins with, for people.
    pub(super) fn beginning(&mut self) -> String {
        if self.has_root {
            return format!("`<{}>`", self.first);
        }
        let is_empty = self.reader.get_mut().fill_buf().is_ok_and(|rest| rest.is_empty());
        if is_empty && self.reader.buffer_position() == 0 { "nothing" } else { "other data" }.to_owned()
    }

    /// The attributes of the element opened last.
    pub(super) fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// The base of links inside the innermost open element.
    pub(super) fn base(&self) -> Option<&Url> {
        self.bases.last()
    }

    /// Begins to keep the text of the element opened last, with that of the elements inside.
    pub(super) fn keep_text(&mut self) {
        self.keep_long_text(KEPT_TEXT);
    }

    /// As [`keep_text`](Self::keep_text), up to this number of bytes.
    pub(super) fn keep_long_text(&mut self, limit: usize) {
        self.text.clear();
        self.text_limit = limit;
        self.text_depth = Some(self.open.len());
    }

    /// Stops collecting text.
    pub(super) fn drop_text(&mut self) {
        self.text_depth = None;
    }

    /// What was kept of the element around the one opened last; `None` if it is not kept.
    pub(super) fn text_so_far(&self) -> Option<&str> {
        (self.text_depth == Some(self.open.len().saturating_sub(1))).then_some(&self.text)
    }

    /// The text of the element that was just closed; `None` if it was not kept.
    pub(super) fn text(&self) -> Option<&str> {
        (self.text_depth == Some(self.open.len() + 1)).then_some(&self.text)
    }

    /// The depth of what must be closed before this element begins: an entry is no part of another one, and a field
    /// no part of another field.
    fn implied_end(&mut self, element: &BytesStart<'_>) -> Option<usize> {
        let name = element.name();
        let (prefix, local) = name.as_ref().split_once(':').unwrap_or(("", name.as_ref()));
        let name = ElementName::new(self.space(prefix), local);
        if !name.is_entry() && !name.is_field() && name != ElementName::News {
            return None;
        }
        let fields = self.open.iter().rev().take_while(|opened| opened.name.is_field()).count();
        let depth = self.open.len() - fields;
        let parent = self.open.get(depth.checked_sub(1)?)?.name;
        let closed = match name.is_entry() {
            true => parent == name,
            false => parent.is_entry() && fields > 0,
        };
        let depth = if name.is_entry() { depth } else { depth + 1 };
        if closed {
            self.unclosed = self.unclosed.saturating_sub(self.open.len() + 1 - depth);
        }
        closed.then_some(depth)
    }

    fn opened(&mut self, element: &BytesStart<'_>) -> Option<WalkEvent> {
        self.forget_text();
        self.unclosed += 1;
        self.has_ended = self.unclosed > MAX_UNCLOSED;
        if self.open.len() >= MAX_DEPTH || self.has_ended {
            return None;
        }
        let written = element.name();
        let written = written.as_ref();
        if !self.has_root {
            self.has_root = true;
            self.first = first_bytes(written, MAX_SHOWN).to_owned();
        }
        let (bases, spaces) = (self.bases.len(), self.spaces.len());
        self.read_attributes(element);
        let (prefix, local) = written.split_once(':').unwrap_or(("", written));
        // The language of the document has a prefix, and a namespace that nobody knows.
        if self.open.is_empty() && self.space(prefix) == NamespaceKind::Other && prefix != "rdf" {
            self.push_space(prefix, NamespaceKind::Core);
        }
        let name = ElementName::new(self.space(prefix), local);
        self.open.push(OpenElement { name, written_at: self.written.len(), bases, spaces });
        self.written.push_str(written);
        Some(WalkEvent::Open(name, self.open.len()))
    }

    fn closed(&mut self, written: &str) -> Option<WalkEvent> {
        self.unclosed = self.unclosed.saturating_sub(1);
        // The written names lie one behind the other, so each ends where the next one begins.
        let mut end = self.written.len();
        let at = self.open.iter().rposition(|opened| {
            let is_it = self.written.get(opened.written_at..end) == Some(written);
            end = opened.written_at;
            is_it
        });
        self.close(at? + 1)
    }

    /// Closes the innermost element, and remembers to close the others down to `depth`.
    fn close(&mut self, depth: usize) -> Option<WalkEvent> {
        self.forget_text();
        let now = self.open.len();
        let opened = self.open.pop()?;
        self.written.truncate(opened.written_at);
        self.bases.truncate(opened.bases);
        self.spaces.truncate(opened.spaces);
        self.closing = (now > depth).then_some(depth);
        self.has_ended |= self.open.is_empty();
        Some(WalkEvent::Close(opened.name, now))
    }

    /// The text of a closed element is kept until the next step.
    fn forget_text(&mut self) {
        self.text_depth = self.text_depth.filter(|kept| *kept <= self.open.len());
    }

    fn read_attributes(&mut self, element: &BytesStart<'_>) {
        self.attributes = Attributes::default();
        // The check for repeated names takes quadratic time.
        let mut attributes = element.attributes();
        let attributes = attributes.with_checks(false).take(MAX_ATTRIBUTES).flatten();
        for attribute in attributes {
            let key = attribute.key.as_ref();
            let value = || Some(resolve_entities(first_bytes(&attribute.value, KEPT_TEXT)));
            let known = &mut self.attributes;
            match known_attribute(key) {
                "href" => known.href = value(),
                "rel" => known.rel = value(),
                "hreflang" => known.hreflang = value(),
                "type" => known.kind = value(),
                "ispermalink" => known.is_perma_link = value(),
                "rdf:about" => known.about = value(),
                "mode" => known.mode = value(),
                "lastmod" => known.last_modified = value(),
                "url" => known.url = value(),
                "medium" => known.medium = value(),
                "term" => known.term = value(),
                "xml:base" => self.push_base(&value().unwrap_or_default()),
                // CDF.
                "base" if self.open.is_empty() => self.push_base(&value().unwrap_or_default()),
                "xmlns" => match NamespaceKind::of_uri(&attribute.value) {
                    NamespaceKind::Other => self.push_space("", NamespaceKind::Core),
                    space => self.push_space("", space),
                },
                _ => {
                    if let Some(prefix) = key.strip_prefix("xmlns:") {
                        self.push_space(prefix, NamespaceKind::of_uri(&attribute.value));
                    }
                }
            }
        }
    }

    fn push_base(&mut self, base: &str) {
        let joined = self.bases.last().and_then(|outer| outer.join(base.trim()).ok());
        self.bases.extend(joined.filter(|base| matches!(base.scheme(), "http" | "https")));
    }

    fn push_space(&mut self, prefix: &str, space: NamespaceKind) {
        self.knows_news |= space == NamespaceKind::News;
        self.spaces.push((first_bytes(prefix, MAX_SHOWN).to_owned(), space));
    }

    fn space(&self, prefix: &str) -> NamespaceKind {
        let declared = self.spaces.iter().rev().find(|(known, _)| known == prefix);
        declared.map_or_else(|| NamespaceKind::of_prefix(prefix), |(_, space)| *space)
    }

    fn push(&mut self, text: &str) -> Option<WalkEvent> {
        // XHTML inside a text may hold a script.
        let is_script = matches!(self.open.last(), Some(last) if last.name == ElementName::Script);
        if !is_script && self.text_depth.is_some_and(|depth| depth <= self.open.len()) {
            self.text.push_str(first_bytes(text, self.text_limit.saturating_sub(self.text.len())));
        }
        None
    }

    fn push_entity(&mut self, entity: &BytesRef<'_>) -> Option<WalkEvent> {
        let mut written = String::with_capacity(entity.len() + 2);
        match entity.resolve_char_ref() {
            Ok(Some(letter)) => written.push(letter),
            Ok(None) | Err(_) => match resolve_predefined_entity(entity) {
                Some(known) => written.push_str(known),
                None => written.extend(["&", entity, ";"]),
            },
        }
        self.push(&written)
    }
}

/// The name of an attribute as it is usually written.
fn known_attribute(written: &str) -> &str {
    const KNOWN: [&str; 13] = [
        "href",
        "rel",
        "type",
        "ispermalink",
        "rdf:about",
        "mode",
        "lastmod",
        "xml:base",
        "base",
        "xmlns",
        "url",
        "medium",
        "term",
    ];
    KNOWN.into_iter().find(|known| known.eq_ignore_ascii_case(written)).unwrap_or(written)
}

/// An attribute with its entities resolved; what is no known entity stays.
fn resolve_entities(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let name = after.split_once(';').map_or("", |(name, _)| name);
        let letter = BytesRef::new(name).resolve_char_ref().ok().flatten();
        let known = letter.map(String::from).or_else(|| resolve_predefined_entity(name).map(str::to_owned));
        rest = match known {
            Some(known) => {
                out.push_str(&known);
                after.get(name.len() + 1..).unwrap_or_default()
            }
            None => {
                out.push('&');
                after
            }
        };
    }
    out.push_str(rest);
    out
}

/// The first `most` bytes of a text, less if that would split a character.
pub(super) fn first_bytes(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests;
