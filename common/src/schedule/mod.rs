//! When to ask for a page again: the policy, as arithmetic on integers.
//!
//! A site's pages are of two sorts. *Listings* (front page, sections, feeds, maps) show what is new; *articles*
//! are what it is about. A listing that shows new articles at the rate μ and is visited every I costs μI/2 of
//! waiting and C/I of requests, so I = √(2C/μ), where C is the price of a request in seconds of one article's
//! waiting. An article is asked for at once, then rechecked on a ladder of ages.
//!
//! Nothing here reads a clock, a store or a network: callers pass times in and keep what comes out. The same
//! calls in the same order give the same bits on every machine.
//!
//! Where the news is not followed, every page is due once: [`DueOnce`].
//!
//! Start at [`SiteSchedule`] (what a site's visits have taught) and [`PageSchedule`] (what one page's have).
//! [`Allowance`] is the bucket of tokens that all requests to a site share; [`outcome`] says what each way in
//! which a visit can end means for the next one.

mod allowance;
mod article;
mod days;
mod elsewhere;
mod hints;
mod listing;
mod missed;
mod numbered_maps;
mod once;
mod origins;
pub mod outcome;
mod output;
mod page;
mod params;
pub mod past;
mod recent;
mod repeats;
mod rhythm;
mod search;
mod site;
mod slowness;
mod trouble;
pub mod url_days;
mod vanished;
mod visited;

pub use allowance::Allowance;
pub use article::{ArticleVisits, Reading};
pub use days::{Days, ListedDays};
pub use elsewhere::Elsewhere;
pub use hints::FeedHints;
pub use listing::{Listing, ListingId, ListingKind, Shown};
pub use missed::Missed;
pub use numbered_maps::NumberedMaps;
pub use once::{AfterFailure, DueOnce, FailedTry, ServerSays};
pub use output::Output;
pub use page::{PageSchedule, PastRead, Role, Told};
pub use params::ScheduleConfig;
pub use past::Past;
pub use recent::Recent;
pub use repeats::RepeatedEvent;
pub use rhythm::Silence;
pub use site::{SiteSchedule, Yields};
pub use slowness::{AnswerTimes, AskedPace};
pub use trouble::{Health, Rest, Trouble};
pub use vanished::{MassVanishing, Vanished};
pub use visited::{Verdict, Visit, Visited};

use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

/// One minute, in seconds.
const MINUTE: u64 = 60;
/// One hour, in seconds.
const HOUR: u64 = 3_600;
/// One day, in seconds.
const DAY: u64 = 86_400;

/// Which of a site's queues a URL waits in. The first one that is due and affordable goes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Listings.
    Listing,
    /// Articles that were never fetched.
    #[default]
    New,
    /// The first recheck of an article, and the recheck after a change. Waits while the allowance is below 20 %.
    Recheck,
    /// Later rechecks, and the backlog that a listing's first visit shows. Waits while the allowance is below 40 %.
    Rest,
    /// What a site published in the past that an operator asked for ([`Past`]). Waits while the allowance is below 60 %.
    Past,
}

impl Class {
    /// All classes, the first to be served first.
    pub const ALL: [Class; 5] = [Class::Listing, Class::New, Class::Recheck, Class::Rest, Class::Past];

    /// Its number: 0 for the first.
    #[must_use]
    pub fn number(self) -> u8 {
        self as u8
    }

    /// The class with this number.
    #[must_use]
    pub fn of_number(number: u8) -> Option<Class> {
        Class::ALL.get(usize::from(number)).copied()
    }

    /// Whether URLs of this class leave half of a site's page budget to the news.
    #[must_use]
    pub fn leaves_half_to_the_news(self) -> bool {
        matches!(self, Class::Rest | Class::Past)
    }

    /// Tokens that must be there before a URL of this class is asked for, in thousandths, given the capacity.
    #[must_use]
    pub fn threshold(self, capacity: u64) -> u64 {
        let share = match self {
            Class::Listing | Class::New => 0,
            Class::Recheck => capacity / 5,
            Class::Rest => capacity * 2 / 5,
            Class::Past => capacity * 3 / 5,
        };
        share.max(allowance::TOKEN)
    }
}

/// When a URL is asked for next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Next {
    /// Not before this time.
    pub due: Timestamp,
    /// In which queue it waits.
    pub class: Class,
}

/// Names a text: the first eight bytes of its BLAKE3 hash; never 0.
#[must_use]
pub fn name(text: &str) -> u64 {
    let hash = blake3::hash(text.as_bytes());
    let first: [u8; 8] = std::array::from_fn(|at| hash.as_bytes()[at]);
    u64::from_le_bytes(first).max(1)
}

/// The first wait, doubled this many times, and at most the longest one.
fn doubled(first: u64, longest: u64, times: u32) -> u64 {
    first.saturating_mul(1 << times.min(32)).min(longest)
}

/// Whole seconds since the epoch.
fn seconds(time: Timestamp) -> u64 {
    time.0 / 1_000
}

/// The time of whole seconds since the epoch.
fn at(seconds: u64) -> Timestamp {
    Timestamp(seconds.saturating_mul(1_000))
}
