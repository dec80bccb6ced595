//! The text of an article in the data from which scripts would show it.
//!
//! Such data are JSON: a script of that type, or what a script assigns or passes to a function. Among its objects, the
//! one with the page's headline is the story; of the values in it the one with most prose is the text, whether that is
//! one string or a list of blocks. Other stories have headlines of their own, so their texts are not taken.

use std::cell::Cell;

use serde_json::{Deserializer, Value};

use super::alike::{Likeness, likeness};
use super::plain::without_markup;
use super::scripts::data_texts;
use crate::Page;
use crate::text::words_of_prose;

/// Most places in a script where a value may begin, and least bytes of a value.
const MOST_STARTS: usize = 8;
const LEAST_BYTES: usize = 200;
/// Most bytes that are parsed in all.
const MAX_BYTES: usize = 8 << 20;
/// Most values that are looked at, and most headlines that are compared with the page's.
const MAX_VALUES: usize = 200_000;
const MAX_COMPARED: usize = 1_000;
/// How many objects around the one with the headline may hold the text.
const LEVELS: usize = 2;
/// Least words of a line of text, and of one in scripts without spaces.
const LINE_WORDS: f32 = 4.0;
/// Names of objects' values that are headlines.
const TITLES: [&str; 5] = ["headline", "title", "name", "heading", "pageTitle"];
/// Names of values that are no text.
const NO_TEXT: [&str; 22] = [
    "alt",
    "caption",
    "class",
    "className",
    "copyright",
    "credit",
    "description",
    "excerpt",
    "href",
    "id",
    "image",
    "images",
    "keywords",
    "lead",
    "meta",
    "seo",
    "slug",
    "src",
    "summary",
    "title",
    "type",
    "url",
];

/// The story's text in the page's data, its paragraphs in lines.
pub(super) fn story_text(page: &Page, titles: &[String]) -> Option<String> {
    let titles = &Titles { titles, left: Cell::new(MAX_COMPARED) };
    let mut best: Option<(f32, String)> = None;
    for root in roots(page) {
        if let Some(text) = text_in(&root, titles) {
            let words = words_of_prose(&text);
            if best.as_ref().is_none_or(|(most, _)| words > *most) {
                best = Some((words, text));
            }
        }
    }
    best.map(|(_, text)| text)
}

/// The values in a page's scripts.
fn roots(page: &Page) -> Vec<Value> {
    let (mut found, mut left) = (Vec::new(), MAX_BYTES);
    for text in data_texts(&page.tree) {
        let mut rest = text;
        for _ in 0..MOST_STARTS {
            let Some(start) = rest.find(['{', '[']) else { break };
            let value = rest.get(start..).unwrap_or_default();
            if value.len() < LEAST_BYTES || value.len() > left {
                break;
            }
            left -= value.len();
            let mut values = Deserializer::from_str(value).into_iter::<Value>();
            match values.next() {
                Some(Ok(root)) => {
                    rest = value.get(values.byte_offset()..).unwrap_or_default();
                    found.push(root);
                }
                // Code, or damaged.
                _ => rest = value.get(1..).unwrap_or_default(),
            }
        }
    }
    found
}

/// The text of the story with one of the titles.
fn text_in(root: &Value, titles: &Titles<'_>) -> Option<String> {
    // The values above, so that the text beside an object with the headline can be found.
    let mut todo: Vec<(&Value, usize)> = vec![(root, 0)];
    let mut above: Vec<&Value> = Vec::new();
    let mut left = MAX_VALUES;
    while let Some((next, depth)) = todo.pop().filter(|_| left > 0) {
        left -= 1;
        above.truncate(depth);
        if tells_story(next, titles) == Likeness::Same {
            let is_around =
                |value: &&Value| value.is_object() && tells_story(value, titles) != Likeness::Other;
            let around = above.iter().rev().take(LEVELS).copied().take_while(is_around);
            let found = std::iter::once(next).chain(around).find_map(|value| text_of(value, titles));
            if found.is_some() {
                return found;
            }
        }
        above.push(next);
        match next {
            Value::Array(values) => todo.extend(values.iter().rev().map(|value| (value, depth + 1))),
            Value::Object(object) => todo.extend(object.values().rev().map(|value| (value, depth + 1))),
            _ => {}
        }
    }
    None
}

/// The titles of the page, and how many headlines may still be compared with them.
struct Titles<'t> {
    titles: &'t [String],
    left: Cell<usize>,
}

/// Whether an object has the headline of the story, or another one.
fn tells_story(value: &Value, titles: &Titles<'_>) -> Likeness {
    let Value::Object(object) = value else { return Likeness::Unclear };
    let headline = TITLES.iter().find_map(|name| object.get(*name)?.as_str());
    let Some((headline, left)) = headline.zip(titles.left.get().checked_sub(1)) else {
        return Likeness::Unclear;
    };
    titles.left.set(left);
    likeness(headline, titles.titles)
}

/// The text of an object: of its values the one with the most prose.
fn text_of(value: &Value, titles: &Titles<'_>) -> Option<String> {
    let object = value.as_object()?;
    let texts = object.iter().filter(|(name, _)| !NO_TEXT.contains(&name.as_str()));
    let texts = texts.map(|(_, value)| lines_of(value, titles)).map(|lines| (words_of_prose(&lines), lines));
    let (words, text) = texts.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    (words > 0.0).then_some(text)
}

/// The lines of text in a value and all inside it, but those of other stories.
fn lines_of(value: &Value, titles: &Titles<'_>) -> String {
    let mut text = String::new();
    let (mut todo, mut left) = (vec![value], MAX_VALUES);
    while let Some(next) = todo.pop().filter(|_| left > 0) {
        left -= 1;
        match next {
            Value::String(part) => {
                let plain = without_markup(part);
                for line in plain.lines().filter(|line| is_line(line)) {
                    text.push_str(line);
                    text.push('\n');
                }
            }
            Value::Array(values) => todo.extend(values.iter().rev()),
            Value::Object(object) if tells_story(next, titles) != Likeness::Other => {
                let inner = object.iter().rev().filter(|(name, _)| !NO_TEXT.contains(&name.as_str()));
                todo.extend(inner.map(|(_, value)| value));
            }
            _ => {}
        }
    }
    text
}

/// Whether a line is text, and not an address, a date or code.
fn is_line(line: &str) -> bool {
    let code = line.chars().filter(|c| matches!(c, '{' | '}' | '=' | ';' | '_' | '\\')).count();
    words_of_prose(line) >= LINE_WORDS && code * 50 < line.chars().count() && !line.starts_with("http")
}
