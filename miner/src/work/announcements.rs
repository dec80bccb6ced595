//! When readers hear of a new article: at once, or when it was read with what its site's other pages tell.
//!
//! A page alone often says less than it does among the pages of its site: templates and siblings correct its body soon after.
//! Where [`Announcements::held`] is used, a new article waits until a view has read it, so that its first event already says
//! what the view says. The wait is in its history, so a kill does not lose it: the site's next view finds the page again. An
//! article that waits longer than the limit is announced as its page alone was read, and the event says so (`provisional`).
//!
//! Here is which articles wait; [`announcing`](super::announcing) announces them.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;

/// When new articles are announced.
#[derive(Debug, Default)]
pub struct Announcements {
    /// The longest wait for a view; none: new articles are announced at once.
    longest: Option<Duration>,
    /// Articles that wait, and until when, in that order.
    waiting: Mutex<VecDeque<(Timestamp, CanonicalUrl)>>,
}

impl Announcements {
    /// New articles wait for a view, but no longer than this.
    #[must_use]
    pub fn held(longest: Duration) -> Announcements {
        Announcements { longest: Some(longest), waiting: Mutex::default() }
    }

    /// Whether new articles wait.
    #[must_use]
    pub fn are_held(&self) -> bool {
        self.longest.is_some()
    }

    /// Notes that an article waits from now on.
    pub fn wait(&self, url: &CanonicalUrl, now: Timestamp) {
        let Some(longest) = self.longest else { return };
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push_back((now.plus(longest), url.clone()));
    }

    /// All articles that wait.
    pub(super) fn take_all(&self) -> Vec<CanonicalUrl> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.drain(..).map(|(_, url)| url).collect()
    }

    /// Articles whose wait ended before this time.
    pub(super) fn overdue(&self, now: Timestamp) -> Vec<CanonicalUrl> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let mut overdue = Vec::new();
        // A clock that was set back must not make them wait for long.
        let is_over = |until: Timestamp| {
            until <= now || self.longest.is_some_and(|longest| until > now.plus(2 * longest))
        };
        while waiting.front().is_some_and(|(until, _)| is_over(*until)) {
            overdue.extend(waiting.pop_front().map(|(_, url)| url));
        }
        overdue
    }
}
