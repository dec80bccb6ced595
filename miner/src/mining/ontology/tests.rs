//! Independent readers parse the Turtle and find what the taxonomy and the articles say.

#![allow(clippy::unwrap_used, reason = "compiled for tests alone, which say what broke by panicking")]

use std::path::Path;
use std::process::Command;

use newslode_page::instances::Attribute;
use newslode_page::reading::Site;
use newslode_page::tagging::Pair;
use oxttl::TurtleParser;

use super::*;
use crate::mining::registry::Registry;
use crate::mining::testing::{self, form};

fn concept(key: &str, label: &str, parents: &[&str]) -> Concept {
    let made = testing::concept(key, label, parents);
    Concept {
        forms: vec![form(label), form("a \"quoted\" \\ form\n\u{1}<&>")],
        sites: vec![Site::of_host("a.test"), Site::of_host("b.test")],
        parent: made.parents.first().cloned(),
        ..made
    }
}

/// Of a taxonomy that had the concepts "opera" and "ballet", of which one is part of the arts now.
fn registry(taxonomy: &Taxonomy) -> Registry {
    let mut before = taxonomy.clone();
    before.concepts.extend(["en:ballet", "en:opera"].map(|key| concept(key, &key[3..], &[])));
    let mut after = taxonomy.clone();
    after.concepts[1].keys = vec!["en:art".into(), "en:opera".into()];
    let mut registry = Registry::default();
    registry.follow(&before, newslode_page::time::Timestamp(1));
    registry.follow(&after, newslode_page::time::Timestamp(2));
    registry
}

fn document(form: RdfForm) -> Vec<u8> {
    let relation = Relation {
        broader: "en:art".into(),
        narrower: "en:<jazz> %é".into(),
        level: 1,
        sites: vec![Site::of_host("a.test")],
        is_listed: false,
        edited: false,
    };
    let taxonomy = Taxonomy {
        support: 2,
        sites: 2,
        concepts: vec![
            concept("en:<jazz> %é", "Jazz & \"Blues\"", &["en:art"]),
            concept("en:art", "Arts", &[]),
        ],
        relations: vec![relation],
        schemes: String::new(),
    };
    let article = Article {
        title: Some("He said \"so\"".into()),
        authors: vec!["A. Writer".into()],
        published: Some("2024-02-03T04:05:06Z".into()),
        modified: Some("yesterday".into()),
        section: Some("ARTS".into()),
        ..testing::article("https://a.test/story?a={1}|2")
    };
    let mut writer = OntologyWriter::new(Vec::new(), BASE, form).unwrap();
    writer.taxonomy(&taxonomy, &registry(&taxonomy)).unwrap();
    let place = |label: &str, address: Option<&str>, kind| Place {
        label: label.into(),
        address: address.map(str::to_owned),
        kind,
        evidence: vec!["link".into()],
        probability: 0.9,
    };
    let arts = place("Arts & \"Life\"", Some("https://a.test/arts/{1}/"), PlaceKind::Section);
    let places =
        [arts.clone(), place("Jazz\u{1}", None, PlaceKind::Tag), place("JAZZ", None, PlaceKind::Tag)];
    assert!(writer.article(&article, &["en:art".to_owned()].into(), &places, None).unwrap());
    let again = testing::article("https://a.test/other");
    assert!(writer.article(&again, &["en:art".to_owned()].into(), &[arts], None).unwrap());
    let other = Article { site: "b.test".into(), ..testing::article("https://b.test/story") };
    let same_name = place("Jazz", None, PlaceKind::Section);
    assert!(writer.article(&other, &["en:art".to_owned()].into(), &[same_name], None).unwrap());
    let scheme = SiteScheme::nested(&[("Sport", "Ball games"), ("Ball games", "Tennis")]);
    let tennis = Article { site: "c.test".into(), ..testing::article("https://c.test/story") };
    let own = place("Tennis", None, PlaceKind::Section);
    assert!(writer.article(&tennis, &BTreeSet::new(), &[own], Some(&scheme)).unwrap());
    assert!(writer.instance(&river()).unwrap());
    writer.finish().unwrap()
}

/// An instance whose template takes the text after a value for one, and finds one attribute more.
fn river() -> ConceptInstance {
    let pair = |label: &str, value: &str| Pair { label: label.into(), value: value.into() };
    let own = |label: Option<&str>, values: &[&str]| Attribute {
        label: label.map(str::to_owned),
        values: values.iter().map(|value| (*value).to_owned()).collect(),
    };
    ConceptInstance {
        url: "https://a.test/aare".parse().unwrap(),
        concepts: vec!["en:art".into()],
        listed_on: "https://a.test/rivers".parse().unwrap(),
        attributes: vec![
            own(None, &["Aare"]),
            own(Some("LENGTH"), &["288 km", "A river."]),
            own(Some("Fish"), &["trout"]),
        ],
        pairs: vec![pair("Length", "288 \"km\""), pair("Towns", "Bern"), pair("Towns", "Thun\u{1}")],
    }
}

#[test]
fn an_instance_has_its_attributes_and_the_parts_that_only_its_template_reads() {
    let river = river();
    let found = properties(&river);
    let expected =
        [("Length", vec!["288 \"km\""]), ("Towns", vec!["Bern", "Thun\u{1}"]), ("Fish", vec!["trout"])];
    assert_eq!(found, expected);
    let row = |number: usize| Pair { label: format!("Row {number}"), value: "x".into() };
    let many = ConceptInstance { pairs: (0..300).map(row).collect(), ..river };
    assert_eq!(properties(&many).len(), MOST_PROPERTIES);
}

#[test]
fn the_ontology_parses_into_the_expected_triples() {
    let triples: Vec<String> = TurtleParser::new()
        .for_slice(&document(RdfForm::Turtle))
        .map(|triple| triple.unwrap().to_string())
        .collect();
    for wanted in [
        "<urn:newslode:concept:en%3A%3Cjazz%3E%20%25%C3%A9> <http://www.w3.org/2004/02/skos/core#broader> <urn:newslode:concept:en%3Aart>",
        "<https://a.test/story?a=%7B1%7D%7C2> <https://schema.org/about> <urn:newslode:concept:en%3Aart>",
        "<https://schema.org/datePublished> \"2024-02-03T04:05:06Z\"^^<http://www.w3.org/2001/XMLSchema#dateTime>",
        "<http://www.w3.org/2004/02/skos/core#prefLabel> \"Arts\"@en",
        "<https://schema.org/dateModified> \"yesterday\"",
        "<https://a.test/aare> <https://schema.org/additionalProperty> <urn:newslode:attribute:https%3A%2F%2Fa.test%2Faare/1>",
        "<urn:newslode:attribute:https%3A%2F%2Fa.test%2Faare/1> <https://schema.org/name> \"Towns\"",
        "<urn:newslode:attribute:https%3A%2F%2Fa.test%2Faare/1> <https://schema.org/value> \"Bern\"",
        "<https://schema.org/value> \"288 \\\"km\\\"\"",
        "<urn:newslode:scheme:a.test> <urn:newslode:vocabulary:site> \"a.test\"",
        "<https://a.test/other> <http://purl.org/dc/terms/subject> <urn:newslode:place:a.test/https%3A%2F%2Fa.test%2Farts%2F%7B1%7D%2F>",
        "<urn:newslode:place:a.test/https%3A%2F%2Fa.test%2Farts%2F%7B1%7D%2F> <https://schema.org/url> <https://a.test/arts/%7B1%7D/>",
        "<urn:newslode:place:a.test/https%3A%2F%2Fa.test%2Farts%2F%7B1%7D%2F> <urn:newslode:vocabulary:kind> \"section\"",
        "<urn:newslode:place:a.test/jazz> <http://www.w3.org/2004/02/skos/core#topConceptOf> <urn:newslode:scheme:a.test>",
        "<urn:newslode:concept:en%3Aopera> <http://www.w3.org/2002/07/owl#deprecated> \"true\"",
        "<urn:newslode:concept:en%3Aopera> <http://purl.org/dc/terms/isReplacedBy> <urn:newslode:concept:en%3Aart>",
        "<urn:newslode:concept:en%3Aart> <http://purl.org/dc/terms/identifier> \"c",
        "<urn:newslode:place:b.test/jazz> <http://www.w3.org/2004/02/skos/core#inScheme> <urn:newslode:scheme:b.test>",
        "<urn:newslode:place:c.test/tennis> <http://www.w3.org/2004/02/skos/core#broader> <urn:newslode:place:c.test/ball%20games>",
        "<urn:newslode:place:c.test/sport> <http://www.w3.org/2004/02/skos/core#narrower> <urn:newslode:place:c.test/ball%20games>",
        "<urn:newslode:place:c.test/sport> <http://www.w3.org/2004/02/skos/core#topConceptOf> <urn:newslode:scheme:c.test>",
        "<urn:newslode:relation:place:c.test/sport/ball%20games> <urn:newslode:vocabulary:site> \"c.test\"",
    ] {
        assert!(triples.iter().any(|triple| triple.contains(wanted)), "{wanted} is missing in {triples:#?}");
    }
    assert!(!triples.iter().any(|triple| triple.contains("ballet")), "a concept that is gone is not written");
    let tops =
        triples.iter().filter(|triple| triple.contains("place:c.test/") && triple.contains("topConceptOf"));
    assert_eq!(tops.count(), 1, "{triples:#?}");
    let labels =
        triples.iter().filter(|triple| triple.contains("place:a.test/") && triple.contains("prefLabel"));
    assert_eq!(labels.count(), 2, "a place is written once, also by another spelling: {triples:#?}");
}

#[test]
fn an_invalid_base_iri_is_refused() {
    assert!(OntologyWriter::new(Vec::new(), "no base ", RdfForm::Turtle).is_err());
}

/// Tests that ask programs in Python.
mod python {
    use super::*;

    /// rapper, rdflib and pyshacl: see `tests/ontology/run.sh`.
    #[test]
    fn other_rdf_readers_see_the_same_graph_in_both_forms() {
        let folder = tempfile::tempdir().unwrap();
        let (turtle, xml) = (folder.path().join("o.ttl"), folder.path().join("o.rdf"));
        std::fs::write(&turtle, document(RdfForm::Turtle)).unwrap();
        std::fs::write(&xml, document(RdfForm::Xml)).unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/ontology/run.sh");
        let run = Command::new(script).args([turtle, xml]).output().unwrap();
        let said =
            [run.stdout, run.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        assert!(run.status.success(), "{said}");
        assert!(
            said.contains("2 concepts, 3 relations, 4 articles, 6 places in the schemes of 3 sites, 1 other instances with 3 properties")
                && said.contains("notice 21 damages"),
            "{said}"
        );
    }
}
