//! Tells systemd how this process is, as `sd_notify(3)` says: datagrams with lines such as `READY=1` to the socket that the variable
//! `NOTIFY_SOCKET` names. Without that variable nothing is sent.
//!
//! The watchdog is fed by [`Notifier::tick`] alone, which the loop of the work calls: if it hangs, systemd starts the process anew.

use std::ffi::{OsStr, OsString};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// Shortest time between two messages about the state.
const STATUS_EVERY: Duration = Duration::from_secs(5);
/// Time between two ticks while the process waits for something outside.
const TICK_EVERY: Duration = Duration::from_secs(1);

/// The way to the service manager, if there is one.
#[derive(Debug, Default)]
pub(crate) struct Notifier {
    socket: Option<UnixDatagram>,
    /// Half of the time after which systemd takes the process for hung.
    feed_every: Option<Duration>,
    said: Mutex<Said>,
}

/// What was said so far.
#[derive(Debug, Default)]
struct Said {
    is_ready: bool,
    fed: Option<Instant>,
    status: Option<Instant>,
}

impl Notifier {
    /// The service manager that started this process.
    pub(crate) fn from_environment() -> Notifier {
        Notifier::new(|name| std::env::var_os(name), std::process::id())
    }

    fn new(variable: impl Fn(&str) -> Option<OsString>, our_id: u32) -> Notifier {
        let socket = variable("NOTIFY_SOCKET").and_then(|address| {
            let opened = connect(&address);
            opened
                .inspect_err(|error| tracing::warn!(%error, "the service manager cannot be told anything"))
                .ok()
        });
        let number = |name| variable(name)?.to_str()?.parse::<u64>().ok();
        let is_ours = number("WATCHDOG_PID").is_none_or(|id| id == u64::from(our_id));
        let longest = number("WATCHDOG_USEC").filter(|longest| *longest > 0 && is_ours);
        let feed_every = longest.map(|longest| Duration::from_micros(longest / 2));
        Notifier { socket, feed_every, said: Mutex::default() }
    }

    /// The work makes progress, and this is its state. The first call says that the process is ready.
    pub(crate) fn tick(&self, status: &str) {
        if self.socket.is_none() {
            return;
        }
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due =
            |last: Option<Instant>, every: Duration| last.is_none_or(|last: Instant| last.elapsed() >= every);
        let mut message = String::new();
        if !said.is_ready {
            said.is_ready = true;
            message.push_str("READY=1\n");
        }
        if self.feed_every.is_some_and(|every| is_due(said.fed, every)) {
            said.fed = Some(Instant::now());
            message.push_str("WATCHDOG=1\n");
        }
        if is_due(said.status, STATUS_EVERY) {
            said.status = Some(Instant::now());
            message.push_str(&format!("STATUS={}\n", status.replace('\n', " ")));
        }
        self.send(&message);
    }

    /// The process ends.
    pub(crate) fn stopping(&self) {
        self.send("STOPPING=1\n");
    }

    /// Ticks until the work ends, which waits for something outside of this process, or `stop`.
    pub(crate) async fn while_waiting<T>(
        &self,
        status: &str,
        stop: &CancellationToken,
        work: impl Future<Output = T>,
    ) -> T {
        let ticking = async {
            loop {
                self.tick(status);
                if stop.run_until_cancelled(tokio::time::sleep(TICK_EVERY)).await.is_none() {
                    self.stopping();
                    std::future::pending::<()>().await;
                }
            }
        };
        tokio::select! { done = work => done, () = ticking => unreachable!("it goes on for ever") }
    }

    fn send(&self, message: &str) {
        let Some(socket) = self.socket.as_ref().filter(|_| !message.is_empty()) else { return };
        if let Err(error) = socket.send(message.as_bytes()) {
            tracing::debug!(%error, "the service manager could not be told");
        }
    }
}

/// A path, or a name in the abstract namespace after an `@`.
fn connect(address: &OsStr) -> std::io::Result<UnixDatagram> {
    let socket = UnixDatagram::unbound()?;
    // A manager that does not read must not stop the work.
    socket.set_nonblocking(true)?;
    match address.as_bytes().strip_prefix(b"@") {
        Some(name) => socket.connect_addr(&SocketAddr::from_abstract_name(name)?)?,
        None => socket.connect(address)?,
    }
    Ok(socket)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manager_hears_of_the_start_of_progress_and_of_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let manager = UnixDatagram::bind(&path).unwrap();
        let abstract_name = format!("newslode-test-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&abstract_name).unwrap();
        let in_the_abstract = UnixDatagram::bind_addr(&address).unwrap();
        for (manager, address) in
            [(&manager, path.into_os_string()), (&in_the_abstract, format!("@{abstract_name}").into())]
        {
            let next = || {
                let mut buffer = [0; 200];
                let length = manager.recv(&mut buffer).unwrap();
                String::from_utf8_lossy(&buffer[..length]).into_owned()
            };
            let variable = |name: &str| match name {
                "NOTIFY_SOCKET" => Some(address.clone()),
                "WATCHDOG_USEC" => Some("2".into()),
                "WATCHDOG_PID" => Some("7".into()),
                _ => None,
            };
            let notifier = Notifier::new(variable, 7);
            notifier.tick("two\nsites");
            assert_eq!(next(), "READY=1\nWATCHDOG=1\nSTATUS=two sites\n");
            std::thread::sleep(Duration::from_millis(1));
            notifier.tick("three sites");
            assert_eq!(next(), "WATCHDOG=1\n");
            notifier.stopping();
            assert_eq!(next(), "STOPPING=1\n");
            // The watchdog of another process is not ours.
            let notifier = Notifier::new(variable, 8);
            notifier.tick("one site");
            assert_eq!(next(), "READY=1\nSTATUS=one site\n");
        }
        Notifier::new(|_| None, 7).tick("nobody listens");
    }
}
