use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::mining::taxminer::{Related, acyclic, parents, reduced};
use crate::mining::taxonomy::{Edit, Form, Relation, tree_text};
use crate::mining::testing;

fn site(number: usize) -> Site {
    Site::of_host(&format!("{number}.test"))
}

/// Concepts of one form each, and pairs of their labels, each of two sites.
fn taxonomy(labels: &[&str], is_a: &[(&str, &str)]) -> Taxonomy {
    let key = |label: &str| format!("en:{}", label.to_lowercase());
    let related: Vec<Related> = is_a
        .iter()
        .map(|(broader, narrower)| Related {
            broader: key(broader),
            narrower: key(narrower),
            level: 1,
            sites: vec![0, 1],
            is_listed: false,
        })
        .collect();
    let related = reduced(acyclic(related));
    let shown = parents(&related);
    let mut concepts: Vec<Concept> = labels
        .iter()
        .map(|label| {
            let key = key(label);
            let above = related.iter().filter(|pair| pair.narrower == key);
            Concept {
                sites: vec![site(0), site(1)],
                parents: above.map(|pair| pair.broader.clone()).collect(),
                parent: shown.get(key.as_str()).map(|pair| pair.broader.clone()),
                ..testing::concept(&key, label, &[])
            }
        })
        .collect();
    concepts.sort_by(|a, b| a.key.cmp(&b.key));
    let relations = related.iter().map(|pair| Relation {
        broader: pair.broader.clone(),
        narrower: pair.narrower.clone(),
        level: pair.level,
        sites: pair.sites.iter().map(|number| site(*number)).collect(),
        is_listed: pair.is_listed,
        edited: false,
    });
    Taxonomy { support: 2, sites: 2, relations: relations.collect(), concepts, schemes: String::new() }
}

/// News > Sport > Football > Cup, and Culture > Film.
fn mined() -> Taxonomy {
    taxonomy(
        &["News", "Sport", "Football", "Cup", "Culture", "Film"],
        &[("News", "Sport"), ("Sport", "Football"), ("Football", "Cup"), ("Culture", "Film")],
    )
}

fn list(all: &[Correction]) -> Corrections {
    let mut corrections = Corrections::default();
    for correction in all {
        corrections.add(Entry::new(correction.clone())).unwrap();
    }
    corrections
}

fn hide(concept: &str) -> Correction {
    Correction::Hide { concept: concept.into() }
}

fn rename(concept: &str, label: &str) -> Correction {
    Correction::Rename { concept: concept.into(), label: label.into() }
}

fn merge(concept: &str, into: &str) -> Correction {
    Correction::Merge { concept: concept.into(), into: into.into() }
}

fn split(concept: &str, forms: &[&str]) -> Correction {
    let forms = forms.iter().map(ToString::to_string).collect();
    Correction::Split { concept: concept.into(), forms, label: None }
}

fn under(concept: &str, parent: &str) -> Correction {
    Correction::Under { concept: concept.into(), parent: parent.into() }
}

fn not_under(concept: &str, parent: &str) -> Correction {
    Correction::NotUnder { concept: concept.into(), parent: parent.into() }
}

fn map(of: &str, place: &str, concept: &str) -> Correction {
    Correction::Map { site: Site::of_host(of), place: place.into(), concept: concept.into() }
}

/// Corrects, and holds the tree without the numbers of sites against what is wanted.
#[track_caller]
fn check(mined: &Taxonomy, all: &[Correction], wanted: &str) -> Corrected {
    let corrections = list(all);
    let corrected = apply(mined, &corrections);
    let tree: Vec<String> = tree_text(&corrected.taxonomy)
        .lines()
        .map(|line| line.split(" (").next().unwrap().to_owned())
        .collect();
    assert_eq!(tree.join("\n"), wanted);
    assert_eq!(apply(&corrected.taxonomy, &corrections).taxonomy, corrected.taxonomy, "again");
    corrected
}

#[track_caller]
fn causes(mined: &Taxonomy, all: &[Correction]) -> Vec<String> {
    let unmatched = apply(mined, &list(all)).unmatched;
    unmatched.iter().map(|unmatched| format!("{}: {}", unmatched.number, unmatched.cause)).collect()
}

#[test]
fn what_is_below_a_hidden_concept_goes_to_those_above() {
    let corrected =
        check(&mined(), &[hide("en:sport"), hide("en:culture")], "Film\nNews\n  Football\n    Cup");
    assert_eq!(corrected.unmatched, []);
    let pair = &corrected.taxonomy.relations[1];
    let sites: Vec<&str> = pair.sites.iter().map(Site::as_str).collect();
    assert_eq!((pair.level, sites, pair.edited), (2, vec!["0.test", "1.test"], true));
    let everything = ["News", "Sport", "Football", "Cup", "Culture", "Film"];
    let all: Vec<_> = everything.iter().map(|label| hide(&format!("en:{}", label.to_lowercase()))).collect();
    check(&mined(), &all, "");
}

#[test]
fn an_editor_names_and_merges_concepts() {
    let all = [rename("en:sport", "Sports "), merge("en:film", "en:football"), merge("en:cup", "en:film")];
    let corrected = check(&mined(), &all, "Culture\n  Football\nNews\n  Sports");
    let football = corrected.taxonomy.concept("en:football").unwrap();
    assert_eq!(football.keys, ["en:cup", "en:film", "en:football"]);
    assert_eq!(football.edited, [Edit::Merged]);
    assert_eq!(corrected.taxonomy.concept("en:sport").unwrap().edited, [Edit::Label]);
}

/// A concept of two label keys in three forms: "Sport" and "Sports" have one stem.
fn with_forms() -> Taxonomy {
    let mut mined = taxonomy(&["News", "Sport", "Film"], &[("News", "Sport")]);
    let form = |text: &str, sites| Form { text: text.into(), sites, pages: sites };
    let sport = mined.concepts.iter_mut().find(|concept| concept.key == "en:sport").unwrap();
    sport.keys = vec!["en:athlet".into(), "en:sport".into()];
    sport.forms = vec![form("Sport", 5), form("Sports", 3), form("Athletics", 2)];
    mined
}

#[test]
fn forms_that_are_split_off_take_their_label_keys_along() {
    let corrected =
        check(&with_forms(), &[split("en:sport", &["athletics"])], "Film\nNews\n  Athletics\n  Sport");
    let taxonomy = &corrected.taxonomy;
    let athletics = taxonomy.concept("en:athlet").unwrap();
    assert_eq!(
        (athletics.label.as_str(), athletics.keys.as_slice()),
        ("Athletics", &["en:athlet".to_owned()][..])
    );
    assert_eq!(taxonomy.concept("en:sport").unwrap().keys, ["en:sport"]);
    assert!([athletics, taxonomy.concept("en:sport").unwrap()].iter().all(|own| own.edited == [Edit::Split]));
    // Its main forms, too: then what is left has the other key.
    let all = [split("en:sport", &["Sport", "Sports"]), rename("en:athlet", "Track & field")];
    let corrected = check(&with_forms(), &all, "Film\nNews\n  Track & field\n  Sport");
    assert_eq!(corrected.taxonomy.concept("en:sport").unwrap().forms.len(), 2);
    // A form that shares its key with others gets a key that no label has.
    let corrected = check(&with_forms(), &[split("en:sport", &["Sports"])], "Film\nNews\n  Sport\n  Sports");
    assert_eq!(corrected.taxonomy.concept("en:~sports").unwrap().keys, ["en:~sports"]);
    let both = [split("en:sport", &["Sports"]), split("en:sport", &["Sport"])];
    check(&with_forms(), &both, "Film\nNews\n  Athletics\n  Sport\n  Sports");
}

#[test]
fn an_editor_sets_and_forbids_parents() {
    let all = [under("en:film", "en:news"), not_under("en:film", "en:culture")];
    check(&mined(), &all, "Culture\nNews\n  Film\n  Sport\n    Football\n      Cup");
    // What an editor set is shown, even if it follows from others.
    let corrected =
        check(&mined(), &[under("en:cup", "en:news")], "Culture\n  Film\nNews\n  Cup\n  Sport\n    Football");
    let cup = corrected.taxonomy.concept("en:cup").unwrap();
    assert_eq!(
        (cup.parents.as_slice(), &cup.edited),
        (&["en:football".into(), "en:news".into()][..], &vec![Edit::Parents])
    );
    // What follows from it is no longer stated.
    let corrected = check(
        &mined(),
        &[under("en:culture", "en:sport"), under("en:film", "en:sport"), under("en:news", "en:film")],
        "News\n  Sport\n    Culture\n    Film\n    Football\n      Cup",
    );
    assert_eq!(corrected.unmatched.len(), 1);
}

#[test]
fn what_does_not_apply_is_reported_with_its_cause() {
    let mined = with_forms();
    let all = [
        hide("en:opera"),
        under("en:news", "en:sport"),
        under("en:film", "en:film"),
        split("en:sport", &["Opera"]),
        split("en:film", &["film"]),
        merge("en:film", "de:film"),
    ];
    assert_eq!(
        causes(&mined, &all),
        [
            "1: there is no concept `en:opera` now",
            "2: it would close a circle: en:news > en:sport",
            "3: `en:film` and what it is related to are one concept",
            "4: `en:sport` has none of these written forms",
            "5: these are all written forms of `en:film`",
            "6: there is no concept `de:film` now",
        ]
    );
    let all = [
        merge("en:film", "en:sport"),
        merge("en:sport", "en:news"),
        merge("en:news", "en:film"),
        hide("en:film"),
        rename("en:athlet", "A"),
        map("a.test", "Film", "en:film"),
    ];
    assert_eq!(
        causes(&mined, &all),
        [
            "3: it would close a circle: en:news > en:sport > en:film",
            "4: `en:film` is merged into `en:news`",
            "5: `en:sport` is merged into `en:news`",
        ]
    );
    let all = [
        hide("en:sport"),
        map("a.test", "Sport", "en:sport"),
        under("en:film", "en:sport"),
        rename("en:film", "one"),
        map("a.test", "Movies", "en:film"),
    ];
    assert_eq!(causes(&mined, &all), ["2: `en:sport` is hidden", "3: `en:sport` is hidden"]);
    // Two keys of one concept.
    let all = [rename("en:athlet", "A"), rename("en:sport", "B")];
    assert_eq!(causes(&mined, &all), ["1: correction 2 says otherwise"]);
    let mut german = taxonomy(&["Film", "Kino"], &[]);
    german.concepts[1].language = "de".into();
    assert_eq!(
        causes(&german, &[merge("en:kino", "en:film")]),
        ["1: `en:kino` and `en:film` are concepts of different languages"]
    );
}

#[test]
fn a_correction_waits_for_its_concept() {
    let all = [hide("en:opera"), under("en:film", "en:opera")];
    let corrected = check(&mined(), &all, "Culture\n  Film\nNews\n  Sport\n    Football\n      Cup");
    assert_eq!((corrected.taxonomy, corrected.unmatched.len()), (mined(), 2));
    let returned = taxonomy(&["Film", "Opera"], &[]);
    let all = [under("en:film", "en:opera")];
    let corrected = check(&returned, &all, "Opera\n  Film");
    assert_eq!(corrected.unmatched, []);
}

#[test]
fn the_later_correction_of_one_thing_replaces_the_earlier() {
    let all = [
        rename("en:film", "Cinema"),
        under("en:film", "en:news"),
        map("a.test", "Film", "en:film"),
        not_under("en:film", "en:news"),
        rename("en:film", "Movies"),
        map("a.test", " FILM", "en:culture"),
    ];
    let corrections = list(&all);
    let left: Vec<String> = corrections.entries().iter().map(|entry| entry.correction.to_string()).collect();
    assert_eq!(
        left,
        [
            "`en:film` is not under `en:news`",
            "rename `en:film` to `Movies`",
            "` FILM` of a.test is `en:culture`"
        ]
    );
    let maps: Vec<_> = corrections.maps().collect();
    assert_eq!(maps, [(&Site::of_host("www.a.test"), " FILM", "en:culture")]);
}

#[test]
fn a_file_is_read_back_and_others_are_refused() {
    let mut corrections = list(&[split("en:sport", &["Sports"]), map("a.test", "Film", "en:film")]);
    corrections.corrections[0].note = Some("not the same".into());
    let json = corrections.to_json().unwrap();
    assert_eq!(Corrections::parse(&json).unwrap(), corrections);
    let wrong = |json: &str| Corrections::parse(json.as_bytes()).unwrap_err().to_string();
    assert_eq!(
        wrong("{\"newslode_corrections\":2,\"new\":[]}"),
        "these corrections have format 2, this version reads format 1"
    );
    assert!(wrong("[]").starts_with("these are no corrections: "));
    let entry = |fields: &str| format!("{{\"newslode_corrections\":1,\"corrections\":[{{{fields}}}]}}");
    assert!(wrong(&entry("\"kind\":\"burn\",\"concept\":\"en:a\"")).contains("unknown variant `burn`"));
    assert_eq!(
        wrong(&entry("\"kind\":\"hide\",\"concept\":\" \"")),
        "a correction needs its concept, of at most 1000 bytes"
    );
    let two = "\"kind\":\"hide\",\"concept\":\"en:a\",\"number\":4},{\"kind\":\"hide\",\"concept\":\"en:b\",\"number\":4";
    assert_eq!(wrong(&entry(two)), "two corrections have the number 4");
    // Who writes a file by hand needs no numbers.
    let read = Corrections::parse(entry(&two.replace(",\"number\":4", "")).as_bytes()).unwrap();
    assert_eq!(read.entries().iter().map(|entry| entry.number).collect::<Vec<_>>(), [1, 2]);
}

/// Number of concepts in random taxonomies.
const MOST_CONCEPTS: usize = 9;

fn name(number: usize) -> String {
    format!("c{number}")
}

fn key(number: usize) -> String {
    format!("en:{}", name(number))
}

fn random_taxonomy() -> impl Strategy<Value = Taxonomy> {
    let pairs = prop::collection::vec((0..MOST_CONCEPTS, 0..MOST_CONCEPTS), 0..16);
    (1..MOST_CONCEPTS, pairs).prop_map(|(count, pairs)| {
        let labels: Vec<String> = (0..count).map(name).collect();
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        let pairs: BTreeSet<(String, String)> =
            pairs.into_iter().map(|(a, b)| (name(a % count), name(b % count))).collect();
        let pairs: Vec<(&str, &str)> =
            pairs.iter().map(|(a, b)| (a.as_str(), b.as_str())).filter(|(a, b)| a != b).collect();
        taxonomy(&labels, &pairs)
    })
}

/// Corrections of the structure, some of which do not apply.
fn random_corrections() -> impl Strategy<Value = Vec<Correction>> {
    let one = (0..5_usize, 0..MOST_CONCEPTS, 0..MOST_CONCEPTS).prop_map(|(kind, a, b)| match kind {
        0 => hide(&key(a)),
        1 => merge(&key(a), &key(b)),
        2 => under(&key(a), &key(b)),
        3 => not_under(&key(a), &key(b)),
        _ => rename(&key(a), &format!("label {b}")),
    });
    prop::collection::vec(one, 0..8)
}

type Pairs = BTreeSet<(String, String)>;

/// All pairs that follow from these, by trying every step again until nothing is new.
fn closure(pairs: &Pairs) -> Pairs {
    let mut all = pairs.clone();
    loop {
        let mut next = all.clone();
        for (a, b) in &all {
            next.extend(all.iter().filter(|(c, _)| b == c).map(|(_, d)| (a.clone(), d.clone())));
        }
        if next == all {
            return all;
        }
        all = next;
    }
}

/// The pairs of a taxonomy that is corrected by hiding, forbidding and setting, written down plainly. Pairs that would close a
/// circle are left out.
fn plain(mined: &Taxonomy, corrections: &Corrections) -> (BTreeSet<String>, Pairs) {
    let mut concepts: BTreeSet<String> = mined.concepts.iter().map(|concept| concept.key.clone()).collect();
    let mut pairs: Pairs =
        mined.relations.iter().map(|pair| (pair.broader.clone(), pair.narrower.clone())).collect();
    let has = |concepts: &BTreeSet<String>, pair: &(String, String)| {
        concepts.contains(&pair.0) && concepts.contains(&pair.1) && pair.0 != pair.1
    };
    let mut hidden = BTreeSet::new();
    let mut forbidden = Pairs::new();
    for entry in corrections.entries() {
        match &entry.correction {
            Correction::Hide { concept } => drop(hidden.insert(concept.clone())),
            Correction::NotUnder { concept, parent } => {
                forbidden.insert((parent.clone(), concept.clone()));
            }
            _ => {}
        }
    }
    pairs.retain(|pair| !forbidden.contains(pair));
    // A way through hidden concepts alone relates its ends.
    let mut through = pairs.clone();
    loop {
        let more: Pairs = through
            .iter()
            .filter(|(_, b)| hidden.contains(b))
            .flat_map(|(a, b)| {
                pairs.iter().filter(move |(c, _)| b == c).map(move |(_, d)| (a.clone(), d.clone()))
            })
            .collect();
        if more.is_subset(&through) {
            break;
        }
        through.extend(more);
    }
    concepts.retain(|key| !hidden.contains(key));
    through.retain(|pair| has(&concepts, pair) && !forbidden.contains(pair));
    for entry in corrections.entries() {
        if let Correction::Under { concept, parent } = &entry.correction {
            let pair = (parent.clone(), concept.clone());
            if has(&concepts, &pair) && !closure(&through).contains(&(pair.1.clone(), pair.0.clone())) {
                through.insert(pair);
            }
        }
    }
    (concepts, closure(&through))
}

proptest! {
    #[test]
    fn corrections_are_as_plainly_written_down(mined in random_taxonomy(), all in random_corrections()) {
        let all: Vec<Correction> =
            all.into_iter().filter(|one| !matches!(one, Correction::Merge { .. })).collect();
        let corrections = list(&all);
        let Corrected { taxonomy, .. } = apply(&mined, &corrections);
        let (concepts, pairs) = plain(&mined, &corrections);
        let own: Pairs =
            taxonomy.relations.iter().map(|pair| (pair.broader.clone(), pair.narrower.clone())).collect();
        prop_assert_eq!(taxonomy.concepts.iter().map(|c| c.key.clone()).collect::<BTreeSet<_>>(), concepts);
        prop_assert_eq!(closure(&own), pairs);
    }

    #[test]
    fn a_corrected_taxonomy_is_sound(mined in random_taxonomy(), all in random_corrections()) {
        let corrections = list(&all);
        let Corrected { taxonomy, unmatched } = apply(&mined, &corrections);
        let own: Pairs =
            taxonomy.relations.iter().map(|pair| (pair.broader.clone(), pair.narrower.clone())).collect();
        prop_assert!(closure(&own).iter().all(|(a, b)| a != b), "a circle");
        let mut parents: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for pair in &taxonomy.relations {
            prop_assert!(taxonomy.concept(&pair.broader).is_some());
            parents.entry(&pair.narrower).or_default().push(&pair.broader);
        }
        for concept in &taxonomy.concepts {
            let above = parents.get(concept.key.as_str()).cloned().unwrap_or_default();
            prop_assert_eq!(&concept.parents, &above);
            prop_assert_eq!(concept.parent.is_none(), above.is_empty());
            prop_assert!(concept.parent.iter().all(|shown| above.contains(&shown.as_str())));
            prop_assert!(concept.keys.contains(&concept.key));
        }
        // Once corrected, nothing is left to correct. The key of a merged concept then means the other one, so without merging.
        let is_merged = all.iter().any(|one| matches!(one, Correction::Merge { .. }));
        if !is_merged {
            prop_assert_eq!(&apply(&taxonomy, &corrections).taxonomy, &taxonomy);
        }
        // What does not apply changes nothing.
        let mut applied = corrections.clone();
        unmatched.iter().for_each(|unmatched| drop(applied.remove(unmatched.number)));
        let without = apply(&mined, &applied);
        prop_assert_eq!(&without.taxonomy, &taxonomy);
        prop_assert_eq!(without.unmatched, []);
    }

    #[test]
    fn the_order_of_independent_corrections_does_not_matter(
        mined in random_taxonomy(),
        all in random_corrections(),
        seed in 0..1_000_usize,
    ) {
        let first = list(&all);
        let Corrected { taxonomy, unmatched } = apply(&mined, &first);
        // Those that are in another one's way are not independent.
        let is_set = |one: &Correction| matches!(one, Correction::Under { .. });
        prop_assume!(unmatched.iter().all(|unmatched| matches!(unmatched.cause, Cause::Missing { .. })));
        prop_assume!(first.entries().len() == all.len());
        prop_assume!(all.iter().filter(|one| is_set(one)).count() < 2);
        let mut other = all.clone();
        other.rotate_left(seed % all.len().max(1));
        prop_assert_eq!(apply(&mined, &list(&other)).taxonomy, taxonomy);
    }
}
