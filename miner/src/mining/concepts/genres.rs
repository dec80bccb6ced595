//! Tells genres from subjects: video, podcasts and "most popular" recur on sites as politics does, but say how a story is told
//! or chosen, not what it is about.
//!
//! No single trait tells them apart, but their company does. Genres score a little lower as sections, are less often instances
//! of a group, and have other concepts below them more often. Each of these three ranks is weak. But lists contain genres with
//! genres, so the mean of the ranks over a label's neighbours, and their neighbours, is strong. Ranks compare the labels of one
//! fold, which needs many sites: below [`FEW_SITES`] nothing is called a genre. Start at [`genres`].

use std::collections::{BTreeMap, BTreeSet};

use super::company::{Lists, company};
use super::verdict::Judged;
use crate::mining::index::{Id, Index};

/// With fewer sites there are too few lists to tell.
const FEW_SITES: usize = 20;
/// Rounds through the lists: neighbours, then their neighbours.
const ROUNDS: usize = 2;
/// Standard deviations above the mean from which a concept is called a genre.
const ABOVE: f64 = 0.5;

/// The kept labels that are genres.
pub(crate) fn genres<'a>(kept: &BTreeMap<&'a str, &Judged>, index: &Index) -> BTreeSet<&'a str> {
    if index.sites.len() < FEW_SITES {
        return BTreeSet::new();
    }
    let mut number = index.names.table(usize::MAX);
    for (at, id) in kept.keys().enumerate().filter_map(|(at, key)| Some((at, index.names.get(key)?))) {
        number[id as usize] = at;
    }
    // How much each label is like a genre: the mean of three ranks.
    let lists = Lists::of(&number, index);
    let children = children(kept.len(), &number, index);
    let scores: Vec<f64> = kept.values().map(|label| -label.score).collect();
    let grouped: Vec<f64> = kept.values().map(|label| -label.grouped).collect();
    let traits = [ranks(&scores), ranks(&grouped), ranks(&children)];
    let mut likeness: Vec<f64> =
        (0..kept.len()).map(|at| traits.iter().filter_map(|of| of.get(at)).sum::<f64>() / 3.0).collect();
    // Each label takes the mean of its neighbours in lists, so that what single labels hide shows in their company.
    for _ in 0..ROUNDS {
        let beside = company(&likeness, &lists);
        for (own, beside) in likeness.iter_mut().zip(beside) {
            *own = beside.unwrap_or(*own);
        }
    }
    // The threshold moves with the labels of the fold.
    let count = likeness.len().max(1) as f64;
    let mean = likeness.iter().sum::<f64>() / count;
    let variance = likeness.iter().map(|own| (own - mean) * (own - mean)).sum::<f64>() / count;
    let least = mean + ABOVE * variance.sqrt();
    kept.keys().zip(likeness).filter(|(_, own)| *own > least).map(|(key, _)| *key).collect()
}

/// For each kept label, the number of kept labels right under it on any site.
fn children(kept: usize, number: &[usize], index: &Index) -> Vec<f64> {
    let mut under = vec![BTreeSet::new(); kept];
    let numbered = |id: Id| number.get(id as usize).copied().filter(|label| *label != usize::MAX);
    for site in &index.sites {
        let near = site.pairs.iter().filter(|(.., level)| *level == 1).map(|(a, b, _)| (*a, *b));
        for (broader, narrower) in near.chain(site.nested.iter().copied()) {
            if let (Some(at), Some(child)) = (numbered(broader), numbered(narrower))
                && let Some(under) = under.get_mut(at)
            {
                under.insert(child);
            }
        }
    }
    under.iter().map(|under| under.len() as f64).collect()
}

/// Each value's rank among the distinct values, 0 to 1.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut distinct = values.to_vec();
    distinct.sort_by(f64::total_cmp);
    distinct.dedup();
    let rank = |value: &f64| distinct.partition_point(|other| other < value) as f64 / distinct.len() as f64;
    values.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use newslode_page::reading::Site;

    use super::*;
    use crate::mining::concepts::verdict::Verdict;
    use crate::mining::index::Indexer;
    use crate::mining::summary::{ListSummary, SiteSummary, Tables};

    /// Sites with a menu of subjects and a bar of genres; the bar also holds a genre that has a menu of its
    /// own.
    fn sites(count: usize) -> Vec<Arc<SiteSummary>> {
        let key = |label: &&str| format!("en:{label}");
        let list = |labels: &[&str]| ListSummary { pages: 1, labels: labels.iter().map(key).collect() };
        let site = |at: usize| {
            let site = Site::of_host(&format!("s{at}.test"));
            let mut summary = SiteSummary::of(site, &Tables::default());
            summary.lists =
                vec![list(&["arts", "health", "sport", "tech", "world"]), list(&["audio", "photo", "video"])];
            summary.nested = [("en:video".to_owned(), "en:sport".to_owned())].into();
            Arc::new(summary)
        };
        (0..count).map(site).collect()
    }

    fn found(count: usize) -> Vec<&'static str> {
        let labels = [
            ("arts", 0.9),
            ("audio", 0.7),
            ("health", 0.9),
            ("photo", 0.7),
            ("sport", 0.9),
            ("tech", 0.9),
            ("video", 0.9),
            ("world", 0.9),
        ];
        let keys =
            ["en:arts", "en:audio", "en:health", "en:photo", "en:sport", "en:tech", "en:video", "en:world"];
        let judged = labels.map(|(_, score)| Judged {
            sites: (0..count).collect(),
            own: score,
            score,
            spelled: 1.0,
            tail: 0.0,
            grouped: 1.0,
            files: None,
            verdict: Verdict::Concept,
        });
        let kept = keys.into_iter().zip(&judged).collect();
        genres(&kept, &Indexer::default().index(&sites(count))).into_iter().collect()
    }

    #[test]
    fn labels_listed_with_genres_are_genres() {
        assert_eq!(found(FEW_SITES), ["en:audio", "en:photo", "en:video"]);
    }

    #[test]
    fn few_sites_make_no_genre() {
        assert!(found(FEW_SITES - 1).is_empty());
    }
}
