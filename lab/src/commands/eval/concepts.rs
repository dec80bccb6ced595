//! `newslode-lab eval concepts`: judges the taxonomy of a run, and what is filed under it, by what a reader judged.

use newslode::exit::{Exit, hinted};
use newslode::installation::{self, Setup};
use newslode::out;
use newslode::queries::articles::each_placed_article;
use newslode_common::config::MinerConfig;
use newslode_common::time;
use newslode_miner::mining::schemes::Facet;
use newslode_miner::work::fold::{FoldMemory, fold_once};
use newslode_miner::work::parts::Parts;
use newslode_miner::work::places::learn_site;

use super::gold::write_lines;
use crate::args::EvalConceptsArgs;
use crate::eval::judged::{
    ArticleScore, ConceptScore, Judge, JudgedLine, Judgements, Listed, PairScore, PlacedArticle, SameScore,
    Score, SiteScore, Verdict,
};
use crate::eval::{read_lines, read_text};

pub(super) async fn run(args: &EvalConceptsArgs, setup: &Setup) -> anyhow::Result<Exit> {
    let judgements: Judgements = serde_json::from_str(&read_text(&args.judged)?).map_err(|error| {
        hinted(
            format!("`{}` holds no judgements: {error}", args.judged.display()),
            "`newslode-lab eval concepts --help` says what the file holds",
        )
    })?;
    let mut also: Vec<JudgedLine> = Vec::new();
    for file in &args.also {
        also.extend(read_lines::<JudgedLine>(file)?);
    }
    let target = args.run.target(setup);
    if args.again {
        let parts = installation::open_to_change(&target, &setup.config).await?;
        learn_again(&parts, &setup.config.miner).await?;
    }
    let parts = installation::open(&target, &setup.config).await?;
    let known = parts.schemes.known()?;
    let mut articles: Vec<PlacedArticle> = Vec::new();
    let taxonomy = each_placed_article(&parts, |article, places| {
        let language = article.language.as_deref().unwrap_or("und");
        let is_known = |label| matches!(known.facet(label, language), Some(Facet::Subject | Facet::Region));
        articles.push(PlacedArticle {
            site: article.site.clone(),
            language: article.language.clone(),
            concepts: article.concepts.clone(),
            has_place: !places.is_empty(),
            is_known: places.iter().any(|place| is_known(&place.label)),
        });
        Ok(())
    })
    .await?;
    if taxonomy.concepts.is_empty() {
        return Err(hinted(
            "the run has no concept",
            "a label must be on two sites: mine more sites first, newslode mine URL… --out run",
        ));
    }
    let judge = Judge::new(judgements, also);
    let concepts: Vec<Vec<String>> = articles.iter().map(|article| article.concepts.clone()).collect();
    let mut score = judge.score(&taxonomy, &concepts);
    score.sites = if args.sites { judge.score_sites(&taxonomy, &articles) } else { Vec::new() };
    write_lines(args.unjudged.as_deref(), &score.unjudged)?;
    if args.json {
        out::json(&score)?;
    } else {
        print(&score, args.labels)?;
    }
    Ok(Exit::Done)
}

/// Learns the sites' schemes and folds, as the run would have ended with this program.
async fn learn_again(parts: &Parts, config: &MinerConfig) -> anyhow::Result<()> {
    let state = parts.stores.state.as_ref();
    for (site, _) in state.sites().await? {
        learn_site(&parts.stores, &site).await?;
    }
    fold_once(parts, config, &mut FoldMemory::default(), false, time::now()).await?;
    Ok(())
}

fn print(score: &Score, with_labels: bool) -> anyhow::Result<()> {
    print_concepts([&score.all, &score.shared, &score.subjects])?;
    print_articles(&score.articles)?;
    print_same(&score.same)?;
    print_pairs(&score.is_a)?;
    print_sites(&score.sites)?;
    if !with_labels {
        return Ok(());
    }
    for (verdict, listed) in &score.verdicts {
        let name = |Listed { label, sites, articles }: &Listed| format!("{label} ({sites}, {articles})");
        let names: Vec<String> = listed.iter().map(name).collect();
        out::line(format!("{} (sites, articles): {}", verdict.name(), names.join("; ")))?;
    }
    out::line(format!("subjects that are no concepts: {}", score.all.missing.join("; ")))?;
    out::line(format!("pairs that are missed: {}", arrows(&score.is_a.missed)))
}

fn print_concepts(columns: [&ConceptScore; 3]) -> anyhow::Result<()> {
    let row = |name: &str, value: &dyn Fn(&ConceptScore) -> String| {
        let [all, shared, subjects] = columns.map(value);
        out::line(format!("{name:38} {all:>16} {shared:>16} {subjects:>18}"))
    };
    out::line(format!("{:38} {:>16} {:>16} {:>18}", "", "all", "on two sites", "of these no genres"))?;
    row("concepts", &|score| score.concepts.to_string())?;
    for verdict in Verdict::ALL {
        let count = |score: &ConceptScore| score.by_verdict.get(&verdict).copied().unwrap_or_default();
        row(&format!("  {}", verdict.name()), &|score| count(score).to_string())?;
    }
    row("  not judged", &|score| score.unjudged.to_string())?;
    row("  P of subjects", &|score| format!("{:.3}", score.precision))?;
    row("  R of judged subjects, by label", &|score| {
        format!("{:.3} ({}/{})", score.recall, score.hit, score.wanted)
    })
}

fn print_articles(score: &ArticleScore) -> anyhow::Result<()> {
    let row = |name: &str, count: usize| {
        let share = 100.0 * count as f64 / score.articles.max(1) as f64;
        out::line(format!("{name:38} {count:16} {share:14.1} %"))
    };
    row("articles", score.articles)?;
    row("  under any concept", score.filed)?;
    row("  under a judged subject", score.under_subjects)?;
    row("  else under one debatable or unjudged", score.under_others)?;
    row("  under form, house or broken only", score.under_junk_only)
}

fn print_sites(sites: &[SiteScore]) -> anyhow::Result<()> {
    if sites.is_empty() {
        return Ok(());
    }
    let heads = ["articles", "subject", "no place", "no concept", "junk only", "unjudged", "known"];
    let heads: String = heads.iter().map(|head| format!(" {head:>10}")).collect();
    out::line(format!("{:40} lang{heads}", "site"))?;
    for site in sites {
        let counts = [
            site.articles,
            site.under_subjects,
            site.without_place,
            site.without_concept,
            site.under_junk_only,
            site.under_others,
            site.known,
        ];
        let counts: String = counts.iter().map(|count| format!(" {count:>10}")).collect();
        out::line(format!("{:40} {:4}{counts}", site.site, site.language))?;
    }
    Ok(())
}

fn print_same(score: &SameScore) -> anyhow::Result<()> {
    let SameScore { groups, one_concept, absent, apart } = score;
    out::line(format!("{:38} {groups:16}", "groups that are the same"))?;
    out::line(format!("{:38} {one_concept:16}", "  one concept"))?;
    out::line(format!("{:38} {absent:16}", "  no concept"))?;
    out::line(format!("{:38} {:16}", "  left apart", apart.len()))?;
    apart.iter().try_for_each(|labels| out::line(format!("    {}", labels.join(" | "))))
}

fn print_pairs(score: &PairScore) -> anyhow::Result<()> {
    let row = |name: &str, count: usize| out::line(format!("{name:38} {count:16}"));
    row("is-a pairs", score.pairs)?;
    row("  right", score.right)?;
    row("  wrong", score.wrong.len())?;
    row("  debatable", score.debatable)?;
    row("  not judged", score.unjudged)?;
    out::line(format!("{:38} {:>16.3}", "  P", score.precision))?;
    let recall = |name: &str, figure, wanted: usize| {
        out::line(format!("{name:38} {:>16}", format!("{figure:.3} ({}/{wanted})", score.hit)))
    };
    recall("  R where both ends are concepts", score.recall_in_run, score.wanted_in_run)?;
    recall("  R of all", score.recall, score.wanted)?;
    out::line(format!("  wrong: {}", arrows(&score.wrong)))
}

fn arrows(pairs: &[(String, String)]) -> String {
    pairs.iter().map(|(broader, narrower)| format!("{broader} > {narrower}")).collect::<Vec<_>>().join("; ")
}
