//! A site whose pages all ask not to be indexed is named, with that cause, wherever one looks for it.

use newslode_newsworld::headed::Headed;
use newslode_newsworld::{World, WorldSpec};
use newslode_page::reading::CanonicalUrl;
use serde_json::Value;

use crate::lab::Lab;

#[tokio::test(flavor = "multi_thread")]
async fn a_site_that_noindex_leaves_without_articles_is_named_with_the_cause() {
    let world =
        World::generate(&WorldSpec { seed: 8, sites: 2, articles_per_section: 6, ..WorldSpec::default() });
    let seeds = world.seeds();
    let url: CanonicalUrl = seeds[0].parse().unwrap();
    let (site, host) = (url.site().to_string(), seeds[0].split('/').nth(2).unwrap().to_owned());
    let header = ("x-robots-tag", "noindex".to_owned());
    let lab = Lab::serving(Headed { content: world, pages: (host, "/".into()), header }, &seeds).await;
    let mining: Vec<String> =
        lab.mining_by("news", "run", &[]).into_iter().filter(|word| word != "--json").collect();
    let said = lab.ok(&mining).await;
    let line =
        said.lines().find(|line| line.contains("ask not to be indexed")).unwrap_or_else(|| panic!("{said}"));
    assert!(line.contains(&site) && line.contains("`crawler.noindex`"), "{line}");
    let summary = std::fs::read_to_string(lab.path("run/run.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["brought"]["noindex"], serde_json::json!([site]), "{summary}");

    let run = lab.path("run").display().to_string();
    let status = lab.json(&["status", "--json", "--dir", &run]).await;
    let causes: Vec<(bool, &Value)> = status["sites"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| (line["site"] == site.as_str(), &line["cause"]))
        .collect();
    let cause = |is_it: bool| if is_it { Value::from("noindex") } else { Value::Null };
    assert!(causes.iter().all(|(is_it, said)| **said == cause(*is_it)), "{status}");
    let said = lab.ok(&["status", "--dir", &run]).await;
    assert!(said.contains("(its pages ask not to be indexed: `crawler.noindex`)"), "{said}");
    let said = lab.ok(&["explain", &site, "--dir", &run]).await;
    assert!(said.contains("its pages ask not to be indexed"), "{said}");
}
