//! Proves that a browser reaches no address by itself, before it loads the page of a stranger.
//!
//! A page of ours tries everything that pages can try to reach an address of this machine, at which the probe listens. It passes
//! if the requests stopped, the connections ended at the proxy, and nothing arrived. So a browser that does not honour the
//! proxy of a context, or sends packets past it, is found whatever its version and flags are. Start at [`probe`].

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tokio::net::{TcpListener, UdpSocket};
use url::Url;

use super::devtools::{Browser, DevtoolsError};
use super::page::{Given, Limits, PageError, Part, PartAnswer, Parts, load};

/// The page's address. No host can have it; it is `https`, so that everything is allowed to the page.
const PAGE: &str = "https://probe.invalid/";

/// Something that a page tried, and what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Attempt {
    /// What it tried.
    pub(super) name: &'static str,
    /// Whether it reached nothing.
    pub(super) is_refused: bool,
}

/// What stops before it is sent: the end of the path that is asked for.
const STOPPED: [(&str, &str); 4] = [
    ("fetch", "/by-fetch"),
    ("XMLHttpRequest", "/by-xhr"),
    ("redirect", "/by-redirect"),
    ("script", "/by-script"),
];

/// What says in the document that it failed.
const FAILED: [&str; 10] = [
    "WebSocket",
    "WebSocket to a name",
    "frame",
    "worker",
    "service worker",
    "WebRTC",
    "WebRTC of an empty frame",
    "WebTransport",
    "event source",
    "window",
];

/// Lets a browser try everything. Returns the attempts, in a fixed order.
pub(super) async fn probe(
    browser: &Browser,
    endpoint: &str,
    before: &str,
    limits: Limits,
) -> Result<Vec<Attempt>, PageError> {
    let failed = |error: std::io::Error| {
        PageError::Browser(DevtoolsError::Version(format!("the probe cannot listen: {error}")))
    };
    let target = TcpListener::bind(("127.0.0.1", 0)).await.map_err(failed)?;
    let packets = UdpSocket::bind(("127.0.0.1", 0)).await.map_err(failed)?;
    let tcp = target.local_addr().map_err(failed)?;
    let udp = packets.local_addr().map_err(failed)?;
    let page = page(tcp, udp);
    let url = Url::parse(PAGE).map_err(|_| PageError::NoDocument)?;
    let given = Given { url: &url, content_type: "text/html", body: page.as_bytes(), before };
    let parts = ProbeParts { target: tcp, stopped: Mutex::default() };
    let limits = Limits { quiet: Duration::from_millis(1_200), settles: Duration::from_secs(8), ..limits };
    let loading = load(browser, endpoint, given, &parts, limits);
    let watching = watch(&target, &packets);
    let loaded = tokio::select! {
        loaded = loading => loaded?,
        // Nothing more needs to be known.
        arrived = watching => return Ok(vec![Attempt { name: arrived, is_refused: false }]),
    };
    let stopped = parts.stopped.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let mut attempts: Vec<Attempt> =
        STOPPED.iter().map(|(name, path)| Attempt { name, is_refused: stopped.contains(*path) }).collect();
    attempts.extend(
        FAILED
            .iter()
            .map(|name| Attempt { name, is_refused: loaded.html.contains(&format!("[{name}: refused]")) }),
    );
    // A WebSocket cannot be stopped, so it shows where connections go.
    let port = format!(":{}", tcp.port());
    let is_proxied = loaded.refused.iter().any(|line| line.starts_with("CONNECT ") && line.contains(&port));
    attempts.push(Attempt { name: "proxy", is_refused: is_proxied });
    // Else the watch had ended first.
    attempts.extend([CONNECTION, PACKET].map(|name| Attempt { name, is_refused: true }));
    Ok(attempts)
}

/// What may arrive at the probe.
const CONNECTION: &str = "connection to this machine";
const PACKET: &str = "packet to this machine";

/// Returns what arrives, once something does.
async fn watch(target: &TcpListener, packets: &UdpSocket) -> &'static str {
    let mut packet = [0; 64];
    tokio::select! {
        _ = target.accept() => CONNECTION,
        _ = packets.recv(&mut packet) => PACKET,
    }
}

/// Refuses what leads to the target, and notes it.
struct ProbeParts {
    target: SocketAddr,
    stopped: Mutex<BTreeSet<String>>,
}

#[async_trait]
impl Parts for ProbeParts {
    async fn answer(&self, part: Part) -> Option<PartAnswer> {
        if part.url.host_str() == Some("probe.invalid") && part.url.path() == "/redirect" {
            let location = ("location".into(), format!("http://{}/by-redirect", self.target));
            return Some(PartAnswer { status: 302, headers: vec![location], ..PartAnswer::default() });
        }
        if part.url.port() == Some(self.target.port()) {
            let mut stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
            stopped.insert(part.url.path().to_owned());
        }
        None
    }
}

/// The page that tries everything. Each attempt writes how it ended.
fn page(tcp: SocketAddr, udp: SocketAddr) -> String {
    let script = r#"
const say = (name, end) => document.body.append(`[${name}: ${end}]\n`);
const refused = (name) => () => say(name, 'refused');
const reached = (name) => () => say(name, 'reached');
const attempt = (name, start) => { try { start(reached(name), refused(name)); } catch { say(name, 'refused'); } };
const within = (ms, then) => setTimeout(then, ms);
fetch('http://@TCP@/by-fetch', { mode: 'no-cors' }).catch(() => {});
fetch('/redirect', { mode: 'no-cors' }).catch(() => {});
const asked = new XMLHttpRequest(); asked.open('GET', 'http://@TCP@/by-xhr'); asked.onerror = () => {}; asked.send();
const part = document.createElement('script'); part.src = 'http://@TCP@/by-script'; document.head.append(part);
attempt('WebSocket', (yes, no) => { const s = new WebSocket('ws://@TCP@/by-socket'); s.onopen = yes; s.onerror = no; });
attempt('WebSocket to a name', (yes, no) => {
    const s = new WebSocket('wss://localhost:@PORT@/by-socket'); s.onopen = yes; s.onerror = no;
});
attempt('frame', (yes, no) => {
    const frame = document.createElement('iframe'); frame.src = 'http://@TCP@/by-frame'; document.body.append(frame);
    within(1000, () => { let inside = null; try { inside = frame.contentWindow.location.href } catch {}
        inside === 'about:blank' ? no() : yes(); });
});
attempt('worker', (yes, no) => {
    const source = "fetch('http://@TCP@/by-worker', { mode: 'no-cors' }).then(() => postMessage(1), () => {})";
    const worker = new Worker(URL.createObjectURL(new Blob([source]))); worker.onmessage = yes; within(1500, no);
});
attempt('service worker', (yes, no) => { navigator.serviceWorker.register('/worker.js').then(yes, no); within(2000, no); });
const calls = (Peer, yes, no) => {
    const peer = new Peer({ iceServers: [{ urls: 'stun:@UDP@' }, { urls: 'turn:@TCP@?transport=tcp', username: 'u', credential: 'c' }] });
    peer.createDataChannel('c'); peer.createOffer().then((offer) => peer.setLocalDescription(offer)); within(1500, yes);
};
attempt('WebRTC', (yes, no) => calls(RTCPeerConnection, yes, no));
attempt('WebRTC of an empty frame', (yes, no) => {
    const frame = document.createElement('iframe'); document.body.append(frame);
    calls(frame.contentWindow.RTCPeerConnection, yes, no);
});
attempt('WebTransport', (yes, no) => { new WebTransport('https://@UDP@/').ready.then(yes, no); });
attempt('event source', (yes, no) => {
    const events = new EventSource('http://@TCP@/by-events'); events.onopen = yes; events.onerror = () => { events.close(); no(); };
});
attempt('window', (yes, no) => { window.open('http://@TCP@/by-window') === null ? no() : yes(); });
const link = document.createElement('a'); link.href = 'http://@TCP@/by-download'; link.download = 'x';
document.body.append(link); within(300, () => link.click());
"#;
    let script = script
        .replace("@TCP@", &tcp.to_string())
        .replace("@UDP@", &udp.to_string())
        .replace("@PORT@", &tcp.port().to_string());
    format!(
        "<!doctype html><title>probe</title><link rel=preconnect href='http://{tcp}'>\
         <link rel=dns-prefetch href='//probe.invalid'><body><script>{script}</script>"
    )
}

#[cfg(test)]
mod browser {
    use newslode_test_servers::Chromium;

    use super::super::page::BEFORE_SCRIPTS;
    use super::super::{ENOUGH, LONGEST, QUIET, SETTLES};
    use super::*;

    const LIMITS: Limits =
        Limits { enough: ENOUGH, longest: LONGEST, quiet: QUIET, settles: SETTLES, document: 1 << 20 };

    /// What a Chromium lets through whose pages begin with these scripts.
    async fn attempts(before: &str) -> Vec<Attempt> {
        let chromium = Chromium::start();
        let browser = Browser::new(&chromium.address()).unwrap();
        let endpoint = browser.endpoint().await.unwrap();
        probe(&browser, &endpoint, before, LIMITS).await.unwrap()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_page_that_tries_everything_gets_nowhere() {
        let attempts = attempts(BEFORE_SCRIPTS).await;
        for Attempt { name, is_refused } in &attempts {
            eprintln!("{name}: {}", if *is_refused { "refused" } else { "REACHED" });
        }
        assert!(attempts.len() > 15 && attempts.iter().all(|attempt| attempt.is_refused));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_browser_that_lets_calls_through_is_found() {
        let attempts = attempts("window.open = () => null").await;
        assert!(attempts.iter().any(|attempt| !attempt.is_refused), "{attempts:?}");
    }
}
