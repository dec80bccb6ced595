//! The worlds as their users see them: pages, links and gold (`world`), what comes over the wire (`wire`), and sites
//! through simulated days (`living`).

// Clippy lets test helpers unwrap only if it sees that they are tests.
#[cfg(test)]
mod html;
#[cfg(test)]
mod living;
#[cfg(test)]
mod wire;
#[cfg(test)]
mod world;
