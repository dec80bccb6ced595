//! Names and arguments of all queues and exchanges of Newslode, and their idempotent declaration.
//!
//! Each work queue is a durable quorum queue `<prefix>.<queue>`. Its dead letters are
//! `<prefix>.<queue>.dead`, bound to the direct exchange `<prefix>.dead`. There is one topic exchange,
//! `<prefix>.articles`. Every limit is explicit, since defaults differ between RabbitMQ 3.10 and 4.x, and
//! only arguments that both know are used. We declare all of it again after each reconnection. A queue that
//! 0.1.0 made keeps its delivery limit. If a queue exists with other arguments, the error says what to do.

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

    /// Declares everything.
    pub(super) async fn declare(&self, connection: &Connection) -> Result<(), BrokerError> {
        let channel = open(connection).await?;
        let durable = ExchangeDeclareOptions { durable: true, ..Default::default() };
        for (name, kind) in
            [(self.dead_exchange(), ExchangeKind::Direct), (self.articles(), ExchangeKind::Topic)]
        {
            let declared =
                channel.exchange_declare(name.as_str().into(), kind, durable, FieldTable::default());
            declared.await.map_err(|error| self.refused("exchange", &name, &error))?;
        }
        for queue in Queue::ALL {
            let dead = self.dead_queue(*queue);
            let declared = declare_queue(&channel, &dead, Self::dead_arguments()).await;
            declared.map_err(|error| self.refused("queue", &dead, &error))?;
            let exchange = self.dead_exchange();
            channel
                .queue_bind(
                    dead.as_str().into(),
                    exchange.as_str().into(),
                    dead.as_str().into(),
                    QueueBindOptions::default(),
                    FieldTable::default(),
                )
                .await
                .map_err(|error| self.refused("queue", &dead, &error))?;
            self.declare_work_queue(connection, *queue).await?;
        }
        Ok(())
    }

    /// A refusal closes the channel, so each attempt has its own.
    async fn declare_work_queue(&self, connection: &Connection, queue: Queue) -> Result<(), BrokerError> {
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

    fn refused(&self, what: &str, name: &str, error: &lapin::Error) -> BrokerError {
        let hint = if is_soft(error, &AMQPSoftError::PRECONDITIONFAILED) {
            "; it exists with other settings: drain and delete it, or set `broker.prefix`, `broker.max_length` \
             and `broker.max_bytes` as they were when it was made"
        } else {
            ""
        };
        BrokerError(format!("cannot declare the {what} `{name}`: {}{hint}", self.with_remedy(error)))
    }

    /// The error's text; where the user may not do what we need, with how to permit it.
    pub(super) fn with_remedy(&self, error: &lapin::Error) -> String {
        if !is_soft(error, &AMQPSoftError::ACCESSREFUSED) {
            return error.to_string();
        }
        let ours = format!("^{}[.]", self.prefix);
        // What is published to a queue by its name goes through the default exchange.
        let written = format!("^({}[.]|amq[.]default$)", self.prefix);
        format!(
            "{error} (the user of `broker.url` lacks a permission: rabbitmqctl set_permissions -p VHOST USER '{ours}' \
             '{written}' '{ours}'; the services go on by themselves)"
        )
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
