//! The embedded store: one file, one process.
