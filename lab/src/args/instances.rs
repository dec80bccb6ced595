//! Arguments of `eval instances`.
//!
//! They differ from those of the other measures: the pages are crawls with manifests, and there is one method.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct EvalInstancesArgs {
    /// Folder of crawled sites, each a folder with a manifest of its pages.
    #[arg(long, value_name = "DIR")]
    pub(crate) pages: PathBuf,
    /// Name of the manifest in the folder of each site: JSON Lines with `file` and `url` of each page.
    #[arg(long, value_name = "NAME", default_value = "manifest.jsonl")]
    pub(crate) manifest: String,
    /// Gold: JSON Lines with `site`, `page` and `attributes`, each with `kind`, `label` and `values`.
    #[arg(long, value_name = "FILE")]
    pub(crate) gold: PathBuf,
    /// Write the instances that were read to this file, one a line.
    #[arg(long, value_name = "FILE")]
    pub(crate) predictions: Option<PathBuf>,
    /// Print one row per page.
    #[arg(long)]
    pub(crate) per_page: bool,
    /// Print as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
