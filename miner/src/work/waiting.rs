//! A wait that ends when the service stops.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

/// Sleeps. Returns false if stopped meanwhile.
pub(super) async fn pause(wait: Duration, stop: &CancellationToken) -> bool {
    tokio::select! {
        () = stop.cancelled() => false,
        () = tokio::time::sleep(wait) => true,
    }
}
