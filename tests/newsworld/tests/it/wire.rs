//! What a client gets from the server: raw HTTP/1.1 over a socket, so that no client library hides anything.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use newslode_newsworld::{Content, Replay, Server, Trouble, World, WorldSpec};

use crate::html::place;

struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(": "))
    }
}

/// One request on a connection of its own; `more` holds header lines.
async fn get(addr: SocketAddr, host: &str, path: &str, more: &str) -> Answer {
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{more}\r\n");
    let bytes = tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(addr).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        // Some tests expect the connection to break off: keep what came.
        drop(stream.read_to_end(&mut bytes));
        bytes
    })
    .await
    .unwrap();
    let split = bytes.windows(4).position(|w| w == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(bytes[..split].to_vec()).unwrap();
    Answer { status: head[9..12].parse().unwrap(), head, body: bytes[split + 4..].to_vec() }
}

async fn start(content: impl Content) -> Server {
    Server::start(content, "127.0.0.1:0".parse().unwrap()).await.unwrap()
}

fn world(faults: bool) -> World {
    World::generate(&WorldSpec { faults, ..WorldSpec::default() })
}

#[tokio::test]
async fn the_host_header_chooses_the_site() {
    let world = world(false);
    let names: Vec<(String, String)> = world.sites().map(|s| (s.host.clone(), s.name.clone())).collect();
    let pages: Vec<Vec<u8>> = names.iter().map(|(host, _)| world.respond(host, "/").body).collect();
    let server = start(world).await;
    for ((host, name), page) in names.iter().zip(&pages) {
        let answer = get(server.addr(), &format!("{}:8080", host.to_uppercase()), "/", "").await;
        assert_eq!(answer.status, 200);
        assert_eq!(&answer.body, page, "{name}");
    }
    assert_eq!(get(server.addr(), "nobody.test", "/", "").await.status, 404);
    assert_eq!(get(server.addr(), &names[0].0, "/no/such/page", "").await.status, 404);
    let redirect = get(server.addr(), &names[0].0, "/old/chain1", "").await;
    assert_eq!(redirect.status, 301);
    assert_eq!(redirect.header("location"), Some(format!("http://{}/old/chain2", names[0].0).as_str()));
    assert_eq!(server.requests(), names.len() as u64 + 3);
    assert_eq!(server.counts()[&(names[0].0.clone(), "/".to_owned())], 1);
    let arrivals = server.arrivals();
    assert!(arrivals.windows(2).all(|w| w[0].at <= w[1].at));
    let addr = server.addr();
    server.stop().await;
    assert!(TcpStream::connect(addr).is_err());
}

#[tokio::test]
async fn unchanged_pages_are_304_by_tag_and_by_date() {
    let world = world(false);
    let hosts: Vec<String> = world.sites().map(|s| s.host.clone()).collect();
    let server = start(world).await;
    let (mut tags, mut dates) = (0, 0);
    for host in &hosts {
        let first = get(server.addr(), host, "/", "").await;
        if let Some(tag) = first.header("etag") {
            let again = get(server.addr(), host, "/", &format!("If-None-Match: {tag}\r\n")).await;
            assert_eq!((again.status, again.body.len()), (304, 0));
            let other = get(server.addr(), host, "/", "If-None-Match: \"other\"\r\n").await;
            assert_eq!(other.status, 200);
            tags += 1;
        }
        if let Some(date) = first.header("last-modified") {
            let again = get(server.addr(), host, "/", &format!("If-Modified-Since: {date}\r\n")).await;
            assert_eq!((again.status, again.body.len()), (304, 0));
            dates += 1;
        }
    }
    assert!(tags > 0 && dates > 0);
    server.stop().await;
}

#[tokio::test]
async fn some_sites_compress_for_clients_that_accept_it() {
    let world = world(false);
    let sites: Vec<(String, bool)> = world.sites().map(|s| (s.host.clone(), s.gzip)).collect();
    assert!(sites.iter().any(|(_, gzip)| *gzip) && sites.iter().any(|(_, gzip)| !gzip));
    let server = start(world).await;
    for (host, gzip) in &sites {
        let plain = get(server.addr(), host, "/", "").await;
        let packed = get(server.addr(), host, "/", "Accept-Encoding: br, gzip\r\n").await;
        assert_eq!(packed.header("content-encoding").is_some(), *gzip);
        if *gzip {
            let mut body = Vec::new();
            flate2::read::GzDecoder::new(&packed.body[..]).read_to_end(&mut body).unwrap();
            assert_eq!(body, plain.body);
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn faults_happen_and_pass() {
    let world = world(true);
    let articles = world.gold().articles.iter().map(|a| place(&a.url));
    let bad: Vec<_> = articles
        .map(|(host, path)| (world.respond(&host, &path), host, path))
        .filter(|(reply, _, _)| reply.trouble.is_some() || !reply.delay.is_zero())
        .take(6)
        .collect();
    assert_eq!(bad.len(), 6, "the first site has all six");
    let server = start(world).await;
    for (reply, host, path) in &bad {
        let begun = Instant::now();
        let first = get(server.addr(), host, path, "").await;
        let failures = match reply.trouble {
            None => {
                assert!(begun.elapsed() >= Duration::from_millis(300));
                0
            }
            Some(Trouble::Status { status, times }) => {
                assert_eq!((first.status, first.header("retry-after")), (status, Some("1")));
                times
            }
            Some(Trouble::Cut) => {
                assert_eq!(first.status, 200);
                assert!(!first.body.ends_with(b"0\r\n\r\n"), "the last chunk must not come");
                assert!(first.body.len() > 100 && first.body.len() < reply.body.len());
                1
            }
        };
        for _ in 1..failures {
            assert_ne!(get(server.addr(), host, path, "").await.status, 200);
        }
        let last = get(server.addr(), host, path, "").await;
        assert_eq!((last.status, &last.body), (200, &reply.body));
    }
    server.stop().await;
}

#[tokio::test]
async fn recorded_sites_answer_under_their_own_names() {
    let dir = tempfile::tempdir().unwrap();
    let record = |folder: &str, manifest: &str, pages: &[(&str, &str)]| {
        let site = dir.path().join(folder);
        std::fs::create_dir_all(site.join("pages")).unwrap();
        std::fs::write(site.join("manifest.jsonl"), manifest).unwrap();
        for (name, text) in pages {
            std::fs::write(site.join("pages").join(name), text).unwrap();
        }
    };
    record(
        "www.one.example",
        "{\"file\":\"pages/0000.html\",\"url\":\"https://www.one.example/index.html\",\"kind\":\"home\"}\n\
         {\"file\":\"pages/0001.html\",\"url\":\"http://one.example/a.html\",\
         \"canonical\":\"https://www.one.example/news/a/\",\"kind\":\"article\"}\n",
        &[("0000.html", "home of one"), ("0001.html", "a")],
    );
    record(
        "blog.two.example-articles-2013",
        "{\"file\":\"pages/0000.html\",\"url\":\"http://blog.two.example/x?id=5\",\"kind\":\"article\"}\n",
        &[("0000.html", "x five")],
    );
    let replay = Replay::open(dir.path()).unwrap();
    assert_eq!(replay.seeds(), ["http://www.one.example/index.html"]);
    let server = start(replay).await;
    for (host, path, body) in [
        ("www.one.example", "/", "home of one"),
        ("one.example", "/index.html", "home of one"),
        ("one.example", "/news/a", "a"),
        ("www.one.example", "/a.html", "a"),
        ("blog.two.example", "/x?id=5", "x five"),
    ] {
        let answer = get(server.addr(), host, path, "").await;
        assert_eq!((answer.status, answer.body.as_slice()), (200, body.as_bytes()), "{host}{path}");
    }
    for (host, path) in [("one.example", "/nothing"), ("blog.two.example", "/x?id=6"), ("three.example", "/")]
    {
        assert_eq!(get(server.addr(), host, path, "").await.status, 404, "{host}{path}");
    }
    server.stop().await;
}

#[test]
fn a_bad_manifest_is_refused_with_its_line() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(Replay::open(dir.path()).unwrap_err().kind(), std::io::ErrorKind::NotFound);
    for (line, why) in [
        ("{\"file\":\"../secret\",\"url\":\"http://a.example/\"}", "outside"),
        ("{\"file\":\"p.html\"}", "url"),
    ] {
        std::fs::write(dir.path().join("manifest.jsonl"), format!("\n{line}\n")).unwrap();
        let error = Replay::open(dir.path()).unwrap_err().to_string();
        assert!(error.starts_with("line 2 of") && error.contains(why), "{error}");
    }
}
