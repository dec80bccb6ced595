//! Who did what, by a byline: "Text: Ada Lovelace, photos: Alan Turing" names a writer and somebody else.
//!
//! A byline is cut at strong marks, then at labels with a colon, then at commas and words for "and" ([`cldr`]). What a part
//! says before a name (a label, "by", a role) and behind it (a role, a place, a paper) is cut off. In scripts with capitals
//! a small letter ends a name, unless it begins a particle. Addresses, handles, days and what is in brackets are no names.
//! A part without a person is a newsroom's.

use super::names::{SiteNames, is_syllable};
use super::words::{self, Word, Work};
use crate::extract::cldr::{self, Language};
use crate::extract::dates::{self, DateStyle};
use crate::time::Timestamp;

/// Marks between the parts of a byline that are stronger than a comma.
const STRONG: [&str; 9] = ["|", ";", "•", " · ", " – ", " — ", " - ", " ― ", "\n"];
/// Marks between names.
const COMMAS: [char; 7] = [',', '、', '،', '，', '፣', '/', '／'];
/// Marks behind labels.
const COLONS: [char; 5] = [':', '：', '＝', '៖', '='];
/// Most letters of an abbreviation before a full stop.
const LONGEST_ABBREVIATION: usize = 3;
/// Most words of a label before a colon, and most words before "by".
const LABEL_WORDS: usize = 4;
const BEFORE_BY: usize = 5;
/// No date in a byline is too late.
const LATEST: Timestamp = Timestamp(4_102_444_800_000);
/// "And" on pages whose language is unknown or said to be English.
const ANDS: [&str; 9] = ["and", "&", "und", "et", "y", "e", "och", "og", "with"];
/// Most syllables of a name in scripts without spaces.
const MOST_SYLLABLES: usize = 4;

/// A name in a byline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) name: String,
    /// As it was before a role or the like was cut off, if that differs.
    pub(super) whole: Option<String>,
    pub(super) work: Work,
    /// Whether a known label or "by" precedes it.
    pub(super) is_labelled: bool,
    /// Whether it is no person's name: a newsroom, a role.
    pub(super) is_newsroom: bool,
}

/// The names in a byline. Those of writers come first if there are any.
pub(super) fn parts(byline: &str, site: &SiteNames, language: Option<Language>) -> Vec<Part> {
    let plain = without_addresses(&without_days(byline));
    let mut found: Vec<Part> = Vec::new();
    for segment in strong_parts(&without_brackets(plain.trim())) {
        let (mut work, mut is_labelled) = (Work::Writing, false);
        for (label, value) in labelled(segment) {
            if let Some(label) = label {
                let known = words::work(label);
                (work, is_labelled) = (known.unwrap_or(Work::Writing), known == Some(Work::Writing));
            }
            for piece in pieces(value, language) {
                let opened = without_opening(&piece, language);
                if let Some(opening) = opened.work {
                    (work, is_labelled) = (opening, opening == Work::Writing);
                }
                let part = named(opened.rest, site);
                found.extend(part.map(|part| Part {
                    work,
                    is_labelled: is_labelled || part.is_labelled,
                    ..part
                }));
            }
        }
    }
    settled(found)
}

/// Whether a text begins with "by" or a known label for writers, and goes on with anything but a small letter.
pub(super) fn says_by(text: &str, language: Option<Language>) -> bool {
    let text = text.trim();
    let behind_label = || {
        let (label, rest) = text.split_once(COLONS)?;
        let is_label =
            label.split_whitespace().count() <= LABEL_WORDS && words::work(label) == Some(Work::Writing);
        is_label.then_some(rest.trim())
    };
    let opened = without_opening(text, language);
    let rest = behind_label().or_else(|| (opened.work == Some(Work::Writing)).then_some(opened.rest));
    rest.and_then(|rest| rest.chars().next())
        .is_some_and(|first| first.is_alphabetic() && !first.is_lowercase())
}

/// The text without its dates: a part ends at each.
fn without_days(text: &str) -> String {
    let mut rest = String::new();
    let mut from = 0;
    for date in dates::find(text, LATEST, DateStyle::default()) {
        rest.push_str(text.get(from..date.range.start).unwrap_or_default());
        rest.push_str(" | ");
        from = date.range.end;
    }
    rest.push_str(text.get(from..).unwrap_or_default());
    rest
}

/// The text without mail addresses, handles and links: a part ends at each.
fn without_addresses(text: &str) -> String {
    if !text.contains(['@', '/']) {
        return text.to_owned();
    }
    let is_address = |word: &str| {
        word.contains("://")
            || word.starts_with("www.")
            || word.trim_start_matches(['(', '[']).starts_with('@')
            || word.split_once('@').is_some_and(|(_, host)| host.contains('.'))
    };
    let plain = text.split(' ').map(|word| if is_address(word) { "|" } else { word });
    plain.collect::<Vec<_>>().join(" ")
}

/// The text without what is in brackets. If all of it is in brackets, these alone are cut off.
fn without_brackets(text: &str) -> String {
    let pairs = [('(', ')'), ('[', ']'), ('（', '）'), ('【', '】'), ('〔', '〕')];
    let inner = pairs.iter().find_map(|(open, close)| text.strip_prefix(*open)?.strip_suffix(*close));
    if let Some(inner) =
        inner.filter(|inner| !inner.contains(|letter| pairs.iter().any(|(open, _)| *open == letter)))
    {
        return inner.to_owned();
    }
    let mut plain = String::new();
    let mut depth = 0_u32;
    for letter in text.chars() {
        if pairs.iter().any(|(open, _)| *open == letter) {
            depth += 1;
        } else if pairs.iter().any(|(_, close)| *close == letter) {
            depth = depth.saturating_sub(1);
        } else if depth == 0 {
            plain.push(letter);
        }
    }
    plain
}

/// The parts of a byline between strong marks and full stops.
fn strong_parts(text: &str) -> Vec<&str> {
    let mut parts = vec![text];
    for mark in STRONG {
        parts = parts.into_iter().flat_map(|part| part.split(mark)).collect();
    }
    parts.into_iter().flat_map(sentences).map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// The sentences of a text. A full stop behind a short word ends none: "J.", "Jr.".
fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    for (stop, _) in text.match_indices(". ") {
        let last = text[start..stop].rsplit(' ').next().unwrap_or_default();
        if last.chars().count() > LONGEST_ABBREVIATION || last.starts_with(char::is_lowercase) {
            found.push(&text[start..stop]);
            start = stop + 2;
        }
    }
    found.push(&text[start..]);
    found
}

/// The labels with a colon in a part of a byline, each with what follows it; first what precedes all labels.
fn labelled(part: &str) -> Vec<(Option<&str>, &str)> {
    let mut found: Vec<(Option<&str>, &str)> = Vec::new();
    let (mut label, mut rest) = (None, part);
    while let Some(at) = rest.find(COLONS) {
        let before = rest[..at].trim_end();
        // A label follows a comma or a name: of what is before the colon, its last word is the label.
        let comma = before.rfind(COMMAS).map(|at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        let start = match (comma, label.is_some()) {
            (Some(comma), _) => comma,
            (None, true) => before.rfind(' ').map_or(0, |at| at + 1),
            (None, false) => 0,
        };
        let text = before[start..].trim();
        if text.split_whitespace().count() > LABEL_WORDS {
            break;
        }
        found.push((label, before[..start].trim().trim_end_matches(COMMAS)));
        label = Some(text);
        let mark = rest[at..].chars().next().map_or(1, char::len_utf8);
        rest = rest[at + mark..].trim_start();
    }
    found.push((label, rest));
    found.retain(|(label, value)| label.is_some() || !value.is_empty());
    found
}

/// The pieces between commas and words for "and". A suffix goes with the name before it: "Jr.".
fn pieces(text: &str, language: Option<Language>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for piece in text.split(COMMAS).map(str::trim).filter(|piece| !piece.is_empty()) {
        let (head, rest) = piece.split_once(' ').unwrap_or((piece, ""));
        match found.last_mut() {
            Some(name) if words::is_suffix(head) => {
                name.push_str(", ");
                name.push_str(head);
                found.extend(between_ands(rest, language, true));
            }
            _ => found.extend(between_ands(piece, language, false)),
        }
    }
    found
}

/// The names that "and" joins. `is_open`: a name precedes.
fn between_ands(text: &str, language: Option<Language>, is_open: bool) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut found: Vec<String> = Vec::new();
    let mut from = 0;
    for (at, word) in words.iter().enumerate() {
        let (before, behind) = (at - from, words.len() - at - 1);
        // "Ortega y Gasset" is one name: a short word joins only names of two words or more.
        let is_short = word.chars().count() <= 2 && *word != "&";
        let is_between = behind > 0 && (!is_short || (before >= 2 && behind >= 2));
        // A name may follow an "and" at the very beginning if another precedes it: "Ada, and Alan Turing".
        let is_behind_name = before > 0 || (at == 0 && (is_open || words.len() > 2));
        if is_between && is_behind_name && is_and(word, language) {
            found.push(words[from..at].join(" "));
            from = at + 1;
        } else if is_joined_and(word) && before >= 2 && behind >= 1 {
            found.push(words[from..at].join(" "));
            found.extend(between_ands(&words[at..].join(" ")[first_letter(word)..], language, true));
            from = words.len();
            break;
        }
    }
    found.push(words[from..].join(" "));
    found.retain(|piece| !piece.is_empty());
    found
}

/// Whether a word says "and" in this language. Pages that are said to be in English often are in another.
fn is_and(word: &str, language: Option<Language>) -> bool {
    let is_small = !word.contains(char::is_uppercase) || word.chars().all(char::is_uppercase);
    let folded = cldr::fold(word);
    let is_of_language = match language.filter(|language| !language.is("en")) {
        Some(language) => cldr::is_and(&folded, Some(language)) || ["and", "&"].contains(&folded.as_ref()),
        None => ANDS.contains(&folded.as_ref()),
    };
    is_small && is_of_language
}

/// Whether a word begins with the Arabic or Hebrew letter for "and".
fn is_joined_and(word: &str) -> bool {
    word.starts_with(['و', 'ו']) && word.chars().count() > 3
}

fn first_letter(word: &str) -> usize {
    word.chars().next().map_or(0, char::len_utf8)
}

/// A piece without what precedes its name.
struct Opened<'p> {
    rest: &'p str,
    /// What a label or "by" before it says.
    work: Option<Work>,
}

fn without_opening(piece: &str, language: Option<Language>) -> Opened<'_> {
    let piece = piece.trim();
    if let Some(opened) = without_sign(piece) {
        return opened;
    }
    let words: Vec<Word<'_>> = piece.split_whitespace().map(Word::new).collect();
    let opening =
        by(piece, &words, language).or_else(|| label_before(piece, &words)).or_else(|| two_words(&words));
    let Some((mut at, work)) = opening else { return Opened { rest: piece, work: None } };
    // "von unserem Korrespondenten …".
    while at + 2 < words.len() && (words[at].is_article() || words[at].is_role()) {
        at += 1;
    }
    let rest = words.get(at).map_or("", |word| &piece[start_of(word, piece)..]);
    Opened { rest, work: Some(work) }
}

/// Where a word of a text begins.
fn start_of(word: &Word<'_>, text: &str) -> usize {
    word.text.as_ptr() as usize - text.as_ptr() as usize
}

/// A name behind a sign, in scripts without spaces: `記者林知遠`.
fn without_sign(piece: &str) -> Option<Opened<'_>> {
    let (rest, work) = words::without_sign_before(piece)?;
    let is_name = rest.chars().count() > 1 && !rest.contains(|letter: char| letter.is_ascii_alphabetic());
    is_name.then_some(Opened { rest, work: Some(work) })
}

/// The number of the word behind "by", and what the words before it say: "Photos by Ada Lovelace".
fn by(piece: &str, words: &[Word<'_>], language: Option<Language>) -> Option<(usize, Work)> {
    let is_by = |at: &usize| {
        let (before, word) = (&words[..*at], &words[*at]);
        // Most words mean "by" nowhere, which spares the look at those before.
        if !word.is_by(language, true) {
            return false;
        }
        let says_what = before.iter().any(Word::is_label);
        // "Ursula von der Heide" has no label before "von".
        let is_label = says_what || before.iter().all(Word::is_small);
        is_label && word.is_by(language, *at == 0 || says_what)
    };
    // Something follows it.
    let at = (0..words.len().saturating_sub(1)).take(BEFORE_BY + 1).find(is_by)?;
    let label = &piece[..start_of(&words[at], piece)];
    Some((at + 1, words::work(label).unwrap_or(Work::Writing)))
}

/// The number of the word behind a label without "by", and what it says: "Told to Ada Lovelace", "كتبت ليلى".
fn label_before(piece: &str, words: &[Word<'_>]) -> Option<(usize, Work)> {
    let is_known = |word: &Word<'_>| word.is_label() || word.is_role();
    let is_label = |at: &usize| {
        let opens = *at == 0 && words.get(1).is_some_and(|next| next.is_small() && next.is_label());
        opens || words[*at].is_small() || is_known(&words[*at])
    };
    let end = (0..words.len().min(LABEL_WORDS)).take_while(is_label).count();
    // A name follows: "Artikel auf Facebook teilen" is no byline.
    let is_name = |word: &Word<'_>| !word.is_small() || word.is_particle();
    let is_named = words.len() >= end + 2 && words[end..].iter().take(2).all(is_name);
    let is_before_name = is_named && words[..end].iter().any(is_known);
    let last = words[..end].last().filter(|_| is_before_name)?;
    let label = &piece[..start_of(last, piece) + last.text.len()];
    Some((end, words::work(label).unwrap_or(Work::Writing)))
}

/// The Persian "به قلم", "by the pen of".
fn two_words(words: &[Word<'_>]) -> Option<(usize, Work)> {
    let [first, second, _, ..] = words else { return None };
    (first.folded() == "به" && second.is_label()).then_some((2, Work::Writing))
}

/// The name in a piece, without what follows it.
fn named(piece: &str, site: &SiteNames) -> Option<Part> {
    let is_edge = |letter: char| {
        letter.is_whitespace()
            || matches!(letter, ':' | '-' | '*' | '·' | '⋅' | '•' | '"' | '“' | '”' | '–' | '—' | '«' | '»')
    };
    let whole = piece.trim_matches(is_edge);
    let is_label = |word: &str| {
        let word = Word::new(word);
        word.is_by(None, false) || word.is_label()
    };
    let is_place = words::REPORTED.iter().any(|sign| whole.ends_with(sign));
    if !whole.chars().any(char::is_alphabetic) || is_place || whole.split_whitespace().all(is_label) {
        return None;
    }
    // A reporter's sign is a label: nobody's name holds it.
    if let Some(name) = before_sign(whole) {
        let name = name.to_owned();
        return Some(Part { name, whole: None, work: Work::Writing, is_labelled: true, is_newsroom: false });
    }
    let cut = name_in(whole, site);
    let name = cut.trim_matches(is_edge).trim_end_matches(',').trim_end();
    let is_newsroom = name.is_empty() || words::is_newsroom(name) || site.is_own(name);
    let part = |name: &str| Part {
        name: name.to_owned(),
        whole: (name != whole).then(|| whole.to_owned()),
        work: Work::Writing,
        is_labelled: false,
        is_newsroom,
    };
    Some(if is_newsroom { part(whole) } else { part(name) })
}

/// The name before a reporter's sign. A paper may precede it: "한빛일보 김서윤 기자".
fn before_sign(piece: &str) -> Option<&str> {
    let name = words::without_sign_behind(piece).filter(|name| !name.is_empty())?;
    let last = name.rsplit(' ').next().unwrap_or(name);
    let is_name = (2..=MOST_SYLLABLES).contains(&last.chars().count()) && last.chars().all(is_syllable);
    Some(if is_name { last } else { name })
}

/// A piece without the role, the paper or the description behind the name.
fn name_in(piece: &str, site: &SiteNames) -> String {
    let piece = site.cut_off(piece);
    let words: Vec<Word<'_>> = piece.split_whitespace().map(Word::new).collect();
    // Handles and pen names may be small.
    if words.iter().all(Word::is_small) {
        let is_description =
            words.len() > 2 || words.iter().any(|word| word.is_role() || word.is_by(None, true));
        return if is_description { String::new() } else { piece.to_owned() };
    }
    let has_capital = |word: &Word<'_>| word.text.chars().any(char::is_uppercase);
    // "d’Estrelles" has its capital inside.
    let capital_behind = |at: usize| {
        let behind = words[at..].iter().find(|word| !word.is_particle() || has_capital(word));
        behind.is_some_and(has_capital)
    };
    let is_end = |at: &usize| words[*at].is_small() && !(words[*at].is_particle() && capital_behind(*at));
    let mut end = (0..words.len()).find(is_end).unwrap_or(words.len());
    // The role may be small: "Ada Lovelace Globe staff".
    if let Some(role) = words[..words.len().min(end + 1)].iter().position(Word::is_role) {
        // The words before a role belong to it, except for a first and a last name.
        end = if role <= 1 { 0 } else { 2 };
    }
    words[..end].iter().map(|word| word.text).collect::<Vec<_>>().join(" ")
}

/// The parts of a byline together: a single word beside full names is a place or an agency, and the work of others counts
/// only where no writer is named.
fn settled(mut parts: Vec<Part>) -> Vec<Part> {
    let is_person = |part: &Part| !part.is_newsroom && part.work == Work::Writing;
    let is_full = |part: &Part| {
        part.name.contains(' ') || part.name.chars().filter(|letter| is_syllable(*letter)).count() > 1
    };
    if parts.iter().any(|part| is_person(part) && is_full(part)) {
        parts.retain(|part| !part.is_newsroom && (part.work == Work::Other || is_full(part)));
    }
    if parts.iter().any(is_person) {
        parts.retain(is_person);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(language: &str, byline: &str, expected: &[&str]) {
        let site = SiteNames::new(["The Daily Post".to_owned()].into_iter(), "www.dailypost.example");
        let found = parts(byline, &site, cldr::language(language));
        let writers = found.iter().filter(|part| part.work == Work::Writing);
        assert_eq!(writers.map(|part| part.name.as_str()).collect::<Vec<_>>(), expected, "{byline}");
    }

    #[test]
    fn labels_go() {
        for (language, byline) in [
            ("en", "By Ada Lovelace"),
            ("en", "Analysis by Ada Lovelace"),
            ("en", "As told to Ada Lovelace"),
            ("de", "VON Ada Lovelace"),
            ("de", "Ein Bericht von Ada Lovelace"),
            ("de", "Von unserer Korrespondentin Ada Lovelace"),
            ("de", "Protokoll: Ada Lovelace"),
            ("it", "Scritto da Ada Lovelace"),
            ("it", "di Ada Lovelace"),
            ("en", "di Ada Lovelace"),
            ("sv", "Av Ada Lovelace"),
            ("sq", "Nga Ada Lovelace"),
            ("ru", "Автор: Ada Lovelace"),
            ("el", "Γράφει η Ada Lovelace"),
            ("xx", "Qwertz: Ada Lovelace"),
        ] {
            check(language, byline, &["Ada Lovelace"]);
        }
        check("ar", "بقلم: سعاد نجار", &["سعاد نجار"]);
        check("ar", "كتبت سعاد نجار", &["سعاد نجار"]);
        check("fa", "به قلم سعاد نجار", &["سعاد نجار"]);
        check("zh", "记者：王小明、李大中", &["王小明", "李大中"]);
        check("zh", "記者王小明／台北報導", &["王小明"]);
        check("ja", "文＝山田花子 写真＝佐藤太郎", &["山田花子"]);
        check("ja", "【山田花子】", &["山田花子"]);
        check("en", "Von Miller", &["Von Miller"]);
        check("en", "Bya Smith", &["Bya Smith"]);
    }

    #[test]
    fn names_are_parted_and_kept_whole() {
        check(
            "en",
            "By Ada Lovelace, Alan Turing, and Grace Hopper",
            &["Ada Lovelace", "Alan Turing", "Grace Hopper"],
        );
        check("it", "Ada Lovelace e Alan Turing", &["Ada Lovelace", "Alan Turing"]);
        check("es", "José Ortega y Gasset", &["José Ortega y Gasset"]);
        check("ar", "سعاد نجار وليلى منصور", &["سعاد نجار", "ليلى منصور"]);
        check("en", "By Robert Langford, Jr. and Ada Lovelace", &["Robert Langford, Jr.", "Ada Lovelace"]);
        check("de", "Von Ursula von der Heide", &["Ursula von der Heide"]);
        check("es", "Por Juan Peña de los Ríos", &["Juan Peña de los Ríos"]);
        check("fr", "Par Marie d’Estrelles", &["Marie d’Estrelles"]);
        check("en", "By J. R. Hartley", &["J. R. Hartley"]);
    }

    #[test]
    fn roles_places_papers_and_addresses_go() {
        for byline in [
            "By Ada Lovelace, Political Editor",
            "Ada Lovelace | Staff Reporter",
            "By Ada Lovelace for The Mercury",
            "Ada Lovelace Globe Staff, Senior Editor",
            "Ada Lovelace, Daily Post",
            "Ada Lovelace THE DAILY POST",
            "Ada Lovelace, Oslo",
            "Ada Lovelace / Reuters",
            "By Ada Lovelace @ada_l",
            "Ada Lovelace ada@dailypost.example",
            "By Ada Lovelace, Monday, June 2, 2025",
            "2 June 2025 - Ada Lovelace - print",
            "Ada Lovelace (alo)",
        ] {
            check("en", byline, &["Ada Lovelace"]);
        }
        check("ko", "(서울=한빛뉴스) 박준석 선임기자", &["박준석"]);
        check("ko", "한빛일보 박준석 기자", &["박준석"]);
    }

    #[test]
    fn the_work_of_others_is_not_the_writers() {
        check("en", "By Ada Lovelace. Photos by Alan Turing", &["Ada Lovelace"]);
        check("en", "(Reporting by Ada Lovelace in Oslo; editing by Alan Turing)", &["Ada Lovelace"]);
        check("de", "Text: Ada Lovelace, Fotos: Alan Turing", &["Ada Lovelace"]);
        check("fi", "Teksti: Ada Lovelace Kuvat: Alan Turing", &["Ada Lovelace"]);
        check("fr", "Par Ada Lovelace, traduit de l’anglais par Alan Turing", &["Ada Lovelace"]);
        check("en", "Photos by Alan Turing", &[]);
    }

    #[test]
    fn newsrooms_are_named_alone() {
        check("de", "Redaktion Hafenbote", &["Redaktion Hafenbote"]);
        check("en", "Ada Lovelace and Daily Post Staff", &["Ada Lovelace"]);
        check("en", "The Daily Post", &["The Daily Post"]);
    }

    #[test]
    fn what_says_by() {
        let says = |text| says_by(text, cldr::language("en"));
        assert!(says("By Ada Lovelace") && says("Written by Ada Lovelace") && says("Autor: Ada Lovelace"));
        assert!(
            !says("By noon the")
                && !says("Bystanders said")
                && !says("Photo: Ada Lovelace")
                && !says("Von Miller")
        );
    }
}
