//! The library from outside: the XML form of hierarchies, the number of the algorithms, its purity, the order
//! of its modules, and its example.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "tests read and write files, and call a validator and cargo"
)]

mod examples;
mod generation;
mod hierarchy;
mod limits;
mod modules;
mod purity;
mod wild;
