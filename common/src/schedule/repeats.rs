//! What several addresses of a site did lately: one address alone teaches little.
//!
//! A place to which several addresses redirect is a maintenance page, a login or a consent wall, whatever it is called; so is a text
//! that several addresses show and that is no article. A site of which several addresses are busy is busy. This is part of the site's
//! record, since `mine` may run for a few minutes at a time: each run alone sees too little. Start at [`Repeats::note`].

use serde::{Deserialize, Serialize};

use super::{HOUR, MINUTE, name};

/// Largest number of events that are remembered, and of addresses of each.
const MOST_EVENTS: usize = 16;
const MOST_ADDRESSES: usize = 4;
/// For how long an address is remembered with an event, in seconds.
const REMEMBERED: u64 = HOUR;
/// Two addresses must be busy within this time, in seconds.
const BUSY: u64 = 10 * MINUTE;

/// What an address did that others may do, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepeatedEvent<'a> {
    /// It redirected to this place.
    Detour(&'a str),
    /// It showed the text with this [name], and that is no article.
    Text(u64),
    /// It answered 429 or 503.
    Busy,
}

impl RepeatedEvent<'_> {
    fn key(self) -> u64 {
        match self {
            RepeatedEvent::Detour(place) => name(&format!("detour {place}")),
            RepeatedEvent::Text(text) => name(&format!("text {text}")),
            RepeatedEvent::Busy => name("busy"),
        }
    }

    fn remembered(self) -> u64 {
        match self {
            RepeatedEvent::Detour(_) | RepeatedEvent::Text(_) => REMEMBERED,
            RepeatedEvent::Busy => BUSY,
        }
    }
}

/// An event, and the addresses of which it was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Repeat {
    key: u64,
    /// Names of addresses, and when each was last seen, in seconds since the epoch; the last one was seen last.
    addresses: Vec<(u64, u64)>,
}

impl Repeat {
    fn last(&self) -> u64 {
        self.addresses.last().map_or(0, |(_, at)| *at)
    }
}

/// The events of a site that are remembered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Repeats {
    events: Vec<Repeat>,
}

impl Repeats {
    /// Brings back what a clock noted that was ahead.
    pub(super) fn bring_back(&mut self, now: u64) {
        let addresses = self.events.iter_mut().flat_map(|event| &mut event.addresses);
        addresses.for_each(|(_, at)| *at = (*at).min(now));
    }

    /// Notes an event of an address, both known by their [names](name). Returns of how many others it was seen that are remembered:
    /// 0 to 4.
    pub(super) fn note(&mut self, event: RepeatedEvent<'_>, address: u64, now: u64) -> usize {
        self.events.retain(|known| known.last() + REMEMBERED > now);
        let (key, is_recent) = (event.key(), |at: u64| at + event.remembered() > now);
        let mut found = match self.events.iter().position(|known| known.key == key) {
            Some(place) => self.events.swap_remove(place),
            None => Repeat { key, addresses: Vec::new() },
        };
        found.addresses.retain(|(seen, at)| *seen != address && is_recent(*at));
        let others = found.addresses.len();
        if others >= MOST_ADDRESSES {
            found.addresses.remove(0);
        }
        found.addresses.push((address, now));
        if self.events.len() >= MOST_EVENTS
            && let Some(oldest) =
                (0..self.events.len()).min_by_key(|place| self.events.get(*place).map(Repeat::last))
        {
            self.events.swap_remove(oldest);
        }
        self.events.push(found);
        others
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: u64 = 1_700_000_000;

    #[test]
    fn other_addresses_count_as_long_as_they_are_remembered() {
        let mut repeats = Repeats::default();
        let mut note = |address: u64, place: &str, minutes: u64| {
            repeats.note(RepeatedEvent::Detour(place), address, START + minutes * MINUTE)
        };
        assert_eq!(note(1, "/login", 0), 0);
        assert_eq!(note(1, "/login", 1), 0, "the same again");
        assert_eq!(note(2, "/login", 2), 1);
        assert_eq!(note(3, "/other", 3), 0);
        assert_eq!(note(3, "/login", 4), 2);
        assert_eq!(note(4, "/login", 65), 0);
    }

    #[test]
    fn kinds_of_events_are_apart_and_a_busy_address_is_soon_forgotten() {
        let mut repeats = Repeats::default();
        assert_eq!(repeats.note(RepeatedEvent::Busy, 1, START), 0);
        assert_eq!(repeats.note(RepeatedEvent::Text(7), 2, START), 0);
        assert_eq!(repeats.note(RepeatedEvent::Detour("7"), 3, START), 0);
        assert_eq!(repeats.note(RepeatedEvent::Busy, 2, START + 599), 1);
        assert_eq!(repeats.note(RepeatedEvent::Busy, 3, START + 1_200), 0);
        assert_eq!(repeats.note(RepeatedEvent::Text(7), 3, START + 1_200), 1);
    }

    #[test]
    fn memory_has_a_bound_and_what_goes_on_stays() {
        let mut repeats = Repeats::default();
        for n in 0..200 {
            assert_eq!(repeats.note(RepeatedEvent::Text(n), n, START + n), 0);
            let others = repeats.note(RepeatedEvent::Detour("/login"), n, START + n);
            assert_eq!(others, usize::try_from(n).unwrap().min(MOST_ADDRESSES));
        }
        assert!(repeats.events.len() <= MOST_EVENTS);
        assert!(repeats.events.iter().all(|event| event.addresses.len() <= MOST_ADDRESSES));
    }
}
