//! The integration tests of `newslode-common`, one binary.

mod broker;
mod broker_broken;
mod broker_rabbitmq;
mod rabbitmq_server;
mod store_redb;
mod store_suite;
