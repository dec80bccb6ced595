//! What each way in which a visit can end means for the next one: the outcome table.
//!
//! Where the news is followed, nothing ends for ever that may come back. A listing never leaves while something links
//! it; an article leaves when its ladder is at its end, or when it has been away for long enough. A site that blocks or
//! fails rests with all its pages, and nothing counts against them. A page that is due once ends with its first outcome;
//! before that, a failure that may pass is tried again ([`DueOnce`](super::DueOnce)).
//! `docs/schedule.md` shows the table; a test compares.

use std::fmt;
use std::time::Duration;

use super::{DAY, HOUR, MINUTE, Trouble, doubled};
use crate::outcome::Outcome;

/// What a URL is to the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A front page, section, feed or map.
    Listing,
    /// An article, or what may be one.
    Article,
    /// A page that is due once.
    Once,
}

/// What follows from an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consequence {
    /// The listing's interval, or the article's next recheck.
    Schedule,
    /// The whole site rests. If other pages of it answer meanwhile, the page alone waits.
    SiteRests(Trouble, Waits),
    /// The page alone waits.
    Waits(Waits),
    /// The page is not there: a listing waits, an article is gone once a second visit confirms it.
    Absent(Waits),
    /// The target of the redirect takes the page's place.
    Moves,
    /// The same, of an article that was read before once a second visit confirms it.
    MovesOnceConfirmed,
    /// The listing's interval. After a day of the same permanent redirect the target is a listing of its own, and the old
    /// address is asked for weekly.
    IsReadElsewhere,
    /// The page leaves, and is not fetched again.
    Leaves,
    /// The page is done; it is due again only if `crawler.revisit_s` says so.
    IsDone,
    /// The page is tried again, and given up after `crawler.max_attempts` tries.
    TriedAgain,
    /// The page is done for ever. Its record stays.
    Ends,
}

/// How long a page waits that could not be read. Each wait in a row is twice the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waits {
    /// The first wait, in seconds.
    pub first_s: u64,
    /// The longest wait, in seconds.
    pub longest_s: u64,
    /// The page leaves when it could not be read for this long, in seconds; nothing: never.
    pub leaves_s: Option<u64>,
}

impl Waits {
    const fn new(first_s: u64, longest_s: u64, leaves_s: Option<u64>) -> Waits {
        Waits { first_s, longest_s, leaves_s }
    }

    /// The wait after this many visits in a row that could not read the page (1, 2, …), in seconds. `None`: the
    /// page leaves.
    #[must_use]
    pub fn after(&self, visits: u32) -> Option<u64> {
        let wait = |visit: u32| doubled(self.first_s, self.longest_s, visit.saturating_sub(1));
        let waited: u64 = (1..visits.min(64)).map(wait).sum();
        let leaves = self.leaves_s.is_some_and(|limit| waited >= limit);
        (!leaves).then(|| wait(visits))
    }
}

/// A listing that cannot be read, or is not there.
pub(super) const LISTING: Waits = Waits::new(15 * MINUTE, 7 * DAY, None);
/// A page that fails alone: a listing, and an article.
const LISTING_FAILS: Waits = Waits::new(15 * MINUTE, DAY, None);
const ARTICLE_FAILS: Waits = Waits::new(15 * MINUTE, DAY, Some(7 * DAY));
/// An article's address that shows no article: after one day, after two more, and after four more; then it leaves.
const NO_ARTICLE: Waits = Waits::new(DAY, 4 * DAY, Some(7 * DAY));
/// A listing that must not be asked for, because of its address.
const LISTING_FORBIDDEN: Waits = Waits::new(DAY, 7 * DAY, None);
/// An article that is not there is asked for once more before it is gone.
const GONE: Waits = Waits::new(DAY, DAY, Some(DAY));
/// An article that was read and now redirects is asked for once more before it has moved.
pub const MOVED: Waits = GONE;
/// What was never read and redirects for a while only is asked for once more after this.
pub const LOOK_AGAIN: Duration = Duration::from_secs(HOUR);

/// How long the record of a page is kept after the miner was told that it is gone, if the miner was given the page before.
pub const STAYS_AFTER_END: Duration = Duration::from_secs(DAY);

/// What follows from an outcome.
#[must_use]
pub fn consequence(outcome: Outcome, target: Target) -> Consequence {
    let each = |listing, article, once| match target {
        Target::Listing => listing,
        Target::Article => article,
        Target::Once => once,
    };
    let waits =
        |listing, article| each(Consequence::Waits(listing), Consequence::Waits(article), Consequence::Ends);
    let site_rests = |trouble, listing, article, once| {
        let rests = |waits| Consequence::SiteRests(trouble, waits);
        each(rests(listing), rests(article), once)
    };
    let fails = |trouble| site_rests(trouble, LISTING_FAILS, ARTICLE_FAILS, Consequence::TriedAgain);
    match outcome {
        Outcome::Fetched | Outcome::Unchanged => {
            each(Consequence::Schedule, Consequence::Schedule, Consequence::IsDone)
        }
        Outcome::Redirected => {
            each(Consequence::IsReadElsewhere, Consequence::MovesOnceConfirmed, Consequence::Moves)
        }
        Outcome::Gone => each(Consequence::Absent(LISTING), Consequence::Absent(GONE), Consequence::Ends),
        Outcome::Refused => site_rests(Trouble::Blocked(None), LISTING, NO_ARTICLE, Consequence::Ends),
        Outcome::ServerError
        | Outcome::Unreachable
        | Outcome::Timeout
        | Outcome::TlsExpired
        | Outcome::TlsWrongHost
        | Outcome::TlsUnknownIssuer
        | Outcome::TlsSelfSigned
        | Outcome::TlsNoCommonProtocol
        | Outcome::TlsFailed => fails(Trouble::Failing),
        Outcome::RobotsUnreachable => fails(Trouble::RobotsUnreachable),
        Outcome::Disallowed => {
            each(Consequence::Waits(LISTING_FAILS), Consequence::Absent(GONE), Consequence::Ends)
        }
        Outcome::PrivateAddress => {
            each(Consequence::Waits(LISTING_FORBIDDEN), Consequence::Leaves, Consequence::Ends)
        }
        // What leads nowhere, or brings nothing, may do so for a few minutes.
        Outcome::RedirectLoop | Outcome::Empty => waits(LISTING_FAILS, ARTICLE_FAILS),
        Outcome::NotHtml => waits(LISTING_FAILS, NO_ARTICLE),
        Outcome::TooLarge => waits(LISTING, NO_ARTICLE),
        Outcome::Noindex => each(Consequence::Schedule, Consequence::Waits(NO_ARTICLE), Consequence::Ends),
    }
}

impl fmt::Display for Waits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "after {}", span(self.first_s))?;
        if self.longest_s > self.first_s {
            write!(f, ", doubled up to {}", span(self.longest_s))?;
        }
        match self.leaves_s {
            Some(limit) => write!(f, "; leaves after {}", span(limit)),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Consequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Consequence::Schedule => f.write_str("by the schedule"),
            Consequence::SiteRests(trouble, alone) => {
                let rest = match trouble {
                    Trouble::Blocked(_) => {
                        "the site rests 15 min, doubled up to 6 h, and is asked more slowly"
                    }
                    Trouble::Busy | Trouble::Failing => "the site rests 1 min, doubled up to 15 min",
                    Trouble::RobotsUnreachable => "the site rests 5 min",
                };
                write!(f, "{rest}; alone: {alone}")
            }
            Consequence::Waits(waits) => waits.fmt(f),
            Consequence::Absent(waits) if waits.leaves_s.is_some() => {
                write!(f, "once more after {}, then gone", span(waits.first_s))
            }
            Consequence::Absent(waits) => waits.fmt(f),
            Consequence::Moves => f.write_str("the target takes its place"),
            Consequence::MovesOnceConfirmed => {
                f.write_str("if it was read before, once more after 1 day; then the target takes its place")
            }
            Consequence::IsReadElsewhere => f.write_str(
                "the target is read, by the schedule; if it moved for good for 1 day, the target is a listing of its own",
            ),
            Consequence::Leaves => f.write_str("leaves"),
            Consequence::IsDone => f.write_str("done; again after `revisit_s`"),
            Consequence::TriedAgain => {
                f.write_str("again after `retry_ms`, doubled up to 1 day; ends after `max_attempts`")
            }
            Consequence::Ends => f.write_str("ends"),
        }
    }
}

/// A number of seconds for people.
fn span(seconds: u64) -> String {
    match seconds {
        0..HOUR => format!("{} min", seconds / MINUTE),
        HOUR..DAY => format!("{} h", seconds / HOUR),
        DAY => "1 day".into(),
        _ => format!("{} days", seconds / DAY),
    }
}

/// The table as `docs/schedule.md` shows it, in Markdown.
#[must_use]
pub fn table() -> String {
    let mut table =
        String::from("| outcome | listing | article | page that is due once |\n|---|---|---|---|\n");
    for outcome in Outcome::ALL {
        let [listing, article, once] =
            [Target::Listing, Target::Article, Target::Once].map(|target| consequence(*outcome, target));
        table.push_str(&format!("| {outcome} | {listing} | {article} | {once} |\n"));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_and_end() {
        let days = |waits: Waits| (1..9).map(|n| waits.after(n).map(|s| s / DAY)).collect::<Vec<_>>();
        assert_eq!(days(NO_ARTICLE)[..5], [Some(1), Some(2), Some(4), None, None]);
        assert_eq!(days(GONE)[..3], [Some(1), None, None]);
        assert_eq!(LISTING.after(1), Some(15 * MINUTE));
        assert_eq!(LISTING.after(1_000_000), Some(7 * DAY));
        let hours: Vec<_> = (1..=8).map(|n| ARTICLE_FAILS.after(n).map(|s| s / MINUTE)).collect();
        assert_eq!(hours, [15, 30, 60, 120, 240, 480, 960, 1440].map(Some));
    }

    #[test]
    fn no_listing_leaves_for_what_it_answers() {
        for outcome in Outcome::ALL {
            match consequence(*outcome, Target::Listing) {
                Consequence::SiteRests(_, waits) | Consequence::Waits(waits) | Consequence::Absent(waits) => {
                    assert_eq!(waits.leaves_s, None, "{outcome}");
                }
                Consequence::Schedule | Consequence::IsReadElsewhere => {}
                other @ (Consequence::Leaves
                | Consequence::IsDone
                | Consequence::TriedAgain
                | Consequence::Moves
                | Consequence::MovesOnceConfirmed
                | Consequence::Ends) => panic!("after {outcome} a listing: {other}"),
            }
        }
    }

    #[test]
    fn a_page_that_is_due_once_is_done_moves_is_tried_again_or_ends() {
        for outcome in Outcome::ALL {
            match consequence(*outcome, Target::Once) {
                Consequence::IsDone | Consequence::Moves | Consequence::TriedAgain | Consequence::Ends => {}
                other @ (Consequence::Schedule
                | Consequence::IsReadElsewhere
                | Consequence::MovesOnceConfirmed
                | Consequence::SiteRests(..)
                | Consequence::Waits(_)
                | Consequence::Absent(_)
                | Consequence::Leaves) => panic!("after {outcome} a page that is due once: {other}"),
            }
        }
    }

    #[test]
    fn the_manual_shows_the_table() {
        let manual = include_str!("../../../docs/schedule.md");
        assert!(manual.contains(&table()), "docs/schedule.md must show:\n{}", table());
    }
}
