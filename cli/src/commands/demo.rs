//! `newslode demo`: mines a synthetic news web on loopback and shows how right the result is.
//!
//! The world (`tests/newsworld`) knows the right answers; nothing of the miner knows the world. The
//! figures are shown as they come out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Context;
use newslode_common::config::{Config, ResolveRule};
use newslode_common::shutdown;
use newslode_miner::mining::taxonomy::Taxonomy;
use newslode_newsworld::{Gold, Server, World, WorldSpec};
use newslode_page::article::Article;
use serde::Serialize;
use tokio::task::JoinSet;

use super::mine;
use crate::args::DemoArgs;
use crate::engine::{self, Engine, add_seeds, seeds};
use crate::eval::Prf;
use crate::eval::articles::{ArticleRecord, Row, Summary, score, summary};
use crate::exit::{Exit, hinted};
use crate::out;

/// How right a run on the synthetic world is.
#[derive(Debug, Serialize)]
struct Report {
    concepts: Prf,
    relations: Prf,
    junk_among_concepts: Vec<String>,
    articles_found: usize,
    articles_there: usize,
    articles: Summary,
}

pub(crate) async fn run(args: DemoArgs, mut config: Config, quiet: bool) -> anyhow::Result<Exit> {
    fresh(&args.out)?;
    let world = World::generate(&WorldSpec { seed: args.seed, sites: args.sites, ..WorldSpec::default() });
    let (gold, start) = (world.gold().clone(), world.seeds());
    let server =
        Server::start(world, ([127, 0, 0, 1], 0).into()).await.context("cannot serve on loopback")?;
    config.crawler.resolve = vec![ResolveRule::any(server.addr())];
    config.miner.delay_ms = 0;
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
    let taxonomy = newslode_miner::work::fold::read(&engine.store).await?.unwrap_or_default();
    let articles = read_articles(&args.out)?;
    let report = compare(&gold, &taxonomy, &articles);
    if args.json {
        out::json(&serde_json::json!({ "run": run, "report": report }))?;
        return Ok(Exit::Done);
    }
    tell(&args.out, &taxonomy, &articles, &run, &report)?;
    Ok(Exit::Done)
}

/// A demo begins anew: what an earlier one left is removed, anything else is left alone.
fn fresh(folder: &Path) -> anyhow::Result<()> {
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

fn compare(gold: &Gold, taxonomy: &Taxonomy, articles: &[Article]) -> Report {
    // A concept's spellings share a name: the gold's label.
    let mut names: BTreeMap<String, &str> = BTreeMap::new();
    for concept in &gold.concepts {
        for form in concept.synonyms.iter().chain([&concept.label]) {
            names.insert(form.to_lowercase(), &concept.label);
        }
    }
    let name = |label: &str| {
        let lower = label.to_lowercase();
        names.get(&lower).map_or(lower.clone(), |known| known.to_lowercase())
    };
    let wanted: BTreeSet<String> = gold.concepts.iter().map(|concept| concept.label.to_lowercase()).collect();
    let found: BTreeSet<String> = taxonomy.concepts.iter().map(|concept| name(&concept.label)).collect();
    let is_a: BTreeSet<(String, String)> =
        gold.is_a.iter().map(|(a, b)| (a.to_lowercase(), b.to_lowercase())).collect();
    let key: BTreeMap<&str, String> =
        taxonomy.concepts.iter().map(|c| (c.key.as_str(), name(&c.label))).collect();
    let related = |key_of: &str| key.get(key_of).cloned().unwrap_or_default();
    let said: BTreeSet<(String, String)> =
        taxonomy.relations.iter().map(|r| (related(&r.broader), related(&r.narrower))).collect();
    let junk: BTreeSet<String> = gold.junk.iter().map(|label| label.to_lowercase()).collect();
    let (rows, found_articles) = article_rows(gold, articles);
    Report {
        concepts: Prf::of(found.intersection(&wanted).count(), found.len(), wanted.len()),
        relations: Prf::of(said.intersection(&is_a).count(), said.len(), is_a.len()),
        junk_among_concepts: found.intersection(&junk).cloned().collect(),
        articles_found: found_articles,
        articles_there: gold.articles.len(),
        articles: summary(&rows),
    }
}

/// Scores of the articles that were fetched and taken for articles.
fn article_rows(gold: &Gold, articles: &[Article]) -> (Vec<Row>, usize) {
    let by_url: BTreeMap<&str, &Article> =
        articles.iter().map(|article| (article.url.as_str(), article)).collect();
    let mut rows = Vec::new();
    for right in &gold.articles {
        let Some(article) = by_url.get(right.url.as_str()) else { continue };
        let wanted = ArticleRecord {
            id: right.url.clone(),
            title: Some(right.title.clone()),
            authors: Some(right.authors.clone()),
            published: right.published.clone(),
            body: Some(right.body.clone()),
            ..ArticleRecord::default()
        };
        let said = ArticleRecord {
            id: right.url.clone(),
            title: article.title.clone(),
            authors: Some(article.authors.clone()),
            published: article.published.clone(),
            body: Some(article.text()),
            ..ArticleRecord::default()
        };
        rows.push(score(&wanted, &said));
    }
    let found = rows.len();
    (rows, found)
}

fn tell(
    folder: &Path,
    taxonomy: &Taxonomy,
    articles: &[Article],
    run: &mine::Summary,
    report: &Report,
) -> anyhow::Result<()> {
    out::line("TAXONOMY (label, and the number of sites that show it)")?;
    out::text(&mine::top(taxonomy, 60))?;
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
    out::line("\nHOW RIGHT IT IS (against what the synthetic world knows)")?;
    let prf = |name: &str, p: &Prf| {
        format!("  {name:12} precision {:.3}  recall {:.3}  F1 {:.3}", p.precision, p.recall, p.f1)
    };
    out::line(prf("concepts", &report.concepts))?;
    out::line(prf("is-a pairs", &report.relations))?;
    if !report.junk_among_concepts.is_empty() {
        out::line(format!("  menu junk taken for concepts: {}", report.junk_among_concepts.join(", ")))?;
    }
    let a = &report.articles;
    out::line(format!(
        "  articles     {} of the world's {} were followed and recognised; body F1 {:.3}, title {:.3}, authors {:.3}, day {:.3}",
        report.articles_found, report.articles_there, a.f1, a.title.0, a.authors.0, a.day.0
    ))?;
    out::line(format!(
        "\n{} pages of {} sites in {:.1} s; everything is in {}: report.html (open it), articles.jsonl, ontology.ttl, run.json",
        run.outcomes.values().sum::<u64>(),
        run.sites,
        run.seconds,
        folder.display()
    ))?;
    out::line(format!(
        "next: newslode taxonomy {} --explain sports; newslode verify {}",
        folder.display(),
        folder.display()
    ))
}
