//! The words in class names: a few general words for headings and for texts beside headings.
//!
//! A class name is split into words at `-`, `_`, digits and capitals. The last known word decides (`ItemHeadline`
//! is a headline, `photo-credit` a credit), because in English the last word of a compound is its head.

/// The kind of element that a class name describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClassWord {
    /// A title or heading.
    Head,
    /// A header: a heading, or the top part of a box.
    Top,
    /// Something that belongs to a story or picture: its author, date, credit, summary.
    Meta,
    /// A short text over one story or over many; the class alone does not tell which.
    Kicker,
    /// An entry of a row of tabs.
    Tab,
    /// A menu, a form or a control: not a heading, whatever other words the name has.
    Control,
}

const HEAD: [&str; 4] = ["title", "headline", "heading", "hed"];

const STATE: [&str; 9] =
    ["first", "last", "odd", "even", "active", "inactive", "current", "selected", "hidden"];

const CONTAINER: [&str; 16] = [
    "section",
    "wrapper",
    "wrap",
    "container",
    "bar",
    "area",
    "content",
    "inner",
    "row",
    "top",
    "main",
    "site",
    "page",
    "bottom",
    "left",
    "right",
];

const TOP: [&str; 4] = ["header", "head", "hd", "hdr"];

const META: [&str; 22] = [
    "author",
    "authors",
    "byline",
    "credit",
    "caption",
    "time",
    "timestamp",
    "date",
    "duration",
    "comment",
    "comments",
    "count",
    "source",
    "summary",
    "desc",
    "description",
    "teaser",
    "subtitle",
    "excerpt",
    "meta",
    "dek",
    "standfirst",
];

const KICKER: [&str; 5] = ["kicker", "label", "category", "tag", "rubric"];

const TAB: [&str; 2] = ["tab", "tabs"];

const CONTROL: [&str; 12] = [
    "menu",
    "nav",
    "navigation",
    "search",
    "form",
    "button",
    "btn",
    "logo",
    "input",
    "toggle",
    "social",
    "login",
];

/// Longest class name that is searched for words, in bytes.
const LONGEST: usize = 100;

/// The kind of element that one class name describes.
pub(super) fn class_word(class: &str) -> Option<ClassWord> {
    if class.len() > LONGEST {
        return None;
    }
    let mut end = class.len();
    let mut is_top = true;
    while end > 0 {
        let (start, stop) = last_word(class, end);
        let found = word_meaning(&class[start..stop], is_top);
        is_top &= !CONTAINER.iter().any(|known| known.eq_ignore_ascii_case(&class[start..stop]));
        if found.is_some() {
            return found;
        }
        end = start;
    }
    None
}

/// Whether a class name describes the position or state of its element instead of its kind.
pub(super) fn is_state(class: &str) -> bool {
    let mut end = class.len().min(LONGEST);
    while end > 0 && class.is_char_boundary(end) {
        let (start, stop) = last_word(class, end);
        if STATE.iter().any(|known| known.eq_ignore_ascii_case(&class[start..stop])) {
            return true;
        }
        end = start;
    }
    false
}

/// The last word of `class[..end]`: letters, from its last capital on if it has one.
fn last_word(class: &str, end: usize) -> (usize, usize) {
    let bytes = class.as_bytes();
    let mut stop = end;
    while stop > 0 && !bytes[stop - 1].is_ascii_alphabetic() {
        stop -= 1;
    }
    let mut start = stop;
    while start > 0 && bytes[start - 1].is_ascii_alphabetic() {
        start -= 1;
        let is_border =
            bytes[start].is_ascii_uppercase() && start > 0 && bytes[start - 1].is_ascii_lowercase();
        if is_border {
            break;
        }
    }
    (start, stop)
}

/// The meaning of one word. `header` and the like may also name the top of something else: then a word for a
/// container follows, and `is_top` is false.
fn word_meaning(word: &str, is_top: bool) -> Option<ClassWord> {
    let is = |list: &[&str]| list.iter().any(|known| known.eq_ignore_ascii_case(word));
    if word.len() < 2 {
        None
    } else if is(&HEAD) {
        Some(ClassWord::Head)
    } else if is_top && is(&TOP) {
        Some(ClassWord::Top)
    } else if is(&META) {
        Some(ClassWord::Meta)
    } else if is(&KICKER) {
        Some(ClassWord::Kicker)
    } else if is(&TAB) {
        Some(ClassWord::Tab)
    } else if is(&CONTROL) {
        Some(ClassWord::Control)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_known_word_decides() {
        assert_eq!(class_word("ItemHed"), Some(ClassWord::Head));
        assert_eq!(class_word("section-title2"), Some(ClassWord::Head));
        assert_eq!(class_word("headline-author"), Some(ClassWord::Meta));
        assert_eq!(class_word("photo_credit-wide"), Some(ClassWord::Meta));
        assert_eq!(class_word("HEADER"), Some(ClassWord::Top));
        assert_eq!(class_word("header-wrapper"), None);
        assert_eq!(class_word("story-kicker"), Some(ClassWord::Kicker));
        assert_eq!(class_word("title-search"), Some(ClassWord::Control));
        assert!(is_state("firstNavLink") && is_state("item-last") && !is_state("firstly"));
        assert_eq!(class_word("tab3"), Some(ClassWord::Tab));
        assert_eq!(class_word("titles"), None);
        assert_eq!(class_word("überschrift"), None);
        assert_eq!(class_word(""), None);
    }
}
