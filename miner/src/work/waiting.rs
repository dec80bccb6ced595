//! Waits that end when the service stops: a pause, and the time between tries.
//!
//! A delivery is held and tried again while a store is away, but no longer than [`HOLD`]: the broker takes a
//! delivery back that is held for too long.

use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Longest that deliveries are held while a store or the broker is away.
const HOLD: Duration = Duration::from_secs(600);
/// First and longest wait between two tries.
const WAITS: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(10));
/// Tries until it works, the error says it never will, [`HOLD`] is over or the service stops.
pub(super) async fn patiently<T, E, F: Future<Output = Result<T, E>>>(
    stop: &CancellationToken,
    retryable: impl Fn(&E) -> bool,
    work: impl Fn() -> F,
) -> Result<T, E>
where
    E: std::fmt::Display,
{
    let until = Instant::now() + HOLD;
    let mut wait = WAITS.0;
    loop {
        match work().await {
            Err(error) if retryable(&error) && Instant::now() + wait < until => {
                tracing::warn!(%error, wait_ms = wait.as_millis(), "held; will be tried again");
                if !pause(wait, stop).await {
                    return Err(error);
                }
                wait = (wait * 2).min(WAITS.1);
            }
            done => return done,
        }
    }
}

/// Waits; false if told to stop meanwhile.
pub(super) async fn pause(wait: Duration, stop: &CancellationToken) -> bool {
    tokio::select! {
        () = stop.cancelled() => false,
        () = tokio::time::sleep(wait) => true,
    }
}
