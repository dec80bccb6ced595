//! Reading in all syntaxes, hostile files, and the schemes that come with the product.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use oxjsonld::JsonLdSerializer;
use oxrdf::{BlankNode, GraphName, Literal, NamedNode, NamedOrBlankNode, Quad, Term, Triple};
use oxrdfxml::RdfXmlSerializer;
use oxttl::{NTriplesSerializer, TurtleSerializer};
use proptest::prelude::*;

use super::results::{Note, Schemes};
use super::*;

const PREFIXES: &str = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix xl: <http://www.w3.org/2008/05/skos-xl#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix dcterms: <http://purl.org/dc/terms/> . @prefix : <urn:x:> .\n";

fn read_text(format: Format, text: &str) -> Result<Schemes, ReadError> {
    read("made.file", format, text.as_bytes(), &Limits::default())
}

#[track_caller]
fn turtle(text: &str) -> Schemes {
    read_text(Format::Turtle, &format!("{PREFIXES}{text}")).unwrap()
}

/// A scheme in short: a line per concept.
fn outline(scheme: &Scheme) -> String {
    let mut out = format!("{} “{}”\n", scheme.uri(), scheme.title());
    for concept in scheme.concepts() {
        write!(out, "{}", concept.uri()).unwrap();
        for label in concept.labels() {
            let kind = match label.kind {
                LabelKind::Preferred => "",
                LabelKind::Alternative => "alt ",
                LabelKind::Hidden => "hidden ",
            };
            write!(out, " | {kind}{}@{}", label.text, label.language).unwrap();
        }
        for broad in concept.broader() {
            write!(out, " < {}", scheme.concept(*broad).unwrap().uri()).unwrap();
        }
        concept.notations().for_each(|code| write!(out, " #{code}").unwrap());
        concept.exact_matches().for_each(|uri| write!(out, " = {uri}").unwrap());
        writeln!(out, "{}", if concept.is_top() { " top" } else { "" }).unwrap();
    }
    out
}

#[track_caller]
fn check(text: &str, outlines: &[&str], notes: &[(Note, u64)]) {
    let read = turtle(text);
    let shown: Vec<String> = read.schemes.iter().map(outline).collect();
    assert_eq!(shown, outlines);
    assert_eq!(
        read.notes.iter().map(|(note, count, _)| (note, count)).collect::<Vec<_>>(),
        notes,
        "{}",
        read.notes
    );
}

#[test]
fn the_whole_vocabulary_is_read() {
    check(
        r#":s a skos:ConceptScheme ; dcterms:title "Thema"@de, "Subjects"@en ; skos:hasTopConcept :sport .
        :sport a skos:Concept ; skos:prefLabel "Sport"@EN, "Sport"@de ; skos:altLabel "Sports"@en ; skos:narrower :ball .
        :ball skos:inScheme :s ; skos:notation "1.2" ; skos:exactMatch <http://else.where/ball> ; skos:hiddenLabel "bal"@en ;
            xl:prefLabel [ xl:literalForm "Ball"@en ] ; xl:altLabel :l . :l a xl:Label ; xl:literalForm "Balls"@en .
        :cup skos:broader :ball ; skos:prefLabel "Cup"@en ; skos:related :sport ; skos:scopeNote "What is won" .
        :old a skos:Concept ; skos:prefLabel "Old"@en ; owl:deprecated true .
        :group a skos:Collection ; skos:prefLabel "Things"@en ; skos:member :cup ."#,
        &["urn:x:s “Subjects”\n\
           urn:x:ball | Ball@en | alt Balls@en | hidden bal@en < urn:x:sport #1.2 = http://else.where/ball\n\
           urn:x:cup | Cup@en < urn:x:ball\n\
           urn:x:sport | Sport@de | Sport@en | alt Sports@en top\n"],
        &[(Note::Deprecated, 1)],
    );
}

#[test]
fn ancestors_alone_give_the_nearest_as_broader() {
    check(
        r#":a skos:prefLabel "a" ; skos:broaderTransitive :b, :c . :b skos:prefLabel "b" ; skos:broaderTransitive :c .
        :c skos:prefLabel "c" ; skos:narrowerTransitive :a, :b ."#,
        &["made.file “”\nurn:x:a | a@ < urn:x:b\nurn:x:b | b@ < urn:x:c\nurn:x:c | c@ top\n"],
        &[],
    );
}

#[test]
fn cycles_are_broken_below_the_top_and_not_by_the_order_of_the_file() {
    let statements = [
        r#":a skos:broader :b ; skos:prefLabel "a" ."#,
        r#":b skos:broader :c ; skos:prefLabel "b" ; skos:topConceptOf :s ."#,
        r#":c skos:broader :a ; skos:prefLabel "c" ."#,
        r#":d skos:broader :d ; skos:prefLabel "d" ."#,
    ];
    let expected =
        "urn:x:s “”\nurn:x:a | a@ < urn:x:b\nurn:x:b | b@ top\nurn:x:c | c@ < urn:x:a\nurn:x:d | d@ top\n";
    check(&statements.concat(), &[expected], &[(Note::Cycle, 1)]);
    let reversed: String = statements.iter().rev().copied().collect();
    check(&reversed, &[expected], &[(Note::Cycle, 1)]);
}

#[test]
fn what_single_statements_lack_is_noted() {
    check(
        r#":a a skos:Concept ; skos:broader :gone . :b skos:prefLabel "b"@en, "B"@en, "" , "\u0007 \u202E" ; skos:broader :a .
        [] a skos:Concept ; skos:prefLabel "no name" . :c skos:prefLabel "спорт"@ru , "x\u0000y\n z"@en ."#,
        &[
            "made.file “”\nurn:x:a top\nurn:x:b | B@en | alt b@en < urn:x:a\nurn:x:c | x y z@en | спорт@ru top\n",
        ],
        &[
            (Note::DanglingBroader, 1),
            (Note::Unlabelled, 1),
            (Note::Anonymous, 1),
            (Note::Unusable, 2),
            (Note::SecondPreferred, 1),
        ],
    );
    let long = "x".repeat(1_001);
    let read = turtle(&format!(
        r#":a skos:prefLabel "a", "{long}" ; skos:altLabel "{}" ."#,
        "word ".repeat(100_000)
    ));
    assert_eq!(outline(&read.schemes[0]), "made.file “”\nurn:x:a | a@ top\n");
    assert_eq!(read.notes.count(Note::Unusable), 2);
    assert_eq!(read.notes.to_string(), "2 texts or URIs that are empty or too long, left out");
}

#[test]
fn several_schemes_of_a_file_are_told_apart() {
    check(
        r#":one a skos:ConceptScheme ; skos:prefLabel "One"@en . :two a skos:ConceptScheme .
        :a skos:inScheme :one ; skos:prefLabel "a" . :b skos:broader :a ; skos:prefLabel "b" .
        :c skos:topConceptOf :two ; skos:broader :a ; skos:prefLabel "c" . :d skos:inScheme :one, :two ; skos:prefLabel "d" .
        :e skos:prefLabel "e" ."#,
        &[
            "made.file “”\nurn:x:e | e@ top\n",
            "urn:x:one “One”\nurn:x:a | a@ top\nurn:x:b | b@ < urn:x:a\nurn:x:d | d@ top\n",
            "urn:x:two “”\nurn:x:c | c@ top\nurn:x:d | d@ top\n",
        ],
        &[(Note::BroaderElsewhere, 1), (Note::WithoutScheme, 1)],
    );
}

#[track_caller]
fn fails(format: Format, text: &str, expected: &str) {
    let error = read_text(format, text).map(|read| outline(&read.schemes[0])).unwrap_err();
    assert_eq!(error.to_string(), expected);
}

#[test]
fn errors_name_file_line_cause_and_remedy() {
    let validate = "check it with a validator, or convert it to Turtle";
    fails(
        Format::Turtle,
        ":a\n:b 'c' .",
        &format!("`made.file`, line 1, is not valid Turtle: The prefix : has not been declared; {validate}"),
    );
    let error = read_text(
        Format::RdfXml,
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>\n\n<a></b>",
    )
    .unwrap_err();
    assert!(error.to_string().starts_with("`made.file`, line 3, is not valid RDF/XML: "), "{error}");
    let error = read_text(Format::JsonLd, "{\n\"a\": }").unwrap_err();
    assert!(error.to_string().starts_with("`made.file`, line 2, is not valid JSON-LD: "), "{error}");
    fails(
        Format::NTriples,
        "<urn:a> <urn:b> <urn:c> .\n",
        "`made.file` has no concepts of SKOS among its 1 statements; is it a thesaurus in SKOS, and the whole file?",
    );
    let error = read_text(Format::JsonLd, r#"{"@context": "http://127.0.0.1:9/skos.json", "@id": "urn:a"}"#)
        .unwrap_err();
    assert!(matches!(error, ReadError::RemoteContext { .. }), "{error}");
    let error = read_text(
        Format::JsonLd,
        r#"{"@context": {"@import": "http://127.0.0.1:9/skos.json"}, "@id": "urn:a"}"#,
    );
    assert!(matches!(error.unwrap_err(), ReadError::RemoteContext { .. }));
    assert_eq!(Format::of_name("a/b.TTL").unwrap(), Format::Turtle);
    assert!(Format::of_name("list.csv").unwrap_err().to_string().contains("`list.csv`"));
}

#[test]
fn files_that_are_empty_or_no_rdf_are_named() {
    for format in [Format::Turtle, Format::NTriples, Format::RdfXml, Format::JsonLd] {
        for text in ["", "\n", "Sport\nPolitics\n", "\u{feff}", "\0\0"] {
            let error = read_text(format, text).map(|_| ()).unwrap_err().to_string();
            assert!(error.starts_with("`made.file`"), "{format} {text:?}: {error}");
        }
    }
}

#[test]
fn limits_hold() {
    let text = format!("{PREFIXES}:a skos:prefLabel 'a', 'b' . :b skos:broader :a ; skos:prefLabel 'b' .");
    let read_within = |limits| {
        read("f.ttl", Format::Turtle, text.as_bytes(), &limits).map(|_| ()).map_err(|error| error.to_string())
    };
    let limits = Limits::default();
    assert_eq!(read_within(limits), Ok(()));
    let too_large = |limits, what: &str| {
        let error = read_within(limits).unwrap_err();
        assert_eq!(
            error,
            format!("`f.ttl` has more than {what}; leave out what is not needed, or split the file")
        );
    };
    too_large(Limits { bytes: 20, ..limits }, "20 bytes");
    too_large(Limits { concepts: 1, ..limits }, "1 concepts and labels with URIs");
    too_large(Limits { statements: 1, ..limits }, "1 labels");
    let json = Limits { json_bytes: 2, ..limits };
    assert!(matches!(
        read("f", Format::JsonLd, &b"{   }"[..], &json),
        Err(ReadError::TooLarge { limit: 2, .. })
    ));
}

#[test]
fn files_that_are_made_to_exhaust_are_refused() {
    let hostile = |format, text: &str, cause: &str| match read_text(format, text).map(|_| ()) {
        Err(error @ ReadError::Hostile { .. }) => assert!(error.to_string().contains(cause), "{error}"),
        other => panic!("{cause}: {other:?}"),
    };
    for open in ["[", "{\"@graph\":", "{\"@context\":"] {
        hostile(Format::JsonLd, &open.repeat(100_000), "nests more than 64");
    }
    let bomb = |entities: &str| format!("<?xml version='1.0'?>\n<!DOCTYPE rdf:RDF [{entities}]>\n<rdf:RDF/>");
    hostile(Format::RdfXml, &bomb(r#"<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">"#), "by other entities");
    hostile(Format::RdfXml, &bomb(&format!(r#"<!ENTITY a "{}">"#, "a".repeat(300))), "256 bytes");
    hostile(Format::RdfXml, &bomb(&r#"<!ENTITY a "a">"#.repeat(201)), "200 entities");
    let many: String = (0..10_000).fold(String::new(), |mut all, n| {
        write!(all, " a{n}='x'").unwrap();
        all
    });
    hostile(Format::RdfXml, &format!("<rdf:RDF{many}/>"), "32 KiB");
    let root = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:x='urn:x:'>";
    let text = format!("{root}<rdf:Description rdf:about='urn:x:a'><x:b>{}", "x".repeat(300 << 10));
    hostile(Format::RdfXml, &text, "256 KiB");
    // Depth that needs no recursion is only a question of bytes.
    let lists = format!(
        "{PREFIXES}:a skos:prefLabel 'a' ; skos:related {}{} .",
        "(".repeat(20_000),
        ")".repeat(20_000)
    );
    assert!(read_text(Format::Turtle, &lists).is_ok());
    let tags = format!(
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:x='urn:x:'>{}",
        "<x:a>".repeat(20_000)
    );
    assert!(read_text(Format::RdfXml, &tags).is_err());
}

#[test]
fn namespaces_by_entities_are_read_as_many_thesauri_have_them() {
    let text = r#"<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [<!ENTITY skos "http://www.w3.org/2004/02/skos/core#">]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="&skos;">
<rdf:Description rdf:about="urn:x:a"><rdf:type rdf:resource="&skos;Concept"/><skos:prefLabel xml:lang="en">A &amp; b</skos:prefLabel>
</rdf:Description></rdf:RDF>"#;
    assert_eq!(
        outline(&read_text(Format::RdfXml, text).unwrap().schemes[0]),
        "made.file “”\nurn:x:a | A & b@en top\n"
    );
}

/// A made graph: statements in an order of their own.
fn statements() -> impl Strategy<Value = Vec<Triple>> {
    let node = |number: u8| NamedNode::new_unchecked(format!("urn:x:{number}"));
    let skos = |name: &str| NamedNode::new_unchecked(format!("http://www.w3.org/2004/02/skos/core#{name}"));
    let xl = |name: &str| NamedNode::new_unchecked(format!("http://www.w3.org/2008/05/skos-xl#{name}"));
    let text = prop_oneof!["[a-zA-Z éßŁ&<>'\"\\\\]{0,8}", "[а-яا-ي中文\u{200C}\u{301}\u{7}\n\t ]{0,6}"];
    let literal = (text, prop_oneof![Just(""), Just("en"), Just("de"), Just("zh-Hant")]).prop_map(
        |(text, language)| {
            // XML has no place for most control characters, so none of its writers can be given them.
            let text = text.replace('\u{7}', " ");
            match language {
                "" => Literal::new_simple_literal(text),
                tag => Literal::new_language_tagged_literal_unchecked(text, tag.to_ascii_lowercase()),
            }
        },
    );
    let kind = prop_oneof![Just("prefLabel"), Just("altLabel"), Just("hiddenLabel")];
    let relation = prop_oneof![
        Just("broader"),
        Just("narrower"),
        Just("broaderTransitive"),
        Just("inScheme"),
        Just("topConceptOf"),
        Just("hasTopConcept"),
        Just("exactMatch"),
        Just("related")
    ];
    let class = prop_oneof![Just("Concept"), Just("Concept"), Just("ConceptScheme"), Just("Collection")];
    let one = prop_oneof![
        4 => (0..12_u8, kind.clone(), literal.clone()).prop_map(move |(of, kind, text)| vec![Triple::new(node(of), skos(kind), text)]),
        4 => (0..14_u8, relation, 0..14_u8).prop_map(move |(a, name, b)| vec![Triple::new(node(a), skos(name), node(b))]),
        2 => (0..14_u8, class).prop_map(move |(of, class)| vec![Triple::new(node(of), oxrdf::vocab::rdf::TYPE, skos(class))]),
        1 => (0..12_u8, literal.clone()).prop_map(move |(of, text)| vec![Triple::new(node(of), skos("notation"), text)]),
        1 => (0..12_u8, any::<bool>()).prop_map(move |(of, yes)| {
            vec![Triple::new(node(of), NamedNode::new_unchecked("http://www.w3.org/2002/07/owl#deprecated"), Literal::from(yes))]
        }),
        1 => (0..12_u8, kind, literal, any::<bool>(), 0..99_u32).prop_map(move |(of, kind, text, blank, number)| {
            let label: NamedOrBlankNode = match blank {
                true => BlankNode::new_unchecked(format!("l{number}")).into(),
                false => NamedNode::new_unchecked(format!("urn:x:l{number}")).into(),
            };
            vec![Triple::new(node(of), xl(kind), label.clone()), Triple::new(label, xl("literalForm"), text)]
        }),
    ];
    prop::collection::vec(one, 1..60).prop_map(|all| all.concat())
}

fn write_as(format: Format, triples: &[Triple]) -> Vec<u8> {
    match format {
        Format::Turtle => {
            let mut out = TurtleSerializer::new()
                .with_prefix("skos", "http://www.w3.org/2004/02/skos/core#")
                .unwrap()
                .for_writer(Vec::new());
            triples.iter().for_each(|triple| out.serialize_triple(triple).unwrap());
            out.finish().unwrap()
        }
        Format::NTriples => {
            let mut out = NTriplesSerializer::new().for_writer(Vec::new());
            triples.iter().for_each(|triple| out.serialize_triple(triple).unwrap());
            out.finish()
        }
        Format::RdfXml => {
            let mut out = RdfXmlSerializer::new().for_writer(Vec::new());
            triples.iter().for_each(|triple| out.serialize_triple(triple).unwrap());
            out.finish().unwrap()
        }
        Format::JsonLd => {
            let mut out = JsonLdSerializer::new().for_writer(Vec::new());
            for triple in triples {
                let Triple { subject, predicate, object } = triple.clone();
                out.serialize_quad(&Quad::new(subject, predicate, object, GraphName::DefaultGraph)).unwrap();
            }
            out.finish().unwrap()
        }
    }
}

proptest! {
    #[test]
    fn a_graph_reads_as_the_same_schemes_in_any_syntax_and_order(triples in statements(), seed in any::<u64>()) {
        let expected = read("f", Format::NTriples, &write_as(Format::NTriples, &triples)[..], &Limits::default());
        let shown = |read: Result<Schemes, ReadError>| match read {
            Ok(read) => {
                for scheme in &read.schemes {
                    for concept in scheme.concepts() {
                        assert!(!scheme.ancestors(concept.number()).contains(&concept.number()), "a cycle");
                        assert_eq!(scheme.find(concept.uri()).unwrap().number(), concept.number());
                    }
                }
                let outlines: Vec<String> = read.schemes.iter().map(outline).collect();
                let digests: Vec<String> = read.schemes.iter().map(|scheme| scheme.digest().to_owned()).collect();
                Ok((outlines, digests, read.notes))
            }
            Err(ReadError::NoConcepts { .. }) => Err("no concepts"),
            Err(other) => panic!("{other}"),
        };
        let expected = shown(expected);
        let mut shuffled = triples.clone();
        let mut state = seed | 1;
        for at in (1..shuffled.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            shuffled.swap(at, (state >> 33) as usize % (at + 1));
        }
        for format in [Format::Turtle, Format::NTriples, Format::RdfXml, Format::JsonLd] {
            for order in [&triples, &shuffled] {
                let text = write_as(format, order);
                let own = shown(read("f", format, &text[..], &Limits::default()));
                prop_assert_eq!(&own, &expected, "{} {}", format, String::from_utf8_lossy(&text));
            }
        }
    }

    #[test]
    fn no_bytes_make_the_reader_panic(text in "[<>a-z:@\"'{}\\[\\]&;#/. !ENTIYDOC\n]{0,120}") {
        for format in [Format::Turtle, Format::NTriples, Format::RdfXml, Format::JsonLd] {
            let _ignored = read("f", format, text.as_bytes(), &Limits::default()).map(|read| read.schemes.len());
        }
    }
}

#[test]
fn damaged_files_of_each_syntax_end_in_an_error_or_a_scheme() {
    let triples: Vec<Triple> = vec![
        Triple::new(
            NamedNode::new_unchecked("urn:x:a"),
            NamedNode::new_unchecked("http://www.w3.org/2004/02/skos/core#prefLabel"),
            Term::from(Literal::new_language_tagged_literal_unchecked("Größe", "de")),
        );
        3
    ];
    for format in [Format::Turtle, Format::NTriples, Format::RdfXml, Format::JsonLd] {
        let whole = write_as(format, &triples);
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x83;
            let _ignored = read("f", format, &damaged[..], &Limits::default()).map(|read| read.schemes.len());
            let _ignored = read("f", format, &whole[..at], &Limits::default()).map(|read| read.schemes.len());
        }
    }
}

const TWELVE: [&str; 12] = ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "ar", "fa", "zh"];

#[test]
fn builtin_schemes_read_without_a_fault() {
    for builtin in Builtin::ALL {
        let name = builtin.name();
        assert_eq!(Builtin::of_name(name), Some(builtin));
        let text = builtin.turtle().unwrap();
        let read = read(name, Format::Turtle, text.as_bytes(), &Limits::default()).unwrap();
        let faults: Vec<_> = read.notes.iter().collect();
        assert_eq!(faults, [], "{name}");
        assert_eq!(read.schemes.len(), 1, "{name}");
        assert_eq!(read.schemes[0].uri(), format!("urn:newslode:{name}"));
        assert_eq!(builtin.scheme().unwrap().digest(), read.schemes[0].digest(), "{name}");
        assert!(read.schemes[0].title().starts_with("Newslode "), "{name}");
    }
}

#[test]
fn hand_written_schemes_name_each_concept_in_twelve_languages() {
    for builtin in [Builtin::Topics, Builtin::Genres, Builtin::House] {
        let scheme = builtin.scheme().unwrap();
        let mut narrower: BTreeMap<&str, usize> = BTreeMap::new();
        for concept in scheme.concepts() {
            let languages: Vec<&str> = concept
                .labels()
                .filter(|label| label.kind == LabelKind::Preferred)
                .map(|label| label.language)
                .collect();
            let mut twelve = TWELVE;
            twelve.sort_unstable();
            assert_eq!(languages, twelve, "{}", concept.uri());
            assert!(concept.broader().is_empty() == concept.is_top(), "{}", concept.uri());
            for broad in concept.broader() {
                *narrower.entry(scheme.concept(*broad).unwrap().uri()).or_default() += 1;
            }
        }
        assert!(narrower.values().all(|count| *count <= 30), "{narrower:?}");
    }
}

#[test]
fn preferred_names_of_one_language_differ() {
    for builtin in [Builtin::Topics, Builtin::Genres, Builtin::House] {
        let scheme = builtin.scheme().unwrap();
        let mut seen = BTreeMap::new();
        for concept in scheme.concepts() {
            for label in concept.labels().filter(|label| label.kind == LabelKind::Preferred) {
                let before = seen.insert((label.language, label.text.to_lowercase()), concept.uri());
                assert_eq!(before, None, "{}@{} of {}", label.text, label.language, concept.uri());
            }
        }
    }
}

#[test]
fn regions_are_small_many_and_contained_in_continents() {
    assert!(include_bytes!("../../../schemes/regions.ttl.zst").len() < 1 << 20);
    let text = Builtin::Regions.turtle().unwrap();
    assert!(
        text.ends_with(include_str!("../../../schemes/regions-added.ttl")),
        "regions-added.ttl has changed; run miner/schemes/regions.py --write"
    );
    let scheme = Builtin::Regions.scheme().unwrap();
    let languages: BTreeSet<&str> =
        scheme.concepts().flat_map(|concept| concept.labels()).map(|label| label.language).collect();
    assert!(languages.len() > 250, "{}", languages.len());
    let code = |number: u32| scheme.concept(number).unwrap().uri().rsplit(':').next().unwrap().to_owned();
    let above = |uri: &str| -> Vec<String> {
        scheme
            .ancestors(scheme.find(&format!("urn:newslode:regions:{uri}")).unwrap().number())
            .into_iter()
            .map(code)
            .collect()
    };
    assert_eq!(above("DE"), ["155", "EU", "150", "001"]);
    assert_eq!(above("scotland"), ["GB", "154", "150", "001"]);
    assert!(above("BR").contains(&"419".to_owned()) && above("AE").contains(&"middle-east".to_owned()));
    for concept in scheme.concepts() {
        let ancestors = scheme.ancestors(concept.number());
        let own = code(concept.number());
        let is_country = own.len() == 2 && own.bytes().all(|byte| byte.is_ascii_uppercase());
        let is_group = ["EU", "EZ", "UN"].contains(&own.as_str());
        assert!(!is_country || is_group || ancestors.len() >= 2, "{own} is in no continent");
    }
}

#[test]
fn builtin_schemes_know_the_sections_of_sites() {
    let all = Builtin::ALL.iter().map(|builtin| (builtin.scheme().unwrap(), builtin.facet())).collect();
    let index = SchemeIndex::new(all);
    let named = |label: &str, language: &str| -> Vec<(Facet, String)> {
        let found = index.find(label, Some(language));
        let sure: Vec<_> = found.iter().filter(|one| one.how == found[0].how).collect();
        let last = |one: &Match| index.concept(one).unwrap().uri().rsplit(':').next().unwrap().to_owned();
        sure.into_iter().map(|one| (index.facet(one.scheme).unwrap(), last(one))).collect()
    };
    for (label, language, facet, concept) in [
        ("Movies", "en", Facet::Subject, "film"),
        ("Fußball", "de", Facet::Subject, "football"),
        ("FUSSBALL", "de", Facet::Subject, "football"),
        ("Économie", "fr", Facet::Subject, "economy"),
        ("criptomonedas", "es", Facet::Subject, "cryptocurrencies"),
        ("Технологии", "ru", Facet::Subject, "technology"),
        ("كرة القدم", "ar", Facet::Subject, "football"),
        ("هوش مصنوعی", "fa", Facet::Subject, "artificial-intelligence"),
        ("選舉", "zh-TW", Facet::Subject, "elections"),
        ("U.S.", "en", Facet::Region, "US"),
        ("EE.UU.", "es", Facet::Region, "US"),
        ("Naher Osten", "de", Facet::Region, "middle-east"),
        ("日本", "ja", Facet::Region, "JP"),
        ("ไทย", "th", Facet::Region, "TH"),
        ("Podcasts", "nl", Facet::Genre, "podcasts"),
        ("مقالات رأي", "ar", Facet::Genre, "opinion"),
        ("Home", "en", Facet::Furniture, "home"),
        ("Без рубрики", "ru", Facet::Furniture, "uncategorized"),
    ] {
        assert_eq!(named(label, language), [(facet, concept.to_owned())], "{label}");
    }
}
