//! Pages that scripts make, loaded by a real Chromium: what it shows is read, and no page gets anywhere by it.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::response::Response;
use futures::{SinkExt as _, StreamExt as _};
use newslode_common::outcome::Outcome;
use newslode_common::store::{Completion, Why};
use newslode_common::warc::{Found, Limits, Reader, Record, RecordType};
use newslode_test_servers::Chromium;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::task::JoinSet;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use crate::world::{SeenRequest, World, answer, body_of, html};

/// A connection of the test's own to the browser.
struct Devtools {
    socket: WebSocketStream<TcpStream>,
    sent: u64,
}

impl Devtools {
    async fn connect(chromium: &Chromium) -> Devtools {
        let stream = TcpStream::connect(("127.0.0.1", chromium.port())).await.unwrap();
        let (socket, _) = tokio_tungstenite::client_async(chromium.endpoint(), stream).await.unwrap();
        Devtools { socket, sent: 0 }
    }

    /// What the browser answers to a command.
    async fn ask(&mut self, method: &str) -> Value {
        self.sent += 1;
        let command = json!({ "id": self.sent, "method": method });
        self.socket.send(Message::Text(command.to_string().into())).await.unwrap();
        loop {
            let Some(Ok(said)) = self.socket.next().await else { panic!("no answer") };
            let Ok(said) = said.to_text() else { continue };
            let mut said: Value = serde_json::from_str(said).unwrap();
            if said["id"] == self.sent {
                return said["result"].take();
            }
        }
    }

    /// What may stay open: the contexts besides the browser's own, and the targets (tabs, frames, workers).
    async fn open(&mut self) -> (usize, Vec<Value>) {
        let contexts = self.ask("Target.getBrowserContexts").await;
        (contexts["browserContextIds"].as_array().unwrap().len(), self.targets().await)
    }

    async fn targets(&mut self) -> Vec<Value> {
        self.ask("Target.getTargets").await["targetInfos"].as_array().unwrap().clone()
    }
}

/// Waits until no context is open, and no target that was not there before; one that was cut off ends by itself.
async fn is_as_before(chromium: &Chromium, before: &[Value]) {
    let mut devtools = Devtools::connect(chromium).await;
    let begun = Instant::now();
    loop {
        let (contexts, mut targets) = devtools.open().await;
        targets.retain(|target| {
            // The browser still names the service worker that the probe of each crawler tried, though its context is gone.
            let is_of_probe =
                target["url"] == "https://probe.invalid/worker.js" && target["browserContextId"].is_null();
            !is_of_probe && before.iter().all(|known| known["targetId"] != target["targetId"])
        });
        if contexts == 0 && targets.is_empty() {
            return;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(10),
            "{contexts} contexts are open, and {targets:?} besides {before:?}"
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Waits until no context is open.
async fn is_empty(chromium: &Chromium) {
    let (_, own) = Devtools::connect(chromium).await.open().await;
    is_as_before(chromium, &own).await;
}

/// Kills all processes that show pages of this browser. Returns how many there were.
fn kill_tabs(browser: u32) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let processes = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    // `stat` lists the name in brackets, then the state, then the parent.
    let parent = |process: u32| {
        let told = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        told.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse::<u32>().ok()
    };
    let is_tab = |process: u32| {
        // Chromium separates the arguments of these processes with spaces instead of zero bytes.
        let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains("--type=renderer")
            && std::iter::successors(Some(process), |below| parent(*below)).any(|above| above == browser)
    };
    let tabs: Vec<String> =
        processes.filter(|process| is_tab(*process)).map(|process| process.to_string()).collect();
    Command::new("kill").arg("-9").args(&tabs).status().unwrap();
    tabs.len()
}

/// A world whose host `a.test` is loaded by this browser, and a file of settings that must outlive the crawl.
async fn world(
    browser: &str,
    web: impl Fn(&SeenRequest) -> Option<Response> + Send + Sync + 'static,
) -> (World, tempfile::NamedTempFile) {
    let mut world = World::new(web).await;
    let settings = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(settings.path(), "['a.test']\nrender = true\n['b.test']\ncookies = 'plan=full'\n")
        .unwrap();
    std::fs::set_permissions(settings.path(), std::fs::Permissions::from_mode(0o600)).unwrap();
    world.config.sites_file = settings.path().display().to_string();
    world.config.browser = browser.to_owned();
    (world, settings)
}

/// The document of the one page that was published.
fn document(world: &World) -> String {
    let pages = world.pages();
    assert_eq!(pages.len(), 1);
    assert!(pages[0].rendered);
    assert_eq!(pages[0].content_type.as_deref(), Some("text/html; charset=utf-8"));
    String::from_utf8(body_of(&pages[0])).unwrap()
}

/// The answer of a server with a type.
fn typed(kind: &str, body: &str) -> Option<Response> {
    answer(200, [("content-type", kind)], body.to_owned())
}

const SHELL: &str = "<!doctype html><html><head><title>Loading</title><link rel=stylesheet href=/style.css>\
    <script src=/app.js></script></head><body><img src=/picture.png><div id=root></div></body></html>";

fn app(request: &SeenRequest) -> Option<Response> {
    match request.page.as_str() {
        "a.test/robots.txt" => typed("text/plain", "User-agent: *\nDisallow: /secret\n"),
        "a.test/story" => html(SHELL),
        "a.test/style.css" => typed("text/css", "p { color: red }"),
        "a.test/app.js" => typed(
            "text/javascript",
            "addEventListener('DOMContentLoaded', async () => {
                const text = async (url, init) => { try { return await (await fetch(url, init)).text() } catch { return 'refused' } };
                const all = [await text('/words'), await text('/secret/words'), await text('/posted', { method: 'POST' }),
                    await text('http://c.test/data', { headers: { 'X-Key': 'k' } }), await text('http://d.test/data'),
                    await text('http://b.test/account', { credentials: 'include' })];
                document.getElementById('root').textContent = all.join(' | ') + ' – größer';
                document.title = 'Shown';
            })",
        ),
        "a.test/words" => typed("text/plain", "the words"),
        "a.test/secret/words" | "a.test/posted" | "b.test/account" | "d.test/data" => {
            typed("text/plain", "not for this page")
        }
        "c.test/data" => {
            assert_eq!(request.headers["x-key"], "k");
            assert!(request.headers["user-agent"].to_str().unwrap().starts_with("Newslode/"));
            answer(200, [("content-type", "text/plain"), ("access-control-allow-origin", "*")], "of another host")
        }
        _ => None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_scripts_make_is_read_as_the_browser_shows_it() {
    let chromium = Chromium::start();
    let (mut world, _settings) = world(&chromium.address(), app).await;
    let warc = tempfile::tempdir().unwrap();
    world.warc = warc.path().display().to_string();
    world.add("http://a.test/story", Why::Seed).await;
    world.crawl().await;
    world.expect("http://a.test/story", Outcome::Fetched);
    let shown = document(&world);
    assert!(shown.starts_with("<!DOCTYPE html>\n<html"), "{shown}");
    assert!(shown.contains("<title>Shown</title>"), "{shown}");
    let wanted = "the words | refused | refused | of another host | refused | refused – größer";
    assert!(shown.contains(wanted), "{shown}");
    assert_eq!(world.hits("a.test/story"), 1, "the browser asks for nothing by itself");
    for unasked in
        ["a.test/picture.png", "a.test/secret/words", "a.test/posted", "b.test/account", "a.test/favicon.ico"]
    {
        assert_eq!(world.hits(unasked), 0, "{unasked}");
    }
    assert_eq!(world.hits("d.test/robots.txt"), 1, "each host is asked what it allows");
    is_empty(&chromium).await;

    // The web archive has the answer as it came, and what was made of it.
    let records = records(warc.path());
    let of = |kind| {
        let wanted =
            |record: &&Record| record.kind == Some(kind) && record.target() == Some("http://a.test/story");
        records.iter().find(wanted).unwrap()
    };
    let (came, made) = (of(RecordType::Response), of(RecordType::Conversion));
    assert!(String::from_utf8_lossy(&came.block).ends_with(SHELL));
    assert_eq!(String::from_utf8_lossy(&made.block), shown);
    assert_eq!(made.fields.get("WARC-Refers-To"), came.fields.get("WARC-Record-ID"));
}

fn records(folder: &Path) -> Vec<Record> {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let files = files.filter(|file| file.extension().is_some_and(|end| end == "gz"));
    let record = |found| match found {
        Ok(Found::Record(record)) => record,
        other => panic!("{other:?}"),
    };
    files.flat_map(|file| Reader::open(&file, Limits::default()).unwrap()).map(record).collect()
}

/// What hostile pages try to reach: it listens, and counts what arrives.
struct Target {
    tcp: u16,
    udp: u16,
    arrived: Arc<AtomicUsize>,
    _tasks: JoinSet<()>,
}

impl Target {
    async fn start() -> Target {
        let (tcp, udp) =
            (TcpListener::bind("127.0.0.1:0").await.unwrap(), UdpSocket::bind("127.0.0.1:0").await.unwrap());
        let (tcp_port, udp_port) = (tcp.local_addr().unwrap().port(), udp.local_addr().unwrap().port());
        let arrived = Arc::new(AtomicUsize::new(0));
        let (by_tcp, by_udp) = (arrived.clone(), arrived.clone());
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            while tcp.accept().await.is_ok() {
                by_tcp.fetch_add(1, Ordering::SeqCst);
            }
        });
        tasks.spawn(async move {
            let mut packet = [0; 1500];
            while udp.recv(&mut packet).await.is_ok() {
                by_udp.fetch_add(1, Ordering::SeqCst);
            }
        });
        Target { tcp: tcp_port, udp: udp_port, arrived, _tasks: tasks }
    }
}

/// Crawls `http://a.test/story`, which has this script, and returns the world afterwards.
async fn crawled(chromium: &Chromium, script: &str) -> World {
    let page = format!("<!doctype html><title>t</title><body><p>Words.</p><script>{script}</script>");
    let (mut world, _settings) = world(&chromium.address(), move |request| match request.page.as_str() {
        "a.test/story" => html(&page),
        "a.test/redirect" => answer(302, [("location", "http://127.0.0.1:9/")], ""),
        "a.test/sw.js" => typed("text/javascript", "self.addEventListener('fetch', () => {})"),
        _ => None,
    })
    .await;
    // Names that no rule knows are looked up, as in a crawl of strangers.
    let port = world.port;
    world.config.resolve = vec![format!("a.test:127.0.0.1:{port}").parse().unwrap()];
    world.config.max_attempts = 1;
    world.config.max_page_bytes = 1 << 20;
    world.add("http://a.test/story", Why::Seed).await;
    world.crawl().await;
    is_empty(chromium).await;
    world
}

#[tokio::test(flavor = "multi_thread")]
async fn no_way_leads_from_a_page_to_an_address_of_this_machine() {
    let chromium = Chromium::start();
    let target = Target::start().await;
    let port = chromium.port();
    let script = r"
        const at = 'http://127.0.0.1:@TCP@';
        // By a name that leads there, in every spelling, and to the browser's own DevTools.
        for (const host of ['127.0.0.1', 'localhost', '2130706433', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0'])
            fetch(`http://${host}:@TCP@/`, { mode: 'no-cors' }).catch(() => {});
        fetch('http://127.0.0.1:@DEVTOOLS@/json/new?about:blank', { mode: 'no-cors' }).catch(() => {});
        fetch('http://localhost:@DEVTOOLS@/json/list', { mode: 'no-cors' }).catch(() => {});
        fetch('/redirect', { mode: 'no-cors' }).catch(() => {});
        for (const url of ['ws://127.0.0.1:@TCP@/', 'ws://localhost:@TCP@/', 'ws://127.0.0.1:@DEVTOOLS@/devtools/browser'])
            try { new WebSocket(url).onopen = () => { document.title = 'open' } } catch {}
        for (const url of [at, `${at}/?2`, 'data:text/html,<script>fetch(`' + at + '`)<\/script>']) {
            const frame = document.createElement('iframe'); frame.src = url; document.body.append(frame);
        }
        const sandbox = document.createElement('iframe'); sandbox.sandbox = 'allow-scripts';
        sandbox.srcdoc = `<script>fetch('${at}', { mode: 'no-cors' }); new WebSocket('ws://127.0.0.1:@TCP@/')<\/script>`;
        document.body.append(sandbox);
        for (const [name, key] of [['img', 'src'], ['script', 'src'], ['link', 'href'], ['video', 'src'], ['object', 'data'], ['embed', 'src']]) {
            const part = document.createElement(name); part[key] = at; if (name === 'link') part.rel = 'stylesheet';
            document.body.append(part);
        }
        for (const rel of ['preconnect', 'dns-prefetch', 'prefetch', 'prerender', 'preload', 'modulepreload']) {
            const link = document.createElement('link'); link.rel = rel; link.href = at; link.as = 'script'; document.head.append(link);
        }
        navigator.serviceWorker?.register('/sw.js').catch(() => {});
        new Worker(URL.createObjectURL(new Blob([`fetch('${at}', { mode: 'no-cors' })`])));
        navigator.sendBeacon(at, 'x');
        new EventSource(at);
        const calls = (Peer) => { try { const peer = new Peer({ iceServers: [{ urls: 'stun:127.0.0.1:@UDP@' }] });
            peer.createDataChannel('c'); peer.createOffer().then((offer) => peer.setLocalDescription(offer)); } catch {} };
        calls(window.RTCPeerConnection);
        const blank = document.createElement('iframe'); document.body.append(blank); calls(blank.contentWindow.RTCPeerConnection);
        const form = document.createElement('form'); form.action = at; form.method = 'post'; document.body.append(form); form.submit();
        setTimeout(() => { location = at }, 200);
        const told = document.createElement('p'); told.textContent = 'All was tried.'; document.body.append(told);
    ";
    let script = script
        .replace("@TCP@", &target.tcp.to_string())
        .replace("@UDP@", &target.udp.to_string())
        .replace("@DEVTOOLS@", &port.to_string());
    let world = crawled(&chromium, &script).await;
    assert!(document(&world).contains("All was tried."));
    assert_eq!(target.arrived.load(Ordering::SeqCst), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn windows_downloads_and_dialogs_keep_no_page_from_being_read() {
    let chromium = Chromium::start();
    let script = "
        alert('stay'); confirm('stay?'); prompt('stay?'); window.onbeforeunload = () => 'stay';
        for (let n = 0; n < 50; n++) { window.open('about:blank'); window.open('/story?' + n, '_blank', 'popup') }
        const link = document.createElement('a'); link.href = URL.createObjectURL(new Blob(['x'.repeat(1e6)])); link.download = 'x.exe';
        document.body.append(link); link.click();
        const way = document.createElement('a'); way.href = '/story?new'; way.target = '_blank'; document.body.append(way); way.click();
        document.cookie = 'kept=1; max-age=9999999'; localStorage.kept = '1';
        document.body.append('Kept until now: ' + document.cookie);
        print(); location.reload(); history.pushState({}, '', '/elsewhere');
    ";
    let world = crawled(&chromium, script).await;
    assert!(document(&world).contains("Kept until now: kept=1"));
    assert_eq!(world.hits("a.test/story"), 1);
    // The next page finds nothing of it.
    let world =
        crawled(&chromium, "document.body.append(`Found: ${document.cookie}${localStorage.kept}`)").await;
    assert!(document(&world).contains("Found: undefined"));
    let downloads = std::fs::read_dir(chromium.profile()).unwrap();
    assert!(downloads.flatten().all(|file| !file.file_name().to_string_lossy().contains(".exe")));
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_without_an_end_cost_a_retry_and_leave_nothing_behind() {
    let chromium = Chromium::start();
    for (script, outcome) in [
        ("for (;;);", Outcome::Timeout),
        ("setInterval(() => document.body.append('x'.repeat(1e5)), 10)", Outcome::TooLarge),
        ("setTimeout(() => { location.href = 'about:blank' }, 10)", Outcome::Timeout),
    ] {
        let world = crawled(&chromium, script).await;
        world.expect("http://a.test/story", outcome);
        assert!(world.pages().is_empty(), "{script}");
    }
    // A page that asks without end is read as it is.
    let asks = "let n = 0; const ask = () => fetch('/part?' + n++).catch(() => {}).then(() => setTimeout(ask, 1)); \
                for (let i = 0; i < 20; i++) ask(); document.body.append('It asks.')";
    let world = crawled(&chromium, asks).await;
    assert!(document(&world).contains("It asks."));
    let asked = (0..1_000).filter(|n| world.hits(&format!("a.test/part?{n}")) > 0).count();
    assert!(asked <= 200, "{asked} parts");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_is_away_costs_a_page_a_retry_and_the_site_no_request() {
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let (world, _settings) = world(&format!("http://127.0.0.1:{port}"), app).await;
    world.add("http://a.test/story", Why::Seed).await;
    let is_due_again = |world: &World| {
        let completions = world.frontier.completions.lock().unwrap();
        completions.iter().any(|(_, completion)| {
            let Completion::Retry { due, counts: false, rest_site_until: None } = completion else {
                return false;
            };
            *due > newslode_common::time::now()
        })
    };
    world.crawl_until(is_due_again).await.unwrap();
    assert_eq!((world.hits("a.test/story"), world.pages().len()), (0, 0));
    assert_eq!(world.entry("http://a.test/story").outcome, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_dies_costs_the_page_in_hand_a_retry() {
    let chromium = Chromium::start();
    let pid = chromium.pid();
    let (mut world, _settings) = world(&chromium.address(), move |request| match request.page.as_str() {
        "a.test/story" => html("<script src=/kill.js></script>"),
        "a.test/kill.js" => {
            Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap();
            typed("text/javascript", "")
        }
        _ => None,
    })
    .await;
    world.config.workers = 1;
    world.add("http://a.test/story", Why::Seed).await;
    let is_retried = |world: &World| {
        let completions = world.frontier.completions.lock().unwrap();
        completions.iter().any(|(_, completion)| {
            matches!(completion, Completion::Retry { counts: true, rest_site_until: None, .. })
        }) && world.hits("a.test/kill.js") > 0
    };
    world.crawl_until(is_retried).await.unwrap();
    assert_eq!(world.entry("http://a.test/story").outcome, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tab_that_crashes_costs_the_page_a_retry_and_leaves_nothing_behind() {
    let chromium = Chromium::start();
    let (_, before) = Devtools::connect(&chromium).await.open().await;
    let (pid, killed) = (chromium.pid(), Arc::new(AtomicUsize::new(0)));
    let by_script = killed.clone();
    let (mut world, _settings) = world(&chromium.address(), move |request| match request.page.as_str() {
        "a.test/story" => html("<script src=/kill.js></script>"),
        "a.test/kill.js" => {
            by_script.fetch_add(kill_tabs(pid), Ordering::SeqCst);
            typed("text/javascript", "")
        }
        _ => None,
    })
    .await;
    world.config.max_attempts = 1;
    world.add("http://a.test/story", Why::Seed).await;
    let begun = Instant::now();
    world.crawl().await;
    world.expect("http://a.test/story", Outcome::Timeout);
    assert!(killed.load(Ordering::SeqCst) > 0);
    assert!(
        begun.elapsed() < Duration::from_secs(24),
        "the crash was noticed, it did not just take too long"
    );
    is_as_before(&chromium, &before).await;
    // The browser goes on.
    let world = crawled(&chromium, "document.body.append('It goes on.')").await;
    assert!(document(&world).contains("It goes on."));
}

/// How many pages are loaded in a row; a longer row is measured by hand.
fn row() -> usize {
    std::env::var("NEWSLODE_TEST_RENDERED").ok().and_then(|many| many.parse().ok()).unwrap_or(24)
}

/// What goes wrong with one page in a hundred of the row, with its outcome.
const ODD: [(&str, &str, Outcome); 2] = [
    ("hangs", "for (;;);", Outcome::Timeout),
    (
        "opens",
        "for (let n = 0; n < 5; n++) window.open('about:blank'); new Worker(URL.createObjectURL(new Blob(['for (;;);'])))",
        Outcome::Fetched,
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn pages_in_a_row_leave_no_context_open_and_no_tab() {
    let chromium = Chromium::start();
    let (_, before) = Devtools::connect(&chromium).await.open().await;
    let begun = Instant::now();
    let (mut world, _settings) = world(&chromium.address(), |request| {
        let page = request.page.strip_prefix("a.test/").unwrap_or_default();
        let odd = ODD.iter().find(|(name, ..)| page.split('?').next() == Some(*name));
        match (page, odd) {
            ("robots.txt", _) => None,
            ("app.js", _) => typed("text/javascript", "document.write('<p>' + location.pathname + '</p>')"),
            (_, Some((_, script, _))) => {
                html(&format!("<!doctype html><title>t</title><body><script>{script}</script>"))
            }
            _ => html("<!doctype html><title>t</title><body><script src=/app.js></script>"),
        }
    })
    .await;
    world.config.address_delay_ms = 0;
    world.config.workers = 8;
    world.config.max_attempts = 1;
    let many = row();
    let plain: Vec<String> = (0..many).map(|n| format!("http://a.test/{n}")).collect();
    let each = many.div_ceil(100);
    let odd_ones = ODD.iter().flat_map(|(name, _, outcome)| {
        (0..each).map(move |n| (format!("http://a.test/{name}?{n}"), *outcome))
    });
    let odd_ones: Vec<(String, Outcome)> = odd_ones.collect();
    for url in plain.iter().chain(odd_ones.iter().map(|(url, _)| url)) {
        world.add(url, Why::Link).await;
    }
    world.crawl_within(Duration::from_secs(120 + 2 * many as u64)).await;
    plain.iter().for_each(|url| world.expect(url, Outcome::Fetched));
    odd_ones.iter().for_each(|(url, outcome)| world.expect(url, *outcome));
    is_as_before(&chromium, &before).await;
    let pages: BTreeMap<String, String> = world
        .pages()
        .iter()
        .map(|page| (page.url.to_string(), String::from_utf8(body_of(page)).unwrap()))
        .collect();
    for (n, url) in plain.iter().enumerate() {
        assert!(pages[url].contains(&format!("<p>/{n}</p>")), "{url}: {}", pages[url]);
    }
    eprintln!("{many} pages, and {} odd ones, in {:.1} s", odd_ones.len(), begun.elapsed().as_secs_f64());
}
