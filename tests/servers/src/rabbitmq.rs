//! A RabbitMQ server for one test: on loopback and free ports, with state in a temporary folder.
//!
//! It is started from Debian's package as the user `rabbitmq`, with an epmd of its own, so it shares nothing
//! with any other node of the machine. It can be killed and started again on the same state. When the value
//! is dropped, only processes whose ids we know are ended.

use std::io;
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, sleep, timeout};

const SERVER: &str = "/usr/lib/rabbitmq/bin/rabbitmq-server";
const CONTROL: &str = "/usr/lib/rabbitmq/bin/rabbitmqctl";
const START: Duration = Duration::from_secs(90);
/// Starts on other ports, if one is taken.
const TRIES: u32 = 3;

/// After this time a queue or an exchange that was declared outlasts a kill. RabbitMQ 3 keeps declarations in memory
/// for up to 2 s (Mnesia's log is written late); a node that is killed before has never heard of them.
pub const DECLARATIONS_ARE_WRITTEN: Duration = Duration::from_secs(3);

/// A running (or killed) node.
pub struct RabbitServer {
    folder: tempfile::TempDir,
    node: String,
    port: u16,
    metrics_port: u16,
    distribution: u16,
    epmd_port: u16,
    epmd: Child,
    server: Option<Child>,
}

impl RabbitServer {
    /// Starts a node and waits until it speaks AMQP.
    pub async fn start() -> io::Result<RabbitServer> {
        RabbitServer::start_with("[].\n").await
    }

    /// As [`RabbitServer::start`], with these plugins: the content of an `enabled_plugins` file.
    pub async fn start_with(plugins: &str) -> io::Result<RabbitServer> {
        RabbitServer::start_set(plugins, "").await
    }

    /// The same with more lines of `rabbitmq.conf`.
    pub async fn start_set(plugins: &str, more: &str) -> io::Result<RabbitServer> {
        let mut tries = TRIES;
        loop {
            tries -= 1;
            match RabbitServer::start_on_free_ports(plugins, more).await {
                // Somebody took a port between its choice and the start.
                Err(error) if tries > 0 && error.to_string().contains("eaddrinuse") => {}
                started => return started,
            }
        }
    }

    async fn start_on_free_ports(plugins: &str, more: &str) -> io::Result<RabbitServer> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let folder = tempfile::Builder::new().prefix("rabbit").tempdir()?;
        let ports = free_ports()?;
        let [port, metrics_port, management_port, distribution, epmd_port] = ports;
        let node = format!("t{}x{}@localhost", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        std::fs::write(folder.path().join("plugins"), plugins)?;
        // Keys of a plugin that is not enabled are an error.
        let mut settings = format!("listeners.tcp.1 = 127.0.0.1:{port}\nlog.file.level = warning\n{more}\n");
        for (plugin, key, port) in [
            ("rabbitmq_prometheus", "prometheus.tcp", metrics_port),
            ("rabbitmq_management", "management.tcp", management_port),
        ] {
            if plugins.contains(plugin) {
                settings.push_str(&format!("{key}.ip = 127.0.0.1\n{key}.port = {port}\n"));
            }
        }
        std::fs::write(folder.path().join("rabbitmq.conf"), settings)?;
        let owned = Command::new("chown").args(["-R", "rabbitmq:rabbitmq"]).arg(folder.path()).status()?;
        if !owned.success() {
            return Err(io::Error::other("cannot give the folder to the user `rabbitmq`: are we root?"));
        }
        let epmd = as_rabbitmq("epmd", folder.path())
            .args(["-address", "127.0.0.1", "-port", &epmd_port.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let mut server =
            RabbitServer { folder, node, port, metrics_port, distribution, epmd_port, epmd, server: None };
        server.restart().await?;
        Ok(server)
    }

    /// The value for `broker.url`.
    pub fn url(&self) -> String {
        format!("amqp://guest:guest@127.0.0.1:{}/%2f", self.port)
    }

    /// The port of AMQP.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address of its metrics, if the plugin is enabled.
    pub fn metrics(&self) -> String {
        format!("127.0.0.1:{}", self.metrics_port)
    }

    /// Ends the node as a power cut would.
    pub fn kill_now(&mut self) {
        if let Some(mut server) = self.server.take() {
            // It leads a process group of its own: the script and the virtual machine that it runs.
            signal_group(&server, "-9");
            drop(server.wait());
        }
    }

    /// Stops the node's processes where they are: it still takes connections but never answers.
    pub fn freeze(&self) {
        self.signal("-STOP");
    }

    /// Lets a frozen node run again.
    pub fn thaw(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        if let Some(server) = &self.server {
            signal_group(server, signal);
        }
    }

    /// Starts a killed node on the state it left, and waits until it speaks AMQP.
    pub async fn restart(&mut self) -> io::Result<()> {
        self.kill_now();
        let log = std::fs::File::options().create(true).append(true).open(self.path("console.log"))?;
        let server = as_rabbitmq(SERVER, self.folder.path())
            .process_group(0)
            .env("RABBITMQ_NODENAME", &self.node)
            .env("RABBITMQ_MNESIA_BASE", self.path("mnesia"))
            .env("RABBITMQ_LOG_BASE", self.path("log"))
            .env("RABBITMQ_CONFIG_FILE", self.path("rabbitmq.conf"))
            .env("RABBITMQ_ENABLED_PLUGINS_FILE", self.path("plugins"))
            .env("RABBITMQ_GENERATED_CONFIG_DIR", self.path("generated"))
            .env("RABBITMQ_DIST_PORT", self.distribution.to_string())
            .env("ERL_EPMD_PORT", self.epmd_port.to_string())
            .env("ERL_EPMD_ADDRESS", "127.0.0.1")
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()?;
        self.server = Some(server);
        self.until_it_speaks().await
    }

    /// Tells the running node something by `rabbitmqctl`.
    pub fn tell(&self, arguments: &[&str]) -> io::Result<()> {
        let told = as_rabbitmq(CONTROL, self.folder.path())
            .args(["-n", &self.node])
            .args(arguments)
            .env("ERL_EPMD_PORT", self.epmd_port.to_string())
            .output()?;
        let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match told.status.success() {
            true => Ok(()),
            false => Err(io::Error::other(said(&told.stdout) + &said(&told.stderr))),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    async fn until_it_speaks(&mut self) -> io::Result<()> {
        let started = Instant::now();
        while started.elapsed() < START {
            if let Ok(Ok(true)) = timeout(Duration::from_secs(2), speaks_amqp(self.port)).await {
                return Ok(());
            }
            if let Some(server) = &mut self.server
                && let Some(status) = server.try_wait()?
            {
                let log = std::fs::read_to_string(self.path("console.log")).unwrap_or_default();
                return Err(io::Error::other(format!("rabbitmq-server ended with {status}:\n{log}")));
            }
            sleep(Duration::from_millis(100)).await;
        }
        let log = std::fs::read_to_string(self.path("console.log")).unwrap_or_default();
        Err(io::Error::other(format!("rabbitmq-server does not answer after {START:?}:\n{log}")))
    }
}

impl Drop for RabbitServer {
    fn drop(&mut self) {
        self.kill_now();
        drop(self.epmd.kill());
        drop(self.epmd.wait());
    }
}

fn as_rabbitmq(program: &str, home: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--reuid=rabbitmq", "--regid=rabbitmq", "--init-groups", program]);
    command.env("HOME", home).current_dir(home);
    command
}

fn signal_group(leader: &Child, signal: &str) {
    let group = format!("-{}", leader.id());
    drop(Command::new("kill").args([signal, "--", &group]).stderr(Stdio::null()).status());
}

fn free_ports<const N: usize>() -> io::Result<[u16; N]> {
    // All at once, so that the ports differ.
    let held: Vec<TcpListener> =
        (0..N).map(|_| TcpListener::bind("127.0.0.1:0")).collect::<io::Result<_>>()?;
    let mut ports = [0; N];
    for (port, listener) in ports.iter_mut().zip(&held) {
        *port = listener.local_addr()?.port();
    }
    Ok(ports)
}

/// The server's first frame after our greeting is `connection.start`, a method frame (type 1).
async fn speaks_amqp(port: u16) -> io::Result<bool> {
    let mut stream = tokio::net::TcpStream::connect(("127.0.0.1", port)).await?;
    stream.write_all(b"AMQP\x00\x00\x09\x01").await?;
    Ok(stream.read_u8().await? == 1)
}
