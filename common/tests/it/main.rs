//! Checks of `newslode-common` as its users see it, on real servers where there are some.

#![allow(clippy::unwrap_used, reason = "a test says what broke by panicking")]

mod broker;
mod broker_broken;
mod broker_rabbitmq;
mod golden;
mod store_cluster;
mod store_redb;
mod store_redis;
mod store_suite;
