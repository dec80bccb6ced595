//! Sites behind TLS: causes of failures by name, authorities and exceptions of one's own, and what goes to one site only.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use newslode_common::config::Secret;
use newslode_common::outcome::Outcome;
use newslode_common::store::Why;
use newslode_common::warc::{Found, Limits, Reader};
use newslode_crawler::web::Internet;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::world::{PAGE, World, html};

/// A folder with authorities and certificates.
pub(crate) struct Certificates(tempfile::TempDir);

const KEY: &str = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";

impl Certificates {
    /// With two authorities: `ours` and `strange`.
    pub(crate) fn new() -> Certificates {
        let made = Certificates(tempfile::tempdir().unwrap());
        for name in ["ours", "strange"] {
            made.openssl(&format!(
                "req -x509 {KEY} -days 2 -keyout {name}.key -out {name}.crt -subj /CN={name}"
            ));
        }
        made
    }

    fn openssl(&self, arguments: &str) {
        let made = Command::new("openssl").args(arguments.split(' ')).current_dir(&self.0).output().unwrap();
        assert!(made.status.success(), "openssl {arguments}\n{}", String::from_utf8_lossy(&made.stderr));
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A server's certificate for these names (`DNS:a.test`), signed for so many days from now.
    fn sign(&self, file: &str, authority: &str, names: &str, days: i32) -> TlsAcceptor {
        self.sign_certificate(file, authority, names, days);
        self.acceptor(file)
    }

    pub(crate) fn sign_certificate(&self, file: &str, authority: &str, names: &str, days: i32) {
        let server = "-addext basicConstraints=critical,CA:FALSE -subj /CN=server";
        let names = format!("-addext subjectAltName={names}");
        self.openssl(&format!("req -new {KEY} -keyout {file}.key -out {file}.csr {names} {server}"));
        let by = format!("-CA {authority}.crt -CAkey {authority}.key -CAcreateserial -copy_extensions copy");
        self.openssl(&format!("x509 -req -in {file}.csr {by} -days {days} -out {file}.crt"));
    }

    /// A certificate that vouches for itself; `more`: further options.
    fn sign_itself(&self, file: &str, name: &str, more: &str) -> TlsAcceptor {
        let subject = format!("-subj /CN={name} -addext subjectAltName=DNS:{name}{more}");
        self.openssl(&format!("req -x509 {KEY} -days 2 -keyout {file}.key -out {file}.crt {subject}"));
        self.acceptor(file)
    }

    fn acceptor(&self, file: &str) -> TlsAcceptor {
        self.acceptor_of(file, &[])
    }

    /// `protocols`: what the server offers by ALPN.
    pub(crate) fn acceptor_of(&self, file: &str, protocols: &[&str]) -> TlsAcceptor {
        newslode_common::tls::ready();
        let chain = CertificateDer::from_pem_file(self.path(&format!("{file}.crt"))).unwrap();
        let key = PrivateKeyDer::from_pem_file(self.path(&format!("{file}.key"))).unwrap();
        let mut config =
            ServerConfig::builder().with_no_client_auth().with_single_cert(vec![chain], key).unwrap();
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
        TlsAcceptor::from(Arc::new(config))
    }

    /// Writes a file of settings that only its owner may read.
    fn sites_file(&self, text: &str) -> String {
        let path = self.path("sites.toml");
        std::fs::File::create(&path).unwrap().write_all(text.as_bytes()).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        path.display().to_string()
    }
}

/// Heads of requests.
type Heads = Arc<Mutex<Vec<String>>>;

/// A server on loopback that answers each connection once.
struct Server {
    port: u16,
    heads: Heads,
    _tasks: JoinSet<()>,
}

async fn read_head(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let Ok(byte) = stream.read_u8().await else { break };
        head.push(byte);
    }
    String::from_utf8(head).unwrap()
}

impl Server {
    async fn start<F>(serve: impl Fn(TcpStream, Heads) -> F + Send + 'static) -> Server
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (heads, mut tasks) = (Heads::default(), JoinSet::new());
        let seen = heads.clone();
        tasks.spawn(async move {
            let mut open = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                open.spawn(serve(stream, seen.clone()));
            }
        });
        Server { port, heads, _tasks: tasks }
    }

    /// `web` gets host and path, and the request's head, and returns the lines of an answer's head; none: 404.
    async fn https(acceptor: TlsAcceptor, web: fn(&str, &str) -> Option<&'static str>) -> Server {
        Server::start(move |stream, heads| {
            let acceptor = acceptor.clone();
            async move {
                let Ok(mut stream) = acceptor.accept(stream).await else { return };
                let head = read_head(&mut stream).await;
                let host = head.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
                let page = format!("{host}{}", head.split(' ').nth(1).unwrap_or_default());
                let lines = web(&page, &head).unwrap_or("404 Not Found\r\n");
                heads.lock().unwrap().push(head);
                let body = if lines.starts_with("200") { PAGE } else { "" };
                let length = body.len();
                let answer = format!(
                    "HTTP/1.1 {lines}Content-Type: text/html\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
                );
                stream.write_all(answer.as_bytes()).await.ok();
                stream.shutdown().await.ok();
            }
        })
        .await
    }

    /// The requests for a page, such as `a.test/robots.txt`.
    fn requests_for(&self, host: &str, path: &str) -> Vec<String> {
        let is_it = |head: &&String| {
            head.starts_with(&format!("GET {path} ")) && head.contains(&format!("\r\nhost: {host}\r\n"))
        };
        self.heads.lock().unwrap().iter().filter(is_it).cloned().collect()
    }
}

fn front_page(page: &str, _: &str) -> Option<&'static str> {
    page.ends_with(".test/").then_some("200 OK\r\n")
}

/// A world in which these hosts are on these servers.
async fn world(hosts: &[(&str, &Server)]) -> World {
    let mut world = World::new(|_| None).await;
    let rule =
        |(host, server): &(&str, &Server)| format!("{host}:127.0.0.1:{}", server.port).parse().unwrap();
    world.config.resolve = hosts.iter().map(rule).collect();
    world
}

async fn crawl(world: &World, urls: &[&str]) {
    for url in urls {
        world.add(url, Why::Seed).await;
    }
    world.crawl().await;
}

#[tokio::test]
async fn each_failure_of_tls_is_named_and_an_authority_of_ones_own_is_trusted() {
    let made = Certificates::new();
    let trusted = Server::https(made.sign("good", "ours", "DNS:good.test", 2), front_page).await;
    let expired = Server::https(made.sign("old", "ours", "DNS:expired.test", -1), front_page).await;
    let wrong = Server::https(made.sign("wrong", "ours", "DNS:another.test", 2), front_page).await;
    let unknown = Server::https(made.sign("far", "strange", "DNS:unknown.test", 2), front_page).await;
    let itself = Server::https(made.sign_itself("itself", "itself.test", ""), front_page).await;
    let leaf = " -addext basicConstraints=critical,CA:FALSE";
    let leaf = Server::https(made.sign_itself("leaf", "leaf.test", leaf), front_page).await;
    // An alert that refuses the versions of TLS that were offered.
    let ancient = Server::start(|mut stream, _| async move {
        stream.read_u8().await.ok();
        stream.write_all(&[21, 3, 1, 0, 2, 2, 70]).await.ok();
        stream.shutdown().await.ok();
        while stream.read_u8().await.is_ok() {}
    })
    .await;
    let plain = Server::start(|mut stream, _| async move {
        stream.read_u8().await.ok();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.ok();
        stream.shutdown().await.ok();
        while stream.read_u8().await.is_ok() {}
    })
    .await;
    let cases = [
        ("good.test", &trusted, Outcome::Fetched),
        ("expired.test", &expired, Outcome::TlsExpired),
        ("wrong.test", &wrong, Outcome::TlsWrongHost),
        ("unknown.test", &unknown, Outcome::TlsUnknownIssuer),
        ("itself.test", &itself, Outcome::TlsSelfSigned),
        ("leaf.test", &leaf, Outcome::TlsSelfSigned),
        ("ancient.test", &ancient, Outcome::TlsNoCommonProtocol),
        ("plain.test", &plain, Outcome::TlsFailed),
    ];
    let mut world = world(&cases.map(|(host, server, _)| (host, server))).await;
    world.config.ca_file = made.path("ours.crt").display().to_string();
    let urls = cases.map(|(host, _, _)| format!("https://{host}/"));
    crawl(&world, &urls.each_ref().map(String::as_str)).await;
    for (host, _, outcome) in cases {
        world.expect(&format!("https://{host}/"), outcome);
    }
}

#[tokio::test]
async fn without_its_authority_a_site_is_not_trusted() {
    let made = Certificates::new();
    let server = Server::https(made.sign("good", "ours", "DNS:good.test", 2), front_page).await;
    let world = world(&[("good.test", &server)]).await;
    crawl(&world, &["https://good.test/"]).await;
    world.expect("https://good.test/", Outcome::TlsUnknownIssuer);
}

#[tokio::test]
async fn an_exception_lets_one_site_through_and_no_other() {
    let made = Certificates::new();
    let server = Server::https(made.sign_itself("itself", "nobody.test", ""), front_page).await;
    let hosts = ["a.test", "www.a.test", "b.test", "bada.test"].map(|host| (host, &server));
    let mut world = world(&hosts).await;
    world.config.sites_file = made.sites_file("['a.test']\naccept_invalid_certificate = true\n");
    crawl(&world, &hosts.map(|(host, _)| format!("https://{host}/")).each_ref().map(String::as_str)).await;
    for (host, outcome) in [
        ("a.test", Outcome::Fetched),
        ("www.a.test", Outcome::Fetched),
        ("b.test", Outcome::TlsWrongHost),
        ("bada.test", Outcome::TlsWrongHost),
    ] {
        // Of a certificate that is wrong in two ways, either may be named.
        let found = world.entry(&format!("https://{host}/")).outcome.unwrap();
        assert!(found == outcome || (outcome.is_tls() && found.is_tls()), "{host}: {found}");
    }
}

/// What is written to the log.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Log {
    /// Logs everything of this thread until the guard is dropped.
    fn of_this_thread(&self) -> tracing::subscriber::DefaultGuard {
        let log = self.clone();
        let all = tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE);
        tracing::subscriber::set_default(all.with_ansi(false).with_writer(move || log.clone()).finish())
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }
}

/// The blocks of all records in a folder.
async fn records(folder: &Path) -> String {
    let files = || std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let is_index = |file: &PathBuf| file.extension().is_some_and(|end| end == "cdxj");
    while files().any(|file| file.extension().is_some_and(|end| end == "open")) {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let mut text = String::new();
    for file in files().filter(|file| !is_index(file)) {
        for found in Reader::open(&file, Limits::default()).unwrap() {
            let Ok(Found::Record(record)) = found else { panic!("{found:?}") };
            text.push_str(&String::from_utf8_lossy(&record.block));
        }
    }
    text
}

const SITES: &str = "['a.test']\ncookies = 'sid=hunter2; plan=hunter2'\nuser_agent = 'Agreed/hunter2'\n\
                     headers = { Authorization = 'Bearer hunter2' }\n";

/// From `a.test` by way of `b.test`, which both set a cookie, back to `a.test`.
fn detour(page: &str, head: &str) -> Option<&'static str> {
    match page {
        "a.test/" if head.contains("seen=") => Some("200 OK\r\n"),
        "a.test/" => {
            Some("302 Found\r\nLocation: https://b.test/wall\r\nSet-Cookie: seen=hunter2; Domain=a.test\r\n")
        }
        "b.test/wall" => Some("302 Found\r\nLocation: https://a.test/\r\nSet-Cookie: wall=up\r\n"),
        "www.a.test/" => Some("200 OK\r\n"),
        _ => None,
    }
}

#[tokio::test]
async fn what_is_meant_for_a_site_reaches_its_hosts_and_no_other_and_is_shown_nowhere() {
    let made = Certificates::new();
    let names = "DNS:a.test,DNS:www.a.test,DNS:b.test";
    let server = Server::https(made.sign("good", "ours", names, 2), detour).await;
    let mut world = world(&[("a.test", &server), ("www.a.test", &server), ("b.test", &server)]).await;
    let folder = tempfile::tempdir().unwrap();
    world.warc = folder.path().display().to_string();
    world.config.ca_file = made.path("ours.crt").display().to_string();
    world.config.sites_file = made.sites_file(SITES);
    let log = Log::default();
    {
        let _guard = log.of_this_thread();
        crawl(&world, &["https://a.test/", "https://www.a.test/"]).await;
    }
    world.expect("https://a.test/", Outcome::Fetched);
    world.expect("https://www.a.test/", Outcome::Fetched);
    let own = "sid=hunter2; plan=hunter2";
    let with_set = format!("{own}; seen=hunter2");
    for (host, path, cookies) in [
        ("a.test", "/robots.txt", vec![own]),
        ("a.test", "/", vec![own, &with_set]),
        ("www.a.test", "/robots.txt", vec![own]),
        ("www.a.test", "/", vec![own]),
    ] {
        let requests = server.requests_for(host, path);
        assert_eq!(requests.len(), cookies.len(), "{host}{path}: {requests:?}");
        for (request, cookies) in requests.iter().zip(cookies) {
            for line in [
                &*format!("cookie: {cookies}"),
                "authorization: Bearer hunter2",
                "user-agent: Agreed/hunter2",
            ] {
                assert!(request.contains(&format!("\r\n{line}\r\n")), "{line} is missing: {request}");
            }
        }
    }
    let elsewhere =
        [server.requests_for("b.test", "/robots.txt"), server.requests_for("b.test", "/wall")].concat();
    assert_eq!(elsewhere.len(), 2, "{elsewhere:?}");
    for request in elsewhere {
        assert!(!request.contains("hunter2") && request.contains("user-agent: Newslode/"), "{request}");
    }
    let (log, records) = (log.text(), records(folder.path()).await);
    assert!(log.contains("TRACE"), "everything is logged");
    assert!(!log.contains("hunter2"), "{}", log.lines().find(|line| line.contains("hunter2")).unwrap());
    assert!(!records.contains("hunter2"), "{records}");
    for line in
        ["cookie: ***", "authorization: ***", "User-Agent: ***", "set-cookie: ***", "set-cookie: wall=up"]
    {
        assert!(records.contains(&format!("{line}\r\n")), "{line}: {records}");
    }
}

#[tokio::test]
async fn a_site_has_a_proxy_of_its_own() {
    let made = Certificates::new();
    let server = Server::https(made.sign("good", "ours", "DNS:a.test,DNS:b.test", 2), front_page).await;
    let target = server.port;
    let proxy = Server::start(move |mut stream, heads| async move {
        let head = read_head(&mut stream).await;
        heads.lock().unwrap().push(head);
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
        let mut onward = TcpStream::connect(("127.0.0.1", target)).await.unwrap();
        copy_bidirectional(&mut stream, &mut onward).await.ok();
    })
    .await;
    let mut world = world(&[("a.test", &server), ("b.test", &server)]).await;
    world.config.ca_file = made.path("ours.crt").display().to_string();
    let log = Log::default();
    let url = format!("http://me:hunter2@127.0.0.1:{}", proxy.port);
    world.config.sites_file = made.sites_file(&format!("['a.test']\nproxy = '{url}'\n"));
    {
        let _guard = log.of_this_thread();
        crawl(&world, &["https://a.test/", "https://b.test/"]).await;
    }
    world.expect("https://a.test/", Outcome::Fetched);
    world.expect("https://b.test/", Outcome::Fetched);
    let asked = proxy.heads.lock().unwrap().clone();
    // robots.txt and the page.
    assert_eq!(asked.len(), 2, "{asked:?}");
    for head in asked {
        assert!(head.starts_with("CONNECT a.test:443 ") && head.contains("roxy-"), "{head}");
    }
    let log = log.text();
    assert!(!log.contains("hunter2") && !log.contains("bWU6aHVudGVyMg"), "neither as it is nor as Base64");
}

/// A SOCKS5 proxy that asks for a user, and connects everything to one port. Its heads say what it was asked for.
async fn socks_proxy(target: u16) -> Server {
    Server::start(move |mut stream, heads| async move {
        let asked = socks_handshake(&mut stream).await.unwrap();
        heads.lock().unwrap().push(asked);
        let mut onward = TcpStream::connect(("127.0.0.1", target)).await.unwrap();
        copy_bidirectional(&mut stream, &mut onward).await.ok();
    })
    .await
}

/// The user and the target of a client (RFC 1928 and 1929).
async fn socks_handshake(stream: &mut TcpStream) -> std::io::Result<String> {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    assert_eq!(stream.read_u8().await?, 5);
    let methods = read_counted(stream).await?;
    assert!(methods.contains(&2), "it offers a user: {methods:?}");
    stream.write_all(&[5, 2]).await?;
    assert_eq!(stream.read_u8().await?, 1);
    let (user, password) = (text(read_counted(stream).await?), text(read_counted(stream).await?));
    stream.write_all(&[1, 0]).await?;
    let mut head = [0; 4];
    stream.read_exact(&mut head).await?;
    let target = match head {
        [5, 1, 0, 1] => std::net::Ipv4Addr::from(stream.read_u32().await?).to_string(),
        [5, 1, 0, 3] => text(read_counted(stream).await?),
        other => panic!("no request to connect: {other:?}"),
    };
    let port = stream.read_u16().await?;
    stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await?;
    Ok(format!("{user}:{password} {target}:{port}"))
}

async fn read_counted(stream: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::from(stream.read_u8().await?)];
    stream.read_exact(&mut bytes).await?;
    Ok(bytes)
}

#[tokio::test]
async fn a_socks_proxy_gets_checked_addresses_or_the_names_of_checked_hosts() {
    let made = Certificates::new();
    let mut world = World::new(|request| if request.page.ends_with('/') { html(PAGE) } else { None }).await;
    let proxy = socks_proxy(world.port).await;
    world.config.proxy = Secret::new(format!("socks5://me:hunter2@localhost:{}", proxy.port));
    let by_name = format!("['b.test']\nproxy = 'socks5h://you:hunter3@127.0.0.1:{}'\n", proxy.port);
    world.config.sites_file = made.sites_file(&by_name);
    world.config.resolve =
        ["a.test:93.184.216.34:80", "b.test:93.184.216.35:80"].map(|rule| rule.parse().unwrap()).into();
    let private = ["http://localhost/", "http://127.0.0.1/", "http://[::1]/"];
    crawl(&world, &[&["http://a.test/", "http://b.test/"], &private[..]].concat()).await;
    world.expect("http://a.test/", Outcome::Fetched);
    world.expect("http://b.test/", Outcome::Fetched);
    private.iter().for_each(|url| world.expect(url, Outcome::PrivateAddress));
    let mut asked = proxy.heads.lock().unwrap().clone();
    asked.sort();
    asked.dedup();
    assert_eq!(asked, ["me:hunter2 93.184.216.34:80", "you:hunter3 b.test:80"]);
    assert_eq!((world.hits("a.test/"), world.hits("b.test/")), (1, 1), "the pages came through it");
}

#[tokio::test]
async fn files_that_cannot_be_used_are_named_with_a_remedy() {
    let made = Certificates::new();
    let world = World::new(|_| None).await;
    let refused = |ca_file: &str, sites_file: &str| {
        let mut config = world.config.clone();
        (config.ca_file, config.sites_file) = (ca_file.into(), sites_file.into());
        format!("{:#}", Internet::new(&config).err().unwrap())
    };
    let wrong = made.sites_file("['a.test']\ncookie = 'sid=hunter2'\n['b.test']\nproxy = 'hunter2'\n");
    let said = refused("", &wrong);
    assert!(said.contains("unknown key `cookie`") && said.contains("[\"b.test\"]: `proxy`"), "{said}");
    let said = refused("", &made.sites_file("['a.test']\ncookies = 'sid=hunter2\n"));
    assert!(said.contains("line 2") && !said.contains("hunter2"), "{said}");
    std::fs::set_permissions(&wrong, std::fs::Permissions::from_mode(0o644)).unwrap();
    let said = refused("", &wrong);
    assert!(said.contains("mode 644") && said.contains("chmod 600"), "{said}");
    assert!(refused("", "/nowhere.toml").contains("crawler.sites_file"));
    assert!(refused("/nowhere.crt", "").contains("crawler.ca_file"));
    assert!(refused(&wrong, "").contains("BEGIN CERTIFICATE"));
}
