//! A page's language, and what is known about languages: stems and stop words.
//!
//! Languages are ISO 639-1 codes. The declared language wins; it is guessed from the text only if none is
//! declared. Unknown languages are no error: their words are left as they are.

use std::borrow::Cow;

use crate::reading::{Leaves, PageTree};
use rust_stemmers::{Algorithm, Stemmer};

/// The sample for a guess ends at about this many bytes.
const SAMPLE: usize = 4_000;
/// Shorter samples give no guess; in bytes.
const LEAST_SAMPLE: usize = 40;

/// The page's language: declared by `html lang`, `Content-Language` or `og:locale`, else guessed from the text.
pub(crate) fn detect(tree: &PageTree, leaves: &Leaves) -> Option<String> {
    declared(tree).or_else(|| guessed(leaves))
}

fn declared(tree: &PageTree) -> Option<String> {
    let mut metas = Vec::new();
    for node in tree.node_ids().filter(|&node| tree.is_html(node)) {
        match tree.tag(node) {
            Some("html") => {
                let lang = tree.attr(node, "lang").or_else(|| tree.attr(node, "xml:lang"));
                if let Some(code) = lang.and_then(code) {
                    return Some(code);
                }
            }
            Some("meta") => {
                let name = tree.attr(node, "http-equiv").or_else(|| tree.attr(node, "property"));
                let is_language = name.is_some_and(|name| {
                    name.eq_ignore_ascii_case("content-language") || name.eq_ignore_ascii_case("og:locale")
                });
                if is_language {
                    metas.extend(tree.attr(node, "content").and_then(code));
                }
            }
            Some("body") => break,
            _ => {}
        }
    }
    metas.into_iter().next()
}

/// The primary subtag of a language tag.
fn code(tag: &str) -> Option<String> {
    let primary = tag.trim().split(['-', '_', ',', ' ']).next()?.to_ascii_lowercase();
    let is_code = matches!(primary.len(), 2 | 3) && primary.bytes().all(|byte| byte.is_ascii_lowercase());
    (is_code && primary != "und").then_some(primary)
}

fn guessed(leaves: &Leaves) -> Option<String> {
    let mut sample = String::new();
    for i in 0..leaves.len() {
        sample.extend(leaves.text(i).chars().take(SAMPLE / 4));
        sample.push(' ');
        if sample.len() > SAMPLE {
            break;
        }
    }
    let guess = whatlang::detect(&sample).filter(whatlang::Info::is_reliable)?;
    (sample.len() >= LEAST_SAMPLE).then(|| short(guess.lang().code()).to_owned())
}

/// The ISO 639-1 code for an ISO 639-3 code, where there is one.
fn short(code: &'static str) -> &'static str {
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

/// The stemmer and the stop words of one language.
pub(crate) struct Words {
    stemmer: Option<Stemmer>,
    stop_words: &'static [&'static str],
    and: &'static str,
}

impl Words {
    pub(crate) fn new(language: Option<&str>) -> Words {
        let (stemmer, stop_words, and) = match language {
            Some("ar") => (Some(Algorithm::Arabic), NONE, "و"),
            Some("da") => (Some(Algorithm::Danish), NONE, "og"),
            Some("nl") => (Some(Algorithm::Dutch), DUTCH, "en"),
            Some("en") => (Some(Algorithm::English), ENGLISH, "and"),
            Some("fi") => (Some(Algorithm::Finnish), NONE, "ja"),
            Some("fr") => (Some(Algorithm::French), FRENCH, "et"),
            Some("de") => (Some(Algorithm::German), GERMAN, "und"),
            Some("el") => (Some(Algorithm::Greek), NONE, "και"),
            Some("hu") => (Some(Algorithm::Hungarian), NONE, "és"),
            Some("it") => (Some(Algorithm::Italian), ITALIAN, "e"),
            Some("no" | "nb" | "nn") => (Some(Algorithm::Norwegian), NONE, "og"),
            Some("pt") => (Some(Algorithm::Portuguese), PORTUGUESE, "e"),
            Some("ro") => (Some(Algorithm::Romanian), NONE, "și"),
            Some("ru") => (Some(Algorithm::Russian), RUSSIAN, "и"),
            Some("es") => (Some(Algorithm::Spanish), SPANISH, "y"),
            Some("sv") => (Some(Algorithm::Swedish), NONE, "och"),
            Some("ta") => (Some(Algorithm::Tamil), NONE, ""),
            Some("tr") => (Some(Algorithm::Turkish), NONE, "ve"),
            _ => (None, NONE, ""),
        };
        Words { stemmer: stemmer.map(Stemmer::create), stop_words, and }
    }

    /// Whether words of this language are stemmed.
    pub(crate) fn has_stems(&self) -> bool {
        self.stemmer.is_some()
    }

    /// The stem of a word in lower case; the word itself if the language has no stemmer.
    pub(crate) fn stem<'a>(&self, word: &'a str) -> Cow<'a, str> {
        let stem = self.stemmer.as_ref().map(|stemmer| stemmer.stem(word));
        stem.filter(|stem| !stem.is_empty()).unwrap_or(Cow::Borrowed(word))
    }

    /// Whether a word in lower case carries no meaning of its own.
    pub(crate) fn is_stop_word(&self, word: &str) -> bool {
        self.stop_words.contains(&word)
    }

    /// Whether a word in lower case is the language's "and".
    pub(crate) fn is_and(&self, word: &str) -> bool {
        word == self.and
    }
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

const NONE: &[&str] = &[];
const ENGLISH: &[&str] = &[
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because",
    "been", "before", "being", "but", "by", "can", "could", "did", "do", "does", "for", "from", "had", "has",
    "have", "he", "her", "here", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its", "just",
    "me", "more", "most", "my", "no", "not", "of", "on", "one", "only", "or", "other", "our", "out", "over",
    "said", "she", "should", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "those", "through", "to", "up", "us", "was", "we", "were", "what", "when",
    "where", "which", "while", "who", "why", "will", "with", "would", "you", "your",
];
const GERMAN: &[&str] = &[
    "aber", "alle", "als", "am", "an", "auch", "auf", "aus", "bei", "bin", "bis", "da", "das", "dass", "dem",
    "den", "der", "des", "die", "dies", "diese", "doch", "du", "durch", "ein", "eine", "einem", "einen",
    "einer", "eines", "er", "es", "für", "hat", "hatte", "ich", "ihr", "ihre", "im", "in", "ist", "ja",
    "kann", "mehr", "mit", "nach", "nicht", "noch", "nur", "ob", "oder", "ohne", "sein", "seine", "sich",
    "sie", "sind", "so", "soll", "über", "um", "und", "uns", "unter", "vom", "von", "vor", "war", "was",
    "wenn", "werden", "wie", "wir", "wird", "wurde", "zu", "zum", "zur",
];
const FRENCH: &[&str] = &[
    "à", "au", "aux", "avec", "ce", "ces", "cette", "comme", "dans", "de", "des", "du", "elle", "elles",
    "en", "est", "et", "eu", "il", "ils", "je", "la", "le", "les", "leur", "leurs", "lui", "ma", "mais",
    "me", "mes", "moi", "mon", "ne", "nos", "notre", "nous", "on", "ont", "ou", "où", "par", "pas", "plus",
    "pour", "qu", "que", "qui", "sa", "sans", "se", "ses", "son", "sont", "sur", "ta", "te", "tes", "toi",
    "ton", "tu", "un", "une", "vos", "votre", "vous", "été", "être",
];
const SPANISH: &[&str] = &[
    "a", "al", "como", "con", "de", "del", "desde", "donde", "el", "ella", "ellos", "en", "entre", "era",
    "es", "esta", "este", "esto", "está", "fue", "ha", "hay", "la", "las", "le", "les", "lo", "los", "mi",
    "muy", "más", "me", "ni", "no", "nos", "o", "para", "pero", "por", "que", "qué", "se", "ser", "si",
    "sin", "sobre", "son", "su", "sus", "también", "te", "tu", "un", "una", "uno", "y", "ya", "yo",
];
const ITALIAN: &[&str] = &[
    "a", "ad", "ai", "al", "alla", "alle", "anche", "che", "chi", "ci", "come", "con", "da", "dal", "dalla",
    "degli", "dei", "del", "della", "delle", "di", "e", "ed", "gli", "ha", "ho", "i", "il", "in", "io", "la",
    "le", "lei", "lo", "loro", "lui", "ma", "mi", "ne", "nei", "nel", "nella", "noi", "non", "o", "per",
    "più", "se", "si", "sono", "su", "sua", "sul", "sulla", "suo", "ti", "tra", "tu", "un", "una", "uno",
    "vi", "voi", "è",
];
const PORTUGUESE: &[&str] = &[
    "a", "ao", "aos", "as", "com", "como", "da", "das", "de", "do", "dos", "e", "ela", "ele", "eles", "em",
    "entre", "era", "essa", "esse", "esta", "este", "está", "eu", "foi", "há", "isso", "já", "lhe", "mais",
    "mas", "me", "muito", "na", "nas", "não", "no", "nos", "o", "os", "ou", "para", "pela", "pelo", "por",
    "que", "se", "sem", "ser", "seu", "sua", "são", "também", "te", "tem", "um", "uma", "é", "à",
];
const DUTCH: &[&str] = &[
    "aan", "al", "als", "bij", "dan", "dat", "de", "den", "der", "deze", "die", "dit", "door", "een", "en",
    "er", "haar", "heb", "heeft", "het", "hij", "hoe", "hun", "ik", "in", "is", "ja", "je", "kan", "maar",
    "me", "meer", "met", "mijn", "na", "naar", "niet", "nog", "nu", "of", "om", "onder", "ons", "ook", "op",
    "over", "te", "ten", "tot", "uit", "van", "veel", "voor", "was", "wat", "we", "wel", "werd", "wie",
    "wij", "worden", "ze", "zich", "zij", "zijn", "zo", "zou",
];
const RUSSIAN: &[&str] = &[
    "а",
    "без",
    "бы",
    "был",
    "была",
    "были",
    "было",
    "быть",
    "в",
    "во",
    "все",
    "вы",
    "где",
    "да",
    "для",
    "до",
    "его",
    "ее",
    "если",
    "есть",
    "еще",
    "же",
    "за",
    "и",
    "из",
    "или",
    "им",
    "их",
    "к",
    "как",
    "когда",
    "кто",
    "ли",
    "мне",
    "мы",
    "на",
    "не",
    "нет",
    "но",
    "о",
    "об",
    "он",
    "она",
    "они",
    "от",
    "по",
    "под",
    "при",
    "с",
    "со",
    "так",
    "также",
    "то",
    "того",
    "только",
    "ты",
    "у",
    "уже",
    "что",
    "чтобы",
    "это",
    "этого",
    "я",
];

#[cfg(test)]
mod tests {
    use super::*;
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

    #[test]
    fn unknown_languages_keep_their_words() {
        let words = Words::new(Some("xx"));
        assert_eq!(words.stem("running"), "running");
        assert!(!words.has_stems());
        assert_eq!(Words::new(Some("en")).stem("running"), "run");
    }
}
