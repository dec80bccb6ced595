//! What Newslode's services share, and no more: the page and its tree, the labelled hierarchy, the
//! messages and their wire form, the broker, the stores, configuration, telemetry and shutdown.
//!
//! Start at [`contribution`]: all mined state is a sum of integers over pages. Then [`message`] (what
//! travels), [`broker`] and [`store`] (the traits, each with an embedded and a served side).

pub mod broker;
pub mod config;
pub mod message;
pub mod outcome;
pub mod retry;
pub mod serve;
pub mod shutdown;
pub mod store;
pub mod telemetry;
pub mod time;
pub mod tls;
pub mod version;
