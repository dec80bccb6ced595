//! The partitioner: fetched pages in, hierarchies and contributions out.
//!
//! What a page says is `newslode_page`'s, a pure function; this crate runs it between the queues. Start at
//! [`run`].

mod service;

pub use service::{Parts, run};
