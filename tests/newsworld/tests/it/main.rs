//! The world as its users see it: pages, links and gold (`world`), and what comes over the wire (`wire`).

mod html;
mod wire;
mod world;
