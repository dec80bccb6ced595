//! The library from outside: the XML form of hierarchies, the number of the algorithms, that it stays pure,
//! and that its rooms have an order.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "tests read and write files, and call a validator and cargo"
)]

mod generation;
mod hierarchy;
mod purity;
mod rooms;
