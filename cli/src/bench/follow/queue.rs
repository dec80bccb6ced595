//! A site's queues on simulated time: which page is asked for next, and when.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use newslode_common::schedule::{Allowance, Class, Next};
use newslode_page::Timestamp;

/// Waiting pages of one class: when they are due, in which order they came, and which.
type Waiting = BinaryHeap<Reverse<(Timestamp, u64, usize)>>;

/// What is taken from the queues.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub(super) page: usize,
    pub(super) due: Timestamp,
    pub(super) class: Class,
}

/// The queues.
pub(super) struct Queues {
    waiting: [Waiting; 4],
    order: u64,
    is_one: bool,
}

impl Queues {
    /// Empty ones. `is_one`: all classes wait in one queue.
    pub(super) fn new(is_one: bool) -> Queues {
        Queues { waiting: Default::default(), order: 0, is_one }
    }

    pub(super) fn push(&mut self, page: usize, next: Next) {
        let class = if self.is_one { Class::Listing } else { next.class };
        self.order += 1;
        if let Some(waiting) = self.waiting.get_mut(class as usize) {
            waiting.push(Reverse((next.due, self.order, page)));
        }
    }

    /// The time at which the next page may be asked for, given the site's next turn.
    pub(super) fn when(&self, turn: Timestamp, allowance: &Allowance) -> Option<Timestamp> {
        let ready = |class: Class| {
            let Reverse((due, ..)) = self.waiting.get(class as usize)?.peek()?;
            let from = (*due).max(turn);
            Some(from.max(allowance.when(class.threshold(allowance.capacity()), from)))
        };
        Class::ALL.into_iter().filter_map(ready).min()
    }

    /// Takes the page of the first class that is due and affordable.
    pub(super) fn take(&mut self, now: Timestamp, allowance: &Allowance) -> Option<Taken> {
        let tokens = allowance.tokens(now);
        for class in Class::ALL {
            let Some(waiting) = self.waiting.get_mut(class as usize) else { continue };
            let is_due = waiting.peek().is_some_and(|Reverse((due, ..))| *due <= now);
            let threshold = i64::try_from(class.threshold(allowance.capacity())).unwrap_or(i64::MAX);
            if is_due && tokens >= threshold {
                return waiting.pop().map(|Reverse((due, _, page))| Taken { page, due, class });
            }
        }
        None
    }
}
