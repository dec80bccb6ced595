//! What travels between services, and the trait that carries it.
//!
//! Two sides: [`in_process`] for the embedded engine and tests, [`rabbitmq`] for the services. Both
//! pass `conformance`, one function a sentence of the contract below; a third, broken one fails it.
//!
//! Contract:
//! - [`Broker::publish`] returns `Ok` only once the message is held safely (confirmed, durable).
//! - A queue at its length limit refuses ([`PublishError::Full`]); the publisher keeps the message and
//!   tries again later. Nothing is ever dropped to make room.
//! - A message is delivered at least once, to one consumer at a time, in no promised order. A delivery
//!   that ends without [`Delivery::ack`] or [`Delivery::reject`] (dropped, released, connection lost)
//!   comes again, marked redelivered.
//! - After [`DELIVERY_LIMIT`] deliveries that were not acknowledged a message is dead-lettered.
//! - [`Delivery::reject`] moves it to the queue's dead letters with its body and the reason.
//! - At most `prefetch` deliveries of one consumer are unacknowledged.

#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
pub mod in_process;
pub mod rabbitmq;

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::retry::Retryable;

/// A page that ended this many deliveries is the page's fault. The broker counts, not we.
pub const DELIVERY_LIMIT: u32 = 5;

/// Largest message that any side takes, in bytes: RabbitMQ 4's default limit. Larger pages go through
/// the archive.
pub const MAX_MESSAGE: usize = 16 << 20;

/// The reason of messages that were dead-lettered for [`DELIVERY_LIMIT`], on every side.
pub const DELIVERY_LIMIT_REASON: &str = "delivery limit";

/// The work queues. Names on the wire come from [`Queue::name`] behind a configurable prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Queue {
    /// Operators' JSON: seeds to add, remove, pause.
    Seeds,
    /// Fetched pages: crawler → partitioner.
    Pages,
    /// Partitioned pages: partitioner → miner.
    Partitions,
}

impl Queue {
    /// All queues, so that each is declared and measured from the start.
    pub const ALL: &'static [Queue] = &[Queue::Seeds, Queue::Pages, Queue::Partitions];

    /// The name behind the prefix: `newslode.pages` has `pages`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Queue::Seeds => "seeds",
            Queue::Pages => "pages",
            Queue::Partitions => "partitions",
        }
    }
}

impl fmt::Display for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a message could not be published. The publisher still holds it.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The queue is at its limit: wait and try again (backpressure, not a failure).
    #[error("queue `{queue}` is full")]
    Full {
        /// Which queue.
        queue: String,
    },
    /// No queue takes it: the topology is missing.
    #[error("`{queue}` takes no message: {reason}; was the queue deleted?")]
    Unroutable {
        /// Queue or exchange.
        queue: String,
        /// The broker's words.
        reason: String,
    },
    /// The message is larger than the broker or the wire allows.
    #[error("a message of {size} bytes is over the limit of {limit}")]
    TooLarge {
        /// Bytes.
        size: usize,
        /// Bytes.
        limit: usize,
    },
    /// The broker cannot be reached or did not confirm in time; the message may have been taken.
    #[error("the broker did not confirm: {reason}")]
    Unavailable {
        /// What was tried.
        reason: String,
    },
}

impl Retryable for PublishError {
    fn is_retryable(&self) -> bool {
        match self {
            PublishError::Full { .. } | PublishError::Unavailable { .. } => true,
            PublishError::Unroutable { .. } | PublishError::TooLarge { .. } => false,
        }
    }

    fn is_outage(&self) -> bool {
        matches!(self, PublishError::Unavailable { .. })
    }
}

/// The broker cannot be reached, or said no.
#[derive(Debug, thiserror::Error)]
#[error("broker: {0}")]
pub struct BrokerError(pub String);

impl Retryable for BrokerError {
    /// Always: RabbitMQ is mended while its clients wait.
    fn is_retryable(&self) -> bool {
        true
    }
}

/// A message that was given up, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadLetter {
    /// Names it among the queue's dead letters (for `show`, `replay`, `drop`).
    pub id: String,
    /// The queue it was on.
    pub queue: Queue,
    /// Why, in words.
    pub reason: String,
    /// Who gave it up: service and host.
    pub by: String,
    /// When, in milliseconds since 1970; 0 if unknown.
    pub at: u64,
    /// The message as it was.
    pub body: Vec<u8>,
}

/// A taken message. Dropping it returns it to the queue.
#[async_trait]
pub trait Acker: Send + Sync {
    /// The effect is stored: forget the message.
    async fn ack(self: Box<Self>) -> Result<(), BrokerError>;
    /// Never again: to the dead letters, with the reason.
    async fn reject(self: Box<Self>, reason: &str) -> Result<(), BrokerError>;
    /// Back to the queue for another consumer, now.
    async fn release(self: Box<Self>) -> Result<(), BrokerError>;
}

/// One delivered message.
pub struct Delivery {
    /// The bytes that were published.
    pub body: Bytes,
    /// True if it was delivered before and not acknowledged.
    pub redelivered: bool,
    /// Ends the delivery.
    pub acker: Box<dyn Acker>,
}

impl Delivery {
    /// See [`Acker::ack`].
    pub async fn ack(self) -> Result<(), BrokerError> {
        self.acker.ack().await
    }

    /// See [`Acker::reject`].
    pub async fn reject(self, reason: &str) -> Result<(), BrokerError> {
        self.acker.reject(reason).await
    }

    /// See [`Acker::release`].
    pub async fn release(self) -> Result<(), BrokerError> {
        self.acker.release().await
    }
}

/// A stream of deliveries from one queue. It goes on by itself after the connection was lost.
#[async_trait]
pub trait Consumer: Send {
    /// The next message; waits for one. `Err` only when the broker is given up for good.
    /// Cancel safe: a message is never lost when the returned future is dropped.
    async fn next(&mut self) -> Result<Delivery, BrokerError>;
}

/// Carries messages between services; see the module's head for the contract.
#[async_trait]
pub trait Broker: Send + Sync {
    /// Publishes to a work queue; returns once it is confirmed.
    async fn publish(&self, queue: Queue, body: Bytes) -> Result<(), PublishError>;

    /// Publishes JSON to the topic exchange of articles under `<language>.<site>`. No reader is no error.
    async fn publish_article(&self, topic: &str, body: Bytes) -> Result<(), PublishError>;

    /// Starts to consume.
    async fn consume(&self, queue: Queue, prefetch: u16) -> Result<Box<dyn Consumer>, BrokerError>;

    /// Messages in the queue: ready and taken but unacknowledged as far as the broker tells
    /// (RabbitMQ over AMQP tells the ready ones alone).
    async fn depth(&self, queue: Queue) -> Result<u64, BrokerError>;

    /// Up to `most` dead letters of a queue, oldest first, left where they are.
    async fn dead(&self, queue: Queue, most: usize) -> Result<Vec<DeadLetter>, BrokerError>;

    /// Puts dead letters back into their queue (`ids` empty: all). Returns how many.
    async fn replay(&self, queue: Queue, ids: &[String]) -> Result<u64, BrokerError>;

    /// Forgets dead letters (`ids` empty: all). Returns how many.
    async fn drop_dead(&self, queue: Queue, ids: &[String]) -> Result<u64, BrokerError>;

    /// Whether the broker can be reached now; for readiness.
    async fn ready(&self) -> Result<(), BrokerError>;
}

/// Limits of one side, the same for every queue unless said otherwise.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Messages a queue holds before it refuses.
    pub max_length: u64,
    /// Bytes a queue holds before it refuses.
    pub max_bytes: u64,
    /// Longest wait for a confirm, a connection, an answer.
    pub timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_length: 10_000, max_bytes: 1 << 30, timeout: Duration::from_secs(30) }
    }
}

/// Every queue and how many messages it holds; for `status` and the depth metric.
pub async fn depths(broker: &dyn Broker) -> BTreeMap<Queue, Result<u64, BrokerError>> {
    let mut depths = BTreeMap::new();
    for queue in Queue::ALL {
        depths.insert(*queue, broker.depth(*queue).await);
    }
    depths
}
