//! `newslode backup`: copies a run to another folder, also while a process works on it.
//!
//! The copy is made under a hidden name beside its place, and renamed once it is on the disk: what has the name is complete.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::Context as _;
use newslode_common::room::Room;
use newslode_common::shutdown;
use newslode_common::store::StoreError;
use newslode_common::store::redb::backup::back_up;
use serde::Serialize;
use tokio::task::JoinSet;

use crate::args::BackupArgs;
use crate::console::follows;
use crate::engine::{self, run_schemes};
use crate::exit::{Exit, hinted};
use crate::installation::Setup;
use crate::out;
use crate::progress::ProgressDisplay;
use crate::queries::{audit, tokens};

/// Files of a run's folder that do not follow from its state.
const KEPT: [&str; 5] = [tokens::FILE, audit::FILE, audit::FULL_FILE, follows::FILE, run_schemes::FILE];

/// What was copied.
#[derive(Debug, Serialize)]
struct Report {
    /// Where it is.
    to: PathBuf,
    /// Records of the state.
    records: u64,
    /// Size of the state's copy.
    bytes: u64,
    /// How long it took.
    seconds: f64,
    /// Other files that were copied.
    files: Vec<&'static str>,
}

pub(crate) async fn run(args: BackupArgs, setup: &Setup) -> anyhow::Result<Exit> {
    let BackupArgs { folder, to, json } = args;
    let state = engine::existing_state(&folder)?;
    refuse_used(&to)?;
    let cannot = || format!("cannot write a backup to `{}`", to.display());
    // `.` has no parent, so the whole path is asked for.
    let place = if to.exists() { to.canonicalize().with_context(cannot)? } else { to.clone() };
    let parent = place.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent).with_context(cannot)?;
    let fresh =
        tempfile::Builder::new().prefix(".newslode-backup-").tempdir_in(parent).with_context(cannot)?;

    let mut waiter = JoinSet::new();
    let stop = shutdown::on_signal(&mut waiter, || std::process::abort())?;
    let begun = Instant::now();
    let display = Arc::new(Mutex::new(ProgressDisplay::new(setup.quiet)));
    let copy = fresh.path().join(engine::STATE_FILE);
    let (room, stopped, shown) =
        (Room::new(parent, setup.config.archive.reserve_mb), stop.clone(), display.clone());
    let (source, target) = (state.clone(), copy.clone());
    let copied = tokio::task::spawn_blocking(move || {
        back_up(&source, &target, &mut |done, of| {
            if stopped.is_cancelled() {
                return Err(StoreError::Refused("the backup was stopped".to_owned()));
            }
            room.look().map_err(|shortage| StoreError::Full(shortage.to_string()))?;
            let mut display = shown.lock().unwrap_or_else(PoisonError::into_inner);
            let left = of.saturating_sub(done);
            display.work(done, Some(left), |pace| format!("{done} of {of} records copied{pace}"));
            Ok(())
        })
    });
    let copied = copied.await?;
    if let Ok(display) = Arc::try_unwrap(display) {
        display.into_inner().unwrap_or_else(PoisonError::into_inner).end();
    }
    let records = match copied {
        Err(_) if stop.is_cancelled() => return Ok(Exit::Interrupted),
        copied => copied.with_context(cannot)?,
    };
    let mut files = Vec::new();
    for name in KEPT {
        if folder.join(name).exists() {
            let file = fresh.path().join(name);
            std::fs::copy(folder.join(name), &file).with_context(cannot)?;
            sync(&file).with_context(cannot)?;
            files.push(name);
        }
    }
    run_schemes::copy(&folder, fresh.path()).with_context(cannot)?;
    let bytes = std::fs::metadata(&copy).with_context(cannot)?.len();
    sync(fresh.path()).with_context(cannot)?;
    std::fs::rename(fresh.path(), &place).with_context(cannot)?;
    // Nothing has the hidden name any more.
    drop(fresh.keep());
    sync(parent).with_context(cannot)?;
    let report = Report { to, records, bytes, seconds: begun.elapsed().as_secs_f64(), files };
    if json {
        out::json(&report)?;
        return Ok(Exit::Done);
    }
    let to = report.to.display();
    out::line(format!(
        "`{}` is backed up to `{to}`: {records} records, {:.1} MiB, in {:.1} s\nnewslode verify --dir {to} proves it",
        folder.display(),
        bytes as f64 / f64::from(1 << 20),
        report.seconds
    ))?;
    Ok(Exit::Done)
}

/// A backup replaces nothing.
fn refuse_used(to: &Path) -> anyhow::Result<()> {
    let entries = match std::fs::read_dir(to) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries.with_context(|| format!("cannot write a backup to `{}`", to.display()))?,
    };
    if entries.count() == 0 {
        return Ok(());
    }
    Err(hinted(
        format!("`{}` is not empty", to.display()),
        "name a folder that does not exist yet, as in `newslode backup run backups/$(date +%F)`",
    ))
}

/// Waits until a file or folder is on the disk.
fn sync(path: &Path) -> std::io::Result<()> {
    File::open(path)?.sync_all()
}
