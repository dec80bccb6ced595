//! An article as Newslode writes it: fields, body, and the evidence for each field.
//!
//! The JSON form has one object per line. An unknown field is `null` or empty, never guessed.
//! `docs/articles.md` explains each key.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::bounds::{Excess, bytes, holds, most};
use crate::reading::CanonicalUrl;
use crate::reading::listed::ListedEntry;

mod blocks;

pub use blocks::{Block, BlockKind, Embed, EmbedKind, Mark, MarkKind, Picture, Table, TableCell};
pub(crate) use blocks::{MAX_ADDRESS, MAX_CAPTION, MAX_CELLS, MAX_EMBEDS, MAX_PICTURES};

/// Most bytes of an article's text.
pub(crate) const MAX_TEXT: usize = 1 << 20;
/// Most blocks of an article's text.
const MAX_BLOCKS: usize = 50_000;
/// Most bytes of any other text of an article. Headlines and sections have at most a few hundred.
const MAX_FIELD: usize = 4 << 10;
/// Most authors of an article.
const MAX_AUTHORS: usize = 64;
/// Most fields with evidence.
const MAX_EVIDENCE: usize = 32;
/// Most bytes of a name that the program itself writes: a method, a witness, a limit.
const MAX_NAME: usize = 256;
/// Most bytes of a language's code.
const MAX_LANGUAGE: usize = 16;
/// Most keywords, and most bytes of one.
pub(crate) const MAX_KEYWORDS: usize = 100;
pub(crate) const MAX_KEYWORD: usize = 256;
/// Most steps of a trail of breadcrumbs.
pub(crate) const MAX_CRUMBS: usize = 12;
/// Most names of what was cut.
const MAX_CUT: usize = 16;

/// The kind of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageKind {
    /// The front page of a site.
    Home,
    /// A page that lists articles.
    Section,
    /// One article.
    Article,
    /// Anything else: about, contact, search, a form.
    #[default]
    Other,
}

/// Who may read an article, as its page declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Everybody.
    Free,
    /// A number of articles is free.
    Metered,
    /// Those who pay.
    Paid,
}

impl Access {
    /// Its name in outputs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Access::Free => "free",
            Access::Metered => "metered",
            Access::Paid => "paid",
        }
    }
}

/// How much of an article's text was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Completeness {
    /// All that the page shows.
    #[default]
    Full,
    /// The text breaks off: the page or the article exceeded a limit, or the last sentence ends in an ellipsis.
    Truncated,
    /// Only the open part of an article that is not free.
    Stub,
    /// The text is that of a feed; the page shows less.
    FromFeed,
}

impl Completeness {
    /// Its name in outputs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Completeness::Full => "full",
            Completeness::Truncated => "truncated",
            Completeness::Stub => "stub",
            Completeness::FromFeed => "from_feed",
        }
    }
}

/// A name with the page it leads to: a step of the breadcrumbs, an author.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedLink {
    /// The name.
    pub name: String,
    /// The absolute address of its page, if it has one.
    pub address: Option<String>,
}

/// How exactly a date is known. Its day always is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenDate {
    /// The date as a line near the headline shows it; `None` if readers are not shown it there.
    pub written: Option<String>,
    /// Whether the time of day is known.
    pub has_time: bool,
    /// Whether the time zone is known.
    pub has_zone: bool,
}

impl WrittenDate {
    /// How exactly an ISO 8601 date or time is known, by its form. A space may stand for the `T`.
    #[must_use]
    pub fn of(date: &str) -> WrittenDate {
        let time = date.split_once(['T', 't', ' ']).map(|(_, time)| time);
        let has_zone = time.is_some_and(|time| time.ends_with(['Z', 'z']) || time.contains(['+', '-']));
        WrittenDate { written: None, has_time: time.is_some(), has_zone }
    }
}

/// Where a field's value comes from, and how far to trust it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The witness: `json-ld`, `opengraph`, `meta`, `time`, `microdata`, `text`, `template` …
    pub witness: String,
    /// 0 to 1.
    pub confidence: f32,
}

/// One extracted article.
///
/// ```
/// use newslode_page::{Page, Timestamp, article};
///
/// let url = "https://news.example.org/2024/05/02/rain-ends-the-drought".parse()?;
/// let html = "<title>Rain ends the drought - The Herald</title><meta property=og:type content=article>\
///             <meta name=author content='Ada Lane'><h1>Rain ends the drought</h1>\
///             <p>After eleven dry weeks it rained over the valley on Thursday, and the farmers came out of \
///             their houses to watch it fall.<p>The reservoir above the town rose by a hand's breadth before \
///             noon, the water board said, and the ban on watering gardens will end today.";
/// let page = Page::parse(&url, None, html.as_bytes());
/// let found = article(&page, Timestamp(1_714_700_000_000)).1.ok_or("no article")?;
/// assert_eq!(found.authors, ["Ada Lane"]);
/// // Each field says where it was found; one that the page does not show is empty.
/// assert_eq!(found.evidence["authors"].witness, "meta");
/// assert_eq!(found.modified, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Article {
    /// Canonical URL of the page.
    pub url: String,
    /// Registrable domain.
    pub site: String,
    /// The headline, without the site's name.
    pub title: Option<String>,
    /// Names of the authors, without "By".
    pub authors: Vec<String>,
    /// When it was published: ISO 8601 date or time, with the zone if the page gives one.
    pub published: Option<String>,
    /// When it was last changed, in the same form.
    pub modified: Option<String>,
    /// Dateline or place.
    pub place: Option<String>,
    /// The section of the site that files it.
    pub section: Option<String>,
    /// Labels of the concepts that file it; the miner's view fills them in.
    pub concepts: Vec<String>,
    /// The language of the text: ISO 639-1 code, 639-3 where there is none.
    pub language: Option<String>,
    /// The body, in page order.
    pub body: Vec<Block>,
    /// URL of the lead picture.
    pub image: Option<String>,
    /// The kind that the page was classified as.
    pub kind: PageKind,
    /// The method that found the body.
    pub method: String,
    /// Evidence by field name.
    pub evidence: BTreeMap<String, Evidence>,
    /// What a listing of the site said of the page, without its full text; `None` if none was read.
    #[serde(default)]
    pub listed: Option<ListedEntry>,
    /// The lead picture, with what the page says of it if it shows it.
    #[serde(default)]
    pub lead: Option<Picture>,
    /// The page's summary of itself.
    #[serde(default)]
    pub description: Option<String>,
    /// Keywords and tags, as written.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// The trail from the front page to the article, outermost first, without both.
    #[serde(default)]
    pub breadcrumbs: Vec<NamedLink>,
    /// The authors that have pages of their own.
    #[serde(default)]
    pub author_pages: Vec<NamedLink>,
    /// Who publishes the article.
    #[serde(default)]
    pub publisher: Option<String>,
    /// The licence: its address, else its name.
    #[serde(default)]
    pub licence: Option<String>,
    /// Who may read it; `None` if the page does not say.
    #[serde(default)]
    pub access: Option<Access>,
    /// How much of the text was found.
    #[serde(default)]
    pub completeness: Completeness,
    /// How exactly `published` and `modified` are known, by field name.
    #[serde(default)]
    pub dates: BTreeMap<String, WrittenDate>,
    /// What exceeded a limit and was left out: `pictures`, `embeds`, `marks`, `tables`, `keywords`.
    #[serde(default)]
    pub cut: Vec<String>,
}

impl Article {
    /// The body as plain text: the texts of its blocks, joined by newlines.
    #[must_use]
    pub fn text(&self) -> String {
        let texts = self.body.iter().map(|block| block.text.as_str()).filter(|text| !text.is_empty());
        texts.collect::<Vec<_>>().join("\n")
    }

    /// The authors and the date of publication in one line; empty without either.
    #[must_use]
    pub fn byline(&self) -> String {
        let parts = [self.authors.join(", "), self.published.clone().unwrap_or_default()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
    }
}

impl Article {
    /// Leaves out what exceeds the limits; the evidence for a field goes with the field.
    pub(crate) fn within_limits(mut self) -> Article {
        let fields = [
            ("title", &mut self.title),
            ("published", &mut self.published),
            ("modified", &mut self.modified),
            ("place", &mut self.place),
            ("section", &mut self.section),
            ("image", &mut self.image),
            ("description", &mut self.description),
            ("publisher", &mut self.publisher),
            ("licence", &mut self.licence),
        ];
        for (name, field) in fields {
            if field.as_ref().is_some_and(|text| text.len() > MAX_FIELD) {
                *field = None;
                self.evidence.remove(name);
            }
        }
        self.authors.retain(|author| author.len() <= MAX_FIELD);
        self.authors.truncate(MAX_AUTHORS);
        self.body.truncate(MAX_BLOCKS);
        let keywords = self.keywords.len();
        self.keywords.retain(|keyword| keyword.len() <= MAX_KEYWORD);
        self.keywords.truncate(MAX_KEYWORDS);
        let mut cut = blocks::within_limits(&mut self.body);
        cut.extend((self.keywords.len() < keywords).then_some("keywords"));
        self.cut = cut.into_iter().map(str::to_owned).collect();
        let fits = |link: &NamedLink| {
            link.name.len() <= MAX_FIELD
                && link.address.as_ref().is_none_or(|address| address.len() <= MAX_ADDRESS)
        };
        self.breadcrumbs.retain(fits);
        self.breadcrumbs.truncate(MAX_CRUMBS);
        self.author_pages.retain(fits);
        self.author_pages.truncate(MAX_AUTHORS);
        self.lead = self.lead.filter(|lead| lead.check().is_ok());
        for date in self.dates.values_mut() {
            date.written = date.written.take().filter(|written| written.len() <= MAX_NAME);
        }
        self
    }

    /// Whether the page at this URL can have this article.
    ///
    /// # Errors
    /// Names the field that exceeds its limit or does not fit the page.
    pub fn check(&self, url: &CanonicalUrl) -> Result<(), Excess> {
        holds("article", self.url == url.as_str(), "is that of another URL")?;
        holds("article", self.site == url.site().as_str(), "is that of another site")?;
        // The miner's views fill them in later.
        holds("article", self.concepts.is_empty(), "has concepts already")?;
        for (what, field) in [
            ("title", &self.title),
            ("published", &self.published),
            ("modified", &self.modified),
            ("place", &self.place),
            ("section", &self.section),
            ("image", &self.image),
            ("description", &self.description),
            ("publisher", &self.publisher),
            ("licence", &self.licence),
        ] {
            bytes(what, field.as_deref().unwrap_or_default(), MAX_FIELD)?;
        }
        self.listed.as_ref().map_or(Ok(()), |listed| listed.check(url))?;
        bytes("language", self.language.as_deref().unwrap_or_default(), MAX_LANGUAGE)?;
        bytes("method", &self.method, MAX_NAME)?;
        most("authors", "entries", self.authors.len(), MAX_AUTHORS)?;
        self.authors.iter().try_for_each(|author| bytes("author", author, MAX_FIELD))?;
        most("body", "blocks", self.body.len(), MAX_BLOCKS)?;
        most("body", "bytes", self.body.iter().map(|block| block.text.len()).sum(), MAX_TEXT)?;
        blocks::check(&self.body)?;
        self.lead.as_ref().map_or(Ok(()), Picture::check)?;
        most("keywords", "entries", self.keywords.len(), MAX_KEYWORDS)?;
        self.keywords.iter().try_for_each(|keyword| bytes("keyword", keyword, MAX_KEYWORD))?;
        most("breadcrumbs", "entries", self.breadcrumbs.len(), MAX_CRUMBS)?;
        most("author_pages", "entries", self.author_pages.len(), MAX_AUTHORS)?;
        for link in self.breadcrumbs.iter().chain(&self.author_pages) {
            bytes("name", &link.name, MAX_FIELD)?;
            bytes("address", link.address.as_deref().unwrap_or_default(), MAX_ADDRESS)?;
        }
        most("dates", "entries", self.dates.len(), 2)?;
        for (field, date) in &self.dates {
            bytes("dates", field, MAX_NAME)?;
            bytes("dates", date.written.as_deref().unwrap_or_default(), MAX_NAME)?;
        }
        most("cut", "entries", self.cut.len(), MAX_CUT)?;
        self.cut.iter().try_for_each(|name| bytes("cut", name, MAX_NAME))?;
        most("evidence", "entries", self.evidence.len(), MAX_EVIDENCE)?;
        for (field, evidence) in &self.evidence {
            bytes("evidence", field, MAX_NAME)?;
            bytes("evidence", &evidence.witness, MAX_NAME)?;
            holds(
                "evidence",
                (0.0..=1.0).contains(&evidence.confidence),
                "has a confidence that is not from 0 to 1",
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_precision_of_a_date_follows_from_its_form() {
        let check = |date: &str, has_time, has_zone| {
            assert_eq!(WrittenDate::of(date), WrittenDate { written: None, has_time, has_zone }, "{date}");
        };
        check("2024-05-03", false, false);
        check("2024-05-03T10:30:00", true, false);
        check("2024-05-03 10:30", true, false);
        check("2024-05-03T10:30:00Z", true, true);
        check("2024-05-03T10:30:00-04:00", true, true);
    }
}
