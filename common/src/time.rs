//! The machine's clock.
//!
//! No algorithm and no store reads a clock. The caller passes the time in, so tests choose it and replays
//! repeat it. Only loops and mains call this.

use std::time::{SystemTime, UNIX_EPOCH};

use newslode_page::time::Timestamp;

/// The time now.
#[must_use]
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
