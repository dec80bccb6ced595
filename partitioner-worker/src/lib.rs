//! The partitioner: fetched pages in, hierarchies and contributions out.
//!
//! `newslode_page` computes the results of a page, as a pure function. This crate runs it between the queues.
//! Start at [`run`].

mod service;

pub use service::{Parts, run};
