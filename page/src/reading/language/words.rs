//! The words of languages: stems, stop words, "and".
//!
//! News uses the same words again and again, and a stem takes a hundred times as long to compute as to look up. So each
//! thread caches the stems of recent words.

use std::cell::RefCell;
use std::mem::Discriminant;

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;

/// Maximum number of words that a thread caches for a language; some 600 KB.
const MOST_STEMS: usize = 8_192;

/// Words of a language.
type StemCache = FxHashMap<Box<str>, StemmedWord>;

thread_local! {
    static STEMS: RefCell<FxHashMap<Discriminant<Algorithm>, StemCache>> = RefCell::default();
}

/// The stem of a word, and whether it is a stop word.
struct StemmedWord {
    stem: Box<str>,
    is_stop_word: bool,
}

/// The stemmer and the stop words of one language.
pub(crate) struct LanguageWords {
    stemmer: Option<(Algorithm, Stemmer)>,
    stop_words: &'static [&'static str],
    and: &'static str,
}

impl LanguageWords {
    pub(crate) fn new(language: Option<&str>) -> LanguageWords {
        let (stemmer, stop_words, and) = match language {
            Some("ar") => (Some(Algorithm::Arabic), NO_STOP_WORDS, "و"),
            Some("da") => (Some(Algorithm::Danish), NO_STOP_WORDS, "og"),
            Some("nl") => (Some(Algorithm::Dutch), DUTCH, "en"),
            Some("en") => (Some(Algorithm::English), ENGLISH, "and"),
            Some("fi") => (Some(Algorithm::Finnish), NO_STOP_WORDS, "ja"),
            Some("fr") => (Some(Algorithm::French), FRENCH, "et"),
            Some("de") => (Some(Algorithm::German), GERMAN, "und"),
            Some("el") => (Some(Algorithm::Greek), NO_STOP_WORDS, "και"),
            Some("hu") => (Some(Algorithm::Hungarian), NO_STOP_WORDS, "és"),
            Some("it") => (Some(Algorithm::Italian), ITALIAN, "e"),
            Some("no" | "nb" | "nn") => (Some(Algorithm::Norwegian), NO_STOP_WORDS, "og"),
            Some("pt") => (Some(Algorithm::Portuguese), PORTUGUESE, "e"),
            Some("ro") => (Some(Algorithm::Romanian), NO_STOP_WORDS, "și"),
            Some("ru") => (Some(Algorithm::Russian), RUSSIAN, "и"),
            Some("es") => (Some(Algorithm::Spanish), SPANISH, "y"),
            Some("sv") => (Some(Algorithm::Swedish), NO_STOP_WORDS, "och"),
            Some("ta") => (Some(Algorithm::Tamil), NO_STOP_WORDS, ""),
            Some("tr") => (Some(Algorithm::Turkish), NO_STOP_WORDS, "ve"),
            _ => (None, NO_STOP_WORDS, ""),
        };
        LanguageWords {
            stemmer: stemmer.map(|algorithm| (algorithm, Stemmer::create(algorithm))),
            stop_words,
            and,
        }
    }

    /// Whether words of this language are stemmed.
    pub(crate) fn has_stems(&self) -> bool {
        self.stemmer.is_some()
    }

    /// The stem of a word in lower case; the word itself if the language has no stemmer.
    pub(crate) fn stem(&self, word: &str) -> String {
        self.look_up(word, |stemmed| stemmed.stem.to_string()).unwrap_or_else(|| word.to_owned())
    }

    /// Calls `found` with the stem of a word in lower case, unless the word carries no meaning of its own.
    pub(crate) fn with_term(&self, word: &str, found: impl FnOnce(&str)) {
        let mut found = Some(found);
        let mut pass_term = |term: &str| found.take().into_iter().for_each(|found| found(term));
        let is_stemmed = self.look_up(word, |stemmed| match stemmed.is_stop_word {
            true => (),
            false => pass_term(&stemmed.stem),
        });
        if is_stemmed.is_none() {
            pass_term(word);
        }
    }

    /// What is known of a word; `None` if the language has no stemmer.
    fn look_up<T>(&self, word: &str, take: impl FnOnce(&StemmedWord) -> T) -> Option<T> {
        let (algorithm, stemmer) = self.stemmer.as_ref()?;
        STEMS.with_borrow_mut(|languages| {
            let words = languages.entry(std::mem::discriminant(algorithm)).or_default();
            if let Some(stemmed) = words.get(word) {
                return Some(take(stemmed));
            }
            if words.len() >= MOST_STEMS {
                words.clear();
            }
            let stem = stemmer.stem(word);
            let stem = if stem.is_empty() { word.into() } else { stem.into() };
            let stemmed = StemmedWord { stem, is_stop_word: self.stop_words.contains(&word) };
            Some(take(words.entry(word.into()).or_insert(stemmed)))
        })
    }

    /// Whether a word in lower case is the language's "and".
    pub(crate) fn is_and(&self, word: &str) -> bool {
        word == self.and
    }
}

const NO_STOP_WORDS: &[&str] = &[];
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

    #[test]
    fn unknown_languages_keep_their_words() {
        let words = LanguageWords::new(Some("xx"));
        assert_eq!(words.stem("running"), "running");
        assert!(!words.has_stems());
        assert_eq!(LanguageWords::new(Some("en")).stem("running"), "run");
    }

    #[test]
    fn a_word_has_one_stem_however_often_it_is_asked_for_and_in_whatever_language() {
        let (english, german) = (LanguageWords::new(Some("en")), LanguageWords::new(Some("de")));
        for _ in 0..2 {
            assert_eq!((english.stem("winning"), german.stem("winning")), ("win".into(), "winning".into()));
            let terms = |words: &LanguageWords, word: &str| {
                let mut terms = Vec::new();
                words.with_term(word, |term| terms.push(term.to_owned()));
                terms
            };
            assert_eq!(terms(&english, "war"), ["war"]);
            assert_eq!(terms(&german, "war"), Vec::<String>::new());
            assert_eq!(terms(&LanguageWords::new(None), "war"), ["war"]);
        }
        for number in 0..MOST_STEMS + 10 {
            assert_eq!(english.stem(&format!("{number}ing")), english.stem(&format!("{number}ing")));
        }
        assert_eq!(english.stem("winning"), "win");
    }
}
