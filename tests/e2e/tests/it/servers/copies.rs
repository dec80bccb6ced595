//! Services drop the copies of pages that ask for none, and note it in the archive, whoever dies meanwhile.

use std::time::Instant;

use newslode_common::store::archive::ObjectArchive;
use newslode_common::store::{Kind, PageArchive as _, SiteState as _};
use newslode_common::version::ContentHash;
use newslode_page::Params;
use serde_json::Value;

use crate::copies::lab_of_a_shy_site;
use crate::lab::digests_of;
use crate::process::LOOK;
use crate::services::{Installation, SOON, Servers};

#[tokio::test(flavor = "multi_thread")]
async fn copies_of_pages_that_ask_for_none_go_and_what_counts_is_proved() {
    let (mut lab, site) = lab_of_a_shy_site().await;
    let digests = digests_of(&lab.json(&lab.mining("undisturbed", &[])).await);
    lab.set("NEWSLODE__CRAWLER__NOARCHIVE", "drop");
    let servers = Servers::start().await;
    let mut services = Installation::new(&lab, &servers, "shy", 0);
    services.start_all();
    services.ready().await;
    services.seed().await;
    services.done(40).await;
    services.kill_and_start("newslode-miner");
    services.done(90).await;
    services.kill_and_start("newslode-partitioner");
    services.comes_to(&digests).await;

    // Articles without a template keep their bytes for a day.
    let archive = ObjectArchive::open(&format!("file://{}", lab.path("shy-archive").display())).unwrap();
    let store = services.store().await;
    let (ours, begun) = (Params::default().generation(), Instant::now());
    let removed = loop {
        let (mut removed, mut left) = (0, Vec::new());
        for (url, version) in store.pages(&site).await.unwrap() {
            let name = version.content;
            let is_article = archive.get(Kind::Article, name).await.unwrap().is_some();
            let is_noted = archive.removed(Kind::Page, name.seen_by(&ours)).await.unwrap().is_some();
            let has_hierarchy = archive.get(Kind::Hierarchy, name).await.unwrap().is_some();
            removed += usize::from(is_noted);
            if name != ContentHash::NONE && ((!is_noted && !is_article) || (is_noted && has_hierarchy)) {
                left.push(url);
            }
        }
        if left.is_empty() && removed > 0 {
            break removed;
        }
        assert!(begun.elapsed() < SOON, "copies are left: {left:?}\n{}", services.logs());
        tokio::time::sleep(LOOK).await;
    };
    let proof: Value = lab.json(&services.asking(&["verify", "--json"])).await;
    assert_eq!((&proof["removed"], &proof["missing"]), (&removed.into(), &serde_json::json!([])), "{proof}");
    services.no_dead_letters().await;
    services.stop().await;
}
