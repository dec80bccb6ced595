//! The open connections: how many there may be in all and for a peer, and which one goes when another wants in.
//!
//! A connection *waits* while it has no request under way: its client has sent no head, or half of one, or is told that it guessed
//! wrong. Waiting costs a client nothing, so of those who wait the longest gives its place to a newcomer. A
//! connection with a request keeps its place; if all have one, newcomers are refused.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::console::access::origin::{Client, Peer};

/// The most connections: below the 1,024 descriptors that processes usually have.
const MOST: usize = 512;
/// The most of one peer. A named proxy has no such limit, since it connects for many.
const MOST_OF_PEER: usize = 64;
/// A connection waits so long for a request.
pub(super) const WAITING: Duration = Duration::from_secs(15);

struct Connection {
    peer: Client,
    /// Since when it waits; `None`: it has a request.
    waits_since: Option<Instant>,
    close: CancellationToken,
}

/// The open connections, in the order in which they came.
#[derive(Default)]
struct Open {
    next: u64,
    by_number: BTreeMap<u64, Connection>,
}

impl Open {
    /// Closes the connection that has waited longest among those that are chosen.
    fn close_longest_waiting(&mut self, is_chosen: impl Fn(&Connection) -> bool) -> bool {
        let waiting = self.by_number.iter().filter(|(_, connection)| is_chosen(connection));
        let waiting = waiting.filter_map(|(number, connection)| Some((connection.waits_since?, *number)));
        let Some((_, number)) = waiting.min() else { return false };
        if let Some(connection) = self.by_number.remove(&number) {
            connection.close.cancel();
        }
        true
    }
}

/// The open connections.
#[derive(Default)]
pub(in crate::console) struct Connections {
    open: Mutex<Open>,
}

/// A connection's place among the open ones, until it is dropped.
pub(in crate::console) struct Place {
    number: u64,
    connections: Arc<Connections>,
    /// Tells the connection to close.
    pub(super) close: CancellationToken,
}

impl Connections {
    /// Gives a place to a connection; `None`: it must go, because all others have requests.
    pub(super) fn admit(self: &Arc<Connections>, peer: Peer, is_proxy: bool) -> Option<Place> {
        let peer = match peer {
            Peer::Tcp { addr, .. } => Client::Address(addr).counted(),
            Peer::Socket => Client::Socket,
        };
        let mut open = self.open();
        let of_peer = open.by_number.values().filter(|connection| connection.peer == peer).count();
        if !is_proxy && of_peer >= MOST_OF_PEER && !open.close_longest_waiting(|other| other.peer == peer) {
            return None;
        }
        if open.by_number.len() >= MOST && !open.close_longest_waiting(|_| true) {
            return None;
        }
        let number = open.next;
        open.next += 1;
        let close = CancellationToken::new();
        let connection = Connection { peer, waits_since: Some(Instant::now()), close: close.clone() };
        open.by_number.insert(number, connection);
        Some(Place { number, connections: self.clone(), close })
    }

    /// Closes the connection that has waited longest, for a newcomer that the system refuses.
    pub(super) fn close_longest_waiting(&self) {
        self.open().close_longest_waiting(|_| true);
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// The connection has a request now.
    pub(in crate::console) fn works(&self) {
        self.set(None);
    }

    /// The connection waits from now on.
    pub(in crate::console) fn waits(&self) {
        self.set(Some(Instant::now()));
    }

    fn set(&self, waits_since: Option<Instant>) {
        if let Some(connection) = self.connections.open().by_number.get_mut(&self.number) {
            connection.waits_since = waits_since;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connections.open().by_number.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(last: u8) -> Peer {
        Peer::tcp(std::net::SocketAddr::from(([203, 0, 113, last], 1)), false)
    }

    #[test]
    fn the_longest_waiting_connection_of_a_peer_gives_its_place_to_a_newcomer() {
        let connections = Arc::<Connections>::default();
        let places: Vec<Place> =
            (0..MOST_OF_PEER).map(|_| connections.admit(peer(1), false).unwrap()).collect();
        let other = connections.admit(peer(2), false).unwrap();
        places[0].works();
        let late = connections.admit(peer(1), false).unwrap();
        let closed: Vec<usize> = (0..MOST_OF_PEER).filter(|at| places[*at].close.is_cancelled()).collect();
        assert_eq!(closed, [1]);
        assert!(!other.close.is_cancelled() && !late.close.is_cancelled());
        // A client whose answer is delayed after a wrong guess counts as waiting again.
        places.iter().for_each(Place::works);
        late.works();
        assert!(connections.admit(peer(1), false).is_none());
        places[7].waits();
        assert!(connections.admit(peer(1), false).is_some() && places[7].close.is_cancelled());
    }

    #[test]
    fn all_connections_together_are_limited_and_places_come_back() {
        let connections = Arc::<Connections>::default();
        let many: Vec<Place> = (0..MOST).map(|_| connections.admit(peer(1), true).unwrap()).collect();
        many.iter().for_each(Place::works);
        assert!(connections.admit(peer(2), false).is_none());
        drop(many);
        assert!(connections.admit(peer(2), false).is_some());
    }
}
