//! The sources of title, byline and date on a site's pages, learnt from a page whose fields a person corrected.
//!
//! A title is in one of the document's own titles or at a place of the page, between two constant texts (a
//! site's name, a kicker). Bylines and dates are at a place. A lesson is a list of such sources, the most exact
//! first; a page is read by the first source that fits. Fields that are right without a lesson are not learnt.

use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::place::place_of_run;
use crate::Page;
use crate::extract::finding::Finding;
use crate::extract::metadata::Metadata;
use crate::extract::runs::Runs;
use crate::extract::{authors, dates};

/// Most sources kept per field.
const MOST_SOURCES: usize = 4;
/// Most words of a title, and of a byline or date.
const MAX_TITLE_WORDS: f32 = 60.0;
const LINE_WORDS: f32 = 30.0;
/// Most bytes before a title, and after it.
const MOST_AROUND: usize = 80;

/// A source of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The headline in the JSON-LD.
    JsonLd,
    /// The title for social networks.
    OpenGraph,
    /// The document's `title`.
    Title,
    /// The first run at a place.
    Place(String),
}

/// A source of titles, and the constant texts around the title.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TitleSource {
    /// The source.
    pub source: Source,
    /// The text before the title.
    pub before: String,
    /// The text after the title.
    pub after: String,
}

/// The lesson of a corrected page about fields.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldLesson {
    /// Sources of titles, the most exact first.
    pub title: Vec<TitleSource>,
    /// Places of bylines.
    pub authors: Vec<String>,
    /// Places of dates.
    pub published: Vec<String>,
}

/// Fields that lessons found on a page.
#[derive(Default)]
pub(in crate::extract) struct FieldFindings {
    pub(in crate::extract) title: Option<Finding<String>>,
    pub(in crate::extract) authors: Option<Finding<Vec<String>>>,
    pub(in crate::extract) published: Option<Finding<String>>,
}

/// A page whose fields are read or learnt.
pub(super) struct FieldReader<'a> {
    page: &'a Page,
    runs: &'a Runs,
    metadata: &'a Metadata,
    fetched_at: Timestamp,
    places: Vec<String>,
}

impl<'a> FieldReader<'a> {
    pub(super) fn new(
        page: &'a Page,
        runs: &'a Runs,
        metadata: &'a Metadata,
        fetched_at: Timestamp,
    ) -> FieldReader<'a> {
        let places = runs.runs.iter().map(|run| place_of_run(&page.tree, run)).collect();
        FieldReader { page, runs, metadata, fetched_at, places }
    }

    /// All sources of the page with their texts; of each place the first run.
    fn sources(&self) -> Vec<(Source, &str)> {
        let declared = [
            (Source::JsonLd, &self.metadata.headline),
            (Source::OpenGraph, &self.metadata.og_title),
            (Source::Title, &self.page.title),
        ];
        let declared = declared.into_iter().filter_map(|(source, text)| Some((source, text.as_deref()?)));
        let lines = self
            .short_first_lines(MAX_TITLE_WORDS)
            .map(|(place, text)| (Source::Place(place.to_owned()), text));
        declared.chain(lines).collect()
    }

    /// The first run of each place, if it is short.
    fn short_first_lines(&self, most_words: f32) -> impl Iterator<Item = (&str, &str)> {
        let mut seen = std::collections::BTreeSet::new();
        let runs = self.runs.runs.iter().zip(&self.places);
        let first = runs.filter(move |(_, place)| seen.insert(place.as_str()));
        let short = first.filter(move |(run, _)| run.words <= most_words);
        short.map(|(run, place)| (place.as_str(), run.text.as_str()))
    }

    fn first_line_at(&self, place: &str) -> Option<&str> {
        let at = self.places.iter().position(|other| other == place)?;
        Some(self.runs.runs[at].text.as_str())
    }

    pub(super) fn learn_title(&self, wanted: &str) -> Vec<TitleSource> {
        let around = |(source, text): (Source, &str)| {
            let (before, after) = text.split_once(wanted)?;
            let is_near = before.len() <= MOST_AROUND && after.len() <= MOST_AROUND;
            is_near.then(|| TitleSource { source, before: before.into(), after: after.into() })
        };
        let mut found: Vec<TitleSource> = self.sources().into_iter().filter_map(around).collect();
        found.sort_by_key(|found| found.before.len() + found.after.len());
        found.truncate(MOST_SOURCES);
        found
    }

    pub(super) fn title(&self, lesson: &[TitleSource]) -> Option<Finding<String>> {
        let sources = self.sources();
        let read = |learnt: &TitleSource| {
            let (_, text) = sources.iter().find(|(source, _)| *source == learnt.source)?;
            let title =
                text.strip_prefix(learnt.before.as_str())?.strip_suffix(learnt.after.as_str())?.trim();
            (!title.is_empty()).then(|| Finding {
                value: title.to_owned(),
                witness: "taught",
                confidence: 0.95,
            })
        };
        lesson.iter().find_map(read)
    }

    pub(super) fn learn_authors(&self, wanted: &[String]) -> Vec<String> {
        let has_all = |text: &str| {
            let names = self.people_in(text);
            wanted.iter().all(|name| names.contains(name))
        };
        let found = self.short_first_lines(LINE_WORDS).filter(|(_, text)| has_all(text));
        found.map(|(place, _)| place.to_owned()).take(MOST_SOURCES).collect()
    }

    pub(super) fn authors(&self, lesson: &[String]) -> Option<Finding<Vec<String>>> {
        let read = |place: &String| {
            let value = self.people_in(self.first_line_at(place)?);
            (!value.is_empty()).then_some(Finding { value, witness: "taught", confidence: 0.9 })
        };
        lesson.iter().find_map(read)
    }

    pub(super) fn learn_published(&self, wanted: &str) -> Vec<String> {
        let is_it = |text: &str| self.date_in(text).is_some_and(|date| date.get(..10) == wanted.get(..10));
        let found = self.short_first_lines(LINE_WORDS).filter(|(_, text)| is_it(text));
        found.map(|(place, _)| place.to_owned()).take(MOST_SOURCES).collect()
    }

    pub(super) fn published(&self, lesson: &[String]) -> Option<Finding<String>> {
        let read = |place: &String| {
            let value = self.date_in(self.first_line_at(place)?)?;
            Some(Finding { value, witness: "taught", confidence: 0.9 })
        };
        lesson.iter().find_map(read)
    }

    fn people_in(&self, text: &str) -> Vec<String> {
        authors::people_in(text, &self.metadata.site, self.metadata.date_style.language)
    }

    fn date_in(&self, text: &str) -> Option<String> {
        dates::parse(text, self.fetched_at, self.metadata.date_style)
    }
}
