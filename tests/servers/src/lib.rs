//! Real servers for one test: on loopback and free ports, with state in temporary folders, ended when
//! dropped.
//!
//! They can be killed, frozen and started again on the state they left. They share nothing with any other
//! server of the machine. Start at [`RabbitServer`], [`RedisServer`], [`RedisCluster`], [`S3Server`] and
//! [`Chromium`].

#![allow(clippy::unwrap_used, clippy::panic, reason = "for tests, which say what broke by panicking")]

mod chromium;
mod cluster;
mod rabbitmq;
mod redis;
mod s3;

pub use chromium::{CHROMIUM_FLAGS, Chromium};
pub use cluster::RedisCluster;
pub use rabbitmq::{DECLARATIONS_ARE_WRITTEN, RabbitServer};
pub use redis::RedisServer;
pub use s3::{BUCKET, Mood, PAGE, S3Server, TOKEN};
