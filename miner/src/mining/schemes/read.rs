//! Reads schemes of concepts from RDF: SKOS and SKOS-XL in Turtle, N-Triples, RDF/XML and JSON-LD.
//!
//! Parsers of each syntax give statements, of which `statements` keeps what a scheme needs, so memory follows
//! the concepts and not the file; only JSON-LD is held as a whole by its parser. Files are from strangers: bytes, concepts, labels,
//! the length of terms and the depth of JSON have limits, entities of XML cannot multiply (`guard`), and no address
//! is ever fetched. Start at [`read`].

use std::io::{self, Read};

use oxjsonld::{JsonLdErrorCode, JsonLdParseError, JsonLdParser};
use oxrdf::{NamedNode, NamedOrBlankNode, Term};
use oxrdfxml::{RdfXmlParseError, RdfXmlParser};
use oxttl::{NTriplesParser, TurtleParseError, TurtleParser};

use super::guard::{Guarded, Tripped, Watch};
use super::results::{Format, Limits, ReadError, Schemes};
use super::statements::{Collector, OverLimit};

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

impl From<OverLimit> for Stopped {
    fn from(OverLimit(what, limit): OverLimit) -> Stopped {
        Stopped::Limit(what, limit)
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
