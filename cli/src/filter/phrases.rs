//! What a person means by words to search for: words that all must occur, `"phrases"`, `-words` that must not, `beginnings*`.
//!
//! Whatever is typed means something or nothing, but is never wrong. The console's index and [`WordQuery`] agree on what matches; the
//! latter needs no index, and also says where in a text the words are. Start at [`WordQuery::parse`].

use std::ops::Range;

use serde::Serialize;
use tantivy::tokenizer::Token;

use super::words::{is_unspaced, tokenize};

/// The most parts of a query, and words of a phrase, that are looked at.
const MOST_PARTS: usize = 24;
const MOST_WORDS: usize = 24;
/// Characters that a passage shows before the first word that was found.
const BEFORE: usize = 60;

/// About how many characters a passage has.
pub(crate) const PASSAGE: usize = 220;

/// Words to search for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WordQuery {
    pub(crate) parts: Vec<QueryPart>,
}

/// A part of a query: a word, a beginning of one, or a phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueryPart {
    /// At least one, as the index has them.
    pub(crate) words: Vec<String>,
    /// Whether it must not occur.
    pub(crate) is_excluded: bool,
    /// Whether the only word is the beginning of one.
    pub(crate) is_beginning: bool,
}

/// A part of a text, and where in it the words are that were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Passage {
    pub(crate) text: String,
    /// Byte ranges of `text`, in order and apart.
    pub(crate) marks: Vec<Range<usize>>,
}

/// A passage for programs: where the words are is counted in characters, which every language of programming counts alike if it
/// counts code points.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Snippet {
    text: String,
    /// Beginning and end (exclusive) of each, in code points of `text`.
    ranges: Vec<(usize, usize)>,
}

impl From<Passage> for Snippet {
    fn from(passage: Passage) -> Snippet {
        let Passage { text, marks } = passage;
        let count = |at: usize| text.get(..at).map_or(0, |before| before.chars().count());
        let ranges = marks.iter().map(|mark| (count(mark.start), count(mark.end))).collect();
        Snippet { ranges, text }
    }
}

impl WordQuery {
    /// What is meant; no part if it holds no word.
    pub(crate) fn parse(wanted: &str) -> WordQuery {
        let parts = split_parts(wanted).into_iter().take(MOST_PARTS);
        WordQuery { parts: parts.filter_map(|part| part.read()).collect() }
    }

    /// Text that must occur as it is written, but for case and accents.
    pub(crate) fn phrase(text: &str) -> WordQuery {
        let part = WrittenPart { text, is_excluded: false, is_beginning: false };
        WordQuery { parts: part.read().into_iter().collect() }
    }

    /// Whether it holds no word. Then it finds nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether texts have all that must occur, and nothing that must not. No phrase reaches from one text into the next.
    pub(crate) fn matches<'t>(&self, texts: impl IntoIterator<Item = &'t str>) -> bool {
        let mut found = vec![false; self.parts.len()];
        for text in texts {
            let tokens = tokenize(text);
            for (found, part) in found.iter_mut().zip(&self.parts) {
                *found = *found || part.places(&tokens).next().is_some();
            }
        }
        !self.is_empty() && self.parts.iter().zip(found).all(|(part, found)| found != part.is_excluded)
    }

    /// Where words of the query are in a text: byte ranges, in order and apart.
    fn marks(&self, text: &str) -> Vec<Range<usize>> {
        let tokens = tokenize(text);
        let wanted = self.parts.iter().filter(|part| !part.is_excluded);
        let mut places: Vec<Range<usize>> = wanted.flat_map(|part| part.places(&tokens)).collect();
        places.sort_by_key(|place| (place.start, place.end));
        let mut marks: Vec<Range<usize>> = Vec::new();
        for place in places {
            match marks.last_mut() {
                Some(last) if place.start <= last.end => last.end = last.end.max(place.end),
                _ => marks.push(place),
            }
        }
        marks
    }

    /// The text with its words marked.
    pub(crate) fn marked(&self, text: &str) -> Passage {
        Passage { text: text.to_owned(), marks: self.marks(text) }
    }

    /// About `length` characters around the first words that are found in the text which has most of them; `None` if none has any.
    pub(crate) fn passage<'t>(
        &self,
        texts: impl IntoIterator<Item = &'t str>,
        length: usize,
    ) -> Option<Passage> {
        let mut best: Option<(usize, &str)> = None;
        for text in texts {
            let tokens = tokenize(text);
            let wanted = self.parts.iter().filter(|part| !part.is_excluded);
            let found = wanted.filter(|part| part.places(&tokens).next().is_some()).count();
            if found > best.map_or(0, |(found, _)| found) {
                best = Some((found, text));
            }
        }
        let (_, text) = best?;
        Some(cut(text, &self.marks(text), length))
    }
}

/// About `length` characters of a text around the first mark, from word to word where there are spaces.
fn cut(text: &str, marks: &[Range<usize>], length: usize) -> Passage {
    let first = marks.first().map_or(0, |mark| mark.start);
    let before = text.get(..first).unwrap_or_default();
    let mut start = before.char_indices().rev().nth(BEFORE).map_or(0, |(at, _)| at);
    if start > 0 {
        let space = before.get(start..).and_then(|skipped| skipped.find(' '));
        start += space.map_or(0, |space| space + 1);
    }
    let rest = text.get(start..).unwrap_or_default();
    let mut end = rest.char_indices().nth(length).map_or(text.len(), |(at, _)| start + at);
    if end < text.len() {
        let space = text.get(first..end).and_then(|shown| shown.rfind(' '));
        end = space.filter(|space| *space > 0).map_or(end, |space| first + space);
    }
    let (head, tail) = (if start > 0 { "… " } else { "" }, if end < text.len() { " …" } else { "" });
    let shift = |at: usize| at.clamp(start, end) - start + head.len();
    let marks = marks.iter().map(|mark| shift(mark.start)..shift(mark.end)).filter(|mark| !mark.is_empty());
    Passage {
        marks: marks.collect(),
        text: format!("{head}{}{tail}", text.get(start..end).unwrap_or_default()),
    }
}

impl QueryPart {
    /// Where it is, in bytes of the text whose words these are.
    fn places<'t>(&'t self, tokens: &'t [Token]) -> impl Iterator<Item = Range<usize>> + 't {
        let is_here = |word: &String, token: &Token| {
            if self.is_beginning { token.text.starts_with(word) } else { token.text == *word }
        };
        tokens.windows(self.words.len().max(1)).filter_map(move |window| {
            let is_whole = self.words.iter().zip(window).all(|(word, token)| is_here(word, token));
            let (first, last) = (window.first()?, window.last()?);
            is_whole.then_some(first.offset_from..last.offset_to)
        })
    }
}

/// A part of a query as it is written.
#[derive(Debug, PartialEq, Eq)]
struct WrittenPart<'q> {
    text: &'q str,
    is_excluded: bool,
    is_beginning: bool,
}

impl WrittenPart<'_> {
    /// What it means; `None` if it holds no word.
    fn read(&self) -> Option<QueryPart> {
        let mut words: Vec<String> = tokenize(self.text).into_iter().map(|token| token.text).collect();
        words.truncate(MOST_WORDS);
        // The last letter of a run ends a text, not a query: there it is the beginning of a pair.
        let is_single = |word: &String| word.chars().count() == 1 && word.chars().all(is_unspaced);
        let ends_run = words.last().is_some_and(is_single);
        if ends_run && words.len() > 1 {
            words.pop();
        }
        let is_beginning = match words.as_slice() {
            [] => return None,
            [word] => self.is_beginning || is_single(word),
            _ => false,
        };
        Some(QueryPart { words, is_excluded: self.is_excluded, is_beginning })
    }
}

fn split_parts(wanted: &str) -> Vec<WrittenPart<'_>> {
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
        parts.push(WrittenPart { text: text.trim_end_matches('*'), is_excluded, is_beginning });
        rest = after.trim_start();
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_words_phrases_exclusions_and_beginnings() {
        let part = |text, is_excluded, is_beginning| WrittenPart { text, is_excluded, is_beginning };
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
        for nothing in
            ["", "   ", "-", "\"", "\"\"", "-\"", "***", "[[[", "\\", "()", "/.*/", "- - -", "\u{0}"]
        {
            assert!(WordQuery::parse(nothing).is_empty(), "{nothing:?}");
        }
        for something in
            ["a:b", "AND OR NOT", "[a TO z]", "/a.*/", "a^9", "body:(x", "\"a", "x~9", "+a -b", "a\"b\"c"]
        {
            assert!(!WordQuery::parse(something).is_empty(), "{something:?}");
        }
        assert!(!WordQuery::parse(&"\"-*a ".repeat(5_000)).is_empty());
    }

    /// A passage with its marks in brackets.
    fn shown(passage: &Passage) -> String {
        let mut shown = String::new();
        let mut at = 0;
        for mark in &passage.marks {
            shown = format!("{shown}{}[{}]", &passage.text[at..mark.start], &passage.text[mark.clone()]);
            at = mark.end;
        }
        shown + &passage.text[at..]
    }

    #[test]
    fn words_that_were_found_are_marked_as_they_are_written() {
        let marked = |query: &str, text: &str| shown(&WordQuery::parse(query).marked(text));
        assert_eq!(marked("ete farm*", "L’Été, the FARMERS, the farm"), "L’[Été], the [FARMERS], the [farm]");
        assert_eq!(marked("e\u{301}te\u{301}", "E\u{301}te\u{301}!"), "[E\u{301}te\u{301}]!");
        assert_eq!(marked("\"new york\" new", "New York is new"), "[New York] is [new]");
        assert_eq!(marked("rain -snow", "snow and rain"), "snow and [rain]");
        assert_eq!(marked("大雨", "東京都で大雨、大きい"), "東京都で[大雨]、大きい");
        assert_eq!(marked("<b>", "a <b> & \"c\""), "a <[b]> & \"c\"");
    }

    #[test]
    fn a_snippet_counts_code_points() {
        let snippet = Snippet::from(WordQuery::parse("farm 雨").marked("L’Été 🌧 farm 雨"));
        let letters: Vec<char> = snippet.text.chars().collect();
        let shown =
            snippet.ranges.iter().map(|(start, end)| letters[*start..*end].iter().collect::<String>());
        assert_eq!(shown.collect::<Vec<_>>(), ["farm", "雨"]);
    }

    #[test]
    fn a_passage_is_cut_around_the_words_where_most_of_them_are() {
        let query = WordQuery::parse("rain valley");
        let filler = "word ".repeat(100);
        let long = format!("{filler}the rain over the valley {filler}");
        let passage = query.passage(["It is rain.", &long, "valley"], 120).unwrap();
        let text = shown(&passage);
        assert!(text.starts_with("… word") && text.ends_with(" …"), "{text}");
        assert!(text.contains("the [rain] over the [valley] word") && text.chars().count() < 140, "{text}");
        assert_eq!(query.passage(["nothing here"], 120), None);
        let unspaced = format!("{}雨{}", "京".repeat(500), "都".repeat(500));
        let passage = WordQuery::parse("雨").passage([unspaced.as_str()], 100).unwrap();
        assert!(shown(&passage).contains("[雨") && passage.text.chars().count() <= 105, "{passage:?}");
        let end = WordQuery::parse("end").passage(["the end"], 100).unwrap();
        assert_eq!(shown(&end), "the [end]");
    }
}
