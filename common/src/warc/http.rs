//! Servers' answers as archives store them: head, transfer encoding, content encoding.
//!
//! Archives store what came over the wire, or what was left of it after their crawler had decoded it, under the
//! head that was sent. So an encoding is undone only where the bytes have it, and otherwise they are taken as
//! they are. Lines may end with LF alone. Invariant: what is decoded never exceeds the caller's limit. Start
//! at [`Answer::parse`].

use std::borrow::Cow;
use std::io::Read;

use super::record::Fields;

/// Most encodings that are undone, one after another.
const ENCODINGS: usize = 3;
const GZIP: &[u8] = &[0x1F, 0x8B];
const ZSTD: &[u8] = &[0x28, 0xB5, 0x2F, 0xFD];
/// Size of the Brotli decoder's buffer, in bytes.
const BROTLI_BUFFER: usize = 16 << 10;

/// A stored answer of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The status, such as 200.
    pub status: u16,
    /// The head's fields.
    pub fields: Fields,
    /// Where the body begins in the block.
    pub body_at: usize,
}

/// Why a body cannot be given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyFault {
    /// It is over the limit once decoded.
    #[error("it is larger than the limit of {0} bytes")]
    TooLarge(usize),
    /// It is cut, or not what its head says.
    #[error("its {0} encoding is broken")]
    Broken(&'static str),
    /// Nobody here knows how to decode it.
    #[error("its encoding `{0}` is not known")]
    Unknown(String),
}

impl Answer {
    /// Reads the head of a block of type `application/http`. `None` if it is no answer.
    #[must_use]
    pub fn parse(block: &[u8]) -> Option<Answer> {
        let line = block.split(|byte| *byte == b'\n').next()?;
        let mut words = line.trim_ascii().split(|byte| *byte == b' ').filter(|word| !word.is_empty());
        let is_http = words.next()?.get(..5)?.eq_ignore_ascii_case(b"HTTP/");
        let status = std::str::from_utf8(words.next()?).ok()?.parse().ok()?;
        let body_at = head_end(block);
        let lines = block.get(line.len() + 1..body_at).unwrap_or_default();
        is_http.then(|| Answer { status, fields: Fields::parse(lines), body_at })
    }

    /// The `Content-Type`.
    #[must_use]
    pub fn content_type(&self) -> Option<&str> {
        self.fields.get("Content-Type")
    }

    /// The body of the block, decoded.
    ///
    /// # Errors
    /// When it is broken, over `limit` bytes, or encoded in a way that is not known.
    pub fn body(&self, block: &[u8], limit: usize) -> Result<Vec<u8>, BodyFault> {
        let raw = block.get(self.body_at..).unwrap_or_default();
        let is_chunked = self.names("Transfer-Encoding").any(|name| name == "chunked");
        let mut body = if is_chunked { unchunked(raw)? } else { Cow::Borrowed(raw) };
        // The last one was applied last.
        let encodings: Vec<String> = self.names("Content-Encoding").collect();
        if encodings.len() > ENCODINGS {
            return Err(BodyFault::Unknown(encodings.join(", ").chars().take(100).collect()));
        }
        for name in encodings.iter().rev() {
            body = decoded(name, body, limit)?;
        }
        if body.len() > limit { Err(BodyFault::TooLarge(limit)) } else { Ok(body.into_owned()) }
    }

    /// The names in a list, in lower case.
    fn names(&self, field: &str) -> impl Iterator<Item = String> {
        let list = self.fields.get(field).unwrap_or_default();
        list.split(',').map(|name| name.trim().to_ascii_lowercase()).filter(|name| !name.is_empty())
    }
}

/// The head of an answer with this body, of which only the type is known.
#[must_use]
pub fn rebuilt_head(content_type: Option<&str>, length: usize) -> Vec<u8> {
    let mut head = String::from("HTTP/1.1 200 OK\r\n");
    if let Some(content_type) = content_type {
        // A line break would begin another field.
        let value = content_type.replace(char::is_control, " ");
        head.extend(["Content-Type: ", value.as_str(), "\r\n"]);
    }
    head.push_str(&format!("Content-Length: {length}\r\n\r\n"));
    head.into_bytes()
}

/// Where the body begins: behind the first empty line.
fn head_end(block: &[u8]) -> usize {
    let mut lines = block.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    let end = lines.find_map(|at| match block.get(at..)? {
        [b'\n', ..] => Some(at + 1),
        [b'\r', b'\n', ..] => Some(at + 2),
        _ => None,
    });
    end.unwrap_or(block.len())
}

/// Joins the chunks of a body. A body that begins with no chunk was joined by who stored it.
fn unchunked(raw: &[u8]) -> Result<Cow<'_, [u8]>, BodyFault> {
    if chunk(raw).is_none() {
        return Ok(Cow::Borrowed(raw));
    }
    let (mut body, mut rest) = (Vec::new(), raw);
    while !rest.is_empty() {
        let (size, line) = chunk(rest).ok_or(BodyFault::Broken("chunked"))?;
        if size == 0 {
            break;
        }
        let end = line.checked_add(size).ok_or(BodyFault::Broken("chunked"))?;
        body.extend_from_slice(rest.get(line..end).ok_or(BodyFault::Broken("chunked"))?);
        rest = rest.get(end..).unwrap_or_default();
        rest = rest.strip_prefix(b"\r").unwrap_or(rest);
        rest = rest.strip_prefix(b"\n").unwrap_or(rest);
    }
    Ok(Cow::Owned(body))
}

/// The size of the chunk that begins here, and the length of the line that says so.
fn chunk(bytes: &[u8]) -> Option<(usize, usize)> {
    let line = bytes.iter().take(1024).position(|byte| *byte == b'\n')?;
    let text = std::str::from_utf8(bytes.get(..line)?).ok()?;
    let size = text.split(';').next()?.trim();
    let is_hex = !size.is_empty() && size.bytes().all(|digit| digit.is_ascii_hexdigit());
    Some((usize::from_str_radix(size, 16).ok().filter(|_| is_hex)?, line + 1))
}

fn decoded<'a>(name: &str, body: Cow<'a, [u8]>, limit: usize) -> Result<Cow<'a, [u8]>, BodyFault> {
    let bytes = body.as_ref();
    let unpacked = match name {
        "identity" | "none" | "utf-8" => return Ok(body),
        "gzip" | "x-gzip" if bytes.starts_with(GZIP) => {
            read("gzip", flate2::read::MultiGzDecoder::new(bytes), limit)
        }
        "zstd" if bytes.starts_with(ZSTD) => match zstd::stream::read::Decoder::new(bytes) {
            Ok(decoder) => read("zstd", decoder, limit),
            Err(_) => Err(BodyFault::Broken("zstd")),
        },
        "deflate" if is_zlib(bytes) => read("deflate", flate2::read::ZlibDecoder::new(bytes), limit),
        "deflate" => read("deflate", flate2::read::DeflateDecoder::new(bytes), limit),
        "br" => read("br", brotli_decompressor::Decompressor::new(bytes, BROTLI_BUFFER), limit),
        "gzip" | "x-gzip" | "zstd" => return Ok(body),
        other => return Err(BodyFault::Unknown(other.chars().take(100).collect())),
    };
    match unpacked {
        Ok(bytes) => Ok(Cow::Owned(bytes)),
        // These two have no magic number: a text that does not decode was decoded by who stored it.
        Err(BodyFault::Broken("br" | "deflate")) if bytes.trim_ascii_start().starts_with(b"<") => Ok(body),
        Err(fault) => Err(fault),
    }
}

/// Whether bytes begin with zlib's header. Some servers send deflate without it.
fn is_zlib(bytes: &[u8]) -> bool {
    matches!(bytes, [first, second, ..]
        if first & 0x0F == 8 && (u16::from(*first) << 8 | u16::from(*second)).is_multiple_of(31))
}

fn read(name: &'static str, from: impl Read, limit: usize) -> Result<Vec<u8>, BodyFault> {
    let mut bytes = Vec::new();
    // One byte more tells whether the limit cuts something.
    let read = from.take(limit as u64 + 1).read_to_end(&mut bytes);
    match read {
        Ok(_) if bytes.len() > limit => Err(BodyFault::TooLarge(limit)),
        Ok(_) => Ok(bytes),
        Err(_) => Err(BodyFault::Broken(name)),
    }
}

#[cfg(test)]
mod tests;
