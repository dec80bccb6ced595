//! Arguments of `eval`, which measures quality on labelled data.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use newslode::demo::WorldArgs;
use newslode::installation::RunArgs;
use newslode_page::extract::Focus;

use super::instances::EvalInstancesArgs;

#[derive(Debug, Args)]
pub(crate) struct EvalArgs {
    #[command(subcommand)]
    pub(crate) command: EvalCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EvalCommand {
    /// Score label hierarchies against .outline files.
    Hierarchy {
        #[command(flatten)]
        common: EvalCommon,
        /// Folder of trees from `page/train/blocks.py --folds`; each page uses trees that never saw its site.
        #[arg(long, value_name = "DIR")]
        folds: Option<PathBuf>,
        /// Folder of trees from `page/train/heads.py --folds`, likewise.
        #[arg(long, value_name = "DIR")]
        head_folds: Option<PathBuf>,
    },
    /// Score flat boundaries against marked blocks.
    Segments {
        #[command(flatten)]
        common: EvalCommon,
        /// Level of blocks: 1 for outer blocks, 2 for outer and inner blocks.
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
        level: u8,
    },
    /// Score data tables, their orientation and header cells against labels (JSON Lines).
    Tables(EvalCommon),
    /// Score articles against gold.
    Articles {
        #[command(flatten)]
        common: EvalCommon,
        /// Folder of trees from `page/train/bodies.py --folds`; each page uses trees that never saw its site.
        #[arg(long, value_name = "DIR")]
        folds: Option<PathBuf>,
        /// Also read each page together with this number of other pages of its site.
        #[arg(long, value_name = "NUMBER", default_value_t = 0)]
        siblings: usize,
        /// Also read each page with what the other pages of its site teach, as mined sites do: siblings and templates.
        #[arg(long)]
        templates: bool,
        /// Also read each page after correcting this number of other pages of its site from their gold.
        #[arg(long, value_name = "NUMBER", default_value_t = 0)]
        taught: usize,
        /// What counts more in a body: `balanced`, `precision` or `recall`.
        #[arg(long, default_value_t)]
        focus: Focus,
    },
    /// Score tags of leaves (concept, attribute, value, none) against gold.
    Tags(EvalCommon),
    /// Score attribute-value pairs against gold; the pages of a site are read together.
    Attributes(EvalCommon),
    /// Score concepts and is-a pairs of home pages against a judged taxonomy (JSON).
    Taxonomy(EvalTaxonomyArgs),
    /// Score the places of articles in their own sites' schemes against whole recorded sites.
    #[command(
        after_help = "Example:\n  newslode-lab eval places --pages realsites --site example.org --slots"
    )]
    Places(EvalPlacesArgs),
    /// Score links, pictures, captions, headings, lists, quotations, frames, tables and keywords of articles.
    #[command(
        after_help = "Example:\n  newslode-lab eval structure --pages realsites   (bodies in the sites' feeds are the gold)\n  newslode-lab eval structure --pages fundus/pages --labels lab/labels/around.jsonl --errors credits"
    )]
    Structure(EvalStructureArgs),
    /// Score the concepts, relations and filing of a run against concepts and pairs that a reader judged (JSON).
    #[command(
        after_help = "Example:\n  newslode-lab eval concepts --dir run --judged real.json --unjudged open.jsonl\n  newslode-lab eval concepts --dir run --judged real.json --also judged.jsonl   (open.jsonl with verdicts filled in)"
    )]
    Concepts(EvalConceptsArgs),
    /// Measure how well articles are filed when one of the witnesses is hidden, which then judges the others.
    #[command(after_help = "Example:\n  newslode-lab eval filing --dir run")]
    Filing(EvalFilingArgs),
    /// Score what was mined of the synthetic world against its gold.
    #[command(
        after_help = "Example:\n  newslode-lab eval world --dir newslode-demo\n  newslode-lab eval world --sites 6 --config newslode.toml   (the services' store and archive)\n  newslode-lab eval world --pages --per-page   (single pages, nothing mined)\n  newslode-lab eval world --placed --pages --sites 11   (places of articles in schemes of sites)"
    )]
    World(EvalWorldArgs),
    /// Score article blocks against texts (JSON Lines), or blocks of links to news against outlines.
    Blocks(EvalBlocksArgs),
    /// Score the attributes of instances that concept pages of crawled sites lead to against gold (JSON Lines).
    Instances(EvalInstancesArgs),
}

#[derive(Debug, Args)]
pub(crate) struct EvalStructureArgs {
    /// Folder of recorded sites, each with manifest.jsonl, pages and feeds; with --labels, of the labelled pages.
    #[arg(long, value_name = "DIR")]
    pub(crate) pages: PathBuf,
    /// Labels of single pages (JSON Lines): lead picture, pictures, captions, credits, embeds.
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    /// Print what of this kind is wrong (+) or missing (-), such as `links` or `captions`.
    #[arg(long, value_name = "KIND")]
    pub(crate) errors: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct EvalPlacesArgs {
    /// Folder of recorded sites, each with manifest.jsonl, kinds.jsonl and gold.jsonl.
    #[arg(long, value_name = "DIR")]
    pub(crate) pages: PathBuf,
    /// Score only sites whose folder's name has this text.
    #[arg(long, value_name = "TEXT")]
    pub(crate) site: Option<String>,
    /// Hide the slots whose names begin like this, such as `meta` or `a rel=`; repeatable.
    #[arg(long, value_name = "PREFIX")]
    pub(crate) without: Vec<String>,
    /// Score all sites once more without each kind of evidence, and with few kinds alone: a row for each, from the same reading of
    /// the pages.
    #[arg(long)]
    pub(crate) ablation: bool,
    /// Score each site once more by what parts of its pages teach, as a crawl reads them that has begun or that follows the news
    /// alone. Each part is scored by its own articles.
    #[arg(long)]
    pub(crate) parts: bool,
    /// Print how each slot of the site behaves.
    #[arg(long)]
    pub(crate) slots: bool,
    /// Print the tree of the site's places, with what says so.
    #[arg(long)]
    pub(crate) tree: bool,
    /// Print this number of articles of each site whose places are wrong or missing.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) errors: usize,
}

#[derive(Debug, Args)]
pub(crate) struct EvalConceptsArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// Judged concepts and pairs: JSON with `concepts` (label to `subject`, `form`, `house`, `broken` or `debatable`), `same`
    /// (groups of labels that should be one concept) and `is_a` (`right`, `wrong`, `debatable` and `missing` pairs of a
    /// broader and a narrower label).
    #[arg(long, value_name = "FILE")]
    pub(crate) judged: PathBuf,
    /// More judgements: the lines of `--unjudged` with verdicts filled in (JSON Lines). They win over `--judged`. May be
    /// repeated; the first file wins.
    #[arg(long, value_name = "FILE")]
    pub(crate) also: Vec<PathBuf>,
    /// Write the concepts and pairs that nobody judged to this file (JSON Lines), for a person to judge: `verdict` is null.
    #[arg(long, value_name = "FILE")]
    pub(crate) unjudged: Option<PathBuf>,
    /// Name the concepts of each verdict with their articles, and the judged subjects that the run lacks.
    #[arg(long)]
    pub(crate) labels: bool,
    /// Say of each site where the articles fall out that are under no judged subject: without a place, under no concept, under
    /// forms, house or broken labels only, under unjudged or debatable concepts; and how many of them have a place of which a
    /// scheme knows the name as that of a topic or region.
    #[arg(long)]
    pub(crate) sites: bool,
    /// Learn the sites' schemes and fold again first, as this program does it. Changes the run: work on a copy.
    #[arg(long)]
    pub(crate) again: bool,
    /// Print as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct EvalFilingArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// Print as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct EvalWorldArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) world: WorldArgs,
    /// Read and score a sample of the world's pages instead of what was mined.
    #[arg(long, conflicts_with_all = ["dir", "folder"])]
    pub(crate) pages: bool,
    /// Parameters to read them with: `paper` or `default`.
    #[arg(long, requires = "pages", default_value = "default")]
    pub(crate) params: String,
    /// Score the places of articles on the sites of `newslode-newsworld serve --placed`, site by site. With --pages, each site's
    /// scheme is learnt from all of its pages.
    #[arg(long, conflicts_with = "languages")]
    pub(crate) placed: bool,
    /// Print one row per page; with --placed, the articles whose places are not those that their pages name.
    #[arg(long)]
    pub(crate) per_page: bool,
    /// Print as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct EvalBlocksArgs {
    #[command(flatten)]
    pub(crate) common: EvalCommon,
    /// JSON Lines file with `file`, `url`, `kind` and `leaves` of each page that has an outline. With it,
    /// --pages is a folder of sites, each with such a `manifest.jsonl`.
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct EvalTaxonomyArgs {
    #[command(flatten)]
    pub(crate) common: EvalCommon,
    /// JSON Lines file with `file`, `url` and `lang` of each page [default: manifest.jsonl beside the pages].
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,
    /// Read only pages in this language.
    #[arg(long, value_name = "CODE", default_value = "en")]
    pub(crate) language: String,
    /// Number of sites that must show a label or pair; 0 derives it from the number of sites.
    #[arg(long, default_value_t = 0)]
    pub(crate) support: u32,
    /// Also measure on this number of random halves of the sites.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) halves: usize,
    /// Draw this number of sites instead of half of them.
    #[arg(long, value_name = "SITES", requires = "halves")]
    pub(crate) of: Option<usize>,
    /// Random seed for drawing the halves.
    #[arg(long, value_name = "NUMBER", default_value_t = 1, requires = "halves")]
    pub(crate) seed: u64,
}

#[derive(Debug, Args)]
pub(crate) struct EvalCommon {
    /// Folder of pages.
    #[arg(long, value_name = "DIR")]
    pub(crate) pages: PathBuf,
    /// Gold: a folder of outlines, or a JSON Lines file.
    #[arg(long, value_name = "PATH")]
    pub(crate) gold: PathBuf,
    /// Write the predictions of the default parameters to this file, for other scorers.
    #[arg(long, value_name = "FILE")]
    pub(crate) predictions: Option<PathBuf>,
    /// Measure only these parameters: `paper`, `default`, or a TOML file.
    #[arg(long)]
    pub(crate) params: Option<String>,
    /// Print one row per page.
    #[arg(long)]
    pub(crate) per_page: bool,
    /// Print as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
