//! Progress of measurements, on standard error.

/// Says what is done now.
pub(super) fn progress(quiet: bool) -> impl FnMut(&str) {
    move |what| {
        if !quiet {
            newslode::out::notice(what);
        }
    }
}
