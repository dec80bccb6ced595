//! Checks of `newslode-common` as its users see it, on real servers where there are some.

mod broker;
mod broker_broken;
mod broker_rabbitmq;
mod rabbitmq_server;
mod redis_server;
mod store_redb;
mod store_redis;
mod store_suite;
