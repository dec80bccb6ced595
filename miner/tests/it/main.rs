//! The miner with the real embedded store and broker.

// Clippy takes only functions marked as tests for tests, not their helpers.
#![allow(clippy::unwrap_used)]

mod counting;
mod folding;
mod serving;
mod world;
