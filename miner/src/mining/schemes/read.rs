//! Reads schemes of concepts from RDF: SKOS and SKOS-XL in Turtle, N-Triples, RDF/XML and JSON-LD.
//!
//! Statements are taken as they come, and only what a scheme needs is kept, so memory follows the concepts and not the file; only
//! JSON-LD is held as a whole by its parser. Files are from strangers: bytes, concepts, labels, the length of terms and the depth
//! of JSON have limits, entities of XML cannot multiply, and no address is ever fetched. What is wrong with single statements is
//! counted in [`Notes`]; what makes the file unusable is a [`ReadError`]. Start at [`read`].

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::io::{self, Read};
use std::rc::Rc;
use std::sync::Arc;

use oxjsonld::{JsonLdErrorCode, JsonLdParseError, JsonLdParser};
use oxrdf::{NamedNode, NamedOrBlankNode, Term};
use oxrdfxml::{RdfXmlParseError, RdfXmlParser};
use oxttl::{NTriplesParser, TurtleParseError, TurtleParser};
use rustc_hash::FxHashMap;
use unicode_normalization::{UnicodeNormalization as _, is_nfc_quick};

use super::scheme::{LabelKind, LabelRow, Parts, Scheme, Span, Texts};

const SKOS: &str = "http://www.w3.org/2004/02/skos/core#";
const SKOS_XL: &str = "http://www.w3.org/2008/05/skos-xl#";
const RDF_TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
const DEPRECATED: &str = "http://www.w3.org/2002/07/owl#deprecated";
const TITLES: [&str; 3] = [
    "http://purl.org/dc/terms/title",
    "http://purl.org/dc/elements/1.1/title",
    "http://www.w3.org/2000/01/rdf-schema#label",
];

/// Longest label in bytes. Longer ones are sentences, which no site uses as a name.
const MAX_LABEL: usize = 1_000;
/// Longest URI in bytes.
const MAX_URI: usize = 2_000;
/// Longest language tag in bytes; those of the standard have at most 35.
const MAX_TAG: usize = 35;
/// Most schemes of one file; EuroVoc has some 130. Each of them takes a walk over all concepts.
const MAX_SCHEMES: usize = 500;
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

/// The syntax of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Turtle.
    Turtle,
    /// N-Triples.
    NTriples,
    /// RDF/XML.
    RdfXml,
    /// JSON-LD.
    JsonLd,
}

/// How much is read of a file at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the file.
    pub bytes: u64,
    /// Bytes of a file in JSON-LD, which its parser holds in memory as a whole.
    pub json_bytes: u64,
    /// Nodes that are concepts, or that statements about concepts name.
    pub concepts: u32,
    /// Labels, notations and relations, each.
    pub statements: u32,
}

/// Why a file gives no scheme.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The name does not tell the syntax.
    #[error(
        "cannot tell the syntax of `{file}` by its name; rename it to end in `.ttl` (Turtle), `.nt` (N-Triples), `.rdf` or `.xml` \
         (RDF/XML), or `.jsonld` (JSON-LD)"
    )]
    UnknownFormat {
        /// The file's name.
        file: String,
    },
    /// The bytes cannot be read.
    #[error("cannot read `{file}`")]
    Io {
        /// The file's name.
        file: String,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// The file does not follow its syntax.
    #[error("`{file}`{} is not valid {format}: {cause}; check it with a validator, or convert it to Turtle", at_line(*line))]
    Syntax {
        /// The file's name.
        file: String,
        /// The line from 1, where the parser tells it.
        line: Option<u64>,
        /// The syntax that was expected.
        format: Format,
        /// What the parser says.
        cause: String,
    },
    /// JSON-LD that takes its context from an address.
    #[error(
        "`{file}` needs a context from elsewhere, and none is ever fetched: {cause}; write the context into the file, or convert it to Turtle"
    )]
    RemoteContext {
        /// The file's name.
        file: String,
        /// What the parser says.
        cause: String,
    },
    /// The file looks as if it were made to exhaust its reader.
    #[error("`{file}`{} {cause}; convert it to N-Triples, which has no such constructs", at_line(*line))]
    Hostile {
        /// The file's name.
        file: String,
        /// The line from 1.
        line: Option<u64>,
        /// What it does.
        cause: &'static str,
    },
    /// A limit is exceeded.
    #[error("`{file}` has more than {limit} {what}; leave out what is not needed, or split the file")]
    TooLarge {
        /// The file's name.
        file: String,
        /// What there is too much of.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// Nothing in the file is a concept.
    #[error(
        "`{file}` has no concepts of SKOS among its {statements} statements; is it a thesaurus in SKOS, and the whole file?"
    )]
    NoConcepts {
        /// The file's name.
        file: String,
        /// How many statements were read.
        statements: u64,
    },
}

/// The schemes in a file, and the problems that were found in single statements.
#[derive(Debug)]
pub struct Schemes {
    /// One scheme for each that has concepts, by URI.
    pub schemes: Vec<Scheme>,
    /// What was left out or changed.
    pub notes: Notes,
}

/// What was left out or changed of a file: for each kind how often, and one of the places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes(BTreeMap<Note, (u64, String)>);

/// Something that was left out or changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Note {
    /// A broader concept that the file does not describe, or that is deprecated: left out.
    DanglingBroader,
    /// A statement of `broader` that closed a cycle: left out.
    Cycle,
    /// A broader concept in another scheme: left out.
    BroaderElsewhere,
    /// A concept without labels: kept, but no label finds it.
    Unlabelled,
    /// A deprecated concept: left out.
    Deprecated,
    /// A concept without a URI: left out, since nothing could refer to it later.
    Anonymous,
    /// A label, notation, title, language tag or URI that is empty or too long: left out.
    Unusable,
    /// A second preferred label of a concept in one language: taken as an alternative one.
    SecondPreferred,
    /// A concept of a file with several schemes that belongs to none of them: put into a scheme of its own.
    WithoutScheme,
}

impl Notes {
    /// Each kind of note with how often it applies, and one place: the first URI by its letters.
    pub fn iter(&self) -> impl Iterator<Item = (Note, u64, &str)> {
        self.0.iter().map(|(note, (count, place))| (*note, *count, place.as_str()))
    }

    /// How often a kind applies.
    #[must_use]
    pub fn count(&self, note: Note) -> u64 {
        self.0.get(&note).map_or(0, |(count, _)| *count)
    }

    fn add(&mut self, note: Note, count: u64, place: &str) {
        if count == 0 {
            return;
        }
        let (sum, first) = self.0.entry(note).or_insert_with(|| (0, place.to_owned()));
        *sum += count;
        if !place.is_empty() && (first.is_empty() || place < first.as_str()) {
            place.clone_into(first);
        }
    }
}

impl Note {
    /// What happened, to follow a number: "3 broader concepts that …".
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Note::DanglingBroader => "broader concepts that the file does not describe, left out",
            Note::Cycle => "statements of broader that closed a cycle, left out",
            Note::BroaderElsewhere => "broader concepts in another scheme, left out",
            Note::Unlabelled => "concepts without a label, which nothing finds",
            Note::Deprecated => "deprecated concepts, left out",
            Note::Anonymous => "concepts without a URI, left out",
            Note::Unusable => "texts or URIs that are empty or too long, left out",
            Note::SecondPreferred => "second preferred labels of a language, taken as alternative",
            Note::WithoutScheme => "concepts in none of the file's schemes, put into one of their own",
        }
    }
}

impl fmt::Display for Notes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (note, count, place)) in self.iter().enumerate() {
            let before = if at == 0 { "" } else { "; " };
            write!(f, "{before}{count} {}", note.text())?;
            if !place.is_empty() {
                write!(f, " (`{place}`)")?;
            }
        }
        Ok(())
    }
}

impl Format {
    /// The syntax that a file's name tells by its end.
    ///
    /// # Errors
    /// [`ReadError::UnknownFormat`] for other ends.
    pub fn of_name(file: &str) -> Result<Format, ReadError> {
        let end = file.rsplit_once('.').map_or("", |(_, end)| end).to_ascii_lowercase();
        match end.as_str() {
            "ttl" | "turtle" | "n3" => Ok(Format::Turtle),
            "nt" | "ntriples" => Ok(Format::NTriples),
            "rdf" | "xml" | "owl" | "skos" => Ok(Format::RdfXml),
            "jsonld" | "json" => Ok(Format::JsonLd),
            _ => Err(ReadError::UnknownFormat { file: file.to_owned() }),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Turtle => "Turtle",
            Format::NTriples => "N-Triples",
            Format::RdfXml => "RDF/XML",
            Format::JsonLd => "JSON-LD",
        })
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { bytes: 4 << 30, json_bytes: 200 << 20, concepts: 10_000_000, statements: 100_000_000 }
    }
}

fn at_line(line: Option<u64>) -> String {
    line.map_or_else(String::new, |line| format!(", line {line},"))
}

/// Reads all schemes of a file. `file` is its name, for errors, and the URI of a scheme that the file does not declare.
///
/// # Errors
/// When the bytes cannot be read or do not follow the syntax, when a limit is exceeded, or when there is no concept.
pub fn read(file: &str, format: Format, bytes: impl Read, limits: &Limits) -> Result<Schemes, ReadError> {
    let most = if format == Format::JsonLd { limits.bytes.min(limits.json_bytes) } else { limits.bytes };
    let (guarded, watch) = Guarded::new(bytes, format, most);
    let mut collector = Collector::new(*limits);
    let taken = match format {
        Format::Turtle => {
            let parsed = TurtleParser::new().lenient().for_reader(guarded);
            take(
                parsed.map(|triple| triple.map(|triple| (triple.subject, triple.predicate, triple.object))),
                &mut collector,
            )
        }
        Format::NTriples => {
            let parsed = NTriplesParser::new().lenient().for_reader(guarded);
            take(
                parsed.map(|triple| triple.map(|triple| (triple.subject, triple.predicate, triple.object))),
                &mut collector,
            )
        }
        Format::RdfXml => {
            let mut parser = RdfXmlParser::new().lenient().for_reader(guarded);
            let parsed = std::iter::from_fn(|| {
                let next = parser.next()?;
                let at = parser.buffer_position();
                Some(next.map_err(|error| (error, at)))
            });
            take(
                parsed.map(|triple| triple.map(|triple| (triple.subject, triple.predicate, triple.object))),
                &mut collector,
            )
        }
        Format::JsonLd => {
            let parsed = JsonLdParser::new().lenient().for_reader(guarded);
            take(
                parsed.map(|quad| quad.map(|quad| (quad.subject, quad.predicate, quad.object))),
                &mut collector,
            )
        }
    };
    // What the guard stopped is the cause, whatever the parser made of it.
    let watch = watch.borrow();
    match watch.tripped {
        Some(Tripped::Bytes) => {
            return Err(ReadError::TooLarge { file: file.to_owned(), what: "bytes", limit: most });
        }
        Some(Tripped::Hostile(cause)) => {
            return Err(ReadError::Hostile { file: file.to_owned(), line: Some(watch.lines + 1), cause });
        }
        None => {}
    }
    match taken {
        Ok(()) => collector.finish(file),
        Err(Stopped::Limit(what, limit)) => {
            Err(ReadError::TooLarge { file: file.to_owned(), what, limit: limit.into() })
        }
        Err(Stopped::Parser(cause)) => Err(cause.into_error(file, format, &watch)),
    }
}

/// Why taking statements stopped.
enum Stopped {
    Limit(&'static str, u32),
    Parser(Cause),
}

/// What a parser says.
enum Cause {
    Io(io::Error),
    Syntax {
        message: String,
        line: Option<u64>,
    },
    /// In XML the parser knows a place in bytes.
    At {
        message: String,
        bytes: u64,
    },
    RemoteContext(String),
}

impl Cause {
    fn into_error(self, file: &str, format: Format, watch: &Watch) -> ReadError {
        let file = file.to_owned();
        match self {
            Cause::Io(source) => ReadError::Io { file, source },
            Cause::Syntax { message, line } => ReadError::Syntax { file, line, format, cause: message },
            Cause::At { message, bytes } => {
                ReadError::Syntax { file, line: watch.line(bytes), format, cause: message }
            }
            Cause::RemoteContext(cause) => ReadError::RemoteContext { file, cause },
        }
    }
}

impl From<TurtleParseError> for Cause {
    fn from(error: TurtleParseError) -> Cause {
        match error {
            TurtleParseError::Io(error) => Cause::Io(error),
            TurtleParseError::Syntax(error) => Cause::Syntax {
                message: error.message().to_owned(),
                line: Some(error.location().start.line + 1),
            },
        }
    }
}

impl From<(RdfXmlParseError, u64)> for Cause {
    fn from((error, bytes): (RdfXmlParseError, u64)) -> Cause {
        match error {
            RdfXmlParseError::Io(error) => Cause::Io(error),
            RdfXmlParseError::Syntax(error) => Cause::At { message: error.to_string(), bytes },
        }
    }
}

impl From<JsonLdParseError> for Cause {
    fn from(error: JsonLdParseError) -> Cause {
        match error {
            JsonLdParseError::Io(error) => Cause::Io(error),
            JsonLdParseError::Syntax(error) => match error.code() {
                Some(
                    JsonLdErrorCode::LoadingRemoteContextFailed | JsonLdErrorCode::LoadingDocumentFailed,
                ) => Cause::RemoteContext(error.to_string()),
                _ => {
                    let line = error.location().map(|range| range.start.line + 1);
                    Cause::Syntax { message: error.to_string(), line }
                }
            },
        }
    }
}

fn take<E: Into<Cause>>(
    statements: impl Iterator<Item = Result<(NamedOrBlankNode, NamedNode, Term), E>>,
    collector: &mut Collector,
) -> Result<(), Stopped> {
    for statement in statements {
        let (subject, predicate, object) = statement.map_err(|error| Stopped::Parser(error.into()))?;
        collector.take(&subject, predicate.as_str(), &object)?;
    }
    Ok(())
}

/// What a node of the graph is said to be.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    uri: Span,
    /// Called a concept, or used like one.
    concept: bool,
    /// Called a scheme or a collection, which may have labels, too.
    other: bool,
    deprecated: bool,
    blank: bool,
    /// Has a label: then it is a concept, unless it is called something else.
    labelled: bool,
    scheme: bool,
}

/// Keeps of each statement what a scheme needs.
struct Collector {
    limits: Limits,
    texts: Texts,
    nodes: Vec<Node>,
    /// Nodes by the hash of their URI: 96 bits cannot be made to collide.
    numbers: FxHashMap<[u8; 12], u32>,
    languages: Vec<String>,
    language_numbers: FxHashMap<String, u16>,
    labels: Vec<LabelRow>,
    /// SKOS-XL: (concept, kind, node of the label), and the texts of such nodes.
    xl_labels: Vec<(u32, LabelKind, u32)>,
    xl_forms: Vec<LabelRow>,
    titles: Vec<LabelRow>,
    notations: Vec<(u32, Span)>,
    exact_matches: Vec<(u32, Span)>,
    broader: Vec<(u32, u32)>,
    ancestors: Vec<(u32, u32)>,
    in_scheme: Vec<(u32, u32)>,
    tops: Vec<(u32, u32)>,
    notes: Notes,
    statements: u64,
    buffer: String,
}

impl Collector {
    fn new(limits: Limits) -> Collector {
        Collector {
            limits,
            texts: Texts::default(),
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
            languages: Vec::new(),
            language_numbers: FxHashMap::default(),
            labels: Vec::new(),
            xl_labels: Vec::new(),
            xl_forms: Vec::new(),
            titles: Vec::new(),
            notations: Vec::new(),
            exact_matches: Vec::new(),
            broader: Vec::new(),
            ancestors: Vec::new(),
            in_scheme: Vec::new(),
            tops: Vec::new(),
            notes: Notes::default(),
            statements: 0,
            buffer: String::new(),
        }
    }

    fn take(&mut self, subject: &NamedOrBlankNode, predicate: &str, object: &Term) -> Result<(), Stopped> {
        self.statements += 1;
        if let Some(name) = predicate.strip_prefix(SKOS) {
            return self.take_skos(subject, name, object);
        }
        if let Some(name) = predicate.strip_prefix(SKOS_XL) {
            return match name {
                "prefLabel" => self.take_xl_label(subject, LabelKind::Preferred, object),
                "altLabel" => self.take_xl_label(subject, LabelKind::Alternative, object),
                "hiddenLabel" => self.take_xl_label(subject, LabelKind::Hidden, object),
                "literalForm" => {
                    if let (Some(of), Some((language, text))) =
                        (self.subject(subject)?, self.literal(object)?)
                    {
                        self.xl_forms.push(LabelRow { of, language, kind: LabelKind::Preferred, text });
                        self.within(self.xl_forms.len(), "labels")?;
                    }
                    Ok(())
                }
                _ => Ok(()),
            };
        }
        if predicate == RDF_TYPE {
            return self.take_type(subject, object);
        }
        if predicate == DEPRECATED {
            let yes = matches!(object, Term::Literal(literal) if matches!(literal.value(), "true" | "1"));
            if let (true, Some(node)) = (yes, self.subject(subject)?) {
                self.nodes[node as usize].deprecated = true;
            }
            return Ok(());
        }
        if let Some(rank) = TITLES.iter().position(|title| *title == predicate) {
            // Only schemes need titles. Their statements may come before that of their type, but other nodes have titles by the
            // million: keep those of nodes that are no concept so far.
            if let Some(of) = self.subject(subject)?
                && !self.nodes[of as usize].concept
                && let Some((language, text)) = self.literal(object)?
            {
                let kind = [LabelKind::Preferred, LabelKind::Alternative, LabelKind::Hidden][rank];
                self.titles.push(LabelRow { of, language, kind, text });
                self.within(self.titles.len(), "titles")?;
            }
        }
        Ok(())
    }

    fn take_skos(&mut self, subject: &NamedOrBlankNode, name: &str, object: &Term) -> Result<(), Stopped> {
        match name {
            "prefLabel" => self.take_label(subject, LabelKind::Preferred, object),
            "altLabel" => self.take_label(subject, LabelKind::Alternative, object),
            "hiddenLabel" => self.take_label(subject, LabelKind::Hidden, object),
            "broader" | "broaderGeneric" | "broaderPartitive" | "broaderInstantial" => {
                self.take_relation(subject, object, |all| &mut all.broader)
            }
            "narrower" => self.take_inverse(subject, object, |all| &mut all.broader),
            "broaderTransitive" => self.take_relation(subject, object, |all| &mut all.ancestors),
            "narrowerTransitive" => self.take_inverse(subject, object, |all| &mut all.ancestors),
            "inScheme" => self.take_membership(subject, object, |all| &mut all.in_scheme),
            "topConceptOf" => self.take_membership(subject, object, |all| &mut all.tops),
            "hasTopConcept" => {
                let Some(object) = node_of(object) else { return Ok(()) };
                self.take_membership(&object, &Term::from(subject.clone()), |all| &mut all.tops)
            }
            "notation" => {
                if let (Some(of), Some((_, text))) = (self.subject(subject)?, self.literal(object)?) {
                    self.notations.push((of, text));
                    self.within(self.notations.len(), "notations")?;
                }
                Ok(())
            }
            "exactMatch" => {
                let Term::NamedNode(other) = object else { return Ok(()) };
                if let Some(of) = self.subject(subject)? {
                    if other.as_str().len() > MAX_URI {
                        self.notes.add(Note::Unusable, 1, "");
                        return Ok(());
                    }
                    let other = self.add_text(other.as_str())?;
                    self.exact_matches.push((of, other));
                    self.within(self.exact_matches.len(), "matches")?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn take_type(&mut self, subject: &NamedOrBlankNode, object: &Term) -> Result<(), Stopped> {
        let Term::NamedNode(class) = object else { return Ok(()) };
        let Some(class) = class.as_str().strip_prefix(SKOS) else { return Ok(()) };
        let (concept, scheme) = match class {
            "Concept" => (true, false),
            "ConceptScheme" => (false, true),
            "Collection" | "OrderedCollection" => (false, false),
            _ => return Ok(()),
        };
        if let Some(node) = self.subject(subject)? {
            let node = &mut self.nodes[node as usize];
            node.concept |= concept;
            node.scheme |= scheme;
            node.other |= !concept;
        }
        Ok(())
    }

    fn take_label(
        &mut self,
        subject: &NamedOrBlankNode,
        kind: LabelKind,
        object: &Term,
    ) -> Result<(), Stopped> {
        if let (Some(of), Some((language, text))) = (self.subject(subject)?, self.literal(object)?) {
            self.nodes[of as usize].labelled = true;
            self.labels.push(LabelRow { of, language, kind, text });
            self.within(self.labels.len(), "labels")?;
        }
        Ok(())
    }

    fn take_xl_label(
        &mut self,
        subject: &NamedOrBlankNode,
        kind: LabelKind,
        object: &Term,
    ) -> Result<(), Stopped> {
        let Some(label) = node_of(object) else { return Ok(()) };
        if let (Some(of), Some(label)) = (self.subject(subject)?, self.subject(&label)?) {
            self.nodes[of as usize].labelled = true;
            self.xl_labels.push((of, kind, label));
            self.within(self.xl_labels.len(), "labels")?;
        }
        Ok(())
    }

    fn take_relation(
        &mut self,
        narrow: &NamedOrBlankNode,
        broad: &Term,
        pairs: impl Fn(&mut Collector) -> &mut Vec<(u32, u32)>,
    ) -> Result<(), Stopped> {
        let Some(broad) = node_of(broad) else { return Ok(()) };
        if let (Some(narrow), Some(broad)) = (self.subject(narrow)?, self.subject(&broad)?) {
            self.nodes[narrow as usize].concept = true;
            let pairs = pairs(self);
            pairs.push((narrow, broad));
            let len = pairs.len();
            self.within(len, "relations")?;
        }
        Ok(())
    }

    fn take_inverse(
        &mut self,
        broad: &NamedOrBlankNode,
        narrow: &Term,
        pairs: impl Fn(&mut Collector) -> &mut Vec<(u32, u32)>,
    ) -> Result<(), Stopped> {
        let Some(narrow) = node_of(narrow) else { return Ok(()) };
        if let (Some(narrow), Some(broad)) = (self.subject(&narrow)?, self.subject(broad)?) {
            self.nodes[broad as usize].concept = true;
            let pairs = pairs(self);
            pairs.push((narrow, broad));
            let len = pairs.len();
            self.within(len, "relations")?;
        }
        Ok(())
    }

    fn take_membership(
        &mut self,
        concept: &NamedOrBlankNode,
        scheme: &Term,
        pairs: impl Fn(&mut Collector) -> &mut Vec<(u32, u32)>,
    ) -> Result<(), Stopped> {
        let Some(scheme) = node_of(scheme) else { return Ok(()) };
        if let (Some(concept), Some(scheme)) = (self.subject(concept)?, self.subject(&scheme)?) {
            self.nodes[scheme as usize].scheme = true;
            self.nodes[scheme as usize].other = true;
            let pairs = pairs(self);
            pairs.push((concept, scheme));
            let len = pairs.len();
            self.within(len, "memberships of schemes")?;
        }
        Ok(())
    }

    /// The number of a node; `None` if its name is too long.
    fn subject(&mut self, node: &NamedOrBlankNode) -> Result<Option<u32>, Stopped> {
        let (uri, blank) = match node {
            NamedOrBlankNode::NamedNode(node) => (node.as_str(), false),
            NamedOrBlankNode::BlankNode(node) => (node.as_str(), true),
        };
        if uri.is_empty() || uri.len() > MAX_URI {
            self.notes.add(Note::Unusable, 1, "");
            return Ok(None);
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update(&[u8::from(blank)]).update(uri.as_bytes());
        let mut key = [0; 12];
        hasher.finalize_xof().fill(&mut key);
        if let Some(known) = self.numbers.get(&key) {
            return Ok(Some(*known));
        }
        let number = u32::try_from(self.nodes.len()).ok().filter(|number| *number < self.limits.concepts);
        let number = number.ok_or(Stopped::Limit("concepts and labels with URIs", self.limits.concepts))?;
        let uri = self.add_text(uri)?;
        self.nodes.push(Node { uri, blank, ..Node::default() });
        self.numbers.insert(key, number);
        Ok(Some(number))
    }

    /// The language and the cleaned text of a literal.
    fn literal(&mut self, object: &Term) -> Result<Option<(u16, Span)>, Stopped> {
        let Term::Literal(literal) = object else { return Ok(None) };
        self.buffer.clear();
        clean(literal.value(), &mut self.buffer);
        if self.buffer.is_empty() || self.buffer.len() > MAX_LABEL {
            self.notes.add(Note::Unusable, 1, "");
            return Ok(None);
        }
        let language = self.language(literal.language().unwrap_or(""));
        let text = std::mem::take(&mut self.buffer);
        let span = self.add_text(&text)?;
        self.buffer = text;
        Ok(Some((language, span)))
    }

    fn language(&mut self, tag: &str) -> u16 {
        let usable =
            tag.len() <= MAX_TAG && tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let tag = if usable { tag.to_ascii_lowercase() } else { String::new() };
        if !usable {
            self.notes.add(Note::Unusable, 1, "");
        }
        if let Some(known) = self.language_numbers.get(&tag) {
            return *known;
        }
        match u16::try_from(self.languages.len()) {
            Ok(number) if number < u16::MAX => {
                self.languages.push(tag.clone());
                self.language_numbers.insert(tag, number);
                number
            }
            // No file has so many languages. The label stays, without one.
            _ => u16::MAX,
        }
    }

    fn add_text(&mut self, text: &str) -> Result<Span, Stopped> {
        self.texts.add(text).ok_or(Stopped::Limit("bytes of labels and URIs", u32::MAX))
    }

    fn within(&self, len: usize, what: &'static str) -> Result<(), Stopped> {
        if len > self.limits.statements as usize {
            Err(Stopped::Limit(what, self.limits.statements))
        } else {
            Ok(())
        }
    }

    /// Makes schemes of all that was kept.
    fn finish(mut self, file: &str) -> Result<Schemes, ReadError> {
        self.numbers = FxHashMap::default();
        self.resolve_xl();
        let uri = |texts: &Texts, node: &Node| texts.get(node.uri).to_owned();
        // Which nodes are concepts.
        let mut is_concept = vec![false; self.nodes.len()];
        for pairs in [&self.in_scheme, &self.tops] {
            for (concept, _) in pairs {
                is_concept[*concept as usize] = true;
            }
        }
        for (is, node) in is_concept.iter_mut().zip(&self.nodes) {
            // What is only a member of a scheme, or has only a label, may be a collection.
            *is = (node.concept && !node.scheme) || ((*is || node.labelled) && !node.other);
            if *is && (node.deprecated || node.blank) {
                *is = false;
                let (note, place) = if node.deprecated {
                    (Note::Deprecated, uri(&self.texts, node))
                } else {
                    (Note::Anonymous, String::new())
                };
                self.notes.add(note, 1, &place);
            }
        }
        if !is_concept.contains(&true) {
            return Err(ReadError::NoConcepts { file: file.to_owned(), statements: self.statements });
        }
        for pairs in [&mut self.broader, &mut self.ancestors] {
            pairs.retain(|(narrow, broad)| {
                let (narrow, broad) = (*narrow as usize, *broad as usize);
                if is_concept[narrow] && !is_concept[broad] {
                    self.notes.add(Note::DanglingBroader, 1, self.texts.get(self.nodes[broad].uri));
                }
                is_concept[narrow] && is_concept[broad]
            });
        }

        let schemes: BTreeSet<u32> =
            (0_u32..).zip(&self.nodes).filter(|(_, node)| node.scheme).map(|(at, _)| at).collect();
        if schemes.len() > MAX_SCHEMES {
            return Err(ReadError::TooLarge {
                file: file.to_owned(),
                what: "schemes",
                limit: MAX_SCHEMES as u64,
            });
        }
        let titles = self.titles(&schemes);
        let texts = Arc::new(std::mem::take(&mut self.texts));
        let mut made = Vec::new();
        if schemes.len() <= 1 {
            let (own, title) = match schemes.first() {
                Some(scheme) => (
                    texts.get(self.nodes[*scheme as usize].uri).to_owned(),
                    titles.get(scheme).cloned().unwrap_or_default(),
                ),
                None => (file.to_owned(), String::new()),
            };
            let labels = std::mem::take(&mut self.labels);
            made.push(self.scheme(own, title, &texts, &is_concept, labels));
        } else {
            let belongs = self.memberships(&is_concept);
            let mut alone = is_concept.clone();
            for (concept, _) in &belongs {
                alone[*concept as usize] = false;
            }
            let mut members = vec![false; self.nodes.len()];
            for scheme in &schemes {
                members.fill(false);
                for (concept, _) in belongs.iter().filter(|(_, of)| of == scheme) {
                    members[*concept as usize] = true;
                }
                if members.contains(&true) {
                    self.note_elsewhere(&members, &texts);
                    let own = texts.get(self.nodes[*scheme as usize].uri).to_owned();
                    let labels =
                        self.labels.iter().filter(|label| members[label.of as usize]).copied().collect();
                    made.push(self.scheme(
                        own,
                        titles.get(scheme).cloned().unwrap_or_default(),
                        &texts,
                        &members,
                        labels,
                    ));
                }
            }
            if alone.contains(&true) {
                let first = alone
                    .iter()
                    .zip(&self.nodes)
                    .filter(|(alone, _)| **alone)
                    .map(|(_, node)| texts.get(node.uri))
                    .min();
                let count = alone.iter().filter(|alone| **alone).count() as u64;
                self.notes.add(Note::WithoutScheme, count, first.unwrap_or_default());
                self.note_elsewhere(&alone, &texts);
                let labels = self.labels.iter().filter(|label| alone[label.of as usize]).copied().collect();
                made.push(self.scheme(file.to_owned(), String::new(), &texts, &alone, labels));
            }
        }
        made.sort_by(|a, b| a.uri().cmp(b.uri()));
        Ok(Schemes { schemes: made, notes: self.notes })
    }

    /// Puts the texts of SKOS-XL labels in their place.
    fn resolve_xl(&mut self) {
        self.xl_forms.sort_unstable_by_key(|form| form.of);
        for (of, kind, label) in std::mem::take(&mut self.xl_labels) {
            let begin = self.xl_forms.partition_point(|form| form.of < label);
            let forms = self.xl_forms[begin..].iter().take_while(|form| form.of == label);
            self.labels.extend(forms.map(|form| LabelRow { of, kind, ..*form }));
        }
        self.xl_forms = Vec::new();
    }

    /// The title of each scheme: by kind of title, English before none before other languages, then by language and text.
    fn titles(&self, schemes: &BTreeSet<u32>) -> BTreeMap<u32, String> {
        let language =
            |row: &LabelRow| self.languages.get(usize::from(row.language)).map_or("", String::as_str);
        let mut best: BTreeMap<u32, (bool, LabelKind, bool, &str, &str)> = BTreeMap::new();
        let labels = self.labels.iter().filter(|label| self.nodes[label.of as usize].scheme);
        for (is_label, row) in self.titles.iter().map(|row| (false, row)).chain(labels.map(|row| (true, row)))
        {
            if schemes.contains(&row.of) {
                let english = language(row) == "en" || language(row).starts_with("en-");
                let rank = (is_label, row.kind, !english, language(row), self.texts.get(row.text));
                let known = best.entry(row.of).or_insert(rank);
                *known = rank.min(*known);
            }
        }
        best.into_iter().map(|(scheme, (.., title))| (scheme, title.to_owned())).collect()
    }

    /// Which concepts belong to which schemes: as the file says, else to those of their broader concepts.
    fn memberships(&self, is_concept: &[bool]) -> BTreeSet<(u32, u32)> {
        let said = self
            .in_scheme
            .iter()
            .chain(&self.tops)
            .filter(|(concept, _)| is_concept[*concept as usize])
            .copied();
        let mut belongs: BTreeSet<(u32, u32)> = said.collect();
        let mut down: Vec<(u32, u32)> =
            self.broader.iter().map(|(narrow, broad)| (*broad, *narrow)).collect();
        down.sort_unstable();
        let is_said: BTreeSet<u32> = belongs.iter().map(|(concept, _)| *concept).collect();
        let mut waiting: VecDeque<(u32, u32)> = belongs.iter().copied().collect();
        while let Some((broad, scheme)) = waiting.pop_front() {
            let begin = down.partition_point(|(at, _)| *at < broad);
            for (_, narrow) in down[begin..].iter().take_while(|(at, _)| *at == broad) {
                if !is_said.contains(narrow) && belongs.insert((*narrow, scheme)) {
                    waiting.push_back((*narrow, scheme));
                }
            }
        }
        belongs
    }

    fn note_elsewhere(&mut self, members: &[bool], texts: &Texts) {
        for (narrow, broad) in &self.broader {
            if members[*narrow as usize] && !members[*broad as usize] {
                self.notes.add(Note::BroaderElsewhere, 1, texts.get(self.nodes[*narrow as usize].uri));
            }
        }
    }

    /// The scheme of the nodes that are members.
    fn scheme(
        &mut self,
        uri: String,
        title: String,
        texts: &Arc<Texts>,
        members: &[bool],
        mut labels: Vec<LabelRow>,
    ) -> Scheme {
        let mut number = vec![u32::MAX; members.len()];
        let mut concepts = Vec::new();
        for ((number, node), _) in
            number.iter_mut().zip(&self.nodes).zip(members).filter(|(_, member)| **member)
        {
            *number = u32::try_from(concepts.len()).unwrap_or(u32::MAX);
            concepts.push(node.uri);
        }
        labels.retain_mut(|label| {
            label.of = number[label.of as usize];
            label.of != u32::MAX
        });
        let both = |pairs: &[(u32, u32)]| -> Vec<(u32, u32)> {
            let numbered = pairs.iter().map(|(a, b)| (number[*a as usize], number[*b as usize]));
            numbered.filter(|(a, b)| *a != u32::MAX && *b != u32::MAX).collect()
        };
        let texts_of = |pairs: &[(u32, Span)]| -> Vec<(u32, Span)> {
            pairs
                .iter()
                .map(|(of, text)| (number[*of as usize], *text))
                .filter(|(of, _)| *of != u32::MAX)
                .collect()
        };
        let own = |node: u32| texts.get(self.nodes[node as usize].uri) == uri;
        let tops =
            self.tops.iter().filter(|(_, scheme)| own(*scheme)).map(|(concept, _)| number[*concept as usize]);
        let parts = Parts {
            tops: tops.filter(|top| *top != u32::MAX).collect(),
            broader: both(&self.broader),
            ancestors: both(&self.ancestors),
            notations: texts_of(&self.notations),
            exact_matches: texts_of(&self.exact_matches),
            languages: self.languages.clone(),
            texts: Arc::clone(texts),
            uri,
            title,
            concepts,
            labels,
        };
        let (scheme, repairs) = Scheme::new(parts);
        let place = repairs.cycle_at.and_then(|at| scheme.concept(at)).map_or("", |concept| concept.uri());
        self.notes.add(Note::Cycle, repairs.cycles, place);
        self.notes.add(Note::SecondPreferred, repairs.more_preferred, "");
        self.notes.add(Note::Unlabelled, repairs.unlabelled, "");
        scheme
    }
}

fn node_of(term: &Term) -> Option<NamedOrBlankNode> {
    match term {
        Term::NamedNode(node) => Some(node.clone().into()),
        Term::BlankNode(node) => Some(node.clone().into()),
        _ => None,
    }
}

/// Adds a text without control and direction characters, composed, with single spaces. Joiners stay: Persian and Indic scripts
/// need them.
fn clean(text: &str, cleaned: &mut String) {
    // Longer than any label, even if all of it were marks that compose: not worth the work.
    if text.len() > 8 * MAX_LABEL {
        cleaned.push_str(text);
        return;
    }
    let shown = |letter: &char| !matches!(*letter, '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{AD}');
    for word in text.split(|letter: char| letter.is_whitespace() || letter.is_control()) {
        let begin = cleaned.len();
        if begin > 0 {
            cleaned.push(' ');
        }
        let before = cleaned.len();
        if word.is_ascii() {
            cleaned.push_str(word);
        } else if is_nfc_quick(word.chars()) == unicode_normalization::IsNormalized::Yes {
            cleaned.extend(word.chars().filter(shown));
        } else {
            cleaned.extend(word.chars().filter(shown).nfc());
        }
        if cleaned.len() == before {
            cleaned.truncate(begin);
        }
    }
}

/// What stopped a reading.
#[derive(Clone, Copy, Debug)]
enum Tripped {
    Bytes,
    Hostile(&'static str),
}

/// What the guard knows: shared with the reader of the file, since parsers own their input.
#[derive(Debug, Default)]
struct Watch {
    tripped: Option<Tripped>,
    bytes: u64,
    /// Ends of lines so far, and the places of the last ones.
    lines: u64,
    ends: VecDeque<u64>,
}

impl Watch {
    /// The line, from 1, of a place that was read a short while ago.
    fn line(&self, at: u64) -> Option<u64> {
        let after = self.ends.iter().rev().take_while(|end| **end >= at).count();
        (after < self.ends.len() || self.lines <= LINE_ENDS as u64).then_some(self.lines - after as u64 + 1)
    }
}

/// Passes bytes on, and stops at what parsers would make too much of: too many bytes, deep JSON, entities that multiply.
struct Guarded<R> {
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
    fn new(inner: R, format: Format, most: u64) -> (Guarded<R>, Rc<RefCell<Watch>>) {
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
