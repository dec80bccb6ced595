//! Shows progress on standard error: one line that is redrawn on a terminal, a plain line every ten
//! seconds elsewhere, nothing with `--quiet`.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Time between two plain lines.
const PLAIN_EVERY: Duration = Duration::from_secs(10);

/// A display of progress.
pub(crate) struct Shown {
    bar: Option<ProgressBar>,
    quiet: bool,
    last: Instant,
}

impl Shown {
    /// Makes a display that respects `--quiet` and adapts to standard error.
    pub(crate) fn new(quiet: bool) -> Shown {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
            if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
                bar.set_style(style);
            }
            bar
        });
        Shown { bar, quiet, last: Instant::now() }
    }

    /// Shows a message. `message` is called only if the message is shown.
    #[allow(clippy::print_stderr, reason = "progress without a terminal is lines for people")]
    pub(crate) fn say(&mut self, message: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            bar.set_message(message());
            bar.tick();
        } else if !self.quiet && self.last.elapsed() >= PLAIN_EVERY {
            self.last = Instant::now();
            eprintln!("{}", message());
        }
    }

    /// Removes the line.
    pub(crate) fn end(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
