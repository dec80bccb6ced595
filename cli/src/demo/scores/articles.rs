//! Scores articles against gold: body shingles, title, authors, day.
//!
//! Bodies are compared as multisets of 4-token shingles; tokens are runs of word characters in lower case.
//! A field is scored only on pages whose gold gives it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use super::Prf;

/// A line of gold or of predictions.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ArticleRecord {
    /// Names the page.
    pub id: String,
    /// Its address.
    #[serde(default)]
    pub url: Option<String>,
    /// Registrable host.
    #[serde(default, skip_serializing)]
    pub site: Option<String>,
    /// The title.
    #[serde(default)]
    pub title: Option<String>,
    /// The authors, in order.
    #[serde(default)]
    pub authors: Option<Vec<String>>,
    /// When it was published, as written.
    #[serde(default)]
    pub published: Option<String>,
    /// The text.
    #[serde(default)]
    pub body: Option<String>,
    /// Text that the body must hold.
    #[serde(default, skip_serializing)]
    pub with: Option<Vec<String>>,
    /// Text that the body must not hold.
    #[serde(default, skip_serializing)]
    pub without: Option<Vec<String>>,
}

impl ArticleRecord {
    /// The page's site, by which splits are dealt out; a page of no known site is one of its own.
    #[must_use]
    pub fn site_or_id(&self) -> &str {
        self.site.as_deref().unwrap_or(&self.id)
    }
}

/// Figures of one page; `None`: the gold does not give the field.
#[derive(Clone, Debug, Serialize)]
pub struct ArticleScores {
    /// The page, as the gold names it.
    pub id: String,
    /// Shingles of the text.
    pub body: Option<Prf>,
    /// Whether the title is right.
    pub title: Option<bool>,
    /// Whether the set of authors is right.
    pub authors: Option<bool>,
    /// F1 of the words of the authors' names.
    pub author_f1: Option<f64>,
    /// Whether the day is right.
    pub day: Option<bool>,
    /// Numbers of right, expected and wrong segments.
    pub segments: Option<(usize, usize, usize)>,
}

/// Scores one page.
#[must_use]
pub fn score_article(gold: &ArticleRecord, guess: &ArticleRecord) -> ArticleScores {
    let body = |line: &ArticleRecord| line.body.clone().unwrap_or_default();
    let wanted = author_names(gold);
    let found = author_names(guess);
    let has_authors = gold.authors.as_ref().is_some_and(|authors| !authors.is_empty());
    let text = with_single_spaces(&body(guess));
    let held =
        |parts: &Vec<String>| parts.iter().filter(|part| text.contains(&with_single_spaces(part))).count();
    ArticleScores {
        id: gold.id.clone(),
        body: gold.body.as_ref().filter(|b| !b.is_empty()).map(|wanted| body_scores(wanted, &body(guess))),
        title: gold
            .title
            .as_ref()
            .filter(|t| !t.is_empty())
            .map(|title| normalized(title) == normalized(guess.title.as_deref().unwrap_or_default())),
        authors: has_authors.then(|| wanted == found),
        author_f1: has_authors.then(|| name_f1(&wanted, &found)),
        day: written_day(gold.published.as_deref()).is_some().then(|| same_day(gold, guess)),
        segments: gold
            .with
            .as_ref()
            .filter(|with| !with.is_empty())
            .map(|with| (held(with), with.len(), gold.without.as_ref().map(held).unwrap_or_default())),
    }
}

fn count_shingles(text: &str) -> BTreeMap<Vec<String>, usize> {
    let lower = text.to_lowercase();
    let tokens = split_words(&lower);
    let n = tokens.len().min(4);
    let mut counts = BTreeMap::new();
    if n > 0 {
        for window in tokens.windows(n) {
            *counts.entry(window.iter().map(ToString::to_string).collect()).or_insert(0) += 1;
        }
    }
    counts
}

fn split_words(text: &str) -> Vec<&str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()).collect()
}

fn body_scores(gold: &str, guess: &str) -> Prf {
    let (a, b) = (count_shingles(gold), count_shingles(guess));
    let same = a.iter().map(|(shingle, n)| (*n).min(b.get(shingle).copied().unwrap_or(0))).sum();
    Prf::of(same, b.values().sum(), a.values().sum())
}

fn with_single_spaces(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Normalizes white space, quotes, dashes and case.
fn normalized(text: &str) -> String {
    let invisible = |c: &char| matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}');
    let alike = |c: char| match c {
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' => '-',
        '‘' | '’' | '‚' | '‛' | '`' | '´' | '′' | '«' | '»' | '“' | '”' | '„' | '‟' | '"' | '‹' | '›' => {
            '\''
        }
        other => other,
    };
    let text: String = text.nfkc().filter(|c| !invisible(c)).map(alike).collect();
    with_single_spaces(&text.replace("''", "'").to_lowercase().replace('ß', "ss"))
}

fn author_names(line: &ArticleRecord) -> BTreeSet<String> {
    let authors = line.authors.iter().flatten();
    authors.map(|name| split_words(&normalized(name)).join(" ")).filter(|name| !name.is_empty()).collect()
}

fn name_f1(gold: &BTreeSet<String>, guess: &BTreeSet<String>) -> f64 {
    let count = |names: &BTreeSet<String>| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for word in names.iter().flat_map(|name| name.split(' ')) {
            *counts.entry(word.into()).or_default() += 1;
        }
        counts
    };
    let (a, b) = (count(gold), count(guess));
    let same: usize = a.iter().map(|(word, n)| (*n).min(b.get(word).copied().unwrap_or(0))).sum();
    let all: usize = a.values().sum::<usize>() + b.values().sum::<usize>();
    if same == 0 { 0.0 } else { 2.0 * same as f64 / all as f64 }
}

/// The calendar day as written at the start of the text: `YYYY-MM-DD` or `YYYYMMDD`.
fn written_day(date: Option<&str>) -> Option<String> {
    let mut rest = date?.trim_start();
    let mut parts = Vec::new();
    for digits in [4, 2, 2] {
        let part = rest.get(..digits).filter(|part| part.bytes().all(|b| b.is_ascii_digit()))?;
        parts.push(part);
        rest = &rest[digits..];
        rest = rest.strip_prefix('-').unwrap_or(rest);
    }
    Some(parts.join("-"))
}

/// The day in UTC, if the text has a time with a zone.
fn utc_day(date: Option<&str>) -> Option<String> {
    let text = date?.trim();
    let when: jiff::Timestamp = text.parse().ok()?;
    text.contains(['T', ' ']).then(|| when.strftime("%Y-%m-%d").to_string())
}

/// Equal as written, or equal in UTC where both give a zone.
fn same_day(gold: &ArticleRecord, guess: &ArticleRecord) -> bool {
    let (a, b) = (gold.published.as_deref(), guess.published.as_deref());
    if written_day(a) == written_day(b) {
        return true;
    }
    matches!((utc_day(a), utc_day(b)), (Some(a), Some(b)) if a == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(json: &str) -> ArticleRecord {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn shingles_are_counted_and_case_does_not_matter() {
        let whole = body_scores("One two three four five", "one TWO three four five");
        assert_eq!(whole.f1, 1.0);
        let half = body_scores("a b c d e", "a b c d");
        assert_eq!((half.precision, half.recall), (1.0, 0.5));
        assert_eq!(body_scores("a b", "").f1, 0.0);
    }

    #[test]
    fn titles_compare_without_quotes_dashes_and_case() {
        let gold = line(r#"{"id":"1","title":"‘Big’ news – today"}"#);
        assert_eq!(
            score_article(&gold, &line(r#"{"id":"1","title":"\"big\" News - today"}"#)).title,
            Some(true)
        );
        assert_eq!(score_article(&gold, &line(r#"{"id":"1"}"#)).title, Some(false));
        assert!(score_article(&gold, &ArticleRecord::default()).body.is_none());
    }

    #[test]
    fn a_day_may_agree_in_utc() {
        let gold = line(r#"{"id":"1","published":"2020-05-02T01:00:00Z"}"#);
        let guess = line(r#"{"id":"1","published":"2020-05-01T21:00:00-04:00"}"#);
        assert_eq!(score_article(&gold, &guess).day, Some(true));
        assert_eq!(score_article(&gold, &line(r#"{"id":"1","published":"2020-05-01"}"#)).day, Some(false));
        assert_eq!(score_article(&gold, &line(r#"{"id":"1","published":"20200502"}"#)).day, Some(true));
    }
}
