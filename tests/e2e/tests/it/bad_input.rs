//! Mistakes of the world and of operators: pages that are none, servers that are away, messages cut short.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use bytes::Bytes;
use newslode_common::broker::{Broker, Queue};
use newslode_common::outcome::Outcome;
use newslode_newsworld::{Content, Reply, Trouble, World, WorldSpec};
use tokio::time::{Instant, sleep};

use crate::lab::{Lab, Outcomes, open, outcomes_in, small_world};
use crate::process::{Ended, LOOK, Process};
use crate::services::{Installation, SERVICES, SOON, Servers};

/// Hosts with one page each, at `/`.
struct Pages(BTreeMap<&'static str, Reply>);

impl Content for Pages {
    fn respond(&self, host: &str, path: &str) -> Reply {
        let page = self.0.get(host).filter(|_| path == "/");
        page.cloned().unwrap_or_else(Reply::not_found)
    }
}

fn html(body: &[u8]) -> Reply {
    Reply::ok("text/html; charset=utf-8", body.to_vec())
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_that_are_none_have_one_outcome_each() {
    let (fine, far) = (html(b"<h1>Fine</h1><p>A page.</p>"), "http://away.test/");
    let busy = Reply { trouble: Some(Trouble::Status { status: 503, times: 2 }), ..fine.clone() };
    let cut = Reply { trouble: Some(Trouble::Cut), ..fine.clone() };
    let broken = html(b"<title>Caf\xc3</title><h1>Half a char\xe2\x82</h1><p>\xc0\xaf \x00 and on.</p>");
    let huge = || b"<p>Again and again.</p>".repeat(50_000_000 / 23);
    let bomb = Reply { gzip: true, ..html(&huge()) };
    let nested = html(&[b"<div>".repeat(100_000), b"<h1>At the bottom</h1>".to_vec()].concat());
    let pages = [
        ("huge.test", html(&huge()), Outcome::TooLarge),
        ("bomb.test", bomb, Outcome::TooLarge),
        ("nested.test", nested, Outcome::Fetched),
        ("pdf.test", Reply::ok("application/pdf", b"%PDF-1.4".to_vec()), Outcome::NotHtml),
        ("empty.test", html(b""), Outcome::Empty),
        ("busy.test", busy, Outcome::Fetched),
        ("cut.test", cut, Outcome::Fetched),
        ("broken.test", broken, Outcome::Fetched),
        ("gone.test", Reply::not_found(), Outcome::Gone),
        ("failing.test", Reply { status: 500, ..fine.clone() }, Outcome::ServerError),
        ("refusing.test", Reply { status: 403, ..fine }, Outcome::Refused),
    ];
    let mut wanted = Outcomes::from([(far.to_string(), Some(Outcome::RobotsUnreachable))]);
    let mut seeds = vec![far.to_string()];
    for (host, _, outcome) in &pages {
        seeds.push(format!("http://{host}/"));
        wanted.insert(format!("http://{host}/"), Some(*outcome));
    }
    let pages = Pages(pages.into_iter().map(|(host, reply, _)| (host, reply)).collect());
    let lab = Lab::serving(pages, &seeds).await;

    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let config = lab.path("hasty.toml");
    std::fs::write(&config, "crawler = { retry_ms = 100, max_attempts = 2 }\n").unwrap();
    let away = format!("away.test:{closed}");
    let more = ["--config", config.to_str().unwrap(), "--resolve", &away];
    lab.ok(&lab.mining("run", &more)).await;
    let found = outcomes_in(&open(&lab.path("run"))).await;
    assert_eq!(found, wanted);
    status_adds_up(&lab, &found).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_world_with_faults_is_mined_whole() {
    let world = World::generate(&WorldSpec {
        seed: 9,
        sites: 2,
        articles_per_section: 1,
        faults: true,
        ..WorldSpec::default()
    });
    let urls = world.urls();
    let lab = Lab::of(world).await;
    let config = lab.path("hasty.toml");
    std::fs::write(&config, "crawler = { retry_ms = 100 }\n").unwrap();
    lab.ok(&lab.mining("run", &["--config", config.to_str().unwrap()])).await;
    let found = outcomes_in(&open(&lab.path("run"))).await;
    let without: Vec<_> = found.iter().filter(|(_, outcome)| outcome.is_none()).collect();
    assert!(without.is_empty(), "{without:?}");
    // Links that end in `.pdf` are not followed.
    let missed: Vec<_> = urls
        .iter()
        .filter(|url| !url.ends_with(".pdf"))
        .filter(|url| {
            let ends = [Outcome::Fetched, Outcome::NotHtml, Outcome::Empty];
            !found.get(*url).copied().flatten().is_some_and(|outcome| ends.contains(&outcome))
        })
        .map(|url| (url, found.get(url)))
        .collect();
    assert!(missed.is_empty(), "{missed:?}");
    for outcome in [Outcome::NotHtml, Outcome::Empty, Outcome::Disallowed] {
        assert!(found.values().any(|held| *held == Some(outcome)), "none is {outcome}");
    }
    status_adds_up(&lab, &found).await;
}

/// `status` counts every URL once, and nothing is left to do.
async fn status_adds_up(lab: &Lab, found: &Outcomes) {
    let status = lab.json(&["status", "--json", lab.path("run").to_str().unwrap()]).await;
    let counts = status["outcomes"].as_object().unwrap();
    let sum: u64 = counts.values().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(sum, found.len() as u64, "{status}");
    for site in status["sites"].as_array().unwrap() {
        assert_eq!((&site["pending"], &site["leased"]), (&0.into(), &0.into()), "{site}");
        assert_eq!(site["health"], "healthy", "{site}");
    }
}

/// Each seed that cannot be fetched is named with what happened and what helps; that is a failure only if nothing
/// at all was fetched.
#[tokio::test(flavor = "multi_thread")]
async fn seeds_that_cannot_be_fetched_are_explained() {
    let robots = Reply::ok("text/plain", b"User-agent: *\nDisallow: /\n".to_vec());
    let lab = Lab::serving(Rooms(robots), &[]).await;
    let config = lab.path("hasty.toml");
    std::fs::write(&config, "crawler = { contact = 'crawler@a.test', retry_ms = 10, max_attempts = 2 }\n")
        .unwrap();
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (config, away) = (config.display().to_string(), format!("away.test:{closed}"));
    let mine = |run: &str, more: &[&str]| {
        let out = lab.path(run).display().to_string();
        let fixed = ["--config", &config, "mine", "--delay", "0", "--out", &out];
        fixed.iter().chain(more).map(ToString::to_string).collect::<Vec<_>>()
    };

    let private = format!("http://{closed}/");
    let ended = lab.run(&mine("private", &[&private])).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.err.contains("no page of any seed could be fetched"), "{}", ended.err);
    assert!(ended.err.contains(&format!("{private}: its host resolves to a private")), "{}", ended.err);
    assert!(ended.err.contains("hint: --allow-private"), "{}", ended.err);
    assert!(!ended.out.contains("complete"), "{}", ended.out);
    // What the hint says is another end, and the state of the run is no hindrance.
    let ended = lab.run(&mine("allowed", &["--allow-private", &private])).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.err.contains("its robots.txt cannot be read"), "{}", ended.err);
    assert!(ended.err.contains("a seed cannot be fetched"), "the log has the exact reason: {}", ended.err);

    let resolve = lab.resolve();
    let seeds = ["http://gone.test/", "http://closed.test/", "http://away.test/"];
    let bad = [&["--resolve", &resolve, "--resolve", &away, "--json"], &seeds[..]].concat();
    let ended = lab.run(&mine("bad", &bad)).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    for said in ["404 or 410", "robots.txt does not allow", "robots.txt cannot be read"] {
        assert!(ended.err.contains(said), "{said}: {}", ended.err);
    }
    let summary: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    let outcomes: Vec<_> =
        summary["unfetched"].as_array().unwrap().iter().map(|seed| &seed["outcome"]).collect();
    assert_eq!(outcomes.len(), 3, "{summary}");
    for outcome in ["gone", "disallowed", "robots_unreachable"] {
        assert!(outcomes.contains(&&outcome.into()), "{summary}");
    }

    let ended =
        lab.run(&mine("mixed", &["--resolve", &resolve, "http://fine.test/", "http://gone.test/"])).await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended.out.contains("complete: ") && ended.out.contains("http://gone.test/: its server has no"),
        "{}",
        ended.out
    );
}

/// `fine.test` has a page, `closed.test` a robots.txt that allows nothing, others have nothing.
struct Rooms(Reply);

impl Content for Rooms {
    fn respond(&self, host: &str, path: &str) -> Reply {
        match (host, path) {
            ("fine.test", "/") => html(b"<h1>Fine</h1><p>A page.</p>"),
            ("closed.test", "/robots.txt") => self.0.clone(),
            _ => Reply::not_found(),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_usage_is_named() {
    let lab = Lab::serving(Pages(BTreeMap::new()), &[]).await;
    let config = lab.path("wrong.toml");
    std::fs::write(&config, "crawler = { worker = 3 }\n").unwrap();
    let ended = lab.run(&["--config", config.to_str().unwrap(), "config", "check"]).await;
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("`crawler.worker`; did you mean `crawler.workers`?"), "{}", ended.err);

    let text = "crawler = { resolve = ['a.test'] }\n";
    std::fs::write(&config, text).unwrap();
    let ended = lab.run(&["--config", config.to_str().unwrap(), "config", "check"]).await;
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("`crawler.resolve`: `a.test` is not"), "{}", ended.err);
    let text = "crawler = { timeout_ms = 60000 }\nbroker = { url = 'http://rabbit' }\npartitioner = { page_ms = 300000 }\n";
    std::fs::write(&config, text).unwrap();
    let ended = lab.run(&["--config", config.to_str().unwrap(), "config", "check"]).await;
    assert_eq!(ended.code, Some(2), "{ended:?}");
    for key in [
        "crawler.lease_ms",
        "crawler.timeout_ms",
        "broker.url",
        "broker.consumer_timeout_ms",
        "partitioner.page_ms",
    ] {
        assert!(ended.err.contains(&format!("`{key}`")), "{key}: {}", ended.err);
    }

    let empty = lab.path("empty");
    std::fs::create_dir(&empty).unwrap();
    let ended = lab.run(&["taxonomy", empty.to_str().unwrap()]).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.err.contains("holds no run") && ended.err.contains("\nhint: "), "{}", ended.err);

    let ended = lab.run(&["mine"]).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.err.contains("no site was named"), "{}", ended.err);
}

/// Somebody who may read a run and not write it: another user where we are root, who may write everything.
struct Reader<'l> {
    lab: &'l Lab,
    is_root: bool,
}

impl Reader<'_> {
    fn of<'l>(lab: &'l Lab, run: &str) -> Reader<'l> {
        let mode = |path: &Path, mode: u32| {
            std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
        };
        mode(&lab.path(""), 0o755);
        for entry in std::fs::read_dir(lab.path(run)).unwrap() {
            let path = entry.unwrap().path();
            mode(&path, if path.is_dir() { 0o555 } else { 0o444 });
        }
        mode(&lab.path(run), 0o555);
        Reader { lab, is_root: std::fs::metadata(lab.path(run)).unwrap().uid() == 0 }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.lab.command("newslode");
        command.args(arguments);
        if self.is_root {
            command.uid(65_534).gid(65_534);
        }
        command
    }

    async fn run(&self, arguments: &[&str]) -> Ended {
        Process::start(self.command(arguments), "reader", &self.lab.path("")).end(SOON).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_may_only_be_read_is_read_and_who_wants_to_write_is_told() {
    let lab = Lab::of(small_world(3)).await;
    let run = lab.path("run").display().to_string();
    lab.ok(&lab.mining("run", &[])).await;
    let articles = lab.ok(&["export", "articles", "--quiet", "--dir", &run]).await;
    let reader = Reader::of(&lab, "run");
    if reader.command(&["--version"]).output().is_err() {
        eprintln!("not tried: another user may not start the program");
        return;
    }
    // 1. Readers read.
    let exported = reader.run(&["export", "articles", "--quiet", "--dir", &run]).await;
    assert_eq!(exported.code, Some(0), "{}", exported.err);
    assert!(exported.out == articles, "the articles differ");
    let status = reader.run(&["status", "--dir", &run]).await;
    assert_eq!(status.code, Some(0), "{}", status.err);
    // 2. Who wants to write is told the file and the reason, and changes nothing.
    for arguments in [
        &["mine", "--out", &run, "--contact", "you@example.org"][..],
        &["watch", "--out", &run, "--contact", "you@example.org", "--addr", "127.0.0.1:0"],
        &["seed", "add", "https://late.test/", "--dir", &run],
    ] {
        let ended = reader.run(arguments).await;
        assert_eq!(ended.code, Some(1), "{arguments:?}: {}{}", ended.out, ended.err);
        let named = ["newslode.redb", "ermission denied"];
        assert!(named.iter().all(|named| ended.err.contains(named)), "{arguments:?}: {}", ended.err);
    }
    std::fs::set_permissions(&run, PermissionsExt::from_mode(0o755)).unwrap();
    assert!(lab.ok(&["export", "articles", "--quiet", "--dir", &run]).await == articles, "something changed");
}

/// Half of a message that a crawler could have sent: the head is right, the body ends too early.
fn truncated() -> Bytes {
    let page = newslode_common::message::FetchedPage {
        url: "http://a.test/".parse().unwrap(),
        site: newslode_page::reading::Site::of_host("a.test"),
        depth: 0,
        why: newslode_common::store::Why::Seed,
        version: newslode_common::version::Version {
            fetch: 1,
            content: newslode_common::version::ContentHash([7; 16]),
        },
        fetched_at: newslode_page::time::Timestamp(1_700_000_000_000),
        content_type: Some("text/html".into()),
        body: newslode_common::message::Body::Archived,
        listed: None,
        rendered: false,
    };
    let mut sealed = newslode_common::message::envelope::seal(&page).unwrap();
    sealed.truncate(sealed.len() - 6);
    sealed.into()
}

/// Sends seeds over plain AMQP: those that cannot be taken are kept with their reason, put back, and
/// forgotten.
async fn bad_seeds_can_be_looked_after(lab: &Lab, services: &Installation<'_>, url: &str) {
    let broken = ["{\"version\":1,", "{\"version\":1,\"url\":\"http://a.test/\",\"max_page\":3}"];
    publish(url, "newslode.seeds", &broken).await;
    let letters = dead(lab, services, "seeds", 2).await;
    let whys = letters.iter().map(|letter| letter["why"].as_str().unwrap()).collect::<Vec<_>>().join("\n");
    assert!(whys.contains("not a seed message: EOF") && whys.contains("`max_page`"), "{whys}");
    assert!(letters[0]["who"].as_str().unwrap().starts_with("newslode-miner@"), "{letters:?}");

    let said = lab.ok(&services.asking(&["dead", "replay", "seeds"])).await;
    assert!(said.contains("2 put back"), "{said}");
    let again = dead(lab, services, "seeds", 2).await;
    let id = again[0]["id"].as_str().unwrap();
    let said = lab.ok(&services.asking(&["dead", "drop", "seeds", id])).await;
    assert!(said.contains("1 forgotten"), "{said}");
    assert_eq!(dead(lab, services, "seeds", 1).await[0]["id"], again[1]["id"]);
    lab.ok(&services.asking(&["dead", "drop", "seeds", "--all"])).await;
    dead(lab, services, "seeds", 0).await;
    eprintln!("bad seeds were listed, put back and forgotten");
}

/// Publishes texts to a queue over plain AMQP.
pub(crate) async fn publish(url: &str, queue: &str, texts: &[&str]) {
    let connection = lapin::Connection::connect(url, lapin::ConnectionProperties::default()).await.unwrap();
    let channel = connection.create_channel().await.unwrap();
    for text in texts {
        let (exchange, options) = ("".into(), lapin::options::BasicPublishOptions::default());
        let properties = lapin::BasicProperties::default();
        let sent = channel.basic_publish(exchange, queue.into(), options, text.as_bytes(), properties);
        sent.await.unwrap().await.unwrap();
    }
}

/// Waits until a queue has this many dead letters; returns them as `newslode dead list --json` shows them.
pub(crate) async fn dead(
    lab: &Lab,
    services: &Installation<'_>,
    queue: &str,
    many: usize,
) -> Vec<serde_json::Value> {
    let begun = Instant::now();
    loop {
        let listed = lab.json(&services.asking(&["dead", "list", queue, "--json"])).await;
        let letters = listed.as_array().unwrap();
        if letters.len() == many {
            return letters.clone();
        }
        assert!(begun.elapsed() < SOON, "wanted {many} dead letters: {listed}\n{}", services.logs());
        sleep(LOOK).await;
    }
}

/// Tests over RabbitMQ and Redis.
mod servers {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn services_wait_for_their_servers_and_give_up_bad_messages() {
        let lab = Lab::of(small_world(3)).await;
        let (digests, _) = lab.undisturbed(&[]).await;
        let mut servers = Servers::start().await;
        let url = servers.rabbit.url();
        let mut services = Installation::new(&lab, &servers, "newslode", 0);

        servers.rabbit.kill_now();
        servers.redis.kill();
        services.start_all();
        for service in SERVICES {
            let begun = Instant::now();
            while !services.health(service).await.contains(" 503 ") {
                services.all_run();
                assert!(begun.elapsed() < SOON, "{service} does not say that it waits\n{}", services.logs());
                sleep(LOOK).await;
            }
        }
        // Told to stop, a service that waits has nothing to finish, and has not failed.
        services.stop().await;
        services.start_all();
        servers.redis.restart();
        servers.rabbit.restart().await.unwrap();
        services.ready().await;
        eprintln!("the services came up once their servers did");

        bad_seeds_can_be_looked_after(&lab, &services, &url).await;
        services.broker().await.publish(Queue::Pages, truncated()).await.unwrap();
        let pages = dead(&lab, &services, "pages", 1).await;
        assert!(pages[0]["who"].as_str().unwrap().starts_with("newslode-partitioner@"), "{pages:?}");
        assert!(!pages[0]["why"].as_str().unwrap().is_empty(), "{pages:?}");
        eprintln!("a page that was cut short is a dead letter: {}", pages[0]["why"]);

        // Seeds that come while the services run still get through.
        services.seed().await;
        services.comes_to(&digests).await;
        services.stop().await;
    }
}
