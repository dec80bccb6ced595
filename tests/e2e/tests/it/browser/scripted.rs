//! A site whose pages are made by scripts: no article without a browser, nearly all with one, and the same ones at each load.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;

use newslode_newsworld::placed::{PlacedSpec, PlacedWorld};
use newslode_newsworld::scripted::Scripted;
use newslode_test_servers::Chromium;
use serde_json::Value;

use crate::lab::Lab;

/// Sections with links above the headlines.
const SPEC: PlacedSpec = PlacedSpec { seed: 7, sites: 1, stories: 6 };

/// Mines the world into a run. Returns its articles by address.
async fn mined(lab: &Lab, run: &str) -> BTreeMap<String, Value> {
    let summary = lab.json(&lab.mining(run, &[])).await;
    assert_eq!(summary["complete"], true, "{summary}");
    let lines = std::fs::read_to_string(lab.path(run).join("articles.jsonl")).unwrap();
    let article = |line: &str| {
        let article: Value = serde_json::from_str(line).unwrap();
        (article["url"].as_str().unwrap().to_owned(), article)
    };
    lines.lines().map(article).collect()
}

/// Lets this browser load the pages of the world's hosts.
fn render(lab: &mut Lab, browser: &Chromium, world: &PlacedWorld) {
    let tables = world.sites().iter().map(|site| format!("['{}']\nrender = true\n", site.host));
    let file = lab.path("sites.toml");
    std::fs::write(&file, tables.collect::<String>()).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    lab.set("NEWSLODE__CRAWLER__SITES_FILE", file);
    lab.set("NEWSLODE__CRAWLER__BROWSER", browser.address());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_that_scripts_fill_has_no_article_without_a_browser_and_nearly_all_with_one() {
    let world = PlacedWorld::generate(&SPEC);
    let mut lab = Lab::serving(Scripted(world.clone()), &world.seeds()).await;
    assert!(mined(&lab, "without").await.is_empty());

    let browser = Chromium::start();
    render(&mut lab, &browser, &world);
    let articles = mined(&lab, "with").await;
    let gold = world.gold();
    let found = gold
        .iter()
        .filter(|gold| articles.get(&gold.url).is_some_and(|article| article["title"] == *gold.title));
    let recall = found.count() as f64 / gold.len() as f64;
    eprintln!("scripted     {:24} {recall:.3} of {}", "articles", gold.len());
    assert!(recall >= 0.98, "{recall}: {:?}", articles.keys());
    assert!(articles.len() as f64 <= gold.len() as f64 / 0.98, "{:?}", articles.keys());

    // Each load has another nonce and another identifier, so the pages differ. The articles do not.
    let again = mined(&lab, "again").await;
    assert_eq!(again.len(), articles.len());
    for (url, article) in &articles {
        let without_times = |article: &Value| {
            let mut article = article.clone();
            for key in ["fetched_at", "discovered_at", "first_seen", "version", "content"] {
                article.as_object_mut().unwrap().remove(key);
            }
            article
        };
        assert_eq!(without_times(&again[url]), without_times(article));
    }
    let page = &gold[0].url;
    let folder = lab.path("with");
    let said = lab.ok(&["explain", page, "--dir", folder.to_str().unwrap()]).await;
    assert!(said.contains("the browser of `crawler.browser`"), "{said}");
    let folder = lab.path("without");
    let host = &world.sites()[0].host;
    let said = lab.ok(&["explain", host, "--dir", folder.to_str().unwrap()]).await;
    eprintln!("{said}");
}
