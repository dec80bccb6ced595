//! The conformance suites find faults: a store with one fault at a time must fail the checks that name the
//! fault. A check that no fault can fail proves nothing.

#![allow(clippy::unwrap_used, reason = "all of this file is tests; the lint knows only functions marked so")]

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures::FutureExt;
use newslode_common::store::bucket;
use newslode_common::store::conformance;
use newslode_common::store::log::{Flips, History, Log};
use newslode_common::store::redb::RedbStore;
use newslode_common::store::{
    Aged, AgedArchive, Applied, Change, Expired, Kind, KindUse, PageArchive, SiteState, StoreResult, Sums,
};
use newslode_common::version::{ContentHash, Version};
use newslode_page::contribution::{Cell, Delta, Table};
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fault {
    // Faults of a frontier.
    ForgetsLeases,
    ForgetsTurns,
    ForgetsDelays,
    ForgetsPauses,
    ForgetsRests,
    ForgetsBudgets,
    KeepsLateClaims,
    ReleasesNothing,
    CountsNoAttempts,
    PromotesNothing,
    MixesClasses,
    ForgetsClasses,
    ForgetsAllowances,
    OverlooksRequestsBeside,
    ForgetsLearntDelays,
    ShortensRests,
    ChargesSkips,
    OverwritesSchedules,
    TakesAllNotes,
    RevivesNothing,
    CountsNoRequests,
    BudgetsForLife,
    LetsNothingLeave,
    ForgetsByDayOfLeaving,
    ForgetsNothing,
    // Faults of mined state.
    IgnoresExpected,
    AppliesStale,
    CountsOnce,
    AppliesPrefix,
    CountsRemovals,
    SaturatesSums,
    KeepsForgotten,
    ForgetsDays,
    ValuesWithoutVersion,
    LogsNothing,
    LogsTerms,
    ForgetsFlips,
    LogsNoEnds,
    LogsAllAtOnce,
    HidesGaps,
    MixesHomes,
    TellsLatePositions,
    LogsRefusals,
    // Faults of an archive.
    CutsBytes,
    DropsEmpty,
    MixesKinds,
    KeepsDeleted,
    ExpiresAll,
    KeepsFirst,
    DiscardsNothing,
    NotesNothing,
    // Faults of an archive that removes its oldest values.
    ListsByName,
    ListsFromTheStart,
    RemovesNothing,
    RemovesRenewed,
    ForgetsRemovals,
    RemembersRemovals,
    CountsEverything,
    ReplacesRenewed,
}

/// A good store except for one broken promise.
pub(crate) struct Broken {
    pub(crate) good: RedbStore,
    fault: Fault,
}

impl Broken {
    pub(crate) fn has(&self, fault: Fault) -> bool {
        self.fault == fault
    }
}

impl Broken {
    /// The change as this faulty store takes it.
    async fn spoilt(&self, site: &Site, change: &Change) -> StoreResult<Change> {
        let stored = self.good.versions(site, std::slice::from_ref(&change.url)).await?[0];
        let mut change = change.clone();
        if self.has(Fault::IgnoresExpected) {
            change.expected = stored;
        }
        if let Some(stored) = stored
            && self.has(Fault::AppliesStale)
            && change.new.fetch <= stored.fetch
        {
            change.expected = Some(stored);
            change.new.fetch = stored.fetch + 1;
        }
        change.again &= !self.has(Fault::CountsOnce);
        if self.has(Fault::CountsRemovals) && change.new.content == ContentHash::NONE {
            change.delta = Delta::default();
        }
        if self.has(Fault::SaturatesSums) {
            change.delta = self.saturating(site, &change.delta).await?;
        }
        Ok(change)
    }

    async fn saturating(&self, site: &Site, delta: &Delta) -> StoreResult<Delta> {
        let mut spoilt = Delta::default();
        for (cell, by) in delta.iter() {
            let held = self.good.cells(site, cell.table).await?.get(&cell.key).copied().unwrap_or(0);
            spoilt.add(Cell::clone(cell), held.saturating_add(by).wrapping_sub(held));
        }
        Ok(spoilt)
    }
}

#[async_trait]
impl SiteState for Broken {
    async fn versions(&self, site: &Site, urls: &[CanonicalUrl]) -> StoreResult<Vec<Option<Version>>> {
        self.good.versions(site, urls).await
    }
    async fn apply(&self, site: &Site, changes: &[Change]) -> StoreResult<Vec<Applied>> {
        if self.has(Fault::LogsRefusals) {
            // Counts nothing of another page, and says so.
            let none = Version { fetch: 0, content: ContentHash::NONE };
            let url = format!("https://{site}/refused").parse().unwrap();
            let stored = self.good.versions(site, &[CanonicalUrl::clone(&url)]).await?[0];
            let new = Version { fetch: stored.map_or(0, |stored| stored.fetch + 1), ..none };
            let refused =
                Change { url, expected: stored, new, delta: Delta::default(), ..changes[0].clone() };
            self.good.apply(site, &[refused]).await?;
        }
        if self.has(Fault::AppliesPrefix) {
            // Two calls instead of one: a reader in between sees half of the batch.
            let (first, second) = changes.split_at(changes.len() / 2);
            let mut verdicts = self.good.apply(site, first).await?;
            tokio::time::sleep(Duration::from_millis(2)).await;
            verdicts.extend(self.good.apply(site, second).await?);
            return Ok(verdicts);
        }
        let one_by_one = [
            Fault::IgnoresExpected,
            Fault::AppliesStale,
            Fault::CountsOnce,
            Fault::CountsRemovals,
            Fault::SaturatesSums,
        ];
        if !one_by_one.contains(&self.fault) {
            return self.good.apply(site, changes).await;
        }
        let mut verdicts = Vec::new();
        for change in changes {
            verdicts.extend(self.good.apply(site, &[self.spoilt(site, change).await?]).await?);
        }
        Ok(verdicts)
    }
    async fn sums(&self, site: &Site, tables: &[Table]) -> StoreResult<Sums> {
        self.good.sums(site, tables).await
    }
    async fn history(&self, site: &Site, homes: &[String]) -> StoreResult<History> {
        let mut history = self.good.history(site, homes).await?;
        if self.has(Fault::MixesHomes) {
            for (table, cells) in self.good.sums(site, Table::ALL).await? {
                history.cells.extend(cells.into_iter().map(|(key, by)| (Cell { table, key }, by)));
            }
        }
        if self.has(Fault::TellsLatePositions) {
            tokio::time::sleep(Duration::from_millis(2)).await;
            history.position = self.good.log(bucket(site), u64::MAX, 1).await?.end;
        }
        Ok(history)
    }
    async fn snapshot(&self, site: &Site, tables: &[Table]) -> StoreResult<(u64, Sums)> {
        let (mut position, sums) = self.good.snapshot(site, tables).await?;
        if self.has(Fault::TellsLatePositions) {
            tokio::time::sleep(Duration::from_millis(2)).await;
            position = self.good.log(bucket(site), u64::MAX, 1).await?.end;
        }
        Ok((position, sums))
    }
    async fn log(&self, bucket: u16, after: u64, most: usize) -> StoreResult<Log> {
        let most = if self.has(Fault::LogsAllAtOnce) { 1_000 } else { most };
        let mut log = self.good.log(bucket, after, most).await?;
        match self.fault {
            Fault::LogsNothing => log = Log::default(),
            Fault::HidesGaps => log.dropped = 0,
            Fault::ForgetsFlips => log.entries.iter_mut().for_each(|entry| entry.flips = Flips::default()),
            Fault::LogsNoEnds => log.entries.retain(|entry| !entry.is_forgotten),
            Fault::LogsTerms => {
                let term = (Cell::new(Table::Terms, &["tf", "jazz"]), 1);
                log.entries.iter_mut().for_each(|entry| entry.note.cells.push(term.clone()));
            }
            _ => {}
        }
        Ok(log)
    }
    async fn pages(&self, site: &Site) -> StoreResult<Vec<(CanonicalUrl, Version)>> {
        self.good.pages(site).await
    }
    async fn counted_before(
        &self,
        site: &Site,
        before: Timestamp,
    ) -> StoreResult<Vec<(CanonicalUrl, Version)>> {
        let before = if self.has(Fault::ForgetsDays) { Timestamp(u64::MAX) } else { before };
        self.good.counted_before(site, before).await
    }
    async fn sites(&self) -> StoreResult<Vec<(Site, u64)>> {
        self.good.sites().await
    }
    async fn forget(&self, site: &Site) -> StoreResult<()> {
        if self.has(Fault::KeepsForgotten) { Ok(()) } else { self.good.forget(site).await }
    }
    async fn value(&self, name: &str) -> StoreResult<Option<(u64, Bytes)>> {
        self.good.value(name).await
    }
    async fn put_value(&self, name: &str, expected: Option<u64>, bytes: Bytes) -> StoreResult<Option<u64>> {
        let held = self.good.value(name).await?.map(|(version, _)| version);
        let expected = if self.has(Fault::ValuesWithoutVersion) { held } else { expected };
        self.good.put_value(name, expected, bytes).await
    }
    async fn ready(&self) -> StoreResult<()> {
        self.good.ready().await
    }
}

#[async_trait]
impl PageArchive for Broken {
    async fn put(&self, kind: Kind, content: ContentHash, bytes: Bytes, now: Timestamp) -> StoreResult<()> {
        let kind = if self.has(Fault::MixesKinds) { Kind::Page } else { kind };
        if self.has(Fault::RemembersRemovals) && self.good.removed(kind, content).await?.is_some() {
            return Ok(());
        }
        let kept = match self.fault {
            Fault::CutsBytes => bytes.slice(..bytes.len().min(1_000)),
            Fault::DropsEmpty if bytes.is_empty() => return Ok(()),
            Fault::KeepsFirst if self.good.get(kind, content).await?.is_some() => return Ok(()),
            _ => bytes,
        };
        self.good.put(kind, content, kept, now).await
    }
    async fn get(&self, kind: Kind, content: ContentHash) -> StoreResult<Option<Bytes>> {
        let kind = if self.has(Fault::MixesKinds) { Kind::Page } else { kind };
        self.good.get(kind, content).await
    }
    async fn delete(&self, kind: Kind, content: ContentHash) -> StoreResult<()> {
        let is_removed = self.good.removed(kind, content).await?.is_some();
        let is_remembered = self.has(Fault::RemembersRemovals) && is_removed;
        if self.has(Fault::KeepsDeleted) || is_remembered {
            Ok(())
        } else {
            self.good.delete(kind, content).await
        }
    }
    async fn expire(&self, before: Timestamp) -> StoreResult<Expired> {
        let before = if self.has(Fault::ExpiresAll) { Timestamp(u64::MAX) } else { before };
        self.good.expire(before).await
    }
    async fn discard(&self, kind: Kind, content: ContentHash, now: Timestamp) -> StoreResult<bool> {
        match self.fault {
            Fault::DiscardsNothing => Ok(self.good.get(kind, content).await?.is_some()),
            Fault::NotesNothing => {
                let was_there = self.good.get(kind, content).await?.is_some();
                self.delete(kind, content).await.map(|()| was_there)
            }
            _ => self.good.discard(kind, content, now).await,
        }
    }
    async fn removed(&self, kind: Kind, content: ContentHash) -> StoreResult<Option<Timestamp>> {
        if self.has(Fault::ForgetsRemovals) { Ok(None) } else { self.good.removed(kind, content).await }
    }
}

#[async_trait]
impl AgedArchive for Broken {
    async fn oldest(&self, kind: Kind, after: Option<Aged>, most: usize) -> StoreResult<Vec<Aged>> {
        let after = if self.has(Fault::ListsFromTheStart) { None } else { after };
        let mut found = self.good.oldest(kind, after, most).await?;
        if self.has(Fault::ListsByName) {
            found.sort_by_key(|value| std::cmp::Reverse(value.put_at));
        }
        Ok(found)
    }
    async fn remove(&self, kind: Kind, values: &[Aged], now: Timestamp) -> StoreResult<u64> {
        match self.fault {
            Fault::RemovesNothing => Ok(values.len() as u64),
            Fault::RemovesRenewed => {
                let all = self.good.oldest(kind, None, usize::MAX).await?;
                let renewed =
                    all.into_iter().filter(|held| values.iter().any(|of| of.content == held.content));
                self.good.remove(kind, &renewed.collect::<Vec<_>>(), now).await
            }
            _ => self.good.remove(kind, values, now).await,
        }
    }
    async fn replace(&self, kind: Kind, value: Aged, bytes: Bytes, at: Timestamp) -> StoreResult<bool> {
        match self.has(Fault::ReplacesRenewed) {
            true => self.good.put(kind, value.content, bytes, at).await.map(|()| true),
            false => self.good.replace(kind, value, bytes, at).await,
        }
    }
    async fn usage(&self) -> StoreResult<BTreeMap<Kind, KindUse>> {
        let mut all = self.good.usage().await?;
        if self.has(Fault::CountsEverything) {
            let sum = all.values().map(|held| held.bytes).sum();
            all.values_mut().for_each(|held| held.bytes = sum);
        }
        Ok(all)
    }
}

/// Asserts that a store with each fault fails the check that is named for it.
macro_rules! check_faults {
    ($suite:ident: $($fault:ident => $check:literal,)*) => {
        $({
            let (_, check) = conformance::$suite::CHECKS.iter().find(|(name, _)| *name == $check).expect($check);
            let broken = Broken { good: RedbStore::in_memory().unwrap(), fault: Fault::$fault };
            // A fault may also make a check wait for ever. That counts as a failure, too.
            let run = tokio::time::timeout(
                Duration::from_secs(20),
                AssertUnwindSafe(check(&broken)).catch_unwind(),
            );
            let has_passed = matches!(run.await, Ok(Ok(())));
            assert!(!has_passed, "{:?} is not found by {}", Fault::$fault, $check);
        })*
    };
}

#[tokio::test(flavor = "multi_thread")]
async fn each_fault_of_a_frontier_is_found() {
    check_faults! { frontier:
        ForgetsDelays => "the_delay_holds_between_two_claims_of_a_site",
        ForgetsPauses => "a_paused_site_is_not_claimed",
        ForgetsRests => "a_resting_site_is_not_claimed",
        ForgetsBudgets => "the_page_budget_is_never_exceeded",
        KeepsLateClaims => "a_completion_after_the_lease_went_elsewhere_is_lost",
        ReleasesNothing => "a_released_claim_is_due_at_once",
        CountsNoAttempts => "retry_waits_and_counts_attempts",
        PromotesNothing => "a_stronger_reason_wins_and_is_reported_for_fetched_pages",
        MixesClasses => "classes_are_served_in_their_order",
        ForgetsClasses => "a_completion_says_where_a_url_waits",
        ForgetsAllowances => "an_allowance_is_spent_and_fills_again",
        ForgetsLearntDelays => "a_learnt_delay_holds_and_may_sink",
        ShortensRests => "a_rest_is_never_shortened",
        ChargesSkips => "a_skipped_claim_costs_nothing",
        OverlooksRequestsBeside => "a_request_beside_the_claims_takes_a_token",
        OverwritesSchedules => "what_visits_taught_is_replaced_by_who_read_it",
        TakesAllNotes => "a_note_is_taken_for_the_last_fetch_only",
        RevivesNothing => "a_known_url_may_be_asked_for_again",
        CountsNoRequests => "requests_are_counted_for_ten_minutes",
        MixesClasses => "the_backlog_leaves_half_of_the_budget",
        MixesClasses => "the_past_waits_for_tokens",
        BudgetsForLife => "a_page_budget_is_of_a_day",
        LetsNothingLeave => "what_is_not_asked_for_again_leaves_and_is_remembered",
        ForgetsByDayOfLeaving => "what_is_shown_stays_remembered",
        ForgetsNothing => "a_forgotten_url_is_new_again",
        ForgetsLeases => "a_leased_url_is_claimed_by_nobody_else",
        ForgetsTurns => "who_waits_for_the_next_turn_misses_none",
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_fault_of_mined_state_is_found() {
    check_faults! { state:
        IgnoresExpected => "an_unexpected_version_is_a_conflict_and_names_the_stored_one",
        AppliesStale => "a_late_version_changes_nothing",
        CountsOnce => "a_fetch_is_counted_again_as_other_algorithms_see_it",
        AppliesPrefix => "a_batch_is_seen_whole_or_not_at_all",
        CountsRemovals => "a_removed_page_counts_nothing_and_stays_removed",
        SaturatesSums => "sums_wrap",
        KeepsForgotten => "a_forgotten_site_starts_anew",
        ForgetsDays => "pages_are_found_by_the_day_of_their_fetch",
        ValuesWithoutVersion => "a_value_is_put_if_it_is_what_was_expected",
        LogsNothing => "what_was_counted_is_logged",
        LogsTerms => "what_was_counted_is_logged",
        LogsRefusals => "what_does_not_count_is_not_logged",
        ForgetsFlips => "watched_cells_tell_when_they_come_and_go",
        LogsNoEnds => "a_forgotten_site_is_logged",
        LogsAllAtOnce => "a_log_is_read_in_parts",
        HidesGaps => "a_long_log_drops_its_oldest_entries",
        MixesHomes => "a_history_has_the_cells_of_its_homes",
        TellsLatePositions => "a_history_is_right_at_its_position",
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_fault_of_an_archive_is_found() {
    check_faults! { archive:
        CutsBytes => "three_megabytes_come_back",
        DropsEmpty => "an_empty_value_is_a_value",
        MixesKinds => "kinds_are_kept_apart",
        KeepsDeleted => "what_is_deleted_is_gone",
        ExpiresAll => "what_was_put_before_expires_and_nothing_else",
        KeepsFirst => "putting_again_replaces",
        DiscardsNothing => "what_is_discarded_is_gone_and_noted",
        NotesNothing => "what_is_discarded_is_gone_and_noted",
        RemembersRemovals => "what_was_discarded_can_be_put_again",
    }
    check_faults! { archive:
        RemembersRemovals => "deleting_forgets_that_it_was_discarded",
        NotesNothing => "the_note_of_what_was_discarded_expires",
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_fault_of_an_archive_that_removes_its_oldest_values_is_found() {
    check_faults! { aged:
        ListsByName => "values_are_listed_by_age",
        ListsFromTheStart => "a_list_goes_on_after_a_value",
        RemovesNothing => "what_is_removed_says_since_when",
        ForgetsRemovals => "what_is_removed_says_since_when",
        RemovesRenewed => "what_was_put_again_is_not_removed",
        RemembersRemovals => "putting_again_brings_it_back",
        CountsEverything => "use_is_what_is_there",
        ReplacesRenewed => "only_what_was_listed_is_replaced",
    }
    check_faults! { aged:
        RemembersRemovals => "deleting_forgets_the_removal",
        RemovesNothing => "a_removal_expires",
    }
}
