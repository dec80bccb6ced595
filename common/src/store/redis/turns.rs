//! Hints at which buckets have a URL to claim, so that a claim need not ask all of them.
//!
//! A bucket's first turn is known where its sites are, in its own slot. One sorted set for all buckets repeats
//! it as a hint that is never later, as far as its writers got: whoever changes a bucket writes one, and whoever
//! finds nothing where one led corrects it. A process that dies between the change and the hint, and one that knows
//! of no hints (0.1.0), leave a late one. Therefore one of the crawlers asks all buckets every five minutes.

use super::{RedisStore, function, pack};
use crate::store::{StoreError, StoreResult, bucket};
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;

/// The hints, as they were read.
pub(super) struct Hints {
    /// Whether the caller should ask all buckets.
    pub(super) must_sweep: bool,
    /// The first turn to come.
    pub(super) later: Option<Timestamp>,
    /// Buckets whose turn it is, with their hints.
    pub(super) due: Vec<(u16, String)>,
}

/// A bucket that was asked: the hint that led there, and the first turn that was found, or nothing.
pub(super) struct AskedBucket {
    pub(super) bucket: u16,
    pub(super) hint: String,
    pub(super) turn: String,
}

impl AskedBucket {
    /// The first turn that was found.
    pub(super) fn turn(&self) -> StoreResult<Option<Timestamp>> {
        Some(self.turn.as_str()).filter(|turn| !turn.is_empty()).map(pack::time).transpose()
    }
}

impl RedisStore {
    /// Reads the hints: at most `most` buckets whose turn it is.
    pub(super) async fn read_hints(&self, now: Timestamp, most: usize) -> StoreResult<Hints> {
        let mut call = function("nl2_look", &[self.keys().turns()]);
        call.arg(pack::millis(now.0)).arg(most);
        let reply: Vec<String> = self.connection().call(&call).await?;
        let Some(([sweep, later], due)) = reply.split_first_chunk() else {
            return Err(StoreError::Corrupt("the answer to a reading of the turns is too short".into()));
        };
        let later = Some(later.as_str()).filter(|later| !later.is_empty()).map(pack::time).transpose()?;
        let (due, _) = due.as_chunks();
        let due = due.iter().map(|[bucket, hint]| Ok((pack::number(bucket)?, hint.clone())));
        Ok(Hints { must_sweep: sweep == "1", later, due: due.collect::<StoreResult<_>>()? })
    }

    /// Corrects the hints of buckets that were asked.
    pub(super) async fn correct(&self, asked: &[AskedBucket]) -> StoreResult<()> {
        if asked.is_empty() {
            return Ok(());
        }
        let mut call = function("nl2_correct", &[self.keys().turns()]);
        call.arg(self.shared.stamps.next());
        for AskedBucket { bucket, hint, turn } in asked {
            call.arg(bucket).arg(hint).arg(turn);
        }
        self.connection().call(&call).await
    }

    /// Hints at the first turn that a call on a site answered with.
    pub(super) async fn hint(&self, site: &Site, turn: &str) -> StoreResult<()> {
        self.hint_all([(bucket(site), turn)]).await
    }

    /// Asks all buckets in use for their first turns.
    pub(super) async fn sweep(&self) -> StoreResult<()> {
        let buckets = self.all_buckets().await?;
        let firsts: Vec<Vec<(String, f64)>> = self
            .each(&buckets, |bucket| {
                let mut ask = redis::cmd("ZRANGE");
                ask.arg(self.keys().sites(*bucket)).arg(0).arg(0).arg("WITHSCORES");
                ask
            })
            .await?;
        let turns: Vec<String> =
            firsts.iter().map(|first| turn_text(first.first().map(|(_, turn)| *turn))).collect();
        self.hint_all(buckets.into_iter().zip(turns.iter().map(String::as_str))).await
    }

    /// Hints at the first turns of buckets; an empty one says that there is none.
    pub(super) async fn hint_all<'t>(
        &self,
        turns: impl IntoIterator<Item = (u16, &'t str)>,
    ) -> StoreResult<()> {
        let turns: Vec<_> = turns.into_iter().filter(|(_, turn)| !turn.is_empty()).collect();
        if turns.is_empty() {
            return Ok(());
        }
        let mut call = function("nl2_hint", &[self.keys().turns()]);
        call.arg(self.shared.stamps.next());
        for (bucket, turn) in turns {
            call.arg(bucket).arg(turn);
        }
        self.connection().call(&call).await
    }
}

/// A turn as the functions take it: nothing if there is none.
pub(super) fn turn_text(score: Option<f64>) -> String {
    score.filter(|score| score.is_finite()).map(|score| format!("{score:.0}")).unwrap_or_default()
}
