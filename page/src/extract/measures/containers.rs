//! The elements that hold a run among others, and which of the page's containers is the best.
//!
//! Only elements that hold more runs than those below them count: wrappers around one run say nothing. A
//! container's score is the prose of the runs below it, those three levels down weighing less, times
//! what is not link: the idea of reading views. The best container is the one of the greatest score.

use crate::reading::NodeId;

use super::Scene;
use crate::extract::runs::share;

pub(super) const NAMES: [&str; 36] = [
    "holder's prose share",
    "holder's words",
    "holder's link share",
    "holder's runs",
    "holder's prose density",
    "2nd holder's prose share",
    "2nd holder's words",
    "2nd holder's link share",
    "2nd holder's runs",
    "2nd holder's prose density",
    "3rd holder's prose share",
    "3rd holder's words",
    "3rd holder's link share",
    "3rd holder's runs",
    "3rd holder's prose density",
    "holder's score",
    "2nd holder's score",
    "level of the best container",
    "up from the best container",
    "down from it",
    "best container's prose share",
    "in the best container",
    "place in the best container",
    "place in holder",
    "runs before in holder",
    "runs behind in holder",
    "prose before in holder",
    "prose behind in holder",
    "like tags in holder",
    "paragraphs in holder",
    "best article",
    "article's prose share",
    "articles",
    "prose from headline to holder",
    "prose from headline to 2nd holder",
    "prose from headline to run",
];
/// How much the prose of a run counts for its nearest containers.
const LEVELS: [f32; 3] = [1.0, 0.6, 0.3];
/// No number of levels is greater.
const FAR: f32 = 20.0;

/// What is known of the containers of a page.
pub(super) struct Containers {
    score: Vec<f32>,
    best: Option<NodeId>,
    best_score: f32,
    /// For each node the nearest `article` above or itself.
    article: Vec<Option<NodeId>>,
    articles: f32,
    best_article: Option<NodeId>,
    /// Runs of paragraphs, summed up.
    paragraphs: Vec<u32>,
}

impl Containers {
    pub(super) fn of(scene: &Scene<'_>) -> Containers {
        let tree = scene.tree;
        let mut score = vec![0.0_f32; tree.len()];
        let runs = scene.runs.runs.iter().zip(&scene.is_prose);
        for (run, _) in runs.filter(|(_, is_prose)| **is_prose) {
            let mut at = scene.holder(run);
            for level in LEVELS {
                score[at.index()] += level * run.words;
                at = scene.wider[at.index()];
            }
        }
        let mut best = None;
        for node in tree.node_ids() {
            let range = scene.range(node);
            let links = share(scene.links.over(range.clone()), scene.words.over(range));
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
                let prose = scene.prose_share(node);
                // Of equals the inner one.
                if prose > 0.0 && best_article.is_none_or(|best| prose >= scene.prose_share(best)) {
                    best_article = Some(node);
                }
            }
            let above = tree.parent(node).and_then(|above| article[above.index()]);
            article.push(if is_article { Some(node) } else { above });
        }
        let mut paragraphs = vec![0];
        for run in &scene.runs.runs {
            let last = paragraphs.last().copied().unwrap_or(0);
            paragraphs.push(last + u32::from(tree.tag(run.block) == Some("p")));
        }
        let best_score = best.map_or(0.0, |best| score[best.index()]);
        Containers { score, best, best_score, article, articles, best_article, paragraphs }
    }

    pub(super) fn push(&self, scene: &Scene<'_>, number: usize, values: &mut Vec<f32>) {
        let run = &scene.runs.runs[number];
        let holder = scene.holder(run);
        let second = scene.wider[holder.index()];
        let third = scene.wider[second.index()];
        for node in [holder, second, third] {
            self.push_holder(scene, node, values);
        }
        let of_best = |node: NodeId| share(self.score[node.index()], self.best_score);
        let level = [holder, second, third].iter().position(|node| Some(*node) == self.best);
        values.extend([of_best(holder), of_best(second), level.map_or(9.0, |level| level as f32)]);
        self.push_best(scene, number, values);
        self.push_among(scene, number, holder, values);
        let article = self.article[run.block.index()];
        values.extend([
            f32::from(u8::from(article.is_some() && article == self.best_article)),
            article.map_or(-1.0, |node| scene.prose_share(node)),
            self.articles,
            from_headline(scene, scene.range(holder)),
            from_headline(scene, scene.range(second)),
            from_headline(scene, number..number + 1),
        ]);
    }

    fn push_holder(&self, scene: &Scene<'_>, node: NodeId, values: &mut Vec<f32>) {
        let range = scene.range(node);
        let words = scene.words.over(range.clone());
        values.extend([
            scene.prose_share(node),
            words,
            share(scene.links.over(range.clone()), words),
            range.len() as f32,
            share(scene.prose.over(range), words),
        ]);
    }

    /// Where the run stands to the best container.
    fn push_best(&self, scene: &Scene<'_>, number: usize, values: &mut Vec<f32>) {
        let Some(best) = self.best else {
            values.extend([-1.0; 5]);
            return;
        };
        let run = &scene.runs.runs[number];
        let range = scene.range(best);
        let meet = scene.tree.lca(best, run.first);
        let depth = |node| scene.tree.depth(node) as f32;
        let place = (number as f32 - range.start as f32) / range.len().max(1) as f32;
        values.extend([
            (depth(best) - depth(meet)).min(FAR),
            (depth(run.block) - depth(meet)).min(FAR),
            scene.prose_share(best),
            f32::from(u8::from(range.contains(&number))),
            place.clamp(-2.0, 3.0),
        ]);
    }

    /// Where the run stands among the others of its holder.
    fn push_among(&self, scene: &Scene<'_>, number: usize, holder: NodeId, values: &mut Vec<f32>) {
        let range = scene.range(holder);
        let count = range.len() as f32;
        let (before, behind) = (range.start..number, number + 1..range.end.max(number + 1));
        let alike = |range: std::ops::Range<usize>| {
            (self.paragraphs[range.end] - self.paragraphs[range.start]) as f32
        };
        let is_paragraph = alike(number..number + 1) > 0.0;
        let paragraphs = share(alike(range.clone()), count);
        values.extend([
            share((number - range.start) as f32, count),
            before.len() as f32,
            behind.len() as f32,
            scene.prose.over(before),
            scene.prose.over(behind),
            if is_paragraph { paragraphs } else { 1.0 - paragraphs },
            paragraphs,
        ]);
    }
}

/// Words of prose between the headline and what comes behind it or holds it; −1 for what ends before it.
fn from_headline(scene: &Scene<'_>, range: std::ops::Range<usize>) -> f32 {
    match scene.headline {
        Some(headline) if range.end <= headline => -1.0,
        Some(headline) if range.start > headline => scene.prose.over(headline..range.start),
        Some(_) => 0.0,
        None => scene.prose.over(0..range.start),
    }
}
