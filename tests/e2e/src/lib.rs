//! The bench of the end-to-end tests: the built programs as processes, against a world served on loopback.
//!
//! [`lab`] is a folder and a served world, with `newslode` run against it; [`services`] adds RabbitMQ, Redis and the
//! services; [`news`] says what must hold at the end in the default mode; [`process`] is one program; [`articles`] are compared with those of another run; [`client`] asks a server,
//! [`collector`] takes traces, [`schema`] checks what it says, and [`browser`] opens its pages as a person does. In the end a test compares the digest of each site's mined state: equal digests
//! mean states that are equal to the bit.
//!
//! The programs lie beside the caller in the target folder. [`process::program`] builds them, so that no test runs those of
//! an earlier build.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "for tests, which say what broke by panicking"
)]

pub mod articles;
pub mod browser;
pub mod client;
pub mod collector;
pub mod lab;
pub mod news;
pub mod process;
pub mod schema;
pub mod services;
