//! One page in a browser of its own: from its bytes to the document that its scripts make of it.
//!
//! The browser has no network. Its context has a proxy that refuses every connection ([`refuse`]), and each request is
//! stopped before it is sent: the page itself is answered with bytes that the crawler has, and its parts by [`Parts`], which
//! asks for them with the crawler's own request. What is not stopped (WebSockets, workers, windows) ends at the proxy.
//!
//! Invariant: the context ends with its connection, whatever ends that: the browser disposes of it on its own. Start at
//! [`load`].

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;
use url::Url;

use super::devtools::{Browser, Devtools, DevtoolsError, Said};

/// Wait for the end of a context.
const FAREWELL: Duration = Duration::from_secs(3);
/// Longest that a refused connection is read.
const REFUSAL: Duration = Duration::from_secs(2);
/// Refused connections that are open at once.
const MOST_REFUSALS: usize = 20;
/// After this many requests, whether they are answered or not, a page is taken as it is.
const MOST_ASKED: usize = 5_000;
/// Runs before any script in every frame. It takes away what goes past the proxy, and what opens windows.
pub(super) const BEFORE_SCRIPTS: &str = "
    const fix = (name, value) => { try { delete globalThis[name]; Object.defineProperty(globalThis, name, { value }); } catch {} };
    for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport', 'SharedWorker']) fix(name, undefined);
    fix('open', () => null);";

/// What is loaded.
pub(super) struct Given<'g> {
    /// Its address.
    pub(super) url: &'g Url,
    /// Its `Content-Type`.
    pub(super) content_type: &'g str,
    /// Its bytes.
    pub(super) body: &'g [u8],
    /// What runs before its scripts: [`BEFORE_SCRIPTS`].
    pub(super) before: &'g str,
}

/// How much a page may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// After this the document is taken as it is.
    pub(super) enough: Duration,
    /// After this the page hangs.
    pub(super) longest: Duration,
    /// No request for this long means that the page may be complete.
    pub(super) quiet: Duration,
    /// Longest wait for a document that changes without requests.
    pub(super) settles: Duration,
    /// Maximum size of the document, in UTF-16 units.
    pub(super) document: usize,
}

/// A request of a page for one of its parts.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) url: Url,
    pub(super) method: String,
    /// `Script`, `XHR`, and so on, as DevTools calls it.
    pub(super) kind: String,
    pub(super) headers: Vec<(String, String)>,
}

/// What a part is answered with.
#[derive(Clone, Debug, Default)]
pub(super) struct PartAnswer {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Bytes,
}

/// Answers the requests of a page for its parts.
#[async_trait]
pub(super) trait Parts: Send + Sync {
    /// The answer; `None`: the request is refused.
    async fn answer(&self, part: Part) -> Option<PartAnswer>;
}

/// What became of a page.
#[derive(Debug)]
pub(super) struct Loaded {
    /// The doctype and the outer HTML of the document.
    pub(super) html: String,
    /// Connections that the browser tried to open by itself, and that were refused: the first line of each.
    pub(super) refused: Vec<String>,
}

/// Why a page has no document.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PageError {
    /// The browser failed.
    #[error(transparent)]
    Browser(#[from] DevtoolsError),
    /// Its scripts do not end, or what they do takes too long.
    #[error("its scripts did not come to an end within {0:?}")]
    Hangs(Duration),
    /// It brought the part of the browser down that showed it.
    #[error("it crashed in the browser")]
    Crashed,
    /// The document is too large.
    #[error("its document has {0} characters; raise `crawler.max_page_bytes` to take such pages")]
    TooLarge(u64),
    /// The document is another page's, or none.
    #[error("the browser shows no document of this page")]
    NoDocument,
}

/// A tab in a context of its own.
struct Tab {
    devtools: Devtools,
    context: String,
    target: String,
    session: String,
    frame: String,
}

impl Tab {
    /// Opens a context whose requests all stop, and whose connections all go to `proxy`.
    async fn open(
        browser: &Browser,
        endpoint: &str,
        proxy: SocketAddr,
        before: &str,
        limits: Limits,
    ) -> Result<Tab, DevtoolsError> {
        // In JSON a character takes six bytes at most.
        let mut devtools = browser.open(endpoint, limits.document * 6 + (16 << 20)).await?;
        let made = devtools
            .call(
                "",
                "Target.createBrowserContext",
                json!({
                    "disposeOnDetach": true,
                    "proxyServer": format!("http://{proxy}"),
                    "proxyBypassList": "<-loopback>",
                }),
            )
            .await?;
        let context = text(&made, "browserContextId");
        let deny = json!({ "behavior": "deny", "browserContextId": context });
        devtools.call("", "Browser.setDownloadBehavior", deny).await?;
        devtools.call("", "Target.setDiscoverTargets", json!({ "discover": true })).await?;
        let blank = json!({ "url": "about:blank", "browserContextId": context });
        let target = text(&devtools.call("", "Target.createTarget", blank).await?, "targetId");
        let attach = json!({ "targetId": target, "flatten": true });
        let session = text(&devtools.call("", "Target.attachToTarget", attach).await?, "sessionId");
        let commands = [
            ("Fetch.enable", json!({ "patterns": [{ "urlPattern": "*" }] })),
            ("Network.enable", json!({ "maxTotalBufferSize": 0, "maxResourceBufferSize": 0 })),
            ("Network.setBypassServiceWorker", json!({ "bypass": true })),
            ("Page.enable", json!({})),
            ("Inspector.enable", json!({})),
            ("Page.addScriptToEvaluateOnNewDocument", json!({ "source": before })),
            ("Emulation.setFocusEmulationEnabled", json!({ "enabled": true })),
            // Workers and frames of other processes stop before their first step, and are never let go.
            (
                "Target.setAutoAttach",
                json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true }),
            ),
        ];
        for (method, params) in commands {
            devtools.call(&session, method, params).await?;
        }
        let frames = devtools.call(&session, "Page.getFrameTree", json!({})).await?;
        let frame = text(&frames["frameTree"]["frame"], "id");
        Ok(Tab { devtools, context, target, session, frame })
    }

    /// Ends the context, and waits for that a little while. If this future is dropped, the browser does so by itself.
    async fn close(mut self) {
        let ending = self.devtools.call(
            "",
            "Target.disposeBrowserContext",
            json!({ "browserContextId": self.context }),
        );
        match tokio::time::timeout(FAREWELL, ending).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::debug!(%error, "a browser context ends with its connection"),
            Err(_) => tracing::debug!("a browser context ends with its connection: the browser is slow"),
        }
    }
}

/// A request that the browser stopped.
#[derive(Deserialize)]
struct Paused {
    #[serde(rename = "requestId")]
    id: String,
    #[serde(rename = "resourceType")]
    kind: String,
    #[serde(rename = "frameId", default)]
    frame: String,
    request: PausedRequest,
}

#[derive(Deserialize)]
struct PausedRequest {
    url: String,
    method: String,
    #[serde(default)]
    headers: serde_json::Map<String, Value>,
}

/// How far a page is.
enum Stage {
    /// Its document is not complete yet.
    Loads,
    /// Its document is complete. Scripts may change it; it had this length when it was measured last.
    Settles { since: Instant, length: Option<u64> },
    /// The command of this number measures it.
    Measured { since: Instant, length: Option<u64>, by: u64 },
    /// The command of this number takes the document.
    Taken { by: u64 },
}

/// Loads a page and returns the document that its scripts made, once that stays as it is.
pub(super) async fn load(
    browser: &Browser,
    endpoint: &str,
    given: Given<'_>,
    parts: &dyn Parts,
    limits: Limits,
) -> Result<Loaded, PageError> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(|error| {
        DevtoolsError::Version(format!("cannot open the proxy that refuses connections: {error}"))
    })?;
    let proxy = listener
        .local_addr()
        .map_err(|error| DevtoolsError::Version(format!("the proxy has no address: {error}")))?;
    let mut tab = Tab::open(browser, endpoint, proxy, given.before, limits).await?;
    let loading = tokio::time::timeout(limits.longest, run(&mut tab, &listener, given, parts, limits));
    let loaded = loading.await.unwrap_or(Err(PageError::Hangs(limits.longest)));
    tab.close().await;
    loaded
}

async fn run(
    tab: &mut Tab,
    listener: &TcpListener,
    given: Given<'_>,
    parts: &dyn Parts,
    limits: Limits,
) -> Result<Loaded, PageError> {
    let world = json!({ "frameId": tab.frame, "worldName": "newslode" });
    let begun = Instant::now();
    tab.devtools.send(&tab.session, "Page.navigate", json!({ "url": given.url.as_str() })).await?;
    let (mut stage, mut last, mut is_given, mut asked) = (Stage::Loads, begun, false, 0);
    let (mut pending, mut refusals) = (FuturesUnordered::new(), FuturesUnordered::new());
    let mut refused: Vec<String> = Vec::new();
    loop {
        // 1. When something is to be done although nothing happens.
        let enough = begun + limits.enough;
        let next = match &stage {
            Stage::Loads => enough,
            Stage::Settles { .. } if pending.is_empty() => enough.min(last + limits.quiet),
            Stage::Settles { .. } => enough,
            Stage::Measured { .. } | Stage::Taken { .. } => begun + limits.longest,
        };
        tokio::select! {
            said = tab.devtools.next() => match said? {
                Said::Event { session, method, params } if session == tab.session => match method.as_str() {
                    "Fetch.requestPaused" => {
                        let paused: Paused = serde_json::from_value(params).map_err(DevtoolsError::from)?;
                        asked += 1;
                        if asked == MOST_ASKED && !matches!(stage, Stage::Taken { .. }) {
                            stage = take(tab, &world, limits).await?;
                        }
                        last = Instant::now();
                        match judge(&paused, &tab.frame, given.url, is_given) {
                            Judged::Given => {
                                is_given = true;
                                let headers = vec![("content-type".into(), given.content_type.to_owned())];
                                let body = Bytes::copy_from_slice(given.body);
                                fulfil(tab, &paused.id, PartAnswer { status: 200, headers, body }).await?;
                            }
                            // The frame stays what it is.
                            Judged::Stays => {
                                fulfil(tab, &paused.id, PartAnswer { status: 204, ..PartAnswer::default() }).await?;
                            }
                            Judged::Part(_) if asked >= MOST_ASKED => refuse_part(tab, &paused.id).await?,
                            Judged::Part(part) => {
                                let id = paused.id;
                                pending.push(async move { (id, parts.answer(part).await) });
                            }
                            Judged::Refused => refuse_part(tab, &paused.id).await?,
                        }
                    }
                    "Page.domContentEventFired" if is_given => {
                        if matches!(stage, Stage::Loads) {
                            (last, stage) = (Instant::now(), Stage::Settles { since: Instant::now(), length: None });
                        }
                    }
                    "Page.javascriptDialogOpening" => {
                        let dismiss = json!({ "accept": false });
                        tab.devtools.send(&tab.session, "Page.handleJavaScriptDialog", dismiss).await?;
                    }
                    "Inspector.targetCrashed" => return Err(PageError::Crashed),
                    _ => {}
                },
                Said::Event { session, method, params } if session.is_empty() => match method.as_str() {
                    // A window that the page opened.
                    "Target.targetCreated" => {
                        let info = &params["targetInfo"];
                        let is_own = text(info, "browserContextId") == tab.context;
                        if is_own && text(info, "type") == "page" && text(info, "targetId") != tab.target {
                            let window = json!({ "targetId": info["targetId"] });
                            tab.devtools.send("", "Target.closeTarget", window).await?;
                        }
                    }
                    "Target.targetCrashed" | "Target.targetDestroyed" if text(&params, "targetId") == tab.target => {
                        return Err(PageError::Crashed);
                    }
                    _ => {}
                },
                Said::Event { .. } => {}
                Said::Reply { id, result } => match stage {
                    Stage::Taken { by } if by == id => {
                        let html = taken(&result.unwrap_or_default(), given.url, limits)?;
                        return Ok(Loaded { html, refused });
                    }
                    Stage::Measured { since, length, by } if by == id => {
                        let now = result.ok().and_then(|result| result["result"]["value"].as_u64());
                        let is_over = since.elapsed() >= limits.settles || now.is_none();
                        if is_over || (now == length && pending.is_empty()) {
                            stage = take(tab, &world, limits).await?;
                        } else {
                            (last, stage) = (Instant::now(), Stage::Settles { since, length: now });
                        }
                    }
                    _ => {}
                },
            },
            Some((id, answer)) = pending.next(), if !pending.is_empty() => {
                last = Instant::now();
                match answer {
                    Some(answer) => fulfil(tab, &id, answer).await?,
                    None => refuse_part(tab, &id).await?,
                }
            }
            Ok((stream, _)) = listener.accept(), if refusals.len() < MOST_REFUSALS => refusals.push(refuse(stream)),
            Some(line) = refusals.next(), if !refusals.is_empty() => {
                if refused.len() < 1_000 {
                    refused.push(line);
                }
            }
            () = tokio::time::sleep_until(next) => {
                stage = match stage {
                    _ if Instant::now() >= enough => take(tab, &world, limits).await?,
                    Stage::Settles { since, length } => {
                        let by = evaluate(tab, "document.getElementsByTagName('*').length * 4096 \
                            + (document.body?.textContent.length ?? 0) % 4096").await?;
                        Stage::Measured { since, length, by }
                    }
                    other => other,
                };
            }
        }
    }
}

/// What is done about a request.
enum Judged {
    Given,
    Stays,
    Part(Part),
    Refused,
}

fn judge(paused: &Paused, main_frame: &str, given: &Url, is_given: bool) -> Judged {
    let Ok(mut url) = Url::parse(&paused.request.url) else { return Judged::Refused };
    url.set_fragment(None);
    if paused.kind == "Document" {
        let is_first = !is_given && paused.frame == main_frame;
        return if is_first && is_same_page(&url, given) { Judged::Given } else { Judged::Stays };
    }
    if !matches!(url.scheme(), "http" | "https") {
        return Judged::Refused;
    }
    let headers = paused.request.headers.iter();
    let headers = headers.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    Judged::Part(Part {
        url,
        method: paused.request.method.clone(),
        kind: paused.kind.clone(),
        headers: headers.collect(),
    })
}

/// A browser asks some hosts by `https`, whatever the address says.
fn is_same_page(url: &Url, given: &Url) -> bool {
    let place = url::Position::BeforePath..url::Position::AfterQuery;
    url.host_str() == given.host_str() && url[place.clone()] == given[place]
}

async fn fulfil(tab: &mut Tab, id: &str, answer: PartAnswer) -> Result<(), DevtoolsError> {
    let headers: Vec<Value> =
        answer.headers.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
    let params = json!({
        "requestId": id,
        "responseCode": answer.status,
        "responseHeaders": headers,
        "body": STANDARD.encode(&answer.body),
    });
    tab.devtools.send(&tab.session, "Fetch.fulfillRequest", params).await.map(drop)
}

async fn refuse_part(tab: &mut Tab, id: &str) -> Result<(), DevtoolsError> {
    let params = json!({ "requestId": id, "errorReason": "BlockedByClient" });
    tab.devtools.send(&tab.session, "Fetch.failRequest", params).await.map(drop)
}

async fn evaluate(tab: &mut Tab, expression: &str) -> Result<u64, DevtoolsError> {
    let params = json!({ "expression": expression, "returnByValue": true });
    tab.devtools.send(&tab.session, "Runtime.evaluate", params).await
}

/// Asks for the document, in a world of scripts that the page's own cannot change.
async fn take(tab: &mut Tab, world: &Value, limits: Limits) -> Result<Stage, PageError> {
    let made = tab.devtools.call(&tab.session, "Page.createIsolatedWorld", world.clone()).await;
    let made = match made {
        Err(DevtoolsError::Silent(_)) => return Err(PageError::Hangs(limits.longest)),
        Err(DevtoolsError::Refused { .. }) => return Err(PageError::NoDocument),
        made => made?,
    };
    let most = limits.document;
    // Names of elements may hide properties of the document, so the properties are read off the prototype.
    let expression = format!(
        "(() => {{
            const own = (name) => Reflect.get(Document.prototype, name, document);
            const root = own('documentElement'), type = own('doctype');
            const html = root ? root.outerHTML : '';
            const at = location.href;
            if (html.length > {most}) return {{ at, length: html.length }};
            const head = type ? new XMLSerializer().serializeToString(type) + '\\n' : '';
            return {{ at, html: (head + html).toWellFormed() }};
        }})()"
    );
    let params =
        json!({ "expression": expression, "returnByValue": true, "contextId": made["executionContextId"] });
    let by = tab.devtools.send(&tab.session, "Runtime.evaluate", params).await?;
    Ok(Stage::Taken { by })
}

/// The document that was taken.
fn taken(result: &Value, given: &Url, limits: Limits) -> Result<String, PageError> {
    let value = &result["result"]["value"];
    // A page may change its address within its host.
    let at = value["at"].as_str().and_then(|at| Url::parse(at).ok());
    if at.is_none_or(|at| !matches!(at.scheme(), "http" | "https") || at.host_str() != given.host_str()) {
        return Err(PageError::NoDocument);
    }
    if let Some(length) = value["length"].as_u64() {
        return Err(PageError::TooLarge(length));
    }
    match value["html"].as_str() {
        Some(html) if html.len() > limits.document => Err(PageError::TooLarge(html.len() as u64)),
        Some(html) if !html.trim().is_empty() => Ok(html.to_owned()),
        _ => Err(PageError::NoDocument),
    }
}

/// The proxy of a page: answers each connection with a refusal. Returns the first line that came.
async fn refuse(mut stream: TcpStream) -> String {
    let refusing = async {
        let mut head = [0; 512];
        let read = stream.read(&mut head).await.unwrap_or(0);
        let answer = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        // The browser may be gone.
        let _sent = stream.write_all(answer.as_bytes()).await;
        let head = String::from_utf8_lossy(head.get(..read).unwrap_or_default());
        head.lines().next().unwrap_or_default().to_owned()
    };
    tokio::time::timeout(REFUSAL, refusing).await.unwrap_or_default()
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

/// A count that a page must not exceed.
#[derive(Debug, Default)]
pub(super) struct Budget {
    used: AtomicUsize,
}

impl Budget {
    /// Takes this much. `false`: that would be more than `most`.
    pub(super) fn take(&self, amount: usize, most: usize) -> bool {
        self.used.fetch_add(amount, Ordering::Relaxed).saturating_add(amount) <= most
    }
}
