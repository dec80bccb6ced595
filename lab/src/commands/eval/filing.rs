//! `newslode-lab eval filing`: hides each witness that names concepts by itself, and lets it judge what the others find.

use std::collections::{BTreeMap, BTreeSet};

use newslode::exit::{Exit, hinted};
use newslode::installation::{self, Setup};
use newslode::out;
use newslode::queries::articles::each_archived;
use newslode_common::store::Kind;
use newslode_miner::mining::filing::{ArticleEvidence, Filing, Lessons, Witness};
use newslode_miner::mining::members::Members;
use newslode_miner::mining::taxonomy::Taxonomy;
use newslode_miner::work::fold;
use newslode_miner::work::members::members;
use newslode_miner::work::summaries::summaries;
use newslode_page::article::Article;
use serde::Serialize;

use crate::args::EvalFilingArgs;
use crate::eval::Figure;

/// How articles are filed.
#[derive(Debug, Serialize)]
struct Figures {
    articles: usize,
    /// Articles under any concept.
    filed: usize,
    /// Articles under a concept by each witness.
    by_witness: BTreeMap<&'static str, usize>,
    hidden: Vec<Hidden>,
}

/// What the other witnesses find of articles about which the hidden one speaks.
#[derive(Debug, Serialize)]
struct Hidden {
    witness: &'static str,
    /// Articles about which it speaks.
    articles: usize,
    /// Those of them that the others file.
    filed: usize,
    /// Concepts that the others say, and those of them that the hidden one says, too, in the same, a broader or a narrower concept.
    said: usize,
    right: usize,
    precision: Figure,
    share: Figure,
}

pub(super) async fn run(args: &EvalFilingArgs, setup: &Setup) -> anyhow::Result<Exit> {
    let parts = installation::open(&args.run.target(setup), &setup.config).await?;
    let taxonomy = fold::read_taxonomy(parts.stores.state.as_ref()).await?.unwrap_or_default();
    let sites = summaries(parts.stores.state.as_ref()).await?;
    let members = members(&parts.stores, &taxonomy, &sites).await?;
    let mut articles: Vec<Article> = Vec::new();
    each_archived(&parts, Kind::Article, |_, json| {
        articles.push(serde_json::from_slice(json)?);
        Ok(())
    })
    .await?;
    if articles.is_empty() {
        return Err(hinted("there is no article yet", "mine sites first: newslode mine URL… --out run"));
    }
    let figures = figures(&taxonomy, &members, &articles);
    if args.json {
        out::json(&figures)?
    } else {
        print(&figures)?
    }
    Ok(Exit::Done)
}

fn learnt(taxonomy: &Taxonomy, members: &Members, articles: &[Article], hidden: Option<Witness>) -> Filing {
    let mut lessons = Lessons::without(taxonomy, hidden);
    articles.iter().for_each(|article| lessons.add(ArticleEvidence::member(article, members)));
    lessons.learn()
}

fn figures(taxonomy: &Taxonomy, members: &Members, articles: &[Article]) -> Figures {
    let filing = learnt(taxonomy, members, articles, None);
    let (mut filed, mut by_witness) = (0, BTreeMap::new());
    for article in articles {
        let found = filing.file(ArticleEvidence::member(article, members));
        filed += usize::from(!found.is_empty());
        let witnesses: BTreeSet<_> = found.iter().map(|filed| filed.witness.name()).collect();
        witnesses.into_iter().for_each(|witness| *by_witness.entry(witness).or_default() += 1);
    }
    let asked = [Witness::List, Witness::Section, Witness::Address];
    let hidden = asked.into_iter().map(|witness| judged(taxonomy, members, articles, witness)).collect();
    Figures { articles: articles.len(), filed, by_witness, hidden }
}

fn judged(taxonomy: &Taxonomy, members: &Members, articles: &[Article], witness: Witness) -> Hidden {
    let filing = learnt(taxonomy, members, articles, Some(witness));
    let (mut spoken, mut filed, mut said, mut right) = (0, 0, 0, 0);
    for article in articles {
        let truth = filing.concepts_by(ArticleEvidence::member(article, members), witness);
        if truth.is_empty() {
            continue;
        }
        let is_above = |above: &str, below: &str| {
            taxonomy.concept(below).is_some_and(|own| own.parents.iter().any(|parent| parent == above))
        };
        let is_right = |concept: &str| {
            let agrees = |key: &&str| *key == concept || is_above(concept, key) || is_above(key, concept);
            truth.iter().any(agrees)
        };
        let found = filing.file(ArticleEvidence::member(article, members));
        spoken += 1;
        filed += usize::from(!found.is_empty());
        said += found.len();
        right += found.iter().filter(|filed| is_right(&filed.concept)).count();
    }
    let (precision, share) = (Figure::ratio(right, said), Figure::ratio(filed, spoken));
    Hidden { witness: witness.name(), articles: spoken, filed, said, right, precision, share }
}

fn print(figures: &Figures) -> anyhow::Result<()> {
    let Figures { articles, filed, by_witness, hidden } = figures;
    let share = 100.0 * *filed as f64 / *articles as f64;
    out::line(format!("{filed} of {articles} articles are filed ({share:.0} %)"))?;
    for (witness, count) in by_witness {
        out::line(format!("  {count:6} by {witness}"))?;
    }
    out::line("hidden     articles  filed by others  their precision")?;
    for Hidden { witness, articles, share, precision, .. } in hidden {
        out::line(format!("{witness:10} {articles:8}  {share:>15.3}  {precision:>15.3}"))?;
    }
    Ok(())
}
