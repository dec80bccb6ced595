//! A wait that ends when the service stops.

use std::time::Duration;

use newslode_common::time::Clock;
use tokio_util::sync::CancellationToken;

/// Sleeps. Returns false if stopped meanwhile.
pub(super) async fn pause(wait: Duration, stop: &CancellationToken) -> bool {
    pause_on(&Clock::Machine, wait, stop).await
}

/// The same by this clock.
pub(super) async fn pause_on(clock: &Clock, wait: Duration, stop: &CancellationToken) -> bool {
    tokio::select! {
        () = stop.cancelled() => false,
        () = clock.sleep(wait) => true,
    }
}
