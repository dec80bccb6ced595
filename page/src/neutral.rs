//! Makes text that strangers wrote harmless where it goes: on a terminal, and in Markdown.
//!
//! Whoever writes a page chooses its title, names, labels, addresses and text. A terminal obeys the control characters in
//! them (it changes colours, its title, the clipboard), bidirectional controls show letters in another order than they are
//! stored, and Markdown obeys punctuation. HTML, XML and JSON have escapes of their own.
//! Invariant: each function is idempotent on its safe input and never fails. Start at [`for_terminal`].

use std::borrow::Cow;

/// Stands for a character that is not shown.
const HIDDEN: &str = "\u{fffd}";

/// Whether a terminal may obey this character instead of showing it: the controls of C0 and C1 except tab and line feed,
/// DELETE, and the characters with Unicode's property `Bidi_Control`.
#[must_use]
pub fn is_control(letter: char) -> bool {
    matches!(letter,
        '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text for a terminal: each control character is replaced with U+FFFD, except tabs and line ends (a carriage return
/// before a line feed is part of one).
///
/// ```
/// use newslode_page::neutral::for_terminal;
///
/// assert_eq!(for_terminal("two\nlines"), "two\nlines");
/// assert_eq!(for_terminal("\u{1b}]0;title\u{7}"), "\u{fffd}]0;title\u{fffd}");
/// ```
#[must_use]
pub fn for_terminal(text: &str) -> Cow<'_, str> {
    let mut shown = String::new();
    let mut copied = 0;
    for (at, control) in text.match_indices(is_control) {
        let end = at + control.len();
        if control == "\r" && text.as_bytes().get(end) == Some(&b'\n') {
            continue;
        }
        shown.push_str(&text[copied..at]);
        shown.push_str(HIDDEN);
        copied = end;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    shown.push_str(&text[copied..]);
    Cow::Owned(shown)
}

/// One line for a terminal or a log: like [`for_terminal`], and line ends inside the text are written as `\n`, so that no
/// text can look like the next entry.
#[must_use]
pub fn for_log(text: &str) -> Cow<'_, str> {
    match for_terminal(text) {
        shown if shown.contains('\n') => Cow::Owned(shown.replace("\r\n", "\n").replace('\n', "\\n")),
        shown => shown,
    }
}

/// Characters that may begin or end markup anywhere in a paragraph, in CommonMark or in an extension of it.
const MARKS: [char; 14] = ['\\', '`', '*', '_', '[', ']', '#', '>', '|', '~', '$', '^', '{', '}'];

/// A text as one paragraph, heading or list item of Markdown, which is shown as it is written: punctuation is escaped, line
/// ends become spaces, and control characters are replaced as [`for_terminal`] does.
///
/// Angle brackets and ampersands are written as entities, because some readers of Markdown pass `\<` on as the
/// beginning of a tag.
///
/// ```
/// use newslode_page::neutral::for_markdown;
///
/// assert_eq!(for_markdown("[a](javascript:b) & c"), "\\[a\\](javascript:b) & c");
/// assert_eq!(for_markdown("<b>1. *x*"), "&lt;b\\>1. \\*x\\*");
/// ```
#[must_use]
pub fn for_markdown(text: &str) -> String {
    let is_break = |letter: char| matches!(letter, '\t' | '\n' | '\r' | '\u{2028}' | '\u{2029}');
    markdown_part(text.replace(is_break, " ").trim(), "")
}

/// A part of a paragraph of Markdown, escaped like [`for_markdown`] but with the spaces at its ends; `before` is the text of the
/// parts before it.
pub(crate) fn markdown_part(text: &str, before: &str) -> String {
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let text = for_terminal(text);
    let mut escaped = String::with_capacity(text.len() + text.len() / 16);
    for (at, letter) in text.char_indices() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '&' if begins_entity(&text[at + 1..]) => escaped.push_str("&amp;"),
            '\t' | '\n' | '\r' | '\u{2028}' | '\u{2029}' => escaped.push(' '),
            letter
                if MARKS.contains(&letter)
                    || at == 0 && before.is_empty() && matches!(letter, '-' | '+' | '=') =>
            {
                escaped.extend(['\\', letter]);
            }
            // A number and a full stop or bracket begin a list.
            '.' | ')' if at + before.len() > 0 && is_number(before) && is_number(&text[..at]) => {
                escaped.extend(['\\', letter]);
            }
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// Whether an ampersand before this text could begin an entity: browsers know some without a semicolon.
fn begins_entity(after: &str) -> bool {
    // Another part of the paragraph may follow.
    after.is_empty() || after.starts_with(|letter: char| letter == '#' || letter.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

    use super::*;

    #[test]
    fn controls_of_terminals_and_of_the_direction_of_text_are_hidden() {
        for (text, shown) in [
            ("\u{1b}[31mred\u{1b}[0m", "\u{fffd}[31mred\u{fffd}[0m"),
            ("\u{1b}]52;c;cm0=\u{7}", "\u{fffd}]52;c;cm0=\u{fffd}"),
            ("\u{9b}2J \u{7f}\u{85}", "\u{fffd}2J \u{fffd}\u{fffd}"),
            ("over\rwritten\0", "over\u{fffd}written\u{fffd}"),
            (
                "\u{202e}gnp.exe \u{2067}a\u{2069}\u{200f}\u{61c}",
                "\u{fffd}gnp.exe \u{fffd}a\u{fffd}\u{fffd}\u{fffd}",
            ),
        ] {
            assert_eq!(for_terminal(text), shown);
        }
    }

    #[test]
    fn letters_of_all_scripts_tabs_and_line_ends_are_shown() {
        // A zero-width joiner is part of Persian words and of emoji.
        let text = "a\tb\nc\r\nd\n\u{a0}می\u{200c}خواهم 東京 👩\u{200d}👧 \u{301}";
        assert!(matches!(for_terminal(text), Cow::Borrowed(same) if same == text));
    }

    #[test]
    fn a_log_entry_stays_one_line() {
        assert_eq!(for_log("a\nb\r\nc\rd"), "a\\nb\\nc\u{fffd}d");
        assert!(matches!(for_log("plain"), Cow::Borrowed("plain")));
    }

    /// What a reader of Markdown shows of a text in this place, and every tag that it saw.
    fn read(markdown: &str) -> (String, Vec<String>) {
        let (mut shown, mut tags) = (String::new(), Vec::new());
        for event in Parser::new_ext(markdown, Options::all()) {
            match event {
                Event::Text(text) => shown.push_str(&text),
                Event::Start(tag @ (Tag::Paragraph | Tag::Heading { .. } | Tag::List(_) | Tag::Item)) => {
                    tags.push(format!("{tag:?}").split(['(', ' ']).next().unwrap().to_owned());
                }
                Event::Start(Tag::BlockQuote(_)) => tags.push("BlockQuote".into()),
                Event::End(TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::List(_) | TagEnd::Item) => {}
                Event::End(TagEnd::BlockQuote(_)) => {}
                other => tags.push(format!("{other:?}")),
            }
        }
        (shown, tags)
    }

    /// Checks that the text is shown as it is in every place where an article's Markdown has one.
    fn check(text: &str) {
        let wanted: String =
            for_terminal(text).replace(['\t', '\n', '\r', '\u{2028}', '\u{2029}'], " ").trim().to_owned();
        if wanted.is_empty() {
            return;
        }
        let escaped = for_markdown(text);
        for (before, tags) in [
            ("", vec!["Paragraph"]),
            ("# ", vec!["Heading"]),
            ("- ", vec!["List", "Item"]),
            ("> ", vec!["BlockQuote", "Paragraph"]),
        ] {
            let (shown, seen) = read(&format!("{before}{escaped}\n\n"));
            // NUL is no character of Markdown, and smart punctuation is the reader's.
            assert_eq!(
                (unsmart(&shown), seen),
                (unsmart(&wanted), tags.iter().map(ToString::to_string).collect()),
                "{before}{escaped}"
            );
        }
    }

    /// Undoes the typography that the reader was asked for with all its extensions.
    fn unsmart(text: &str) -> String {
        let text = text.replace(['\u{201c}', '\u{201d}'], "\"").replace(['\u{2018}', '\u{2019}'], "'");
        text.replace('\u{2026}', "...").replace('\u{2013}', "--").replace('\u{2014}', "---")
    }

    #[test]
    fn markdown_shows_what_the_page_says() {
        for text in [
            "# not a heading",
            "C# and F #",
            "## {#id .class}",
            "- item",
            "+ item",
            "* item",
            "1. item",
            "2024) item",
            "---",
            "***",
            "===",
            "> quote",
            "    code",
            "```\ncode",
            "~~~ code",
            "`code` ~~gone~~ **bold** __bold__ _it_ *it* ~x~ ^y^",
            "[click](javascript:alert(1))",
            "![x](http://evil.test/track.png)",
            "[x]: http://evil.test/",
            "[^1]: note [^1]",
            "[[wiki]]",
            "<script>alert(1)</script> <http://evil.test/> <!-- x --> <?php ?>",
            "&lt;script&gt; &copy &#60; &amp; AT&T & co",
            "a|b\n-|-\nc|d",
            "$x^2$ and $$y$$",
            "a\\*b \\",
            "two  \nlines",
            "- [ ] task",
            "term\n: definition",
            ": definition",
            "{{7*7}} ${7*7}",
            "---\ntitle: x\n---",
            "\u{2028}# heading",
        ] {
            check(text);
        }
    }

    proptest! {
        #[test]
        fn no_text_is_markup(text in "[-a1 .)+=#>*_`~|$<&;:!\\[\\](){}^\"'\\\\\n\t]{1,24}") {
            // Of dashes and quotation marks the reader makes typography, which cannot be told apart from the page's own.
            prop_assume!(!text.contains("--") && !text.contains(['"', '\'']) && !text.contains(".."));
            check(&text);
        }
    }
}
