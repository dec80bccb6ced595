//! The program and the examples as their users see them: arguments in, text and exit codes out.

// Clippy lets test helpers unwrap only if it sees that they are tests.
#[cfg(test)]
mod examples;
#[cfg(test)]
mod requests;
#[cfg(test)]
mod target;
