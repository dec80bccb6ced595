//! The work queues, and the trait of the brokers that carry messages between services.
//!
//! There are two sides: [`in_process`] for the embedded engine and tests, [`rabbitmq`] for the services. Both
//! pass `conformance`, one function per sentence of the contract below. A third, broken one fails it.
//!
//! Contract:
//! - [`Broker::publish`] returns `Ok` only once the message is held safely (confirmed, durable).
//! - A queue at its limit refuses ([`PublishError::Full`]). The publisher keeps the message and tries again
//!   later. No message is ever dropped to make room.
//! - A message is delivered at least once, to one consumer at a time, in no promised order. A delivery that
//!   ends without [`Delivery::ack`] or [`Delivery::reject`] (dropped, released, connection lost) comes again,
//!   marked as redelivered.
//! - After [`DELIVERY_LIMIT`] deliveries without an acknowledgement a message becomes a dead letter.
//! - [`Delivery::reject`] moves a message to the queue's dead letters with its body and the reason.
//! - A consumer holds at most `prefetch` unacknowledged deliveries.
//! - The [`TraceContext`] of the span that publishes reaches the delivery, beside the bytes.

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
use crate::telemetry::trace::TraceContext;

/// A message that failed this many deliveries is itself at fault. The broker counts, not we. It counts for all
/// messages that a consumer holds when it dies or loses its connection, so a lower number gives up innocent ones
/// where services are restarted quickly. A number as RabbitMQ 4 has by default.
pub const DELIVERY_LIMIT: u32 = 20;

/// Largest message that any side takes, in bytes: RabbitMQ 4's default limit. Larger pages go through the
/// archive.
pub const MAX_MESSAGE: usize = 16 << 20;

/// The reason given for dead letters that exceeded [`DELIVERY_LIMIT`], on every side.
pub const DELIVERY_LIMIT_REASON: &str = "delivery limit";

/// The work queues. A name on the wire is [`Queue::name`] behind a configurable prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Queue {
    /// Operators' JSON: seeds to add, change, pause.
    Seeds,
    /// Operators' JSON: sites to remove, and pages to forget.
    Removals,
    /// Fetched pages: crawler → partitioner.
    Pages,
    /// Partitioned pages: partitioner → miner.
    Partitions,
    /// Pages that were published before and are gone: crawler → miner.
    Gone,
}

impl Queue {
    /// All queues, so that each is declared and measured from the start.
    pub const ALL: &'static [Queue] =
        &[Queue::Seeds, Queue::Removals, Queue::Pages, Queue::Partitions, Queue::Gone];

    /// The name without the prefix: `pages` for `newslode.pages`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Queue::Seeds => "seeds",
            Queue::Removals => "removals",
            Queue::Pages => "pages",
            Queue::Partitions => "partitions",
            Queue::Gone => "gone",
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
    /// The queue is at its limit: wait and try again. This is backpressure, not a failure.
    #[error("queue `{queue}` is full")]
    Full {
        /// Which queue.
        queue: String,
    },
    /// No queue takes the message: the topology is missing.
    #[error("`{queue}` accepts no messages: {reason}; was the queue deleted?")]
    Unroutable {
        /// Queue or exchange.
        queue: String,
        /// The broker's own words.
        reason: String,
    },
    /// The message is larger than the broker or the wire allows.
    #[error("a message of {size} bytes is over the limit of {limit}")]
    TooLarge {
        /// Size of the message, in bytes.
        size: usize,
        /// The limit, in bytes.
        limit: usize,
    },
    /// The broker cannot be reached or did not confirm in time. It may have taken the message.
    #[error("the broker did not confirm: {reason}")]
    Unavailable {
        /// What failed.
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

/// The broker cannot be reached, or refused.
#[derive(Debug, thiserror::Error)]
#[error("broker: {0}")]
pub struct BrokerError(pub String);

impl Retryable for BrokerError {
    /// Always true: RabbitMQ is repaired while its clients wait.
    fn is_retryable(&self) -> bool {
        true
    }
}

/// A dead letter: a message that was given up, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadLetter {
    /// Its name among the queue's dead letters (for `show`, `replay`, `drop`).
    pub id: String,
    /// The queue it was on.
    pub queue: Queue,
    /// The reason, in words.
    pub reason: String,
    /// Who gave it up: `service@host`.
    pub by: String,
    /// The time, in milliseconds since 1970; 0 if unknown.
    pub at: u64,
    /// The message as it was.
    pub body: Vec<u8>,
}

/// A taken message. Dropping it returns it to the queue.
#[async_trait]
pub trait Acker: Send + Sync {
    /// The effect is stored: forgets the message.
    async fn ack(self: Box<Self>) -> Result<(), BrokerError>;
    /// The message can never be processed: moves it to the dead letters, with the reason.
    async fn reject(self: Box<Self>, reason: &str) -> Result<(), BrokerError>;
    /// Returns the message to the queue for another consumer, now.
    async fn release(self: Box<Self>) -> Result<(), BrokerError>;
}

/// One delivered message.
pub struct Delivery {
    /// The bytes that were published.
    pub body: Bytes,
    /// Whether it was delivered before and not acknowledged.
    pub redelivered: bool,
    /// The trace that the message belongs to, if it was sent with one.
    pub trace: Option<TraceContext>,
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

/// A stream of deliveries from one queue. It resumes by itself after a lost connection.
#[async_trait]
pub trait Consumer: Send {
    /// Waits for the next message. `Err` only after the broker was closed for good.
    /// Cancel safe: no message is lost when the returned future is dropped.
    async fn next(&mut self) -> Result<Delivery, BrokerError>;
}

/// Names and values of a message's headers.
pub type Headers<'h> = &'h [(String, &'static str)];

/// Carries messages between services; see the module's head for the contract.
#[async_trait]
pub trait Broker: Send + Sync {
    /// Publishes to a work queue; returns once it is confirmed.
    async fn publish(&self, queue: Queue, body: Bytes) -> Result<(), PublishError>;

    /// Publishes JSON to the topic exchange of articles under `<language>.<site>`, with headers by which readers may choose, too. A
    /// missing reader is no error.
    async fn publish_article(
        &self,
        topic: &str,
        headers: Headers<'_>,
        body: Bytes,
    ) -> Result<(), PublishError>;

    /// Starts consuming.
    async fn consume(&self, queue: Queue, prefetch: u16) -> Result<Box<dyn Consumer>, BrokerError>;

    /// Number of messages in the queue: the ready ones, and the taken ones as far as the broker tells
    /// (RabbitMQ over AMQP tells only the ready ones).
    async fn depth(&self, queue: Queue) -> Result<u64, BrokerError>;

    /// Up to `most` dead letters of a queue, oldest first. They stay in it.
    async fn dead(&self, queue: Queue, most: usize) -> Result<Vec<DeadLetter>, BrokerError>;

    /// Puts dead letters back into their queue (all if `ids` is empty). Returns how many.
    async fn replay(&self, queue: Queue, ids: &[String]) -> Result<u64, BrokerError>;

    /// Deletes dead letters (all if `ids` is empty). Returns how many.
    async fn drop_dead(&self, queue: Queue, ids: &[String]) -> Result<u64, BrokerError>;

    /// Whether the broker still has a mark that was [set](Broker::set_mark). Without it, the broker has lost the messages that
    /// it had then. A broker in the memory of its process has every mark.
    async fn holds_mark(&self, _mark: &str) -> Result<bool, BrokerError> {
        Ok(true)
    }

    /// Sets a mark, which lasts as long as the broker's messages. Letters and digits. A RabbitMQ that is killed within
    /// 2 s may forget it, as it forgets queues that are so new; then messages are taken for lost that are not.
    async fn set_mark(&self, _mark: &str) -> Result<(), BrokerError> {
        Ok(())
    }

    /// Whether the broker can be reached now; for readiness.
    async fn ready(&self) -> Result<(), BrokerError>;
}

/// Limits of one side, the same for every queue.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Number of messages from which a queue refuses more.
    pub max_length: u64,
    /// Number of bytes from which a queue refuses more.
    pub max_bytes: u64,
    /// Longest wait for a confirm, a connection or an answer.
    pub timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_length: 10_000, max_bytes: 1 << 30, timeout: Duration::from_secs(30) }
    }
}

/// The number of messages in every queue, for `status` and the depth metric.
pub async fn depths(broker: &dyn Broker) -> BTreeMap<Queue, Result<u64, BrokerError>> {
    let mut depths = BTreeMap::new();
    for queue in Queue::ALL {
        depths.insert(*queue, broker.depth(*queue).await);
    }
    depths
}
