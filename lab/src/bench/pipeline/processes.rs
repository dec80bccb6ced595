//! The programs that are measured, and the processor time that they take.

use std::fs;
use std::path::PathBuf;

use newslode::exit::hinted;
use serde::Serialize;

use super::web::Served;

/// Ticks of a second in `/proc`; the same on all Linux systems.
const TICKS: f64 = 100.0;
/// Time between two requests to a site, in milliseconds. The server can bear it.
pub(super) const DELAY_MS: &str = "20";

/// The processor time of one of the services.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Service {
    pub(crate) name: String,
    /// For each page of the crawl, in milliseconds.
    pub(crate) cpu_ms: f64,
}

/// A program in the folder of this one.
pub(super) fn beside(name: &str) -> anyhow::Result<PathBuf> {
    let program = std::env::current_exe()?.with_file_name(name);
    if !program.is_file() {
        return Err(hinted(
            format!("there is no `{name}` beside this program"),
            "build the others, too: cargo build --release --workspace",
        ));
    }
    Ok(program)
}

/// A crawl that has ended.
#[derive(Clone, Copy)]
pub(super) struct Crawled {
    pub(super) served: Served,
    pub(super) seconds: f64,
}

impl Crawled {
    pub(super) fn cpu_ms(&self) -> f64 {
        self.of_a_page(self.seconds)
    }

    /// Milliseconds of a page, if all took so many seconds.
    pub(super) fn of_a_page(&self, seconds: f64) -> f64 {
        seconds * 1_000.0 / self.served.pages.max(1) as f64
    }
}

/// Processor time of the children of this process that have ended, in seconds.
pub(super) fn children_seconds() -> anyhow::Result<f64> {
    ticks("self", 13)
}

/// Processor time of a process, in seconds.
pub(super) fn cpu_seconds(process: u32) -> anyhow::Result<f64> {
    ticks(&process.to_string(), 11)
}

/// The sum of two neighbouring fields of a process's statistics, behind its name, in seconds.
fn ticks(process: &str, at: usize) -> anyhow::Result<f64> {
    let file = format!("/proc/{process}/stat");
    let stat = fs::read_to_string(&file)
        .map_err(|error| hinted(format!("cannot read `{file}`: {error}"), "run this on Linux"))?;
    // The name of the program may hold anything, but ends with the last parenthesis.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let mut ticks = fields.split_whitespace().skip(at).map(str::parse::<f64>);
    let (Some(Ok(user)), Some(Ok(system))) = (ticks.next(), ticks.next()) else {
        anyhow::bail!("`{file}` is not as expected")
    };
    Ok((user + system) / TICKS)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn the_time_of_a_child_counts_when_it_has_ended() {
        let before = children_seconds().unwrap();
        let loops = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        assert!(Command::new("sh").args(["-c", loops]).status().unwrap().success());
        assert!(children_seconds().unwrap() > before);
    }
}
