//! Texts as readers see them: without markup, entities, and characters that nobody sees.

use std::borrow::Cow;

use html5ever::data::NAMED_ENTITIES;
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

use crate::reading::squash;
use crate::text::is_inside_paragraph;

/// Longest entity in bytes, without `&` and `;`. The standard's longest has 31 letters.
const MAX_ENTITY: usize = 32;
/// Elements that only format a line: their tags in the text of a title or name are left over, not meant.
const FORMATTING: [&str; 16] = [
    "a", "b", "strong", "i", "em", "u", "s", "span", "font", "small", "big", "mark", "sub", "sup", "br",
    "wbr",
];
/// Invisible marks that may stand between two letters.
const MOST_MARKS: usize = 8;
/// The first letter of scripts whose letters join or not, as a mark between them says: from Hebrew and Arabic on.
const FIRST_JOINING: char = '\u{590}';

/// A text with single spaces, without invisible marks, its letters composed (NFC).
///
/// Marks that tell where a line may break or in which direction letters run are for the screen. Those that join
/// letters or keep them apart stay between letters of Persian, Indian and like scripts, and between the parts of
/// an emoji. Wide and narrow spaces stay where they stand alone inside the text.
pub(super) fn readable(text: &str) -> String {
    if text.is_ascii() {
        return squash(text);
    }
    readable_at(text, &mut [])
}

/// [`readable`], with places in the text: ascending byte offsets before, characters of the result afterwards. A place in white
/// space or invisible marks is that of the character behind them.
pub(super) fn readable_at(text: &str, places: &mut [usize]) -> String {
    let mut plain = String::with_capacity(text.len());
    let (mut space, mut count, mut next_place) = (None, 0, 0);
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        while let Some(place) = places.get_mut(next_place).filter(|place| **place <= at) {
            *place = count + usize::from(space.is_some() && count > 0);
            next_place += 1;
        }
        if letter.is_whitespace() {
            let is_common = matches!(letter, ' ' | '\t' | '\n' | '\r' | '\u{C}' | '\u{A0}');
            space = Some(if is_common || space.is_some() { ' ' } else { letter });
            continue;
        }
        let is_kept = match letter {
            '\u{200C}' | '\u{200D}' => {
                let joins = |letter: char| letter >= FIRST_JOINING && !letter.is_whitespace();
                // Repeated marks count once, and marks of direction between the mark and the next letter do not matter.
                let next =
                    letters.clone().map(|(_, next)| next).take(MOST_MARKS).find(|next| !is_unseen(*next));
                let has_mark = plain.ends_with(['\u{200C}', '\u{200D}']);
                space.is_none() && !has_mark && plain.ends_with(joins) && next.is_some_and(joins)
            }
            letter => !is_unseen(letter),
        };
        if is_kept {
            let before = space.take().filter(|_| !plain.is_empty());
            count += 1 + usize::from(before.is_some());
            plain.extend(before);
            plain.push(letter);
        }
    }
    places.iter_mut().skip(next_place).for_each(|place| *place = count);
    match is_nfc_quick(plain.chars()) {
        IsNormalized::Yes => plain,
        _ => composed(&plain, places),
    }
}

/// A text with its letters composed (NFC), and where its places, in characters, are afterwards.
fn composed(plain: &str, places: &mut [usize]) -> String {
    let letters: Vec<char> = plain.chars().collect();
    let (mut before, mut count) = (0, 0);
    // The parts between the places are composed one by one, which is exact unless a place parts a letter from its accent.
    for place in places.iter_mut() {
        let part = letters.get(before..*place).unwrap_or_default();
        (before, count) = ((*place).max(before), count + part.iter().copied().nfc().count());
        *place = count;
    }
    plain.nfc().collect()
}

/// Whether a character shows nothing: soft hyphens, marks of direction, and places where a line may break or not.
fn is_unseen(letter: char) -> bool {
    matches!(letter, '\u{AD}' | '\u{61C}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}

/// A text without left-over tags of formatting: "<em>New</em> bridge". Other words in angle brackets stay.
pub(super) fn without_formatting(text: &str) -> Cow<'_, str> {
    if !text.contains('<') {
        return text.into();
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, tail)) = rest.split_once('<') {
        plain.push_str(before);
        match tag_and_rest(tail).and_then(|(tag, after)| Some((formatting_tag(tag)?, after))) {
            Some(("br", after)) => {
                plain.push(' ');
                rest = after;
            }
            Some((_, after)) => rest = after,
            None => {
                plain.push('<');
                rest = tail;
            }
        }
    }
    plain.push_str(rest);
    plain.into()
}

/// What stands before the next closing angle bracket and behind it; `None` if a tag begins before.
fn tag_and_rest(tail: &str) -> Option<(&str, &str)> {
    let end = tail.find(['<', '>'])?;
    let behind = tail.get(end..)?.strip_prefix('>')?;
    Some((tail.get(..end)?, behind))
}

/// The name of an element of [`FORMATTING`], from what stands between angle brackets.
fn formatting_tag(tag: &str) -> Option<&'static str> {
    let name = tag.trim_start_matches('/');
    let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
    let name = name.get(..end)?;
    FORMATTING.into_iter().find(|known| known.eq_ignore_ascii_case(name))
}

/// A text without its tags; tags of blocks end a line.
pub(super) fn without_markup(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, tail)) = rest.split_once('<') {
        text.push_str(before);
        let is_tag = tail.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!');
        match tag_and_rest(tail).filter(|_| is_tag) {
            Some((tag, after)) => {
                let name = tag.trim_start_matches('/');
                let name = name.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or("");
                text.push_str(if is_inside_paragraph(name) { "" } else { "\n" });
                rest = after;
            }
            None => {
                text.push('<');
                rest = tail;
            }
        }
    }
    text.push_str(rest);
    let text = without_entities(&text);
    text.lines().map(readable).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Decodes the entities of a text once.
pub(super) fn without_entities(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('&') {
        plain.push_str(before);
        let end = behind.bytes().take(MAX_ENTITY + 1).position(|byte| byte == b';');
        let decoded = end.and_then(|end| {
            push_entity(behind.get(..=end)?, &mut plain)?;
            behind.get(end + 1..)
        });
        rest = decoded.unwrap_or_else(|| {
            plain.push('&');
            behind
        });
    }
    plain.push_str(rest);
    plain
}

/// Writes what an entity stands for, given with its semicolon.
fn push_entity(name: &str, to: &mut String) -> Option<()> {
    let Some(number) = name.strip_prefix('#') else {
        let (first, second) = NAMED_ENTITIES.get(name)?;
        to.extend([*first, *second].into_iter().filter(|code| *code != 0).filter_map(char::from_u32));
        return Some(());
    };
    let number = number.trim_end_matches(';');
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => number.parse().ok()?,
    };
    // Control characters and invalid codes become spaces.
    to.push(char::from_u32(code).filter(|letter| !letter.is_control()).unwrap_or(' '));
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_is_left_out() {
        let check = |text: &str, expected: &str| assert_eq!(readable(text), expected, "{text:?}");
        check("\u{FEFF}Dreh\u{AD}brücke \u{200B} am\u{2060} Fluß\u{200F}\n", "Drehbrücke am Fluß");
        check("o\u{301}", "ó");
        check(
            "نمی\u{200C}\u{200F}شناسد می\u{200F}\u{200C}\u{200C}خوانند",
            "نمی\u{200C}شناسد می\u{200C}خوانند",
        );
        check("می\u{200C}خوانند Auf\u{200C}lage 👩\u{200D}👧", "می\u{200C}خوانند Auflage 👩\u{200D}👧");
        check("\u{3000}「橋」\u{3000}開通\u{3000} \u{2003}", "「橋」\u{3000}開通");
        check("«\u{202F}Oui\u{202F}»", "«\u{202F}Oui\u{202F}»");
        check("", "");
    }

    #[test]
    fn places_follow_their_characters() {
        #[track_caller]
        fn check(text: &str, marked: &str) {
            // The places are marked with bars, which are no part of the text.
            let mut places: Vec<usize> =
                text.match_indices('|').enumerate().map(|(nth, (at, _))| at - nth).collect();
            let plain = readable_at(&text.replace('|', ""), &mut places);
            let mut shown: Vec<char> = plain.chars().collect();
            places.iter().rev().for_each(|place| shown.insert(*place, '|'));
            assert_eq!(shown.into_iter().collect::<String>(), marked, "{text:?}");
        }
        check(" see| \n|this|  now ", "see| |this| now");
        check("|a\u{AD}b|c", "|ab|c");
        check("o\u{301}| o\u{301}|x|", "ó| ó|x|");
        check("👩\u{200D}👧| |e|", "👩\u{200D}👧| |e|");
    }

    #[test]
    fn tags_of_formatting_are_left_over() {
        let check = |text: &str, expected: &str| assert_eq!(without_formatting(text), expected, "{text}");
        check("<em>New</em> <span class=x>bri</SPAN>dge<br/>opens", "New bridge opens");
        check("Why <marquee> refuses to die", "Why <marquee> refuses to die");
        check("2 < 3, <b", "2 < 3, <b");
    }

    #[test]
    fn entities_are_decoded() {
        let check = |text: &str, expected: &str| assert_eq!(without_entities(text), expected, "{text}");
        check(
            "Kohl&#8217;s &#x27;sale&#x27; &amp; more &mdash; &quot;now&quot;",
            "Kohl’s 'sale' & more — \"now\"",
        );
        check("Jos&eacute; &CounterClockwiseContourIntegral;", "José ∳");
        check("a & b; AT&T &unknown; &#xZZ; &#1114112; &", "a & b; AT&T &unknown; &#xZZ;   &");
        check("&amp;#39;", "&#39;");
    }

    #[test]
    fn markup_is_taken_out() {
        assert_eq!(without_markup("<p>a <b>b</b>c</p><div>2 < 3 &amp; 4</div>"), "a bc\n2 < 3 & 4");
    }
}
