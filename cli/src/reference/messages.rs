//! Queues, exchanges and what travels through them, from their declarations and types.

use anyhow::Context as _;
use newslode_common::broker::{DELIVERY_LIMIT, MAX_MESSAGE, Queue};
use newslode_common::config::BrokerConfig;
use newslode_common::message::envelope::Message;
use newslode_common::message::{FetchedPage, GonePage, PartitionedPage};
use serde_json::Value;

use super::fields::field_names;
use super::markdown::table_cell;

/// The schema of operators' messages; a test of `newslode-common` compares it with the code.
const SEED: &str = include_str!("../../../docs/schema/seed.json");

/// What each field of a message between services means.
const FIELDS: &[(&str, &str)] = &[
    ("url", "canonical URL of the page, its identity"),
    ("site", "registrable domain"),
    ("depth", "links away from the seed"),
    ("why", "why it was fetched: a seed, a concept's label, an instance, any link"),
    (
        "version",
        "number of the fetch, and hash of the content; from the partitioner on as seen by a generation of the algorithms",
    ),
    ("fetched_at", "time of the fetch, milliseconds since 1970"),
    ("content_type", "the `Content-Type` header, if there was one"),
    ("body", "the page's bytes, packed with zstd; a large page is left in the archive"),
    ("contribution", "the cells that the page adds to its site's sums"),
    ("article", "the article, if it is one"),
    (
        "slots",
        "what the page names by where it names it, which may be sections and tags of its site; no part of the sums",
    ),
    ("notes", "limits that were met, a failure, the number of leaves"),
    ("canonical", "the address that the page declares as its own, if that is another one"),
    (
        "listed",
        "what a feed or news sitemap of the site says of the page, if one was read; up to the partitioner with its full text",
    ),
    (
        "rendered",
        "whether the bytes are the document that a browser made of the server's answer by running its scripts",
    ),
    ("fetch", "number of the fetch that found it so"),
    ("at", "when that was, milliseconds since 1970"),
    (
        "ending",
        "not found, twice a day apart; forbidden by robots.txt; asks not to be indexed; moved; forgotten by an operator; the same article as another",
    ),
];

pub(super) fn page() -> anyhow::Result<String> {
    let broker = BrokerConfig::default();
    let prefix = &broker.prefix;
    let mut page = format!(
        "# Messages

Names begin with `broker.prefix` (default `{prefix}`). The services and `newslode` declare all queues and exchanges, again after each
reconnection; one whose user may not declare waits until they are there ([rights](../security.md#rights-in-rabbitmq)).

## Queues

| queue | from → to | carries | dead letters |
|---|---|---|---|
"
    );
    for queue in Queue::ALL {
        let (way, carries) = queue_way_and_content(*queue);
        page.push_str(&format!("| `{prefix}.{queue}` | {way} | {carries} | `{prefix}.{queue}.dead` |\n"));
    }
    page.push_str(&format!(
        "
- Publish to the queue `{prefix}.NAME` through the fanout exchange `{prefix}.publish.NAME`, with any routing key. To write to this exchange is the right to
  publish to this queue. What is published through the default exchange, as 0.1.0 did, arrives, too, if RabbitMQ permits it.
- All are durable quorum queues. A queue that holds {} messages or {} MiB (`broker.max_length`, `broker.max_bytes`) refuses more, and
  publishers wait: nothing is dropped to make room.
- A message is delivered at least once, in no promised order. One that was delivered {DELIVERY_LIMIT} times without an answer becomes a dead letter with the
  reason `delivery limit`; one that cannot be read does so at once. Dead letters keep body and reason
  ([what to do](../operations.md#dead-letters)). Services publish them through the fanout exchange `{prefix}.publish.NAME.dead`; RabbitMQ itself moves
  what exceeds the delivery limit through the direct exchange `{prefix}.dead`.
- No message is larger than {} MiB.
- Services set marks, durable exchanges `{prefix}.mark.…` to which nobody publishes: a broker that has lost its mark has lost its messages.

## Between the services

A message is `NL` and the byte 1, a byte for its kind, a byte for its version, and the body in [bincode](../decisions/0001-wire-format.md). Pages,
partitions and gone pages end with the first 8 bytes of BLAKE3 over all before them. What the miner checks beyond that is in
[Security](../security.md#what-is-checked-of-a-message). A reader refuses kinds and versions that it does not know. Every version since 0.1.0 stays readable; golden bytes of each are in `common/tests/golden`.
Other programs should read the [articles](#articles), not these.
",
        broker.max_length,
        broker.max_bytes >> 20,
        MAX_MESSAGE >> 20,
    ));
    add_message::<FetchedPage>(&mut page, "a page as it was fetched, crawler → partitioner");
    add_message::<PartitionedPage>(&mut page, "what was computed of a page, partitioner → miner");
    add_message::<GonePage>(
        &mut page,
        "a page that was handed on before and is not to be kept, crawler → miner",
    );
    page.push_str(&seed_section(prefix)?);
    page.push_str(&article_section(prefix));
    Ok(page)
}

/// From whom to whom, and what.
fn queue_way_and_content(queue: Queue) -> (&'static str, String) {
    let kinds = |kinds: &[&str]| kinds.iter().map(|kind| format!("`{kind}`")).collect::<Vec<_>>().join(", ");
    match queue {
        Queue::Seeds => ("operators → miner", "[seeds](#seeds) with `url` or `pause`, JSON".into()),
        Queue::Removals => ("operators → miner", "[seeds](#seeds) with `remove` or `forget`, JSON".into()),
        Queue::Pages => ("crawler, `newslode warc feed` → partitioner", kinds(&[FetchedPage::NAME])),
        Queue::Partitions => ("partitioner → miner", kinds(&[PartitionedPage::NAME])),
        Queue::Gone => ("crawler → miner", kinds(&[GonePage::NAME])),
    }
}

fn add_message<T: Message>(page: &mut String, what: &str) {
    page.push_str(&format!(
        "\n### {}\nKind {}, version {}: {what}.\n\n| field | meaning |\n|---|---|\n",
        T::NAME,
        T::KIND,
        T::VERSION
    ));
    for field in field_names::<T>() {
        page.push_str(&format!("| `{field}` | {} |\n", field_meaning(field).unwrap_or_default()));
    }
}

fn field_meaning(field: &str) -> Option<&'static str> {
    FIELDS.iter().find(|(name, _)| *name == field).map(|(_, meaning)| *meaning)
}

/// The keys of a seed message, from its schema.
fn seed_section(prefix: &str) -> anyhow::Result<String> {
    let schema: Value = serde_json::from_str(SEED)?;
    let keys = schema["properties"].as_object().context("seed messages have no keys")?;
    let required = schema["required"].as_array();
    let mut text = format!(
        "
## Seeds

A message on `{prefix}.seeds` or `{prefix}.removals` is one JSON object ([schema](../schema/seed.json)) with `version` and exactly one of `url`, `remove`, `pause`
and `forget`. [Seed messages](../seeds.md) says how to send one and what becomes of it.

| key | type | meaning |
|---|---|---|
"
    );
    for (key, value) in keys {
        let is_required = required.is_some_and(|names| names.iter().any(|name| name == key));
        let kind = match &value["type"] {
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
            kind => kind.as_str(),
        };
        let kind = match kind {
            Some("integer") => "whole number",
            Some("string") => "text",
            Some("object") => "texts by name",
            other => other.unwrap_or_default(),
        };
        let required = if is_required { "Required. " } else { "" };
        let meaning = table_cell(value["description"].as_str().unwrap_or_default());
        text.push_str(&format!("| `{key}` | {kind} | {required}{meaning} |\n"));
    }
    Ok(text)
}

fn article_section(prefix: &str) -> String {
    format!(
        "
## Articles

Articles go to the durable topic exchange `{prefix}.articles`, as one JSON object each. The routing key is `<language>.<site>`, with `und` for an unknown
language. Bind a queue of your own; an article for which no queue is bound is dropped by the broker, which is no error. The schema of a new or changed article,
which is also that of a line of `articles.jsonl`, is [article.schema.json](article.schema.json). [Articles](../articles.md) explains each key,
the object that tells that an article is gone, and how repetitions are known. [Changes of the taxonomy](../identifiers.md#events) have the routing key `taxonomy`;
`*.*.#` binds articles alone.
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_every_message_has_a_meaning() {
        let page = page().unwrap();
        let all = [field_names::<FetchedPage>(), field_names::<PartitionedPage>(), field_names::<GonePage>()]
            .concat();
        assert!(all.len() > 20, "{all:?}");
        for field in &all {
            assert!(
                field_meaning(field).is_some(),
                "cli/src/reference/messages.rs does not say what `{field}` means"
            );
        }
        for (name, _) in FIELDS {
            assert!(all.contains(name), "no message has `{name}`");
        }
        assert!(page.contains("### gone page\nKind 4, version 2: "), "{page}");
        assert!(page.contains("| `newslode.partitions` | partitioner → miner | `partition` |"));
        assert!(page.contains("| `max_pages` | whole number | Maximum number"), "{page}");
        assert!(page.contains("| `version` | whole number | Required. Always 1. |"), "{page}");
    }
}
