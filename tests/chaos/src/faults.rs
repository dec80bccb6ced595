//! What faults do, each from its beginning to its end.
//!
//! Every fault leaves its target as it found it: running, connected, with room, and with the right time of day.
//! Start at [`all`].

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt as _;
use std::time::{Duration, Instant};

use futures::future::join_all;
use tokio::sync::Mutex;
use tokio::time::sleep;

use crate::bench::{Bench, service};
use crate::line::{Line, Mode};
use crate::plan::{Kind, Step, Target};
use crate::poison;

/// The longest time that a service may take to stop: its grace is 25 seconds.
const STOP: Duration = Duration::from_secs(40);

/// The signal that asks a process to stop.
const SIGTERM: i32 = 15;

/// A younger process may not listen to signals yet, on a busy machine.
const YOUNG: Duration = Duration::from_secs(10);

/// The interval at which a wait looks again.
const LOOK: Duration = Duration::from_millis(50);

/// How late a slow line carries each piece, in milliseconds: at least, and how much more.
const LATE_MS: (u64, u64) = (20, 500);

/// A turn is counted from the time at which its crawler asked for it. If the store, or the way to it, is disturbed for long,
/// a crawler uses late answers now and then, and the next request may come closer.
const LATE_ANSWER: &str = "the answer to a claim came late";

/// Lets all faults befall in their time. Returns when the last one has ended.
pub(crate) async fn all(bench: &Bench<'_>, steps: &[Step]) {
    let begun = Instant::now();
    // A service may take longer to stop than the plan reckons with: its next fault waits.
    let turns: BTreeMap<Target, Mutex<()>> =
        steps.iter().map(|step| (step.target, Mutex::default())).collect();
    let befall = |step: &Step| {
        let (step, turn) = (step.clone(), turns.get(&step.target));
        async move {
            sleep(step.at.saturating_sub(begun.elapsed())).await;
            let _turn = match turn {
                Some(turn) => Some(turn.lock().await),
                None => None,
            };
            eprintln!("{:7.1} s  {step}", begun.elapsed().as_secs_f64());
            match befall(bench, &step).await {
                Ok(true) => *bench.notes().faults.entry(name(&step)).or_default() += 1,
                Ok(false) => {}
                Err(error) => bench.differs(format!("a fault failed: {step}: {error:#}")),
            }
        }
    };
    join_all(steps.iter().map(befall)).await;
}

/// The fault's name in the report.
fn name(step: &Step) -> String {
    let target = match step.target {
        Target::Service(name) => service(name).trim_start_matches("newslode-").to_owned(),
        target => target.to_string(),
    };
    let kind = serde_json::to_value(step.kind).ok();
    let kind = kind.as_ref().and_then(|kind| kind.as_str()).unwrap_or_default().replace('_', " ");
    format!("{kind}: {target}")
}

/// Returns whether it was done: what this machine cannot do is left out.
async fn befall(bench: &Bench<'_>, step: &Step) -> anyhow::Result<bool> {
    match step.target {
        Target::Service(name) => return befall_service(bench, step, name).await,
        Target::RabbitMq => befall_rabbit(bench, step).await?,
        Target::Redis => befall_redis(bench, step).await,
        Target::LineToRabbitMq => befall_line(&bench.to_rabbit, step).await,
        Target::LineToRedis => {
            let begun = Instant::now();
            befall_line(&bench.to_redis, step).await;
            bench.excuse(begun, LATE_ANSWER);
        }
        Target::Disk => {
            let Some(disk) = &bench.disk else { return Ok(false) };
            disk.fill()?;
            sleep(step.lasts).await;
            disk.free()?;
        }
        Target::Queues => {
            let (queue, body) = poison::garbage(step.dice);
            bench.notes().poison.entry(queue).or_default().insert(body.clone());
            bench.publish(queue, body).await;
        }
        Target::Sites => {
            let number = bench.notes().hostile;
            bench.notes().hostile += 1;
            bench.seed(&poison::site(number)).await;
        }
    }
    Ok(true)
}

async fn befall_service(bench: &Bench<'_>, step: &Step, name: &'static str) -> anyhow::Result<bool> {
    let mut other = Vec::new();
    match step.kind {
        Kind::Pause => {
            if let Some(process) = bench.services().running().get(name) {
                process.freeze();
            }
            sleep(step.lasts).await;
            let begun = Instant::now();
            if let Some(process) = bench.services().running().get(name) {
                process.thaw();
            }
            if service(name) == "newslode-crawler" {
                bench.excuse(begun, "a crawler was paused between claim and request");
            }
            return Ok(true);
        }
        Kind::Clock => {
            let Some(library) = &bench.clock else { return Ok(false) };
            let by = if step.dice.is_multiple_of(2) { "+1h" } else { "-1h" };
            other = vec![("LD_PRELOAD", library.display().to_string()), ("FAKETIME", by.into())];
            other.push(("FAKETIME_DONT_FAKE_MONOTONIC", "1".into()));
        }
        _ => {}
    }
    let begun = Instant::now();
    match step.kind {
        Kind::Kill => bench.services().kill(name),
        _ => stop(bench, name).await,
    }
    if step.kind == Kind::Clock {
        let other: Vec<_> = other.iter().map(|(key, value)| (*key, value.as_str())).collect();
        bench.services().start_copy(name, service(name), &other);
        sleep(step.lasts).await;
        bench.services().kill(name);
        bench.excuse(begun, "a service had another time of day");
    } else {
        sleep(step.lasts).await;
    }
    bench.services().start_copy(name, service(name), &[]);
    Ok(true)
}

/// Asks a service to stop, and waits for that.
async fn stop(bench: &Bench<'_>, name: &'static str) {
    let Some(mut process) = bench.services().running().remove(name) else { return };
    let is_young = process.age() < YOUNG;
    process.terminate();
    let begun = Instant::now();
    while begun.elapsed() < STOP {
        match process.ended() {
            Some(status) if status.success() => return,
            // It was told before it listened: it had not begun.
            Some(status) if is_young && status.signal() == Some(SIGTERM) => return,
            Some(status) => {
                return bench.differs(format!("{name} stopped with {status}\n{}", process.tail()));
            }
            None => sleep(LOOK).await,
        }
    }
    bench.differs(format!("{name} did not stop within {STOP:?}\n{}", process.tail()));
}

async fn befall_rabbit(bench: &Bench<'_>, step: &Step) -> anyhow::Result<()> {
    let mut rabbit = bench.rabbit.lock().await;
    if step.kind == Kind::Kill {
        rabbit.kill_now();
        sleep(step.lasts).await;
        return Ok(rabbit.restart().await?);
    }
    rabbit.freeze();
    sleep(step.lasts).await;
    rabbit.thaw();
    Ok(())
}

async fn befall_redis(bench: &Bench<'_>, step: &Step) {
    let begun = Instant::now();
    if step.kind == Kind::Kill {
        bench.redis.borrow_mut().kill();
        sleep(step.lasts).await;
        bench.redis.borrow_mut().restart();
    } else {
        bench.redis.borrow().freeze();
        sleep(step.lasts).await;
        bench.redis.borrow().thaw();
    }
    bench.excuse(begun, LATE_ANSWER);
}

async fn befall_line(line: &Line, step: &Step) {
    match step.kind {
        Kind::Slow => line.set(Mode::Slow(Duration::from_millis(LATE_MS.0 + step.dice % LATE_MS.1))),
        Kind::Hold => line.set(Mode::Hold),
        Kind::Refuse => {
            line.set(Mode::Refuse);
            line.cut();
        }
        _ => line.cut(),
    }
    sleep(step.lasts).await;
    line.set(Mode::Open);
}
