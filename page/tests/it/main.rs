//! The library from outside: the XML form of hierarchies, the number of the algorithms, its purity, and the
//! order of its modules.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "tests read and write files, and call a validator and cargo"
)]

mod generation;
mod hierarchy;
mod modules;
mod purity;
