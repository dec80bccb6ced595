//! Keeps what was sent and what was answered as web archives, beside the crawl (`archive.warc`).
//!
//! It wraps the network: the body of an answer is copied as it is read, and written once it ends. So nothing is requested
//! twice, and limits hold as without it. An answer that brings the bytes of the last one of its address, and a
//! 304, become revisit records. The document that a browser makes of an answer follows it as a conversion record. A file that
//! ends gets its index beside it. A failure of the disk is logged, and does not stop the crawl. Start at [`Recorder::open`].
//!
//! Invariant: records stand in the order in which the bodies ended, so that a revisit follows what it repeats.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::BufWriter;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use anyhow::Context as _;
use async_trait::async_trait;
use bytes::Bytes;
use futures::Stream;
use newslode_common::schedule::name;
use newslode_common::time::{Clock, iso};
use newslode_common::warc::http::Answer;
use newslode_common::warc::{NewRecord, Packing, RecordType, Writer, digest};
use newslode_page::Page;
use newslode_page::reading::canonical;
use newslode_page::time::Timestamp;
use reqwest::Body;
use reqwest::header::{self, HeaderValue};
use url::Url;

use crate::directives::Directives;
use crate::error::FetchError;
use crate::render::CONTENT_TYPE;
use crate::site_requests::MASK;
use crate::web::{HeaderMap, Response, Web};

/// A file is ended when it has this many bytes of blocks.
const FILE_BYTES: u64 = 1 << 30;
/// Longer bodies are cut, and their records say so.
const MOST_BODY: usize = 64 << 20;
/// Addresses whose last answer is remembered.
const MOST_KNOWN: usize = 200_000;

const SAME_BYTES: &str = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";
const NOT_MODIFIED: &str = "http://netpreserve.org/warc/1.1/revisit/server-not-modified";

/// A network whose exchanges are written to web archives.
pub struct Recorder {
    inner: Arc<dyn Web>,
    clock: Clock,
    agent: String,
    writer: Arc<OrderedWriter>,
}

impl Recorder {
    /// Keeps the answers of a network in files of this folder, which is made if it is missing.
    ///
    /// # Errors
    /// When nothing can be written there.
    /// Pages that ask the crawler of the name in `hides` for no copy are left out.
    pub fn open(
        inner: Arc<dyn Web>,
        folder: &Path,
        agent: &str,
        hides: Option<String>,
        clock: Clock,
    ) -> anyhow::Result<Recorder> {
        let mut files = WarcFiles::new(folder, agent);
        let unusable = || format!("`archive.warc`: cannot write to `{}`", folder.display());
        std::fs::create_dir_all(folder).with_context(unusable)?;
        files.begin_file(clock.now()).with_context(unusable)?;
        let writer = OrderedWriter { waiting: Mutex::default(), files: Mutex::new(files), hides };
        Ok(Recorder { inner, clock, agent: agent.to_owned(), writer: Arc::new(writer) })
    }
}

#[async_trait]
impl Web for Recorder {
    async fn send(&self, url: &Url, headers: HeaderMap) -> Result<Response, FetchError> {
        let (request, is_own) = self.request_head(url, &headers);
        let at = self.clock.now();
        let response = self.inner.send(url, headers).await?;
        let (parts, body) = http::Response::<Body>::from(response).into_parts();
        let exchange = Exchange {
            url: url.clone(),
            at,
            request,
            status: parts.status.as_u16(),
            head: response_head(&parts, is_own),
            body: Vec::new(),
            is_cut: false,
            is_rendered: self.inner.renders(url),
        };
        let recorded = RecordedBody { body, exchange: Some(exchange), writer: Arc::clone(&self.writer) };
        Ok(http::Response::from_parts(parts, Body::wrap_stream(recorded)).into())
    }

    fn renders(&self, url: &Url) -> bool {
        self.inner.renders(url)
    }

    fn is_foreign_account(&self, page: &Url, part: &Url) -> bool {
        self.inner.is_foreign_account(page, part)
    }

    fn note_rendered(&self, url: &Url, document: &Bytes) {
        let conversion = Conversion { url: url.clone(), at: self.clock.now(), document: document.clone() };
        OrderedWriter::add(&self.writer, Waiting::Conversion(conversion));
    }

    fn note_broken(&self, url: &Url, error: &reqwest::Error) {
        self.inner.note_broken(url, error);
    }

    fn add_site_headers(&self, url: &Url, headers: &mut HeaderMap) {
        self.inner.add_site_headers(url, headers);
    }

    async fn address(&self, url: &Url) -> Option<IpAddr> {
        self.inner.address(url).await
    }
}

impl Recorder {
    /// The head of a request as it is sent, but for what gives access to its site, and whether there was any of that.
    fn request_head(&self, url: &Url, headers: &HeaderMap) -> (String, bool) {
        let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
        let host = &url[url::Position::BeforeHost..url::Position::AfterPort];
        let mut sent = HeaderMap::from_iter(
            HeaderValue::from_str(&self.agent).ok().map(|agent| (header::USER_AGENT, agent)),
        );
        sent.extend(headers.clone());
        self.inner.add_site_headers(url, &mut sent);
        let mut is_own = false;
        for value in sent.values_mut().filter(|value| value.is_sensitive()) {
            *value = HeaderValue::from_static(MASK);
            is_own = true;
        }
        let mut head = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n");
        push_headers(&mut head, &sent);
        (head, is_own)
    }
}

/// `is_own`: the request gave access to its site, and so may the cookies of the answer.
fn response_head(parts: &http::response::Parts, is_own: bool) -> String {
    let reason = parts.status.canonical_reason().unwrap_or_default();
    let mut head = format!("HTTP/1.1 {} {reason}\r\n", parts.status.as_u16());
    let mut headers = parts.headers.clone();
    // One line takes the place of all.
    if is_own && headers.contains_key(header::SET_COOKIE) {
        headers.insert(header::SET_COOKIE, HeaderValue::from_static(MASK));
    }
    push_headers(&mut head, &headers);
    head
}

/// Writes headers, and the empty line behind them. What told of a transfer coding that is undone is left out.
fn push_headers(head: &mut String, headers: &HeaderMap) {
    for (name, value) in headers {
        if !matches!(name.as_str(), "transfer-encoding" | "content-length") {
            let name = if *name == header::USER_AGENT { "User-Agent" } else { name.as_str() };
            let value = String::from_utf8_lossy(value.as_bytes());
            head.extend([name, ": ", &value, "\r\n"]);
        }
    }
    head.push_str("\r\n");
}

/// A request and its answer.
struct Exchange {
    url: Url,
    at: Timestamp,
    request: String,
    status: u16,
    head: String,
    body: Vec<u8>,
    is_cut: bool,
    /// Whether a document that a browser makes of it may follow.
    is_rendered: bool,
}

/// The document that a browser made of the last answer of a URL.
struct Conversion {
    url: Url,
    at: Timestamp,
    document: Bytes,
}

impl Conversion {
    /// Whether the document asks for no copy: scripts may set the element that asks.
    fn asks_for_no_copy(&self, token: &str) -> bool {
        elements_ask_for_no_copy(&self.url, self.at, Some(CONTENT_TYPE), &self.document, token)
    }
}

/// Something that a task will write.
enum Waiting {
    Exchange(Exchange),
    Conversion(Conversion),
}

impl Exchange {
    /// Whether the page asks for no copy, in its header or its elements.
    fn asks_for_no_copy(&self, token: &str) -> bool {
        // Nearly all pages end here. The codings of a body are undone only for a page that may ask.
        let head = self.head.as_bytes();
        let is_packed = self.head.to_ascii_lowercase().contains("\r\ncontent-encoding:");
        if !has_word(head) && !is_packed && !has_word(&self.body) {
            return false;
        }
        let values = self.head.lines().filter_map(|line| line.split_once(':'));
        let tags = values.filter(|(name, _)| name.eq_ignore_ascii_case("x-robots-tag"));
        if Directives::of_headers(tags.map(|(_, value)| value.trim()), token, self.at).noarchive {
            return true;
        }
        let block = [head, &self.body].concat();
        let Some(answer) = Answer::parse(&block) else { return false };
        let Ok(body) = answer.body(&block, MOST_BODY) else { return false };
        elements_ask_for_no_copy(&self.url, self.at, answer.content_type(), &body, token)
    }
}

/// Whether bytes hold the word without which nothing asks for no copy.
fn has_word(bytes: &[u8]) -> bool {
    let word = b"noarchive";
    bytes.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word))
}

/// Whether the elements of a page ask for no copy.
fn elements_ask_for_no_copy(
    url: &Url,
    at: Timestamp,
    content_type: Option<&str>,
    body: &[u8],
    token: &str,
) -> bool {
    let Some(url) = canonical(url).filter(|_| has_word(body)) else { return false };
    let page = Page::parse(&url, content_type, body);
    Directives::of_page(&page, token, at).noarchive
}

/// A body that is copied as it is read.
struct RecordedBody {
    body: Body,
    exchange: Option<Exchange>,
    writer: Arc<OrderedWriter>,
}

impl Stream for RecordedBody {
    type Item = reqwest::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            let frame = std::task::ready!(http_body::Body::poll_frame(Pin::new(&mut self.body), context));
            match frame {
                Some(Ok(frame)) => {
                    let Ok(chunk) = frame.into_data() else { continue };
                    if let Some(exchange) = &mut self.exchange {
                        let room = MOST_BODY.saturating_sub(exchange.body.len());
                        exchange.is_cut |= chunk.len() > room;
                        exchange.body.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
                    }
                    return Poll::Ready(Some(Ok(chunk)));
                }
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => {
                    self.write_exchange(false);
                    return Poll::Ready(None);
                }
            }
        }
    }
}

impl RecordedBody {
    /// Writes the exchange, off the reactor.
    fn write_exchange(&mut self, is_cut: bool) {
        let Some(mut exchange) = self.exchange.take() else { return };
        // Only the body of a success is read. Other answers often have none.
        exchange.is_cut |= is_cut && (200..300).contains(&exchange.status);
        OrderedWriter::add(&self.writer, Waiting::Exchange(exchange));
    }
}

impl Drop for RecordedBody {
    /// An answer that nobody read to its end.
    fn drop(&mut self) {
        self.write_exchange(true);
    }
}

/// Writes one thing after the other, whichever thread comes first.
struct OrderedWriter {
    /// Exchanges whose bodies have ended, and documents that a browser made. For each of them a task runs that writes one.
    waiting: Mutex<VecDeque<Waiting>>,
    files: Mutex<WarcFiles>,
    /// The crawler's name, if pages are left out that ask it for no copy.
    hides: Option<String>,
}

impl OrderedWriter {
    /// Queues something, and starts a blocking task that writes one of the queued.
    fn add(writer: &Arc<OrderedWriter>, new: Waiting) {
        writer.waiting.lock().unwrap_or_else(PoisonError::into_inner).push_back(new);
        let writer = Arc::clone(writer);
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(move || writer.write_next())),
            Err(_) => writer.write_next(),
        }
    }

    /// Writes what has waited longest.
    fn write_next(&self) {
        // The files are locked first: who holds them takes the next exchange.
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let next = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let (url, is_hidden, written) = match &next {
            None => return,
            Some(Waiting::Exchange(exchange)) => {
                let is_hidden = self.hides.as_ref().is_some_and(|token| exchange.asks_for_no_copy(token));
                (&exchange.url, is_hidden, (!is_hidden).then(|| files.write(exchange)))
            }
            Some(Waiting::Conversion(conversion)) => {
                let is_hidden = self.hides.as_ref().is_some_and(|token| conversion.asks_for_no_copy(token));
                (&conversion.url, is_hidden, (!is_hidden).then(|| files.write_conversion(conversion)))
            }
        };
        if is_hidden {
            tracing::debug!(%url, "the page asks for no copy; it is not written to the web archive");
        } else if let Some(Err(error)) = written {
            tracing::warn!(%url, %error, "an answer is missing from the web archive");
        }
    }
}

/// The files of one crawler.
struct WarcFiles {
    folder: PathBuf,
    agent: String,
    current: Option<OpenFile>,
    /// Files so far.
    count: u32,
    /// The payload digest of the last answer of an address, and its time.
    last_payloads: HashMap<u64, (String, Timestamp)>,
    /// The record of the last answer of an address whose document is made by a browser.
    last_rendered: HashMap<u64, String>,
}

/// The file that is being written: until it ends it is called `….open`.
struct OpenFile {
    writer: Writer<BufWriter<File>>,
    path: PathBuf,
    bytes: u64,
}

impl WarcFiles {
    fn new(folder: &Path, agent: &str) -> WarcFiles {
        WarcFiles {
            folder: folder.to_owned(),
            agent: agent.to_owned(),
            current: None,
            count: 0,
            last_payloads: HashMap::new(),
            last_rendered: HashMap::new(),
        }
    }

    /// Begins a file with a record that says who writes it.
    fn begin_file(&mut self, now: Timestamp) -> std::io::Result<()> {
        let digits: String = iso(now).chars().filter(char::is_ascii_digit).take(14).collect();
        let path =
            self.folder.join(format!("newslode-{digits}-{}-{:05}.warc.gz", std::process::id(), self.count));
        self.count += 1;
        let open = File::create(open_name(&path))?;
        let mut writer = Writer::indexed(BufWriter::new(open), Packing::Gzip, &path);
        let info = format!(
            "software: newslode/{}\r\nformat: WARC File Format 1.1\r\n\
             conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n\
             http-header-user-agent: {}\r\ndescription: Bodies stand as they are after transfer and content encodings \
             were undone; the fields of these encodings are left out of the heads.\r\n",
            env!("CARGO_PKG_VERSION"),
            self.agent
        );
        writer.write(&NewRecord {
            kind: RecordType::Warcinfo,
            date: now,
            target: None,
            content_type: "application/warc-fields",
            fields: &[],
            block: info.as_bytes(),
            payload_at: None,
        })?;
        self.current = Some(OpenFile { writer, path, bytes: 0 });
        Ok(())
    }

    fn write(&mut self, exchange: &Exchange) -> std::io::Result<()> {
        if self.current.is_none() {
            self.begin_file(exchange.at)?;
        }
        let payload = digest(&exchange.body);
        let before = self.revisited(exchange, payload);
        let Some(current) = &mut self.current else { return Ok(()) };
        let block = match before {
            None => [exchange.head.as_bytes(), &exchange.body].concat(),
            Some(_) => exchange.head.clone().into_bytes(),
        };
        let original = before.as_ref().and_then(|(_, original)| original.clone());
        let (payload, date) = original.map(|(payload, at)| (payload, iso(at))).unzip();
        let fields: Vec<(&str, &str)> = [
            before.as_ref().map(|(profile, _)| ("WARC-Profile", *profile)),
            before.as_ref().map(|_| ("WARC-Refers-To-Target-URI", exchange.url.as_str())),
            date.as_deref().map(|date| ("WARC-Refers-To-Date", date)),
            payload.as_deref().map(|payload| ("WARC-Payload-Digest", payload)),
            exchange.is_cut.then_some(("WARC-Truncated", "unspecified")),
        ]
        .into_iter()
        .flatten()
        .collect();
        let answer = current.writer.write(&NewRecord {
            kind: if before.is_some() { RecordType::Revisit } else { RecordType::Response },
            date: exchange.at,
            target: Some(exchange.url.as_str()),
            content_type: "application/http; msgtype=response",
            fields: &fields,
            block: &block,
            payload_at: before.is_none().then_some(exchange.head.len()),
        })?;
        current.writer.write(&NewRecord {
            kind: RecordType::Request,
            date: exchange.at,
            target: Some(exchange.url.as_str()),
            content_type: "application/http; msgtype=request",
            fields: &[("WARC-Concurrent-To", &answer)],
            block: exchange.request.as_bytes(),
            payload_at: None,
        })?;
        current.bytes += (block.len() + exchange.request.len()) as u64;
        let is_full = current.bytes >= FILE_BYTES;
        if exchange.is_rendered {
            if self.last_rendered.len() >= MOST_KNOWN {
                self.last_rendered.clear();
            }
            self.last_rendered.insert(name(exchange.url.as_str()), answer);
        }
        if is_full { self.end_file() } else { Ok(()) }
    }

    /// Writes what a browser made of an answer. If the answer was left out, so is this.
    fn write_conversion(&mut self, conversion: &Conversion) -> std::io::Result<()> {
        let Some(answer) = self.last_rendered.remove(&name(conversion.url.as_str())) else { return Ok(()) };
        if self.current.is_none() {
            self.begin_file(conversion.at)?;
        }
        let Some(current) = &mut self.current else { return Ok(()) };
        current.writer.write(&NewRecord {
            kind: RecordType::Conversion,
            date: conversion.at,
            target: Some(conversion.url.as_str()),
            content_type: CONTENT_TYPE,
            fields: &[("WARC-Refers-To", &answer)],
            block: &conversion.document,
            payload_at: None,
        })?;
        current.bytes += conversion.document.len() as u64;
        if current.bytes >= FILE_BYTES { self.end_file() } else { Ok(()) }
    }

    /// The profile of a revisit, and the payload digest and the time of what it repeats if that is known. `None`: the answer
    /// is new.
    fn revisited(
        &mut self,
        exchange: &Exchange,
        payload: String,
    ) -> Option<(&'static str, Option<(String, Timestamp)>)> {
        let key = name(exchange.url.as_str());
        let before = self.last_payloads.get(&key);
        if exchange.status == 304 {
            return Some((NOT_MODIFIED, before.cloned()));
        }
        if exchange.status != 200 || exchange.is_cut || exchange.body.is_empty() {
            return None;
        }
        if let Some(before) = before.filter(|(before, _)| *before == payload) {
            return Some((SAME_BYTES, Some(before.clone())));
        }
        if self.last_payloads.len() >= MOST_KNOWN {
            self.last_payloads.clear();
        }
        self.last_payloads.insert(key, (payload, exchange.at));
        None
    }

    /// Ends the file and writes its index. If the index cannot be written, the file stays.
    fn end_file(&mut self) -> std::io::Result<()> {
        let Some(OpenFile { writer, path, .. }) = self.current.take() else { return Ok(()) };
        let (_, index) = writer.finish_with_index()?;
        if let Some(Err(error)) = index.map(|index| index.write_beside(&path)) {
            let file = path.display();
            tracing::warn!(%file, %error, "a web archive has no index; `newslode warc index` can write it");
        }
        std::fs::rename(open_name(&path), path)
    }
}

impl Drop for WarcFiles {
    fn drop(&mut self) {
        if let Err(error) = self.end_file() {
            tracing::warn!(%error, "the last web archive could not be ended");
        }
    }
}

fn open_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".open");
    name.into()
}
