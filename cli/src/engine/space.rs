//! The space that a run takes on its disk: what retention removes while the run is followed, how much there is of each kind, how
//! fast it grows, and when the disk will be full.
//!
//! The figures of past days are a value of the store, [`SAMPLES`], so every process that reads the run can show them. Start at
//! [`retain`] and [`Space::read`].

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use newslode_common::config::Config;
use newslode_common::room::free_bytes;
use newslode_common::store::redb::RedbStore;
use newslode_common::store::{AgedArchive as _, Kind, SiteState, StoreError, StoreResult};
use newslode_common::telemetry::metrics::Metrics;
use newslode_common::time::Clock;
use newslode_miner::work::retention::{self, Swept};
use newslode_miner::work::stores::Stores;
use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::STATE_FILE;

/// The value with the figures of past days.
const SAMPLES: &str = "space";
/// Most days that are kept.
const MOST_SAMPLES: usize = 31;
const HOUR_MS: u64 = 3_600_000;
const DAY_MS: u64 = 24 * HOUR_MS;
/// Growth is that of the last days.
const GROWTH_OF_DAYS: u64 = 7;
/// Growth over a shorter time says nothing about a day.
const LEAST_GROWTH_MS: u64 = 12 * HOUR_MS;

/// The space that a run took at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Sample {
    at: Timestamp,
    /// Bytes of the file on the disk.
    file: u64,
    /// Packed bytes by kind.
    kinds: BTreeMap<Kind, u64>,
}

/// The space that a run takes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Space {
    /// Bytes of the state's file on the disk. What is removed leaves room in it that is used again.
    pub(crate) file: u64,
    /// Free bytes on the disk; none if it does not say.
    pub(crate) free: Option<u64>,
    /// Packed bytes of the archive by kind, as noted last; empty if no `watch` has noted them.
    pub(crate) kinds: BTreeMap<Kind, u64>,
    /// How fast it grows; none before half a day of figures.
    pub(crate) growth: Option<Growth>,
    /// Days until only the reserve is free, if the file goes on growing like this; none if it does not grow.
    pub(crate) days_left: Option<f64>,
}

/// Bytes a day, over the last days.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Growth {
    /// Of the file.
    pub(crate) file: i64,
    /// Of the archive, by kind.
    pub(crate) kinds: BTreeMap<Kind, i64>,
}

impl Space {
    /// The space that the run in this folder takes.
    ///
    /// # Errors
    /// When the store fails.
    pub(crate) async fn read(state: &dyn SiteState, folder: &Path, reserve_mb: u64) -> StoreResult<Space> {
        let (_, samples) = read_samples(state).await?;
        let (file, free) = (file_bytes(folder), free_bytes(folder).ok());
        Ok(Space::of(&samples, file, free, reserve_mb << 20))
    }

    fn of(samples: &[Sample], file: u64, free: Option<u64>, reserve: u64) -> Space {
        let kinds = samples.last().map(|last| last.kinds.clone()).unwrap_or_default();
        let growth = growth(samples);
        let days_left = growth.as_ref().filter(|growth| growth.file > 0).zip(free);
        let days_left =
            days_left.map(|(growth, free)| free.saturating_sub(reserve) as f64 / growth.file as f64);
        Space { file, free, kinds, growth, days_left }
    }

    /// Name and value of each figure, for people.
    pub(crate) fn facts(&self) -> Vec<(String, String)> {
        let mut file =
            format!("{}, {} free on the disk", size(self.file), self.free.map_or("?".into(), size));
        if let Some(growth) = &self.growth {
            file.push_str(&format!(", {} a day", signed_size(growth.file)));
        }
        if let Some(days) = self.days_left {
            file.push_str(&format!(": full in about {days:.0} days"));
        }
        let mut facts = vec![("file".to_owned(), file)];
        for (kind, bytes) in self.kinds.iter().filter(|(_, bytes)| **bytes > 0) {
            let mut text = size(*bytes);
            if let Some(growth) = self.growth.as_ref().and_then(|growth| growth.kinds.get(kind)) {
                text.push_str(&format!(", {} a day", signed_size(*growth)));
            }
            facts.push((kind_name(*kind).to_owned(), text));
        }
        facts
    }
}

/// What people call a kind.
fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Page => "pages",
        Kind::Contribution => "contributions",
        Kind::Hierarchy => "hierarchies",
        Kind::Article => "articles",
        Kind::History => "histories",
        Kind::Robots => "robots.txt",
        Kind::Listed => "what listings say",
        Kind::Rights => "what is said of rights",
    }
}

/// A number of bytes, for people.
pub(crate) fn size(bytes: u64) -> String {
    let mib = bytes as f64 / f64::from(1 << 20);
    if mib < 1024.0 { format!("{mib:.1} MiB") } else { format!("{:.1} GiB", mib / 1024.0) }
}

fn signed_size(bytes: i64) -> String {
    format!("{}{}", if bytes < 0 { "-" } else { "+" }, size(bytes.unsigned_abs()))
}

/// Bytes that the state's file takes on the disk: it may have holes.
pub(crate) fn file_bytes(folder: &Path) -> u64 {
    std::fs::metadata(folder.join(STATE_FILE)).map_or(0, |file| file.blocks() * 512)
}

/// The growth a day between the newest sample and the oldest one of the last days.
fn growth(samples: &[Sample]) -> Option<Growth> {
    let last = samples.last()?;
    let since = last.at.0.saturating_sub(GROWTH_OF_DAYS * DAY_MS);
    let first = samples.iter().find(|sample| sample.at.0 >= since)?;
    let passed = last.at.0.saturating_sub(first.at.0);
    if passed < LEAST_GROWTH_MS {
        return None;
    }
    let per_day = |now: u64, then: u64| ((now as f64 - then as f64) * DAY_MS as f64 / passed as f64) as i64;
    let kinds = last
        .kinds
        .iter()
        .map(|(kind, bytes)| (*kind, per_day(*bytes, first.kinds.get(kind).copied().unwrap_or_default())));
    Some(Growth { file: per_day(last.file, first.file), kinds: kinds.collect() })
}

async fn read_samples(state: &dyn SiteState) -> StoreResult<(Option<u64>, Vec<Sample>)> {
    let Some((version, bytes)) = state.value(SAMPLES).await? else { return Ok((None, Vec::new())) };
    // What another version wrote in another form is begun anew.
    Ok((Some(version), serde_json::from_slice(&bytes).unwrap_or_default()))
}

/// Adds the figures of now: one sample is kept for each day, and the newest.
fn add_sample(samples: &mut Vec<Sample>, now: Sample) {
    let is_of_its_day = |samples: &[Sample]| match samples {
        [.., before, last] => before.at.day() == last.at.day(),
        _ => false,
    };
    samples.push(now);
    // The first sample of a day stays, and the last of all.
    if samples.len() > 2 && is_of_its_day(&samples[..samples.len() - 1]) {
        samples.remove(samples.len() - 2);
    }
    let surplus = samples.len().saturating_sub(MOST_SAMPLES);
    samples.drain(..surplus);
}

/// What the loop works on.
pub(super) struct Retaining {
    pub(super) store: RedbStore,
    pub(super) folder: PathBuf,
    pub(super) stores: Stores,
    pub(super) config: Config,
    pub(super) metrics: Arc<Metrics>,
    pub(super) clock: Clock,
}

/// Removes what exceeds the limits, and notes the space that is left, until `stop`.
///
/// # Errors
/// Never; failures are logged and tried again.
pub(super) async fn retain(parts: Retaining, stop: CancellationToken) -> anyhow::Result<()> {
    let every = Duration::from_secs(parts.config.retention.every_s);
    loop {
        match parts.look_after(&stop).await {
            Ok(swept) if swept.pages + swept.hierarchies + swept.bodies > 0 => {
                tracing::info!(?swept, "removed the oldest bytes to save space");
            }
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(%error, "cannot remove old values; the next search tries again");
            }
        }
        if stop.run_until_cancelled(parts.clock.sleep(every)).await.is_none() {
            return Ok(());
        }
    }
}

impl Retaining {
    async fn look_after(&self, stop: &CancellationToken) -> StoreResult<Swept> {
        let Config { retention, miner, .. } = &self.config;
        let swept =
            retention::sweep(&self.stores, &self.store, (retention, miner), self.clock.now(), stop).await?;
        let removed = &self.metrics.retention_removed;
        for (what, count) in [("page", swept.pages), ("hierarchy", swept.hierarchies), ("body", swept.bodies)]
        {
            removed.with_label_values(&[what]).inc_by(count);
        }
        self.note_space(self.clock.now()).await?;
        Ok(swept)
    }

    async fn note_space(&self, at: Timestamp) -> StoreResult<()> {
        let usage = self.store.usage().await?;
        let kinds: BTreeMap<Kind, u64> = usage.into_iter().map(|(kind, held)| (kind, held.bytes)).collect();
        let file = file_bytes(&self.folder);
        let gauge = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
        for (kind, bytes) in &kinds {
            self.metrics.archive_bytes.with_label_values(&[kind.name()]).set(gauge(*bytes));
        }
        self.metrics.store_file.set(gauge(file));
        self.metrics.disk_free.set(gauge(free_bytes(&self.folder).unwrap_or_default()));
        let (version, mut samples) = read_samples(&self.store).await?;
        add_sample(&mut samples, Sample { at, file, kinds });
        let bytes = serde_json::to_vec(&samples).map_err(|error| StoreError::Corrupt(error.to_string()))?;
        self.store.put_value(SAMPLES, version, bytes.into()).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(hours: u64, pages: u64) -> Sample {
        let at = Timestamp(1_700_000_000_000 / DAY_MS * DAY_MS + hours * HOUR_MS);
        Sample { at, file: 2 * pages, kinds: BTreeMap::from([(Kind::Page, pages)]) }
    }

    #[test]
    fn one_sample_of_each_day_is_kept_and_the_newest() {
        let mut samples = Vec::new();
        for hour in 0..24 * 40 {
            add_sample(&mut samples, sample(hour, hour));
        }
        let days: Vec<u64> = samples.iter().map(|sample| sample.kinds[&Kind::Page]).collect();
        assert_eq!(days.len(), MOST_SAMPLES);
        assert_eq!(days[days.len() - 3..], [24 * 38, 24 * 39, 24 * 39 + 23]);
    }

    #[test]
    fn the_last_days_say_when_the_disk_is_full() {
        let of = |samples: &[Sample]| Space::of(samples, 500, Some(2_000), 1_000);
        assert_eq!(of(&[]).growth, None);
        assert_eq!(of(&[sample(0, 0), sample(11, 100)]).growth, None, "too short a time");
        let grown = of(&[sample(0, 1_000), sample(24 * 20, 1_000), sample(24 * 22, 1_100)]);
        let growth = grown.growth.unwrap();
        assert_eq!((growth.file, growth.kinds[&Kind::Page]), (100, 50), "the first sample is too old");
        assert_eq!(grown.days_left, Some(10.0));
        let shrunk = of(&[sample(0, 100), sample(24, 50)]);
        assert_eq!((shrunk.growth.unwrap().file, shrunk.days_left), (-100, None));
    }

    #[test]
    fn figures_are_told_in_words() {
        let (mib, gib) = (1_u64 << 20, 1_u64 << 30);
        let space = Space {
            file: 3 * gib,
            free: Some(10 * gib),
            kinds: BTreeMap::from([(Kind::Page, 900 * mib), (Kind::Listed, 0)]),
            growth: Some(Growth { file: 100 << 20, kinds: BTreeMap::from([(Kind::Page, -(1 << 20))]) }),
            days_left: Some(101.2),
        };
        let facts: Vec<String> =
            space.facts().into_iter().map(|(name, text)| format!("{name}: {text}")).collect();
        let file = "file: 3.0 GiB, 10.0 GiB free on the disk, +100.0 MiB a day: full in about 101 days";
        assert_eq!(facts, [file, "pages: 900.0 MiB, -1.0 MiB a day"]);
    }
}
