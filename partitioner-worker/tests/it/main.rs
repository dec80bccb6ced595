//! The crate from outside.

mod service;
