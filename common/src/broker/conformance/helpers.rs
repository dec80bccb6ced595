//! What the checks of the broker's contract share.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use tokio::time::timeout;

use super::super::{Broker, Consumer, Delivery, Limits, Queue};

/// Makes brokers with empty queues.
#[async_trait]
pub trait Factory: Send + Sync {
    /// Makes a broker whose queues nobody else uses.
    async fn fresh(&self, limits: Limits) -> Result<Arc<dyn Broker>, String>;
}

/// `Err` says what the check saw.
pub type Verdict = Result<(), String>;

/// Longest wait for an event that must come.
pub(super) const SOON: Duration = Duration::from_secs(10);
/// How long a check listens for an event that must not come.
pub(super) const QUIET: Duration = Duration::from_millis(300);

/// Fails unless the condition holds.
pub(super) fn ensure(holds: bool, seen: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(seen()) }
}

pub(super) fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

pub(super) async fn fresh(factory: &dyn Factory) -> Result<Arc<dyn Broker>, String> {
    factory.fresh(Limits::default()).await
}

pub(super) async fn publish(broker: &dyn Broker, body: &'static str) -> Verdict {
    broker.publish(Queue::Pages, Bytes::from_static(body.as_bytes())).await.map_err(words)
}

pub(super) async fn consumer(broker: &dyn Broker, prefetch: u16) -> Result<Box<dyn Consumer>, String> {
    broker.consume(Queue::Pages, prefetch).await.map_err(words)
}

pub(super) async fn next(consumer: &mut Box<dyn Consumer>) -> Result<Delivery, String> {
    let next = timeout(SOON, consumer.next()).await;
    next.map_err(|_| format!("nothing came within {SOON:?}"))?.map_err(words)
}

pub(super) async fn nothing_comes(consumer: &mut Box<dyn Consumer>) -> Verdict {
    match timeout(QUIET, consumer.next()).await {
        Err(_) => Ok(()),
        Ok(Ok(delivery)) => Err(format!("{:?} came, and nothing should", delivery.body)),
        Ok(Err(error)) => Err(error.to_string()),
    }
}

pub(super) async fn take_all(broker: &dyn Broker, count: usize) -> Result<BTreeMap<Bytes, usize>, String> {
    let mut consumer = consumer(broker, 16).await?;
    let mut seen = BTreeMap::new();
    while seen.len() < count {
        let delivery = next(&mut consumer).await.map_err(|error| format!("{error}; had {}", seen.len()))?;
        *seen.entry(delivery.body.clone()).or_insert(0) += 1;
        delivery.ack().await.map_err(words)?;
    }
    nothing_comes(&mut consumer).await?;
    Ok(seen)
}
