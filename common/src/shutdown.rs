//! How services end: after a signal they take no new work, finish or return what they have, and exit.
//!
//! SIGTERM or Ctrl-C cancels the token that [`on_signal`] returns. A second one calls `on_second`, by which
//! mains end the process at once, as if it had been killed. [`drain`] waits for a service's loops within
//! the grace and then aborts them: the broker returns what they held, or its lease expires.

use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Returns a token that the first SIGTERM or SIGINT cancels. The second one calls `on_second`.
///
/// # Errors
/// When the signal handlers cannot be installed.
pub fn on_signal(
    tasks: &mut JoinSet<()>,
    on_second: impl FnOnce() + Send + 'static,
) -> std::io::Result<CancellationToken> {
    let token = CancellationToken::new();
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let first = token.clone();
    tasks.spawn(async move {
        tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
        tracing::info!("stopping: finishing or returning work in hand; a second signal exits at once");
        first.cancel();
        tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
        on_second();
    });
    Ok(token)
}

/// Waits up to `grace` for all loops, then aborts the rest. Returns how many it aborted.
pub async fn drain<T: 'static>(loops: &mut JoinSet<T>, grace: Duration) -> usize {
    let finished = async { while loops.join_next().await.is_some() {} };
    if tokio::time::timeout(grace, finished).await.is_ok() {
        return 0;
    }
    let left = loops.len();
    loops.shutdown().await;
    left
}
