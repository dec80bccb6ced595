//! A crawler against a web server on loopback that answers as it should not.

// The helpers of tests are no tests by clippy's measure.
#![allow(clippy::unwrap_used)]

mod answers;
mod doubles;
mod faults;
mod redirects;
mod robots;
mod world;
