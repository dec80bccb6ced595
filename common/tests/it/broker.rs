//! The in-process broker keeps the contract and answers the embedded engine's questions.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use newslode_common::broker::conformance::{CHECKS, Factory};
use newslode_common::broker::in_process::InProcessBroker;
use newslode_common::broker::{Broker, Limits, PublishError, Queue};

struct InProcess;

#[async_trait]
impl Factory for InProcess {
    async fn fresh(&self, limits: Limits) -> Result<Arc<dyn Broker>, String> {
        Ok(Arc::new(InProcessBroker::new(limits)))
    }
}

#[tokio::test]
async fn in_process_keeps_the_contract() {
    for check in CHECKS {
        if let Err(seen) = (check.run)(Arc::new(InProcess)).await {
            panic!("{}: {seen}", check.name);
        }
    }
}

#[tokio::test]
async fn it_is_idle_when_nothing_is_ready_or_held() {
    let broker = InProcessBroker::new(Limits::default());
    broker.idle().await;
    broker.publish(Queue::Pages, Bytes::from_static(b"page")).await.unwrap();
    let delivery = broker.consume(Queue::Pages, 1).await.unwrap().next().await.unwrap();
    assert_eq!(broker.unfinished(Queue::Pages), 1);
    assert!(tokio::time::timeout(Duration::from_millis(20), broker.idle()).await.is_err());
    let waiting = broker.clone();
    let idle = async move { waiting.idle().await };
    let (acked, ()) = tokio::join!(delivery.ack(), idle);
    acked.unwrap();
    assert_eq!(broker.unfinished(Queue::Pages), 0);
}

#[tokio::test]
async fn a_slow_reader_of_articles_holds_the_publisher_back_and_a_gone_one_does_not() {
    let limits = Limits { timeout: Duration::from_millis(50), ..Limits::default() };
    let broker = InProcessBroker::new(limits);
    let mut slow = broker.subscribe_articles(1);
    let gone = broker.subscribe_articles(1);
    broker.publish_article("en.example", &[], Bytes::from_static(b"1")).await.unwrap();
    drop(gone);
    let full = broker.publish_article("en.example", &[], Bytes::from_static(b"2")).await.unwrap_err();
    assert!(matches!(full, PublishError::Full { .. }), "{full}");
    let read = slow.recv().await.unwrap();
    assert_eq!((read.topic.as_str(), read.body.as_ref()), ("en.example", b"1".as_slice()));
    broker.publish_article("en.example", &[], Bytes::from_static(b"3")).await.unwrap();
    assert_eq!(slow.recv().await.unwrap().body, "3");
}
