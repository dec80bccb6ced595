//! What the measures share: the pages that a gold names, the parameters to measure, and files of predictions.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use newslode::exit::hinted;
use newslode::input::{self, Input};
use newslode::params;
use newslode_page::Params;
use serde::Serialize;

use crate::args::EvalCommon;

/// Reads a page of the folder by its name without extension, with its URL if the gold knows it.
pub(super) fn page(folder: &Path, name: &str, url: Option<&str>) -> anyhow::Result<Input> {
    let with_ending = folder.join(name);
    let path = if with_ending.is_file() { with_ending } else { folder.join(format!("{name}.html")) };
    let bytes = std::fs::read(&path).map_err(|error| {
        hinted(
            format!("the gold names `{name}`, but `{}` cannot be read: {error}", path.display()),
            "--pages is the folder of the gold's pages; unpack the archive first",
        )
    })?;
    let url = match url {
        Some(url) => input::parse_url(url).or_else(|_| input::made_up(name))?,
        None => input::made_up(name)?,
    };
    Ok(Input { name: name.into(), url, content_type: None, bytes })
}

/// The parameters to measure: the given ones, or both presets.
pub(super) fn presets(common: &EvalCommon) -> anyhow::Result<Vec<Params>> {
    match &common.params {
        Some(name) => Ok(vec![params::named(name)?]),
        None => Ok(vec![Params::paper(), Params::default()]),
    }
}

pub(super) fn write_predictions(common: &EvalCommon, lines: &[impl Serialize]) -> anyhow::Result<()> {
    write_lines(common.predictions.as_deref(), lines)
}

/// Writes JSON Lines, if a file is named.
pub(super) fn write_lines(path: Option<&Path>, lines: &[impl Serialize]) -> anyhow::Result<()> {
    let Some(path) = path else { return Ok(()) };
    let mut file = std::io::BufWriter::new(
        std::fs::File::create(path).with_context(|| format!("cannot write `{}`", path.display()))?,
    );
    for line in lines {
        serde_json::to_writer(&mut file, line)?;
        file.write_all(b"\n")?;
    }
    Ok(file.flush()?)
}

/// The folders in a folder that hold a file of this name, such as those of crawled sites.
pub(super) fn folders(of: &Path, holding: &str) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(of).with_context(|| format!("cannot read `{}`", of.display()))?;
    let paths: Vec<_> = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    let mut sites: Vec<_> = paths.into_iter().filter(|path| path.join(holding).is_file()).collect();
    sites.sort();
    Ok(sites)
}
