//! The miner with the real embedded store and broker.

mod counting;
mod folding;
mod serving;
mod world;
