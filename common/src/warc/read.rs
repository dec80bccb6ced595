//! Reads records, one after another, within limits.
//!
//! Archives of the wild are cut, have wrong lengths, mix packed members with others, or hold a film in one record. What is
//! whole is given; what is not is [skipped](Found::Skipped) with its place, and reading goes on at the next record that can
//! be found. Only where nothing can be found any more, reading ends with an error.
//! Invariants: memory is bounded by [`Limits`]; every record before a fault is given; after an error or the
//! end comes nothing. Start at [`Reader::open`].

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::arc::{self, ArcLine};
use super::record::{Fields, Record, RecordType};
use super::source::{GZIP, Source, ZSTD, starts_member};

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
    /// Bytes of a larger block that are given nevertheless, instead of skipping its record; 0: none.
    pub beginning: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { head: 64 << 10, block: 64 << 20, beginning: 0 }
    }
}

/// The next item of an archive.
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
    /// Its member cannot be decompressed.
    #[error("its compression is broken")]
    Packing,
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
    #[error("`{file}` is empty: it holds no record")]
    Empty {
        /// The file.
        file: String,
    },
    /// The file holds something else.
    #[error(
        "`{file}` is not a web archive: it begins with `{start}`, but a WARC begins with `WARC/1.0` or `WARC/1.1`, and an \
         ARC with `filedesc:`"
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
        /// Where the broken member begins.
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

impl Fault {
    /// Whether a packed member is to blame, rather than the system.
    fn is_damage(&self) -> bool {
        match self {
            Fault::Io(error) => error.kind() == io::ErrorKind::InvalidData,
            Fault::Cut => true,
            Fault::Foreign(_) | Fault::Empty => false,
        }
    }
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
    /// Size of the file, which says at once that a record that is not packed cannot be as long as it claims.
    size: Option<u64>,
    limits: Limits,
    /// Where the record in work begins.
    offset: u64,
    /// Number of records given or skipped.
    records: u64,
    /// Whether there are records of ARC.
    is_arc: bool,
    /// Whether the record in work is the first of its packed member.
    is_first: bool,
    /// The fault found after the last record. The next call returns it.
    fault: Option<Fault>,
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
        reader.size = meta.is_file().then_some(meta.len());
        Ok(reader)
    }

    /// Reads from a stream. Errors give its `name`.
    ///
    /// # Errors
    /// When the first bytes cannot be read.
    pub fn new(from: Box<dyn Read + Send>, name: &str, limits: Limits) -> io::Result<Reader> {
        let source = Source::new(from)?;
        let file = name.into();
        Ok(Reader {
            source,
            file,
            size: None,
            limits,
            offset: 0,
            records: 0,
            is_arc: false,
            is_first: false,
            fault: None,
            is_over: false,
        })
    }

    /// Number of bytes of the file that were read so far.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.source.taken()
    }

    /// Number of bytes that the record that was given last has in the file, from its offset on: those of its packed member, or
    /// else without the line ends behind its block. `None`: these bytes alone are not the record, because its member holds
    /// others or is broken.
    pub fn record_length(&mut self) -> Option<u64> {
        let end = self.record_end().unwrap_or_else(|fault| {
            self.fault = Some(fault);
            None
        })?;
        self.is_first.then_some(end.saturating_sub(self.offset))
    }

    /// Where the last record ends in the file. `None` if its member goes on.
    fn record_end(&mut self) -> Result<Option<u64>, Fault> {
        if !self.source.is_packed() {
            return Ok(Some(self.source.offset()));
        }
        while let Some(b'\r' | b'\n') = self.source.peek(1)?.first() {
            self.source.consume(1);
        }
        let is_over = self.source.peek(1)?.is_empty();
        Ok(is_over.then(|| self.source.taken()))
    }

    /// The next record, or the reason why it cannot be read. A broken member costs itself, if anything can be found behind it.
    fn found(&mut self) -> Result<Option<Found>, WarcError> {
        let fault = match self.next_found() {
            Ok(found) => return Ok(found),
            Err(fault) => fault,
        };
        let is_members = self.source.is_packed() && fault.is_damage();
        let error = self.error(fault);
        if is_members {
            self.source.leave_member();
            if let Ok(true) = self.seek_record() {
                return Ok(Some(self.skipped(None, Why::Packing)));
            }
        }
        Err(error)
    }

    fn next_found(&mut self) -> Result<Option<Found>, Fault> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        if !self.seek_content()? {
            return if self.records == 0 { Err(Fault::Empty) } else { Ok(None) };
        }
        self.offset = self.source.offset();
        self.is_first = self.source.is_at_member() || !self.source.is_packed();
        if let Some(line) = self.arc_line()? {
            self.source.consume(line.line);
            return Ok(Some(match self.block(line.length)? {
                Ok(block) => {
                    let (kind, fields) = line.into_fields(&block);
                    Found::Record(Record { kind: Some(kind), fields, block, offset: self.offset })
                }
                Err(why) => self.skipped(None, why),
            }));
        }
        if !starts_record(self.source.peek(FIRST_LINE)?) {
            return self.stray();
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
        Ok(Some(match self.block(length)? {
            Ok(block) => Found::Record(Record { kind, fields, block, offset: self.offset }),
            Err(why) => self.skipped(kind, why),
        }))
    }

    /// Goes past bytes that begin no record.
    fn stray(&mut self) -> Result<Option<Found>, Fault> {
        let is_packed = self.source.is_packed();
        let bytes = self.source.peek(FIRST_LINE)?;
        if self.records == 0 {
            return Err(Fault::Foreign(start(bytes)));
        }
        if is_cut_first_line(bytes) {
            return Err(Fault::Cut);
        }
        // Where members are packed, bytes that are not are what is left of one, or belong to another file.
        if !self.seek_record()? && !is_packed && self.source.has_packed() {
            let what = "the bytes here begin no packed member and no record";
            return Err(Fault::Io(io::Error::new(io::ErrorKind::InvalidData, what)));
        }
        Ok(Some(self.skipped(None, Why::Stray)))
    }

    /// Takes a block, or goes past it if it cannot be given.
    fn block(&mut self, length: u64) -> Result<Result<Vec<u8>, Why>, Fault> {
        let room = self.size.map(|size| size.saturating_sub(self.source.offset()));
        if !self.source.is_packed() && room.is_some_and(|room| length > room) {
            // Either the file was cut, or the length is a lie and further records follow.
            return if self.seek_record()? { Ok(Err(Why::Length)) } else { Err(Fault::Cut) };
        }
        let mut block = Vec::new();
        let is_kept = length <= self.limits.block;
        let beginning = if is_kept { length } else { self.limits.beginning as u64 };
        let is_whole = self.take(beginning, Some(&mut block))? && self.take(length - beginning, None)?;
        Ok(if !is_whole {
            Err(Why::Length)
        } else if is_kept || beginning > 0 {
            Ok(block)
        } else {
            Err(Why::TooLarge(length))
        })
    }

    fn skipped(&self, kind: Option<RecordType>, why: Why) -> Found {
        Found::Skipped(SkippedRecord { offset: self.offset, kind, why })
    }

    /// Goes past line ends and the zeros with which some systems fill files up, and into the next member. False at the end
    /// of the file.
    fn seek_content(&mut self) -> Result<bool, Fault> {
        loop {
            match self.source.peek(1)?.first() {
                Some(b'\r' | b'\n' | 0) => self.source.consume(1),
                Some(_) => {
                    if !self.source.enter_member()? {
                        return Ok(true);
                    }
                    self.offset = self.source.offset();
                }
                None => {
                    if !self.source.next_member()? {
                        return Ok(false);
                    }
                    self.offset = self.source.offset();
                }
            }
        }
    }

    /// Parses the ARC header line at this place; only in ARC files.
    fn arc_line(&mut self) -> Result<Option<ArcLine>, Fault> {
        let bytes = self.source.peek(FIRST_LINE)?;
        let may_be = self.is_arc || self.records == 0 || bytes.starts_with(b"filedesc:");
        if !may_be || starts_record(bytes) {
            return Ok(None);
        }
        let line = ArcLine::parse(self.source.peek(arc::MOST_LINE)?);
        self.is_arc |= line.is_some();
        Ok(line)
    }

    /// Takes a header with its empty line. `None` if it is too long, or its member ends before it does; then
    /// its first line is taken.
    fn head(&mut self) -> Result<Option<Vec<u8>>, Fault> {
        let is_plain = !self.source.is_packed();
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
                // What is not packed does not continue what is.
                if !self.source.is_packed() || starts_record(self.source.peek(FIRST_LINE)?) {
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

    /// Goes to the next line that begins a record, or member that does. False if there is none.
    fn seek_record(&mut self) -> Result<bool, Fault> {
        loop {
            match self.seek_record_here() {
                // The next member may begin within what this one took for its own.
                Err(fault) if self.source.is_packed() && fault.is_damage() => self.source.leave_member(),
                Ok(None) => {}
                Ok(Some(is_found)) => return Ok(is_found),
                Err(fault) => return Err(fault),
            }
        }
    }

    /// A step of it; `None` if there is more to look at.
    fn seek_record_here(&mut self) -> Result<Option<bool>, Fault> {
        let (is_packed, is_arc) = (self.source.is_packed(), self.is_arc);
        let bytes = self.source.peek(STEP)?;
        if bytes.is_empty() {
            if !self.source.next_member()? {
                return Ok(Some(false));
            }
            return Ok(self.starts_here()?.then_some(true));
        }
        let begins = |at: usize, byte: u8| match byte {
            b'\n' => {
                let line = bytes.get(at + 1..).unwrap_or_default();
                starts_record(line) || is_arc && ArcLine::parse(line).is_some()
            }
            0x1F | 0x28 => !is_packed && bytes.get(at..).is_some_and(starts_member),
            _ => false,
        };
        let place = bytes.iter().enumerate().find(|(at, byte)| begins(*at, **byte));
        let place = place.map(|(at, byte)| if *byte == b'\n' { at + 1 } else { at });
        // The end of the buffer may cut the first line short.
        let hidden = if is_arc { arc::MOST_LINE } else { FIRST_LINE };
        let seen = if bytes.len() < STEP { bytes.len() } else { bytes.len() - hidden };
        self.source.consume(place.unwrap_or(seen));
        if place.is_none() {
            return Ok(None);
        }
        if self.source.enter_member()? {
            return Ok(self.starts_here()?.then_some(true));
        }
        Ok(Some(true))
    }

    /// Whether a record begins here.
    fn starts_here(&mut self) -> Result<bool, Fault> {
        Ok(starts_record(self.source.peek(FIRST_LINE)?) || self.arc_line()?.is_some())
    }

    fn error(&self, fault: Fault) -> WarcError {
        let (file, offset, records) = (self.file.clone(), self.offset, self.records);
        match fault {
            Fault::Cut => WarcError::Cut { file, offset, records },
            Fault::Empty => WarcError::Empty { file },
            Fault::Foreign(start) => WarcError::Foreign { file, start },
            Fault::Io(error) => match error.kind() {
                io::ErrorKind::InvalidData => {
                    let is_packed = self.source.is_packed();
                    let offset = if is_packed { self.source.offset() } else { offset };
                    let reason = error.to_string();
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
        self.records += u64::from(!self.is_over);
        found.transpose()
    }
}

/// Whether bytes begin with the first line of a record: `WARC/`, a version, a line end.
fn starts_record(bytes: &[u8]) -> bool {
    let Some(rest) = bytes.strip_prefix(b"WARC/") else { return false };
    let version = rest.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    let line_end = rest.get(version..).unwrap_or_default();
    let blank = line_end.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
    version > 0 && line_end.get(blank) == Some(&b'\n')
}

/// Whether these last bytes of a file are the beginning of a record's first line, or of a packed member.
fn is_cut_first_line(bytes: &[u8]) -> bool {
    let beginnings: [&[u8]; 4] = [b"WARC/1.0\r\n", b"WARC/1.1\r\n", GZIP, ZSTD];
    beginnings.iter().any(|line| line.starts_with(bytes))
}

/// Where the bytes behind the first empty line begin.
pub(super) fn empty_line(bytes: &[u8]) -> Option<usize> {
    let mut lines = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    lines.find_map(|at| {
        // Some writers end lines with `\r\r\n`.
        let returns = bytes.get(at..)?.iter().take_while(|byte| **byte == b'\r').count();
        (bytes.get(at + returns) == Some(&b'\n')).then_some(at + returns + 1)
    })
}

/// The first letters of a foreign file, harmless on a terminal.
fn start(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes.get(..FIRST_LINE).unwrap_or(bytes));
    text.replace(char::is_control, "\u{fffd}")
}

#[cfg(test)]
mod tests;
