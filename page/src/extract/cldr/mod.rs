//! Words of dates and lists in the languages of Unicode's CLDR: names of months, "and", "a.m.".
//!
//! The table `cldr.txt` is written by `train/cldr.py`. Its words are folded: small letters, without the marks that many
//! writers leave out ([`fold`]). A few names that CLDR lacks are [added here](OTHER_NAMES).

use std::borrow::Cow;
use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};
use unicode_normalization::UnicodeNormalization;

const TABLE: &str = include_str!("cldr.txt");
/// Names that CLDR lacks, folded, with their month: older spellings and cases.
const OTHER_NAMES: [(&str, u8); 38] = [
    ("জানুয়ারী", 1),
    ("ফেব্রুয়ারী", 2),
    ("januarja", 1),
    ("janvari", 1),
    ("feber", 2),
    ("februarja", 2),
    ("mrz", 3),
    ("maerz", 3),
    ("מרס", 3),
    ("maija", 5),
    ("اگوست", 8),
    ("avgusta", 8),
    ("агуст", 8),
    ("আগষ্ট", 8),
    ("septembri", 9),
    ("सितम्बर", 9),
    ("सप्टेम्बर", 9),
    ("oktobri", 10),
    ("अक्तूबर", 10),
    ("novembri", 11),
    ("studenog", 11),
    ("नवम्बर", 11),
    ("decembri", 12),
    ("दिसम्बर", 12),
    ("डिसेम्बर", 12),
    ("нояб", 11),
    // CLDR has the moons of Sri Lanka instead.
    ("ජනවාරි", 1),
    ("පෙබරවාරි", 2),
    ("මාර්තු", 3),
    ("අප්රේල්", 4),
    ("මැයි", 5),
    ("ජූනි", 6),
    ("ජූලි", 7),
    ("අගෝස්තු", 8),
    ("සැප්තැම්බර්", 9),
    ("ඔක්තෝබර්", 10),
    ("නොවැම්බර්", 11),
    ("දෙසැම්බර්", 12),
];
/// Words between the parts of dates that CLDR lacks.
const BETWEEN: [&str; 8] = ["of", "the", "ng", "ngay", "nam", "yil", "eko", "dia"];
/// Columns of a language before its months.
const COLUMNS: usize = 5;

/// How years and months are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Calendar {
    Gregorian,
    Persian,
    Ethiopic,
}

/// A language of the table, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Language(u16);

/// The order of day, month and year where all three are digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Order {
    #[default]
    DayMonthYear,
    MonthDayYear,
    YearMonthDay,
}

/// A month that a name may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Month {
    pub(super) calendar: Calendar,
    /// From 1.
    pub(super) number: u8,
    /// Nothing for a name that we added.
    language: Option<Language>,
}

impl Month {
    pub(super) fn gregorian(number: u8) -> Month {
        Month { calendar: Calendar::Gregorian, number, language: None }
    }

    /// Whether two names mean the same month.
    pub(super) fn is_same(self, other: Month) -> bool {
        (self.calendar, self.number) == (other.calendar, other.number)
    }
}

/// A word as the table has it: in small letters, without full stops and marks that many writers leave out.
pub(super) fn fold(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Cow::Borrowed(word);
    }
    if word.is_ascii() {
        let letters = word.chars().filter(|letter| *letter != '.');
        return Cow::Owned(letters.map(|letter| letter.to_ascii_lowercase()).collect());
    }
    let lower = word.to_lowercase();
    let plain = lower.nfd().filter(|letter| !is_optional(*letter)).map(|letter| match letter {
        'ı' => 'i',
        'ی' | 'ى' => 'ي',
        'ک' => 'ك',
        'ە' => 'ه',
        '’' | 'ʻ' | 'ʼ' => '\'',
        '\u{a0}' | '\u{202f}' => ' ',
        other => other,
    });
    Cow::Owned(plain.nfc().collect())
}

/// Marks of letters that are often left out, and characters without a shape.
fn is_optional(letter: char) -> bool {
    matches!(
        letter,
        '.' | '\u{300}'..='\u{36f}'
            | '\u{591}'..='\u{5c7}'
            | '\u{64b}'..='\u{65f}'
            | '\u{670}'
            | '\u{93c}'
            | '\u{9bc}'
            | '\u{a3c}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2060}'..='\u{2069}'
            | '\u{ad}'
    )
}

/// The months that a folded name may mean; those of languages with most speakers first.
pub(super) fn months(name: &str) -> &'static [Month] {
    DATA.months.get(name).map_or(&[], Vec::as_slice)
}

/// The month that a folded name means in a text of this language, or else in most.
pub(super) fn month(name: &str, language: Option<Language>, calendar: Calendar) -> Option<Month> {
    let months = months(name).iter().filter(|month| month.calendar == calendar);
    let of_language = months.clone().find(|month| language.is_some() && month.language == language);
    of_language.or_else(|| months.clone().next()).copied()
}

/// The Gregorian month, from 1, that a name means in the language with most speakers that has it. Capitals do not count, nor do
/// marks that many writers leave out.
#[must_use]
pub fn month_number(name: &str) -> Option<u8> {
    month(&fold(name), None, Calendar::Gregorian).map(|month| month.number)
}

/// The name of another month (from 1) in the language of a name, and in the same form: in full or short. Where several
/// languages have the name, the one with most speakers counts.
#[must_use]
pub fn month_name_like(name: &str, number: u8) -> Option<&'static str> {
    let (names, form) = languages_of(&fold(name)).next()?;
    let names = names.get(usize::from(number).checked_sub(1)?)?;
    names.get(form).or_else(|| names.last()).copied()
}

/// In how many ways the other months may be named beside this name: one if a single language has it.
#[must_use]
pub fn month_name_readings(name: &str) -> usize {
    languages_of(&fold(name)).count()
}

/// The names of the months in each language that has this folded name, and its place among those of its month. Languages that name
/// all months alike in this form count once.
fn languages_of(name: &str) -> impl Iterator<Item = (&'static [Vec<&'static str>], usize)> {
    let mut seen = FxHashSet::default();
    let number = months(name).iter().find(|month| month.calendar == Calendar::Gregorian);
    let number = number.map_or(0, |month| usize::from(month.number));
    DATA.languages.iter().filter_map(move |words| {
        let of_month = words.months.get(number.checked_sub(1)?)?;
        let form = of_month.iter().position(|other| *other == name)?;
        let alike: Vec<&str> =
            words.months.iter().filter_map(|names| names.get(form).or(names.last()).copied()).collect();
        seen.insert(alike).then_some((words.months.as_slice(), form))
    })
}

/// The language with this code: `de`, `de-AT`.
pub(super) fn language(code: &str) -> Option<Language> {
    let code = code.split(['-', '_']).next()?.to_ascii_lowercase();
    // Codes that the table has by another name.
    let code = match code.as_str() {
        "prs" => "fa",
        "tl" => "fil",
        code => code,
    };
    let at = DATA.languages.iter().position(|language| language.code == code)?;
    u16::try_from(at).ok().map(Language)
}

impl Language {
    fn words(self) -> Option<&'static Words> {
        DATA.languages.get(usize::from(self.0))
    }

    pub(super) fn order(self) -> Order {
        self.words().map(|words| words.order).unwrap_or_default()
    }

    pub(super) fn is(self, code: &str) -> bool {
        self.words().is_some_and(|words| words.code == code)
    }
}

/// Whether a folded word joins the last two of a list in this language, or in any.
pub(super) fn is_and(word: &str, language: Option<Language>) -> bool {
    match language.and_then(Language::words) {
        Some(words) => words.ands.contains(&word),
        None => DATA.languages.iter().any(|words| words.ands.contains(&word)),
    }
}

/// Whether a folded word means the hours after noon (or before it), in this language or another.
pub(super) fn is_afternoon(word: &str, language: Option<Language>) -> Option<bool> {
    let half = |words: &Words| {
        let is_among = |names: &[&str]| names.contains(&word);
        is_among(&words.afternoon).then_some(true).or_else(|| is_among(&words.morning).then_some(false))
    };
    match word {
        "am" => return Some(false),
        "pm" => return Some(true),
        _ => {}
    }
    let of_language = language.and_then(Language::words).and_then(half);
    // Short Latin words mean other things elsewhere: Swedish "em" is Portuguese for "in".
    of_language.or_else(|| (!word.is_ascii()).then(|| DATA.languages.iter().find_map(half))?)
}

/// Whether a folded word may be between the parts of a date, as "de" in "3 de mayo de 2024".
pub(super) fn is_between(word: &str) -> bool {
    DATA.between.contains(word) || BETWEEN.contains(&word)
}

/// Whether a folded word calls the number after it a month: "tháng 5".
pub(super) fn is_before_month(word: &str) -> bool {
    DATA.before_month.contains(&word)
}

/// Whether a folded word calls the number before it a month: "5月".
pub(super) fn is_behind_month(word: &str) -> bool {
    DATA.behind_month.contains(&word)
}

/// The value of a decimal digit of any script.
pub(super) fn digit(letter: char) -> Option<u32> {
    if letter.is_ascii() {
        return letter.to_digit(10);
    }
    // The zeros are in order: the digit is one of the last block that begins before it.
    let after = DATA.zeros.partition_point(|zero| *zero <= letter);
    let zero = DATA.zeros.get(after.checked_sub(1)?)?;
    u32::from(letter).checked_sub(u32::from(*zero)).filter(|value| *value < 10)
}

/// What the table says of a language.
struct Words {
    code: &'static str,
    order: Order,
    ands: Vec<&'static str>,
    morning: Vec<&'static str>,
    afternoon: Vec<&'static str>,
    /// Names of the Gregorian months, the full one first.
    months: Vec<Vec<&'static str>>,
}

#[derive(Default)]
struct Data {
    zeros: Vec<char>,
    between: FxHashSet<&'static str>,
    before_month: Vec<&'static str>,
    behind_month: Vec<&'static str>,
    languages: Vec<Words>,
    months: FxHashMap<&'static str, Vec<Month>>,
}

static DATA: LazyLock<Data> = LazyLock::new(|| {
    let mut data = Data::default();
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&'static str> = line.split('\t').collect();
        let [first, second, ..] = columns[..] else { continue };
        match first {
            "zeros" => data.zeros = second.split('/').filter_map(|zero| zero.chars().next()).collect(),
            "between" => data.between = second.split('/').collect(),
            "before month" => data.before_month = second.split('/').collect(),
            "behind month" => data.behind_month = second.split('/').collect(),
            _ => data.add_language(&columns),
        }
    }
    for (name, number) in OTHER_NAMES {
        data.months.entry(name).or_default().push(Month::gregorian(number));
    }
    data
});

impl Data {
    /// Adds a line of the table: a language with its Gregorian months, or another calendar of the last one.
    fn add_language(&mut self, columns: &[&'static str]) {
        let (calendar, from) = match columns {
            [_, "persian", ..] => (Calendar::Persian, 2),
            [_, "ethiopic", ..] => (Calendar::Ethiopic, 2),
            [code, order, ands, morning, afternoon, ..] => {
                let words = |text: &'static str| text.split('/').filter(|word| !word.is_empty()).collect();
                let order = match *order {
                    "mdy" => Order::MonthDayYear,
                    "ymd" | "ydm" => Order::YearMonthDay,
                    _ => Order::DayMonthYear,
                };
                let (ands, morning, afternoon) = (words(ands), words(morning), words(afternoon));
                let months = columns.iter().skip(COLUMNS).take(12).map(|names| words(names)).collect();
                self.languages.push(Words { code, order, ands, morning, afternoon, months });
                (Calendar::Gregorian, COLUMNS)
            }
            _ => return,
        };
        let language = u16::try_from(self.languages.len().saturating_sub(1)).ok().map(Language);
        for (number, names) in (1..).zip(columns.iter().skip(from)) {
            for name in names.split('/').filter(|name| !name.is_empty()) {
                self.months.entry(name).or_default().push(Month { calendar, number, language });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_months_of_many_languages() {
        assert!(DATA.languages.len() > 150, "{}", DATA.languages.len());
        for (name, number) in [
            ("März", 3),
            ("août", 8),
            ("Sept.", 9),
            ("DIC", 12),
            ("stycznia", 1),
            ("KASIM", 11),
            ("ธ.ค.", 12),
            ("মে", 5),
            ("غشت", 8),
            ("كانون الثاني", 1),
            ("Meán Fómhair", 9),
            ("ఆగస్టు", 8),
        ] {
            let found = month(&fold(name), None, Calendar::Gregorian);
            assert_eq!(found.map(|month| month.number), Some(number), "{name}");
        }
        assert_eq!(months("mayor"), []);
        assert_eq!(month("خرداد", None, Calendar::Persian).map(|month| month.number), Some(3));
    }

    #[test]
    fn other_months_are_named_in_the_same_language_and_form() {
        for (name, number, other) in [
            ("march", 12, Some("december")),
            ("Mar", 12, Some("dec")),
            ("février", 8, Some("aout")),
            ("janv", 3, Some("mar")),
            ("marzo", 9, Some("septiembre")),
            ("Januar", 5, Some("mai")),
            ("cup", 1, None),
            ("march", 13, None),
            ("march", 0, None),
        ] {
            assert_eq!(month_name_like(name, number), other, "{name} {number}");
        }
        assert_eq!(
            (month_number("mars"), month_number("Août"), month_number("cup")),
            (Some(3), Some(8), None)
        );
        assert!(month_name_readings("january") < month_name_readings("april"));
        assert_eq!(month_name_readings("cup"), 0);
    }

    #[test]
    fn a_name_is_read_in_the_language_of_the_text() {
        let number = |code| month("listopada", language(code), Calendar::Gregorian).map(|month| month.number);
        assert_eq!((number("hr"), number("pl-PL"), number("en")), (Some(10), Some(11), Some(11)));
        assert_eq!(is_afternoon("em", language("pt")), None);
        assert_eq!(is_afternoon("em", language("sv")), Some(true));
        assert_eq!(is_afternoon("오후", None), Some(true));
    }

    #[test]
    fn digits_of_all_scripts() {
        for (letter, value) in [('7', 7), ('٧', 7), ('۷', 7), ('७', 7), ('៧', 7), ('７', 7)] {
            assert_eq!(digit(letter), Some(value), "{letter}");
        }
        assert_eq!((digit('x'), digit('一'), digit('߿')), (None, None, None));
    }
}
