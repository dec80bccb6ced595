//! Removes the pairs with genres that say nothing of subjects.
//!
//! A genre ("video", "most popular", "shop") contains stories of all subjects. Subjects below it in a menu are not kinds of it,
//! nor is one genre a kind of another. But some genres name all of a site's subjects ("news", "topics"). These head lists of
//! subjects on most of their sites, other genres only on a few. Start at [`subjects_only`].

use std::collections::{BTreeMap, BTreeSet};

use super::evidence::Concepts;
use crate::mining::concepts::Judged;
use crate::mining::taxminer::Related;

/// A genre is a heading of subjects if it has concepts below it on more than one in this many of its sites.
const HEADING: usize = 3;

/// Leaves out the pairs of two genres, and those below a genre that is no heading of subjects.
pub(super) fn subjects_only(
    mut relations: Vec<Related>,
    genres: &BTreeSet<&str>,
    kept: &BTreeMap<&str, &Judged>,
    concepts: &Concepts,
) -> Vec<Related> {
    let is_genre = |key: &str| genres.contains(key);
    relations.retain(|pair| !(is_genre(&pair.broader) && is_genre(&pair.narrower)));
    let mut shown: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (key, label) in kept {
        let concept = concepts.get(key).copied().unwrap_or(key);
        if is_genre(concept) {
            shown.entry(concept).or_default().extend(&label.sites);
        }
    }
    let mut heading: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for pair in relations.iter().filter(|pair| is_genre(&pair.broader)) {
        heading.entry(pair.broader.clone()).or_default().extend(&pair.sites);
    }
    relations.retain(|pair| {
        let heads = heading.get(&pair.broader).map_or(0, BTreeSet::len);
        shown.get(pair.broader.as_str()).is_none_or(|shown| HEADING * heads > shown.len())
    });
    relations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_genre_is_broader_only_if_it_heads_subjects_on_enough_of_its_sites() {
        let pair = |broader: &str, narrower: &str| Related {
            broader: broader.into(),
            narrower: narrower.into(),
            level: 1,
            sites: vec![0, 1],
        };
        let pairs = [
            ("news", "sport"),
            ("news", "video"),
            ("sport", "tennis"),
            ("sport", "video"),
            ("video", "photos"),
            ("video", "sport"),
        ];
        let judged = [("news", 5), ("photos", 6), ("sport", 6), ("tennis", 6), ("video", 6)]
            .map(|(key, sites)| (key, Judged::made(sites)));
        let kept = judged.iter().map(|(key, label)| (*key, label)).collect();
        let concepts = judged.iter().map(|(key, _)| (*key, *key)).collect();
        let genres = ["news", "photos", "video"].into();
        let left = subjects_only(pairs.map(|(a, b)| pair(a, b)).into(), &genres, &kept, &concepts);
        let left: Vec<_> = left.iter().map(|pair| (pair.broader.as_str(), pair.narrower.as_str())).collect();
        assert_eq!(left, [("news", "sport"), ("sport", "tennis"), ("sport", "video")]);
    }
}
