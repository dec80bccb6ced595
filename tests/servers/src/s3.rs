//! An S3 server for one test: moto's, which holds objects in memory and checks signatures, behind a gate that plays the
//! troubles of a real one.
//!
//! Clients know the gate alone. Each of their connections carries one request, since moto closes it with the answer; so
//! the gate reads the head, looks at the [`Mood`] of the moment, and then passes all bytes on or answers itself. Start at
//! [`S3Server::start`].

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener as StdListener, TcpStream as StdStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::redis::PATIENCE;

/// The one bucket.
pub const BUCKET: &str = "news";

/// The most objects in one answer to a listing; 1,000 in a real S3.
pub const PAGE: usize = 100;

/// The token of a session that [`Mood::Expired`] tells: no log may repeat it.
pub const TOKEN: &str = "FwoGZXIvYXdzEXAMPLETOKEN";

/// How the gate treats the next requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    /// Passes them on.
    Well,
    /// Answers 503 with the code `SlowDown`.
    SlowDown,
    /// Answers 403 with the code `ExpiredToken`, and repeats the token as S3 does.
    Expired,
    /// Closes the connection without an answer.
    Cut,
    /// Answers 404 with a page of HTML, as a server does that is no S3.
    NoS3,
    /// Passes them on after so long.
    Late(Duration),
}

/// A running server with a bucket.
pub struct S3Server {
    moto: Child,
    gate: SocketAddr,
    key: [String; 2],
    shared: Arc<Shared>,
    _gate: JoinSet<()>,
}

struct Shared {
    moto: u16,
    mood: Mutex<Mood>,
    troubled: AtomicU64,
}

impl S3Server {
    /// Starts a server with [`BUCKET`] and one user, who may do everything. Nobody else may do anything.
    pub async fn start() -> S3Server {
        let (moto, port) = start_moto();
        let key = furnish(port);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let gate = listener.local_addr().unwrap();
        let shared =
            Arc::new(Shared { moto: port, mood: Mutex::new(Mood::Well), troubled: AtomicU64::new(0) });
        let mut tasks = JoinSet::new();
        tasks.spawn(keep_gate(listener, shared.clone()));
        S3Server { moto, gate, key, shared, _gate: tasks }
    }

    /// The value for `archive.url`: names under this prefix in the bucket.
    pub fn url(&self, prefix: &str) -> String {
        format!("s3://{BUCKET}/{prefix}")
    }

    /// The variables of the environment by which programs reach it.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        let [id, secret] = self.key.clone();
        vec![
            ("AWS_ACCESS_KEY_ID", id),
            ("AWS_SECRET_ACCESS_KEY", secret),
            ("AWS_ENDPOINT", format!("http://{}", self.gate)),
            ("AWS_ALLOW_HTTP", "true".into()),
        ]
    }

    /// Changes the mood for requests whose head has not come yet.
    pub fn set(&self, mood: Mood) {
        *self.shared.mood.lock().unwrap() = mood;
    }

    /// Number of requests so far that were not simply passed on.
    pub fn troubled(&self) -> u64 {
        self.shared.troubled.load(Ordering::Relaxed)
    }
}

impl Drop for S3Server {
    fn drop(&mut self) {
        if self.moto.kill().is_ok() {
            self.moto.wait().ok();
        }
    }
}

/// The Python environment with moto, made if it is not there.
fn environment() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let made = Command::new(tests.join("python-env.sh"))
        .args([Path::new("s3"), &tests.join("servers/requirements.txt")])
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    assert!(made.status.success(), "cannot make the Python environment of the S3 server; see above");
    PathBuf::from(String::from_utf8(made.stdout).unwrap().trim_end())
}

fn start_moto() -> (Child, u16) {
    let program = environment().join("bin/moto_server");
    // Another process may take a free port before the server does; then the server ends, and we try another port.
    for _ in 0..10 {
        let port = StdListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut moto = Command::new(&program)
            .args(["-H", "127.0.0.1", "-p", &port.to_string()])
            .env("MOTO_S3_DEFAULT_MAX_KEYS", PAGE.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let begin = Instant::now();
        while moto.try_wait().unwrap().is_none() {
            if ask(port, "GET /moto-api/ HTTP/1.1", "").is_ok() {
                return (moto, port);
            }
            assert!(begin.elapsed() < PATIENCE, "moto did not answer within {PATIENCE:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    panic!("no S3 server came up on ten free ports");
}

/// Makes the bucket and the user, and lets moto check signatures from then on. Returns the user's key and secret.
fn furnish(port: u16) -> [String; 2] {
    let told = |line: &str, body: &str| {
        let answer = ask(port, line, body).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{line}: {answer}");
        answer
    };
    told(&format!("PUT /{BUCKET} HTTP/1.1"), "");
    // The service that is named here gets the request.
    let scope =
        "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=0";
    let form = "application/x-www-form-urlencoded";
    let iam = |form_of: &str| {
        let head = format!("POST / HTTP/1.1\r\nAuthorization: {scope}\r\nContent-Type: {form}");
        told(&head, &format!("Version=2010-05-08&UserName=news&{form_of}"))
    };
    iam("Action=CreateUser");
    let made = iam("Action=CreateAccessKey");
    // {"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"}]}
    iam(
        "Action=PutUserPolicy&PolicyName=all&PolicyDocument=%7B%22Version%22%3A%222012-10-17%22%2C%22Statement\
         %22%3A%5B%7B%22Effect%22%3A%22Allow%22%2C%22Action%22%3A%22s3%3A%2A%22%2C%22Resource%22%3A%22%2A%22%7D%5D%7D",
    );
    told("POST /moto-api/reset-auth HTTP/1.1\r\nContent-Type: text/plain", "0");
    ["AccessKeyId", "SecretAccessKey"].map(|name| {
        let (_, rest) = made.split_once(&format!("<{name}>")).unwrap();
        rest.split_once('<').unwrap().0.to_owned()
    })
}

/// Sends one request by hand: the request line, with more headers behind it. Returns the whole answer.
fn ask(port: u16, head: &str, body: &str) -> std::io::Result<String> {
    let mut stream = StdStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let length = body.len();
    write!(stream, "{head}\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {length}\r\n\r\n{body}")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

async fn keep_gate(listener: TcpListener, shared: Arc<Shared>) {
    let mut guests = JoinSet::new();
    loop {
        while guests.try_join_next().is_some() {}
        if let Ok((client, _)) = listener.accept().await {
            let shared = shared.clone();
            guests.spawn(async move {
                // An error is the client's end or moto's, and the client's to bear.
                serve(client, &shared).await.ok();
            });
        }
    }
}

async fn serve(mut client: TcpStream, shared: &Shared) -> std::io::Result<()> {
    let mut request = Vec::new();
    let head = loop {
        if let Some(end) = request.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        if client.read_buf(&mut request).await? == 0 {
            return Ok(());
        }
    };
    let mood = *shared.mood.lock().unwrap();
    if mood != Mood::Well {
        shared.troubled.fetch_add(1, Ordering::Relaxed);
    }
    let (status, body) = match mood {
        Mood::Well => return pass(client, &request, shared.moto).await,
        Mood::Late(wait) => {
            tokio::time::sleep(wait).await;
            return pass(client, &request, shared.moto).await;
        }
        Mood::Cut => return Ok(()),
        Mood::SlowDown => ("503 Slow Down", error("SlowDown", "Please reduce your request rate.", "")),
        Mood::Expired => {
            let token = format!("<Token-0>{TOKEN}</Token-0>");
            ("403 Forbidden", error("ExpiredToken", "The provided token has expired.", &token))
        }
        Mood::NoS3 => ("404 Not Found", "<!doctype html><title>404</title><h1>Not Found</h1>".into()),
    };
    // Who closes with unread bytes resets the connection, and the answer may be lost.
    let length = content_length(&request[..head]);
    while request.len() < head + length && client.read_buf(&mut request).await? > 0 {}
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    client.write_all(format!("{head}{body}").as_bytes()).await?;
    client.shutdown().await
}

async fn pass(mut client: TcpStream, request: &[u8], moto: u16) -> std::io::Result<()> {
    let mut server = TcpStream::connect(("127.0.0.1", moto)).await?;
    server.write_all(request).await?;
    copy_bidirectional(&mut client, &mut server).await.map(drop)
}

/// S3's form of an error.
fn error(code: &str, message: &str, more: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>{code}</Code><Message>{message}</Message>{more}\
         <RequestId>4442587FB7D0A2F9</RequestId></Error>"
    )
}

fn content_length(head: &[u8]) -> usize {
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let value = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    value.map_or(0, |value| value.trim().parse().unwrap())
}
