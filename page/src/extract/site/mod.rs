//! What is known about a site apart from the page that is read: people's corrections of some pages, and what
//! its pages have in common.
//!
//! A correction teaches by *places* (three elements with their classes, see [`place`]): which hold body, and
//! where fields are. Unlabelled pages show what the site repeats. Both shift the likelihoods of runs that the
//! single-page reader gives, so nothing changes on a site without knowledge. Pages that are laid out alike
//! ([`peers`]) tell the site's own title, names and dates from the story's. The value is small, belongs to no
//! page, and serialises without the templates; its keeper stores those together with facts about their use.
//! What is known of one page is asked of [`Known`].
//!
//! Invariants: pure; a correction that its page does not show is refused; learning from a page again replaces
//! what it taught before. Start at [`SiteKnowledge::teach`].

use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::metadata::{Finding, Metadata};
use super::runs::Runs;
use super::scorer::Scorer;
use crate::Page;
use crate::template::{Template, fit, induce};

mod fields;
mod gold;
mod known;
mod lesson;
mod peers;
mod place;
mod repeats;
mod said;

pub use fields::{FieldLesson, Source, TitleSource};
pub use lesson::{Lesson, Words};

pub(super) use known::Known;
pub(super) use peers::{Peers, SIBLINGS};

use fields::Sheet;
use repeats::{SitePage, hash};
use said::Said;

/// Most corrected pages that are kept; the oldest goes first.
const MOST_LESSONS: usize = 32;
/// Most other pages that are kept for comparison; the oldest goes first.
const MOST_SEEN: usize = 24;
/// The factor on the likelihood of a text that other pages of the site also have.
const REPEATED: f32 = 0.3;
/// Share of a corrected text that its page must show.
const LEAST_FOUND: f32 = 0.5;

/// A person's correction of a page's article. Fields that are left out stay as they were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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

/// Everything known about a site: what its pages have in common, and what corrected pages taught.
///
/// ```
/// use newslode_page::extract::Correction;
/// use newslode_page::{Page, SiteKnowledge, Timestamp, article};
///
/// let letter = "Sign up for our letter and read every morning before breakfast what matters in the valley today.";
/// let page = |slug: &str, [first, second]: [&str; 2]| -> Result<Page, newslode_page::reading::CanonicalUrlError> {
///     let html = format!(
///         "<html lang=en><title>{slug} - The Herald</title><meta property=og:type content=article>\
///          <div class=main><h1>{slug}</h1><p>{first}</p><p>{second}</p><p class=note>{letter}</p></div>"
///     );
///     Ok(Page::parse(&format!("https://news.example.org/{slug}").parse()?, None, html.as_bytes()))
/// };
/// let rain = [
///     "After eleven dry weeks it rained on Thursday, and the farmers came out to watch it fall.",
///     "The reservoir above the town rose by a hand's breadth before noon, the water board said.",
/// ];
/// let fair = [
///     "The book fair opens on Sunday with readings in nine languages, as it did last year.",
///     "Tickets are sold at the old station, and children under twelve do not have to pay.",
/// ];
/// let tram = [
///     "The tram will run to the lake from autumn on, the council decided after a long debate.",
///     "Nine members were for it and eight against, who would have liked a bus much better.",
/// ];
/// let pages = [page("rain", rain)?, page("fair", fair)?, page("tram", tram)?];
/// let now = Timestamp(1_714_700_000_000);
///
/// // The page alone does not tell the appeal below the story from the story.
/// let text = |found: Option<newslode_page::Article>| found.map(|article| article.text());
/// assert_eq!(text(article(&pages[0], now).1), Some([rain[0], rain[1], letter].join("\n")));
///
/// // Its siblings do: what they repeat is the site's template, what varies is the article.
/// let mut site = SiteKnowledge::default();
/// site.learn(&pages.each_ref());
/// assert_eq!((site.templates().len(), site.template_of(&pages[0])), (1, Some(1)));
/// assert_eq!(text(site.article(&pages[0], now).1), Some(rain.join("\n")));
///
/// // And so does one page that a person corrected.
/// let mut taught = SiteKnowledge::default();
/// let right = Correction { body: Some(fair.join("\n")), ..Correction::default() };
/// taught.teach(&pages[1], now, &right)?;
/// assert_eq!(text(taught.article(&pages[0], now).1), Some(rain.join("\n")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SiteKnowledge {
    lessons: Vec<Lesson>,
    seen: Vec<SitePage>,
    #[serde(skip)]
    templates: Vec<Template>,
}

impl SiteKnowledge {
    /// The lessons of corrected pages, oldest first.
    #[must_use]
    pub fn lessons(&self) -> &[Lesson] {
        &self.lessons
    }

    /// The URLs of the pages kept for comparison.
    pub fn seen(&self) -> impl Iterator<Item = &str> {
        self.seen.iter().map(|page| page.url.as_str())
    }

    /// Forgets the lesson of one page, or all lessons; returns how many there were.
    pub fn forget(&mut self, url: Option<&str>) -> usize {
        let before = self.lessons.len();
        self.lessons.retain(|lesson| url.is_some_and(|url| lesson.url != url));
        before - self.lessons.len()
    }

    /// Keeps a page of the site for comparison.
    pub fn see(&mut self, page: &Page) {
        let url = page.url.as_str();
        self.seen.retain(|seen| seen.url != url);
        let surplus = (self.seen.len() + 1).saturating_sub(MOST_SEEN);
        self.seen.drain(..surplus);
        let runs = Runs::new(page);
        self.seen.push(SitePage::new(url, &runs).with(Said::new(page, &runs)));
    }

    /// Compares pages with these from now on, and with no others; of too many an even sample is taken.
    pub fn see_only(&mut self, pages: &[&Page]) {
        self.seen.clear();
        let step = pages.len().div_ceil(MOST_SEEN).max(1);
        pages.iter().step_by(step).for_each(|page| self.see(page));
    }

    /// Compares pages with these and learns the site's templates from them. For callers that have all pages at
    /// hand.
    pub fn learn(&mut self, pages: &[&Page]) {
        self.see_only(pages);
        self.templates = induce(pages);
        (1..).zip(&mut self.templates).for_each(|(version, template)| template.version = version);
    }

    /// Reads pages by these templates; the first one that accepts a page is used.
    pub fn set_templates(&mut self, templates: Vec<Template>) {
        self.templates = templates;
    }

    /// The version of the template that accepts a page.
    #[must_use]
    pub fn template_of(&self, page: &Page) -> Option<u32> {
        let fit = fit(&self.templates, page)?;
        self.templates.get(fit.template).map(|template| template.version)
    }

    /// The site's templates.
    #[must_use]
    pub fn templates(&self) -> &[Template] {
        &self.templates
    }

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
        self.lessons.retain(|known| known.url != lesson.url);
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
        let dropped = dropped(&runs, &correction.drop)?;
        if correction.body.is_some() || !correction.drop.is_empty() {
            let mut body = match &correction.body {
                Some(text) => laid(&runs, text)?,
                None => self.read(page, &metadata, &runs),
            };
            for &at in &dropped {
                body[at] = 0.0;
            }
            lesson.count(&page.tree, &runs, &body);
            lesson.dropped = dropped.iter().map(|&at| hash(&runs.runs[at].text)).collect();
        }
        let read = super::read(page, Metadata::new(page, fetched_at), fetched_at, Scorer::shared(), None);
        let sheet = Sheet::new(page, &runs, &metadata, fetched_at);
        let not_there = |what, text: &str| TeachError::NotThere { what, text: text.to_owned() };
        if let Some(title) = correction.title.as_deref().filter(|title| read.title.as_deref() != Some(*title))
        {
            lesson.fields.title = sheet.learn_title(title);
            if lesson.fields.title.is_empty() {
                return Err(not_there("title", title));
            }
        }
        if !correction.authors.is_empty() && correction.authors != read.authors {
            lesson.fields.authors = sheet.learn_authors(&correction.authors);
            if lesson.fields.authors.is_empty() {
                return Err(not_there("authors", &correction.authors.join(", ")));
            }
        }
        let day = |date: &str| date.get(..10).map(str::to_owned);
        if let Some(date) = &correction.published
            && read.published.as_deref().and_then(day) != day(date)
        {
            lesson.fields.published = sheet.learn_published(date);
            if lesson.fields.published.is_empty() {
                return Err(not_there("date", date));
            }
        }
        Ok(lesson)
    }

    /// The share of each run that is body as the page is read now, 0 or 1.
    fn read(&self, page: &Page, metadata: &Metadata, runs: &Runs) -> Vec<f32> {
        let title = super::title::title(page, metadata).map(|found| found.value);
        let said = super::said(page, metadata, title.as_deref());
        let known = Known::new(self, page, runs);
        let (chosen, _) = super::body::choose(page, runs, &said, Scorer::shared(), Some(&known));
        chosen.into_iter().map(|is_chosen| f32::from(u8::from(is_chosen))).collect()
    }
}

/// Fields that lessons found on a page.
#[derive(Default)]
pub(super) struct FieldFindings {
    pub(super) title: Option<Finding<String>>,
    pub(super) authors: Option<Finding<Vec<String>>>,
    pub(super) published: Option<Finding<String>>,
}

/// The witness of what is decided by the pages of a template.
pub(super) fn template_witness(version: u32) -> String {
    format!("template v{version}")
}

fn laid(runs: &Runs, text: &str) -> Result<Vec<f32>, TeachError> {
    let laid = gold::lay(runs, text);
    if laid.found < LEAST_FOUND { Err(TeachError::Body { found: laid.found }) } else { Ok(laid.shares) }
}

/// The runs that contain the texts to be dropped.
fn dropped(runs: &Runs, texts: &[String]) -> Result<Vec<usize>, TeachError> {
    let mut found = Vec::new();
    for text in texts {
        let shares = gold::lay(runs, text).shares;
        let before = found.len();
        found.extend((0..shares.len()).filter(|&at| shares[at] > 0.5 || runs.runs[at].text.contains(text)));
        if found.len() == before {
            return Err(TeachError::NotThere { what: "text", text: text.clone() });
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
