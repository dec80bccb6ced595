//! `newslode-lab eval world`: judges a run, or the services, that mined the synthetic world, against the world's gold.

use std::collections::BTreeSet;

use newslode::demo::figures::Figures;
use newslode::demo::mined::Judged;
use newslode::demo::pages::{PageScores, sample_pages};
use newslode::demo::places::{PlacesOfUrls, judge_places, places_of_run};
use newslode::demo::{generate_world, judge_run, print_figures};
use newslode::exit::Exit;
use newslode::installation::{self, Setup};
use newslode::out;
use newslode_demo_world::GoldArticle;
use newslode_miner::mining::site_scheme::folded;
use newslode_newsworld::placed::{PlacedSpec, PlacedWorld};
use newslode_page::preset::Preset;

use crate::args::EvalWorldArgs;
use crate::eval::Prf;
use crate::eval::tags::Confusion;
use crate::eval::world::{Methods, TagCounts, figures, placed_pages};

pub(super) async fn run(args: &EvalWorldArgs, setup: &Setup) -> anyhow::Result<Exit> {
    if args.placed {
        return judge_placed(args, setup).await;
    }
    let world = generate_world(&args.world, None);
    let mut tags = TagCounts::new();
    let judged = if args.pages {
        let sites = sample_pages(&world, &world.urls())?;
        let (figures, pages, tag_counts) = figures(&world, &sites, &Methods::new(args.params.parse()?));
        tags = tag_counts;
        Judged { figures, junk: Vec::new(), pages }
    } else {
        judge_run(&world, &installation::open(&args.run.target(setup), &setup.config).await?).await?
    };
    if args.json {
        out::json(&judged.figures)?;
        return Ok(Exit::Done);
    }
    if args.per_page {
        judged.pages.iter().try_for_each(|page| print_row(page, tags.get(&page.page)))?;
    }
    print_figures(&judged)?;
    Ok(Exit::Done)
}

/// Judges the places of articles on the sites that name them in different ways.
async fn judge_placed(args: &EvalWorldArgs, setup: &Setup) -> anyhow::Result<Exit> {
    let spec = PlacedSpec { seed: args.world.seed, sites: args.world.sites, stories: args.world.stories };
    let world = PlacedWorld::generate(&spec);
    let found = match args.pages {
        true => placed_pages(&world, |html| html, &args.params.parse::<Preset>()?.params())?,
        false => places_of_run(&installation::open(&args.run.target(setup), &setup.config).await?).await?,
    };
    let mut figures = Figures::default();
    judge_places(world.gold(), &found, &mut figures);
    if args.json {
        out::json(&figures)?;
        return Ok(Exit::Done);
    }
    for site in world.sites() {
        let home = format!("http://{}/", site.host);
        let gold: Vec<GoldArticle> =
            world.gold().iter().filter(|article| article.url.starts_with(&home)).cloned().collect();
        let mut of_site = Figures::default();
        judge_places(&gold, &found, &mut of_site);
        let shown: Vec<String> = of_site
            .iter()
            .map(|(name, value)| format!("{} {value:.3}", name.trim_start_matches("places.")))
            .collect();
        let articles = gold.iter().filter(|article| found.contains_key(&article.url)).count();
        let naming = format!("{:?}", site.naming);
        out::line(format!("  {naming:14} {articles:4} of {:4} articles  {}", gold.len(), shown.join("  ")))?;
        if args.per_page {
            gold.iter().try_for_each(|article| print_places(article, &found))?;
        }
    }
    for (name, value) in figures.iter() {
        out::line(format!("  {name:24} {value:.3}"))?;
    }
    Ok(Exit::Done)
}

/// Prints an article whose places are not those that its page names.
fn print_places(gold: &GoldArticle, found: &PlacesOfUrls) -> anyhow::Result<()> {
    let Some(places) = found.get(&gold.url) else { return Ok(()) };
    let wanted: BTreeSet<String> = gold.sections.iter().chain(&gold.tags).map(|name| folded(name)).collect();
    if places.iter().map(|place| folded(&place.label)).collect::<BTreeSet<_>>() == wanted {
        return Ok(());
    }
    let said: Vec<String> =
        places.iter().map(|place| format!("{} [{}]", place.label, place.evidence.join(" "))).collect();
    let gold_names = [gold.sections.as_slice(), gold.tags.as_slice()].concat();
    out::line(format!("    {}\n      {}\n      gold {}", gold.url, said.join(" | "), gold_names.join(" | ")))
}

fn print_row(row: &PageScores, tags: Option<&Confusion>) -> anyhow::Result<()> {
    let scores = |name: &str, prf: &Prf| {
        format!(" | {name} P {:.3} R {:.3} F1 {:.3}", prf.precision, prf.recall, prf.f1)
    };
    let mut line =
        format!("  {:60}", row.page) + &scores("hierarchy", &row.pairs) + &scores("segments", &row.segments);
    line.extend(row.toc.iter().map(|prf| scores("contents", prf)));
    line.extend(row.article.iter().map(|prf| scores("article", prf)));
    line.extend(tags.map(|tags| format!(" | tags {:.3}", tags.micro())));
    out::line(line)
}
