//! Checks of `newslode-common` from outside; those on real servers are in `servers`.

#![allow(clippy::unwrap_used, reason = "a test says what broke by panicking")]

mod admin;
mod broken_frontier;
mod broker;
mod broker_broken;
mod golden;
mod servers;
mod store_redb;
mod store_suite;
