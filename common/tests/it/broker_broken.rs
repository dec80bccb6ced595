//! A broker that breaks one rule at a time, to prove that each check of the contract bites.

#![allow(clippy::unwrap_used, reason = "all of it is a test")]

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use newslode_common::broker::conformance::{CHECKS, Factory};
use newslode_common::broker::in_process::InProcessBroker;
use newslode_common::broker::{
    Acker, Broker, BrokerError, Consumer, DeadLetter, Delivery, Headers, Limits, PublishError, Queue,
};

/// One fault each. [`FAULTS`] names the check that must notice it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    LosesMessages,
    CutsLargeBodies,
    MixesQueues,
    ForgetsAcks,
    DeliversToTwo,
    LosesDropped,
    ForgetsMark,
    LosesReleased,
    LosesWhatWaits,
    LosesWhenCancelled,
    ForgetsReasons,
    RetriesForEver,
    LooksRemove,
    ReplaysNothing,
    ReplaysAll,
    DropsNothing,
    IgnoresLimits,
    DropsToMakeRoom,
    IgnoresPrefetch,
    CountsNothing,
    TakesAnySize,
    WantsReaders,
}

const FAULTS: &[(Fault, &[&str])] = &[
    (Fault::LosesMessages, &["what_is_published_is_delivered", "many_publishers_and_consumers_lose_nothing"]),
    (Fault::CutsLargeBodies, &["a_large_message_arrives_whole"]),
    (Fault::MixesQueues, &["queues_are_apart"]),
    (Fault::ForgetsAcks, &["what_is_acknowledged_never_comes_again"]),
    (Fault::DeliversToTwo, &["what_is_held_is_not_delivered_to_another"]),
    (Fault::LosesDropped, &["a_dropped_delivery_comes_again_marked"]),
    (
        Fault::ForgetsMark,
        &["a_dropped_delivery_comes_again_marked", "a_released_delivery_comes_again_marked"],
    ),
    (Fault::LosesReleased, &["a_released_delivery_comes_again_marked"]),
    (Fault::LosesWhatWaits, &["what_a_dropped_consumer_had_waiting_goes_to_another"]),
    (Fault::LosesWhenCancelled, &["a_dropped_wait_loses_nothing"]),
    (Fault::ForgetsReasons, &["a_rejected_message_is_dead_with_body_and_reason"]),
    (Fault::RetriesForEver, &["a_message_that_is_never_acknowledged_is_dead_lettered"]),
    (Fault::LooksRemove, &["looking_at_dead_letters_leaves_them"]),
    (Fault::ReplaysNothing, &["replayed_letters_are_delivered"]),
    (Fault::ReplaysAll, &["replayed_letters_are_delivered"]),
    (Fault::DropsNothing, &["dropped_letters_are_forgotten"]),
    (
        Fault::IgnoresLimits,
        &["a_full_queue_refuses_and_loses_nothing", "a_queue_full_of_bytes_refuses_and_loses_nothing"],
    ),
    (Fault::DropsToMakeRoom, &["a_full_queue_refuses_and_loses_nothing"]),
    (Fault::IgnoresPrefetch, &["prefetch_bounds_what_is_held"]),
    (Fault::CountsNothing, &["depth_counts_what_waits"]),
    (Fault::TakesAnySize, &["a_too_large_message_is_refused"]),
    (Fault::WantsReaders, &["an_article_without_reader_is_no_error"]),
];

#[tokio::test(flavor = "multi_thread")]
async fn every_check_bites() {
    let mut checking = tokio::task::JoinSet::new();
    for (fault, bitten) in FAULTS {
        for name in *bitten {
            let check = CHECKS.iter().find(|check| check.name == *name).expect(name);
            checking.spawn(async move { (fault, name, (check.run)(Arc::new(*fault)).await) });
        }
    }
    for (fault, name, verdict) in checking.join_all().await {
        println!("{fault:?}: {name}: {verdict:?}");
        assert!(verdict.is_err(), "{name} does not notice {fault:?}");
    }
    for check in CHECKS {
        let bites = FAULTS.iter().any(|(_, bitten)| bitten.contains(&check.name));
        assert!(bites, "no fault shows that {} bites", check.name);
    }
}

#[async_trait]
impl Factory for Fault {
    async fn fresh(&self, limits: Limits) -> Result<Arc<dyn Broker>, String> {
        let boundless = matches!(self, Fault::IgnoresLimits | Fault::DropsToMakeRoom);
        let inner = InProcessBroker::new(if boundless { Limits::default() } else { limits.clone() });
        Ok(Arc::new(Broken { fault: *self, limits, inner }))
    }
}

struct Broken {
    fault: Fault,
    limits: Limits,
    inner: InProcessBroker,
}

impl Broken {
    async fn forget_oldest(&self, queue: Queue) {
        if self.inner.unfinished(queue) >= self.limits.max_length {
            let mut consumer = self.inner.consume(queue, 1).await.unwrap();
            consumer.next().await.unwrap().ack().await.unwrap();
        }
    }
}

#[async_trait]
impl Broker for Broken {
    async fn publish(&self, queue: Queue, mut body: Bytes) -> Result<(), PublishError> {
        match self.fault {
            Fault::LosesMessages => return Ok(()),
            Fault::CutsLargeBodies => body.truncate(1 << 20),
            Fault::TakesAnySize => body.truncate(1),
            Fault::MixesQueues => return self.inner.publish(Queue::Seeds, body).await,
            Fault::DropsToMakeRoom => self.forget_oldest(queue).await,
            Fault::DeliversToTwo => self.inner.publish(queue, body.clone()).await?,
            _ => {}
        }
        self.inner.publish(queue, body).await
    }

    async fn publish_article(
        &self,
        topic: &str,
        headers: Headers<'_>,
        body: Bytes,
    ) -> Result<(), PublishError> {
        if self.fault == Fault::WantsReaders {
            return Err(PublishError::Unroutable { queue: "articles".into(), reason: "no reader".into() });
        }
        self.inner.publish_article(topic, headers, body).await
    }

    async fn consume(&self, queue: Queue, prefetch: u16) -> Result<Box<dyn Consumer>, BrokerError> {
        let prefetch = if self.fault == Fault::IgnoresPrefetch { 1_000 } else { prefetch };
        let inner = self.inner.consume(queue, prefetch).await?;
        Ok(Box::new(BrokenConsumer {
            fault: self.fault,
            broker: self.inner.clone(),
            queue,
            inner,
            ahead: vec![],
            delivered: false,
        }))
    }

    async fn depth(&self, queue: Queue) -> Result<u64, BrokerError> {
        if self.fault == Fault::CountsNothing { Ok(0) } else { self.inner.depth(queue).await }
    }

    async fn dead(&self, queue: Queue, most: usize) -> Result<Vec<DeadLetter>, BrokerError> {
        let dead = self.inner.dead(queue, most).await?;
        if self.fault == Fault::LooksRemove && most == 2 {
            self.inner.drop_dead(queue, &[dead[0].id.clone()]).await?;
        }
        Ok(dead)
    }

    async fn replay(&self, queue: Queue, ids: &[String]) -> Result<u64, BrokerError> {
        match self.fault {
            Fault::ReplaysNothing => self.inner.drop_dead(queue, ids).await,
            Fault::ReplaysAll => self.inner.replay(queue, &[]).await,
            _ => self.inner.replay(queue, ids).await,
        }
    }

    async fn drop_dead(&self, queue: Queue, ids: &[String]) -> Result<u64, BrokerError> {
        if self.fault == Fault::DropsNothing { Ok(0) } else { self.inner.drop_dead(queue, ids).await }
    }

    async fn ready(&self) -> Result<(), BrokerError> {
        Ok(())
    }
}

struct BrokenConsumer {
    fault: Fault,
    broker: InProcessBroker,
    queue: Queue,
    inner: Box<dyn Consumer>,
    /// Deliveries taken ahead of time, to be lost with the consumer.
    ahead: Vec<Delivery>,
    delivered: bool,
}

#[async_trait]
impl Consumer for BrokenConsumer {
    async fn next(&mut self) -> Result<Delivery, BrokerError> {
        let mut delivery = self.inner.next().await?;
        match self.fault {
            Fault::ForgetsMark => delivery.redelivered = false,
            Fault::RetriesForEver => delivery.redelivered = std::mem::replace(&mut self.delivered, true),
            Fault::LosesWhatWaits => {
                let brief = std::time::Duration::from_millis(1);
                while let Ok(Ok(more)) = tokio::time::timeout(brief, self.inner.next()).await {
                    self.ahead.push(more);
                }
            }
            Fault::LosesWhenCancelled => {
                let acker = std::mem::replace(&mut delivery.acker, Box::new(Nothing));
                acker.ack().await?;
                // A caller that gives up here never learns of the message.
                tokio::time::sleep(std::time::Duration::from_millis(2)).await;
            }
            _ => {}
        }
        let Delivery { body, redelivered, trace, acker } = delivery;
        let (queue, broker) = (self.queue, self.broker.clone());
        let acker = BrokenAcker { fault: self.fault, broker, queue, body: body.clone(), inner: Some(acker) };
        Ok(Delivery { body, redelivered, trace, acker: Box::new(acker) })
    }
}

impl Drop for BrokenConsumer {
    fn drop(&mut self) {
        // These are never returned.
        self.ahead.drain(..).for_each(std::mem::forget);
    }
}

struct Nothing;

#[async_trait]
impl Acker for Nothing {
    async fn ack(self: Box<Self>) -> Result<(), BrokerError> {
        Ok(())
    }
    async fn reject(self: Box<Self>, _: &str) -> Result<(), BrokerError> {
        Ok(())
    }
    async fn release(self: Box<Self>) -> Result<(), BrokerError> {
        Ok(())
    }
}

struct BrokenAcker {
    fault: Fault,
    broker: InProcessBroker,
    queue: Queue,
    body: Bytes,
    inner: Option<Box<dyn Acker>>,
}

#[async_trait]
impl Acker for BrokenAcker {
    async fn ack(mut self: Box<Self>) -> Result<(), BrokerError> {
        let inner = self.inner.take().unwrap();
        if self.fault == Fault::ForgetsAcks { inner.release().await } else { inner.ack().await }
    }

    async fn reject(mut self: Box<Self>, reason: &str) -> Result<(), BrokerError> {
        let reason = if self.fault == Fault::ForgetsReasons { "" } else { reason };
        self.inner.take().unwrap().reject(reason).await
    }

    async fn release(mut self: Box<Self>) -> Result<(), BrokerError> {
        let inner = self.inner.take().unwrap();
        if self.fault == Fault::LosesReleased { inner.ack().await } else { inner.release().await }
    }
}

impl Drop for BrokenAcker {
    fn drop(&mut self) {
        let Some(inner) = self.inner.take() else { return };
        use futures::FutureExt;
        match self.fault {
            Fault::LosesDropped => inner.ack().now_or_never().unwrap().unwrap(),
            // Publishes a new message each time, so nobody counts its deliveries.
            Fault::RetriesForEver => {
                inner.ack().now_or_never().unwrap().unwrap();
                self.broker.publish(self.queue, self.body.clone()).now_or_never().unwrap().unwrap();
            }
            _ => drop(inner),
        }
    }
}
