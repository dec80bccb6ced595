//! The archive's file system, which can be full: a file system in memory that only root can mount.
//!
//! It becomes full by a limit at what it holds, so no bytes need to be written for that.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};

/// Enough for every run.
const ROOMY: &str = "4g";

/// A mounted file system; it is unmounted when dropped.
pub(crate) struct Disk(PathBuf);

impl Disk {
    /// Mounts one at a folder, which is made.
    pub(crate) fn mount(at: &Path) -> anyhow::Result<Disk> {
        std::fs::create_dir(at)?;
        let size = format!("size={ROOMY}");
        run("mount", &["-t", "tmpfs", "-o", &size, "tmpfs"], at)?;
        Ok(Disk(at.to_owned()))
    }

    /// Leaves no room.
    pub(crate) fn fill(&self) -> anyhow::Result<()> {
        // Between the look and the limit more may be written; then the limit is refused.
        for _ in 0..20 {
            let used = run("df", &["--block-size=1", "--output=used"], &self.0)?;
            let used = used.lines().last().context("`df` said nothing")?.trim().to_owned();
            if run("mount", &["-o", &format!("remount,size={used}")], &self.0).is_ok() {
                return Ok(());
            }
        }
        anyhow::bail!("`{}` cannot be filled", self.0.display())
    }

    /// Gives it room again.
    pub(crate) fn free(&self) -> anyhow::Result<()> {
        run("mount", &["-o", &format!("remount,size={ROOMY}")], &self.0).map(drop)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Lazily: a service that was killed a moment ago may still hold a file.
        if let Err(error) = run("umount", &["--lazy"], &self.0) {
            eprintln!("{error:#}");
        }
    }
}

fn run(program: &str, arguments: &[&str], path: &Path) -> anyhow::Result<String> {
    let mut command = Command::new(program);
    let ended =
        command.args(arguments).arg(path).output().with_context(|| format!("cannot run `{program}`"))?;
    ensure!(ended.status.success(), "{command:?}: {}", String::from_utf8_lossy(&ended.stderr).trim());
    Ok(String::from_utf8_lossy(&ended.stdout).into_owned())
}
