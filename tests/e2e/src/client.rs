//! A client that sends what browsers would not, and takes answers apart: one request a connection, over plain HTTP/1.1.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// The longest time for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Asks a server.
pub struct Client {
    /// Its address.
    pub addr: SocketAddr,
    /// The cookie of its session, sent with [`Client::get`] and [`Client::post`].
    pub cookie: Option<String>,
}

/// What it answered.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    headers: Vec<(String, String)>,
    /// The body; what is no UTF-8 in it is replaced.
    pub body: String,
}

impl Answer {
    /// A header's value; names are in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// All values of a header.
    pub fn headers<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.headers.iter().filter(move |(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

impl Client {
    /// A client without a session.
    pub fn new(addr: SocketAddr) -> Client {
        Client { addr, cookie: None }
    }

    /// Gets a path.
    pub async fn get(&self, path: &str) -> Answer {
        let host = self.addr.to_string();
        self.send("GET", path, &[&[("Host", host.as_str())], self.session().as_slice()].concat(), "").await
    }

    fn session(&self) -> Vec<(&str, &str)> {
        self.cookie.iter().map(|cookie| ("Cookie", cookie.as_str())).collect()
    }

    /// Gets a path that must answer with JSON.
    pub async fn json(&self, path: &str) -> Value {
        let answer = self.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        assert_eq!(answer.header("content-type"), Some("application/json"), "{path}");
        serde_json::from_str(&answer.body).unwrap_or_else(|error| panic!("{path}: {error}: {}", answer.body))
    }

    /// Sends a request that names this host.
    pub async fn ask(&self, method: &str, path: &str, host: &str) -> Answer {
        self.send(method, path, &[("Host", host)], "").await
    }

    /// Sends a form; `headers` are those beside the host and the kind.
    pub async fn post(&self, path: &str, headers: &[(&str, &str)], values: &[(&str, &str)]) -> Answer {
        let form: Vec<String> =
            values.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
        let host = self.addr.to_string();
        let fixed = [("Host", host.as_str()), ("Content-Type", "application/x-www-form-urlencoded")];
        let headers = [&fixed, self.session().as_slice(), headers].concat();
        self.send("POST", path, &headers, &form.join("&")).await
    }

    /// Sends a request with these headers and this body.
    pub async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut stream = tokio::net::TcpStream::connect(self.addr).await.unwrap();
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        let read = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut bytes)).await;
        read.unwrap_or_else(|_| panic!("{method} {path} does not end")).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{path}: no answer: {text}"));
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let header =
            |line: &str| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.into()));
        let headers: Vec<(String, String)> = lines.filter_map(header).collect();
        let is_chunked =
            headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
        let body = if is_chunked { unchunked(&bytes[head.len() + 4..]) } else { body.to_owned() };
        Answer { status, headers, body }
    }
}

/// Puts together a body that came in chunks. Its end must be there.
fn unchunked(mut bytes: &[u8]) -> String {
    let mut body = Vec::new();
    loop {
        let line = bytes.windows(2).position(|pair| pair == b"\r\n").expect("a body breaks off");
        let size = usize::from_str_radix(std::str::from_utf8(&bytes[..line]).unwrap(), 16).unwrap();
        if size == 0 {
            return String::from_utf8_lossy(&body).into_owned();
        }
        let chunk = &bytes[line + 2..];
        body.extend_from_slice(&chunk[..size]);
        bytes = &chunk[size + 2..];
    }
}

/// A text as a value in a URL.
pub fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}
