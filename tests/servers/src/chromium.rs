//! A real Chromium without a screen for one test: it listens for DevTools on a free port of loopback, with its profile in a
//! temporary directory.
//!
//! Start at [`Chromium::start`]; the browser is killed when the value is dropped.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The longest wait for the browser to listen; a loaded machine is slow.
const PATIENCE: Duration = Duration::from_secs(60);
/// Flags for tests: the browser sends no requests of its own, and needs no screen and no namespaces.
pub const CHROMIUM_FLAGS: [&str; 8] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/// A running `chromium`.
pub struct Chromium {
    process: Child,
    profile: TempDir,
    port: u16,
    endpoint: String,
}

impl Chromium {
    /// Starts a browser and returns when it listens.
    pub fn start() -> Chromium {
        let profile = tempfile::Builder::new().prefix("newslode-chromium").tempdir().unwrap();
        let mut process = Command::new("chromium")
            .args(CHROMIUM_FLAGS)
            .arg("--remote-debugging-port=0")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // The browser writes the port that it chose, and the path of its endpoint.
        let file = profile.path().join("DevToolsActivePort");
        let begun = Instant::now();
        loop {
            let said = std::fs::read_to_string(&file).unwrap_or_default();
            if let Some((port, endpoint)) = said.split_once('\n').filter(|(_, endpoint)| !endpoint.is_empty())
            {
                let (port, endpoint) = (port.parse().unwrap(), endpoint.trim_end().to_owned());
                return Chromium { process, profile, port, endpoint };
            }
            assert!(process.try_wait().unwrap().is_none(), "Chromium ended at its start");
            assert!(begun.elapsed() < PATIENCE, "Chromium does not listen");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// The port at which it listens for DevTools.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The value of `crawler.browser`.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The WebSocket of the browser.
    pub fn endpoint(&self) -> String {
        format!("ws://127.0.0.1:{}{}", self.port, self.endpoint)
    }

    /// The number of its process.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Its profile, where it would put downloads.
    pub fn profile(&self) -> &Path {
        self.profile.path()
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // The test may have killed it.
        if self.process.kill().is_ok() {
            self.process.wait().ok();
        }
    }
}
