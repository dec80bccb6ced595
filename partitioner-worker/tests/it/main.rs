//! Tests of the crate from outside.

#![allow(clippy::unwrap_used, reason = "a helper of a test that fails is a test that fails")]

mod service;
