//! The three services over RabbitMQ and Redis, with an archive of files, until they rest.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use newslode_common::broker::rabbitmq::RabbitBroker;
use newslode_common::broker::{Broker as _, Queue};
use newslode_common::config::{self, StoreConfig};
use newslode_common::store::redis::RedisStore;
use newslode_common::store::{Frontier, SiteStatus};
use newslode_common::time;
use tokio::runtime::Handle;

use super::processes::{Crawled, DELAY_MS, Service, beside, children_seconds, cpu_seconds};
use super::web::Web;
use crate::bench::mine::Server as Redis;

const MINER: &str = "newslode-miner";
const SERVICES: [&str; 3] = ["newslode-crawler", "newslode-partitioner", MINER];
/// The services rest when they used less than a tenth of a processor for so long, with nothing due.
const REST: Duration = Duration::from_secs(12);
/// Longest wait for that.
const PATIENCE: Duration = Duration::from_secs(3_600);
/// Longest wait for the end of a service.
const END: Duration = Duration::from_secs(40);

/// Crawls the recorded sites in a folder with the services, which run from the folder of this program. Returns the crawl
/// and what each of them took.
pub(super) fn crawl(pages: &Path, rabbitmq: &str, miners: usize) -> anyhow::Result<(Crawled, Vec<Service>)> {
    let folder = tempfile::tempdir()?;
    let redis = Handle::current().block_on(Redis::start(folder.path()))?;
    let mut web = Web::start(pages)?;
    let file = folder.path().join("newslode.toml");
    fs::write(&file, configuration(folder.path(), rabbitmq, redis.config(), web.port))?;
    let config = config::load(Some(&file))?;
    let broker = RabbitBroker::connect(&config.broker, "newslode-lab", None);
    let broker = Handle::current().block_on(broker).context("cannot use the broker")?;
    let store = RedisStore::connect(&config.store);
    let store = Handle::current().block_on(store).context("cannot use the store")?;
    let mut seeding = Command::new(beside("newslode")?);
    seeding.arg("--config").arg(&file).args(["seed", "add"]).args(&web.seeds);
    let seeded = seeding.stdout(Stdio::null()).status()?;
    anyhow::ensure!(seeded.success(), "`newslode seed add` failed ({seeded})");
    let before = children_seconds()?;
    let mut services = Services::start(&file, miners)?;
    services.until_they_rest(&broker, &store)?;
    let each = services.each()?;
    services.stop()?;
    let crawled = Crawled { seconds: children_seconds()? - before, served: web.stop()? };
    let service =
        |(name, seconds): (&str, f64)| Service { name: name.into(), cpu_ms: crawled.of_a_page(seconds) };
    Ok((crawled, each.into_iter().map(service).collect()))
}

/// Views and folds come soon, so that the end does not wait for them; the rest is as in any installation.
fn configuration(folder: &Path, rabbitmq: &str, redis: &StoreConfig, port: u16) -> String {
    let (url, prefix, archive) = (redis.url.reveal(), &redis.prefix, folder.join("archive"));
    format!(
        "broker = {{ url = '{rabbitmq}', prefix = '{prefix}' }}\n\
         store = {{ url = '{url}', prefix = '{prefix}' }}\n\
         archive = {{ url = 'file://{}' }}\n\
         crawler = {{ resolve = ['*:127.0.0.1:{port}'], allow_private = true }}\n\
         schedule = {{ allowance = false }}\n\
         telemetry = {{ admin = '127.0.0.1:0', log = 'error' }}\n\
         miner = {{ delay_ms = {DELAY_MS}, fold_s = 5, views_s = 5, views_share = 100 }}\n",
        archive.display()
    )
}

struct Services(Vec<(&'static str, Child)>);

impl Services {
    fn start(config: &Path, miners: usize) -> anyhow::Result<Services> {
        let mut services = Services(Vec::new());
        for name in SERVICES.into_iter().chain(std::iter::repeat_n(MINER, miners.saturating_sub(1))) {
            let mut command = Command::new(beside(name)?);
            command.arg("--config").arg(config).stdin(Stdio::null()).stdout(Stdio::null());
            let started = command.spawn().with_context(|| format!("cannot start `{name}`"))?;
            services.0.push((name, started));
        }
        Ok(services)
    }

    fn until_they_rest(&mut self, broker: &RabbitBroker, store: &RedisStore) -> anyhow::Result<()> {
        let begun = Instant::now();
        let (mut since, mut used) = (Instant::now(), 0.0);
        while begun.elapsed() < PATIENCE {
            sleep(Duration::from_secs(1));
            self.all_run()?;
            let now = self.seconds()?;
            let is_busy = Handle::current().block_on(is_busy(broker, store))?;
            if is_busy || now - used > since.elapsed().as_secs_f64() * 0.1 + 0.1 {
                (since, used) = (Instant::now(), now);
            }
            if since.elapsed() > REST {
                return Ok(());
            }
        }
        bail!("the services were still busy after {PATIENCE:?}")
    }

    fn all_run(&mut self) -> anyhow::Result<()> {
        for (name, process) in &mut self.0 {
            if let Some(status) = process.try_wait()? {
                bail!("`{name}` ended ({status}); it said why");
            }
        }
        Ok(())
    }

    /// Processor time so far, by name.
    fn each(&self) -> anyhow::Result<Vec<(&'static str, f64)>> {
        self.0.iter().map(|(name, process)| Ok((*name, cpu_seconds(process.id())?))).collect()
    }

    /// Processor time so far.
    fn seconds(&self) -> anyhow::Result<f64> {
        Ok(self.each()?.into_iter().map(|(_, seconds)| seconds).sum())
    }

    fn stop(&mut self) -> anyhow::Result<()> {
        for (_, process) in &self.0 {
            Command::new("kill").args(["-TERM", &process.id().to_string()]).status()?;
        }
        let begun = Instant::now();
        for (name, process) in &mut self.0 {
            while process.try_wait()?.is_none() {
                anyhow::ensure!(begun.elapsed() < END, "`{name}` does not end");
                sleep(Duration::from_millis(100));
            }
        }
        self.0.clear();
        Ok(())
    }
}

impl Drop for Services {
    fn drop(&mut self) {
        for (_, process) in &mut self.0 {
            process.kill().ok();
            process.wait().ok();
        }
    }
}

/// Whether a page waits in a queue, is being fetched, or is due now; a site that rests for long is not waited for.
async fn is_busy(broker: &RabbitBroker, store: &RedisStore) -> anyhow::Result<bool> {
    for queue in Queue::ALL {
        if broker.depth(*queue).await? > 0 {
            return Ok(true);
        }
    }
    let sites = Frontier::status(store).await?;
    let soon = time::now().plus(Duration::from_secs(5));
    let later = time::now().plus(Duration::from_secs(90));
    let is_due = |site: &SiteStatus| {
        site.next_due.is_some_and(|due| due <= soon) && site.ready.is_none_or(|ready| ready <= later)
    };
    Ok(sites.is_empty() || sites.iter().any(|site| site.leased > 0 || is_due(site)))
}
