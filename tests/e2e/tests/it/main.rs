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
mod lab;
mod process;
#[path = "../../../../common/tests/it/rabbitmq_server.rs"]
#[allow(dead_code, reason = "shared with tests that use more of it")]
mod rabbitmq_server;
#[path = "../../../../common/tests/it/redis_server.rs"]
#[allow(dead_code, reason = "shared with tests that use more of it")]
mod redis_server;
mod served;
mod services;
