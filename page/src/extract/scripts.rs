//! The text of an article that only exists as data in its page's scripts.
//!
//! Some pages show nothing until their scripts run. The text they will show is usually the longest prose among
//! the string literals of those scripts. Only pages that show almost nothing are searched, and only the first
//! bytes of their scripts.

use crate::reading::{PageTree, squash};

use super::runs::ends_sentence;
use crate::Page;
use crate::text::{is_inside_paragraph, words_of_prose};

/// A page that shows this many words of prose is not searched.
const MOST_SHOWN: f32 = 50.0;
/// Least words of a literal that may be an article, and of one that is looked at.
const LEAST_WORDS: f32 = 200.0;
const LEAST_LITERAL_WORDS: f32 = 12.0;
/// Most bytes of scripts that are searched.
const MAX_BYTES: usize = 4 << 20;

/// The texts of a page's scripts in order, until they exceed [`MAX_BYTES`] together.
pub(super) fn script_texts(tree: &PageTree) -> impl Iterator<Item = &str> {
    let scripts = tree.node_ids().filter(|&node| tree.tag(node) == Some("script"));
    let texts = scripts.flat_map(|script| tree.children(script).filter_map(|node| tree.text(node)));
    texts.scan(MAX_BYTES, |left, text| {
        *left = left.checked_sub(text.len())?;
        Some(text)
    })
}

/// The longest prose in the page's scripts if the page shows fewer than fifty words.
pub(super) fn longest_prose(page: &Page, shown_words: f32) -> Option<String> {
    if shown_words >= MOST_SHOWN {
        return None;
    }
    let (mut longest, mut words) = (None, LEAST_WORDS);
    for text in script_texts(&page.tree) {
        for literal in prose_literals(text) {
            let count = words_of_prose(&literal);
            if count > words && is_prose(&literal) {
                (longest, words) = (Some(literal), count);
            }
        }
    }
    longest
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

/// A text without its tags; tags of blocks end a line.
pub(super) fn without_markup(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, tail)) = rest.split_once('<') {
        text.push_str(before);
        let is_tag = tail.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!');
        match tail.split_once('>').filter(|_| is_tag) {
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
    text.lines().map(squash).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// The named entities that occur in news texts.
const ENTITIES: [(&str, char); 18] = [
    ("nbsp", ' '),
    ("quot", '"'),
    ("apos", '\''),
    ("lt", '<'),
    ("gt", '>'),
    ("amp", '&'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("bdquo", '„'),
    ("laquo", '«'),
    ("raquo", '»'),
    ("ndash", '–'),
    ("mdash", '—'),
    ("hellip", '…'),
    ("shy", '\u{AD}'),
    ("euro", '€'),
];
/// Longest entity in characters, without `&` and `;`.
const MAX_ENTITY: usize = 8;

/// Decodes the entities of a text once.
pub(super) fn without_entities(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('&') {
        plain.push_str(before);
        let end = behind.bytes().take(MAX_ENTITY + 1).position(|byte| byte == b';');
        match end.and_then(|end| Some((decode_entity(behind.get(..end)?)?, behind.get(end + 1..)?))) {
            Some((letter, after)) => {
                plain.push(letter);
                rest = after;
            }
            None => {
                plain.push('&');
                rest = behind;
            }
        }
    }
    plain.push_str(rest);
    plain
}

fn decode_entity(name: &str) -> Option<char> {
    let Some(number) = name.strip_prefix('#') else {
        return ENTITIES.iter().find(|(entity, _)| *entity == name).map(|(_, letter)| *letter);
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => number.parse().ok()?,
    };
    // Control characters and invalid codes become spaces.
    Some(char::from_u32(code).filter(|letter| !letter.is_control()).unwrap_or(' '))
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

    #[test]
    fn entities_are_decoded() {
        let check = |text: &str, expected: &str| assert_eq!(without_entities(text), expected, "{text}");
        check(
            "Kohl&#8217;s &#x27;sale&#x27; &amp; more &mdash; &quot;now&quot;",
            "Kohl’s 'sale' & more — \"now\"",
        );
        check("a & b; AT&T &unknown; &#xZZ; &#1114112; &", "a & b; AT&T &unknown; &#xZZ;   &");
        check("&amp;#39;", "&#39;");
    }

    #[test]
    fn markup_is_taken_out() {
        assert_eq!(without_markup("<p>a <b>b</b>c</p><div>2 < 3 &amp; 4</div>"), "a bc\n2 < 3 & 4");
    }
}
