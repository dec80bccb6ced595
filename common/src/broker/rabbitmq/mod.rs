//! The broker of the services: RabbitMQ over AMQP 0-9-1, 3.10 to 4.x.
//!
//! A supervisor owns the one connection and rebuilds it for as long as the broker is used (`link`). We
//! declare queues and exchanges ourselves (`topology`). Publishing waits for the broker's confirm, with many
//! messages in flight at once (`publish`). Each consumer has a channel of its own and survives reconnections
//! (`consume`). Dead letters are ordinary queues that are read and put back (`dead`).
//! Invariant: a message leaves a queue only after its destination has confirmed it.
//! Start at [`RabbitBroker::connect_patiently`].

mod consume;
mod core;
mod dead;
mod link;
mod marks;
mod publish;
mod topology;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use self::core::{Core, Keeper, MessageIds, WINDOW};
use self::link::{Address, Link, Supervisor, open_patiently};
use self::topology::Topology;
use super::{Broker, BrokerError, Consumer, DeadLetter, Headers, PublishError, Queue};
use crate::config::{BrokerConfig, Secret};
use crate::telemetry::metrics::Metrics;
use crate::telemetry::trace::TraceContext;

/// RabbitMQ. The connection lives as long as this value or one of its consumers, or until
/// [`RabbitBroker::close`].
pub struct RabbitBroker {
    core: Arc<Core>,
    keeper: Arc<Keeper>,
}

/// Checks that `broker.url` can be parsed. Connects to nothing.
///
/// # Errors
/// Says what is wrong with the URL, without its password.
pub fn check_url(url: &Secret) -> Result<(), BrokerError> {
    let config = BrokerConfig { url: url.clone(), ..BrokerConfig::default() };
    Address::new(&config, "").map(drop)
}

impl RabbitBroker {
    /// Connects once and declares the topology. `by` is `service@host`: it names the connection and the one
    /// who gives a message up. `metrics` counts reconnections.
    ///
    /// # Errors
    /// When the broker cannot be reached within `broker.timeout_ms`, refuses us, or has a queue of ours with
    /// other settings. The message names the address without its password.
    pub async fn connect(
        config: &BrokerConfig,
        by: &str,
        metrics: Option<Arc<Metrics>>,
    ) -> Result<RabbitBroker, BrokerError> {
        let (address, topology) = (Address::new(config, by)?, Topology::new(config));
        let link = Link::open(&address, &topology).await?;
        Ok(RabbitBroker::over(link, address, topology, config, by, metrics))
    }

    /// Connects as soon as the broker is there. Tries with backoff until `stop` is cancelled, and logs every
    /// few seconds what it waits for.
    ///
    /// # Errors
    /// The last attempt's error if the stop came before a success; at once if the URL is invalid.
    pub async fn connect_patiently(
        config: &BrokerConfig,
        by: &str,
        metrics: Option<Arc<Metrics>>,
        stop: &CancellationToken,
    ) -> Result<RabbitBroker, BrokerError> {
        let (address, topology) = (Address::new(config, by)?, Topology::new(config));
        let link = open_patiently(&address, &topology, stop).await?;
        Ok(RabbitBroker::over(link, address, topology, config, by, metrics))
    }

    fn over(
        link: Link,
        address: Address,
        topology: Topology,
        config: &BrokerConfig,
        by: &str,
        metrics: Option<Arc<Metrics>>,
    ) -> RabbitBroker {
        let stop = CancellationToken::new();
        let (supervisor, links) = Supervisor::new(address, topology.clone(), metrics, stop.clone(), link);
        let mut tasks = JoinSet::new();
        tasks.spawn(supervisor.run());
        let core = Core {
            links,
            topology,
            by: by.into(),
            timeout: Duration::from_millis(config.timeout_ms),
            window: Semaphore::new(WINDOW),
            ids: MessageIds::new(by),
        };
        RabbitBroker { core: Arc::new(core), keeper: Arc::new(Keeper { stop, tasks: Mutex::new(tasks) }) }
    }

    /// Closes the connection properly. Messages that consumers still hold go back to their queues. Every
    /// later call is an error.
    pub async fn close(&self) {
        self.keeper.stop.cancel();
        let mut tasks = {
            let mut tasks = self.keeper.tasks.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *tasks)
        };
        while tasks.join_next().await.is_some() {}
    }
}

#[async_trait]
impl Broker for RabbitBroker {
    async fn publish(&self, queue: Queue, body: Bytes) -> Result<(), PublishError> {
        self.core.publish(queue, &body, TraceContext::current().as_ref()).await
    }

    async fn publish_article(
        &self,
        topic: &str,
        headers: Headers<'_>,
        body: Bytes,
    ) -> Result<(), PublishError> {
        self.core.publish_article(topic, headers, &body).await
    }

    async fn consume(&self, queue: Queue, prefetch: u16) -> Result<Box<dyn Consumer>, BrokerError> {
        let keeper = self.keeper.clone();
        Ok(Box::new(consume::RabbitConsumer::open(self.core.clone(), keeper, queue, prefetch).await?))
    }

    async fn depth(&self, queue: Queue) -> Result<u64, BrokerError> {
        self.core.count(&self.core.topology.queue(queue)).await
    }

    async fn dead(&self, queue: Queue, most: usize) -> Result<Vec<DeadLetter>, BrokerError> {
        self.core.dead(queue, most).await
    }

    async fn replay(&self, queue: Queue, ids: &[String]) -> Result<u64, BrokerError> {
        self.core.replay(queue, ids).await
    }

    async fn drop_dead(&self, queue: Queue, ids: &[String]) -> Result<u64, BrokerError> {
        self.core.drop_dead(queue, ids).await
    }

    async fn holds_mark(&self, mark: &str) -> Result<bool, BrokerError> {
        self.core.holds_mark(mark).await
    }

    async fn set_mark(&self, mark: &str) -> Result<(), BrokerError> {
        self.core.set_mark(mark).await
    }

    /// Makes a round trip to the broker. Fails if the broker blocks publishers for want of memory or disk.
    async fn ready(&self) -> Result<(), BrokerError> {
        if self.core.links.now()?.is_blocked() {
            return Err(BrokerError("the broker accepts no messages: it is short of memory or disk".into()));
        }
        self.depth(Queue::Pages).await.map(drop)
    }
}
