//! A whole installation: RabbitMQ, Redis, an archive folder, and the three services as processes.
//!
//! One pair of servers can carry several installations one after another; a prefix of queues and keys keeps
//! them apart. Every wait has a deadline, and a failure shows the last lines of the services' logs.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use newslode_common::broker::rabbitmq::RabbitBroker;
use newslode_common::broker::{Broker, BrokerError, DeadLetter, Queue};
use newslode_common::config::{BrokerConfig, Secret, StoreConfig};
use newslode_common::store::redis::RedisStore;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::lab::{Digests, Lab, Outcomes, outcomes_in, same_outcomes};
use crate::process::{LOOK, Process};
use newslode_test_servers::{RabbitServer, RedisServer};

mod waiting;

pub use waiting::{busy, uncounted};

/// The services, in the order of the flow.
pub const SERVICES: [&str; 3] = ["newslode-crawler", "newslode-partitioner", "newslode-miner"];

/// The name of a miner beside the first.
pub const ANOTHER_MINER: &str = "another-miner";

/// The longest wait for a service to be ready or for a message to arrive.
pub const SOON: Duration = Duration::from_secs(40);

/// RabbitMQ and Redis.
pub struct Servers {
    /// The broker.
    pub rabbit: RabbitServer,
    /// The store.
    pub redis: RedisServer,
}

impl Servers {
    /// Starts both.
    pub async fn start() -> Servers {
        let redis = RedisServer::start();
        Servers { rabbit: RabbitServer::start().await.unwrap(), redis }
    }

    /// Servers as deployed: RabbitMQ with the plugins of `deploy/`.
    pub async fn as_deployed() -> Servers {
        let plugins = std::fs::read_to_string(deployed("rabbitmq/enabled_plugins")).unwrap();
        let redis = RedisServer::start();
        Servers { rabbit: RabbitServer::start_with(&plugins).await.unwrap(), redis }
    }
}

/// A file of `deploy/`.
pub fn deployed(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy").join(file)
}

/// The services of one prefix.
pub struct Installation<'a> {
    lab: &'a Lab,
    prefix: String,
    config: String,
    broker: BrokerConfig,
    store: StoreConfig,
    admin: BTreeMap<&'static str, SocketAddr>,
    running: BTreeMap<&'static str, Process>,
}

impl<'a> Installation<'a> {
    /// Writes the configuration; starts nothing. `delay_ms` is the sites' delay.
    pub fn new(lab: &'a Lab, servers: &Servers, prefix: &str, delay_ms: u64) -> Installation<'a> {
        Installation::following("all", lab, servers, prefix, delay_ms)
    }

    /// The same with what of a site is fetched.
    pub fn following(
        follow: &str,
        lab: &'a Lab,
        servers: &Servers,
        prefix: &str,
        delay_ms: u64,
    ) -> Installation<'a> {
        let (rabbit, redis) = (servers.rabbit.url(), servers.redis.config().url.reveal().to_owned());
        Installation::between(follow, lab, [&rabbit, &redis], [&rabbit, &redis], prefix, delay_ms)
    }

    /// The same with the URLs of RabbitMQ and Redis by which the services reach them, and those by which the test does.
    pub fn between(
        follow: &str,
        lab: &'a Lab,
        theirs: [&str; 2],
        ours: [&str; 2],
        prefix: &str,
        delay_ms: u64,
    ) -> Installation<'a> {
        let broker = BrokerConfig {
            url: Secret::new(ours[0]),
            prefix: prefix.into(),
            timeout_ms: 5_000,
            ..BrokerConfig::default()
        };
        let store = StoreConfig { url: Secret::new(ours[1]), prefix: prefix.into(), timeout_ms: 10_000 };
        let text = format!(
            "broker = {{ url = '{}', prefix = '{prefix}', timeout_ms = 5000 }}\n\
             store = {{ url = '{}', prefix = '{prefix}' }}\n\
             archive = {{ url = 'file://{}' }}\n\
             crawler = {{ resolve = ['{}'], timeout_ms = 3000, lease_ms = 6500, retry_ms = 200 }}\n\
             schedule = {{ allowance = false }}\n\
             miner = {{ delay_ms = {delay_ms}, fold_s = 1, follow = '{follow}', views_s = 1 }}\n",
            theirs[0],
            theirs[1],
            lab.path(&format!("{prefix}-archive")).display(),
            lab.resolve(),
        );
        let file = lab.path(&format!("{prefix}.toml"));
        std::fs::write(&file, text).unwrap();
        let admin = SERVICES.into_iter().zip(free_addresses()).collect();
        let (prefix, config) = (prefix.to_string(), file.display().to_string());
        Installation { lab, prefix, config, broker, store, admin, running: BTreeMap::new() }
    }

    /// The file of the services' configuration.
    pub fn config(&self) -> &str {
        &self.config
    }

    /// Changes the configuration of services that start later.
    ///
    /// # Errors
    /// When the file cannot be read or written, or does not hold `from`.
    pub fn change_config(&self, from: &str, to: &str) -> std::io::Result<()> {
        let text = std::fs::read_to_string(&self.config)?;
        if !text.contains(from) {
            return Err(std::io::Error::other(format!("no `{from}` in the configuration")));
        }
        std::fs::write(&self.config, text.replace(from, to))
    }

    /// The prefix of queues and keys.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The URL of RabbitMQ for the test.
    pub fn broker_url(&self) -> String {
        self.broker.url.reveal().to_owned()
    }

    /// What `newslode export articles` prints, with these options.
    pub async fn exported(&self, options: &[&str]) -> String {
        let arguments = [&["export", "articles"][..], options].concat();
        self.lab.ok(&self.asking(&arguments)).await
    }

    /// The address at which each service serves its metrics.
    pub fn admin(&self) -> &BTreeMap<&'static str, SocketAddr> {
        &self.admin
    }

    /// Starts all services.
    pub fn start_all(&mut self) {
        SERVICES.into_iter().for_each(|service| self.start(service));
    }

    /// Starts a service without waiting for it.
    pub fn start(&mut self, service: &'static str) {
        self.start_copy(service, service, &[]);
    }

    /// Starts a miner beside the first. Killed and started like a service, it is known by this name.
    pub fn start_another_miner(&mut self) {
        self.start_copy(ANOTHER_MINER, "newslode-miner", &[]);
    }

    /// Starts a copy of a service, known by a name, with more variables in its environment. Only the copy with the
    /// service's own name is asked whether it is ready.
    pub fn start_copy(&mut self, name: &'static str, service: &str, environment: &[(&str, &str)]) {
        let mut command = self.lab.command(service);
        command.args(["--config", &self.config]);
        let admin = self.admin.get(name).map_or_else(|| "127.0.0.1:0".into(), SocketAddr::to_string);
        command.env("NEWSLODE__TELEMETRY__ADMIN", admin).envs(environment.iter().copied());
        let process = Process::start(command, &format!("{}-{name}", self.prefix), &self.lab.path(""));
        self.running.insert(name, process);
    }

    /// The running services and copies by name.
    pub fn running(&mut self) -> &mut BTreeMap<&'static str, Process> {
        &mut self.running
    }

    /// Kills a service.
    pub fn kill(&mut self, service: &'static str) {
        self.running.remove(service).unwrap().kill();
    }

    /// Kills a service and starts it again at once.
    pub fn kill_and_start(&mut self, service: &'static str) {
        self.kill(service);
        if service == ANOTHER_MINER { self.start_another_miner() } else { self.start(service) }
    }

    /// Waits until every service says that it is ready.
    pub async fn ready(&mut self) {
        let begun = Instant::now();
        for service in SERVICES {
            loop {
                let answer = self.health(service).await;
                if answer.contains(" 200 ") {
                    break;
                }
                self.all_run();
                assert!(begun.elapsed() < SOON, "{service} is not ready: {answer}\n{}", self.logs());
                tokio::time::sleep(LOOK).await;
            }
        }
    }

    /// The whole answer of `/health/ready`; empty if there is none.
    pub async fn health(&self, service: &'static str) -> String {
        let ask = async {
            let mut stream = tokio::net::TcpStream::connect(self.admin[service]).await?;
            stream.write_all(b"GET /health/ready HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await?;
            std::io::Result::Ok(answer)
        };
        match tokio::time::timeout(Duration::from_secs(5), ask).await {
            Ok(Ok(answer)) => answer,
            _ => String::new(),
        }
    }

    /// Fails if a service has ended by itself.
    pub fn all_run(&mut self) {
        let gone: Vec<_> = self
            .running
            .iter_mut()
            .filter_map(|(name, process)| Some(format!("{name} ended with {}", process.ended()?)))
            .collect();
        assert!(gone.is_empty(), "{}\n{}", gone.join(", "), self.logs());
    }

    /// Waits until a service has logged these words.
    pub async fn logged(&mut self, service: &str, words: &str) {
        let begun = Instant::now();
        while !self.running[service].tail().contains(words) {
            self.all_run();
            assert!(begun.elapsed() < SOON, "{service} does not say `{words}`\n{}", self.logs());
            tokio::time::sleep(LOOK).await;
        }
    }

    /// The last lines of the services' logs.
    pub fn logs(&self) -> String {
        self.running.values().map(Process::tail).collect()
    }

    /// The arguments of `newslode` for these services.
    pub fn asking<'b>(&'b self, arguments: &[&'b str]) -> Vec<&'b str> {
        let mut all = vec!["--quiet", "--config", self.config.as_str()];
        all.extend(arguments);
        all
    }

    /// Sends the world's seeds to the services.
    pub async fn seed(&self) {
        let seeds = self.lab.seeds().iter().map(String::as_str);
        let arguments: Vec<&str> = ["seed", "add"].into_iter().chain(seeds).collect();
        self.lab.ok(&self.asking(&arguments)).await;
    }

    /// The test's own connection to the store.
    pub async fn store(&self) -> RedisStore {
        RedisStore::connect(&self.store).await.unwrap()
    }

    /// The test's own connection to the broker.
    pub async fn broker(&self) -> RabbitBroker {
        self.connect_broker().await.unwrap()
    }

    async fn connect_broker(&self) -> Result<RabbitBroker, BrokerError> {
        RabbitBroker::connect(&self.broker, "test@here", None).await
    }

    /// Compares every URL's outcome.
    pub async fn same_outcomes(&self, wanted: &Outcomes) {
        same_outcomes(wanted, &outcomes_in(&self.store().await).await);
    }

    /// The dead letters of a queue.
    pub async fn dead(&self, queue: Queue) -> Vec<DeadLetter> {
        self.broker().await.dead(queue, 1_000).await.unwrap()
    }

    /// Fails if a message was given up.
    pub async fn no_dead_letters(&self) {
        for queue in Queue::ALL {
            let dead = self.dead(*queue).await;
            let reasons: Vec<_> = dead.iter().map(|letter| (&letter.reason, &letter.by)).collect();
            assert!(reasons.is_empty(), "{queue}: {reasons:?}\n{}", self.logs());
        }
    }

    /// Recomputes the state from the archive, which must hold every counted page.
    pub async fn proved(&self) {
        self.lab.ok(&self.asking(&["verify"])).await;
    }

    /// Checks the end of a run that follows all links: the state is the wanted one to the bit, as is every URL's outcome;
    /// no message was given up; the archive proves the state; the services end well.
    pub async fn ends_as(&mut self, digests: &Digests, outcomes: &Outcomes) {
        self.comes_to(digests).await;
        self.same_outcomes(outcomes).await;
        self.no_dead_letters().await;
        self.proved().await;
        self.stop().await;
    }

    /// Asks all to stop; each must end well and in time.
    pub async fn stop(&mut self) {
        self.running.values().for_each(Process::terminate);
        for (name, process) in &mut self.running {
            let ended = process.end(Duration::from_secs(30)).await;
            assert_eq!(ended.code, Some(0), "{name}:\n{}", ended.err);
        }
        self.running.clear();
    }
}

fn free_addresses() -> Vec<SocketAddr> {
    // All at once, so that the ports differ.
    let held: Vec<_> = SERVICES.iter().map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    held.iter().map(|listener| listener.local_addr().unwrap()).collect()
}
