//! Following the news: killed, resumed, by services and with two crawlers, it comes to the same state.

use std::process::Command;
use std::time::Duration;

use crate::lab::{Lab, digests_in, digests_of, open, small_world};
use crate::process::{Process, program};
use crate::services::{Installation, Servers};

/// The delay between two requests to a site, in milliseconds: so long that faults meet a run under way.
const DELAY: u64 = 40;

fn mining(lab: &Lab, run: &str) -> Vec<String> {
    let arguments = lab.mining(run, &["--delay", "40"]);
    arguments.into_iter().map(|word| if word == "all" { "news".into() } else { word }).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_dies_and_however_many_crawl_the_same_news_are_found() {
    let lab = Lab::of(small_world(5)).await;
    let summary = lab.json(&mining(&lab, "undisturbed")).await;
    assert_eq!(summary["complete"], true, "{summary}");
    let digests = digests_of(&summary);

    for (number, after) in [300, 900, 1_700].into_iter().enumerate() {
        let mut process = lab.start(&mining(&lab, "killed"));
        tokio::time::sleep(Duration::from_millis(after)).await;
        assert!(process.ended().is_none(), "run {number} ended before it was killed");
        process.kill();
    }
    let resumed = lab.json(&mining(&lab, "killed")).await;
    assert_eq!(digests_of(&resumed), digests, "a resumed run found other news");
    assert_eq!(digests_in(&open(&lab.path("killed"))).await, digests);
    lab.ok(&["verify", "--quiet", lab.path("killed").to_str().unwrap()]).await;

    let servers = Servers::start().await;
    let mut services = Installation::following("news", &lab, &servers, "news", DELAY);
    services.start_all();
    services.ready().await;
    let mut second = second_crawler(&lab, &services);
    services.seed().await;
    services.done(40).await;
    services.kill_and_start("newslode-crawler");
    services.done(80).await;
    second.kill();
    services.done(120).await;
    services.kill_and_start("newslode-miner");
    services.comes_to(&digests).await;
    services.no_dead_letters().await;
    services.proved().await;
    services.stop().await;
}

/// A second crawler of the same installation.
fn second_crawler(lab: &Lab, services: &Installation<'_>) -> Process {
    let mut command = Command::new(program("newslode-crawler"));
    command.args(["--config", services.config()]);
    command.env("NEWSLODE__TELEMETRY__ADMIN", "127.0.0.1:0");
    Process::start(command, "second-crawler", &lab.path(""))
}
