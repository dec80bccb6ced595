//! The bench of every test: a folder, a world served on loopback, and `newslode` run against it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use newslode_common::outcome::Outcome;
use newslode_common::store::redb::RedbStore;
use newslode_common::store::{Frontier, SiteState, state_digest};
use newslode_newsworld::{Arrival, Content, Server, World, WorldSpec};
use serde_json::Value;

use crate::process::{Ended, Process, program};

/// The longest time for one command; most take seconds.
const PATIENCE: Duration = Duration::from_secs(150);

/// The digest of each site's mined state.
pub type Digests = BTreeMap<String, String>;

/// The last outcome of every known URL.
pub type Outcomes = BTreeMap<String, Option<Outcome>>;

/// A folder and a served world.
pub struct Lab {
    folder: tempfile::TempDir,
    seeds: Vec<String>,
    gold: BTreeSet<String>,
    server: Server,
    commands: AtomicU32,
    environment: Vec<(&'static str, OsString)>,
}

/// A world without faults: three sites with some 65 pages each.
pub fn small_world(seed: u64) -> World {
    World::generate(&WorldSpec { seed, sites: 3, articles_per_section: 1, ..WorldSpec::default() })
}

impl Lab {
    /// Serves a generated world.
    pub async fn of(world: World) -> Lab {
        let seeds = world.seeds();
        let gold = world.gold().articles.iter().map(|article| article.url.clone()).collect();
        Lab { gold, ..Lab::serving(world, &seeds).await }
    }

    /// Serves any content; `seeds` are the pages to start with.
    pub async fn serving(content: impl Content, seeds: &[String]) -> Lab {
        let server = Server::start(content, SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        let folder = tempfile::Builder::new().prefix("newslode-e2e").tempdir().unwrap();
        let (seeds, gold, commands) = (seeds.to_vec(), BTreeSet::new(), AtomicU32::new(0));
        Lab { folder, seeds, gold, server, commands, environment: Vec::new() }
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Sets a variable of the environment in which all programs run.
    pub fn set(&mut self, name: &'static str, value: impl Into<OsString>) {
        self.environment.push((name, value.into()));
    }

    /// One of our programs in its environment.
    pub fn command(&self, name: &str) -> Command {
        let mut command = Command::new(program(name));
        // A configuration of this machine changes nothing.
        command.env("NEWSLODE_CONFIG", "");
        command.env("NEWSLODE__CONSOLE__TIMEZONE", "UTC");
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// The pages to start with.
    pub fn seeds(&self) -> &[String] {
        &self.seeds
    }

    /// The addresses of all articles of a generated world.
    pub fn gold(&self) -> &BTreeSet<String> {
        &self.gold
    }

    /// How often each page was asked for, by host and path.
    pub fn asked(&self) -> BTreeMap<(String, String), u64> {
        self.server.counts()
    }

    /// All requests in the order of their arrival.
    pub fn arrivals(&self) -> Vec<Arrival> {
        self.server.arrivals()
    }

    /// The option value that leads every host to the world.
    pub fn resolve(&self) -> String {
        format!("*:{}", self.server.addr())
    }

    /// Starts `newslode` with these arguments.
    pub fn start<S: AsRef<str>>(&self, arguments: &[S]) -> Process {
        let number = self.commands.fetch_add(1, Ordering::Relaxed);
        let mut command = self.command("newslode");
        command.args(arguments.iter().map(AsRef::as_ref));
        Process::start(command, &format!("newslode-{number}"), self.folder.path())
    }

    /// Runs `newslode` to its end.
    pub async fn run<S: AsRef<str>>(&self, arguments: &[S]) -> Ended {
        self.start(arguments).end(PATIENCE).await
    }

    /// Runs `newslode`, which must succeed. Returns its standard output.
    pub async fn ok<S: AsRef<str>>(&self, arguments: &[S]) -> String {
        let ended = self.run(arguments).await;
        let line = arguments.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(" ");
        assert_eq!(ended.code, Some(0), "newslode {line}\n{}\n{}", ended.out, ended.err);
        ended.out
    }

    /// The same, read as JSON.
    pub async fn json<S: AsRef<str>>(&self, arguments: &[S]) -> Value {
        let out = self.ok(arguments).await;
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("no JSON ({error}): {out}"))
    }

    /// The taxonomy that `newslode taxonomy` prints, without identifiers: these depend on the keys that concepts had at first.
    pub async fn taxonomy<S: AsRef<str>>(&self, arguments: &[S]) -> Value {
        without_identifiers(self.json(arguments).await)
    }

    /// Runs `newslode-lab`, which must succeed, and reads what it prints as JSON.
    pub async fn measured<S: AsRef<str>>(&self, arguments: &[S]) -> Value {
        let mut command = self.command("newslode-lab");
        command.args(arguments.iter().map(AsRef::as_ref));
        let ended = Process::start(command, "newslode-lab", &self.path("")).end(PATIENCE).await;
        let line = arguments.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(" ");
        assert_eq!(ended.code, Some(0), "newslode-lab {line}\n{}\n{}", ended.out, ended.err);
        let out = ended.out;
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("no JSON ({error}): {out}"))
    }

    /// Arguments that mine all of the world into a run of this name, following all links.
    pub fn mining(&self, run: &str, more: &[&str]) -> Vec<String> {
        self.mining_by("all", run, more)
    }

    /// The same with what is followed.
    pub fn mining_by(&self, follow: &str, run: &str, more: &[&str]) -> Vec<String> {
        let fixed = ["mine", "--quiet", "--json", "--follow", follow];
        let mut arguments: Vec<String> = fixed.iter().map(ToString::to_string).collect();
        let (resolve, out) = (self.resolve(), self.path(run).display().to_string());
        arguments.extend(["--resolve".into(), resolve, "--out".into(), out]);
        if !more.contains(&"--delay") {
            arguments.extend(["--delay".into(), "0".into()]);
        }
        arguments.extend(more.iter().map(ToString::to_string));
        arguments.extend(self.seeds.iter().cloned());
        arguments
    }

    /// Mines all of the world in one go, following all links; every other way of doing so must give the same result.
    pub async fn undisturbed(&self, more: &[&str]) -> (Digests, Outcomes) {
        let summary = self.json(&self.mining("undisturbed", more)).await;
        assert_eq!(summary["complete"], true, "{summary}");
        let digests = digests_of(&summary);
        assert_eq!(digests.len(), self.seeds.len(), "{summary}");
        let store = open(&self.path("undisturbed"));
        assert_eq!(digests, digests_in(&store).await, "the summary tells what the folder holds");
        (digests, outcomes_in(&store).await)
    }
}

/// The digests in a summary of `mine`.
pub fn digests_of(summary: &Value) -> Digests {
    serde_json::from_value::<Vec<(String, String)>>(summary["digests"].clone()).unwrap().into_iter().collect()
}

/// Opens a run's state; no other process may hold it.
pub fn open(run: &Path) -> RedbStore {
    RedbStore::open(&run.join("newslode.redb")).unwrap()
}

/// The digests of a store.
pub async fn digests_in(store: &dyn SiteState) -> Digests {
    let mut digests = Digests::new();
    for (site, _) in store.sites().await.unwrap() {
        digests.insert(site.to_string(), state_digest(store, &site).await.unwrap().to_string());
    }
    digests
}

/// The outcomes in a frontier.
pub async fn outcomes_in(frontier: &dyn Frontier) -> Outcomes {
    let mut outcomes = Outcomes::new();
    for site in frontier.status().await.unwrap() {
        for entry in frontier.entries(&site.site).await.unwrap() {
            outcomes.insert(entry.url.to_string(), entry.outcome);
        }
    }
    outcomes
}

/// Fails with the URLs whose outcomes differ, or that have none.
#[track_caller]
pub fn same_outcomes(wanted: &Outcomes, found: &Outcomes) {
    let differ = other_outcomes(wanted, found);
    assert!(differ.is_empty(), "{} outcomes differ:\n{}", differ.len(), differ.join("\n"));
}

/// The URLs whose outcomes differ, or that have none, in words.
pub fn other_outcomes(wanted: &Outcomes, found: &Outcomes) -> Vec<String> {
    let all: std::collections::BTreeSet<&String> = wanted.keys().chain(found.keys()).collect();
    all.into_iter()
        .filter(|url| wanted.get(*url) != found.get(*url) || found.get(*url).is_some_and(Option::is_none))
        .map(|url| format!("{url}: {:?} undisturbed, {:?} now", wanted.get(url), found.get(url)))
        .collect()
}

/// Whether two taxonomies have half of their concepts in common. Miners learn the schemes of sites when they come to it, so
/// services and runs do not end with the very same concepts, though with the same sums.
pub fn are_alike(one: &Value, other: &Value) -> bool {
    let keys = |taxonomy: &Value| -> BTreeSet<String> {
        let concepts = taxonomy["concepts"].as_array().into_iter().flatten();
        concepts.filter_map(|concept| Some(concept["key"].as_str()?.to_owned())).collect()
    };
    let (one, other) = (keys(one), keys(other));
    !one.is_empty() && one.intersection(&other).count() * 2 >= one.len().max(other.len())
}

/// A taxonomy without the identifiers of its concepts.
pub fn without_identifiers(mut taxonomy: Value) -> Value {
    for concept in taxonomy["concepts"].as_array_mut().into_iter().flatten() {
        concept.as_object_mut().map(|concept| concept.remove("id"));
    }
    taxonomy
}
