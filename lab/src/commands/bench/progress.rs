//! Progress of measurements, on standard error.

/// Says what is done now.
#[allow(clippy::print_stderr, reason = "progress is not output")]
pub(super) fn progress(quiet: bool) -> impl FnMut(&str) {
    move |what| {
        if !quiet {
            eprintln!("{what}");
        }
    }
}
