//! The world as its users see it: pages, links and gold (`world`), and what comes over the wire (`wire`).

// Clippy lets test helpers unwrap only if it sees that they are tests.
#[cfg(test)]
mod html;
#[cfg(test)]
mod wire;
#[cfg(test)]
mod world;
