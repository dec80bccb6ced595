//! Servers' answers, and the outcome of each.

use std::io::Write as _;
use std::time::Duration;

use axum::body::Body;
use futures::StreamExt as _;
use newslode_common::config::{CrawlerConfig, Secret};
use newslode_common::message;
use newslode_common::outcome::Outcome;
use newslode_common::store::{Frontier, Kind, NewUrl, PageArchive, Why};
use newslode_common::time;

use crate::world::{PAGE, World, answer, body_of, check, html};

const SEED: &str = "http://a.test/";

#[tokio::test]
async fn a_page_is_archived_published_and_complete() {
    let world =
        check(|request| (request.page == "a.test/").then(|| html(PAGE))?, SEED, Outcome::Fetched).await;
    let [page] = world.pages().try_into().unwrap();
    assert_eq!(body_of(&page), PAGE.as_bytes());
    assert_eq!(page.content_type.as_deref(), Some("text/html"));
    assert_eq!(page.version.fetch, 2, "the first turn was that of robots.txt");
    assert_eq!(world.entry(SEED).content, Some(page.version.content));
    let kept = world.archive.get(Kind::Page, page.version.content).await.unwrap().unwrap();
    assert_eq!(message::envelope::open::<message::FetchedPage>(&kept).unwrap(), page);
    assert_eq!(world.metrics.fetched_bytes.get(), PAGE.len() as u64);
}

#[tokio::test]
async fn a_large_body_goes_through_the_archive() {
    // Hashes do not compress.
    let mut noise = String::from("<html><p>");
    for number in 0..80_000_u32 {
        let hash = newslode_common::version::ContentHash::of(
            &"http://n.test/".parse().unwrap(),
            None,
            &number.to_le_bytes(),
        );
        noise.push_str(&hash.to_string());
    }
    let sent = noise.clone();
    let world =
        check(move |request| (request.page == "a.test/").then(|| html(&sent))?, SEED, Outcome::Fetched).await;
    let [page] = world.pages().try_into().unwrap();
    assert_eq!(page.body, message::Body::Archived, "{} bytes", noise.len());
    let kept = world.archive.get(Kind::Page, page.version.content).await.unwrap().unwrap();
    assert_eq!(body_of(&message::envelope::open(&kept).unwrap()), noise.as_bytes());
}

#[tokio::test]
async fn each_answer_has_its_outcome() {
    check(|_| None, SEED, Outcome::Gone).await;
    check(|_| answer(410, [], ""), SEED, Outcome::Gone).await;
    check(|_| answer(403, [], "no"), SEED, Outcome::Refused).await;
    check(|_| answer(200, [("content-type", "text/html")], " \n\t "), SEED, Outcome::Empty).await;
    check(|_| answer(200, [], ""), SEED, Outcome::Empty).await;
    check(|_| answer(200, [("content-type", "application/pdf")], PAGE), SEED, Outcome::NotHtml).await;
    check(|_| answer(200, [], "%PDF-1.7 and so on"), SEED, Outcome::NotHtml).await;
    check(|_| answer(200, [], PAGE), SEED, Outcome::Fetched).await;
    check(|_| answer(200, [("content-type", "Text/HTML;charset=x")], PAGE), SEED, Outcome::Fetched).await;
}

#[tokio::test]
async fn a_failing_server_is_tried_again_and_given_up() {
    let only_page = |request: &crate::world::SeenRequest| request.page == "a.test/";
    let world =
        check(move |request| only_page(request).then(|| answer(500, [], ""))?, SEED, Outcome::ServerError)
            .await;
    assert_eq!(
        (world.hits("a.test/"), world.metrics.retries.get()),
        (2, 2),
        "robots.txt, and the first attempt"
    );
    let world = check(
        move |request| match (only_page(request), request.nth) {
            (true, 1) => answer(502, [], ""),
            (true, _) => html(PAGE),
            _ => None,
        },
        SEED,
        Outcome::Fetched,
    )
    .await;
    assert_eq!(world.pages()[0].version.fetch, 3);
}

#[tokio::test]
async fn a_wait_for_retry_after_counts_as_no_attempt() {
    let started = std::time::Instant::now();
    let world = check(
        |request| match (request.page == "a.test/", request.nth) {
            (true, 1) => answer(503, [("retry-after", "1")], ""),
            (true, 2) => answer(429, [("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")], ""),
            (true, _) => html(PAGE),
            _ => None,
        },
        SEED,
        Outcome::Fetched,
    )
    .await;
    assert!(started.elapsed() >= Duration::from_secs(2), "a second each");
    assert_eq!((world.hits("a.test/"), world.metrics.retries.get()), (3, 3), "one of them of robots.txt");
}

#[tokio::test]
async fn slow_and_broken_answers_are_given_up() {
    let mut world = World::new(|request| {
        let body = Body::from_stream(futures::stream::pending::<Result<&str, std::io::Error>>());
        (request.page == "a.test/").then(|| answer(200, [("content-type", "text/html")], body))?
    })
    .await;
    world.config.timeout_ms = 300;
    world.add(SEED, Why::Seed).await;
    world.crawl().await;
    world.expect(SEED, Outcome::Timeout);
    assert_eq!(world.hits("a.test/"), 2);
    let cut = || {
        let parts = futures::stream::iter([Ok("<html><p>half"), Err(std::io::Error::other("cut"))]);
        // What was written before is sent first.
        let parts = parts.then(|part| async {
            if part.is_err() {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            part
        });
        answer(200, [("content-type", "text/html")], Body::from_stream(parts))
    };
    let world = check(move |request| (request.page == "a.test/").then(cut)?, SEED, Outcome::Fetched).await;
    assert_eq!(body_of(&world.pages()[0]), b"<html><p>half", "what came is kept");
    let gzip = [("content-type", "text/html"), ("content-encoding", "gzip")];
    let web = move |request: &crate::world::SeenRequest| {
        (request.page == "a.test/").then(|| answer(200, gzip, PAGE))?
    };
    let world = check(web, SEED, Outcome::Fetched).await;
    assert_eq!(body_of(&world.pages()[0]), PAGE.as_bytes(), "it is not packed, whatever it says");
    let broken = move |request: &crate::world::SeenRequest| {
        (request.page == "a.test/").then(|| answer(200, gzip, vec![0x1F, 0x8B, 8, 0, 1, 2, 3]))?
    };
    check(broken, SEED, Outcome::Unreachable).await;
}

#[tokio::test]
async fn a_page_over_the_limit_is_refused_in_every_encoding() {
    let limit = CrawlerConfig::default().max_page_bytes as usize;
    let plain = "<p>word ".repeat(limit / 8 + 1);
    check(move |request| (request.page == "a.test/").then(|| html(&plain))?, SEED, Outcome::TooLarge).await;
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..20 {
        packer.write_all(&vec![b' '; limit]).unwrap();
    }
    let bomb = packer.finish().unwrap();
    assert!(bomb.len() < limit / 40, "{} bytes on the wire", bomb.len());
    let headers = [("content-type", "text/html"), ("content-encoding", "gzip")];
    let sent = bomb.clone();
    check(
        move |request| (request.page == "a.test/").then(|| answer(200, headers, sent.clone()))?,
        SEED,
        Outcome::TooLarge,
    )
    .await;
}

#[tokio::test]
async fn usual_encodings_are_accepted_and_a_zstd_bomb_is_refused() {
    let packed = zstd::stream::encode_all(PAGE.as_bytes(), 3).unwrap();
    let headers = [("content-type", "text/html"), ("content-encoding", "zstd")];
    let web = move |request: &crate::world::SeenRequest| {
        let asked = request.headers.get("accept-encoding").unwrap().to_str().unwrap();
        let is_asked = |packing| asked.split(',').any(|one| one.trim() == packing);
        let all = ["gzip", "br", "zstd", "deflate"].into_iter().all(is_asked);
        (request.page == "a.test/" && all).then(|| answer(200, headers, packed.clone()))?
    };
    let world = check(web, SEED, Outcome::Fetched).await;
    assert_eq!(body_of(&world.pages()[0]), PAGE.as_bytes());

    let limit = CrawlerConfig::default().max_page_bytes;
    let spaces = std::io::Read::take(std::io::repeat(b' '), 20 * limit);
    let bomb = zstd::stream::encode_all(spaces, 3).unwrap();
    assert!(bomb.len() < 100_000, "{} bytes on the wire", bomb.len());
    let web = move |request: &crate::world::SeenRequest| {
        (request.page == "a.test/").then(|| answer(200, headers, bomb.clone()))?
    };
    check(web, SEED, Outcome::TooLarge).await;
}

/// A proxy that answers every request itself. Returns its address and what it was asked for.
async fn proxy()
-> (std::net::SocketAddr, std::sync::Arc<std::sync::Mutex<Vec<String>>>, tokio::task::JoinSet<()>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let asked = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let noted = asked.clone();
    let router = axum::Router::new().fallback(move |request: axum::extract::Request| {
        noted.lock().unwrap().push(request.uri().to_string());
        let is_page = !request.uri().path().ends_with("robots.txt");
        async move { if is_page { html(PAGE) } else { answer(404, [], "") }.unwrap() }
    });
    let mut serving = tokio::task::JoinSet::new();
    serving.spawn(async move { axum::serve(listener, router).await.unwrap() });
    (address, asked, serving)
}

#[tokio::test]
async fn a_proxy_gets_only_requests_whose_addresses_were_checked() {
    let (address, asked, _serving) = proxy().await;
    let mut world = World::new(|_| None).await;
    // The name of the proxy's host leads to a private address, which is the operator's choice.
    world.config.proxy = Secret::new(format!("http://localhost:{}", address.port()));
    world.config.resolve = vec!["a.test:93.184.216.34:80".parse().unwrap()];
    for url in ["http://a.test/", "http://localhost/", "http://127.0.0.1/"] {
        world.add(url, Why::Seed).await;
    }
    world.crawl().await;
    world.expect("http://a.test/", Outcome::Fetched);
    world.expect("http://localhost/", Outcome::PrivateAddress);
    world.expect("http://127.0.0.1/", Outcome::PrivateAddress);
    assert_eq!(*asked.lock().unwrap(), ["http://a.test/robots.txt", "http://a.test/"]);
}

#[tokio::test]
async fn a_page_that_did_not_change_is_not_published_again() {
    let mut world = World::new(|request| match request.page.as_str() {
        "a.test/" if request.headers.get("if-none-match").is_some_and(|tag| tag == "\"1\"") => {
            answer(304, [], "")
        }
        "a.test/" => answer(200, [("content-type", "text/html"), ("etag", "\"1\"")], PAGE),
        "b.test/" => html(PAGE),
        _ => None,
    })
    .await;
    world.config.revisit_s = 1;
    world.add("http://a.test/", Why::Seed).await;
    world.add("http://b.test/", Why::Seed).await;
    world.crawl_until(|world| world.counted(Outcome::Unchanged) == 2).await.unwrap();
    assert_eq!((world.pages().len(), world.counted(Outcome::Fetched)), (2, 2));
    assert_eq!(world.entry("http://a.test/").validators.etag.as_deref(), Some("\"1\""), "kept over a 304");
    assert!(world.entry("http://a.test/").due.is_some() && world.entry("http://a.test/").content.is_some());
}

#[tokio::test]
async fn a_page_that_is_gone_when_it_is_visited_again_ends_and_stays_mined() {
    let mut world = World::new(|request| match (request.page.as_str(), request.nth) {
        ("a.test/", 1) => html(PAGE),
        _ => None,
    })
    .await;
    world.config.revisit_s = 1;
    world.add(SEED, Why::Seed).await;
    world.crawl_until(|world| world.counted(Outcome::Gone) == 1).await.unwrap();
    let entry = world.entry(SEED);
    assert_eq!((entry.outcome, entry.due), (Some(Outcome::Gone), None));
    let [page] = world.pages().try_into().unwrap();
    assert_eq!(entry.content, Some(page.version.content), "the miner was told nothing else");
}

#[tokio::test]
async fn private_addresses_are_refused_in_every_spelling() {
    let mut world = World::new(|_| html(PAGE)).await;
    let port = world.port;
    world.config.resolve = vec![format!("a.test:127.0.0.1:{port}").parse().unwrap()];
    let urls = [
        format!("http://127.0.0.1:{port}/"),
        format!("http://2130706433:{port}/decimal"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("http://localhost:{port}/"),
    ];
    for url in &urls {
        let url: newslode_page::reading::CanonicalUrl = url.parse().unwrap();
        if world.frontier.site(&url.site()).await.unwrap().is_none() {
            world.add(url.as_str(), Why::Seed).await;
        } else {
            let new = NewUrl::once(url, 0, Why::Seed, 0);
            world.frontier.add(&[new], time::now()).await.unwrap();
        }
    }
    world.add("http://a.test/", Why::Seed).await;
    world.crawl().await;
    assert_eq!((world.counted(Outcome::PrivateAddress), world.counted(Outcome::Fetched)), (4, 1));
    assert_eq!(world.hits("a.test/"), 1, "an operator's rule may lead to loopback");
    assert_eq!(world.hits(&format!("127.0.0.1:{port}/")) + world.hits(&format!("localhost:{port}/")), 0);
    world.config.allow_private = true;
    world.add(&format!("http://127.0.0.1:{port}/open"), Why::Seed).await;
    world.crawl_until(|world| world.counted(Outcome::Fetched) == 2).await.unwrap();
}

/// A server that writes these bytes, and closes the connection, whatever it is asked for but robots.txt.
async fn raw_server(bytes: Vec<u8>) -> (u16, tokio::task::JoinSet<()>) {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut serving = tokio::task::JoinSet::new();
    serving.spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = vec![0; 4_096];
            let read = stream.read(&mut request).await.unwrap_or(0);
            let is_robots = request[..read].starts_with(b"GET /robots.txt");
            let none = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            // The crawler may have gone away.
            let _ignored = stream.write_all(if is_robots { none } else { &bytes }).await;
        }
    });
    (port, serving)
}

/// What is read of the front page of a server that writes these bytes.
pub(crate) async fn read_raw(bytes: Vec<u8>) -> (Option<Outcome>, Vec<u8>) {
    let (port, _serving) = raw_server(bytes).await;
    let mut world = World::new(|_| None).await;
    world.config.resolve = vec![format!("*:127.0.0.1:{port}").parse().unwrap()];
    world.add(SEED, Why::Seed).await;
    world.crawl().await;
    let body = world.pages().first().map(body_of).unwrap_or_default();
    (world.entry(SEED).outcome, body)
}

#[tokio::test]
async fn header_lines_that_browsers_take_are_taken() {
    let many: String = (0..300).map(|n| format!("X-{n}: {n}\r\n")).collect();
    let lines =
        ["X-Long: a\r\n  b\r\n", "X-Name : a\r\n", "X Name: a\r\n", "no colon\r\n", "X: a\u{7f}b\r\n", &many];
    for line in lines {
        let answer =
            format!("HTTP/1.1 200 OK\r\n{line}Content-Type: text/html\r\nConnection: close\r\n\r\n{PAGE}");
        let (outcome, body) = read_raw(answer.into_bytes()).await;
        assert_eq!((outcome, body.as_slice()), (Some(Outcome::Fetched), PAGE.as_bytes()), "{line:?}");
    }
}

/// RFC 9110 has such lines replaced or the answer refused; the client can only refuse.
#[tokio::test]
async fn a_nul_or_a_lone_carriage_return_in_the_header_ends_the_answer() {
    for line in ["X: a\0b\r\n", "X\0: a\r\n", "X: a\rb\r\n"] {
        let answer =
            format!("HTTP/1.1 200 OK\r\n{line}Content-Type: text/html\r\nConnection: close\r\n\r\n{PAGE}");
        assert_eq!(read_raw(answer.into_bytes()).await, (Some(Outcome::Unreachable), vec![]), "{line:?}");
    }
}

#[tokio::test]
async fn what_came_of_a_body_is_kept_whatever_its_length_was_said_to_be() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n";
    let long = format!("<html><p>{}", "Many words of a page. ".repeat(2_000));
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(long.as_bytes()).unwrap();
    let packed = packer.finish().unwrap();
    let with = |fields: &str, body: &[u8]| [head.as_bytes(), fields.as_bytes(), b"\r\n", body].concat();
    for (answer, least) in [
        (with("Content-Length: 5000\r\n", PAGE.as_bytes()), PAGE.len()),
        (with(&format!("Content-Length: {}\r\nContent-Encoding: gzip\r\n", long.len()), &packed), long.len()),
        (
            with("Transfer-Encoding: chunked\r\n", format!("{:x}\r\n{PAGE}\r\n", PAGE.len()).as_bytes()),
            PAGE.len(),
        ),
        (with("Content-Encoding: gzip\r\n", &packed[..packed.len() - 30]), long.len() / 4),
        (with("Content-Encoding: GZIP, identity\r\n", &packed), long.len()),
        (with("", &packed), long.len()),
    ] {
        let (outcome, body) = read_raw(answer.clone()).await;
        assert_eq!(outcome, Some(Outcome::Fetched), "{}", String::from_utf8_lossy(&answer[..120]));
        assert!(body.len() >= least && body.starts_with(b"<"), "{} of {least} bytes", body.len());
    }
}

#[tokio::test]
async fn a_robots_txt_that_ends_too_early_is_unreachable() {
    let cut = || {
        let parts = [Ok("User-agent: *\nDisa"), Err(std::io::Error::other("cut"))];
        answer(200, [("content-type", "text/plain")], Body::from_stream(futures::stream::iter(parts)))
    };
    let web = move |request: &crate::world::SeenRequest| match request.page.as_str() {
        "a.test/robots.txt" => cut(),
        _ => html(PAGE),
    };
    check(web, SEED, Outcome::RobotsUnreachable).await;
}
