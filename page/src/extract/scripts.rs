//! The text of an article that only exists as data in its page's scripts.
//!
//! Some pages show nothing until their scripts run. The text they will show is usually the longest prose among
//! the string literals of those scripts. Only pages that show almost nothing are searched, and only the first
//! bytes of their scripts.

use crate::reading::{PageTree, is_unspaced};

use super::plain::without_markup;
use super::runs::ends_sentence;
use crate::Page;
use crate::text::words_of_prose;

/// A page that shows this many words of prose is not searched.
const MOST_SHOWN: f32 = 20.0;
/// Least words of a literal that may be an article, and of one that is looked at.
const LEAST_WORDS: f32 = 60.0;
const LEAST_LITERAL_WORDS: f32 = 12.0;
/// Most bytes of scripts that are searched.
const MAX_BYTES: usize = 4 << 20;

/// The texts of a page's scripts in order, until they exceed [`MAX_BYTES`] together.
pub(super) fn script_texts(tree: &PageTree) -> impl Iterator<Item = &str> {
    texts_of(tree, |_| true)
}

/// The same without JSON-LD, which says whose each text is.
pub(super) fn data_texts(tree: &PageTree) -> impl Iterator<Item = &str> {
    texts_of(tree, |kind| !kind.contains("ld+json"))
}

/// The same for scripts of some types.
fn texts_of(tree: &PageTree, is_wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = &str> {
    let scripts = tree.node_ids().filter(|&node| tree.tag(node) == Some("script"));
    let scripts = scripts.filter(move |&node| is_wanted(tree.attr(node, "type").unwrap_or_default()));
    let texts = scripts.flat_map(|script| tree.children(script).filter_map(|node| tree.text(node)));
    texts.scan(MAX_BYTES, |left, text| {
        *left = left.checked_sub(text.len())?;
        Some(text)
    })
}

/// The longest prose in the page's scripts, if the page shows nearly nothing.
pub(super) fn longest_prose(page: &Page, shown_words: f32) -> Option<String> {
    if shown_words >= MOST_SHOWN {
        return None;
    }
    let (mut longest, mut words) = (None, LEAST_WORDS);
    for text in data_texts(&page.tree) {
        for literal in prose_literals(text) {
            let count = words_of_prose(&literal);
            if count > words && is_prose(&literal) {
                (longest, words) = (Some(literal), count);
            }
        }
    }
    // Streams put a mark before a text.
    let is_text = |line: &&str| line.contains(' ') || line.chars().any(is_unspaced);
    longest.map(|text| text.lines().filter(is_text).collect::<Vec<&str>>().join("\n"))
}

fn is_prose(text: &str) -> bool {
    let mut tokens = text.split_whitespace();
    let code = tokens.by_ref().filter(|token| token.contains(['{', '}', ';', '=', '<', '>'])).count();
    let sentences = text.split_whitespace().filter(|token| ends_sentence(token)).count();
    (code as f32) < 0.02 * words_of_prose(text) && sentences as f32 > LEAST_WORDS / 50.0
}

/// The string literals in double quotes with the words of a paragraph or more, unescaped and without markup.
fn prose_literals(script: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut chars = script.chars();
    while let Some(c) = chars.next() {
        if c != '"' {
            continue;
        }
        let mut literal = String::new();
        while let Some(c) = chars.next() {
            match c {
                '"' => break,
                '\\' => unescape(&mut chars, &mut literal),
                c => literal.push(c),
            }
        }
        let plain = without_markup(&literal);
        if words_of_prose(&plain) >= LEAST_LITERAL_WORDS {
            found.push(plain);
        }
    }
    found
}

fn unescape(chars: &mut std::str::Chars<'_>, to: &mut String) {
    match chars.next() {
        Some('n' | 'r') => to.push('\n'),
        Some('t') => to.push(' '),
        Some('u') => {
            let digits = chars.as_str().get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
            if let Some(code) = digits {
                chars.nth(3);
                to.push(char::from_u32(code).unwrap_or(' '));
            }
        }
        Some(c) => to.push(c),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    #[test]
    fn the_longest_prose_of_a_page_that_shows_none() {
        let sentence = "The council voted on Tuesday to keep the old bridge open for another year. ";
        let article = format!("<p>{}<\\/p><p>\\u201cYes\\u201d, it said.<\\/p>", sentence.repeat(20));
        let html = format!(
            "<div id=app></div><script>var x = {{\"short\": \"no\", \"text\": \"{article}\"}}</script>"
        );
        let found = longest_prose(&page(&html), 0.0).unwrap();
        assert!(found.starts_with("The council voted") && found.ends_with("\n“Yes”, it said."), "{found}");
        assert_eq!(longest_prose(&page(&html), 60.0), None);
        assert_eq!(longest_prose(&page("<script>let a = \"one\"; let b = \"two</script>"), 0.0), None);
    }
}
