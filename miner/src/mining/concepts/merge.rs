//! Labels that are one concept: Syn of the ontology.
//!
//! Keys are sets of stems already, so "Arts & Design" and "design and arts" are one label. Labels with different stems are one
//! concept if they lead to the same page on at least two sites ("tech" and "technology"). One site is not enough: it may have
//! one page for "international" and "world", or for "apps" and "mobile". The paper merges labels of similar words, which joins
//! "business travel" with "business news" ([`alike`]).
//!
//! Labels of different languages are never merged. Invariant: the result is a partition of the kept keys.
//! Each part is named by the key that most sites show; ties go to the first in the alphabet.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::key::{language, stems};
use super::verdict::Judged;
use crate::mining::index::{Id, Index, Indexer};
use crate::mining::summary::SiteSummary;

/// Sites that must lead both labels to one page.
const AGREEING: usize = 2;

/// Kept key → the key of its concept; labels that share pages are merged.
#[must_use]
pub fn by_target<'a>(
    kept: &BTreeMap<&'a str, &Judged>,
    sites: &[Arc<SiteSummary>],
) -> BTreeMap<&'a str, &'a str> {
    led_together(kept, &Indexer::default().index(sites), &[])
}

/// The same for an index. Labels of `also` are merged, too.
pub(crate) fn led_together<'a>(
    kept: &BTreeMap<&'a str, &Judged>,
    index: &Index,
    also: &[(&'a str, &'a str)],
) -> BTreeMap<&'a str, &'a str> {
    // For each pair of kept labels, the sites on which both lead to one page.
    let mut is_kept = index.names.table(false);
    kept.keys().filter_map(|key| index.names.get(key)).for_each(|id| is_kept[id as usize] = true);
    let mut shared: FxHashMap<(Id, Id), Vec<usize>> = FxHashMap::default();
    for (at, site) in index.sites.iter().enumerate() {
        for group in &site.together {
            let group: Vec<Id> = group.iter().filter(|id| is_kept[**id as usize]).copied().collect();
            for (n, a) in group.iter().enumerate() {
                for b in group.iter().skip(n + 1) {
                    let sites = shared.entry((*a, *b)).or_default();
                    if sites.last() != Some(&at) {
                        sites.push(at);
                    }
                }
            }
        }
    }
    let agreed = shared.into_iter().filter(|(_, sites)| sites.len() >= AGREEING);
    let named = agreed.map(|((a, b), _)| (index.names.name(a), index.names.name(b)));
    joined(kept, named.chain(also.iter().copied()).filter(|(a, b)| language(a) == language(b)))
}

/// Kept key → the key of its concept; merges by the Jaccard likeness of stems (single link, `[OM05 §5.1]`).
#[must_use]
pub fn alike<'a>(kept: &BTreeMap<&'a str, &Judged>, least: f64) -> BTreeMap<&'a str, &'a str> {
    let mut holding: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for key in kept.keys() {
        for stem in stems(key) {
            holding.entry(stem).or_default().push(key);
        }
    }
    let near: BTreeSet<(&str, &str)> = holding.values().flat_map(|keys| pairs(keys)).collect();
    let is_alike = |(a, b): &(&str, &str)| {
        let (a, b): (BTreeSet<&str>, BTreeSet<&str>) = (stems(a).collect(), stems(b).collect());
        a.intersection(&b).count() as f64 >= least * a.union(&b).count() as f64
    };
    joined(kept, near.into_iter().filter(is_alike))
}

/// All pairs of keys of one language, in order.
fn pairs<'a, 'b>(keys: &'b [&'a str]) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a, 'b> {
    let each = keys.iter().enumerate();
    each.flat_map(|(at, a)| keys.iter().skip(at + 1).map(|b| (*a, *b)))
        .filter(|(a, b)| a != b && language(a) == language(b))
}

/// The parts into which these pairs join the keys.
fn joined<'a, 'b>(
    kept: &BTreeMap<&'a str, &Judged>,
    pairs: impl Iterator<Item = (&'b str, &'b str)>,
) -> BTreeMap<&'a str, &'a str> {
    // Connected components of the pairs. Keys start in the order of their sites, so each component is named by the key that
    // most sites show.
    let mut beside: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (a, b) in pairs {
        beside.entry(a).or_default().push(b);
        beside.entry(b).or_default().push(a);
    }
    let mut keys: Vec<(&'a str, usize)> = kept.iter().map(|(key, label)| (*key, label.sites.len())).collect();
    keys.sort_by_key(|(key, sites)| (Reverse(*sites), *key));
    let mut concept: BTreeMap<&'a str, &'a str> = BTreeMap::new();
    for (name, _) in keys {
        let mut open: Vec<&str> = vec![name];
        while let Some(key) = open.pop() {
            let Some((key, _)) = kept.get_key_value(key) else { continue };
            if !concept.contains_key(key) {
                concept.insert(key, name);
                open.extend(beside.get(key).into_iter().flatten());
            }
        }
    }
    concept
}

#[cfg(test)]
mod tests {
    use newslode_page::reading::Site;
    use proptest::prelude::*;

    use super::*;
    use crate::mining::summary::{LabelSummary, Tables};

    fn site(name: &str, targets: &[(&str, &str)]) -> Arc<SiteSummary> {
        let mut site = SiteSummary::of(Site::of_host(name), &Tables::default());
        for (key, path) in targets {
            let targets = [(format!("https://{name}{path}").parse().unwrap(), 1)].into();
            site.labels.insert((*key).into(), LabelSummary { targets, ..LabelSummary::default() });
        }
        Arc::new(site)
    }

    #[test]
    fn labels_that_two_sites_lead_to_one_page_are_merged() {
        let (many, few) = (Judged::made(3), Judged::made(2));
        let kept = [("en:tech", &few), ("en:technolog", &many), ("de:tech", &few), ("en:world", &few)].into();
        let targets = &[("en:tech", "/t"), ("en:technolog", "/t"), ("de:tech", "/t"), ("en:world", "/")];
        let one = [site("a.test", targets), site("b.test", &[])];
        assert!(by_target(&kept, &one).iter().all(|(key, concept)| key == concept));
        let two = by_target(&kept, &[site("a.test", targets), site("b.test", targets)]);
        assert_eq!(
            (two["en:tech"], two["de:tech"], two["en:world"]),
            ("en:technolog", "de:tech", "en:world")
        );
    }

    #[test]
    fn the_papers_method_merges_labels_that_share_half_of_their_words() {
        let one = Judged::made(2);
        let kept = [("en:busi", &one), ("en:busi travel", &one), ("de:busi", &one), ("en:art", &one)].into();
        let merged = alike(&kept, 0.5);
        assert_eq!(
            (merged["en:busi travel"], merged["de:busi"], merged["en:art"]),
            ("en:busi", "de:busi", "en:art")
        );
        assert_eq!(alike(&kept, 0.6)["en:busi travel"], "en:busi travel");
    }

    proptest! {
        #[test]
        fn every_label_is_merged_into_one_group_of_its_language(keys in prop::collection::btree_set("(en|de):[a-d]( [a-d])?", 0..12)) {
            let one = Judged::made(2);
            let kept: BTreeMap<&str, &Judged> = keys.iter().map(|key| (key.as_str(), &one)).collect();
            let merged = alike(&kept, 0.5);
            prop_assert!(merged.keys().eq(kept.keys()));
            for (key, concept) in &merged {
                prop_assert_eq!(merged[concept], *concept);
                prop_assert_eq!(language(key), language(concept));
            }
        }
    }
}
