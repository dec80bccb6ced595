//! The elements that hold a run together with others, and the best container of the page.
//!
//! Only elements that hold more runs than those below them count: a wrapper around one run is no evidence. A
//! container's score is the prose of the runs up to three levels below it, deeper levels weighing less, times
//! its share of words outside links. This is the idea of reading views. The best container has the greatest
//! score.

use std::ops::Range;

use crate::measures::MeasureSink;
use crate::reading::NodeId;

use super::context::PageContext;
use crate::extract::runs::share;

/// The weight of a run's prose in its three nearest containers.
const LEVELS: [f32; 3] = [1.0, 0.6, 0.3];
/// Distances in levels are capped here.
const FAR: f32 = 20.0;

/// The containers of a page and their scores.
pub(super) struct ContainerMeasures {
    score: Vec<f32>,
    best: Option<NodeId>,
    best_score: f32,
    /// For each node the nearest `article`, itself included.
    article: Vec<Option<NodeId>>,
    articles: f32,
    best_article: Option<NodeId>,
    /// Prefix sums of runs that are paragraphs.
    paragraphs: Vec<u32>,
}

impl ContainerMeasures {
    pub(super) fn new(context: &PageContext<'_>) -> ContainerMeasures {
        let tree = context.tree;
        // Prose scores for its holders, the nearest most, as in the reader views of browsers. Links take score away.
        let mut score = vec![0.0_f32; tree.len()];
        let runs = context.runs.runs.iter().zip(&context.is_prose);
        for (run, _) in runs.filter(|(_, is_prose)| **is_prose) {
            let mut at = context.holder(run);
            for level in LEVELS {
                score[at.index()] += level * run.words;
                at = context.wider[at.index()];
            }
        }
        let mut best = None;
        for node in tree.node_ids() {
            let range = context.range(node);
            let links = share(context.links.over(range.clone()), context.words.over(range));
            score[node.index()] *= 1.0 - links;
            if score[node.index()] > best.map_or(0.0, |best: NodeId| score[best.index()]) {
                best = Some(node);
            }
        }
        let mut article: Vec<Option<NodeId>> = Vec::with_capacity(tree.len());
        let (mut articles, mut best_article) = (0.0, None);
        for node in tree.node_ids() {
            let is_article = tree.tag(node) == Some("article");
            if is_article {
                articles += 1.0;
                let prose = context.prose_share(node);
                // Among equals, the innermost wins.
                if prose > 0.0 && best_article.is_none_or(|best| prose >= context.prose_share(best)) {
                    best_article = Some(node);
                }
            }
            let above = tree.parent(node).and_then(|above| article[above.index()]);
            article.push(if is_article { Some(node) } else { above });
        }
        let mut paragraphs = vec![0];
        for run in &context.runs.runs {
            let last = paragraphs.last().copied().unwrap_or(0);
            paragraphs.push(last + u32::from(tree.tag(run.block) == Some("p")));
        }
        let best_score = best.map_or(0.0, |best| score[best.index()]);
        ContainerMeasures { score, best, best_score, article, articles, best_article, paragraphs }
    }

    pub(super) fn measure(&self, context: &PageContext<'_>, number: usize, measures: &mut impl MeasureSink) {
        let run = &context.runs.runs[number];
        let holder = context.holder(run);
        let second = context.wider[holder.index()];
        let third = context.wider[second.index()];
        for (which, node) in [("holder", holder), ("2nd holder", second), ("3rd holder", third)] {
            measure_holder(context, which, node, measures);
        }
        let of_best = |node: NodeId| share(self.score[node.index()], self.best_score);
        let level = [holder, second, third].iter().position(|node| Some(*node) == self.best);
        measures.add("holder's score", of_best(holder));
        measures.add("2nd holder's score", of_best(second));
        measures.add("level of the best container", level.map_or(9.0, |level| level as f32));
        self.measure_best(context, number, measures);
        self.measure_among(context, number, holder, measures);
        let article = self.article[run.block.index()];
        measures.flag("best article", article.is_some() && article == self.best_article);
        measures.add("article's prose share", article.map_or(-1.0, |node| context.prose_share(node)));
        measures.add("articles", self.articles);
        measures.add("prose from headline to holder", prose_from_headline(context, context.range(holder)));
        measures
            .add("prose from headline to 2nd holder", prose_from_headline(context, context.range(second)));
        measures.add("prose from headline to run", prose_from_headline(context, number..number + 1));
    }

    /// The position of a run relative to the best container; −1 if there is none.
    fn measure_best(&self, context: &PageContext<'_>, number: usize, measures: &mut impl MeasureSink) {
        let run = &context.runs.runs[number];
        let best = self.best.map(|best| (best, context.range(best), context.tree.lca(best, run.first)));
        let measured = |measure: &dyn Fn(NodeId, Range<usize>, NodeId) -> f32| {
            best.clone().map_or(-1.0, |(best, range, meet)| measure(best, range, meet))
        };
        let up = |from: NodeId, to: NodeId| {
            (context.tree.depth(from) as f32 - context.tree.depth(to) as f32).min(FAR)
        };
        let place = |range: Range<usize>| (number as f32 - range.start as f32) / range.len().max(1) as f32;
        measures.add("up from the best container", measured(&|best, _, meet| up(best, meet)));
        measures.add("down from it", measured(&|_, _, meet| up(run.block, meet)));
        measures.add("best container's prose share", measured(&|best, _, _| context.prose_share(best)));
        measures.add(
            "in the best container",
            measured(&|_, range, _| f32::from(u8::from(range.contains(&number)))),
        );
        measures.add("place in the best container", measured(&|_, range, _| place(range).clamp(-2.0, 3.0)));
    }

    /// The position of a run among the others of its holder.
    fn measure_among(
        &self,
        context: &PageContext<'_>,
        number: usize,
        holder: NodeId,
        measures: &mut impl MeasureSink,
    ) {
        let range = context.range(holder);
        let count = range.len() as f32;
        let (before, behind) = (range.start..number, number + 1..range.end.max(number + 1));
        let alike = |range: Range<usize>| (self.paragraphs[range.end] - self.paragraphs[range.start]) as f32;
        let is_paragraph = alike(number..number + 1) > 0.0;
        let paragraphs = share(alike(range.clone()), count);
        measures.add("place in holder", share((number - range.start) as f32, count));
        measures.add("runs before in holder", before.len() as f32);
        measures.add("runs behind in holder", behind.len() as f32);
        measures.add("prose before in holder", context.prose.over(before));
        measures.add("prose behind in holder", context.prose.over(behind));
        measures.add("like tags in holder", if is_paragraph { paragraphs } else { 1.0 - paragraphs });
        measures.add("paragraphs in holder", paragraphs);
    }
}

fn measure_holder(context: &PageContext<'_>, which: &str, node: NodeId, measures: &mut impl MeasureSink) {
    let range = context.range(node);
    let words = context.words.over(range.clone());
    measures.add(format_args!("{which}'s prose share"), context.prose_share(node));
    measures.add(format_args!("{which}'s words"), words);
    measures.add(format_args!("{which}'s link share"), share(context.links.over(range.clone()), words));
    measures.add(format_args!("{which}'s runs"), range.len() as f32);
    measures.add(format_args!("{which}'s prose density"), share(context.prose.over(range), words));
}

/// Words of prose between the headline and a later range; 0 for a range that contains it, −1 for a range that
/// ends before it.
fn prose_from_headline(context: &PageContext<'_>, range: Range<usize>) -> f32 {
    match context.headline {
        Some(headline) if range.end <= headline => -1.0,
        Some(headline) if range.start > headline => context.prose.over(headline..range.start),
        Some(_) => 0.0,
        None => context.prose.over(0..range.start),
    }
}
