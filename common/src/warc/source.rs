//! The bytes of an archive, its packed members taken apart.
//!
//! An archive is a row of members: gzip members, zstd frames, and bytes that are not packed, in any mix. A zstd file may
//! begin with a dictionary for its frames. [`Source::peek`] shows the next bytes of the current member and never looks past
//! its end, so a reader notices a record that claims more bytes than its member has. A place in the file is a member's
//! first byte, or the byte itself where nothing is packed. A member that turns out to be broken can be
//! [left](Source::leave_member): what it had taken from the file is given back, as far as it is remembered, because the next
//! member may begin there. Invariant: memory is bounded, whatever a member unpacks to. Start at [`Source::new`].

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;
use zstd::zstd_safe::{DCtx, InBuffer, OutBuffer, ResetDirective, get_error_name};

/// How a gzip member and a frame of zstd begin.
pub(super) const GZIP: &[u8] = &[0x1F, 0x8B];
pub(super) const ZSTD: &[u8] = &[0x28, 0xB5, 0x2F, 0xFD];
/// The first byte of the magic number of the frame that holds the dictionary of a `.warc.zst`.
const DICTIONARY: u8 = 0x5D;
/// Most bytes of a dictionary, packed or not.
const MOST_DICTIONARY: usize = 8 << 20;
/// Bytes that are read at a time.
const BLOCK: usize = 64 << 10;
/// Bytes of a member that can be given back, and how many altogether in a file.
const REMEMBERED: usize = 1 << 20;
const MOST_GIVEN_BACK: usize = 64 << 20;
/// A member that unpacks to more than this many bytes, and to so many times its size, is a bomb. Gzip packs 1:1032 at most.
const BOMB: (u64, u64) = (64 << 20, 2_000);
/// A file with more bombs is not read on.
const MOST_BOMBS: u32 = 20;

/// The bytes of the file.
struct Raw {
    from: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    at: usize,
    /// Number of bytes that were taken out.
    taken: u64,
    /// The last bytes that were taken out, while a packed member is read.
    remembered: Option<Vec<u8>>,
    given_back: usize,
    /// Whether the system failed to read on. Other errors of a decoder are the member's.
    has_failed: bool,
}

impl Raw {
    /// At least `wanted` bytes, or all that the file has.
    fn peek(&mut self, wanted: usize) -> io::Result<&[u8]> {
        while self.buffer.len() - self.at < wanted {
            self.buffer.drain(..self.at);
            self.at = 0;
            let held = self.buffer.len();
            self.buffer.resize(held + BLOCK, 0);
            let read = self.from.read(self.buffer.get_mut(held..).unwrap_or_default());
            self.buffer.truncate(held + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.has_failed = true;
                    return Err(error);
                }
            }
        }
        Ok(self.buffer.get(self.at..).unwrap_or_default())
    }

    /// Puts bytes back that were taken out last.
    fn give_back(&mut self, bytes: &[u8]) {
        self.taken -= bytes.len() as u64;
        self.buffer.splice(..self.at, bytes.iter().copied());
        self.at = 0;
    }
}

impl Read for Raw {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let bytes = self.fill_buf()?;
        let amount = bytes.len().min(into.len());
        into.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        self.consume(amount);
        Ok(amount)
    }
}

impl BufRead for Raw {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.peek(1)
    }

    fn consume(&mut self, amount: usize) {
        let end = (self.at + amount).min(self.buffer.len());
        if let Some(remembered) = &mut self.remembered {
            remembered.extend_from_slice(self.buffer.get(self.at..end).unwrap_or_default());
            if remembered.len() > 2 * REMEMBERED {
                remembered.drain(..remembered.len() - REMEMBERED);
            }
        }
        self.taken += (end - self.at) as u64;
        self.at = end;
    }
}

/// A frame of zstd.
struct Frame {
    raw: Raw,
    context: DCtx<'static>,
    is_over: bool,
}

impl Read for Frame {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while !self.is_over {
            let bytes = self.raw.fill_buf()?;
            let is_end = bytes.is_empty();
            let (mut from, mut to) = (InBuffer::around(bytes), OutBuffer::around(&mut *into));
            let left = self.context.decompress_stream(&mut to, &mut from);
            let (used, unpacked) = (from.pos(), to.pos());
            let left =
                left.map_err(|code| io::Error::new(io::ErrorKind::InvalidData, get_error_name(code)))?;
            self.raw.consume(used);
            self.is_over = left == 0;
            if unpacked > 0 {
                return Ok(unpacked);
            }
            if is_end && !self.is_over {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(0)
    }
}

enum Member {
    Plain(Raw),
    Gzip(Box<GzDecoder<Raw>>),
    Zstd(Box<Frame>),
    /// Only while one member gives way to the next.
    None,
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
    /// Whether the member has no bytes behind the buffer.
    is_at_end: bool,
    /// Whether any member so far was packed.
    has_packed: bool,
    /// What unpacks frames, with the file's dictionary.
    context: Option<DCtx<'static>>,
    bombs: u32,
}

impl Source {
    pub(super) fn new(from: Box<dyn Read + Send>) -> io::Result<Source> {
        let mut raw = Raw {
            from,
            buffer: Vec::new(),
            at: 0,
            taken: 0,
            remembered: None,
            given_back: 0,
            has_failed: false,
        };
        raw.peek(1)?;
        Ok(Source {
            member: Member::Plain(raw),
            member_at: 0,
            buffer: Vec::new(),
            at: 0,
            consumed: 0,
            is_at_end: false,
            has_packed: false,
            context: None,
            bombs: 0,
        })
    }

    /// Whether the current member is packed.
    pub(super) fn is_packed(&self) -> bool {
        !matches!(self.member, Member::Plain(_))
    }

    /// Whether this member or one before it is packed.
    pub(super) fn has_packed(&self) -> bool {
        self.has_packed
    }

    /// Whether nothing of the current member was consumed.
    pub(super) fn is_at_member(&self) -> bool {
        self.consumed == 0
    }

    /// The place of the next byte in the file, as exactly as it is known.
    pub(super) fn offset(&self) -> u64 {
        if self.is_packed() { self.member_at } else { self.member_at + self.consumed }
    }

    /// Number of bytes read from the file, for progress.
    pub(super) fn taken(&self) -> u64 {
        self.raw().map_or(self.member_at, |raw| raw.taken)
    }

    fn raw(&self) -> Option<&Raw> {
        match &self.member {
            Member::Plain(raw) => Some(raw),
            Member::Gzip(decoder) => Some(decoder.get_ref()),
            Member::Zstd(frame) => Some(&frame.raw),
            Member::None => None,
        }
    }

    /// The next bytes of the member: at least `wanted`, or all that it has.
    ///
    /// # Errors
    /// `InvalidData` if the member is broken, `UnexpectedEof` if the file ends within it, or what the system says.
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
                Member::Plain(raw) => raw.read(into),
                Member::Gzip(decoder) => decoder.read(into),
                Member::Zstd(frame) => frame.read(into),
                Member::None => Ok(0),
            };
            self.buffer.truncate(held + *read.as_ref().unwrap_or(&0));
            self.is_at_end = read.map_err(|error| self.told(error))? == 0;
            let unpacked = self.consumed + self.buffer.len() as u64;
            let packed = self.taken() - self.member_at;
            if self.is_packed() && unpacked > BOMB.0 && unpacked / packed.max(1) > BOMB.1 {
                self.bombs += 1;
                return Err(io::Error::new(io::ErrorKind::InvalidData, "it unpacks beyond measure"));
            }
        }
        Ok(self.buffer.get(self.at..).unwrap_or_default())
    }

    /// The error of a decoder, told apart from one of the system.
    fn told(&self, error: io::Error) -> io::Error {
        let is_systems = self.raw().is_none_or(|raw| raw.has_failed) || !self.is_packed();
        if is_systems || error.kind() == io::ErrorKind::UnexpectedEof {
            return error;
        }
        io::Error::new(io::ErrorKind::InvalidData, error.to_string())
    }

    /// Takes bytes that were peeked at.
    pub(super) fn consume(&mut self, amount: usize) {
        let amount = amount.min(self.buffer.len() - self.at);
        self.at += amount;
        self.consumed += amount as u64;
    }

    /// Begins a packed member here, in the midst of bytes that are not packed. False if none begins here.
    pub(super) fn enter_member(&mut self) -> io::Result<bool> {
        let is_member = !self.is_packed() && starts_member(self.peek(4)?);
        if is_member {
            let raw = self.take_raw();
            self.begin_member(raw)?;
        }
        Ok(is_member)
    }

    /// Goes to the next member, past what is left of this one. False if there is none.
    pub(super) fn next_member(&mut self) -> io::Result<bool> {
        while !self.peek(1)?.is_empty() {
            self.consume(usize::MAX);
        }
        if !self.is_packed() {
            return Ok(false);
        }
        let raw = self.take_raw();
        self.begin_member(raw)
    }

    /// Leaves a broken member. What it took from the file is given back, except for its first byte.
    pub(super) fn leave_member(&mut self) {
        let mut raw = self.take_raw();
        let first = self.member_at + 1;
        let remembered = raw.remembered.take().unwrap_or_default();
        if raw.taken < first {
            raw.consume(1);
        } else if raw.given_back < MOST_GIVEN_BACK {
            let length = usize::try_from(raw.taken - first).unwrap_or(usize::MAX).min(remembered.len());
            raw.given_back += length;
            raw.give_back(remembered.get(remembered.len() - length..).unwrap_or_default());
        }
        if self.bombs > MOST_BOMBS {
            raw.from = Box::new(io::empty());
            raw.buffer.clear();
            raw.at = 0;
        }
        self.put_plain(raw);
    }

    /// Takes the file out of the current member, together with what the member did not consume if it is not packed.
    fn take_raw(&mut self) -> Raw {
        let rest = self.buffer.split_off(self.at);
        self.buffer.clear();
        self.at = 0;
        match std::mem::replace(&mut self.member, Member::None) {
            Member::Plain(mut raw) => {
                raw.give_back(&rest);
                raw
            }
            Member::Gzip(decoder) => decoder.into_inner(),
            Member::Zstd(frame) => {
                self.context = Some(frame.context);
                frame.raw
            }
            // Nothing is read between two members.
            Member::None => Raw {
                from: Box::new(io::empty()),
                buffer: Vec::new(),
                at: 0,
                taken: self.member_at,
                remembered: None,
                given_back: 0,
                has_failed: false,
            },
        }
    }

    fn put_plain(&mut self, mut raw: Raw) {
        raw.remembered = None;
        self.member_at = raw.taken;
        self.member = Member::Plain(raw);
        self.consumed = 0;
        self.is_at_end = false;
    }

    /// Skips frames without data and begins the next member. Returns false at the end of the file.
    fn begin_member(&mut self, mut raw: Raw) -> io::Result<bool> {
        raw.remembered = None;
        let skipped = self.skip_frames(&mut raw);
        self.put_plain(raw);
        skipped?;
        let Member::Plain(raw) = &mut self.member else { return Ok(false) };
        let (is_gzip, is_zstd, is_end) = {
            let bytes = raw.peek(4)?;
            (bytes.starts_with(GZIP), bytes.starts_with(ZSTD), bytes.is_empty())
        };
        if !is_gzip && !is_zstd {
            return Ok(!is_end);
        }
        let mut raw = self.take_raw();
        raw.remembered = Some(Vec::new());
        self.has_packed = true;
        self.member = if is_gzip {
            Member::Gzip(Box::new(GzDecoder::new(raw)))
        } else {
            let mut context = self.context.take().unwrap_or_default();
            // A new session keeps the dictionary. It cannot fail, and a frame would tell.
            let _reset = context.reset(ResetDirective::SessionOnly);
            Member::Zstd(Box::new(Frame { raw, context, is_over: false }))
        };
        Ok(true)
    }

    /// Goes past frames without data. A dictionary in one of them serves the frames behind it.
    fn skip_frames(&mut self, raw: &mut Raw) -> io::Result<()> {
        loop {
            let (kind, size) = match raw.peek(8)? {
                [kind @ 0x50..=0x5F, 0x2A, 0x4D, 0x18, a, b, c, d, ..] => {
                    (*kind, u32::from_le_bytes([*a, *b, *c, *d]))
                }
                // The file ends within the frame's head.
                [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => return Err(io::ErrorKind::UnexpectedEof.into()),
                _ => return Ok(()),
            };
            raw.consume(8);
            let size = u64::from(size);
            let mut frame = (&mut *raw).take(size);
            if kind == DICTIONARY && size <= MOST_DICTIONARY as u64 {
                let mut dictionary = Vec::new();
                frame.read_to_end(&mut dictionary)?;
                if dictionary.len() as u64 == size {
                    self.learn(dictionary)?;
                }
            }
            let left = frame.limit();
            if io::copy(&mut frame, &mut io::sink())? < left {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    /// Uses this dictionary from here on. It may be a frame of zstd itself.
    fn learn(&mut self, mut dictionary: Vec<u8>) -> io::Result<()> {
        let broken = |_| io::Error::new(io::ErrorKind::InvalidData, "its dictionary is broken");
        if dictionary.starts_with(ZSTD) {
            let mut unpacked = Vec::new();
            let decoder = zstd::stream::read::Decoder::new(dictionary.as_slice())?;
            decoder.take(MOST_DICTIONARY as u64 + 1).read_to_end(&mut unpacked).map_err(broken)?;
            dictionary = unpacked;
        }
        if dictionary.len() > MOST_DICTIONARY {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "its dictionary is too large"));
        }
        let mut context = DCtx::default();
        context.load_dictionary(&dictionary).map_err(|_| broken(io::ErrorKind::InvalidData.into()))?;
        self.context = Some(context);
        Ok(())
    }
}

/// Whether bytes begin like a packed member.
pub(super) fn starts_member(bytes: &[u8]) -> bool {
    // The last are frames of zstd without data.
    bytes.starts_with(GZIP) || bytes.starts_with(ZSTD) || matches!(bytes, [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..])
}
