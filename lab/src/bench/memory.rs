//! Measures the peak memory of partitioning a page, as the system counts it.
//!
//! Linux records the peak of a process's resident memory. Memory that an allocator keeps from earlier work
//! would hide it, so each figure comes from a process of its own: [`peak_of_process`] starts it, and it runs
//! [`peak`]. On other systems, or without access to `/proc`, there is no figure.

use std::fs;
use std::hint::black_box;
use std::process::Command;

use newslode_page::partition::hierarchy;
use newslode_page::training::measure::made_page;

use super::sample::{Way, parsed};

/// Rise of this process's peak in bytes when it partitions a generated page: tree, leaves, hierarchy.
pub(crate) fn peak(way: Way, leaves: usize) -> anyhow::Result<Option<u64>> {
    let html = made_page(leaves);
    // Tables that are built once per process do not count for a page.
    black_box(hierarchy(&parsed(made_page(20).as_bytes())?, &way.params()));
    let before = held("VmRSS:");
    black_box(hierarchy(&parsed(html.as_bytes())?, &way.params()));
    Ok(before.and_then(|before| Some(held("VmHWM:")?.saturating_sub(before))))
}

/// Runs [`peak`] in a process of its own.
pub(super) fn peak_of_process(way: Way, leaves: usize) -> Option<u64> {
    let program = std::env::current_exe().ok()?;
    let mut command = Command::new(program);
    command.args(["bench", "partition", "--peak-of", way.name(), "--leaves", &leaves.to_string()]);
    let output = command.output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

/// A memory size of this process in bytes, by field: `VmRSS:`, `VmHWM:`.
pub(super) fn held(field: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_is_told_where_the_system_tells() {
        let before = held("VmHWM:");
        let block = black_box(vec![1u8; 256 << 20]);
        let after = held("VmHWM:");
        assert_eq!(block.last(), Some(&1));
        // There are none without access to /proc. Other tests of this process come and go.
        assert_eq!(before.is_some(), after.is_some());
        assert!(after.is_none_or(|after| after > 256 << 20), "{after:?}");
        assert_eq!(held("VmNothing:"), None);
    }
}
