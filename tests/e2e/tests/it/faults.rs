//! Every service and server dies once under load; nothing is lost and nothing counted twice.
//!
//! The scenarios run in the default mode and end as [`newslode_e2e::news`] says. The one in which each service dies also
//! runs where all links are followed: there every page is due once, so a run ends, and its digests and the outcome of
//! every URL must be those of an undisturbed run.

use newslode_common::store::{Frontier, SiteStatus};
use newslode_e2e::news::{Listener, News};

use crate::lab::{Digests, Lab, Outcomes, digests_in, small_world};
use crate::services::{ANOTHER_MINER, Installation, SERVICES, Servers};

/// The delay between two requests to a site, in milliseconds: so long that faults meet a run under way.
const DELAY: u64 = 60;

#[tokio::test(flavor = "multi_thread")]
async fn whatever_dies_under_load_the_result_is_the_same() {
    let lab = Lab::of(small_world(5)).await;
    let (digests, outcomes) = lab.undisturbed(&[]).await;
    let news = News::undisturbed(&lab, &[]).await;
    let mut servers = Servers::start().await;

    services_die_while_all_links_are_followed(&lab, &servers, &digests, &outcomes).await;
    services_die(&lab, &servers, &news).await;
    owners_die(&lab, &servers, &news).await;
    servers_die(&lab, &mut servers, &news).await;
    redis_dies_that_syncs_each_second(&lab, &mut servers, &news).await;
    redis_is_full(&lab, &servers, &news).await;
}

/// The comparison of every digest and every outcome.
async fn services_die_while_all_links_are_followed(
    lab: &Lab,
    servers: &Servers,
    digests: &Digests,
    outcomes: &Outcomes,
) {
    eprintln!("-- all");
    let mut services = Installation::new(lab, servers, "all", DELAY);
    services.start_all();
    services.ready().await;
    services.seed().await;
    each_service_dies_twice(&mut services, outcomes.len() as u64).await;
    services.ends_as(digests, outcomes).await;
    assert_eq!(digests_in(&services.store().await).await, *digests, "counted while stopping");
}

async fn services_die(lab: &Lab, servers: &Servers, news: &News) {
    let (mut services, listener) = begin(lab, servers, "services").await;
    each_service_dies_twice(&mut services, news.done).await;
    end(&mut services, news, &listener).await;
}

/// `all`: the number of URLs that are done in the end.
async fn each_service_dies_twice(services: &mut Installation<'_>, all: u64) {
    // In turn.
    for (number, service) in SERVICES.into_iter().chain(SERVICES).enumerate() {
        services.done(all * (number as u64 + 1) / 8).await;
        eprintln!("{service} is killed");
        services.kill_and_start(service);
    }
}

/// Two miners share the sites and die in turn, ten times, while the logs that they follow are trimmed. Whoever leads at
/// the end has folded what an undisturbed run folds.
async fn owners_die(lab: &Lab, servers: &Servers, news: &News) {
    let (mut services, listener) = begin(lab, servers, "owners").await;
    services.start_another_miner();
    services.logged(ANOTHER_MINER, "share of the sites changed").await;
    let (all, mut trimmed) = (news.done, 0);
    let mut at_deaths = Vec::new();
    for number in 0..10 {
        services.done(all * (number + 1) / 12).await;
        // What waited three deaths ago is counted before the next, however slow the machine is: so the logs grow.
        if let Some(waited) = at_deaths.iter().rev().nth(2) {
            services.counts(waited).await;
        }
        at_deaths.push(services.uncounted().await);
        let miner = if number % 2 == 0 { "newslode-miner" } else { ANOTHER_MINER };
        eprintln!("{miner} is killed, and the logs are trimmed");
        services.kill_and_start(miner);
        let answer = servers.redis.tell(&["EVAL", TRIM, "0"]);
        trimmed += answer.trim_start_matches(':').parse::<u64>().unwrap();
    }
    assert!(trimmed > 20, "only {trimmed} entries of logs were dropped");
    services.comes_to(&news.digests).await;
    let run = lab.path(News::RUN);
    let wanted = lab.json(&["taxonomy", "--format", "json", run.to_str().unwrap()]).await;
    services.folds_to(&wanted).await;
    end(&mut services, news, &listener).await;
}

/// Drops all entries of all logs but the last ones, as logs do that are full. Returns how many.
const TRIM: &str = "local trimmed = 0 \
                    for _, log in ipairs(redis.call('KEYS', 'owners:*:log')) do \
                      local places = log:gsub(':log$', ':places') \
                      while redis.call('LLEN', log) > 1 do \
                        local bytes = #redis.call('LPOP', log) \
                        redis.call('HINCRBY', places, 'bytes', -bytes) \
                        redis.call('HINCRBY', places, 'dropped', 1) \
                        trimmed = trimmed + 1 \
                      end \
                    end \
                    return trimmed";

async fn servers_die(lab: &Lab, servers: &mut Servers, news: &News) {
    assert_eq!(servers.redis.tell(&["CONFIG", "SET", "appendfsync", "always"]), "+OK");
    let (mut services, listener) = begin(lab, servers, "servers").await;
    let all = news.done;
    services.done(all / 4).await;
    eprintln!("Redis is killed, synced on every write");
    servers.redis.kill();
    servers.redis.restart();
    // It comes back with its options: it syncs once a second, unless told otherwise.
    assert_eq!(servers.redis.tell(&["CONFIG", "SET", "appendfsync", "always"]), "+OK");
    under_way(&services).await;
    services.done(all / 2).await;
    eprintln!("RabbitMQ is killed");
    servers.rabbit.kill_now();
    servers.rabbit.restart().await.unwrap();
    under_way(&services).await;
    services.done(all * 3 / 4).await;
    eprintln!("Redis and RabbitMQ are killed together");
    servers.redis.kill();
    servers.rabbit.kill_now();
    servers.rabbit.restart().await.unwrap();
    servers.redis.restart();
    end(&mut services, news, &listener).await;
}

/// `kill -9` loses what Redis had not yet written: nothing, unless its last sync is late.
async fn redis_dies_that_syncs_each_second(lab: &Lab, servers: &mut Servers, news: &News) {
    assert_eq!(servers.redis.tell(&["CONFIG", "SET", "appendfsync", "everysec"]), "+OK");
    let (mut services, listener) = begin(lab, servers, "everysec").await;
    for part in 1..4 {
        services.done(news.done * part / 4).await;
        eprintln!("Redis is killed, synced each second");
        servers.redis.kill();
        servers.redis.restart();
    }
    end(&mut services, news, &listener).await;
}

/// An installation that has just begun to follow the news, and a reader of its events.
async fn begin<'a>(lab: &'a Lab, servers: &Servers, prefix: &str) -> (Installation<'a>, Listener) {
    eprintln!("-- {prefix}");
    let mut services = Installation::following("news", lab, servers, prefix, DELAY);
    services.start_all();
    services.ready().await;
    let listener = services.listener().await;
    services.seed().await;
    (services, listener)
}

/// Fails if the run is already over: a fault after its end would prove nothing.
async fn under_way(services: &Installation<'_>) {
    let (sites, now) =
        (Frontier::status(&services.store().await).await.unwrap(), newslode_common::time::now());
    let is_under_way = |site: &SiteStatus| site.leased > 0 || site.next_due.is_some_and(|due| due <= now);
    assert!(sites.iter().any(is_under_way), "the run was over before the fault: {sites:?}");
}

/// Checks the end, and that nothing was counted while the services stopped.
async fn end(services: &mut Installation<'_>, news: &News, listener: &Listener) {
    services.ends_with_the_news(news, listener).await;
    assert_eq!(digests_in(&services.store().await).await, news.digests, "counted while stopping");
}

/// A server without memory refuses every write until a person gives it more; meanwhile the services wait.
async fn redis_is_full(lab: &Lab, servers: &Servers, news: &News) {
    let (mut services, listener) = begin(lab, servers, "full").await;
    services.done(news.done / 4).await;
    eprintln!("Redis is full");
    assert_eq!(servers.redis.tell(&["CONFIG", "SET", "maxmemory", "1"]), "+OK");
    services.logged("newslode-crawler", "away; trying again").await;
    services.all_run();
    under_way(&services).await;
    assert_eq!(servers.redis.tell(&["CONFIG", "SET", "maxmemory", "0"]), "+OK");
    end(&mut services, news, &listener).await;
}
