//! The miners that run, and which of them cares for which site.
//!
//! Every miner counts whatever pages come to it. What is done for a site as a whole (views, counting again after an update)
//! is divided: each bucket of sites belongs to one of the miners, by rendezvous hashing, so that a miner that comes or goes
//! moves no bucket between the others. What is done for all sites (the fold, the window, bringing lost pages back)
//! belongs to the leader, who is chosen alike.
//!
//! The roster is a value of the store: each miner's name and how often it has said that it lives. A miner that says
//! nothing new for [`DEAD_AFTER`] is gone; each miner measures that by its own clock, so that clocks need not agree.
//! Ownership saves work and decides nothing: for a while two miners may believe that a bucket is theirs, and then both
//! do the same. Start at [`Owners`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use newslode_common::store::{BUCKETS, SiteState, StoreError, StoreResult, bucket};
use newslode_common::telemetry::metrics::Metrics;
use newslode_page::reading::Site;
use tokio_util::sync::CancellationToken;

use crate::work::waiting::pause;

/// Interval at which a miner says that it lives.
const BEAT_EVERY: Duration = Duration::from_secs(2);
/// A miner that has said nothing new for so long is gone.
const DEAD_AFTER: Duration = Duration::from_secs(6);
/// Name of the roster's value; its bytes are a JSON object.
const ROSTER: &str = "miners";
/// Another miner may write the roster between our read and our write. After this many times we wait for the next beat.
const ROUNDS: usize = 20;
/// The leader owns this, which is no bucket.
const LEAD: u16 = BUCKETS;

/// Names and beats of the miners.
type Roster = BTreeMap<String, u64>;

/// Who owns what. By default there is nobody else.
#[derive(Debug, Default)]
pub struct Owners {
    /// Our name on the roster; none: we are alone.
    name: Option<String>,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// The others: their last beat, and when we saw it first.
    others: BTreeMap<String, (u64, Instant)>,
    /// Those who live, with us.
    living: BTreeSet<String>,
}

impl Owners {
    /// For a miner of this name, which no other miner may have.
    #[must_use]
    pub fn named(name: String) -> Owners {
        let seen = Seen { living: BTreeSet::from([name.clone()]), ..Seen::default() };
        Owners { name: Some(name), seen: Mutex::new(seen) }
    }

    /// Whether we care for a site.
    #[must_use]
    pub fn owns(&self, site: &Site) -> bool {
        self.has(bucket(site))
    }

    /// Whether we do what is done once for all sites.
    #[must_use]
    pub fn leads(&self) -> bool {
        self.has(LEAD)
    }

    /// How many buckets are ours.
    #[must_use]
    pub fn buckets(&self) -> usize {
        (0..BUCKETS).filter(|bucket| self.has(*bucket)).count()
    }

    fn has(&self, bucket: u16) -> bool {
        let Some(name) = &self.name else { return true };
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.living.iter().max_by_key(|living| weight(living, bucket)) == Some(name)
    }

    /// Says that we live, and learns who else does. `now` is any clock that only this miner reads.
    ///
    /// # Errors
    /// When the store fails; what was known stays.
    pub async fn beat(&self, state: &dyn SiteState, now: Instant) -> StoreResult<()> {
        let Some(name) = &self.name else { return Ok(()) };
        self.change(state, |roster| {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.see(roster, name, now);
            roster.retain(|other, _| other == name || seen.others.contains_key(other));
            *roster.entry(name.clone()).or_default() += 1;
        })
        .await
    }

    /// Says that we stop, so that others take over at once.
    ///
    /// # Errors
    /// When the store fails; then others notice after a while.
    pub async fn leave(&self, state: &dyn SiteState) -> StoreResult<()> {
        let Some(name) = &self.name else { return Ok(()) };
        self.change(state, |roster| {
            roster.remove(name);
        })
        .await
    }

    async fn change(&self, state: &dyn SiteState, change: impl Fn(&mut Roster)) -> StoreResult<()> {
        for _ in 0..ROUNDS {
            let (version, bytes) = state.value(ROSTER).await?.unzip();
            let wrong = |error| StoreError::Corrupt(format!("the value `{ROSTER}`: {error}"));
            let held = bytes.map(|bytes| serde_json::from_slice(&bytes).map_err(wrong)).transpose()?;
            let mut roster: Roster = held.unwrap_or_default();
            change(&mut roster);
            let bytes = serde_json::to_vec(&roster).map_err(wrong)?;
            if state.put_value(ROSTER, version, bytes.into()).await?.is_some() {
                return Ok(());
            }
        }
        Err(StoreError::Unavailable("other miners keep changing the value `miners`".into()))
    }
}

impl Seen {
    /// Takes in a roster: who said something new lives, who did not for long is gone.
    fn see(&mut self, roster: &Roster, name: &str, now: Instant) {
        self.others.retain(|other, _| roster.contains_key(other));
        for (other, beat) in roster.iter().filter(|(other, _)| *other != name) {
            let known = self.others.entry(other.clone()).or_insert((*beat, now));
            if known.0 != *beat {
                *known = (*beat, now);
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

/// Says that we live until `stop`.
///
/// # Errors
/// Never; a beat that fails is logged, and the next one tries again.
pub(super) async fn run(
    owners: Arc<Owners>,
    state: Arc<dyn SiteState>,
    metrics: Arc<Metrics>,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let state = state.as_ref();
    let mut owned = 0;
    loop {
        if let Err(error) = owners.beat(state, Instant::now()).await {
            tracing::warn!(%error, "heartbeat failed; other miners may take over this miner's sites");
        }
        let now = owners.buckets();
        if now != owned {
            tracing::info!(buckets = now, leads = owners.leads(), "this miner's share of the sites changed");
            owned = now;
        }
        metrics.owned_buckets.set(i64::try_from(owned).unwrap_or(i64::MAX));
        if !pause(BEAT_EVERY, &stop).await {
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
        for bucket in 0..=LEAD {
            assert_eq!(miners.iter().filter(|miner| miner.has(bucket)).count(), 1, "{bucket}");
        }
        miners.iter().map(|miner| miner.buckets()).collect()
    }

    async fn beat(store: &RedbStore, miners: &[&Owners], start: Instant, seconds: u64) {
        for miner in miners {
            miner.beat(store, start + Duration::from_secs(seconds)).await.unwrap();
        }
    }

    #[tokio::test]
    async fn buckets_are_divided_and_those_of_the_dead_are_taken_over() {
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
        let before: Vec<bool> = (0..BUCKETS).map(|bucket| a.has(bucket)).collect();
        for second in [6, 8] {
            beat(&store, &[&a, &b], start, second).await;
        }
        let left = shares(&[&a, &b]);
        assert!(left.iter().all(|share| (420..600).contains(share)), "{left:?}");
        assert!(
            (0..BUCKETS).all(|bucket| a.has(bucket) || !before[usize::from(bucket)]),
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
    async fn clocks_need_not_agree() {
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
    async fn who_is_alone_owns_everything() {
        let store = RedbStore::in_memory().unwrap();
        let alone = Owners::default();
        alone.beat(&store, Instant::now()).await.unwrap();
        assert_eq!(store.value(ROSTER).await.unwrap(), None);
        assert_eq!((alone.buckets(), alone.leads()), (1024, true));
    }
}
