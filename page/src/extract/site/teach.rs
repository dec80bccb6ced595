//! Learns from a person's correction of a page.

use super::alignment;
use super::context::SiteContext;
use super::fields::FieldReader;
use super::knowledge::SiteKnowledge;
use super::lesson::Lesson;
use serde::{Deserialize, Serialize};

use crate::Page;
use crate::extract::body::choose_runs;
use crate::extract::hashes::text_hash;
use crate::extract::metadata::Metadata;
use crate::extract::reader::{Reading, page_claims, read_article};
use crate::extract::runs::Runs;
use crate::extract::selection::Choice;
use crate::extract::title::title;
use crate::time::Timestamp;

/// Most corrected pages that are kept; the oldest goes first.
const MOST_LESSONS: usize = 32;
/// Share of a corrected text that its page must show.
const LEAST_FOUND: f32 = 0.5;

/// A person's correction of a page's article. Fields that are left out stay as they were read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    /// The right text.
    pub body: Option<String>,
    /// Texts that are not body, on any page of the site.
    pub drop: Vec<String>,
    /// The right title.
    pub title: Option<String>,
    /// The right names.
    pub authors: Vec<String>,
    /// The right date (`YYYY-MM-DD…`).
    pub published: Option<String>,
}

/// A correction that its page does not show; nothing was learnt from it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TeachError {
    /// Little of the text is on the page.
    #[error("the page shows {:.0} % of the text, at least 50 % is needed to learn from it", .found * 100.0)]
    Body {
        /// Share of the text that the page shows.
        found: f32,
    },
    /// A text to be dropped, a title, a name or a date is not on the page.
    #[error("the page does not show the {what} `{text}`")]
    NotThere {
        /// Which part of the correction.
        what: &'static str,
        /// Its value.
        text: String,
    },
    /// The correction is empty.
    #[error("nothing was corrected")]
    Nothing,
}

impl SiteKnowledge {
    /// Learns from a person's correction of a page.
    ///
    /// # Errors
    /// The page does not show what the correction says; the knowledge is unchanged.
    pub fn teach(
        &mut self,
        page: &Page,
        fetched_at: Timestamp,
        correction: &Correction,
    ) -> Result<&Lesson, TeachError> {
        if *correction == Correction::default() {
            return Err(TeachError::Nothing);
        }
        let lesson = self.lesson(page, fetched_at, correction)?;
        self.lessons.retain(|other| other.url != lesson.url);
        let surplus = (self.lessons.len() + 1).saturating_sub(MOST_LESSONS);
        self.lessons.drain(..surplus);
        let at = self.lessons.len();
        self.lessons.push(lesson);
        Ok(&self.lessons[at])
    }

    fn lesson(
        &self,
        page: &Page,
        fetched_at: Timestamp,
        correction: &Correction,
    ) -> Result<Lesson, TeachError> {
        let metadata = Metadata::new(page, fetched_at);
        let runs = Runs::new(page);
        let mut lesson = Lesson::new(page.url.as_str(), &runs);
        let dropped = runs_to_drop(&runs, &correction.drop)?;
        if correction.body.is_some() || !correction.drop.is_empty() {
            let mut body = match &correction.body {
                Some(text) => found_shares(&runs, text)?,
                None => self.body_shares(page, &metadata, &runs),
            };
            for &at in &dropped {
                body[at] = 0.0;
            }
            lesson.count(&page.tree, &runs, &body);
            lesson.dropped = dropped.iter().map(|&at| text_hash(&runs.runs[at].text)).collect();
        }
        // Fields are learnt only where the page alone gives something else.
        let reading = Reading::new(fetched_at, None);
        let read = read_article(page, &runs, Metadata::new(page, fetched_at), reading);
        let reader = FieldReader::new(page, &runs, &metadata, fetched_at);
        let not_there = |what, text: &str| TeachError::NotThere { what, text: text.to_owned() };
        if let Some(title) = correction.title.as_deref().filter(|title| read.title.as_deref() != Some(*title))
        {
            lesson.fields.title = reader.learn_title(title);
            if lesson.fields.title.is_empty() {
                return Err(not_there("title", title));
            }
        }
        if !correction.authors.is_empty() && correction.authors != read.authors {
            lesson.fields.authors = reader.learn_authors(&correction.authors);
            if lesson.fields.authors.is_empty() {
                return Err(not_there("authors", &correction.authors.join(", ")));
            }
        }
        let day = |date: &str| date.get(..10).map(str::to_owned);
        if let Some(date) = &correction.published
            && read.published.as_deref().and_then(day) != day(date)
        {
            lesson.fields.published = reader.learn_published(date);
            if lesson.fields.published.is_empty() {
                return Err(not_there("date", date));
            }
        }
        Ok(lesson)
    }

    /// The share of each run that is body as the page is read now, 0 or 1.
    fn body_shares(&self, page: &Page, metadata: &Metadata, runs: &Runs) -> Vec<f32> {
        let title = title(page, metadata).map(|found| found.value);
        let claims = page_claims(page, metadata, title.as_deref());
        let context = SiteContext::new(self, page, runs);
        let (chosen, _) = choose_runs(page, runs, &claims, Choice::default(), Some(&context));
        chosen.into_iter().map(|is_chosen| f32::from(u8::from(is_chosen))).collect()
    }
}

fn found_shares(runs: &Runs, text: &str) -> Result<Vec<f32>, TeachError> {
    let alignment = alignment::align_text(runs, text);
    if alignment.found < LEAST_FOUND {
        Err(TeachError::Body { found: alignment.found })
    } else {
        Ok(alignment.shares)
    }
}

/// The runs that contain the texts to be dropped.
fn runs_to_drop(runs: &Runs, texts: &[String]) -> Result<Vec<usize>, TeachError> {
    let mut found = Vec::new();
    for text in texts {
        let shares = alignment::align_text(runs, text).shares;
        let before = found.len();
        found.extend((0..shares.len()).filter(|&at| shares[at] > 0.5 || runs.runs[at].text.contains(text)));
        if found.len() == before {
            return Err(TeachError::NotThere { what: "text", text: text.clone() });
        }
    }
    Ok(found)
}
