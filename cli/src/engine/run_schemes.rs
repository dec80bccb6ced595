//! The schemes of a run: copies of the files by which it was mined last, and which of the built-in schemes were on.
//!
//! [`FILE`] names them, and the copies are in [`FOLDER`] within the run's folder. So later commands give the same codes,
//! wherever the files went. Start at [`settle`].

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use newslode_common::config::{BuiltinScheme, Config, MinerConfig};
use newslode_miner::work::scheme_set::ConfiguredSchemes;
use serde::{Deserialize, Serialize};

/// Name of the file that names the schemes, within a run's folder.
pub(crate) const FILE: &str = "schemes.json";
/// Name of the folder with the copies, within a run's folder.
pub(crate) const FOLDER: &str = "schemes";
/// Instead of files: those of the run are forgotten.
pub(crate) const NONE: &str = "none";

/// The schemes of a run.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Remembered {
    /// Names of files in [`FOLDER`].
    files: Vec<String>,
    builtin: Vec<BuiltinScheme>,
}

/// Reads the schemes with which a run is mined, and remembers them: the configured files, or those of the run if none is
/// configured; none if they are [`NONE`]. Built-in schemes are those of the configuration.
///
/// # Errors
/// When a file cannot be read or is no scheme, or the run's folder cannot be written. Then the run remembers what it did.
pub(super) fn settle(folder: &Path, config: &mut Config) -> anyhow::Result<Arc<ConfiguredSchemes>> {
    let miner = &mut config.miner;
    let is_forgotten = miner.schemes == [NONE];
    if is_forgotten {
        miner.schemes.clear();
    } else if miner.schemes.is_empty() {
        let known = remembered(folder)?;
        miner.schemes = known.map(|known| paths(folder, &known.files)).unwrap_or_default();
    }
    let schemes = ConfiguredSchemes::of_config(miner);
    if !miner.schemes.is_empty() {
        // A wrong file is refused before anything changes.
        schemes.set()?;
    }
    remember(folder, miner).with_context(|| format!("cannot keep the schemes in `{}`", folder.display()))?;
    Ok(Arc::new(schemes))
}

/// The schemes by which a run was mined last; those of the configuration if it was mined by an older version.
///
/// # Errors
/// When the run's folder cannot be read.
pub(crate) fn recall(folder: &Path, config: &MinerConfig) -> anyhow::Result<ConfiguredSchemes> {
    Ok(match remembered(folder)? {
        Some(known) => ConfiguredSchemes::new(
            paths(folder, &known.files).into_iter().map(PathBuf::from).collect(),
            &known.builtin,
        ),
        None => ConfiguredSchemes::of_config(config),
    })
}

/// Copies the files of a run's schemes to the folder of another one.
///
/// # Errors
/// When a file cannot be copied.
pub(crate) fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    let Some(known) = remembered(from)? else { return Ok(()) };
    if !known.files.is_empty() {
        fs::create_dir_all(to.join(FOLDER))?;
    }
    for name in &known.files {
        fs::copy(from.join(FOLDER).join(name), to.join(FOLDER).join(name))?;
    }
    Ok(())
}

fn remembered(folder: &Path) -> anyhow::Result<Option<Remembered>> {
    let file = folder.join(FILE);
    let text = match fs::read_to_string(&file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        read => read.with_context(|| format!("cannot read `{}`", file.display()))?,
    };
    let known = serde_json::from_str(&text).with_context(|| {
        format!("`{}` names no schemes; delete it, and mine with --scheme again", file.display())
    })?;
    Ok(Some(known))
}

fn paths(folder: &Path, names: &[String]) -> Vec<String> {
    names.iter().map(|name| folder.join(FOLDER).join(name).to_string_lossy().into_owned()).collect()
}

/// Copies what is new, then writes which files count, then deletes the others.
fn remember(folder: &Path, config: &MinerConfig) -> anyhow::Result<()> {
    let copies = folder.join(FOLDER);
    let mut files = Vec::new();
    for file in config.schemes.iter().map(Path::new) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let copy = copies.join(&name);
        if !copy.exists() || copy.canonicalize()? != file.canonicalize()? {
            fs::create_dir_all(&copies)?;
            let part = copies.join(format!(".{name}.part"));
            fs::copy(file, &part).with_context(|| format!("cannot copy `{}`", file.display()))?;
            fs::rename(&part, &copy)?;
        }
        files.push(name);
    }
    let known = Remembered { files, builtin: config.builtin_schemes.clone() };
    if remembered(folder).ok().flatten().as_ref() != Some(&known) {
        let part = folder.join("schemes.part");
        fs::write(&part, serde_json::to_string_pretty(&known)? + "\n")?;
        fs::rename(&part, folder.join(FILE))?;
    }
    let wanted: BTreeSet<&String> = known.files.iter().collect();
    for entry in fs::read_dir(&copies).into_iter().flatten().flatten() {
        if !wanted.contains(&entry.file_name().to_string_lossy().into_owned()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "<urn:x:a> <http://www.w3.org/2004/02/skos/core#prefLabel> \"a\"@en .\n";

    fn configured(files: &[&Path]) -> Config {
        let mut config = Config::default();
        config.miner.builtin_schemes = vec![BuiltinScheme::House];
        config.miner.schemes = files.iter().map(|file| file.display().to_string()).collect();
        config
    }

    /// The names of the schemes with which a run is mined now, and those that are recalled then.
    fn mined(run: &Path, files: &[&Path]) -> (Vec<String>, Vec<String>) {
        let settled = settle(run, &mut configured(files)).unwrap();
        let recalled = recall(run, &MinerConfig::default()).unwrap();
        let names = |schemes: &ConfiguredSchemes| schemes.set().unwrap().names().to_vec();
        (names(&settled), names(&recalled))
    }

    #[test]
    fn a_run_keeps_the_schemes_with_which_it_was_mined() {
        let folder = tempfile::tempdir().unwrap();
        let (run, other) = (folder.path().join("run"), folder.path().join("other"));
        let (a, b) = (folder.path().join("a.nt"), folder.path().join("b.nt"));
        for place in [&run, &other] {
            fs::create_dir(place).unwrap();
        }
        for file in [&a, &b] {
            fs::write(file, ONE).unwrap();
        }
        let same = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            (names.clone(), names)
        };
        assert_eq!(mined(&run, &[]), same(&["house"]));
        assert_eq!(mined(&run, &[&a, &b]), same(&["a", "b", "house"]));
        // The files may go away. Later runs and a copy of the folder have the same schemes.
        fs::remove_file(&a).unwrap();
        assert_eq!(mined(&run, &[]), same(&["a", "b", "house"]));
        copy(&run, &other).unwrap();
        fs::copy(run.join(FILE), other.join(FILE)).unwrap();
        let recalled = recall(&other, &MinerConfig::default()).unwrap().set().unwrap();
        assert_eq!(recalled.names(), ["a", "b", "house"]);
        // Other files replace these. A wrong file leaves them in place.
        let wrong = folder.path().join("wrong.nt");
        fs::write(&wrong, "no triple").unwrap();
        assert!(settle(&run, &mut configured(&[&wrong])).is_err());
        assert_eq!(mined(&run, &[&b]), same(&["b", "house"]));
        assert!(!run.join(FOLDER).join("a.nt").exists());
        assert_eq!(mined(&run, &[Path::new(NONE)]), same(&["house"]));
        assert_eq!(mined(&run, &[]), same(&["house"]));
    }
}
