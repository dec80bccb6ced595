//! Reads articles from RabbitMQ as the services publish them, and acknowledges each once it is dealt with.
//!
//!     export NEWSLODE__BROKER__URL=amqp://user:password@rabbitmq:5672/%2f
//!     cargo run -p newslode --example read_articles -- [PATTERN] [COUNT]
//!
//! PATTERN selects by language and site (`de.#`, `*.example.org`; default `*.*.#`, all articles). The example ends after COUNT
//! messages; without COUNT it goes on until Ctrl-C. Messages are JSON: docs/articles.md explains every key.
//!
//! The reader's queue remembers articles while no reader is connected, and vanishes after a day without one.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example talks to its user")]

use std::collections::BTreeMap;

use anyhow::Context as _;
use futures::StreamExt as _;
use lapin::options::*;
use lapin::types::{AMQPValue, FieldTable};
use lapin::{Connection, ConnectionProperties};
use newslode_page::Article;
use newslode_page::neutral::for_terminal;
use serde::Deserialize;

/// `<broker.prefix>.articles`
const EXCHANGE: &str = "newslode.articles";
/// Number of messages that the broker hands out before the first is acknowledged.
const PREFETCH: u16 = 32;
const DAY_MS: i32 = 86_400_000;

/// What every message has. Keys that are not named are ignored, so new ones do no harm.
#[derive(Deserialize)]
struct Event {
    event: String,
    url: String,
    version: u64,
    /// Why the article is gone, if it is; all other messages have the whole article.
    reason: Option<String>,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let url = std::env::var("NEWSLODE__BROKER__URL").context("set NEWSLODE__BROKER__URL")?;
    let mut arguments = std::env::args().skip(1);
    let pattern = arguments.next().unwrap_or_else(|| "*.*.#".into());
    let count = arguments.next().map_or(Ok(usize::MAX), |count| count.parse()).context("COUNT")?;

    let connection = Connection::connect(&url, ConnectionProperties::default()).await;
    let connection = connection.context("cannot connect to RabbitMQ")?;
    let channel = connection.create_channel().await?;
    // A queue keeps its patterns, so each pattern has a queue. Readers of one queue share its articles.
    let queue = format!("example-reader {pattern}");
    let (options, mut settings) = (QueueDeclareOptions::durable(), FieldTable::default());
    settings.insert("x-queue-type".into(), AMQPValue::LongString("quorum".into()));
    settings.insert("x-expires".into(), AMQPValue::LongInt(DAY_MS));
    channel.queue_declare(queue.as_str().into(), options, settings).await?;
    let (options, settings) = (QueueBindOptions::default(), FieldTable::default());
    let bound =
        channel.queue_bind(queue.as_str().into(), EXCHANGE.into(), pattern.into(), options, settings).await;
    bound.with_context(|| format!("cannot bind to `{EXCHANGE}`, which the services declare: start them"))?;
    channel.basic_qos(PREFETCH, BasicQosOptions::default()).await?;
    let (options, settings) = (BasicConsumeOptions::default(), FieldTable::default());
    let mut messages = channel.basic_consume(queue.into(), "".into(), options, settings).await?;

    let mut newest: BTreeMap<String, u64> = BTreeMap::new();
    for _ in 0..count {
        let message = messages.next().await.context("the broker ended the delivery; start again")??;
        match read(&message.data) {
            Ok((url, version, line)) => {
                // An event that came before, or is late: `url` and `version` identify it.
                if newest.get(&url).is_none_or(|newest| *newest < version) {
                    newest.insert(url, version);
                    println!("{}", for_terminal(&line));
                }
                // Only now may the broker forget it. What was shown and not acknowledged comes again.
                message.ack(BasicAckOptions::default()).await?;
            }
            Err(error) => {
                eprintln!(
                    "passed over a message that is no event of an article: {}",
                    for_terminal(&error.to_string())
                );
                message.reject(BasicRejectOptions { requeue: false }).await?;
            }
        }
    }
    Ok(connection.close(200, "done".into()).await?)
}

/// The URL and the number of an event, and a line for it.
fn read(message: &[u8]) -> serde_json::Result<(String, u64, String)> {
    let Event { event, url, version, reason } = serde_json::from_slice(message)?;
    if let Some(reason) = reason {
        return Ok((url.clone(), version, format!("{event}  {reason}  {url}")));
    }
    let Article { title, concepts, .. } = serde_json::from_slice(message)?;
    let title = title.unwrap_or_else(|| "(no title)".into());
    Ok((url.clone(), version, format!("{event}  {title}  [{}]  {url}", concepts.join(", "))))
}
