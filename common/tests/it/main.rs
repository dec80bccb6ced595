//! Integration tests of the shared parts: one binary, a module a part.

mod store_redb;
mod store_suite;
