//! Words of bylines in many languages: "by", labels, roles, newsrooms, particles of names.
//!
//! The lists are small and evidence only: an unknown word before a colon is a label, too, and a small letter ends a name.
//! All words are folded as [`cldr::fold`] folds them.

use crate::extract::cldr::{self, Language};

/// Longest beginning of a word, in bytes, behind which hardly anything may follow.
const SHORT: usize = 6;

/// Who did what for an article.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    Writing,
    /// Photos, translation, editing.
    Other,
}

/// "By", and the languages in which it is no part of names; nothing for all.
const BY: [(&str, &str); 31] = [
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
    ("do", ""),
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
/// Beginnings of words that name what a writer did, or the writer.
const WRITING: [&str; 77] = [
    "written",
    "text",
    "words",
    "story",
    "report",
    "analys",
    "interview",
    "comment",
    "opinion",
    "essay",
    "review",
    "told",
    "autor",
    "auteur",
    "author",
    "skrib",
    "schrieb",
    "geschrieben",
    "eingestellt",
    "aufgezeichnet",
    "protokoll",
    "kommentar",
    "bericht",
    "artikel",
    "beitrag",
    "reportage",
    "propos",
    "recueilli",
    "escrit",
    "texto",
    "textos",
    "articulo",
    "scritt",
    "testo",
    "articol",
    "geschreven",
    "tekst",
    "skrev",
    "forfatt",
    "kirjoitt",
    "teksti",
    "haastattel",
    "napisa",
    "napsal",
    "pise",
    "szerz",
    "irta",
    "szoveg",
    "автор",
    "аутар",
    "текст",
    "пише",
    "пишува",
    "беседовал",
    "записал",
    "συντακτ",
    "κειμενο",
    "γραφει",
    "επιμελεια κειμενου",
    "haber",
    "yaz",
    "muhabir",
    "כתב",
    "كتب",
    "كتبت",
    "بقلم",
    "نويسنده",
    "قلم",
    "लेख",
    "লেখ",
    "எழுத",
    "రచన",
    "penulis",
    "tac gia",
    "เรื่อง",
    "ฝ่ายข่าว",
    "autorstwo",
];
/// Beginnings of words for the work of others.
const OTHER: [&str; 89] = [
    "photo",
    "pictur",
    "image",
    "imagen",
    "illustr",
    "ilustr",
    "graphic",
    "grafik",
    "grafic",
    "video",
    "camera",
    "edited",
    "editing",
    "editor",
    "edicion",
    "edicao",
    "translat",
    "fact",
    "sourc",
    "audio",
    "produc",
    "foto",
    "bild",
    "ubersetz",
    "redig",
    "lektor",
    "quelle",
    "zeichn",
    "credit",
    "tradui",
    "traduct",
    "traduc",
    "traduz",
    "tradott",
    "vertal",
    "vertaling",
    "beeld",
    "oversat",
    "oversatt",
    "oversett",
    "oversaet",
    "kuva",
    "kuvat",
    "kaanno",
    "suoment",
    "kilde",
    "kalla",
    "lahde",
    "zdjeci",
    "tlumacz",
    "zrodlo",
    "preklad",
    "prelozil",
    "snim",
    "fordit",
    "kep",
    "fotok",
    "forras",
    "фото",
    "перевод",
    "пераклад",
    "переклад",
    "снимк",
    "превод",
    "источник",
    "иллюстрац",
    "редактор",
    "φωτο",
    "μεταφρασ",
    "πηγη",
    "fotograf",
    "ceviri",
    "ceviren",
    "kaynak",
    "צילום",
    "תרגום",
    "עריכה",
    "تصوير",
    "صور",
    "ترجمه",
    "ترجمة",
    "مترجم",
    "عكس",
    "منبع",
    "फोटो",
    "ছবি",
    "penyunting",
    "sumber",
    "ภาพ",
];
/// Beginnings of words for who works at a paper.
const ROLES: [&str; 58] = [
    "staff",
    "correspond",
    "contribut",
    "reporter",
    "editor",
    "writer",
    "officer",
    "journalis",
    "columnist",
    "producer",
    "intern",
    "author",
    "photographer",
    "chief",
    "phd",
    "anchor",
    "freelanc",
    "redakteur",
    "redaktor",
    "autor",
    "volontar",
    "korrespond",
    "chefredakt",
    "redacteur",
    "redactric",
    "redactor",
    "redator",
    "redattor",
    "periodista",
    "giornalista",
    "jornalista",
    "inviat",
    "enviad",
    "envoye",
    "corrispond",
    "columnista",
    "dziennikar",
    "korespond",
    "toimitta",
    "novinar",
    "ujsagiro",
    "fotograf",
    "corespond",
    "ziarist",
    "muhabir",
    "gazeteci",
    "wartawan",
    "jurnalis",
    "корреспонд",
    "кореспонд",
    "карэспанд",
    "репорт",
    "журналист",
    "журналіст",
    "новинар",
    "обозреват",
    "δημοσιογραφ",
    "ανταποκριτ",
];
/// Beginnings of words for desks and agencies.
const NEWSROOMS: [&str; 29] = [
    "編集部",
    "编辑部",
    "編輯部",
    "편집국",
    "redaktion",
    "redaktsioon",
    "redakc",
    "redakts",
    "redac",
    "redazione",
    "redacao",
    "redactie",
    "redaksi",
    "редакц",
    "рэдакц",
    "συντακτικη",
    "editorial",
    "newsroom",
    "staff",
    "news",
    "agenc",
    "agens",
    "ajans",
    "agentur",
    "desk",
    "team",
    "tim redaksi",
    "تحريريه",
    "تحرير",
];
/// Signs before or behind names in languages that write without spaces, for writers and for others.
const WRITING_SIGNS: [&str; 22] = [
    "本报记者",
    "本報記者",
    "特约记者",
    "实习记者",
    "撰稿人",
    "记者",
    "記者",
    "作者",
    "撰文",
    "撰稿",
    "采写",
    "採訪",
    "取材",
    "執筆",
    "文責",
    "文",
    "写手",
    "ライター",
    "筆者",
    "글",
    "취재",
    "글쓴이",
];
const OTHER_SIGNS: [&str; 24] = [
    "责任编辑",
    "責任編輯",
    "编辑",
    "編輯",
    "編集",
    "校对",
    "翻譯",
    "翻译",
    "翻訳",
    "訳",
    "摄影",
    "攝影",
    "撮影",
    "写真",
    "图",
    "圖",
    "图片",
    "圖片",
    "来源",
    "來源",
    "监制",
    "사진",
    "편집",
    "번역",
];
/// Words for "reporter" behind names in Korean, Japanese and Chinese; longer ones first.
const SIGNS_BEHIND: [&str; 11] = [
    "선임기자",
    "전문기자",
    "수습기자",
    "인턴기자",
    "특파원",
    "논설위원",
    "기자",
    "記者",
    "记者",
    "編集委員",
    "特派員",
];
/// "Reported" behind a place: `台北報導`.
pub(super) const REPORTED: [&str; 3] = ["報導", "报道", "報道"];
/// Small words inside names.
const PARTICLES: [&str; 47] = [
    "y", "e", "i", "de", "da", "do", "dos", "das", "di", "du", "del", "della", "delle", "dei", "degli",
    "dell", "dello", "d", "l", "la", "le", "los", "las", "el", "al", "van", "von", "vom", "der", "den",
    "dem", "het", "ten", "ter", "zu", "zum", "zur", "bin", "ibn", "bint", "ben", "bat", "af", "av", "san",
    "mac", "of",
];
/// What may follow a name behind a comma and belongs to it.
const SUFFIXES: [&str; 10] = ["jr", "sr", "ii", "iii", "iv", "filho", "neto", "junior", "fils", "hijo"];
/// Folded words that begin a byline's description of a person: "our correspondent", "ο" of Greek.
const ARTICLES: [&str; 19] = [
    "our", "unserem", "unserer", "unser", "der", "die", "dem", "the", "ο", "η", "οι", "του", "της", "notre",
    "nos", "nuestro", "nuestra", "il", "la",
];

/// Whether a word begins with one of these. Of short ones it may differ in its last letter only: "Stafford" is no staff.
fn begins(word: &str, stems: &[&str]) -> bool {
    let is_rest = |stem: &str| stem.len() > SHORT || word.len() <= stem.len() + 2;
    stems.iter().any(|stem| word.starts_with(stem) && is_rest(stem))
}

/// Whether a word, written as `word`, means "by" in a text of this language. A small letter at the beginning says so as well,
/// because names begin with capitals.
pub(super) fn is_by(word: &str, language: Option<Language>, is_first: bool) -> bool {
    let folded = cldr::fold(word);
    let Some((_, languages)) = BY.iter().find(|(by, _)| *by == folded) else { return false };
    let is_language = |code: &str| language.is_some_and(|language| language.is(code));
    languages.is_empty()
        || languages.split(' ').any(is_language)
        || (is_first && word.starts_with(char::is_lowercase))
}

/// What the words of a label say.
pub(super) fn work(label: &str) -> Option<Work> {
    let signs = |signs: &[&str]| {
        signs.iter().any(|sign| label.trim().ends_with(sign) || label.trim().starts_with(sign))
    };
    if signs(&WRITING_SIGNS) {
        return Some(Work::Writing);
    }
    if signs(&OTHER_SIGNS) {
        return Some(Work::Other);
    }
    let folded = cldr::fold(label);
    let words = || folded.split(|letter: char| !letter.is_alphanumeric() && !letter.is_alphabetic());
    // "Text and photos" is a writer's.
    let starts = |word: &str, stems: &[&str]| stems.iter().any(|stem| word.starts_with(stem));
    if words().any(|word| starts(word, &WRITING)) {
        return Some(Work::Writing);
    }
    let other = words().any(|word| starts(word, &OTHER));
    if other {
        return Some(Work::Other);
    }
    words().any(|word| begins(word, &ROLES)).then_some(Work::Writing)
}

/// Whether a word names what a writer or another did: "Analysis", "photos".
pub(super) fn is_label(word: &str) -> bool {
    let folded = cldr::fold(word);
    WRITING.iter().chain(&OTHER).any(|stem| folded.starts_with(stem))
}

pub(super) fn is_role(word: &str) -> bool {
    begins(&cldr::fold(word), &ROLES)
}

pub(super) fn is_newsroom(text: &str) -> bool {
    cldr::fold(text).split_whitespace().any(|word| begins(word, &NEWSROOMS))
}

pub(super) fn is_particle(word: &str) -> bool {
    let folded = cldr::fold(word);
    let first = folded.split(['\'', '-']).next().unwrap_or_default();
    PARTICLES.contains(&first)
}

pub(super) fn is_suffix(text: &str) -> bool {
    SUFFIXES.contains(&cldr::fold(text.trim()).as_ref())
}

pub(super) fn is_article(word: &str) -> bool {
    ARTICLES.contains(&cldr::fold(word).as_ref())
}

/// A name without the sign before it, as in `記者林知遠`, and the work that the sign tells.
pub(super) fn without_sign_before(text: &str) -> Option<(&str, Work)> {
    let of = |signs: &[&'static str], work| {
        let rest = signs.iter().find_map(|sign| text.strip_prefix(sign))?;
        Some((rest.trim(), work))
    };
    of(&WRITING_SIGNS, Work::Writing).or_else(|| of(&OTHER_SIGNS, Work::Other))
}

/// A name without the word for "reporter" behind it.
pub(super) fn without_sign_behind(text: &str) -> Option<&str> {
    SIGNS_BEHIND.iter().find_map(|sign| text.strip_suffix(sign)).map(str::trim)
}
