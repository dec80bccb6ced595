//! The encoding a page declares in `<meta>`, found before it is parsed.
//!
//! This is the HTML standard's "prescan a byte stream to determine its encoding" over the first 1024 bytes.
//! Comments are skipped and tags are read attribute by attribute, so `charset` inside a quoted value or a
//! comment does not count. Start at [`prescan`].

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252, X_USER_DEFINED};

/// How far from the start a declaration may be, in bytes; the standard's number.
const WINDOW: usize = 1024;

/// The encoding declared by the first usable `<meta>`.
pub(super) fn prescan(bytes: &[u8]) -> Option<&'static Encoding> {
    let mut scan = MetaScan { bytes: bytes.get(..WINDOW).unwrap_or(bytes), at: 0 };
    while scan.at < scan.bytes.len() {
        let rest = scan.rest();
        if rest.starts_with(b"<!--") {
            // The two hyphens of the opening may also belong to the end: `<!-->`.
            let end = position_of(rest.get(2..).unwrap_or_default(), b"-->")?;
            scan.at += 2 + end + 3;
        } else if starts_with_tag(rest, b"<meta") {
            scan.at += 5;
            if let Some(encoding) = scan.meta_encoding() {
                return Some(encoding);
            }
        } else if is_tag_start(rest) {
            let name = rest.iter().position(|&b| is_space(b) || b == b'>')?;
            scan.at += name;
            while scan.next_attribute().is_some() {}
            scan.at += 1;
        } else if rest.starts_with(b"<!") || rest.starts_with(b"</") || rest.starts_with(b"<?") {
            scan.at += rest.iter().position(|&b| b == b'>')? + 1;
        } else {
            scan.at += 1;
        }
    }
    None
}

/// The encoding a label names, if it decodes to anything.
pub(super) fn encoding_for_label(label: &[u8]) -> Option<&'static Encoding> {
    Encoding::for_label_no_replacement(label)
}

/// The label after `charset=` in a `Content-Type`, whether of HTTP or of `<meta http-equiv>`.
pub(super) fn label_in(value: &[u8]) -> Option<&[u8]> {
    let mut rest = value;
    loop {
        let at = rest.windows(7).position(|window| window.eq_ignore_ascii_case(b"charset"))?;
        rest = rest.get(at + 7..)?.trim_ascii_start();
        if let [b'=', after @ ..] = rest {
            rest = after.trim_ascii_start();
            break;
        }
    }
    match rest {
        [quote @ (b'"' | b'\''), quoted @ ..] => {
            let end = quoted.iter().position(|b| b == quote)?;
            quoted.get(..end)
        }
        _ => {
            let end = rest.iter().position(|&b| is_space(b) || b == b';').unwrap_or(rest.len());
            rest.get(..end)
        }
    }
}

struct MetaScan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> MetaScan<'a> {
    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The encoding that a `<meta>` declares; moves the scan past the tag.
    fn meta_encoding(&mut self) -> Option<&'static Encoding> {
        let (mut seen, mut is_content_type, mut needs_content_type) = (Vec::new(), false, None);
        let mut charset = None;
        while let Some((name, value)) = self.next_attribute() {
            if seen.contains(&name) {
                continue;
            }
            match name.as_slice() {
                b"http-equiv" => is_content_type = value == b"content-type",
                b"content" if charset.is_none() => {
                    if let Some(encoding) = label_in(&value).and_then(encoding_for_label) {
                        (charset, needs_content_type) = (Some(encoding), Some(true));
                    }
                }
                b"charset" => {
                    charset = encoding_for_label(&value);
                    needs_content_type = Some(false);
                }
                _ => {}
            }
            seen.push(name);
        }
        self.at += 1;
        if needs_content_type? && !is_content_type {
            return None;
        }
        // A declaration that can be read at all is not in UTF-16.
        match charset? {
            utf_16 if !utf_16.is_ascii_compatible() && utf_16.name().starts_with("UTF-16") => Some(UTF_8),
            user if user == X_USER_DEFINED => Some(WINDOWS_1252),
            other => Some(other),
        }
    }

    /// The standard's "get an attribute": name and value in lower case; `None` at the end of the tag.
    fn next_attribute(&mut self) -> Option<(Vec<u8>, Vec<u8>)> {
        while self.peek().is_some_and(|b| is_space(b) || b == b'/') {
            self.at += 1;
        }
        // The name, up to an equals sign; an attribute may have no value.
        let (mut name, mut value) = (Vec::new(), Vec::new());
        loop {
            match self.peek()? {
                b'>' if name.is_empty() => return None,
                b'=' if !name.is_empty() => break,
                b'/' | b'>' => return Some((name, value)),
                b if is_space(b) => {
                    self.skip_space();
                    if self.peek()? != b'=' {
                        return Some((name, value));
                    }
                    break;
                }
                b => name.push(b.to_ascii_lowercase()),
            }
            self.at += 1;
        }
        self.at += 1;
        self.skip_space();
        // The value, in quotes or up to the next space.
        let quote = self.peek().filter(|&b| b == b'"' || b == b'\'');
        if quote.is_some() {
            self.at += 1;
        }
        loop {
            let byte = self.peek()?;
            match quote {
                Some(quote) if byte == quote => {
                    self.at += 1;
                    return Some((name, value));
                }
                None if is_space(byte) || byte == b'>' => return Some((name, value)),
                _ => value.push(byte.to_ascii_lowercase()),
            }
            self.at += 1;
        }
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

fn is_tag_start(rest: &[u8]) -> bool {
    match rest {
        [b'<', b'/', letter, ..] | [b'<', letter, ..] => letter.is_ascii_alphabetic(),
        _ => false,
    }
}

fn starts_with_tag(rest: &[u8], tag: &[u8]) -> bool {
    rest.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag))
        && rest.get(tag.len()).is_some_and(|&b| is_space(b) || b == b'/')
}

fn position_of(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(page: &str, encoding: Option<&str>) {
        assert_eq!(prescan(page.as_bytes()).map(Encoding::name), encoding, "{page}");
    }

    #[test]
    fn both_forms_of_meta_declare() {
        check("<html><META charset='Shift_JIS'>", Some("Shift_JIS"));
        check("<meta http-equiv=Content-Type content='text/html; charset=gb2312'>", Some("GBK"));
        check("<meta content='text/html; charset = \"big5\"' http-equiv=Content-Type>", Some("Big5"));
        check("<meta/charset=euc-kr/>", None);
        check("<meta/charset=euc-kr />", Some("EUC-KR"));
    }

    #[test]
    fn what_only_looks_like_a_declaration_is_none() {
        check("<!-- <meta charset=koi8-r> -->", None);
        check("<!--><meta charset=koi8-r>", Some("KOI8-R"));
        check("<p title='<meta charset=koi8-r>'>", None);
        check("<meta name=x content='charset=koi8-r'>", None);
        check("<meta charset=nonsense><meta charset=koi8-r>", Some("KOI8-R"));
        check("<meta charset=koi8-r", None);
        check("<metacharset=koi8-r>", None);
        check("</ <meta charset=koi8-r><meta charset=koi8-r>", Some("KOI8-R"));
    }

    #[test]
    fn the_impossible_is_corrected() {
        check("<meta charset=utf-16le>", Some("UTF-8"));
        check("<meta charset=x-user-defined>", Some("windows-1252"));
        check("<meta charset=iso-8859-1>", Some("windows-1252"));
    }
}
