//! The served store: frontier and mined state of all sites in Redis 7 or later, for many processes.
//!
//! Every write is one call of a function in `state.lua` (with `groups.lua`) or `frontier.lua` (with `waiting.lua`) on one site.
//! So it takes effect wholly or not at all, in one slot of a cluster (`keys.rs` describes the keys). Only hints at whose turn
//! it is (`turns.lua`) are written by a second call. Batches are not split: a call is as atomic as its batch, and callers keep
//! batches small (64 pages of 300 cells block the server for some tens of milliseconds).
//!
//! A call without an answer in time may have had its effect. It is reported as
//! [`StoreError::Unavailable`](super::StoreError), and repeating it is safe. Connections are rebuilt and lost
//! functions loaded again without the caller's help. Times are cut to 2⁵³ − 1 ms.
//!
//! A cluster is one store as well (`redis+cluster://`, see `address.rs`). Buckets lie in its slots, the
//! functions on each of its masters.
//!
//! We assume that the server keeps an append-only file with `appendfsync always`. With `everysec` a server
//! that is killed may lose calls that it answered: while its disk is busy, it answers up to two seconds
//! before it writes. We also assume that nobody runs `FLUSHALL` while services run: they would not list their
//! buckets again until they reconnect.
//! Start at [`RedisStore::connect`].

mod address;
mod batch;
mod claims;
mod connection;
mod frontier;
mod functions;
mod keys;
mod pack;
mod server;
mod stamps;
mod state;
mod sums;
mod turns;

use std::sync::{Arc, Mutex};

use futures::stream::{StreamExt, TryStreamExt};
use redis::Cmd;
use rustc_hash::FxHashMap;

use self::address::Address;
use self::batch::Groups;
use self::connection::Connection;
use self::keys::Keys;
pub use self::server::Work;
use self::stamps::Stamps;
use super::{BUCKETS, SiteState, StoreError, StoreResult, bucket};
use crate::config::{Secret, StoreConfig};
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;

/// How keys and values are laid out. Its number stands in the value `format` once it is not 1.
const FORMAT: u64 = 1;
/// Calls in flight at once where one call has to ask many buckets or sites.
const IN_FLIGHT: usize = 64;

/// Frontier and mined state in Redis. Clones share one connection.
#[derive(Clone)]
pub struct RedisStore {
    shared: Arc<Shared>,
}

struct Shared {
    connection: Connection,
    keys: Keys,
    /// Stamps of the hints that this process writes.
    stamps: Stamps,
    /// The number of groups into which each site's cells are divided, as last read.
    groups: Mutex<FxHashMap<Site, Groups>>,
}

/// Checks that `store.url` can be parsed. Connects to nothing.
///
/// # Errors
/// [`StoreError::Refused`](super::StoreError) says what is wrong with the URL, without its password.
pub fn check_url(url: &Secret) -> StoreResult<()> {
    Address::parse(url.reveal()).map(drop)
}

impl RedisStore {
    /// Connects, checks the server and loads the functions.
    ///
    /// # Errors
    /// `Unavailable` if the server cannot be reached now. `Refused`, with the remedy, if it is older than
    /// Redis 7, is a replica, may evict keys, or refuses our user or functions.
    pub async fn connect(config: &StoreConfig) -> StoreResult<RedisStore> {
        let shared = Shared {
            connection: Connection::new(config)?,
            keys: Keys::new(&config.prefix),
            stamps: Stamps::new(),
            groups: Mutex::default(),
        };
        let store = RedisStore { shared: Arc::new(shared) };
        server::check(store.connection()).await?;
        store.check_format().await?;
        server::warn_of_losses(store.connection()).await?;
        Ok(store)
    }

    /// Refuses what a newer version of the program laid out in another way.
    async fn check_format(&self) -> StoreResult<()> {
        let Some((_, bytes)) = self.value("format").await? else { return Ok(()) };
        match std::str::from_utf8(&bytes).ok().and_then(|text| text.parse().ok()) {
            Some(0..=FORMAT) => Ok(()),
            _ => {
                let found = String::from_utf8_lossy(&bytes).chars().take(20).collect::<String>();
                Err(StoreError::Refused(format!(
                    "`store.url` holds format {found} under the prefix `{}`, written by a newer version of Newslode; \
                     this one reads {FORMAT}: update this program",
                    self.keys().prefix()
                )))
            }
        }
    }

    /// Bytes of memory that all data of the server takes, ours and others', with what its allocator adds.
    ///
    /// # Errors
    /// As any call.
    pub async fn used_memory(&self) -> StoreResult<u64> {
        server::used_memory(self.connection()).await
    }

    /// The time by the clock of the server, or of any one in a cluster.
    ///
    /// # Errors
    /// As any call.
    pub async fn clock(&self) -> StoreResult<Timestamp> {
        let (seconds, micros): (u64, u64) = self.connection().call(&redis::cmd("TIME")).await?;
        Ok(Timestamp(seconds * 1_000 + micros / 1_000))
    }

    /// What the server has done since it started, for whomever.
    ///
    /// # Errors
    /// As any call.
    pub async fn work(&self) -> StoreResult<Work> {
        server::work(self.connection()).await
    }

    fn connection(&self) -> &Connection {
        &self.shared.connection
    }

    fn keys(&self) -> &Keys {
        &self.shared.keys
    }

    /// Lists a site's bucket before the site's first write.
    async fn announce(&self, site: &Site) -> StoreResult<()> {
        self.connection().announce(bucket(site), &self.keys().buckets()).await
    }

    /// All buckets that may hold data. In a cluster one server holds the list of buckets in use, and others
    /// hold the buckets. If that server lost its last second, the list is incomplete.
    async fn all_buckets(&self) -> StoreResult<Vec<u16>> {
        if self.connection().is_cluster() { Ok((0..BUCKETS).collect()) } else { self.buckets().await }
    }

    /// Lists buckets again that were found to hold data.
    async fn list_again(&self, found: impl Iterator<Item = u16>) -> StoreResult<()> {
        let found: Vec<u16> = found.collect();
        if found.is_empty() || !self.connection().is_cluster() {
            return Ok(());
        }
        self.connection().call(redis::cmd("SADD").arg(self.keys().buckets()).arg(found)).await
    }

    /// The buckets in use, in order.
    async fn buckets(&self) -> StoreResult<Vec<u16>> {
        let mut buckets: Vec<u16> =
            self.connection().call(redis::cmd("SMEMBERS").arg(self.keys().buckets())).await?;
        buckets.sort_unstable();
        Ok(buckets)
    }

    /// Sends one command per item, several in flight. The answers keep the order.
    async fn each<I, T>(&self, things: &[I], command: impl Fn(&I) -> Cmd) -> StoreResult<Vec<T>>
    where
        T: redis::FromRedisValue,
    {
        let commands: Vec<Cmd> = things.iter().map(command).collect();
        futures::stream::iter(commands)
            .map(|command| async move { self.connection().call(&command).await })
            .buffered(IN_FLIGHT)
            .try_collect()
            .await
    }
}

/// A call of one of our functions.
fn function(name: &str, keys: &[String]) -> Cmd {
    let mut command = redis::cmd("FCALL");
    command.arg(name).arg(keys.len()).arg(keys);
    command
}
