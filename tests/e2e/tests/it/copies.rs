//! Pages that ask for no copy (`noarchive`): with `crawler.noarchive = "drop"` their bytes and hierarchies go once they were
//! viewed, also if the process is killed; all that was made of them stays.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use newslode_common::message::{FetchedPage, envelope};
use newslode_common::store::{AgedArchive as _, Kind, PageArchive as _, SiteState as _};
use newslode_common::version::ContentHash;
use newslode_newsworld::headed::Headed;
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;
use serde_json::Value;

use crate::client::Client;
use crate::lab::{Digests, Lab, digests_in, digests_of, open, small_world};
use crate::process::LOOK;
use crate::services::SOON;

/// A small world of which one site asks for no copy of its pages, and that site.
pub(crate) async fn lab_of_a_shy_site() -> (Lab, Site) {
    let world = small_world(4);
    let seeds = world.seeds();
    let host = seeds[1].split('/').nth(2).unwrap().to_owned();
    let site = seeds[1].parse::<newslode_page::reading::CanonicalUrl>().unwrap().site();
    let header = ("x-robots-tag", "noarchive".to_owned());
    let lab = Lab::serving(Headed { content: world, pages: (host, "/".into()), header }, &seeds).await;
    (lab, site)
}

/// The addresses of the pages in the archive of a run that belong to a site, and the number of all others.
async fn archived(run: &Path, of: &Site) -> (BTreeSet<String>, usize) {
    let store = open(run);
    let (mut found, mut others) = (BTreeSet::new(), 0);
    for value in store.oldest(Kind::Page, None, usize::MAX).await.unwrap() {
        let sealed = store.get(Kind::Page, value.content).await.unwrap().unwrap();
        let page: FetchedPage = envelope::open(&sealed).unwrap();
        match page.site == *of {
            true => _ = found.insert(page.url.to_string()),
            false => others += 1,
        }
    }
    (found, others)
}

/// The names under which a site's pages count, by address.
async fn counted(run: &Path, of: &Site) -> BTreeMap<String, ContentHash> {
    let pages = open(run).pages(of).await.unwrap().into_iter();
    let pages = pages.filter(|(_, version)| version.content != ContentHash::NONE);
    pages.map(|(url, version)| (url.to_string(), version.content)).collect()
}

/// What the export says of each article, without times and rights.
async fn articles(lab: &Lab, run: &str) -> BTreeMap<String, [Value; 3]> {
    let lines = lab.ok(&["export", "articles", "--quiet", "--dir", run]).await;
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .map(|line| {
            let values = ["title", "body", "published"].map(|name| line[name].clone());
            (line["url"].as_str().unwrap().to_owned(), values)
        })
        .collect()
}

async fn assert_dropped(
    lab: &Lab,
    run: &str,
    site: &Site,
    digests: &Digests,
) -> BTreeMap<String, ContentHash> {
    let (held, others) = archived(&lab.path(run), site).await;
    assert!(held.is_empty() && others > 50, "{} copies are left of {held:?}", held.len());
    let counted = counted(&lab.path(run), site).await;
    assert!(counted.len() > 20, "{}", counted.len());
    let store = open(&lab.path(run));
    assert_eq!(digests_in(&store).await, *digests, "what counts has changed");
    for (url, name) in &counted {
        assert_eq!(store.get(Kind::Hierarchy, *name).await.unwrap(), None, "{url}");
        assert!(store.removed(Kind::Hierarchy, *name).await.unwrap() > Some(Timestamp(0)), "{url}");
        assert!(store.get(Kind::Contribution, *name).await.unwrap().is_some(), "{url}");
    }
    counted
}

#[tokio::test(flavor = "multi_thread")]
async fn copies_of_pages_that_ask_for_none_go_while_articles_counts_and_proof_stay() {
    let (mut lab, site) = lab_of_a_shy_site().await;
    // 1. Copies are kept and hidden.
    let summary = lab.json(&lab.mining("kept", &[])).await;
    let digests = digests_of(&summary);
    let kept = lab.path("kept").display().to_string();
    let wanted = articles(&lab, &kept).await;
    assert!(!archived(&lab.path("kept"), &site).await.0.is_empty());

    // 2. They are dropped in a run that is killed again and again.
    lab.set("NEWSLODE__CRAWLER__NOARCHIVE", "drop");
    for after in [300, 800, 1_500] {
        let mut process = lab.start(&lab.mining("run", &["--delay", "15"]));
        tokio::time::sleep(Duration::from_millis(after)).await;
        process.kill();
    }
    assert_eq!(digests_of(&lab.json(&lab.mining("run", &[])).await), digests);
    let pages = assert_dropped(&lab, "run", &site, &digests).await;
    let run = lab.path("run").display().to_string();
    assert_eq!(articles(&lab, &run).await, wanted, "the articles differ");

    // 3. The proof says what it does not prove, and nothing is taken for lost.
    let proof = lab.json(&["verify", "--quiet", "--json", "--dir", &run]).await;
    assert_eq!((&proof["removed"], &proof["different"]), (&pages.len().into(), &0.into()), "{proof}");
    assert_eq!(
        (&proof["missing"], &proof["files"]),
        (&serde_json::json!([]), &serde_json::json!([])),
        "{proof}"
    );
    let said = lab.ok(&["verify", "--quiet", "--dir", &run]).await;
    assert!(said.contains(&format!("not proved: {} pages whose bytes were removed", pages.len())), "{said}");
    lab.json(&["status", "--json", "--dir", &run]).await;
    let url = wanted.keys().find(|url| pages.contains_key(*url)).unwrap().clone();
    let said = lab.ok(&["explain", &url, "--dir", &run]).await;
    assert!(said.contains("because it asks for no copy"), "{said}");

    // 4. Nothing shows or exports them.
    let archive = lab.path("pages.warc").display().to_string();
    lab.ok(&["export", "pages", "--quiet", "--dir", &run, "--format", "warc", "--to", &archive]).await;
    let exported = String::from_utf8_lossy(&std::fs::read(&archive).unwrap()).into_owned();
    assert!(
        !exported.contains(&format!("WARC-Target-URI: {url}")) && exported.contains("WARC-Target-URI: http")
    );
    no_page_is_shown(&lab, &run, &url).await;

    // 5. Counting again by other parameters leaves them as they are.
    lab.set("NEWSLODE__PARTITIONER__PARAMS", "paper");
    let said = lab.ok(&["recompute", &run]).await;
    assert!(
        said.contains(&format!("{} left as they are because their bytes were removed", pages.len())),
        "{said}"
    );
    let proof = lab.run(&["verify", "--quiet", "--json", "--dir", &run]).await;
    let proof: Value = serde_json::from_str(&proof.out).unwrap();
    assert_eq!((&proof["removed"], &proof["different"]), (&pages.len().into(), &0.into()), "{proof}");
}

/// The console shows the article and no copy of its page.
async fn no_page_is_shown(lab: &Lab, run: &str, url: &str) {
    let lines = lab.ok(&["export", "articles", "--quiet", "--dir", run]).await;
    let mut lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let id = lines.find(|line| line["url"] == url).unwrap()["id"].as_str().unwrap().to_owned();
    let mut process = lab.start(&["serve", run, "--addr", "127.0.0.1:0"]);
    process.printed("http://").await;
    let said = process.out();
    let addr = said.split("http://").nth(1).unwrap().split('/').next().unwrap();
    let console = Client::new(addr.parse().unwrap());
    let begun = std::time::Instant::now();
    while console.get(&format!("/articles/{id}")).await.status != 200 {
        assert!(begun.elapsed() < SOON, "the console never shows the article\n{}", process.tail());
        tokio::time::sleep(LOOK).await;
    }
    for path in ["page", "hierarchy.xml"] {
        let answer = console.get(&format!("/articles/{id}/{path}")).await;
        assert_eq!(answer.status, 404, "{path}: {}", answer.body);
        assert!(answer.body.contains("asks that no copy of it be shown"), "{path}: {}", answer.body);
    }
    process.kill();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_setting_that_changes_applies_to_what_was_fetched_before() {
    let (mut lab, site) = lab_of_a_shy_site().await;
    let digests = digests_of(&lab.json(&lab.mining("run", &[])).await);
    assert!(!archived(&lab.path("run"), &site).await.0.is_empty());
    lab.set("NEWSLODE__CRAWLER__NOARCHIVE", "drop");
    lab.ok(&lab.mining("run", &[])).await;
    assert_dropped(&lab, "run", &site, &digests).await;
}
