//! A page's language, and what is known about languages: stems and stop words ([`words`]).
//!
//! Languages are ISO 639-1 codes. The declared language wins; it is guessed from the text only if none is
//! declared. Unknown languages are no error: their words are left as they are.

use crate::reading::{Leaves, PageTree};

mod words;

pub(crate) use words::LanguageWords;

/// The sample for a guess ends at about this many bytes.
const SAMPLE: usize = 4_000;
/// Shorter samples give no guess; in bytes.
const LEAST_SAMPLE: usize = 40;

/// The page's language: declared by `html lang`, `Content-Language` or `og:locale`, else guessed from the text.
pub(crate) fn detect_language(tree: &PageTree, leaves: &Leaves) -> Option<String> {
    declared_language(tree).or_else(|| guess_language(leaves))
}

fn declared_language(tree: &PageTree) -> Option<String> {
    let mut metas = Vec::new();
    for node in tree.node_ids().filter(|&node| tree.is_html(node)) {
        match tree.tag(node) {
            Some("html") => {
                let lang = tree.attr(node, "lang").or_else(|| tree.attr(node, "xml:lang"));
                if let Some(code) = lang.and_then(primary_subtag) {
                    return Some(code);
                }
            }
            Some("meta") => {
                let name = tree.attr(node, "http-equiv").or_else(|| tree.attr(node, "property"));
                let is_language = name.is_some_and(|name| {
                    name.eq_ignore_ascii_case("content-language") || name.eq_ignore_ascii_case("og:locale")
                });
                if is_language {
                    metas.extend(tree.attr(node, "content").and_then(primary_subtag));
                }
            }
            Some("body") => break,
            _ => {}
        }
    }
    metas.into_iter().next()
}

/// The primary subtag of a language tag.
fn primary_subtag(tag: &str) -> Option<String> {
    let primary = tag.trim().split(['-', '_', ',', ' ']).next()?.to_ascii_lowercase();
    let is_code = matches!(primary.len(), 2 | 3) && primary.bytes().all(|byte| byte.is_ascii_lowercase());
    (is_code && primary != "und").then_some(primary)
}

fn guess_language(leaves: &Leaves) -> Option<String> {
    let mut sample = String::new();
    for i in 0..leaves.len() {
        sample.extend(leaves.text(i).chars().take(SAMPLE / 4));
        sample.push(' ');
        if sample.len() > SAMPLE {
            break;
        }
    }
    let guess = whatlang::detect(&sample).filter(whatlang::Info::is_reliable)?;
    (sample.len() >= LEAST_SAMPLE).then(|| iso_639_1(guess.lang().code()).to_owned())
}

/// The ISO 639-1 code for an ISO 639-3 code, where there is one.
fn iso_639_1(code: &'static str) -> &'static str {
    const CODES: &[(&str, &str)] = &[
        ("afr", "af"),
        ("ara", "ar"),
        ("aze", "az"),
        ("bel", "be"),
        ("ben", "bn"),
        ("bul", "bg"),
        ("cat", "ca"),
        ("ces", "cs"),
        ("cmn", "zh"),
        ("dan", "da"),
        ("deu", "de"),
        ("ell", "el"),
        ("eng", "en"),
        ("epo", "eo"),
        ("est", "et"),
        ("fin", "fi"),
        ("fra", "fr"),
        ("guj", "gu"),
        ("heb", "he"),
        ("hin", "hi"),
        ("hrv", "hr"),
        ("hun", "hu"),
        ("hye", "hy"),
        ("ind", "id"),
        ("ita", "it"),
        ("jpn", "ja"),
        ("kan", "kn"),
        ("kat", "ka"),
        ("khm", "km"),
        ("kor", "ko"),
        ("lat", "la"),
        ("lav", "lv"),
        ("lit", "lt"),
        ("mal", "ml"),
        ("mar", "mr"),
        ("mkd", "mk"),
        ("mya", "my"),
        ("nep", "ne"),
        ("nld", "nl"),
        ("nob", "nb"),
        ("pan", "pa"),
        ("pes", "fa"),
        ("pol", "pl"),
        ("por", "pt"),
        ("ron", "ro"),
        ("rus", "ru"),
        ("sin", "si"),
        ("slk", "sk"),
        ("slv", "sl"),
        ("spa", "es"),
        ("srp", "sr"),
        ("swe", "sv"),
        ("tam", "ta"),
        ("tel", "te"),
        ("tgl", "tl"),
        ("tha", "th"),
        ("tuk", "tk"),
        ("tur", "tr"),
        ("ukr", "uk"),
        ("urd", "ur"),
        ("uzb", "uz"),
        ("vie", "vi"),
        ("yid", "yi"),
        ("zul", "zu"),
    ];
    CODES.iter().find(|(long, _)| *long == code).map_or(code, |(_, short)| short)
}

/// Whether a character belongs to a script that is written without spaces between words.
#[must_use]
pub fn is_unspaced(letter: char) -> bool {
    matches!(letter,
        '\u{0E00}'..='\u{0EFF}'      // Thai, Lao
        | '\u{1000}'..='\u{109F}'    // Burmese
        | '\u{1780}'..='\u{17FF}'    // Khmer
        | '\u{3040}'..='\u{30FF}'    // Hiragana, Katakana
        | '\u{31F0}'..='\u{31FF}'
        | '\u{3400}'..='\u{4DBF}'    // Han
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}'
    )
}

#[cfg(test)]
mod tests {
    use crate::testing::page;

    #[track_caller]
    fn check(html: &str, expected: Option<&str>) {
        assert_eq!(page(html).language.as_deref(), expected, "{html}");
    }

    #[test]
    fn a_declaration_wins() {
        check(
            "<html lang='pt_BR'><p>The quick brown fox jumps over the lazy dog again and again",
            Some("pt"),
        );
        check("<meta http-equiv=Content-Language content='fr, en'>", Some("fr"));
        check("<html lang=''><meta property=og:locale content=es_ES>", Some("es"));
    }

    #[test]
    fn text_tells_where_nothing_is_declared() {
        check(
            "<p>Правительство России обсудило сегодня проект бюджета на будущий год и отложило решение.\
             <p>По словам министра, этот вопрос будет рассматриваться ещё раз после выборов, которые пройдут \
             осенью, когда станут известны новые показатели экономики.",
            Some("ru"),
        );
        check("<p>ok", None);
    }
}
