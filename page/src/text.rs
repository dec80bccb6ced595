//! Texts: which elements are inline, and how many words a text has.
//!
//! Several modules ask both questions and need different answers. All answers are here side by side, named
//! after their use, each with the reason for its difference. Some differences have no reason but history.
//! Thresholds and learnt trees were fitted to them, so removing such a difference changes results.
//!
//! Invariant: texts of leaves have single spaces, none at the ends (`reading::squash`).

use crate::reading::language::is_unspaced;

/// Elements inside a line of text: the HTML standard's phrasing content and its obsolete predecessors.
pub(crate) const INLINE: [&str; 35] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font",
    "i", "img", "ins", "kbd", "label", "mark", "nobr", "q", "s", "samp", "small", "span", "strike", "strong",
    "sub", "sup", "time", "tt", "u", "var", "wbr",
];
/// Those of [`INLINE`] that end the text beside a link: pictures, labels of forms, samples of code and edits are
/// not running text around a link.
const PARTS_FROM_LINK: [&str; 11] =
    ["acronym", "data", "del", "dfn", "img", "kbd", "label", "samp", "strike", "var", "wbr"];
/// Tags inside the paragraphs of HTML that scripts hold. Such HTML is cut into paragraphs by its tags alone: any
/// other tag ends a paragraph.
const INSIDE_PARAGRAPH: [&str; 9] = ["a", "b", "i", "em", "strong", "span", "sup", "sub", "u"];

/// Letters per word in running text of a script without spaces.
const UNSPACED_WORD: f32 = 2.5;
/// The same in short texts such as labels.
const UNSPACED_LABEL_WORD: usize = 2;

/// A link of at least this many words reads like a headline.
pub(crate) const HEADLINE_WORDS: usize = 4;

/// Two texts that share this many consecutive words say the same there.
pub(crate) const ROW_WORDS: usize = 4;

/// Whether an element with this tag continues a run of text. A line break does; readers of runs look for two in
/// a row. `picture` surrounds an `img`.
pub(crate) fn is_inside_run(tag: &str) -> bool {
    INLINE.contains(&tag) || matches!(tag, "br" | "picture")
}

/// Whether an element with this tag continues the line of a label or value. A line break ends the line, a button
/// is one of its words, and scripts show nothing.
pub(crate) fn is_inside_line(tag: &str) -> bool {
    INLINE.contains(&tag) || matches!(tag, "button" | "script" | "style")
}

/// Whether an element with this tag continues the line of text beside a link.
pub(crate) fn is_beside_link(tag: &str) -> bool {
    INLINE.contains(&tag) && !PARTS_FROM_LINK.contains(&tag)
}

/// Whether this tag, in any case, continues a paragraph of HTML in a script.
pub(crate) fn is_inside_paragraph(tag: &str) -> bool {
    INSIDE_PARAGRAPH.contains(&tag.to_ascii_lowercase().as_str())
}

/// The letters and digits of a text in lower case, by which names and headlines are compared.
pub(crate) fn letters(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    for letter in text.chars().filter(|letter| letter.is_alphanumeric()) {
        match letter.is_ascii() {
            true => found.push(letter.to_ascii_lowercase()),
            false => found.extend(letter.to_lowercase()),
        }
    }
    found
}

/// The number of words in running text. In scripts without spaces 2.5 letters are a word. Each part between
/// spaces is at least one word, so both scripts of a mixed text count.
pub(crate) fn words_of_prose(text: &str) -> f32 {
    let word = |token: &str| {
        let unspaced = unspaced_letters(token);
        if unspaced == 0 { 1.0 } else { (unspaced as f32 / UNSPACED_WORD).max(1.0) }
    };
    text.split_whitespace().map(word).sum()
}

/// The number of whole words in running text. If it has letters of a script without spaces, only these count.
/// Used to find the kind of a page.
pub(crate) fn whole_words_of_prose(text: &str) -> usize {
    let unspaced = unspaced_letters(text);
    if unspaced > 0 { unspaced * 2 / 5 } else { text.split_whitespace().count() }
}

/// The number of words in a short text, such as a link's. Punctuation is no word. In scripts without spaces two
/// letters are a word.
pub(crate) fn words_of_label(text: &str) -> usize {
    let spaced = text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count();
    spaced.max(words_of_unspaced_letters(unspaced_letters(text)))
}

/// The words in a short text with this many letters of scripts without spaces.
pub(crate) fn words_of_unspaced_letters(letters: usize) -> usize {
    letters / UNSPACED_LABEL_WORD
}

/// The parts of a leaf's text between spaces, including punctuation: for comparing texts of one page.
pub(crate) fn parts_between_spaces(text: &str) -> usize {
    text.split(' ').count()
}

fn unspaced_letters(text: &str) -> usize {
    text.chars().filter(|&letter| is_unspaced(letter)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_for_what_they_are_needed() {
        let check = |text: &str, prose: f32, whole: usize, label: usize, parts: usize| {
            assert_eq!(words_of_prose(text), prose, "{text}");
            assert_eq!(whole_words_of_prose(text), whole, "{text}");
            assert_eq!(words_of_label(text), label, "{text}");
            assert_eq!(parts_between_spaces(text), parts, "{text}");
        };
        check("The old bridge – closed", 5.0, 5, 4, 5);
        check("市议会投票决定", 2.8, 2, 3, 1);
        check("Ada 市议会投票决定", 3.8, 2, 3, 2);
        check("", 0.0, 0, 0, 1);
    }

    #[test]
    fn elements_are_inside_of_what_they_do_not_end() {
        let check = |tag: &str, expected: [bool; 4]| {
            let found =
                [is_inside_run(tag), is_inside_line(tag), is_beside_link(tag), is_inside_paragraph(tag)];
            assert_eq!(found, expected, "{tag}");
        };
        check("span", [true; 4]);
        check("small", [true, true, true, false]);
        check("img", [true, true, false, false]);
        check("br", [true, false, false, false]);
        check("button", [false, true, false, false]);
        check("div", [false; 4]);
    }
}
