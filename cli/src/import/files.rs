//! Which files are meant where web archives are named: files, folders, and lists of both.
//!
//! A folder stands for the files in it and below whose names end like a web archive's. Links to folders are not followed, so
//! the search ends. The files are read in the order of their names, each once. Start at [`archive_files`].

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::exit::hinted;

/// How the names of web archives end.
const ENDS: [&str; 5] = [".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz"];

/// The files of these names, sorted.
///
/// # Errors
/// When a name leads to no file, with the list in which it stands.
pub(crate) fn archive_files(names: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = BTreeSet::new();
    for name in names {
        match name.to_str().and_then(|text| text.strip_prefix('@')) {
            // A file may have such a name.
            Some(list) if !name.exists() => add_list(Path::new(list), &mut files)?,
            _ => add_name(name, &mut files)?,
        }
    }
    Ok(files.into_iter().collect())
}

/// Adds the files of a list: a name a line, without empty lines and those that begin with `#`.
fn add_list(list: &Path, files: &mut BTreeSet<PathBuf>) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(list)
        .with_context(|| format!("cannot read the list of web archives `{}`", list.display()))?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let before = files.len();
    for line in lines {
        add_name(Path::new(line), files).with_context(|| format!("in the list `{}`", list.display()))?;
    }
    if files.len() == before {
        return Err(hinted(
            format!("the list `{}` names no web archive", list.display()),
            "write a path a line",
        ));
    }
    Ok(())
}

/// Adds a file, or the web archives in a folder.
fn add_name(name: &Path, files: &mut BTreeSet<PathBuf>) -> anyhow::Result<()> {
    let found = std::fs::metadata(name).with_context(|| format!("cannot open `{}`", name.display()))?;
    if !found.is_dir() {
        files.insert(name.to_owned());
        return Ok(());
    }
    let before = files.len();
    let mut folders = vec![name.to_owned()];
    while let Some(folder) = folders.pop() {
        let unreadable = || format!("cannot read the folder `{}`", folder.display());
        for entry in std::fs::read_dir(&folder).with_context(unreadable)? {
            let entry = entry.with_context(unreadable)?;
            let (path, kind) = (entry.path(), entry.file_type().with_context(unreadable)?);
            if kind.is_dir() {
                folders.push(path);
            } else if is_archive_name(&path) && path.is_file() {
                files.insert(path);
            }
        }
    }
    if files.len() == before {
        return Err(hinted(
            format!("the folder `{}` holds no web archive", name.display()),
            format!("their names end with {}", ENDS.join(", ")),
        ));
    }
    Ok(())
}

fn is_archive_name(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    ENDS.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_lists_stand_for_their_archives_in_order_and_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(path("b/deep")).unwrap();
        for name in
            ["c.warc", "a.WARC.GZ", "b/x.arc", "b/deep/y.warc.zst", "b/z.txt", "b/w.warc.gz.open", "plain"]
        {
            std::fs::write(path(name), "").unwrap();
        }
        std::os::unix::fs::symlink(folder.path(), path("b/round")).unwrap();
        let whole = ["a.WARC.GZ", "b/deep/y.warc.zst", "b/x.arc", "c.warc"].map(path);
        assert_eq!(archive_files(&[folder.path().to_owned()]).unwrap(), whole);

        let list = format!("# archives\n\n{}\n {} \r\n", path("b").display(), path("plain").display());
        std::fs::write(path("list.txt"), list).unwrap();
        let named = format!("@{}", path("list.txt").display());
        let files = archive_files(&[path("c.warc"), named.into(), path("b/x.arc")]).unwrap();
        assert_eq!(files, ["b/deep/y.warc.zst", "b/x.arc", "c.warc", "plain"].map(path));
    }

    #[test]
    fn names_that_lead_nowhere_are_told_with_their_list() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("empty")).unwrap();
        std::fs::write(path("none.txt"), "# nothing\n").unwrap();
        std::fs::write(path("wrong.txt"), "/no/such.warc\n").unwrap();
        let list = |name: &str| PathBuf::from(format!("@{}", path(name).display()));
        for (name, wanted) in [
            (path("missing.warc"), "cannot open `"),
            (path("empty"), "holds no web archive"),
            (list("none.txt"), "names no web archive"),
            (list("wrong.txt"), "wrong.txt`: cannot open `/no/such.warc`"),
            (list("missing.txt"), "cannot read the list of web archives"),
        ] {
            let error = format!("{:#}", archive_files(std::slice::from_ref(&name)).unwrap_err());
            assert!(error.contains(wanted), "{error} lacks {wanted}");
        }
    }
}
