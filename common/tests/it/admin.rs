//! The admin port answers scrapes while other clients are slow, silent or too many.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use newslode_common::telemetry::admin::{Admin, Ready};
use newslode_common::telemetry::metrics::Metrics;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// The longest time for an answer to somebody who behaves.
const PROMPT: Duration = Duration::from_secs(5);

/// An admin port that is served.
struct Served {
    addr: SocketAddr,
    metrics: Arc<Metrics>,
    stop: CancellationToken,
    /// Ends with the value.
    _task: JoinSet<std::io::Result<()>>,
}

/// Serves the port. The service is ready when `is_ready` says so, and does not answer that question before.
async fn served(is_ready: Arc<AtomicBool>) -> Served {
    let admin = Admin::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await.unwrap();
    let (addr, metrics, stop) = (admin.addr().unwrap(), Metrics::new().unwrap(), CancellationToken::new());
    let ready: Ready = Arc::new(move || {
        let is_ready = is_ready.clone();
        Box::pin(async move {
            while !is_ready.load(Ordering::Relaxed) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            Ok(())
        })
    });
    let mut task = JoinSet::new();
    task.spawn(admin.serve(metrics.clone(), ready, stop.clone()));
    Served { addr, metrics, stop, _task: task }
}

impl Served {
    /// Connects as the peer `127.0.0.LAST`.
    async fn connect(&self, last: u8) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::from(([127, 0, 0, last], 0))).unwrap();
        tokio::time::timeout(PROMPT, socket.connect(self.addr)).await.unwrap().unwrap()
    }

    async fn connect_many(&self, last: u8, count: usize) -> Vec<TcpStream> {
        let mut streams = Vec::new();
        for _ in 0..count {
            streams.push(self.connect(last).await);
        }
        streams
    }

    /// Sends a request, and returns the status of the answer; `None` if the connection was closed instead.
    async fn ask(&self, last: u8, path: &str) -> Option<u16> {
        let mut stream = self.connect(last).await;
        status(&mut stream, &format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
            .await
    }

    fn dropped(&self) -> u64 {
        self.metrics.connections_dropped.with_label_values(&["admin"]).get()
    }
}

async fn status(stream: &mut TcpStream, request: &str) -> Option<u16> {
    stream.write_all(request.as_bytes()).await.ok()?;
    let mut answer = Vec::new();
    tokio::time::timeout(PROMPT, stream.read_to_end(&mut answer)).await.expect("no answer").ok()?;
    std::str::from_utf8(&answer).unwrap().split(' ').nth(1)?.parse().ok()
}

/// How many of these connections the server has closed.
fn closed(streams: &[TcpStream]) -> usize {
    let is_open = |stream: &&TcpStream| matches!(stream.try_read(&mut [0; 1]), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock);
    streams.len() - streams.iter().filter(is_open).count()
}

async fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(30), "{what} never comes");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn silent_and_half_requests_without_end_keep_nobody_from_scraping() {
    let port = served(Arc::new(AtomicBool::new(true))).await;
    let mut held = Vec::new();
    for last in 2..8 {
        held.extend(port.connect_many(last, 40).await);
        for half in &mut held {
            // Those that were closed meanwhile refuse it.
            half.write_all(b"GET /metrics HTTP/1.1\r\nX: ").await.ok();
        }
        // As another peer, and as the one that holds all these.
        for peer in [1, last] {
            assert_eq!(
                port.ask(peer, "/metrics").await,
                Some(200),
                "{peer} after {} half requests",
                held.len()
            );
        }
    }
    until("the end of those over the limit", || closed(&held) >= held.len() - 64).await;
    assert!(port.dropped() >= 240 - 64, "{}", port.dropped());
    port.stop.cancel();
}

/// A byte now and then does not keep a connection: its request must be whole in time.
#[tokio::test]
async fn a_request_that_comes_byte_by_byte_is_given_up() {
    let port = served(Arc::new(AtomicBool::new(true))).await;
    let mut slow = port.connect(2).await;
    let begun = Instant::now();
    slow.write_all(b"GET /metrics HTTP/1.1\r\nX: ").await.unwrap();
    while closed(std::slice::from_ref(&slow)) == 0 {
        assert!(begun.elapsed() < Duration::from_secs(40), "the request is waited for without end");
        slow.write_all(b"x").await.ok();
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert!(begun.elapsed() > Duration::from_secs(5), "a slow scraper has some time: {:?}", begun.elapsed());
    assert_eq!(port.ask(1, "/metrics").await, Some(200));
    port.stop.cancel();
}

/// Requests that are under way keep their places. Those over the limits are refused, and nothing is left when they end.
#[tokio::test]
async fn requests_over_the_limits_are_refused_until_others_end() {
    let port = served(Arc::new(AtomicBool::new(false))).await;
    let request = "GET /health/ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    // A service that does not say whether it is ready is answered for after two seconds. On a machine that is too busy to send
    // all requests within that time, we try again.
    for _ in 0..20 {
        let begun = Instant::now();
        let mut under_way = Vec::new();
        for last in 2..6 {
            for _ in 0..16 {
                let mut stream = port.connect(last).await;
                stream.write_all(request.as_bytes()).await.unwrap();
                under_way.push(stream);
            }
            // So that the server reads these before others of the peer come.
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let is_refused = [port.ask(2, "/health/live").await, port.ask(9, "/health/live").await];
        let closed = closed(&under_way);
        let was_in_time = begun.elapsed() < Duration::from_millis(1_900);
        for mut stream in under_way {
            assert_eq!(
                status(&mut stream, "").await,
                Some(503),
                "64 are within the limits, and answered in the end"
            );
        }
        assert_eq!(port.ask(2, "/health/live").await, Some(200), "their places are free again");
        if was_in_time {
            assert_eq!((is_refused, closed), ([None, None], 0), "the 17th of one peer, and the 65th in all");
            assert!(port.dropped() >= 2);
            port.stop.cancel();
            return;
        }
    }
    panic!("this machine never sends 66 requests within two seconds");
}
