//! Takes deliveries from queues and ends them, counting each in the metrics.
//!
//! A failed acknowledgement is only logged: the broker delivers the message again, and its effects are versioned.

use newslode_common::broker::{BrokerError, Delivery, Queue};
use newslode_common::telemetry::metrics::Metrics;

/// Counts a delivery that was taken from a queue.
pub(super) fn count_taken(metrics: &Metrics, queue: Queue, delivery: &Delivery) {
    metrics.consumed.with_label_values(&[queue.name()]).inc();
    if delivery.redelivered {
        metrics.redelivered.with_label_values(&[queue.name()]).inc();
    }
}

/// Acknowledges a delivery: all of its effects are stored.
pub(super) async fn ack(delivery: Delivery) {
    log_failure(delivery.ack().await, "acknowledge");
}

/// Returns a delivery to its queue.
pub(super) async fn release(delivery: Delivery) {
    log_failure(delivery.release().await, "release");
}

/// Moves a delivery to the dead letters with the reason.
pub(super) async fn reject(metrics: &Metrics, queue: Queue, delivery: Delivery, reason: &str) {
    metrics.dead_lettered.with_label_values(&[queue.name()]).inc();
    tracing::warn!(%queue, reason, "moved a message to the dead letters");
    log_failure(delivery.reject(reason).await, "reject");
}

fn log_failure(result: Result<(), BrokerError>, what: &str) {
    if let Err(error) = result {
        tracing::warn!(%error, "cannot {what} a message; the broker will deliver it again");
    }
}
