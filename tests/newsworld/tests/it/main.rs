//! The worlds as their users see them: pages, links and gold (`world`), what comes over the wire (`wire`), sites
//! through simulated days (`living`), and sites that name the places of their articles (`placed`).

// Clippy lets test helpers unwrap only if it sees that they are tests.
#[cfg(test)]
mod html;
#[cfg(test)]
mod living;
#[cfg(test)]
mod placed;
#[cfg(test)]
mod wire;
#[cfg(test)]
mod world;
