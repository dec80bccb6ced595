//! The miners that run, and which of them cares for which site.
//!
//! Every miner counts whatever pages come to it. Work on a whole site (views, counting again after an update) is divided:
//! each bucket of sites belongs to one miner, by rendezvous hashing, so a miner that starts or stops moves no bucket between
//! the others. Work on all sites (the fold, the window, publishing lost pages again) belongs to the leader, which is chosen
//! the same way.
//!
//! The roster is a value of the store: each miner's name and number of heartbeats. A miner whose number stays the same for
//! [`DEAD_AFTER`] is gone. Each miner measures that by its own clock, so clocks need not agree. Ownership only saves work:
//! for a while two miners may own a bucket, and then both do the same. Start at [`Owners`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use newslode_common::store::{BUCKETS, SiteState, StoreError, StoreResult, bucket};
use newslode_common::telemetry::metrics::Metrics;
use newslode_page::reading::Site;
use tokio_util::sync::CancellationToken;

use crate::work::waiting::pause;

/// Interval between a miner's heartbeats.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(2);
/// A miner without a heartbeat for so long is gone.
const DEAD_AFTER: Duration = Duration::from_secs(6);
/// Name of the roster's value; its bytes are a JSON object.
const ROSTER: &str = "miners";
/// Number of attempts to write the roster while other miners are first. After that we wait for the next heartbeat.
const MAX_ATTEMPTS: usize = 20;
/// The owner of this number, which is no bucket, is the leader.
const LEADER: u16 = BUCKETS;

/// The miners' names with their numbers of heartbeats.
type Roster = BTreeMap<String, u64>;

/// Which miner owns which bucket. By default this miner is alone.
#[derive(Debug, Default)]
pub struct Owners {
    /// Our name on the roster; `None`: we are alone.
    name: Option<String>,
    miners: Mutex<LiveMiners>,
}

#[derive(Debug, Default)]
struct LiveMiners {
    /// The others: their last number of heartbeats, and when we saw it first.
    others: BTreeMap<String, (u64, Instant)>,
    /// The names of all live miners, ours included.
    living: BTreeSet<String>,
}

impl Owners {
    /// For a miner of this name, which no other miner may have.
    #[must_use]
    pub fn named(name: String) -> Owners {
        let miners = LiveMiners { living: BTreeSet::from([name.clone()]), ..LiveMiners::default() };
        Owners { name: Some(name), miners: Mutex::new(miners) }
    }

    /// Whether this miner cares for a site.
    #[must_use]
    pub fn owns(&self, site: &Site) -> bool {
        self.owns_bucket(bucket(site))
    }

    /// Whether this miner is the leader.
    #[must_use]
    pub fn leads(&self) -> bool {
        self.owns_bucket(LEADER)
    }

    /// Number of buckets that this miner owns.
    #[must_use]
    pub fn buckets(&self) -> usize {
        (0..BUCKETS).filter(|bucket| self.owns_bucket(*bucket)).count()
    }

    fn owns_bucket(&self, bucket: u16) -> bool {
        let Some(name) = &self.name else { return true };
        let miners = self.miners.lock().unwrap_or_else(PoisonError::into_inner);
        miners.living.iter().max_by_key(|living| weight(living, bucket)) == Some(name)
    }

    /// Adds a heartbeat to the roster and reads those of the others. `now` is any clock that only this miner reads.
    ///
    /// # Errors
    /// When the store fails; ownership stays as it was.
    pub async fn heartbeat(&self, state: &dyn SiteState, now: Instant) -> StoreResult<()> {
        let Some(name) = &self.name else { return Ok(()) };
        self.change(state, |roster| {
            let mut miners = self.miners.lock().unwrap_or_else(PoisonError::into_inner);
            miners.update(roster, name, now);
            roster.retain(|other, _| other == name || miners.others.contains_key(other));
            *roster.entry(name.clone()).or_default() += 1;
        })
        .await
    }

    /// Leaves the roster, so that others take over at once.
    ///
    /// # Errors
    /// When the store fails; then others take over after [`DEAD_AFTER`].
    pub async fn leave(&self, state: &dyn SiteState) -> StoreResult<()> {
        let Some(name) = &self.name else { return Ok(()) };
        self.change(state, |roster| {
            roster.remove(name);
        })
        .await
    }

    async fn change(&self, state: &dyn SiteState, change: impl Fn(&mut Roster)) -> StoreResult<()> {
        for _ in 0..MAX_ATTEMPTS {
            let (version, bytes) = state.value(ROSTER).await?.unzip();
            let wrong = |error| StoreError::Corrupt(format!("the value `{ROSTER}`: {error}"));
            let stored = bytes.map(|bytes| serde_json::from_slice(&bytes).map_err(wrong)).transpose()?;
            let mut roster: Roster = stored.unwrap_or_default();
            change(&mut roster);
            let bytes = serde_json::to_vec(&roster).map_err(wrong)?;
            if state.put_value(ROSTER, version, bytes.into()).await?.is_some() {
                return Ok(());
            }
        }
        Err(StoreError::Unavailable("other miners keep changing the value `miners`".into()))
    }
}

impl LiveMiners {
    /// Takes over a roster: miners with a new heartbeat are live, those without one for long are gone.
    fn update(&mut self, roster: &Roster, name: &str, now: Instant) {
        self.others.retain(|other, _| roster.contains_key(other));
        for (other, beat) in roster.iter().filter(|(other, _)| *other != name) {
            let last = self.others.entry(other.clone()).or_insert((*beat, now));
            if last.0 != *beat {
                *last = (*beat, now);
            }
        }
        self.others.retain(|_, (_, since)| now.saturating_duration_since(*since) < DEAD_AFTER);
        self.living = self.others.keys().cloned().chain([name.to_owned()]).collect();
    }
}

/// The weight of a miner for a bucket: the heaviest owns it.
fn weight(name: &str, bucket: u16) -> [u8; 16] {
    let hash = blake3::hash(format!("{bucket} {name}").as_bytes());
    hash.as_bytes().first_chunk().copied().unwrap_or_default()
}

/// Sends heartbeats until `stop`.
///
/// # Errors
/// Never; a failed heartbeat is logged, and the next one follows.
pub(super) async fn heartbeat_loop(
    owners: Arc<Owners>,
    state: Arc<dyn SiteState>,
    metrics: Arc<Metrics>,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let state = state.as_ref();
    let mut owned = 0;
    loop {
        if let Err(error) = owners.heartbeat(state, Instant::now()).await {
            tracing::warn!(%error, "heartbeat failed; other miners may take over this miner's sites");
        }
        let now = owners.buckets();
        if now != owned {
            tracing::info!(buckets = now, leads = owners.leads(), "this miner's share of the sites changed");
            owned = now;
        }
        metrics.owned_buckets.set(i64::try_from(owned).unwrap_or(i64::MAX));
        if !pause(HEARTBEAT_INTERVAL, &stop).await {
            break;
        }
    }
    if let Err(error) = owners.leave(state).await {
        tracing::debug!(%error, "cannot leave the roster; other miners take over after some seconds");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use newslode_common::store::redb::RedbStore;

    use super::*;

    /// Who owns each bucket, and who leads; fails if that is not exactly one of them.
    #[track_caller]
    fn shares(miners: &[&Owners]) -> Vec<usize> {
        for bucket in 0..=LEADER {
            assert_eq!(miners.iter().filter(|miner| miner.owns_bucket(bucket)).count(), 1, "{bucket}");
        }
        miners.iter().map(|miner| miner.buckets()).collect()
    }

    async fn beat(store: &RedbStore, miners: &[&Owners], start: Instant, seconds: u64) {
        for miner in miners {
            miner.heartbeat(store, start + Duration::from_secs(seconds)).await.unwrap();
        }
    }

    #[tokio::test]
    async fn buckets_are_shared_out_and_those_of_dead_miners_are_taken_over() {
        let store = RedbStore::in_memory().unwrap();
        let [a, b, c] = ["a", "b", "c"].map(|name| Owners::named(name.into()));
        let start = Instant::now();
        assert_eq!(shares(&[&a]), [1024]);
        beat(&store, &[&a, &b, &c, &a, &b], start, 0).await;
        let all = shares(&[&a, &b, &c]);
        assert!(all.iter().all(|share| (250..450).contains(share)), "{all:?}");
        // `c` is killed: it says nothing more.
        for second in [2, 4] {
            beat(&store, &[&a, &b], start, second).await;
        }
        assert_eq!(shares(&[&a, &b, &c]), all, "not yet");
        let before: Vec<bool> = (0..BUCKETS).map(|bucket| a.owns_bucket(bucket)).collect();
        for second in [6, 8] {
            beat(&store, &[&a, &b], start, second).await;
        }
        let left = shares(&[&a, &b]);
        assert!(left.iter().all(|share| (420..600).contains(share)), "{left:?}");
        assert!(
            (0..BUCKETS).all(|bucket| a.owns_bucket(bucket) || !before[usize::from(bucket)]),
            "none moved between them"
        );
        // It comes back under another name, and `b` leaves.
        let d = Owners::named("d".into());
        beat(&store, &[&d, &a, &b], start, 9).await;
        shares(&[&a, &b, &d]);
        b.leave(&store).await.unwrap();
        beat(&store, &[&a, &d], start, 10).await;
        shares(&[&a, &d]);
    }

    #[tokio::test]
    async fn heartbeats_work_with_clocks_that_differ() {
        let store = RedbStore::in_memory().unwrap();
        let [a, b] = ["a", "b"].map(|name| Owners::named(name.into()));
        let start = Instant::now();
        for second in (0..60).step_by(2) {
            beat(&store, &[&a], start, second).await;
            beat(&store, &[&b], start, second + 3_600).await;
        }
        beat(&store, &[&a], start, 60).await;
        shares(&[&a, &b]);
    }

    #[tokio::test]
    async fn a_single_miner_owns_every_bucket() {
        let store = RedbStore::in_memory().unwrap();
        let alone = Owners::default();
        alone.heartbeat(&store, Instant::now()).await.unwrap();
        assert_eq!(store.value(ROSTER).await.unwrap(), None);
        assert_eq!((alone.buckets(), alone.leads()), (1024, true));
    }
}
