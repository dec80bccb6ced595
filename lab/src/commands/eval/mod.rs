//! `newslode-lab eval`: figures on labelled data, presets and a trivial baseline side by side.

mod articles;
mod blocks;
mod concepts;
mod filing;
mod gold;
mod hierarchy;
mod instances;
mod places;
mod segments;
mod structure;
mod tables;
mod tags;
mod taxonomy;
pub(crate) mod world;

use newslode::exit::Exit;
use newslode::installation::Setup;

use crate::args::{EvalArgs, EvalCommand};

pub(crate) async fn run(args: EvalArgs, setup: &Setup) -> anyhow::Result<Exit> {
    let quiet = setup.quiet;
    match args.command {
        EvalCommand::Hierarchy { common, folds, head_folds } => {
            let folds = hierarchy::Folds { blocks: folds.as_deref(), heads: head_folds.as_deref() };
            hierarchy::run(&common, &folds, quiet)
        }
        EvalCommand::Segments { common, level } => segments::run(&common, level, quiet),
        EvalCommand::Tables(common) => tables::run(&common, quiet),
        EvalCommand::Articles { common, folds, siblings, templates, taught, focus } => {
            let others = articles::Others { siblings, templates, taught };
            articles::run(&common, folds.as_deref(), others, focus, quiet)
        }
        EvalCommand::Tags(common) => tags::tags(&common),
        EvalCommand::Attributes(common) => tags::attributes(&common),
        EvalCommand::Blocks(args) => blocks::run(&args, quiet),
        EvalCommand::Instances(args) => instances::run(&args, quiet),
        EvalCommand::Structure(args) => structure::run(&args),
        EvalCommand::Places(args) => places::run(&args, quiet),
        EvalCommand::Taxonomy(args) => taxonomy::run(&args, quiet),
        EvalCommand::Concepts(args) => concepts::run(&args, setup).await,
        EvalCommand::Filing(args) => filing::run(&args, setup).await,
        EvalCommand::World(args) => world::run(&args, setup).await,
    }
}
