//! The code that Newslode's services share, and no more: the messages and their wire form, the broker, the
//! stores, configuration, telemetry, retrying and shutdown.
//!
//! Start at [`message`] (what travels), then read [`broker`] and [`store`]: the traits, each with an embedded
//! and a served side. The library `newslode_page` holds what one page is and says.

pub mod broker;
pub mod coding;
pub mod compression;
pub mod config;
pub mod failpoint;
pub mod listen;
pub mod message;
pub mod network;
pub mod outcome;
pub mod parsed;
pub mod retry;
pub mod rights;
pub mod room;
pub mod schedule;
pub mod serve;
pub mod shutdown;
pub mod store;
pub mod telemetry;
pub mod time;
pub mod tls;
pub mod version;
pub mod warc;

/// Work on pages makes and drops small strings by the million, on many threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
