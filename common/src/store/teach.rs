//! Changes what a site's visits have taught, whoever else does so at the same time.

use super::{Frontier, Pace, StoreError, StoreResult};
use crate::schedule::{Rest, ScheduleConfig, SiteSchedule};
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;

/// After this many times in which others were first, we give up for now.
const ROUNDS: usize = 100;

/// Changes what a site's visits have taught, and sets its pace by it. The lesson is repeated if another one was
/// first. A site that nobody wants any more learns nothing.
///
/// # Errors
/// When the store fails.
pub async fn teach<T>(
    frontier: &dyn Frontier,
    site: &Site,
    config: &ScheduleConfig,
    now: Timestamp,
    lesson: impl Fn(&mut SiteSchedule) -> T,
) -> StoreResult<T> {
    change(frontier, site, config, now, |schedule| (lesson(schedule), None, 0)).await
}

/// Lets a site rest, as long as the lesson says.
///
/// # Errors
/// When the store fails.
pub async fn rest(
    frontier: &dyn Frontier,
    site: &Site,
    config: &ScheduleConfig,
    now: Timestamp,
    lesson: impl Fn(&mut SiteSchedule) -> Rest,
) -> StoreResult<Rest> {
    let with_end = |schedule: &mut SiteSchedule| {
        let rest = lesson(schedule);
        (rest, Some(rest.until), 0)
    };
    change(frontier, site, config, now, with_end).await
}

/// Takes a turn of a site for a request beside its claims: it costs a token, and nothing else is asked for before this time.
///
/// # Errors
/// When the store fails.
pub async fn take_turn(
    frontier: &dyn Frontier,
    site: &Site,
    config: &ScheduleConfig,
    now: Timestamp,
    until: Timestamp,
) -> StoreResult<()> {
    change(frontier, site, config, now, |_| ((), Some(until), 1)).await
}

async fn change<T>(
    frontier: &dyn Frontier,
    site: &Site,
    config: &ScheduleConfig,
    now: Timestamp,
    lesson: impl Fn(&mut SiteSchedule) -> (T, Option<Timestamp>, u32),
) -> StoreResult<T> {
    for _ in 0..ROUNDS {
        let (before, number) = frontier.schedule(site).await?;
        let mut schedule = before.clone();
        let (learnt, rest_until, beside_claims) = lesson(&mut schedule);
        let delay_ms = schedule.delay_ms(now);
        if schedule == before && number > 0 && rest_until.is_none() {
            return Ok(learnt);
        }
        let per_day = config.allowance.then(|| schedule.per_day(config));
        let pace = Pace { per_day, delay_ms, rest_until, beside_claims };
        if frontier.put_schedule(site, &schedule, number, pace, now).await?
            || frontier.site(site).await?.is_none()
        {
            return Ok(learnt);
        }
    }
    Err(StoreError::Unavailable(format!("other writers keep changing the schedule of `{site}`")))
}
