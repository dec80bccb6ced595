//! The broker of the embedded engine and of tests: bounded queues in memory, lost with the process.
//!
//! A queue is a deque behind a mutex that is never held over an await. A taken message lives in its delivery,
//! whose end (ack, reject, release or drop) takes the same lock. So a message is in exactly one place: ready,
//! in a delivery, dead, or forgotten.
//! Limits count ready messages, as RabbitMQ's do. The prefetch bounds what consumers hold, and a message that
//! comes back is never refused.
//! Start at [`InProcessBroker`]. The embedded engine asks whether all work is done through
//! [`InProcessBroker::unfinished`] and [`InProcessBroker::changes`].

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::{Notify, mpsc, watch};

use super::{
    Acker, Broker, BrokerError, Consumer, DELIVERY_LIMIT, DELIVERY_LIMIT_REASON, DeadLetter, Delivery,
    Headers, Limits, MAX_MESSAGE, PublishError, Queue,
};
use crate::telemetry::trace::TraceContext;
use crate::time;

/// A published article: topic (`<language>.<site>`) and JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedArticle {
    /// `<language>.<site>`.
    pub topic: String,
    /// Its headers.
    pub headers: Vec<(String, &'static str)>,
    /// JSON.
    pub body: Bytes,
}

/// Queues in memory. Clones are handles to the same queues.
#[derive(Clone)]
pub struct InProcessBroker {
    shared: Arc<Shared>,
}

struct Shared {
    limits: Limits,
    /// One for each of [`Queue::ALL`], in that order.
    queues: Vec<QueueCell>,
    subscribers: Mutex<Vec<mpsc::Sender<PublishedArticle>>>,
    /// Counts the changes of all queues.
    changes: watch::Sender<u64>,
    dead_ids: AtomicU64,
}

#[derive(Default)]
struct QueueCell {
    state: Mutex<QueueState>,
    /// Woken when a message may be available: one arrived, or a prefetch has room.
    takeable: Notify,
}

#[derive(Default)]
struct QueueState {
    ready: VecDeque<Message>,
    ready_bytes: u64,
    taken: u64,
    dead: VecDeque<DeadLetter>,
}

struct Message {
    body: Bytes,
    trace: Option<TraceContext>,
    /// Number of deliveries so far.
    deliveries: u32,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code panics while it holds these locks. Even if some did, the queue would still be whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl QueueState {
    fn push(&mut self, message: Message) {
        self.ready_bytes += message.body.len() as u64;
        self.ready.push_back(message);
    }

    fn take(&mut self) -> Option<Message> {
        let mut message = self.ready.pop_front()?;
        self.ready_bytes -= message.body.len() as u64;
        self.taken += 1;
        message.deliveries += 1;
        Some(message)
    }

    /// An empty queue takes any message, so that no message is refused for ever.
    fn has_room(&self, size: u64, limits: &Limits) -> bool {
        let length = self.ready.len() as u64;
        length < limits.max_length && (length == 0 || self.ready_bytes + size <= limits.max_bytes)
    }

    fn take_dead(&mut self, ids: &[String]) -> Vec<DeadLetter> {
        let all = std::mem::take(&mut self.dead);
        let (taken, kept) = all.into_iter().partition(|dead| ids.is_empty() || ids.contains(&dead.id));
        self.dead = kept;
        taken.into()
    }
}

impl Shared {
    fn cell(&self, queue: Queue) -> &QueueCell {
        &self.queues[queue as usize]
    }

    fn changed(&self, queue: Queue) {
        self.cell(queue).takeable.notify_waiters();
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
    }

    fn dead_letter(&self, queue: Queue, body: &Bytes, reason: &str) -> DeadLetter {
        DeadLetter {
            id: format!("{:08x}", self.dead_ids.fetch_add(1, Ordering::Relaxed)),
            queue,
            reason: reason.into(),
            by: "this process".into(),
            at: time::now().0,
            body: body.to_vec(),
        }
    }
}

impl InProcessBroker {
    /// Makes empty queues, each with these limits.
    #[must_use]
    pub fn new(limits: Limits) -> InProcessBroker {
        let queues = Queue::ALL.iter().map(|_| QueueCell::default()).collect();
        let shared = Shared {
            limits,
            queues,
            subscribers: Mutex::default(),
            changes: watch::Sender::new(0),
            dead_ids: AtomicU64::new(1),
        };
        InProcessBroker { shared: Arc::new(shared) }
    }

    /// Number of unfinished messages of a queue: ready ones, and taken ones that are neither acked nor
    /// rejected.
    #[must_use]
    pub fn unfinished(&self, queue: Queue) -> u64 {
        let state = lock(&self.shared.cell(queue).state);
        state.ready.len() as u64 + state.taken
    }

    /// Whether no queue has unfinished messages. A message may move between queues while this reads them: ask
    /// from the first queue to the last, or wait with [`InProcessBroker::idle`].
    #[must_use]
    pub fn is_idle(&self) -> bool {
        Queue::ALL.iter().all(|queue| self.unfinished(*queue) == 0)
    }

    /// Waits until no queue has unfinished messages.
    pub async fn idle(&self) {
        let mut changes = self.changes();
        while !self.is_idle() {
            if changes.changed().await.is_err() {
                return;
            }
        }
    }

    /// A counter of changes to any queue. Take it, read the queues, then wait with its `changed()`: no
    /// change in between is missed.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.shared.changes.subscribe()
    }

    /// Receives articles from now on. A reader that lets `capacity` articles pile up holds the publisher
    /// back. A reader that was dropped is forgotten.
    #[must_use]
    pub fn subscribe_articles(&self, capacity: usize) -> mpsc::Receiver<PublishedArticle> {
        let (sender, receiver) = mpsc::channel(capacity.max(1));
        lock(&self.shared.subscribers).push(sender);
        receiver
    }

    /// Ends all subscriptions: their readers get what was published, and then the end.
    pub fn end_subscriptions(&self) {
        lock(&self.shared.subscribers).clear();
    }
}

fn check_size(body: &Bytes) -> Result<(), PublishError> {
    match body.len() <= MAX_MESSAGE {
        true => Ok(()),
        false => Err(PublishError::TooLarge { size: body.len(), limit: MAX_MESSAGE }),
    }
}

#[async_trait]
impl Broker for InProcessBroker {
    async fn publish(&self, queue: Queue, body: Bytes) -> Result<(), PublishError> {
        check_size(&body)?;
        {
            let mut state = lock(&self.shared.cell(queue).state);
            if !state.has_room(body.len() as u64, &self.shared.limits) {
                return Err(PublishError::Full { queue: queue.name().into() });
            }
            state.push(Message { body, trace: TraceContext::current(), deliveries: 0 });
        }
        self.shared.changed(queue);
        Ok(())
    }

    async fn publish_article(
        &self,
        topic: &str,
        headers: Headers<'_>,
        body: Bytes,
    ) -> Result<(), PublishError> {
        check_size(&body)?;
        let readers = {
            let mut subscribers = lock(&self.shared.subscribers);
            subscribers.retain(|subscriber| !subscriber.is_closed());
            subscribers.clone()
        };
        for reader in readers {
            let article =
                PublishedArticle { topic: topic.into(), headers: headers.to_vec(), body: body.clone() };
            match reader.send_timeout(article, self.shared.limits.timeout).await {
                // A reader that has gone away is no error.
                Ok(()) | Err(mpsc::error::SendTimeoutError::Closed(_)) => {}
                Err(mpsc::error::SendTimeoutError::Timeout(_)) => {
                    return Err(PublishError::Full { queue: "articles".into() });
                }
            }
        }
        Ok(())
    }

    async fn consume(&self, queue: Queue, prefetch: u16) -> Result<Box<dyn Consumer>, BrokerError> {
        let held = Arc::new(AtomicUsize::new(0));
        let prefetch = usize::from(prefetch.max(1));
        Ok(Box::new(InProcessConsumer { shared: self.shared.clone(), queue, prefetch, held }))
    }

    async fn depth(&self, queue: Queue) -> Result<u64, BrokerError> {
        Ok(self.unfinished(queue))
    }

    async fn dead(&self, queue: Queue, most: usize) -> Result<Vec<DeadLetter>, BrokerError> {
        Ok(lock(&self.shared.cell(queue).state).dead.iter().take(most).cloned().collect())
    }

    async fn replay(&self, queue: Queue, ids: &[String]) -> Result<u64, BrokerError> {
        let count = {
            let mut state = lock(&self.shared.cell(queue).state);
            let again = state.take_dead(ids);
            let count = again.len() as u64;
            for dead in again {
                state.push(Message { body: dead.body.into(), trace: None, deliveries: 0 });
            }
            count
        };
        self.shared.changed(queue);
        Ok(count)
    }

    async fn drop_dead(&self, queue: Queue, ids: &[String]) -> Result<u64, BrokerError> {
        Ok(lock(&self.shared.cell(queue).state).take_dead(ids).len() as u64)
    }

    async fn ready(&self) -> Result<(), BrokerError> {
        Ok(())
    }
}

struct InProcessConsumer {
    shared: Arc<Shared>,
    queue: Queue,
    prefetch: usize,
    /// Deliveries of this consumer that have not ended.
    held: Arc<AtomicUsize>,
}

impl InProcessConsumer {
    fn try_take(&self) -> Option<Delivery> {
        let mut state = lock(&self.shared.cell(self.queue).state);
        // Counted under the queue's lock, like the end of a delivery.
        if self.held.load(Ordering::Relaxed) >= self.prefetch {
            return None;
        }
        let message = state.take()?;
        self.held.fetch_add(1, Ordering::Relaxed);
        let (body, redelivered) = (message.body.clone(), message.deliveries > 1);
        let trace = message.trace.clone();
        let held = HeldDelivery {
            shared: self.shared.clone(),
            queue: self.queue,
            of_consumer: self.held.clone(),
            message: Some(message),
        };
        Some(Delivery { body, redelivered, trace, acker: Box::new(held) })
    }
}

#[async_trait]
impl Consumer for InProcessConsumer {
    async fn next(&mut self) -> Result<Delivery, BrokerError> {
        loop {
            let takeable = self.shared.cell(self.queue).takeable.notified();
            let mut takeable = std::pin::pin!(takeable);
            // Enabled before the queue is read, so that no change between reading and waiting is missed.
            takeable.as_mut().enable();
            if let Some(delivery) = self.try_take() {
                return Ok(delivery);
            }
            takeable.await;
        }
    }
}

/// A taken message. It ends once: whatever ends it takes `message` out.
struct HeldDelivery {
    shared: Arc<Shared>,
    queue: Queue,
    of_consumer: Arc<AtomicUsize>,
    message: Option<Message>,
}

impl HeldDelivery {
    fn end(&mut self, effect: impl FnOnce(&Shared, &mut QueueState, Message)) {
        let Some(message) = self.message.take() else { return };
        {
            let mut state = lock(&self.shared.cell(self.queue).state);
            state.taken -= 1;
            self.of_consumer.fetch_sub(1, Ordering::Relaxed);
            effect(&self.shared, &mut state, message);
        }
        self.shared.changed(self.queue);
    }

    fn give_back(&mut self) {
        let queue = self.queue;
        self.end(|shared, state, message| {
            if message.deliveries < DELIVERY_LIMIT {
                state.push(message);
            } else {
                state.dead.push_back(shared.dead_letter(queue, &message.body, DELIVERY_LIMIT_REASON));
            }
        });
    }
}

#[async_trait]
impl Acker for HeldDelivery {
    async fn ack(mut self: Box<Self>) -> Result<(), BrokerError> {
        self.end(|_, _, _| {});
        Ok(())
    }

    async fn reject(mut self: Box<Self>, reason: &str) -> Result<(), BrokerError> {
        let queue = self.queue;
        self.end(|shared, state, message| {
            state.dead.push_back(shared.dead_letter(queue, &message.body, reason));
        });
        Ok(())
    }

    async fn release(mut self: Box<Self>) -> Result<(), BrokerError> {
        self.give_back();
        Ok(())
    }
}

impl Drop for HeldDelivery {
    fn drop(&mut self) {
        self.give_back();
    }
}
