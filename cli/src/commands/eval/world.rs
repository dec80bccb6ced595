//! `newslode eval world`: a run, or the services, that mined the synthetic world, against what that world knows.

use std::collections::BTreeSet;

use newslode_common::config::Config;
use newslode_common::version::ContentHash;
use newslode_miner::mining::ontology::RdfForm;
use newslode_miner::work::parts::Parts;
use newslode_newsworld::{Gold, World, WorldSpec};

use crate::args::{EvalWorldArgs, WorldArgs};
use crate::commands::export;
use crate::commands::taxonomy::installation;
use crate::eval::world::mined::{Judged, Mined, judge};
use crate::exit::Exit;
use crate::out;

pub(super) async fn run(args: &EvalWorldArgs, config: &Config) -> anyhow::Result<Exit> {
    let parts = installation(args.dir.as_deref(), config).await?;
    let judged = judged(world(&args.world).gold(), &parts).await?;
    if args.json {
        out::json(&judged.figures)?;
    } else {
        print(&judged)?;
    }
    Ok(Exit::Done)
}

/// The world that the arguments describe.
pub(crate) fn world(args: &WorldArgs) -> World {
    let WorldArgs { seed, sites, stories } = *args;
    World::generate(&WorldSpec { seed, sites, articles_per_section: stories, ..WorldSpec::default() })
}

/// Judges what an installation holds.
pub(crate) async fn judged(gold: &Gold, parts: &Parts) -> anyhow::Result<Judged> {
    let mut articles = Vec::new();
    let take = |article: &_, _: &_| {
        articles.push(Clone::clone(article));
        Ok(())
    };
    let (taxonomy, _) = export::write(parts, &mut std::io::sink(), RdfForm::Turtle, take).await?;
    let mut pages = BTreeSet::new();
    for (site, _) in parts.state.sites().await? {
        let counted = parts.state.pages(&site).await?.into_iter();
        let counted = counted.filter(|(_, version)| version.content != ContentHash::NONE);
        pages.extend(counted.map(|(url, _)| url.to_string()));
    }
    Ok(judge(gold, &Mined { taxonomy, articles, pages }))
}

/// Prints figures, one measure a line.
pub(crate) fn print(judged: &Judged) -> anyhow::Result<()> {
    for (name, value) in judged.figures.iter() {
        out::line(format!("  {name:24} {value:.3}"))?;
    }
    if !judged.junk.is_empty() {
        out::line(format!("  menu junk taken for concepts: {}", judged.junk.join(", ")))?;
    }
    Ok(())
}
