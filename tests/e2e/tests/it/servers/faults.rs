//! Services and servers die under load, one kind a test; nothing is lost and nothing counted twice.
//!
//! The scenarios run in the default mode and end as [`newslode_e2e::news`] says. The one in which each service dies also
//! runs where all links are followed: there every page is due once, so a run ends, and its digests and the outcome of
//! every URL must be those of an undisturbed run.

use newslode_common::store::{Frontier, SiteStatus};
use newslode_e2e::news::{Listener, News};

use crate::lab::{Lab, digests_in, small_world};
use crate::services::{ANOTHER_MINER, Installation, SERVICES, Servers};

/// The delay between two requests to a site, in milliseconds: so long that faults meet a run under way.
const DELAY: u64 = 60;

/// A served world, and what an undisturbed run finds in it.
struct Undisturbed {
    lab: Lab,
    news: News,
}

impl Undisturbed {
    async fn mine() -> Undisturbed {
        let lab = Lab::of(small_world(5)).await;
        let news = News::undisturbed(&lab, &[]).await;
        Undisturbed { lab, news }
    }

    /// An installation that has just begun to follow the news, and a reader of its events.
    async fn begin(&self, servers: &Servers) -> (Installation<'_>, Listener) {
        let mut services = Installation::following("news", &self.lab, servers, "faults", DELAY);
        services.start_all();
        services.ready().await;
        let listener = services.listener().await;
        services.seed().await;
        (services, listener)
    }

    /// Checks the end, and that nothing was counted while the services stopped.
    async fn end(&self, services: &mut Installation<'_>, listener: &Listener) {
        services.ends_with_the_news(&self.news, listener).await;
        assert_eq!(digests_in(&services.store().await).await, self.news.digests, "counted while stopping");
    }
}

/// Fails if the run is already over: a fault after its end would prove nothing.
async fn under_way(services: &Installation<'_>) {
    let (sites, now) =
        (Frontier::status(&services.store().await).await.unwrap(), newslode_common::time::now());
    let is_under_way = |site: &SiteStatus| site.leased > 0 || site.next_due.is_some_and(|due| due <= now);
    assert!(sites.iter().any(is_under_way), "the run was over before the fault: {sites:?}");
}

/// The comparison of every digest and every outcome.
#[tokio::test(flavor = "multi_thread")]
async fn services_that_die_while_all_links_are_followed_change_no_outcome() {
    let lab = Lab::of(small_world(5)).await;
    let (digests, outcomes) = lab.undisturbed(&[]).await;
    let servers = Servers::start().await;
    let mut services = Installation::new(&lab, &servers, "all", DELAY);
    services.start_all();
    services.ready().await;
    services.seed().await;
    each_service_dies_twice(&mut services, outcomes.len() as u64).await;
    services.ends_as(&digests, &outcomes).await;
    assert_eq!(digests_in(&services.store().await).await, digests, "counted while stopping");
}

#[tokio::test(flavor = "multi_thread")]
async fn services_that_die_under_load_change_no_result() {
    let (run, servers) = (Undisturbed::mine().await, Servers::start().await);
    let (mut services, listener) = run.begin(&servers).await;
    each_service_dies_twice(&mut services, run.news.done).await;
    run.end(&mut services, &listener).await;
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
#[tokio::test(flavor = "multi_thread")]
async fn miners_that_die_while_their_logs_are_trimmed_fold_the_same() {
    let (run, servers) = (Undisturbed::mine().await, Servers::start().await);
    let (mut services, listener) = run.begin(&servers).await;
    services.start_another_miner();
    services.logged(ANOTHER_MINER, "share of the sites changed").await;
    let (all, mut trimmed) = (run.news.done, 0);
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
    assert!(trimmed > 10, "only {trimmed} entries of logs were dropped");
    services.comes_to(&run.news.digests).await;
    let folder = run.lab.path(News::RUN);
    let wanted = run.lab.taxonomy(&["taxonomy", "--format", "json", folder.to_str().unwrap()]).await;
    services.folds_to(&wanted).await;
    run.end(&mut services, &listener).await;
}

/// Drops all entries of all logs but the last ones, as logs do that are full. Returns how many.
const TRIM: &str = "local trimmed = 0 \
                    for _, log in ipairs(redis.call('KEYS', 'faults:*:log')) do \
                      local places = log:gsub(':log$', ':places') \
                      while redis.call('LLEN', log) > 1 do \
                        local bytes = #redis.call('LPOP', log) \
                        redis.call('HINCRBY', places, 'bytes', -bytes) \
                        redis.call('HINCRBY', places, 'dropped', 1) \
                        trimmed = trimmed + 1 \
                      end \
                    end \
                    return trimmed";

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_die_under_load_change_no_result() {
    let (run, mut servers) = (Undisturbed::mine().await, Servers::start().await);
    assert_eq!(servers.redis.tell(&["CONFIG", "SET", "appendfsync", "always"]), "+OK");
    let (mut services, listener) = run.begin(&servers).await;
    let all = run.news.done;
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
    run.end(&mut services, &listener).await;
}

/// `kill -9` loses what Redis had not yet written: nothing, unless its last sync is late.
#[tokio::test(flavor = "multi_thread")]
async fn redis_that_dies_and_syncs_each_second_changes_no_result() {
    let (run, mut servers) = (Undisturbed::mine().await, Servers::start().await);
    assert_eq!(servers.redis.tell(&["CONFIG", "SET", "appendfsync", "everysec"]), "+OK");
    let (mut services, listener) = run.begin(&servers).await;
    for part in 1..4 {
        services.done(run.news.done * part / 4).await;
        eprintln!("Redis is killed, synced each second");
        servers.redis.kill();
        servers.redis.restart();
    }
    run.end(&mut services, &listener).await;
}

/// A server without memory refuses every write until a person gives it more; meanwhile the services wait.
#[tokio::test(flavor = "multi_thread")]
async fn services_wait_while_redis_is_full() {
    let (run, servers) = (Undisturbed::mine().await, Servers::start().await);
    let (mut services, listener) = run.begin(&servers).await;
    services.done(run.news.done / 4).await;
    eprintln!("Redis is full");
    assert_eq!(servers.redis.tell(&["CONFIG", "SET", "maxmemory", "1"]), "+OK");
    services.logged("newslode-crawler", "away; trying again").await;
    services.all_run();
    under_way(&services).await;
    assert_eq!(servers.redis.tell(&["CONFIG", "SET", "maxmemory", "0"]), "+OK");
    run.end(&mut services, &listener).await;
}
