//! An installation that is lost with its servers comes back from a snapshot of Redis and a copy of the archive, as
//! docs/operations.md says, and goes on following the news. It ends as [`newslode_e2e::news`] says.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use newslode_common::schedule::Role;
use newslode_common::store::Frontier;
use newslode_e2e::news::News;
use newslode_test_servers::{RabbitServer, RedisServer};

use crate::lab::{Lab, small_world};
use crate::services::{Installation, Servers};

fn run(program: &str, arguments: &[&str]) {
    let ended = Command::new(program).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(ended.status.success(), "{program} {arguments:?}\n{said}");
}

/// An installation that stopped in the middle of a crawl, and the number of its pages that wait in a queue.
async fn stopped<'l>(lab: &'l Lab, servers: &Servers, prefix: &str) -> (Installation<'l>, usize) {
    let mut services = Installation::following("news", lab, servers, prefix, 40);
    services.start_all();
    services.ready().await;
    services.seed().await;
    services.done(50).await;
    // What is fetched from now on waits in a queue, which is in no backup.
    services.kill("newslode-partitioner");
    services.done(60).await;
    services.stop().await;
    let uncounted = services.uncounted().await.len();
    assert!(uncounted > 0, "nothing waits in a queue");
    (services, uncounted)
}

/// The addresses of all listings.
async fn listings(services: &Installation<'_>) -> BTreeSet<String> {
    let (store, mut listings) = (services.store().await, BTreeSet::new());
    for site in Frontier::status(&store).await.unwrap() {
        for entry in store.entries(&site.site).await.unwrap() {
            if entry.schedule.is_some_and(|page| matches!(page.role, Role::Listing(_))) {
                listings.insert(entry.url.to_string());
            }
        }
    }
    listings
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_restores_all_and_no_page_is_asked_for_twice() {
    let lab = Lab::of(small_world(5)).await;
    let news = News::undisturbed(&lab, &[]).await;
    let before = lab.asked();
    let servers = Servers::start().await;
    let (services, uncounted) = stopped(&lab, &servers, "backed").await;
    let (dump, archive, copy) = (lab.path("dump.rdb"), lab.path("backed-archive"), lab.path("copy"));
    let text = |path: &Path| path.display().to_string();
    run("redis-cli", &["-p", &servers.redis.port().to_string(), "--rdb", &text(&dump)]);
    run("cp", &["-a", &text(&archive), &text(&copy)]);
    drop((services, servers));
    std::fs::remove_dir_all(&archive).unwrap();

    std::fs::rename(&copy, &archive).unwrap();
    let rabbit = RabbitServer::start().await.unwrap();
    let servers = Servers { rabbit, redis: RedisServer::start_from(&dump) };
    let mut restored = Installation::following("news", &lab, &servers, "backed", 40);
    restored.proved().await;
    restored.start_all();
    restored.ready().await;
    restored.has_the_news(&news).await;
    restored.stop().await;

    let (asked, listings) = (lab.asked(), listings(&restored).await);
    let times = |page: &(String, String)| asked[page] - before.get(page).copied().unwrap_or(0);
    // A listing is visited again after some minutes.
    let is_once = |page: &(String, String)| {
        page.1 != "/robots.txt" && !listings.contains(&format!("http://{}{}", page.0, page.1))
    };
    let twice: Vec<_> = asked.keys().filter(|page| is_once(page) && times(page) > 1).collect();
    assert!(twice.is_empty(), "asked for again: {twice:?}");
    eprintln!("{uncounted} pages of a lost queue are counted, none was asked for again");
}

/// RabbitMQ is lost with its volume, and its messages with it; Redis and the archive know which pages these were.
#[tokio::test(flavor = "multi_thread")]
async fn pages_of_a_lost_rabbitmq_are_published_again() {
    let lab = Lab::of(small_world(5)).await;
    let news = News::undisturbed(&lab, &[]).await;
    let servers = Servers::start().await;
    let (services, uncounted) = stopped(&lab, &servers, "emptied").await;
    let Servers { rabbit, redis } = servers;
    drop((services, rabbit));
    let servers = Servers { rabbit: RabbitServer::start().await.unwrap(), redis };
    let mut services = Installation::following("news", &lab, &servers, "emptied", 40);
    services.start_all();
    services.ready().await;
    services.has_the_news(&news).await;
    services.stop().await;
    eprintln!("{uncounted} pages of a lost queue are counted");
}
