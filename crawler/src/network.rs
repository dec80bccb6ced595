//! Whether this machine has a network.
//!
//! If several sites that answered before cannot be reached, one after the other, and no site answers between them, the machine is
//! cut off, and not each of the sites is sick. While that lasts, a failure teaches nothing of a site or a page: the page keeps its
//! turn and is asked for again after some minutes. What the first of them was blamed for, before it was clear, is taken back. A site that
//! failed while others answered is no evidence. Start at [`Network::failed`]. [`report`] tells readers of the store.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use newslode_common::network::NoNetwork;
use newslode_common::schedule::Trouble;
use newslode_common::store::SiteState;
use newslode_common::time::Clock;
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;
use tokio_util::sync::CancellationToken;

/// Time between two looks of [`report`].
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// What holds on is written again after this time.
const WRITE_EVERY: Duration = Duration::from_secs(60);
/// So many sites must fail before the network is blamed.
const MANY: usize = 3;
/// They must fail within this time.
const WITHIN: Duration = Duration::from_secs(600);
/// A page is asked for again after a twentieth of the time that the network has been away, but no sooner and no later than this: each
/// request takes from the site's allowance.
const SHORTEST_PAUSE: Duration = Duration::from_secs(60);
const LONGEST_PAUSE: Duration = Duration::from_secs(600);
/// Largest number of sites that are remembered as sick.
const MOST_SICK: usize = 100_000;

/// Largest number of failures that can be taken back: those of the few visits before it is clear whom to blame.
const MOST_BLAMED: usize = 1_000;

/// A time in which no site answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkOutage {
    /// When the first site could not be reached.
    pub since: Timestamp,
    /// Sites that could not be reached since then.
    pub sites: u64,
}

impl NetworkOutage {
    /// It as others read it at this time.
    #[must_use]
    pub fn no_network(self, now: Timestamp) -> NoNetwork {
        NoNetwork { since: self.since, until: now, sites: self.sites, crawlers: 0 }
    }
}

/// What a failure to reach a site means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blame {
    /// The site fails, as far as is known.
    Site,
    /// The machine has no network.
    Network,
}

/// Knows which sites could not be reached since the last answer of any site.
#[derive(Debug, Default)]
pub struct Network(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// When each site failed last, of those that no answer came between.
    failing: BTreeMap<Site, Timestamp>,
    /// Sites that failed while others answered, until they answer.
    sick: BTreeSet<Site>,
    /// What sites were blamed for since the last answer.
    blamed: Vec<(Site, Trouble)>,
    /// When the first of the sites failed, if the network is cut off.
    since: Option<Timestamp>,
}

impl Network {
    /// Notes that a site could not be reached: no address for its name, no connection, or no answer in time.
    pub(crate) fn failed(&self, site: &Site, now: Timestamp) -> Blame {
        let mut state = self.state();
        if state.since.is_none() {
            state.failing.retain(|_, at| at.plus(WITHIN) > now);
            if state.failing.is_empty() {
                state.blamed.clear();
            }
        }
        state.failing.insert(site.clone(), now);
        let evidence = state.failing.keys().filter(|site| !state.sick.contains(*site)).count();
        if state.since.is_none() && evidence >= MANY {
            state.since = state.failing.values().min().copied();
            tracing::warn!(sites = evidence, "no network: none of the sites that were asked can be reached");
        }
        if state.since.is_some() { Blame::Network } else { Blame::Site }
    }

    /// Notes that a site was taken to fail.
    pub(crate) fn blamed(&self, site: &Site, trouble: Trouble) {
        let mut state = self.state();
        if state.blamed.len() < MOST_BLAMED {
            state.blamed.push((site.clone(), trouble));
        }
    }

    /// What is to be taken back: failures for which sites were blamed and the network was the cause.
    pub(crate) fn take_blamed(&self) -> Vec<(Site, Trouble)> {
        let mut state = self.state();
        if state.since.is_some() { std::mem::take(&mut state.blamed) } else { Vec::new() }
    }

    /// Notes that a site answered, whatever it said.
    pub(crate) fn answered(&self, site: &Site) {
        let mut state = self.state();
        state.sick.remove(site);
        if state.failing.is_empty() {
            return;
        }
        let failing = std::mem::take(&mut state.failing);
        state.blamed.clear();
        if state.since.take().is_some() {
            tracing::info!("the network is back");
        }
        // Perhaps it was not the network: who still fails is no evidence next time.
        if state.sick.len() + failing.len() > MOST_SICK {
            state.sick.clear();
        }
        state.sick.extend(failing.into_keys().filter(|failing| failing != site));
    }

    /// The outage, while there is one.
    #[must_use]
    pub fn outage(&self) -> Option<NetworkOutage> {
        let state = self.state();
        state.since.map(|since| NetworkOutage { since, sites: state.failing.len() as u64 })
    }

    /// For how long a page waits that could not be asked for because the network is away.
    pub(crate) fn pause(&self, now: Timestamp) -> Duration {
        let away = self.outage().map_or(Duration::ZERO, |outage| outage.since.until(now));
        (away / 20).clamp(SHORTEST_PAUSE, LONGEST_PAUSE)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes down whether the machine has a network, whenever that changes, until `stop`. `name`: this process's among those that work on
/// the store. If the store fails, it is tried again at the next look.
pub async fn report(
    network: Arc<Network>,
    state: Arc<dyn SiteState>,
    name: String,
    clock: Clock,
    stop: CancellationToken,
) {
    // A process of this name that ended before may have left an entry.
    let mut written: Option<Option<NoNetwork>> = None;
    while stop.run_until_cancelled(tokio::time::sleep(LOOK_EVERY)).await.is_some() {
        let now = clock.now();
        let found = network.outage().map(|outage| outage.no_network(now));
        let is_due = match (found, written) {
            (Some(found), Some(Some(written))) => {
                now >= written.until.plus(WRITE_EVERY) || found.since != written.since
            }
            (found, Some(written)) => found.is_some() != written.is_some(),
            (_, None) => true,
        };
        if !is_due {
            continue;
        }
        match NoNetwork::write(state.as_ref(), &name, found, now).await {
            Ok(()) => written = Some(found),
            Err(error) => tracing::debug!(%error, "cannot write down whether this machine has a network"),
        }
    }
    if let Some(Some(_)) = written
        && let Err(error) = NoNetwork::write(state.as_ref(), &name, None, clock.now()).await
    {
        tracing::debug!(%error, "cannot write down that this process ends");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(name: &str) -> Site {
        Site::of_host(&format!("{name}.test"))
    }

    fn at(seconds: u64) -> Timestamp {
        Timestamp(seconds * 1_000)
    }

    #[test]
    fn three_sites_that_fail_without_an_answer_between_them_mean_that_the_network_is_cut_off() {
        let network = Network::default();
        assert_eq!(network.failed(&site("a"), at(10)), Blame::Site);
        network.blamed(&site("a"), Trouble::Failing);
        assert_eq!(network.failed(&site("a"), at(20)), Blame::Site, "one site says nothing of the others");
        assert_eq!(network.failed(&site("b"), at(30)), Blame::Site);
        assert_eq!((network.outage(), network.take_blamed()), (None, Vec::new()));
        assert_eq!(network.failed(&site("c"), at(40)), Blame::Network);
        assert_eq!(network.take_blamed(), [(site("a"), Trouble::Failing)]);
        network.failed(&site("d"), at(4_000));
        assert_eq!(network.outage(), Some(NetworkOutage { since: at(20), sites: 4 }));
        let pauses = [30, 4_020, 90_000].map(|seconds| network.pause(at(seconds)).as_secs());
        assert_eq!(pauses, [60, 200, 600]);
        network.answered(&site("b"));
        assert_eq!(network.outage(), None);
        for (name, time) in [("a", 4_100), ("c", 4_101), ("d", 4_102)] {
            assert_eq!(
                network.failed(&site(name), at(time)),
                Blame::Site,
                "{name} did not answer with the others"
            );
        }
    }

    #[test]
    fn sites_that_fail_while_others_answer_are_no_evidence() {
        let network = Network::default();
        for (name, time) in [("a", 1), ("b", 2)] {
            network.failed(&site(name), at(time));
        }
        network.answered(&site("well"));
        for (name, time) in [("a", 700), ("b", 701), ("c", 702)] {
            assert_eq!(network.failed(&site(name), at(time)), Blame::Site, "{name}");
        }
        network.answered(&site("a"));
        // One of them answered meanwhile.
        assert_eq!(network.failed(&site("a"), at(900)), Blame::Site);
        assert_eq!(network.failed(&site("well"), at(901)), Blame::Site);
        assert_eq!(network.failed(&site("other"), at(902)), Blame::Network);
    }

    #[test]
    fn failures_that_lie_far_apart_do_not_add_up() {
        let network = Network::default();
        for (name, time) in [("a", 0), ("b", 700), ("c", 1_400), ("d", 2_100)] {
            assert_eq!(network.failed(&site(name), at(time)), Blame::Site, "{name}");
        }
    }
}
