//! Bytes under a wrong name.

use super::{FINNISH, ITALIAN, POLISH, PORTUGUESE, RUSSIAN, Story};

fn html(story: &Story, charset: &str) -> String {
    story.around("", &story.paragraphs()).replace("charset=utf-8", &format!("charset={charset}"))
}

#[test]
fn a_broken_character_spoils_only_itself() {
    for charset in ["iso-8859-1", "windows-1251", "utf-8", ""] {
        let mut bytes = html(&PORTUGUESE, charset).into_bytes();
        let at =
            bytes.windows(8).position(|part| part == b"</body>\x3c" || part.starts_with(b"</body>")).unwrap();
        bytes.splice(at..at, *b"<!-- \xe3 \xff -->");
        PORTUGUESE.check_bytes(&bytes);
    }
    let mut bytes = html(&POLISH, "iso-8859-2").into_bytes();
    let at = bytes.windows(7).position(|part| part == b"</body>").unwrap();
    bytes.splice(at..at, *b"<p>\xb1\xf3</p>");
    POLISH.check_bytes(&bytes);
}

#[test]
fn text_that_is_called_utf_8_and_is_not_is_read() {
    let bytes = encoding_rs::WINDOWS_1252.encode(&html(&FINNISH, "utf-8")).0.into_owned();
    FINNISH.check_bytes(&bytes);
    let bytes = encoding_rs::WINDOWS_1251.encode(&html(&RUSSIAN, "utf-8")).0.into_owned();
    // The sign in the page's foot is the same in both.
    RUSSIAN.check_bytes(&bytes);
    let bytes = encoding_rs::ISO_8859_2.encode(&html(&POLISH, "utf-8").replace('©', "(c)")).0.into_owned();
    POLISH.check_bytes(&bytes);
}

#[test]
fn a_truthful_name_is_believed() {
    let bytes = encoding_rs::KOI8_R.encode(&html(&RUSSIAN, "koi8-r")).0.into_owned();
    RUSSIAN.check_bytes(&bytes);
    let bytes = encoding_rs::WINDOWS_1252.encode(&html(&ITALIAN, "windows-1252")).0.into_owned();
    ITALIAN.check_bytes(&bytes);
}

#[test]
fn one_language_is_not_taken_for_another_under_a_wrong_name() {
    let bytes = encoding_rs::WINDOWS_1251.encode(&html(&RUSSIAN, "iso-8859-1")).0.into_owned();
    RUSSIAN.check_bytes(&bytes);
    let bytes = encoding_rs::WINDOWS_1251.encode(&html(&RUSSIAN, "koi8-r")).0.into_owned();
    RUSSIAN.check_bytes(&bytes);
}
