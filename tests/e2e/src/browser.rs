//! A browser, driven as a person would: Debian's Chromium by its WebDriver, which is JSON over HTTP and needs no library.
//!
//! Calls block: a browser does one thing at a time, and its server runs elsewhere. Start at [`Browser::start`].

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use newslode_test_servers::CHROMIUM_FLAGS;
use serde_json::{Value, json};

use crate::process::{LOOK, Process};

/// The longest time for one step.
const PATIENCE: Duration = Duration::from_secs(60);
/// The longest wait for a page to become what is expected of it.
const BECOMES: Duration = Duration::from_secs(20);
/// What the driver says when it listens, before the port.
const LISTENS: &str = "started successfully on port ";
/// The key of an element's name in answers, which the standard fixes.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Keys that write nothing, as the driver names them.
pub mod keys {
    /// The next thing that takes the focus.
    pub const TAB: &str = "\u{e004}";
    /// Follows a link or sends a form.
    pub const ENTER: &str = "\u{e007}";
}

/// What a visitor's system says of its colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// An open browser with one window. It is closed when dropped.
pub struct Browser {
    addr: SocketAddr,
    session: String,
    _driver: Process,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Opens a browser; the driver's log goes into the folder.
    pub async fn start(folder: &Path) -> Browser {
        let start = || {
            let mut command = Command::new("chromedriver");
            command.arg("--port=0");
            Process::start(command, "chromedriver", folder)
        };
        let mut driver = start();
        // It takes a port that is free for IPv4, and fails if somebody has it for IPv6.
        if !driver.prints(LISTENS).await {
            driver = start();
            driver.printed(LISTENS).await;
        }
        let said = driver.out();
        let port = said.split(LISTENS).nth(1).unwrap().split('.').next().unwrap();
        let addr = SocketAddr::from(([127, 0, 0, 1], port.parse().unwrap()));
        let profile = tempfile::Builder::new().prefix("newslode-browser").tempdir().unwrap();
        let mut flags: Vec<String> = CHROMIUM_FLAGS.iter().map(ToString::to_string).collect();
        // Nothing moves while it is clicked.
        flags.push("--force-prefers-reduced-motion".into());
        flags.push(format!("--user-data-dir={}", profile.path().display()));
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": { "args": flags },
            "goog:loggingPrefs": { "browser": "ALL" },
        } } });
        let started = send(addr, "POST", "/session", &wanted).unwrap_or_else(|error| panic!("{error}"));
        let session = started["sessionId"].as_str().unwrap().to_owned();
        Browser { addr, session, _driver: driver, _profile: profile }
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let path = format!("/session/{}/{path}", self.session);
        send(self.addr, method, &path, body).unwrap_or_else(|error| panic!("{method} {path}: {error}"))
    }

    /// Opens a page and waits until it is loaded.
    pub fn open(&self, url: &str) {
        self.ask("POST", "url", &json!({ "url": url }));
    }

    /// The value that a script returns; promises are waited for. The page's policy does not bind it.
    pub fn run(&self, script: &str) -> Value {
        self.ask("POST", "execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Waits until an expression is true.
    pub fn until(&self, expression: &str) {
        self.wait(expression, || self.run(&format!("return Boolean({expression})")) == true);
    }

    /// Waits for what `what` names; if it never comes, shows the page that is open.
    pub fn wait(&self, what: &str, is_so: impl Fn() -> bool) {
        let begun = Instant::now();
        while !is_so() {
            let open = "return location.href + '\\n' + document.body.innerText";
            assert!(begun.elapsed() < BECOMES, "never `{what}`: {}", self.run(open));
            std::thread::sleep(LOOK);
        }
    }

    /// Clicks on what a CSS selector finds first.
    pub fn click(&self, selector: &str) {
        let path = format!("element/{}/click", self.find(selector));
        self.ask("POST", &path, &json!({}));
    }

    /// Types into what a CSS selector finds first.
    pub fn write(&self, selector: &str, text: &str) {
        let path = format!("element/{}/value", self.find(selector));
        self.ask("POST", &path, &json!({ "text": text }));
    }

    fn find(&self, selector: &str) -> String {
        let found = self.ask("POST", "element", &json!({ "using": "css selector", "value": selector }));
        found[ELEMENT].as_str().unwrap().to_owned()
    }

    /// Presses a key and lets it go, wherever the focus is.
    pub fn press(&self, key: &str) {
        let strokes = json!([{ "type": "keyDown", "value": key }, { "type": "keyUp", "value": key }]);
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": strokes });
        self.ask("POST", "actions", &json!({ "actions": [keyboard] }));
    }

    /// What the console of the browser said since it was asked last.
    pub fn complaints(&self) -> Vec<String> {
        let entries = self.ask("POST", "se/log", &json!({ "type": "browser" }));
        let text = |entry: &Value| entry["message"].as_str().unwrap().to_owned();
        entries.as_array().unwrap().iter().map(text).collect()
    }

    /// Lets pages see this scheme of colours from now on.
    pub fn see(&self, scheme: Scheme) {
        let value = if scheme == Scheme::Light { "light" } else { "dark" };
        let features = json!([{ "name": "prefers-color-scheme", "value": value }]);
        self.tell("Emulation.setEmulatedMedia", &json!({ "features": features }));
    }

    /// Gives pages a window of this size in CSS pixels.
    pub fn resize(&self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.tell("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Tells the browser what WebDriver has no word for, in the words of its developers' tools.
    fn tell(&self, command: &str, parameters: &Value) {
        self.ask("POST", "goog/cdp/execute", &json!({ "cmd": command, "params": parameters }));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The driver would leave the browser behind. If it fails, there is nothing more to do.
        send(self.addr, "DELETE", &format!("/session/{}", self.session), &json!({})).ok();
    }
}

/// Asks the driver.
fn send(addr: SocketAddr, method: &str, path: &str, body: &Value) -> Result<Value, String> {
    let body = if method == "POST" { body.to_string() } else { String::new() };
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {addr}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let answer = exchange(addr, &(head + &body)).map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&answer);
    let mut answer: Value = serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))?;
    match answer["value"].get("error") {
        Some(error) => Err(format!("{error}: {}", answer["value"]["message"])),
        None => Ok(answer["value"].take()),
    }
}

/// Sends a request and returns the body of the answer. The driver leaves the connection open, so the length is read.
fn exchange(addr: SocketAddr, request: &str) -> std::io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(addr)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(request.as_bytes())?;
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim_end().to_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().map_err(std::io::Error::other)?;
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}
