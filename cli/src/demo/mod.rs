//! The synthetic world of `newslode demo`, and how right a run of it is.
//!
//! The world ([`newslode_demo_world`]) knows the right answers; nothing of the miner knows the world. [`judge_run`] compares
//! what was mined with the world's gold: [`mined`] concepts, articles and filing, [`places`] of articles in their sites' own
//! schemes, and the hierarchies of a sample of [`pages`]. [`scores`] are the measures themselves.

pub mod figures;
pub mod leaves;
pub mod mined;
pub mod pages;
pub mod places;
pub mod scores;

use std::collections::BTreeMap;

use clap::Args;
use newslode_common::store::Kind;
use newslode_common::version::ContentHash;
use newslode_demo_world::{Language, World, WorldSpec};
use newslode_miner::mining::site_scheme::Place;
use newslode_miner::work::parts::Parts;
use newslode_page::article::Article;
use newslode_page::hierarchy::xml;

use self::mined::{Judged, Mined, judge_mined};
use self::pages::{mean_page_scores, sample_pages, score_page};
use self::places::{PlacesOfUrls, judge_places};
use crate::out;
use crate::queries::articles::each_placed_article;

/// The synthetic world.
#[derive(Clone, Debug, Args)]
pub struct WorldArgs {
    /// Seed of the world.
    #[arg(long, default_value_t = 7)]
    pub seed: u64,
    /// Number of sites.
    #[arg(long, default_value_t = 10)]
    pub sites: usize,
    /// Stories in each section of each site.
    #[arg(long, default_value_t = 4)]
    pub stories: usize,
    /// The sites' languages in turn, such as `en,fr,ar`; by default seven in ten sites are English.
    #[arg(long, value_delimiter = ',', value_name = "CODES")]
    pub languages: Vec<Language>,
}

/// The world that the arguments describe, whose news ends at this time, in minutes since 1970; by default at one that the seed chooses.
#[must_use]
pub fn generate_world(args: &WorldArgs, ends: Option<u64>) -> World {
    let WorldArgs { seed, sites, stories, languages } = args.clone();
    let spec =
        WorldSpec { seed, sites, languages, articles_per_section: stories, ends, ..WorldSpec::default() };
    World::generate(&spec)
}

/// Judges what an installation mined.
///
/// # Errors
/// When the stores fail, or a page cannot be judged.
pub async fn judge_run(world: &World, parts: &Parts) -> anyhow::Result<Judged> {
    let (mut articles, mut places) = (Vec::new(), PlacesOfUrls::new());
    let take = |article: &Article, of: &[Place]| {
        places.insert(article.url.clone(), of.to_vec());
        articles.push(article.clone());
        Ok(())
    };
    let taxonomy = each_placed_article(parts, take).await?;
    let mut counted: BTreeMap<String, ContentHash> = BTreeMap::new();
    for (site, _) in parts.stores.state.sites().await? {
        let pages = parts.stores.state.pages(&site).await?.into_iter();
        let pages = pages.filter(|(_, version)| version.content != ContentHash::NONE);
        counted.extend(pages.map(|(url, version)| (url.to_string(), version.content)));
    }
    let mut rows = Vec::new();
    for judged in sample_pages(world, counted.keys())?.into_iter().flatten() {
        let content = counted.get(judged.page.url.as_str()).copied().unwrap_or(ContentHash::NONE);
        let Some(xml) = parts.stores.archive.get(Kind::Hierarchy, content).await? else { continue };
        rows.push(score_page(&judged, &xml::read(&String::from_utf8_lossy(&xml))?));
    }
    let mut judged =
        judge_mined(world.gold(), &Mined { taxonomy, articles, pages: counted.into_keys().collect() });
    judge_places(&world.gold().articles, &places, &mut judged.figures);
    judged.figures.extend(mean_page_scores(&rows));
    judged.pages = rows;
    Ok(judged)
}

/// The figures that a reader of the demo wants: name for people, then that of the measure.
const SUMMARY: [(&str, &str); 6] = [
    ("concepts of the taxonomy", "concepts"),
    ("is-a relations", "is_a"),
    ("articles among pages", "articles"),
    ("words of their bodies", "body"),
    ("filing under concepts", "filed"),
    ("leaves of hierarchies", "hierarchy"),
];

/// Prints what the figures come to, in six lines.
///
/// # Errors
/// When standard output cannot be written.
pub(crate) fn print_summary(judged: &Judged) -> anyhow::Result<()> {
    let value =
        |name: String| judged.figures.iter().find(|(known, _)| *known == name).map(|(_, value)| value);
    for (shown, name) in SUMMARY {
        let part = |part: &str| value(format!("{name}.{part}"));
        let Some(f1) = part("f1") else { continue };
        let parts = part("precision").zip(part("recall"));
        let parts = parts.map(|(right, found)| format!("  (precision {right:.3}, recall {found:.3})"));
        out::line(format!("  {shown:26} {f1:.3}{}", parts.unwrap_or_default()))?;
    }
    Ok(())
}

/// Prints figures, one per line.
///
/// # Errors
/// When standard output cannot be written.
pub fn print_figures(judged: &Judged) -> anyhow::Result<()> {
    for (name, value) in judged.figures.iter() {
        out::line(format!("  {name:24} {value:.3}"))?;
    }
    if !judged.junk.is_empty() {
        out::line(format!("  menu texts taken for concepts: {}", judged.junk.join(", ")))?;
    }
    Ok(())
}
