//! The most memory that a piece of work held, as the system counts it.
//!
//! Linux keeps the peak of a process's resident memory and lets the process reset it. Elsewhere, and where
//! `/proc` is closed, there is no figure. What the allocator kept from earlier work is not counted again, so
//! sizes are measured in ascending order.

use std::fs;

/// Runs `work`; the bytes by which its peak exceeds what was held before, where the system tells.
pub(super) fn peak_of<T>(work: impl FnOnce() -> T) -> (Option<u64>, T) {
    let before = reset_peak().then(|| held("VmRSS:")).flatten();
    let done = work();
    let peak = before.and_then(|before| Some(held("VmHWM:")?.saturating_sub(before)));
    (peak, done)
}

/// "5" resets the peak (proc(5), `clear_refs`).
fn reset_peak() -> bool {
    fs::write("/proc/self/clear_refs", "5").is_ok()
}

fn held(field: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_for_a_while_is_in_the_peak() {
        const SIZE: usize = 256 << 20;
        let (peak, sum) = peak_of(|| vec![1u8; SIZE].iter().map(|&byte| u64::from(byte)).sum::<u64>());
        assert_eq!(sum, SIZE as u64);
        // None where /proc is closed.
        assert!(peak.is_none_or(|peak| peak > SIZE as u64 / 2), "{peak:?}");
    }
}
