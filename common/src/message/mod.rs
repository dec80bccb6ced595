//! The messages between services: their bodies, and the envelope around them.
//!
//! A message is an [`envelope`]: magic, kind, version, then the body in the [`wire`] form. A reader refuses a
//! message that it does not know, and the broker keeps it among the dead letters. Operators' seed messages
//! are JSON ([`seed`]), so that any AMQP client can send one.

mod body;
pub mod envelope;
mod older;
mod pages;
mod sealed;
pub mod seed;
pub mod wire;

pub use body::{Body, BodyError, MAX_PAGE};
pub use pages::{CountedPage, Ending, FetchedPage, GonePage, PartitionedPage};
pub use sealed::SealedPage;
