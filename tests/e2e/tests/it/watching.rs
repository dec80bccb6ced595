//! `newslode watch`: killed and stopped, with other commands beside it.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use newslode_common::store::redb::RedbStore;
use newslode_common::store::{AgedArchive as _, Frontier, Kind, PageArchive as _};
use newslode_page::time::Timestamp;

use crate::client::Client;
use crate::lab::{Lab, digests_in, open, outcomes_in, same_outcomes, small_world};
use crate::process::Process;

/// The longest wait for something that takes seconds.
const PATIENCE: Duration = Duration::from_secs(120);

/// Watches the world's first so many sites, following all links once.
fn watch(lab: &Lab, run: &str, sites: usize) -> Process {
    let (out, resolve) = (lab.path(run).display().to_string(), lab.resolve());
    let fixed = ["watch", "--addr", "127.0.0.1:0", "--contact", "you@example.org", "--allow-private"];
    let mut arguments: Vec<String> = fixed.iter().map(ToString::to_string).collect();
    arguments.extend(["--delay", "0", "--out", &out, "--resolve", &resolve].map(str::to_owned));
    arguments.extend(lab.seeds().iter().take(sites).cloned());
    lab.start(&arguments)
}

async fn lab_that_follows_all() -> Lab {
    let mut lab = Lab::of(small_world(3)).await;
    for (name, value) in [
        ("NEWSLODE__MINER__FOLLOW", "all"),
        ("NEWSLODE__SCHEDULE__ALLOWANCE", "false"),
        ("NEWSLODE__MINER__FOLD_S", "1"),
        ("NEWSLODE__MINER__VIEWS_S", "1"),
        ("NEWSLODE__WATCH__ANNOUNCE_S", "3"),
    ] {
        lab.set(name, value);
    }
    lab
}

/// Waits until this is so.
async fn until<F: Future<Output = bool>>(what: &str, mut is_so: impl FnMut() -> F) {
    let begun = Instant::now();
    while !is_so().await {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// URLs of a site that is read.
const LEAST_URLS: u64 = 20;

/// Whether every URL that is known has an outcome and nothing waits.
async fn is_all_fetched(lab: &Lab, run: &str) -> bool {
    let Ok(store) = RedbStore::open_read_only(&lab.path(run).join("newslode.redb")) else { return false };
    let sites = Frontier::status(&store).await.unwrap();
    !sites.is_empty()
        && sites.iter().all(|site| site.pending == 0 && site.leased == 0 && site.urls > LEAST_URLS)
}

/// What names the event that a line of JSON tells; changes of the taxonomy are counted together.
fn event_name(line: &str) -> Option<(String, u64)> {
    let event: serde_json::Value = serde_json::from_str(line).unwrap();
    if event["event"] == "taxonomy" {
        return Some(("taxonomy".to_owned(), event["number"].as_u64()?));
    }
    Some((event["url"].as_str()?.to_owned(), event["version"].as_u64()?))
}

/// The events in a run's file, each of which must be there once.
fn events_in(lab: &Lab, run: &str) -> BTreeSet<(String, u64)> {
    let lines = std::fs::read_to_string(lab.path(run).join("events.jsonl")).unwrap();
    // The last line may be half written.
    let whole = lines.rfind('\n').map_or("", |end| &lines[..end]);
    let events: Vec<(String, u64)> = whole.lines().filter_map(event_name).collect();
    let names: BTreeSet<_> = events.iter().cloned().collect();
    assert_eq!((events.len(), names.len()), (whole.lines().count(), events.len()), "{lines}");
    names
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_that_is_killed_again_and_again_counts_what_an_undisturbed_run_counts() {
    let lab = lab_that_follows_all().await;
    let (digests, outcomes) = lab.undisturbed(&[]).await;
    for wait in [300, 700, 1_100, 1_500, 900] {
        let mut watching = watch(&lab, "killed", 3);
        watching.printed("console of").await;
        tokio::time::sleep(Duration::from_millis(wait)).await;
        watching.kill();
    }
    let watching = watch(&lab, "killed", 3);
    let store = async || RedbStore::open_read_only(&lab.path("killed").join("newslode.redb")).unwrap();
    until("all pages are counted", async || {
        is_all_fetched(&lab, "killed").await && digests_in(&store().await).await == digests
    })
    .await;
    same_outcomes(&outcomes, &outcomes_in(&store().await).await);
    // Each event is in the file once, and none is missing, though a kill may come between an event and its line.
    let folder = lab.path("killed").display().to_string();
    until("all events are written", async || {
        let articles = lab.ok(&["export", "articles", "--quiet", "--dir", &folder]).await;
        let told: BTreeSet<(String, u64)> = articles.lines().filter_map(event_name).collect();
        told.len() == articles.lines().count() && told.is_subset(&events_in(&lab, "killed"))
    })
    .await;
    until("all changes of the taxonomy are written", async || {
        let changes = lab.ok(&["taxonomy", "--changes", "--format", "json", "--dir", &folder]).await;
        let changes: Vec<serde_json::Value> = serde_json::from_str(&changes).unwrap();
        let numbers: Vec<u64> = changes.iter().filter_map(|change| change["number"].as_u64()).collect();
        let told = events_in(&lab, "killed").into_iter().filter(|(of, _)| of == "taxonomy");
        !numbers.is_empty() && told.map(|(_, number)| number).eq(numbers)
    })
    .await;
    watching.terminate();
    let mut watching = watching;
    let ended = watching.end(PATIENCE).await;
    assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
    assert_eq!(digests_in(&open(&lab.path("killed"))).await, digests);
}

/// Waits until the service manager hears this line.
async fn is_told(manager: &tokio::net::UnixDatagram, line: &str) {
    let hearing = async {
        loop {
            let mut bytes = vec![0; 4_096];
            let length = manager.recv(&mut bytes).await.unwrap();
            if String::from_utf8_lossy(&bytes[..length]).lines().any(|told| told == line) {
                return;
            }
        }
    };
    assert!(tokio::time::timeout(PATIENCE, hearing).await.is_ok(), "`{line}` is not told");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_that_slept_for_longer_than_its_claims_last_goes_on_and_counts_the_same() {
    let mut lab = lab_that_follows_all().await;
    let (digests, outcomes) = lab.undisturbed(&[]).await;
    let socket = lab.path("notify");
    let manager = tokio::net::UnixDatagram::bind(&socket).unwrap();
    for (name, value) in [
        ("NEWSLODE__CRAWLER__TIMEOUT_MS", "2000"),
        ("NEWSLODE__CRAWLER__LEASE_MS", "5000"),
        ("NOTIFY_SOCKET", socket.to_str().unwrap()),
        ("WATCHDOG_USEC", "500000"),
    ] {
        lab.set(name, value);
    }
    let mut watching = watch(&lab, "slept", 3);
    is_told(&manager, "READY=1").await;
    is_told(&manager, "WATCHDOG=1").await;
    watching.freeze();
    tokio::time::sleep(Duration::from_secs(6)).await;
    while manager.try_recv(&mut [0; 4_096]).is_ok() {}
    watching.thaw();
    is_told(&manager, "WATCHDOG=1").await;
    let store = async || RedbStore::open_read_only(&lab.path("slept").join("newslode.redb")).unwrap();
    // Reads the messages to the service manager, so that the socket's queue does not fill.
    until("all pages are counted", async || {
        while manager.try_recv(&mut [0; 4_096]).is_ok() {}
        is_all_fetched(&lab, "slept").await && digests_in(&store().await).await == digests
    })
    .await;
    same_outcomes(&outcomes, &outcomes_in(&store().await).await);
    watching.terminate();
    let ended = watching.end(PATIENCE).await;
    assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_read_and_change_a_run_while_it_is_watched() {
    let lab = lab_that_follows_all().await;
    let run = lab.path("run");
    let folder = run.to_str().unwrap();
    let mut watching = watch(&lab, "run", 2);
    watching.printed("console of").await;
    let addr = watching.out();
    let addr = addr.split_once("http://").unwrap().1.split_once('/').unwrap().0;
    let console = Client::new(addr.parse().unwrap());
    until("the sites are read", async || is_all_fetched(&lab, "run").await).await;

    // 1. Readers.
    let status = lab.json(&["status", "--json", "--dir", folder]).await;
    assert_eq!(status["sites"].as_array().unwrap().len(), 2, "{status}");
    let proof = lab.json(&["verify", "--quiet", "--json", "--dir", folder]).await;
    assert_eq!((&proof["different"], &proof["sites"]), (&0.into(), &2.into()));
    let exported = async || lab.ok(&["export", "articles", "--quiet", "--dir", folder]).await;
    until("articles are exported", async || exported().await.lines().count() > 10).await;
    let lines = exported().await;
    let mut beside = lab.start(&["serve", "--addr", "127.0.0.1:0", "--dir", folder]);
    beside.printed("console of").await;

    let copy = lab.path("copy").display().to_string();
    let copied = lab.json(&["backup", folder, &copy, "--json", "--quiet"]).await;
    assert!(copied["records"].as_u64().unwrap() > 100, "{copied}");
    let proof = lab.json(&["verify", "--quiet", "--json", "--dir", &copy]).await;
    assert_eq!((&proof["different"], &proof["sites"]), (&0.into(), &2.into()));
    let again = lab.run(&["backup", folder, &copy]).await;
    assert!(again.code == Some(1) && again.err.contains("is not empty"), "{}", again.err);

    // 2. Changes.
    let third = &lab.seeds()[2];
    lab.ok(&["seed", "add", third, "--delay", "0", "--dir", folder]).await;
    until("the new site is read", async || is_all_fetched(&lab, "run").await).await;
    lab.ok(&["seed", "pause", third, "--dir", folder]).await;
    let sites = lab.json(&["seed", "list", "--json", "--dir", folder]).await;
    let paused = sites.as_array().unwrap().iter().filter(|site| site["settings"]["paused"] == true);
    assert_eq!((sites.as_array().unwrap().len(), paused.count()), (3, 1), "{sites}");
    let shown = async || console.json("/api/v1/sites").await["sites"].as_array().unwrap().len();
    until("the console shows it", async || shown().await == 3).await;

    // 3. A second writer is refused, and told who is the first.
    let second = lab.run(&lab.mining("run", &[])).await;
    assert_eq!(second.code, Some(1), "{}", second.err);
    assert!(
        second.err.contains("newslode watch") && second.err.contains(&watching.id().to_string()),
        "{}",
        second.err
    );

    // 4. The end.
    beside.terminate();
    assert_eq!(beside.end(PATIENCE).await.code, Some(0));
    watching.terminate();
    let ended = watching.end(PATIENCE).await;
    assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
    let written = std::fs::read_to_string(run.join("articles.jsonl")).unwrap();
    assert!(written.lines().count() > lines.lines().count(), "{written}");
    lab.ok(&["verify", "--quiet", "--dir", folder]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_init_writes_starts_a_watch_whose_console_takes_the_token() {
    let lab = lab_that_follows_all().await;
    let (folder, resolve) = (lab.path("monitor"), lab.resolve());
    let said = lab.ok(&["init", folder.to_str().unwrap(), "--contact", "you@example.org"]).await;
    let command = said.lines().find_map(|line| line.trim().strip_prefix("newslode ")).unwrap();
    std::fs::write(folder.join("seeds.txt"), format!("# two sites\n{}\n", lab.seeds()[..2].join("\n")))
        .unwrap();
    // The command that it names, with what only this world needs.
    let mut arguments: Vec<&str> = command.split(' ').collect();
    arguments.extend(["--addr", "127.0.0.1:0", "--allow-private", "--delay", "0", "--resolve", &resolve]);
    let mut watching = lab.start(&arguments);
    watching.printed("console of").await;
    until("the sites are read", async || is_all_fetched(&lab, "monitor/run").await).await;

    let addr = watching.out();
    let addr = addr.split_once("http://").unwrap().1.split_once('/').unwrap().0;
    let console = Client::new(addr.parse().unwrap());
    let seed = format!("{{\"version\": 1, \"url\": \"{}\"}}", lab.seeds()[2]);
    let add = async |token: &str| {
        let bearer = format!("Bearer {token}");
        let headers = [("Host", addr), ("Authorization", &bearer), ("Content-Type", "application/json")];
        console.send("POST", "/api/v1/seeds", &headers, &seed).await.status
    };
    let token = std::fs::read_to_string(folder.join("token")).unwrap();
    assert_eq!(add("a token that nobody has").await, 401);
    assert!((200..300).contains(&add(token.trim()).await));
    until("the third site is read", async || {
        let sites =
            lab.json(&["seed", "list", "--json", "--dir", folder.join("run").to_str().unwrap()]).await;
        sites.as_array().unwrap().len() == 3
    })
    .await;
    assert!(!folder.join("run/console-sign-in").exists(), "somebody has a token, so no address is written");
    watching.terminate();
    assert_eq!(watching.end(PATIENCE).await.code, Some(0));
}

/// Makes the pages and hierarchies of a run old, as if a month had passed since they were fetched.
async fn age(lab: &Lab, run: &str) -> usize {
    let store = RedbStore::open(&lab.path(run).join("newslode.redb")).unwrap();
    let mut aged = 0;
    for kind in [Kind::Page, Kind::Hierarchy] {
        for value in store.oldest(kind, None, usize::MAX).await.unwrap() {
            let bytes = store.get(kind, value.content).await.unwrap().unwrap();
            let at = Timestamp(value.put_at.0 - 31 * 86_400_000);
            assert!(store.replace(kind, value, bytes, at).await.unwrap());
            aged += usize::from(kind == Kind::Page);
        }
    }
    aged
}

#[tokio::test(flavor = "multi_thread")]
async fn the_oldest_bytes_go_while_articles_taxonomy_and_proof_stay() {
    let mut lab = lab_that_follows_all().await;
    let run = lab.path("run").display().to_string();
    let stop = async |mut watching: Process| {
        watching.terminate();
        let ended = watching.end(PATIENCE).await;
        assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
    };
    // 1. A run that has read its sites, a month later.
    lab.ok(&lab.mining("run", &[])).await;
    let articles = lab.ok(&["export", "articles", "--quiet", "--dir", &run]).await;
    let taxonomy = lab.ok(&["taxonomy", "--quiet", "--dir", &run]).await;
    let digests = digests_in(&open(&lab.path("run"))).await;
    let pages = age(&lab, "run").await;

    // 2. Pages and hierarchies go, also if the process is killed in the midst.
    lab.set("NEWSLODE__RETENTION__EVERY_S", "1");
    lab.set("NEWSLODE__RETENTION__HIERARCHIES_DAYS", "7");
    let left = async |kind: Kind| {
        let store = RedbStore::open_read_only(&lab.path("run").join("newslode.redb"));
        let Ok(store) = store else { return usize::MAX };
        // What is fetched meanwhile is new.
        let old = Timestamp(newslode_common::time::now().0 - 30 * 86_400_000);
        let values = store.oldest(kind, None, usize::MAX).await.unwrap();
        values.iter().filter(|value| value.put_at < old).count()
    };
    let mut watching = watch(&lab, "run", 3);
    until("the first are removed", async || left(Kind::Hierarchy).await < pages).await;
    watching.kill();
    let watching = watch(&lab, "run", 3);
    until("all are removed", async || left(Kind::Page).await == 0 && left(Kind::Hierarchy).await == 0).await;
    let status = lab.json(&["status", "--json", "--dir", &run]).await;
    assert!(status["space"]["file"].as_u64().unwrap() > 0, "{status}");
    stop(watching).await;

    // 3. What counts is as it was, nothing is damaged, and verify says what it cannot prove.
    assert_eq!(digests_in(&open(&lab.path("run"))).await, digests);
    assert!(
        lab.ok(&["export", "articles", "--quiet", "--dir", &run]).await == articles,
        "the articles differ"
    );
    assert!(lab.ok(&["taxonomy", "--quiet", "--dir", &run]).await == taxonomy, "the taxonomy differs");
    let proof = lab.json(&["verify", "--quiet", "--json", "--dir", &run]).await;
    assert_eq!((&proof["removed"], &proof["different"]), (&pages.into(), &0.into()), "{proof}");
    let said = lab.ok(&["verify", "--quiet", "--dir", &run]).await;
    assert!(said.contains(&format!("not proved: {pages} pages whose bytes were removed")), "{said}");

    // 4. The file gets smaller when it is compacted, and holds the same.
    let compacted = lab.json(&["compact", &run, "--json"]).await;
    assert!(compacted["after"].as_u64() < compacted["before"].as_u64(), "{compacted}");
    assert_eq!(digests_in(&open(&lab.path("run"))).await, digests);
    lab.ok(&["verify", "--quiet", "--dir", &run]).await;
    lab.ok(&["repair", "--quiet", "--dir", &run]).await;
    assert_eq!(digests_in(&open(&lab.path("run"))).await, digests);
}
