//! Patterns of paths as robots.txt writes them, and as files that were modelled on it do: a beginning, `*`, and `$` at the end.
//!
//! Asking takes at most one pass over the path for each pattern, whatever the pattern looks like. Start at
//! [`PathPattern::matches`].

use memchr::memmem;
use url::{Position, Url};

/// Stands for `*` in a [`PathPattern`], where an asterisk that is meant literally stands for itself. Lines hold no NUL.
const WILDCARD: u8 = 0;

/// What a rule says about paths.
#[derive(Clone, Debug)]
pub(crate) struct PathPattern {
    /// The path as [`normalized_path`] writes it, with [`WILDCARD`] for `*`.
    text: Box<[u8]>,
    /// Whether the path must end here: the pattern ends with `$`.
    is_anchored: bool,
    /// Length as written, after octets outside ASCII are escaped: the longest pattern that matches decides.
    octets: usize,
}

impl PathPattern {
    /// The pattern of a rule's value.
    pub(crate) fn new(value: &[u8]) -> PathPattern {
        let body = value.strip_suffix(b"$");
        let mut text = Vec::with_capacity(value.len());
        for (index, piece) in body.unwrap_or(value).split(|&byte| byte == b'*').enumerate() {
            if index > 0 {
                text.push(WILDCARD);
            }
            normalize_into(&mut text, piece);
        }
        let octets = value.iter().map(|byte| if byte.is_ascii() { 1 } else { 3 }).sum();
        PathPattern { text: text.into(), is_anchored: body.is_some(), octets }
    }

    /// Its length as written: the longest pattern that matches decides.
    pub(crate) fn octets(&self) -> usize {
        self.octets
    }

    /// Bytes of its text in memory.
    pub(crate) fn memory(&self) -> usize {
        self.text.len()
    }

    /// Whether the pattern matches the beginning of a normalized path, or all of it if it is anchored.
    ///
    /// Each piece between wildcards is looked for where the one before it ended. The first place is always good enough: it
    /// leaves the most for the pieces that follow.
    pub(crate) fn matches(&self, path: &[u8]) -> bool {
        let mut pieces = self.text.split(|&byte| byte == WILDCARD).peekable();
        let Some(mut rest) = pieces.next().and_then(|first| path.strip_prefix(first)) else { return false };
        if pieces.peek().is_none() {
            return rest.is_empty() || !self.is_anchored;
        }
        while let Some(piece) = pieces.next() {
            if self.is_anchored && pieces.peek().is_none() {
                return rest.ends_with(piece);
            }
            let Some(place) = memmem::find(rest, piece) else { return false };
            rest = &rest[place + piece.len()..];
        }
        true
    }
}

/// The path and query of an address in the form in which paths and patterns are compared (RFC 9309, section 2.2.2).
pub(crate) fn normalized_path(url: &Url) -> Vec<u8> {
    let path = url[Position::BeforePath..Position::AfterQuery].as_bytes();
    let mut normalized = Vec::with_capacity(path.len());
    normalize_into(&mut normalized, path);
    normalized
}

/// Escapes bytes outside ASCII, decodes escapes of unreserved characters, `*` and `$`, and writes other escapes in upper case. A
/// `%` that begins no escape becomes `%25`, as in canonical URLs. Spaces and other characters that an address must escape are
/// not escaped here, so a rule has to escape them itself to match; Google's matcher does the same.
fn normalize_into(normalized: &mut Vec<u8>, text: &[u8]) {
    let mut rest = text;
    while let [byte, after @ ..] = rest {
        rest = after;
        let (byte, is_plain) = match (byte, escaped_byte(after)) {
            (b'%', Some(byte)) => {
                rest = &after[2..];
                (byte, byte.is_ascii_alphanumeric() || b"-._~*$".contains(&byte))
            }
            (&byte, _) => (byte, byte.is_ascii() && byte != b'%'),
        };
        if is_plain {
            normalized.push(byte);
        } else {
            const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
            normalized.extend([b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
    }
}

/// The byte whose two hexadecimal digits these are.
fn escaped_byte(digits: &[u8]) -> Option<u8> {
    let digit = |index: usize| char::from(*digits.get(index)?).to_digit(16);
    u8::try_from(digit(0)? << 4 | digit(1)?).ok()
}
