//! Newslode as its operators meet it: the built programs as processes, on real servers, killed at bad
//! moments.
//!
//! A test serves a small world on loopback from its own process and lets the programs mine it. In the end it
//! compares the digest of each site's mined state: equal digests mean states that are equal to the bit. Start
//! at the library of this crate, the bench of every test.
//!
//! Tests are grouped by what they need, and their names say it: `servers::` for RabbitMQ, Redis or S3, `browser::` for
//! Chromium, `python::` for a Python environment, anywhere in the path. All others need only the built programs.
//! `.config/nextest.toml` selects by these names.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test says what broke by panicking")]

mod archives;
mod attack;
mod bad_input;
mod browser;
mod certificates;
mod console;
mod copies;
mod corrected;
mod crashes;
mod durability;
mod embedded;
mod extracted;
mod floors;
mod letters;
mod mutants;
mod noindex;
mod oidc;
mod past;
mod placed;
mod python;
mod schemes;
mod servers;
mod upgrade;
mod watching;
mod writing;

use newslode_e2e::{client, lab, process, schema, services};
