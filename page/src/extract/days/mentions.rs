//! The dates that a page mentions: in its markup, its URL, its scripts and the lines that readers see.

use jiff::civil::Date;
use memchr::memmem::find_iter;

use super::labels::{self, Label};
use crate::Page;
use crate::extract::dates::{self, DateStyle, Found};
use crate::extract::runs::Run;
use crate::extract::scripts;
use crate::extract::visible::Visible;
use crate::reading::NodeId;
use crate::time::Timestamp;

/// Most lines with a date, and most values of scripts.
const MOST_LINES: usize = 40;
const MOST_VALUES: usize = 5;
/// Most days of a page.
const MOST_DAYS: usize = 48;
/// Most words of a line that is searched for a date, and words of a paragraph's beginning that may be one.
const LINE_WORDS: f32 = 16.0;
const LABELLED_WORDS: f32 = 24.0;
const OPENING_WORDS: usize = 3;
/// Most words of a line that may be the label of the date in the next one.
const LABEL_WORDS: f32 = 4.0;

/// Where a page mentions a date. Sources that are likelier to give the exact time of publication come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::extract) enum Source {
    /// JSON-LD of the page's own article, and of what is no article.
    Article,
    Object,
    /// Metas that name the publication, and one that is just named "date".
    Meta,
    Dated,
    Microdata,
    Time,
    Script,
    /// When something was created or uploaded.
    Created,
    /// A line near or below the headline, and the beginning of a paragraph.
    Line,
    Opening,
    Title,
    /// The `title` of an element.
    Hint,
    Url,
    /// Any other meta.
    OtherMeta,
    /// The last change, by JSON-LD or microdata, and by metas.
    Changed,
    ChangedMeta,
    /// A line whose words say that it is the day of a change.
    ChangedLine,
}

impl Source {
    pub(super) const ALL: [Source; 17] = [
        Source::Article,
        Source::Object,
        Source::Meta,
        Source::Dated,
        Source::Microdata,
        Source::Time,
        Source::Script,
        Source::Created,
        Source::Line,
        Source::Opening,
        Source::Title,
        Source::Hint,
        Source::Url,
        Source::OtherMeta,
        Source::Changed,
        Source::ChangedMeta,
        Source::ChangedLine,
    ];

    /// Whether readers see it.
    pub(super) fn is_seen(self) -> bool {
        matches!(self, Source::Line | Source::Opening | Source::Title | Source::Url | Source::Time)
    }

    /// The name of the witness in an article's evidence.
    pub(super) fn witness(self) -> &'static str {
        match self {
            Source::Article | Source::Object | Source::Created | Source::Changed => "json-ld",
            Source::Meta | Source::Dated | Source::OtherMeta | Source::ChangedMeta => "meta",
            Source::Microdata => "microdata",
            Source::Time => "time",
            Source::Script => "script",
            Source::Line | Source::Opening | Source::Hint | Source::ChangedLine => "text",
            Source::Title => "title",
            Source::Url => "url",
        }
    }
}

/// A date that a page mentions.
#[derive(Clone, Debug)]
pub(in crate::extract) struct Mention {
    pub(in crate::extract) source: Source,
    /// ISO 8601: a day, or a time with the zone if the page gives one.
    pub(in crate::extract) value: String,
    /// The element that shows it.
    pub(in crate::extract) node: Option<NodeId>,
}

/// A day, and its mentions.
pub(super) struct Day {
    pub(super) day: Date,
    /// By source: the number of the mention among those of its source, and the mention.
    pub(super) mentions: Vec<(usize, Mention)>,
}

/// The dates of a page's address, title, scripts and lines.
pub(super) fn visible_mentions(
    page: &Page,
    visible: &Visible<'_>,
    fetched_at: Timestamp,
    style: DateStyle,
) -> Vec<Mention> {
    let parse = |text: &str| dates::parse(text, fetched_at, style);
    let parse_stamp = |text: &str| dates::parse_stamp(text, fetched_at, style);
    let without_node = |source, value| Mention { source, value, node: None };
    let url = url_date(page.url.as_str(), &parse).map(|date| without_node(Source::Url, date));
    let title = page.title.as_deref().and_then(|title| title_date(title, &parse));
    let title = title.map(|date| without_node(Source::Title, date));
    let scripts = script_dates(page, &parse_stamp).into_iter().map(|date| without_node(Source::Script, date));
    let runs = &visible.runs().runs;
    let opening = |run: &Run| {
        let end = run.text.match_indices(' ').nth(OPENING_WORDS - 1);
        parse(end.map_or(run.text.as_str(), |(at, _)| &run.text[..at]))
    };
    let in_run = |number: usize| {
        let node = Some(runs[number].first);
        let dates = line_dates(runs, number, fetched_at, style).into_iter();
        let mut found: Vec<(Source, String)> = dates.map(|(source, date)| (source, date.value)).collect();
        if found.is_empty() {
            found.extend(opening(&runs[number]).map(|value| (Source::Opening, value)));
        }
        found.into_iter().map(move |(source, value)| Mention { source, value, node })
    };
    let lines = visible.by_nearness().flat_map(in_run).take(MOST_LINES);
    url.into_iter().chain(title).chain(scripts).chain(lines).collect()
}

/// The dates of the run of this number, each with its source, if it is a line and no prose.
pub(super) fn line_dates(
    runs: &[Run],
    number: usize,
    fetched_at: Timestamp,
    style: DateStyle,
) -> Vec<(Source, Found)> {
    let run = &runs[number];
    if run.words > LABELLED_WORDS {
        return Vec::new();
    }
    let found = dates::find(&run.text, fetched_at, style);
    // Only with labels are longer lines no prose: "Published … | Updated …".
    let is_line = found.is_empty() || run.words <= LINE_WORDS || labels::says(&run.text) != (false, false);
    if !is_line {
        return Vec::new();
    }
    let before = number.checked_sub(1).map(|before| &runs[before]);
    let before = before.filter(|before| before.words <= LABEL_WORDS).map_or("", |run| run.text.as_str());
    by_label(&run.text, before, found)
}

/// The dates of a line, each with its source: the day of publication, which comes first, and that of the last change. `before` is
/// the line before, which may be a label.
fn by_label(text: &str, before: &str, dates: Vec<Found>) -> Vec<(Source, Found)> {
    let mut found: Vec<(Source, Found)> = Vec::new();
    let mut from = 0;
    let ends: Vec<usize> = dates.iter().skip(1).map(|date| date.range.start).chain([text.len()]).collect();
    for (date, end) in dates.into_iter().zip(ends) {
        let words = text.get(from..date.range.start).unwrap_or_default();
        let behind = text.get(date.range.end..end).unwrap_or_default();
        let own = labels::label(words, behind);
        let label = if found.is_empty() && own.is_none() && !words.contains(char::is_alphabetic) {
            labels::label(before, "")
        } else {
            own
        };
        let is_later = found.last().is_some_and(|(_, first)| first.value <= date.value);
        let is_change =
            label == Some(Label::Changed) || (label == Some(Label::Unknown) && is_later && found.len() == 1);
        from = date.range.end;
        found.push((if is_change { Source::ChangedLine } else { Source::Line }, date));
    }
    found.sort_by_key(|(source, _)| *source);
    found
}

/// The dates after keys of scripts that name a publication.
fn script_dates(page: &Page, parse: &impl Fn(&str) -> Option<String>) -> Vec<String> {
    let mut found = Vec::new();
    for text in scripts::script_texts(&page.tree) {
        for key in ["publish", "Publish", "pubDate", "pub_date", "pubdate"] {
            let values =
                find_iter(text.as_bytes(), key).take(200).filter_map(|at| script_value(text.get(at..)?));
            found.extend(values.filter_map(parse).take(MOST_VALUES - found.len()));
            if found.len() == MOST_VALUES {
                return found;
            }
        }
    }
    found
}

/// The value after a key that begins here: for `publ` + `ished_at": "…"`, the text in quotes.
fn script_value(text: &str) -> Option<&str> {
    let rest =
        text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-' || c == ':');
    let rest = rest.trim_start_matches(['"', '\'', '\\', ' ']);
    // A colon right after the key has been skipped already.
    let rest = rest.trim_start_matches([':', '=', ' ', '"', '\'', '\\']);
    let end = rest.find(['"', '\'', '\\', ',', '}'])?;
    rest.get(..end).filter(|value| (8..=40).contains(&value.len()))
}

/// The date at the end of a title, after the site's name: "Bridge stays open | The Post | 03.05.2024".
fn title_date(title: &str, parse: &impl Fn(&str) -> Option<String>) -> Option<String> {
    let (_, last) = title.rsplit_once(" | ").or_else(|| title.rsplit_once(" - "))?;
    // Only a bare date counts, as a headline may end with a date in its text.
    let is_date = last.chars().count() <= 18 && last.starts_with(|c: char| c.is_ascii_digit());
    is_date.then(|| parse(last))?
}

/// The date in a URL's path: `/2024/05/03/`, `/2024-05-03-`, `/20240503/`.
fn url_date(url: &str, parse: &impl Fn(&str) -> Option<String>) -> Option<String> {
    let path = url.splitn(4, '/').nth(3)?;
    let at = |start: usize| {
        let is_begun = start > 0 && path.as_bytes().get(start - 1).is_some_and(u8::is_ascii_digit);
        let part = path.get(start..(start + 10).min(path.len()))?;
        // "2024/05/0312345" is a month and a number.
        let goes_on = path.as_bytes().get(start + 10).is_some_and(u8::is_ascii_digit);
        let is_year = part.starts_with("19") || part.starts_with("20");
        let shape = part.as_bytes();
        let is_parted = !goes_on
            && matches!((shape.get(4), shape.get(7)), (Some(b'/'), Some(b'/')) | (Some(b'-'), Some(b'-')));
        let is_run = shape.len() >= 8
            && shape[..8].iter().all(u8::is_ascii_digit)
            && !shape.get(8).is_some_and(u8::is_ascii_digit);
        let part = if is_run { &part[..8] } else { part };
        (is_year && !is_begun && (is_parted || is_run)).then(|| parse(part))?
    };
    path.match_indices(['1', '2']).find_map(|(start, _)| at(start))
}

/// The days of these mentions, in the order of their first ones.
pub(super) fn by_day(mentions: Vec<Mention>) -> Vec<Day> {
    let mut days: Vec<Day> = Vec::new();
    let mut numbers = [0; Source::ALL.len()];
    for mention in mentions {
        let Some(day) = mention.value.get(..10).and_then(|day| day.parse().ok()) else { continue };
        let number = &mut numbers[mention.source as usize];
        let numbered = (*number, mention);
        *number += 1;
        match days.iter().position(|other| other.day == day) {
            Some(at) => days[at].mentions.push(numbered),
            None if days.len() < MOST_DAYS => days.push(Day { day, mentions: vec![numbered] }),
            None => {}
        }
    }
    days
}

/// Whether a date has a time.
pub(super) fn is_exact(value: &str) -> bool {
    value.contains('T')
}
