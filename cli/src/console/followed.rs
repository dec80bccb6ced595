//! Something that is read from files, and read again when they change: certificates, the token of a file.
//!
//! A console serves for months, and certificates last for weeks. A changed file takes effect at the next look. A broken file
//! changes nothing: the value that was read last stays in force, and the log says so once. Files are often replaced one after the other, or
//! written in pieces, so a fault is believed when two looks in a row find it. Start at [`Followed::look`].

use std::path::PathBuf;
use std::time::Duration;

/// Time between two looks.
pub(crate) const LOOK: Duration = Duration::from_secs(2);

/// What the files held at a look; `None` where one cannot be read.
type Stamp = Vec<Option<(blake3::Hash, u32)>>;

pub(crate) struct Followed<T> {
    what: &'static str,
    files: Vec<PathBuf>,
    read: Box<dyn Fn() -> anyhow::Result<T> + Send + Sync>,
    /// What the value that counts was read from.
    counts: Stamp,
    /// What could not be read, and whether the log says so.
    broken: Option<(Stamp, bool)>,
}

impl<T> Followed<T> {
    /// Reads the files for the first time.
    ///
    /// # Errors
    /// When that fails.
    pub(crate) fn start(
        what: &'static str,
        files: Vec<PathBuf>,
        read: impl Fn() -> anyhow::Result<T> + Send + Sync + 'static,
    ) -> anyhow::Result<(T, Followed<T>)> {
        // Before the value: a change in between is found at the next look.
        let counts = stamp(&files);
        Ok((read()?, Followed { what, files, read: Box::new(read), counts, broken: None }))
    }

    /// The new value, if the files have one.
    pub(crate) fn look(&mut self) -> Option<T> {
        let stamp = stamp(&self.files);
        if stamp == self.counts {
            self.broken = None;
            return None;
        }
        let is_known = self.broken.as_ref().is_some_and(|(broken, _)| *broken == stamp);
        if is_known && self.broken.as_ref().is_some_and(|(_, is_told)| *is_told) {
            return None;
        }
        match (self.read)() {
            Ok(value) => {
                (self.counts, self.broken) = (stamp, None);
                tracing::info!("the {} changed, and was read again", self.what);
                Some(value)
            }
            Err(error) => {
                if is_known {
                    tracing::warn!(
                        "the {} changed, but cannot be read, so what it was before counts on: {error:#}",
                        self.what
                    );
                }
                self.broken = Some((stamp, is_known));
                None
            }
        }
    }
}

fn stamp(files: &[PathBuf]) -> Stamp {
    let stamp = |file: &PathBuf| {
        let mode = mode(&std::fs::metadata(file).ok()?);
        Some((blake3::hash(&std::fs::read(file).ok()?), mode))
    };
    files.iter().map(stamp).collect()
}

/// Who may read a file: a file that others may read is refused, so a change of that counts, too.
#[cfg(unix)]
fn mode(about: &std::fs::Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    about.permissions().mode()
}

/// Elsewhere permissions are not looked at.
#[cfg(not(unix))]
fn mode(_: &std::fs::Metadata) -> u32 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_file_counts_and_a_broken_one_leaves_what_was() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("number");
        let write = |text: &str| std::fs::write(&file, text).unwrap();
        write("1");
        let own = file.clone();
        let (first, mut followed) = Followed::start("number", vec![file.clone()], move || {
            Ok(std::fs::read_to_string(&own)?.parse::<u32>()?)
        })
        .unwrap();
        assert_eq!((first, followed.look()), (1, None));
        write("2");
        assert_eq!((followed.look(), followed.look()), (Some(2), None));
        write("x");
        assert_eq!(followed.look(), None);
        assert!(followed.broken.as_ref().is_some_and(|(_, is_told)| !is_told), "half a file is no fault yet");
        assert_eq!(followed.look(), None);
        assert!(followed.broken.as_ref().is_some_and(|(_, is_told)| *is_told));
        std::fs::remove_file(&file).unwrap();
        assert_eq!((followed.look(), followed.look(), followed.look()), (None, None, None));
        write("3");
        assert_eq!(followed.look(), Some(3));
        // What was there before comes back.
        write("x");
        followed.look();
        write("3");
        assert_eq!((followed.look(), followed.broken.is_none()), (None, true));
    }
}
