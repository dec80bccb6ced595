//! Newslode as its operators meet it: the built programs as processes, on real servers, killed at bad moments.
//!
//! A test serves a small world on loopback from its own process and lets the programs mine it. What is
//! compared in the end is the digest of each site's mined state: equal digests, equal state to the bit.
//! Start at [`lab`], the bench on which every test stands; [`services`] adds RabbitMQ, Redis and the services.
//!
//! The programs are those beside the test in the target folder: `cargo build --workspace` makes them.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test says what broke by panicking")]

mod bad_input;
mod crashes;
mod dashboard;
mod embedded;
mod faults;
mod floors;
mod lab;
mod process;
mod served;
mod services;
