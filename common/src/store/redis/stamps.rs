//! Stamps that tell the hints of different writers apart (`turns.lua`).

use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU32, Ordering};

/// Stamps are below this number; `turns.lua` relies on it.
const STAMPS: u32 = 1_000;

/// The stamps of one process, in turn.
pub(super) struct Stamps(AtomicU32);

impl Stamps {
    /// Begins with a random stamp, so that two processes rarely share one.
    pub(super) fn new() -> Stamps {
        let first = u32::try_from(RandomState::new().hash_one(0) % u64::from(STAMPS)).unwrap_or_default();
        Stamps(AtomicU32::new(first))
    }

    /// The next stamp; never 0.
    pub(super) fn next(&self) -> u32 {
        1 + self.0.fetch_add(1, Ordering::Relaxed) % (STAMPS - 1)
    }
}
