//! ARC, the format before WARC: each record is one line that describes it, and a block.
//!
//! The line of version 1 and 1.1 has an address, the server's IP address, the time, the type and the length of the block;
//! version 2 puts further words before the length. Nothing marks a line as one, and some writers left spaces in addresses
//! and types. So a line is recognised by the IP address that is followed by a time, and read from there in both directions.
//! A record becomes one with the fields of WARC. Start at [`ArcLine::parse`].

use super::record::{Fields, RecordType};

/// Longest line that is looked at.
pub(super) const MOST_LINE: usize = 16 << 10;

/// The line that describes a record.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ArcLine {
    target: String,
    address: String,
    /// As WARC writes it.
    date: String,
    content_type: String,
    /// Bytes of the block.
    pub(super) length: u64,
    /// Bytes of the line, with its end.
    pub(super) line: usize,
}

impl ArcLine {
    /// Reads the line at the beginning of these bytes. `None` if there is none.
    pub(super) fn parse(bytes: &[u8]) -> Option<ArcLine> {
        // Most bytes that are asked about are no address: a scheme has letters and digits, and ends soon.
        let scheme = bytes.iter().take(20).position(|byte| *byte == b':')?;
        let is_scheme = bytes.get(..scheme)?.iter().all(|byte| byte.is_ascii_alphanumeric());
        if scheme == 0 || !is_scheme {
            return None;
        }
        let line = bytes.iter().take(MOST_LINE).position(|byte| *byte == b'\n')?;
        let text = String::from_utf8_lossy(bytes.get(..line)?);
        let words: Vec<&str> = text.trim_end().split(' ').collect();
        let (length, before) = words.split_last()?;
        let length = length.bytes().all(|digit| digit.is_ascii_digit()).then(|| length.parse().ok())??;
        let date_at = (2..before.len()).rev().find(|at| {
            date(before.get(*at).unwrap_or(&"")).is_some() && is_address(before.get(at - 1).unwrap_or(&""))
        })?;
        Some(ArcLine {
            target: before.get(..date_at - 1)?.join("%20"),
            address: (*before.get(date_at - 1)?).to_owned(),
            date: date(before.get(date_at)?)?,
            content_type: (*before.get(date_at + 1)?).to_owned(),
            length,
            line: line + 1,
        })
    }

    /// The type and the fields of the record with this block.
    pub(super) fn into_fields(self, block: &[u8]) -> (RecordType, Fields) {
        let kind = if self.target.starts_with("filedesc:") {
            RecordType::Warcinfo
        } else if block.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"HTTP/")) {
            RecordType::Response
        } else {
            // An answer without a head, or what came by another protocol.
            RecordType::Resource
        };
        let content_type = match kind {
            RecordType::Response => Some("application/http; msgtype=response".to_owned()),
            _ => Some(self.content_type).filter(|text| text.contains('/')),
        };
        let fields = [
            ("WARC-Type", Some(kind.name().to_owned())),
            ("WARC-Target-URI", Some(self.target)),
            ("WARC-Date", Some(self.date)),
            ("WARC-IP-Address", Some(self.address).filter(|address| address != "-")),
            ("Content-Type", content_type),
            ("Content-Length", Some(self.length.to_string())),
        ];
        (kind, fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect())
    }
}

/// The time of a line, of 14 digits or less exact, in the form of WARC.
fn date(word: &str) -> Option<String> {
    let is_time =
        matches!(word.len(), 8 | 10 | 12 | 14 | 17) && word.bytes().all(|byte| byte.is_ascii_digit());
    if !is_time {
        return None;
    }
    let part = |from: usize, length: usize, none: &'static str| word.get(from..from + length).unwrap_or(none);
    let (year, month, day) = (part(0, 4, ""), part(4, 2, "01"), part(6, 2, "01"));
    let (hour, minute, second) = (part(8, 2, "00"), part(10, 2, "00"), part(12, 2, "00"));
    let text = format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z");
    text.parse::<jiff::Timestamp>().is_ok().then_some(text)
}

/// Whether a word is an IP address, or `-` for an unknown one.
fn is_address(word: &str) -> bool {
    word == "-" || word.parse::<std::net::IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<(String, String, String, u64)> {
        ArcLine::parse(line.as_bytes()).map(|line| (line.target, line.date, line.content_type, line.length))
    }

    #[test]
    fn lines_of_all_versions_are_read() {
        let wanted = |target: &str, kind: &str| {
            Some((target.to_owned(), "2002-05-01T12:30:59Z".to_owned(), kind.to_owned(), 17))
        };
        for (line, target, kind) in [
            ("http://a.test/ 192.0.2.1 20020501123059 text/html 17\n", "http://a.test/", "text/html"),
            ("http://a.test/ 2001:db8::1 20020501123059 text/html 17\r\n", "http://a.test/", "text/html"),
            ("http://a.test/ 0.0.0.0 20020501123059 no-type 17\n", "http://a.test/", "no-type"),
            ("http://a.test/x y 192.0.2.1 20020501123059 text/html 17\n", "http://a.test/x%20y", "text/html"),
            (
                "http://a.test/ 192.0.2.1 20020501123059 text/html; charset=x 17\n",
                "http://a.test/",
                "text/html;",
            ),
            (
                "http://a.test/ - 20020501123059 text/html 200 X7D - 1024 x.arc 17\n",
                "http://a.test/",
                "text/html",
            ),
            ("filedesc://x.arc 0.0.0.0 20020501123059 text/plain 17\n", "filedesc://x.arc", "text/plain"),
            ("dns:a.test 192.0.2.1 20020501123059 text/dns 17\n", "dns:a.test", "text/dns"),
        ] {
            assert_eq!(read(line), wanted(target, kind), "{line}");
        }
    }

    #[test]
    fn other_lines_are_none() {
        for line in [
            "",
            "http://a.test/ 192.0.2.1 20020501123059 text/html 17",
            "http://a.test/ 192.0.2.1 20029901123059 text/html 17\n",
            "http://a.test/ 192.0.2.1 20020501123059 text/html many\n",
            "http://a.test/ 192.0.2.1 20020501123059 text/html 99999999999999999999\n",
            "http://a.test/ a.test 20020501123059 text/html 17\n",
            "192.0.2.1 20020501123059 text/html 17\n",
            "Content-Type: text/html\n",
            "<p>http://a.test/ 192.0.2.1 20020501123059 text/html 17\n",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
