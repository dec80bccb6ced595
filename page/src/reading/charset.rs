//! Bytes to text: which character encoding a page is in.
//!
//! The order is that of browsers: byte order mark, the HTTP header, `<meta>` in the first 1024 bytes, valid
//! UTF-8, and only then a guess from the bytes. But pages are often converted, or moved to servers with other
//! settings, without their declaration, and parts in another encoding get into them. So a declaration counts only
//! if the bytes agree. Bytes that are UTF-8, but for a few, are UTF-8 whatever they declare: text in another encoding
//! practically never is. Bytes that are called UTF-8 and hardly are it, letters of Western Europe that make whole
//! words by themselves, and Cyrillic words with their capitals inside, were declared wrongly and are guessed.
//! Guessing costs more than parsing, so the detector sees at most 8 KiB, from the first byte that is not ASCII:
//! the head of a page is ASCII and tells the detector nothing.
//! Invariant: every input gives text; bytes that are invalid in the encoding become U+FFFD. Start at
//! [`decode`].

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use super::prescan::{encoding_for_label, label_in, prescan};

/// How much of a page the detector sees, in bytes.
const DETECTOR_WINDOW: usize = 8 * 1024;
/// How many multi-byte characters prove UTF-8 if the declared encoding has multi-byte characters, too. Two of
/// its letters may look like UTF-8 by chance; all of several do not.
const PROOF: usize = 4;
/// Valid characters for each invalid place in a text that is UTF-8 all the same.
const FEW: usize = 4;
/// Letters from which a text shows whether its encoding is right.
const LEAST_LETTERS: usize = 40;
/// Encodings of Cyrillic letters that are taken for one another.
const CYRILLIC: [&str; 6] = ["KOI8-R", "KOI8-U", "windows-1251", "ISO-8859-5", "IBM866", "x-mac-cyrillic"];
/// ASCII kept before the first other byte, in bytes: the detector also weighs the neighbours of a letter.
const DETECTOR_LEAD: usize = 64;

/// A page's text, and how its encoding was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedText {
    /// The text, without its byte order mark.
    pub text: String,
    /// The encoding's name as the Encoding Standard writes it, such as `UTF-8` or `windows-1252`.
    pub encoding: &'static str,
    /// How the encoding was found.
    pub source: CharsetSource,
    /// Whether some bytes were not valid in the encoding (they became U+FFFD).
    pub had_errors: bool,
}

/// How a page's encoding was found, most trusted first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CharsetSource {
    /// A byte order mark.
    Bom,
    /// `charset` in the HTTP `Content-Type`.
    Header,
    /// A `<meta>` in the first 1024 bytes.
    Meta,
    /// The bytes are valid UTF-8, and nothing else was declared or the declaration is wrong.
    Utf8,
    /// A guess from the frequency of bytes.
    Detected,
}

/// Decodes a page. `content_type` is the whole header value, such as `text/html; charset=koi8-r`.
/// Labels that are unknown, or that the Encoding Standard maps to "replacement", count as absent.
pub fn decode(bytes: &[u8], content_type: Option<&str>) -> DecodedText {
    if let Some((encoding, bom)) = Encoding::for_bom(bytes) {
        return decode_as(encoding, CharsetSource::Bom, bytes.get(bom..).unwrap_or_default());
    }
    let header = content_type.and_then(|value| label_in(value.as_bytes())).and_then(encoding_for_label);
    let declared = header.map(|encoding| (encoding, CharsetSource::Header));
    let declared = declared.or_else(|| Some((prescan(bytes)?, CharsetSource::Meta)));
    if let Some((encoding, source)) = declared {
        return match is_really_utf8(encoding, bytes) {
            true => decode_as(UTF_8, CharsetSource::Utf8, bytes),
            false => decode_as_declared(encoding, source, bytes),
        };
    }
    // ISO-2022-JP consists of ASCII bytes and escapes, so it is always valid UTF-8, too.
    if !bytes.contains(&0x1B) && (is_utf8(bytes) || Utf8Counts::new(bytes).is_nearly_all()) {
        return decode_as(UTF_8, CharsetSource::Utf8, bytes);
    }
    decode_as(guess_encoding(bytes), CharsetSource::Detected, bytes)
}

/// Decodes bytes in the declared encoding, or in a guessed one if they contradict it.
fn decode_as_declared(encoding: &'static Encoding, source: CharsetSource, bytes: &[u8]) -> DecodedText {
    let decoded = decode_as(encoding, source, bytes);
    let is_contradicted = if encoding == UTF_8 {
        decoded.had_errors && Utf8Counts::new(bytes).is_hardly_any()
    } else if encoding == WINDOWS_1252 {
        has_words_of_high_bytes(bytes)
    } else {
        CYRILLIC.contains(&encoding.name()) && has_capitals_inside(&decoded.text)
    };
    if !is_contradicted {
        return decoded;
    }
    let guessed = decode_as(guess_encoding(bytes), CharsetSource::Detected, bytes);
    // A guess that fits no better is worth less than what the page says.
    if guessed.had_errors && !decoded.had_errors { decoded } else { guessed }
}

fn decode_as(encoding: &'static Encoding, source: CharsetSource, bytes: &[u8]) -> DecodedText {
    let (text, had_errors) = encoding.decode_without_bom_handling(bytes);
    DecodedText { text: text.into_owned(), encoding: encoding.name(), source, had_errors }
}

/// Whether the bytes are UTF-8 though another encoding is declared.
fn is_really_utf8(declared: &'static Encoding, bytes: &[u8]) -> bool {
    let proof = if declared.is_single_byte() { 1 } else { PROOF };
    let is_lead = |byte: &&u8| **byte >= 0xC0;
    declared != UTF_8
        && bytes.iter().filter(is_lead).take(proof).count() == proof
        && (is_utf8(bytes) || Utf8Counts::new(bytes).is_nearly_all())
}

/// How many characters of more than one byte are valid UTF-8, and how many places are not.
struct Utf8Counts {
    valid: usize,
    invalid: usize,
}

impl Utf8Counts {
    fn new(bytes: &[u8]) -> Utf8Counts {
        let mut counts = Utf8Counts { valid: 0, invalid: 0 };
        for chunk in bytes.utf8_chunks() {
            counts.valid += chunk.valid().bytes().filter(|byte| *byte >= 0xC0).count();
            counts.invalid += usize::from(!chunk.invalid().is_empty());
        }
        counts
    }

    /// A few bytes in another encoding got into a text in UTF-8.
    fn is_nearly_all(&self) -> bool {
        self.valid >= PROOF && self.valid >= FEW * self.invalid
    }

    /// What is valid may be so by chance.
    fn is_hardly_any(&self) -> bool {
        self.invalid >= PROOF && self.invalid > self.valid
    }
}

/// Whether most bytes above ASCII stand between others: whole words in a script of their own. Letters of Western
/// Europe stand alone among those of ASCII.
fn has_words_of_high_bytes(bytes: &[u8]) -> bool {
    let is_high = |byte: u8| byte >= 0xC0;
    let (mut all, mut inside) = (0, 0);
    for window in bytes.windows(3) {
        let [before, byte, behind] = *window else { continue };
        all += usize::from(is_high(byte));
        inside += usize::from(is_high(byte) && is_high(before) && is_high(behind));
    }
    all >= LEAST_LETTERS && inside * 2 > all
}

/// Whether Cyrillic words have small initials and capitals behind them: the two cases change places if one encoding is
/// taken for another.
fn has_capitals_inside(text: &str) -> bool {
    let is_letter = |letter: char| ('\u{400}'..='\u{4FF}').contains(&letter);
    let (mut letters, mut capitals, mut small_initials, mut was_small) = (0, 0, 0, false);
    for letter in text.chars() {
        let is_capital = is_letter(letter) && letter.is_uppercase();
        letters += usize::from(is_letter(letter));
        capitals += usize::from(is_capital);
        small_initials += usize::from(is_capital && was_small);
        was_small = is_letter(letter) && !is_capital;
    }
    letters >= LEAST_LETTERS && capitals * 2 > letters && small_initials > 1
}

/// Whether the bytes are valid UTF-8. The last character may be cut off, as pages are cut at a byte limit.
fn is_utf8(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true)
}

fn guess_encoding(bytes: &[u8]) -> &'static Encoding {
    let first_non_ascii = bytes.iter().position(|&byte| byte >= 0x80 || byte == 0x1B).unwrap_or(0);
    let start = first_non_ascii.saturating_sub(DETECTOR_LEAD);
    let end = bytes.len().min(start + DETECTOR_WINDOW);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes.get(start..end).unwrap_or_default(), end == bytes.len());
    detector.guess(None, Utf8Detection::Allow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], header: Option<&str>, encoding: &str, source: CharsetSource) -> String {
        let decoded = decode(bytes, header);
        assert_eq!((decoded.encoding, decoded.source), (encoding, source));
        decoded.text
    }

    #[test]
    fn a_byte_order_mark_beats_the_header() {
        let text =
            check(b"\xEF\xBB\xBFol\xC3\xA1", Some("text/html; charset=latin1"), "UTF-8", CharsetSource::Bom);
        assert_eq!(text, "olá");
        assert_eq!(check(b"\xFF\xFEh\0i\0", None, "UTF-16LE", CharsetSource::Bom), "hi");
    }

    #[test]
    fn the_header_beats_meta_and_meta_beats_validity() {
        let page = b"<meta charset=windows-1251>\xEF\xF0";
        let header = Some("text/html;charset=\"KOI8-R\"");
        assert!(check(page, header, "KOI8-R", CharsetSource::Header).ends_with("ОП"));
        assert!(check(page, Some("text/html"), "windows-1251", CharsetSource::Meta).ends_with("пр"));
        let odd = Some("text/html; charset=no-such-thing");
        assert!(check(page, odd, "windows-1251", CharsetSource::Meta).ends_with("пр"));
    }

    #[test]
    fn what_can_only_be_utf_8_is_whatever_it_declares() {
        let page = "<meta charset=iso-8859-1>für".as_bytes();
        assert!(check(page, None, "UTF-8", CharsetSource::Utf8).ends_with("für"));
        check(page, Some("text/html; charset=windows-1252"), "UTF-8", CharsetSource::Utf8);
        let page = "<meta charset=gbk>今日新闻".as_bytes();
        assert!(check(page, None, "UTF-8", CharsetSource::Utf8).ends_with("今日新闻"));
        // ASCII proves nothing, one invalid byte disproves UTF-8, and a few letters may be chance.
        check(b"<meta charset=iso-2022-jp>\x1B$B:#\x1B(B", None, "ISO-2022-JP", CharsetSource::Meta);
        check(b"<meta charset=koi8-r>f\xC3\xBCr \xF0!", None, "KOI8-R", CharsetSource::Meta);
        check(b"<meta charset=gbk>\xC4\xA3", None, "GBK", CharsetSource::Meta);
    }

    #[test]
    fn a_few_bad_bytes_do_not_make_another_encoding() {
        let page = ["<meta charset=iso-8859-1>".as_bytes(), "für ".repeat(5).as_bytes(), b"\xE3!"].concat();
        assert!(check(&page, None, "UTF-8", CharsetSource::Utf8).starts_with("<meta charset=iso-8859-1>für"));
        let page = ["для ".repeat(3).as_bytes(), b"\xFF"].concat();
        check(&page, None, "UTF-8", CharsetSource::Utf8);
        check(&page, Some("text/html; charset=utf-8"), "UTF-8", CharsetSource::Header);
    }

    #[test]
    fn what_is_declared_must_be_possible() {
        let german = encoding_rs::WINDOWS_1252
            .encode(&"Die Brücke über den Fluß bleibt für Fußgänger geöffnet. ".repeat(3))
            .0
            .into_owned();
        let page = [b"<meta charset=utf-8>".to_vec(), german].concat();
        assert!(check(&page, None, "windows-1252", CharsetSource::Detected).contains("Brücke über den Fluß"));
        let text = "Новости дня: правительство обсудило бюджет. ".repeat(3);
        let russian = encoding_rs::WINDOWS_1251.encode(&text).0.into_owned();
        for declared in ["utf-8", "iso-8859-1", "koi8-r"] {
            let page = [format!("<meta charset={declared}>").into_bytes(), russian.clone()].concat();
            assert!(
                check(&page, None, "windows-1251", CharsetSource::Detected).contains("Новости дня"),
                "{declared}"
            );
        }
        // A heading in capitals, and one odd letter, are possible.
        let page = encoding_rs::KOI8_R
            .encode("<meta charset=koi8-r>НОВОСТИ ДНЯ СЕГОДНЯ И ЗАВТРА ИЗ РАЗНЫХ ГОРОДОВ СТРАНЫ")
            .0
            .into_owned();
        check(&page, None, "KOI8-R", CharsetSource::Meta);
        check(b"<meta charset=utf-8>It\x92s open", None, "UTF-8", CharsetSource::Meta);
    }

    #[test]
    fn meta_counts_in_the_first_kilobyte_only() {
        let late = [vec![b' '; 1024], b"<meta charset=koi8-r>".to_vec()].concat();
        check(&late, None, "UTF-8", CharsetSource::Utf8);
    }

    #[test]
    fn undeclared_text_is_utf_8_if_it_can_be() {
        assert_eq!(check("žluťoučký".as_bytes(), None, "UTF-8", CharsetSource::Utf8), "žluťoučký");
        // Cut inside the last character.
        check(b"kub\xC3", None, "UTF-8", CharsetSource::Utf8);
        assert!(decode(b"kub\xC3", None).had_errors);
    }

    #[test]
    fn other_text_is_guessed_from_where_it_stops_being_ascii() {
        let russian = encoding_rs::WINDOWS_1251.encode("Новости дня: правительство обсудило бюджет").0;
        let page = [vec![b'<'; 20_000], russian.to_vec()].concat();
        assert!(check(&page, None, "windows-1251", CharsetSource::Detected).ends_with("бюджет"));
        let japanese = encoding_rs::ISO_2022_JP.encode("今日のニュースと天気").0;
        assert_eq!(check(&japanese, None, "ISO-2022-JP", CharsetSource::Detected), "今日のニュースと天気");
    }
}
