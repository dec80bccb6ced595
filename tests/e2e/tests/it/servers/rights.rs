//! Each service with a user of its own, as `deploy/secrets.sh` makes them: the installation works with exactly these rights, and
//! the servers refuse what `docs/security.md` says a user cannot do.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use lapin::options::{
    BasicGetOptions, BasicPublishOptions, ConfirmSelectOptions, QueueBindOptions, QueueDeclareOptions,
};
use lapin::types::FieldTable;
use lapin::{Channel, Connection, ConnectionProperties};
use newslode_common::broker::Queue;
use newslode_common::store::{Frontier as _, SiteState as _};
use newslode_e2e::news::{News, each_event_heard};

use crate::lab::{Lab, small_world};
use crate::process::LOOK;
use crate::services::{Installation, SOON, Servers, deployed};

/// Running servers with the users of `secrets.sh`.
struct Users {
    servers: Servers,
    /// The variables of each file: user → name → value.
    variables: BTreeMap<String, BTreeMap<String, String>>,
}

impl Users {
    async fn start() -> Users {
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
        let secrets = folder.path().join("secrets");
        let made = Command::new("sh").arg(deployed("secrets.sh")).arg(&secrets).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let servers = Servers::start().await;
        // RabbitMQ runs as its own user.
        let definitions = folder.path().join("rabbitmq.json");
        std::fs::copy(secrets.join("rabbitmq.json"), &definitions).unwrap();
        std::fs::set_permissions(&definitions, PermissionsExt::from_mode(0o644)).unwrap();
        servers.rabbit.tell(&["import_definitions", definitions.to_str().unwrap()]).unwrap();
        for line in std::fs::read_to_string(secrets.join("redis.conf")).unwrap().lines() {
            let words: Vec<&str> = line.split_whitespace().skip(1).collect();
            // The test itself is the default user.
            if words[0] != "default" {
                assert_eq!(servers.redis.tell(&[&["ACL", "SETUSER"], &words[..]].concat()), "+OK", "{line}");
            }
        }
        let variables =
            secrets.read_dir().unwrap().filter_map(|entry| read(&entry.unwrap().path())).collect();
        Users { servers, variables }
    }

    /// The URL of a user for a server that runs here.
    fn url(&self, user: &str, variable: &str, named: &str, port: u16) -> Option<String> {
        let url = self.variables[user].get(variable)?;
        assert!(url.contains(named), "{url}");
        Some(url.replace(named, &format!("127.0.0.1:{port}")))
    }

    fn broker(&self, user: &str) -> String {
        self.url(user, "NEWSLODE__BROKER__URL", "rabbitmq:5672", self.servers.rabbit.port()).unwrap()
    }

    /// A service without Redis gets an address at which nobody listens.
    fn store(&self, user: &str) -> String {
        let url = self.url(user, "NEWSLODE__STORE__URL", "redis:6379", self.servers.redis.port());
        url.unwrap_or_else(|| "redis://127.0.0.1:1/0".into())
    }

    fn start_service(&self, services: &mut Installation<'_>, service: &'static str) {
        let user = service.trim_start_matches("newslode-");
        let (broker, store) = (self.broker(user), self.store(user));
        let variables =
            [("NEWSLODE__BROKER__URL", broker.as_str()), ("NEWSLODE__STORE__URL", store.as_str())];
        services.start_copy(service, service, &variables);
    }

    async fn channel(&self, user: &str) -> Channel {
        let connection =
            Connection::connect(&self.broker(user), ConnectionProperties::default()).await.unwrap();
        let channel = connection.create_channel().await.unwrap();
        channel.confirm_select(ConfirmSelectOptions::default()).await.unwrap();
        channel
    }

    /// Publishes to an exchange. Returns what the broker said.
    async fn publish(&self, user: &str, exchange: &str, key: &str, body: &[u8]) -> Result<(), String> {
        let channel = self.channel(user).await;
        let options = BasicPublishOptions { mandatory: true, ..Default::default() };
        let sent =
            channel.basic_publish(exchange.into(), key.into(), options, body, Default::default()).await;
        sent.map_err(|error| error.to_string())?.await.map(drop).map_err(|error| error.to_string())
    }

    async fn get(&self, user: &str, queue: &str) -> Result<(), String> {
        let got = self.channel(user).await.basic_get(queue.into(), BasicGetOptions::default()).await;
        // What was taken returns when the channel closes.
        got.map(drop).map_err(|error| error.to_string())
    }

    /// What Redis answers to a user.
    fn ask(&self, user: &str, words: &[&str]) -> String {
        let ended = Command::new("redis-cli")
            .args(["--no-auth-warning", "-u", &self.store(user)])
            .args(words)
            .output();
        String::from_utf8_lossy(&ended.unwrap().stdout).trim().to_owned()
    }
}

/// The variables of a file of `secrets.sh`, by its user.
fn read(file: &Path) -> Option<(String, BTreeMap<String, String>)> {
    let name = file.file_name()?.to_str()?.strip_suffix(".env")?;
    let text = std::fs::read_to_string(file).unwrap();
    let pairs = text.lines().filter_map(|line| line.split_once('='));
    let user = if name == "cli" { "newslode" } else { name };
    Some((user.to_owned(), pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_services_work_with_exactly_their_rights() {
    let lab = Lab::of(small_world(5)).await;
    let news = News::undisturbed(&lab, &[]).await;
    let users = Users::start().await;
    let operator = [users.broker("newslode"), users.store("newslode")];
    let ours = [users.servers.rabbit.url(), users.servers.redis.config().url.reveal().to_owned()];
    let mut services = Installation::between(
        "news",
        &lab,
        [&operator[0], &operator[1]],
        [&ours[0], &ours[1]],
        "newslode",
        0,
    );
    // The miner declares the queues and loads the functions; the others wait for it.
    users.start_service(&mut services, "newslode-partitioner");
    users.start_service(&mut services, "newslode-crawler");
    services.logged("newslode-partitioner", "does not exist yet").await;
    users.start_service(&mut services, "newslode-miner");
    services.ready().await;

    let listener = services.listener().await;
    let reader = users.channel("reader").await;
    let durable = QueueDeclareOptions { durable: true, ..Default::default() };
    let own = "newslode.reader.test";
    reader.queue_declare(own.into(), durable, FieldTable::default()).await.unwrap();
    let bound = reader.queue_bind(
        own.into(),
        "newslode.articles".into(),
        "#".into(),
        QueueBindOptions::default(),
        FieldTable::default(),
    );
    bound.await.unwrap();

    for seed in lab.seeds() {
        let message = serde_json::json!({"version": 1, "url": seed}).to_string();
        users.publish("seeds", "newslode.publish.seeds", "", message.as_bytes()).await.unwrap();
    }
    let history = services.has_the_news(&news).await;
    each_event_heard(&listener.events().await, &history).unwrap();
    assert!(reader.basic_get(own.into(), BasicGetOptions::default()).await.unwrap().is_some());

    what_is_forbidden_is_refused(&users).await;
    // An operator removes, by the command.
    let site = newslode_page::reading::canonical(&lab.seeds()[0].parse().unwrap()).unwrap().site();
    let removal = serde_json::json!({"version": 1, "remove": lab.seeds()[0]}).to_string();
    users.publish("seeds", "newslode.publish.seeds", "", removal.as_bytes()).await.unwrap();
    let (store, begun) = (services.store().await, Instant::now());
    while services.dead(Queue::Seeds).await.is_empty() {
        services.all_run();
        assert!(begun.elapsed() < SOON, "{}", services.logs());
        tokio::time::sleep(LOOK).await;
    }
    let dead = services.dead(Queue::Seeds).await;
    assert!(dead[0].reason.contains("belong on the queue `removals`"), "{}", dead[0].reason);
    assert!(store.site(&site).await.unwrap().is_some());
    lab.ok(&services.asking(&["seed", "remove", &lab.seeds()[0]])).await;
    let is_mined = async || store.sites().await.unwrap().iter().any(|(found, _)| *found == site);
    while store.site(&site).await.unwrap().is_some() || is_mined().await {
        services.all_run();
        assert!(begun.elapsed() < SOON * 2, "{}", services.logs());
        tokio::time::sleep(LOOK).await;
    }
    services.stop().await;
}

async fn what_is_forbidden_is_refused(users: &Users) {
    let garbage = b"forged";
    for (user, exchange, key) in [
        ("partitioner", "newslode.publish.pages", ""),
        ("partitioner", "newslode.publish.gone", ""),
        ("partitioner", "newslode.publish.seeds", ""),
        ("partitioner", "newslode.publish.removals", ""),
        ("partitioner", "newslode.publish.seeds.dead", ""),
        ("partitioner", "newslode.dead", "newslode.seeds.dead"),
        ("partitioner", "newslode.articles", "en.a"),
        ("partitioner", "", "newslode.pages"),
        ("crawler", "newslode.publish.partitions", ""),
        ("crawler", "newslode.publish.seeds", ""),
        ("crawler", "newslode.articles", "en.a"),
        ("crawler", "", "newslode.partitions"),
        ("miner", "newslode.publish.seeds", ""),
        ("miner", "newslode.publish.removals", ""),
        ("miner", "newslode.publish.partitions", ""),
        ("miner", "", "newslode.seeds"),
        ("seeds", "newslode.publish.removals", ""),
        ("seeds", "newslode.publish.pages", ""),
        ("seeds", "newslode.articles", "en.a"),
        ("seeds", "", "newslode.seeds"),
        ("reader", "newslode.publish.seeds", ""),
        ("reader", "newslode.articles", "en.a"),
        ("scaler", "newslode.publish.seeds", ""),
    ] {
        let refused = users.publish(user, exchange, key, garbage).await.unwrap_err();
        assert!(refused.contains("ACCESS_REFUSED"), "{user} to `{exchange}` {key}: {refused}");
    }
    for (user, queue) in [
        ("partitioner", "newslode.partitions"),
        ("partitioner", "newslode.seeds"),
        ("partitioner", "newslode.pages.dead"),
        ("crawler", "newslode.pages"),
        ("miner", "newslode.seeds.dead"),
        ("miner", "newslode.reader.test"),
        ("seeds", "newslode.seeds"),
        ("seeds", "newslode.reader.test"),
        ("reader", "newslode.partitions"),
        ("reader", "newslode.seeds.dead"),
        ("scaler", "newslode.pages"),
    ] {
        let refused = users.get(user, queue).await.unwrap_err();
        assert!(refused.contains("ACCESS_REFUSED"), "{user} from `{queue}`: {refused}");
    }
    for user in ["seeds", "crawler", "partitioner"] {
        let channel = users.channel(user).await;
        let own = QueueDeclareOptions { exclusive: true, ..Default::default() };
        let refused = channel.queue_declare("mine".into(), own, FieldTable::default()).await.unwrap_err();
        assert!(refused.to_string().contains("ACCESS_REFUSED"), "{user}: {refused}");
    }
    // Anybody may ask for the length of a queue.
    let passive = QueueDeclareOptions { passive: true, durable: true, ..Default::default() };
    let channel = users.channel("scaler").await;
    channel.queue_declare("newslode.pages".into(), passive, FieldTable::default()).await.unwrap();
    for words in [
        &["GET", "newslode:{v:taxonomy}"][..],
        &["HGETALL", "newslode:{b7}:v:a.test"],
        &["HSET", "newslode:{b7}:x:a.test:0", "x", "1"],
        &["DEL", "newslode:{v:generations}"],
        &["FUNCTION", "LOAD", "REPLACE", "#!lua name=newslode_2"],
        &["EVAL", "return 1", "0"],
        &["FLUSHALL"],
        &["CONFIG", "SET", "maxmemory", "1"],
    ] {
        let said = users.ask("crawler", words);
        assert!(said.contains("NOPERM"), "{words:?}: {said}");
    }
    for words in
        [&["FLUSHALL"][..], &["ACL", "LIST"], &["CONFIG", "SET", "maxmemory", "1"], &["SET", "other", "1"]]
    {
        let said = users.ask("miner", words);
        assert!(said.contains("NOPERM"), "{words:?}: {said}");
    }
}
