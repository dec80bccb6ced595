//! Publishing: success has exactly one shape, the broker's confirm without a returned message.
//!
//! Up to [`WINDOW`](super::core::WINDOW) messages wait for their confirm at once. If the connection is lost, a message
//! waits for the next one within its time limit. If it is lost before the confirm, the broker may or may not
//! have taken the message; the caller still holds it and publishes it again.

use crate::failpoint;
use crate::telemetry::trace::{self, TraceContext};
use crate::time;
use lapin::options::BasicPublishOptions;
use lapin::types::{AMQPValue, FieldTable};
use lapin::{BasicProperties, Channel, Confirmation, ErrorKind};
use tokio::time::timeout;

use super::super::{Headers, MAX_MESSAGE, PublishError, Queue};
use super::core::Core;
use super::topology::text;

/// `application/octet-stream`, except for queues and exchanges that carry JSON.
fn content_type(queue: Queue) -> &'static str {
    match queue {
        Queue::Seeds | Queue::Removals => "application/json",
        Queue::Pages | Queue::Partitions | Queue::Gone => "application/octet-stream",
    }
}

fn with_trace(headers: Option<FieldTable>, trace: &TraceContext) -> FieldTable {
    let mut headers = headers.unwrap_or_default();
    headers.insert(trace::HEADER.into(), text(trace.header()));
    headers
}

/// The trace in a message's headers.
pub(super) fn trace_of(properties: &BasicProperties) -> Option<TraceContext> {
    let header = properties.headers().as_ref()?.inner().get(trace::HEADER)?;
    let header = match header {
        AMQPValue::LongString(text) => std::str::from_utf8(text.as_bytes()).ok()?,
        AMQPValue::ShortString(text) => text.as_str(),
        _ => return None,
    };
    TraceContext::parse(header)
}

/// The limit in bytes of a broker that closed the channel because a message was larger (`max_message_size`). All messages on the channel
/// fail with the same error; it is the fault of those that exceed the limit.
fn brokers_limit(error: &lapin::Error) -> Option<usize> {
    let ErrorKind::ProtocolError(protocol) = error.kind() else { return None };
    limit_in(protocol.get_message().as_str())
}

/// "message size 20 is larger than configured max size 10", and the same without "configured" since RabbitMQ 4.
fn limit_in(words: &str) -> Option<usize> {
    let (_, sizes) = words.split_once("message size ")?;
    let (_, limit) = sizes.split_once(" is larger than ")?.1.split_once("max size ")?;
    limit.split_whitespace().next()?.parse().ok()
}

/// Where a message goes.
pub(super) struct Route<'a> {
    pub(super) exchange: &'a str,
    /// The topic of an article. Elsewhere the exchange alone decides, and the key is the queue's name.
    pub(super) key: &'a str,
    /// Whether it is an error that no queue takes the message.
    pub(super) mandatory: bool,
}

impl Core {
    /// Publishes to a queue, as part of this trace.
    pub(super) async fn publish(
        &self,
        queue: Queue,
        body: &[u8],
        trace: Option<&TraceContext>,
    ) -> Result<(), PublishError> {
        let (exchange, name) = (self.topology.exchange(queue), self.topology.queue(queue));
        let route = Route { exchange: &exchange, key: &name, mandatory: true };
        let properties = self.properties(content_type(queue), trace.map(|trace| with_trace(None, trace)));
        self.in_time(body, &name, async {
            let link = self.up().await?;
            self.confirmed(link.publisher(queue), &route, body, properties).await
        })
        .await
    }

    pub(super) async fn publish_article(
        &self,
        topic: &str,
        headers: Headers<'_>,
        body: &[u8],
    ) -> Result<(), PublishError> {
        let exchange = self.topology.articles();
        let route = Route { exchange: &exchange, key: topic, mandatory: false };
        let mut table = FieldTable::default();
        for (name, value) in headers {
            table.insert(name.as_str().into(), text(*value));
        }
        if let Some(trace) = TraceContext::current() {
            table = with_trace(Some(table), &trace);
        }
        let properties = self.properties("application/json", Some(table));
        self.in_time(body, &exchange, async {
            let link = self.up().await?;
            self.confirmed(&link.articles, &route, body, properties).await
        })
        .await
    }

    /// Publishes to a queue's dead letters, with headers that give the reason and the trace.
    pub(super) async fn publish_dead(
        &self,
        queue: Queue,
        body: &[u8],
        headers: FieldTable,
        trace: Option<&TraceContext>,
    ) -> Result<(), PublishError> {
        let headers = match trace {
            Some(trace) => with_trace(Some(headers), trace),
            None => headers,
        };
        let (exchange, name) = (self.topology.exchange_of_dead(queue), self.topology.dead_queue(queue));
        let route = Route { exchange: &exchange, key: &name, mandatory: true };
        let properties = self.properties(content_type(queue), Some(headers));
        self.in_time(body, &name, async {
            let link = self.up().await?;
            let channel = link.dead.lock().await;
            self.confirmed(&channel, &route, body, properties).await
        })
        .await
    }

    async fn up(&self) -> Result<std::sync::Arc<super::link::Link>, PublishError> {
        self.links.up().await.map_err(|error| PublishError::Unavailable { reason: error.0 })
    }

    fn properties(&self, content_type: &str, headers: Option<FieldTable>) -> BasicProperties {
        const PERSISTENT: u8 = 2;
        let properties = BasicProperties::default()
            .with_delivery_mode(PERSISTENT)
            .with_content_type(content_type.into())
            .with_timestamp(time::now().0 / 1000)
            .with_message_id(self.ids.next().into())
            .with_app_id("newslode".into());
        match headers {
            Some(headers) => properties.with_headers(headers),
            None => properties,
        }
    }

    async fn in_time(
        &self,
        body: &[u8],
        name: &str,
        publishing: impl Future<Output = Result<(), PublishError>>,
    ) -> Result<(), PublishError> {
        if body.len() > MAX_MESSAGE {
            return Err(PublishError::TooLarge { size: body.len(), limit: MAX_MESSAGE });
        }
        let windowed = async {
            let _place = self.window.acquire().await;
            publishing.await
        };
        match timeout(self.timeout, windowed).await {
            Ok(result) => result,
            Err(_) => {
                self.links.suspect();
                let waited = self.timeout.as_millis();
                Err(PublishError::Unavailable { reason: format!("`{name}`: no confirm within {waited} ms") })
            }
        }
    }

    async fn confirmed(
        &self,
        channel: &Channel,
        route: &Route<'_>,
        body: &[u8],
        properties: BasicProperties,
    ) -> Result<(), PublishError> {
        let options = BasicPublishOptions { mandatory: route.mandatory, ..Default::default() };
        let sent =
            channel.basic_publish(route.exchange.into(), route.key.into(), options, body, properties).await;
        let confirmation = match sent {
            Ok(confirm) => confirm.await,
            Err(error) => Err(error),
        };
        let queue = if route.mandatory { route.key } else { route.exchange };
        match confirmation {
            Ok(Confirmation::Ack(None)) => {
                failpoint::effect(|| format!("publish to {queue}"));
                Ok(())
            }
            Ok(Confirmation::Ack(Some(returned))) => Err(PublishError::Unroutable {
                queue: queue.into(),
                reason: format!("{} {}", returned.reply_code, returned.reply_text),
            }),
            Ok(Confirmation::Nack(_)) => Err(PublishError::Full { queue: queue.into() }),
            Ok(Confirmation::NotRequested) => {
                Err(PublishError::Unavailable { reason: format!("`{queue}`: confirms are off") })
            }
            Err(error) => {
                self.links.suspect();
                if let Some(limit) = brokers_limit(&error).filter(|limit| body.len() > *limit) {
                    return Err(PublishError::TooLarge { size: body.len(), limit });
                }
                let error = self.topology.with_remedy(&error);
                Err(PublishError::Unavailable { reason: format!("`{queue}`: {error}") })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_of_a_broker_is_read_from_what_it_says() {
        for words in [
            "PRECONDITION_FAILED - message size 20 is larger than configured max size 10",
            "PRECONDITION_FAILED - message size 20 is larger than max size 10",
        ] {
            assert_eq!(limit_in(words), Some(10), "{words}");
        }
        for other in
            ["PRECONDITION_FAILED - unknown delivery tag 10", "message size 20 is larger than max size", ""]
        {
            assert_eq!(limit_in(other), None, "{other}");
        }
    }
}
