//! The miner with the real stores and broker.

#![allow(clippy::unwrap_used, reason = "clippy takes only marked functions for tests, not their helpers")]

mod admission;
mod copies;
mod corrections;
mod counting;
mod faults;
mod filing;
mod flaky;
mod folding;
mod following;
mod forgetting;
mod identifiers;
mod instances;
mod kills;
mod lifecycle;
mod places;
mod purity;
mod races;
mod retention;
mod serving;
mod twins;
mod views;
mod world;
