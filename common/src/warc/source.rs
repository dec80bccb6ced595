//! The bytes of an archive, gzip members taken apart.
//!
//! A file that begins with gzip's magic number is a row of members; any other is one member without
//! compression. [`Source::peek`] shows the next bytes of the current member and never looks past its end, so
//! a reader notices a record that claims more bytes than its member has. A place in the file is a member's
//! first byte, or in a plain file the byte itself. Start at [`Source::new`].

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::GzDecoder;

const GZIP: [u8; 2] = [0x1F, 0x8B];
/// Bytes that are read at a time.
const BLOCK: usize = 64 << 10;

/// Counts the bytes that were taken out of a reader.
struct Counted {
    from: BufReader<Box<dyn Read + Send>>,
    taken: u64,
}

impl Read for Counted {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(into)?;
        self.taken += read as u64;
        Ok(read)
    }
}

impl BufRead for Counted {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.from.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.taken += amount as u64;
        self.from.consume(amount);
    }
}

enum Member {
    Plain(Counted),
    Gzip(Box<GzDecoder<Counted>>),
    /// Between two members, or behind the last.
    None(Option<Counted>),
}

/// The bytes of an archive.
pub(super) struct Source {
    member: Member,
    /// Where the current member begins.
    member_at: u64,
    /// Bytes of the member that were read and not consumed: from `at` on.
    buffer: Vec<u8>,
    at: usize,
    /// Bytes of the member that were consumed.
    consumed: u64,
    is_gzip: bool,
    /// Whether the member has no bytes behind the buffer.
    is_at_end: bool,
}

impl Source {
    pub(super) fn new(from: Box<dyn Read + Send>) -> io::Result<Source> {
        let mut from = Counted { from: BufReader::with_capacity(BLOCK, from), taken: 0 };
        let is_gzip = from.fill_buf()?.starts_with(&GZIP);
        let member = if is_gzip { gzip(from) } else { Member::Plain(from) };
        let buffer = Vec::new();
        Ok(Source { member, member_at: 0, buffer, at: 0, consumed: 0, is_gzip, is_at_end: false })
    }

    /// Whether the file is compressed.
    pub(super) fn is_gzip(&self) -> bool {
        self.is_gzip
    }

    /// Where the next byte stands in the file, as exactly as can be said.
    pub(super) fn offset(&self) -> u64 {
        if self.is_gzip { self.member_at } else { self.consumed }
    }

    /// Number of bytes read from the file, for progress.
    pub(super) fn taken(&self) -> u64 {
        match &self.member {
            Member::Plain(from) | Member::None(Some(from)) => from.taken,
            Member::Gzip(decoder) => decoder.get_ref().taken,
            Member::None(None) => self.member_at,
        }
    }

    /// The next bytes of the member: at least `wanted`, or all that it has.
    pub(super) fn peek(&mut self, wanted: usize) -> io::Result<&[u8]> {
        while self.buffer.len() - self.at < wanted && !self.is_at_end {
            if self.at > 0 {
                self.buffer.drain(..self.at);
                self.at = 0;
            }
            let held = self.buffer.len();
            self.buffer.resize(held + BLOCK, 0);
            let into = self.buffer.get_mut(held..).unwrap_or_default();
            let read = match &mut self.member {
                Member::Plain(from) => from.read(into),
                Member::Gzip(decoder) => decoder.read(into),
                Member::None(_) => Ok(0),
            };
            self.buffer.truncate(held + *read.as_ref().unwrap_or(&0));
            self.is_at_end = read? == 0;
        }
        Ok(self.buffer.get(self.at..).unwrap_or_default())
    }

    /// Takes bytes that were peeked at.
    pub(super) fn consume(&mut self, amount: usize) {
        let amount = amount.min(self.buffer.len() - self.at);
        self.at += amount;
        self.consumed += amount as u64;
    }

    /// Goes to the next member, past what is left of this one. False if there is none.
    pub(super) fn next_member(&mut self) -> io::Result<bool> {
        while !self.peek(1)?.is_empty() {
            self.consume(usize::MAX);
        }
        let mut from = match std::mem::replace(&mut self.member, Member::None(None)) {
            Member::Gzip(decoder) => decoder.into_inner(),
            other => {
                self.member = other;
                return Ok(false);
            }
        };
        self.member_at = from.taken;
        let next = from.fill_buf()?;
        if next.is_empty() {
            self.member = Member::None(Some(from));
            return Ok(false);
        }
        if !GZIP.starts_with(next.get(..GZIP.len()).unwrap_or(next)) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the bytes here are no gzip member"));
        }
        self.member = gzip(from);
        self.is_at_end = false;
        Ok(true)
    }
}

fn gzip(from: Counted) -> Member {
    Member::Gzip(Box::new(GzDecoder::new(from)))
}
