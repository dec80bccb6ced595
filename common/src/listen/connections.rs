//! The open connections: how many there may be in all and for a peer, and which one goes when another wants in.
//!
//! A connection *waits* while no request is under way: its client has sent no head, or half of one, or the answer to a wrong guess is
//! being delayed. Waiting costs a client nothing, so the connection that has waited longest makes room for a new one. A connection with
//! a request keeps its place; if all have one, new connections are refused.
//!
//! A *fresh* connection has not had a request yet: perhaps it was sent, and not read. Somebody who guesses on many connections at once
//! must not have those closed before they are read, so a peer may have more of them, and those who guessed wrong go first.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use prometheus::IntCounter;
use tokio_util::sync::CancellationToken;

/// The other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// A TCP client.
    Tcp {
        /// Its address.
        addr: IpAddr,
        /// Whether it speaks TLS with this process.
        is_encrypted: bool,
    },
    /// A process that may open the Unix socket.
    Socket,
}

impl Peer {
    /// A TCP client at `addr`.
    #[must_use]
    pub fn tcp(addr: SocketAddr, is_encrypted: bool) -> Peer {
        Peer::Tcp { addr: addr.ip().to_canonical(), is_encrypted }
    }

    /// Whom a limit counts; `None`: processes at the Unix socket.
    fn counted(self) -> Option<IpAddr> {
        match self {
            Peer::Tcp { addr, .. } => Some(network_of(addr)),
            Peer::Socket => None,
        }
    }
}

/// What limits count as one address: a customer gets a whole /64 of IPv6 addresses.
#[must_use]
pub fn network_of(addr: IpAddr) -> IpAddr {
    match addr {
        IpAddr::V6(addr) => Ipv6Addr::from(u128::from(addr) & !u128::from(u64::MAX)).into(),
        IpAddr::V4(_) => addr,
    }
}

/// How many connections there may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// In all.
    pub most: usize,
    /// Of one peer. A named proxy has no such limit, since it connects for many.
    pub most_of_peer: usize,
    /// Fresh ones of one peer, beside those.
    pub most_fresh_of_peer: usize,
}

/// A connection waits so long for a request.
pub(super) const WAITING: Duration = Duration::from_secs(15);

struct Connection {
    peer: Option<IpAddr>,
    state: State,
    close: CancellationToken,
}

impl Connection {
    fn is_fresh(&self) -> bool {
        matches!(self.state, State::Fresh(_))
    }
}

/// What a connection is doing. When a place is needed, the least connection that is not working is closed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    /// It waits since then to be told that it guessed wrong.
    IsWrong(Instant),
    /// It waits since then for another request.
    Waits(Instant),
    /// It waits since then for its first request.
    Fresh(Instant),
    Works,
}

/// The open connections, in the order in which they came.
#[derive(Default)]
struct Open {
    next: u64,
    by_number: BTreeMap<u64, Connection>,
}

impl Open {
    /// Closes the connection that guessed wrong or has waited longest among those that are chosen.
    fn close_longest_waiting(&mut self, is_chosen: impl Fn(&Connection) -> bool) -> bool {
        let waiting = self.by_number.iter().filter(|(_, connection)| is_chosen(connection));
        let waiting = waiting.filter(|(_, connection)| connection.state != State::Works);
        let waiting = waiting.map(|(number, connection)| (connection.state, *number));
        let Some((_, number)) = waiting.min() else { return false };
        if let Some(connection) = self.by_number.remove(&number) {
            connection.close.cancel();
        }
        true
    }
}

/// The open connections.
pub struct Connections {
    limits: Limits,
    /// Counts those that are refused, or closed for a newcomer.
    dropped: IntCounter,
    open: Mutex<Open>,
}

/// A connection's place among the open ones, until it is dropped.
pub struct Place {
    number: u64,
    connections: Arc<Connections>,
    /// Tells the connection to close.
    pub(super) close: CancellationToken,
}

impl Connections {
    /// No connection yet.
    #[must_use]
    pub fn new(limits: Limits, dropped: IntCounter) -> Connections {
        Connections { limits, dropped, open: Mutex::default() }
    }

    /// Gives a place to a connection; `None`: it must go, because all others have requests.
    pub(super) fn admit(self: &Arc<Connections>, peer: Peer, is_proxy: bool) -> Option<Place> {
        let peer = peer.counted();
        let mut open = self.open();
        if !is_proxy {
            let of_peer = open.by_number.values().filter(|connection| connection.peer == peer);
            let (fresh, others): (Vec<_>, Vec<_>) =
                of_peer.map(Connection::is_fresh).partition(|is_fresh| *is_fresh);
            for (count, most, is_fresh) in [
                (others.len(), self.limits.most_of_peer, false),
                (fresh.len(), self.limits.most_fresh_of_peer, true),
            ] {
                if count >= most {
                    self.dropped.inc();
                    if !open.close_longest_waiting(|other| other.peer == peer && other.is_fresh() == is_fresh)
                    {
                        return None;
                    }
                }
            }
        }
        if open.by_number.len() >= self.limits.most {
            self.dropped.inc();
            if !open.close_longest_waiting(|_| true) {
                return None;
            }
        }
        let number = open.next;
        open.next += 1;
        let close = CancellationToken::new();
        let connection = Connection { peer, state: State::Fresh(Instant::now()), close: close.clone() };
        open.by_number.insert(number, connection);
        Some(Place { number, connections: self.clone(), close })
    }

    /// Closes the connection that has waited longest, for a newcomer that the system refuses.
    pub(super) fn close_longest_waiting(&self) {
        self.dropped.inc();
        self.open().close_longest_waiting(|_| true);
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// The connection has a request now.
    pub fn works(&self) {
        self.set(State::Works);
    }

    /// The connection waits from now on.
    pub fn waits(&self) {
        self.set(State::Waits(Instant::now()));
    }

    /// The connection's client guessed wrong, and waits to be told so.
    pub fn is_wrong(&self) {
        self.set(State::IsWrong(Instant::now()));
    }

    fn set(&self, state: State) {
        if let Some(connection) = self.connections.open().by_number.get_mut(&self.number) {
            connection.state = state;
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

    const LIMITS: Limits = Limits { most: 40, most_of_peer: 8, most_fresh_of_peer: 16 };

    fn connections() -> Arc<Connections> {
        Arc::new(Connections::new(LIMITS, IntCounter::new("dropped", "dropped").unwrap()))
    }

    fn peer(last: u8) -> Peer {
        Peer::tcp(SocketAddr::from(([203, 0, 113, last], 1)), false)
    }

    fn admit(connections: &Arc<Connections>, last: u8, count: usize) -> Vec<Place> {
        (0..count).map(|_| connections.admit(peer(last), false).unwrap()).collect()
    }

    fn closed(places: &[Place]) -> Vec<usize> {
        (0..places.len()).filter(|at| places[*at].close.is_cancelled()).collect()
    }

    #[test]
    fn the_longest_waiting_connection_of_a_peer_gives_its_place_to_a_newcomer() {
        let connections = connections();
        let places = admit(&connections, 1, 8);
        let other = admit(&connections, 2, 1);
        places.iter().for_each(Place::works);
        places[1..].iter().for_each(Place::waits);
        let late = admit(&connections, 1, 1);
        assert_eq!((closed(&places), connections.dropped.get()), (vec![1], 1));
        assert!(closed(&other).is_empty() && closed(&late).is_empty());
        places.iter().for_each(Place::works);
        late[0].works();
        assert!(connections.admit(peer(1), false).is_none());
        // A client that is to be told that it guessed wrong counts as waiting again.
        places[7].is_wrong();
        assert!(connections.admit(peer(1), false).is_some() && closed(&places).contains(&7));
    }

    #[test]
    fn wrong_guesses_close_none_whose_request_was_not_read() {
        let connections = connections();
        let unread = admit(&connections, 1, 6);
        for _ in 0..100 {
            let guessing = admit(&connections, 1, 8);
            guessing.iter().for_each(Place::works);
            guessing.iter().for_each(Place::is_wrong);
        }
        assert!(closed(&unread).is_empty());
        // Half requests without end do: the oldest first.
        let more = admit(&connections, 1, 16);
        assert_eq!((closed(&unread), closed(&more)), ((0..6).collect(), vec![]));
    }

    #[test]
    fn all_connections_together_are_limited_and_places_come_back() {
        let connections = connections();
        let many: Vec<Place> = (0..40).map(|_| connections.admit(peer(1), true).unwrap()).collect();
        many.iter().for_each(Place::works);
        assert!(connections.admit(peer(2), false).is_none());
        many[3].is_wrong();
        many[4].waits();
        assert!(connections.admit(peer(2), false).is_some());
        assert_eq!(closed(&many), [3]);
        drop(many);
        assert!(connections.admit(peer(2), false).is_some());
    }
}
