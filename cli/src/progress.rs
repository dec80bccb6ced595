//! Shows progress on standard error: one line that is redrawn on a terminal, a plain line every ten
//! seconds elsewhere, nothing with `--quiet`. Long work shows its rate, and the time that the rest will take.

use std::collections::VecDeque;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use newslode_page::neutral::for_log;

use crate::out;

/// Time between two plain lines.
const PLAIN_EVERY: Duration = Duration::from_secs(10);

/// Rates are averages over this time. A longer one would mix different kinds of work, a shorter one would make them jump.
const RECENT: Duration = Duration::from_secs(30);

/// Time between two marks of a pace.
const MARK_EVERY: Duration = Duration::from_secs(1);

/// A display of progress.
pub struct ProgressDisplay {
    bar: Option<ProgressBar>,
    quiet: bool,
    /// Time between two plain lines.
    plain_every: Duration,
    last: Option<Instant>,
    pace: Pace,
}

impl ProgressDisplay {
    /// Makes a display that respects `--quiet` and adapts to standard error.
    #[must_use]
    pub fn new(quiet: bool) -> ProgressDisplay {
        let display = ProgressDisplay::every(PLAIN_EVERY, quiet);
        ProgressDisplay { last: Some(Instant::now()), ..display }
    }

    /// The same with another time between two plain lines, of which the first is shown at once.
    #[must_use]
    pub fn every(plain_every: Duration, quiet: bool) -> ProgressDisplay {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
            // What is wider than the terminal is cut.
            if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
                bar.set_style(style);
            }
            bar
        });
        ProgressDisplay { bar, quiet, plain_every, last: None, pace: Pace::default() }
    }

    /// Shows a message. `message` is called only if the message is shown.
    pub fn say(&mut self, message: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            bar.set_message(for_log(&message()).into_owned());
            bar.tick();
        } else if !self.quiet && self.last.is_none_or(|last| last.elapsed() >= self.plain_every) {
            self.last = Some(Instant::now());
            out::notice(message());
        }
    }

    /// Shows a message about work of which so much is done and so much is left, if that is known. It gets the pace in words,
    /// with a comma before it: `, 12/s, 3 min left`.
    pub fn work(&mut self, done: u64, left: Option<u64>, message: impl FnOnce(&str) -> String) {
        self.pace.record(Instant::now(), done);
        let pace = self.pace.in_words(left);
        self.say(|| message(&pace));
    }

    /// Shows how many of so many things are done.
    pub fn count(&mut self, done: usize, of: usize, what: &str) {
        let left = of.saturating_sub(done) as u64;
        self.work(done as u64, Some(left), |pace| format!("{done} of {of} {what}{pace}"));
    }

    /// Removes the line.
    pub fn end(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

/// How fast work goes lately.
#[derive(Default)]
struct Pace {
    /// What was done when, oldest first, a second apart; all but the first are recent.
    marks: VecDeque<(Instant, u64)>,
    newest: Option<(Instant, u64)>,
}

impl Pace {
    fn record(&mut self, now: Instant, done: u64) {
        self.newest = Some((now, done));
        if self.marks.back().is_none_or(|(at, _)| now.duration_since(*at) >= MARK_EVERY) {
            self.marks.push_back((now, done));
        }
        while self.marks.get(1).is_some_and(|(at, _)| now.duration_since(*at) >= RECENT) {
            self.marks.pop_front();
        }
    }

    /// The rate, and the time for what is left; nothing before a second has passed.
    fn in_words(&self, left: Option<u64>) -> String {
        let (Some((since, before)), Some((now, done))) = (self.marks.front(), self.newest) else {
            return String::new();
        };
        let took = now.duration_since(*since);
        if took < MARK_EVERY {
            return String::new();
        }
        let rate = done.saturating_sub(*before) as f64 / took.as_secs_f64();
        let in_words = if rate >= 10.0 { format!(", {rate:.0}/s") } else { format!(", {rate:.1}/s") };
        match left {
            Some(left) if left > 0 && rate > 0.0 => {
                format!("{in_words}, {} left", duration_in_words(left as f64 / rate))
            }
            _ => in_words,
        }
    }
}

/// A time for people: `40 s`, `12 min`, `5 h`.
fn duration_in_words(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 90.0 => format!("{seconds:.0} s"),
        seconds if seconds < 5_400.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.0} h", seconds / 3_600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(pace: &mut Pace, begun: Instant, seconds: u64, done: u64) {
        pace.record(begun + Duration::from_secs(seconds), done);
    }

    #[test]
    fn the_pace_is_that_of_the_last_half_minute() {
        let (mut pace, begun) = (Pace::default(), Instant::now());
        // A run that goes on has done something before.
        after(&mut pace, begun, 0, 1_000);
        assert_eq!(pace.in_words(Some(50)), "");
        after(&mut pace, begun, 2, 1_100);
        assert_eq!(pace.in_words(Some(600)), ", 50/s, 12 s left");
        assert_eq!(pace.in_words(None), ", 50/s");
        for second in 3..=60 {
            after(&mut pace, begun, second, 1_100 + (second - 2) * 2);
        }
        assert_eq!(pace.in_words(Some(600)), ", 2.0/s, 5 min left");
        assert!(pace.marks.len() < 40, "{}", pace.marks.len());
        for second in 61..=120 {
            after(&mut pace, begun, second, 1_216);
        }
        assert_eq!(pace.in_words(Some(600)), ", 0.0/s", "nobody knows how long what stands takes");
    }

    #[test]
    fn times_are_told_roughly() {
        assert_eq!(
            [5.4, 89.0, 90.0, 5_399.0, 7_200.0].map(duration_in_words),
            ["5 s", "89 s", "2 min", "90 min", "2 h"]
        );
    }
}
