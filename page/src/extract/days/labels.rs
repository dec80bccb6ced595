//! Words beside a date that tell which day it is: that of publication, or that of the last change.
//!
//! The lists are evidence for lines that have such a word. Where a line has two dates with labels that are not among
//! them, the later one is that of the change if it comes second: papers write them in this order.

use crate::extract::cldr;

/// Beginnings of words, folded, for a change; and for the publication.
const CHANGED: &[&str] = &[
    "updat",
    "modif",
    "edited",
    "revis",
    "last change",
    "aktuali",
    "geander",
    "stand:",
    "letzte anderung",
    "a jour",
    "actuali",
    "atualiz",
    "aggiorn",
    "actualitz",
    "bijgewerkt",
    "gewijzig",
    "opgedateer",
    "guncel",
    "yenilen",
    "uppdater",
    "andrad",
    "oppdater",
    "opdater",
    "paivit",
    "muokat",
    "uppfært",
    "uuendat",
    "muudet",
    "atjauno",
    "labots",
    "atnaujin",
    "zaktual",
    "zmodyf",
    "upraven",
    "zmenen",
    "posodobl",
    "azurir",
    "izmjen",
    "izmen",
    "promenj",
    "frissit",
    "modosit",
    "ενημερω",
    "τροποποι",
    "обновл",
    "изменен",
    "онов",
    "ажурир",
    "промен",
    "абноул",
    "редакт",
    "perditesua",
    "ndryshua",
    "eguneratu",
    "diweddar",
    "nuashonr",
    "diperbarui",
    "pembaruan",
    "kemas kini",
    "cap nhat",
    "imesasish",
    "更新",
    "修改",
    "수정",
    "업데이트",
    "تحديث",
    "تعديل",
    "עודכן",
    "עדכון",
    "بروزرساني",
    "به روز",
    "ويرايش",
    "अपडेट",
    "अद्यतन",
    "सशोधित",
    "संशोधित",
    "আপডেট",
    "হালনাগাদ",
    "புதுப்பி",
    "అప్డేట్",
    "ಅಪ್ಡೇಟ್",
    "അപ്ഡേറ്റ്",
    "અપડેટ",
    "ਅੱਪਡੇਟ",
    "แก้ไข",
    "อัปเดต",
    "อัพเดท",
    "อัพเดต",
    "ปรับปรุง",
    "განახლ",
    "թարմաց",
    "ተሻሽ",
    "ធ្វើបច្ចុប្បន្នភាព",
    "ອັບເດດ",
    "yangilan",
    "yenilən",
];
const PUBLISHED: &[&str] = &[
    "publi",
    "post",
    "created",
    "written",
    "veroff",
    "erschien",
    "erstellt",
    "online seit",
    "gepubl",
    "geplaatst",
    "pubbli",
    "escrito",
    "creado",
    "criado",
    "julk",
    "avaldat",
    "paskelb",
    "ievietot",
    "opubl",
    "dodan",
    "zverejn",
    "vydan",
    "objav",
    "megjelen",
    "kozzetet",
    "δημοσι",
    "опубл",
    "публик",
    "објав",
    "обубл",
    "botua",
    "postua",
    "yayin",
    "giris",
    "eklenme",
    "argitarat",
    "cyhoedd",
    "foilsi",
    "birt",
    "diterbit",
    "tayang",
    "dang ngay",
    "xuat ban",
    "发布",
    "發布",
    "發佈",
    "刊登",
    "公開",
    "掲載",
    "投稿",
    "配信",
    "입력",
    "등록",
    "게시",
    "작성",
    "نشر",
    "פורסם",
    "נכתב",
    "انتشار",
    "منتشر",
    "प्रकाश",
    "প্রকাশ",
    "பதிவு",
    "வெளியி",
    "ప్రచుర",
    "ಪ್ರಕಟ",
    "પ્રકાશ",
    "เผยแพร่",
    "გამოქვეყნ",
    "հրապարակ",
    "nashr",
];
/// Longest text that is searched for labels, in bytes.
const MOST_BYTES: usize = 200;

/// What a word says about a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    Published,
    Changed,
    /// A label that is not known: a word before a colon.
    Unknown,
}

/// Whether a text has a word for a change, or for the publication.
pub(super) fn says(text: &str) -> (bool, bool) {
    if text.len() > MOST_BYTES {
        return (false, false);
    }
    let text = format!("{} ", cldr::fold(text));
    let has_any = |words: &[&str]| words.iter().any(|word| text.contains(word));
    (has_any(CHANGED), has_any(PUBLISHED))
}

/// What the words before a date say, or those behind it if there are none before. The nearest counts.
pub(super) fn label(before: &str, behind: &str) -> Option<Label> {
    let has_letters = |text: &str| text.chars().any(char::is_alphabetic);
    let named = |text: &str, is_last: bool| {
        if text.len() > MOST_BYTES {
            return None;
        }
        let text = format!("{} ", cldr::fold(text));
        let at = |words: &[&str]| {
            let found =
                words.iter().filter_map(|word| if is_last { text.rfind(word) } else { text.find(word) });
            if is_last { found.max() } else { found.min() }
        };
        match (at(CHANGED), at(PUBLISHED)) {
            (Some(changed), Some(published)) if (changed > published) == is_last => Some(Label::Changed),
            (_, Some(_)) => Some(Label::Published),
            (Some(_), None) => Some(Label::Changed),
            (None, None) => None,
        }
    };
    if has_letters(before) {
        let ends_in_colon = before.trim_end().ends_with([':', '：', '៖']);
        return named(before, true).or(ends_in_colon.then_some(Label::Unknown));
    }
    named(behind, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_tells_which_day_it_is() {
        assert_eq!(label("Published on ", ""), Some(Label::Published));
        assert_eq!(label("Dernière mise à jour le ", ""), Some(Label::Changed));
        assert_eq!(label("Stand: ", ""), Some(Label::Changed));
        assert_eq!(label("", " 公開"), Some(Label::Published));
        assert_eq!(label("", " 更新"), Some(Label::Changed));
        assert_eq!(label("First published, later updated: ", ""), Some(Label::Changed));
        assert_eq!(label("Quux: ", ""), Some(Label::Unknown));
        assert_eq!(label("On ", ""), None);
        assert_eq!(label("", ""), None);
    }

    #[test]
    fn the_words_are_folded() {
        for word in CHANGED.iter().chain(PUBLISHED) {
            assert_eq!(cldr::fold(word), *word);
        }
    }
}
