//! What pages said, by content: see [`PageArchive`](super::PageArchive).
