//! `newslode-lab eval`: figures on labelled data, presets and a trivial baseline side by side.

mod articles;
mod blocks;
mod filing;
mod hierarchy;
mod instances;
mod segments;
mod tables;
mod tags;
mod taxonomy;
pub(crate) mod world;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use newslode_common::config::Config;
use newslode_page::Params;
use serde::Serialize;

use crate::args::{EvalArgs, EvalCommand, EvalCommon};
use newslode::exit::{Exit, hinted};
use newslode::input::{self, Input};
use newslode::params;

pub(crate) async fn run(args: EvalArgs, config: &Config, quiet: bool) -> anyhow::Result<Exit> {
    match args.command {
        EvalCommand::Hierarchy { common, folds, head_folds } => {
            let folds = hierarchy::Folds { blocks: folds.as_deref(), heads: head_folds.as_deref() };
            hierarchy::run(&common, &folds, quiet)
        }
        EvalCommand::Segments { common, level } => segments::run(&common, level, quiet),
        EvalCommand::Tables(common) => tables::run(&common, quiet),
        EvalCommand::Articles { common, folds, siblings, templates, taught } => {
            articles::run(&common, folds.as_deref(), articles::Others { siblings, templates, taught }, quiet)
        }
        EvalCommand::Tags(common) => tags::tags(&common),
        EvalCommand::Attributes(common) => tags::attributes(&common),
        EvalCommand::Blocks(args) => blocks::run(&args, quiet),
        EvalCommand::Instances(args) => instances::run(&args, quiet),
        EvalCommand::Taxonomy(args) => taxonomy::run(&args, quiet),
        EvalCommand::Filing(args) => filing::run(&args, config).await,
        EvalCommand::World(args) => world::run(&args, config).await,
    }
}

/// Reads a page of the folder by its name without extension, with its URL if the gold knows it.
fn page(folder: &Path, name: &str, url: Option<&str>) -> anyhow::Result<Input> {
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
fn presets(common: &EvalCommon) -> anyhow::Result<Vec<Params>> {
    match &common.params {
        Some(name) => Ok(vec![params::named(name)?]),
        None => Ok(vec![Params::paper(), Params::default()]),
    }
}

fn write_predictions(common: &EvalCommon, lines: &[impl Serialize]) -> anyhow::Result<()> {
    write_lines(common.predictions.as_deref(), lines)
}

/// Writes JSON Lines, if a file is named.
fn write_lines(path: Option<&Path>, lines: &[impl Serialize]) -> anyhow::Result<()> {
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
fn folders(of: &Path, holding: &str) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(of).with_context(|| format!("cannot read `{}`", of.display()))?;
    let paths: Vec<_> = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    let mut sites: Vec<_> = paths.into_iter().filter(|path| path.join(holding).is_file()).collect();
    sites.sort();
    Ok(sites)
}
