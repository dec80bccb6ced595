//! An article as Newslode writes it: fields, body, and the evidence for each field.
//!
//! The JSON form has one object per line. An unknown field is `null` or empty, never guessed.
//! `docs/articles.md` explains each key.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::bounds::{Excess, bytes, holds, most};
use crate::neutral::for_markdown;
use crate::reading::CanonicalUrl;
use crate::reading::listed::ListedEntry;

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

/// The kind of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageKind {
    /// The front page of a site.
    Home,
    /// A page that lists articles.
    Section,
    /// One article.
    Article,
    /// Anything else: about, contact, search, a form.
    Other,
}

/// The kind of a body block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// Running text.
    Paragraph,
    /// A heading inside the body.
    Heading,
    /// An item of a list.
    ListItem,
    /// A quotation set apart.
    Quote,
}

/// One block of the body, in page order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// The kind of block.
    pub kind: BlockKind,
    /// Its text with white space collapsed.
    pub text: String,
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    #[serde(default, with = "crate::reading::listed")]
    pub listed: Option<ListedEntry>,
}

impl Article {
    /// The body as plain text: blocks joined by newlines.
    #[must_use]
    pub fn text(&self) -> String {
        self.body.iter().map(|block| block.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// The authors and the date of publication in one line; empty without either.
    #[must_use]
    pub fn byline(&self) -> String {
        let parts = [self.authors.join(", "), self.published.clone().unwrap_or_default()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
    }

    /// Title, byline and body as Markdown, which shows each text as it is: what looks like markup in it is escaped.
    #[must_use]
    pub fn markdown(&self) -> String {
        let title = self.title.as_deref().unwrap_or("(no title)");
        let mut text = format!("# {}\n\n{}\n\n", for_markdown(title), for_markdown(&self.byline()));
        for block in &self.body {
            let mark = match block.kind {
                BlockKind::Paragraph => "",
                BlockKind::Heading => "## ",
                BlockKind::ListItem => "- ",
                BlockKind::Quote => "> ",
            };
            text.push_str(&format!("{mark}{}\n\n", for_markdown(&block.text)));
        }
        text
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
