//! Ends the process after a chosen effect, so that tests can kill it at every point at which a crash makes a difference.
//!
//! An effect is a change that a store, an archive or a broker has confirmed. With `NEWSLODE_ABORT_AFTER=N` in its
//! environment, a debug build aborts right after its `N`th effect, and names it on standard error. The embedded store then
//! makes each call durable before it answers: after a plain kill its last calls roll back together, which would hide what
//! lies between them. A release build has no failpoints.

/// The variable that names the last effect of a process.
pub const VARIABLE: &str = "NEWSLODE_ABORT_AFTER";

/// Whether this process ends after one of its effects.
#[must_use]
pub fn is_armed() -> bool {
    cfg!(debug_assertions) && armed::last_effect().is_some()
}

/// Counts an effect. `name` is called only if the process ends here.
pub fn effect(name: impl FnOnce() -> String) {
    if cfg!(debug_assertions) {
        armed::count(name);
    }
}

mod armed {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    static EFFECTS: AtomicU64 = AtomicU64::new(0);

    /// The number of the effect after which the process ends.
    pub(super) fn last_effect() -> Option<u64> {
        static LAST: OnceLock<Option<u64>> = OnceLock::new();
        *LAST.get_or_init(|| std::env::var(super::VARIABLE).ok()?.parse().ok())
    }

    #[allow(clippy::print_stderr, reason = "the log may not reach its file before the process ends")]
    pub(super) fn count(name: impl FnOnce() -> String) {
        let Some(last) = last_effect() else { return };
        if EFFECTS.fetch_add(1, Ordering::SeqCst) + 1 == last {
            eprintln!("aborted after effect {last}: {}", name());
            std::process::abort();
        }
    }
}
