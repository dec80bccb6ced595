//! Checks of dead letters: how messages become dead letters, and what an operator can do with them.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::super::{Broker, DELIVERY_LIMIT, DELIVERY_LIMIT_REASON, DeadLetter, Queue};
use super::helpers::{
    Factory, SOON, Verdict, consumer, ensure, fresh, next, nothing_comes, publish, take_all, words,
};

/// Waits for dead letters, which appear a moment after the broker gave a message up.
async fn dead(broker: &dyn Broker, count: usize) -> Result<Vec<DeadLetter>, String> {
    let start = Instant::now();
    loop {
        let dead = broker.dead(Queue::Pages, 100).await.map_err(words)?;
        if dead.len() == count || start.elapsed() > SOON {
            ensure(dead.len() == count, || format!("{} dead letters instead of {count}", dead.len()))?;
            return Ok(dead);
        }
        sleep(Duration::from_millis(20)).await;
    }
}

pub(super) async fn a_rejected_message_is_dead_with_body_and_reason(factory: Arc<dyn Factory>) -> Verdict {
    let broker = fresh(&*factory).await?;
    publish(&*broker, "poison").await?;
    let mut consumer = consumer(&*broker, 1).await?;
    next(&mut consumer).await?.reject("unknown message kind 7").await.map_err(words)?;
    nothing_comes(&mut consumer).await?;
    let letters = dead(&*broker, 1).await?;
    let letter = &letters[0];
    let whole =
        letter.body == b"poison" && letter.reason == "unknown message kind 7" && letter.queue == Queue::Pages;
    ensure(whole && !letter.by.is_empty() && letter.at > 0 && !letter.id.is_empty(), || format!("{letter:?}"))
}

pub(super) async fn a_message_that_is_never_acknowledged_is_dead_lettered(
    factory: Arc<dyn Factory>,
) -> Verdict {
    let broker = fresh(&*factory).await?;
    publish(&*broker, "poison").await?;
    let mut consumer = consumer(&*broker, 1).await?;
    for time in 1..=DELIVERY_LIMIT {
        let delivery = next(&mut consumer).await.map_err(|error| format!("delivery {time}: {error}"))?;
        ensure(delivery.redelivered == (time > 1), || format!("delivery {time} is marked wrongly"))?;
        drop(delivery);
    }
    nothing_comes(&mut consumer).await?;
    let letters = dead(&*broker, 1).await?;
    let letter = &letters[0];
    let whole = letter.body == b"poison" && letter.reason == DELIVERY_LIMIT_REASON && letter.at > 0;
    ensure(whole, || format!("{letter:?}"))
}

async fn give_up(broker: &dyn Broker, bodies: &[&'static str]) -> Result<Vec<DeadLetter>, String> {
    let mut consumer = consumer(broker, 1).await?;
    for body in bodies {
        publish(broker, body).await?;
        next(&mut consumer).await?.reject("of no use").await.map_err(words)?;
    }
    dead(broker, bodies.len()).await
}

pub(super) async fn looking_at_dead_letters_leaves_them(factory: Arc<dyn Factory>) -> Verdict {
    let broker = fresh(&*factory).await?;
    let letters = give_up(&*broker, &["a", "b", "c"]).await?;
    let bodies: Vec<&[u8]> = letters.iter().map(|letter| letter.body.as_slice()).collect();
    ensure(bodies == [b"a", b"b", b"c"], || format!("not oldest first: {bodies:?}"))?;
    // More looks than the deliveries that RabbitMQ 4 allows by default.
    for look in 0..25 {
        let some = broker.dead(Queue::Pages, 2).await.map_err(words)?;
        ensure(some == letters[..2], || format!("look {look} saw {some:?}"))?;
    }
    let all = broker.dead(Queue::Pages, 100).await.map_err(words)?;
    ensure(all == letters, || format!("at last: {all:?}"))
}

pub(super) async fn replayed_letters_are_delivered(factory: Arc<dyn Factory>) -> Verdict {
    let broker = fresh(&*factory).await?;
    let letters = give_up(&*broker, &["a", "b", "c"]).await?;
    let count = broker.replay(Queue::Pages, &[letters[1].id.clone()]).await.map_err(words)?;
    ensure(count == 1, || format!("one letter was named, {count} replayed"))?;
    ensure(take_all(&*broker, 1).await?.contains_key(b"b".as_slice()), || "another came".into())?;
    dead(&*broker, 2).await?;
    let count = broker.replay(Queue::Pages, &[]).await.map_err(words)?;
    ensure(count == 2, || format!("two letters were left, {count} replayed"))?;
    take_all(&*broker, 2).await?;
    dead(&*broker, 0).await.map(drop)
}

pub(super) async fn dropped_letters_are_forgotten(factory: Arc<dyn Factory>) -> Verdict {
    let broker = fresh(&*factory).await?;
    let letters = give_up(&*broker, &["a", "b", "c"]).await?;
    let count = broker.drop_dead(Queue::Pages, &[letters[0].id.clone()]).await.map_err(words)?;
    ensure(count == 1, || format!("one letter was named, {count} dropped"))?;
    let left = dead(&*broker, 2).await?;
    ensure(left == letters[1..], || format!("left are {left:?}"))?;
    let count = broker.drop_dead(Queue::Pages, &[]).await.map_err(words)?;
    ensure(count == 2, || format!("two letters were left, {count} dropped"))?;
    dead(&*broker, 0).await?;
    nothing_comes(&mut consumer(&*broker, 1).await?).await
}
