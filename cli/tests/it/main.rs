//! The program as its users see it: arguments in, text and exit codes out.

// Clippy lets test helpers unwrap only if it sees that they are tests.
#[cfg(test)]
mod target;
