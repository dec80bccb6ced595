//! Checks of `newslode-common` from outside, on real servers where they are installed.

#![allow(clippy::unwrap_used, reason = "a test says what broke by panicking")]

mod broken_frontier;
mod broker;
mod broker_broken;
mod broker_rabbitmq;
mod golden;
mod store_cluster;
mod store_redb;
mod store_redis;
mod store_s3;
mod store_suite;
