//! Servers that break connections and streams, and servers that only have an IPv6 address.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use h2::Reason;
use newslode_common::outcome::Outcome;
use newslode_common::store::Why;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::server::TlsStream;

use crate::tls::Certificates;
use crate::world::{PAGE, World, body_of};

/// What a server does with HTTP/2.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// Each stream is reset before an answer.
    Reset(Reason),
    /// Each connection ends with GOAWAY at its first page.
    GoAway(Reason),
    /// Each page is reset in the middle of its body.
    ResetInBody,
}

/// A host that speaks both versions of HTTP, and the versions in which pages were asked for.
struct TwoVersions {
    world: World,
    versions: Arc<Mutex<Vec<u8>>>,
    _certificates: Certificates,
    _serving: JoinSet<()>,
}

impl TwoVersions {
    async fn start(fault: Fault) -> TwoVersions {
        let certificates = Certificates::new();
        certificates.sign_certificate("server", "ours", "DNS:a.test", 2);
        let acceptor = certificates.acceptor_of("server", &["h2", "http/1.1"]);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut world = World::new(|_| None).await;
        world.config.ca_file = certificates.path("ours.crt").display().to_string();
        world.config.resolve = vec![format!("*:{}", listener.local_addr().unwrap()).parse().unwrap()];
        let versions: Arc<Mutex<Vec<u8>>> = Arc::default();
        let (seen, mut serving) = (versions.clone(), JoinSet::new());
        serving.spawn(async move {
            let mut open = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let Ok(stream) = acceptor.accept(stream).await else { continue };
                let seen = seen.clone();
                if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                    open.spawn(async move {
                        // The crawler may have gone away.
                        let _ended = serve_http_2(stream, fault, &seen).await;
                    });
                } else {
                    open.spawn(serve_http_1(stream, seen));
                }
            }
        });
        TwoVersions { world, versions, _certificates: certificates, _serving: serving }
    }

    /// Reads four pages.
    async fn read(&self) {
        for number in 0..4 {
            self.world.add(&format!("https://a.test/{number}"), Why::Seed).await;
        }
        self.world.crawl().await;
    }

    fn asked(&self, version: u8) -> usize {
        self.versions.lock().unwrap().iter().filter(|seen| **seen == version).count()
    }
}

async fn serve_http_2(
    stream: TlsStream<TcpStream>,
    fault: Fault,
    seen: &Mutex<Vec<u8>>,
) -> Result<(), h2::Error> {
    let mut connection = h2::server::handshake(stream).await?;
    while let Some(asked) = connection.accept().await {
        let (request, mut respond) = asked?;
        seen.lock().unwrap().push(2);
        let is_page = request.uri().path() != "/robots.txt";
        let head = http::Response::builder()
            .status(if is_page { 200 } else { 404 })
            .header("content-type", "text/html")
            .body(())
            .unwrap();
        match fault {
            Fault::Reset(reason) => respond.send_reset(reason),
            Fault::GoAway(reason) => {
                respond.send_response(head, false)?.send_data(Bytes::from_static(PAGE.as_bytes()), true)?;
                match reason {
                    _ if !is_page => {}
                    Reason::NO_ERROR => connection.graceful_shutdown(),
                    reason => connection.abrupt_shutdown(reason),
                }
            }
            Fault::ResetInBody => {
                let mut body = respond.send_response(head, !is_page)?;
                if is_page {
                    let part = PAGE.as_bytes().get(..30).unwrap();
                    body.send_data(Bytes::from_static(part), false)?;
                    // What waits to be sent would go with the stream.
                    tokio::time::timeout(std::time::Duration::from_millis(50), connection.accept())
                        .await
                        .ok();
                    body.send_reset(Reason::INTERNAL_ERROR);
                }
            }
        }
    }
    Ok(())
}

async fn serve_http_1(mut stream: TlsStream<TcpStream>, seen: Arc<Mutex<Vec<u8>>>) {
    while let Some(head) = read_head(&mut stream).await {
        seen.lock().unwrap().push(1);
        if stream.write_all(&page_or_none(&head)).await.is_err() {
            return;
        }
    }
}

/// The head of the next request on a connection.
async fn read_head(stream: &mut (impl tokio::io::AsyncRead + Unpin)) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    String::from_utf8(head).ok()
}

/// The answer of a server without a robots.txt, on a connection that stays open.
fn page_or_none(head: &str) -> Vec<u8> {
    let (status, body) =
        if head.starts_with("GET /robots.txt ") { ("404 Not Found", "") } else { ("200 OK", PAGE) };
    format!("HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{body}", body.len())
        .into_bytes()
}

#[tokio::test]
async fn a_host_whose_http_2_is_broken_is_read_with_http_1() {
    for reason in
        [Reason::PROTOCOL_ERROR, Reason::INTERNAL_ERROR, Reason::HTTP_1_1_REQUIRED, Reason::ENHANCE_YOUR_CALM]
    {
        let host = TwoVersions::start(Fault::Reset(reason)).await;
        host.read().await;
        assert_eq!(host.world.counted(Outcome::Fetched), 4, "{reason}");
        assert_eq!((host.asked(2), host.asked(1)), (1, 5), "{reason}: HTTP/2 is tried once");
    }
}

#[tokio::test]
async fn connections_that_end_with_each_page_lose_none() {
    for reason in [Reason::NO_ERROR, Reason::ENHANCE_YOUR_CALM] {
        let host = TwoVersions::start(Fault::GoAway(reason)).await;
        host.read().await;
        let outcomes: Vec<_> = host.world.frontier.all().iter().map(|entry| entry.outcome).collect();
        assert_eq!(outcomes, [Some(Outcome::Fetched); 4], "{reason}, asked {:?}", host.versions.lock());
    }
}

#[tokio::test]
async fn what_came_before_a_stream_was_reset_is_kept_and_the_next_page_is_read_with_http_1() {
    let host = TwoVersions::start(Fault::ResetInBody).await;
    host.read().await;
    assert_eq!(host.world.counted(Outcome::Fetched), 4);
    let mut bodies: Vec<usize> = host.world.pages().iter().map(|page| body_of(page).len()).collect();
    bodies.sort_unstable();
    assert_eq!(bodies, [30, PAGE.len(), PAGE.len(), PAGE.len()]);
    assert_eq!((host.asked(2), host.asked(1)), (2, 3));
}

/// Reads four pages of a host, each at most `attempts` times, and returns how many were read. `serve` gets each connection with its number.
async fn read_four<F>(
    listener: TcpListener,
    attempts: u32,
    serve: impl Fn(usize, TcpStream) -> F + Send + 'static,
) -> u64
where
    F: Future<Output = ()> + Send + 'static,
{
    let mut world = World::new(|_| None).await;
    world.config.resolve = vec![format!("*:{}", listener.local_addr().unwrap()).parse().unwrap()];
    world.config.max_attempts = attempts;
    for number in 0..4 {
        world.add(&format!("http://a.test/{number}"), Why::Seed).await;
    }
    let mut serving = JoinSet::new();
    serving.spawn(async move {
        let mut open = JoinSet::new();
        for number in 0.. {
            let (stream, _) = listener.accept().await.unwrap();
            open.spawn(serve(number, stream));
        }
    });
    world.crawl().await;
    world.counted(Outcome::Fetched)
}

#[tokio::test]
async fn a_server_that_closes_connections_at_its_next_request_is_read() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let read = read_four(listener, 2, |_, mut stream| async move {
        // It says that the connection stays open, and closes it when the next request comes.
        let Some(head) = read_head(&mut stream).await else { return };
        stream.write_all(&page_or_none(&head)).await.ok();
        let _next = read_head(&mut stream).await;
    });
    assert_eq!(read.await, 4);
}

#[tokio::test]
async fn a_server_that_closes_every_second_connection_without_an_answer_is_read() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let read = read_four(listener, 4, |number, mut stream| async move {
        let Some(head) = read_head(&mut stream).await else { return };
        if number % 2 == 0 {
            let answer = String::from_utf8(page_or_none(&head)).unwrap();
            let answer = answer.replacen("\r\n", "\r\nConnection: close\r\n", 1);
            stream.write_all(answer.as_bytes()).await.ok();
        }
    });
    assert_eq!(read.await, 4);
}

#[tokio::test]
async fn a_server_with_an_ipv6_address_alone_is_read() {
    let Ok(listener) = TcpListener::bind("[::1]:0").await else {
        eprintln!("this machine has no IPv6: nothing was tried");
        return;
    };
    let read = read_four(listener, 2, |_, mut stream| async move {
        while let Some(head) = read_head(&mut stream).await {
            stream.write_all(&page_or_none(&head)).await.ok();
        }
    });
    assert_eq!(read.await, 4);
}
