//! Texts: which elements stand inside a line, and how many words a text has.
//!
//! Several rooms ask both questions, and they need not mean the same by it. Here each answer stands once, beside
//! the others, under a name that says for what it is, with the reason why it differs. Some differences are
//! of habit rather than need; thresholds and learnt trees were fitted to them, so that to even them out changes
//! what is found in pages.
//!
//! Invariant: texts of leaves have single spaces, none at the ends (`reading::squash`).

use crate::reading::language::is_unspaced;

/// Elements that stand inside a line of text, by the HTML standard's phrasing content and what came before it.
pub(crate) const INLINE: [&str; 35] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font",
    "i", "img", "ins", "kbd", "label", "mark", "nobr", "q", "s", "samp", "small", "span", "strike", "strong",
    "sub", "sup", "time", "tt", "u", "var", "wbr",
];
/// Those of [`INLINE`] that part the text beside a link from it: pictures, labels of forms, samples of code and
/// changes of a text are no running text around a link.
const PARTS_FROM_LINK: [&str; 11] =
    ["acronym", "data", "del", "dfn", "img", "kbd", "label", "samp", "strike", "var", "wbr"];
/// What stands inside the paragraphs that scripts hold as HTML; any other tag ends one there, since they are
/// cut into paragraphs by their tags alone.
const INSIDE_PARAGRAPH: [&str; 9] = ["a", "b", "i", "em", "strong", "span", "sup", "sub", "u"];

/// Letters of a word in running text of a script without spaces.
const UNSPACED_WORD: f32 = 2.5;
/// The same in short texts such as labels.
const UNSPACED_LABEL_WORD: usize = 2;

/// Words in a row that two texts have in common only if they say the same there.
pub(crate) const ROW_WORDS: usize = 4;

/// Whether an element of this name goes on with a run of text: a line break does, and two of them are seen
/// by who reads runs; `picture` stands around an `img`.
pub(crate) fn is_inside_run(tag: &str) -> bool {
    INLINE.contains(&tag) || matches!(tag, "br" | "picture")
}

/// Whether an element of this name leaves its text in the line of a label or value: a line break ends it, a
/// button is one of its words, and scripts show nothing.
pub(crate) fn is_inside_line(tag: &str) -> bool {
    INLINE.contains(&tag) || matches!(tag, "button" | "script" | "style")
}

/// Whether an element of this name leaves the text beside a link in the link's line.
pub(crate) fn is_beside_link(tag: &str) -> bool {
    INLINE.contains(&tag) && !PARTS_FROM_LINK.contains(&tag)
}

/// Whether a tag of this name, of any case, goes on with a paragraph of HTML in a script.
pub(crate) fn is_inside_paragraph(tag: &str) -> bool {
    INSIDE_PARAGRAPH.contains(&tag.to_ascii_lowercase().as_str())
}

/// Words of running text; in scripts without spaces two and a half letters are one. Each part between spaces
/// is a word at least, so texts of mixed scripts count as both.
pub(crate) fn words_of_prose(text: &str) -> f32 {
    let word = |token: &str| {
        let unspaced = unspaced_letters(token);
        if unspaced == 0 { 1.0 } else { (unspaced as f32 / UNSPACED_WORD).max(1.0) }
    };
    text.split_whitespace().map(word).sum()
}

/// Whole words of running text: of a text with letters of a script without spaces those alone count. The kind of
/// a page is told by these.
pub(crate) fn whole_words_of_prose(text: &str) -> usize {
    let unspaced = unspaced_letters(text);
    if unspaced > 0 { unspaced * 2 / 5 } else { text.split_whitespace().count() }
}

/// Words of a short text such as a link's: signs alone are none, and two letters are one in scripts without
/// spaces.
pub(crate) fn words_of_label(text: &str) -> usize {
    let spaced = text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count();
    spaced.max(words_of_unspaced_letters(unspaced_letters(text)))
}

/// The words of a short text that so many letters of scripts without spaces are.
pub(crate) fn words_of_unspaced_letters(letters: usize) -> usize {
    letters / UNSPACED_LABEL_WORD
}

/// Parts of a leaf's text between spaces, whatever they are: for comparing the texts of one page.
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
