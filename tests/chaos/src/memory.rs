//! How much memory the services hold, as the kernel counts it.

use std::collections::BTreeMap;

use newslode_e2e::process::Process;
use serde::Serialize;

/// Memory of one copy of a service, in MiB.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Memory {
    /// When it was ready and had no work.
    pub(crate) before: u64,
    /// The most that was seen.
    pub(crate) peak: u64,
    /// When all was done.
    pub(crate) after: u64,
}

/// A copy that holds so much more than before when all is done leaks, in MiB. What a miner keeps of the sites, and what
/// the allocator has not yet given back, stay far below.
const LEAK: u64 = 300;

/// What each copy of a service holds.
#[derive(Debug, Default)]
pub(crate) struct Watch(BTreeMap<&'static str, Memory>);

impl Watch {
    /// Notes what the copies hold before their work.
    pub(crate) fn begin(&mut self, running: &BTreeMap<&'static str, Process>) {
        self.look(running, |memory, now| memory.before = now);
    }

    /// Notes what they hold now.
    pub(crate) fn peak(&mut self, running: &BTreeMap<&'static str, Process>) {
        self.look(running, |memory, now| memory.peak = memory.peak.max(now));
    }

    /// Notes what they hold after their work.
    pub(crate) fn end(&mut self, running: &BTreeMap<&'static str, Process>) {
        self.look(running, |memory, now| memory.after = now);
    }

    fn look(&mut self, running: &BTreeMap<&'static str, Process>, note: impl Fn(&mut Memory, u64)) {
        for (name, process) in running {
            // It may have ended a moment ago.
            if let Some(now) = held(process.id()) {
                note(self.0.entry(name).or_default(), now);
            }
        }
    }

    /// The copies that leak, in words.
    pub(crate) fn leaks(&self) -> Vec<String> {
        let leaks = |memory: &Memory| memory.after > memory.before + LEAK;
        let of = |(name, memory): (&&str, &Memory)| {
            format!("{name}: {} MiB after {}", memory.after, memory.before)
        };
        self.0.iter().filter(|(_, memory)| leaks(memory)).map(of).collect()
    }

    /// All that was noted.
    pub(crate) fn all(&self) -> BTreeMap<&'static str, Memory> {
        self.0.clone()
    }
}

fn held(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib >> 10)
}
