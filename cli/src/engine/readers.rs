//! Processes that read a run's file and were stopped, by Ctrl-Z or SIGSTOP.
//!
//! A reader releases the state that it reads after some minutes, but not while it is stopped. Until it goes on or ends, the writer
//! cannot use again what it replaces in the file, so the file grows. Nobody but the user can end that, so the user is told. Only
//! Linux tells. Start at [`stopped`].

use std::fs;
use std::path::Path;

/// A stopped process.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StoppedReader {
    pub(super) id: u32,
    /// Its command line.
    pub(super) command: String,
}

/// The stopped processes that have a file open, as far as we may see them.
pub(super) fn stopped(file: &Path) -> Vec<StoppedReader> {
    let Ok(file) = fs::canonicalize(file) else { return Vec::new() };
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let ids = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let mut found: Vec<StoppedReader> = ids
        .filter(|id| is_stopped(*id) && has_open(*id, &file))
        .map(|id| StoppedReader { id, command: command_of(id) })
        .collect();
    found.sort();
    found
}

fn is_stopped(id: u32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{id}/stat")) else { return false };
    // The name before the state is in brackets, and may hold any.
    let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
    matches!(state, Some('T' | 't'))
}

fn has_open(id: u32, file: &Path) -> bool {
    let Ok(open) = fs::read_dir(format!("/proc/{id}/fd")) else { return false };
    open.flatten().any(|entry| fs::read_link(entry.path()).is_ok_and(|target| target == file))
}

fn command_of(id: u32) -> String {
    let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    let words: Vec<_> = line.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
    let mut line: String = words.join(" ").trim_end().chars().take(200).collect();
    if let Some((_, name)) = line.split_once(' ').filter(|(program, _)| program.ends_with("/newslode")) {
        line = format!("newslode {name}");
    }
    line
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn a_stopped_process_with_the_file_open_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a run's file");
        fs::write(&path, "state").unwrap();
        let mut reader =
            Command::new("sleep").arg("600").stdin(fs::File::open(&path).unwrap()).spawn().unwrap();
        let id = reader.id();
        let signal = |signal: &str| {
            let sent = Command::new("kill").args([signal, &id.to_string()]).status();
            assert!(sent.unwrap().success());
        };
        assert_eq!(stopped(&path), []);
        signal("-STOP");
        let begun = Instant::now();
        while stopped(&path).is_empty() && begun.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let named = stopped(&path);
        let elsewhere = stopped(&folder.path().join("another"));
        signal("-KILL");
        reader.wait().unwrap();
        assert_eq!(elsewhere, []);
        assert_eq!(named, [StoppedReader { id, command: "sleep 600".into() }]);
    }
}
