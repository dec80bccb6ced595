//! This version takes over what 0.1.0 left: a run's folder, and the Redis, archive and queues of the
//! services. All that an operator does is to start the new programs.
//!
//! The story: the algorithms of 0.1.0 counted pages under their content. The new programs count each page
//! again, read what the old ones still had in the queues, and end in the state of a fresh store.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use newslode_common::broker::{Broker, Queue};
use newslode_common::store::redb::RedbStore;
use newslode_common::store::{Applied, Change, Kind, PageArchive, SiteState, state_digest};
use newslode_common::version::{ContentHash, Version};
use newslode_miner::work::generations::Generations;
use newslode_page::contribution::Delta;
use newslode_page::generation::Generation;
use newslode_page::{Params, analyse};
use newslode_test_servers::{RabbitServer, RedisServer};

use crate::lab::{Digests, Lab, digests_in, digests_of, open, small_world};
use crate::process::LOOK;
use crate::services::{Installation, Servers};

/// The longest time to count a few dozen pages again.
const SOON: Duration = Duration::from_secs(90);

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/v0.1.0").join(name)
}

fn shell(command: &str, arguments: [&Path; 2]) {
    let done = Command::new("sh").args(["-c", command, "sh"]).args(arguments).status().unwrap();
    assert!(done.success(), "{command}");
}

/// A run's folder as 0.1.0 left it.
fn old_run(lab: &Lab, name: &str) -> PathBuf {
    let run = lab.path(name);
    std::fs::create_dir(&run).unwrap();
    shell("xz -dc \"$1\" > \"$2\"", [&fixture("newslode.redb.xz"), &run.join("newslode.redb")]);
    run
}

/// The digests of a fresh store that gets the counted pages, computed by today's algorithms.
async fn fresh(state: &dyn SiteState, archive: &dyn PageArchive) -> Digests {
    let (params, fresh) = (Params::default(), RedbStore::in_memory().unwrap());
    let generations = Generations::read(state).await.unwrap();
    let mut digests = Digests::new();
    for (site, _) in state.sites().await.unwrap() {
        for (url, version) in state.pages(&site).await.unwrap() {
            let page = generations.fetched(archive, version.content).await.unwrap().unwrap();
            let html = page.bytes().unwrap();
            let said = analyse(&url, page.content_type.as_deref(), &html, page.fetched_at, &params);
            let content = ContentHash::of(&url, page.content_type.as_deref(), &html);
            let change = Change {
                url,
                expected: None,
                new: Version { fetch: 1, content: content.seen_by(&params.generation()) },
                fetched_at: page.fetched_at,
                delta: Delta::between(None, Some(&said.contribution)),
                again: false,
            };
            assert_eq!(fresh.apply(&site, &[change]).await.unwrap(), [Applied::Applied]);
        }
        digests.insert(site.to_string(), state_digest(&fresh, &site).await.unwrap().to_string());
    }
    digests
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_of_0_1_0_is_taken_over_by_mining_on() {
    let lab = Lab::of(small_world(3)).await;
    let run = old_run(&lab, "run");
    let folder = run.to_str().unwrap();
    let told: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(fixture("run.json")).unwrap()).unwrap();
    let sites: Vec<String> = digests_of(&told).into_keys().collect();
    assert_eq!(digests_in(&open(&run)).await.into_keys().collect::<Vec<_>>(), sites);

    let before = lab.run(&["verify", "--quiet", folder]).await;
    assert_eq!(before.code, Some(1));
    assert!(before.out.contains("0 counters differ"), "{}", before.out);
    assert!(before.out.contains("16 pages are counted by other page algorithms"), "{}", before.out);

    let contact = ["--contact", "crawler@a.test"];
    let mine = ["mine", "--quiet", "--json", "--follow", "concepts", "--out", folder];
    let summary = lab.json(&[&mine[..], &contact].concat()).await;
    // The old run's page budget was for life. Now it is of a day, so more is asked for, of sites that are away.
    assert_eq!(
        (&summary["complete"], &summary["outcomes"]["fetched"]),
        (&true.into(), &16.into()),
        "{summary}"
    );
    let proof = lab.json(&["verify", "--quiet", "--json", folder]).await;
    assert_eq!(proof["pages"], 16, "{proof}");
    let store = open(&run);
    assert_eq!(digests_in(&store).await, fresh(&store, &store).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn recompute_takes_over_by_hand_and_a_second_time_finds_nothing() {
    let lab = Lab::of(small_world(3)).await;
    let run = old_run(&lab, "run");
    let folder = run.to_str().unwrap();
    let done = lab.json(&["recompute", "--quiet", "--json", folder]).await;
    assert_eq!((&done["pages"], &done["counted"]), (&16.into(), &16.into()), "{done}");
    let again = lab.json(&["recompute", "--quiet", "--json", folder]).await;
    assert_eq!((&again["pages"], &again["counted"]), (&16.into(), &0.into()), "{again}");
    // Version 0.1.0 wrote no histories.
    let before = proof_of_old_articles(&lab, &["verify", "--quiet", "--json", folder]).await;
    assert_eq!(before["different"], 0, "{before}");
    lab.ok(&["repair", "--quiet", folder]).await;
    let proof = lab.json(&["verify", "--quiet", "--json", folder]).await;
    assert_eq!(proof["pages"], 16, "{proof}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_the_archive_lost_is_taken_out_and_reported() {
    let lab = Lab::of(small_world(3)).await;
    let run = old_run(&lab, "run");
    {
        let store = open(&run);
        let (site, _) = store.sites().await.unwrap().swap_remove(0);
        let (_, version) = store.pages(&site).await.unwrap().swap_remove(3);
        store.delete(Kind::Page, version.content).await.unwrap();
    }
    let folder = run.to_str().unwrap();
    let done = lab.ok(&["recompute", "--quiet", folder]).await;
    assert!(done.contains("16 pages, 15 counted again, 1 taken out"), "{done}");
    let proof = proof_of_old_articles(&lab, &["verify", "--quiet", "--json", folder]).await;
    assert_eq!((&proof["pages"], &proof["different"]), (&15.into(), &0.into()), "{proof}");
    assert_eq!(proof["missing"], serde_json::json!([]), "{proof}");
}

/// What `verify` says of articles that 0.1.0 read: nothing is wrong but that they have no history yet.
async fn proof_of_old_articles(lab: &Lab, arguments: &[&str]) -> serde_json::Value {
    let ended = lab.run(arguments).await;
    let proof: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    let faults = proof["histories"].as_array().unwrap();
    assert!(ended.code == Some(1) && !faults.is_empty(), "{proof}");
    assert!(faults.iter().all(|fault| fault["what"] == "it has no history"), "{proof}");
    proof
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_of_a_newer_version_is_refused_and_left_as_it_is() {
    let lab = Lab::of(small_world(3)).await;
    let run = old_run(&lab, "run");
    let newer = Generation { number: u32::MAX, parameters: "default v9".into() };
    let digests = {
        let store = open(&run);
        Generations::claim(&store, &newer).await.unwrap();
        digests_in(&store).await
    };
    let folder = run.to_str().unwrap();
    let mine = ["mine", "--quiet", "--contact", "crawler@a.test", "--out", folder];
    for command in [&mine[..], &["recompute", "--quiet", folder]] {
        let ended = lab.run(command).await;
        assert_eq!(ended.code, Some(1), "{}", ended.err);
        assert!(ended.err.contains("counted by page algorithms 4294967295"), "{}", ended.err);
        assert!(ended.err.contains("update this program"), "{}", ended.err);
    }
    assert_eq!(digests_in(&open(&run)).await, digests);
}

/// The number of counted pages, and the number of them counted by other algorithms than ours.
async fn counted(state: &dyn SiteState, archive: &dyn PageArchive, ours: &Generation) -> (usize, usize) {
    let generations = Generations::read(state).await.unwrap();
    let (mut all, mut old) = (0, 0);
    for (site, _) in state.sites().await.unwrap() {
        for (_, version) in state.pages(&site).await.unwrap() {
            all += 1;
            let page = generations.fetched(archive, version.content).await.unwrap();
            old += usize::from(page.is_none_or(|page| page.version.content.seen_by(ours) != version.content));
        }
    }
    (all, old)
}

/// Tests over RabbitMQ and Redis.
mod servers {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn services_take_over_what_0_1_0_had_in_redis_in_the_archive_and_in_the_queues() {
        let lab = Lab::of(small_world(3)).await;
        let redis = RedisServer::start_from(&fixture("dump.rdb"));
        let servers = Servers { rabbit: RabbitServer::start().await.unwrap(), redis };
        let archive = lab.path("newslode-archive");
        std::fs::create_dir(&archive).unwrap();
        shell("tar xf \"$1\" -C \"$2\" --strip-components=1", [&fixture("archive.tar"), &archive]);
        let mut services = Installation::new(&lab, &servers, "newslode", 0);

        // The queues hold the messages that the old crawler and the old partitioner had published.
        let broker = services.broker().await;
        let mut waiting = 0;
        for entry in std::fs::read_dir(fixture("messages")).unwrap() {
            let path = entry.unwrap().path();
            let queue = match path.file_name().unwrap().to_str().unwrap().split('.').next().unwrap() {
                "page" => Queue::Pages,
                "partition" => Queue::Partitions,
                _ => continue,
            };
            broker.publish(queue, std::fs::read(&path).unwrap().into()).await.unwrap();
            waiting += 1;
        }
        assert_eq!(waiting, 10);

        services.start("newslode-miner");
        services.start("newslode-partitioner");
        let store = services.store().await;
        let ours = Params::default().generation();
        let held =
            newslode_common::store::archive::ObjectArchive::open(&format!("file://{}", archive.display()))
                .unwrap();
        let begun = Instant::now();
        loop {
            let (counted, old) = counted(&store, &held, &ours).await;
            // Two sites of eight pages each, and ten pages of the third from the queues.
            if counted >= 26 && old == 0 {
                break;
            }
            services.all_run();
            assert!(begun.elapsed() < SOON, "{counted} pages, {old} as before\n{}", services.logs());
            tokio::time::sleep(LOOK).await;
        }
        assert_eq!(digests_in(&store).await, fresh(&store, &held).await);
        let proof = proof_of_old_articles(&lab, &services.asking(&["verify", "--json"])).await;
        assert_eq!((&proof["different"], &proof["outdated"]), (&0.into(), &serde_json::json!([])), "{proof}");
        assert!(
            services.dead(Queue::Partitions).await.is_empty() && services.dead(Queue::Pages).await.is_empty()
        );
        services.stop().await;
    }
}
