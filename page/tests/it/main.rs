//! The library from outside: the XML form of hierarchies, and that it stays pure.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests call a validator and cargo, and write files for them"
)]

mod hierarchy;
mod purity;
