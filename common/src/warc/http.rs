//! Servers' answers as archives store them: head, transfer encoding, content encoding.
//!
//! Archives store what came over the wire, or what was left of it after their crawler had decoded it, under the
//! head that was sent. So an encoding is undone only where the bytes have it, and otherwise they are taken as
//! they are. Lines may end with LF alone. Invariant: what is decoded never exceeds the caller's limit. Start
//! at [`Answer::parse`].

use std::borrow::Cow;

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
        let body = if is_chunked { unchunked(raw)? } else { Cow::Borrowed(raw) };
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
        let (size, line) = chunk(rest).ok_or(BodyFault::Chunks)?;
        if size == 0 {
            break;
        }
        let end = line.checked_add(size).ok_or(BodyFault::Chunks)?;
        body.extend_from_slice(rest.get(line..end).ok_or(BodyFault::Chunks)?);
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

#[cfg(test)]
mod tests;
