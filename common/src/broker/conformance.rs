//! The contract of [`Broker`](super::Broker), one check per sentence.
//!
//! Every side runs all of [`CHECKS`]. Each check gets fresh queues from a [`Factory`], with limits of its
//! choice. A failed check returns what it saw. A broker that breaks one rule on purpose must fail the check
//! of that rule: so we know that the checks bite.

mod dead;
mod helpers;
mod limits;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use self::dead::{
    a_message_that_is_never_acknowledged_is_dead_lettered, a_rejected_message_is_dead_with_body_and_reason,
    dropped_letters_are_forgotten, looking_at_dead_letters_leaves_them, replayed_letters_are_delivered,
};
pub use self::helpers::{Factory, Verdict};
use self::helpers::{QUIET, SOON, consumer, ensure, fresh, next, nothing_comes, publish, take_all, words};
use self::limits::{
    a_full_queue_refuses_and_loses_nothing, a_large_message_arrives_whole,
    a_queue_full_of_bytes_refuses_and_loses_nothing, a_too_large_message_is_refused, depth_counts_what_waits,
    prefetch_bounds_what_is_held,
};
use super::{Consumer, Queue};

/// One sentence of the contract.
pub struct Check {
    /// The sentence.
    pub name: &'static str,
    /// Checks it.
    pub run: fn(Arc<dyn Factory>) -> BoxFuture<'static, Verdict>,
}

macro_rules! checks {
    ($($name:ident),* $(,)?) => {
        /// Every sentence.
        pub const CHECKS: &[Check] =
            &[$(Check { name: stringify!($name), run: |factory| Box::pin($name(factory)) }),*];
    };
}

checks![
    what_is_published_is_delivered,
    queues_are_apart,
    what_is_acknowledged_never_comes_again,
    what_is_held_is_not_delivered_to_another,
    a_dropped_delivery_comes_again_marked,
    a_released_delivery_comes_again_marked,
    what_a_dropped_consumer_had_waiting_goes_to_another,
    a_dropped_wait_loses_nothing,
    a_rejected_message_is_dead_with_body_and_reason,
    a_message_that_is_never_acknowledged_is_dead_lettered,
    looking_at_dead_letters_leaves_them,
    replayed_letters_are_delivered,
    dropped_letters_are_forgotten,
    a_full_queue_refuses_and_loses_nothing,
    a_queue_full_of_bytes_refuses_and_loses_nothing,
    prefetch_bounds_what_is_held,
    depth_counts_what_waits,
    a_large_message_arrives_whole,
    a_too_large_message_is_refused,
    an_article_without_reader_is_no_error,
    many_publishers_and_consumers_lose_nothing,
];

async fn what_is_published_is_delivered(factory: Arc<dyn Factory>) -> Verdict {
    let broker = fresh(&*factory).await?;
    broker.ready().await.map_err(words)?;
    publish(&*broker, "a page").await?;
    let delivery = next(&mut consumer(&*broker, 1).await?).await?;
    ensure(delivery.body == "a page", || format!("the body is {:?}", delivery.body))?;
    ensure(!delivery.redelivered, || "the first delivery is marked as redelivered".into())?;
    delivery.ack().await.map_err(words)
}

async fn queues_are_apart(factory: Arc<dyn Factory>) -> Verdict {
    let broker = fresh(&*factory).await?;
    for queue in Queue::ALL {
        broker.publish(*queue, Bytes::from(queue.name())).await.map_err(words)?;
    }
    for queue in Queue::ALL {
        let mut consumer = broker.consume(*queue, 4).await.map_err(words)?;
        let delivery = next(&mut consumer).await?;
        ensure(delivery.body == queue.name(), || format!("{:?} came from {queue}", delivery.body))?;
        delivery.ack().await.map_err(words)?;
        nothing_comes(&mut consumer).await?;
    }
    Ok(())
}

async fn what_is_acknowledged_never_comes_again(factory: Arc<dyn Factory>) -> Verdict {
    let broker = fresh(&*factory).await?;
    publish(&*broker, "once").await?;
    let mut first = consumer(&*broker, 1).await?;
    next(&mut first).await?.ack().await.map_err(words)?;
    nothing_comes(&mut first).await?;
    drop(first);
    nothing_comes(&mut consumer(&*broker, 1).await?).await
}

async fn what_is_held_is_not_delivered_to_another(factory: Arc<dyn Factory>) -> Verdict {
    let broker = fresh(&*factory).await?;
    publish(&*broker, "mine").await?;
    let held = next(&mut consumer(&*broker, 1).await?).await?;
    nothing_comes(&mut consumer(&*broker, 1).await?).await?;
    held.ack().await.map_err(words)
}

async fn a_dropped_delivery_comes_again_marked(factory: Arc<dyn Factory>) -> Verdict {
    let broker = fresh(&*factory).await?;
    publish(&*broker, "again").await?;
    let mut consumer = consumer(&*broker, 1).await?;
    drop(next(&mut consumer).await?);
    comes_again(&mut consumer).await
}

async fn a_released_delivery_comes_again_marked(factory: Arc<dyn Factory>) -> Verdict {
    let broker = fresh(&*factory).await?;
    publish(&*broker, "again").await?;
    let mut consumer = consumer(&*broker, 1).await?;
    next(&mut consumer).await?.release().await.map_err(words)?;
    comes_again(&mut consumer).await
}

async fn comes_again(consumer: &mut Box<dyn Consumer>) -> Verdict {
    let delivery = next(consumer).await?;
    ensure(delivery.body == "again", || format!("the body is {:?}", delivery.body))?;
    ensure(delivery.redelivered, || "it is not marked as redelivered".into())?;
    delivery.ack().await.map_err(words)?;
    nothing_comes(consumer).await
}

async fn what_a_dropped_consumer_had_waiting_goes_to_another(factory: Arc<dyn Factory>) -> Verdict {
    let broker = fresh(&*factory).await?;
    for body in ["1", "2", "3", "4"] {
        publish(&*broker, body).await?;
    }
    let mut first = consumer(&*broker, 4).await?;
    let held = next(&mut first).await?;
    // Give the broker time to send the others ahead.
    sleep(QUIET).await;
    drop(first);
    let seen = take_all(&*broker, 3).await?;
    ensure(!seen.contains_key(&held.body), || "the held message came, too".into())?;
    held.ack().await.map_err(words)
}

async fn a_dropped_wait_loses_nothing(factory: Arc<dyn Factory>) -> Verdict {
    let broker = fresh(&*factory).await?;
    let mut consumer = consumer(&*broker, 4).await?;
    let bodies: Vec<Bytes> = (0..50).map(|i| Bytes::from(format!("page {i}"))).collect();
    let mut seen = BTreeMap::new();
    for body in &bodies {
        broker.publish(Queue::Pages, body.clone()).await.map_err(words)?;
        // Drop the wait again and again, at different points.
        for wait in [0, 50, 300] {
            if let Ok(delivery) = timeout(Duration::from_micros(wait), consumer.next()).await {
                let delivery = delivery.map_err(words)?;
                *seen.entry(delivery.body.clone()).or_insert(0) += 1;
                delivery.ack().await.map_err(words)?;
            }
        }
    }
    while seen.len() < bodies.len() {
        let delivery = next(&mut consumer).await.map_err(|error| format!("{error}; had {}", seen.len()))?;
        *seen.entry(delivery.body.clone()).or_insert(0) += 1;
        delivery.ack().await.map_err(words)?;
    }
    ensure(seen.values().all(|times| *times == 1), || format!("some came twice: {seen:?}"))
}

async fn an_article_without_reader_is_no_error(factory: Arc<dyn Factory>) -> Verdict {
    let broker = fresh(&*factory).await?;
    broker.publish_article("en.example", &[], Bytes::from_static(b"{}")).await.map_err(words)
}

/// Four publishers, four consumers that drop every seventh delivery the first time they see it.
async fn many_publishers_and_consumers_lose_nothing(factory: Arc<dyn Factory>) -> Verdict {
    const EACH: usize = 100;
    let broker = fresh(&*factory).await?;
    let (seen_by, mut seen_all) = tokio::sync::mpsc::channel(64);
    let mut consumers: JoinSet<Verdict> = JoinSet::new();
    for _ in 0..4 {
        let mut consumer = consumer(&*broker, 8).await?;
        let seen_by = seen_by.clone();
        consumers.spawn(async move {
            loop {
                let delivery = consumer.next().await.map_err(words)?;
                let body = delivery.body.clone();
                if body[0].is_multiple_of(7) && !delivery.redelivered {
                    continue;
                }
                delivery.ack().await.map_err(words)?;
                seen_by.send(body).await.map_err(words)?;
            }
        });
    }
    let mut publishers: JoinSet<Verdict> = JoinSet::new();
    for publisher in 0..4 {
        let broker = broker.clone();
        publishers.spawn(async move {
            for i in 0..EACH {
                let body = Bytes::from(vec![i as u8, publisher]);
                broker.publish(Queue::Pages, body).await.map_err(words)?;
            }
            Ok(())
        });
    }
    for published in publishers.join_all().await {
        published?;
    }
    let mut seen = BTreeMap::new();
    while seen.len() < 4 * EACH {
        let next = timeout(SOON, seen_all.recv()).await;
        let body = next.ok().flatten().ok_or_else(|| format!("{} of {} came", seen.len(), 4 * EACH))?;
        *seen.entry(body).or_insert(0) += 1;
    }
    consumers.shutdown().await;
    ensure(seen.values().all(|times| *times == 1), || "acknowledged messages came again".into())
}
