//! `extract_many`: pages read by several threads, their articles in the order of the pages.
//!
//! The caller's thread takes pages from the iterable and hands them to the workers; [`Articles`] gives back what is
//! ready, in order. So many pages are on their way at most that all threads have work ([`AHEAD`]), and so many bytes
//! ([`MOST_BYTES`]): memory is bounded however long the iterable is, and the iterable may be slow. Workers hold no
//! object of Python and never need the interpreter. With one thread there is no worker: the caller reads.
//!
//! A page that fails raises where its article would stand; the iterator can go on after it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyIterator, PyString, PyTuple};
use pyo3::{PyTraverseError, PyVisit};

use crate::article::{Article, Found, Reading, focus_named};
use crate::errors::{InternalError, message};
use crate::guard::{caught, guarded};
use crate::input::{Address, Given, Html, fetched_at};
use crate::response::Response;

/// Pages for each thread that may be on their way.
const AHEAD: usize = 8;
/// Bytes of pages that may be on their way; one page always may.
const MOST_BYTES: usize = 64 << 20;
/// Pages taken from the iterable at each step while there is room, so that workers never wait for the caller.
const STEP: usize = 2;
/// How long a wait lasts until the interpreter is asked whether somebody pressed Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(50);

type Outcome = Result<Option<Found>, String>;

/// Where a worker leaves the outcome of a page.
#[derive(Default)]
struct Slot {
    outcome: Mutex<Option<Outcome>>,
    is_filled: Condvar,
}

impl Slot {
    fn held(&self) -> MutexGuard<'_, Option<Outcome>> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_ready(&self) -> bool {
        self.held().is_some()
    }

    fn fill(&self, outcome: Outcome) {
        *self.held() = Some(outcome);
        self.is_filled.notify_one();
    }

    /// Takes the outcome if it is there in time.
    fn take(&self, patience: Duration) -> Option<Outcome> {
        let waited = self.is_filled.wait_timeout_while(self.held(), patience, |outcome| outcome.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).0.take()
    }
}

struct Job {
    given: Given,
    slot: Arc<Slot>,
}

/// The threads that read pages. They end when this is dropped.
struct Workers {
    jobs: Option<Sender<Job>>,
    is_over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    fn new(count: usize, reading: &Reading) -> PyResult<Workers> {
        let (jobs, queue) = channel::<Job>();
        let mut workers = Workers { jobs: Some(jobs), is_over: Arc::default(), threads: Vec::new() };
        let queue = Arc::new(Mutex::new(queue));
        for _ in 0..count {
            let (queue, reading, is_over) = (queue.clone(), reading.clone(), workers.is_over.clone());
            let thread = std::thread::Builder::new().name("newslode".into());
            workers.threads.push(thread.spawn(move || work(&queue, &reading, &is_over))?);
        }
        Ok(workers)
    }

    fn begin(&self, given: Given) -> Arc<Slot> {
        let slot = Arc::<Slot>::default();
        let job = Job { given, slot: slot.clone() };
        if self.jobs.as_ref().is_none_or(|jobs| jobs.send(job).is_err()) {
            slot.fill(Err("the threads that read pages are gone".into()));
        }
        slot
    }
}

fn work(queue: &Mutex<Receiver<Job>>, reading: &Reading, is_over: &AtomicBool) {
    loop {
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job { given, slot }) = job else { return };
        if is_over.load(Ordering::Relaxed) {
            return;
        }
        slot.fill(caught(|| reading.read(&given)));
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.jobs = None;
        for thread in self.threads.drain(..) {
            // A worker's panics are caught page by page.
            thread.join().ok();
        }
    }
}

/// A page whose article comes later.
enum Waiting {
    Read {
        slot: Arc<Slot>,
        bytes: usize,
    },
    Unread(Given),
    Failed(PyErr),
    /// The iterable itself failed, which is never skipped.
    Ended(PyErr),
}

/// The articles of many pages, in the order of the pages; see `extract_many`.
#[pyclass(module = "newslode", name = "Articles")]
pub(crate) struct Articles {
    /// `None` at the end of the pages.
    pages: Option<Py<PyIterator>>,
    reading: Reading,
    workers: Option<Workers>,
    most: usize,
    waiting: VecDeque<Waiting>,
    bytes: usize,
    skip_errors: bool,
}

impl Articles {
    pub(crate) fn new(
        pages: &Bound<'_, PyAny>,
        threads: Option<usize>,
        reading: Reading,
        skip_errors: bool,
    ) -> PyResult<Articles> {
        if pages.is_instance_of::<PyString>() || pages.is_instance_of::<PyBytes>() {
            return Err(PyTypeError::new_err("this is one page: pass a list of pages, or call extract"));
        }
        let threads = match threads {
            Some(0) => return Err(PyValueError::new_err("no thread cannot read a page")),
            Some(threads) => threads,
            None => std::thread::available_parallelism().map_or(1, usize::from),
        };
        let workers = if threads > 1 { Some(Workers::new(threads, &reading)?) } else { None };
        let most = if threads > 1 { threads * AHEAD } else { 1 };
        let pages = Some(pages.try_iter()?.unbind());
        Ok(Articles { pages, reading, workers, most, waiting: VecDeque::new(), bytes: 0, skip_errors })
    }

    /// Takes pages from the iterable while there is room, until the first one is read.
    fn fill(&mut self, py: Python<'_>) {
        let mut taken = 0;
        while self.waiting.len() < self.most && (self.bytes < MOST_BYTES || self.waiting.is_empty()) {
            if taken >= STEP && self.front_is_ready() {
                return;
            }
            let Some(pages) = &self.pages else { return };
            let Some(page) = pages.bind(py).clone().next() else {
                self.pages = None;
                return;
            };
            taken += 1;
            let waiting = match page {
                Ok(page) => match given(&page) {
                    Ok(given) => self.begin(given),
                    Err(error) => Waiting::Failed(error),
                },
                Err(error) => {
                    // An iterable that failed has no more pages.
                    self.pages = None;
                    Waiting::Ended(error)
                }
            };
            self.waiting.push_back(waiting);
        }
    }

    fn begin(&mut self, given: Given) -> Waiting {
        let Some(workers) = &self.workers else { return Waiting::Unread(given) };
        let bytes = given.len();
        self.bytes += bytes;
        Waiting::Read { slot: workers.begin(given.owned()), bytes }
    }

    fn front_is_ready(&self) -> bool {
        match self.waiting.front() {
            Some(Waiting::Read { slot, .. }) => slot.is_ready(),
            _ => true,
        }
    }

    fn outcome(&mut self, py: Python<'_>, waiting: Waiting) -> PyResult<Option<Found>> {
        match waiting {
            Waiting::Failed(error) | Waiting::Ended(error) => Err(error),
            Waiting::Unread(given) => guarded(py, || self.reading.read(&given)),
            Waiting::Read { slot, bytes } => {
                self.bytes -= bytes;
                loop {
                    if let Some(outcome) = py.detach(|| slot.take(PATIENCE)) {
                        return outcome.map_err(|told| InternalError::new_err(message(told)));
                    }
                    py.check_signals()?;
                }
            }
        }
    }
}

#[pymethods]
impl Articles {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Option<Article>>> {
        self.fill(py);
        let Some(waiting) = self.waiting.pop_front() else { return Ok(None) };
        let is_page = !matches!(waiting, Waiting::Ended(_));
        match self.outcome(py, waiting) {
            Ok(article) => Ok(Some(article.map(Article::new))),
            Err(error)
                if self.skip_errors
                    && is_page
                    && error.is_instance_of::<crate::errors::NewslodeError>(py) =>
            {
                Ok(Some(None))
            }
            Err(error) => Err(error),
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.pages)
    }

    fn __clear__(&mut self) {
        self.pages = None;
    }
}

impl Drop for Articles {
    fn drop(&mut self) {
        let workers = self.workers.take();
        if workers.is_some() {
            Python::attach(|py| py.detach(|| drop(workers)));
        }
    }
}

/// A page of the iterable: the HTML, or a pair of HTML and URL.
pub(crate) fn given(page: &Bound<'_, PyAny>) -> PyResult<Given> {
    if let Ok(pair) = page.cast::<PyTuple>() {
        let (html, url): (Html, Option<Address>) = pair.extract()?;
        return Ok(Given::new(html, url, None));
    }
    if page.is_instance_of::<PyString>()
        || page.is_instance_of::<PyBytes>()
        || page.is_instance_of::<PyByteArray>()
        || page.is_instance_of::<Response>()
    {
        return Ok(Given::new(page.extract()?, None, None));
    }
    let kind = page.get_type().name()?;
    Err(PyTypeError::new_err(format!("a page is its HTML or a tuple of HTML and URL, not {kind}")))
}

/// Reads the articles of many pages, on all cores or on so many `threads`.
///
/// `pages` is any iterable of pages: the HTML of each (`str` or `bytes`), or tuples of HTML and URL. Returns an
/// iterator over what `extract` would return, in the order of the pages. It takes pages only as it needs them, so
/// they need not fit into memory, and other threads of Python run meanwhile.
///
/// A page that fails (`InvalidUrl`, `InternalError`) raises in its place, after which the iterator can go on;
/// with `skip_errors=True` it gives `None`. For the other arguments see `extract`.
///
/// >>> import newslode
/// >>> page = "<title>{0}</title><meta property=og:type content=article><h1>{0}</h1><p>" + "It rained again. " * 20
/// >>> pages = ((page.format(name), f"https://news.example.org/{name}") for name in ["Rain", "Sun", "Snow"])
/// >>> [article.title for article in newslode.extract_many(pages, threads=2)]
/// ['Rain', 'Sun', 'Snow']
#[pyfunction]
#[pyo3(signature = (
    pages, threads=None, *, fetched_at=None, any_kind=false, focus="balanced", comments=false,
    skip_errors=false
))]
pub(crate) fn extract_many(
    pages: &Bound<'_, PyAny>,
    threads: Option<usize>,
    fetched_at: Option<&Bound<'_, PyAny>>,
    any_kind: bool,
    focus: &str,
    comments: bool,
    skip_errors: bool,
) -> PyResult<Articles> {
    let fetched_at = self::fetched_at(fetched_at)?;
    let reading = Reading { fetched_at, any_kind, focus: focus_named(focus)?, comments, site: None };
    Articles::new(pages, threads, reading, skip_errors)
}
