//! The miner with the real embedded store and broker.

#![allow(clippy::unwrap_used, reason = "clippy takes only marked functions for tests, not their helpers")]

mod counting;
mod folding;
mod serving;
mod views;
mod world;
