//! What the services report about themselves: log lines, metrics, health.
//!
//! [`metrics::Metrics`] registers every family when it is made, so zeros exist from the start. `process` adds
//! the metrics that every process has. [`log`] sets up `tracing`. [`admin`] serves `/metrics`, `/health/live`
//! and `/health/ready` on one port. [`trace`] sends the way of pages to a collector.

pub mod admin;
pub mod log;
pub mod metrics;
pub mod process;
pub mod trace;
