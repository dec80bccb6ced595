//! What a person means by a query. Whatever is typed means something or nothing, but is never wrong.

use tantivy::Term;
use tantivy::query::{AllQuery, BooleanQuery, FuzzyTermQuery, Occur, PhraseQuery, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};

use super::words::{is_unspaced, tokenize};

/// The most parts of a query, and words of a phrase, that are looked at.
const MOST_PARTS: usize = 24;
const MOST_WORDS: usize = 24;

/// A part of a query as it is written.
#[derive(Debug, PartialEq, Eq)]
struct QueryPart<'q> {
    text: &'q str,
    is_excluded: bool,
    is_beginning: bool,
}

/// The query; `None` if it holds no word.
pub(super) fn parse_query(wanted: &str, field: Field) -> Option<Box<dyn Query>> {
    let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
    for part in split_parts(wanted).into_iter().take(MOST_PARTS) {
        let occur = if part.is_excluded { Occur::MustNot } else { Occur::Must };
        clauses.extend(part_query(&part, field).map(|query| (occur, query)));
    }
    if clauses.is_empty() {
        return None;
    }
    if clauses.iter().all(|(occur, _)| *occur == Occur::MustNot) {
        clauses.push((Occur::Must, Box::new(AllQuery)));
    }
    Some(Box::new(BooleanQuery::new(clauses)))
}

fn split_parts(wanted: &str) -> Vec<QueryPart<'_>> {
    let mut parts = Vec::new();
    let mut rest = wanted.trim_start();
    while !rest.is_empty() {
        let (is_excluded, own) = match rest.strip_prefix('-') {
            Some(own) => (true, own),
            None => (false, rest),
        };
        let (text, after) = match own.strip_prefix('"') {
            // A phrase that is never closed goes on to the end.
            Some(phrase) => phrase.split_once('"').unwrap_or((phrase, "")),
            None => own.split_at(
                own.find(|letter: char| letter.is_whitespace() || letter == '"').unwrap_or(own.len()),
            ),
        };
        let is_beginning = text.ends_with('*');
        parts.push(QueryPart { text: text.trim_end_matches('*'), is_excluded, is_beginning });
        rest = after.trim_start();
    }
    parts
}

fn part_query(part: &QueryPart<'_>, field: Field) -> Option<Box<dyn Query>> {
    let mut words: Vec<String> = tokenize(part.text).into_iter().map(|token| token.text).collect();
    words.truncate(MOST_WORDS);
    // The last letter of a run ends a text, not a query: there it is the beginning of a pair.
    let is_single = |word: &String| word.chars().count() == 1 && word.chars().all(is_unspaced);
    let ends_run = words.last().is_some_and(is_single);
    if ends_run && words.len() > 1 {
        words.pop();
    }
    let term = |word: &String| Term::from_field_text(field, word);
    match words.as_slice() {
        [] => None,
        [word] if part.is_beginning || is_single(word) => {
            Some(Box::new(FuzzyTermQuery::new_prefix(term(word), 0, false)))
        }
        [word] => Some(Box::new(TermQuery::new(term(word), IndexRecordOption::Basic))),
        words => Some(Box::new(PhraseQuery::new(words.iter().map(term).collect()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_words_phrases_exclusions_and_beginnings() {
        let part = |text, is_excluded, is_beginning| QueryPart { text, is_excluded, is_beginning };
        assert_eq!(
            split_parts(" rain  \"new york\" -snow farm* -\"a b"),
            [
                part("rain", false, false),
                part("new york", false, false),
                part("snow", true, false),
                part("farm", false, true),
                part("a b", true, false),
            ]
        );
    }

    #[test]
    fn no_query_is_wrong() {
        let field = Field::from_field_id(0);
        for nothing in
            ["", "   ", "-", "\"", "\"\"", "-\"", "***", "[[[", "\\", "()", "/.*/", "- - -", "\u{0}"]
        {
            assert!(parse_query(nothing, field).is_none(), "{nothing:?}");
        }
        for something in
            ["a:b", "AND OR NOT", "[a TO z]", "/a.*/", "a^9", "body:(x", "\"a", "x~9", "+a -b", "a\"b\"c"]
        {
            assert!(parse_query(something, field).is_some(), "{something:?}");
        }
        assert!(parse_query(&"\"-*a ".repeat(5_000), field).is_some());
    }
}
