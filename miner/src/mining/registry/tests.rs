//! Sequences of taxonomies, followed by the registry and by a plain transcription of its rule.

#![allow(clippy::unwrap_used, reason = "compiled for tests alone, which say what broke by panicking")]

use proptest::prelude::*;

use super::*;
use crate::mining::testing;

/// A taxonomy of concepts with these label keys, each named by its first one, and the keys of their parents.
fn taxonomy(concepts: &[(&[&str], &[&str])]) -> Taxonomy {
    let made = |(keys, parents): &(&[&str], &[&str])| {
        let mut sorted: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
        sorted.sort();
        Concept { keys: sorted, ..testing::concept(keys[0], &keys[0].to_uppercase(), parents) }
    };
    let mut concepts: Vec<Concept> = concepts.iter().map(made).collect();
    concepts.sort_by(|a, b| a.key.cmp(&b.key));
    Taxonomy { concepts, ..Taxonomy::default() }
}

/// Follows these taxonomies at the times 1, 2, …
fn followed(taxonomies: &[Taxonomy]) -> Registry {
    let mut registry = Registry::default();
    for (now, taxonomy) in (1..).map(Timestamp).zip(taxonomies) {
        registry.follow(taxonomy, now);
        assert_eq!(registry.faults(Some(taxonomy)), Vec::<String>::new());
    }
    registry
}

fn id(registry: &Registry, key: &str) -> String {
    registry.identifiers()[key].to_owned()
}

/// The kinds of the changes that following one more taxonomy gives, by key.
fn kinds(registry: &mut Registry, taxonomy: &Taxonomy) -> Vec<(String, ChangeKind)> {
    registry.follow(taxonomy, Timestamp(9)).into_iter().map(|change| (change.key, change.kind)).collect()
}

#[test]
fn a_concept_that_is_named_otherwise_keeps_its_identifier() {
    let mut registry = followed(&[taxonomy(&[(&["a", "b", "c"], &[])])]);
    let before = id(&registry, "a");
    let renamed = ChangeKind::Renamed { from: "A".into(), from_key: "a".into() };
    assert_eq!(kinds(&mut registry, &taxonomy(&[(&["b", "c"], &[])])), [("b".to_owned(), renamed)]);
    assert_eq!(id(&registry, "b"), before);
    for named in ["a", "b", "c", &before] {
        assert_eq!(registry.resolve(named).unwrap().id, before, "{named}");
    }
    assert_eq!(registry.resolve("d"), None);
    assert!(before.len() == 11 && before.starts_with('c'), "{before}");
}

#[test]
fn a_merged_concept_leads_to_the_other_and_comes_back_after_a_split() {
    let apart = taxonomy(&[(&["a", "b"], &[]), (&["c"], &["a"])]);
    let mut registry = followed(std::slice::from_ref(&apart));
    let (first, second) = (id(&registry, "a"), id(&registry, "c"));
    let merged = kinds(&mut registry, &taxonomy(&[(&["a", "b", "c"], &[])]));
    assert_eq!(merged, [("c".to_owned(), ChangeKind::Merged { into: first.clone() })]);
    assert_eq!(registry.resolve("c").unwrap().id, first);
    assert_eq!(registry.resolve(&second).unwrap().id, first);
    assert_eq!(
        registry.replaced().iter().map(|(old, new)| (&old.id, &new.id)).next(),
        Some((&second, &first))
    );
    let split = kinds(&mut registry, &apart);
    assert_eq!(split, [("c".to_owned(), ChangeKind::Split { from: first.clone() })]);
    assert_eq!((id(&registry, "a"), id(&registry, "c")), (first, second));
}

#[test]
fn a_concept_that_leaves_for_a_while_keeps_its_identifier() {
    let (both, one) = (taxonomy(&[(&["a"], &[]), (&["b"], &[])]), taxonomy(&[(&["a"], &[])]));
    let mut registry = followed(std::slice::from_ref(&both));
    let before = id(&registry, "b");
    assert_eq!(kinds(&mut registry, &one), [("b".to_owned(), ChangeKind::Gone)]);
    assert!(!registry.resolve("b").unwrap().is_living());
    assert_eq!(kinds(&mut registry, &both), [("b".to_owned(), ChangeKind::Returned)]);
    assert_eq!(id(&registry, "b"), before);
}

#[test]
fn moves_are_changes_of_parents_and_not_of_their_names() {
    let mut registry = followed(&[taxonomy(&[(&["a", "b"], &[]), (&["c"], &["a"]), (&["d"], &[])])]);
    let renamed = kinds(&mut registry, &taxonomy(&[(&["b", "a"], &[]), (&["c"], &["b"]), (&["d"], &[])]));
    assert!(matches!(renamed.as_slice(), [(key, ChangeKind::Renamed { .. })] if key == "b"), "{renamed:?}");
    let (from, to) = (vec![id(&registry, "b")], vec![id(&registry, "d")]);
    let moved = kinds(&mut registry, &taxonomy(&[(&["b", "a"], &[]), (&["c"], &["d"]), (&["d"], &[])]));
    assert_eq!(moved, [("c".to_owned(), ChangeKind::Moved { from, to })]);
}

#[test]
fn a_key_that_starts_a_second_concept_gives_another_identifier() {
    let registry =
        followed(&[taxonomy(&[(&["a", "b", "c"], &[])]), taxonomy(&[(&["b", "c"], &[]), (&["a"], &[])])]);
    let from = id(&registry, "b");
    assert_ne!(id(&registry, "a"), from);
    assert_eq!(
        registry.changes.last().unwrap().kind,
        ChangeKind::Renamed { from: "A".into(), from_key: "a".into() }
    );
    assert!(registry.changes.iter().any(|change| change.kind == ChangeKind::Split { from: from.clone() }));
}

#[test]
fn only_the_latest_changes_are_kept() {
    let both = [taxonomy(&[(&["a"], &[])]), taxonomy(&[])];
    let many: Vec<Taxonomy> = both.iter().cycle().take(2 * MOST_CHANGES).cloned().collect();
    let mut registry = followed(&many);
    let all = 2 * MOST_CHANGES as u64;
    assert_eq!((registry.changes.len() as u64, registry.entries.len()), (all, 1), "nobody was told of any");
    registry.announced = all - 3;
    assert_eq!(registry.changes_since(registry.announced).len(), 3);
    registry.follow(&both[0], Timestamp(all + 1));
    let numbers: Vec<u64> = registry.changes.iter().map(|change| change.number).collect();
    assert!(numbers.iter().copied().eq(all + 2 - MOST_CHANGES as u64..=all + 1), "{numbers:?}");
    assert_eq!(registry.changes.last().unwrap().at, Timestamp(all + 1));
}

#[test]
fn faults_are_named() {
    let both = taxonomy(&[(&["a"], &[]), (&["b"], &[])]);
    let registry = followed(std::slice::from_ref(&both));
    let broken = |change: &dyn Fn(&mut Vec<Entry>)| {
        let mut registry = registry.clone();
        change(&mut registry.entries);
        registry.faults(Some(&both)).join("; ")
    };
    assert!(broken(&|entries| entries[1].id = entries[0].id.clone()).contains("is given twice"));
    assert!(broken(&|entries| entries[0].gone = Some(Timestamp(2))).contains("`a` has 0 identifiers"));
    assert!(broken(&|entries| entries[0].key = "b".into()).contains("`b` has 2 identifiers"));
    assert!(broken(&|entries| entries[0].key = "x".into()).contains("the taxonomy lacks the concept `x`"));
    assert!(broken(&|entries| entries[0].replaced_by = Some("x".into())).contains("which does not exist"));
    let cycle = broken(&|entries| {
        entries[0].replaced_by = Some(entries[1].id.clone());
        entries[1].replaced_by = Some(entries[0].id.clone());
    });
    assert!(cycle.contains("form a cycle") && cycle.contains("is a concept, and replaced"), "{cycle}");
}

const KEYS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
/// Numbers of groups; keys of the last one are not in the taxonomy.
const GROUPS: usize = 5;

/// A taxonomy in which each key is in one group, or in none; each group is a concept that one of its keys names.
fn taxonomies() -> impl Strategy<Value = Taxonomy> {
    let groups = proptest::collection::vec(0..GROUPS, KEYS.len());
    let names = proptest::collection::vec(0..KEYS.len(), GROUPS);
    (groups, names).prop_map(|(groups, names)| {
        let mut concepts: Vec<Concept> = Vec::new();
        for group in 0..GROUPS - 1 {
            let keys: Vec<&str> =
                KEYS.iter().zip(&groups).filter(|(_, of)| **of == group).map(|(key, _)| *key).collect();
            if keys.is_empty() {
                continue;
            }
            let own = keys[names[group] % keys.len()];
            let parents: Vec<&str> = concepts.first().map(|first| first.key.as_str()).into_iter().collect();
            let keys = keys.iter().map(|key| (*key).to_owned()).collect();
            concepts.push(Concept { keys, ..testing::concept(own, own, &parents) });
        }
        concepts.sort_by(|a, b| a.key.cmp(&b.key));
        Taxonomy { concepts, ..Taxonomy::default() }
    })
}

/// How well an entry fits a concept, the best first.
type Rank = (u8, Reverse<usize>, Reverse<u8>, String, String);

/// The identifiers that concepts continue, found by looking for the best pair again and again.
fn plain(registry: &Registry, taxonomy: &Taxonomy) -> BTreeMap<String, String> {
    let common = |concept: &Concept, keys: &mut dyn Iterator<Item = &String>| {
        keys.filter(|key| concept.keys.contains(key)).count()
    };
    let mut continued: BTreeMap<String, String> = BTreeMap::new();
    loop {
        let mut best: Option<(Rank, String)> = None;
        for concept in taxonomy.concepts.iter().filter(|concept| !continued.contains_key(&concept.key)) {
            for entry in registry.entries.iter().filter(|entry| !continued.values().any(|id| *id == entry.id))
            {
                let (has, had) =
                    (common(concept, &mut entry.keys.iter()), common(concept, &mut entry.former.iter()));
                let (class, count) = match (has, entry.is_living()) {
                    (0, _) => (2, had),
                    (_, true) => (0, has),
                    (_, false) => (1, has),
                };
                let own =
                    if entry.key == concept.key { 2 } else { u8::from(concept.keys.contains(&entry.key)) };
                let rank = (class, Reverse(count), Reverse(own), entry.id.clone(), concept.key.clone());
                if count > 0 && best.as_ref().is_none_or(|(least, _)| rank < *least) {
                    best = Some((rank, concept.key.clone()));
                }
            }
        }
        let Some(((_, _, _, id, _), key)) = best else { return continued };
        continued.insert(key, id);
    }
}

proptest! {
    #[test]
    fn concepts_continue_the_entries_of_the_plain_rule(sequence in proptest::collection::vec(taxonomies(), 1..12)) {
        let (mut registry, mut given) = (Registry::default(), BTreeSet::new());
        for (now, taxonomy) in (1..).map(Timestamp).zip(&sequence) {
            let (before, expected) = (registry.clone(), plain(&registry, taxonomy));
            registry.follow(taxonomy, now);
            // 1. The rule, and the promise that it gives: who keeps most keys of a concept, and has few others, is that concept.
            for (key, id) in registry.identifiers() {
                match expected.get(key) {
                    Some(known) => prop_assert_eq!(known, id),
                    None => prop_assert!(given.insert(id.to_owned()), "{} is given twice", id),
                }
                for old in before.entries.iter().filter(|entry| entry.is_living()) {
                    let keys = &taxonomy.concept(key).unwrap().keys;
                    let common = keys.iter().filter(|key| old.keys.contains(*key)).count();
                    if 2 * common > keys.len() && 2 * common > old.keys.len() {
                        prop_assert_eq!(&old.id, id);
                    }
                }
            }
            // 2. Nothing is forgotten, and everything leads somewhere.
            prop_assert_eq!(registry.faults(Some(taxonomy)), Vec::<String>::new());
            for old in &before.entries {
                prop_assert!(registry.entry(&old.id).is_some_and(|entry| entry.born == old.born));
                prop_assert!(registry.resolve(&old.id).is_some());
            }
            for concept in &taxonomy.concepts {
                for key in &concept.keys {
                    prop_assert_eq!(&registry.resolve(key).unwrap().key, &concept.key);
                }
            }
            // 3. The same taxonomy once more changes nothing.
            let after = registry.clone();
            prop_assert_eq!(registry.follow(taxonomy, now.plus(std::time::Duration::from_secs(1))), Vec::new());
            prop_assert_eq!(&registry, &after);
        }
    }
}
