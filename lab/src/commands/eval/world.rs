//! `newslode-lab eval world`: judges a run, or the services, that mined the synthetic world, against the world's gold.

use newslode::demo::mined::Judged;
use newslode::demo::pages::{PageScores, sample_pages};
use newslode::demo::{generate_world, judge_run, print_figures};
use newslode::exit::Exit;
use newslode::installation::{self, Setup};
use newslode::out;

use crate::args::EvalWorldArgs;
use crate::eval::Prf;
use crate::eval::tags::Confusion;
use crate::eval::world::{Methods, TagCounts, figures};

pub(super) async fn run(args: &EvalWorldArgs, setup: &Setup) -> anyhow::Result<Exit> {
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
