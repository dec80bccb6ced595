//! A real Redis server for one test: on a free port of loopback, with its files in a temporary directory.
//!
//! It syncs its append-only file with every write, so a killed server comes back with everything that it
//! answered. Start at [`RedisServer::start`]; the server is killed when the value is dropped.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use newslode_common::config::{Secret, StoreConfig};
use tempfile::TempDir;

/// The longest wait for a server to start; a loaded machine is slow.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A running `redis-server`.
pub struct RedisServer {
    directory: TempDir,
    port: u16,
    process: Child,
    options: Vec<String>,
}

impl RedisServer {
    /// Starts a server with an append-only file and returns when it answers.
    pub fn start() -> RedisServer {
        RedisServer::start_with(&[])
    }

    /// Starts a server on the data that another one saved (a `dump.rdb`); it keeps no append-only file, which
    /// would take precedence.
    pub fn start_from(dump: &Path) -> RedisServer {
        let directory = tempfile::tempdir().unwrap();
        std::fs::copy(dump, directory.path().join("dump.rdb")).unwrap();
        RedisServer::start_in(directory, &["--appendonly", "no"])
    }

    /// The same with more options, as on the command line.
    pub fn start_with(options: &[&str]) -> RedisServer {
        RedisServer::start_in(tempfile::tempdir().unwrap(), options)
    }

    fn start_in(directory: TempDir, options: &[&str]) -> RedisServer {
        let options: Vec<String> = options.iter().map(|option| option.to_string()).collect();
        // Another process may take a free port before the server does; then the server ends, and we try
        // another port.
        for _ in 0..10 {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            let mut process = spawn(&directory, port, &options);
            if answers(port, &mut process) {
                return RedisServer { directory, port, process, options };
            }
        }
        panic!("no Redis server came up on ten free ports; see its output above");
    }

    /// The configuration to reach it; the timeout is short, because everything is near.
    pub fn config(&self) -> StoreConfig {
        StoreConfig {
            url: Secret::new(format!("redis://127.0.0.1:{}/0", self.port)),
            timeout_ms: 10_000,
            ..StoreConfig::default()
        }
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Ends the server at once, as `kill -9` does.
    pub fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Stops it where it is: it still takes connections but never answers.
    pub fn freeze(&self) {
        self.signal("-STOP");
    }

    /// Lets a frozen server run again.
    pub fn thaw(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.process.id().to_string()]).status().unwrap();
        assert!(sent.success(), "the server cannot be sent {signal}");
    }

    /// Starts it again on the same port with the same files.
    pub fn restart(&mut self) {
        self.process = spawn(&self.directory, self.port, &self.options);
        assert!(answers(self.port, &mut self.process), "the server did not come back");
    }

    /// Starts it again on the same port with nothing in it, as after the loss of its disk.
    pub fn restart_empty(&mut self) {
        self.directory = tempfile::tempdir().unwrap();
        self.restart();
    }

    /// Sends one command, given as its words. Returns the raw answer.
    pub fn tell(&self, words: &[&str]) -> String {
        ask(self.port, words).unwrap_or_else(|error| panic!("`{words:?}` was not answered: {error}"))
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        // The test may have killed it.
        if self.process.kill().is_ok() {
            self.process.wait().ok();
        }
    }
}

fn spawn(directory: &TempDir, port: u16, options: &[String]) -> Child {
    let started = Command::new("redis-server")
        .args(["--bind", "127.0.0.1", "--port", &port.to_string(), "--save", ""])
        .args(["--appendonly", "yes", "--appendfsync", "everysec", "--loglevel", "warning", "--dir"])
        .arg(directory.path())
        .args(options)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn();
    started.unwrap_or_else(|error| {
        panic!("cannot start `redis-server`: {error}; install it: apt-get install redis-server")
    })
}

/// Waits until the server answers. Returns false if it ended.
fn answers(port: u16, process: &mut Child) -> bool {
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        if process.try_wait().unwrap().is_some() {
            return false;
        }
        if ask(port, &["PING"]).is_ok_and(|answer| answer == "+PONG") {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("the Redis server did not answer within {PATIENCE:?}");
}

/// Sends one command by hand. Returns the first line of the answer and, for a bulk answer, its text.
fn ask(port: u16, words: &[&str]) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut request = format!("*{}\r\n", words.len());
    for word in words {
        request.push_str(&format!("${}\r\n{word}\r\n", word.len()));
    }
    stream.write_all(request.as_bytes())?;
    let mut answer = BufReader::new(stream);
    let mut line = String::new();
    answer.read_line(&mut line)?;
    let line = line.trim_end();
    match line.strip_prefix('$').and_then(|length| length.parse().ok()) {
        Some(length) => {
            let mut text = vec![0; length];
            answer.read_exact(&mut text)?;
            Ok(String::from_utf8_lossy(&text).into_owned())
        }
        None => Ok(line.to_owned()),
    }
}
