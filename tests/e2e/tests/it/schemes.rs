//! Concepts are aligned to a scheme from outside, and articles carry its codes: mined in one process, exported again later, and
//! by services.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use newslode_common::store::SiteState;
use serde_json::Value;

use crate::lab::{Lab, digests_of, small_world};
use crate::services::{Installation, Servers};

/// The longest wait for something that takes seconds.
const PATIENCE: Duration = Duration::from_secs(120);

/// A few subjects in the shape of IPTC Media Topics: notations with a prefix, labels in several languages.
pub(crate) const SCHEME: &str = r#"
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix topic: <http://cv.iptc.org/newscodes/mediatopic/> .
<http://cv.iptc.org/newscodes/mediatopic> a skos:ConceptScheme ; skos:prefLabel "Subjects"@en-GB .
topic:15000000 a skos:Concept ; skos:notation "medtop:15000000" ; skos:prefLabel "sport"@en-GB, "Sport"@de, "sport"@fr ;
  skos:topConceptOf <http://cv.iptc.org/newscodes/mediatopic> .
topic:20001065 a skos:Concept ; skos:notation "medtop:20001065" ; skos:broader topic:15000000 ;
  skos:prefLabel "soccer"@en-GB, "Fußball"@de, "football"@fr ; skos:altLabel "football"@en-GB .
topic:20000851 a skos:Concept ; skos:notation "medtop:20000851" ; skos:broader topic:15000000 ;
  skos:prefLabel "tennis"@en-GB, "Tennis"@de, "tennis"@fr .
topic:20000849 a skos:Concept ; skos:notation "medtop:20000849" ; skos:broader topic:15000000 ; skos:prefLabel "golf"@en-GB, "Golf"@de .
topic:11000000 a skos:Concept ; skos:notation "medtop:11000000" ; skos:prefLabel "politics"@en-GB, "Politik"@de, "politique"@fr ;
  skos:topConceptOf <http://cv.iptc.org/newscodes/mediatopic> .
topic:20000574 a skos:Concept ; skos:notation "medtop:20000574" ; skos:broader topic:11000000 ; skos:prefLabel "election"@en-GB, "Wahl"@de .
topic:01000000 a skos:Concept ; skos:notation "medtop:01000000" ; skos:prefLabel "arts, culture, entertainment and media"@en-GB ;
  skos:altLabel "Culture"@en, "Kultur"@de .
topic:20000005 a skos:Concept ; skos:notation "medtop:20000005" ; skos:broader topic:01000000 ; skos:prefLabel "cinema"@en-GB ;
  skos:altLabel "Film"@en, "Movies"@en, "Film"@de .
topic:20000018 a skos:Concept ; skos:notation "medtop:20000018" ; skos:broader topic:01000000 ; skos:prefLabel "music"@en-GB, "Musik"@de .
topic:04000000 a skos:Concept ; skos:notation "medtop:04000000" ; skos:prefLabel "economy, business and finance"@en-GB ;
  skos:altLabel "Business"@en, "Economy"@en, "Wirtschaft"@de .
"#;
const SPORT: &str = "medtop:15000000";
const WITHIN_SPORT: [&str; 4] = [SPORT, "medtop:20001065", "medtop:20000851", "medtop:20000849"];

/// The codes of the scheme that each article has, by address.
type Codes = BTreeMap<String, BTreeSet<String>>;

fn codes(lines: &str) -> Codes {
    let of = |line: &str| {
        let article: Value = serde_json::from_str(line).unwrap();
        let codes = article["codes"].as_array().unwrap_or_else(|| panic!("no codes: {line}"));
        let own = codes.iter().filter_map(Value::as_str).filter(|code| code.starts_with("medtop:"));
        (article["url"].as_str().unwrap().to_owned(), own.map(str::to_owned).collect())
    };
    lines.lines().map(of).collect()
}

/// A lab, and the file of the scheme.
async fn lab() -> (Lab, PathBuf) {
    let lab = Lab::of(small_world(4)).await;
    let file = lab.path("medtop.ttl");
    std::fs::write(&file, SCHEME).unwrap();
    (lab, file)
}

async fn exported(lab: &Lab, run: &str, options: &[&str]) -> String {
    let folder = lab.path(run);
    let fixed = ["export", "articles", "--quiet", "--dir", folder.to_str().unwrap()];
    lab.ok(&[&fixed[..], options].concat()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn articles_carry_the_codes_of_a_scheme() {
    let (lab, file) = lab().await;
    let folder = lab.path("run");
    let run = folder.to_str().unwrap();
    let summary = lab.json(&lab.mining("run", &["--scheme", file.to_str().unwrap()])).await;
    assert_eq!(summary["complete"], true, "{summary}");

    // Concepts are aligned, and the report says to what and what is left.
    let report = lab.json(&["taxonomy", "--dir", run, "--schemes", "--format", "json"]).await;
    let names: Vec<&str> =
        report["schemes"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["medtop", "topics", "regions", "genres", "house"]);
    assert!(report["schemes"][0]["aligned"].as_u64().unwrap() >= 1, "{report}");
    assert_eq!(report["is_as_mined"], true);
    let text = lab.ok(&["taxonomy", "--dir", run, "--schemes"]).await;
    assert!(
        text.contains("= medtop medtop:15000000 sport <http://cv.iptc.org/newscodes/mediatopic/15000000>"),
        "{text}"
    );

    // Articles have codes, and a filter takes narrower ones with it.
    let all = codes(&exported(&lab, "run", &[]).await);
    let is_of_sport = |codes: &BTreeSet<String>| WITHIN_SPORT.iter().any(|code| codes.contains(*code));
    let wanted: BTreeSet<&String> =
        all.iter().filter(|(_, codes)| is_of_sport(codes)).map(|(url, _)| url).collect();
    assert!(!wanted.is_empty() && wanted.len() < all.len(), "{all:?}");
    for code in [SPORT, "http://cv.iptc.org/newscodes/mediatopic/15000000"] {
        let filtered = codes(&exported(&lab, "run", &["--filter", &format!("code={code}")]).await);
        assert_eq!(filtered.keys().collect::<BTreeSet<_>>(), wanted, "{code}");
    }
    let table = exported(&lab, "run", &["--format", "csv"]).await;
    assert!(
        table.starts_with("url,site,title,authors,published,modified,place,section,concepts,places,codes,")
    );
    assert!(table.contains(SPORT), "{table}");
    let ended = lab.run(&["export", "articles", "--dir", run, "--filter", "code=medtop:99"]).await;
    assert!(
        ended.code == Some(1)
            && ended.err.contains("no scheme has a concept")
            && ended.err.contains("--schemes"),
        "{}",
        ended.err
    );

    // The ontology says it in SKOS.
    let ontology = std::fs::read_to_string(folder.join("ontology.ttl")).unwrap();
    let is_matched = |how: &str| {
        let line = format!("skos:{how} <http://cv.iptc.org/newscodes/mediatopic/");
        ontology.contains(&line)
    };
    assert!(is_matched("exactMatch") || is_matched("closeMatch"), "no match in the ontology");

    // The run remembers the scheme, wherever the file went; so does a copy of it.
    std::fs::remove_file(&file).unwrap();
    lab.ok(&["backup", run, lab.path("copy").to_str().unwrap()]).await;
    for run in ["run", "copy"] {
        assert_eq!(codes(&exported(&lab, run, &[]).await), all, "{run}");
    }
    lab.ok(&["verify", "--quiet", "--dir", run]).await;
    assert_eq!(lab.json(&lab.mining("run", &[])).await["complete"], true);
    assert_eq!(codes(&exported(&lab, "run", &[]).await), all);

    // Other schemes for one command change nothing; mined without one, the run forgets it.
    let without = codes(&exported(&lab, "run", &["--scheme", "none"]).await);
    assert!(without.len() == all.len() && without.values().all(BTreeSet::is_empty));
    assert_eq!(lab.json(&lab.mining("run", &["--scheme", "none"])).await["complete"], true);
    assert_eq!(codes(&exported(&lab, "run", &[]).await), without);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_scheme_is_refused_before_anything_is_fetched() {
    let (lab, file) = lab().await;
    for (text, words) in [
        ("<a> <b> .\n", vec!["medtop.ttl`, line 1,", "not valid Turtle", "convert"]),
        ("", vec!["medtop.ttl`", "no concepts"]),
    ] {
        std::fs::write(&file, text).unwrap();
        let ended = lab.run(&lab.mining("run", &["--scheme", file.to_str().unwrap()])).await;
        assert_eq!(ended.code, Some(1), "{}", ended.err);
        assert!(words.iter().all(|word| ended.err.contains(word)), "{}", ended.err);
    }
    let ended = lab.run(&lab.mining("run", &["--scheme", "nowhere.ttl"])).await;
    assert!(ended.err.contains("`nowhere.ttl`") && ended.err.contains("--scheme"), "{}", ended.err);
    assert!(lab.asked().is_empty());
}

/// Tests over RabbitMQ and Redis.
mod servers {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn services_give_the_codes_that_the_embedded_engine_gives() {
        let (lab, file) = lab().await;
        let file = file.to_str().unwrap();
        let digests = digests_of(&lab.json(&lab.mining("embedded", &["--scheme", file])).await);
        let embedded = codes(&exported(&lab, "embedded", &[]).await);
        let servers = Servers::start().await;
        let mut services = Installation::new(&lab, &servers, "schemes", 0);
        services.change_config("views_s = 1 }", &format!("views_s = 1, schemes = ['{file}'] }}")).unwrap();
        services.start_all();
        services.ready().await;
        services.seed().await;
        services.comes_to(&digests).await;
        let begun = Instant::now();
        loop {
            let served = codes(&services.exported(&[]).await);
            if served == embedded {
                break;
            }
            services.all_run();
            assert!(begun.elapsed() < PATIENCE, "embedded {embedded:?}\nserved {served:?}");
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        let sport = codes(&services.exported(&["--filter", &format!("code={SPORT}")]).await);
        assert!(!sport.is_empty() && sport.len() < embedded.len());

        // Another miner was started later, with other schemes: this one says so, and does not fold.
        let store = services.store().await;
        let (version, _) = store.value("schemes").await.unwrap().unwrap();
        let others = br#"{"digest":"other","names":["iptc"]}"#;
        store.put_value("schemes", Some(version), others.to_vec().into()).await.unwrap().unwrap();
        services.logged("newslode-miner", "a miner that was started later has other schemes").await;
        // Started again, its configuration is the newest.
        services.kill_and_start("newslode-miner");
        let begun = Instant::now();
        while !String::from_utf8_lossy(&store.value("schemes").await.unwrap().unwrap().1).contains("medtop") {
            services.all_run();
            assert!(begun.elapsed() < PATIENCE, "{}", services.logs());
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        services.stop().await;
    }
}
