//! `newslode demo`: mines a synthetic news web on loopback and shows how right the result is.
//!
//! The figures are shown as they come out.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use newslode_common::config::ResolveRule;
use newslode_common::shutdown;
use newslode_common::time;
use newslode_demo_world::Server;
use newslode_miner::mining::taxonomy::Taxonomy;
use newslode_page::article::Article;
use tokio::task::JoinSet;

use super::mine;
use crate::args::DemoArgs;
use crate::demo::mined::Judged;
use crate::demo::{generate_world, judge_run, print_summary};
use crate::engine::{self, Engine, add_seeds, seeds};
use crate::exit::{Exit, hinted};
use crate::installation::Setup;
use crate::out;

/// The longest `Crawl-delay` that is honoured, in milliseconds. One site of the world asks for 200. It is ours, on loopback: whoever
/// looks at the demo should not wait for it.
const LONGEST_DELAY_MS: u64 = 20;

pub(crate) async fn run(args: DemoArgs, setup: Setup) -> anyhow::Result<Exit> {
    let Setup { mut config, quiet, .. } = setup;
    remove_earlier_demo(&args.out)?;
    let ends = match args.last_day {
        Some(day) => {
            let day = days_since_1970(day).ok_or_else(|| {
                hinted(
                    format!("{day} is no day of such news"),
                    "name a day after 1970-01-01, such as 2026-01-31",
                )
            })?;
            // Its last minute.
            24 * 60 * (u64::from(day) + 1) - 1
        }
        None => time::now().0 / 60_000,
    };
    let world = Arc::new(generate_world(&args.world, Some(ends)));
    let start = world.seeds();
    let server =
        Server::start(world.clone(), ([127, 0, 0, 1], 0).into()).await.context("cannot serve on loopback")?;
    config.crawler.resolve = vec![ResolveRule::any(server.addr())];
    config.miner.delay_ms = 0;
    config.crawler.max_crawl_delay_ms = LONGEST_DELAY_MS;
    let mut waiter = JoinSet::new();
    let stop = shutdown::on_signal(&mut waiter, || std::process::abort())?;
    let engine = Engine::open(&args.out, config.clone())?;
    add_seeds(&engine.miner_parts(), &seeds::collect(&start, None)?, (None, None, None), &config.miner)
        .await?;
    if !args.json {
        out::line(format!("mining {} synthetic news sites served on {}\n", start.len(), server.addr()))?;
    }
    let (ended, run) = mine::mine(&engine, &args.out, &[], &stop, quiet).await?;
    server.stop().await;
    if ended == engine::Ended::Stopped {
        return Ok(Exit::Interrupted);
    }
    let judged = judge_run(&world, &engine.miner_parts()).await?;
    if args.json {
        let Judged { figures, junk, .. } = judged;
        out::json(&serde_json::json!({ "run": run, "figures": figures, "junk_among_concepts": junk }))?;
        return Ok(Exit::Done);
    }
    let taxonomy = newslode_miner::work::fold::read_taxonomy(&engine.store).await?.unwrap_or_default();
    print_result(&args.out, &taxonomy, &read_articles(&args.out)?, &run, &judged)?;
    Ok(Exit::Done)
}

fn days_since_1970(day: jiff::civil::Date) -> Option<u32> {
    let since = jiff::civil::date(1970, 1, 1).until(day).ok()?;
    u32::try_from(since.get_days()).ok().filter(|days| *days > 0)
}

/// Removes the folder of an earlier demo, because a demo begins anew. Refuses any other folder.
fn remove_earlier_demo(folder: &Path) -> anyhow::Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    let ours = folder.join(engine::STATE_FILE).exists() || folder.read_dir()?.next().is_none();
    if !ours {
        return Err(hinted(
            format!("`{}` is not an earlier demo's folder", folder.display()),
            "choose another --out",
        ));
    }
    std::fs::remove_dir_all(folder).with_context(|| format!("cannot remove `{}`", folder.display()))
}

fn read_articles(folder: &Path) -> anyhow::Result<Vec<Article>> {
    let (file, _) = engine::output_files(folder);
    let text = std::fs::read_to_string(file)?;
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

fn print_result(
    folder: &Path,
    taxonomy: &Taxonomy,
    articles: &[Article],
    run: &mine::RunSummary,
    judged: &Judged,
) -> anyhow::Result<()> {
    out::line("TAXONOMY (label, and the number of sites that show it)")?;
    out::text(&mine::taxonomy_top(taxonomy, 60))?;
    out::line("\nARTICLES (three of them)")?;
    for article in articles
        .iter()
        .filter(|article| !article.concepts.is_empty())
        .step_by(articles.len().max(3) / 3)
        .take(3)
    {
        out::line(format!("  {}", article.title.as_deref().unwrap_or("(no title)")))?;
        let published = article.published.as_deref().unwrap_or("undated");
        out::line(format!("    {} · {} · {published}", article.site, article.authors.join(", ")))?;
        out::line(format!("    filed under {}", article.concepts.join(", ")))?;
        let text = article.text();
        out::line(format!("    {}…", text.chars().take(160).collect::<String>().replace('\n', " ")))?;
    }
    out::line(
        "\nACCURACY (F1 against the gold answers of the synthetic world; all measures: newslode demo --json)",
    )?;
    print_summary(judged)?;
    out::line(format!(
        "\n{} pages of {} sites in {:.1} s; articles.jsonl, ontology.ttl and run.json are in {}",
        run.outcomes.values().sum::<u64>(),
        run.sites,
        run.seconds,
        folder.display()
    ))?;
    out::line(format!(
        "why:      newslode taxonomy --dir {0} --explain sports\nproof:    newslode verify --dir {0}",
        folder.display()
    ))?;
    out::line(format!("report:   {} (open it in a browser)", engine::report_file(folder).display()))?;
    out::line(format!("console:  newslode serve --dir {}", folder.display()))
}
