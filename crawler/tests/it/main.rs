//! A crawler against a web server on loopback that answers as it should not.

#![allow(clippy::unwrap_used, reason = "clippy takes only marked functions for tests, not their helpers")]

mod answers;
mod browser;
mod connections;
mod cookies;
mod directives;
mod discovery;
mod doubles;
mod endings;
mod faults;
mod health;
mod hostile;
mod listed;
mod odd;
mod pace;
mod past;
mod recorder;
mod redirects;
mod rights;
mod robots;
mod robots_rules;
mod sim;
mod tls;
mod visits;
mod world;
