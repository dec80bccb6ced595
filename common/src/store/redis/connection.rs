//! A connection that is always there: shared, replaced when it fails, with a limit on every wait.
//!
//! A call that fails because the server is away is reported and never repeated here. It may have had its
//! effect, and only the caller knows how long to wait. The failed connection is dropped, so the next call
//! dials anew. Otherwise a connection manager that met a server while it loaded its data would keep that
//! answer for ever, and a peer that vanished silently would be awaited until TCP gives up.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::cluster::{ClusterClient, ClusterConfig};
use redis::cluster_async::ClusterConnection;
use redis::cluster_routing::{RoutingInfo, SingleNodeRoutingInfo};
use redis::{Client, Cmd, ErrorKind, FromRedisValue, RedisError, ServerErrorKind, Value};
use tokio::sync::OnceCell;

use super::address::{Address, masters};
use super::functions::{NAME, SOURCE};
use crate::config::{Secret, StoreConfig};
use crate::failpoint;
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
struct CurrentConnection {
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
    current: Mutex<CurrentConnection>,
    /// In a cluster: a connection to each server, for questions that each must answer.
    nodes: Mutex<BTreeMap<String, Arc<Connection>>>,
}

impl Connection {
    /// Prepares the connection. The first call dials.
    pub(super) fn new(config: &StoreConfig) -> StoreResult<Connection> {
        let address = Address::parse(config.url.reveal())?;
        let timeout = Duration::from_millis(config.timeout_ms);
        let live = Live::dial(&address, timeout)?;
        let current = Mutex::new(CurrentConnection { number: 0, live, announced: HashSet::new() });
        Ok(Connection { address, config: config.clone(), timeout, current, nodes: Mutex::default() })
    }

    /// Whether the keys are spread over several servers.
    pub(super) fn is_cluster(&self) -> bool {
        matches!(self.address, Address::Cluster { .. })
    }

    /// A cluster's masters, one connection each.
    pub(super) async fn masters(&self) -> StoreResult<Vec<Arc<Connection>>> {
        let live = self.current().live.clone();
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
                tracing::warn!("the Redis server has lost its functions; loading them again");
                self.load_functions().await?;
                self.call_once(command).await.map_err(StoreError::from)
            }
            other => other.map_err(StoreError::from),
        }
    }

    /// Sends a command as it is.
    pub(super) async fn call_once<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, Failure> {
        let answer = self.bounded(async |live| live.query(command, self.timeout).await).await;
        if answer.is_ok() {
            failpoint::effect(|| format!("store call {}", name_of(command)));
        }
        answer
    }

    async fn bounded<T>(&self, call: impl AsyncFnOnce(Live) -> Result<T, RedisError>) -> Result<T, Failure> {
        let (number, live) = {
            let current = self.current();
            (current.number, current.live.clone())
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
        let mut current = self.current();
        if current.number == failed
            && let Ok(live) = Live::dial(&self.address, self.timeout)
        {
            *current = CurrentConnection { number: failed + 1, live, announced: HashSet::new() };
        }
    }

    /// Ensures that the server lists the bucket before a call writes to it.
    pub(super) async fn announce(&self, bucket: u16, key: &str) -> StoreResult<()> {
        let number = {
            let current = self.current();
            if current.announced.contains(&bucket) {
                return Ok(());
            }
            current.number
        };
        self.call::<()>(redis::cmd("SADD").arg(key).arg(bucket)).await?;
        let mut current = self.current();
        if current.number == number {
            current.announced.insert(bucket);
        }
        Ok(())
    }

    /// The servers behind the connection. `None` stands for the single server that it is connected to.
    pub(super) async fn servers(&self) -> StoreResult<Vec<Option<Arc<Connection>>>> {
        if self.is_cluster() {
            let masters = self.masters().await?;
            if masters.is_empty() {
                return Err(StoreError::Refused(
                    "the servers of `store.url` are not a working cluster: no server has slots".into(),
                ));
            }
            Ok(masters.into_iter().map(Some).collect())
        } else {
            Ok(vec![None])
        }
    }

    /// Loads the functions into each server that does not hold exactly these.
    async fn load_functions(&self) -> StoreResult<()> {
        for server in self.servers().await? {
            server.as_ref().map_or(self, |node| node).load_functions_here().await?;
        }
        Ok(())
    }

    /// Loads the functions into the server of this connection, if it does not hold exactly these.
    pub(super) async fn load_functions_here(&self) -> StoreResult<()> {
        match self.held_functions().await? {
            Some(source) if source.trim_end() == SOURCE.trim_end() => return Ok(()),
            Some(_) => tracing::warn!(
                library = NAME,
                "the Redis server holds other functions under the name of this library; replacing them"
            ),
            None => tracing::info!(library = NAME, "loading the functions into the Redis server"),
        }
        let mut load = redis::cmd("FUNCTION");
        load.arg("LOAD").arg("REPLACE").arg(SOURCE);
        match self.call_once::<String>(&load).await.map_err(StoreError::from) {
            Ok(_) => Ok(()),
            Err(StoreError::Corrupt(text)) => {
                Err(StoreError::Refused(format!("the server rejects Newslode's functions: {text}")))
            }
            // A user without this right waits for one who has it, as the miner does.
            Err(StoreError::Refused(text)) if text.contains("NOPERM") || text.contains("no permissions") => {
                Err(StoreError::Unavailable(format!(
                    "the server does not hold Newslode's functions yet, and this user may not load them: start the miner ({text})"
                )))
            }
            Err(other) => Err(other),
        }
    }

    /// The source that the server holds under our library's name.
    async fn held_functions(&self) -> StoreResult<Option<String>> {
        let mut list = redis::cmd("FUNCTION");
        list.arg("LIST").arg("LIBRARYNAME").arg(NAME).arg("WITHCODE");
        let libraries: Vec<HashMap<String, Value>> = self.call_once(&list).await.map_err(StoreError::from)?;
        let code = libraries.into_iter().next().and_then(|mut library| library.remove("library_code"));
        code.map(|code| redis::from_redis_value(code).map_err(|error| StoreError::Corrupt(error.to_string())))
            .transpose()
    }

    /// A panic elsewhere cannot leave the line half written: one assignment replaces it.
    fn current(&self) -> MutexGuard<'_, CurrentConnection> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A command, or the function that it calls.
fn name_of(command: &Cmd) -> String {
    let words = command.args_iter().take(2).filter_map(|word| match word {
        redis::Arg::Simple(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    });
    let words: Vec<String> = words.collect();
    match words.as_slice() {
        [call, function] if call == "FCALL" => function.clone(),
        [command, ..] => command.clone(),
        [] => String::new(),
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
        let text = tls::with_remedy(&error);
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
