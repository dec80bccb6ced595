//! Checks of limits: of queues, of a consumer's deliveries, of a message's size.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, sleep};

use super::super::{Broker, Limits, MAX_MESSAGE, PublishError, Queue};
use super::helpers::{
    Factory, SOON, Verdict, consumer, ensure, fresh, next, nothing_comes, publish, take_all, words,
};

pub(super) async fn a_full_queue_refuses_and_loses_nothing(factory: Arc<dyn Factory>) -> Verdict {
    refuses(&*factory, Limits { max_length: 10, ..Limits::default() }, 8).await
}

pub(super) async fn a_queue_full_of_bytes_refuses_and_loses_nothing(factory: Arc<dyn Factory>) -> Verdict {
    refuses(&*factory, Limits { max_bytes: 10_000, ..Limits::default() }, 1_000).await
}

/// The limits have room for about ten messages of `size`. Brokers may overshoot until they have told their
/// publishers.
async fn refuses(factory: &dyn Factory, limits: Limits, size: usize) -> Verdict {
    let broker = factory.fresh(limits).await?;
    let mut taken = Vec::new();
    let mut refused = 0;
    for i in 0..60 {
        let body = Bytes::from(format!("{i:0>size$}"));
        match broker.publish(Queue::Pages, body.clone()).await {
            Ok(()) => taken.push(body),
            Err(PublishError::Full { .. }) => refused += 1,
            Err(error) => return Err(error.to_string()),
        }
        sleep(Duration::from_millis(2)).await;
    }
    ensure((9..30).contains(&taken.len()), || format!("{} of 60 were taken", taken.len()))?;
    ensure(refused == 60 - taken.len(), || format!("{refused} refused"))?;
    let seen = take_all(&*broker, taken.len()).await?;
    ensure(taken.iter().all(|body| seen.contains_key(body)), || "a taken message is lost".into())?;
    // The queue has room again, once the broker has told its publishers.
    let start = Instant::now();
    loop {
        match publish(&*broker, "again").await {
            Ok(()) => return Ok(()),
            Err(error) if start.elapsed() > SOON => return Err(error),
            Err(_) => sleep(Duration::from_millis(20)).await,
        }
    }
}

pub(super) async fn prefetch_bounds_what_is_held(factory: Arc<dyn Factory>) -> Verdict {
    let broker = fresh(&*factory).await?;
    for body in ["1", "2", "3", "4", "5"] {
        publish(&*broker, body).await?;
    }
    let mut consumer = consumer(&*broker, 3).await?;
    let first = next(&mut consumer).await?;
    let _held = (next(&mut consumer).await?, next(&mut consumer).await?);
    nothing_comes(&mut consumer).await?;
    first.ack().await.map_err(words)?;
    let fourth = next(&mut consumer).await?;
    nothing_comes(&mut consumer).await?;
    fourth.ack().await.map_err(words)
}

pub(super) async fn depth_counts_what_waits(factory: Arc<dyn Factory>) -> Verdict {
    let broker = fresh(&*factory).await?;
    for body in ["1", "2", "3"] {
        publish(&*broker, body).await?;
    }
    depth_becomes(&*broker, 3).await?;
    take_all(&*broker, 3).await?;
    depth_becomes(&*broker, 0).await
}

async fn depth_becomes(broker: &dyn Broker, wanted: u64) -> Verdict {
    let start = Instant::now();
    loop {
        let depth = broker.depth(Queue::Pages).await.map_err(words)?;
        if depth == wanted || start.elapsed() > SOON {
            return ensure(depth == wanted, || format!("the depth is {depth} instead of {wanted}"));
        }
        sleep(Duration::from_millis(20)).await;
    }
}

pub(super) async fn a_large_message_arrives_whole(factory: Arc<dyn Factory>) -> Verdict {
    let broker = fresh(&*factory).await?;
    let body: Vec<u8> = (0..12_000_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let body = Bytes::from(body);
    broker.publish(Queue::Pages, body.clone()).await.map_err(words)?;
    let delivery = next(&mut consumer(&*broker, 1).await?).await?;
    ensure(delivery.body == body, || format!("{} bytes came, or others", delivery.body.len()))?;
    delivery.ack().await.map_err(words)
}

pub(super) async fn a_too_large_message_is_refused(factory: Arc<dyn Factory>) -> Verdict {
    let broker = fresh(&*factory).await?;
    let published = broker.publish(Queue::Pages, Bytes::from(vec![0; MAX_MESSAGE + 1])).await;
    let refused = matches!(published, Err(PublishError::TooLarge { .. }));
    ensure(refused, || format!("{published:?}"))?;
    publish(&*broker, "the next one").await
}
