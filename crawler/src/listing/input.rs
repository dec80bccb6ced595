//! The text of an answer, read in pieces.
//!
//! Bytes are taken out of gzip if they begin with its magic number, counted against the limit, and turned into
//! UTF-8. The encoding is that of the byte order mark, then of the XML declaration, then of the content type;
//! but a first block of valid UTF-8 that is not ASCII is UTF-8, whatever is declared, because other text
//! practically never is.
//! Invariants: reading never fails; what breaks or meets the limit ends the text, and [`Input::end`] tells. What
//! comes out is valid UTF-8, and invalid bytes become U+FFFD. Start at [`Input::new`].

use std::io::{self, BufRead, Read};

use encoding_rs::{Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use flate2::read::MultiGzDecoder;

/// Bytes that are decoded at a time.
pub(super) const BLOCK: usize = 16 * 1024;
/// Most bytes of text from a block: each may become U+FFFD, which has three.
const TEXT_BLOCK: usize = 3 * BLOCK + 16;
/// Longest XML declaration that is looked at, in bytes.
const DECLARATION: usize = 256;
const GZIP: [u8; 3] = [0x1F, 0x8B, 8];

/// Why the text ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextEnd {
    /// It did not end yet.
    Open,
    /// All bytes were read.
    Whole,
    /// There are more bytes than may be read.
    Limit,
    /// The compression is broken.
    Broken,
}

enum ByteSource<'a> {
    Plain(&'a [u8]),
    Gzip(Box<MultiGzDecoder<&'a [u8]>>),
}

/// The text of an answer.
pub(super) struct Input<'a> {
    source: ByteSource<'a>,
    decoder: Decoder,
    /// A block of bytes, from `raw_at` on not decoded yet.
    raw: Vec<u8>,
    raw_at: usize,
    /// Decoded text, from `at` on not read yet.
    text: Vec<u8>,
    at: usize,
    /// Bytes that may still be read.
    left: usize,
    end: TextEnd,
    /// Whether the decoder has given all it had.
    is_drained: bool,
}

impl<'a> Input<'a> {
    pub(super) fn new(bytes: &'a [u8], content_type: Option<&str>, max_bytes: usize) -> Input<'a> {
        let source = match bytes.starts_with(&GZIP) {
            true => ByteSource::Gzip(Box::new(MultiGzDecoder::new(bytes))),
            false => ByteSource::Plain(bytes),
        };
        let mut input = Input {
            source,
            decoder: UTF_8.new_decoder(),
            raw: Vec::new(),
            raw_at: 0,
            text: Vec::new(),
            at: 0,
            left: max_bytes,
            end: TextEnd::Open,
            is_drained: false,
        };
        // The first block decides the encoding.
        input.next_block();
        input.decoder = detect_encoding(&input.raw, content_type).new_decoder_with_bom_removal();
        input.decode();
        input
    }

    /// Why the text ended.
    pub(super) fn end(&self) -> TextEnd {
        self.end
    }

    /// The first block, decoded, before anything of it is consumed.
    pub(super) fn first_block(&self) -> &[u8] {
        &self.text
    }

    /// Whether the first block contains a text. JSON may write a slash as `\/`.
    pub(super) fn mentions(&self, text: &str) -> bool {
        let start = String::from_utf8_lossy(&self.text);
        start.contains(text) || start.replace("\\/", "/").contains(text)
    }

    /// Reads the next block of bytes.
    fn next_block(&mut self) {
        self.raw.clear();
        self.raw_at = 0;
        let wanted = BLOCK.min(self.left);
        let source: &mut dyn Read = match &mut self.source {
            ByteSource::Plain(bytes) => bytes,
            ByteSource::Gzip(decoder) => decoder,
        };
        // One byte more tells whether the limit cuts something.
        let read = source.take(wanted as u64 + 1).read_to_end(&mut self.raw);
        self.end = match read {
            Err(_) => TextEnd::Broken,
            Ok(read) if read <= wanted => TextEnd::Whole,
            Ok(_) if wanted == self.left => TextEnd::Limit,
            Ok(_) => TextEnd::Open,
        };
        if self.end == TextEnd::Limit {
            self.raw.truncate(wanted);
        }
        self.left = self.left.saturating_sub(self.raw.len());
    }

    /// Decodes the rest of the block.
    fn decode(&mut self) {
        let is_last = self.end != TextEnd::Open;
        self.text.resize(TEXT_BLOCK, 0);
        let rest = self.raw.get(self.raw_at..).unwrap_or_default();
        let (result, read, written, _) = self.decoder.decode_to_utf8(rest, &mut self.text, is_last);
        self.raw_at += read;
        self.text.truncate(written);
        self.at = 0;
        self.is_drained = is_last && result == encoding_rs::CoderResult::InputEmpty;
    }
}

impl BufRead for Input<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.at >= self.text.len() && !self.is_drained {
            if self.raw_at >= self.raw.len() && self.end == TextEnd::Open {
                self.next_block();
            }
            self.decode();
        }
        Ok(self.text.get(self.at..).unwrap_or_default())
    }

    fn consume(&mut self, amount: usize) {
        self.at = self.at.saturating_add(amount).min(self.text.len());
    }
}

impl Read for Input<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

/// The encoding of a text that starts so.
fn detect_encoding(start: &[u8], content_type: Option<&str>) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(start) {
        return encoding;
    }
    match start {
        [0, b'<', 0, ..] => return UTF_16BE,
        [b'<', 0, _, 0, ..] => return UTF_16LE,
        _ => {}
    }
    // The last character may be cut off.
    let is_utf8 = std::str::from_utf8(start).map_or_else(|error| error.error_len().is_none(), |_| true);
    let declared = declared_in(start).or_else(|| charset_encoding(content_type?.as_bytes()));
    match declared {
        // A declaration that can be read as ASCII is not in UTF-16.
        Some(encoding) if !encoding.is_ascii_compatible() => UTF_8,
        Some(_) if is_utf8 && !start.is_ascii() => UTF_8,
        Some(encoding) => encoding,
        None if is_utf8 => UTF_8,
        None => WINDOWS_1252,
    }
}

/// The encoding that the XML declaration names.
fn declared_in(start: &[u8]) -> Option<&'static Encoding> {
    // Something may have been printed before it.
    let at = start.windows(5).position(|part| part.eq_ignore_ascii_case(b"<?xml"))?;
    let start = start.get(at..)?;
    let declaration = start.get(..DECLARATION).unwrap_or(start);
    let end = declaration.windows(2).position(|pair| pair == b"?>")?;
    labelled_encoding(declaration.get(..end)?, b"encoding")
}

fn charset_encoding(content_type: &[u8]) -> Option<&'static Encoding> {
    labelled_encoding(content_type, b"charset")
}

/// The encoding behind `name =` in a text.
fn labelled_encoding(text: &[u8], name: &[u8]) -> Option<&'static Encoding> {
    let at = text.windows(name.len()).position(|part| part.eq_ignore_ascii_case(name))?;
    let value = text.get(at + name.len()..)?.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let value = value.strip_prefix(b"\"").or_else(|| value.strip_prefix(b"'")).unwrap_or(value);
    let end = value.iter().position(|byte| b"\"'; \t\r\n".contains(byte)).unwrap_or(value.len());
    Encoding::for_label(value.get(..end)?)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn text(bytes: &[u8], content_type: Option<&str>, max_bytes: usize) -> (String, TextEnd) {
        let mut input = Input::new(bytes, content_type, max_bytes);
        let mut text = String::new();
        input.read_to_string(&mut text).unwrap();
        (text, input.end())
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[track_caller]
    fn check(bytes: &[u8], content_type: Option<&str>, expected: &str) {
        let (text, end) = text(bytes, content_type, 1000);
        assert_eq!((text.rsplit('>').next().unwrap(), end), (expected, TextEnd::Whole));
    }

    #[test]
    fn the_encoding_is_the_declared_one() {
        check(b"<?xml version='1.0' encoding='windows-1251'?>\xEF\xF0", None, "пр");
        check(
            b"\n<?xml version=\"1.0\" encoding = \"ISO-8859-1\" ?>f\xFCr",
            Some("text/xml; charset=utf-8"),
            "für",
        );
        check(b"<a>\xEF\xF0", Some("text/xml; charset=\"windows-1251\""), "пр");
        check(b"<a>f\xFCr", None, "für");
        check(b"\n1 notice\n<?xml version='1.0' encoding='windows-1251'?>\xEF\xF0", None, "пр");
        check(b"\xFF\xFE<\0a\0>\0\xFC\0", None, "ü");
        check(b"\0<\0a\0>\0\xFC", None, "ü");
        check(b"<?xml version='1.0' encoding='utf-16'?>a", None, "a");
        check("<?xml version='1.0' encoding='iso-8859-1'?>für".as_bytes(), None, "für");
        check(b"<?xml version='1.0' encoding='utf-8'?>f\xFCr", None, "f\u{FFFD}r");
    }

    #[test]
    fn long_texts_come_in_pieces() {
        let long = "žluť".repeat(20_000);
        assert_eq!(text(long.as_bytes(), None, usize::MAX), (long.clone(), TextEnd::Whole));
        assert_eq!(text(&gzip(long.as_bytes()), None, usize::MAX), (long.clone(), TextEnd::Whole));
        let wild = vec![0xFF; 50_000];
        let said = Some("text/xml; charset=utf-8");
        assert_eq!(text(&wild, said, usize::MAX).0, "\u{FFFD}".repeat(50_000));
        let two = [gzip(b"<a>"), gzip(b"b")].concat();
        assert_eq!(text(&two, None, 9), ("<a>b".into(), TextEnd::Whole));
    }

    #[test]
    fn the_limit_counts_what_was_decompressed() {
        for bytes in [vec![b'x'; 40_000], gzip(&vec![b'x'; 40_000])] {
            for limit in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 39_999] {
                let (text, end) = text(&bytes, None, limit);
                assert_eq!((text.len(), end), (limit, TextEnd::Limit));
            }
            assert_eq!(text(&bytes, None, 40_000).1, TextEnd::Whole);
        }
        let cut =
            gzip(&(0_u32..9000).flat_map(u32::to_le_bytes).map(|byte| byte % 26 + 97).collect::<Vec<u8>>());
        let (text, end) = text(&cut[..cut.len() / 2], None, usize::MAX);
        assert!(end == TextEnd::Broken && !text.is_empty());
    }
}
