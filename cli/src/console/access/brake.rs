//! One brake for wrong guesses, by bearer token and by sign-in alike.
//!
//! A credential is checked before the brake is asked, and a right one never meets it. So nobody can lock the owner of a token out by
//! guessing. A wrong one waits: each client's wrong guesses are answered one after the other, further apart the more there were.
//! Tokens that could be guessed at any rate are refused when they are read ([`crate::queries::tokens::weakness`]); the brake keeps the
//! noise of guessing down.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::origin::Client;

/// Time between the answers to a client's first wrong guesses.
const FIRST: Duration = Duration::from_millis(300);
/// The longest wait for an answer.
const LONGEST: Duration = Duration::from_secs(5);
/// After so many wrong guesses the time between answers doubles.
const DOUBLED: u32 = 4;
/// Guesses of a client that was right, or was silent for so long, are forgotten.
const FORGOTTEN: Duration = Duration::from_secs(600);
/// The most clients that are remembered.
const MOST: usize = 4_096;

struct Guesses {
    wrong: u32,
    /// When the last of them is answered.
    until: Instant,
}

/// The brake.
#[derive(Default)]
pub(super) struct Brake {
    clients: Mutex<HashMap<Client, Guesses>>,
}

impl Brake {
    /// Counts a wrong guess at `now`. Returns how many there were of this client, and how long its answer waits.
    pub(super) fn wrong(&self, client: Client, now: Instant) -> (u32, Duration) {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if clients.len() >= MOST {
            clients.retain(|_, guesses| now.saturating_duration_since(guesses.until) < FORGOTTEN);
        }
        if clients.len() >= MOST
            && let Some(oldest) = clients.iter().min_by_key(|(_, guesses)| guesses.until).map(|(own, _)| *own)
        {
            clients.remove(&oldest);
        }
        let guesses = clients.entry(client.counted()).or_insert(Guesses { wrong: 0, until: now });
        if now.saturating_duration_since(guesses.until) >= FORGOTTEN {
            *guesses = Guesses { wrong: 0, until: now };
        }
        guesses.wrong = guesses.wrong.saturating_add(1);
        let pause = FIRST.saturating_mul(1 << ((guesses.wrong - 1) / DOUBLED).min(8)).min(LONGEST);
        guesses.until = (guesses.until.max(now) + pause).min(now + LONGEST);
        (guesses.wrong, guesses.until.saturating_duration_since(now))
    }

    /// Forgets the wrong guesses of a client that was right.
    pub(super) fn right(&self, client: Client) {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner).remove(&client.counted());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(last: u8) -> Client {
        Client::Address([203, 0, 113, last].into())
    }

    #[test]
    fn wrong_guesses_wait_longer_and_longer_and_apart_from_other_clients() {
        let (brake, now) = (Brake::default(), Instant::now());
        let mut waits = Vec::new();
        let mut at = now;
        for _ in 0..40 {
            let (_, wait) = brake.wrong(client(1), at);
            waits.push(wait);
            at += wait;
        }
        assert_eq!(waits[0], FIRST);
        assert!(waits.windows(2).all(|pair| pair[0] <= pair[1]), "{waits:?}");
        assert_eq!(*waits.last().unwrap(), LONGEST);
        assert_eq!(brake.wrong(client(2), at), (1, FIRST));
        assert_eq!(brake.wrong(client(1), at + FORGOTTEN), (1, FIRST));
    }

    #[test]
    fn guesses_at_once_wait_in_line() {
        let (brake, now) = (Brake::default(), Instant::now());
        let waits: Vec<Duration> = (0..4).map(|_| brake.wrong(client(1), now).1).collect();
        assert_eq!(waits, [1, 2, 3, 4].map(|turn| FIRST * turn));
        assert!((0..1_000).all(|_| brake.wrong(client(1), now).1 <= LONGEST));
        brake.right(client(1));
        assert_eq!(brake.wrong(client(1), now), (1, FIRST));
    }

    #[test]
    fn the_clients_of_a_network_count_as_one_and_memory_is_bounded() {
        let (brake, now) = (Brake::default(), Instant::now());
        let v6 = |text: &str| Client::Address(text.parse().unwrap());
        brake.wrong(v6("2001:db8::1"), now);
        assert_eq!(brake.wrong(v6("2001:db8::ffff"), now).0, 2);
        for number in 0..MOST as u32 + 9 {
            brake.wrong(Client::Address(std::net::Ipv4Addr::from(number).into()), now);
        }
        assert!(brake.clients.lock().unwrap().len() <= MOST);
    }
}
