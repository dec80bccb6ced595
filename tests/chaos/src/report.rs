//! What a run says in the end, as text and as JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;

use crate::memory::Memory;
use crate::pace::Pace;

/// What a run says in the end.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// The seed of faults and world.
    pub(crate) seed: u64,
    /// The minutes of faults.
    pub(crate) minutes: f64,
    /// The sites that were mined, and how many of them were hostile.
    pub(crate) sites: usize,
    /// Of these, hostile.
    pub(crate) hostile: usize,
    /// Their URLs.
    pub(crate) urls: usize,
    /// Their articles.
    pub(crate) articles: usize,
    /// Messages of garbage.
    pub(crate) garbage: usize,
    /// How often each fault befell.
    pub(crate) faults: BTreeMap<String, u64>,
    /// What was not tried, and why.
    pub(crate) left_out: BTreeSet<String>,
    /// How fast sites were asked.
    pub(crate) pace: Pace,
    /// What each copy of a service held, in MiB.
    pub(crate) memory: BTreeMap<&'static str, Memory>,
    /// Seconds from the last fault until all was at rest.
    pub(crate) settled_s: f64,
    /// What is not as it should be; empty if all is well.
    pub(crate) differences: Vec<String>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: u64 = self.faults.values().sum();
        writeln!(f, "seed {}, {} minutes, {all} faults", self.seed, self.minutes)?;
        for (name, times) in &self.faults {
            writeln!(f, "{times:6}  {name}")?;
        }
        for what in &self.left_out {
            writeln!(f, "not tried: {what}")?;
        }
        writeln!(
            f,
            "mined: {} sites ({} hostile), {} URLs, {} articles; {} messages of garbage",
            self.sites, self.hostile, self.urls, self.articles, self.garbage
        )?;
        let Pace { requests, again, delay_ms, shortest_ms, excused, .. } = &self.pace;
        writeln!(
            f,
            "asked: {requests} pages, {again} of them again; delay {delay_ms} ms, shortest {shortest_ms} ms"
        )?;
        for (why, times) in excused {
            writeln!(f, "{times:6}  closer, as {why}")?;
        }
        writeln!(f, "memory in MiB: before, peak, after")?;
        for (name, Memory { before, peak, after }) in &self.memory {
            writeln!(f, "{before:6} {peak:5} {after:5}  {name}")?;
        }
        writeln!(f, "at rest {:.0} s after the last fault", self.settled_s)?;
        if self.differences.is_empty() {
            return writeln!(f, "no differences");
        }
        writeln!(f, "{} DIFFERENCES", self.differences.len())?;
        self.differences.iter().try_for_each(|what| writeln!(f, "- {what}"))
    }
}
