//! Which faults come when: a list that follows from the seed alone, so that a run can be replayed.
//!
//! Kinds are dealt like cards from a shuffled deck, so that a minute sees nearly all of them and a long run sees each as
//! often as it lies in the deck. Of one target only one fault is under way at a time. Start at [`plan`].

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use newslode_newsworld::Rng;
use serde::Serialize;

/// What a fault befalls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    /// A copy of a service, by its name.
    Service(&'static str),
    /// The broker itself.
    RabbitMq,
    /// The store itself.
    Redis,
    /// The connections between services and broker.
    LineToRabbitMq,
    /// The connections between services and store.
    LineToRedis,
    /// The file system of the archive.
    Disk,
    /// A queue.
    Queues,
    /// The sites to mine.
    Sites,
}

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// Killed at once, and started again.
    Kill,
    /// Asked to stop, and started again.
    Restart,
    /// Stopped where it is, and continued.
    Pause,
    /// Started with another time of day, and later with the right one.
    Clock,
    /// All connections are cut.
    Cut,
    /// All connections are cut, and new ones are refused for a while.
    Refuse,
    /// What is sent arrives late.
    Slow,
    /// Connections stay open, but nothing arrives for a while.
    Hold,
    /// The disk is full.
    Fill,
    /// Garbage is published to a queue.
    PoisonMessage,
    /// A site whose page is hostile is to be mined.
    PoisonPage,
}

/// A fault at its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// When it begins, after the start of the faults.
    pub(crate) at: Duration,
    /// How long it lasts.
    pub(crate) lasts: Duration,
    /// What happens.
    pub(crate) kind: Kind,
    /// What it happens to.
    pub(crate) target: Target,
    /// What is left to chance, such as the bytes of a poison message.
    pub(crate) dice: u64,
}

/// All copies of services: two of each.
pub(crate) const COPIES: [&str; 6] = [
    "newslode-crawler",
    "another-crawler",
    "newslode-partitioner",
    "another-partitioner",
    "newslode-miner",
    "another-miner",
];

/// Those whose work depends on the time of day.
const READS_CLOCK: [&str; 4] = ["newslode-crawler", "another-crawler", "newslode-miner", "another-miner"];

/// The deck: kinds, what they befall, and how often they lie in it.
const DECK: [(Kind, &[Target], usize); 17] = [
    (Kind::Kill, &SERVICES, 5),
    (Kind::Kill, &[Target::RabbitMq], 1),
    (Kind::Kill, &[Target::Redis], 1),
    (Kind::Restart, &SERVICES, 2),
    (Kind::Pause, &SERVICES, 2),
    (Kind::Pause, &[Target::RabbitMq], 1),
    (Kind::Pause, &[Target::Redis], 1),
    (Kind::Clock, &CLOCKS, 1),
    (Kind::Cut, &[Target::LineToRabbitMq], 2),
    (Kind::Cut, &[Target::LineToRedis], 2),
    (Kind::Refuse, &LINES, 1),
    (Kind::Slow, &[Target::LineToRabbitMq], 1),
    (Kind::Slow, &[Target::LineToRedis], 1),
    (Kind::Hold, &LINES, 1),
    (Kind::Fill, &[Target::Disk], 1),
    (Kind::PoisonMessage, &[Target::Queues], 3),
    (Kind::PoisonPage, &[Target::Sites], 1),
];

const SERVICES: [Target; 6] = services(COPIES);
const CLOCKS: [Target; 4] = services(READS_CLOCK);
const LINES: [Target; 2] = [Target::LineToRabbitMq, Target::LineToRedis];

/// Shortest and longest time between two faults, in milliseconds.
const GAP_MS: (usize, usize) = (1_000, 3_500);

/// Everything that happens within `lasts`, in the order of its time.
pub(crate) fn plan(seed: u64, lasts: Duration) -> Vec<Step> {
    let mut dice = Rng::new(seed).fork("faults");
    let (mut deck, mut steps, mut at) = (Vec::new(), Vec::new(), Duration::ZERO);
    let mut free: BTreeMap<Target, Duration> = BTreeMap::new();
    loop {
        at += milliseconds(&mut dice, GAP_MS);
        if at >= lasts {
            break;
        }
        if deck.is_empty() {
            deck = DECK.iter().flat_map(|(kind, at, times)| vec![(*kind, *at); *times]).collect();
            dice.shuffle(&mut deck);
        }
        let Some((kind, targets)) = deck.pop() else { break };
        // One that is free, or the one that will be first.
        let mut targets = targets.to_vec();
        dice.shuffle(&mut targets);
        let free_at = |target: &Target| free.get(target).copied().unwrap_or_default().max(at);
        let Some(target) = targets.into_iter().min_by_key(free_at) else { continue };
        let begin = free_at(&target);
        let step = Step { at: begin, lasts: duration(kind, &mut dice), kind, target, dice: dice.next_u64() };
        free.insert(target, begin + step.lasts + recovery(&step));
        steps.push(step);
    }
    steps.retain(|step| step.at < lasts);
    steps.iter_mut().for_each(|step| step.lasts = step.lasts.min(lasts.saturating_sub(step.at)));
    steps.sort_by_key(|step| step.at);
    steps
}

const fn services<const N: usize>(names: [&'static str; N]) -> [Target; N] {
    let mut targets = [Target::Disk; N];
    let mut n = 0;
    while n < N {
        targets[n] = Target::Service(names[n]);
        n += 1;
    }
    targets
}

fn milliseconds(dice: &mut Rng, (least, most): (usize, usize)) -> Duration {
    Duration::from_millis(dice.between(least, most) as u64)
}

fn duration(kind: Kind, dice: &mut Rng) -> Duration {
    let between = match kind {
        Kind::Kill => (0, 4_000),
        Kind::Restart => (0, 2_000),
        // Longer than a lease now and then.
        Kind::Pause => (500, 10_000),
        Kind::Clock => (8_000, 20_000),
        Kind::Refuse => (500, 5_000),
        Kind::Slow | Kind::Fill => (3_000, 9_000),
        Kind::Hold => (1_000, 8_000),
        Kind::Cut | Kind::PoisonMessage | Kind::PoisonPage => (0, 0),
    };
    milliseconds(dice, between)
}

/// The time until the next fault may befall the same target.
fn recovery(step: &Step) -> Duration {
    Duration::from_secs(match (step.target, step.kind) {
        (Target::RabbitMq, Kind::Kill) => 15,
        (Target::RabbitMq | Target::Redis, _) => 5,
        (Target::Queues | Target::Sites, _) => 0,
        _ => 2,
    })
}

impl Step {
    /// The end of a sentence about a target.
    fn deed(&self) -> &'static str {
        match self.kind {
            Kind::Kill => "is killed",
            Kind::Restart => "is stopped and started again",
            Kind::Pause => "is paused",
            Kind::Clock => "gets another time of day",
            Kind::Cut => "is cut",
            Kind::Refuse => "is cut and refuses",
            Kind::Slow => "is slow",
            Kind::Hold => "carries nothing",
            Kind::Fill => "is full",
            Kind::PoisonMessage => "gets garbage",
            Kind::PoisonPage => "get a hostile one",
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.target, self.deed())?;
        if self.lasts.is_zero() { Ok(()) } else { write!(f, " for {:.1} s", self.lasts.as_secs_f64()) }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Target::Service(name) => name,
            Target::RabbitMq => "RabbitMQ",
            Target::Redis => "Redis",
            Target::LineToRabbitMq => "the line to RabbitMQ",
            Target::LineToRedis => "the line to Redis",
            Target::Disk => "the archive's disk",
            Target::Queues => "a queue",
            Target::Sites => "the sites",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUARTER: Duration = Duration::from_secs(900);

    #[test]
    fn a_seed_gives_the_same_faults_and_another_seed_gives_others() {
        assert_eq!(plan(7, QUARTER), plan(7, QUARTER));
        assert_ne!(plan(7, QUARTER), plan(8, QUARTER));
        let minute = plan(7, Duration::from_secs(60));
        assert!(minute.len() > 15 && plan(7, QUARTER).len() > 300, "{}", minute.len());
    }

    #[test]
    fn one_fault_at_a_time_befalls_a_target_and_each_card_is_dealt() {
        for seed in 0..20 {
            let steps = plan(seed, QUARTER);
            for (number, step) in steps.iter().enumerate() {
                assert!(step.at + step.lasts <= QUARTER, "{step:?}");
                let again = steps[number + 1..].iter().find(|later| later.target == step.target);
                assert!(again.is_none_or(|again| again.at >= step.at + step.lasts), "{step:?} {again:?}");
            }
            for (kind, targets, _) in DECK {
                let dealt = |step: &&Step| step.kind == kind && targets.contains(&step.target);
                assert!(steps.iter().filter(dealt).count() > 5, "{seed}: {kind:?} {targets:?}");
            }
        }
    }
}
