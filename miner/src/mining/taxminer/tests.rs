//! Relations against the plain algorithm.

#![allow(clippy::unwrap_used, reason = "compiled for tests alone, which say what broke by panicking")]

use proptest::prelude::*;

use super::*;

/// The paper's loop `[OM05 Alg. 4]`, written plainly: `R_i = NFR_(i−1) ⊎ i-related pairs`; frequent pairs
/// leave.
fn paper(seen: &Seen, support: usize) -> BTreeMap<(String, String), (u8, Vec<usize>)> {
    let mut found = BTreeMap::new();
    let mut carried: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    for level in 1..=u8::MAX {
        for (pair, places) in seen.iter().filter(|((a, b), _)| a != b) {
            if !found.contains_key(pair) {
                let here = places.iter().filter(|(_, l)| *l == level).map(|(site, _)| *site);
                carried.entry(pair.clone()).or_default().extend(here);
            }
        }
        let (frequent, rest) = carried.into_iter().partition(|(_, sites)| sites.len() >= support);
        let frequent: BTreeMap<_, Vec<usize>> = frequent;
        for (pair, mut sites) in frequent {
            sites.sort_unstable();
            found.insert(pair, (level, sites));
        }
        carried = rest;
    }
    found
}

fn seen() -> impl Strategy<Value = Seen> {
    let name = || "[a-g]".prop_map(|name| name);
    prop::collection::btree_map(
        (name(), name()),
        prop::collection::btree_map(0usize..8, 1u8..6, 1..8).prop_map(|places| places.into_iter().collect()),
        0..30,
    )
}

proptest! {
    #[test]
    fn the_closed_form_equals_the_papers_loop(seen in seen(), support in 1u32..5) {
        let fast: BTreeMap<_, _> = frequent(&seen, support)
            .into_iter()
            .map(|r| ((r.broader, r.narrower), (r.level, r.sites)))
            .collect();
        prop_assert_eq!(fast, paper(&seen, support as usize));
    }

    #[test]
    fn the_graph_has_no_cycle_and_every_relation_has_proof(seen in seen(), support in 1u32..4) {
        let all = acyclic(frequent(&seen, support));
        let dag = reduced(all.clone());
        let mut below: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for relation in &dag {
            below.entry(relation.broader.clone()).or_default().push(relation.narrower.clone());
            let places = &seen[&(relation.broader.clone(), relation.narrower.clone())];
            prop_assert!(relation.sites.len() >= support as usize);
            for site in &relation.sites {
                prop_assert!(places.iter().any(|(at, level)| at == site && *level <= relation.level));
            }
        }
        for relation in &dag {
            prop_assert!(!reaches(&below, &relation.narrower, &relation.broader));
        }
        // The reduction implies every pair of the whole.
        for relation in &all {
            prop_assert!(reaches(&below, &relation.broader, &relation.narrower));
        }
    }
}

fn related(broader: &str, narrower: &str, sites: usize, level: u8) -> Related {
    Related {
        broader: broader.into(),
        narrower: narrower.into(),
        level,
        sites: (0..sites).collect(),
        is_listed: false,
    }
}

fn pairs(relations: &[Related]) -> Vec<(&str, &str)> {
    relations.iter().map(|r| (r.broader.as_str(), r.narrower.as_str())).collect()
}

#[test]
fn a_pair_in_both_directions_keeps_the_stronger_then_the_nearer_one() {
    assert_eq!(pairs(&acyclic(vec![related("a", "b", 2, 1), related("b", "a", 3, 2)])), [("b", "a")]);
    assert_eq!(pairs(&acyclic(vec![related("a", "b", 2, 2), related("b", "a", 2, 1)])), [("b", "a")]);
}

#[test]
fn a_pair_that_follows_from_two_others_is_left_out() {
    let chain = vec![related("a", "b", 2, 1), related("b", "c", 2, 1), related("a", "c", 5, 2)];
    assert_eq!(pairs(&reduced(chain)), [("a", "b"), ("b", "c")]);
}

#[test]
fn a_pair_whose_consequence_lists_deny_is_dropped() {
    let relations = || {
        vec![related("sport", "video", 2, 1), related("video", "art", 3, 1), related("video", "world", 3, 1)]
    };
    assert_eq!(pairs(&uncontradicted(relations(), |_, _| 3)), [("video", "art"), ("video", "world")]);
    assert_eq!(uncontradicted(relations(), |_, _| 1).len(), 3);
    let art = |_: &str, child: &str| if child == "art" { 3 } else { 0 };
    assert_eq!(pairs(&uncontradicted(relations(), art)), [("video", "art"), ("video", "world")]);
    // Lists do not deny a pair that is itself a relation.
    let direct = |a: &str, b: &str| if (a, b) == ("sport", "video") { 9 } else { 0 };
    assert_eq!(uncontradicted(relations(), direct).len(), 3);
}

proptest! {
    #[test]
    fn no_implied_pair_is_denied_by_lists_and_no_other_pair_is_dropped(seen in seen(), denied in prop::collection::btree_set(("[a-g]", "[a-g]"), 0..8)) {
        let all = acyclic(frequent(&seen, 1));
        let siblings = |a: &str, b: &str| if denied.contains(&(a.to_owned(), b.to_owned())) { 2 } else { 0 };
        let left = uncontradicted(all.clone(), siblings);
        let mut below: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for relation in &left {
            below.entry(relation.broader.clone()).or_default().push(relation.narrower.clone());
        }
        let is_related = |a: &str, b: &str| left.iter().any(|r| r.broader == a && r.narrower == b);
        for (a, b) in denied.iter().filter(|(a, b)| a != b && !is_related(a, b)) {
            prop_assert!(!reaches(&below, a, b), "{a} over {b}");
        }
        prop_assert!(left.iter().all(|relation| all.contains(relation)));
        prop_assert_eq!(uncontradicted(left.clone(), |_, _| 0), left);
        prop_assert_eq!(uncontradicted(all.clone(), |_, _| 0), all);
    }

    #[test]
    fn the_display_tree_is_a_forest(seen in seen()) {
        let dag = reduced(acyclic(frequent(&seen, 1)));
        let shown = parents(&dag);
        for start in shown.keys() {
            let (mut at, mut steps) = (*start, 0);
            while let Some(parent) = shown.get(at) {
                at = parent.broader.as_str();
                steps += 1;
                prop_assert!(steps <= shown.len(), "a circle from {start}");
            }
        }
        for relation in &dag {
            prop_assert!(shown.contains_key(relation.narrower.as_str()));
        }
    }
}

#[test]
fn the_display_parent_is_the_best_supported_then_the_nearest() {
    let relations = [related("a", "x", 2, 1), related("b", "x", 3, 2), related("c", "x", 3, 1)];
    assert_eq!(parents(&relations)["x"].broader, "c");
}
