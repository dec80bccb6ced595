//! The value that holds what is known about a site.

use serde::{Deserialize, Serialize};

use super::lesson::Lesson;
use super::repeats::SitePage;
use super::summary::FieldSummary;
use crate::Page;
use crate::extract::kind::{KindEvidence, SiteKinds};
use crate::extract::runs::Runs;
use crate::template::{Template, induce_templates, match_templates};

/// Most other pages that are kept for comparison; the oldest goes first.
const MOST_SEEN: usize = 24;

/// Everything known about a site: what its pages have in common, and what corrected pages taught.
///
/// ```
/// use newslode_page::extract::Correction;
/// use newslode_page::{Page, SiteKnowledge, Timestamp, article};
///
/// let letter = "Sign up for our letter and read every morning before breakfast what matters in the valley today.";
/// let page = |title: &str, [first, second]: [&str; 2]| -> Result<Page, newslode_page::reading::CanonicalUrlError> {
///     let html = format!(
///         "<html lang=en><title>{title} - The Herald</title><meta property=og:type content=article>\
///          <div class=main><h1>{title}</h1><p>{first}</p><p>{second}</p><p class=note>{letter}</p></div>"
///     );
///     let url = format!("https://news.example.org/2024/05/02/{}", title.to_lowercase().replace(' ', "-"));
///     Ok(Page::parse(&url.parse()?, None, html.as_bytes()))
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
/// let pages = [page("Rain ends the drought", rain)?, page("Book fair opens on Sunday", fair)?, page("A tram to the lake", tram)?];
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
    pub(super) lessons: Vec<Lesson>,
    pub(super) seen: Vec<SitePage>,
    /// What the pages of the site say of each other's kinds.
    #[serde(default)]
    kinds: SiteKinds,
    #[serde(skip)]
    pub(super) templates: Vec<Template>,
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
        self.seen.push(SitePage::new(url, &runs).with_summary(FieldSummary::new(page, &runs)));
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
        let kinds: Vec<_> = pages.iter().map(|page| (page.url.clone(), KindEvidence::of(page))).collect();
        self.kinds = SiteKinds::learn(&kinds);
        self.templates = induce_templates(pages).templates;
        (1..).zip(&mut self.templates).for_each(|(version, template)| template.version = version);
    }

    /// What the pages of the site say of each other's kinds.
    #[must_use]
    pub fn kinds(&self) -> &SiteKinds {
        &self.kinds
    }

    /// Tells articles from other pages by this from now on.
    pub fn set_kinds(&mut self, kinds: SiteKinds) {
        self.kinds = kinds;
    }

    /// Reads pages by these templates; the first one that accepts a page is used.
    pub fn set_templates(&mut self, templates: Vec<Template>) {
        self.templates = templates;
    }

    /// The version of the template that accepts a page.
    #[must_use]
    pub fn template_of(&self, page: &Page) -> Option<u32> {
        let template_match = match_templates(&self.templates, page)?;
        self.templates.get(template_match.template).map(|template| template.version)
    }

    /// The site's templates.
    #[must_use]
    pub fn templates(&self) -> &[Template] {
        &self.templates
    }
}
