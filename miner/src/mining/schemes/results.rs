//! The results of reading a file: schemes with notes on what was left out, or an error that names file, line, cause and remedy.
//!
//! Faults of single statements are counted in [`Notes`], because thesauri have them and are useful all the same. What makes a
//! file unusable is a [`ReadError`].

use std::collections::BTreeMap;
use std::{fmt, io};

use super::scheme::Scheme;

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

impl ReadError {
    /// The same error of a file that has this name.
    #[must_use]
    pub fn in_file(self, file: &str) -> ReadError {
        let file = file.to_owned();
        match self {
            ReadError::UnknownFormat { .. } => ReadError::UnknownFormat { file },
            ReadError::Io { source, .. } => ReadError::Io { file, source },
            ReadError::Syntax { line, format, cause, .. } => ReadError::Syntax { file, line, format, cause },
            ReadError::RemoteContext { cause, .. } => ReadError::RemoteContext { file, cause },
            ReadError::Hostile { line, cause, .. } => ReadError::Hostile { file, line, cause },
            ReadError::TooLarge { what, limit, .. } => ReadError::TooLarge { file, what, limit },
            ReadError::NoConcepts { statements, .. } => ReadError::NoConcepts { file, statements },
        }
    }
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

    pub(super) fn add(&mut self, note: Note, count: u64, place: &str) {
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
