//! Our programs as processes: found beside the caller, their output kept in files, killed when dropped.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The interval at which a wait looks again.
pub const LOOK: Duration = Duration::from_millis(20);

/// The longest wait for words that a program is about to print.
const PRINTED: Duration = Duration::from_secs(40);

/// The number of log lines that a failure shows.
const TAIL: usize = 40;

/// The variable by which a caller says that the programs are built: `tests/build-programs.sh` sets it before nextest starts
/// the tests.
const ARE_BUILT: &str = "NEWSLODE_PROGRAMS_ARE_BUILT";

/// The path of one of our programs, which is up to date. The caller is another program of ours, or a test, which lies one
/// folder deeper.
pub fn program(name: &str) -> PathBuf {
    let caller = std::env::current_exe().unwrap();
    let folder = caller.ancestors().skip(1).find(|folder| !folder.ends_with("deps")).unwrap();
    static BUILT: OnceLock<()> = OnceLock::new();
    BUILT.get_or_init(|| build("--bins", folder));
    folder.join(name)
}

/// The path of an example of `newslode`, which is up to date.
pub fn example(name: &str) -> PathBuf {
    let caller = std::env::current_exe().unwrap();
    let folder = caller.ancestors().skip(1).find(|folder| !folder.ends_with("deps")).unwrap();
    static BUILT: OnceLock<()> = OnceLock::new();
    BUILT.get_or_init(|| build("--examples", folder));
    folder.join("examples").join(name)
}

/// Builds what is named of the workspace into the caller's folder, unless somebody just did: a test would pass or fail by the
/// code of an earlier build otherwise.
fn build(what: &str, folder: &Path) {
    if std::env::var_os(ARE_BUILT).is_some() {
        return;
    }
    let profile = folder.file_name().unwrap().to_str().unwrap();
    let profile = if profile == "debug" { "dev" } else { profile };
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // Tests run with the variables of their package. Build scripts that look at these (that of `ring`) would run again, and
    // nearly everything would be compiled twice: now, and by the next build outside of a test.
    for (name, _) in std::env::vars_os() {
        if name
            .to_str()
            .is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"))
        {
            cargo.env_remove(name);
        }
    }
    let built = cargo
        .args(["build", "--workspace", what, "--locked", "--quiet", "--profile", profile])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status();
    assert!(built.unwrap().success(), "cannot build the programs; see above");
}

/// A started program.
pub struct Process {
    name: String,
    child: Child,
    log: PathBuf,
    started: Instant,
}

/// The end of a program and its output.
#[derive(Debug)]
pub struct Ended {
    /// Exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Process {
    /// Starts a command. Its standard error is appended to `NAME.err` in the folder; its output replaces
    /// `NAME.out`.
    pub fn start(mut command: Command, name: &str, folder: &Path) -> Process {
        let log = folder.join(format!("{name}.err"));
        let err = File::options().create(true).append(true).open(&log).unwrap();
        let out = File::create(log.with_extension("out")).unwrap();
        let child = command.stdin(Stdio::null()).stdout(out).stderr(err).spawn().unwrap();
        Process { name: name.into(), child, log, started: Instant::now() }
    }

    /// How long ago it was started.
    pub fn age(&self) -> Duration {
        self.started.elapsed()
    }

    /// Ends it as a power cut would.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to stop, as an orchestrator does.
    pub fn terminate(&self) {
        self.signal("-TERM");
    }

    /// Stops it where it is.
    pub fn freeze(&self) {
        self.signal("-STOP");
    }

    /// Lets a frozen program go on.
    pub fn thaw(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.id().to_string()]).status().unwrap();
        assert!(sent.success(), "{} cannot be sent {signal}", self.name);
    }

    /// Its number among the machine's processes.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its exit status, if it has ended.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().unwrap()
    }

    /// Waits for its end.
    pub async fn end(&mut self, patience: Duration) -> Ended {
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
    pub async fn printed(&mut self, words: &str) {
        assert!(self.prints(words).await, "no `{words}`\n{}", self.tail());
    }

    /// Waits until its output holds these words; `false` if it ended, or took too long, without them.
    pub async fn prints(&mut self, words: &str) -> bool {
        let (begun, out) = (Instant::now(), self.log.with_extension("out"));
        while !std::fs::read_to_string(&out).unwrap().contains(words) {
            if self.ended().is_some() || begun.elapsed() >= PRINTED {
                return false;
            }
            tokio::time::sleep(LOOK).await;
        }
        true
    }

    /// Its output so far.
    pub fn out(&self) -> String {
        std::fs::read_to_string(self.log.with_extension("out")).unwrap()
    }

    /// The last lines of its log.
    pub fn tail(&self) -> String {
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
