//! The metrics that Prometheus clients usually report for every process, under their usual names, and the process's
//! clock. They are read from `/proc` at each scrape. Where there is no `/proc`, they are left out.

use std::fs;
use std::sync::{Mutex, PoisonError};

use prometheus::core::{Collector, Desc};
use prometheus::proto::MetricFamily;
use prometheus::{Counter, Gauge};

use crate::time;

/// Ticks per second of the times in `/proc`: the kernel's `USER_HZ`, 100 on every platform we build for.
const TICKS: f64 = 100.0;

/// The state of the process at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Reading {
    /// Processor time in user and kernel mode, all threads, in seconds.
    cpu: f64,
    resident_bytes: f64,
    virtual_bytes: f64,
    open_fds: f64,
    max_fds: f64,
    threads: f64,
    /// Start of the process, in seconds since 1970.
    started: f64,
    /// What the clock says, in seconds since 1970.
    clock: f64,
}

impl Reading {
    fn now() -> Option<Reading> {
        let read = |path: &str| fs::read_to_string(path).ok();
        // Listing the folder opens one file more: the folder itself.
        let open = fs::read_dir("/proc/self/fd").ok()?.count().saturating_sub(1);
        Reading::of(
            &read("/proc/self/stat")?,
            &read("/proc/self/status")?,
            &read("/proc/self/limits")?,
            &read("/proc/stat")?,
            open,
            time::now().0 as f64 / 1_000.0,
        )
    }

    fn of(stat: &str, status: &str, limits: &str, system: &str, open: usize, clock: f64) -> Option<Reading> {
        // The second field, the name, may contain spaces and brackets. The third field follows the last
        // bracket.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = |field: usize| Some(fields.get(field - 3)?.parse::<f64>().ok()? / TICKS);
        let after = |text: &str, name: &str| -> Option<f64> {
            let line = text.lines().find_map(|line| line.strip_prefix(name))?;
            let value = line.split_whitespace().next()?;
            if value == "unlimited" { Some(f64::INFINITY) } else { value.parse().ok() }
        };
        Some(Reading {
            cpu: ticks(14)? + ticks(15)?,
            resident_bytes: after(status, "VmRSS:")? * 1024.0,
            virtual_bytes: after(status, "VmSize:")? * 1024.0,
            open_fds: open as f64,
            max_fds: after(limits, "Max open files")?,
            threads: after(status, "Threads:")?,
            started: after(system, "btime ")? + ticks(22)?,
            clock,
        })
    }
}

type Read = fn(&Reading) -> f64;

/// The metrics of the process.
pub(super) struct Process {
    cpu: Mutex<Counter>,
    gauges: Vec<(Gauge, Read)>,
    descriptions: Vec<Desc>,
}

impl Process {
    /// # Errors
    /// When a name is registered twice.
    pub(super) fn new() -> prometheus::Result<Process> {
        let cpu =
            Counter::new("process_cpu_seconds_total", "Time of all processors spent, user and system.")?;
        let gauges: [(&str, &str, Read); 7] = [
            ("process_resident_memory_bytes", "Memory that is resident.", |now| now.resident_bytes),
            ("process_virtual_memory_bytes", "Addresses that are mapped.", |now| now.virtual_bytes),
            ("process_open_fds", "Files and sockets that are open.", |now| now.open_fds),
            ("process_max_fds", "Files and sockets that may be open.", |now| now.max_fds),
            ("process_threads", "Threads.", |now| now.threads),
            ("process_start_time_seconds", "When the process began, since 1970.", |now| now.started),
            ("newslode_process_clock_seconds", "What the process's clock says, since 1970.", |now| now.clock),
        ];
        let gauges: Vec<(Gauge, Read)> = gauges
            .into_iter()
            .map(|(name, help, read)| Ok((Gauge::new(name, help)?, read)))
            .collect::<prometheus::Result<_>>()?;
        let described = gauges.iter().flat_map(|(gauge, _)| gauge.desc());
        let descriptions = cpu.desc().into_iter().chain(described).cloned().collect();
        Ok(Process { cpu: Mutex::new(cpu), gauges, descriptions })
    }
}

impl Collector for Process {
    fn desc(&self) -> Vec<&Desc> {
        self.descriptions.iter().collect()
    }

    fn collect(&self) -> Vec<MetricFamily> {
        let Some(now) = Reading::now() else { return Vec::new() };
        // Two scrapes at once must not both add the time spent since the last one.
        let cpu = self.cpu.lock().unwrap_or_else(PoisonError::into_inner);
        cpu.inc_by((now.cpu - cpu.get()).max(0.0));
        let gauges = self.gauges.iter().flat_map(|(gauge, read)| {
            gauge.set(read(&now));
            gauge.collect()
        });
        cpu.collect().into_iter().chain(gauges).collect()
    }
}

/// A name that no other process has, or ever had.
#[must_use]
pub fn instance() -> String {
    format!("{}-{}-{}", host(), std::process::id(), time::now().0)
}

/// The name of this machine; empty where it cannot be read.
pub(crate) fn host() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_writes_is_read() {
        let stat = "7 (a) b (c)) S 1 7 7 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 9 0 1200 99999 512 184";
        let status = "Name:\ta) b (c)\nVmSize:\t    2048 kB\nVmRSS:\t     512 kB\nThreads:\t9\n";
        let limits = "Limit                     Soft Limit           Hard Limit           Units\n\
                      Max open files            1024                 524288               files\n";
        let system = "cpu  1 2 3\nbtime 1700000000\nprocesses 5\n";
        let wanted = Reading {
            cpu: 3.0,
            resident_bytes: 524_288.0,
            virtual_bytes: 2_097_152.0,
            open_fds: 4.0,
            max_fds: 1024.0,
            threads: 9.0,
            started: 1_700_000_012.0,
            clock: 1.8e9,
        };
        assert_eq!(Reading::of(stat, status, limits, system, 4, 1.8e9), Some(wanted));
        let unlimited = limits.replace("1024  ", "unlimited");
        assert_eq!(Reading::of(stat, status, &unlimited, system, 4, 1.8e9).unwrap().max_fds, f64::INFINITY);
        assert_eq!(Reading::of("7 (a", status, limits, system, 4, 1.8e9), None);
    }

    #[test]
    fn this_process_is_told_and_its_time_never_falls() {
        let process = Process::new().unwrap();
        let told = |name: &str| {
            let families = process.collect();
            let family = families.iter().find(|family| family.name() == name).unwrap();
            let metric = &family.get_metric()[0];
            metric.get_gauge().get_value() + metric.get_counter().get_value()
        };
        assert!(told("process_resident_memory_bytes") > 1e5);
        assert!(told("process_virtual_memory_bytes") >= told("process_resident_memory_bytes"));
        assert!(told("process_open_fds") >= 1.0 && told("process_open_fds") < told("process_max_fds"));
        assert!(told("process_threads") >= 1.0);
        assert!(told("process_start_time_seconds") > 1.6e9);
        assert!(told("newslode_process_clock_seconds") > told("process_start_time_seconds"));
        let before = told("process_cpu_seconds_total");
        let begun = std::time::Instant::now();
        // Keep the processor busy for more than two of the kernel's ticks.
        while begun.elapsed().as_millis() < 40 {
            std::hint::black_box((0..10_000).sum::<u64>());
        }
        let after = told("process_cpu_seconds_total");
        assert!(before >= 0.0 && after >= before && after < 3_600.0, "{before} {after}");
    }
}
