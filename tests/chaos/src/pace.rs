//! Whether sites were asked as slowly as they were meant to be, by the world server's own log.
//!
//! Between two requests to a site its delay passes. A request for robots.txt goes together with that for a page. What
//! may come closer is said by [`Excuse`]s: times in which a fault can move a request that was claimed in time.
//! Start at [`judge`].

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use newslode_newsworld::Arrival;
use newslode_page::reading::Site;
use serde::Serialize;

/// A time in which requests may come closer, and why.
#[derive(Clone, Debug)]
pub(crate) struct Excuse {
    /// When it begins.
    pub(crate) from: Instant,
    /// When it ends.
    pub(crate) to: Instant,
    /// Why.
    pub(crate) why: &'static str,
}

/// What the log says.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Pace {
    /// Requests for pages, and so on.
    pub(crate) requests: u64,
    /// Requests for a page that had been asked for before: its crawler died, or the page failed at first.
    pub(crate) again: u64,
    /// The delay, in milliseconds.
    pub(crate) delay_ms: u64,
    /// The shortest time between two requests to a site without an excuse, in milliseconds.
    pub(crate) shortest_ms: u64,
    /// How often two requests came closer, by excuse.
    pub(crate) excused: BTreeMap<&'static str, u64>,
    /// Where they came closer without one.
    #[serde(skip)]
    pub(crate) closer: Vec<String>,
}

/// A request may reach the server so much later after its claim than the next one, on a busy machine.
const JITTER: Duration = Duration::from_millis(250);

/// Judges all requests that came.
pub(crate) fn judge(arrivals: &[Arrival], delay: Duration, excuses: &[Excuse], began: Instant) -> Pace {
    let mut pace = Pace { delay_ms: delay.as_millis() as u64, shortest_ms: u64::MAX, ..Pace::default() };
    let mut last: BTreeMap<Site, &Arrival> = BTreeMap::new();
    let mut asked: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for arrival in arrivals.iter().filter(|arrival| arrival.path != "/robots.txt") {
        pace.requests += 1;
        let times = asked.entry((&arrival.host, &arrival.path)).or_default();
        pace.again += u64::from(*times > 0);
        *times += 1;
        let Some(before) = last.insert(Site::of_host(&arrival.host), arrival) else { continue };
        let gap = arrival.at.duration_since(before.at);
        let is_close = gap + JITTER < delay;
        let excuse = excuses.iter().find(|excuse| excuse.from <= arrival.at && before.at <= excuse.to);
        match excuse {
            Some(excuse) if is_close => *pace.excused.entry(excuse.why).or_default() += 1,
            _ => pace.shortest_ms = pace.shortest_ms.min(gap.as_millis() as u64),
        }
        if is_close && excuse.is_none() {
            let at = arrival.at.duration_since(began).as_secs_f64();
            pace.closer.push(format!(
                "{}{} came {} ms after {}{}, at {at:.1} s",
                arrival.host,
                arrival.path,
                gap.as_millis(),
                before.host,
                before.path
            ));
        }
    }
    pace
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_a_site_that_come_too_close_are_found_unless_excused() {
        let begin = Instant::now();
        let after = |ms| begin + Duration::from_millis(ms);
        let arrivals: Vec<Arrival> = [
            ("www.a.test", "/robots.txt", 0),
            ("www.a.test", "/1", 5),
            ("b.test", "/", 50),
            ("sport.a.test", "/2", 460),
            ("a.test", "/3", 560),
            ("a.test", "/4", 5_000),
            ("a.test", "/4", 5_001),
        ]
        .into_iter()
        .map(|(host, path, ms)| Arrival { host: host.into(), path: path.into(), at: after(ms) })
        .collect();
        let excuse = Excuse { from: after(4_000), to: after(5_000), why: "a test" };
        let pace = judge(&arrivals, Duration::from_millis(500), &[excuse], begin);
        assert_eq!((pace.requests, pace.again, pace.shortest_ms), (6, 1, 100));
        assert_eq!(pace.excused, BTreeMap::from([("a test", 1)]));
        assert_eq!(pace.closer, ["a.test/3 came 100 ms after sport.a.test/2, at 0.6 s"]);
    }
}
