//! Web archives: WARC 1.1 (ISO 28500), the format in which crawlers keep what they fetched.
//!
//! An archive is a row of records. Each has a header of named fields and a block of bytes, and usually is a
//! gzip member or a zstd frame of its own, so that one record can be read alone. [`Writer`] writes records, [`Reader`] reads
//! them (also those of 1.0, and of ARC) in a stream within limits, [`http`] takes the stored answers of servers apart, and an [`Index`] says where the captures of an address are.
//! Invariant: reading never panics and never holds more than a record of the allowed size; what is broken is
//! told with its place. Start at [`Reader::open`] and [`Writer::write`].

mod arc;
mod cdxj;
pub mod http;
mod read;
mod record;
mod source;
mod surt;
mod write;

pub use cdxj::{Index, Place};
pub use read::{Found, Limits, Reader, SkippedRecord, WarcError, Why};
pub use record::{Fields, Record, RecordType, digest};
pub use surt::surt;
pub use write::{NewRecord, Packing, Writer};
