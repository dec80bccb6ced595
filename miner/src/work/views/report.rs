//! Counts what was done for views.

use newslode_common::telemetry::metrics::Metrics;

use super::page::{MarkOutcome, Viewed};

/// What was done for views.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ViewReport {
    /// Sites whose pages were all viewed.
    pub sites: u64,
    /// Pages whose marks were written.
    pub marked: u64,
    /// Pages that had the same marks already.
    pub unchanged: u64,
    /// Pages that the archive no longer holds.
    pub missing: u64,
    /// Pages that could not be viewed.
    pub failed: u64,
    /// Articles that were read again, and those of them that changed.
    pub articles: u64,
    /// Articles that changed.
    pub changed: u64,
    /// Templates that were learnt.
    pub learnt: u64,
    /// Templates that were dropped.
    pub dropped: u64,
}

impl ViewReport {
    pub(super) fn count(&mut self, metrics: &Metrics, viewed: &Viewed) {
        if let Some(end) = viewed.marks {
            let (count, name) = match end {
                MarkOutcome::Marked => (&mut self.marked, "marked"),
                MarkOutcome::Unchanged => (&mut self.unchanged, "unchanged"),
                MarkOutcome::Missing => (&mut self.missing, "missing"),
                MarkOutcome::Failed => (&mut self.failed, "failed"),
            };
            *count += 1;
            metrics.viewed.with_label_values(&[name]).inc();
        }
        if let Some(is_changed) = viewed.article {
            self.articles += 1;
            self.changed += u64::from(is_changed);
            let name = if is_changed { "changed" } else { "unchanged" };
            metrics.articles_viewed.with_label_values(&[name]).inc();
        }
    }
}
