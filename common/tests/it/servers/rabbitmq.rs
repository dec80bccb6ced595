//! The contract on a real RabbitMQ, and its behaviour when the server dies.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "all of it is a test")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;
use lapin::types::{AMQPValue, FieldTable};
use newslode_common::broker::conformance::{CHECKS, Factory};
use newslode_common::broker::rabbitmq::RabbitBroker;
use newslode_common::broker::{Broker, Limits, MAX_MESSAGE, PublishError, Queue};
use newslode_common::config::{BrokerConfig, Secret};
use newslode_common::retry::{Outage, Retry, Retryable as _};
use newslode_common::telemetry::metrics::Metrics;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use newslode_test_servers::{DECLARATIONS_ARE_WRITTEN, RabbitServer};

struct Rabbit {
    url: String,
    next: AtomicU32,
}

fn config(url: &str, prefix: &str, limits: &Limits) -> BrokerConfig {
    BrokerConfig {
        url: Secret::new(url),
        prefix: prefix.into(),
        max_length: limits.max_length,
        max_bytes: limits.max_bytes,
        timeout_ms: u64::try_from(limits.timeout.as_millis()).unwrap(),
        ..BrokerConfig::default()
    }
}

#[async_trait]
impl Factory for Rabbit {
    async fn fresh(&self, limits: Limits) -> Result<Arc<dyn Broker>, String> {
        let prefix = format!("check{}", self.next.fetch_add(1, Ordering::Relaxed));
        let config = config(&self.url, &prefix, &limits);
        let broker = RabbitBroker::connect(&config, "test@here", None).await;
        Ok(Arc::new(broker.map_err(|error| error.to_string())?))
    }
}

/// One server for all checks, since starting one takes seconds.
#[tokio::test(flavor = "multi_thread")]
async fn rabbitmq_keeps_the_contract() {
    let server = RabbitServer::start().await.unwrap();
    let factory = Arc::new(Rabbit { url: server.url(), next: AtomicU32::new(0) });
    for check in CHECKS {
        let start = Instant::now();
        if let Err(seen) = (check.run)(factory.clone()).await {
            panic!("{}: {seen}", check.name);
        }
        println!("{:>6} ms  {}", start.elapsed().as_millis(), check.name);
    }
    other_settings_are_refused_by_name(&server.url()).await;
    a_queue_of_the_first_version_keeps_its_delivery_limit(&server.url()).await;
    a_deleted_queue_is_unroutable(&server.url()).await;
    a_mark_is_held_once_it_is_set(&server.url()).await;
    a_closed_broker_says_so(&server.url()).await;
    a_wrong_password_is_not_shown(&server.url()).await;
    articles_reach_who_asked_for_their_topic(&server.url()).await;
    a_foreign_message_without_id_can_be_looked_after(&server.url()).await;
    a_message_that_is_too_large_to_publish_is_a_dead_letter_at_once(&server.url()).await;
    the_window_is_fast(&server.url()).await;
    what_is_published_through_the_default_exchange_arrives(&server.url()).await;
    traces_travel_in_headers(&server.url()).await;
    what_a_user_may_not_do_is_said_with_how_to_permit_it(&server).await;
}

async fn what_a_user_may_not_do_is_said_with_how_to_permit_it(server: &RabbitServer) {
    server.tell(&["add_user", "limited", "secret"]).unwrap();
    let permit = |configure: &str, write: &str, read: &str| {
        server.tell(&["set_permissions", "-p", "/", "limited", configure, write, read]).unwrap();
    };
    let config = config(&server.url().replace("guest:guest", "limited:secret"), "limits", &Limits::default());
    let connect = || RabbitBroker::connect(&config, "test@here", None);
    let ours = "^limits[.]";
    let mend = "set_permissions -p VHOST USER '^limits[.]' '^limits[.]' '^limits[.]'";
    let page = || Bytes::from_static(b"page");

    permit("^limits[.](?!partitions$)", ".*", ours);
    let error = connect().await.err().unwrap().to_string();
    assert!(error.contains("`limits.partitions`") && error.contains(mend), "{error}");
    assert!(!error.contains("secret"), "{error}");

    permit(ours, "^limits[.](?!publish[.]pages$)", "^limits[.]");
    connect().await.unwrap().close().await;
    permit("^$", "^limits[.](?!publish[.]pages$)", "^limits[.](?!pages$)");
    let broker = connect().await.unwrap();
    let error = broker.publish(Queue::Pages, page()).await.unwrap_err();
    assert!(error.is_retryable() && error.to_string().contains(mend), "{error}");
    let error = broker.consume(Queue::Pages, 1).await.err().unwrap().to_string();
    assert!(error.contains("`limits.pages`") && error.contains(mend), "{error}");

    permit(ours, ours, ours);
    let begun = Instant::now();
    while let Err(error) = broker.publish(Queue::Pages, page()).await {
        assert!(begun.elapsed() < Duration::from_secs(20), "{error}");
    }
    let mut consumer = broker.consume(Queue::Pages, 1).await.unwrap();
    assert_eq!(consumer.next().await.unwrap().body, page());
}

/// 0.1.0 published through the default exchange, as other people's clients may.
async fn what_is_published_through_the_default_exchange_arrives(url: &str) {
    let broker =
        RabbitBroker::connect(&config(url, "older", &Limits::default()), "test@here", None).await.unwrap();
    let connection = lapin::Connection::connect(url, Default::default()).await.unwrap();
    let channel = connection.create_channel().await.unwrap();
    for (exchange, key) in [("", "older.seeds"), ("older.publish.seeds", "")] {
        let options = lapin::options::BasicPublishOptions { mandatory: true, ..Default::default() };
        let sent = channel.basic_publish(exchange.into(), key.into(), options, b"seed", Default::default());
        sent.await.unwrap().await.unwrap();
    }
    let mut consumer = broker.consume(Queue::Seeds, 2).await.unwrap();
    for _ in 0..2 {
        let delivery = consumer.next().await.unwrap();
        assert_eq!(delivery.body, "seed");
        delivery.ack().await.unwrap();
    }
}

/// The header `traceparent` of messages: without traces none is sent, a good one is read, passed on with a dead letter and
/// with its replay, and a broken one costs nothing.
async fn traces_travel_in_headers(url: &str) {
    const GOOD: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let broker =
        RabbitBroker::connect(&config(url, "traced", &Limits::default()), "test@here", None).await.unwrap();
    let connection = lapin::Connection::connect(url, Default::default()).await.unwrap();
    let channel = connection.create_channel().await.unwrap();
    broker.publish(Queue::Pages, Bytes::from_static(b"page")).await.unwrap();
    let got = channel.basic_get("traced.pages".into(), Default::default()).await.unwrap().unwrap();
    // RabbitMQ adds headers of its own.
    let headers = got.delivery.properties.headers().clone().unwrap_or_default();
    assert!(!headers.contains_key("traceparent"), "{headers:?}");
    got.delivery.acker.ack(Default::default()).await.unwrap();

    let send = async |header: AMQPValue| {
        let mut headers = FieldTable::default();
        headers.insert("traceparent".into(), header);
        let properties = lapin::BasicProperties::default().with_headers(headers);
        let sent =
            channel.basic_publish("".into(), "traced.pages".into(), Default::default(), b"page", properties);
        sent.await.unwrap().await.unwrap();
    };
    let mut consumer = broker.consume(Queue::Pages, 1).await.unwrap();
    for broken in [
        AMQPValue::LongString("00-0af7".into()),
        AMQPValue::LongString(vec![0xff; 70].into()),
        AMQPValue::LongString("x".repeat(60_000).into()),
        AMQPValue::Boolean(true),
    ] {
        send(broken).await;
        let delivery = consumer.next().await.unwrap();
        assert_eq!((delivery.body.as_ref(), &delivery.trace), (&b"page"[..], &None));
        delivery.ack().await.unwrap();
    }
    send(AMQPValue::LongString(GOOD.into())).await;
    let delivery = consumer.next().await.unwrap();
    assert_eq!(delivery.trace.as_ref().unwrap().header(), GOOD);
    delivery.reject("it is a test").await.unwrap();
    assert_eq!(broker.replay(Queue::Pages, &[]).await.unwrap(), 1);
    let again = consumer.next().await.unwrap();
    assert_eq!(again.trace.as_ref().unwrap().header(), GOOD);
    again.ack().await.unwrap();
}

async fn other_settings_are_refused_by_name(url: &str) {
    let first = config(url, "settings", &Limits::default());
    let _broker = RabbitBroker::connect(&first, "test@here", None).await.unwrap();
    let _again = RabbitBroker::connect(&first, "test@here", None).await.unwrap();
    let other = BrokerConfig { max_length: 7, ..first };
    let error = RabbitBroker::connect(&other, "test@here", None).await.err().unwrap().to_string();
    assert!(error.contains("`settings.seeds`") && error.contains("drain and delete it"), "{error}");
}

/// 0.1.0 declared its queues with a limit of 5 deliveries, and a queue keeps the arguments that it was made with.
async fn a_queue_of_the_first_version_keeps_its_delivery_limit(url: &str) {
    let config = config(url, "first", &Limits::default());
    RabbitBroker::connect(&config, "test@here", None).await.unwrap().close().await;
    let connection = lapin::Connection::connect(url, Default::default()).await.unwrap();
    let channel = connection.create_channel().await.unwrap();
    channel.queue_delete("first.pages".into(), Default::default()).await.unwrap();
    let text = |text: &str| AMQPValue::LongString(text.as_bytes().to_vec().into());
    let mut arguments = FieldTable::default();
    for (key, value) in [
        ("x-queue-type", text("quorum")),
        ("x-delivery-limit", AMQPValue::LongLongInt(4)),
        ("x-overflow", text("reject-publish")),
        ("x-max-length", AMQPValue::LongLongInt(config.max_length as i64)),
        ("x-max-length-bytes", AMQPValue::LongLongInt(config.max_bytes as i64)),
        ("x-dead-letter-exchange", text("first.dead")),
        ("x-dead-letter-routing-key", text("first.pages.dead")),
        ("x-dead-letter-strategy", text("at-least-once")),
    ] {
        arguments.insert(key.into(), value);
    }
    let durable = lapin::options::QueueDeclareOptions { durable: true, ..Default::default() };
    channel.queue_declare("first.pages".into(), durable, arguments).await.unwrap();
    let broker = RabbitBroker::connect(&config, "test@here", None).await.unwrap();
    broker.publish(Queue::Pages, Bytes::from_static(b"page")).await.unwrap();
    let mut consumer = broker.consume(Queue::Pages, 1).await.unwrap();
    for _ in 0..5 {
        drop(consumer.next().await.unwrap());
    }
    let begun = Instant::now();
    while broker.dead(Queue::Pages, 1).await.unwrap().is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(20), "it is not given up");
    }
}

async fn a_deleted_queue_is_unroutable(url: &str) {
    let broker =
        RabbitBroker::connect(&config(url, "gone", &Limits::default()), "test@here", None).await.unwrap();
    let connection = lapin::Connection::connect(url, Default::default()).await.unwrap();
    let channel = connection.create_channel().await.unwrap();
    channel.queue_delete("gone.pages".into(), Default::default()).await.unwrap();
    let error = broker.publish(Queue::Pages, Bytes::from_static(b"page")).await.unwrap_err();
    assert!(!error.is_retryable() && error.to_string().contains("NO_ROUTE"), "{error}");
    broker.publish(Queue::Partitions, Bytes::from_static(b"others go on")).await.unwrap();
}

async fn a_mark_is_held_once_it_is_set(url: &str) {
    let metrics = Metrics::new().unwrap();
    let config = config(url, "marked", &Limits::default());
    let broker = RabbitBroker::connect(&config, "test@here", Some(metrics.clone())).await.unwrap();
    let other = RabbitBroker::connect(&config, "other@here", None).await.unwrap();
    assert!(!broker.holds_mark("7f").await.unwrap());
    broker.set_mark("7f").await.unwrap();
    broker.set_mark("7f").await.unwrap();
    assert!(broker.holds_mark("7f").await.unwrap() && other.holds_mark("7f").await.unwrap());
    assert!(!broker.holds_mark("80").await.unwrap());
    // To ask for what is not there costs no connection.
    broker.publish(Queue::Pages, Bytes::from_static(b"page")).await.unwrap();
    assert_eq!(metrics.reconnects.with_label_values(&["broker"]).get(), 0);
}

async fn a_closed_broker_says_so(url: &str) {
    let broker =
        RabbitBroker::connect(&config(url, "closed", &Limits::default()), "test@here", None).await.unwrap();
    let mut consumer = broker.consume(Queue::Pages, 1).await.unwrap();
    let (ended, ()) = tokio::join!(consumer.next(), broker.close());
    assert!(ended.err().unwrap().to_string().contains("closed"));
    assert!(consumer.next().await.is_err());
    assert!(broker.ready().await.is_err());
    assert!(broker.publish(Queue::Pages, Bytes::from_static(b"page")).await.is_err());
}

async fn a_wrong_password_is_not_shown(url: &str) {
    let url = url.replace("guest:guest", "guest:hunter2");
    let config = config(&url, "password", &Limits::default());
    let error = RabbitBroker::connect(&config, "test@here", None).await.err().unwrap().to_string();
    assert!(error.contains("127.0.0.1") && !error.contains("hunter2"), "{error}");
}

async fn articles_reach_who_asked_for_their_topic(url: &str) {
    let broker =
        RabbitBroker::connect(&config(url, "news", &Limits::default()), "test@here", None).await.unwrap();
    let connection = lapin::Connection::connect(url, Default::default()).await.unwrap();
    let channel = connection.create_channel().await.unwrap();
    let exclusive = lapin::options::QueueDeclareOptions { exclusive: true, ..Default::default() };
    let queue = channel.queue_declare("".into(), exclusive, Default::default()).await.unwrap();
    let (name, exchange) = (queue.name().clone(), "news.articles".into());
    let bound =
        channel.queue_bind(name.clone(), exchange, "en.*".into(), Default::default(), Default::default());
    bound.await.unwrap();
    broker.publish_article("de.example", &[], Bytes::from_static(b"{\"title\":\"Nein\"}")).await.unwrap();
    let headers = [("event".to_owned(), "new"), ("rights.ai_train".to_owned(), "allowed")];
    broker.publish_article("en.example", &headers, Bytes::from_static(b"{\"title\":\"Yes\"}")).await.unwrap();
    let got = channel.basic_get(name.clone(), Default::default()).await.unwrap().unwrap();
    assert_eq!(got.delivery.data, b"{\"title\":\"Yes\"}");
    let properties = &got.delivery.properties;
    assert_eq!(properties.delivery_mode(), &Some(2));
    assert_eq!(properties.content_type().as_ref().unwrap().as_str(), "application/json");
    assert_eq!(properties.app_id().as_ref().unwrap().as_str(), "newslode");
    assert!(channel.basic_get(name, Default::default()).await.unwrap().is_none());
    articles_reach_who_asked_for_their_headers(&broker, &channel).await;
}

/// A headers exchange that is bound to that of articles hands on what may be done with an article.
async fn articles_reach_who_asked_for_their_headers(broker: &RabbitBroker, channel: &lapin::Channel) {
    let (chosen, kind) = ("chosen".into(), lapin::ExchangeKind::Headers);
    let declare = lapin::options::ExchangeDeclareOptions { auto_delete: true, ..Default::default() };
    channel.exchange_declare(chosen, kind, declare, Default::default()).await.unwrap();
    let (articles, all) = ("news.articles".into(), "#".into());
    let binding =
        channel.exchange_bind("chosen".into(), articles, all, Default::default(), Default::default());
    binding.await.unwrap();
    let exclusive = lapin::options::QueueDeclareOptions { exclusive: true, ..Default::default() };
    let queue = channel.queue_declare("".into(), exclusive, Default::default()).await.unwrap();
    let mut wanted = lapin::types::FieldTable::default();
    for (name, value) in [("x-match", "all"), ("rights.ai_train", "allowed"), ("rights.search", "allowed")] {
        wanted.insert(name.into(), lapin::types::AMQPValue::LongString(value.into()));
    }
    let name = queue.name().clone();
    channel.queue_bind(name.clone(), "chosen".into(), "".into(), Default::default(), wanted).await.unwrap();
    for (search, body) in [("unknown", "no"), ("allowed", "yes"), ("reserved", "no")] {
        let headers = [("rights.ai_train".to_owned(), "allowed"), ("rights.search".to_owned(), search)];
        broker.publish_article("en.example", &headers, Bytes::from_static(body.as_bytes())).await.unwrap();
    }
    let got = channel.basic_get(name.clone(), Default::default()).await.unwrap().unwrap();
    assert_eq!(got.delivery.data, b"yes");
    assert!(channel.basic_get(name, Default::default()).await.unwrap().is_none());
}

/// An operator's tool publishes a seed without any properties. It becomes a dead letter by the delivery
/// limit.
async fn a_foreign_message_without_id_can_be_looked_after(url: &str) {
    let broker =
        RabbitBroker::connect(&config(url, "foreign", &Limits::default()), "test@here", None).await.unwrap();
    let connection = lapin::Connection::connect(url, Default::default()).await.unwrap();
    let channel = connection.create_channel().await.unwrap();
    let (exchange, key) = ("".into(), "foreign.seeds".into());
    channel.basic_publish(exchange, key, Default::default(), b"{}", Default::default()).await.unwrap();
    let mut consumer = broker.consume(Queue::Seeds, 1).await.unwrap();
    for _ in 0..newslode_common::broker::DELIVERY_LIMIT {
        drop(consumer.next().await.unwrap());
    }
    let letter = loop {
        if let Some(letter) = broker.dead(Queue::Seeds, 1).await.unwrap().pop() {
            break letter;
        }
    };
    assert_eq!(
        (letter.by.as_str(), letter.reason.as_str(), letter.body.as_slice()),
        ("broker", "delivery limit", b"{}".as_slice())
    );
    assert_eq!(letter.id.len(), 16, "{}", letter.id);
    assert_eq!(broker.drop_dead(Queue::Seeds, &[letter.id]).await.unwrap(), 1);
}

/// RabbitMQ before 4 takes 128 MiB from strangers. Such a message came again until the delivery limit, since it could not be
/// published to the dead letters.
async fn a_message_that_is_too_large_to_publish_is_a_dead_letter_at_once(url: &str) {
    let broker =
        RabbitBroker::connect(&config(url, "large", &Limits::default()), "test@here", None).await.unwrap();
    let connection = lapin::Connection::connect(url, Default::default()).await.unwrap();
    let channel = connection.create_channel().await.unwrap();
    let (exchange, key, body) = ("".into(), "large.partitions".into(), vec![7; MAX_MESSAGE + 1]);
    channel.basic_publish(exchange, key, Default::default(), &body, Default::default()).await.unwrap();
    let mut consumer = broker.consume(Queue::Partitions, 1).await.unwrap();
    let large = consumer.next().await.unwrap();
    assert_eq!(large.body.len(), body.len());
    large.reject("no message of ours").await.unwrap();
    broker.publish(Queue::Partitions, "the next one".into()).await.unwrap();
    let next = tokio::time::timeout(Duration::from_secs(20), consumer.next()).await.unwrap().unwrap();
    assert!(next.body == "the next one", "{} bytes came again", next.body.len());
    next.ack().await.unwrap();
    let begun = Instant::now();
    let letter = loop {
        if let Some(letter) = broker.dead(Queue::Partitions, 1).await.unwrap().pop() {
            break letter;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "it did not become a dead letter");
    };
    assert!(letter.body == body && letter.reason.contains("too large"), "{}", letter.reason);
    let again = broker.replay(Queue::Partitions, &[]).await.unwrap_err();
    assert!(again.to_string().contains("over the limit of 16777216"), "{again}");
    assert_eq!(broker.drop_dead(Queue::Partitions, &[]).await.unwrap(), 1);
}

/// A publisher must not take the broker's refusal for an outage and try for ever. Those whose messages were on the same channel
/// are not at fault.
#[tokio::test(flavor = "multi_thread")]
async fn a_message_over_the_limit_of_the_broker_is_refused_with_that_limit() {
    let server = RabbitServer::start_set("[].\n", "max_message_size = 100000").await.unwrap();
    let broker =
        RabbitBroker::connect(&config(&server.url(), "limited", &Limits::default()), "test@here", None)
            .await
            .unwrap();
    let retry = Retry::within(Duration::from_secs(30));
    let servers = Outage::new("broker");
    let publish =
        async |size: usize| retry.run(&servers, || broker.publish(Queue::Pages, vec![7; size].into())).await;
    let (large, small) = tokio::join!(publish(100_001), futures::future::join_all((1..20).map(publish)));
    assert!(matches!(large, Err(PublishError::TooLarge { size: 100_001, limit: 100_000 })), "{large:?}");
    for published in small {
        published.unwrap();
    }
    publish(100_000).await.unwrap();
}

async fn the_window_is_fast(url: &str) {
    const COUNT: usize = 4_000;
    let broker =
        RabbitBroker::connect(&config(url, "fast", &Limits::default()), "test@here", None).await.unwrap();
    let start = Instant::now();
    let broker = Arc::new(broker);
    let mut publishing = JoinSet::new();
    for _ in 0..COUNT {
        let broker = broker.clone();
        publishing.spawn(async move { broker.publish(Queue::Pages, Bytes::from(vec![7; 1024])).await });
    }
    publishing.join_all().await.into_iter().for_each(|published| published.unwrap());
    let published = start.elapsed();
    let mut consumer = broker.consume(Queue::Pages, 256).await.unwrap();
    let start = Instant::now();
    for _ in 0..COUNT {
        consumer.next().await.unwrap().ack().await.unwrap();
    }
    let rate = |took: Duration| COUNT as f64 / took.as_secs_f64();
    println!("1 KiB: published {:.0}/s, consumed {:.0}/s", rate(published), rate(start.elapsed()));
}

async fn until_ready(broker: &dyn Broker) {
    let ready = async {
        while broker.ready().await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), ready).await.expect("it connects again");
}

/// The broker is killed and restarted while 2,000 messages pass through it. Publishers repeat what was not
/// confirmed. Everything arrives.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_when_the_broker_is_killed() {
    const COUNT: u32 = 2_000;
    const KILLS: u64 = 3;
    let mut server = RabbitServer::start().await.unwrap();
    let metrics = Metrics::new().unwrap();
    let limits = Limits { timeout: Duration::from_secs(5), ..Limits::default() };
    let config = config(&server.url(), "faults", &limits);
    let stop = CancellationToken::new();
    let broker = RabbitBroker::connect_patiently(&config, "test@here", Some(metrics.clone()), &stop);
    let broker = Arc::new(broker.await.unwrap());
    broker.set_mark("before").await.unwrap();
    tokio::time::sleep(DECLARATIONS_ARE_WRITTEN).await;

    let mut publishers = JoinSet::new();
    for part in 0..8 {
        let broker = broker.clone();
        publishers.spawn(async move {
            let mut repeated = 0;
            for i in (part..COUNT).step_by(8) {
                let body = Bytes::from(i.to_string());
                while let Err(error) = broker.publish(Queue::Pages, body.clone()).await {
                    assert!(error.is_retryable(), "{error}");
                    repeated += 1;
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            repeated
        });
    }
    let consuming = broker.clone();
    let mut consumed = JoinSet::new();
    consumed.spawn(async move {
        let mut consumer = consuming.consume(Queue::Pages, 32).await.unwrap();
        let (mut seen, mut unacked, mut held) = (BTreeSet::new(), 0, Vec::new());
        while seen.len() < COUNT as usize {
            // Keep a few deliveries in hand at all times, also when the broker dies.
            let last = seen.len() + held.len() >= COUNT as usize;
            match tokio::time::timeout(Duration::from_millis(100), consumer.next()).await {
                Ok(delivery) => held.push(delivery.unwrap()),
                Err(_) => tokio::task::yield_now().await,
            }
            while held.len() > if last { 0 } else { 16 } {
                let delivery = held.remove(0);
                let body = delivery.body.clone();
                match delivery.ack().await {
                    Ok(()) => drop(seen.insert(body)),
                    // The message comes again.
                    Err(_) => unacked += 1,
                }
            }
        }
        unacked
    });
    for _ in 0..KILLS {
        tokio::time::sleep(Duration::from_millis(1_000)).await;
        server.kill_now();
        tokio::time::sleep(Duration::from_millis(500)).await;
        server.restart().await.unwrap();
        until_ready(&*broker).await;
    }
    let everything = async {
        let repeated: u32 = publishers.join_all().await.iter().sum();
        let unacked = consumed.join_all().await;
        println!("{COUNT} messages; {repeated} publishes repeated, {unacked:?} acks refused");
        assert!(unacked[0] > 0, "no delivery was in hand when the broker died");
    };
    tokio::time::timeout(Duration::from_secs(90), everything).await.expect("all messages arrive");
    let reconnects = metrics.reconnects.with_label_values(&["broker"]).get();
    assert_eq!(reconnects, KILLS);
    assert!(broker.holds_mark("before").await.unwrap(), "a restart loses nothing");
    broker.ready().await.unwrap();
    assert!(broker.dead(Queue::Pages, 10).await.unwrap().is_empty());
    waits_end_when_the_broker_is_frozen(&server).await;
    patience_ends_when_told(&mut server).await;
}

async fn waits_end_when_the_broker_is_frozen(server: &RabbitServer) {
    // To make the queues may take longer than the limit below.
    let patient = config(&server.url(), "frozen", &Limits::default());
    RabbitBroker::connect(&patient, "test@here", None).await.unwrap().close().await;
    let limits = Limits { timeout: Duration::from_secs(1), ..Limits::default() };
    let config = config(&server.url(), "frozen", &limits);
    let broker = RabbitBroker::connect(&config, "test@here", None).await.unwrap();
    server.freeze();
    let start = Instant::now();
    let published = broker.publish(Queue::Pages, Bytes::from_static(b"page")).await.unwrap_err();
    assert!(published.is_retryable() && published.to_string().contains("1000 ms"), "{published}");
    assert!(broker.ready().await.is_err());
    assert!(broker.depth(Queue::Pages).await.is_err());
    let connected = RabbitBroker::connect(&config, "test@here", None).await.err().unwrap().to_string();
    assert!(connected.contains("did not answer within 1000 ms"), "{connected}");
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
    server.thaw();
    until_ready(&broker).await;
    broker.publish(Queue::Pages, Bytes::from_static(b"page")).await.unwrap();
}

async fn patience_ends_when_told(server: &mut RabbitServer) {
    server.kill_now();
    let config = config(&server.url(), "patience", &Limits::default());
    let stop = CancellationToken::new();
    let stopping = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        stop.cancel();
    };
    let (connected, ()) =
        tokio::join!(RabbitBroker::connect_patiently(&config, "test@here", None, &stop), stopping);
    let error = connected.err().unwrap().to_string();
    assert!(error.contains(&format!("guest:***@{}", server.url().split('@').nth(1).unwrap())), "{error}");
}
