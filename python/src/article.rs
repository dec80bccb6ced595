//! `extract`, and what it returns. The names are those of `articles.jsonl` (`docs/articles.md`).

use std::sync::Arc;

use newslode_page::article::{self as found, PageKind};
use newslode_page::extract::{Comment, CommentedArticle, Focus, Reading as PageReading, comments};
use newslode_page::{Page, SiteKnowledge, Timestamp};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDateTime, PyDict, PyType};

use crate::dates;
use crate::errors::message;
use crate::guard::guarded;
use crate::input::{Address, Given, Html, NO_HOST, fetched_at};
use crate::row;
use crate::value::{as_written, json, name, of_json, plain};

/// How pages are read; equal for all pages of one call.
#[derive(Clone)]
pub(crate) struct Reading {
    pub(crate) fetched_at: Timestamp,
    pub(crate) any_kind: bool,
    pub(crate) focus: Focus,
    pub(crate) comments: bool,
    pub(crate) site: Option<Arc<SiteKnowledge>>,
}

/// What was read of a page.
pub(crate) struct Found {
    article: found::Article,
    /// The readers' comments, if they were asked for.
    comments: Option<Vec<Comment>>,
}

impl Reading {
    /// The page's article, if it is one or any kind of page will do.
    pub(crate) fn read(&self, given: &Given) -> Option<Found> {
        let page = given.parse();
        let reading = PageReading::new(self.fetched_at, self.site.as_deref()).with_focus(self.focus);
        let article =
            if self.any_kind { Some(reading.whatever_kind(&page)) } else { reading.article(&page).1 };
        article.map(|article| Found {
            article: honest(&page, article),
            comments: self.comments.then(|| comments(&page)),
        })
    }
}

/// The focus of this name.
pub(crate) fn focus_named(name: &str) -> PyResult<Focus> {
    name.parse().map_err(|error| PyValueError::new_err(message(error)))
}

/// The article without an address that was made up.
fn honest(page: &Page, mut article: found::Article) -> found::Article {
    if page.url.host() == NO_HOST {
        article.url.clear();
        article.site.clear();
        if article.image.as_ref().is_some_and(|image| image.contains(NO_HOST)) {
            article.image = None;
            article.evidence.remove("image");
        }
    }
    article
}

/// Reads the article of a page. Returns `None` if the page is none: a front page, a list of stories, a form.
///
/// `html` is the page as `str`, or better its bytes as they came from the server, whose encoding is then found
/// as browsers do; `content_type` is the server's header, if you have it. Without a `url` the page's own
/// canonical address is taken. No date after `fetched_at` (a `datetime`, by default the present) counts.
/// With `any_kind=True` a page that is no article is read as if it were one; `kind` says what it is.
///
/// `focus` says what matters more in the text: `"precision"` leaves out doubtful passages, `"recall"` includes them, and
/// `"balanced"` gives both the same weight. With `comments=True` the article also gets the readers' comments on the page.
///
/// Raises `InvalidUrl` if `url` is not the http or https address of a page, and `ValueError` for another focus.
///
/// >>> import newslode
/// >>> page = '''<html lang=en><title>Rain ends the drought - The Herald</title>
/// ... <meta property=og:type content=article><meta name=author content="Ada Lane">
/// ... <meta property=article:published_time content=2024-05-02T08:00:00Z>
/// ... <nav><a href=/>Home</a> <a href=/sport>Sport</a></nav><h1>Rain ends the drought</h1>
/// ... <p>After eleven dry weeks it rained over the valley on Thursday, and the farmers came out of
/// ... their houses to watch it fall.<p>The reservoir above the town rose by a hand's breadth before
/// ... noon, the water board said, and the ban on watering gardens ends today.'''
/// >>> article = newslode.extract(page, "https://news.example.org/2024/05/02/rain-ends-the-drought")
/// >>> article.title, article.authors, article.published
/// ('Rain ends the drought', ['Ada Lane'], '2024-05-02T08:00:00Z')
/// >>> print(article.text.split(",")[0])
/// After eleven dry weeks it rained over the valley on Thursday
/// >>> newslode.extract("<title>Contact</title><p>Write to us.") is None
/// True
#[pyfunction]
#[pyo3(signature = (
    html, url=None, *, content_type=None, fetched_at=None, any_kind=false, focus="balanced", comments=false
))]
#[allow(clippy::needless_pass_by_value, clippy::too_many_arguments, reason = "arguments from Python")]
pub(crate) fn extract(
    py: Python<'_>,
    html: Html,
    url: Option<Address>,
    content_type: Option<String>,
    fetched_at: Option<&Bound<'_, PyAny>>,
    any_kind: bool,
    focus: &str,
    comments: bool,
) -> PyResult<Option<Article>> {
    let given = Given::new(html, url, content_type);
    let fetched_at = self::fetched_at(fetched_at)?;
    let reading = Reading { fetched_at, any_kind, focus: focus_named(focus)?, comments, site: None };
    Ok(guarded(py, || reading.read(&given))?.map(Article::new))
}

/// The kind of a page: `"home"` (the front page of a site), `"section"` (a list of articles), `"article"` or
/// `"other"`.
///
/// >>> import newslode
/// >>> newslode.kind("<title>The Herald</title>", "https://news.example.org/")
/// 'home'
#[pyfunction]
#[pyo3(signature = (html, url=None, *, content_type=None))]
#[allow(clippy::needless_pass_by_value, reason = "arguments come by value from Python")]
pub(crate) fn kind(
    py: Python<'_>,
    html: Html,
    url: Option<Address>,
    content_type: Option<String>,
) -> PyResult<String> {
    let given = Given::new(html, url, content_type);
    let now = fetched_at(None)?;
    let kind: PageKind = guarded(py, || newslode_page::article(&given.parse(), now).0)?;
    Ok(name(&kind))
}

/// An article: its fields, its text in blocks, and the evidence for each field.
///
/// The attributes have the names of Newslode's `articles.jsonl`. A field that the page does not give is `None` or
/// empty; nothing is guessed. Articles can be compared and pickled.
///
/// >>> import newslode
/// >>> article = newslode.Article.from_dict({"title": "Rain", "body": [{"kind": "paragraph", "text": "At last."}]})
/// >>> article
/// <Article 'Rain'>
/// >>> article.text, article.published
/// ('At last.', None)
#[pyclass(frozen, eq, module = "newslode", name = "Article")]
#[derive(Clone, PartialEq)]
pub(crate) struct Article {
    inner: Arc<found::Article>,
    comments: Option<Arc<[Comment]>>,
}

impl Article {
    pub(crate) fn new(found: Found) -> Article {
        Article { inner: Arc::new(found.article), comments: found.comments.map(Into::into) }
    }

    fn line(&self) -> CommentedArticle<'_> {
        CommentedArticle { article: &self.inner, comments: self.comments.as_deref() }
    }
}

#[pymethods]
impl Article {
    /// The canonical URL of the page; empty if none is known.
    #[getter]
    fn url(&self) -> &str {
        &self.inner.url
    }

    /// The registrable domain of the URL; empty if none is known.
    #[getter]
    fn site(&self) -> &str {
        &self.inner.site
    }

    /// The headline, without the site's name.
    #[getter]
    fn title(&self) -> Option<&str> {
        self.inner.title.as_deref()
    }

    /// The names of the authors, without "By".
    #[getter]
    fn authors(&self) -> Vec<String> {
        self.inner.authors.clone()
    }

    /// When it was published: an ISO 8601 date, or date and time, with the zone if the page gives one.
    #[getter]
    fn published(&self) -> Option<&str> {
        self.inner.published.as_deref()
    }

    /// When it was changed last, in the same form.
    #[getter]
    fn modified(&self) -> Option<&str> {
        self.inner.modified.as_deref()
    }

    /// `published` as a `datetime`: aware if the page gives a zone, naive if it gives only a time, and midnight (naive) if it
    /// gives only a day; `dates` tells these apart.
    ///
    /// >>> import newslode
    /// >>> article = newslode.Article.from_dict({"published": "2024-05-02T08:00:00+02:00", "modified": "2024-05-03"})
    /// >>> article.published_at.isoformat(), article.modified_at.isoformat()
    /// ('2024-05-02T08:00:00+02:00', '2024-05-03T00:00:00')
    #[getter]
    fn published_at<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDateTime>>> {
        self.inner.published.as_deref().map_or(Ok(None), |written| dates::datetime(py, written))
    }

    /// `modified` as a `datetime`, like `published_at`.
    #[getter]
    fn modified_at<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDateTime>>> {
        self.inner.modified.as_deref().map_or(Ok(None), |written| dates::datetime(py, written))
    }

    /// How exactly `published` and `modified` are known: for each that was found a dict with `has_time` and `has_zone`.
    #[getter]
    fn dates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.inner.dates)
    }

    /// The place that the metadata or the dateline names.
    #[getter]
    fn place(&self) -> Option<&str> {
        self.inner.place.as_deref()
    }

    /// The section that the page's metadata or breadcrumbs name.
    #[getter]
    fn section(&self) -> Option<&str> {
        self.inner.section.as_deref()
    }

    /// Labels of the concepts that the article is filed under. Empty unless a mined run wrote the article.
    #[getter]
    fn concepts(&self) -> Vec<String> {
        self.inner.concepts.clone()
    }

    /// The language of the text: an ISO 639-1 code, or three letters where there is none.
    #[getter]
    fn language(&self) -> Option<&str> {
        self.inner.language.as_deref()
    }

    /// The body in blocks, in page order.
    #[getter]
    fn body(&self) -> Vec<Block> {
        self.inner.body.iter().cloned().map(|inner| Block { inner }).collect()
    }

    /// The body as plain text, a block a line.
    #[getter]
    fn text(&self) -> String {
        self.inner.text()
    }

    /// Title, authors, date and body as Markdown.
    #[getter]
    fn markdown(&self) -> String {
        newslode_page::formats::markdown(&self.inner)
    }

    /// The article as a document: `"text"`, `"markdown"`, `"html"`, `"tei"` or `"json-ld"`, with the same bytes as
    /// `newslode extract --format`.
    ///
    /// Raises `ValueError` for another format.
    ///
    /// >>> import newslode
    /// >>> article = newslode.Article.from_dict({"title": "Rain", "body": [{"kind": "paragraph", "text": "It *rained*."}]})
    /// >>> article.document("markdown")
    /// '# Rain\n\nIt \\*rained\\*.\n'
    fn document(&self, format: &str) -> PyResult<String> {
        let known = newslode_page::formats::Format::named(format);
        let known = known.ok_or_else(|| {
            let names =
                newslode_page::formats::Format::ALL.map(newslode_page::formats::Format::name).join(", ");
            PyValueError::new_err(format!("`{format}` is not a format: it is one of {names}"))
        })?;
        Ok(known.write(&self.inner))
    }

    /// The page's summary of itself.
    #[getter]
    fn description(&self) -> Option<&str> {
        self.inner.description.as_deref()
    }

    /// Keywords and tags, as written.
    #[getter]
    fn keywords(&self) -> Vec<String> {
        self.inner.keywords.clone()
    }

    /// Who publishes the article.
    #[getter]
    fn publisher(&self) -> Option<&str> {
        self.inner.publisher.as_deref()
    }

    /// The licence: its address, else its name.
    #[getter]
    fn licence(&self) -> Option<&str> {
        self.inner.licence.as_deref()
    }

    /// Who may read it, as the page declares: `"free"`, `"metered"`, `"paid"`, or `None`.
    #[getter]
    fn access(&self) -> Option<&'static str> {
        self.inner.access.map(found::Access::name)
    }

    /// How much of the text was found: `"full"`, `"truncated"`, `"stub"` or `"from_feed"`.
    #[getter]
    fn completeness(&self) -> &'static str {
        self.inner.completeness.name()
    }

    /// The lead picture as a dict: `address`, `alternative`, `caption`, `credit`, `width`, `height`; `None` if there is none.
    #[getter]
    fn lead<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.inner.lead)
    }

    /// The trail from the front page to the article, as dicts with `name` and `address`.
    #[getter]
    fn breadcrumbs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.inner.breadcrumbs)
    }

    /// The authors that have pages of their own, as dicts with `name` and `address`.
    #[getter]
    fn author_pages<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.inner.author_pages)
    }

    /// The URL of the lead picture.
    #[getter]
    fn image(&self) -> Option<&str> {
        self.inner.image.as_deref()
    }

    /// The readers' comments in page order, as dicts with `author`, `date`, `text` and `parent` (the place in this list of the
    /// comment that it answers, or `None`); `None` unless `comments=True` asked for them. They are never part of the text.
    ///
    /// >>> import newslode
    /// >>> page = "<h1>Rain</h1><p>It rained.<ol><li class=comment><b class=fn>Bo</b><p>At last!</ol>"
    /// >>> newslode.extract(page, any_kind=True, comments=True).comments
    /// [{'author': 'Bo', 'date': None, 'text': 'At last!', 'parent': None}]
    #[getter]
    fn comments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.comments.as_deref())
    }

    /// The kind of the page: `"article"`, or another with `any_kind=True`.
    #[getter]
    fn kind(&self) -> String {
        name(&self.inner.kind)
    }

    /// How the body was found: `"runs"` (the text that is shown), `"json-ld"` or `"script"`.
    #[getter]
    fn method(&self) -> &str {
        &self.inner.method
    }

    /// For each field that was found: where, and how far to trust it.
    #[getter]
    fn evidence<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (field, evidence) in &self.inner.evidence {
            let (witness, confidence) = (evidence.witness.clone(), as_written(evidence.confidence));
            dict.set_item(field, Evidence { witness, confidence })?;
        }
        Ok(dict)
    }

    /// The article as a flat dictionary for a data frame: text, numbers and `datetime`s, no lists.
    ///
    /// `authors`, `keywords` and `concepts` are joined by `"; "`. `published` and `modified` are as in the article, whose dates
    /// differ in form; `published_at` and `modified_at` are all in UTC, where a date without a zone is taken for UTC and a bare
    /// day for its midnight. `published_precision` and `modified_precision` say which is which: `"zone"`, `"time"` or `"day"`.
    /// The last key is `text`.
    ///
    /// >>> import newslode
    /// >>> article = newslode.Article.from_dict({"title": "Rain", "authors": ["Ada Lane", "Bo Reyes"], "published": "2024-05-02"})
    /// >>> row = article.row()
    /// >>> row["authors"], str(row["published_at"]), row["published_precision"]
    /// ('Ada Lane; Bo Reyes', '2024-05-02 00:00:00+00:00', 'day')
    fn row<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        row::row(py, &self.inner)
    }

    /// The article as a dictionary, as it stands in `articles.jsonl`.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.line())
    }

    /// The article as JSON, a line of `articles.jsonl`.
    fn to_json(&self) -> PyResult<String> {
        json(&self.line())
    }

    /// The article of a line of `articles.jsonl`. Keys that are missing are empty; keys that are not known are
    /// ignored. Raises `FormatError` if it is not JSON of an article.
    #[classmethod]
    fn from_json(_class: &Bound<'_, PyType>, text: &str) -> PyResult<Article> {
        let Stored(found) = of_json(text)?;
        Ok(Article::new(found))
    }

    /// The article of a dictionary, the reverse of `to_dict`.
    #[classmethod]
    fn from_dict(class: &Bound<'_, PyType>, fields: &Bound<'_, PyDict>) -> PyResult<Article> {
        let json = class.py().import("json")?.call_method1("dumps", (fields,))?;
        Article::from_json(class, json.extract()?)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((slf.get_type().getattr("from_json")?, (slf.get().to_json()?,)))
    }

    fn __hash__(&self) -> isize {
        let named = (&self.inner.url, &self.inner.title, &self.inner.published);
        crate::value::hash(&named)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let title = self.inner.title.as_deref().into_pyobject(py)?.repr()?;
        let published = self.inner.published.as_deref().map(|date| format!(" {date}")).unwrap_or_default();
        Ok(format!("<Article {title}{published}>"))
    }
}

/// An article in which keys may be missing.
struct Stored(Found);

impl<'de> serde::Deserialize<'de> for Stored {
    fn deserialize<D: serde::Deserializer<'de>>(source: D) -> Result<Stored, D::Error> {
        use serde::de::Error;
        let mut given = serde_json::Map::deserialize(source)?;
        let comments = given.remove("comments").unwrap_or_default();
        let comments = serde_json::from_value(comments).map_err(D::Error::custom)?;
        let mut whole = serde_json::to_value(empty()).map_err(D::Error::custom)?;
        if let Some(whole) = whole.as_object_mut() {
            whole.extend(given);
        }
        let article = serde_json::from_value(whole).map_err(D::Error::custom)?;
        Ok(Stored(Found { article, comments }))
    }
}

fn empty() -> found::Article {
    found::Article { kind: PageKind::Article, ..found::Article::default() }
}

/// One block of an article's body.
///
/// >>> import newslode
/// >>> block = newslode.Article.from_dict({"body": [{"kind": "heading", "text": "Where it rained"}]}).body[0]
/// >>> block.kind, block.text
/// ('heading', 'Where it rained')
#[pyclass(frozen, eq, module = "newslode", name = "Block")]
#[derive(Clone, PartialEq)]
pub(crate) struct Block {
    inner: found::Block,
}

#[pymethods]
impl Block {
    /// `"paragraph"`, `"heading"`, `"list_item"`, `"quote"`, `"preformatted"`, `"table"`, `"picture"` or `"embed"`. Later
    /// versions may have other kinds.
    #[getter]
    fn kind(&self) -> String {
        name(&self.inner.kind)
    }

    /// The text, with white space collapsed; empty for pictures and embeds.
    #[getter]
    fn text(&self) -> &str {
        &self.inner.text
    }

    /// The level of a heading, or the depth of a list item or quotation, from 1.
    #[getter]
    fn level(&self) -> Option<u8> {
        self.inner.level
    }

    /// The number of an item in an ordered list.
    #[getter]
    fn number(&self) -> Option<i32> {
        self.inner.number
    }

    /// Whether it goes on with the list item or quotation of the block before it.
    #[getter]
    fn continues(&self) -> bool {
        self.inner.continues
    }

    /// Links and emphasis, as dicts with `kind`, `start`, `end`, and `address` and `rel` of a link. The ends count characters of
    /// `text`, so `block.text[mark["start"]:mark["end"]]` is what is marked.
    #[getter]
    fn marks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.inner.marks)
    }

    /// A table's `caption` and `rows` as a dict, or `None`.
    #[getter]
    fn table<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.inner.table)
    }

    /// A picture as a dict, like `Article.lead`, or `None`.
    #[getter]
    fn picture<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.inner.picture)
    }

    /// An embedded post, video, recording or chart as a dict with `kind`, `provider` and `address`, or `None`.
    #[getter]
    fn embed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.inner.embed)
    }

    fn __hash__(&self) -> isize {
        crate::value::hash(&self.inner.text)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<Block {} {}>", self.kind(), self.inner.text.as_str().into_pyobject(py)?.repr()?))
    }
}

/// Where a field's value comes from, and how far to trust it.
///
/// >>> import newslode
/// >>> page = "<title>Rain</title><meta name=author content='Ada Lane'><h1>Rain</h1><p>At last."
/// >>> evidence = newslode.extract(page, any_kind=True).evidence["authors"]
/// >>> evidence.witness, 0 < evidence.confidence <= 1
/// ('meta', True)
#[pyclass(frozen, eq, module = "newslode", name = "Evidence")]
#[derive(Clone, PartialEq)]
pub(crate) struct Evidence {
    /// Where the value was found: `"json-ld"`, `"opengraph"`, `"meta"`, `"byline"`, `"template v1"` …
    #[pyo3(get)]
    witness: String,
    /// How far to trust it, from 0 to 1: a fixed number for each way of finding, not a probability.
    #[pyo3(get)]
    confidence: f64,
}

#[pymethods]
impl Evidence {
    fn __hash__(&self) -> isize {
        crate::value::hash(&self.witness)
    }

    fn __repr__(&self) -> String {
        format!("<Evidence {} {}>", self.witness, self.confidence)
    }
}
