//! `Site`: what is known about a site, and reading its pages with that.
//!
//! Readers take the knowledge as it is at that moment ([`Site::known`]); whoever learns works on a copy and puts it in its
//! place, one after the other. Both locks are taken only while the interpreter's lock is released, so no thread waits
//! for one lock while it holds the other. How it is saved is in [`stored`].

mod stored;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use newslode_page::Page;
use newslode_page::SiteKnowledge;
use newslode_page::extract::Correction;
use newslode_page::template::MOST_COMPARED_PAGES;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::article::{Article, Reading, focus_named};
use crate::errors::{CorrectionError, message};
use crate::guard::guarded;
use crate::input::{Address, Given, Html, fetched_at};
use crate::many::{Articles, given};

/// What is known about one site: learnt from its pages, and from pages that somebody corrected.
///
/// One page does not tell what is the site's and what is the story's; its siblings do. Three pages of one layout are
/// enough for a template. One corrected page teaches about all pages of the site.
///
/// >>> import newslode
/// >>> letter = "Sign up for our letter and read every morning before breakfast what matters in the valley today."
/// >>> def page(name, *texts):
/// ...     texts = "".join(f"<p>{text}</p>" for text in texts)
/// ...     html = (f"<html lang=en><title>{name} - The Herald</title><meta property=og:type content=article>"
/// ...             f"<div class=main><h1>{name}</h1>{texts}<p class=note>{letter}</p></div>")
/// ...     return html, f"https://news.example.org/2024/05/02/{name}"
/// >>> pages = [
/// ...     page("rain", "After eleven dry weeks it rained on Thursday, and the farmers came out to watch it fall.",
/// ...          "The reservoir above the town rose by a hand's breadth before noon, the water board said."),
/// ...     page("fair", "The book fair opens on Sunday with readings in nine languages, as it did last year.",
/// ...          "Tickets are sold at the old station, and children under twelve do not have to pay."),
/// ...     page("tram", "The tram will run to the lake from autumn on, the council decided after a long debate.",
/// ...          "Nine members were for it and eight against, who would have liked a bus much better."),
/// ... ]
/// >>> letter in newslode.extract(*pages[0]).text
/// True
/// >>> site = newslode.Site()
/// >>> site.learn(pages)
/// 1
/// >>> letter in site.extract(*pages[0]).text
/// False
/// >>> site.extract(*pages[0]).evidence["body"].witness
/// 'template v1'
#[pyclass(frozen, module = "newslode", name = "Site")]
#[derive(Default)]
pub(crate) struct Site {
    known: RwLock<Arc<SiteKnowledge>>,
    learning: Mutex<()>,
}

impl Site {
    fn of(known: SiteKnowledge) -> Site {
        Site { known: RwLock::new(Arc::new(known)), ..Site::default() }
    }

    /// What is known now.
    fn known(&self, py: Python<'_>) -> Arc<SiteKnowledge> {
        py.detach(|| self.now())
    }

    fn now(&self) -> Arc<SiteKnowledge> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes what is known, unless `change` fails.
    fn change<T: Send, E: Send>(
        &self,
        py: Python<'_>,
        change: impl FnOnce(&mut SiteKnowledge) -> Result<T, E> + Send,
    ) -> PyResult<Result<T, E>> {
        guarded(py, || {
            let _alone = self.learning.lock().unwrap_or_else(PoisonError::into_inner);
            let mut known = (*self.now()).clone();
            let changed = change(&mut known);
            if changed.is_ok() {
                *self.known.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(known);
            }
            changed
        })
    }
}

#[pymethods]
impl Site {
    #[new]
    fn new() -> Site {
        Site::default()
    }

    /// Learns from pages of the site: what they repeat, and the templates of their layouts. Returns the number of
    /// templates. `pages` are tuples of HTML and URL; some 5 to 50 of all layouts are best, and of more an even
    /// sample is taken. Pages that were learnt from or seen before are forgotten, corrected ones are not.
    fn learn(&self, py: Python<'_>, pages: &Bound<'_, PyAny>) -> PyResult<usize> {
        let pages: Vec<Given> = pages.try_iter()?.map(|page| with_url(&page?)).collect::<PyResult<_>>()?;
        let learnt = self.change(py, |known| {
            let step = pages.len().div_ceil(MOST_COMPARED_PAGES).max(1);
            let pages: Vec<Page> = pages.iter().step_by(step).map(Given::parse).collect();
            known.learn(&pages.iter().collect::<Vec<_>>());
            Ok::<_, std::convert::Infallible>(known.templates().len())
        })?;
        let Ok(count) = learnt;
        Ok(count)
    }

    /// Keeps one more page of the site for comparison, without learning templates. The latest 24 are kept.
    #[pyo3(signature = (html, url, *, content_type=None))]
    fn see(&self, py: Python<'_>, html: Html, url: Address, content_type: Option<String>) -> PyResult<()> {
        let given = Given::new(html, Some(url), content_type);
        let seen = self.change(py, |known| {
            known.see(&given.parse());
            Ok::<_, std::convert::Infallible>(())
        })?;
        let Ok(()) = seen;
        Ok(())
    }

    /// Learns from your correction of a page; what is left out stays as it was read. `body` is the right text,
    /// `drop` are texts that are not body on any page of the site.
    ///
    /// Raises `CorrectionError`, and learns nothing, if the page does not show what you say, or you say nothing.
    ///
    /// >>> import newslode
    /// >>> site = newslode.Site()
    /// >>> site.correct("<h1>Rain</h1><p>At last it rained.", "https://news.example.org/rain", title="Snow")
    /// Traceback (most recent call last):
    ///     ...
    /// newslode.CorrectionError: the page does not show the title `Snow`
    #[pyo3(signature = (html, url, *, title=None, authors=None, published=None, body=None, drop=None,
        content_type=None, fetched_at=None))]
    #[allow(clippy::too_many_arguments, reason = "all but two are named, and all but two may be left out")]
    fn correct(
        &self,
        py: Python<'_>,
        html: Html,
        url: Address,
        title: Option<String>,
        authors: Option<Vec<String>>,
        published: Option<String>,
        body: Option<String>,
        drop: Option<Vec<String>>,
        content_type: Option<String>,
        fetched_at: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let given = Given::new(html, Some(url), content_type);
        let (authors, drop) = (authors.unwrap_or_default(), drop.unwrap_or_default());
        let right = Correction { body, drop, title, authors, published };
        let fetched_at = self::fetched_at(fetched_at)?;
        self.change(py, |known| known.teach(&given.parse(), fetched_at, &right).map(|_| ()))?
            .map_err(|error| CorrectionError::new_err(message(error)))
    }

    /// Forgets the correction of one page, or all corrections. Returns how many there were.
    #[pyo3(signature = (url=None))]
    fn forget(&self, py: Python<'_>, url: Option<&str>) -> PyResult<usize> {
        let forgotten = self.change(py, |known| Ok::<_, std::convert::Infallible>(known.forget(url)))?;
        let Ok(count) = forgotten;
        Ok(count)
    }

    /// Reads the article of a page as `newslode.extract` does, with what is known about its site.
    #[pyo3(signature = (
        html, url=None, *, content_type=None, fetched_at=None, any_kind=false, focus="balanced", comments=false
    ))]
    #[allow(clippy::needless_pass_by_value, clippy::too_many_arguments, reason = "arguments from Python")]
    fn extract(
        &self,
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
        let (site, fetched_at) = (Some(self.known(py)), self::fetched_at(fetched_at)?);
        let reading = Reading { fetched_at, any_kind, focus: focus_named(focus)?, comments, site };
        Ok(guarded(py, || reading.read(&given))?.map(Article::new))
    }

    /// Reads the articles of many pages as `newslode.extract_many` does, with what is known about their site now.
    #[pyo3(signature = (
        pages, threads=None, *, fetched_at=None, any_kind=false, focus="balanced", comments=false,
        skip_errors=false
    ))]
    #[allow(clippy::needless_pass_by_value, clippy::too_many_arguments, reason = "arguments from Python")]
    fn extract_many(
        &self,
        py: Python<'_>,
        pages: &Bound<'_, PyAny>,
        threads: Option<usize>,
        fetched_at: Option<&Bound<'_, PyAny>>,
        any_kind: bool,
        focus: &str,
        comments: bool,
        skip_errors: bool,
    ) -> PyResult<Articles> {
        let (site, fetched_at) = (Some(self.known(py)), self::fetched_at(fetched_at)?);
        let reading = Reading { fetched_at, any_kind, focus: focus_named(focus)?, comments, site };
        Articles::new(pages, threads, reading, skip_errors)
    }

    /// The number of templates that were learnt.
    #[getter]
    fn templates(&self, py: Python<'_>) -> usize {
        self.known(py).templates().len()
    }

    /// The URLs of the corrected pages, oldest first.
    #[getter]
    fn corrected(&self, py: Python<'_>) -> Vec<String> {
        self.known(py).lessons().iter().map(|lesson| lesson.url.clone()).collect()
    }

    /// The URLs of the pages that others are compared with, oldest first.
    #[getter]
    fn seen(&self, py: Python<'_>) -> Vec<String> {
        self.known(py).seen().map(str::to_owned).collect()
    }

    /// Saves what is known to a file, for `load`. A file that is there is replaced at once or not at all.
    ///
    /// >>> import newslode, pathlib, tempfile
    /// >>> file = pathlib.Path(tempfile.mkdtemp(), "example.org.site")
    /// >>> newslode.Site().save(file)
    /// >>> newslode.Site.load(file)
    /// <Site: 0 templates, 0 pages corrected, 0 seen>
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let known = self.known(py);
        let bytes = guarded(py, || stored::pack(&known))??;
        Ok(py.detach(|| stored::write(&path, &bytes))?)
    }

    /// The site of a file that `save` wrote. Raises `FormatError` if the file is damaged or of a newer version.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Site> {
        let bytes = py.detach(|| std::fs::read(path))?;
        Ok(Site::of(guarded(py, || stored::unpack(&bytes))??))
    }

    /// What `save` writes to a file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let known = self.known(py);
        Ok(PyBytes::new(py, &guarded(py, || stored::pack(&known))??))
    }

    /// The reverse of `to_bytes`.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Site> {
        Ok(Site::of(guarded(py, || stored::unpack(data))??))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((slf.get_type().getattr("from_bytes")?, (slf.get().to_bytes(slf.py())?,)))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let known = self.known(py);
        let (templates, corrected) = (known.templates().len(), known.lessons().len());
        format!("<Site: {templates} templates, {corrected} pages corrected, {} seen>", known.seen().count())
    }
}

/// A page with an address, by which it is known.
fn with_url(page: &Bound<'_, PyAny>) -> PyResult<Given> {
    let given = given(page)?;
    if given.has_url() {
        return Ok(given);
    }
    Err(PyTypeError::new_err("a page to learn from is a tuple of HTML and URL"))
}
