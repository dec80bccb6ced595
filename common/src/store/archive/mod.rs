//! Archived pages: their packed form, and the archive in folders and buckets.
//!
//! All archives pack alike (`pack`, `unpack`): zstd with a checksum, so that a broken value is detected and
//! never read as another page. The embedded archive is part of [`RedbStore`](super::redb::RedbStore);
//! [`ObjectArchive`] stores objects; [`CountedArchive`] counts what fails.

mod bucket;
mod counted;
mod object;
pub(super) mod packing;

pub use self::counted::CountedArchive;
pub use self::object::ObjectArchive;
