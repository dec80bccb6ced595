//! The policy's numbers.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DAY, HOUR, MINUTE};

/// When pages are fetched again. These numbers hold for all sites; the rhythm of each site is learnt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ScheduleConfig {
    /// Whether a site gets at most its allowance of requests: `base_requests` a day, and `article_requests` more
    /// for each article that it publishes in a day. `newslode mine` sets no limit: it ends when nothing is due.
    pub allowance: bool,
    /// The price of a request, in seconds of delay of one article. With a smaller price, articles are found sooner
    /// and more requests are made.
    pub request_price_s: u64,
    /// Shortest time between two visits of a listing, in seconds.
    pub least_interval_s: u64,
    /// Longest time between two visits of a listing, in seconds.
    pub longest_interval_s: u64,
    /// Longest time between two visits of a section that shows nothing new, in seconds.
    pub longest_silent_s: u64,
    /// A site's best listing is visited at least this often, in seconds.
    pub lead_interval_s: u64,
    /// Requests a day that all silent sections of a site share.
    pub silent_visits: u64,
    /// Requests a day that every site gets.
    pub base_requests: u64,
    /// Further requests a day for each article that the site publishes in a day.
    pub article_requests: u64,
    /// Ages at which an article is fetched again, in seconds after its first fetch. After the last one it leaves the
    /// frontier.
    pub rechecks_s: Vec<u64>,
    /// Waits before a page that was expected to be an article but is none is fetched again, in seconds. After the last
    /// one it leaves the frontier.
    pub no_article_s: Vec<u64>,
    /// Shortest time after which a front page or section that changed is mined again, in seconds. Its links are
    /// read at every visit.
    pub mine_again_s: u64,
}

impl ScheduleConfig {
    /// No rule lets a page wait longer.
    #[must_use]
    pub fn longest_wait(&self) -> Duration {
        // What fails or moved waits for a week at most (`outcome`).
        let listings = [self.longest_interval_s, self.longest_silent_s, self.mine_again_s, 7 * DAY];
        let waits = self.rechecks_s.iter().chain(&self.no_article_s).copied().chain(listings);
        Duration::from_secs(waits.max().unwrap_or_default())
    }
}

impl Default for ScheduleConfig {
    fn default() -> Self {
        ScheduleConfig {
            allowance: true,
            request_price_s: 300,
            least_interval_s: 2 * MINUTE,
            longest_interval_s: DAY,
            longest_silent_s: 7 * DAY,
            lead_interval_s: 10 * MINUTE,
            silent_visits: 48,
            base_requests: 200,
            article_requests: 5,
            rechecks_s: vec![55 * MINUTE, 2 * HOUR, 4 * HOUR, DAY, 3 * DAY, 7 * DAY, 28 * DAY],
            no_article_s: vec![DAY, 4 * DAY],
            mine_again_s: 6 * HOUR,
        }
    }
}
