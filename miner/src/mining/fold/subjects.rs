//! Removes the pairs of a genre and a subject.
//!
//! A genre ("video", "most popular", "shop") contains stories of all subjects. Subjects below it in a menu are not kinds of it,
//! and a video of sports is no kind of sports. Genres may be kinds of each other, as editorials are of opinion. But some genres
//! name all of a site's subjects ("news", "topics"): these head lists of subjects on most of their sites, other genres only on a
//! few. Where only front pages are known, such a heading is the best that there is; a site's scheme knows better. Start at
//! [`subjects_only`].

use std::collections::{BTreeMap, BTreeSet};

use super::evidence::Concepts;
use crate::mining::concepts::Judged;
use crate::mining::taxminer::Related;

/// A genre is a heading of subjects if it has concepts below it on more than one in this many of its sites.
const HEADING: usize = 3;

/// Leaves out the pairs of a genre and a subject, except those below a genre that is a heading of subjects on sites that
/// `is_heard` hears: those without a scheme.
pub(super) fn subjects_only(
    mut relations: Vec<Related>,
    genres: &BTreeSet<&str>,
    kept: &BTreeMap<&str, &Judged>,
    concepts: &Concepts,
    is_heard: impl Fn(&usize) -> bool,
) -> Vec<Related> {
    let is_genre = |key: &str| genres.contains(key);
    let mut shown: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (key, label) in kept {
        let concept = concepts.get(key).copied().unwrap_or(key);
        if is_genre(concept) {
            shown.entry(concept).or_default().extend(label.sites.iter().filter(|site| is_heard(site)));
        }
    }
    let mut heading: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for pair in relations.iter().filter(|pair| is_genre(&pair.broader)) {
        let sites = pair.sites.iter().filter(|site| is_heard(site));
        heading.entry(pair.broader.clone()).or_default().extend(sites);
    }
    relations.retain(|pair| {
        let heads = heading.get(&pair.broader).map_or(0, BTreeSet::len);
        let is_heading =
            || shown.get(pair.broader.as_str()).is_some_and(|shown| HEADING * heads > shown.len());
        match (is_genre(&pair.broader), is_genre(&pair.narrower)) {
            (true, false) => is_heading(),
            (broader, narrower) => broader == narrower,
        }
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
            is_listed: false,
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
        let left = |is_heard: bool| {
            let pairs = pairs.map(|(a, b)| pair(a, b)).into();
            let left = subjects_only(pairs, &genres, &kept, &concepts, |_| is_heard);
            left.into_iter().map(|pair| (pair.broader, pair.narrower)).collect::<Vec<_>>()
        };
        let own = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect()
        };
        let genres_of_genres = [("news", "video"), ("sport", "tennis"), ("video", "photos")];
        assert_eq!(left(false), own(&genres_of_genres));
        assert_eq!(
            left(true),
            own(&[("news", "sport"), ("news", "video"), ("sport", "tennis"), ("video", "photos")])
        );
    }
}
