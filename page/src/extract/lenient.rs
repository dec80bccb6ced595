//! JSON as pages hold it: damaged by templates that escape too little, too much, or not at all.
//!
//! What a strict parser accepts means what it says. Otherwise this reader takes comments, `CDATA`, single quotes, names
//! without quotes, missing and superfluous commas, raw line ends, unknown escapes, lone surrogates, quotes inside
//! strings, several values in a row, code before the first value, and a text that ends too early.
//!
//! Invariants: linear in the text; values are nested at most [`MAX_DEPTH`] deep, deeper ones are left out.

use serde_json::{Map, Value};

use super::plain::without_entities;

/// How deep values may be nested.
const MAX_DEPTH: usize = 100;

/// The values in a text.
pub(super) fn values(text: &str) -> Vec<Value> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{FEFF}');
    if let Ok(value) = serde_json::from_str(text) {
        return vec![value];
    }
    // A template may have escaped the whole text for HTML.
    let unescaped;
    let is_escaped = !text.contains('"') && text.contains("&quot;");
    let text = if is_escaped {
        unescaped = without_entities(text);
        &unescaped
    } else {
        text
    };
    let mut reader = Reader { text, at: 0 };
    let mut found = Vec::new();
    // Comments and `<![CDATA[` around a value hold brackets, too.
    while let Some(start) = reader.rest().find(['{', '[', '/', '<']) {
        reader.at += start;
        let rest = reader.rest();
        if rest.starts_with("/*") {
            reader.skip_past("*/");
        } else if rest.starts_with("<![") {
            reader.at += "<![".len();
            reader.skip_past("[");
        } else if rest.starts_with(['{', '[']) {
            found.extend(reader.value(0));
        } else {
            reader.at += 1;
        }
    }
    found
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_past(&mut self, end: &str) {
        self.at += self.rest().find(end).map_or(self.rest().len(), |found| found + end.len());
    }

    /// Skips white space, comments and commas.
    fn skip_space(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with("//") {
                self.skip_past("\n");
            } else if trimmed.starts_with("/*") {
                self.skip_past("*/");
            } else {
                return;
            }
        }
    }

    /// Reads a value; `None` if it is nested too deeply or there is none.
    fn value(&mut self, depth: usize) -> Option<Value> {
        self.skip_space();
        match self.rest().chars().next()? {
            '{' | '[' if depth > MAX_DEPTH => {
                self.at += 1;
                None
            }
            '{' => Some(self.object(depth)),
            '[' => Some(self.array(depth)),
            quote @ ('"' | '\'') => Some(Value::String(self.string(quote, false))),
            '}' | ']' | ':' => None,
            _ => Some(self.word()),
        }
    }

    fn object(&mut self, depth: usize) -> Value {
        self.at += 1;
        let mut object = Map::new();
        loop {
            self.skip_space();
            let key = match self.rest().chars().next() {
                None => break,
                Some('}') => {
                    self.at += 1;
                    break;
                }
                // The end of what is around this object: its own end is missing.
                Some(']') => break,
                Some(quote @ ('"' | '\'')) => self.string(quote, true),
                Some(':' | '{' | '[') => {
                    self.at += 1;
                    continue;
                }
                Some(_) => self.bare_word().to_owned(),
            };
            self.skip_space();
            if self.rest().starts_with(':') {
                self.at += 1;
                let value = self.value(depth + 1);
                // Of two values with one name the first is usually the one that is meant.
                object.entry(key).or_insert(value.unwrap_or(Value::Null));
            }
        }
        Value::Object(object)
    }

    fn array(&mut self, depth: usize) -> Value {
        self.at += 1;
        let mut values = Vec::new();
        loop {
            self.skip_space();
            match self.rest().chars().next() {
                None | Some('}') => break,
                Some(']') => {
                    self.at += 1;
                    break;
                }
                Some(':') => self.at += 1,
                Some(_) => values.extend(self.value(depth + 1)),
            }
        }
        Value::Array(values)
    }

    /// A word without quotes: a number, `true`, `null`, a name, or code.
    fn bare_word(&mut self) -> &'t str {
        let rest = self.rest();
        let end = rest.find([',', ':', '}', ']', '\n', '"', '{', '[']).unwrap_or(rest.len());
        // Never empty, so that reading goes on.
        let end = if end == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { end };
        self.at += end;
        rest.get(..end).unwrap_or_default().trim()
    }

    fn word(&mut self) -> Value {
        let word = self.bare_word();
        serde_json::from_str(word).unwrap_or_else(|_| Value::String(word.to_owned()))
    }

    fn string(&mut self, quote: char, is_name: bool) -> String {
        self.at += 1;
        let mut string = String::new();
        let mut letters = self.rest().char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\\' => push_escaped(&mut letters, &mut string),
                _ if letter == quote && ends_string(letters.as_str(), is_name) => {
                    self.at += at + 1;
                    return string;
                }
                letter if letter.is_control() => string.push(' '),
                letter => string.push(letter),
            }
        }
        self.at = self.text.len();
        string
    }
}

/// Whether a quote ends its string, by what follows it: a colon behind a name, or what may follow a value.
fn ends_string(behind: &str, is_name: bool) -> bool {
    let behind = behind.trim_start();
    if is_name {
        return behind.starts_with(':') || behind.is_empty();
    }
    match behind.chars().next() {
        None | Some('}' | ']' | '/') => true,
        // Behind a comma inside a sentence letters follow.
        Some(',') => {
            let next = behind.get(1..).unwrap_or_default().trim_start().chars().next();
            next.is_none_or(|next| !next.is_alphabetic() || is_bare_name(behind.get(1..).unwrap_or_default()))
        }
        // A comma is missing between two lines.
        Some('"') => true,
        _ => false,
    }
}

/// Whether a name without quotes and a colon, or a literal, begin here.
fn is_bare_name(text: &str) -> bool {
    let text = text.trim_start();
    let end = text
        .find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '$' | '@'))
        .unwrap_or(text.len());
    text.get(end..).is_some_and(|behind| behind.trim_start().starts_with(':'))
        || matches!(text.get(..end), Some("true" | "false" | "null"))
}

/// Writes the character behind a backslash; an unknown escape is text.
fn push_escaped(letters: &mut std::str::CharIndices<'_>, to: &mut String) {
    match letters.next().map(|(_, letter)| letter) {
        Some('n' | 'r') => to.push('\n'),
        Some('t' | 'b' | 'f') => to.push(' '),
        Some('u') => match code_unit(letters) {
            Some(high @ 0xD800..=0xDBFF) => {
                let mut behind = letters.clone();
                let is_escape = behind.next().is_some_and(|(_, letter)| letter == '\\')
                    && behind.next().is_some_and(|(_, letter)| letter == 'u');
                let low = if is_escape { code_unit(&mut behind) } else { None };
                match low.filter(|low| (0xDC00..=0xDFFF).contains(low)) {
                    Some(low) => {
                        *letters = behind;
                        to.extend(char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00)));
                    }
                    None => to.push('\u{FFFD}'),
                }
            }
            Some(code) => to.push(char::from_u32(code).unwrap_or('\u{FFFD}')),
            None => to.push_str("\\u"),
        },
        Some(letter @ ('"' | '\'' | '\\' | '/')) => to.push(letter),
        Some(letter) => to.extend(['\\', letter]),
        None => {}
    }
}

/// The four digits of an escape.
fn code_unit(letters: &mut std::str::CharIndices<'_>) -> Option<u32> {
    let code = u32::from_str_radix(letters.as_str().get(..4)?, 16).ok()?;
    letters.nth(3);
    Some(code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(text: &str, expected: Value) {
        assert_eq!(values(text), expected.as_array().unwrap().clone(), "{text}");
    }

    #[test]
    fn what_is_right_is_read_as_it_is() {
        check(
            r#" {"a":"b, // c","d":[1,2.5,null,true]} "#,
            json!([{"a": "b, // c", "d": [1, 2.5, null, true]}]),
        );
    }

    #[test]
    fn damage_is_read_over() {
        check(r#"{"a":[1,2,],"b":{"c":"d",},}"#, json!([{"a": [1, 2], "b": {"c": "d"}}]));
        check("{\"a\":1, // one\n /* two */ \"b\":2 \"c\":3}", json!([{"a": 1, "b": 2, "c": 3}]));
        check(
            r#"{"a":"3\% of C:\data \ud83d.","b":"\ud83d\ude00"}"#,
            json!([{"a": "3\\% of C:\\data \u{FFFD}.", "b": "😀"}]),
        );
        check(
            r#"{"a":"an "open" lock, "so to say", ends","b":1}"#,
            json!([{"a": "an \"open\" lock, \"so to say\", ends", "b": 1}]),
        );
        check("{\"a\":\"one\ntwo\"}", json!([{"a": "one two"}]));
        check("{'a':'b',c:d}", json!([{"a": "b", "c": "d"}]));
        check(r#"{"a":1}{"b":2};"#, json!([{"a": 1}, {"b": 2}]));
        check(r#"<!--//--><![CDATA[//><!-- {"a":1} //--><!]]>"#, json!([{"a": 1}]));
        check(r#"/* <![CDATA[ */ {"a":1} /* ]]> */"#, json!([{"a": 1}]));
        check(r#"var x = {"a":["b","#, json!([{"a": ["b"]}]));
        check("{&quot;a&quot;:&quot;b&quot;}", json!([{"a": "b"}]));
        check("no value", json!([]));
    }

    #[test]
    fn hostile_texts_are_read_in_one_pass() {
        for text in
            ["[", "{", "{\"a\":", "\"", "[\"", "{'", "/*", "\\", "<![", "]", "{:", ",", "{\"a\":\"b\" "]
        {
            let found = values(&text.repeat(200_000));
            assert!(found.len() <= 200_000, "{text}");
        }
    }
}
