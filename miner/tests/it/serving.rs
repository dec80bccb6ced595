//! The service and its queues: effects come before acknowledgements, broken messages go to the dead letters.

use std::time::Duration;

use newslode_common::broker::{Broker, Queue};
use newslode_common::config::MinerConfig;
use newslode_common::message::envelope;
use newslode_common::store::Why;
use newslode_miner::work::service::run;
use tokio_util::sync::CancellationToken;

use crate::world::{page, world};

#[tokio::test]
async fn pages_and_seeds_are_consumed_and_broken_messages_become_dead_letters() {
    let world = world();
    let site = world.seed("https://a.test/").await;
    let (broker, stop) = (world.broker.clone(), CancellationToken::new());
    let config = MinerConfig { fold_s: 0, ..MinerConfig::default() };
    for at in 0..5 {
        let page = page(&format!("https://a.test/{at}"), Why::Link, 1, &["sport"], &[]);
        world.archive(&page).await;
        broker.publish(Queue::Partitions, envelope::seal(&page).unwrap().into()).await.unwrap();
    }
    broker.publish(Queue::Partitions, "garbage".into()).await.unwrap();
    broker.publish(Queue::Seeds, "{}".into()).await.unwrap();
    broker.publish(Queue::Seeds, r#"{"version":1,"url":"https://b.test"}"#.into()).await.unwrap();
    let service = run(world.parts.clone(), config, stop.clone());
    let watch = async {
        tokio::time::timeout(Duration::from_secs(20), broker.idle()).await.unwrap();
        stop.cancel();
    };
    let (ended, ()) = tokio::join!(service, watch);
    ended.unwrap();
    assert_eq!(world.parts.stores.state.pages(&site).await.unwrap().len(), 5);
    assert_eq!(world.parts.stores.frontier.status().await.unwrap().len(), 2);
    let dead = broker.dead(Queue::Partitions, 9).await.unwrap();
    assert_eq!(dead.len(), 1);
    assert!(dead[0].reason.contains("not a Newslode message"), "{}", dead[0].reason);
    assert_eq!(broker.dead(Queue::Seeds, 9).await.unwrap().len(), 1);
}
