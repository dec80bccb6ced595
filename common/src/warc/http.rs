//! Servers' answers as archives store them: head, transfer encoding, content encoding.
//!
//! Archives store what came over the wire, or what was left of it after their crawler had decoded it, under the
//! head that was sent. So an encoding is undone only where the bytes have it, and otherwise they are taken as
//! they are. Lines may end with LF alone. Invariant: what is decoded never exceeds the caller's limit. Start
//! at [`Answer::parse`].

use std::borrow::Cow;

use super::read::empty_line;
use super::record::Fields;
use crate::coding::{self, CodingError, Decoded, End};

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
    /// It ends too early.
    #[error("it is cut")]
    Cut,
    /// Its chunks are not what they say.
    #[error("its chunked encoding is broken")]
    Chunks,
    /// Its content encoding cannot be undone.
    #[error(transparent)]
    Coding(#[from] CodingError),
}

impl Answer {
    /// Reads the head of a block of type `application/http`, behind the heads of interim answers (1xx). `None` if it is no
    /// answer.
    #[must_use]
    pub fn parse(block: &[u8]) -> Option<Answer> {
        let mut interim = 0;
        loop {
            let mut answer = Answer::parse_head(block.get(interim..)?)?;
            answer.body_at += interim;
            let is_interim = (100..200).contains(&answer.status) && answer.status != 101;
            let rest = block.get(answer.body_at..).unwrap_or_default();
            if !is_interim || Answer::parse_head(rest).is_none() {
                return Some(answer);
            }
            interim = answer.body_at;
        }
    }

    fn parse_head(block: &[u8]) -> Option<Answer> {
        let line = block.split(|byte| *byte == b'\n').next()?;
        let mut words = line.trim_ascii().split(|byte| *byte == b' ').filter(|word| !word.is_empty());
        let is_http = words.next()?.get(..5)?.eq_ignore_ascii_case(b"HTTP/");
        let status = std::str::from_utf8(words.next()?).ok()?.parse().ok()?;
        let body_at = empty_line(block).unwrap_or(block.len());
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
        let body = match unchunked(raw) {
            body if is_chunked => body?,
            // Some writers drop the field and leave the chunks; no page is a row of whole chunks by chance.
            Ok(Chunked::Ended(body)) => Chunked::Ended(body),
            Ok(Chunked::Open(_)) | Err(_) => Chunked::Open(Cow::Borrowed(raw)),
        };
        let (Chunked::Ended(body) | Chunked::Open(body)) = body;
        let decoded = match self.fields.get("Content-Encoding") {
            Some(encodings) => coding::decode([encodings], body.into_owned(), limit)?,
            // What is stored packed without saying so is a file, such as a sitemap.
            None => Decoded { bytes: body.into_owned(), end: End::Whole },
        };
        match decoded.end {
            End::Whole if decoded.bytes.len() <= limit => Ok(decoded.bytes),
            End::Cut => Err(BodyFault::Cut),
            End::Whole | End::OverLimit => Err(BodyFault::TooLarge(limit)),
        }
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

/// A body that may have been in chunks.
enum Chunked<'a> {
    /// It was, up to the chunk that ends it.
    Ended(Cow<'a, [u8]>),
    /// It was not, or nothing says that it is over.
    Open(Cow<'a, [u8]>),
}

/// Joins the chunks of a body. A body that begins with no chunk was joined by who stored it.
fn unchunked(raw: &[u8]) -> Result<Chunked<'_>, BodyFault> {
    if chunk(raw).is_none() {
        return Ok(Chunked::Open(Cow::Borrowed(raw)));
    }
    let (mut body, mut rest) = (Vec::new(), raw);
    while !rest.is_empty() {
        // A size of which the end is missing was cut off.
        let is_cut = rest.len() < 1024 && !rest.contains(&b'\n');
        let (size, line) = chunk(rest).ok_or(if is_cut { BodyFault::Cut } else { BodyFault::Chunks })?;
        if size == 0 {
            return Ok(Chunked::Ended(Cow::Owned(body)));
        }
        let end = line.checked_add(size).ok_or(BodyFault::Chunks)?;
        body.extend_from_slice(rest.get(line..end).ok_or(BodyFault::Cut)?);
        rest = rest.get(end..).unwrap_or_default();
        rest = rest.strip_prefix(b"\r").unwrap_or(rest);
        rest = rest.strip_prefix(b"\n").unwrap_or(rest);
    }
    Ok(Chunked::Open(Cow::Owned(body)))
}

/// The size of the chunk that begins here, and the length of the line that says so.
fn chunk(bytes: &[u8]) -> Option<(usize, usize)> {
    let line = bytes.iter().take(1024).position(|byte| *byte == b'\n')?;
    let text = std::str::from_utf8(bytes.get(..line)?).ok()?;
    let size = text.split(';').next()?.trim();
    let is_hex = !size.is_empty() && size.bytes().all(|digit| digit.is_ascii_hexdigit());
    Some((usize::from_str_radix(size, 16).ok().filter(|_| is_hex)?, line + 1))
}

#[cfg(test)]
mod tests;
