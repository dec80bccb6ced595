//! RabbitMQ and Redis over TLS with passwords: the services mine through them, also when certificates expire meanwhile, and
//! name what is wrong with a server for which no authority vouches that they know. The run follows the news and ends as
//! [`newslode_e2e::news`] says.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use newslode_e2e::news::News;
use newslode_test_servers::{RabbitServer, RedisServer};

use crate::lab::{Digests, Lab, digests_in, small_world};
use crate::process::{LOOK, Process};
use crate::services::{Installation, SERVICES, SOON};

/// The delay between two requests to a site: there is work to do while certificates expire.
const DELAY_MS: u64 = 400;

/// The password of both servers.
const PASSWORD: &str = "Xu7-long-enough";

/// An authority, and its certificate for a server on loopback.
struct Authority(PathBuf);

impl Authority {
    fn new(folder: PathBuf) -> Authority {
        std::fs::create_dir(&folder).unwrap();
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
        let name = folder.file_name().unwrap().to_str().unwrap();
        openssl(&folder, &format!("req -x509 {key} -days 2 -keyout ca.key -out ca.crt -subj /CN={name}"));
        let names = "subjectAltName=DNS:localhost,IP:127.0.0.1";
        let server = "-addext basicConstraints=critical,CA:FALSE -subj /CN=localhost";
        openssl(&folder, &format!("req -new {key} -keyout tls.key -out tls.csr -addext {names} {server}"));
        let authority = Authority(folder);
        authority.sign(2);
        authority
    }

    /// Signs the server's certificate for so many days from now; for a negative number it has expired.
    fn sign(&self, days: i32) {
        let by = "-CA ca.crt -CAkey ca.key -CAcreateserial -copy_extensions copy";
        openssl(&self.0, &format!("x509 -req -in tls.csr {by} -days {days} -out tls.crt"));
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// Lets the user of RabbitMQ read the key.
    fn open(&self) {
        for path in [self.0.parent().unwrap(), &self.0, &self.0.join("tls.key")] {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
}

fn openssl(folder: &Path, arguments: &str) {
    let made = Command::new("openssl").args(arguments.split(' ')).current_dir(folder).output().unwrap();
    assert!(made.status.success(), "openssl {arguments}\n{}", String::from_utf8_lossy(&made.stderr));
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

async fn rabbit(authority: &Authority, port: u16) -> RabbitServer {
    let settings = format!(
        "listeners.ssl.1 = 127.0.0.1:{port}\nssl_options.cacertfile = {}\nssl_options.certfile = {}\n\
         ssl_options.keyfile = {}\ndefault_user = news\ndefault_pass = {PASSWORD}\n",
        authority.file("ca.crt"),
        authority.file("tls.crt"),
        authority.file("tls.key"),
    );
    RabbitServer::start_set("[].\n", &settings).await.unwrap()
}

fn redis(authority: &Authority, port: u16) -> RedisServer {
    let files = ["tls.crt", "tls.key", "ca.crt"].map(|name| authority.file(name));
    let [certificate, key, ca] = &files;
    let server = RedisServer::start_with(&[
        // As docs/operations.md recommends it.
        "--appendfsync",
        "always",
        "--tls-port",
        &port.to_string(),
        "--tls-cert-file",
        certificate,
        "--tls-key-file",
        key,
        "--tls-ca-cert-file",
        ca,
        "--tls-auth-clients",
        "no",
    ]);
    assert_eq!(server.tell(&["CONFIG", "SET", "requirepass", PASSWORD]), "+OK");
    server
}

/// New connections are refused until the certificates are renewed.
async fn certificates_expire(
    authority: &Authority,
    rabbit: &RabbitServer,
    redis: &RedisServer,
    services: &mut Installation<'_>,
    whole: &Digests,
) {
    authority.sign(-1);
    present(authority, rabbit, redis);
    for service in SERVICES {
        services.logged(service, "renew it; the services connect again by themselves").await;
    }
    assert_ne!(digests_in(&services.store().await).await, *whole, "nothing is left to do afterwards");
    authority.sign(2);
    present(authority, rabbit, redis);
}

/// Lets the servers read their certificates again, and ends all connections.
fn present(authority: &Authority, rabbit: &RabbitServer, redis: &RedisServer) {
    rabbit.tell(&["eval", "ssl:clear_pem_cache()."]).unwrap();
    rabbit.tell(&["close_all_connections", "a new certificate"]).unwrap();
    let certificate = authority.file("tls.crt");
    for words in [["CONFIG", "SET", "tls-cert-file", &certificate], ["CLIENT", "KILL", "TYPE", "normal"]] {
        let mut command = Command::new("redis-cli");
        command
            .args(["-p", &redis.port().to_string(), "--no-auth-warning", "-e", "-a", PASSWORD])
            .args(words);
        let told = command.output().unwrap();
        assert!(told.status.success(), "{words:?}\n{}", String::from_utf8_lossy(&told.stdout));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn services_mine_over_tls_and_refuse_servers_of_an_unknown_authority() {
    let mut lab = Lab::of(small_world(7)).await;
    let (ours, unknown) = (Authority::new(lab.path("ours")), Authority::new(lab.path("unknown")));
    ours.open();
    lab.set("SSL_CERT_FILE", ours.0.join("ca.crt"));
    let news = News::undisturbed(&lab, &[]).await;
    let (broker_port, store_port) = (free_port(), free_port());
    let rabbit = rabbit(&ours, broker_port).await;
    let redis = redis(&ours, store_port);
    let broker = |scheme: &str, port: u16| format!("{scheme}://news:{PASSWORD}@127.0.0.1:{port}/%2f");
    let store = |scheme: &str, port: u16| format!("{scheme}://:{PASSWORD}@127.0.0.1:{port}/0");
    let theirs = [broker("amqps", broker_port), store("rediss", store_port)];
    let plain = [broker("amqp", rabbit.port()), store("redis", redis.port())];
    let [theirs, plain] = [&theirs, &plain].map(|urls| [urls[0].as_str(), urls[1].as_str()]);
    let mut services = Installation::between("news", &lab, theirs, plain, "tls", DELAY_MS);

    services.start_all();
    services.ready().await;
    let listener = services.listener().await;
    services.seed().await;
    let begun = Instant::now();
    while digests_in(&services.store().await).await.is_empty() {
        assert!(begun.elapsed() < SOON, "nothing is counted\n{}", services.logs());
        tokio::time::sleep(LOOK).await;
    }
    certificates_expire(&ours, &rabbit, &redis, &mut services, &news.digests).await;
    services.ends_with_the_news(&news, &listener).await;

    for service in SERVICES {
        let mut command = lab.command(service);
        command.args(["--config", services.config()]).env("SSL_CERT_FILE", unknown.0.join("ca.crt"));
        command.env("NEWSLODE__TELEMETRY__ADMIN", "127.0.0.1:0");
        let mut process = Process::start(command, &format!("wrong-{service}"), &lab.path(""));
        let begun = Instant::now();
        // It waits for somebody to mend that.
        while !process.tail().contains("set `SSL_CERT_FILE` to the file") {
            assert!(process.ended().is_none() && begun.elapsed() < SOON, "{}", process.tail());
            tokio::time::sleep(LOOK).await;
        }
        assert!(!process.tail().contains(PASSWORD), "{}", process.tail());
    }
    let mut command = lab.command("newslode");
    command.args(services.asking(&["status"])).env("SSL_CERT_FILE", unknown.0.join("ca.crt"));
    let refused = Process::start(command, "wrong-newslode", &lab.path("")).end(SOON).await;
    assert_ne!(refused.code, Some(0));
    assert!(refused.err.contains("SSL_CERT_FILE") && !refused.err.contains(PASSWORD), "{}", refused.err);
}
