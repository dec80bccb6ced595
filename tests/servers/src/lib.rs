//! Real servers of a test's own: loopback, free ports, state in temporary folders, ended when dropped.
//!
//! They can be killed, frozen and started again on what they left, and nothing of them is shared with any
//! other server of the machine. Start at [`RabbitServer`], [`RedisServer`] and
//! [`RedisCluster`].

#![allow(clippy::unwrap_used, clippy::panic, reason = "for tests, which say what broke by panicking")]

mod cluster;
mod rabbitmq;
mod redis;

pub use cluster::RedisCluster;
pub use rabbitmq::RabbitServer;
pub use redis::RedisServer;
