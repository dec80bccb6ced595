//! A connection that is always there: shared, replaced when it fails, with a limit on every wait.
//!
//! A call that fails because the server is away is reported and never repeated here. It may have had its
//! effect, and only the caller knows how long to wait. The failed connection is dropped, so the next call
//! dials anew. Otherwise a connection manager that met a server while it loaded its data would keep that
//! answer for ever, and a peer that vanished silently would be awaited until TCP gives up.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::cluster::{ClusterClient, ClusterConfig};
use redis::cluster_async::ClusterConnection;
use redis::cluster_routing::{RoutingInfo, SingleNodeRoutingInfo};
use redis::{Client, Cmd, ErrorKind, FromRedisValue, RedisError, ServerErrorKind, Value};
use tokio::sync::OnceCell;

use super::address::{Address, masters};
use super::library;
use crate::config::{Secret, StoreConfig};
use crate::store::{StoreError, StoreResult};
use crate::tls;

/// A connection that is up, or comes up at its first call.
#[derive(Clone)]
enum Live {
    One(ConnectionManager),
    Cluster(Arc<ClusterClient>, Arc<OnceCell<ClusterConnection>>),
}

impl Live {
    fn dial(address: &Address, timeout: Duration) -> StoreResult<Live> {
        match address {
            Address::One(client) => dial(client, timeout).map(Live::One),
            Address::Cluster { client, .. } => Ok(Live::Cluster(client.clone(), Arc::default())),
        }
    }

    async fn query<T: FromRedisValue>(&self, command: &Cmd, timeout: Duration) -> Result<T, RedisError> {
        match self {
            Live::One(manager) => command.query_async(&mut manager.clone()).await,
            Live::Cluster(client, cell) => {
                let mut connection = up(client, cell, timeout).await?;
                command.query_async(&mut connection).await
            }
        }
    }
}

async fn up(
    client: &ClusterClient,
    cell: &OnceCell<ClusterConnection>,
    timeout: Duration,
) -> Result<ClusterConnection, RedisError> {
    let config = ClusterConfig::new().set_connection_timeout(timeout).set_response_timeout(timeout);
    cell.get_or_try_init(|| client.get_async_connection_with_config(config)).await.cloned()
}

/// The live connection and our knowledge of the server behind it.
struct Line {
    /// Number of this connection, from 0.
    number: u64,
    live: Live,
    /// Buckets that the server behind this connection lists for certain. Another server may list fewer.
    announced: HashSet<u16>,
}

/// See the module's head.
pub(super) struct Connection {
    address: Address,
    config: StoreConfig,
    /// Limit of every wait.
    timeout: Duration,
    line: Mutex<Line>,
    /// In a cluster: a connection to each server, for questions that each must answer.
    nodes: Mutex<BTreeMap<String, Arc<Connection>>>,
}

impl Connection {
    /// Prepares the connection. The first call dials.
    pub(super) fn new(config: &StoreConfig) -> StoreResult<Connection> {
        let address = Address::parse(config.url.reveal())?;
        let timeout = Duration::from_millis(config.timeout_ms);
        let live = Live::dial(&address, timeout)?;
        let line = Mutex::new(Line { number: 0, live, announced: HashSet::new() });
        Ok(Connection { address, config: config.clone(), timeout, line, nodes: Mutex::default() })
    }

    /// Whether the keys are spread over several servers.
    pub(super) fn is_cluster(&self) -> bool {
        matches!(self.address, Address::Cluster { .. })
    }

    /// A cluster's masters, one connection each.
    pub(super) async fn masters(&self) -> StoreResult<Vec<Arc<Connection>>> {
        let live = self.line().live.clone();
        let mut ask = redis::cmd("CLUSTER");
        ask.arg("NODES");
        let answer = self
            .bounded(async |_| match &live {
                Live::One(_) => live.query(&ask, self.timeout).await,
                Live::Cluster(client, cell) => {
                    let mut connection = up(client, cell, self.timeout).await?;
                    let any = RoutingInfo::SingleNode(SingleNodeRoutingInfo::Random);
                    let answer: Value = connection.route_command(ask, any).await?;
                    Ok(redis::from_redis_value::<String>(answer)?)
                }
            })
            .await?;
        let mut nodes = self.nodes.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = Vec::new();
        for host in masters(&answer) {
            let node = match nodes.get(&host) {
                Some(node) => node.clone(),
                None => {
                    let Some(url) = self.address.node(&host) else { continue };
                    let config = StoreConfig { url: Secret::new(url), ..self.config.clone() };
                    Arc::new(Connection::new(&config)?)
                }
            };
            nodes.insert(host, node.clone());
            found.push(node);
        }
        Ok(found)
    }

    /// Sends a command. Loads the functions first if the server has lost them.
    pub(super) async fn call<T: FromRedisValue>(&self, command: &Cmd) -> StoreResult<T> {
        match self.call_once(command).await {
            Err(Failure::NoFunction) => {
                tracing::warn!("the Redis server has lost its functions; they are loaded again");
                library::load(self).await?;
                self.call_once(command).await.map_err(StoreError::from)
            }
            other => other.map_err(StoreError::from),
        }
    }

    /// Sends a command as it is.
    pub(super) async fn call_once<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, Failure> {
        self.bounded(async |live| live.query(command, self.timeout).await).await
    }

    async fn bounded<T>(&self, call: impl AsyncFnOnce(Live) -> Result<T, RedisError>) -> Result<T, Failure> {
        let (number, live) = {
            let line = self.line();
            (line.number, line.live.clone())
        };
        let outcome = match tokio::time::timeout(self.timeout, call(live)).await {
            Ok(answer) => answer.map_err(Failure::from),
            Err(_) => Err(Failure::Store(StoreError::Unavailable(format!(
                "no answer within {} ms (`store.timeout_ms`)",
                self.timeout.as_millis()
            )))),
        };
        if matches!(outcome, Err(Failure::Store(StoreError::Unavailable(_)))) {
            self.replace(number);
        }
        outcome
    }

    /// Replaces the connection that failed, once, however many calls failed on it.
    fn replace(&self, failed: u64) {
        let mut line = self.line();
        if line.number == failed
            && let Ok(live) = Live::dial(&self.address, self.timeout)
        {
            *line = Line { number: failed + 1, live, announced: HashSet::new() };
        }
    }

    /// Ensures that the server lists the bucket before a call writes to it.
    pub(super) async fn announce(&self, bucket: u16, key: &str) -> StoreResult<()> {
        let number = {
            let line = self.line();
            if line.announced.contains(&bucket) {
                return Ok(());
            }
            line.number
        };
        self.call::<()>(redis::cmd("SADD").arg(key).arg(bucket)).await?;
        let mut line = self.line();
        if line.number == number {
            line.announced.insert(bucket);
        }
        Ok(())
    }

    /// A panic elsewhere cannot leave the line half written: one assignment replaces it.
    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn dial(client: &Client, timeout: Duration) -> StoreResult<ConnectionManager> {
    let config = ConnectionManagerConfig::new()
        .set_number_of_retries(0)
        .set_connection_timeout(Some(timeout))
        .set_response_timeout(Some(timeout));
    ConnectionManager::new_lazy_with_config(client.clone(), config)
        .map_err(|error| StoreError::from(Failure::from(error)))
}

/// Why a call failed. One cause is handled here.
#[derive(Debug)]
pub(super) enum Failure {
    /// The server does not know the function.
    NoFunction,
    /// Anything else.
    Store(StoreError),
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> StoreError {
        match failure {
            Failure::NoFunction => StoreError::Refused(
                "the server does not keep Newslode's functions after they are loaded".into(),
            ),
            Failure::Store(error) => error,
        }
    }
}

impl From<RedisError> for Failure {
    fn from(error: RedisError) -> Failure {
        let text = tls::with_mend(&error);
        let unavailable = || StoreError::Unavailable(text.clone());
        let corrupt = || StoreError::Corrupt(text.clone());
        let refused = |mend: &str| StoreError::Refused(format!("{mend}: {text}"));
        Failure::Store(match error.kind() {
            ErrorKind::Server(ServerErrorKind::ResponseError) if text.contains("Function not found") => {
                return Failure::NoFunction;
            }
            ErrorKind::Server(ServerErrorKind::ResponseError) if text.contains("unknown command") => {
                refused("the server lacks a command; Redis 7 or later is needed")
            }
            ErrorKind::Server(ServerErrorKind::ResponseError) if text.contains("max number of clients") => {
                unavailable()
            }
            ErrorKind::Server(ServerErrorKind::ResponseError)
            | ErrorKind::Parse
            | ErrorKind::UnexpectedReturnType => corrupt(),
            ErrorKind::Server(ServerErrorKind::NoPerm) => {
                refused("the user of `store.url` lacks a permission")
            }
            ErrorKind::AuthenticationFailed => refused("the server refuses the password of `store.url`"),
            ErrorKind::InvalidClientConfig => refused("`store.url` cannot be used"),
            ErrorKind::Server(ServerErrorKind::CrossSlot) => corrupt(),
            // The server is loading, failing over or being resharded, or the connection was lost: this passes
            // by itself.
            ErrorKind::Server(_) | ErrorKind::Io | ErrorKind::Client => unavailable(),
            _ => match error.code() {
                Some("OOM") => refused("the server is out of memory; raise its `maxmemory`"),
                Some("MISCONF") => refused("the server cannot write its files"),
                Some("NOAUTH" | "WRONGPASS") => refused("the server refuses the password of `store.url`"),
                Some("WRONGTYPE") => corrupt(),
                _ => unavailable(),
            },
        })
    }
}
