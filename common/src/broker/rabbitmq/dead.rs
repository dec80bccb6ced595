//! Dead letters: queues that are read with `basic.get`, held while they are listed, and put back.
//!
//! A message becomes a dead letter in two ways. Either we gave it up, with headers that say why, who and
//! when; or the broker moved it with its own `x-death` header: for the delivery limit, or because it is too large for us to
//! publish it again with a reason. Reading holds the
//! letters, so another reader at the same time does not see them. They are back when the reading ends, however it
//! ends.
//! Letters that were put back do not always come first the next time, so we read further than asked and sort.
//! A letter is named by its message id, or by a hash of its body if a foreign publisher gave none.

use crate::time;
use std::time::Duration;

use lapin::message::BasicGetMessage;
use lapin::options::{BasicAckOptions, BasicGetOptions, BasicNackOptions};
use lapin::types::{AMQPValue, FieldTable};
use lapin::{Acker as Tag, Channel};

use super::super::{BrokerError, DELIVERY_LIMIT_REASON, DeadLetter, Queue};
use super::core::Core;
use super::publish::trace_of;
use super::topology::{table, text};

/// Header with the reason.
const REASON: &str = "x-newslode-reason";
/// Header with service and host.
const BY: &str = "x-newslode-by";
/// Header with the time, in milliseconds since 1970.
const AT: &str = "x-newslode-at";
/// Longest reason. A reason is a sentence, and headers must fit into one frame.
const MAX_REASON_CHARS: usize = 2_000;

/// Most letters, and most bytes of them, to read in order to find the oldest.
const SORTED: usize = 1_000;
const SORTED_BYTES: usize = 64 << 20;
/// A letter that was put back is counted as ready a moment later: how often we ask, and how long we wait
/// between.
const BACK: (u32, Duration) = (40, Duration::from_millis(25));

impl Core {
    pub(super) fn headers(&self, reason: &str) -> FieldTable {
        let reason: String = reason.chars().take(MAX_REASON_CHARS).collect();
        let at = i64::try_from(time::now().0).unwrap_or(0);
        table([(REASON, text(reason)), (BY, text(self.by.as_str())), (AT, AMQPValue::LongLongInt(at))])
    }

    pub(super) async fn dead(&self, queue: Queue, most: usize) -> Result<Vec<DeadLetter>, BrokerError> {
        let mut open = OpenLetters::start(self, queue).await?;
        let mut letters = Vec::new();
        let mut bytes = 0;
        while letters.len() < most || (letters.len() < SORTED && bytes < SORTED_BYTES) {
            let Some(message) = open.take().await? else { break };
            bytes += message.delivery.data.len();
            letters.push(letter(queue, &message));
            open.keep(message);
        }
        open.end().await?;
        letters.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
        letters.truncate(most);
        Ok(letters)
    }

    pub(super) async fn replay(&self, queue: Queue, ids: &[String]) -> Result<u64, BrokerError> {
        self.settle(queue, ids, true).await
    }

    pub(super) async fn drop_dead(&self, queue: Queue, ids: &[String]) -> Result<u64, BrokerError> {
        self.settle(queue, ids, false).await
    }

    /// Removes the named letters, after publishing them again if `again` is set. The others go back.
    async fn settle(&self, queue: Queue, ids: &[String], again: bool) -> Result<u64, BrokerError> {
        let mut open = OpenLetters::start(self, queue).await?;
        let mut settled = 0;
        while let Some(message) = open.take().await? {
            if !ids.is_empty() && !ids.contains(&id(&message)) {
                open.keep(message);
                continue;
            }
            let trace = trace_of(&message.delivery.properties);
            let data = &message.delivery.data;
            if again && let Err(error) = self.publish(queue, data, trace.as_ref()).await {
                open.keep(message);
                open.end().await?;
                return Err(BrokerError(format!("replayed {settled} messages, then: {error}")));
            }
            open.forget(message).await?;
            settled += 1;
        }
        open.end().await?;
        Ok(settled)
    }
}

/// A walk over a queue's dead letters. However it ends, the broker takes back the letters that it still
/// holds.
struct OpenLetters<'a> {
    core: &'a Core,
    name: String,
    channel: Channel,
    /// Letters present at the start, still unread. Letters put back meanwhile are not read twice.
    left: u64,
    /// Letters that will remain at the end.
    stay: u64,
    last_kept: Option<Tag>,
}

impl<'a> OpenLetters<'a> {
    async fn start(core: &'a Core, queue: Queue) -> Result<OpenLetters<'a>, BrokerError> {
        let name = core.topology.dead_queue(queue);
        let left = core.count(&name).await?;
        let opening = async {
            let link = core.links.now()?;
            link.channel().await.map_err(|error| core.failed("cannot look", &error))
        };
        let channel = core.ask("cannot look", opening).await?;
        Ok(OpenLetters { core, name, channel, left, stay: left, last_kept: None })
    }

    async fn take(&mut self) -> Result<Option<BasicGetMessage>, BrokerError> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let getting = async {
            let got = self.channel.basic_get(self.name.as_str().into(), BasicGetOptions::default()).await;
            got.map_err(|error| self.core.failed(&format!("cannot read `{}`", self.name), &error))
        };
        self.core.ask("cannot read", getting).await
    }

    fn keep(&mut self, message: BasicGetMessage) {
        self.last_kept = Some(message.delivery.acker);
    }

    async fn forget(&mut self, message: BasicGetMessage) -> Result<(), BrokerError> {
        self.stay -= 1;
        match message.delivery.acker.ack(BasicAckOptions::default()).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(BrokerError(format!("`{}`: the connection was lost", self.name))),
            Err(error) => Err(self.core.failed(&format!("`{}`", self.name), &error)),
        }
    }

    /// Puts the kept letters back, and waits until the next reader can find them.
    async fn end(self) -> Result<(), BrokerError> {
        let ending = async {
            if let Some(last) = self.last_kept {
                last.nack(BasicNackOptions { multiple: true, requeue: true }).await?;
            }
            self.channel.close(200, "done".into()).await
        };
        let ending = async { ending.await.map_err(|error| self.core.failed("cannot end a look", &error)) };
        self.core.ask("cannot end a look", ending).await?;
        for _ in 0..BACK.0 {
            if self.core.count(&self.name).await? >= self.stay {
                break;
            }
            tokio::time::sleep(BACK.1).await;
        }
        Ok(())
    }
}

fn id(message: &BasicGetMessage) -> String {
    match message.delivery.properties.message_id() {
        Some(id) => id.to_string(),
        None => blake3::hash(&message.delivery.data).to_hex()[..16].to_string(),
    }
}

fn letter(queue: Queue, message: &BasicGetMessage) -> DeadLetter {
    let headers = message.delivery.properties.headers().clone().unwrap_or_default();
    let size = message.delivery.data.len();
    let (reason, by, at) = ours(&headers).or_else(|| brokers(&headers, size)).unwrap_or_default();
    DeadLetter { id: id(message), queue, reason, by, at, body: message.delivery.data.clone() }
}

fn ours(headers: &FieldTable) -> Option<(String, String, u64)> {
    let reason = words(headers.inner().get(REASON)?)?;
    let by = headers.inner().get(BY).and_then(words).unwrap_or_default();
    let at = headers.inner().get(AT).and_then(AMQPValue::as_long_long_int).unwrap_or(0);
    Some((reason, by, u64::try_from(at).unwrap_or(0)))
}

/// Reads the broker's own header. The newest entry of `x-death` comes first.
fn brokers(headers: &FieldTable, size: usize) -> Option<(String, String, u64)> {
    let AMQPValue::FieldArray(deaths) = headers.inner().get("x-death")? else { return None };
    let AMQPValue::FieldTable(death) = deaths.as_slice().first()? else { return None };
    let reason = words(death.inner().get("reason")?)?;
    let reason = match reason.as_str() {
        "delivery_limit" => DELIVERY_LIMIT_REASON.into(),
        "rejected" => format!("a message of {size} bytes, which is too large to be published again"),
        _ => reason,
    };
    let at = match death.inner().get("time") {
        Some(AMQPValue::Timestamp(seconds)) => seconds.saturating_mul(1000),
        _ => 0,
    };
    Some((reason, "broker".into(), at))
}

fn words(value: &AMQPValue) -> Option<String> {
    match value {
        AMQPValue::LongString(text) => Some(String::from_utf8_lossy(text.as_bytes()).into_owned()),
        AMQPValue::ShortString(text) => Some(text.to_string()),
        _ => None,
    }
}
