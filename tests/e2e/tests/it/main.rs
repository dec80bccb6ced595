//! Newslode as its operators meet it: the built programs as processes, on real servers, killed at bad
//! moments.
//!
//! A test serves a small world on loopback from its own process and lets the programs mine it. In the end it
//! compares the digest of each site's mined state: equal digests mean states that are equal to the bit. Start
//! at the library of this crate, the bench of every test.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test says what broke by panicking")]

mod archives;
mod attack;
mod bad_input;
mod browser;
mod browser_writing;
mod console;
mod contract;
mod crashes;
mod dashboard;
mod documented;
mod embedded;
mod faults;
mod filing;
mod floors;
mod letters;
mod news;
mod removal;
mod restore;
mod s3;
mod seeds;
mod served;
mod tls;
mod upgrade;
mod writing;

use newslode_e2e::{client, lab, process, schema, services};
