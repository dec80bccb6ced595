//! The clock: the machine's, or a simulated one.
//!
//! No algorithm and no store reads a clock. The caller passes the time in, so tests choose it and replays
//! repeat it. Only loops and mains read one. What must also run on simulated time gets a [`Clock`].

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use newslode_page::time::Timestamp;
use tokio::sync::Notify;

/// The time now.
#[must_use]
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// A clock that is put right by no more than this may go back.
const SLIGHTLY: Duration = Duration::from_secs(2);

/// Makes a clock that may be set one that does not go back: what is due would wait for as long, and events would come before
/// those that led to them. A clock that is set forward, as after a sleep of the machine, is followed.
#[derive(Debug, Default)]
pub struct Steady {
    /// What was told last, and how much time had passed then.
    last: Option<(Timestamp, Duration)>,
    is_behind: bool,
}

impl Steady {
    /// The time: what the clock shows, or, if it was set back, the time that was told last and what has passed since. `passed` is
    /// measured by a clock that nobody sets.
    pub fn now(&mut self, shown: Timestamp, passed: Duration) -> Timestamp {
        let Some((told, then)) = self.last else {
            self.last = Some((shown, passed));
            return shown;
        };
        let expected = told.plus(passed.saturating_sub(then));
        let behind = shown.until(expected);
        let is_set_back = behind > SLIGHTLY;
        if is_set_back != self.is_behind {
            self.is_behind = is_set_back;
            match is_set_back {
                true => tracing::warn!(
                    seconds = behind.as_secs(),
                    "the machine's clock was set back; this process counts on from the time before"
                ),
                false => tracing::info!("the machine's clock shows the time again that this process counts"),
            }
        }
        let now = if is_set_back { expected } else { shown };
        self.last = Some((now, passed.max(then)));
        now
    }
}

/// A time as ISO 8601 has it, in UTC: to the second, or to the millisecond where it has one.
#[must_use]
pub fn iso(at: Timestamp) -> String {
    let millis = i64::try_from(at.0).unwrap_or(i64::MAX);
    let time = jiff::Timestamp::from_millisecond(millis).unwrap_or(jiff::Timestamp::MAX);
    let form = if at.0.is_multiple_of(1000) { "%Y-%m-%dT%H:%M:%SZ" } else { "%Y-%m-%dT%H:%M:%S%.3fZ" };
    time.strftime(form).to_string()
}

/// A clock. Clones tell the same time.
#[derive(Clone, Debug, Default)]
pub enum Clock {
    /// The machine's.
    #[default]
    Machine,
    /// The machine's, but it does not go back. For one process alone: those of several machines must agree.
    Steady(Arc<SteadyMachine>),
    /// One that somebody sets. Who sleeps on it moves it.
    Set(Arc<AtomicU64>),
    /// One that somebody moves, for which several tasks wait.
    Stepped(Arc<Stepped>),
}

/// A simulated time, and the tasks that wait for a later one.
#[derive(Debug, Default)]
pub struct Stepped {
    state: Mutex<SteppedState>,
    was_moved: Notify,
}

#[derive(Debug, Default)]
struct SteppedState {
    /// What the clock shows.
    shown: Timestamp,
    passed: Duration,
    steady: Steady,
    /// How often it was moved.
    steps: u64,
    /// Tasks that wait since it was moved last.
    sleepers: usize,
}

impl Stepped {
    fn state(&self) -> MutexGuard<'_, SteppedState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Timestamp {
        let mut state = self.state();
        let (shown, passed) = (state.shown, state.passed);
        state.steady.now(shown, passed)
    }

    /// Waits until so much time passed, whatever the clock shows.
    async fn sleep(&self, wait: Duration) {
        let until = self.state().passed + wait;
        loop {
            let mut was_moved = std::pin::pin!(self.was_moved.notified());
            was_moved.as_mut().enable();
            let Some(sleeping) = Sleeping::begin(self, until) else { return };
            was_moved.await;
            drop(sleeping);
        }
    }

    /// All sleepers wake; those who go on sleeping say so.
    fn change(&self, change: impl FnOnce(&mut SteppedState)) {
        {
            let mut state = self.state();
            change(&mut state);
            (state.steps, state.sleepers) = (state.steps + 1, 0);
        }
        self.was_moved.notify_waiters();
    }

    fn pass(&self, time: Duration) {
        self.change(|state| (state.shown, state.passed) = (state.shown.plus(time), state.passed + time));
    }
}

/// Counts as a sleeper until the clock is moved, or it is dropped.
struct Sleeping<'s> {
    clock: &'s Stepped,
    steps: u64,
}

impl<'s> Sleeping<'s> {
    /// A sleeper who waits until so much time has passed; `None` if it has.
    fn begin(clock: &'s Stepped, until: Duration) -> Option<Sleeping<'s>> {
        let mut state = clock.state();
        (state.passed < until).then(|| {
            state.sleepers += 1;
            Sleeping { clock, steps: state.steps }
        })
    }
}

impl Drop for Sleeping<'_> {
    fn drop(&mut self) {
        let mut state = self.clock.state();
        if state.steps == self.steps {
            state.sleepers -= 1;
        }
    }
}

/// The machine's clock, made steady.
#[derive(Debug)]
pub struct SteadyMachine {
    begun: Instant,
    steady: Mutex<Steady>,
}

impl Clock {
    /// The machine's clock for a process that works alone: if it is set back, time goes on as if it had not been ([`Steady`]).
    #[must_use]
    pub fn steady() -> Clock {
        Clock::Steady(Arc::new(SteadyMachine { begun: Instant::now(), steady: Mutex::default() }))
    }

    /// A clock that stands at this time until it is set.
    #[must_use]
    pub fn standing(at: Timestamp) -> Clock {
        Clock::Set(Arc::new(AtomicU64::new(at.0)))
    }

    /// The same for many tasks: each sleeps until so much time was let pass.
    #[must_use]
    pub fn stepped(at: Timestamp) -> Clock {
        let stepped = Stepped::default();
        stepped.change(|state| state.shown = at);
        Clock::Stepped(Arc::new(stepped))
    }

    /// The time now.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        match self {
            Clock::Machine => now(),
            Clock::Steady(machine) => {
                let mut steady = machine.steady.lock().unwrap_or_else(PoisonError::into_inner);
                steady.now(now(), machine.begun.elapsed())
            }
            Clock::Set(time) => Timestamp(time.load(Ordering::SeqCst)),
            Clock::Stepped(stepped) => stepped.now(),
        }
    }

    /// Waits. On the machine's clock, setting it does not matter.
    pub async fn sleep(&self, wait: Duration) {
        match self {
            Clock::Machine | Clock::Steady(_) => tokio::time::sleep(wait).await,
            Clock::Set(_) => self.set(self.now().plus(wait)),
            Clock::Stepped(stepped) => stepped.sleep(wait).await,
        }
    }

    /// Sets what a stepped clock shows, while no time passes: somebody set it, or the machine slept.
    pub fn turn(&self, to: Timestamp) {
        if let Clock::Stepped(stepped) = self {
            stepped.change(|state| state.shown = to);
        }
    }

    /// Number of tasks that sleep since a stepped clock was moved last. When all that could move sleep, it may be moved again.
    #[must_use]
    pub fn sleepers(&self) -> usize {
        match self {
            Clock::Machine | Clock::Steady(_) | Clock::Set(_) => 0,
            Clock::Stepped(stepped) => stepped.state().sleepers,
        }
    }

    /// Lets time pass on a simulated clock until then. The machine's goes on as it does.
    pub fn set(&self, to: Timestamp) {
        match self {
            Clock::Machine | Clock::Steady(_) => {}
            Clock::Set(time) => time.store(to.0, Ordering::SeqCst),
            Clock::Stepped(stepped) => stepped.pass(stepped.now().until(to)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lets all other tasks run as far as they can.
    async fn settle() {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }

    #[test]
    fn a_clock_that_is_set_back_goes_on_and_one_that_is_set_forward_is_followed() {
        let mut steady = Steady::default();
        let mut now = |shown: u64, passed: u64| {
            steady.now(Timestamp(shown * 1_000), Duration::from_secs(passed)).0 as f64 / 1_000.0
        };
        assert_eq!([now(5_000, 10), now(5_001, 11)], [5_000.0, 5_001.0]);
        assert_eq!(now(5_000, 12), 5_000.0, "put right by two seconds");
        assert_eq!([now(1_000, 13), now(1_060, 73)], [5_001.0, 5_061.0], "set back by more than an hour");
        assert_eq!(now(5_071, 83), 5_071.0, "and forth again");
        assert_eq!([now(34_000, 84), now(34_001, 85)], [34_000.0, 34_001.0], "eight hours of sleep");
    }

    #[tokio::test]
    async fn sleepers_on_a_stepped_clock_wake_when_their_time_has_passed_whatever_it_shows() {
        let clock = Clock::stepped(Timestamp(50_000));
        let mut sleeping = tokio::task::JoinSet::new();
        for seconds in [10, 20] {
            let clock = clock.clone();
            sleeping.spawn(async move {
                clock.sleep(Duration::from_secs(seconds)).await;
                seconds
            });
        }
        settle().await;
        assert_eq!(clock.sleepers(), 2);
        clock.set(Timestamp(60_000));
        assert_eq!(clock.sleepers(), 0, "all look at the clock");
        assert_eq!(sleeping.join_next().await.unwrap().unwrap(), 10);
        for shown in [0, 3_600_000, 61_000] {
            clock.turn(Timestamp(shown));
            settle().await;
            assert_eq!(clock.sleepers(), 1, "nothing passed");
        }
        let now = clock.now();
        clock.set(now.plus(Duration::from_secs(10)));
        assert_eq!(sleeping.join_next().await.unwrap().unwrap(), 20);
        assert_eq!(clock.sleepers(), 0);
    }
}
