//! Accuracy does not fall: what crawls of the synthetic world come to, held against `tests/newsworld/floors.txt`.

use std::collections::BTreeMap;

use newslode_newsworld::floors::fallen;
use newslode_newsworld::{World, WorldSpec};
use serde_json::Value;

use crate::lab::Lab;

/// Fails naming what fell, from what to what, and the command that shows it.
#[track_caller]
fn hold(crawl: &str, figures: &Value, seen_by: &str) {
    let figures: BTreeMap<String, f64> = serde_json::from_value(figures.clone()).unwrap();
    for (name, value) in &figures {
        eprintln!("{crawl:12} {name:24} {value:.3}");
    }
    let wrong = fallen(crawl, &figures);
    assert!(wrong.is_empty(), "{crawl}:\n  {}\nsee it by: {seen_by}", wrong.join("\n  "));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_demo_is_as_right_as_it_was() {
    let world = World::generate(&WorldSpec { sites: 1, ..WorldSpec::default() });
    let lab = Lab::of(world).await;
    let shown = lab.json(&["--quiet", "demo", "--json", "--out", lab.path("demo").to_str().unwrap()]).await;
    hold("demo", &shown["figures"], "newslode demo --json");
}
