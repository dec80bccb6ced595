//! The examples that read articles from RabbitMQ do so: in Rust, and in Python.
//!
//! Both have the same arguments and print the same lines, so one test runs either.

use std::collections::BTreeSet;
use std::process::Command;
use std::time::Duration;

use lapin::options::BasicPublishOptions;
use lapin::{BasicProperties, Connection, ConnectionProperties};
use serde_json::json;

use crate::lab::{Lab, small_world};
use crate::process::{Ended, Process, example};
use crate::services::{Installation, Servers};

/// The longest time for a reader to get its messages.
const PATIENCE: Duration = Duration::from_secs(100);

/// Runs a reader to its end.
async fn ended(mut reader: Command, broker: Option<&str>, arguments: &[&str], lab: &Lab) -> Ended {
    reader.args(arguments).env_remove("NEWSLODE__BROKER__URL");
    if let Some(broker) = broker {
        reader.env("NEWSLODE__BROKER__URL", broker);
    }
    let name = format!("reader-{}", arguments.join("-"));
    Process::start(reader, &name, &lab.path("")).end(PATIENCE).await
}

/// The lines that a reader prints of so many messages.
async fn lines(reader: Command, broker: &str, arguments: &[&str], lab: &Lab) -> (Vec<String>, String) {
    let ended = ended(reader, Some(broker), arguments, lab).await;
    assert_eq!(ended.code, Some(0), "{arguments:?}: {}", ended.err);
    (ended.out.lines().map(str::to_owned).collect(), ended.err)
}

/// Reads events of the services, each once, and passes over what is no event.
async fn reads_articles(reader: impl Fn() -> Command) {
    let lab = Lab::of(small_world(5)).await;
    let servers = Servers::start().await;
    let broker = servers.rabbit.url();

    let early = ended(reader(), Some(&broker), &["*.*.#", "0"], &lab).await;
    assert_ne!(early.code, Some(0));
    assert!(early.err.contains("newslode.articles"), "{}", early.err);

    let mut services = Installation::following("news", &lab, &servers, "newslode", 0);
    services.start_all();
    services.ready().await;
    // The queues are there before the first article.
    for pattern in ["*.*.#", "en.junk"] {
        assert_eq!(lines(reader(), &broker, &[pattern, "0"], &lab).await.0, Vec::<String>::new());
    }
    services.seed().await;
    let (first, _) = lines(reader(), &broker, &["*.*.#", "12"], &lab).await;
    // What was acknowledged does not come again.
    let (second, _) = lines(reader(), &broker, &["*.*.#", "12"], &lab).await;
    let all: Vec<&String> = first.iter().chain(&second).collect();
    let different: BTreeSet<&String> = all.iter().copied().collect();
    assert!(all.len() > 20 && different.len() == all.len(), "{all:#?}");
    for line in all {
        let (event, url) = (line.split("  ").next().unwrap(), line.rsplit("  ").next().unwrap());
        assert!(["new", "changed"].contains(&event) && lab.gold().contains(url), "{line}");
    }

    publish(&broker, b"no event").await;
    let gone = |version: u64| json!({ "event": "gone", "version": version, "url": "http://a.test/1", "reason": "moved" });
    for version in [2, 1, 2] {
        publish(&broker, gone(version).to_string().as_bytes()).await;
    }
    let (told, complaints) = lines(reader(), &broker, &["en.junk", "4"], &lab).await;
    assert_eq!(told, ["gone  moved  http://a.test/1"], "{complaints}");
    assert!(complaints.contains("no event of an article"), "{complaints}");
    services.stop().await;
}

/// Publishes a message as an article.
async fn publish(broker: &str, message: &[u8]) {
    let connection = Connection::connect(broker, ConnectionProperties::default()).await.unwrap();
    let channel = connection.create_channel().await.unwrap();
    let (options, properties) = (BasicPublishOptions::default(), BasicProperties::default());
    let sent =
        channel.basic_publish("newslode.articles".into(), "en.junk".into(), options, message, properties);
    sent.await.unwrap().await.unwrap();
    connection.close(200, "sent".into()).await.unwrap();
}

/// Without a broker the error says what is missing.
async fn names_what_is_missing(reader: impl Fn() -> Command) {
    let lab = Lab::of(small_world(5)).await;
    let unset = ended(reader(), None, &["*.*.#", "0"], &lab).await;
    assert_ne!(unset.code, Some(0));
    assert!(unset.err.contains("NEWSLODE__BROKER__URL"), "{}", unset.err);
    let away = ended(reader(), Some("amqp://127.0.0.1:1/%2f"), &["*.*.#", "0"], &lab).await;
    assert_ne!(away.code, Some(0));
    assert!(away.err.contains("cannot connect to RabbitMQ"), "{}", away.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn articles_are_read_and_acknowledged_in_rust() {
    let reader = || Command::new(example("read_articles"));
    names_what_is_missing(reader).await;
    reads_articles(reader).await;
}

/// `./test python` runs these, too.
mod python {
    use std::path::Path;

    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn articles_are_read_and_acknowledged_in_python() {
        let python = crate::servers::python();
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/examples/read_articles.py");
        let reader = || {
            let mut command = Command::new(&python);
            command.arg(&example);
            command
        };
        names_what_is_missing(reader).await;
        reads_articles(reader).await;
    }
}
