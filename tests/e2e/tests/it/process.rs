//! Our programs as processes: found beside the test, their output kept in files, killed when dropped.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The interval at which a wait looks again.
pub(crate) const LOOK: Duration = Duration::from_millis(20);

/// The longest wait for words that a program is about to print.
const PRINTED: Duration = Duration::from_secs(40);

/// The number of log lines that a failure shows.
const TAIL: usize = 40;

/// The path of one of our programs.
pub(crate) fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().and_then(Path::parent).unwrap().join(name);
    assert!(path.exists(), "`{}` is not there: run `cargo build --workspace` first", path.display());
    path
}

/// A started program.
pub(crate) struct Process {
    name: String,
    child: Child,
    log: PathBuf,
}

/// The end of a program and its output.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Exit code; `None` if a signal ended it.
    pub(crate) code: Option<i32>,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

impl Process {
    /// Starts a command. Its standard error is appended to `NAME.err` in the folder; its output replaces
    /// `NAME.out`.
    pub(crate) fn start(mut command: Command, name: &str, folder: &Path) -> Process {
        let log = folder.join(format!("{name}.err"));
        let err = File::options().create(true).append(true).open(&log).unwrap();
        let out = File::create(log.with_extension("out")).unwrap();
        let child = command.stdin(Stdio::null()).stdout(out).stderr(err).spawn().unwrap();
        Process { name: name.into(), child, log }
    }

    /// Ends it as a power cut would.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to stop, as an orchestrator does.
    pub(crate) fn terminate(&self) {
        let asked = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(asked.success(), "{} could not be asked to stop", self.name);
    }

    /// Its exit status, if it has ended.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().unwrap()
    }

    /// Waits for its end.
    pub(crate) async fn end(&mut self, patience: Duration) -> Ended {
        let begun = Instant::now();
        let status = loop {
            match self.ended() {
                Some(status) => break status,
                None if begun.elapsed() > patience => {
                    panic!("{} did not end within {patience:?}; it said:\n{}", self.name, self.tail())
                }
                None => tokio::time::sleep(LOOK).await,
            }
        };
        let read = |path: &Path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        Ended { code: status.code(), out: read(&self.log.with_extension("out")), err: read(&self.log) }
    }

    /// Waits until its output holds these words.
    pub(crate) async fn printed(&mut self, words: &str) {
        let (begun, out) = (Instant::now(), self.log.with_extension("out"));
        while !std::fs::read_to_string(&out).unwrap().contains(words) {
            assert!(self.ended().is_none() && begun.elapsed() < PRINTED, "no `{words}`\n{}", self.tail());
            tokio::time::sleep(LOOK).await;
        }
    }

    /// The last lines of its log.
    pub(crate) fn tail(&self) -> String {
        let log = std::fs::read(&self.log).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = log.lines().collect();
        format!("--- {} ---\n{}\n", self.name, lines[lines.len().saturating_sub(TAIL)..].join("\n"))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        if self.child.kill().is_ok() {
            self.child.wait().ok();
        }
    }
}
