//! The world as its users see it: pages, links and gold (`world`), and what comes over the wire (`wire`).

// clippy lets helpers of tests unwrap only where it sees that they are tests
#[cfg(test)]
mod html;
#[cfg(test)]
mod wire;
#[cfg(test)]
mod world;
