//! Records of a web archive: their types, fields and bytes.

use newslode_page::time::Timestamp;

/// What a record holds (`WARC-Type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordType {
    /// About the records that follow: who wrote them, and how.
    Warcinfo,
    /// What was sent to a server.
    Request,
    /// What a server answered, with its head.
    Response,
    /// A file without an answer's head.
    Resource,
    /// An answer that was the same before.
    Revisit,
    /// About another record.
    Metadata,
    /// Another form of a record, such as its text.
    Conversion,
    /// A further part of a record that was cut into several.
    Continuation,
}

impl RecordType {
    const NAMES: [(RecordType, &'static str); 8] = [
        (RecordType::Warcinfo, "warcinfo"),
        (RecordType::Request, "request"),
        (RecordType::Response, "response"),
        (RecordType::Resource, "resource"),
        (RecordType::Revisit, "revisit"),
        (RecordType::Metadata, "metadata"),
        (RecordType::Conversion, "conversion"),
        (RecordType::Continuation, "continuation"),
    ];

    /// The name in the file.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    /// The type of this name; `None` for types of the future.
    #[must_use]
    pub fn named(name: &str) -> Option<RecordType> {
        Self::NAMES.iter().find(|(_, known)| known.eq_ignore_ascii_case(name)).map(|(kind, _)| *kind)
    }
}

/// Named fields in the order of the file. Names differ not by case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields(Vec<(String, String)>);

/// Most fields of a header that are kept.
const MOST_FIELDS: usize = 1_000;

impl FromIterator<(String, String)> for Fields {
    fn from_iter<T: IntoIterator<Item = (String, String)>>(fields: T) -> Fields {
        Fields(fields.into_iter().collect())
    }
}

impl Fields {
    /// The first value of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// All names with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Reads the lines `Name: value` up to an empty one. A line that starts with white space continues the
    /// value before it; a line without a colon is passed over. Invalid UTF-8 becomes U+FFFD. Fields after the thousandth
    /// are left out.
    pub(super) fn parse(lines: &[u8]) -> Fields {
        let mut fields: Vec<(String, String)> = Vec::new();
        for line in lines.split(|byte| *byte == b'\n') {
            if fields.len() >= MOST_FIELDS {
                break;
            }
            let text = String::from_utf8_lossy(line);
            let text = text.trim_end_matches('\r');
            match (fields.last_mut(), text.split_once(':')) {
                (Some((_, value)), _) if text.starts_with([' ', '\t']) => {
                    value.push(' ');
                    value.push_str(text.trim());
                }
                (_, Some((name, value))) => fields.push((name.trim().into(), value.trim().into())),
                (_, None) => {}
            }
        }
        Fields(fields)
    }
}

/// A whole record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its type; `None` for one that this module does not know.
    pub kind: Option<RecordType>,
    /// Its named fields.
    pub fields: Fields,
    /// Its bytes.
    pub block: Vec<u8>,
    /// Where it begins in the file, in bytes; in a compressed file, where its gzip member begins.
    pub offset: u64,
}

impl Record {
    /// The address that the record is about. Some writers of 1.0 put it into angle brackets.
    #[must_use]
    pub fn target(&self) -> Option<&str> {
        let target = self.fields.get("WARC-Target-URI")?;
        Some(target.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')).unwrap_or(target))
    }

    /// When it was captured; `None` without a date that can be read. A date without time is its midnight.
    #[must_use]
    pub fn date(&self) -> Option<Timestamp> {
        let text = self.fields.get("WARC-Date")?;
        let at = text.parse::<jiff::Timestamp>().ok().or_else(|| {
            let day: jiff::civil::Date = text.parse().ok()?;
            Some(day.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())
        })?;
        Some(Timestamp(u64::try_from(at.as_millisecond()).ok()?))
    }

    /// Whether the record holds only a part of what was captured as one.
    #[must_use]
    pub fn is_segment(&self) -> bool {
        self.kind == Some(RecordType::Continuation) || self.fields.get("WARC-Segment-Number").is_some()
    }
}

/// SHA-1 in the customary form: `sha1:` and 32 digits of base32.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let mut text = String::from("sha1:");
    // 20 bytes are four groups of 40 bits.
    for group in sha1_smol::Sha1::from(bytes).digest().bytes().chunks(5) {
        let bits = group.iter().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
        for shift in (0..8).rev() {
            text.push(char::from(DIGITS[(bits >> (5 * shift)) as usize & 31]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_trade() {
        assert_eq!(digest(b""), "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
        assert_eq!(digest(b"abc"), "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5");
    }

    #[test]
    fn fields_are_found_whatever_their_case_and_folding() {
        let fields = Fields::parse(b"WARC-Type: response\r\nwarc-date:2024-05-01\nX: a\n  b\nnonsense\n\r\n");
        assert_eq!(fields.get("warc-TYPE"), Some("response"));
        assert_eq!((fields.get("X"), fields.get("nonsense")), (Some("a b"), None));
    }

    #[test]
    fn dates_of_all_precisions_in_use_are_read() {
        let date = |text: &str| {
            let fields = Fields(vec![("WARC-Date".into(), text.into())]);
            Record { kind: None, fields, block: Vec::new(), offset: 0 }.date().map(|at| at.0)
        };
        assert_eq!(date("1970-01-02T00:00:01Z"), Some(86_401_000));
        assert_eq!(date("1970-01-02T00:00:01.250Z"), Some(86_401_250));
        assert_eq!(date("1970-01-02T00:00:01.123456789Z"), Some(86_401_123));
        assert_eq!(date("1970-01-02"), Some(86_400_000));
        for none in ["", "yesterday", "1969-01-01T00:00:00Z"] {
            assert_eq!(date(none), None, "{none}");
        }
    }

    #[test]
    fn names_and_types_are_one_to_one() {
        for (kind, name) in RecordType::NAMES {
            assert_eq!((kind.name(), RecordType::named(name)), (name, Some(kind)));
        }
        assert_eq!(RecordType::named("screenshot"), None);
    }
}
