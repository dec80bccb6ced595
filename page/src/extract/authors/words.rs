//! Words of bylines in many languages: "by", labels, roles, newsrooms, particles of names.
//!
//! The lists are small and evidence only: an unknown word before a colon is a label, too, and a small letter ends a name.
//! All words are folded as [`cldr::fold`] folds them.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::extract::cldr::{self, Language};

/// A list of words, and one of beginnings of words.
type Words = LazyLock<Vec<&'static str>>;
type Stems = LazyLock<StemIndex>;

/// Longest beginning of a word, in bytes, behind which hardly anything may follow.
const SHORT: usize = 6;
/// Longest ending behind such a beginning, in bytes.
const ENDING: usize = 2;

/// Who did what for an article.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    Writing,
    /// Photos, translation, editing.
    Other,
}

/// "By", and the languages in which it is no part of names; nothing for all.
const BY_WORDS: [(&str, &str); 31] = [
    ("by", ""),
    ("par", ""),
    ("por", ""),
    ("door", ""),
    ("deur", ""),
    ("oleh", ""),
    ("nga", ""),
    ("przez", ""),
    ("gan", "cy"),
    ("egilea", ""),
    ("von", "de"),
    ("di", "it"),
    ("da", "it"),
    ("av", "sv nb no nn"),
    ("af", "da is fo"),
    ("per", "ca"),
    ("ni", "fil"),
    ("na", "sw"),
    ("de", "ro"),
    ("do", "vi"),
    ("le", "ga"),
    ("od", "hr sr bs sl"),
    ("του", "el"),
    ("της", "el"),
    ("от", "bg ru"),
    ("од", "sr mk"),
    ("द्वारा", ""),
    ("מאת", ""),
    ("โดย", ""),
    ("ដោយ", ""),
    ("ໂດຍ", ""),
];
static BY: LazyLock<FxHashMap<&str, &str>> = LazyLock::new(|| BY_WORDS.into_iter().collect());
/// Beginnings of words that name what a writer did, or the writer.
static WRITING: Stems = LazyLock::new(|| {
    StemIndex::new(
        "written text words story report reporting analys interview comment opinion essay review told autor auteur \
         author skrib schrieb geschrieben eingestellt aufgezeichnet protokoll kommentar bericht artikel \
         beitrag reportage propos recueilli escrit texto textos articulo scritt testo articol geschreven \
         tekst skrev forfatt kirjoitt teksti haastattel napisa napsal pise szerz irta szoveg автор аутар \
         текст пише пишува беседовал записал συντακτ κειμενο γραφει haber yaz muhabir כתב كتب كتبت بقلم \
         نويسنده قلم लेख লেখ எழுத రచన penulis เรื่อง ฝ่ายข่าว autorstwo",
    )
});
/// Beginnings of words for the work of others.
static OTHER: Stems = LazyLock::new(|| {
    StemIndex::new(
        "photo pictur image imagen illustr ilustr graphic grafik grafic video camera edited editing editor \
         edicion edicao translat fact sourc audio produc foto bild ubersetz redigier redigert redigerat photograph lektor quelle zeichn credit \
         tradui traduct traduc traducid traduz traduzid tradott vertal vertaling beeld oversat oversatt oversett oversaet kuva \
         kuvat kaanno suoment kilde kalla lahde zdjeci tlumacz zrodlo preklad prelozil snim fordit kep fotok \
         forras фото перевод пераклад переклад снимк превод источник иллюстрац редактор φωτο μεταφρασ πηγη \
         fotograf ceviri ceviren kaynak צילום תרגום עריכה تصوير صور ترجمه ترجمة مترجم عكس منبع फोटो ছবি \
         penyunting sumber ภาพ",
    )
});
/// Beginnings of words for who works at a paper.
static ROLES: Stems = LazyLock::new(|| {
    StemIndex::new(
        "staff correspond contribut reporter editor writer officer journalis columnist producer intern author \
         photographer chief phd anchor freelanc redakteur redaktor autor volontar korrespond chefredakt \
         redacteur redactric redactor redator redattor periodista giornalista jornalista inviat enviad envoye \
         corrispond columnista dziennikar korespond toimitta novinar ujsagiro fotograf corespond ziarist \
         muhabir gazeteci wartawan jurnalis корреспонд кореспонд карэспанд репорт журналист журналіст новинар \
         обозреват δημοσιογραφ ανταποκριτ",
    )
});
/// Beginnings of words for desks and agencies.
static NEWSROOMS: Stems = LazyLock::new(|| {
    StemIndex::new(
        "編集部 编辑部 編輯部 편집국 redaktion redaktsioon redakc redakts redac redazione redacao redactie redaksi редакц \
         рэдакц συντακτικη editorial newsroom staff news agenc agens ajans agentur desk team تحريريه تحرير \
         agencies",
    )
});
/// Signs before or behind names in languages that write without spaces, for writers and for others.
static WRITING_SIGNS: Words = LazyLock::new(|| {
    words(
        "本报记者 本報記者 特约记者 实习记者 撰稿人 记者 記者 作者 撰文 撰稿 采写 採訪 取材 執筆 文責 文 写手 ライター 筆者 글 취재 글쓴이",
    )
});
static OTHER_SIGNS: Words = LazyLock::new(|| {
    words(
        "责任编辑 責任編輯 编辑 編輯 編集 校对 翻譯 翻译 翻訳 訳 摄影 攝影 撮影 写真 图 圖 图片 圖片 来源 來源 监制 사진 편집 번역",
    )
});
/// Words for "reporter" behind names in Korean, Japanese and Chinese; longer ones first.
static SIGNS_BEHIND: Words = LazyLock::new(|| {
    words("선임기자 전문기자 수습기자 인턴기자 특파원 논설위원 기자 記者 记者 編集委員 特派員")
});
/// "Reported" behind a place: `台北報導`.
pub(super) const REPORTED: [&str; 3] = ["報導", "报道", "報道"];
/// Small words inside names.
static PARTICLES: Words = LazyLock::new(|| {
    words(
        "y e i de da do dos das di du del della delle dei degli dell dello d l la le los las el al van von \
         vom der den dem het ten ter zu zum zur bin ibn bint ben bat af av san mac of",
    )
});
/// What may follow a name behind a comma and belongs to it.
static SUFFIXES: Words = LazyLock::new(|| words("jr sr ii iii iv filho neto junior fils hijo"));
/// Folded words that begin a byline's description of a person: "our correspondent", "ο" of Greek.
static ARTICLES: Words = LazyLock::new(|| {
    words("our unserem unserer unser der die dem the ο η οι του της notre nos nuestro nuestra il la")
});

fn words(text: &'static str) -> Vec<&'static str> {
    text.split_ascii_whitespace().collect()
}

/// Beginnings of words, found by the first letter: each short line of a page is looked up.
struct StemIndex {
    by_letter: FxHashMap<char, Vec<&'static str>>,
}

impl StemIndex {
    fn new(text: &'static str) -> StemIndex {
        let mut by_letter: FxHashMap<char, Vec<&'static str>> = FxHashMap::default();
        for stem in text.split_ascii_whitespace() {
            by_letter.entry(first_letter(stem)).or_default().push(stem);
        }
        StemIndex { by_letter }
    }

    /// Whether a word begins with one of these. Behind short beginnings only an ending may follow: "Stafford" is no staff.
    fn begins(&self, word: &str) -> bool {
        let is_form = |stem: &&str| {
            word.starts_with(*stem) && (stem.len() > SHORT || word.len() <= stem.len() + ENDING)
        };
        self.by_letter.get(&first_letter(word)).is_some_and(|stems| stems.iter().any(is_form))
    }
}

/// The first letter of a word; NUL for none.
fn first_letter(word: &str) -> char {
    word.chars().next().unwrap_or_default()
}

/// A word of a byline. It is folded once, when a list is first asked for it.
pub(super) struct Word<'t> {
    pub(super) text: &'t str,
    folded: OnceCell<Cow<'t, str>>,
}

impl<'t> Word<'t> {
    pub(super) fn new(text: &'t str) -> Word<'t> {
        Word { text, folded: OnceCell::new() }
    }

    pub(super) fn folded(&self) -> &str {
        self.folded.get_or_init(|| cldr::fold(self.text))
    }

    /// Whether it means "by" in a text of this language. A small letter at the beginning says so as well, because names
    /// begin with capitals.
    pub(super) fn is_by(&self, language: Option<Language>, is_first: bool) -> bool {
        let Some(languages) = BY.get(self.folded()) else { return false };
        let is_language = |code: &str| language.is_some_and(|language| language.is(code));
        languages.is_empty()
            || languages.split(' ').any(is_language)
            || (is_first && self.text.starts_with(char::is_lowercase))
    }

    /// Whether it names what a writer or another did: "Analysis", "photos".
    pub(super) fn is_label(&self) -> bool {
        WRITING.begins(self.folded()) || OTHER.begins(self.folded())
    }

    /// Whether it says what somebody is at a paper: "Correspondent".
    pub(super) fn is_role(&self) -> bool {
        ROLES.begins(self.folded())
    }

    /// Whether it is a small word inside names: "van".
    pub(super) fn is_particle(&self) -> bool {
        let first = self.folded().split(['\'', '-']).next().unwrap_or_default();
        PARTICLES.contains(&first)
    }

    /// Whether it begins a description of a person: "our correspondent".
    pub(super) fn is_article(&self) -> bool {
        ARTICLES.contains(&self.folded())
    }

    pub(super) fn is_small(&self) -> bool {
        self.text.starts_with(char::is_lowercase)
    }
}

/// What the words of a label say.
pub(super) fn work(label: &str) -> Option<Work> {
    let label = label.trim();
    // No sign has an ASCII letter.
    let is_at_edge = |sign: &&str| !label.is_ascii() && (label.ends_with(*sign) || label.starts_with(*sign));
    if WRITING_SIGNS.iter().any(is_at_edge) {
        return Some(Work::Writing);
    }
    if OTHER_SIGNS.iter().any(is_at_edge) {
        return Some(Work::Other);
    }
    let folded = cldr::fold(label);
    let mut words = folded.split(|letter: char| letter.is_whitespace() || letter.is_ascii_punctuation());
    // "Text and photos" is a writer's.
    if words.clone().any(|word| WRITING.begins(word)) {
        Some(Work::Writing)
    } else if words.clone().any(|word| OTHER.begins(word)) {
        Some(Work::Other)
    } else {
        words.any(|word| ROLES.begins(word)).then_some(Work::Writing)
    }
}

/// Whether a word of the text names a desk or an agency.
pub(super) fn is_newsroom(text: &str) -> bool {
    cldr::fold(text).split_whitespace().any(|word| NEWSROOMS.begins(word))
}

/// Whether it follows a name behind a comma and belongs to it: "Jr.".
pub(super) fn is_suffix(text: &str) -> bool {
    SUFFIXES.contains(&cldr::fold(text.trim()).as_ref())
}

/// A name without the sign before it, as in `記者林知遠`, and the work that the sign tells.
pub(super) fn without_sign_before(text: &str) -> Option<(&str, Work)> {
    if text.starts_with(|letter: char| letter.is_ascii()) {
        return None;
    }
    let behind = |signs: &[&str], work| {
        let rest = signs.iter().find_map(|sign| text.strip_prefix(sign))?;
        Some((rest.trim(), work))
    };
    behind(&WRITING_SIGNS, Work::Writing).or_else(|| behind(&OTHER_SIGNS, Work::Other))
}

/// A name without the word for "reporter" behind it.
pub(super) fn without_sign_behind(text: &str) -> Option<&str> {
    SIGNS_BEHIND.iter().find_map(|sign| text.strip_suffix(sign)).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_tell_who_did_what() {
        for label in ["Text", "Texte et photos", "Автор", "Bericht aus Kyjiw", "撰文", "Our correspondent"]
        {
            assert_eq!(work(label), Some(Work::Writing), "{label}");
        }
        for label in ["Photo", "Foto/Video", "Übersetzung", "Редактор", "摄影", "edited"] {
            assert_eq!(work(label), Some(Work::Other), "{label}");
        }
        assert_eq!(work("Oslo"), None);
    }

    #[test]
    fn names_are_no_roles() {
        let is_role = |word| Word::new(word).is_role();
        let is_label = |word| Word::new(word).is_label();
        assert!(
            is_role("Reporter") && is_role("Redakteurin") && is_role("staff") && is_newsroom("News Agencies")
        );
        assert!(
            !is_role("Stafford") && !is_newsroom("Newsome") && !is_label("Kepler") && !is_label("Wordsworth")
        );
    }

    #[test]
    fn by_depends_on_the_language() {
        let is_by = |word, language, is_first| Word::new(word).is_by(language, is_first);
        let german = cldr::language("de");
        assert!(is_by("Von", german, true) && is_by("By", german, true));
        assert!(!is_by("Von", cldr::language("en"), true) && is_by("von", None, true));
    }
}
