//! Stops a file before its parser makes too much of it.
//!
//! Parsers have no limits of their own. This passes their bytes on, and counts: bytes in all, the depth of JSON, and in XML entities,
//! tags and texts, which could multiply. Start at [`Guarded`].

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::rc::Rc;

use super::results::Format;

/// Deepest nesting of objects and arrays in JSON-LD. The parser calls itself for each level of a context.
const MAX_DEPTH: usize = 64;
/// Most entities that an RDF/XML file may declare, and the longest of them. Files declare a dozen namespaces so.
const MAX_ENTITIES: usize = 200;
const MAX_ENTITY: usize = 256;
/// Longest tag and longest text of RDF/XML in bytes: with the entities this bounds what one of them can become, and the parser
/// compares each attribute of a tag with each.
const MAX_XML_TAG: usize = 32 << 10;
const MAX_XML_TEXT: usize = 256 << 10;
/// Ends of lines that are remembered, to name the line of an error; more than the parser of XML reads ahead.
const LINE_ENDS: usize = 16 << 10;

/// What stopped a reading.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tripped {
    Bytes,
    Hostile(&'static str),
}

/// What the guard knows: shared with the reader of the file, since parsers own their input.
#[derive(Debug, Default)]
pub(super) struct Watch {
    pub(super) tripped: Option<Tripped>,
    bytes: u64,
    /// Ends of lines so far, and the places of the last ones.
    pub(super) lines: u64,
    ends: VecDeque<u64>,
}

impl Watch {
    /// The line, from 1, of a place that was read a short while ago.
    pub(super) fn line(&self, at: u64) -> Option<u64> {
        let after = self.ends.iter().rev().take_while(|end| **end >= at).count();
        (after < self.ends.len() || self.lines <= LINE_ENDS as u64).then_some(self.lines - after as u64 + 1)
    }
}

/// Passes bytes on, and stops at what parsers would make too much of: too many bytes, deep JSON, entities that multiply.
pub(super) struct Guarded<R> {
    inner: R,
    watch: Rc<RefCell<Watch>>,
    format: Format,
    most: u64,
    json: Json,
    xml: Xml,
}

#[derive(Default)]
struct Json {
    depth: usize,
    in_text: bool,
    escaped: bool,
}

#[derive(Default)]
struct Xml {
    in_tag: bool,
    /// Bytes since the last angle bracket.
    run: usize,
    /// How much of `<!ENTITY` matches so far; all of it inside a declaration.
    matched: usize,
    entity: usize,
    entities: usize,
}

const ENTITY: &[u8] = b"<!ENTITY";

impl<R: Read> Guarded<R> {
    pub(super) fn new(inner: R, format: Format, most: u64) -> (Guarded<R>, Rc<RefCell<Watch>>) {
        let watch = Rc::new(RefCell::new(Watch::default()));
        let own = Rc::clone(&watch);
        (Guarded { inner, watch: own, format, most, json: Json::default(), xml: Xml::default() }, watch)
    }
}

impl<R: Read> Read for Guarded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let mut watch = self.watch.borrow_mut();
        for byte in &buffer[..read] {
            watch.bytes += 1;
            if *byte == b'\n' {
                watch.lines += 1;
                if self.format == Format::RdfXml {
                    let end = watch.bytes - 1;
                    watch.ends.push_back(end);
                    if watch.ends.len() > LINE_ENDS {
                        watch.ends.pop_front();
                    }
                }
            }
            let hostile = match self.format {
                Format::Turtle | Format::NTriples => None,
                Format::RdfXml => self.xml.take(*byte),
                Format::JsonLd => self.json.take(*byte),
            };
            if let Some(cause) = hostile {
                watch.tripped = Some(Tripped::Hostile(cause));
                return Err(io::Error::new(io::ErrorKind::InvalidData, cause));
            }
        }
        if watch.bytes > self.most {
            watch.tripped = Some(Tripped::Bytes);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "too many bytes"));
        }
        Ok(read)
    }
}

impl Json {
    fn take(&mut self, byte: u8) -> Option<&'static str> {
        if self.in_text {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_text = false,
                _ => {}
            }
            return None;
        }
        match byte {
            b'"' => self.in_text = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        (self.depth > MAX_DEPTH).then_some("nests more than 64 objects and lists")
    }
}

impl Xml {
    fn take(&mut self, byte: u8) -> Option<&'static str> {
        match byte {
            b'<' | b'>' => {
                self.in_tag = byte == b'<';
                self.run = 0;
            }
            _ => self.run += 1,
        }
        if self.matched == ENTITY.len() {
            match byte {
                b'>' => self.matched = 0,
                b'&' => {
                    return Some(
                        "declares an entity by other entities, so that a short file could become a huge one",
                    );
                }
                _ => self.entity += 1,
            }
            if self.entity > MAX_ENTITY {
                return Some("declares an entity of more than 256 bytes");
            }
        } else {
            self.matched =
                if byte == ENTITY[self.matched] { self.matched + 1 } else { usize::from(byte == ENTITY[0]) };
            if self.matched == ENTITY.len() {
                self.entity = 0;
                self.entities += 1;
                if self.entities > MAX_ENTITIES {
                    return Some("declares more than 200 entities");
                }
            }
        }
        if self.in_tag && self.run > MAX_XML_TAG {
            return Some("has a tag of more than 32 KiB");
        }
        (self.run > MAX_XML_TEXT).then_some("has a text of more than 256 KiB")
    }
}
