//! Reads records, one after another, within limits.
//!
//! Archives of the wild are cut, have wrong lengths, or hold a film in one record. What is whole is given;
//! what is not is [skipped](Found::Skipped) with its place, and reading goes on at the next record that can be
//! found. Only where nothing can be found any more, reading ends with an error.
//! Invariants: memory is bounded by [`Limits`]; every record before a fault is given; after an error or the
//! end comes nothing. Start at [`Reader::open`].

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::record::{Fields, Record, RecordType};
use super::source::Source;

/// Bytes that are looked at or taken at a time.
const STEP: usize = 64 << 10;
/// Longest first line of a record: `WARC/1.1` and a line end, with room.
const FIRST_LINE: usize = 16;

/// What a reader holds at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a record's header.
    pub head: usize,
    /// Bytes of a record's block. A record with a larger one is skipped.
    pub block: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { head: 64 << 10, block: 64 << 20 }
    }
}

/// What stands next in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A whole record.
    Record(Record),
    /// Something that cannot be given.
    Skipped(SkippedRecord),
}

/// A record that is not given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedRecord {
    /// Where it begins, as [`Record::offset`].
    pub offset: u64,
    /// Its type, if its header could be read.
    pub kind: Option<RecordType>,
    /// The reason.
    pub why: Why,
}

/// Why a record is not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// Its block is over the limit.
    #[error("it has {0} bytes, more than the limit")]
    TooLarge(u64),
    /// Its header is over the limit, or lacks a length.
    #[error("its header is too long or names no length")]
    Header,
    /// It claims more bytes than there are before the next record.
    #[error("its length is wrong")]
    Length,
    /// Bytes that belong to no record: the record before claims fewer bytes than it has.
    #[error("bytes that belong to no record")]
    Stray,
}

/// Why an archive cannot be read, or not to its end.
#[derive(Debug, thiserror::Error)]
pub enum WarcError {
    /// The file cannot be opened.
    #[error("cannot open `{file}`: {source}")]
    Open {
        /// The file.
        file: String,
        /// The system's reason.
        source: io::Error,
    },
    /// The file holds nothing.
    #[error("`{file}` is empty: it holds no WARC record")]
    Empty {
        /// The file.
        file: String,
    },
    /// The file holds something else.
    #[error(
        "`{file}` is not a WARC file: it begins with `{start}`, and a WARC with `WARC/1.0` or `WARC/1.1`"
    )]
    Foreign {
        /// The file.
        file: String,
        /// Its first letters.
        start: String,
    },
    /// The file ends within a record.
    #[error(
        "`{file}` is cut off: the record at byte {offset} is not whole; {records} records stand before it"
    )]
    Cut {
        /// The file.
        file: String,
        /// Where the record begins.
        offset: u64,
        /// Number of whole records.
        records: u64,
    },
    /// The compression is broken.
    #[error("`{file}` is broken at byte {offset}, after {records} records: {reason}")]
    Broken {
        /// The file.
        file: String,
        /// Where the broken gzip member begins.
        offset: u64,
        /// Number of whole records.
        records: u64,
        /// What the decoder says.
        reason: String,
    },
    /// The system cannot read on.
    #[error("cannot read `{file}` at byte {offset}: {source}")]
    Io {
        /// The file.
        file: String,
        /// The place.
        offset: u64,
        /// The system's reason.
        source: io::Error,
    },
}

/// An end before the end.
enum Fault {
    Io(io::Error),
    Cut,
    Foreign(String),
    Empty,
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        if error.kind() == io::ErrorKind::UnexpectedEof { Fault::Cut } else { Fault::Io(error) }
    }
}

/// Reads an archive, record by record.
pub struct Reader {
    source: Source,
    file: String,
    /// Size of a plain file, which says at once that a record cannot be as long as it claims.
    size: Option<u64>,
    limits: Limits,
    /// Where the record in work begins.
    offset: u64,
    /// Number of records given or skipped.
    records: u64,
    is_over: bool,
}

impl Reader {
    /// Opens a file, compressed or not, whatever its name.
    ///
    /// # Errors
    /// When the file cannot be opened or read.
    pub fn open(path: &Path, limits: Limits) -> Result<Reader, WarcError> {
        let file = path.display().to_string();
        let failed = |source| WarcError::Open { file: file.clone(), source };
        let opened = File::open(path).map_err(failed)?;
        let meta = opened.metadata().map_err(failed)?;
        let mut reader = Reader::new(Box::new(opened), &file, limits).map_err(failed)?;
        reader.size = (meta.is_file() && !reader.source.is_gzip()).then_some(meta.len());
        Ok(reader)
    }

    /// Reads from a stream; `name` stands in its errors.
    ///
    /// # Errors
    /// When the first bytes cannot be read.
    pub fn new(from: Box<dyn Read + Send>, name: &str, limits: Limits) -> io::Result<Reader> {
        let source = Source::new(from)?;
        Ok(Reader { source, file: name.into(), size: None, limits, offset: 0, records: 0, is_over: false })
    }

    /// Number of bytes of the file that were read so far.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.source.taken()
    }

    fn found(&mut self) -> Result<Option<Found>, Fault> {
        if !self.seek_content()? {
            return if self.records == 0 { Err(Fault::Empty) } else { Ok(None) };
        }
        self.offset = self.source.offset();
        if !starts_record(self.source.peek(FIRST_LINE)?) {
            if self.records == 0 {
                return Err(Fault::Foreign(start(self.source.peek(FIRST_LINE)?)));
            }
            if is_cut_first_line(self.source.peek(FIRST_LINE)?) {
                return Err(Fault::Cut);
            }
            self.seek_record()?;
            return Ok(Some(self.skipped(None, Why::Stray)));
        }
        let Some(head) = self.head()? else {
            self.seek_record()?;
            return Ok(Some(self.skipped(None, Why::Header)));
        };
        let fields = Fields::parse(&head);
        let kind = fields.get("WARC-Type").and_then(RecordType::named);
        let Some(length) = fields.get("Content-Length").and_then(|text| text.parse::<u64>().ok()) else {
            self.seek_record()?;
            return Ok(Some(self.skipped(kind, Why::Header)));
        };
        if self.size.is_some_and(|size| length > size.saturating_sub(self.source.offset())) {
            // Either the file was cut, or the length is a lie and further records follow.
            return if self.seek_record()? {
                Ok(Some(self.skipped(kind, Why::Length)))
            } else {
                Err(Fault::Cut)
            };
        }
        let mut block = Vec::new();
        let is_kept = length <= self.limits.block;
        if !self.take(length, is_kept.then_some(&mut block))? {
            return Ok(Some(self.skipped(kind, Why::Length)));
        }
        if !is_kept {
            return Ok(Some(self.skipped(kind, Why::TooLarge(length))));
        }
        Ok(Some(Found::Record(Record { kind, fields, block, offset: self.offset })))
    }

    fn skipped(&self, kind: Option<RecordType>, why: Why) -> Found {
        Found::Skipped(SkippedRecord { offset: self.offset, kind, why })
    }

    /// Goes past line ends, and into the next member. False at the end of the file.
    fn seek_content(&mut self) -> Result<bool, Fault> {
        loop {
            match self.source.peek(1)?.first() {
                Some(b'\r' | b'\n') => self.source.consume(1),
                Some(_) => return Ok(true),
                None => {
                    if !self.source.next_member()? {
                        return Ok(false);
                    }
                    self.offset = self.source.offset();
                }
            }
        }
    }

    /// Takes a header with its empty line. `None` if it is too long, or its member ends before it does; then
    /// its first line is taken.
    fn head(&mut self) -> Result<Option<Vec<u8>>, Fault> {
        let is_plain = !self.source.is_gzip();
        let mut wanted = 1024;
        loop {
            let bytes = self.source.peek(wanted)?;
            if let Some(end) = empty_line(bytes).filter(|end| *end <= self.limits.head) {
                let head = bytes.get(..end).unwrap_or_default().to_vec();
                self.source.consume(end);
                return Ok(Some(head));
            }
            let is_whole = bytes.len() < wanted;
            if is_whole && is_plain {
                return Err(Fault::Cut);
            }
            if is_whole || bytes.len() >= self.limits.head {
                self.source.consume(1);
                return Ok(None);
            }
            wanted = bytes.len().max(wanted) * 2;
        }
    }

    /// Takes `length` bytes. False if their member ends before, and the next begins with a record.
    fn take(&mut self, length: u64, mut into: Option<&mut Vec<u8>>) -> Result<bool, Fault> {
        let mut left = length;
        while left > 0 {
            let bytes = self.source.peek(1)?;
            if bytes.is_empty() {
                // A long record may stand in several members, though its header stands in one.
                if !self.source.next_member()? {
                    return Err(Fault::Cut);
                }
                if starts_record(self.source.peek(FIRST_LINE)?) {
                    return Ok(false);
                }
                continue;
            }
            let taken = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
            if let Some(into) = into.as_mut() {
                into.extend_from_slice(bytes.get(..taken).unwrap_or_default());
            }
            self.source.consume(taken);
            left -= taken as u64;
        }
        Ok(true)
    }

    /// Goes to the next line that begins a record. False if there is none.
    fn seek_record(&mut self) -> Result<bool, Fault> {
        loop {
            let bytes = self.source.peek(STEP)?;
            if bytes.is_empty() {
                if !self.source.next_member()? {
                    return Ok(false);
                }
                if starts_record(self.source.peek(FIRST_LINE)?) {
                    return Ok(true);
                }
                continue;
            }
            let lines = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
            let place = lines.into_iter().find(|at| bytes.get(*at..).is_some_and(starts_record));
            // A first line may be cut by the end of what is seen.
            let seen = if bytes.len() < STEP { bytes.len() } else { bytes.len() - FIRST_LINE };
            self.source.consume(place.unwrap_or(seen));
            if place.is_some() {
                return Ok(true);
            }
        }
    }

    fn error(&self, fault: Fault) -> WarcError {
        let (file, offset, records) = (self.file.clone(), self.offset, self.records);
        match fault {
            Fault::Cut => WarcError::Cut { file, offset, records },
            Fault::Empty => WarcError::Empty { file },
            Fault::Foreign(start) => WarcError::Foreign { file, start },
            Fault::Io(error) => match error.kind() {
                io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
                    let (offset, reason) = (self.source.offset(), error.to_string());
                    WarcError::Broken { file, offset, records, reason }
                }
                _ => WarcError::Io { file, offset: self.source.offset(), source: error },
            },
        }
    }
}

impl Iterator for Reader {
    type Item = Result<Found, WarcError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let found = self.found();
        self.is_over = !matches!(found, Ok(Some(_)));
        match found {
            Ok(found) => {
                self.records += u64::from(found.is_some());
                found.map(Ok)
            }
            Err(fault) => Some(Err(self.error(fault))),
        }
    }
}

/// Whether bytes begin with the first line of a record: `WARC/`, a version, a line end.
fn starts_record(bytes: &[u8]) -> bool {
    let Some(rest) = bytes.strip_prefix(b"WARC/") else { return false };
    let version = rest.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    let line_end = rest.get(version..).unwrap_or_default();
    version > 0 && (line_end.starts_with(b"\n") || line_end.starts_with(b"\r\n"))
}

/// Whether these last bytes of a file are the beginning of a record's first line.
fn is_cut_first_line(bytes: &[u8]) -> bool {
    [b"WARC/1.0\r\n", b"WARC/1.1\r\n"].iter().any(|line| line.starts_with(bytes))
}

/// Where the bytes behind the first empty line begin.
fn empty_line(bytes: &[u8]) -> Option<usize> {
    let mut lines = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    lines.find_map(|at| match bytes.get(at..)? {
        [b'\n', ..] => Some(at + 1),
        [b'\r', b'\n', ..] => Some(at + 2),
        _ => None,
    })
}

/// The first letters of a foreign file, harmless on a terminal.
fn start(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes.get(..FIRST_LINE).unwrap_or(bytes));
    text.replace(char::is_control, "\u{fffd}")
}

#[cfg(test)]
mod tests;
