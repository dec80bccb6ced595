//! The installation that faults befall: two copies of each service, RabbitMQ and Redis behind lines, the archive on a
//! disk of its own, and notes of what was done to them.
//!
//! Faults and the supervisor are futures of one task, so the cells here are never borrowed twice; none stays borrowed
//! over an await. Start at [`Bench::start`].

use std::cell::{RefCell, RefMut};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use bytes::Bytes;
use newslode_common::broker::rabbitmq::RabbitBroker;
use newslode_common::broker::{Broker, Queue};
use newslode_common::store::redis::RedisStore;
use newslode_e2e::lab::Lab;
use newslode_e2e::news::Listener;
use newslode_e2e::services::{Installation, SERVICES};
use newslode_test_servers::{RabbitServer, RedisServer};
use tokio::sync::Mutex;

use crate::disk::Disk;
use crate::line::Line;
use crate::memory::Watch;
use crate::pace::Excuse;
use crate::plan::COPIES;

/// The delay between two requests to a site, in milliseconds.
pub(crate) const DELAY_MS: u64 = 400;

/// Debian's library that gives a process another time of day, in a folder of the machine's kind.
const LIBFAKETIME: &str = "faketime/libfaketimeMT.so.1";

/// So long after a fault, requests that it moved may still come: connections are made anew by then.
const AFTERMATH: Duration = Duration::from_secs(2);

/// Wait before a message that the broker did not take is sent again.
const AGAIN: Duration = Duration::from_millis(200);

/// An installation under faults.
pub(crate) struct Bench<'a> {
    /// The services.
    pub(crate) services: RefCell<Installation<'a>>,
    /// The broker. A fault holds it while it starts.
    pub(crate) rabbit: Mutex<RabbitServer>,
    /// The store.
    pub(crate) redis: RefCell<RedisServer>,
    /// Between the services and the broker.
    pub(crate) to_rabbit: Line,
    /// Between the services and the store.
    pub(crate) to_redis: Line,
    /// The archive's; `None` where it cannot be mounted.
    pub(crate) disk: Option<Disk>,
    /// The library of another time of day; `None` if it is not installed.
    pub(crate) clock: Option<PathBuf>,
    /// A reader of all events.
    pub(crate) listener: Listener,
    /// What was done and seen.
    pub(crate) notes: RefCell<Notes>,
    /// The way of this program to the store.
    pub(crate) store: RedisStore,
    /// The way of this program to the broker.
    pub(crate) broker: RabbitBroker,
}

/// What was done and seen.
#[derive(Default)]
pub(crate) struct Notes {
    /// How often each fault befell, by its name.
    pub(crate) faults: BTreeMap<String, u64>,
    /// What could not be done, and why.
    pub(crate) left_out: BTreeSet<String>,
    /// The garbage in each queue.
    pub(crate) poison: BTreeMap<Queue, BTreeSet<Vec<u8>>>,
    /// The pages to start with of the sites that are mined.
    pub(crate) seeds: Vec<String>,
    /// How many of them are hostile.
    pub(crate) hostile: usize,
    /// When requests may come closer than they should.
    pub(crate) excuses: Vec<Excuse>,
    /// What went wrong.
    pub(crate) differences: Vec<String>,
    /// What the services hold.
    pub(crate) memory: Watch,
}

impl<'a> Bench<'a> {
    /// Starts servers and services, and returns when all are ready.
    pub(crate) async fn start(lab: &'a Lab) -> anyhow::Result<Bench<'a>> {
        let mut notes = Notes::default();
        let disk = Disk::mount(&lab.path("chaos-archive"));
        let disk = disk.inspect_err(|error| {
            notes.left_out.insert(format!("full disks: {error:#}"));
        });
        let clock = faketime();
        if clock.is_none() {
            notes.left_out.insert("other times of day: install Debian's package `libfaketime`".into());
        }
        // As docs/operations.md recommends it.
        let redis = RedisServer::start_with(&["--appendfsync", "always"]);
        let rabbit = RabbitServer::start().await?;
        let (to_rabbit, to_redis) = (Line::to(rabbit.port()).await?, Line::to(redis.port()).await?);
        let ours = [rabbit.url(), redis.config().url.reveal().to_owned()];
        let theirs = [
            ours[0].replace(&rabbit.port().to_string(), &to_rabbit.port().to_string()),
            ours[1].replace(&redis.port().to_string(), &to_redis.port().to_string()),
        ];
        let [theirs, ours] = [&theirs, &ours].map(|urls| [urls[0].as_str(), urls[1].as_str()]);
        let mut services = Installation::between("news", lab, theirs, ours, "chaos", DELAY_MS);
        services.start_all();
        for name in COPIES.iter().filter(|name| !SERVICES.contains(name)) {
            services.start_copy(name, service(name), &[]);
        }
        services.ready().await;
        notes.memory.begin(services.running());
        let (broker, store, listener) =
            (services.broker().await, services.store().await, services.listener().await);
        Ok(Bench {
            services: RefCell::new(services),
            rabbit: Mutex::new(rabbit),
            redis: RefCell::new(redis),
            to_rabbit,
            to_redis,
            disk: disk.ok(),
            clock,
            listener,
            notes: RefCell::new(notes),
            store,
            broker,
        })
    }

    /// The services.
    pub(crate) fn services(&self) -> RefMut<'_, Installation<'a>> {
        self.services.borrow_mut()
    }

    /// The notes.
    pub(crate) fn notes(&self) -> RefMut<'_, Notes> {
        self.notes.borrow_mut()
    }

    /// Notes what went wrong.
    pub(crate) fn differs(&self, what: String) {
        eprintln!("DIFFERENCE: {what}");
        self.notes().differences.push(what);
    }

    /// Notes that requests may come closer from `from` until a little after now.
    pub(crate) fn excuse(&self, from: Instant, why: &'static str) {
        let to = Instant::now() + AFTERMATH;
        self.notes().excuses.push(Excuse { from, to, why });
    }

    /// Publishes to a queue until the broker takes it. It may take it twice.
    pub(crate) async fn publish(&self, queue: Queue, body: Vec<u8>) {
        let body = Bytes::from(body);
        while let Err(error) = self.broker.publish(queue, body.clone()).await {
            eprintln!("a message waits for the broker: {error}");
            tokio::time::sleep(AGAIN).await;
        }
    }

    /// Adds a site to those that are mined.
    pub(crate) async fn seed(&self, url: &str) {
        self.notes().seeds.push(url.to_owned());
        let message = serde_json::json!({ "version": 1, "url": url });
        self.publish(Queue::Seeds, message.to_string().into_bytes()).await;
    }

    /// Notes what the services hold after their work.
    pub(crate) fn end_watch(&self) {
        self.notes().memory.end(self.services().running());
    }

    /// Starts copies again that ended by themselves, as a supervisor does, and notes that they did.
    pub(crate) fn supervise(&self) {
        let mut services = self.services();
        let mut ended = Vec::new();
        for (name, process) in services.running() {
            if let Some(status) = process.ended() {
                ended.push((*name, format!("{name} ended by itself with {status}\n{}", process.tail())));
            }
        }
        self.notes().memory.peak(services.running());
        for (name, what) in ended {
            services.start_copy(name, service(name), &[]);
            self.differs(what);
        }
    }
}

/// The service of which this is a copy.
pub(crate) fn service(name: &str) -> &'static str {
    SERVICES.into_iter().find(|service| name.ends_with(&service["newslode".len()..])).unwrap_or(SERVICES[0])
}

fn faketime() -> Option<PathBuf> {
    let folders = std::fs::read_dir("/usr/lib").ok()?;
    folders.flatten().map(|folder| folder.path().join(LIBFAKETIME)).find(|library| library.exists())
}
