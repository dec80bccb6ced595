//! `newslode eval world`: judges a run, or the services, that mined the synthetic world, against the world's gold.

use std::collections::BTreeMap;

use newslode_common::config::Config;
use newslode_common::store::Kind;
use newslode_common::version::ContentHash;
use newslode_miner::mining::ontology::RdfForm;
use newslode_miner::work::parts::Parts;
use newslode_newsworld::{World, WorldSpec};
use newslode_page::hierarchy::xml;

use crate::args::{EvalWorldArgs, WorldArgs};
use crate::commands::export;
use crate::commands::taxonomy::installation;
use crate::eval::Prf;
use crate::eval::world::mined::{Judged, Mined, judge};
use crate::eval::world::pages::{self, Methods, Row, row, sample, structure};
use crate::exit::Exit;
use crate::out;

pub(super) async fn run(args: &EvalWorldArgs, config: &Config) -> anyhow::Result<Exit> {
    let world = world(&args.world);
    let judged = if args.pages {
        let (figures, pages) =
            pages::figures(&world, &sample(&world, &world.urls())?, &Methods::new(args.params.parse()?));
        Judged { figures, junk: Vec::new(), pages }
    } else {
        judged(&world, &installation(args.dir.as_deref(), config).await?).await?
    };
    if args.json {
        out::json(&judged.figures)?;
        return Ok(Exit::Done);
    }
    if args.per_page {
        judged.pages.iter().try_for_each(print_row)?;
    }
    print(&judged)?;
    Ok(Exit::Done)
}

fn print_row(row: &Row) -> anyhow::Result<()> {
    let scores = |name: &str, prf: &Prf| {
        format!(" | {name} P {:.3} R {:.3} F1 {:.3}", prf.precision, prf.recall, prf.f1)
    };
    let mut line =
        format!("  {:60}", row.page) + &scores("hierarchy", &row.pairs) + &scores("segments", &row.segments);
    line.extend(row.toc.iter().map(|prf| scores("contents", prf)));
    line.extend(row.article.iter().map(|prf| scores("article", prf)));
    line.extend(row.tags.iter().map(|tags| format!(" | tags {:.3}", tags.micro())));
    out::line(line)
}

/// The world that the arguments describe.
pub(crate) fn world(args: &WorldArgs) -> World {
    let WorldArgs { seed, sites, stories, languages } = args.clone();
    let spec = WorldSpec { seed, sites, languages, articles_per_section: stories, ..WorldSpec::default() };
    World::generate(&spec)
}

/// Judges what an installation mined.
pub(crate) async fn judged(world: &World, parts: &Parts) -> anyhow::Result<Judged> {
    let mut articles = Vec::new();
    let take = |filed: &export::Shelved<'_>| {
        articles.push(filed.article.clone());
        Ok(())
    };
    let (taxonomy, _) = export::write(parts, &mut std::io::sink(), RdfForm::Turtle, take).await?;
    let mut counted: BTreeMap<String, ContentHash> = BTreeMap::new();
    for (site, _) in parts.stores.state.sites().await? {
        let pages = parts.stores.state.pages(&site).await?.into_iter();
        let pages = pages.filter(|(_, version)| version.content != ContentHash::NONE);
        counted.extend(pages.map(|(url, version)| (url.to_string(), version.content)));
    }
    let mut rows = Vec::new();
    for judged in sample(world, counted.keys())?.into_iter().flatten() {
        let content = counted.get(judged.page.url.as_str()).copied().unwrap_or(ContentHash::NONE);
        let Some(xml) = parts.stores.archive.get(Kind::Hierarchy, content).await? else { continue };
        rows.push(row(&judged, &xml::read(&String::from_utf8_lossy(&xml))?));
    }
    let mut judged = judge(world.gold(), &Mined { taxonomy, articles, pages: counted.into_keys().collect() });
    judged.figures.extend(structure(&rows));
    judged.pages = rows;
    Ok(judged)
}

/// Prints figures, one per line.
pub(crate) fn print(judged: &Judged) -> anyhow::Result<()> {
    for (name, value) in judged.figures.iter() {
        out::line(format!("  {name:24} {value:.3}"))?;
    }
    if !judged.junk.is_empty() {
        out::line(format!("  menu texts taken for concepts: {}", judged.junk.join(", ")))?;
    }
    Ok(())
}
