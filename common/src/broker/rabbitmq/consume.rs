//! Consuming: one channel per consumer, bounded by its prefetch, reopened after each reconnection.
//!
//! The consumer, not the future of `next`, keeps the work of opening a channel, so dropping that future loses
//! nothing. A delivery belongs to the channel it came by. Once that channel is gone, the broker delivers it again,
//! and the end of this delivery no longer counts.
//! Messages are returned with `basic.reject` and requeue, not with `basic.nack`: RabbitMQ 4.3 counts only the
//! former for the delivery limit (3.10 counts both).

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use lapin::options::{
    BasicAckOptions, BasicCancelOptions, BasicConsumeOptions, BasicNackOptions, BasicQosOptions,
    BasicRejectOptions,
};
use lapin::types::FieldTable;
use lapin::{Acker as Tag, Channel};

use super::super::{Acker, BrokerError, Consumer, Delivery, PublishError, Queue};
use super::core::{Core, Keeper};
use super::publish::trace_of;
use crate::failpoint;
use crate::retry::{Outage, Retry};
use crate::telemetry::trace::TraceContext;

/// Wait before a lost channel is reopened.
const REOPEN: Duration = Duration::from_millis(250);

const BACK: BasicRejectOptions = BasicRejectOptions { requeue: true };
const TO_THE_DEAD_LETTERS: BasicRejectOptions = BasicRejectOptions { requeue: false };

/// Ready messages from one queue.
pub(super) struct RabbitConsumer {
    core: Arc<Core>,
    /// Keeps the connection alive, and cleans up after a dropped consumer.
    keeper: Arc<Keeper>,
    queue: Queue,
    prefetch: u16,
    state: State,
}

enum State {
    Open(Box<Opened>),
    Opening(BoxFuture<'static, Result<Opened, BrokerError>>),
}

struct Opened {
    channel: Channel,
    stream: lapin::Consumer,
}

impl RabbitConsumer {
    pub(super) async fn open(
        core: Arc<Core>,
        keeper: Arc<Keeper>,
        queue: Queue,
        prefetch: u16,
    ) -> Result<RabbitConsumer, BrokerError> {
        // RabbitMQ takes a prefetch of 0 as unlimited.
        let prefetch = prefetch.max(1);
        // A queue that was declared a moment ago may close the connection while it has no leader yet. The
        // supervisor rebuilds the connection, and we ask again for as long as any answer may take.
        let open = || async {
            let opened = core.ask("cannot consume", core.open_consumer(queue, prefetch)).await;
            opened.inspect_err(|_| core.links.suspect())
        };
        let opened = Retry::within(core.timeout).run(&outage(queue), open).await?;
        Ok(RabbitConsumer { core, keeper, queue, prefetch, state: State::Open(Box::new(opened)) })
    }

    fn reopen(&mut self) {
        let (core, queue, prefetch) = (self.core.clone(), self.queue, self.prefetch);
        core.links.suspect();
        let opening = async move {
            // The supervisor needs a moment to see that its link is dead.
            tokio::time::sleep(REOPEN).await;
            let open = || async {
                match core.links.up().await {
                    Ok(_) => core.ask("cannot consume", core.open_consumer(queue, prefetch)).await.map(Ok),
                    // The broker is closed, and waiting does not change that.
                    Err(closed) => Ok(Err(closed)),
                }
            };
            Retry::for_ever().run(&outage(queue), open).await?
        };
        self.state = State::Opening(opening.boxed());
    }
}

fn outage(queue: Queue) -> Outage {
    Outage::new(format!("consumer of `{queue}`"))
}

impl Core {
    async fn open_consumer(&self, queue: Queue, prefetch: u16) -> Result<Opened, BrokerError> {
        let name = self.topology.queue(queue);
        let failed = |error: lapin::Error| self.failed(&format!("`{name}`"), &error);
        let link = self.links.up().await?;
        let channel = link.channel().await.map_err(failed)?;
        channel.basic_qos(prefetch, BasicQosOptions::default()).await.map_err(failed)?;
        let options = BasicConsumeOptions::default();
        let stream = channel
            .basic_consume(name.as_str().into(), "".into(), options, FieldTable::default())
            .await
            .map_err(failed)?;
        Ok(Opened { channel, stream })
    }
}

#[async_trait]
impl Consumer for RabbitConsumer {
    async fn next(&mut self) -> Result<Delivery, BrokerError> {
        loop {
            match &mut self.state {
                State::Opening(opening) => match opening.await {
                    Ok(opened) => self.state = State::Open(Box::new(opened)),
                    Err(error) => {
                        // A finished future panics if it is polled again. The next call opens anew and finds
                        // the broker closed.
                        self.reopen();
                        return Err(error);
                    }
                },
                State::Open(opened) => match opened.stream.next().await {
                    Some(Ok(message)) => {
                        let channel = opened.channel.clone();
                        return Ok(self.delivery(message, channel));
                    }
                    Some(Err(_)) | None => self.reopen(),
                },
            }
        }
    }
}

impl RabbitConsumer {
    fn delivery(&self, message: lapin::message::Delivery, channel: Channel) -> Delivery {
        let body = Bytes::from(message.data);
        let trace = trace_of(&message.properties);
        let held = HeldDelivery {
            core: self.core.clone(),
            queue: self.queue,
            body: body.clone(),
            trace: trace.clone(),
            tag: Some(message.acker),
            _channel: channel,
        };
        Delivery { body, redelivered: message.redelivered, trace, acker: Box::new(held) }
    }
}

impl Drop for RabbitConsumer {
    /// Returns the messages that were sent ahead. The deliveries keep the channel open until they end.
    fn drop(&mut self) {
        let gone = State::Opening(futures::future::pending().boxed());
        if let State::Open(opened) = std::mem::replace(&mut self.state, gone) {
            self.keeper.spawn(give_back(self.core.clone(), *opened));
        }
    }
}

/// Cancels first: otherwise the broker would send the returned messages to the same consumer again.
async fn give_back(core: Arc<Core>, opened: Opened) {
    let Opened { channel, mut stream } = opened;
    let giving = async {
        channel.basic_cancel(stream.tag(), BasicCancelOptions::default()).await?;
        while let Some(message) = stream.next().await {
            // No caller saw these. From RabbitMQ 4.3 on `nack` does not count towards the delivery limit.
            message?.acker.nack(BasicNackOptions { requeue: true, multiple: false }).await?;
        }
        Ok::<(), lapin::Error>(())
    };
    let giving = async { giving.await.map_err(|error| core.failed("cannot stop consuming", &error)) };
    if let Err(error) = core.ask("cannot stop consuming", giving).await {
        // The channel returns the messages when it closes.
        tracing::debug!(%error, "cannot stop a consumer cleanly; the broker returns its messages to the queue");
    }
}

/// A delivered message. It ends once, by taking the tag out.
struct HeldDelivery {
    core: Arc<Core>,
    queue: Queue,
    body: Bytes,
    trace: Option<TraceContext>,
    tag: Option<Tag>,
    /// A channel closes with its last handle and returns its deliveries to the queue.
    _channel: Channel,
}

impl HeldDelivery {
    async fn end(
        &mut self,
        what: &str,
        ending: impl AsyncFnOnce(&Tag) -> lapin::Result<bool>,
    ) -> Result<(), BrokerError> {
        let Some(tag) = self.tag.take() else { return Ok(()) };
        let asking = async {
            match ending(&tag).await {
                Ok(true) => {
                    failpoint::effect(|| format!("message of {} ended", self.queue));
                    Ok(())
                }
                Ok(false) => Err(BrokerError(format!(
                    "{what}: the connection was lost; the message will be redelivered"
                ))),
                Err(error) => Err(self.core.failed(what, &error)),
            }
        };
        self.core.ask(what, asking).await
    }
}

/// Each call fails if the connection of the message is gone. The message is then delivered again.
#[async_trait]
impl Acker for HeldDelivery {
    async fn ack(mut self: Box<Self>) -> Result<(), BrokerError> {
        self.end("cannot acknowledge", async |tag| tag.ack(BasicAckOptions::default()).await).await
    }

    /// Copies the message to the dead letters first, so that it is never lost. It may be there twice. One that is too large to be
    /// published is moved by the broker itself, without our reason: otherwise it would come again until the delivery limit.
    async fn reject(mut self: Box<Self>, reason: &str) -> Result<(), BrokerError> {
        let headers = self.core.headers(reason);
        match self.core.publish_dead(self.queue, &self.body, headers, self.trace.as_ref()).await {
            Ok(()) => self.ack().await,
            Err(PublishError::TooLarge { .. }) => {
                self.end("cannot reject", async |tag| tag.reject(TO_THE_DEAD_LETTERS).await).await
            }
            Err(error) => Err(BrokerError(format!("cannot move the message to the dead letters: {error}"))),
        }
    }

    async fn release(mut self: Box<Self>) -> Result<(), BrokerError> {
        self.end("cannot release", async |tag| tag.reject(BACK).await).await
    }
}

impl Drop for HeldDelivery {
    fn drop(&mut self) {
        if let Some(tag) = self.tag.take() {
            // lapin hands the frame to its own task at the first poll. The rest would only report when it was
            // sent.
            drop(tag.reject(BACK).now_or_never());
        }
    }
}
