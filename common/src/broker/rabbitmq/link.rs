//! The connection, and the supervisor that owns it.
//!
//! A [`Link`] is one connection with its publishing channels. They are built together and never repaired:
//! when any part fails, the supervisor builds a new link, with backoff, until it is stopped. All others
//! ask [`Links`] for the current link and wait if there is none. After an error they call [`Links::suspect`].
//! lapin's own recovery is off: it replays a connection's state in place, and then nobody can tell which
//! parts of the old state still hold.

use std::sync::Arc;
use std::time::Duration;

use lapin::options::ConfirmSelectOptions;
use lapin::uri::AMQPUri;
use lapin::{Channel, Connection, ConnectionProperties};
use tokio::sync::{Mutex, Notify, watch};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::super::{BrokerError, Queue};
use super::topology::Topology;
use crate::config::BrokerConfig;
use crate::retry::{Outage, Retry};
use crate::telemetry::metrics::Metrics;
use crate::tls;

/// Seconds between heartbeats unless the URL says otherwise. A silent peer is noticed after two.
const HEARTBEAT_S: u16 = 10;
/// Interval at which a link that reported no failure is checked.
const LOOK: Duration = Duration::from_millis(500);
/// Longest wait for an abandoned connection to close.
const GOODBYE: Duration = Duration::from_secs(2);

/// Where and how to connect.
pub(super) struct Address {
    uri: AMQPUri,
    /// The address without the password, for messages.
    shown: String,
    name: String,
    timeout: Duration,
}

impl Address {
    pub(super) fn new(config: &BrokerConfig, by: &str) -> Result<Address, BrokerError> {
        let shown = config.url.to_string();
        let mut uri: AMQPUri = config.url.reveal().parse().map_err(|error| {
            BrokerError(format!("`broker.url` is `{shown}`, which is not a broker URL: {error}"))
        })?;
        uri.query.heartbeat.get_or_insert(HEARTBEAT_S);
        Ok(Address { uri, shown, name: by.into(), timeout: Duration::from_millis(config.timeout_ms) })
    }

    fn outage(&self) -> Outage {
        Outage::new(self.shown.as_str())
    }
}

/// A connection and its publishing channels.
pub(super) struct Link {
    connection: Connection,
    /// One channel with confirms for each of [`Queue::ALL`]. A returned message carries no number, so only
    /// messages to the same queue may share a channel.
    queues: Vec<Channel>,
    pub(super) articles: Channel,
    /// For dead letters of all queues; one message in flight, for the same reason.
    pub(super) dead: Mutex<Channel>,
}

impl Link {
    /// Connects once and declares the topology.
    pub(super) async fn open(address: &Address, topology: &Topology) -> Result<Link, BrokerError> {
        match timeout(address.timeout, Link::build(address, topology)).await {
            Ok(built) => built,
            Err(_) => {
                let waited = address.timeout.as_millis();
                Err(BrokerError(format!("`{}` did not answer within {waited} ms", address.shown)))
            }
        }
    }

    async fn build(address: &Address, topology: &Topology) -> Result<Link, BrokerError> {
        let cannot = |error: lapin::Error| {
            BrokerError(format!("cannot connect to `{}`: {}", address.shown, tls::with_remedy(&error)))
        };
        let properties = ConnectionProperties::default().with_connection_name(address.name.as_str().into());
        let connection = Connection::connect_uri(address.uri.clone(), properties).await.map_err(cannot)?;
        topology.declare(&connection).await?;
        let mut channels = Vec::new();
        for _ in 0..Queue::ALL.len() + 2 {
            let channel = connection.create_channel().await.map_err(cannot)?;
            channel.confirm_select(ConfirmSelectOptions::default()).await.map_err(cannot)?;
            channels.push(channel);
        }
        let (Some(articles), Some(dead)) = (channels.pop(), channels.pop()) else {
            return Err(BrokerError("no channels".into()));
        };
        Ok(Link { connection, queues: channels, articles, dead: Mutex::new(dead) })
    }

    pub(super) fn publisher(&self, queue: Queue) -> &Channel {
        &self.queues[queue as usize]
    }

    pub(super) async fn channel(&self) -> Result<Channel, lapin::Error> {
        self.connection.create_channel().await
    }

    pub(super) fn is_blocked(&self) -> bool {
        self.connection.status().blocked()
    }

    fn is_whole(&self) -> bool {
        let dead = self.dead.try_lock().map_or(true, |dead| dead.status().connected());
        let publishers =
            self.queues.iter().chain([&self.articles]).all(|channel| channel.status().connected());
        self.connection.status().connected() && publishers && dead
    }

    async fn say_goodbye(&self) {
        // A dead connection cannot say goodbye, and its error is the reason to close it.
        drop(timeout(GOODBYE, self.connection.close(200, "bye".into())).await);
    }
}

/// The state of the link, as the supervisor publishes it.
#[derive(Clone)]
enum State {
    Up(Arc<Link>),
    Down(String),
    Closed,
}

/// The current link, for all but the supervisor.
pub(super) struct Links {
    state: watch::Receiver<State>,
    suspect: Arc<Notify>,
}

impl Links {
    /// The current link, or the reason why there is none.
    pub(super) fn now(&self) -> Result<Arc<Link>, BrokerError> {
        match &*self.state.borrow() {
            State::Up(link) => Ok(link.clone()),
            State::Down(reason) => Err(BrokerError(format!("the connection is being rebuilt: {reason}"))),
            State::Closed => Err(closed()),
        }
    }

    /// Waits for a link. `Err` once the broker is closed.
    pub(super) async fn up(&self) -> Result<Arc<Link>, BrokerError> {
        let mut state = self.state.clone();
        let up = state.wait_for(|state| !matches!(state, State::Down(_))).await;
        match up.as_deref() {
            Ok(State::Up(link)) => Ok(link.clone()),
            _ => Err(closed()),
        }
    }

    /// Reports a failure, so that the supervisor checks the link now.
    pub(super) fn suspect(&self) {
        self.suspect.notify_one();
    }
}

fn closed() -> BrokerError {
    BrokerError("the connection was closed".into())
}

/// Keeps a link up until `stop`; then closes it.
pub(super) struct Supervisor {
    pub(super) address: Address,
    pub(super) topology: Topology,
    pub(super) metrics: Option<Arc<Metrics>>,
    pub(super) stop: CancellationToken,
    state: watch::Sender<State>,
    suspect: Arc<Notify>,
}

impl Supervisor {
    pub(super) fn new(
        address: Address,
        topology: Topology,
        metrics: Option<Arc<Metrics>>,
        stop: CancellationToken,
        first: Link,
    ) -> (Supervisor, Links) {
        let (sender, receiver) = watch::channel(State::Up(Arc::new(first)));
        let suspect = Arc::new(Notify::new());
        let links = Links { state: receiver, suspect: suspect.clone() };
        (Supervisor { address, topology, metrics, stop, state: sender, suspect }, links)
    }

    pub(super) async fn run(self) {
        let stop = self.stop.clone();
        stop.run_until_cancelled(self.keep_up()).await;
        let last = self.state.send_replace(State::Closed);
        if let State::Up(link) = last {
            link.say_goodbye().await;
        }
    }

    /// Runs until it is stopped.
    async fn keep_up(&self) {
        loop {
            self.until_broken().await;
            tracing::warn!(broker = %self.address.shown, "the connection to the broker was lost; reconnecting");
            let old = self.state.send_replace(State::Down("it was lost".into()));
            if let State::Up(link) = old {
                link.say_goodbye().await;
            }
            let Ok(link) = self.rebuild().await else { return };
            if let Some(metrics) = &self.metrics {
                metrics.reconnects.with_label_values(&["broker"]).inc();
            }
            tracing::info!(broker = %self.address.shown, "the connection to the broker is up again");
            self.state.send_replace(State::Up(Arc::new(link)));
        }
    }

    async fn until_broken(&self) {
        loop {
            let whole = matches!(&*self.state.borrow(), State::Up(link) if link.is_whole());
            if !whole {
                return;
            }
            // Check the link, whether a report or the interval ended the wait.
            drop(timeout(LOOK, self.suspect.notified()).await);
        }
    }

    async fn rebuild(&self) -> Result<Link, BrokerError> {
        let open = || async {
            let opened = Link::open(&self.address, &self.topology).await;
            if let Err(error) = &opened {
                self.state.send_replace(State::Down(error.to_string()));
            }
            opened
        };
        Retry::for_ever().until(&self.stop).run(&self.address.outage(), open).await
    }
}

/// Calls [`Link::open`] until it works or `stop` is cancelled.
pub(super) async fn open_patiently(
    address: &Address,
    topology: &Topology,
    stop: &CancellationToken,
) -> Result<Link, BrokerError> {
    let open = || async {
        let opened = stop.run_until_cancelled(Link::open(address, topology)).await;
        opened.unwrap_or_else(|| Err(BrokerError(format!("stopped while connecting to `{}`", address.shown))))
    };
    Retry::for_ever().until(stop).run(&address.outage(), open).await
}
