//! Names and arguments of all queues and exchanges of Newslode, and their idempotent declaration.
//!
//! Each work queue is a durable quorum queue `<prefix>.<queue>`. Its dead letters are `<prefix>.<queue>.dead`, bound
//! to the direct exchange `<prefix>.dead`, to which the broker moves what exceeds the delivery limit. We publish to
//! a queue through the fanout exchange `<prefix>.publish.<queue>`, and to its dead letters through
//! `<prefix>.publish.<queue>.dead`, so that a user can be given the right to a single queue. 0.1.0 published through the
//! default exchange, which still leads to the same queues. There is one topic exchange, `<prefix>.articles`.
//!
//! Every limit is explicit, since defaults differ between RabbitMQ 3.10 and 4.x, and only arguments that both know are
//! used. We declare all of it again after each reconnection; a user who may not declare checks that all is there. A
//! queue that 0.1.0 made keeps its delivery limit. If a queue exists with other arguments, the error says what to do.

use lapin::options::{ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions};
use lapin::protocol::{AMQPErrorKind, AMQPSoftError};
use lapin::types::{AMQPValue, FieldTable};
use lapin::{Channel, Connection, ErrorKind, ExchangeKind};

use super::super::{BrokerError, DELIVERY_LIMIT, Queue};
use crate::config::BrokerConfig;

/// The argument counts returns, not deliveries: with a limit of 4, a message is delivered 5 times (seen on
/// 3.10).
const X_DELIVERY_LIMIT: i64 = DELIVERY_LIMIT as i64 - 1;

/// The argument with which 0.1.0 declared its queues.
const X_DELIVERY_LIMIT_OF_FIRST: i64 = 4;

/// Dead letters are listed and put back any number of times. By default RabbitMQ 4 would drop them after
/// the 20th time, and 3.10 does not know -1 ("none").
const X_DELIVERY_LIMIT_OF_DEAD: i64 = 1_000_000_000;

const DURABLE: ExchangeDeclareOptions = ExchangeDeclareOptions {
    passive: false,
    durable: true,
    auto_delete: false,
    internal: false,
    nowait: false,
};

/// What all names and arguments are made of.
#[derive(Clone, Debug)]
pub(super) struct Topology {
    prefix: String,
    max_length: i64,
    max_bytes: i64,
}

impl Topology {
    pub(super) fn new(config: &BrokerConfig) -> Topology {
        Topology {
            prefix: config.prefix.clone(),
            max_length: i64::try_from(config.max_length).unwrap_or(i64::MAX),
            max_bytes: i64::try_from(config.max_bytes).unwrap_or(i64::MAX),
        }
    }

    pub(super) fn queue(&self, queue: Queue) -> String {
        format!("{}.{}", self.prefix, queue.name())
    }

    pub(super) fn dead_queue(&self, queue: Queue) -> String {
        format!("{}.{}.dead", self.prefix, queue.name())
    }

    /// The exchange that leads to a queue.
    pub(super) fn exchange(&self, queue: Queue) -> String {
        format!("{}.publish.{}", self.prefix, queue.name())
    }

    /// The exchange that leads to a queue's dead letters.
    pub(super) fn exchange_of_dead(&self, queue: Queue) -> String {
        format!("{}.publish.{}.dead", self.prefix, queue.name())
    }

    pub(super) fn articles(&self) -> String {
        format!("{}.articles", self.prefix)
    }

    pub(super) fn mark(&self, mark: &str) -> String {
        format!("{}.mark.{mark}", self.prefix)
    }

    fn dead_exchange(&self) -> String {
        format!("{}.dead", self.prefix)
    }

    fn arguments(&self, queue: Queue, delivery_limit: i64) -> FieldTable {
        table([
            ("x-queue-type", text("quorum")),
            ("x-delivery-limit", AMQPValue::LongLongInt(delivery_limit)),
            ("x-overflow", text("reject-publish")),
            ("x-max-length", AMQPValue::LongLongInt(self.max_length)),
            ("x-max-length-bytes", AMQPValue::LongLongInt(self.max_bytes)),
            ("x-dead-letter-exchange", text(self.dead_exchange())),
            ("x-dead-letter-routing-key", text(self.dead_queue(queue))),
            ("x-dead-letter-strategy", text("at-least-once")),
        ])
    }

    fn dead_arguments() -> FieldTable {
        table([
            ("x-queue-type", text("quorum")),
            ("x-delivery-limit", AMQPValue::LongLongInt(X_DELIVERY_LIMIT_OF_DEAD)),
        ])
    }

    /// Declares everything. A user who may not declare needs all of it to be there.
    pub(super) async fn declare(&self, connection: &Connection) -> Result<(), BrokerError> {
        match self.declare_all(connection).await {
            Ok(()) => Ok(()),
            Err(Refusal { is_access: false, error }) => Err(error),
            Err(Refusal { is_access: true, error }) => match self.missing(connection).await {
                None => Ok(()),
                Some(missing) => Err(BrokerError(format!("{error}; and `{missing}` does not exist yet"))),
            },
        }
    }

    async fn declare_all(&self, connection: &Connection) -> Result<(), Refusal> {
        let channel = open(connection).await?;
        for (name, kind) in self.exchanges() {
            let declared =
                channel.exchange_declare(name.as_str().into(), kind, DURABLE, FieldTable::default());
            declared.await.map_err(|error| self.refused("exchange", &name, &error))?;
        }
        for queue in Queue::ALL {
            let dead = self.dead_queue(*queue);
            let declared = declare_queue(&channel, &dead, Self::dead_arguments()).await;
            declared.map_err(|error| self.refused("queue", &dead, &error))?;
            self.bind(&channel, &dead, &self.dead_exchange()).await?;
            self.bind(&channel, &dead, &self.exchange_of_dead(*queue)).await?;
            self.declare_work_queue(connection, *queue).await?;
            self.bind(&channel, &self.queue(*queue), &self.exchange(*queue)).await?;
        }
        Ok(())
    }

    /// All exchanges but the marks.
    fn exchanges(&self) -> Vec<(String, ExchangeKind)> {
        let fixed = [(self.dead_exchange(), ExchangeKind::Direct), (self.articles(), ExchangeKind::Topic)];
        let of_queue = |queue: &Queue| [self.exchange(*queue), self.exchange_of_dead(*queue)];
        let of_queues = Queue::ALL.iter().flat_map(of_queue).map(|name| (name, ExchangeKind::Fanout));
        fixed.into_iter().chain(of_queues).collect()
    }

    async fn bind(&self, channel: &Channel, queue: &str, exchange: &str) -> Result<(), Refusal> {
        let bound = channel.queue_bind(
            queue.into(),
            exchange.into(),
            // Fanout exchanges do not look at it.
            queue.into(),
            QueueBindOptions::default(),
            FieldTable::default(),
        );
        bound.await.map_err(|error| self.refused("queue", queue, &error))
    }

    /// The first queue or exchange that does not exist. To ask needs no right.
    async fn missing(&self, connection: &Connection) -> Option<String> {
        let channel = open(connection).await.ok()?;
        let passive = ExchangeDeclareOptions { passive: true, ..DURABLE };
        for (name, kind) in self.exchanges() {
            let asked = channel.exchange_declare(name.as_str().into(), kind, passive, FieldTable::default());
            if asked.await.is_err() {
                return Some(name);
            }
        }
        let passive = QueueDeclareOptions { passive: true, durable: true, ..Default::default() };
        for name in Queue::ALL.iter().flat_map(|queue| [self.queue(*queue), self.dead_queue(*queue)]) {
            if channel.queue_declare(name.as_str().into(), passive, FieldTable::default()).await.is_err() {
                return Some(name);
            }
        }
        None
    }

    /// A refusal closes the channel, so each attempt has its own.
    async fn declare_work_queue(&self, connection: &Connection, queue: Queue) -> Result<(), Refusal> {
        let name = self.queue(queue);
        let wanted = self.arguments(queue, X_DELIVERY_LIMIT);
        let Err(error) = declare_queue(&open(connection).await?, &name, wanted).await else { return Ok(()) };
        if is_soft(&error, &AMQPSoftError::PRECONDITIONFAILED) {
            let first = self.arguments(queue, X_DELIVERY_LIMIT_OF_FIRST);
            if declare_queue(&open(connection).await?, &name, first).await.is_ok() {
                let deliveries = X_DELIVERY_LIMIT_OF_FIRST + 1;
                tracing::info!(
                    queue = name,
                    deliveries,
                    "an older version created this queue; it keeps its lower delivery limit"
                );
                return Ok(());
            }
        }
        Err(self.refused("queue", &name, &error))
    }

    fn refused(&self, what: &str, name: &str, error: &lapin::Error) -> Refusal {
        let hint = if is_soft(error, &AMQPSoftError::PRECONDITIONFAILED) {
            "; it exists with other settings: drain and delete it, or set `broker.prefix`, `broker.max_length` \
             and `broker.max_bytes` as they were when it was made"
        } else {
            ""
        };
        let text = format!("cannot declare the {what} `{name}`: {}{hint}", self.with_remedy(error));
        Refusal { is_access: is_soft(error, &AMQPSoftError::ACCESSREFUSED), error: BrokerError(text) }
    }

    /// The error's text; where the user may not do what we need, with how to permit it.
    pub(super) fn with_remedy(&self, error: &lapin::Error) -> String {
        if !is_soft(error, &AMQPSoftError::ACCESSREFUSED) {
            return error.to_string();
        }
        let ours = format!("^{}[.]", self.prefix);
        format!(
            "{error} (the user of `broker.url` lacks a permission: rabbitmqctl set_permissions -p VHOST USER '{ours}' \
             '{ours}' '{ours}'; docs/security.md has those of a single service; the services go on by themselves)"
        )
    }
}

/// Why something could not be declared.
struct Refusal {
    /// Whether the user may not do it.
    is_access: bool,
    error: BrokerError,
}

impl From<BrokerError> for Refusal {
    fn from(error: BrokerError) -> Refusal {
        Refusal { is_access: false, error }
    }
}

async fn open(connection: &Connection) -> Result<Channel, BrokerError> {
    let opened = connection.create_channel().await;
    opened.map_err(|error| BrokerError(format!("cannot open a channel: {error}")))
}

async fn declare_queue(channel: &Channel, name: &str, arguments: FieldTable) -> lapin::Result<()> {
    let durable = QueueDeclareOptions { durable: true, ..Default::default() };
    channel.queue_declare(name.into(), durable, arguments).await.map(drop)
}

/// Whether there is no such queue or exchange.
pub(super) fn is_not_found(error: &lapin::Error) -> bool {
    is_soft(error, &AMQPSoftError::NOTFOUND)
}

fn is_soft(error: &lapin::Error, wanted: &AMQPSoftError) -> bool {
    match error.kind() {
        ErrorKind::ProtocolError(protocol) => {
            matches!(protocol.kind(), AMQPErrorKind::Soft(found) if found == wanted)
        }
        _ => false,
    }
}

pub(super) fn text(text: impl Into<String>) -> AMQPValue {
    AMQPValue::LongString(text.into().into_bytes().into())
}

pub(super) fn table<const N: usize>(entries: [(&str, AMQPValue); N]) -> FieldTable {
    let mut table = FieldTable::default();
    for (key, value) in entries {
        table.insert(key.into(), value);
    }
    table
}
